//! What stands before its shortest way where a packet's way is decided once, at its sender's
//! switch, by that switch's own queues (UGAL-L).
//!
//! The one idea: such a switch sends the shortest way until that queue, times its hops, outweighs
//! those of the ways round, times theirs. So where packets go round, such a queue stands. It is
//! committed: when all else of a message has gone, it goes still. And where it is all that the
//! buffer holds which a NIC sends into, the NIC sends no faster than it drains.

use base::IndexVec;
use machine::{Idle, LinkId, LinkKind, Machine, NicId};

use crate::subflows::{PATH_EXISTS, Subflow};
use crate::{FlowNetwork, InFlight, InFlightId};

/// Parts of a packet in which queues are counted, as a power of two; what links are asked for is in
/// parts of 2^20 of what they carry.
const PART_BITS: u32 = 10;
const ALL: u64 = 1 << 20;

/// No queue grows for longer, in packets' times: it has no room.
const MAX_TICKS: u64 = 1 << 32;

/// No link, for a message of which nothing can stand.
pub(crate) const NO_LINK: LinkId = LinkId(u32::MAX);

/// What decides once, and by what.
pub(crate) struct HeadOfLine {
    /// Bytes x hops by which the shortest way is preferred.
    bias: u64,
    /// Of each kind of link, how many there are to one that leads into a switch, in parts of 2^20,
    /// in the mean of the machine: over so many inputs it is spread what waits for such links.
    per_input: [u64; 5],
    /// Messages under way of which something can stand, by the first link of their shortest way
    /// and by their NIC.
    by_first_link: IndexVec<LinkId, u32>,
    by_nic: IndexVec<NicId, u32>,
}

/// What stands of a message before its shortest way.
pub(crate) struct HeadOfLineBacklog {
    pub bytes: u64,
    /// There is no room for so much.
    pub is_buffer_full: bool,
}

impl HeadOfLine {
    /// None where routers know more than their own queues, or decide anew; and where there are
    /// several shortest ways, for packets turn from one that is crowded to the others.
    pub fn new(machine: &Machine) -> Option<HeadOfLine> {
        let bias = machine.single_decision_bias()?;
        let kinds = &machine.links.kind.raw;
        let mut of = [0u64; 5];
        kinds.iter().for_each(|&kind| of[kind as usize] += 1);
        let inputs = kinds.len() as u64 - of[LinkKind::Ejection as usize];
        Some(HeadOfLine {
            bias: bias.into(),
            per_input: of.map(|alike| (alike << 20) / inputs.max(1)),
            by_first_link: IndexVec::filled(0, kinds.len()),
            by_nic: IndexVec::filled(0, machine.n_nics() as usize),
        })
    }

    /// Packets that wait in one of a switch's inputs for its links of a kind, in parts, after
    /// `ticks` of packets of which `u` links' worth came for each; the most that any of `n` packets
    /// finds that take the lesser of two such queues.
    ///
    /// What is more than links carry gathers. Beside that a queue of packets that come at any time
    /// wanders: from nothing it is sqrt(2 ticks / pi) long in the mean (a walk that is reflected at
    /// nothing), and no longer than one that has stood for ever (M/D/1). The lesser of two such, if
    /// they are exponential, is half the mean times ln n at most in n tries. And the shortest way's
    /// queue hardly drains meanwhile: it keeps the longest that it has had.
    fn queue_length(&self, kind: LinkKind, u: u64, ticks: u64, n: u64) -> u64 {
        let ticks = ticks.min(MAX_TICKS);
        let gathers = u.saturating_sub(ALL).saturating_mul(ticks) >> (20 - PART_BITS);
        // 1 / pi is 7 / 22.
        let from_nothing = ((ticks * 2 * 7 / 22) << (2 * PART_BITS)).isqrt();
        let for_ever = match ALL.saturating_sub(u) {
            0 => u64::MAX,
            idle => (u * u / idle) >> (21 - PART_BITS),
        };
        // ln n / 2 is log2 n x 0.347, and that the power of two below.
        let max_of_n = u64::from(n.max(2).ilog2()) * 89;
        let wanders = from_nothing.min(for_ever).saturating_mul(max_of_n) >> 8;
        let all = u128::from(gathers.max(wanders)) * u128::from(self.per_input[kind as usize]);
        u64::try_from(all >> 20).unwrap_or(u64::MAX)
    }

