//! Congestion management: a NIC that is sent more than it takes is given in turns. The rules are
//! argued in docs/models/congestion.md.
//!
//! Knows which ejection links are congested, in which traffic class, and who contributes. Refuses
//! to know of any other link: what waits there can go another way; and what becomes at a NIC of
//! what a switch tells it (`hold.rs`).
//!
//! The one idea: contributors send on credit. While a link is congested its switch gives each of
//! them leave to send one packet, in turn, and no more of it than keeps the link busy until the
//! packets come. What a switch tells a NIC, and a NIC a switch, is an event as late as the way
//! between them is long; neither touches what is the other's.

use base::{Gap, Slab, Span, Time};
use des::Phase;
use machine::{LinkId, Machine, NicId};
use net::{CongestionCounters, Cx};

use crate::hold::Holds;
use crate::link::ones;
use crate::{NONE, PacketEvent, PacketId, PacketNetwork, mark};

base::ids! {
    /// A congested endpoint, as the switch before it sees it.
    EndpointId,
    /// One who sends to a congested endpoint, as that switch sees it.
    ContributorId,
}

/// All of it; nothing where nothing is congested.
pub(crate) struct Congestion {
    /// Bytes that wait for an ejection link when it begins to be congested; beyond all reach where
    /// switches do nothing about it.
    pub threshold: u64,
    /// Traffic classes, if there are several; by receiver and class, the bytes that wait for its
    /// ejection link. Of a single class the link itself counts them.
    classes: u8,
    waiting: Vec<u64>,
    n_nics: u32,
    endpoints: Slab<EndpointId, Endpoint>,
    contributors: Slab<ContributorId, Contributor>,
    pub holds: Holds,
    pub counts: CongestionCounters,
}

/// Contributors in a row that are looked at for one that has fewer credits out than it uses.
const PASSED_OVER: u32 = 8;

/// Chains that the contributors of an endpoint are divided into, by number.
const CHAINS: usize = 16;

/// What the last switch knows of an ejection link that is congested in a class.
#[derive(Clone, Copy, Debug)]
struct Endpoint {
    class: u8,
    /// That of another class at the same link.
    next: u32,
    /// First of each chain of contributors.
    chains: [u32; CHAINS],
    /// Of the round of those who may have more to send, the one who had its turn last.
    last: u32,
    /// How many of them there are, and the sum of their ways, ps.
    live: u32,
    ways: u64,
    /// Credits out: neither a packet sent on one nor the credit itself is back yet.
    owed: u32,
    /// Records in all chains.
    records: u32,
    /// Mean wire bytes of a packet, of late.
    mean: u32,
}

#[derive(Clone, Copy, Debug)]
struct Contributor {
    nic: NicId,
    /// The latencies between it and the switch when it was last told to hold, ps.
    way: u32,
    /// After it in the round, and in its chain.
    next: u32,
    chained: u32,
    /// Credits it has been given that are not back.
    owed: u32,
    /// Most that may be while others can use more: as many as it uses in a round trip and the time
    /// of the threshold.
    most: u32,
    /// When that was last measured anew, how many credits it had then, and how many of them are not
    /// back.
    measured: Time,
    had: u32,
    lacking: u32,
    /// How often it has been told to hold, modulo 8: what it says in answer to an earlier time is
    /// not about this one.
    times: u8,
    /// It may have more to send.
    live: bool,
    in_round: bool,
}

/// What a switch says to a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Send no more but on credit.
    Hold,
    /// A credit: one packet.
    Send,
    /// Send as you like.
    Free,
}

/// What an event says: a NIC, a class, how many times it was told to hold, and an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Said {
    pub nic: NicId,
    pub class: u8,
    pub times: u8,
    pub order: Order,
}

impl Said {
    /// A machine has at most 2^24 NICs (`MAX_NICS`), a run at most eight classes (`MAX_IN_USE`).
    pub fn word(self) -> u32 {
        let Said { nic, class, times, order } = self;
        debug_assert!(nic.0 >> 24 == 0 && class < 8 && times < 8);
        nic.0 | u32::from(class) << 24 | u32::from(times) << 27 | (order as u32) << 30
    }
    pub fn read(word: u32) -> Said {
        let order = match word >> 30 {
            0 => Order::Hold,
            1 => Order::Send,
            _ => Order::Free,
        };
        let bits = |from: u32| (word >> from) as u8 & 7;
        Said { nic: NicId(word & ((1 << 24) - 1)), class: bits(24), times: bits(27), order }
    }
}

