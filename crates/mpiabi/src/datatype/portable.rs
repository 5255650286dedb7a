//! Datatypes of another representation: constructed like a given type, but from values of other
//! sizes.
//!
//! Displacements and strides that count items scale with the item. Those that count bytes stay,
//! because the program gave them in bytes (MPI 5.0, 14.5).

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use super::make::{self, Distribution, Width};
use super::map::Placed;
use super::signature::Signature;
use super::{Contents, TYPES, Type};
use crate::abi::{Datatype, c};
use crate::error::Result;

/// Size of a predefined type's value in that representation, in bytes.
pub(crate) type Length<'a> = &'a dyn Fn(Datatype) -> Result<u64>;

/// The type of `handle` with values of those sizes.
pub(crate) fn rebuild_with_lengths(handle: Datatype, of: &Type, length: Length) -> Result<Type> {
    let contents = &of.contents;
    let named =
        [c::COMBINER_NAMED, c::COMBINER_F90_INTEGER, c::COMBINER_F90_REAL, c::COMBINER_F90_COMPLEX];
    if named.contains(&contents.combiner) {
        return Ok(value(length(handle)?));
    }
    let mut parts = Parts(Vec::with_capacity(contents.types.len()));
    for (handle, of) in &contents.types {
        let part = Arc::new(rebuild_with_lengths(*handle, of, length)?);
        parts.0.push(Datatype::created(TYPES.insert(part)));
    }
    rebuild(contents, &parts.0)
}

/// Temporary handles by which constructors find types that no program sees.
struct Parts(Vec<Datatype>);

impl Drop for Parts {
    fn drop(&mut self) {
        for part in &self.0 {
            TYPES.remove(part.slot().expect("just made"));
        }
    }
}

/// One value of `bytes` bytes.
fn value(bytes: u64) -> Type {
    let contents = Contents {
        combiner: c::COMBINER_NAMED,
        integers: Vec::new(),
        addresses: Vec::new(),
        counts: Vec::new(),
        types: Vec::new(),
    };
    Type {
        size: bytes,
        lb: 0,
        ub: bytes as i64,
        align: 1,
        placed: Placed::run(bytes),
        signature: Signature::of_bytes(bytes),
        number: None,
        contents,
        committed: AtomicBool::new(true),
        touched: OnceLock::new(),
        name: Default::default(),
    }
}

/// Calls the constructor of `contents` with other component types.
fn rebuild(contents: &Contents, parts: &[Datatype]) -> Result<Type> {
    // For either width: integers come first, addresses after them.
    let arguments = [&contents.integers[..], &contents.addresses, &contents.counts].concat();
    let part = parts[0];
    let small = Width::Small;
    match contents.combiner {
        c::COMBINER_DUP => make::dup(part),
        c::COMBINER_CONTIGUOUS => make::contiguous(arguments[0], part, small),
        c::COMBINER_VECTOR => make::vector(arguments[0], arguments[1], arguments[2], part, small),
        c::COMBINER_HVECTOR => make::hvector(arguments[0], arguments[1], arguments[2], part, small),
        c::COMBINER_RESIZED => make::resized(part, arguments[0], arguments[1], small),
        c::COMBINER_INDEXED_BLOCK => {
            make::indexed_block(arguments[1], &arguments[2..], part, small)
        }
        c::COMBINER_HINDEXED_BLOCK => {
            make::hindexed_block(arguments[1], &arguments[2..], part, small)
        }
        c::COMBINER_INDEXED | c::COMBINER_HINDEXED | c::COMBINER_STRUCT => {
            let (lengths, at) = arguments[1..].split_at(arguments[0] as usize);
            match contents.combiner {
                c::COMBINER_INDEXED => make::indexed(lengths, at, part, small),
                c::COMBINER_HINDEXED => make::hindexed(lengths, at, part, small),
                _ => make::structure(lengths, at, parts, small),
            }
        }
        c::COMBINER_SUBARRAY => subarray(contents, part),
        c::COMBINER_DARRAY => darray(contents, part),
        other => unreachable!("no constructor has combiner {other}"),
    }
}

