//! What of a message waits at its sender's switch when the rest has gone.
//!
//! The one idea: routers look at old news. Where links are asked for more than they carry, all see
//! every way round full at the same time, again and again; what they send meanwhile goes the
//! shortest way, full as it is. It gathers in the buffer that the NIC sends into, and goes last.

use base::{Span, Time};
use machine::{Idle, LinkEnd, LinkId, LinkKind, LoadView, Machine, Route};
use net::{Cx, Message};

use crate::fabric::TIME_BITS;
use crate::head_of_line::HeadOfLineBacklog;
use crate::subflows::{MAX_SUBFLOWS, PATH_EXISTS, Subflow};
use crate::{FlowNetwork, IDLE_FRACTION, InFlightId, whole_packets};

/// Packets are counted in parts of 2 to this power.
const PART_BITS: u32 = 20;

/// What comes to a way that looks empty, until it is known that it is not, comes from many at once:
/// so many links' worth [estimate]. One is too few for switches of 80 ns on Aurora (24 % early);
/// where delays are next to nothing, as on `dragonfly-1056`, it must not be all (11 % late).
const SWING_LINKS: u128 = 4;

/// These links are full, all others idle.
struct Full<'a>(&'a [LinkId]);

impl LoadView for Full<'_> {
    fn near(&self, link: LinkId) -> u32 {
        if self.0.contains(&link) { 1 << 30 } else { 0 }
    }
    fn far(&self, _: LinkId) -> u32 {
        0
    }
    fn downstream(&self, link: LinkId) -> u32 {
        self.near(link)
    }
    fn anywhere(&self, link: LinkId) -> u32 {
        self.near(link)
    }
}

/// From a queue's growing until the last comes that was sent before it was known: a report is one
/// to two delays of a local link old (docs/models/routing.md), and who goes by it is one such delay
/// on his way.
pub(crate) fn feedback_delay(machine: &Machine) -> Span {
    let links = &machine.links;
    let local = |kind| matches!(kind, LinkKind::Local | LinkKind::LocalBlack);
    let delays = links.kind.iter().filter(|&(_, &k)| local(k)).map(|(l, _)| links.latency[l]);
    let longest = delays.max().unwrap_or_default();
    Span(longest.0 * 5 / 2)
}

impl FlowNetwork {
    /// Those who have begun, or chosen again beside them, have their shares: what of them will go
    /// last.
    pub(crate) fn update_backlogs(&mut self, cx: &mut Cx<'_>) {
        for nth in 0..self.arrived.len() {
            let message = self.arrived[nth];
            if self.messages[message].backlog > 0 || self.messages[message].is_last {
                continue;
            }
            let backlog = if self.head_of_line.is_some() {
                self.head_of_line_work(message, cx.machine)
            } else {
                self.source_backlog(message, cx.machine)
            };
            if backlog > 0 {
                self.advance(message, cx.now);
                self.messages[message].backlog = backlog;
                self.pace(message);
            }
        }
        self.arrived.clear();
    }

    /// The part of `message`'s work that stands before its shortest way: of `left`, and no more than
    /// half, for the other goes meanwhile [estimate].
    fn head_of_line_work(&mut self, message: InFlightId, machine: &Machine) -> u128 {
        let head_of_line_backlog = self.head_of_line_backlog(message, machine);
        let f = &mut self.messages[message];
        f.is_buffer_full = head_of_line_backlog
            .as_ref()
            .is_some_and(|head_of_line_backlog| head_of_line_backlog.is_buffer_full);
        match head_of_line_backlog {
            Some(HeadOfLineBacklog { bytes, .. }) if f.rate < self.classes.max_rate(f) => {
                let packets = (u128::from(bytes) << PART_BITS) / u128::from(f.weight.wire);
                ((packets * u128::from(f.packet_work)) >> PART_BITS).min(f.left / 2)
            }
            _ => 0,
        }
    }

