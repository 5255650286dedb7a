//! Collective accesses to files on simulated file systems: whether the data of ranks are
//! aggregated, and how.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::access::{Access, Direction};
use super::domains::{Division, interleave};
use super::hints::{Driver, Hints, Library, Switch};
use super::mounted::MountedStore;
use super::steps::Steps;
use super::two_phase::{self, Peers, Plan, Run};
use super::{OpenFile, agree};
use crate::abi::c;
use crate::coll::{self, ValuesInFlight};
use crate::comm::Communicator;
use crate::error::{Error, Result};
use crate::request::Outcome;

/// The ranks of a file, over the file's own communicator.
struct FilePeers<'a> {
    steps: &'a Steps,
    comm: &'a Arc<Communicator>,
}

impl FilePeers<'_> {
    async fn values<T: Copy>(&self, values: ValuesInFlight<T>) -> Vec<T> {
        self.steps.complete(&[values.token]).await;
        values.take(self.steps.held())
    }
    async fn allgather<T: Copy>(&self, mine: T) -> Vec<T> {
        self.values(coll::start_allgather(self.steps.held(), self.comm, mine)).await
    }
}

impl Peers for FilePeers<'_> {
    fn rank(&self) -> usize {
        self.comm.rank as usize
    }
    async fn alltoall(&self, mine: &[u64]) -> Vec<u64> {
        self.values(coll::start_alltoall(self.steps.held(), self.comm, mine)).await
    }
    async fn maximum(&self, mine: u64) -> u64 {
        self.values(coll::start_maximum(self.steps.held(), self.comm, mine)).await[0]
    }
    async fn exchange(
        &self,
        outgoing: Vec<(usize, Vec<u8>)>,
        incoming: &[(usize, usize)],
    ) -> Result<Vec<Vec<u8>>> {
        let mut received: Vec<_> = incoming.iter().map(|&(rank, n)| (rank, vec![0; n])).collect();
        let held = self.steps.held();
        let messages = coll::start_messages(held, self.comm, &outgoing, &mut received)?;
        self.steps.finish(messages).await.result()?;
        Ok(received.into_iter().map(|(_, message)| message).collect())
    }
    async fn agree(&self, mine: Result) -> Result {
        let code = mine.as_ref().map_or_else(|e| e.code, |()| c::SUCCESS);
        let codes = self.allgather(code).await;
        agree(mine, |_| codes)
    }
}

/// First byte, end, and number of bytes of a rank's access.
type Extent = [i64; 3];

/// A collective access.
pub(super) struct CollectiveCall {
    pub steps: Rc<Steps>,
    pub file: Arc<OpenFile>,
    /// This rank's access and its position in etypes. `None` if the rank only takes part, because
    /// its arguments are wrong.
    pub mine: Option<(Access, i64)>,
    pub direction: Direction,
}

/// What a rank contributes: ranges of the file, and the packed data of a write.
type Contribution<'a> = (Vec<Run>, Cow<'a, [u8]>);

impl CollectiveCall {
    fn peers(&self) -> FilePeers<'_> {
        FilePeers { steps: &self.steps, comm: &self.file.comm }
    }
    /// Whether the ranks of the file communicate in such an access, by its hints.
    pub fn communicates(file: &OpenFile, direction: Direction) -> bool {
        let Some(mounted) = &file.mounted else { return false };
        let (hints, writes) = (mounted.hints(), direction == Direction::Write);
        let switch = if writes { hints.cb_write } else { hints.cb_read };
        switch != Switch::Disable && !hints.aggregators(writes).is_empty()
    }
    pub async fn run(&self) -> Outcome {
        let Some(mounted) = &self.file.mounted else { return self.alone().await };
        let hints = mounted.hints();
        let writes = self.direction == Direction::Write;
        if !CollectiveCall::communicates(&self.file, self.direction) {
            return self.alone().await;
        }
        // A rank that cannot contribute takes part without bytes.
        let (contribution, failed) = match self.contribution() {
            Ok(contribution) => (contribution, None),
            Err(error) => (Contribution::default(), Some(error)),
        };
        let offset = self.mine.as_ref().map_or(0, |(access, position)| access.offset(*position));
        let extent = two_phase::hull(&contribution.0).unwrap_or(offset..offset);
        let bytes = bytes_of(&contribution.0);
        let mine: Extent = [extent.start, extent.end, bytes as i64];
        let extents = self.peers().allgather(mine).await;
        let all = hull(&extents).filter(|_| aggregates(&hints, writes, &extents));
        match (all, failed) {
            (Some(all), failed) => {
                let plan = plan(&hints, writes, all);
                let outcome = self.exclusively(&hints, &plan, contribution).await;
                failed.map_or(outcome, |error| self.outcome(0, Some(error)))
            }
            (None, Some(error)) => self.outcome(0, Some(error)),
            (None, None) => self.alone().await,
        }
    }

    fn outcome(&self, done: u64, error: Option<Error>) -> Outcome {
        self.mine.as_ref().map_or_else(Outcome::empty, |(access, _)| access.outcome(done, error))
    }
    /// Each rank accesses its own data.
    async fn alone(&self) -> Outcome {
        let Some((access, at)) = &self.mine else { return Outcome::empty() };
        let in_flight = access.start(self.steps.held(), Some(*at));
        self.steps.finish(in_flight).await
    }
    fn contribution(&self) -> Result<Contribution<'_>> {
        let Some((access, position)) = &self.mine else { return Ok(Contribution::default()) };
        let data = match self.direction {
            Direction::Write => access.packed()?,
            Direction::Read => Cow::default(),
        };
        Ok((access.runs(*position)?, data))
    }

    /// The exchange, while no other access to the file is in progress, if the file is in atomic
    /// mode.
    async fn exclusively(&self, hints: &Hints, plan: &Plan<'_>, mine: Contribution<'_>) -> Outcome {
        let is_atomic = self.file.state().atomic;
        let locks = is_atomic && self.file.is_first();
        if locks {
            self.file.lock(self.steps.held());
        }
        let outcome = self.exchange(hints, plan, mine).await;
        if is_atomic {
            self.peers().allgather(0_u8).await;
        }
        if locks {
            self.file.unlock(self.steps.held());
        }
        outcome
    }

    async fn exchange(
        &self,
        hints: &Hints,
        plan: &Plan<'_>,
        (runs, data): Contribution<'_>,
    ) -> Outcome {
        let peers = &self.peers();
        let peers = (peers, self.file.comm.size() as usize);
        let backing = self.file.mounted.as_ref().expect("checked by `run`").backing;
        let store = MountedStore::new(&self.steps, backing, hints).aggregating();
        if self.direction == Direction::Write {
            let error = two_phase::write(peers, &store, plan, &runs, &data).await.err();
            return self.outcome(if error.is_none() { bytes_of(&runs) } else { 0 }, error);
        }
        let mut out = vec![0; bytes_of(&runs) as usize];
        let read = two_phase::read(peers, &store, plan, &runs, &mut out).await;
        let (got, error) = read.map_or_else(|error| (0, Some(error)), |got| (got, None));
        match &self.mine {
            Some((access, _)) if !runs.is_empty() => access.filled(out, got, error),
            _ => self.outcome(0, error),
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
