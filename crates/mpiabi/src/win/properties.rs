//! Properties of a window: attributes, hints, name and group.

mod calls;

use std::ffi::c_int;

use super::{Flavor, Hints, find};
use crate::abi::{Aint, Win, c};
use crate::error::Result;
use crate::runtime::Held;

/// Values of predefined attributes, whose addresses programs get.
pub(super) struct AttributeValues {
    size: Aint,
    disp_unit: c_int,
    flavor: c_int,
    model: c_int,
}

impl AttributeValues {
    pub fn new(flavor: Flavor, size: Aint, disp_unit: i64) -> AttributeValues {
        let flavor = match flavor {
            Flavor::Create => c::WIN_FLAVOR_CREATE,
            Flavor::Allocate => c::WIN_FLAVOR_ALLOCATE,
            Flavor::Shared => c::WIN_FLAVOR_SHARED,
            Flavor::Dynamic => c::WIN_FLAVOR_DYNAMIC,
        };
        let disp_unit = c_int::try_from(disp_unit).unwrap_or(c::UNDEFINED);
        AttributeValues { size, disp_unit, flavor, model: c::WIN_UNIFIED }
    }
}

/// Address of a predefined attribute of a window; `None` if the key is not predefined.
pub(crate) fn predefined(held: &Held, win: Win, keyval: c_int) -> Result<Option<usize>> {
    let window = find(held, win)?;
    let of = &window.attribute_values;
    Ok(Some(match keyval {
        c::WIN_BASE => window.base,
        c::WIN_SIZE => &raw const of.size as usize,
        c::WIN_DISP_UNIT => &raw const of.disp_unit as usize,
        c::WIN_CREATE_FLAVOR => &raw const of.flavor as usize,
        c::WIN_MODEL => &raw const of.model as usize,
        _ => return Ok(None),
    }))
}

pub(super) fn hint<'a>(hints: &'a Hints, key: &[u8]) -> Option<&'a [u8]> {
    hints.iter().find(|h| h.0 == key).map(|h| h.1.as_slice())
}

/// The hints of MPI 5.0 (12.2.1) that every window has, with their default values.
const DEFAULTS: [(&str, &str); 5] = [
    ("no_locks", "false"),
    ("accumulate_ordering", "rar,raw,war,waw"),
    ("accumulate_ops", "same_op_no_op"),
    ("same_size", "false"),
    ("same_disp_unit", "false"),
];

/// Standard hints that a window has only if the program passes them.
const OTHERS: [&str; 4] = [
    "alloc_shared_noncontig",
    "mpi_accumulate_granularity",
    "mpi_assert_memory_alloc_kinds",
    "mpi_minimum_memory_alignment",
];

/// Merges the hints that a window supports, and ignores others (MPI 5.0, 12.2.7).
fn merge_hints(hints: &mut Hints, given: Hints) {
    for (key, value) in given {
        let is = |known: &&str| known.as_bytes() == key;
        if !DEFAULTS.iter().map(|d| d.0).chain(OTHERS).any(|known| is(&known)) {
            continue;
        }
        match hints.iter_mut().find(|h| h.0 == key) {
            Some(hint) => hint.1 = value,
            None => hints.push((key, value)),
        }
    }
}

/// The hints in effect: those of the program, and defaults for the rest.
pub(super) fn effective_hints(given: Hints, flavor: Flavor) -> Hints {
    let shared = (flavor == Flavor::Shared).then_some(("alloc_shared_noncontig", "false"));
    let defaults = DEFAULTS.into_iter().chain(shared);
    let mut hints = defaults.map(|(key, value)| (key.into(), value.into())).collect();
    merge_hints(&mut hints, given);
    hints
}