    pub fn bytes(&self) -> usize {
        (self.by_first_link.len() + self.by_nic.len()) * size_of::<u32>()
    }

    pub fn is_quiet(&self) -> bool {
        let mut all = self.by_first_link.raw.iter().chain(&self.by_nic.raw);
        all.all(|&messages| messages == 0)
    }
}

impl FlowNetwork {
    /// `message`, which has ways, sets out: its shortest way is known from now on, if something can
    /// stand before that.
    ///
    /// Not where that is a link to the other group and nothing else, as all are between groups of
    /// one switch: it drains its queue as fast as it carries, and there is not long behind the ways
    /// round, which begin with such links, too.
    pub(crate) fn register_shortest_path(&mut self, message: InFlightId, machine: &Machine) {
        let InFlight { msg, samples, .. } = self.messages[message];
        let src = self.twin(msg.src);
        let Some(head_of_line) = self.head_of_line.as_mut().filter(|_| samples > 1) else { return };
        let way = machine.find_path(msg.src, msg.dst, msg.draw, &Idle, &mut self.path);
        // What is down makes a way round of it.
        let is_minimal = way.expect(PATH_EXISTS).is_minimal();
        let hops = self.path.len() - 2;
        if hops > 0 && is_minimal {
            let first = self.path[1];
            if hops == 1 && machine.links.kind[first] == LinkKind::Global {
                return;
            }
            let f = &mut self.messages[message];
            f.shortest_first = self.offered_load.stand(first);
            f.shortest_hops = hops as u32;
            head_of_line.by_first_link[f.shortest_first] += 1;
            head_of_line.by_nic[src] += 1;
        }
    }

    /// `message` is no more.
    pub(crate) fn release(&mut self, message: InFlightId) {
        let InFlight { msg, shortest_first, .. } = self.messages[message];
        let src = self.twin(msg.src);
        if let Some(head_of_line) = self.head_of_line.as_mut().filter(|_| shortest_first != NO_LINK)
        {
            head_of_line.by_first_link[shortest_first] -= 1;
            head_of_line.by_nic[src] -= 1;
        }
    }

    /// What stands of `message` before its shortest way while others of its packets go round: as
    /// much as makes that as good as they are, its queue times its hops less the bias being their
    /// queue times their hops.
    pub(crate) fn head_of_line_backlog(
        &self,
        message: InFlightId,
        machine: &Machine,
    ) -> Option<HeadOfLineBacklog> {
        let head_of_line = self.head_of_line.as_ref()?;
        let f = &self.messages[message];
        if f.shortest_first == NO_LINK {
            return None;
        }
        // Whoever goes by that link stands there, too, on whatever way: as many as ask as much.
        let asks = (f.demand.0.rate * u64::from(f.samples)).max(1);
        let alike = head_of_line.by_first_link[f.shortest_first].into();
        let contenders = (self.offered_load.rate_of(f.shortest_first) / asks).max(alike);
        let sends = u64::from(head_of_line.by_nic[self.twin(f.msg.src)]);
        let detour_queue =
            self.detour_queue(message, head_of_line, (contenders, sends), machine)?;
        let its = (head_of_line.bias + detour_queue) / u64::from(f.shortest_hops) / contenders;
        let buffer = |link| u64::from(machine.links.buffer[link]);
        let room =
            buffer(machine.injection(f.msg.src)) / sends + buffer(f.shortest_first) / contenders;
        Some(HeadOfLineBacklog { bytes: its.min(room), is_buffer_full: its >= room })
    }

