//! Head-of-line backlog before the shortest path under UGAL-L, which decides each packet's path
//! once, at its source switch, by the local queues.
//!
//! Key idea: the switch uses the shortest path until its queue times its hops exceeds those of the
//! nonminimal paths. So while packets take nonminimal paths, a queue stands before the shortest
//! one. It drains last. If it fills the buffer that a NIC sends into, the NIC sends no faster than
//! it drains. docs/models/flow-backlog.md has the equation.

use base::IndexVec;
use machine::{Idle, LinkId, LinkKind, Machine, NicId};

use crate::in_flight::{InFlight, InFlightId, NO_LINK};
use crate::packet_path::PATH_EXISTS;
use crate::subflow::Subflow;
use crate::traffic::Traffic;

/// log2 of the parts of a packet in which queues are counted. `ALL` is an offered load of 1: loads
/// are in 2^-20 of the capacity.
const PART_BITS: u32 = 10;
const ALL: u64 = 1 << 20;

/// Upper bound of the growth time in packet times: buffers are finite.
const MAX_TICKS: u64 = 1 << 32;

/// Parameters and state of the model.
pub(crate) struct HeadOfLine {
    /// Bytes times hops by which the shortest path is preferred.
    bias: u64,
    /// Per kind of link: links of the kind per link that leads into a switch, in 2^-20, on average
    /// over the machine. Packets for such links are spread over that many inputs.
    per_input: [u64; 5],
    /// In-flight messages with a possible backlog, by the first link of their shortest path and by
    /// their NIC.
    by_first_link: IndexVec<LinkId, u32>,
    by_nic: IndexVec<NicId, u32>,
    /// Links of a shortest path.
    path: Vec<LinkId>,
}

/// The head-of-line backlog of a message.
pub(crate) struct HeadOfLineBacklog {
    pub bytes: u64,
    /// The backlog exceeds the available buffer space.
    pub is_buffer_full: bool,
}

impl HeadOfLine {
    /// None where routers see more than their local queues, or decide again on the way. None with
    /// several shortest paths either, because packets move from a crowded one to the others.
    pub fn new(machine: &Machine) -> Option<HeadOfLine> {
        let bias = machine.single_decision_bias()?;
        let kinds = &machine.links.kind.raw;
        let mut n_of_kind = [0u64; 5];
        kinds.iter().for_each(|&kind| n_of_kind[kind as usize] += 1);
        let inputs = kinds.len() as u64 - n_of_kind[LinkKind::Ejection as usize];
        Some(HeadOfLine {
            bias: bias.into(),
            per_input: n_of_kind.map(|links| (links << 20) / inputs.max(1)),
            by_first_link: IndexVec::filled(0, kinds.len()),
            by_nic: IndexVec::filled(0, machine.n_nics() as usize),
            path: Vec::with_capacity(32),
        })
    }

    /// Queue in one input of a switch for its links of a kind, in parts of a packet. `ticks` is the
    /// packet times that have passed at offered load `u`, and `n` the number of packets. The result
    /// is the longest queue that any of them sees if each takes the shorter of two.
    ///
    /// - Excess over the capacity accumulates.
    /// - Below capacity, a queue of random arrivals that starts empty has a mean of sqrt(2 ticks /
    ///   pi) (a random walk reflected at zero). It is at most the stationary M/D/1 mean.
    /// - If queues are exponential, the shorter of two is at most half the mean times ln n in n
    ///   trials. The queue of the shortest path hardly drains meanwhile, so it keeps its maximum.
    fn queue_length(&self, kind: LinkKind, u: u64, ticks: u64, n: u64) -> u64 {
        let ticks = ticks.min(MAX_TICKS);
        let excess = u.saturating_sub(ALL).saturating_mul(ticks) >> (20 - PART_BITS);
        // 1 / pi is 7 / 22.
        let from_empty = ((ticks * 2 * 7 / 22) << (2 * PART_BITS)).isqrt();
        let stationary = match ALL.saturating_sub(u) {
            0 => u64::MAX,
            idle => (u * u / idle) >> (21 - PART_BITS),
        };
        // ln n / 2 is log2 n x 0.347, here rounded down to a power of two.
        let max_of_n = u64::from(n.max(2).ilog2()) * 89;
        let wander = from_empty.min(stationary).saturating_mul(max_of_n) >> 8;
        let all = u128::from(excess.max(wander)) * u128::from(self.per_input[kind as usize]);
        u64::try_from(all >> 20).unwrap_or(u64::MAX)
    }

