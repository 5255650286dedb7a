//! One-sided communication: windows, and other ranks' operations on this rank's memory.
//!
//! An operation is a block in shared memory: an `Arrival`, and the part that only origin and target
//! interpret (see `block`). The simulator decides when it is complete. The target's own process
//! applies it (`apply`) when it next has the turn, or as soon as the result must be visible. So any
//! memory can be a window, and no operation is ever partially visible.
//!
//! A window has a communicator of its own. Its context identifies the window in submissions and in
//! locks, and separates the messages of post, start, complete and wait. `epoch` has the rules for
//! calls, `pending` the operations that have been submitted and are not complete.

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

/// How a window was created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flavor {
    Create,
    Allocate,
    Shared,
    Dynamic,
}

/// The properties of a rank's part of a window, known to all its ranks.
#[derive(Clone, Copy)]
#[repr(C)]
struct WindowPart {
    size: i64,
    disp_unit: i64,
    /// Offset of its memory in the job's segment, if it is there.
    offset: u64,
}

/// The registration of a window's memory with the NIC.
#[derive(Clone, Copy)]
struct Region {
    /// Whether its key is one of those that need no matching.
    is_optimized: bool,
}

impl Region {
    /// The registration by MPICH's rules (pmodels/mpich, ofi_win.c, `win_allgather`). Memory that
    /// exists when the window is created is registered. Memory attached to a dynamic window is
    /// registered only with a separate hint, so it is not here. The key needs no matching if the
    /// program requests that, and requests no ordering of accumulates.
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
    /// Set on all ranks once all have their part.
    parts: OnceCell<Vec<WindowPart>>,
    /// Blocks of this rank's arena to free.
    blocks: Vec<(u64, u64)>,
    /// The values whose addresses `MPI_Win_get_attr` returns.
    attribute_values: properties::AttributeValues,
    state: Guarded<WindowState>,
}

/// The state of a window that changes.
struct WindowState {
    epochs: Epochs,
    /// In the order of submission.
    pending: Vec<Rc<PendingOperation>>,
    pending_bytes: u64,
    /// The time of the last release when a call found nothing to wait for. A second such call in
    /// the same turn means that the program waits for its memory to change.
    idle: Option<u64>,
    /// Bytes in flight to each target, by rank, since it was last made to apply them.
    unapplied: BTreeMap<u32, u64>,
    /// Tokens of the messages that end this rank's exposure.
    awaited: Vec<u32>,
    /// Dynamic windows: attached memory, as start and end addresses.
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
    /// Whether ranks other than `rank` may access its memory without MPI: memory of a shared
    /// window, also if another window was created from it. The memory attached to a dynamic window
    /// is known to its owner only.
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
    /// The target rank of an operation; `None` is `MPI_PROC_NULL`.
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
    /// Slots by context, which identifies the window in operations that arrive.
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

/// The window of a handle.
fn find(held: &Held, win: Win) -> Result<Rc<Window>> {
    if win == c::WIN_NULL {
        return fail!(c::ERR_WIN, "the window is MPI_WIN_NULL");
    }
    let found = win.slot().and_then(|slot| WINDOWS.get(held).slots.get(slot as usize)?.clone());
    found.ok_or_else(|| {
        let (raw, more) = (win.to_int(), foreign::clause(Kind::Win, win.to_int()));
        let what = format!("{raw:#x} is not a window, or it has been freed{more}");
        // An invalid window has no handler: an error of no object.
        Error { site: Some(Site::win(c::WIN_NULL)), ..Error::new(c::ERR_WIN, what) }
    })
}

/// Number of windows that the program has not freed.
pub(crate) fn created(held: &Held) -> usize {
    WINDOWS.get(held).slots.iter().flatten().count()
}

/// Checks that the handle is a window's.
pub(crate) fn check(held: &Held, win: Win) -> Result {
    find(held, win).map(drop)
}

fn by_context(held: &Held, context: u32) -> Option<Rc<Window>> {
    let all = WINDOWS.get(held);
    all.slots[*all.contexts.get(&context)?].clone()
}

/// The address that a displacement of a dynamic window is.
fn address(at: Aint) -> usize {
    at as usize
}
