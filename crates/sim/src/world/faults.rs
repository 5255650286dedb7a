//! Effects of the machine's faults on jobs: messages that were given up, nodes that went down.

use super::{MessageOwner, Rank, World};
use crate::outcome::Blocked;
use crate::world::Job;
use base::Time;
use machine::NodeId;
use machine::faults::NEVER;
use net::{Failure, LostAt, MsgId, NetworkModel};
use workload::Workload;

/// Failures so far, and the next one.
pub(super) struct FailureState {
    /// A failure of the machine from which no job can continue.
    pub failed: Option<Blocked>,
    /// Time of the next node failure in the schedule; usually never.
    pub next_failure: Time,
}

impl FailureState {
    pub fn new(job: &Job) -> FailureState {
        FailureState { failed: None, next_failure: next_failure(job, Time::ZERO).unwrap_or(NEVER) }
    }
}

fn next_failure(job: &Job, after: Time) -> Option<Time> {
    let faults = job.machine.faults.as_ref()?;
    faults.node_failures.iter().map(|node_failure| node_failure.0).find(|&at| at > after)
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// Whether the run cannot continue.
    pub(super) fn cannot_continue(&self) -> bool {
        self.erroneous_call.is_some()
            || self.failure_state.failed.is_some()
            || self.limit_checker.is_exhausted()
    }

    /// The network has given up a message: the failure names its sender.
    pub(super) fn fail_message(&mut self, id: MsgId, owner: MessageOwner) {
        let failure = self.net.failure(id).expect("the network says why a message failed");
        let Some(rank) = self.sender(owner) else {
            if let MessageOwner::Background(source) = owner {
                self.background_fails(source);
            }
            return;
        };
        self.remove_pending(rank);
        if self.workload.has_ended(self.current_job) {
            return; // No rank waits for it any more.
        }
        let (to, bytes) = self.owner_target(owner);
        let to = self.own_number(to);
        let what = format!(
            "network timeout: a message of {bytes} B to rank {to} was given up: {}",
            self.describe_failure(failure)
        );
        let node = self.job.placements[rank as usize].node;
        self.failure_state.failed.get_or_insert(Blocked { rank, node, what });
    }

    /// Target rank of a message, and the bytes of its whole operation.
    fn owner_target(&self, owner: MessageOwner) -> (u32, u64) {
        match owner {
            MessageOwner::Send(in_flight) => {
                let send = self.sends[in_flight.send];
                (send.to, send.bytes)
            }
            MessageOwner::Access(access) => self.about_access(access),
            MessageOwner::Background(_) => unreachable!("no rank's"),
        }
    }

    fn describe_failure(&self, failure: Failure) -> String {
        let Failure { src, dst, at, sent } = failure;
        let machine = &self.job.machine;
        let nic = |nic| machine.end_name(machine::LinkEnd::Nic(nic));
        let place = match at {
            LostAt::Link(link) => {
                format!("on the link {}, which was down", machine.link_name(link))
            }
            LostAt::Switch(switch) => {
                let switch = machine.end_name(machine::LinkEnd::Switch(switch));
                format!("at {switch}, which had no path to the destination")
            }
        };
        let times = if sent == 1 { "once".into() } else { format!("{sent} times") };
        let again = sent - 1;
        format!(
            "a packet from {} to {} was sent {times} ({again} retries) and lost each time, last \
             {place}",
            nic(src),
            nic(dst)
        )
    }

    /// A node goes down, and the jobs of its ranks fail. Returns false if no job has ranks on it.
    #[cold]
    pub(super) fn fail_node(&mut self) -> bool {
        let at = self.failure_state.next_failure;
        self.failure_state.next_failure = next_failure(self.job, at).unwrap_or(NEVER);
        let faults = self.job.machine.faults.as_ref().expect("a node fails by a schedule");
        let failed_nodes: Vec<NodeId> =
            faults.node_failures.iter().filter(|d| d.0 == at).map(|d| d.1).collect();
        let has_failed = |&rank: &usize| {
            let Rank { job, exited, .. } = self.ranks[rank];
            failed_nodes.contains(&self.job.placements[rank].node)
                && !exited
                && !self.workload.has_ended(job)
        };
        let all: Vec<usize> = (0..self.ranks.len()).filter(has_failed).collect();
        let Some(&first) = all.first() else { return false };
        let node = self.job.placements[first].node;
        let here = all.iter().filter(|&&rank| self.job.placements[rank].node == node).count();
        let ranks = match here {
            1 => "1 rank".into(),
            n => format!("{n} ranks"),
        };
        let name = self.job.machine.node_name(node);
        let what = format!("node {name} went down at {at} with {ranks} of the job on it");
        self.failure_state.failed.get_or_insert(Blocked { rank: first as u32, node, what });
        // The current event is later than the failure and is dropped.
        self.now = at;
        true
    }
}
