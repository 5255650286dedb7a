//! State of a send, of two-sided messages and of rounds of collectives.

use crate::event::{ProtocolPhase, RunId, SendId};
use crate::pairs::PairId;
use base::Time;
use collectives::Kind;
use mpi::Envelope;
use workload::{Context, SendMode, Token};

/// The operation that a send belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    User {
        token: Token,
        envelope: Envelope,
        mode: SendMode,
    },
    /// With `is_in_shared_cell`, the data is already in a cell that all ranks of the node read.
    Collective {
        run: RunId,
        context: Context,
        seq: u32,
        round: u32,
        kind: Kind,
        is_in_shared_cell: bool,
    },
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Send {
    pub from: u32,
    pub to: u32,
    pub bytes: u64,
    pub purpose: Purpose,
    /// Time of the call; for a collective, the time at which the last rank it depends on had
    /// entered.
    pub called: Time,
    /// Both ranks are on one node.
    pub same_node: bool,
    pub rendezvous: bool,
    /// Pieces of its data in flight through other NICs.
    pub pieces: u16,
    pub match_state: MatchState,
}
/// One cache line: some collectives have ten sends per rank in flight.
const _: () = assert!(size_of::<Send>() == 64);

/// Where an eager message was when its receive was ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Delivery {
    /// It arrived at a posted receive.
    Expected,
    /// It waited in a buffer of the library.
    Unexpected,
}

/// Whether a send has matched a receive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum MatchState {
    /// Not matched. A user's send has this number among the sends of its pair of ranks.
    Unmatched {
        pair: PairId,
        seq: u32,
    },
    /// A collective's send that arrived before its receiver was in its round; the next such send of
    /// the receiver's list.
    Early(Option<SendId>),
    Matched(Waiter),
}

/// The receiver of a matched message.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Waiter {
    /// A `PostedReceive`; its fields here let a `Send` fit in a cache line.
    User {
        token: Token,
        posted: Time,
    },
    Run(RunId),
}

/// A receive of a rank, and the time at which it was posted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PostedReceive {
    pub token: Token,
    pub posted: Time,
}

impl PostedReceive {
    /// The state of a send that has matched this receive.
    pub fn matched(self) -> MatchState {
        MatchState::Matched(Waiter::User { token: self.token, posted: self.posted })
    }
}

/// Sends between one ordered pair of ranks.
#[derive(Default)]
pub(crate) struct Pair {
    /// Number of user sends so far.
    pub sent: u32,
    pub arrived: u32,
    /// Arrived before an earlier send, and held until that arrives: messages must not overtake each
    /// other.
    pub ahead: Vec<SendId>,
    pub messages: u32,
    pub bytes: u64,
}

/// Source and destination rank of a protocol phase.
pub(crate) fn ends(send: &Send, phase: ProtocolPhase) -> (u32, u32) {
    if is_back(phase) { (send.to, send.from) } else { (send.from, send.to) }
}

/// Whether a protocol phase goes from the receiver to the sender.
pub(crate) fn is_back(phase: ProtocolPhase) -> bool {
    match phase {
        ProtocolPhase::Get | ProtocolPhase::Finished => true,
        ProtocolPhase::Eager | ProtocolPhase::RequestToSend | ProtocolPhase::Data => false,
    }
}

pub(crate) fn first_phase(rendezvous: bool) -> ProtocolPhase {
    if rendezvous { ProtocolPhase::RequestToSend } else { ProtocolPhase::Eager }
}