    /// Registers the shortest path of `message`, which has paths, if it can have a head-of-line
    /// backlog.
    ///
    /// Excluded is a shortest path that is one global link and nothing else, as between groups of
    /// one switch. It drains its queue at its own rate, and nonminimal paths, which start with such
    /// links too, are not long full.
    pub fn register(&mut self, message: InFlightId, traffic: &mut Traffic, machine: &Machine) {
        let f = &mut traffic.messages[message];
        if f.samples == 1 {
            return;
        }
        let msg = &f.msg;
        let route = machine.find_path(msg.src, msg.dst, msg.draw, &Idle, &mut self.path);
        // A failed link makes it nonminimal.
        let is_minimal = route.expect(PATH_EXISTS).is_minimal();
        let hops = self.path.len() - 2;
        if hops > 0 && is_minimal {
            let first = self.path[1];
            if hops == 1 && machine.links.kind[first] == LinkKind::Global {
                return;
            }
            f.shortest_first = traffic.offered_load.representative_of(first);
            f.shortest_hops = hops as u32;
            self.by_first_link[f.shortest_first] += 1;
            self.by_nic[traffic.nics.representative(f.msg.src)] += 1;
        }
    }

    /// Removes `message`.
    pub fn release(&mut self, message: InFlightId, traffic: &Traffic) {
        let InFlight { msg, shortest_first, .. } = &traffic.messages[message];
        if *shortest_first != NO_LINK {
            self.by_first_link[*shortest_first] -= 1;
            self.by_nic[traffic.nics.representative(msg.src)] -= 1;
        }
    }

    /// Backlog of `message` while other packets of it take nonminimal paths: the amount at which
    /// its queue times its hops, less the bias, equals their queue times their hops.
    pub fn backlog(
        &self,
        message: InFlightId,
        traffic: &Traffic,
        machine: &Machine,
    ) -> Option<HeadOfLineBacklog> {
        let f = &traffic.messages[message];
        if f.shortest_first == NO_LINK {
            return None;
        }
        // Every message over that link contributes: as many as would demand as much.
        let own_rate = (f.demand.forward.rate * u64::from(f.samples)).max(1);
        let same_first_link = self.by_first_link[f.shortest_first].into();
        let contenders =
            (traffic.offered_load.rate_of(f.shortest_first) / own_rate).max(same_first_link);
        let n_sent = u64::from(self.by_nic[traffic.nics.representative(f.msg.src)]);
        let nonminimal_queue = self.nonminimal_queue(f, (contenders, n_sent), traffic, machine)?;
        let bytes = (self.bias + nonminimal_queue) / u64::from(f.shortest_hops) / contenders;
        let buffer = |link| u64::from(machine.links.buffer[link]);
        let space =
            buffer(machine.injection(f.msg.src)) / n_sent + buffer(f.shortest_first) / contenders;
        Some(HeadOfLineBacklog { bytes: bytes.min(space), is_buffer_full: bytes >= space })
    }

    /// Mean queue on the nonminimal paths of a message, bytes, times their mean hops. `n_sent` is
    /// the number of messages of its NIC, all taken to be like this one.
    fn nonminimal_queue(
        &self,
        f: &InFlight,
        (contenders, n_sent): (u64, u64),
        traffic: &Traffic,
        machine: &Machine,
    ) -> Option<u64> {
        let wire = u64::from(f.weight.wire);
        let (mut queues, mut hops, mut count) = (0, 0, 0);
        for subflow in f.subflows().iter().filter(|subflow| !subflow.is_minimal) {
            let link = congested_link(subflow, traffic, machine);
            let packets = u128::from(f.packetization.packets) * u128::from(n_sent);
            let link_rate = u128::from(traffic.shares.fabric.capacity[link] / wire);
            let ticks = packets * link_rate / u128::from(f.unloaded_rate);
            let ticks = u64::try_from(ticks).unwrap_or(MAX_TICKS).min(MAX_TICKS);
            let (kind, load_ratio) =
                (machine.links.kind[link], traffic.offered_load.load_ratio(link, 0));
            let queue_length = self.queue_length(kind, load_ratio, ticks, ticks * contenders);
            let bytes = u64::try_from((u128::from(queue_length) * u128::from(wire)) >> PART_BITS);
            let buffer = u64::from(machine.links.buffer[link]);
            let each = u64::from(subflow.count);
            queues += each * bytes.unwrap_or(buffer).min(buffer);
            hops += each * (subflow.hops() as u64 - 2);
            count += each;
        }
        (count > 0).then(|| hops * (queues / count) / count)
    }

