//! Throttled destinations at NICs: receivers that switches have reported as congested. Rules:
//! docs/models/congestion.md.
//!
//! This file knows the destinations to which a NIC sends only on endpoint credits, and the messages
//! that wait for them. An endpoint credit permits one packet to a congested receiver. In this file
//! "credit" means an endpoint credit; `credit.rs` has those of buffers. Detection is in
//! `congestion.rs`.
//!
//! Design: per throttled destination with credit, one message is in the NIC's round to send one
//! packet. It is placed near the front, at a position that is known in constant time.

use base::{Slab, Span};
use des::Phase;
use machine::{Idle, LinkId, NicId};
use net::Cx;

use crate::congestion::{CongestionNotice, NoticeKind};
use crate::{NONE, Packet, PacketEvent, PacketId, PacketNetwork, Transit, TransitId, mark};

base::ids! {
    /// A destination to which a NIC sends only on endpoint credits.
    ThrottleId,
}

/// Hash chains for the throttled destinations of a NIC in a traffic class.
const CHAINS: u32 = 16;

/// State of a throttled destination of a NIC in a traffic class.
#[derive(Clone, Copy, Debug)]
struct Throttle {
    dst: NicId,
    /// The next of its chain.
    next: u32,
    /// Waiting messages, in order.
    first: u32,
    last: u32,
    /// The message in the NIC's round that may send one packet. There is one whenever there are
    /// credits.
    admitted: u32,
    credits: u32,
    generation: u8,
}

/// Throttled destinations of all NICs.
pub(crate) struct Throttles {
    n_nics: u32,
    classes: u8,
    entries: Slab<ThrottleId, Throttle>,
    /// First entry of each chain, by NIC, class and chain. Empty until the first throttle notice.
    chains: Vec<u32>,
    /// Scratch: the path of a returned credit.
    path: Vec<LinkId>,
}

impl Throttles {
    pub fn new(n_nics: u32, classes: u8) -> Throttles {
        let (entries, chains, path) = (Slab::with_capacity(0), Vec::new(), Vec::new());
        Throttles { n_nics, classes, entries, chains, path }
    }

    /// Asserts that no destination is throttled.
    pub fn check_idle(&self) {
        assert_eq!(self.entries.live(), 0, "NICs have throttled destinations");
    }

    pub fn held(&self) -> usize {
        self.entries.bytes() + size_of_val(&self.chains[..])
    }

    /// Index of the chain for destination `dst` of `src`.
    fn chain(&self, src: NicId, class: u8, dst: NicId) -> usize {
        // Receivers at equal distances from each other fall into different chains.
        let chain = dst.0.wrapping_mul(0x9E37_79B9) >> (32 - CHAINS.ilog2());
        let classes = usize::from(self.classes);
        let of_nic = src.0 as usize * classes + usize::from(class);
        of_nic * CHAINS as usize + chain as usize
    }

    fn find(&self, src: NicId, class: u8, dst: NicId) -> Option<ThrottleId> {
        let mut id = *self.chains.get(self.chain(src, class, dst))?;
        while id != NONE {
            let throttle = &self.entries[ThrottleId(id)];
            if throttle.dst == dst {
                return Some(ThrottleId(id));
            }
            id = throttle.next;
        }
        None
    }

    /// Throttles `dst` for `src`.
    fn add(&mut self, src: NicId, class: u8, dst: NicId, generation: u8) {
        if self.chains.is_empty() {
            let of_classes = self.n_nics as usize * usize::from(self.classes);
            self.chains = vec![NONE; of_classes * CHAINS as usize];
        }
        let chain = self.chain(src, class, dst);
        let (first, last, admitted, credits) = (NONE, NONE, NONE, 0);
        let next = self.chains[chain];
        let new = Throttle { dst, next, first, last, admitted, credits, generation };
        self.chains[chain] = self.entries.insert(new).0;
    }

    /// Ends the throttling of the destination of `id` for `src`.
    fn remove(&mut self, src: NicId, class: u8, id: ThrottleId) {
        let Throttle { dst, next, .. } = self.entries[id];
        let chain = self.chain(src, class, dst);
        let first = &mut self.chains[chain];
        if *first == id.0 {
            *first = next;
        } else {
            let mut before = ThrottleId(*first);
            while self.entries[before].next != id.0 {
                before = ThrottleId(self.entries[before].next);
            }
            self.entries[before].next = next;
        }
        self.entries.free(id);
    }
}

