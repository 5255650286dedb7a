//! NICs: the messages that each sends and receives, and when it can handle the next one.

use base::{IndexVec, Span, Time};
use machine::NicId;
use net::Message;

/// State of a NIC.
#[derive(Clone, Copy, Default)]
struct Nic {
    /// When the next command can enter.
    next_entry: Time,
    /// When it can handle the next arriving message.
    next_handling: Time,
    /// Messages that it sends and receives.
    n_sent: u32,
    n_received: u32,
}

/// The state of all NICs. In a folded run, the representative of a NIC holds its messages.
pub(crate) struct Nics {
    nics: IndexVec<NicId, Nic>,
    /// The representative of each NIC in a folded run; otherwise empty.
    representatives: IndexVec<NicId, NicId>,
}

impl Nics {
    pub fn new(n: usize) -> Nics {
        Nics { nics: IndexVec::filled(Nic::default(), n), representatives: IndexVec::new() }
    }

    pub fn set_representatives(&mut self, representatives: IndexVec<NicId, NicId>) {
        self.representatives = representatives;
    }

    /// The NIC that represents `nic`: itself, unless the run is folded.
    pub fn representative(&self, nic: NicId) -> NicId {
        self.representatives.raw.get(nic.0 as usize).copied().unwrap_or(nic)
    }

    /// The representatives of the NICs that send and receive a message.
    pub fn ends(&self, msg: &Message) -> (NicId, NicId) {
        (self.representative(msg.src), self.representative(msg.dst))
    }

    /// Counts a message that starts.
    pub fn add(&mut self, msg: &Message) {
        let (src, dst) = self.ends(msg);
        self.nics[src].n_sent += 1;
        self.nics[dst].n_received += 1;
    }

    /// Counts a message that ends.
    pub fn remove(&mut self, msg: &Message) {
        let (src, dst) = self.ends(msg);
        self.nics[src].n_sent -= 1;
        self.nics[dst].n_received -= 1;
    }

    /// Messages that share a NIC with `msg`, itself included.
    pub fn contenders(&self, msg: &Message) -> u32 {
        let (src, dst) = self.ends(msg);
        self.nics[src].n_sent.max(self.nics[dst].n_received)
    }

    /// Messages that the NIC of `msg` sends.
    pub fn n_sent(&self, msg: &Message) -> u32 {
        self.nics[self.representative(msg.src)].n_sent
    }

    /// When a command that is given to `nic` at `now` enters it. The next one enters later by
    /// `gap`.
    pub fn enter(&mut self, nic: NicId, now: Time, gap: Span) -> Time {
        let nic = &mut self.nics[nic];
        let enter = now.max(nic.next_entry);
        nic.next_entry = enter + gap;
        enter
    }

    /// When the receiver of `msg`, which arrives at `now`, begins to handle it. That takes `span`.
    pub fn handle(&mut self, msg: &Message, now: Time, span: Span) -> Time {
        let dst = self.representative(msg.dst);
        let nic = &mut self.nics[dst];
        let begin = nic.next_handling.max(now);
        nic.next_handling = begin + span;
        begin
    }

    pub fn bytes(&self) -> usize {
        self.nics.len() * size_of::<Nic>() + self.representatives.len() * size_of::<NicId>()
    }

    /// Whether no message is in flight.
    pub fn is_idle(&self) -> bool {
        self.nics.raw.iter().all(|nic| (nic.n_sent, nic.n_received) == (0, 0))
    }
}
