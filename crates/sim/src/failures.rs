//! Effects of the machine's faults on jobs: messages that were given up, nodes that went down.

use crate::job::Job;
use crate::kernel::Kernel;
use crate::outcome::Blocked;
use base::Time;
use machine::faults::NEVER;
use machine::{LinkEnd, Machine, NodeId};
use net::{Failure, LostAt, NetworkModel};
use workload::Workload;

/// Failures so far, and the next one.
pub(crate) struct Failures {
    /// A failure of the machine from which no job can continue.
    pub failed: Option<Blocked>,
    /// Time of the next node failure in the schedule; usually never.
    pub next_failure: Time,
}

impl Failures {
    pub fn new(job: &Job) -> Failures {
        Failures { failed: None, next_failure: next_failure(job, Time::ZERO).unwrap_or(NEVER) }
    }

    /// The network has given up a message of this rank, of `bytes` to rank `to`.
    pub fn give_up<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        rank: u32,
        (to, bytes): (u32, u64),
        failure: Failure,
    ) {
        let to = kernel.own_number(to);
        let what = format!(
            "network timeout: a message of {bytes} B to rank {to} was given up: {}",
            describe_failure(&kernel.job.machine, failure)
        );
        let node = kernel.node_of(rank);
        self.failed.get_or_insert(Blocked { rank, node, what });
    }

    /// The network has given up a message of a file system, whose client would retry until an
    /// operator intervenes.
    pub fn give_up_file<N: NetworkModel>(&mut self, kernel: &Kernel<'_, N>, failure: Failure) {
        let rank = kernel.jobs[kernel.current_job as usize].first;
        let why = describe_failure(&kernel.job.machine, failure);
        let what = format!("network timeout: a message of a file system was given up: {why}");
        self.failed.get_or_insert(Blocked { rank, node: kernel.node_of(rank), what });
    }

    /// A node goes down, and the jobs of its ranks fail. Returns false if no job has ranks on it.
    #[cold]
    pub fn fail_node<N: NetworkModel, W: Workload>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        workload: &W,
    ) -> bool {
        let at = self.next_failure;
        self.next_failure = next_failure(kernel.job, at).unwrap_or(NEVER);
        let faults = kernel.job.machine.faults.as_ref().expect("a node fails by a schedule");
        let failed_nodes: Vec<NodeId> =
            faults.node_failures.iter().filter(|d| d.0 == at).map(|d| d.1).collect();
        let has_failed = |&at: &u32| {
            let rank = &kernel.ranks[at as usize];
            failed_nodes.contains(&kernel.node_of(at))
                && !rank.exited
                && !workload.has_ended(rank.job)
        };
        let all: Vec<u32> = (0..kernel.ranks.len() as u32).filter(has_failed).collect();
        let Some(&rank) = all.first() else { return false };
        let node = kernel.node_of(rank);
        let here = all.iter().filter(|&&rank| kernel.node_of(rank) == node).count();
        let ranks = match here {
            1 => "1 rank".into(),
            n => format!("{n} ranks"),
        };
        let name = kernel.job.machine.node_name(node);
        let what = format!("node {name} went down at {at} with {ranks} of the job on it");
        self.failed.get_or_insert(Blocked { rank, node, what });
        // The current event is later than the failure and is dropped.
        kernel.now = at;
        true
    }
}

fn next_failure(job: &Job, after: Time) -> Option<Time> {
    let faults = job.machine.faults.as_ref()?;
    faults.node_failures.iter().map(|node_failure| node_failure.0).find(|&at| at > after)
}

fn describe_failure(machine: &Machine, failure: Failure) -> String {
    let Failure { src, dst, at, sent } = failure;
    let nic = |nic| machine.end_name(LinkEnd::Nic(nic));
    let place = match at {
        LostAt::Link(link) => {
            format!("on the link {}, which was down", machine.link_name(link))
        }
        LostAt::Switch(switch) => {
            let switch = machine.end_name(LinkEnd::Switch(switch));
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