    /// The part of `message`'s work that will gather where it does not get on: of `left`.
    fn source_backlog(&mut self, message: InFlightId, machine: &Machine) -> u128 {
        let f = &self.messages[message];
        let alone = self.classes.max_rate(f);
        if f.samples == 1 || f.rate >= alone {
            return 0;
        }
        let Some(blind) = machine.routing.score_saturates_at() else { return 0 };
        let (asked, slow) = self.load_of_detours(message, machine);
        let excess = asked.saturating_sub(1 << 20);
        if excess == 0 {
            return 0;
        }
        let (msg, weight, packet_work) = (f.msg, f.weight, f.packet_work);
        let sends = u128::from(self.nics[self.twin(msg.src)].sends);
        let sent_in = |ps: u128| (u128::from(alone) * ps / sends) >> (TIME_BITS - PART_BITS);
        let hides = machine.links.gap[slow].span(blind);
        // Until queues on the ways round are so long, and that is known.
        let fills = (u128::from(hides.0) << 20) / u128::from(excess);
        let before = sent_in(fills + u128::from(self.feedback_delay.0));
        let rest = ((f.left << PART_BITS) / u128::from(packet_work)).saturating_sub(before);
        // From then on what they do not take goes the shortest way. Queues swing by what comes
        // before it is known: where that is less than what hides a way, ways are hidden for such a
        // part of the time.
        let max_rate = rest * u128::from(excess) / u128::from(asked);
        let swing = u128::from(self.feedback_delay.0) * SWING_LINKS;
        let hides = u128::from(hides.0);
        let max_rate = if swing < hides { max_rate * swing / hides } else { max_rate };
        let buffer = machine.links.buffer[machine.injection(msg.src)];
        let room = (u128::from(buffer) << PART_BITS) / (sends * u128::from(weight.wire));
        // Less than a packet waits nowhere.
        if max_rate >> PART_BITS == 0 {
            return 0;
        }
        let stay =
            (0..MAX_SUBFLOWS).filter(|&nth| self.stays_minimal(msg, nth, machine)).count() as u128;
        let backlog = (max_rate * stay / u128::from(MAX_SUBFLOWS)).min(room);
        if backlog >> PART_BITS == 0 { 0 } else { (backlog * u128::from(packet_work)) >> PART_BITS }
    }

    /// What the links are asked for by which its packets leave their group on ways round, in the
    /// mean, in parts of 2^20 of what they carry; and one of them. Its own switch's are not among
    /// them, for of those it has no old news.
    fn load_of_detours(&self, message: InFlightId, machine: &Machine) -> (u64, LinkId) {
        let f = &self.messages[message];
        let (mut asked, mut count, mut one) = (0u64, 0, LinkId(0));
        let around = |subflow: &&Subflow| !subflow.is_minimal;
        for subflow in f.subflows[..f.n_subflows as usize].iter().filter(around) {
            let mut links = self.sharing.uses(subflow.flow).take(subflow.hops() - 1).skip(1);
            let own = links.next().map(|first| LinkId(first.resource.0));
            let is_global = |link: &LinkId| machine.links.kind[*link] == LinkKind::Global;
            if own.as_ref().is_some_and(is_global) {
                continue;
            }
            if let Some(out) = links.map(|next| LinkId(next.resource.0)).find(is_global) {
                let of = self.offered_load.asked(out, 0).saturating_mul(subflow.count.into());
                asked = asked.saturating_add(of);
                count += u64::from(subflow.count);
                one = out;
            }
        }
        (asked.checked_div(count).unwrap_or(0), one)
    }

    /// Whether a packet that has set out by its shortest way goes on by that, however full it is,
    /// and whatever else is idle.
    fn stays_minimal(&mut self, msg: Message, nth: u32, machine: &Machine) -> bool {
        let draw = Message::packet_draw(msg.draw, nth);
        machine.find_path(msg.src, msg.dst, draw, &Idle, &mut self.path).expect(PATH_EXISTS);
        let (mut route, mut full) = (Route::default(), Full(&[]));
        self.path.windows(2).all(|pair| {
            let LinkEnd::Switch(at) = machine.links.to[pair[0]] else { return false };
            let hop = machine.next_hop(at, msg.dst, &mut route, draw, &full);
            full = Full(&self.path);
            hop.link == pair[1]
        })
    }

    /// At `at` only what waits of `message` is left. It goes its own way when shares are dealt next,
    /// which is soon.
    pub(crate) fn start_drain(&mut self, message: InFlightId, at: Time) {
        let f = &mut self.messages[message];
        let takes = whole_packets(f.backlog, f.rate.min(f.alone).max(1));
        (f.backlog, f.is_last) = (0, true);
        self.draining.push(message);
        self.solve_by = self.solve_by.min(Time(at.0.saturating_add(takes / IDLE_FRACTION)));
        self.pace(message);
    }

    /// Shares are dealt: whoever has only left what waits for its shortest way goes by that alone.
    pub(crate) fn send_backlog(&mut self, cx: &mut Cx<'_>) {
        while let Some(message) = self.draining.pop() {
            self.advance(message, cx.now);
            self.drop_subflows(message, false, cx);
            let f = &self.messages[message];
            let (Message { src, dst, draw, .. }, samples) = (f.msg, f.samples);
            let is_answered = f.weight.back > 0;
            let route =
                cx.machine.find_path(src, dst, draw, &Idle, &mut self.path).expect(PATH_EXISTS);
            self.back.clear();
            if is_answered {
                cx.machine.find_path(dst, src, !draw, &Idle, &mut self.back).expect(PATH_EXISTS);
            }
            for link in self.path.iter_mut().chain(&mut self.back) {
                *link = self.offered_load.stand(*link);
            }
            let subflow = self.add_subflow(message, samples, route.is_minimal());
            let f = &mut self.messages[message];
            (f.subflows[0], f.n_subflows) = (subflow, 1);
        }
    }
}