impl Contributor {
    /// All credits are back that it had when the last one of them was given.
    fn measure(&mut self, slack: Span, now: Time) {
        let took = now.since(self.measured).0;
        let due = 2 * u64::from(self.way) + slack.0;
        self.most = if took <= due {
            self.most.saturating_add(1)
        } else {
            // No more than it had, so it fits.
            let used =
                (u128::from(self.had) * u128::from(due) + u128::from(took / 2)) / u128::from(took);
            (used as u32).max(1)
        };
    }
}

impl Congestion {
    pub fn new(machine: &Machine) -> Congestion {
        let params = machine.congestion;
        let several = params.filter(|_| machine.classes.has_several());
        let classes = several.map_or(0, |_| machine.n_vnets);
        Congestion {
            threshold: params.map_or(u64::MAX, |p| p.threshold.into()),
            classes,
            waiting: vec![0; machine.n_nics() as usize * usize::from(classes)],
            n_nics: machine.n_nics(),
            endpoints: Slab::with_capacity(0),
            contributors: Slab::with_capacity(0),
            holds: Holds::new(machine.n_nics(), classes.max(1)),
            counts: CongestionCounters::default(),
        }
    }

    /// Nothing is congested, nobody is held back.
    pub fn check_quiet(&self) {
        assert_eq!(self.endpoints.live(), 0, "endpoints are still congested");
        assert_eq!(self.contributors.live(), 0, "contributors are not forgotten");
        self.holds.check_quiet();
        assert!(self.waiting.iter().all(|&bytes| bytes == 0), "packets wait in a class");
    }

    /// Each class is congested for itself.
    #[inline]
    pub fn are_classes_apart(&self) -> bool {
        self.classes > 0
    }

    /// What waits of `class` for `link`, where that is counted: for a NIC, if classes are several.
    #[inline]
    pub fn waiting(&mut self, link: LinkId, class: u8) -> Option<&mut u64> {
        if self.classes == 0 {
            return None;
        }
        let nic = link.0.checked_sub(self.n_nics)? as usize;
        self.waiting.get_mut(nic * usize::from(self.classes) + usize::from(class))
    }

    pub fn held(&self) -> usize {
        size_of_val(&self.waiting[..])
            + self.endpoints.bytes()
            + self.contributors.bytes()
            + self.holds.held()
    }

    fn find(&self, at: EndpointId, nic: NicId) -> Option<ContributorId> {
        let mut id = self.endpoints[at].chains[nic.0 as usize % CHAINS];
        while id != NONE {
            let contributor = &self.contributors[ContributorId(id)];
            if contributor.nic == nic {
                return Some(ContributorId(id));
            }
            id = contributor.chained;
        }
        None
    }

    /// A record of one who was not known to contribute, and is not told of it yet.
    fn record(&mut self, at: EndpointId, nic: NicId) -> ContributorId {
        let endpoint = &mut self.endpoints[at];
        let first = &mut endpoint.chains[nic.0 as usize % CHAINS];
        let id = self.contributors.insert(Contributor {
            nic,
            way: 0,
            next: NONE,
            chained: *first,
            owed: 0,
            most: u32::MAX,
            measured: Time::ZERO,
            had: 0,
            lacking: 0,
            times: 0,
            live: false,
            in_round: false,
        });
        *first = id.0;
        endpoint.records += 1;
        id
    }

    /// Forgets a contributor once nothing is expected of it.
    fn forget(&mut self, at: EndpointId, id: ContributorId) {
        let Contributor { nic, chained, owed, live, in_round, .. } = self.contributors[id];
        if live || in_round || owed > 0 {
            return;
        }
        let endpoint = &mut self.endpoints[at];
        endpoint.records -= 1;
        let first = &mut endpoint.chains[nic.0 as usize % CHAINS];
        if *first == id.0 {
            *first = chained;
        } else {
            let mut before = ContributorId(*first);
            while self.contributors[before].chained != id.0 {
                before = ContributorId(self.contributors[before].chained);
            }
            self.contributors[before].chained = chained;
        }
        self.contributors.free(id);
    }

    /// A credit goes to `id`.
    fn give(&mut self, at: EndpointId, id: ContributorId, now: Time) {
        self.endpoints[at].owed += 1;
        self.counts.credits += 1;
        let contributor = &mut self.contributors[id];
        contributor.owed += 1;
        if contributor.lacking == 0 {
            contributor.measured = now;
            (contributor.had, contributor.lacking) = (contributor.owed, contributor.owed);
        }
    }

