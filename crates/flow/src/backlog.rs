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
use crate::head_of_line::{HeadOfLine, HeadOfLineBacklog};
use crate::in_flight::{InFlight, InFlightId, whole_packets};
use crate::packet_path::{PATH_EXISTS, PacketPath};
use crate::rates::Rates;
use crate::subflow::{MAX_SUBFLOWS, Subflow};
use crate::traffic::{IDLE_FRACTION, Traffic};

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

pub(crate) struct Backlog {
    /// Age of a load report when routers act on it.
    feedback_delay: Span,
    /// Messages of which only the backlog is left, since the last solve.
    draining: Vec<InFlightId>,
    path: PacketPath,
}

impl Backlog {
    pub fn new(machine: &Machine) -> Backlog {
        let draining = Vec::new();
        Backlog { feedback_delay: feedback_delay(machine), draining, path: PacketPath::new() }
    }

    /// Computes the backlog of messages that started or rerouted, now that they have their shares.
    pub fn update(
        &mut self,
        messages: &[InFlightId],
        rates: &Rates,
        traffic: &mut Traffic,
        cx: &mut Cx<'_>,
    ) {
        for &message in messages {
            if traffic.messages[message].backlog > 0 || traffic.messages[message].is_draining {
                continue;
            }
            let backlog = match &rates.head_of_line {
                Some(model) => head_of_line_work(message, model, traffic, cx.machine),
                None => self.source_backlog(message, traffic, cx.machine),
            };
            if backlog > 0 {
                traffic.messages.advance(message, cx.now);
                traffic.messages[message].backlog = backlog;
                traffic.messages.update_rate(message);
            }
        }
    }

    /// Source backlog of `message`, as work of `left`.
    fn source_backlog(
        &mut self,
        message: InFlightId,
        traffic: &Traffic,
        machine: &Machine,
    ) -> u128 {
        let f = &traffic.messages[message];
        let max_rate = f.max_rate();
        if f.samples == 1 || f.rate >= max_rate {
            return 0;
        }
        let routing = machine.initial_fabric().routing();
        let Some(full_bytes) = routing.score_saturates_at() else { return 0 };
        let (load_ratio, slow) = nonminimal_load(f, traffic, machine);
        let excess = load_ratio.saturating_sub(1 << 20);
        if excess == 0 {
            return 0;
        }
        let packet_work = u128::from(f.packet_work);
        let n_sent = u128::from(traffic.nics.n_sent(&f.msg));
        let sent_in = |ps: u128| (u128::from(max_rate) * ps / n_sent) >> (TIME_BITS - PART_BITS);
        let masking = machine.links.gap[slow].span(full_bytes);
        // Until the queues on nonminimal paths look full, and the routers know it.
        let fills = (u128::from(masking.0) << 20) / u128::from(excess);
        let before = sent_in(fills + u128::from(self.feedback_delay.0));
        let rest = ((f.left << PART_BITS) / packet_work).saturating_sub(before);
        // From then on the excess takes the shortest path. Queues swing by the traffic of one
        // feedback delay. Where that is less than the bytes from which a path looks full, paths
        // look full for that fraction of the time.
        let excess_work = rest * u128::from(excess) / u128::from(load_ratio);
        let swing = u128::from(self.feedback_delay.0) * SWING_LINKS;
        let masking = u128::from(masking.0);
        let excess_work = if swing < masking { excess_work * swing / masking } else { excess_work };
        let buffer = machine.links.buffer[machine.injection(f.msg.src)];
        let space = (u128::from(buffer) << PART_BITS) / (n_sent * u128::from(f.weight.wire));
        // Less than one packet does not queue.
        if excess_work >> PART_BITS == 0 {
            return 0;
        }
        let n_staying =
            (0..MAX_SUBFLOWS).filter(|&nth| self.stays_minimal(&f.msg, nth, machine)).count();
        let backlog = (excess_work * n_staying as u128 / u128::from(MAX_SUBFLOWS)).min(space);
        if backlog >> PART_BITS == 0 { 0 } else { (backlog * packet_work) >> PART_BITS }
    }

