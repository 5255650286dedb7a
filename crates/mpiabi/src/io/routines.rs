//! Start of data access routines: the position in the file, and the coordination of ranks.

use std::rc::Rc;
use std::sync::Arc;

use super::access::{Access, BufferArguments, Coordination, Direction, Positioning};
use super::collective::CollectiveCall;
use super::pending::{self, Pending};
use super::steps::{self, Steps};
use super::{OpenFile, find};
use crate::abi::{File, c};
use crate::error::{Error, Result, fail};
use crate::export::Integer;
use crate::request::{InFlight, Outcome};
use crate::runtime::Held;

/// Starts an access with any positioning. The individual file pointer moves immediately by the
/// requested amount.
pub(super) fn start<Int: Integer>(
    held: &Held,
    handle: File,
    (positioning, coordination): (Positioning, Coordination),
    what: BufferArguments<Int>,
    direction: Direction,
) -> Result<InFlight> {
    let access = Access::new(handle, positioning, what, direction);
    if coordination == Coordination::Collective {
        // A rank with wrong arguments must still take part in the collective steps.
        let file = find(handle)?;
        if file.mounted.is_some() {
            pending::complete_all(held, &file);
            let (steps, call) = collective(held, &file, positioning, access, direction);
            let outcome = match &call {
                Ok(call) => steps::run(held, &steps, call.run()),
                Err(part) => steps::run(held, &steps, part.0.run()),
            };
            return call.map(|_| InFlight::completed(outcome)).map_err(|part| part.1);
        }
        if positioning == Positioning::Ordered {
            let mine = access.as_ref().map_or(0, |a| a.etypes);
            let position = ordered_position(held, &file, mine);
            return Ok(access?.start(held, Some(position)));
        }
    }
    let access = access?;
    let position = match positioning {
        Positioning::At(offset) => Some(offset),
        Positioning::Own => Some(advance_position(&access)?),
        Positioning::Shared | Positioning::Ordered => None,
    };
    Ok(access.start(held, position))
}

/// Starts a non-blocking collective access.
pub(super) fn start_collective<Int: Integer>(
    held: &Held,
    handle: File,
    positioning: Positioning,
    what: BufferArguments<Int>,
    direction: Direction,
) -> Result<Started> {
    let file = find(handle)?;
    // In atomic mode a rank could wait for the file's lock, which another rank holds until this one
    // takes part. So each rank accesses its own data.
    if !CollectiveCall::communicates(&file, direction) || file.state().atomic {
        let how = (positioning, Coordination::Noncollective);
        return start(held, handle, how, what, direction).map(Started::Alone);
    }
    let access = Access::new(handle, positioning, what, direction);
    let (steps, call) = collective(held, &file, positioning, access, direction);
    // A rank with wrong arguments takes part, although it has no request.
    let (call, error) = match call {
        Ok(call) => (call, None),
        Err(part) => (part.0, Some(part.1)),
    };
    let started = pending::start(held, &file, steps, async move { call.run().await });
    error.map_or(Ok(Started::Pending(started)), Err)
}

/// A non-blocking collective access that was started.
pub(super) enum Started {
    /// The rank accesses its own data.
    Alone(InFlight),
    Pending(Rc<Pending>),
}

/// A collective access of this rank; with an error, its part without data.
type Prepared = std::result::Result<CollectiveCall, Box<(CollectiveCall, Error)>>;

fn collective(
    held: &Held,
    file: &Arc<OpenFile>,
    positioning: Positioning,
    access: Result<Access>,
    direction: Direction,
) -> (Rc<Steps>, Prepared) {
    let position = position(held, file, positioning, access.as_ref().ok());
    let steps = Rc::new(Steps::new());
    let call = |mine| CollectiveCall { steps: steps.clone(), file: file.clone(), mine, direction };
    let prepared = match access.and_then(|access| Ok((access, position?))) {
        Ok(mine) => Ok(call(Some(mine))),
        Err(error) => Err(Box::new((call(None), error))),
    };
    (steps, prepared)
}

/// The position of a collective access, in etypes. `access` is `None` if its arguments are wrong.
fn position(
    held: &Held,
    file: &OpenFile,
    positioning: Positioning,
    access: Option<&Access>,
) -> Result<i64> {
    match (positioning, access) {
        (Positioning::Ordered, _) => {
            Ok(ordered_position(held, file, access.map_or(0, |a| a.etypes)))
        }
        (Positioning::Own, Some(access)) => advance_position(access),
        (Positioning::At(offset), _) => Ok(offset),
        _ => Ok(0),
    }
}

/// Returns the individual file pointer and advances it.
fn advance_position(access: &Access) -> Result<i64> {
    let mut state = access.file.state();
    let position = state.position;
    let Some(next) = position.checked_add(access.etypes) else {
        return fail!(c::ERR_ARG, "{} etypes from {position} on", access.etypes);
    };
    state.position = next;
    Ok(position)
}

/// This rank's position if all ranks access their etypes in rank order from the shared file
/// pointer.
fn ordered_position(held: &Held, file: &OpenFile, etypes: i64) -> i64 {
    let all = file.allgather(held, etypes);
    let total: i64 = all.iter().sum();
    let first = if file.is_first() { file.advance_shared(held, total) } else { 0 };
    let first = file.allgather(held, first)[0];
    first + all[..file.comm.rank as usize].iter().sum::<i64>()
}

/// The blocking form. If a read at the individual file pointer reaches the end of the file, the
/// pointer is set to that end.
pub(super) fn run<Int: Integer>(
    held: &Held,
    handle: File,
    (positioning, coordination): (Positioning, Coordination),
    what: BufferArguments<Int>,
    direction: Direction,
) -> Result<Outcome> {
    let how = (positioning, coordination);
    let outcome = start(held, handle, how, what, direction)?.wait(held);
    if positioning == Positioning::Own && direction == Direction::Read {
        truncate_position(handle, what, &outcome)?;
    }
    Ok(outcome)
}

fn truncate_position<Int: Integer>(
    handle: File,
    what: BufferArguments<Int>,
    outcome: &Outcome,
) -> Result {
    let access = Access::new(handle, Positioning::Own, what, Direction::Read)?;
    access.file.state().position -= access.missing_etypes(outcome.status.bytes());
    Ok(())
}
