//! Collective accesses to files on simulated file systems: whether the data of ranks are
//! aggregated, and how.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::access::{Access, Direction};
use super::domains::{Division, interleave};
use super::hints::{Driver, Hints, Library, Switch};
use super::mounted::{Mounted, MountedStore};
use super::two_phase::{self, Peers, Plan, Run};
use super::{OpenFile, agree};
use crate::coll;
use crate::comm::Communicator;
use crate::error::{Error, Result};
use crate::request::Outcome;
use crate::runtime::Held;

/// The ranks of a file, over the file's own communicator.
struct FilePeers<'a> {
    held: &'a Held,
    comm: &'a Arc<Communicator>,
}

impl Peers for FilePeers<'_> {
    fn rank(&self) -> usize {
        self.comm.rank as usize
    }
    fn alltoall(&self, mine: &[u64]) -> Vec<u64> {
        coll::alltoall_words(self.held, self.comm, mine)
    }
    fn maximum(&self, mine: u64) -> u64 {
        coll::maximum(self.held, self.comm, mine)
    }
    fn exchange(
        &self,
        outgoing: Vec<(usize, Vec<u8>)>,
        incoming: &[(usize, usize)],
    ) -> Result<Vec<Vec<u8>>> {
        let outgoing: Vec<_> = outgoing.into_iter().map(|(to, m)| (to as u32, m)).collect();
        let incoming: Vec<_> = incoming.iter().map(|&(from, n)| (from as u32, n as u64)).collect();
        coll::exchange_messages(self.held, self.comm, &outgoing, &incoming)
    }
    fn agree(&self, mine: Result) -> Result {
        agree(mine, |code| coll::allgather_values(self.held, self.comm, code))
    }
}

/// First byte, end, and number of bytes of a rank's access.
type Extent = [i64; 3];

/// A blocking collective access.
pub(super) struct CollectiveCall<'a> {
    pub held: &'a Held,
    pub file: &'a OpenFile,
    pub mounted: &'a Mounted,
    /// This rank's access and its position in etypes. `None` if the rank only takes part, because
    /// its arguments are wrong.
    pub mine: Option<&'a (Access, i64)>,
    pub direction: Direction,
}

/// What a rank contributes: ranges of the file, and the packed data of a write.
type Contribution<'a> = (Vec<Run>, Cow<'a, [u8]>);

impl CollectiveCall<'_> {
    pub fn run(&self) -> Outcome {
        let hints = self.mounted.hints();
        let writes = self.direction == Direction::Write;
        let switch = if writes { hints.cb_write } else { hints.cb_read };
        if switch == Switch::Disable || hints.aggregators(writes).is_empty() {
            return self.alone();
        }
        // A rank that cannot contribute takes part without bytes.
        let (contribution, failed) = match self.contribution() {
            Ok(contribution) => (contribution, None),
            Err(error) => (Contribution::default(), Some(error)),
        };
        let offset = self.mine.map_or(0, |(access, position)| access.offset(*position));
        let extent = two_phase::hull(&contribution.0).unwrap_or(offset..offset);
        let bytes = bytes_of(&contribution.0);
        let extents = self.file.allgather(self.held, [extent.start, extent.end, bytes as i64]);
        let all = hull(&extents).filter(|_| aggregates(&hints, writes, &extents));
        match (all, failed) {
            (Some(all), failed) => {
                let plan = plan(&hints, writes, all);
                let outcome = self.exclusively(|| self.exchange(&hints, &plan, contribution));
                failed.map_or(outcome, |error| self.outcome(0, Some(error)))
            }
            (None, Some(error)) => self.outcome(0, Some(error)),
            (None, None) => self.alone(),
        }
    }

    fn outcome(&self, done: u64, error: Option<Error>) -> Outcome {
        self.mine.map_or_else(Outcome::empty, |(access, _)| access.outcome(done, error))
    }
    /// Each rank accesses its own data.
    fn alone(&self) -> Outcome {
        let start = |(access, at): &(Access, i64)| access.start(self.held, Some(*at));
        self.mine.map_or_else(Outcome::empty, |mine| start(mine).wait(self.held))
    }
    fn contribution(&self) -> Result<Contribution<'_>> {
        let Some((access, position)) = self.mine else { return Ok(Contribution::default()) };
        let data = match self.direction {
            Direction::Write => access.packed()?,
            Direction::Read => Cow::default(),
        };
        Ok((access.runs(*position)?, data))
    }

    /// Calls `access` while no other access to the file is in progress, if the file is in atomic
    /// mode. `access` begins with a collective step of all ranks.
    fn exclusively(&self, access: impl FnOnce() -> Outcome) -> Outcome {
        let is_atomic = self.file.state().atomic;
        let locks = is_atomic && self.file.is_first();
        if locks {
            self.file.lock(self.held);
        }
        let outcome = access();
        if is_atomic {
            self.file.barrier(self.held);
        }
        if locks {
            self.file.unlock(self.held);
        }
        outcome
    }

    fn exchange(&self, hints: &Hints, plan: &Plan, (runs, data): Contribution) -> Outcome {
        let (held, comm) = (self.held, &self.file.comm);
        let peers = (&FilePeers { held, comm }, comm.size() as usize);
        let store = MountedStore::new(held, self.mounted.backing, hints).aggregating();
        if self.direction == Direction::Write {
            let error = two_phase::write(peers, &store, plan, &runs, &data).err();
            return self.outcome(if error.is_none() { bytes_of(&runs) } else { 0 }, error);
        }
        let read = |out: &mut [u8]| Ok((two_phase::read(peers, &store, plan, &runs, out)?, None));
        match self.mine.filter(|_| !runs.is_empty()) {
            Some((access, _)) => access.fill(read),
            None => {
                let error = read(&mut []).err();
                self.outcome(0, error)
            }
        }
    }
}

fn bytes_of(runs: &[Run]) -> u64 {
    runs.iter().map(|run| run.1).sum()
}

fn hull(extents: &[Extent]) -> Option<Range<i64>> {
    let used = extents.iter().filter(|extent| extent[2] > 0);
    let first = used.clone().map(|extent| extent[0]).min()?;
    Some(first..used.map(|extent| extent[1]).max()?)
}

/// Whether data are aggregated. Automatic: if accesses interleave. ROMIO's driver for Lustre also
/// aggregates writes that do not, unless they are long on average ([R] = pmodels/mpich,
/// `ADIOI_LUSTRE_Docollect`).
fn aggregates(hints: &Hints, writes: bool, extents: &[Extent]) -> bool {
    let switch = if writes { hints.cb_write } else { hints.cb_read };
    switch.decide(|| {
        let ranges: Vec<[i64; 2]> = extents.iter().map(|&[start, end, _]| [start, end]).collect();
        let is_lustre = hints.library == Library::Romio && hints.driver == Driver::Lustre;
        let total: i64 = extents.iter().map(|extent| extent[2]).sum();
        let average = total as u64 / extents.len() as u64;
        let is_short = hints.coll_threshold == 0 || average <= hints.coll_threshold;
        interleave(&ranges) || (is_lustre && writes && is_short)
    })
}

fn plan(hints: &Hints, writes: bool, all: Range<i64>) -> Plan<'_> {
    let aggregators = hints.aggregators(writes);
    let (n, buffer, unit) = (aggregators.len(), hints.cb_buffer_size, hints.striping_unit);
    let division = match hints.divides_stripes(writes) {
        true => Division::stripes(all, n, buffer, unit),
        false => Division::blocks(all, n, buffer, hints.min_fdomain_size, unit),
    };
    Plan { division, aggregators, sieves: hints.sieves_in_collective() }
}
