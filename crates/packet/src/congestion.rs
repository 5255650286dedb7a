//! Congestion management at switches. Rules: docs/models/congestion.md.
//!
//! This file knows which ejection links are congested, in which traffic class, and their
//! contributors. Other links are not managed, since their traffic can take other paths. The
//! reaction of NICs is in `throttle.rs`.
//!
//! Design: contributors send on endpoint credits. While a link is congested, its switch gives them
//! credits of one packet in round-robin order, just enough to keep the link busy. Notices between
//! switches and NICs are events with the latency of their path; neither side accesses the state of
//! the other.

use base::{Gap, Slab, Span, Time};
use des::Phase;
use machine::{LinkId, Machine, NicId};
use net::{CongestionCounters, Cx};

use crate::arrivals::Arrivals;
use crate::event::PacketEvent;
use crate::fabric::Fabric;
use crate::link::{OutputPort, ones};
use crate::notice::{CongestionNotice, ManagedClasses, NoticeKind};
use crate::packet::{NONE, Packet, PacketId, is_response, mark};
use crate::shard::Mailboxes;

base::ids! {
    /// A congested endpoint at its switch.
    EndpointId,
    /// A contributor to a congested endpoint, at that switch.
    ContributorId,
}

/// State of all congested endpoints; empty without congestion.
pub(crate) struct Congestion {
    /// Backlog of an ejection link at which congestion begins, bytes; unreachable if management is
    /// off.
    threshold: u64,
    classes: ManagedClasses,
    /// Backlog of ejection links by receiver and class, bytes. With a single class it is empty: the
    /// link counts its backlog itself.
    waiting: Vec<u64>,
    n_nics: u32,
    endpoints: Slab<EndpointId, Endpoint>,
    contributors: Slab<ContributorId, Contributor>,
    pub counts: CongestionCounters,
}

/// Contributors in a row that are examined for one below its credit limit.
const MAX_SKIPPED: u32 = 8;

/// Hash chains for the contributors of an endpoint.
const CHAINS: usize = 16;

/// State of an ejection link that is congested in a traffic class.
#[derive(Clone, Copy, Debug)]
struct Endpoint {
    class: u8,
    /// The endpoint of another class at the same link.
    next: u32,
    /// First of each chain of contributors.
    chains: [u32; CHAINS],
    /// The last contributor in round-robin order, among those that may have more to send.
    last: u32,
    /// Number of active contributors, and the sum of their path latencies, ps.
    live: u32,
    path_latency_sum: u64,
    /// Endpoint credits out: neither their packets nor the credits themselves have returned.
    endpoint_credits_out: u32,
    /// Records in all chains.
    records: u32,
    /// Moving average of wire bytes per packet.
    mean: u32,
}

#[derive(Clone, Copy, Debug)]
struct Contributor {
    nic: NicId,
    /// Latency between it and the switch when it was last throttled, ps.
    path_latency: u32,
    /// Next in round-robin order, and in its chain.
    next: u32,
    chained: u32,
    /// Endpoint credits out.
    endpoint_credits_out: u32,
    /// Maximum of endpoint credits out while others can use more: as many as it uses in a round
    /// trip and the time of the threshold.
    limit: u32,
    /// Current measurement: start, credits out at the start, and how many of these have not
    /// returned.
    measured: Time,
    had: u32,
    unreturned: u32,
    /// Number of throttle notices, modulo 8. Replies to an earlier notice are ignored.
    generation: u8,
    /// It may have more to send.
    live: bool,
    is_listed: bool,
}

impl Contributor {
    /// Ends a measurement: all credits that were out at its start have returned.
    fn measure(&mut self, slack: Span, now: Time) {
        let took = now.since(self.measured).0;
        let due = 2 * u64::from(self.path_latency) + slack.0;
        self.limit = if took <= due {
            self.limit.saturating_add(1)
        } else {
            // At most `had`, so it fits.
            let used =
                (u128::from(self.had) * u128::from(due) + u128::from(took / 2)) / u128::from(took);
            (used as u32).max(1)
        };
    }
}

