//! Synchronization: fence; post, start, complete and wait; locks and flushes.
//!
//! A fence is a flush and a barrier. Post and complete are empty messages on the window's own
//! communicator. The simulator manages locks, because it knows which rank waits for which.

use std::ffi::c_int;

use collectives::Kind;
use workload::wire::{Submission, flag, kind};

use super::epoch::{Access, Lock};
use super::{Window, find, pending};
use crate::abi::{Group, Win, c};
use crate::coll::Job;
use crate::error::{Result, fail};
use crate::export::mpi_fn;
use crate::group;
use crate::request;
use crate::runtime::{self, Held};

/// Tags of the messages that connect exposure and access epochs.
const POSTED: c_int = 0;
const COMPLETED: c_int = 1;

pub(super) fn barrier(held: &Held, window: &Window) {
    Job::new(&window.comm, Kind::Barrier, 0).start(held).wait(held);
}

/// Rejects assertions other than `allowed`.
fn check(assertions: c_int, allowed: c_int) -> Result {
    if assertions & !allowed != 0 {
        return fail!(c::ERR_ASSERT, "the assertion {assertions:#x} has no meaning here");
    }
    Ok(())
}

/// Called when there is nothing to wait for. If the program repeats the call in the same turn, it
/// waits for its memory to change, or for another thread. Then time has to pass.
fn idle(held: &Held, window: &Window) {
    if window.state(held).idle == Some(runtime::released_ps(held)) {
        runtime::poll(held, &[]);
    }
    window.state(held).idle = Some(runtime::released_ps(held));
}

/// Ranks of a group in the window.
fn ranks(window: &Window, group: Group) -> Result<Vec<u32>> {
    let rank = |&world: &u32| match window.comm.rank_of(world) {
        Some(rank) if rank < window.comm.size() => Ok(rank),
        _ => fail!(c::ERR_GROUP, "world rank {world} is not in the window's group"),
    };
    group::get(group)?.iter().map(rank).collect()
}

/// Sends an empty message.
fn send_empty(held: &Held, window: &Window, rank: u32, tag: c_int) {
    let (token, kind, flags) = (runtime::token(held), kind::SEND, flag::BUFFERED);
    let (peer, context) = (window.comm.world(rank), window.comm.messages_context());
    let what = Submission { kind, flags, token, peer, tag, context, ..Submission::default() };
    runtime::submit(held, what);
    runtime::detach(held, token);
}

/// Receives an empty message; returns the token.
fn receive_empty(held: &Held, window: &Window, rank: u32, tag: c_int) -> u32 {
    let (token, kind) = (runtime::token(held), kind::RECV);
    let (peer, context) = (window.comm.world(rank), window.comm.messages_context());
    let what = Submission { kind, token, peer, tag, context, ..Submission::default() };
    runtime::submit(held, what);
    token
}

fn wait(held: &Held, tokens: &[u32]) {
    request::wait_all(held, tokens);
    tokens.iter().for_each(|&token| runtime::release_token(held, token));
}

/// Requests the lock of a rank's part; returns the token.
fn take_lock(held: &Held, window: &Window, rank: u32, exclusive: bool) -> u32 {
    let (token, kind) = (runtime::token(held), kind::LOCK);
    let flags = if exclusive { flag::EXCLUSIVE } else { 0 };
    let (peer, context) = (window.comm.world(rank), window.comm.context);
    runtime::submit(
        held,
        Submission { kind, flags, token, peer, context, ..Submission::default() },
    );
    token
}

fn return_lock(held: &Held, window: &Window, rank: u32) {
    let (token, kind) = (runtime::token(held), kind::UNLOCK);
    let (peer, context) = (window.comm.world(rank), window.comm.context);
    runtime::submit(held, Submission { kind, token, peer, context, ..Submission::default() });
    runtime::detach(held, token);
}

/// Ends the exposure epoch if all its messages have arrived.
fn close_exposure(held: &Held, window: &Window) {
    let tokens = {
        let mut state = window.state(held);
        state.epochs.exposed = false;
        std::mem::take(&mut state.awaited)
    };
    tokens.iter().for_each(|&token| runtime::release_token(held, token));
}

fn flush(held: &Held, win: Win, rank: Option<c_int>) -> Result {
    let window = find(held, win)?;
    let target = match rank {
        None => None,
        Some(rank) => match window.target(rank)? {
            Some(target) => Some(target),
            None => return Ok(()),
        },
    };
    window.state(held).epochs.flush(target)?;
    if !pending::flush(held, &window, target) {
        idle(held, &window);
    }
    Ok(())
}

