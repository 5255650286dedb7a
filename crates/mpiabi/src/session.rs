//! Sessions: MPI without `MPI_Init`. The first session attaches the process to the job. Process
//! sets name groups, and groups create communicators.

mod calls;

use std::ffi::c_int;

use crate::abi::{Kind, Session, c};
use crate::error::{Error, Result};
use crate::runtime::{Guarded, Held};

struct Open {
    /// The thread level of the session. The library supports the process's threads in any case.
    threads: c_int,
}

/// By slot; the slot of a session is never reused.
static SESSIONS: Guarded<Vec<Option<Open>>> = Guarded::new(Vec::new());

pub(crate) fn is_any_open(held: &Held) -> bool {
    SESSIONS.get(held).iter().any(Option::is_some)
}

pub(crate) fn check(held: &Held, session: Session) -> Result<usize> {
    let open = |&slot: &usize| matches!(SESSIONS.get(held).get(slot), Some(Some(_)));
    let slot = session.slot().map(|s| s as usize).filter(open);
    slot.ok_or_else(|| {
        let more = crate::foreign::clause(Kind::Session, session.to_int());
        Error::new(c::ERR_SESSION, format!("not a session, or it has been finalized{more}"))
    })
}
