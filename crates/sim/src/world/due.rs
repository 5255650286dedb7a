//! What is due at an instant, and what a message is part of: one word each, so that the queue and
//! the network carry all there is to know, and nothing else need be read to learn it.

use crate::onesided::AccessId;
use crate::outcome::Blocked;
use crate::world::{DoneId, RunId, SendId, World};
use net::NetworkModel;
use workload::Workload;

/// The parts of a send, in the order they travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Leg {
    /// Envelope and all data.
    Eager,
    /// Envelope and the first part of the data; the rest is asked for.
    RequestToSend,
    /// The receiver's NIC asks.
    Get,
    Data,
    /// The sender learns that its buffer is free.
    Finished,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Flight {
    pub send: SendId,
    pub leg: Leg,
}

/// What a message in the network is part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cargo {
    Leg(Flight),
    /// The request or the answer of a one-sided operation.
    Access(AccessId),
    /// Of this source, beside the jobs.
    Background(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Due {
    /// The call at the head of the rank's list takes effect.
    Fire,
    Complete(DoneId),
    /// Completes an alarm. Not progress: one that rings after the last rank has left does not
    /// lengthen the run.
    Ring(DoneId),
    /// The next message of the run's round leaves its rank.
    Next(RunId),
    /// A leg leaves its rank; and its NIC, where something beside the network delays it.
    Depart(Flight),
    Inject(Flight),
    /// The way that NICs share to GPUs is free for the next leg that waits for it.
    Serve(u32),
    /// A message has come: by the network, through shared memory, or as an acknowledgement.
    Arrive(Cargo),
    /// A one-sided operation leaves its origin.
    Issue(AccessId),
    /// The answer to one leaves its target.
    Answer(AccessId),
    /// The round the run is in is over.
    Advance(RunId),
    /// What switches have reduced is there: at the root, or everywhere.
    Reduced(RunId),
    /// The background has warmed up: the jobs begin.
    Begin,
}

/// Bits of what something is, above those of whose it is.
const KIND: u32 = 5;
const NAME: u32 = u32::BITS - KIND;
/// So many of a sort may be under way at once: 117 million sends, which take some 10 GB. The names
/// beyond are for what comes before somebody looks.
pub(super) const MOST: usize = (1 << NAME) - (1 << 24);

/// Kinds of cargo, those of legs by their number, and those of dues behind them.
const LEGS: u32 = 5;
const ACCESS: u32 = LEGS;
const BACKGROUND: u32 = ACCESS + 1;
const DEPART: u32 = BACKGROUND + 1;
const INJECT: u32 = DEPART + LEGS;
const FIRE: u32 = INJECT + LEGS;
const COMPLETE: u32 = FIRE + 1;
const RING: u32 = COMPLETE + 1;
const NEXT: u32 = RING + 1;
const SERVE: u32 = NEXT + 1;
const ISSUE: u32 = SERVE + 1;
const ANSWER: u32 = ISSUE + 1;
const ADVANCE: u32 = ANSWER + 1;
const REDUCED: u32 = ADVANCE + 1;
const BEGIN: u32 = REDUCED + 1;
const _: () = assert!(BEGIN < 1 << KIND);

#[inline]
fn word(kind: u32, name: u32) -> u32 {
    assert!(name < 1 << NAME, "more is under way than there are names for");
    kind << NAME | name
}

#[inline]
fn parts(word: u32) -> (u32, u32) {
    (word >> NAME, word & ((1 << NAME) - 1))
}

#[inline]
fn flight(leg: u32, send: u32) -> Flight {
    let legs = [Leg::Eager, Leg::RequestToSend, Leg::Get, Leg::Data, Leg::Finished];
    Flight { send: SendId(send), leg: legs[leg as usize] }
}

impl Cargo {
    #[inline]
    pub fn pack(self) -> u32 {
        match self {
            Cargo::Leg(Flight { send, leg }) => word(leg as u32, send.0),
            Cargo::Access(access) => word(ACCESS, access.0),
            Cargo::Background(source) => word(BACKGROUND, source),
        }
    }
    #[inline]
    pub fn unpack(word: u32) -> Cargo {
        match parts(word) {
            (ACCESS, access) => Cargo::Access(AccessId(access)),
            (BACKGROUND, source) => Cargo::Background(source),
            (leg, send) => Cargo::Leg(flight(leg, send)),
        }
    }
}

impl Due {
    #[inline(always)]
    pub fn pack(self) -> u32 {
        match self {
            Due::Arrive(cargo) => cargo.pack(),
            Due::Depart(Flight { send, leg }) => word(DEPART + leg as u32, send.0),
            Due::Inject(Flight { send, leg }) => word(INJECT + leg as u32, send.0),
            Due::Fire => word(FIRE, 0),
            Due::Complete(done) => word(COMPLETE, done.0),
            Due::Ring(done) => word(RING, done.0),
            Due::Next(run) => word(NEXT, run.0),
            Due::Serve(gate) => word(SERVE, gate),
            Due::Issue(access) => word(ISSUE, access.0),
            Due::Answer(access) => word(ANSWER, access.0),
            Due::Advance(run) => word(ADVANCE, run.0),
            Due::Reduced(run) => word(REDUCED, run.0),
            Due::Begin => word(BEGIN, 0),
        }
    }
    #[inline]
    pub fn unpack(word: u32) -> Due {
        match parts(word) {
            (..DEPART, _) => Due::Arrive(Cargo::unpack(word)),
            (kind @ DEPART..INJECT, send) => Due::Depart(flight(kind - DEPART, send)),
            (kind @ INJECT..FIRE, send) => Due::Inject(flight(kind - INJECT, send)),
            (FIRE, _) => Due::Fire,
            (COMPLETE, done) => Due::Complete(DoneId(done)),
            (RING, done) => Due::Ring(DoneId(done)),
            (NEXT, run) => Due::Next(RunId(run)),
            (SERVE, gate) => Due::Serve(gate),
            (ISSUE, access) => Due::Issue(AccessId(access)),
            (ANSWER, access) => Due::Answer(AccessId(access)),
            (ADVANCE, run) => Due::Advance(RunId(run)),
            (REDUCED, run) => Due::Reduced(RunId(run)),
            _ => Due::Begin,
        }
    }
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// Ends the run if it has nearly run out of names. Asked now and then.
    pub(super) fn count_names(&mut self) {
        let sorts = [
            (self.sends.most(), "messages"),
            (self.accesses.most(), "one-sided operations"),
            (self.completions.most(), "completions"),
            (self.runs.most(), "collectives"),
        ];
        let Some((_, what)) = sorts.into_iter().find(|sort| sort.0 > self.most_named) else {
            return;
        };
        let rank = self.jobs[self.touched as usize].first;
        let what = format!(
            "more than {} {what} are under way at once at {}, and odonata can tell no more apart. \
             Cure: fewer ranks, or fewer of them out at once",
            self.most_named,
            self.told_now()
        );
        let node = self.job.seats[rank as usize].node;
        self.guard.exhaust(Blocked { rank, node, what });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::End;
    use crate::world::{Job, Policy, Seat};
    use base::Span;
    use loggp::LogGpNetwork;
    use machine::{MachineSpec, NicId, NodeId};
    use workload::{Op, SendMode, Step, Streams, WORLD};

    /// 3,000 messages lie at a rank that computes, until it receives them.
    #[test]
    fn a_run_with_more_messages_than_names_ends_and_says_so() {
        let text = machine::preset("dragonfly-1056").expect("a preset");
        let spec = MachineSpec::parse("dragonfly-1056", text, &[]).expect("presets are legal");
        let machine = spec.resolve().expect("presets are legal");
        let text = mpi::library::preset("mpich").expect("a preset");
        let library = mpi::Library::parse("mpich", text, &machine.fabric).expect("legal");
        let seat = |n| Seat { node: NodeId(n), nic: NicId(n), binding: Default::default() };
        let mut job = Job::new(machine, library, vec![seat(0), seat(1)], 1);
        job.limits = Policy::Off;
        let each = |op: Op| (0..3000).map(move |_| Step::Do(op.clone()));
        let mode = SendMode::Standard;
        let sends = each(Op::Send { to: 1, context: WORLD, tag: 0, bytes: 8, mode });
        let recvs = each(Op::Recv { from: 0, context: WORLD, tag: 0, bytes: 8 });
        let wait = || [Step::Wait].into_iter();
        let programs: [Vec<Step>; 2] = [
            sends.chain(wait()).collect(),
            [Step::Compute(Span::ms(100)), Step::Wait].into_iter().chain(recvs).collect(),
        ];
        for (most, fits) in [(MOST, true), (3_000, true), (2_500, false)] {
            let streams = Streams::new(programs.clone().into_iter());
            let mut world = World::<LogGpNetwork, _>::new(&job, streams);
            world.most_named = most;
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
    fn what_is_due_is_what_was_packed() {
        let last = (1 << NAME) - 1;
        for id in [0, 1, last] {
            let (run, done) = (RunId(id), DoneId(id));
            let mut all = vec![Due::Fire, Due::Begin, Due::Serve(id), Due::Answer(AccessId(id))];
            all.extend([Due::Complete(done), Due::Ring(done), Due::Next(run), Due::Advance(run)]);
            all.extend([Due::Reduced(run), Due::Issue(AccessId(id))]);
            let legs = (0..LEGS).map(|leg| flight(leg, id));
            all.extend(legs.clone().flat_map(|f| [Due::Depart(f), Due::Inject(f)]));
            let cargo = [Cargo::Access(AccessId(id)), Cargo::Background(id)];
            all.extend(legs.map(Cargo::Leg).chain(cargo).map(Due::Arrive));
            for due in all {
                assert_eq!(Due::unpack(due.pack()), due);
            }
        }
    }
}
