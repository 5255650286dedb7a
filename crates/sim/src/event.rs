//! Events of ranks and owners of messages, each packed into one word that the queue or the network
//! carries. No other memory needs to be read to decode them.

base::ids! {
    /// A send, from its call to its last effect.
    SendId,
    /// One rank's part in a collective in progress.
    RunId,
    /// A scheduled completion.
    CompletionId,
    /// A call that its rank's CPU has not reached.
    CallId,
    /// A one-sided access, a lock or an unlock, from its call to its completion at both ends.
    AccessId,
}

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
    /// Number of an endpoint that is not a rank.
    Endpoint(u32),
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
    /// The CPU of a receiver that matches in software requests the data of a rendezvous.
    Fetch(SendId),
    /// A message leaves its rank's NIC after a delay before the network.
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

/// Bits for the code, above those for the id.
const CODE_BITS: u32 = 5;
const ID_BITS: u32 = u32::BITS - CODE_BITS;
/// Maximum number of objects of one type at a time: 117 million sends, which take some 10 GB. The
/// ids above are a reserve between two checks.
pub(crate) const MAX_IDS: usize = (1 << ID_BITS) - (1 << 24);

/// Codes per event of a message of a send: one per protocol phase.
const PHASES: u32 = 5;

/// Declares ranges of consecutive codes: `NAME = number of codes`.
macro_rules! codes {
    ($first:expr;) => {
        const CODES: u32 = $first;
    };
    ($first:expr; $name:ident = $count:expr, $($rest:tt)*) => {
        const $name: u32 = $first;
        codes!($first + $count; $($rest)*);
    };
}

// The event codes of all components. Owners of messages come first: the arrival of a message has
// the code of its owner. An endpoint that is not a rank needs no code: its events carry a token of
// its own (`Kernel::push_endpoint`).
codes! { 0;
    // Owners of messages, of one-sided operations and of other endpoints.
    SEND = PHASES,
    ACCESS = 1,
    ENDPOINT = 1,
    // Transport.
    INJECT = PHASES,
    FETCH = 1,
    SERVE = 1,
    // Calls of ranks, and their completions.
    EXECUTE = 1,
    COMPLETE = 1,
    ALARM = 1,
    BEGIN = 1,
    // Collectives.
    SEND_NEXT = 1,
    ADVANCE = 1,
    FINISH_REDUCTION = 1,
    // One-sided operations.
    ISSUE = 1,
    RESPOND = 1,
}
const _: () = assert!(CODES <= 1 << CODE_BITS, "more event codes than bits");

#[inline]
fn word(code: u32, id: u32) -> u32 {
    assert!(id < 1 << ID_BITS, "more objects than ids");
    code << ID_BITS | id
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
            MessageOwner::Send(InFlight { send, phase }) => word(SEND + phase as u32, send.0),
            MessageOwner::Access(access) => word(ACCESS, access.0),
            MessageOwner::Endpoint(number) => word(ENDPOINT, number),
        }
    }
    #[inline]
    pub fn unpack(word: u32) -> MessageOwner {
        match parts(word) {
            (ACCESS, access) => MessageOwner::Access(AccessId(access)),
            (ENDPOINT, number) => MessageOwner::Endpoint(number),
            (phase, send) => MessageOwner::Send(in_flight(phase - SEND, send)),
        }
    }
}

impl HostEvent {
    #[inline(always)]
    pub fn pack(self) -> u32 {
        match self {
            HostEvent::Arrive(owner) => owner.pack(),
            HostEvent::Fetch(send) => word(FETCH, send.0),
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
            (..INJECT, _) => HostEvent::Arrive(MessageOwner::unpack(word)),
            (code @ INJECT..FETCH, send) => HostEvent::Inject(in_flight(code - INJECT, send)),
            (FETCH, send) => HostEvent::Fetch(SendId(send)),
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

#[cfg(test)]
mod tests {
    use super::*;

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
            all.push(HostEvent::Fetch(SendId(id)));
            all.extend(phases.clone().map(HostEvent::Inject));
            let owner = [MessageOwner::Access(AccessId(id)), MessageOwner::Endpoint(id)];
            all.extend(phases.map(MessageOwner::Send).chain(owner).map(HostEvent::Arrive));
            for host_event in all {
                assert_eq!(HostEvent::unpack(host_event.pack()), host_event);
            }
        }
    }
}
