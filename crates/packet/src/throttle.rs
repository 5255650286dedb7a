//! Throttled destinations at NICs: receivers that switches have reported as congested. Rules:
//! docs/models/congestion.md.
//!
//! `Throttles` has the destinations to which a NIC sends only on endpoint credits, and the
//! messages that wait for them. An endpoint credit permits one packet to a congested receiver.
//! Detection is in `congestion.rs`.
//!
//! Design: per throttled destination with endpoint credit, one message is in the NIC's send list to
//! send one packet. It is placed near the front, at a position that is known in constant time.

use base::{Slab, Span};
use des::Phase;
use machine::{Idle, LinkId, Machine, NicId};
use net::Cx;

use crate::event::PacketEvent;
use crate::message::Transit;
use crate::nic::Nics;
use crate::notice::{CongestionNotice, ManagedClasses, NoticeKind};
use crate::packet::{NONE, Packet, TransitId, mark};
use crate::shard::Mailboxes;

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
    /// The message in the NIC's send list that may send one packet. There is one whenever there are
    /// endpoint credits.
    admitted: u32,
    endpoint_credits: u32,
    generation: u8,
}

/// The message of a packet that a NIC has sent: the first in its send list, the throttled
/// destination whose endpoint credit it used, if any, and the message that takes its place.
#[derive(Clone, Copy)]
pub(crate) struct Sent {
    pub transit: TransitId,
    pub throttle: u32,
    pub after: Option<TransitId>,
}

/// Throttled destinations of all NICs.
pub(crate) struct Throttles {
    n_nics: u32,
    classes: ManagedClasses,
    entries: Slab<ThrottleId, Throttle>,
    /// First entry of each chain, by NIC, class and chain. Empty until the first throttle notice.
    chains: Vec<u32>,
    /// Scratch: the path of a returned endpoint credit.
    path: Vec<LinkId>,
    /// Endpoint credits returned unused.
    pub returned: u64,
}

impl Throttles {
    pub fn new(machine: &Machine) -> Throttles {
        let (n_nics, classes) = (machine.n_nics(), ManagedClasses::of(machine));
        let (entries, chains, path) = (Slab::with_capacity(0), Vec::new(), Vec::new());
        Throttles { n_nics, classes, entries, chains, path, returned: 0 }
    }

    /// Asserts that no destination is throttled.
    pub fn assert_idle(&self) {
        assert_eq!(self.entries.live(), 0, "NICs have throttled destinations");
    }

    pub fn held(&self) -> usize {
        self.entries.bytes() + size_of_val(&self.chains[..])
    }

    /// Index of the chain for destination `dst` of `src`.
    fn chain(&self, src: NicId, class: u8, dst: NicId) -> usize {
        // Receivers at equal distances from each other fall into different chains.
        let chain = dst.0.wrapping_mul(0x9E37_79B9) >> (32 - CHAINS.ilog2());
        let of_nic = src.0 as usize * usize::from(self.classes.count) + usize::from(class);
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
            let of_classes = self.n_nics as usize * usize::from(self.classes.count);
            self.chains = vec![NONE; of_classes * CHAINS as usize];
        }
        let chain = self.chain(src, class, dst);
        let (first, last, admitted, endpoint_credits) = (NONE, NONE, NONE, 0);
        let next = self.chains[chain];
        let new = Throttle { dst, next, first, last, admitted, endpoint_credits, generation };
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

