//! Operations in flight: those that a flush, an unlock, a fence or a complete waits for.

use std::cell::Cell;
use std::rc::Rc;

use super::Window;
use crate::request::{self, InFlight, Outcome};
use crate::runtime::{self, Held};

/// Writes the returned data to the user's buffer and frees the block.
pub(super) type OnComplete = Box<dyn FnOnce(&Held)>;

/// An operation as returned by the call that submitted it.
pub(super) struct Submitted {
    pub target: u32,
    pub token: u32,
    pub bytes: u64,
    pub on_complete: Option<OnComplete>,
}

/// An operation in flight. Shared by its window, by every call that waits for it, and by its
/// request if it has one. The first that sees its completion finishes it.
pub(super) struct PendingOperation {
    target: u32,
    token: u32,
    /// Bytes of shared memory that it holds.
    bytes: u64,
    on_complete: Cell<Option<OnComplete>>,
    completed: Cell<bool>,
    /// Its request releases the token.
    requested: bool,
}

impl PendingOperation {
    fn complete(&self, held: &Held) {
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

/// Maximum number of operations in flight per window; a further call waits for the oldest.
const MAX_PENDING: usize = 1 << 14;
/// Maximum number of bytes in flight per window: they are shared memory.
const MAX_PENDING_BYTES: u64 = 1 << 28;
/// Number of operations between checks for completion.
const SWEEP_INTERVAL: usize = 1 << 9;

/// Adds an operation.
pub(super) fn track(held: &Held, window: &Window, made: Submitted) {
    enlist(held, window, PendingOperation::new(made, false));
}

/// The same for an operation with a request.
pub(super) fn request(held: &Held, window: &Rc<Window>, made: Submitted) -> InFlight {
    let token = made.token;
    let pending = enlist(held, window, PendingOperation::new(made, true));
    let window = window.clone();
    let on_complete = move |held: &Held, _: &[_]| {
        pending.complete(held);
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

/// Removes the completed operations.
fn sweep(held: &Held, window: &Window) {
    let mut state = window.state(held);
    state.pending.retain(|p| !p.completed.get());
    state.pending_bytes = state.pending.iter().map(|p| p.bytes).sum();
}

/// Returns when all operations of the window (on `target`, if given) are complete; whether there
/// were any.
pub(super) fn flush(held: &Held, window: &Window, target: Option<u32>) -> bool {
    let of = |p: &&Rc<PendingOperation>| target.is_none_or(|t| p.target == t);
    let these: Vec<_> = window.state(held).pending.iter().filter(of).cloned().collect();
    let any = !these.is_empty();
    settle(held, window, these);
    any
}

fn settle(held: &Held, window: &Window, these: Vec<Rc<PendingOperation>>) {
    let tokens: Vec<u32> = these.iter().map(|p| p.token).collect();
    request::wait_all(held, &tokens);
    these.iter().for_each(|p| p.complete(held));
    sweep(held, window);
    for pending in these {
        // Another thread may wait for the same operation: the last one releases it.
        if let Ok(pending) = Rc::try_unwrap(pending)
            && !pending.requested
        {
            runtime::release_token(held, pending.token);
        }
    }
}