impl Congestion {
    pub fn new(machine: &Machine) -> Congestion {
        let classes = ManagedClasses::of(machine);
        let backlogs = if classes.are_separate() { usize::from(classes.count) } else { 0 };
        Congestion {
            threshold: machine.congestion.map_or(u64::MAX, |params| params.threshold.into()),
            classes,
            waiting: vec![0; machine.n_nics() as usize * backlogs],
            n_nics: machine.n_nics(),
            endpoints: Slab::with_capacity(0),
            contributors: Slab::with_capacity(0),
            counts: CongestionCounters::default(),
        }
    }

    /// Asserts that nothing is congested.
    pub fn assert_idle(&self) {
        assert_eq!(self.endpoints.live(), 0, "endpoints are still congested");
        assert_eq!(self.contributors.live(), 0, "contributors are left");
        assert!(self.waiting.iter().all(|&bytes| bytes == 0), "packets wait in a class");
    }

    /// Backlog of `class` at `link`, if it is counted: for ejection links, with several classes.
    #[inline]
    fn waiting(&mut self, link: LinkId, class: u8) -> Option<&mut u64> {
        if !self.classes.are_separate() {
            return None;
        }
        let nic = link.0.checked_sub(self.n_nics)? as usize;
        self.waiting.get_mut(nic * usize::from(self.classes.count) + usize::from(class))
    }

    /// Adds `p` to the backlog of its class at `link`.
    #[inline]
    pub fn add_waiting(&mut self, link: LinkId, p: &Packet) {
        if let Some(waiting) = self.waiting(link, p.vnet) {
            *waiting += u64::from(p.bytes);
        }
    }

    /// Removes `p` from the backlog of its class at `link`.
    #[inline]
    pub fn remove_waiting(&mut self, link: LinkId, p: &Packet) {
        if let Some(waiting) = self.waiting(link, p.vnet) {
            *waiting -= u64::from(p.bytes);
        }
    }

    /// The endpoint of `link` in `class`, if congested.
    fn endpoint(&self, link: LinkId, class: u8, fabric: &Fabric) -> Option<EndpointId> {
        let mut at = fabric.links.port(link).endpoint;
        while at != NONE {
            let endpoint = &self.endpoints[EndpointId(at)];
            if endpoint.class == class {
                return Some(EndpointId(at));
            }
            at = endpoint.next;
        }
        None
    }

    /// Backlog of `class` at `link`, bytes.
    fn backlog(&mut self, link: LinkId, class: u8, fabric: &Fabric) -> u64 {
        let all = fabric.links.port(link).waiting;
        self.waiting(link, class).map_or(all, |of_class| *of_class)
    }

    /// Time that `link` takes for the threshold of a class.
    fn slack(&self, link: LinkId, class: u8, fabric: &Fabric) -> Span {
        gap(link, class, fabric).span(self.threshold)
    }

