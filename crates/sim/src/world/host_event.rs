//! Events of ranks and owners of messages, each packed into one word that the queue or the network
//! carries. No other memory needs to be read to decode them.

use crate::onesided::AccessId;
use crate::outcome::Blocked;
use crate::world::{CompletionId, RunId, SendId, World};
use net::NetworkModel;
use workload::Workload;

/// Protocol phases of a send, in the order in which they occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum ProtocolPhase {
    /// Envelope and all data.
    Eager,
    /// Envelope and the first part of the data; the rest is fetched.
    RequestToSend,
    /// The receiver's NIC requests the data.
    Get,
    Data,
    /// The sender is notified that its buffer is free.
    Finished,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InFlight {
    pub send: SendId,
    pub phase: ProtocolPhase,
}

/// The operation that a message in the network belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessageOwner {
    Send(InFlight),
    /// Request or response of a one-sided operation.
    Access(AccessId),
    /// Source number in the background traffic.
    Background(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HostEvent {
    /// The call at the head of the rank's list takes effect.
    Execute,
    Complete(CompletionId),
    /// Completes an alarm. An alarm is not progress: one after the last rank has left does not
    /// lengthen the run.
    Alarm(CompletionId),
    /// The next message of the run's round leaves its rank.
    SendNext(RunId),
    /// A message leaves its rank; and its NIC, if something delays it before the network.
    Depart(InFlight),
    Inject(InFlight),
    /// The NICs' shared path to GPUs is free for the next waiting message.
    Serve(u32),
    /// A message has arrived: from the network, through shared memory, or as an acknowledgement.
    Arrive(MessageOwner),
    /// A one-sided operation leaves its origin.
    Issue(AccessId),
    /// The response to one leaves its target.
    Respond(AccessId),
    /// The present round of the run is complete.
    Advance(RunId),
    /// The result of a reduction in the network has arrived: at the root, or everywhere.
    FinishReduction(RunId),
    /// The background has warmed up: the jobs begin.
    Begin,
}

/// Bits for the kind, above those for the id.
const KIND_BITS: u32 = 5;
const ID_BITS: u32 = u32::BITS - KIND_BITS;
/// Maximum number of objects of one type at a time: 117 million sends, which take some 10 GB. The
/// ids above are a reserve between two checks.
pub(super) const MAX_IDS: usize = (1 << ID_BITS) - (1 << 24);

/// Kinds: protocol phases by their number, other message owners, and then the other events.
const PHASES: u32 = 5;
const ACCESS: u32 = PHASES;
const BACKGROUND: u32 = ACCESS + 1;
const DEPART: u32 = BACKGROUND + 1;
const INJECT: u32 = DEPART + PHASES;
const EXECUTE: u32 = INJECT + PHASES;
const COMPLETE: u32 = EXECUTE + 1;
const ALARM: u32 = COMPLETE + 1;
const SEND_NEXT: u32 = ALARM + 1;
const SERVE: u32 = SEND_NEXT + 1;
const ISSUE: u32 = SERVE + 1;
const RESPOND: u32 = ISSUE + 1;
const ADVANCE: u32 = RESPOND + 1;
const FINISH_REDUCTION: u32 = ADVANCE + 1;
const BEGIN: u32 = FINISH_REDUCTION + 1;
const _: () = assert!(BEGIN < 1 << KIND_BITS);

#[inline]
fn word(kind: u32, id: u32) -> u32 {
    assert!(id < 1 << ID_BITS, "more objects than ids");
    kind << ID_BITS | id
}

#[inline]
fn parts(word: u32) -> (u32, u32) {
    (word >> ID_BITS, word & ((1 << ID_BITS) - 1))
}

#[inline]
fn in_flight(phase: u32, send: u32) -> InFlight {
    let phases = [
        ProtocolPhase::Eager,
        ProtocolPhase::RequestToSend,
        ProtocolPhase::Get,
        ProtocolPhase::Data,
        ProtocolPhase::Finished,
    ];
    InFlight { send: SendId(send), phase: phases[phase as usize] }
}

impl MessageOwner {
    #[inline]
    pub fn pack(self) -> u32 {
        match self {
            MessageOwner::Send(InFlight { send, phase }) => word(phase as u32, send.0),
            MessageOwner::Access(access) => word(ACCESS, access.0),
            MessageOwner::Background(source) => word(BACKGROUND, source),
        }
    }
    #[inline]
    pub fn unpack(word: u32) -> MessageOwner {
        match parts(word) {
            (ACCESS, access) => MessageOwner::Access(AccessId(access)),
            (BACKGROUND, source) => MessageOwner::Background(source),
            (phase, send) => MessageOwner::Send(in_flight(phase, send)),
        }
    }
}

impl HostEvent {
    #[inline(always)]
    pub fn pack(self) -> u32 {
        match self {
            HostEvent::Arrive(owner) => owner.pack(),
            HostEvent::Depart(InFlight { send, phase }) => word(DEPART + phase as u32, send.0),
            HostEvent::Inject(InFlight { send, phase }) => word(INJECT + phase as u32, send.0),
            HostEvent::Execute => word(EXECUTE, 0),
            HostEvent::Complete(done) => word(COMPLETE, done.0),
            HostEvent::Alarm(done) => word(ALARM, done.0),
            HostEvent::SendNext(run) => word(SEND_NEXT, run.0),
            HostEvent::Serve(arbiter) => word(SERVE, arbiter),
            HostEvent::Issue(access) => word(ISSUE, access.0),
            HostEvent::Respond(access) => word(RESPOND, access.0),
            HostEvent::Advance(run) => word(ADVANCE, run.0),
            HostEvent::FinishReduction(run) => word(FINISH_REDUCTION, run.0),
            HostEvent::Begin => word(BEGIN, 0),
        }
    }
    #[inline]
    pub fn unpack(word: u32) -> HostEvent {
        match parts(word) {
            (..DEPART, _) => HostEvent::Arrive(MessageOwner::unpack(word)),
            (kind @ DEPART..INJECT, send) => HostEvent::Depart(in_flight(kind - DEPART, send)),
            (kind @ INJECT..EXECUTE, send) => HostEvent::Inject(in_flight(kind - INJECT, send)),
            (EXECUTE, _) => HostEvent::Execute,
            (COMPLETE, done) => HostEvent::Complete(CompletionId(done)),
            (ALARM, done) => HostEvent::Alarm(CompletionId(done)),
            (SEND_NEXT, run) => HostEvent::SendNext(RunId(run)),
            (SERVE, arbiter) => HostEvent::Serve(arbiter),
            (ISSUE, access) => HostEvent::Issue(AccessId(access)),
            (RESPOND, access) => HostEvent::Respond(AccessId(access)),
            (ADVANCE, run) => HostEvent::Advance(RunId(run)),
            (FINISH_REDUCTION, run) => HostEvent::FinishReduction(RunId(run)),
            _ => HostEvent::Begin,
        }
    }
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// Ends the run if ids are nearly exhausted. Called from time to time.
    pub(super) fn check_id_count(&mut self) {
        let sorts = [
            (self.sends.peak(), "messages"),
            (self.accesses.peak(), "one-sided operations"),
            (self.completions.peak(), "completions"),
            (self.runs.peak(), "collectives"),
        ];
        let Some((_, what)) = sorts.into_iter().find(|sort| sort.0 > self.max_ids) else {
            return;
        };
        let rank = self.jobs[self.current_job as usize].first;
        let what = format!(
            "more than {} {what} in flight at once at {}, the most that odonata can distinguish. \
             Fix: fewer ranks, or fewer of them in flight at once",
            self.max_ids,
            self.job_time()
        );
        let node = self.job.placements[rank as usize].node;
        self.limit_checker.exhaust(Blocked { rank, node, what });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::End;
    use crate::world::{Job, LimitPolicy, RankPlacement};
    use base::Span;
    use loggp::LogGpNetwork;
    use machine::{MachineSpec, NicId, NodeId};
    use workload::{Op, SendMode, Step, Streams, WORLD};

    /// 3,000 messages are unexpected at a rank that computes, until it receives them.
    #[test]
    fn a_run_out_of_message_ids_ends_with_a_reason() {
        let text = machine::preset("dragonfly-1056").expect("a preset");
        let spec = MachineSpec::parse("dragonfly-1056", text, &[]).expect("presets are legal");
        let machine = spec.resolve().expect("presets are legal");
        let text = mpi::library::preset("mpich").expect("a preset");
        let library = mpi::Library::parse("mpich", text, &machine.fabric).expect("legal");
        let placement =
            |n| RankPlacement { node: NodeId(n), nic: NicId(n), binding: Default::default() };
        let mut job = Job::new(machine, library, vec![placement(0), placement(1)], 1);
        job.limits = LimitPolicy::Off;
        let each = |op: Op| (0..3000).map(move |_| Step::Do(op.clone()));
        let mode = SendMode::Standard;
        let sends = each(Op::Send { to: 1, context: WORLD, tag: 0, bytes: 8, mode });
        let recvs = each(Op::Recv { from: 0, context: WORLD, tag: 0, bytes: 8 });
        let wait = || [Step::Wait].into_iter();
        let programs: [Vec<Step>; 2] = [
            sends.chain(wait()).collect(),
            [Step::Compute(Span::ms(100)), Step::Wait].into_iter().chain(recvs).collect(),
        ];
        for (most, fits) in [(MAX_IDS, true), (3_000, true), (2_500, false)] {
            let streams = Streams::new(programs.clone().into_iter());
            let mut world = World::<LogGpNetwork, _>::new(&job, streams);
            world.max_ids = most;
            match world.run(&mut |_| true).end {
                End::Finished => assert!(fits, "{most}"),
                End::Exhausted(blocked) => {
                    assert!(!fits && blocked.what.contains("2500 messages"), "{}", blocked.what);
                }
                end => panic!("{end:?}"),
            }
        }
    }

    #[test]
    fn host_events_survive_packing() {
        let last = (1 << ID_BITS) - 1;
        for id in [0, 1, last] {
            let (run, done) = (RunId(id), CompletionId(id));
            let mut all = vec![
                HostEvent::Execute,
                HostEvent::Begin,
                HostEvent::Serve(id),
                HostEvent::Respond(AccessId(id)),
            ];
            all.extend([
                HostEvent::Complete(done),
                HostEvent::Alarm(done),
                HostEvent::SendNext(run),
                HostEvent::Advance(run),
            ]);
            all.extend([HostEvent::FinishReduction(run), HostEvent::Issue(AccessId(id))]);
            let phases = (0..PHASES).map(|phase| in_flight(phase, id));
            all.extend(phases.clone().flat_map(|f| [HostEvent::Depart(f), HostEvent::Inject(f)]));
            let owner = [MessageOwner::Access(AccessId(id)), MessageOwner::Background(id)];
            all.extend(phases.map(MessageOwner::Send).chain(owner).map(HostEvent::Arrive));
            for host_event in all {
                assert_eq!(HostEvent::unpack(host_event.pack()), host_event);
            }
        }
    }
}