    /// Whether the backlog of `message` exceeds the buffer space.
    pub fn is_buffer_full(
        &self,
        message: InFlightId,
        traffic: &Traffic,
        machine: &Machine,
    ) -> bool {
        self.backlog(message, traffic, machine).is_some_and(|backlog| backlog.is_buffer_full)
    }

    pub fn bytes(&self) -> usize {
        (self.by_first_link.len() + self.by_nic.len()) * size_of::<u32>()
    }

    pub fn is_idle(&self) -> bool {
        let mut all = self.by_first_link.raw.iter().chain(&self.by_nic.raw);
        all.all(|&messages| messages == 0)
    }
}

/// The link of a nonminimal path before which packets queue: the global link, or else the first.
/// The queue at the next switch is visible in the credits of the first link.
fn congested_link(subflow: &Subflow, traffic: &Traffic, machine: &Machine) -> LinkId {
    let mut links = subflow.path(&traffic.shares.sharing).take(subflow.hops() - 1).skip(1);
    let is_global = |link: &LinkId| machine.links.kind[*link] == LinkKind::Global;
    let first = links.next().expect("a path between switches");
    if is_global(&first) { first } else { links.find(is_global).unwrap_or(first) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::{MachineSpec, preset};

    fn head_of_line(name: &str, routing: &str) -> Option<HeadOfLine> {
        let text = preset(name).expect("a preset");
        let set = [("routing".into(), routing.into())];
        let spec = MachineSpec::parse(name, text, &set).expect("legal");
        HeadOfLine::new(&spec.resolve().expect("legal"))
    }

    /// A switch has 4 NICs, 7 neighbors and 4 global links: 15 inputs, 4 outputs to other groups
    /// and 7 within. The expectations are the formulas of `queue_length`, not simulated queues.
    #[test]
    fn queued_packets_spread_over_all_inputs() {
        let head_of_line =
            head_of_line("dragonfly-1056", "ugal").expect("it compares its own queues");
        let of = |kind, u, ticks, n| head_of_line.queue_length(kind, u, ticks, n) as f64 / 1024.0;
        let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 0.02, "{got}, {want}");
        // Offered load 2: one more packet per packet time.
        near(of(LinkKind::Global, 2 << 20, 300, 2), 300.0 * 4.0 / 15.0);
        near(of(LinkKind::Local, 2 << 20, 300, 2), 300.0 * 7.0 / 15.0);
        // Offered load 0.5, stationary: 0.25 / (2 x 0.5) packets, and the shorter of two in 1,024
        // trials.
        let max_of_n = 1024f64.ln() / 2.0;
        near(of(LinkKind::Global, 1 << 19, 1 << 30, 1024), 0.25 * max_of_n * 4.0 / 15.0);
        // Offered load 1: the length of a random walk.
        let random_walk = (2.0 * 1000.0 / std::f64::consts::PI).sqrt();
        near(of(LinkKind::Global, 1 << 20, 1000, 1024), random_walk * max_of_n * 4.0 / 15.0);
        assert_eq!(head_of_line.queue_length(LinkKind::Global, 0, 1 << 30, 1 << 40), 0);
        // No overflow for any load.
        assert!(head_of_line.queue_length(LinkKind::Global, u64::MAX, u64::MAX, u64::MAX) > 0);
    }

    #[test]
    fn no_head_of_line_state_with_several_shortest_paths() {
        assert!(head_of_line("dragonfly-1056", "ugal-g").is_none());
        assert!(head_of_line("dragonfly-1056", "par").is_none());
        assert!(head_of_line("dragonfly-1056", "slingshot").is_none());
        // Two links join each pair of groups.
        assert!(head_of_line("aurora", "ugal").is_none());
    }
}