    /// Whether a packet that started on its shortest path stays on it, although it is full and all
    /// other links are idle.
    fn stays_minimal(&mut self, msg: &Message, nth: u32, machine: &Machine) -> bool {
        let draw = Message::packet_draw(msg.draw, nth);
        let path = &mut self.path.forward;
        machine.find_path(msg.src, msg.dst, draw, &Idle, path).expect(PATH_EXISTS);
        let (mut route, mut full) = (Route::default(), Full(&[]));
        path.windows(2).all(|pair| {
            let LinkEnd::Switch(at) = machine.links.to[pair[0]] else { return false };
            let fabric = machine.initial_fabric();
            let hop = machine.next_hop(fabric, at, msg.dst, &mut route, draw, &full);
            full = Full(path);
            hop.link == pair[1]
        })
    }

    /// All but the backlog of `message` has been sent at time `at`. The backlog gets its own path
    /// in the next solve. Returns the latest time of that.
    pub fn start_drain(&mut self, message: InFlightId, at: Time, traffic: &mut Traffic) -> Time {
        let f = &mut traffic.messages[message];
        let takes = whole_packets(f.backlog, f.rate.min(f.unloaded_rate).max(1));
        (f.backlog, f.is_draining) = (0, true);
        self.draining.push(message);
        traffic.messages.update_rate(message);
        Time(at.0.saturating_add(takes / IDLE_FRACTION))
    }

    /// Before a solve: messages that have only their backlog left continue on their shortest path
    /// alone.
    pub fn send(&mut self, traffic: &mut Traffic, cx: &mut Cx<'_>) {
        while let Some(message) = self.draining.pop() {
            traffic.messages.advance(message, cx.now);
            traffic.drop_subflows(message, false, cx);
            let f = &traffic.messages[message];
            let (draw, samples, load) = (f.msg.draw, f.samples, &traffic.offered_load);
            let is_minimal = self.path.draw_idle(f.endpoints(), draw, load, cx.machine);
            let subflow = traffic.new_subflow(message, samples, &self.path, is_minimal);
            traffic.messages[message].push_subflow(subflow);
        }
    }
}

/// Feedback delay: from the growth of a queue to the arrival of the last packet sent before that
/// was known. A report is one to two delays of a local link old (docs/models/routing.md), and the
/// packet that follows it is one delay on its way.
fn feedback_delay(machine: &Machine) -> Span {
    let links = &machine.links;
    let local = |kind| matches!(kind, LinkKind::Local | LinkKind::LocalBlack);
    let delays = links.kind.iter().filter(|&(_, &k)| local(k)).map(|(l, _)| links.latency[l]);
    let longest = delays.max().unwrap_or_default();
    Span(longest.0 * 5 / 2)
}

/// Head-of-line backlog of `message`, as work of `left`. At most half of it, because the other half
/// is sent meanwhile [estimate].
fn head_of_line_work(
    message: InFlightId,
    model: &HeadOfLine,
    traffic: &mut Traffic,
    machine: &Machine,
) -> u128 {
    let backlog = model.backlog(message, traffic, machine);
    let f = &mut traffic.messages[message];
    f.is_buffer_full = backlog.as_ref().is_some_and(|backlog| backlog.is_buffer_full);
    match backlog {
        Some(HeadOfLineBacklog { bytes, .. }) if f.rate < f.max_rate() => {
            let packets = (u128::from(bytes) << PART_BITS) / u128::from(f.weight.wire);
            ((packets * u128::from(f.packet_work)) >> PART_BITS).min(f.left / 2)
        }
        _ => 0,
    }
}

/// Mean offered load of the global links on nonminimal paths of `f` out of the source group, in
/// 2^-20 of their capacity, and one of these links. Links of the source switch are excluded: their
/// load is known without delay.
fn nonminimal_load(f: &InFlight, traffic: &Traffic, machine: &Machine) -> (u64, LinkId) {
    let (mut load_ratio, mut count, mut one) = (0u64, 0, LinkId(0));
    let is_nonminimal = |subflow: &&Subflow| !subflow.is_minimal;
    for subflow in f.subflows().iter().filter(is_nonminimal) {
        let links = subflow.path(&traffic.shares.sharing);
        let mut links = links.take(subflow.hops() - 1).skip(1);
        let is_global = |link: &LinkId| machine.links.kind[*link] == LinkKind::Global;
        if links.next().as_ref().is_some_and(is_global) {
            continue;
        }
        if let Some(out) = links.find(is_global) {
            let ratio = traffic.offered_load.load_ratio(out, 0);
            load_ratio = load_ratio.saturating_add(ratio.saturating_mul(subflow.count.into()));
            count += u64::from(subflow.count);
            one = out;
        }
    }
    (load_ratio.checked_div(count).unwrap_or(0), one)
}
