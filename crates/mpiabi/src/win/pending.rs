//! Operations under way: what a flush, an unlock, a fence or a complete waits for.

use std::cell::Cell;
use std::rc::Rc;

use super::Window;
use crate::request::{Flight, Outcome};
use crate::runtime::{self, Held};

/// Moves what has returned to the user and gives the block back.
pub(super) type Land = Box<dyn FnOnce(&Held)>;

/// One operation that has been submitted. Shared by its window, by every call that waits for it,
/// and by its request if it has one: the first to see that it is done lands it.
pub(super) struct Pending {
    target: u32,
    token: u32,
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
    fn new(target: u32, token: u32, land: Option<Land>, requested: bool) -> Pending {
        Pending { target, token, land: Cell::new(land), landed: Cell::new(false), requested }
    }
    fn is_done(&self, held: &Held) -> bool {
        runtime::completion(held, self.token).is_some()
    }
}

/// So many operations of one window may be under way before a call waits for the oldest of them.
const MOST: usize = 1 << 14;
/// How often to look for those that are done.
const LOOK: usize = 1 << 9;

/// Takes charge of an operation.
pub(super) fn track(held: &Held, window: &Window, target: u32, token: u32, land: Option<Land>) {
    enlist(held, window, Pending::new(target, token, land, false));
}

/// The same for one with a request.
pub(super) fn request(
    held: &Held,
    window: &Rc<Window>,
    target: u32,
    token: u32,
    land: Option<Land>,
) -> Flight {
    let pending = Pending::new(target, token, land, true);
    let pending = enlist(held, window, pending);
    let window = window.clone();
    let land = move |held: &Held, _: &[_]| {
        pending.land(held);
        window.state(held).pending.retain(|p| !p.landed.get());
        Outcome::empty()
    };
    Flight { tokens: vec![token], land: Box::new(land) }
}

fn enlist(held: &Held, window: &Window, pending: Pending) -> Rc<Pending> {
    let pending = Rc::new(pending);
    let count = {
        let mut state = window.state(held);
        state.idle = 0;
        state.pending.push(pending.clone());
        state.pending.len()
    };
    if count >= MOST {
        let oldest = window.state(held).pending[..MOST / 2].to_vec();
        settle(held, window, oldest);
    } else if count.is_multiple_of(LOOK) {
        let done = |p: &&Rc<Pending>| p.is_done(held);
        let done = window.state(held).pending.iter().filter(done).cloned().collect();
        settle(held, window, done);
    }
    pending
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
    window.state(held).pending.retain(|p| !p.landed.get());
    for pending in these {
        // Another thread may be waiting for the same operation: the last one out releases.
        if let Ok(pending) = Rc::try_unwrap(pending)
            && !pending.requested
        {
            runtime::release_token(held, pending.token);
        }
    }
}