impl PacketNetwork {
    /// A congestion notice about ejection link `link` has reached a sender.
    #[cold]
    pub(crate) fn receive_notice(&mut self, link: LinkId, notice: u32, cx: &mut Cx<'_>) {
        let CongestionNotice { nic: src, class, generation, kind } = CongestionNotice::read(notice);
        let dst = NicId(link.0 - self.nics.len() as u32);
        let throttle = self.congestion.throttles.find(src, class, dst);
        let current =
            throttle.filter(|&id| self.congestion.throttles.entries[id].generation == generation);
        match (kind, throttle, current) {
            (NoticeKind::Throttle, Some(id), _) => {
                self.congestion.throttles.entries[id].generation = generation
            }
            (NoticeKind::Throttle, None, _) => {
                self.congestion.throttles.add(src, class, dst, generation);
                let nic = self.shares.sender(&mut self.nics, src, class);
                if !nic.is_throttled {
                    (nic.is_throttled, nic.credited_until) = (true, NONE);
                }
                nic.n_throttles += 1;
            }
            (NoticeKind::Release, _, Some(id)) => self.release_throttle(src, class, id, cx),
            (NoticeKind::Release, _, None) => {}
            (NoticeKind::Credit, _, Some(id)) => {
                let throttle = &mut self.congestion.throttles.entries[id];
                if (throttle.first, throttle.admitted) == (NONE, NONE) {
                    self.remove_throttle(src, class, id);
                    return self.return_unused_credit(src, class, dst, generation, cx);
                }
                throttle.credits += 1;
                self.admit(src, id);
                self.pump(src, cx);
            }
            (NoticeKind::Credit, _, None) => {
                self.return_unused_credit(src, class, dst, generation, cx)
            }
        }
    }

    /// Puts the next waiting message into the round to send one packet, if there is credit.
    fn admit(&mut self, src: NicId, id: ThrottleId) {
        let throttle = &mut self.congestion.throttles.entries[id];
        if throttle.credits == 0 || throttle.admitted != NONE || throttle.first == NONE {
            return;
        }
        throttle.admitted = throttle.first;
        throttle.first = self.transits[TransitId(throttle.first)].next;
        if throttle.first == NONE {
            throttle.last = NONE;
        }
        let admitted = TransitId(throttle.admitted);
        self.insert_credited(src, admitted, id);
    }

    /// Inserts `transit`, which may send one packet on credit, behind the first message in the
    /// round that needs no credit. Between two packets to other receivers, each receiver that gave
    /// credit has a turn. At the end of the round it would have one turn among all messages of the
    /// NIC.
    fn insert_credited(&mut self, src: NicId, transit: TransitId, id: ThrottleId) {
        let nic = self.shares.sender(&mut self.nics, src, self.transits[transit].vnet);
        let mut behind = if nic.credited_until == NONE { nic.first } else { nic.credited_until };
        self.transits[transit].throttle = id.0;
        if behind == NONE {
            return self.append_to_round(src, transit);
        }
        let mut at = self.transits[TransitId(behind)];
        while at.throttle != NONE && at.next != NONE {
            behind = at.next;
            at = self.transits[TransitId(behind)];
        }
        nic.credited_until = behind;
        self.transits[TransitId(behind)].next = transit.0;
        self.transits[transit].next = at.next;
        if at.next == NONE {
            nic.last = transit.0;
        }
    }

    /// Appends `transit` to the waiting messages.
    fn enqueue_throttled(&mut self, id: ThrottleId, transit: TransitId) {
        let t = &mut self.transits[transit];
        (t.next, t.throttle) = (NONE, NONE);
        let throttle = &mut self.congestion.throttles.entries[id];
        match throttle.last {
            NONE => throttle.first = transit.0,
            last => self.transits[TransitId(last)].next = transit.0,
        }
        throttle.last = transit.0;
    }

    /// Removes messages at the front of the round of `class` that may not send. Returns false if
    /// the round is empty.
    #[cold]
    pub(crate) fn skip_throttled(&mut self, src: NicId, class: u8) -> bool {
        loop {
            let first = self.shares.sender(&mut self.nics, src, class).first;
            if first == NONE {
                return false;
            }
            let transit = TransitId(first);
            let Transit { dst, next, throttle, .. } = self.transits[transit];
            if throttle != NONE {
                return true;
            }
            let Some(id) = self.congestion.throttles.find(src, class, dst) else { return true };
            let nic = self.shares.sender(&mut self.nics, src, class);
            nic.first = next;
            if nic.first == NONE {
                nic.last = NONE;
            }
            if nic.credited_until == first {
                nic.credited_until = NONE;
            }
            self.enqueue_throttled(id, transit);
        }
    }