    /// What waits on the ways round of `message` in the mean, bytes, times their hops in the mean.
    /// Its NIC sends so many messages, all taken to be like this one, and so many stand at its
    /// shortest way.
    fn detour_queue(
        &self,
        message: InFlightId,
        head_of_line: &HeadOfLine,
        (contenders, sends): (u64, u64),
        machine: &Machine,
    ) -> Option<u64> {
        let f = &self.messages[message];
        let wire = u64::from(f.weight.wire);
        let (mut queues, mut hops, mut count) = (0, 0, 0);
        for subflow in f.subflows[..f.n_subflows as usize].iter().filter(|way| !way.is_minimal) {
            let link = self.congested_link(subflow, machine);
            let packets = u128::from(f.cut.packets) * u128::from(sends);
            let of_link = u128::from(self.fabric.capacity[link] / wire);
            let ticks = packets * of_link / u128::from(f.alone);
            let ticks = u64::try_from(ticks).unwrap_or(MAX_TICKS).min(MAX_TICKS);
            let (kind, asked) = (machine.links.kind[link], self.offered_load.asked(link, 0));
            let queue_length = head_of_line.queue_length(kind, asked, ticks, ticks * contenders);
            let bytes = u64::try_from((u128::from(queue_length) * u128::from(wire)) >> PART_BITS);
            let all = u64::from(machine.links.buffer[link]);
            let each = u64::from(subflow.count);
            queues += each * bytes.unwrap_or(all).min(all);
            hops += each * (subflow.hops() as u64 - 2);
            count += each;
        }
        (count > 0).then(|| hops * (queues / count) / count)
    }

    /// Asks anew whether what stands of `message` leaves no room.
    pub(crate) fn update_buffer_full(&mut self, message: InFlightId, machine: &Machine) -> bool {
        let is_buffer_full = self
            .head_of_line_backlog(message, machine)
            .is_some_and(|head_of_line_backlog| head_of_line_backlog.is_buffer_full);
        self.messages[message].is_buffer_full = is_buffer_full;
        is_buffer_full
    }

    /// The link of a way round before which packets wait, the one to another group or the first:
    /// what waits in the next switch is what the first link's credits tell of.
    fn congested_link(&self, subflow: &Subflow, machine: &Machine) -> LinkId {
        let mut links = subflow.path(&self.sharing).take(subflow.hops() - 1).skip(1);
        let is_global = |link: &LinkId| machine.links.kind[*link] == LinkKind::Global;
        let first = links.next().expect("a way between switches");
        if is_global(&first) { first } else { links.find(is_global).unwrap_or(first) }
    }
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

    /// A switch has 4 NICs, 7 neighbors and 4 links to other groups: 15 inputs, and 4 links out to
    /// other groups, 7 within. Formulas are those of `queue_length`; simulated queues would be others.
    #[test]
    fn queued_packets_spread_over_all_inputs() {
        let head_of_line =
            head_of_line("dragonfly-1056", "ugal").expect("it compares its own queues");
        let of = |kind, u, ticks, n| head_of_line.queue_length(kind, u, ticks, n) as f64 / 1024.0;
        let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 0.02, "{got}, {want}");
        // Twice what it carries: a packet more in each packet's time.
        near(of(LinkKind::Global, 2 << 20, 300, 2), 300.0 * 4.0 / 15.0);
        near(of(LinkKind::Local, 2 << 20, 300, 2), 300.0 * 7.0 / 15.0);
        // Half of it, for ever: 0.25 / (2 x 0.5) packets, and the lesser of two, 1,024 times.
        let max_of_n = 1024f64.ln() / 2.0;
        near(of(LinkKind::Global, 1 << 19, 1 << 30, 1024), 0.25 * max_of_n * 4.0 / 15.0);
        // Just what it carries: as far as a walk goes.
        let draw_path = (2.0 * 1000.0 / std::f64::consts::PI).sqrt();
        near(of(LinkKind::Global, 1 << 20, 1000, 1024), draw_path * max_of_n * 4.0 / 15.0);
        assert_eq!(head_of_line.queue_length(LinkKind::Global, 0, 1 << 30, 1 << 40), 0);
        // Whatever is asked: no overflow.
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