    /// A credit of `nic`'s is back, or the packet it sent on it is here. It lies unused in store if
    /// it took longer than a round trip and `slack`.
    fn settle(&mut self, at: EndpointId, nic: NicId, slack: Span, now: Time) {
        let id = self.find(at, nic).expect("who owes is known");
        self.endpoints[at].owed -= 1;
        let contributor = &mut self.contributors[id];
        contributor.owed -= 1;
        if contributor.lacking > 0 {
            contributor.lacking -= 1;
            if contributor.lacking == 0 {
                contributor.measure(slack, now);
            }
        }
        self.forget(at, id);
    }

    /// It has no more to send, or may send as it likes.
    fn leave(&mut self, at: EndpointId, id: ContributorId) {
        let contributor = &mut self.contributors[id];
        contributor.live = false;
        let endpoint = &mut self.endpoints[at];
        endpoint.live -= 1;
        endpoint.ways -= u64::from(contributor.way);
    }

    /// The one whose turn it is goes to the end of the round, or out of it.
    fn turn(&mut self, at: EndpointId, stays: bool) {
        let endpoint = &mut self.endpoints[at];
        let first = self.contributors[ContributorId(endpoint.last)].next;
        if stays {
            endpoint.last = first;
            return;
        }
        let gone = &mut self.contributors[ContributorId(first)];
        gone.in_round = false;
        let after = gone.next;
        if first == endpoint.last {
            endpoint.last = NONE;
        } else {
            self.contributors[ContributorId(endpoint.last)].next = after;
        }
    }

    /// `id` comes to the end of the round.
    fn queue_up(&mut self, at: EndpointId, id: ContributorId) {
        let endpoint = &mut self.endpoints[at];
        let next = match endpoint.last {
            NONE => id.0,
            last => std::mem::replace(&mut self.contributors[ContributorId(last)].next, id.0),
        };
        self.contributors[id].next = next;
        endpoint.last = id.0;
    }
}

// At the last switch.
impl PacketNetwork {
    /// What is congested for itself: each traffic class is, while requests and responses are one.
    pub(crate) fn class_of(&self, vnet: u8) -> u8 {
        if self.congestion.are_classes_apart() { vnet } else { 0 }
    }

    /// What is known of `link` if it is congested in `class`.
    fn endpoint(&self, link: LinkId, class: u8) -> Option<EndpointId> {
        let mut at = self.wires[link].endpoint;
        while at != NONE {
            let endpoint = &self.congestion.endpoints[EndpointId(at)];
            if endpoint.class == class {
                return Some(EndpointId(at));
            }
            at = endpoint.next;
        }
        None
    }

    /// Bytes of `class` that wait for `link`.
    fn waiting(&mut self, link: LinkId, class: u8) -> u64 {
        let all = self.wires[link].waiting;
        self.congestion.waiting(link, class).map_or(all, |of_class| *of_class)
    }

    /// More waits for `link`, which leads to a NIC, than may. If that is so of the class of `vnet`
    /// alone and is news, the link is congested in it, and all whose packets wait contribute.
    #[cold]
    pub(crate) fn watch(&mut self, link: LinkId, vnet: u8, cx: &mut Cx<'_>) {
        let class = self.class_of(vnet);
        let is_known = self.endpoint(link, class).is_some();
        if is_known || self.waiting(link, class) <= self.congestion.threshold {
            return;
        }
        let at = self.congestion.endpoints.insert(Endpoint {
            class,
            next: self.wires[link].endpoint,
            chains: [NONE; CHAINS],
            last: NONE,
            live: 0,
            ways: 0,
            owed: 0,
            records: 0,
            mean: (self.params.packet_payload + self.params.packet_overhead) as u32,
        });
        self.wires[link].endpoint = at.0;
        self.congestion.counts.onsets += 1;
        cx.counters.nic(NicId(link.0 - self.congestion.n_nics)).onsets += 1;
        // A link of a NIC has one channel for each virtual network.
        for vc in ones(self.wires[link].waited_for) {
            if self.class_of(vc) != class {
                continue;
            }
            let round = self.channels[self.channel(link, vc)].round;
            for nth in 0..round.len() {
                let lane = self.lanes.of(round)[nth];
                let mut packet = lane.head.0;
                while packet != NONE {
                    self.contribute(link, at, PacketId(packet), cx);
                    self.put_aside(PacketId(packet), cx);
                    packet = self.packets[PacketId(packet)].next;
                }
            }
        }
    }