fn subarray(contents: &Contents, part: Datatype) -> Result<Type> {
    let n = contents.integers[0] as usize;
    let order = *contents.integers.last().expect("the order comes last") as i32;
    let arrays =
        if contents.counts.is_empty() { &contents.integers[1..] } else { &contents.counts[..] };
    let (sizes, parts, starts) = (&arrays[..n], &arrays[n..2 * n], &arrays[2 * n..3 * n]);
    make::subarray(sizes, parts, starts, order, part, Width::Small)
}

fn darray(contents: &Contents, part: Datatype) -> Result<Type> {
    let arguments: Vec<i32> = contents.integers.iter().map(|&v| v as i32).collect();
    let n = arguments[2] as usize;
    let (sizes, rest) = match contents.counts.is_empty() {
        true => (contents.integers[3..3 + n].to_vec(), &arguments[3 + n..]),
        false => (contents.counts.clone(), &arguments[3..]),
    };
    let dimension = |d: usize| Distribution {
        size: sizes[d],
        distribution: rest[d],
        argument: rest[n + d],
        processes: rest[2 * n + d],
    };
    let per_dimension: Vec<Distribution> = (0..n).map(dimension).collect();
    make::darray((arguments[0], arguments[1]), &per_dimension, rest[3 * n], part, Width::Small)
}

#[cfg(test)]
mod tests {
    use super::super::{get, insert, make};
    use super::*;

    /// Runs of an item, and its extent.
    fn runs(of: &Type) -> (Vec<(i64, u64)>, i64) {
        struct Runs(Vec<(i64, u64)>);
        impl super::super::map::Visitor for Runs {
            fn run(&mut self, at: i64, len: u64) -> bool {
                self.0.push((at, len));
                true
            }
        }
        let mut found = Runs(Vec::new());
        of.placed.walk(1, of.extent(), &mut found);
        (found.0, of.extent())
    }

    /// Types of ints, one from every constructor that counts in items.
    fn made_of(old: Datatype, width: Width) -> Vec<Type> {
        let order = c::ORDER_FORTRAN;
        let dimension = |size, distribution, argument, processes| Distribution {
            size,
            distribution,
            argument,
            processes,
        };
        let per_dimension = [
            dimension(10, c::DISTRIBUTE_CYCLIC, 2, 2),
            dimension(5, c::DISTRIBUTE_BLOCK, c::DISTRIBUTE_DFLT_DARG, 3),
        ];
        [
            make::dup(old),
            make::contiguous(3, old, width),
            make::vector(3, 2, 5, old, width),
            make::indexed(&[1, 2], &[4, 1], old, width),
            make::indexed_block(2, &[5, 0], old, width),
            make::subarray(&[4, 6], &[2, 3], &[1, 2], order, old, width),
            make::darray((6, 4), &per_dimension, order, old, width),
        ]
        .map(|made| made.expect("good arguments"))
        .into()
    }

    #[test]
    fn item_displacements_scale_with_the_item() {
        for width in [Width::Small, Width::Large] {
            let doubled = made_of(c::DOUBLE, Width::Small);
            for (of, wanted) in made_of(c::INT, width).into_iter().zip(doubled) {
                let twice = |_| Ok(8);
                let found =
                    rebuild_with_lengths(c::DATATYPE_NULL, &of, &twice).expect("it can be made");
                assert_eq!(runs(&found), runs(&wanted));
                assert_eq!(found.size, wanted.size);
            }
        }
    }

    #[test]
    fn byte_displacements_stay() {
        let long = |handle| Ok(if handle == c::INT { 8 } else { 3 });
        let old = [c::INT, c::CHAR];
        let of = make::structure(&[2, 1], &[0, 20], &old, Width::Large).expect("good arguments");
        let found = rebuild_with_lengths(c::DATATYPE_NULL, &of, &long).expect("it can be made");
        assert_eq!(runs(&found).0, [(0, 16), (20, 3)]);
        let outer = insert(of);
        let of = make::resized(outer, -1, 100, Width::Small).expect("good arguments");
        let found = rebuild_with_lengths(c::DATATYPE_NULL, &of, &long).expect("it can be made");
        assert_eq!((found.lb, found.ub, found.size), (-1, 99, 19));
        let of = make::hvector(2, 1, 9, c::INT, Width::Large).expect("good arguments");
        let found = rebuild_with_lengths(c::DATATYPE_NULL, &of, &long).expect("it can be made");
        assert_eq!(runs(&found).0, [(0, 8), (9, 8)]);
        assert!(get(outer).is_ok());
    }
}