    pub fn held(&self) -> usize {
        size_of_val(&self.waiting[..]) + self.endpoints.bytes() + self.contributors.bytes()
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

    /// Creates the record of a new contributor, which has not been notified yet.
    fn record(&mut self, at: EndpointId, nic: NicId) -> ContributorId {
        let endpoint = &mut self.endpoints[at];
        let first = &mut endpoint.chains[nic.0 as usize % CHAINS];
        let id = self.contributors.insert(Contributor {
            nic,
            path_latency: 0,
            next: NONE,
            chained: *first,
            endpoint_credits_out: 0,
            limit: u32::MAX,
            measured: Time::ZERO,
            had: 0,
            unreturned: 0,
            generation: 0,
            live: false,
            is_listed: false,
        });
        *first = id.0;
        endpoint.records += 1;
        id
    }

    /// Forgets a contributor once nothing is outstanding.
    fn forget(&mut self, at: EndpointId, id: ContributorId) {
        let Contributor { nic, chained, endpoint_credits_out, live, is_listed, .. } =
            self.contributors[id];
        if live || is_listed || endpoint_credits_out > 0 {
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

    /// Gives `id` an endpoint credit.
    fn give_endpoint_credit(&mut self, at: EndpointId, id: ContributorId, now: Time) {
        self.endpoints[at].endpoint_credits_out += 1;
        self.counts.credits += 1;
        let contributor = &mut self.contributors[id];
        contributor.endpoint_credits_out += 1;
        if contributor.unreturned == 0 {
            contributor.measured = now;
            (contributor.had, contributor.unreturned) =
                (contributor.endpoint_credits_out, contributor.endpoint_credits_out);
        }
    }

    /// An endpoint credit of `nic` has returned, or the packet sent on it has arrived. After more
    /// than a round trip and `slack`, the credit was idle at the NIC.
    fn settle(&mut self, at: EndpointId, nic: NicId, slack: Span, now: Time) {
        let id = self.find(at, nic).expect("a contributor with credits out is known");
        self.endpoints[at].endpoint_credits_out -= 1;
        let contributor = &mut self.contributors[id];
        contributor.endpoint_credits_out -= 1;
        if contributor.unreturned > 0 {
            contributor.unreturned -= 1;
            if contributor.unreturned == 0 {
                contributor.measure(slack, now);
            }
        }
        self.forget(at, id);
    }

    /// It has no more to send, or is no longer throttled.
    fn deactivate(&mut self, at: EndpointId, id: ContributorId) {
        let contributor = &mut self.contributors[id];
        contributor.live = false;
        let endpoint = &mut self.endpoints[at];
        endpoint.live -= 1;
        endpoint.path_latency_sum -= u64::from(contributor.path_latency);
    }

    /// The first contributor moves to the end of the list, or leaves it.
    fn rotate(&mut self, at: EndpointId, stays: bool) {
        let endpoint = &mut self.endpoints[at];
        let first = self.contributors[ContributorId(endpoint.last)].next;
        if stays {
            endpoint.last = first;
            return;
        }
        let gone = &mut self.contributors[ContributorId(first)];
        gone.is_listed = false;
        let after = gone.next;
        if first == endpoint.last {
            endpoint.last = NONE;
        } else {
            self.contributors[ContributorId(endpoint.last)].next = after;
        }
    }

    /// Appends `id` to the list of contributors.
    fn append(&mut self, at: EndpointId, id: ContributorId) {
        let endpoint = &mut self.endpoints[at];
        let next = match endpoint.last {
            NONE => id.0,
            last => std::mem::replace(&mut self.contributors[ContributorId(last)].next, id.0),
        };
        self.contributors[id].next = next;
        endpoint.last = id.0;
    }

    /// Whether the backlog of ejection link `port` may have become too large just now.
    #[inline]
    pub fn may_begin(&self, port: &OutputPort) -> bool {
        port.waiting > self.threshold
            && port.to.0 == NONE
            && (port.endpoint == NONE || self.classes.are_separate())
    }

    /// The backlog of ejection link `link` exceeds the threshold. If that holds for the class of
    /// `vnet` and is new, the endpoint becomes congested, and all senders with waiting packets are
    /// contributors.
    #[cold]
    pub fn detect(
        &mut self,
        link: LinkId,
        vnet: u8,
        arrivals: &mut Arrivals,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let class = self.classes.class_of(vnet);
        let is_known = self.endpoint(link, class, fabric).is_some();
        if is_known || self.backlog(link, class, fabric) <= self.threshold {
            return;
        }
        let at = self.endpoints.insert(Endpoint {
            class,
            next: fabric.links.port(link).endpoint,
            chains: [NONE; CHAINS],
            last: NONE,
            live: 0,
            path_latency_sum: 0,
            endpoint_credits_out: 0,
            records: 0,
            mean: (cx.machine.nic.packet_payload + cx.machine.nic.packet_overhead) as u32,
        });
        fabric.links.set_endpoint(link, at.0);
        self.counts.onsets += 1;
        cx.counters.nic(NicId(link.0 - self.n_nics)).onsets += 1;
        // A link of a NIC has one channel per virtual network.
        for vc in ones(fabric.links.port(link).waited_for) {
            if self.classes.class_of(vc) != class {
                continue;
            }
            let waiting = fabric.links.channels.waiting(link, vc);
            for nth in 0..waiting.len() {
                let mut packet = fabric.links.voq_head(waiting, nth).0;
                while packet != NONE {
                    self.contribute(link, at, PacketId(packet), arrivals, fabric, cx);
                    fabric.free_input_buffer(PacketId(packet), cx);
                    packet = fabric.packets[PacketId(packet)].next;
                }
            }
        }
    }

    /// `packet` arrives at `link`, which is or recently was congested in some class.
    #[cold]
    pub fn join(
        &mut self,
        packet: PacketId,
        link: LinkId,
        arrivals: &mut Arrivals,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let p = &fabric.packets[packet];
        let class = self.classes.class_of(p.vnet);
        let Some(at) = self.endpoint(link, class, fabric) else { return };
        let (bytes, is_credited) = (u32::from(p.bytes), p.marks & mark::ENDPOINT_CREDIT != 0);
        fabric.free_input_buffer(packet, cx);
        let waiting = self.backlog(link, class, fabric);
        let endpoint = &mut self.endpoints[at];
        endpoint.mean = (7 * endpoint.mean + bytes).div_ceil(8);
        if is_credited {
            // It has arrived, so its credit is settled.
            fabric.packets[packet].marks &= !mark::ENDPOINT_CREDIT;
            let src = arrivals.get(fabric.packets[packet].arrival).src;
            let slack = self.slack(link, class, fabric);
            return self.settle(at, src, slack, cx.now);
        }
        if endpoint.live > 0 || waiting > self.threshold {
            self.contribute(link, at, packet, arrivals, fabric, cx);
        }
    }

    /// The sender of `packet` is a contributor. A new contributor is throttled.
    fn contribute(
        &mut self,
        link: LinkId,
        at: EndpointId,
        packet: PacketId,
        arrivals: &mut Arrivals,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let Packet { vnet, arrival, traveled: path_latency, .. } = fabric.packets[packet];
        if is_response(vnet, &cx.machine.nic) {
            return; // A response is exempt: if it does not leave, it blocks its NIC's requests.
        }
        let nic = arrivals.get(arrival).src;
        let known = self.find(at, nic);
        let id = known.unwrap_or_else(|| self.record(at, nic));
        let contributor = &mut self.contributors[id];
        if contributor.live {
            return;
        }
        contributor.live = true;
        contributor.path_latency = path_latency;
        contributor.generation = (contributor.generation + 1) % 8;
        if !std::mem::replace(&mut contributor.is_listed, true) {
            self.append(at, id);
        }
        let endpoint = &mut self.endpoints[at];
        endpoint.live += 1;
        endpoint.path_latency_sum += u64::from(path_latency);
        self.counts.holds += 1;
        self.send_notice(link, at, id, NoticeKind::Throttle, &mut fabric.mail, cx);
    }

    /// The notice takes as long as the contributor's packet without queues.
    fn send_notice(
        &mut self,
        link: LinkId,
        at: EndpointId,
        id: ContributorId,
        kind: NoticeKind,
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) {
        let Contributor { nic, path_latency, generation, .. } = self.contributors[id];
        let class = self.endpoints[at].class;
        let word = CongestionNotice { nic, class, generation, kind }.word();
        let then = cx.now + Span(u64::from(path_latency));
        match mail.shard_of(cx.machine.nic_switch[nic]) {
            None => cx.at(then, Phase::Arrive, PacketEvent::Notice { link, word }),
            Some(shard) => mail.send_notice(shard, link, word, then),
        }
    }

    /// The backlog of `vnet` at `link` has decreased.
    #[cold]
    pub fn backlog_decreased(
        &mut self,
        link: LinkId,
        vnet: u8,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        if let Some(at) = self.endpoint(link, self.classes.class_of(vnet), fabric) {
            self.grant_endpoint_credits(link, at, fabric, cx);
        }
    }

    /// The backlog of `link` is empty.
    #[cold]
    pub fn backlog_emptied(&mut self, link: LinkId, fabric: &mut Fabric, cx: &mut Cx<'_>) {
        for class in 0..self.classes.count {
            self.backlog_decreased(link, class, fabric, cx);
        }
    }

    /// Gives endpoint credits in round-robin order, as many as keep `link` busy: its backlog and
    /// the credits out last for the mean round trip and the time of the threshold. A contributor at
    /// its limit is skipped, so that others need not wait for its idle credits. If all examined
    /// contributors are at their limits, the last gets a credit, provided it has less than an equal
    /// share. For a class the rate is that of the link or its ceiling, since borrowed bandwidth is
    /// unknown in advance.
    fn grant_endpoint_credits(
        &mut self,
        link: LinkId,
        at: EndpointId,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let class = self.endpoints[at].class;
        let (gap, slack) = (gap(link, class, fabric), self.slack(link, class, fabric));
        let waiting = self.backlog(link, class, fabric);
        let mut skipped = 0;
        loop {
            let Endpoint { last, live, path_latency_sum, endpoint_credits_out, mean, .. } =
                self.endpoints[at];
            if last == NONE {
                break;
            }
            let id = ContributorId(self.contributors[ContributorId(last)].next);
            if !self.contributors[id].live {
                self.rotate(at, false);
                self.forget(at, id);
                continue;
            }
            if live == 1 && waiting == 0 {
                // There is no contention any more.
                self.send_notice(link, at, id, NoticeKind::Release, &mut fabric.mail, cx);
                self.deactivate(at, id);
                continue;
            }
            let round_trip = Span(2 * (path_latency_sum / u64::from(live))) + slack;
            let out = u64::from(endpoint_credits_out + 1) * u64::from(mean) + waiting;
            if gap.span(out) > round_trip {
                break;
            }
            self.rotate(at, true);
            let Contributor { endpoint_credits_out, limit, .. } = self.contributors[id];
            if endpoint_credits_out >= limit {
                skipped += 1;
                if skipped < live.min(MAX_SKIPPED) {
                    continue;
                }
                let own = u64::from(endpoint_credits_out) * u64::from(live);
                if gap.span(own.saturating_mul(mean.into())) > round_trip {
                    break;
                }
                skipped = 0;
            }
            self.give_endpoint_credit(at, id, cx.now);
            self.send_notice(link, at, id, NoticeKind::EndpointCredit, &mut fabric.mail, cx);
        }
        if self.endpoints[at].records == 0 && waiting <= self.threshold {
            self.forget_endpoint(link, at, fabric);
        }
    }

    /// Ends the congestion of `link` in the class of `at`.
    fn forget_endpoint(&mut self, link: LinkId, at: EndpointId, fabric: &mut Fabric) {
        let next = self.endpoints[at].next;
        let first = fabric.links.port(link).endpoint;
        if first == at.0 {
            fabric.links.set_endpoint(link, next);
        } else {
            let mut before = EndpointId(first);
            while self.endpoints[before].next != at.0 {
                before = EndpointId(self.endpoints[before].next);
            }
            self.endpoints[before].next = next;
        }
        self.endpoints.free(at);
    }

    /// `nic` has returned an endpoint credit: it had nothing to send (`Release`), or the packet
    /// sent on it is lost and will be resent on another credit (`Throttle`).
    #[cold]
    pub fn receive_endpoint_credit(
        &mut self,
        nic: NicId,
        notice: u32,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let CongestionNotice { nic: dst, class, generation, kind } = CongestionNotice::read(notice);
        let link = cx.machine.ejection(dst);
        let at = self
            .endpoint(link, class, fabric)
            .expect("the endpoint is congested while credits are out");
        let id = self.find(at, nic).expect("a contributor with credits out is known");
        let contributor = self.contributors[id];
        if kind == NoticeKind::Release && contributor.live && contributor.generation == generation {
            self.deactivate(at, id);
        }
        let slack = self.slack(link, class, fabric);
        self.settle(at, nic, slack, cx.now);
        self.grant_endpoint_credits(link, at, fabric, cx);
    }
}

/// Inverse of the rate of `link` for a class: that of the link, or of the class's ceiling.
fn gap(link: LinkId, class: u8, fabric: &Fabric) -> Gap {
    let ceiling = fabric.shares.ceiling(link, fabric.links.port(link).link_type, class);
    fabric.links.link_type(link).gap.max(ceiling)
}

#[cfg(test)]
mod tests {
    use super::{Contributor, NicId, Span, Time};

    /// On the slowest links, with the maximum number of credits, the usage does not exceed the
    /// credits given.
    #[test]
    fn credit_usage_measurement_never_overflows() {
        let (path_latency, had) = (u32::MAX, u32::MAX);
        let mut slow = Contributor {
            nic: NicId(0),
            path_latency,
            next: 0,
            chained: 0,
            endpoint_credits_out: 0,
            limit: 1,
            measured: Time::ZERO,
            had,
            unreturned: 0,
            generation: 0,
            live: true,
            is_listed: false,
        };
        let slack = Span(1 << 60);
        let due = slack.0 + 2 * u64::from(path_latency);
        slow.measure(slack, Time(2 * due));
        assert_eq!(slow.limit, had / 2 + 1);
        slow.measure(slack, Time(due));
        assert_eq!(slow.limit, had / 2 + 2);
    }
}
