//! One-sided communication: windows, and what other ranks do to this rank's memory.
//!
//! An operation is a block in shared memory (`Arrival` and what only origin and target understand,
//! see `block`). The simulator says when it is done; the target's own process applies it (`apply`),
//! the next time it has the turn or as soon as somebody must see the result. So any memory can be a
//! window, and no operation is ever half done.
//!
//! A window has a communicator of its own: its context names the window on the wire, in locks too,
//! and keeps the messages of post, start, complete and wait apart. `epoch` knows which calls are
//! allowed when, `pending` what has been submitted and is not done.

mod apply;
mod block;
mod create;
mod epoch;
mod memory;
mod operations;
mod pending;
mod properties;
mod sync;

use std::cell::{OnceCell, RefMut};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::rc::Rc;
use std::sync::Arc;

use crate::abi::{Aint, Comm, Kind, Win, c};
use crate::comm::Communicator;
use crate::error::{Error, Result, Site, fail};
use crate::foreign;
use crate::runtime::{Guarded, Held};
use epoch::Epochs;
use pending::PendingOperation;

pub(crate) use apply::apply;
pub(crate) use properties::predefined;

/// What a window is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flavor {
    Create,
    Allocate,
    Shared,
    Dynamic,
}

/// What every rank of a window knows of every other one.
#[derive(Clone, Copy)]
#[repr(C)]
struct WindowPart {
    size: i64,
    disp_unit: i64,
    /// Offset of its memory in the job's segment, if it is there.
    offset: u64,
}

/// A window's memory as the NIC knows it.
#[derive(Clone, Copy)]
struct Region {
    /// By a key of those that need no matching.
    is_optimized: bool,
}

impl Region {
    /// What MPICH registers (pmodels/mpich, ofi_win.c, `win_allgather`): all memory there is as the
    /// window is made; what is attached to a dynamic one later only with a hint of its own, so not.
    /// With a key that needs no matching if the program asks for it, and for no order of
    /// accumulates.
    fn of(flavor: Flavor, size: Aint, hints: &Hints) -> Option<Region> {
        let is =
            |key: &[u8], value: &[u8]| properties::hint(hints, key).is_some_and(|v| v == value);
        let is_optimized = is(b"optimized_mr", b"true") && is(b"accumulate_ordering", b"none");
        (flavor != Flavor::Dynamic && size > 0).then_some(Region { is_optimized })
    }
}

struct Window {
    flavor: Flavor,
    comm: Arc<Communicator>,
    comm_handle: Comm,
    /// Address of this rank's part.
    base: usize,
    region: Option<Region>,
    /// Known to all once all have their part.
    parts: OnceCell<Vec<WindowPart>>,
    /// Blocks of this rank's arena to give back.
    blocks: Vec<(u64, u64)>,
    /// What `MPI_Win_get_attr` hands out the addresses of.
    attribute_values: properties::AttributeValues,
    state: Guarded<WindowState>,
}

/// What changes in a window's life.
struct WindowState {
    epochs: Epochs,
    /// In the order of submission.
    pending: Vec<Rc<PendingOperation>>,
    pending_bytes: u64,
    /// When the rank had last got its turn as a call found nothing to wait for. A second one in the
    /// same turn: the program waits for its memory to change.
    idle: Option<u64>,
    /// Bytes on their way to a target, by its rank, since it was last made to take them.
    unapplied: BTreeMap<u32, u64>,
    /// Tokens of the messages that end this rank's exposure.
    awaited: Vec<u32>,
    /// Dynamic windows: attached memory, by first address; the address behind the last.
    attached: BTreeMap<usize, usize>,
    name: String,
    hints: Hints,
}

type Hints = Vec<(Vec<u8>, Vec<u8>)>;

impl Window {
    fn base(&self) -> *mut u8 {
        self.base as *mut u8
    }
    fn part(&self, rank: u32) -> WindowPart {
        self.parts()[rank as usize]
    }
    fn parts(&self) -> &[WindowPart] {
        self.parts.get().expect("known before the program has the window")
    }
    fn is_dynamic(&self) -> bool {
        self.flavor == Flavor::Dynamic
    }
    /// Whether others than `rank` may look at its memory without MPI: memory of a shared window,
    /// also when another window is made of it. What a dynamic window has attached only its owner
    /// knows.
    fn is_visible_to_others(&self, rank: u32) -> bool {
        match self.flavor {
            Flavor::Shared | Flavor::Dynamic => true,
            Flavor::Create => self.part(rank).offset != 0,
            Flavor::Allocate => false,
        }
    }
    fn state<'a>(&'a self, held: &'a Held) -> RefMut<'a, WindowState> {
        self.state.get(held)
    }
    /// Whether all of `low..high` is attached.
    fn has_attached(&self, held: &Held, low: usize, high: usize) -> bool {
        let state = self.state(held);
        let mut at = low;
        while at < high {
            match state.attached.range(..=at).next_back() {
                Some((_, &end)) if end > at => at = end,
                _ => return false,
            }
        }
        true
    }
    /// The rank an operation means; `None` is `MPI_PROC_NULL`.
    fn target(&self, rank: c_int) -> Result<Option<u32>> {
        match rank {
            c::PROC_NULL => Ok(None),
            _ => self.comm.checked(rank, "the target").map(Some),
        }
    }
}

#[derive(Default)]
struct Windows {
    slots: Vec<Option<Rc<Window>>>,
    /// Slots by context: what arrives names its window so.
    contexts: BTreeMap<u32, usize>,
}

static WINDOWS: Guarded<Windows> =
    Guarded::new(Windows { slots: Vec::new(), contexts: BTreeMap::new() });

fn insert(held: &Held, window: Window) -> Win {
    let mut all = WINDOWS.get(held);
    let slot = all.slots.iter().position(Option::is_none).unwrap_or(all.slots.len());
    if slot == all.slots.len() {
        all.slots.push(None);
    }
    all.contexts.insert(window.comm.context, slot);
    all.slots[slot] = Some(Rc::new(window));
    Win::created(slot as u32)
}

fn remove(held: &Held, win: Win) {
    let mut all = WINDOWS.get(held);
    let window = win.slot().and_then(|slot| all.slots[slot as usize].take());
    all.contexts.remove(&window.expect("found before").comm.context);
}

/// The window behind a handle.
fn find(held: &Held, win: Win) -> Result<Rc<Window>> {
    if win == c::WIN_NULL {
        return fail!(c::ERR_WIN, "the window is MPI_WIN_NULL");
    }
    let found = win.slot().and_then(|slot| WINDOWS.get(held).slots.get(slot as usize)?.clone());
    found.ok_or_else(|| {
        let (raw, more) = (win.to_int(), foreign::clause(Kind::Win, win.to_int()));
        let what = format!("{raw:#x} is not a window, or it has been freed{more}");
        // It has no handler any more: an error of no object.
        Error { site: Some(Site::win(c::WIN_NULL)), ..Error::new(c::ERR_WIN, what) }
    })
}

/// How many the program has not freed.
pub(crate) fn created(held: &Held) -> usize {
    WINDOWS.get(held).slots.iter().flatten().count()
}

/// Complains about a handle that is no window's.
pub(crate) fn check(held: &Held, win: Win) -> Result {
    find(held, win).map(drop)
}

fn by_context(held: &Held, context: u32) -> Option<Rc<Window>> {
    let all = WINDOWS.get(held);
    all.slots[*all.contexts.get(&context)?].clone()
}

/// An address of the program's, as displacements of dynamic windows are.
fn address(at: Aint) -> usize {
    at as usize
}