    /// A congestion notice about ejection link `link` has reached a sender. Returns the sender if
    /// it may have more to send now.
    #[cold]
    pub fn receive_notice(
        &mut self,
        link: LinkId,
        notice: u32,
        nics: &mut Nics,
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) -> Option<NicId> {
        let CongestionNotice { nic: src, class, generation, kind } = CongestionNotice::read(notice);
        let dst = nics.at_end_of(link);
        let throttle = self.find(src, class, dst);
        let current = throttle.filter(|&id| self.entries[id].generation == generation);
        match (kind, throttle, current) {
            (NoticeKind::Throttle, Some(id), _) => self.entries[id].generation = generation,
            (NoticeKind::Throttle, None, _) => {
                self.add(src, class, dst, generation);
                let nic = nics.sender(src, class);
                if !nic.is_throttled {
                    (nic.is_throttled, nic.credited_until) = (true, NONE);
                }
                nic.n_throttles += 1;
            }
            (NoticeKind::Release, _, Some(id)) => {
                self.release(src, class, id, nics, mail, cx);
                return Some(src);
            }
            (NoticeKind::Release, _, None) => {}
            (NoticeKind::EndpointCredit, _, Some(id)) => {
                let throttle = &mut self.entries[id];
                if (throttle.first, throttle.admitted) != (NONE, NONE) {
                    throttle.endpoint_credits += 1;
                    self.admit(src, id, nics);
                    return Some(src);
                }
                self.end(src, class, id, nics);
                self.return_unused_endpoint_credit(src, class, dst, generation, mail, cx);
            }
            (NoticeKind::EndpointCredit, _, None) => {
                self.return_unused_endpoint_credit(src, class, dst, generation, mail, cx)
            }
        }
        None
    }

    /// Puts the next waiting message into the send list to send one packet, if there is endpoint
    /// credit.
    fn admit(&mut self, src: NicId, id: ThrottleId, nics: &mut Nics) {
        let throttle = &mut self.entries[id];
        if throttle.endpoint_credits == 0 || throttle.admitted != NONE || throttle.first == NONE {
            return;
        }
        throttle.admitted = throttle.first;
        throttle.first = nics.transits[TransitId(throttle.first)].next;
        if throttle.first == NONE {
            throttle.last = NONE;
        }
        let admitted = TransitId(throttle.admitted);
        insert_credited(src, admitted, id, nics);
    }

    /// Appends `transit` to the waiting messages.
    fn enqueue(&mut self, id: ThrottleId, transit: TransitId, nics: &mut Nics) {
        let t = &mut nics.transits[transit];
        (t.next, t.throttle) = (NONE, NONE);
        let throttle = &mut self.entries[id];
        match throttle.last {
            NONE => throttle.first = transit.0,
            last => nics.transits[TransitId(last)].next = transit.0,
        }
        throttle.last = transit.0;
    }

    /// Removes messages at the front of the send list of `class` that may not send. Returns false
    /// if the list is empty.
    #[cold]
    pub fn skip_throttled(&mut self, src: NicId, class: u8, nics: &mut Nics) -> bool {
        loop {
            let first = nics.sender(src, class).first;
            if first == NONE {
                return false;
            }
            let transit = TransitId(first);
            let Transit { dst, next, throttle, .. } = nics.transits[transit];
            if throttle != NONE {
                return true;
            }
            let Some(id) = self.find(src, class, dst) else { return true };
            nics.remove_first(src, class, next);
            let nic = nics.sender(src, class);
            if nic.credited_until == first {
                nic.credited_until = NONE;
            }
            self.enqueue(id, transit, nics);
        }
    }

    /// A NIC with throttled destinations has sent `p`.
    #[cold]
    pub fn sent(
        &mut self,
        src: NicId,
        sent: Sent,
        p: &mut Packet,
        nics: &mut Nics,
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) {
        let Sent { transit, throttle, after } = sent;
        let Packet { vnet: class, dst, .. } = *p;
        let nic = nics.sender(src, class);
        if nic.credited_until == transit.0 {
            nic.credited_until = NONE;
        }
        if throttle == NONE {
            if let Some(after) = after {
                nics.append(src, after);
            }
            return;
        }
        let id = ThrottleId(throttle);
        p.marks |= mark::ENDPOINT_CREDIT;
        let throttle = &mut self.entries[id];
        throttle.endpoint_credits -= 1;
        throttle.admitted = NONE;
        if let Some(after) = after {
            self.enqueue(id, after, nics);
        }
        self.admit(src, id, nics);
        let Throttle { endpoint_credits, admitted, generation, .. } = self.entries[id];
        if endpoint_credits > 0 && admitted == NONE {
            self.end(src, class, id, nics);
            for _ in 0..endpoint_credits {
                self.return_unused_endpoint_credit(src, class, dst, generation, mail, cx);
            }
        }
    }

