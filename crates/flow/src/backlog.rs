//! Source backlog: the bytes of a message that queue at its source switch and drain last.
//!
//! Key idea: routers act on delayed load reports. Where links are offered more than they carry, all
//! routers see every nonminimal path full at the same time, again and again. Packets sent meanwhile
//! take the shortest path although it is full. They collect in the buffer that the NIC sends into.
//! docs/models/flow-backlog.md has the equation.

use base::{Span, Time};
use machine::{Idle, LinkEnd, LinkId, LinkKind, LoadView, Machine, Route};
use net::{Cx, Message};

use crate::fabric::TIME_BITS;
use crate::head_of_line::HeadOfLineBacklog;
use crate::subflows::{MAX_SUBFLOWS, PATH_EXISTS, Subflow};
use crate::{FlowNetwork, IDLE_FRACTION, InFlightId, whole_packets};

/// log2 of the parts in which packets are counted.
const PART_BITS: u32 = 20;

/// Links whose traffic arrives at a path that looks free, during one feedback delay [estimate]. One
/// is too few for 80 ns switches on Aurora (24 % early). On `dragonfly-1056`, where delays are
/// close to zero, the full backlog would be 11 % late.
const SWING_LINKS: u128 = 4;

/// A load view in which these links are full and all others idle.
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
    fn remote_backlog(&self, link: LinkId) -> u32 {
        self.near(link)
    }
}

/// Feedback delay: from the growth of a queue to the arrival of the last packet sent before that
/// was known. A report is one to two delays of a local link old (docs/models/routing.md), and the
/// packet that follows it is one delay on its way.
pub(crate) fn feedback_delay(machine: &Machine) -> Span {
    let links = &machine.links;
    let local = |kind| matches!(kind, LinkKind::Local | LinkKind::LocalBlack);
    let delays = links.kind.iter().filter(|&(_, &k)| local(k)).map(|(l, _)| links.latency[l]);
    let longest = delays.max().unwrap_or_default();
    Span(longest.0 * 5 / 2)
}

impl FlowNetwork {
    /// Computes the backlog of messages that started or rerouted, now that they have their shares.
    pub(crate) fn update_backlogs(&mut self, cx: &mut Cx<'_>) {
        for nth in 0..self.arrived.len() {
            let message = self.arrived[nth];
            if self.messages[message].backlog > 0 || self.messages[message].is_draining {
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
                self.update_rate(message);
            }
        }
        self.arrived.clear();
    }

    /// Head-of-line backlog of `message`, as work of `left`. At most half of it, because the other
    /// half is sent meanwhile [estimate].
    fn head_of_line_work(&mut self, message: InFlightId, machine: &Machine) -> u128 {
        let standing = self.head_of_line_backlog(message, machine);
        let f = &mut self.messages[message];
        f.is_buffer_full = standing.as_ref().is_some_and(|standing| standing.is_buffer_full);
        match standing {
            Some(HeadOfLineBacklog { bytes, .. }) if f.rate < self.classes.max_rate(f) => {
                let packets = (u128::from(bytes) << PART_BITS) / u128::from(f.weight.wire);
                ((packets * u128::from(f.packet_work)) >> PART_BITS).min(f.left / 2)
            }
            _ => 0,
        }
    }