    /// `packet` stands before `link`, which is congested or has been until just now, if in its
    /// class.
    #[cold]
    pub(crate) fn meet(&mut self, packet: PacketId, link: LinkId, cx: &mut Cx<'_>) {
        let p = &self.packets[packet];
        let class = self.class_of(p.vnet);
        let Some(at) = self.endpoint(link, class) else { return };
        let (bytes, is_credited) = (u32::from(p.bytes), p.marks & mark::CREDITED != 0);
        self.put_aside(packet, cx);
        let waiting = self.waiting(link, class);
        let endpoint = &mut self.congestion.endpoints[at];
        endpoint.mean = (7 * endpoint.mean + bytes).div_ceil(8);
        if is_credited {
            // Here it has come, whatever becomes of it.
            self.packets[packet].marks &= !mark::CREDITED;
            let src = self.sender(packet);
            let slack = self.slack(link, class);
            return self.congestion.settle(at, src, slack, cx.now);
        }
        if endpoint.live > 0 || waiting > self.congestion.threshold {
            self.contribute(link, at, packet, cx);
        }
    }

    /// `packet` waits out of others' way: the buffer it came into is free again once it is all in.
    fn put_aside(&mut self, packet: PacketId, cx: &mut Cx<'_>) {
        let p = &mut self.packets[packet];
        let (left, gone) = (p.buffer(), p.tail.max(cx.now));
        p.cells = 0;
        self.vacate(left, gone, cx);
    }

    fn sender(&mut self, packet: PacketId) -> NicId {
        let id = self.packets[packet].arrival;
        self.arrival(id).src
    }

    /// Inverse of the rate that `link` has for a class: its own, or that of the class's ceiling.
    fn gap_of(&self, link: LinkId, class: u8) -> Gap {
        let ceiling = self.shares.ceiling(link, self.wires[link].class, class);
        self.class(link).gap.max(ceiling)
    }

    /// How long `link` takes for as much of a class as may wait for it.
    fn slack(&self, link: LinkId, class: u8) -> Span {
        self.gap_of(link, class).span(self.congestion.threshold)
    }

    /// Who sent `packet` contributes. If that is news, it is told to hold.
    fn contribute(&mut self, link: LinkId, at: EndpointId, packet: PacketId, cx: &mut Cx<'_>) {
        if self.is_response(self.packets[packet].vnet) {
            return; // It is owed, and holds up its NIC's requests if it does not leave.
        }
        let (nic, way) = (self.sender(packet), self.packets[packet].traveled);
        let known = self.congestion.find(at, nic);
        let id = known.unwrap_or_else(|| self.congestion.record(at, nic));
        let contributor = &mut self.congestion.contributors[id];
        if contributor.live {
            return;
        }
        contributor.live = true;
        contributor.way = way;
        contributor.times = (contributor.times + 1) % 8;
        if !std::mem::replace(&mut contributor.in_round, true) {
            self.congestion.queue_up(at, id);
        }
        let endpoint = &mut self.congestion.endpoints[at];
        endpoint.live += 1;
        endpoint.ways += u64::from(way);
        self.congestion.counts.holds += 1;
        self.tell(link, at, id, Order::Hold, cx);
    }

    /// The order is at the contributor after as long as its packet took, were there no queues.
    fn tell(
        &mut self,
        link: LinkId,
        at: EndpointId,
        id: ContributorId,
        order: Order,
        cx: &mut Cx<'_>,
    ) {
        let Contributor { nic, way, times, .. } = self.congestion.contributors[id];
        let class = self.congestion.endpoints[at].class;
        let word = Said { nic, class, times, order }.word();
        let then = cx.now + Span(u64::from(way));
        match self.shard_of(cx.machine.nic_switch[nic]) {
            None => cx.at(then, Phase::Arrive, PacketEvent::Order { link, word }),
            Some(shard) => self.mail_order(shard, then, link, word),
        }
    }

    /// Something of `vnet` that waited for `link` does so no more.
    #[cold]
    pub(crate) fn deal_to(&mut self, link: LinkId, vnet: u8, cx: &mut Cx<'_>) {
        if let Some(at) = self.endpoint(link, self.class_of(vnet)) {
            self.deal(link, at, cx);
        }
    }

    /// Nothing waits for `link` any more.
    #[cold]
    pub(crate) fn deal_to_all(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        for class in 0..self.congestion.classes.max(1) {
            self.deal_to(link, class, cx);
        }
    }

