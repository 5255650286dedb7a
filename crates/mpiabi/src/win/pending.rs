//! Operations under way: what a flush, an unlock, a fence or a complete waits for.

use std::cell::Cell;
use std::rc::Rc;

use super::Window;
use crate::request::{Flight, Outcome};
use crate::runtime::{self, Held};

/// Moves what has returned to the user and gives the block back.
pub(super) type Land = Box<dyn FnOnce(&Held)>;

/// An operation as it leaves the call that made it.
pub(super) struct Submitted {
    pub target: u32,
    pub token: u32,
    pub bytes: u64,
    pub land: Option<Land>,
}

/// One operation that has been submitted. Shared by its window, by every call that waits for it,
/// and by its request if it has one: the first to see that it is done lands it.
pub(super) struct Pending {
    target: u32,
    token: u32,
    /// Of memory it holds.
    bytes: u64,
    land: Cell<Option<Land>>,
    landed: Cell<bool>,
    /// Its token is the request's to release.
    requested: bool,
}

impl Pending {
    fn land(&self, held: &Held) {
        self.landed.set(true);
        if let Some(land) = self.land.take() {
            land(held);
        }
    }
    fn new(made: Submitted, requested: bool) -> Pending {
        let Submitted { target, token, bytes, land } = made;
        let (land, landed) = (Cell::new(land), Cell::new(false));
        Pending { target, token, bytes, land, landed, requested }
    }
    fn is_done(&self, held: &Held) -> bool {
        runtime::completion(held, self.token).is_some()
    }
}

/// So many operations of one window may be under way before a call waits for the oldest of them.
const MOST: usize = 1 << 14;
/// And so many bytes: they are shared memory.
const MOST_BYTES: u64 = 1 << 28;
/// How often to look for those that are done.
const LOOK: usize = 1 << 9;

/// Takes charge of an operation.
pub(super) fn track(held: &Held, window: &Window, made: Submitted) {
    enlist(held, window, Pending::new(made, false));
}

/// The same for one with a request.
pub(super) fn request(held: &Held, window: &Rc<Window>, made: Submitted) -> Flight {
    let token = made.token;
    let pending = enlist(held, window, Pending::new(made, true));
    let window = window.clone();
    let land = move |held: &Held, _: &[_]| {
        pending.land(held);
        sweep(held, &window);
        Outcome::empty()
    };
    Flight { tokens: vec![token], land: Box::new(land) }
}

fn enlist(held: &Held, window: &Window, pending: Pending) -> Rc<Pending> {
    let pending = Rc::new(pending);
    let (count, bytes) = {
        let mut state = window.state(held);
        state.idle = None;
        state.pending_bytes += pending.bytes;
        state.pending.push(pending.clone());
        (state.pending.len(), state.pending_bytes)
    };
    if count >= MOST || bytes >= MOST_BYTES {
        let oldest = window.state(held).pending[..count.div_ceil(2)].to_vec();
        settle(held, window, oldest);
    } else if count.is_multiple_of(LOOK) {
        let done = |p: &&Rc<Pending>| p.is_done(held);
        let done = window.state(held).pending.iter().filter(done).cloned().collect();
        settle(held, window, done);
    }
    pending
}

/// Forgets what has landed.
fn sweep(held: &Held, window: &Window) {
    let mut state = window.state(held);
    state.pending.retain(|p| !p.landed.get());
    state.pending_bytes = state.pending.iter().map(|p| p.bytes).sum();
}

/// Returns when all operations of the window (on `target`, if it is given) are done and landed.
/// Whether there were any.
pub(super) fn flush(held: &Held, window: &Window, target: Option<u32>) -> bool {
    let of = |p: &&Rc<Pending>| target.is_none_or(|t| p.target == t);
    let these: Vec<_> = window.state(held).pending.iter().filter(of).cloned().collect();
    let any = !these.is_empty();
    settle(held, window, these);
    any
}

fn settle(held: &Held, window: &Window, these: Vec<Rc<Pending>>) {
    let tokens: Vec<u32> = these.iter().map(|p| p.token).collect();
    runtime::wait_all(held, &tokens);
    these.iter().for_each(|p| p.land(held));
    sweep(held, window);
    for pending in these {
        // Another thread may be waiting for the same operation: the last one out releases.
        if let Ok(pending) = Rc::try_unwrap(pending)
            && !pending.requested
        {
            runtime::release_token(held, pending.token);
        }
    }
}