    /// Returns all waiting messages to the send list.
    fn release(
        &mut self,
        src: NicId,
        class: u8,
        id: ThrottleId,
        nics: &mut Nics,
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) {
        let Throttle { dst, first, endpoint_credits, generation, .. } = self.entries[id];
        self.end(src, class, id, nics);
        let mut at = first;
        while at != NONE {
            let next = nics.transits[TransitId(at)].next;
            nics.append(src, TransitId(at));
            at = next;
        }
        for _ in 0..endpoint_credits {
            self.return_unused_endpoint_credit(src, class, dst, generation, mail, cx);
        }
    }

    /// Ends the throttle `id` of `src`.
    fn end(&mut self, src: NicId, class: u8, id: ThrottleId, nics: &mut Nics) {
        let admitted = self.entries[id].admitted;
        self.remove(src, class, id);
        let nic = nics.sender(src, class);
        nic.n_throttles -= 1;
        nic.is_throttled = nic.n_throttles > 0;
        if admitted != NONE {
            // It may be in front of `credited_until`.
            nic.credited_until = NONE;
            nics.transits[TransitId(admitted)].throttle = NONE;
        }
    }

    /// Returns an unused endpoint credit to the switch of `dst`.
    #[cold]
    fn return_unused_endpoint_credit(
        &mut self,
        src: NicId,
        class: u8,
        dst: NicId,
        generation: u8,
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) {
        self.returned += 1;
        self.send_back(
            src,
            CongestionNotice { nic: dst, class, generation, kind: NoticeKind::Release },
            mail,
            cx,
        );
    }

    /// The packet of `vnet` that was sent on an endpoint credit is lost; `src` has detected this.
    pub fn return_lost_endpoint_credit(
        &mut self,
        src: NicId,
        vnet: u8,
        dst: NicId,
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) {
        let class = self.classes.class_of(vnet);
        self.send_back(
            src,
            CongestionNotice { nic: dst, class, generation: 0, kind: NoticeKind::Throttle },
            mail,
            cx,
        );
    }

    /// Sends an endpoint credit to its switch, by the shortest path.
    fn send_back(
        &mut self,
        src: NicId,
        notice: CongestionNotice,
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) {
        let (dst, word) = (notice.nic, notice.word());
        let mut path = std::mem::take(&mut self.path);
        cx.machine.walk(src, dst, 0, &Idle, &mut path);
        let links = path.iter().take(path.len() - 1);
        let latency: Span = links.map(|&link| cx.machine.links.latency[link]).sum();
        self.path = path;
        let then = cx.now + latency;
        match mail.shard_of(cx.machine.nic_switch[dst]) {
            None => cx.at(then, Phase::Arrive, PacketEvent::EndpointCredit { nic: src, word }),
            Some(shard) => mail.send_endpoint_credit(shard, src, word, then),
        }
    }
}

/// Inserts `transit`, which may send one packet on an endpoint credit, behind the first message in
/// the send list that needs none. Between two packets to other receivers, each receiver that gave
/// credit gets one packet. At the end of the send list it would get one packet in the time in which
/// all messages of the NIC send one.
fn insert_credited(src: NicId, transit: TransitId, id: ThrottleId, nics: &mut Nics) {
    let nic = nics.sender(src, nics.transits[transit].vnet);
    let mut behind = if nic.credited_until == NONE { nic.first } else { nic.credited_until };
    nics.transits[transit].throttle = id.0;
    if behind == NONE {
        return nics.append(src, transit);
    }
    let mut at = nics.transits[TransitId(behind)];
    while at.throttle != NONE && at.next != NONE {
        behind = at.next;
        at = nics.transits[TransitId(behind)];
    }
    nics.transits[TransitId(behind)].next = transit.0;
    nics.transits[transit].next = at.next;
    let nic = nics.sender(src, nics.transits[transit].vnet);
    nic.credited_until = behind;
    if at.next == NONE {
        nic.last = transit.0;
    }
}