mpi_fn! {
    pub fn Win_fence(assertions: c_int, win: Win) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        check(
            assertions,
            c::MODE_NOSTORE | c::MODE_NOPUT | c::MODE_NOPRECEDE | c::MODE_NOSUCCEED,
        )?;
        window.state(held).epochs.fence()?;
        pending::flush(held, &window, None);
        barrier(held, &window);
        window.state(held).epochs.access = match assertions & c::MODE_NOSUCCEED {
            0 => Access::Fence { used: false },
            _ => Access::Closed,
        };
        Ok(())
    }

    pub fn Win_post(group: Group, assertions: c_int, win: Win) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        check(assertions, c::MODE_NOCHECK | c::MODE_NOSTORE | c::MODE_NOPUT)?;
        let origins = ranks(&window, group)?;
        window.state(held).epochs.post()?;
        if assertions & c::MODE_NOCHECK == 0 {
            origins.iter().for_each(|&rank| send_empty(held, &window, rank, POSTED));
        }
        let receive = |&rank: &u32| receive_empty(held, &window, rank, COMPLETED);
        let awaited = origins.iter().map(receive).collect();
        let mut state = window.state(held);
        state.epochs.exposed = true;
        state.awaited = awaited;
        Ok(())
    }
    pub fn Win_start(group: Group, assertions: c_int, win: Win) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        check(assertions, c::MODE_NOCHECK)?;
        let targets = ranks(&window, group)?;
        window.state(held).epochs.start()?;
        if assertions & c::MODE_NOCHECK == 0 {
            let posts: Vec<u32> =
                targets.iter().map(|&rank| receive_empty(held, &window, rank, POSTED)).collect();
            wait(held, &posts);
        }
        window.state(held).epochs.access = Access::Start(targets);
        Ok(())
    }
    pub fn Win_complete(win: Win) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        window.state(held).epochs.complete()?;
        pending::flush(held, &window, None);
        let access = std::mem::replace(&mut window.state(held).epochs.access, Access::Closed);
        if let Access::Start(targets) = access {
            targets.iter().for_each(|&rank| send_empty(held, &window, rank, COMPLETED));
        }
        Ok(())
    }
    pub fn Win_wait(win: Win) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        window.state(held).epochs.wait()?;
        let awaited = window.state(held).awaited.clone();
        request::wait_all(held, &awaited);
        close_exposure(held, &window);
        Ok(())
    }
    pub fn Win_test(win: Win, flag: *mut c_int) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        window.state(held).epochs.wait()?;
        let awaited = window.state(held).awaited.clone();
        let open = || -> Vec<u32> {
            let open = |t: &u32| runtime::completion(held, *t).is_none();
            awaited.iter().copied().filter(open).collect()
        };
        let missing = open();
        if !missing.is_empty() {
            runtime::poll(held, &missing);
        }
        let over = open().is_empty();
        if over {
            close_exposure(held, &window);
        }
        unsafe { *flag = c_int::from(over) };
        Ok(())
    }

    pub fn Win_lock(lock_type: c_int, rank: c_int, assertions: c_int, win: Win) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        if lock_type != c::LOCK_EXCLUSIVE && lock_type != c::LOCK_SHARED {
            return fail!(c::ERR_LOCKTYPE, "{lock_type} is not a lock type");
        }
        check(assertions, c::MODE_NOCHECK)?;
        let Some(target) = window.target(rank)? else { return Ok(()) };
        window.state(held).epochs.lock(target)?;
        let lock = if assertions & c::MODE_NOCHECK == 0 {
            wait(held, &[take_lock(held, &window, target, lock_type == c::LOCK_EXCLUSIVE)]);
            Lock::Taken
        } else {
            Lock::Assumed
        };
        window.state(held).epochs.insert(target, lock);
        Ok(())
    }
    pub fn Win_unlock(rank: c_int, win: Win) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let Some(target) = window.target(rank)? else { return Ok(()) };
        let lock = window.state(held).epochs.locked(target)?;
        pending::flush(held, &window, Some(target));
        if lock == Lock::Taken {
            return_lock(held, &window, target);
        }
        window.state(held).epochs.remove(target);
        Ok(())
    }
    pub fn Win_lock_all(assertions: c_int, win: Win) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        check(assertions, c::MODE_NOCHECK)?;
        window.state(held).epochs.lock_all()?;
        let lock = if assertions & c::MODE_NOCHECK == 0 {
            let all = 0..window.comm.size();
            let tokens: Vec<u32> = all.map(|r| take_lock(held, &window, r, false)).collect();
            wait(held, &tokens);
            Lock::Taken
        } else {
            Lock::Assumed
        };
        window.state(held).epochs.access = Access::All(lock);
        Ok(())
    }
    pub fn Win_unlock_all(win: Win) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let lock = window.state(held).epochs.all_locked()?;
        pending::flush(held, &window, None);
        if lock == Lock::Taken {
            (0..window.comm.size()).for_each(|rank| return_lock(held, &window, rank));
        }
        window.state(held).epochs.access = Access::Closed;
        Ok(())
    }

    pub fn Win_flush(rank: c_int, win: Win) {
        flush(&runtime::enter()?, win, Some(rank))
    }
    pub fn Win_flush_all(win: Win) {
        flush(&runtime::enter()?, win, None)
    }
    pub fn Win_flush_local(rank: c_int, win: Win) {
        flush(&runtime::enter()?, win, Some(rank))
    }
    pub fn Win_flush_local_all(win: Win) {
        flush(&runtime::enter()?, win, None)
    }
    pub fn Win_sync(win: Win) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        window.state(held).epochs.sync()?;
        idle(held, &window);
        Ok(())
    }
}