    /// Source backlog of `message`, as work of `left`.
    fn source_backlog(&mut self, message: InFlightId, machine: &Machine) -> u128 {
        let f = &self.messages[message];
        let max_rate = self.classes.max_rate(f);
        if f.samples == 1 || f.rate >= max_rate {
            return 0;
        }
        let Some(full_bytes) = machine.routing.score_saturates_at() else { return 0 };
        let (load_ratio, slow) = self.nonminimal_load(message, machine);
        let excess = load_ratio.saturating_sub(1 << 20);
        if excess == 0 {
            return 0;
        }
        let (msg, weight, packet_work) = (f.msg, f.weight, f.packet_work);
        let sends = u128::from(self.nics[self.representative(msg.src)].sends);
        let sent_in = |ps: u128| (u128::from(max_rate) * ps / sends) >> (TIME_BITS - PART_BITS);
        let masking = machine.links.gap[slow].span(full_bytes);
        // Until the queues on nonminimal paths look full, and the routers know it.
        let fills = (u128::from(masking.0) << 20) / u128::from(excess);
        let before = sent_in(fills + u128::from(self.feedback_delay.0));
        let rest = ((f.left << PART_BITS) / u128::from(packet_work)).saturating_sub(before);
        // From then on the excess takes the shortest path. Queues swing by the traffic of one
        // feedback delay. Where that is less than the bytes from which a path looks full, paths
        // look full for that fraction of the time.
        let excess_work = rest * u128::from(excess) / u128::from(load_ratio);
        let swing = u128::from(self.feedback_delay.0) * SWING_LINKS;
        let masking = u128::from(masking.0);
        let excess_work = if swing < masking { excess_work * swing / masking } else { excess_work };
        let buffer = machine.links.buffer[machine.injection(msg.src)];
        let room = (u128::from(buffer) << PART_BITS) / (sends * u128::from(weight.wire));
        // Less than one packet does not queue.
        if excess_work >> PART_BITS == 0 {
            return 0;
        }
        let stay =
            (0..MAX_SUBFLOWS).filter(|&nth| self.stays_minimal(msg, nth, machine)).count() as u128;
        let backlog = (excess_work * stay / u128::from(MAX_SUBFLOWS)).min(room);
        if backlog >> PART_BITS == 0 { 0 } else { (backlog * u128::from(packet_work)) >> PART_BITS }
    }

    /// Mean offered load of the global links on nonminimal paths out of the source group, in 2^-20
    /// of their capacity, and one of these links. Links of the source switch are excluded: their
    /// load is known without delay.
    fn nonminimal_load(&self, message: InFlightId, machine: &Machine) -> (u64, LinkId) {
        let f = &self.messages[message];
        let (mut load_ratio, mut count, mut one) = (0u64, 0, LinkId(0));
        let is_nonminimal = |subflow: &&Subflow| !subflow.is_minimal;
        for subflow in f.subflows[..f.n_subflows as usize].iter().filter(is_nonminimal) {
            let mut links = self.sharing.uses(subflow.flow).take(subflow.hops() - 1).skip(1);
            let own = links.next().map(|first| LinkId(first.resource.0));
            let is_global = |link: &LinkId| machine.links.kind[*link] == LinkKind::Global;
            if own.as_ref().is_some_and(is_global) {
                continue;
            }
            if let Some(out) = links.map(|next| LinkId(next.resource.0)).find(is_global) {
                let of = self.offered_load.load_ratio(out, 0).saturating_mul(subflow.count.into());
                load_ratio = load_ratio.saturating_add(of);
                count += u64::from(subflow.count);
                one = out;
            }
        }
        (load_ratio.checked_div(count).unwrap_or(0), one)
    }

    /// Whether a packet that started on its shortest path stays on it, although it is full and all
    /// other links are idle.
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

    /// All but the backlog of `message` has been sent at time `at`. The backlog gets its own path
    /// in the next solve, which follows soon.
    pub(crate) fn start_drain(&mut self, message: InFlightId, at: Time) {
        let f = &mut self.messages[message];
        let takes = whole_packets(f.backlog, f.rate.min(f.unloaded_rate).max(1));
        (f.backlog, f.is_draining) = (0, true);
        self.draining.push(message);
        self.solve_by = self.solve_by.min(Time(at.0.saturating_add(takes / IDLE_FRACTION)));
        self.update_rate(message);
    }

    /// After a solve: messages that have only their backlog left continue on their shortest path
    /// alone.
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
                *link = self.offered_load.representative_of(*link);
            }
            let subflow = self.add_subflow(message, samples, route.is_minimal());
            let f = &mut self.messages[message];
            (f.subflows[0], f.n_subflows) = (subflow, 1);
        }
    }
}