    /// Gives credits in turn, as many as keep `link` busy: what waits for it and what is out on
    /// credit last a round trip of the mean contributor, and the threshold longer. Who has as many
    /// out as it uses in that time is passed over, unless all are who are looked at and it has less
    /// than a share: others are not to wait for what lies in store with it. A class may do so as if
    /// the link were its own, up to its ceiling: what is lent to it is known to nobody beforehand.
    fn deal(&mut self, link: LinkId, at: EndpointId, cx: &mut Cx<'_>) {
        let class = self.congestion.endpoints[at].class;
        let (gap, slack) = (self.gap_of(link, class), self.slack(link, class));
        let waiting = self.waiting(link, class);
        let mut passed_over = 0;
        loop {
            let Endpoint { last, live, ways, owed, mean, .. } = self.congestion.endpoints[at];
            if last == NONE {
                break;
            }
            let id = ContributorId(self.congestion.contributors[ContributorId(last)].next);
            if !self.congestion.contributors[id].live {
                self.congestion.turn(at, false);
                self.congestion.forget(at, id);
                continue;
            }
            if live == 1 && waiting == 0 {
                // Nobody contends any more.
                self.tell(link, at, id, Order::Free, cx);
                self.congestion.leave(at, id);
                continue;
            }
            let round = Span(2 * (ways / u64::from(live))) + slack;
            let out = u64::from(owed + 1) * u64::from(mean) + waiting;
            if gap.span(out) > round {
                break;
            }
            self.congestion.turn(at, true);
            let Contributor { owed, most, .. } = self.congestion.contributors[id];
            if owed >= most {
                passed_over += 1;
                if passed_over < live.min(PASSED_OVER) {
                    continue;
                }
                let own = u64::from(owed) * u64::from(live);
                if gap.span(own.saturating_mul(mean.into())) > round {
                    break;
                }
                passed_over = 0;
            }
            self.congestion.give(at, id, cx.now);
            self.tell(link, at, id, Order::Send, cx);
        }
        if self.congestion.endpoints[at].records == 0 && waiting <= self.congestion.threshold {
            self.forget_endpoint(link, at);
        }
    }

    /// The class of `at` congests `link` no more.
    fn forget_endpoint(&mut self, link: LinkId, at: EndpointId) {
        let next = self.congestion.endpoints[at].next;
        let first = &mut self.wires[link].endpoint;
        if *first == at.0 {
            *first = next;
        } else {
            let mut before = EndpointId(*first);
            while self.congestion.endpoints[before].next != at.0 {
                before = EndpointId(self.congestion.endpoints[before].next);
            }
            self.congestion.endpoints[before].next = next;
        }
        self.congestion.endpoints.free(at);
    }

    /// `nic` has handed back a credit: when it came there was nothing to send (free), or what was
    /// sent on it is lost and will be sent again on another (hold).
    #[cold]
    pub(crate) fn handed_back(&mut self, nic: NicId, said: u32, cx: &mut Cx<'_>) {
        let Said { nic: dst, class, times, order } = Said::read(said);
        let link = cx.machine.ejection(dst);
        let at = self.endpoint(link, class).expect("it is congested while credits are out");
        let id = self.congestion.find(at, nic).expect("who owes is known");
        let contributor = self.congestion.contributors[id];
        if order == Order::Free && contributor.live && contributor.times == times {
            self.congestion.leave(at, id);
        }
        let slack = self.slack(link, class);
        self.congestion.settle(at, nic, slack, cx.now);
        self.deal(link, at, cx);
    }
}

#[cfg(test)]
mod tests {
    use super::{Contributor, NicId, Span, Time};

    /// On the slowest links, with all the credits there are: what is used is no more than was had.
    #[test]
    fn credit_usage_measurement_never_overflows() {
        let (way, had) = (u32::MAX, u32::MAX);
        let mut slow = Contributor {
            nic: NicId(0),
            way,
            next: 0,
            chained: 0,
            owed: 0,
            most: 1,
            measured: Time::ZERO,
            had,
            lacking: 0,
            times: 0,
            live: true,
            in_round: false,
        };
        let slack = Span(1 << 60);
        let due = slack.0 + 2 * u64::from(way);
        slow.measure(slack, Time(2 * due));
        assert_eq!(slow.most, had / 2 + 1);
        slow.measure(slack, Time(due));
        assert_eq!(slow.most, had / 2 + 2);
    }
}