    /// A NIC with throttled destinations has sent `packet` of `transit`, the first in its round; on
    /// credit if `throttle` is set. `after` takes its place.
    #[cold]
    pub(crate) fn sent_while_throttled(
        &mut self,
        (transit, throttle): (TransitId, u32),
        packet: PacketId,
        after: Option<TransitId>,
        src: NicId,
        cx: &mut Cx<'_>,
    ) {
        let Packet { vnet: class, dst, .. } = self.packets[packet];
        let nic = self.shares.sender(&mut self.nics, src, class);
        if nic.credited_until == transit.0 {
            nic.credited_until = NONE;
        }
        if throttle == NONE {
            if let Some(after) = after {
                self.append_to_round(src, after);
            }
            return;
        }
        let id = ThrottleId(throttle);
        self.packets[packet].marks |= mark::ENDPOINT_CREDIT;
        let throttle = &mut self.congestion.throttles.entries[id];
        throttle.credits -= 1;
        throttle.admitted = NONE;
        if let Some(after) = after {
            self.enqueue_throttled(id, after);
        }
        self.admit(src, id);
        let Throttle { credits, admitted, generation, .. } = self.congestion.throttles.entries[id];
        if credits > 0 && admitted == NONE {
            self.remove_throttle(src, class, id);
            (0..credits).for_each(|_| self.return_unused_credit(src, class, dst, generation, cx));
        }
    }

    /// Returns all waiting messages to the round.
    fn release_throttle(&mut self, src: NicId, class: u8, id: ThrottleId, cx: &mut Cx<'_>) {
        let Throttle { dst, first, credits, generation, .. } =
            self.congestion.throttles.entries[id];
        self.remove_throttle(src, class, id);
        let mut at = first;
        while at != NONE {
            let next = self.transits[TransitId(at)].next;
            self.append_to_round(src, TransitId(at));
            at = next;
        }
        (0..credits).for_each(|_| self.return_unused_credit(src, class, dst, generation, cx));
        self.pump(src, cx);
    }

    /// Removes the throttle `id` of `src`.
    fn remove_throttle(&mut self, src: NicId, class: u8, id: ThrottleId) {
        let admitted = self.congestion.throttles.entries[id].admitted;
        self.congestion.throttles.remove(src, class, id);
        let nic = self.shares.sender(&mut self.nics, src, class);
        nic.n_throttles -= 1;
        nic.is_throttled = nic.n_throttles > 0;
        if admitted != NONE {
            // It may be in front of `credited_until`.
            nic.credited_until = NONE;
            self.transits[TransitId(admitted)].throttle = NONE;
        }
    }

    /// Returns an unused credit to the switch of `dst`.
    #[cold]
    fn return_unused_credit(
        &mut self,
        src: NicId,
        class: u8,
        dst: NicId,
        generation: u8,
        cx: &mut Cx<'_>,
    ) {
        self.congestion.counts.returned += 1;
        self.send_endpoint_credit_back(
            src,
            CongestionNotice { nic: dst, class, generation, kind: NoticeKind::Release },
            cx,
        );
    }

    /// The packet of `vnet` that was sent on a credit is lost; `src` has detected this.
    pub(crate) fn endpoint_credit_lost(
        &mut self,
        src: NicId,
        vnet: u8,
        dst: NicId,
        cx: &mut Cx<'_>,
    ) {
        let class = self.class_of(vnet);
        self.send_endpoint_credit_back(
            src,
            CongestionNotice { nic: dst, class, generation: 0, kind: NoticeKind::Throttle },
            cx,
        );
    }

    /// By the shortest path.
    fn send_endpoint_credit_back(&mut self, src: NicId, notice: CongestionNotice, cx: &mut Cx<'_>) {
        let (dst, word) = (notice.nic, notice.word());
        let mut path = std::mem::take(&mut self.congestion.throttles.path);
        cx.machine.walk(src, dst, 0, &Idle, &mut path);
        let links = path.iter().take(path.len() - 1);
        let latency: Span = links.map(|&link| cx.machine.links.latency[link]).sum();
        self.congestion.throttles.path = path;
        let then = cx.now + latency;
        match self.shard_of(cx.machine.nic_switch[dst]) {
            None => cx.at(then, Phase::Arrive, PacketEvent::EndpointCredit { nic: src, word }),
            Some(shard) => self.mail_endpoint_credit_return(shard, then, src, word),
        }
    }
}
