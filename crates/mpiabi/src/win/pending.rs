//! Operations under way: what a flush, an unlock, a fence or a complete waits for.

use std::cell::Cell;
use std::rc::Rc;

use super::Window;
use crate::request::{InFlight, Outcome};
use crate::runtime::{self, Held};

/// Moves what has returned to the user and gives the block back.
pub(super) type OnComplete = Box<dyn FnOnce(&Held)>;

/// An operation as it leaves the call that made it.
pub(super) struct Submitted {
    pub target: u32,
    pub token: u32,
    pub bytes: u64,
    pub on_complete: Option<OnComplete>,
}

/// One operation that has been submitted. Shared by its window, by every call that waits for it,
/// and by its request if it has one: the first to see that it is done lands it.
pub(super) struct PendingOperation {
    target: u32,
    token: u32,
    /// Of memory it holds.
    bytes: u64,
    on_complete: Cell<Option<OnComplete>>,
    completed: Cell<bool>,
    /// Its token is the request's to release.
    requested: bool,
}

impl PendingOperation {
    fn on_complete(&self, held: &Held) {
        self.completed.set(true);
        if let Some(on_complete) = self.on_complete.take() {
            on_complete(held);
        }
    }
    fn new(made: Submitted, requested: bool) -> PendingOperation {
        let Submitted { target, token, bytes, on_complete } = made;
        let (on_complete, completed) = (Cell::new(on_complete), Cell::new(false));
        PendingOperation { target, token, bytes, on_complete, completed, requested }
    }
    fn is_done(&self, held: &Held) -> bool {
        runtime::completion(held, self.token).is_some()
    }
}

/// So many operations of one window may be under way before a call waits for the oldest of them.
const MAX_PENDING: usize = 1 << 14;
/// And so many bytes: they are shared memory.
const MAX_PENDING_BYTES: u64 = 1 << 28;
/// How often to look for those that are done.
const SWEEP_INTERVAL: usize = 1 << 9;

/// Takes charge of an operation.
pub(super) fn track(held: &Held, window: &Window, made: Submitted) {
    enlist(held, window, PendingOperation::new(made, false));
}

/// The same for one with a request.
pub(super) fn request(held: &Held, window: &Rc<Window>, made: Submitted) -> InFlight {
    let token = made.token;
    let pending = enlist(held, window, PendingOperation::new(made, true));
    let window = window.clone();
    let on_complete = move |held: &Held, _: &[_]| {
        pending.on_complete(held);
        sweep(held, &window);
        Outcome::empty()
    };
    InFlight { tokens: vec![token], on_complete: Box::new(on_complete) }
}

fn enlist(held: &Held, window: &Window, pending: PendingOperation) -> Rc<PendingOperation> {
    let pending = Rc::new(pending);
    let (count, bytes) = {
        let mut state = window.state(held);
        state.idle = None;
        state.pending_bytes += pending.bytes;
        state.pending.push(pending.clone());
        (state.pending.len(), state.pending_bytes)
    };
    if count >= MAX_PENDING || bytes >= MAX_PENDING_BYTES {
        let oldest = window.state(held).pending[..count.div_ceil(2)].to_vec();
        settle(held, window, oldest);
    } else if count.is_multiple_of(SWEEP_INTERVAL) {
        let done = |p: &&Rc<PendingOperation>| p.is_done(held);
        let done = window.state(held).pending.iter().filter(done).cloned().collect();
        settle(held, window, done);
    }
    pending
}

/// Forgets what has landed.
fn sweep(held: &Held, window: &Window) {
    let mut state = window.state(held);
    state.pending.retain(|p| !p.completed.get());
    state.pending_bytes = state.pending.iter().map(|p| p.bytes).sum();
}

/// Returns when all operations of the window (on `target`, if it is given) are done and landed.
/// Whether there were any.
pub(super) fn flush(held: &Held, window: &Window, target: Option<u32>) -> bool {
    let of = |p: &&Rc<PendingOperation>| target.is_none_or(|t| p.target == t);
    let these: Vec<_> = window.state(held).pending.iter().filter(of).cloned().collect();
    let any = !these.is_empty();
    settle(held, window, these);
    any
}

fn settle(held: &Held, window: &Window, these: Vec<Rc<PendingOperation>>) {
    let tokens: Vec<u32> = these.iter().map(|p| p.token).collect();
    runtime::wait_all(held, &tokens);
    these.iter().for_each(|p| p.on_complete(held));
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
