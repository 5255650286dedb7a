//! Checks that the members of recorded collectives agree; otherwise the run would wait forever.

use super::ScheduleErrors;
use crate::Context;
use crate::schedule::MAX_BYTES;
use collectives::{Case, Collective, Kind};
use std::collections::BTreeMap;

/// One member's call: its row, and its index among the rarer operations.
struct MemberCall {
    row: usize,
    at: u32,
    call: Collective,
}

/// The n-th collectives of a communicator's members belong together.
#[derive(Default)]
pub(super) struct CollectiveMatching {
    /// How many collectives each member of each communicator has entered so far.
    entered: BTreeMap<(Context, u32), u32>,
    collectives: BTreeMap<(Context, u32), (Case, Vec<MemberCall>)>,
}

type Wrong = (String, &'static str);

/// Checks one member's call on its own.
pub(super) fn check_call(call: &Collective) -> Result<(), Wrong> {
    use Kind::*;
    let size = call.member.size;
    let lengths = call.ragged.as_ref().map_or(0, |ragged| ragged.len());
    let expected = match call.kind {
        Allgatherv | ReduceScatter => size as usize,
        Gatherv | Scatterv if call.member.rank == call.root => size as usize,
        Alltoallv => 2 * size as usize,
        _ => 0,
    };
    if lengths != expected {
        return Err((format!("{lengths} lengths"), "as many as the collective has blocks"));
    }
    if call.root >= size {
        return Err((format!("root {}", call.root), "a rank of the communicator"));
    }
    if call.grain == 0 {
        return Err(("elements of 0 bytes".into(), "at least 1"));
    }
    let total = call.ragged.as_ref().map_or(0, |ragged| ragged.total());
    let even = u128::from(call.bytes) * u128::from(size);
    if total > MAX_BYTES || even > u128::from(MAX_BYTES) {
        return Err((format!("{even} B"), "buffers of at most 2^40 bytes"));
    }
    Ok(())
}

impl CollectiveMatching {
    pub fn join(&mut self, row: usize, context: Context, at: u32, call: Collective, case: Case) {
        let entered = self.entered.entry((context, call.member.rank)).or_default();
        let meeting = self.collectives.entry((context, *entered)).or_insert((case, Vec::new()));
        *entered += 1;
        meeting.1.push(MemberCall { row, at, call });
    }

    /// The indices of all collectives, each with the first member's case.
    pub fn check(self, errors: &mut ScheduleErrors) -> Vec<(u32, Case)> {
        let mut cases = Vec::new();
        for (case, entries) in self.collectives.values() {
            let first = &entries[0];
            for entry in entries {
                cases.push((entry.at, *case));
                if let Err(what) = agree(&first.call, &entry.call) {
                    let found = format!("{} with {what}", entry.call.kind.name());
                    let expected = format!("the same as row {}, of the same collective", first.row);
                    errors.add(format!("row {}", entry.row), found, &expected);
                }
            }
            if matches!(first.call.kind, Kind::Gatherv | Kind::Scatterv | Kind::Alltoallv) {
                check_blocks(entries, errors);
            }
        }
        cases.sort_unstable_by_key(|case| case.0);
        cases
    }
}

/// Checks what two members must have in common.
fn agree(theirs: &Collective, mine: &Collective) -> Result<(), &'static str> {
    use Kind::*;
    if theirs.kind != mine.kind {
        return Err("another kind");
    }
    if mine.kind.has_root() && theirs.root != mine.root {
        return Err("another root");
    }
    match mine.kind {
        Gatherv | Scatterv | Alltoallv => return Ok(()),
        Allgatherv | ReduceScatter if theirs.ragged != mine.ragged => return Err("other lengths"),
        Allgatherv | ReduceScatter => {}
        _ if theirs.bytes != mine.bytes => return Err("other bytes"),
        _ => {}
    }
    if mine.kind.reduces() && theirs.grain != mine.grain {
        return Err("other elements");
    }
    Ok(())
}

/// Checks that the length of each sent block is the one its receiver expects.
fn check_blocks(entries: &[MemberCall], errors: &mut ScheduleErrors) {
    let (all, root): (Vec<&MemberCall>, Vec<&MemberCall>) = (
        entries.iter().collect(),
        entries.iter().filter(|e| e.call.member.rank == e.call.root).collect(),
    );
    let (senders, receivers) = match entries[0].call.kind {
        Kind::Gatherv => (&all, &root),
        Kind::Scatterv => (&root, &all),
        _ => (&all, &all),
    };
    for from in senders {
        for to in receivers {
            let (sent, expected) = (sends(&from.call, &to.call), receives(&to.call, &from.call));
            if let (Some(sent), Some(expected)) = (sent, expected)
                && sent != expected
            {
                let found = format!("{sent} B for the member of row {}", to.row);
                let expected = format!("{expected} B, which that member expects");
                errors.add(format!("row {}", from.row), found, &expected);
            }
        }
    }
}

fn sends(from: &Collective, to: &Collective) -> Option<u64> {
    let list = |at: u32| from.ragged.as_ref().map(|ragged| ragged.part(at as usize).len);
    match from.kind {
        Kind::Gatherv if to.member.rank == to.root && from.member.rank != from.root => {
            Some(from.bytes)
        }
        Kind::Scatterv if from.member.rank == from.root && to.member.rank != to.root => {
            list(to.member.rank)
        }
        Kind::Alltoallv => list(to.member.rank),
        _ => None,
    }
}

fn receives(to: &Collective, from: &Collective) -> Option<u64> {
    let list = |at: u32| to.ragged.as_ref().map(|ragged| ragged.part(at as usize).len);
    match to.kind {
        Kind::Gatherv if to.member.rank == to.root => list(from.member.rank),
        Kind::Scatterv => Some(to.bytes),
        Kind::Alltoallv => list(to.member.size + from.member.rank),
        _ => None,
    }
}
