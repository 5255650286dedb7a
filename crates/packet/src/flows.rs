//! Flows of ordered packets, which must not overtake each other: all packets of a flow in flight
//! use one path. Rule and sources: docs/models/ordered-flows.md.
//!
//! This file knows the flows of each NIC and the hops that each has taken. It does not choose hops.
//!
//! Design: the first packet of a flow with nothing in flight is the leader. It is routed like any
//! other packet, and each switch on its path stores its hop. Later packets arrive at that switch by
//! the same link and channel and take the stored hop.

use std::collections::BTreeMap;

use base::{Slab, Time};
use machine::{Hop, LinkId, Machine, NicId, Route};

use crate::message::Transit;
use crate::packet::{NONE, Packet, TransitId, mark};
use crate::shard::Mailboxes;

base::ids! {
    /// A flow that is or was recently in flight, at its sender.
    FlowId,
}

/// Hash chains for the flows of a NIC.
const CHAINS: u32 = 16;

/// Bits of a flow's key that are its number at its sender; above them is the sender's shard.
const BITS: u32 = 26;

/// A flow at its sender. Flows without messages or packets in flight are removed at the latest when
/// their chain is searched again.
#[derive(Clone, Copy, Debug)]
struct Flow {
    dst: NicId,
    vnet: u8,
    /// Messages not completely sent. One of them is in the NIC's send list, if any is ready.
    messages: u32,
    in_send_list: bool,
    /// Messages that wait for it, in order.
    first: u32,
    last: u32,
    /// Packets whose acknowledgement time is unknown.
    away: u32,
    /// Time of the last known acknowledgement.
    acked: Time,
    /// Next in its chain.
    next: u32,
}

impl Flow {
    /// No packet of it is in flight.
    fn is_idle(&self, now: Time) -> bool {
        self.away == 0 && self.acked <= now
    }
}

/// A hop of a flow as stored at a switch: input, output, and route after the hop.
#[derive(Clone, Copy, Debug)]
struct Step {
    input_hop: Hop,
    output_hop: Hop,
    route: Route,
}

impl Step {
    const NONE: Step = {
        let nowhere = Hop { link: LinkId(NONE), vc: 0 };
        let route = Route { via: 0, class: 0, decided: false, passed: false, hops: 0 };
        Step { input_hop: nowhere, output_hop: nowhere, route }
    };
}

pub(crate) struct Flows {
    /// Switches keep flows.
    pub is_enabled: bool,
    own: u8,
    /// First flow by NIC and chain. Empty until the first ordered message.
    chains: Vec<u32>,
    entries: Slab<FlowId, Flow>,
    /// By the sender's shard, flow and hop number. A shard stores the hops at its own switches.
    steps: Vec<Vec<Step>>,
    /// Maximum number of hops of a path.
    most: usize,
    /// Instead of `steps` on a machine with a fault schedule.
    steps_with_faults: Option<StepsByInput>,
}

/// Stored hops on a machine with a fault schedule, by flow, hop number, and input of a switch.
/// Packets of a flow may be on different paths there: with one place per hop number, a switch would
/// overwrite the hop of another one at once. Those of a finished flow are cleared, because packets
/// may be lost.
type StepsByInput = BTreeMap<(u32, u8, LinkId, u8), (Route, Hop)>;

impl Flows {
    /// Flows of shard `own` of `shards`.
    pub fn new(machine: &Machine, own: u8, shards: usize) -> Flows {
        Flows {
            is_enabled: machine.keeps_flows,
            own,
            chains: Vec::new(),
            entries: Slab::with_capacity(0),
            steps: vec![Vec::new(); shards],
            // The last hop leaves the network.
            most: machine.max_hops() as usize + 1,
            steps_with_faults: machine.faults.is_some().then(StepsByInput::new),
        }
    }

    /// The flow from `src` to `dst`, with one message more.
    pub fn open(&mut self, (src, dst): (NicId, NicId), vnet: u8, now: Time, nics: usize) -> FlowId {
        if self.chains.is_empty() {
            self.chains = vec![NONE; nics * CHAINS as usize];
        }
        // Receivers at equal distances from each other fall into different chains.
        let chain = dst.0.wrapping_mul(0x9E37_79B9) >> (32 - CHAINS.ilog2());
        let head = (src.0 * CHAINS + chain) as usize;
        let (mut before, mut at, mut found) = (NONE, self.chains[head], NONE);
        while at != NONE {
            let flow = self.entries[FlowId(at)];
            if (flow.dst, flow.vnet) == (dst, vnet) {
                found = at;
            } else if flow.messages == 0 && flow.is_idle(now) {
                self.entries.free(FlowId(at));
                match before {
                    NONE => self.chains[head] = flow.next,
                    before => self.entries[FlowId(before)].next = flow.next,
                }
                at = flow.next;
                continue;
            }
            before = at;
            at = flow.next;
        }
        if found == NONE {
            let next = self.chains[head];
            let (first, last, acked) = (NONE, NONE, Time::ZERO);
            let (messages, in_send_list, away) = (0, false, 0);
            let new = Flow { dst, vnet, messages, in_send_list, first, last, away, acked, next };
            found = self.entries.insert(new).0;
            self.chains[head] = found;
            assert!(found >> BITS == 0, "at most 2^26 flows per shard");
        }
        self.entries[FlowId(found)].messages += 1;
        FlowId(found)
    }

    /// Adds a packet to `flow`: its key, and whether the packet is the leader.
    fn add_packet(&mut self, id: FlowId, now: Time) -> (u32, bool) {
        let flow = &mut self.entries[id];
        let leads = flow.is_idle(now);
        flow.away += 1;
        let flow_key = id.0 | u32::from(self.own) << BITS;
        if leads && let Some(steps) = &mut self.steps_with_faults {
            clear_steps(flow_key, steps);
        }
        (flow_key, leads)
    }

    /// A packet will be acknowledged at `then`, or is known to be lost.
    pub fn acknowledge(&mut self, flow_key: u32, then: Time) {
        debug_assert_eq!(flow_key >> BITS, u32::from(self.own), "a flow of this shard");
        let flow = &mut self.entries[FlowId(flow_key & ((1 << BITS) - 1))];
        flow.away -= 1;
        flow.acked = flow.acked.max(then);
    }

    /// Position of the stored hop after `hops` hops.
    fn place(&self, flow_key: u32, hops: u8) -> (usize, usize) {
        let (shard, flow) = (flow_key >> BITS, flow_key & ((1 << BITS) - 1));
        debug_assert!(usize::from(hops) < self.most, "a flow beyond its hops");
        (shard as usize, flow as usize * self.most + usize::from(hops))
    }

    fn step(&self, flow_key: u32, hops: u8) -> Option<&Step> {
        let (shard, at) = self.place(flow_key, hops);
        self.steps[shard].get(at)
    }

    fn store(&mut self, flow_key: u32, hops: u8, step: Step) {
        let (shard, at) = self.place(flow_key, hops);
        let steps = &mut self.steps[shard];
        if steps.len() <= at {
            steps.resize((at / self.most + 1) * self.most, Step::NONE);
        }
        steps[at] = step;
    }

    /// Whether `transit` may join its NIC's send list now: one message per flow may.
    #[inline(never)]
    pub fn joins_send_list(
        &mut self,
        transit: TransitId,
        transits: &mut Slab<TransitId, Transit>,
    ) -> bool {
        let flow = &mut self.entries[FlowId(transits[transit].flow)];
        if !std::mem::replace(&mut flow.in_send_list, true) {
            return true;
        }
        match flow.last {
            NONE => flow.first = transit.0,
            last => transits[TransitId(last)].next = transit.0,
        }
        flow.last = transit.0;
        transits[transit].next = NONE;
        false
    }

    /// A message of this flow has been sent completely: returns the next one for the send list.
    #[inline(never)]
    pub fn next_message(
        &mut self,
        flow: u32,
        transits: &Slab<TransitId, Transit>,
    ) -> Option<TransitId> {
        let flow = &mut self.entries[FlowId(flow)];
        flow.messages -= 1;
        let first = flow.first;
        if first == NONE {
            flow.in_send_list = false;
            return None;
        }
        flow.first = transits[TransitId(first)].next;
        if flow.first == NONE {
            flow.last = NONE;
        }
        Some(TransitId(first))
    }

    /// The draw and marks of the next packet of `flow`. The lower half of its own draw is replaced
    /// by the flow's key.
    #[inline(never)]
    pub fn next_packet(&mut self, flow: u32, own: u64, now: Time) -> (u64, u8) {
        let (flow_key, leads) = self.add_packet(FlowId(flow), now);
        let marks = if leads { mark::ORDERED | mark::LEADS } else { mark::ORDERED };
        (own >> 32 << 32 | u64::from(flow_key), marks)
    }

    /// A packet of a flow will be acknowledged at `then`, to a sender of any shard.
    #[inline(never)]
    pub fn acknowledge_sender(&mut self, flow_key: u32, then: Time, mail: &mut Mailboxes) {
        match flow_key >> BITS {
            shard if shard == u32::from(self.own) => self.acknowledge(flow_key, then),
            shard => mail.send_flow_ack(shard as usize, flow_key, then),
        }
    }

    /// The hop that the previous packet of its flow took from the same link and channel.
    pub fn stored_step(&self, p: &Packet) -> Option<(Route, Hop)> {
        let flow_key = p.flow().filter(|_| p.marks & mark::LEADS == 0)?;
        if let Some(steps) = &self.steps_with_faults {
            let Hop { link, vc } = p.input_hop();
            return steps.get(&(flow_key, p.route.hops, link, vc)).copied();
        }
        let step =
            self.step(flow_key, p.route.hops).filter(|step| step.input_hop == p.input_hop())?;
        Some((step.route, step.output_hop))
    }

    /// `p` takes this hop. If it is ordered, it stores the hop for later packets. Where it deviates
    /// from a stored hop, it is the leader from here on.
    pub fn store_step(&mut self, p: &mut Packet, route: Route, output_hop: Hop) {
        let Some(flow_key) = p.flow() else { return };
        p.marks |= mark::LEADS;
        if let Some(steps) = &mut self.steps_with_faults {
            let Hop { link, vc } = p.input_hop();
            steps.insert((flow_key, p.route.hops, link, vc), (route, output_hop));
            return;
        }
        let (hops, step) = (p.route.hops, Step { input_hop: p.input_hop(), output_hop, route });
        self.store(flow_key, hops, step);
    }

    pub fn assert_idle(&self) {
        for &first in &self.chains {
            let mut at = first;
            while at != NONE {
                let Flow { dst, away, messages, in_send_list, next, .. } = self.entries[FlowId(at)];
                assert_eq!(
                    (away, messages, in_send_list),
                    (0, 0, false),
                    "a flow to {dst:?} is still active"
                );
                at = next;
            }
        }
    }

    pub fn held(&self) -> usize {
        let with_faults = self.steps_with_faults.as_ref().map_or(0, BTreeMap::len);
        with_faults * size_of::<((u32, u8, LinkId, u8), (Route, Hop))>()
            + self.chains.len() * size_of::<u32>()
            + self.entries.bytes()
            + self.steps.iter().map(|steps| steps.capacity() * size_of::<Step>()).sum::<usize>()
    }
}

/// Clears the hops of a flow.
fn clear_steps(flow_key: u32, steps: &mut StepsByInput) {
    let first = (flow_key, 0, LinkId(0), 0);
    while let Some((&key, _)) = steps.range(first..).next().filter(|(key, _)| key.0 == flow_key) {
        steps.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::draw;

    #[test]
    fn the_first_packet_of_an_idle_flow_leads() {
        let mut flows = Flows {
            is_enabled: true,
            own: 3,
            chains: Vec::new(),
            entries: Slab::with_capacity(0),
            steps: vec![Vec::new(); 4],
            most: 4,
            steps_with_faults: None,
        };
        // By sender, receiver and virtual network: packets in flight, and last known
        // acknowledgement.
        let mut naive: BTreeMap<(u32, u32, u8), (u32, Time)> = BTreeMap::new();
        let mut in_flight: Vec<(u32, (u32, u32, u8))> = Vec::new();
        let (mut leaders, mut now) = (0, Time(1));
        for step in 0..20_000u64 {
            let random = |about| draw(1, about, 0, step);
            now = Time(now.0 + random(0) % 30);
            if random(1) % 2 == 0 {
                let key =
                    ((random(2) % 2) as u32, (random(3) % 40) as u32 * 8, (random(4) % 2) as u8);
                let id = flows.open((NicId(key.0), NicId(key.1)), key.2, now, 2);
                let (flow_key, leads) = flows.add_packet(id, now);
                flows.entries[id].messages -= 1;
                let (away, acked) = naive.entry(key).or_insert((0, Time(0)));
                assert_eq!(leads, *away == 0 && *acked <= now, "step {step}: {key:?}");
                assert_eq!(flow_key >> BITS, 3);
                *away += 1;
                leaders += u32::from(leads);
                in_flight.push((flow_key, key));
            } else if !in_flight.is_empty() {
                let nth = random(5) as usize % in_flight.len();
                let (flow_key, key) = in_flight.swap_remove(nth);
                let then = Time(now.0 + random(6) % 100);
                flows.acknowledge(flow_key, then);
                let (away, acked) = naive.get_mut(&key).expect("it was sent");
                (*away, *acked) = (*away - 1, then.max(*acked));
            }
            // Flows in flight have distinct keys.
            let flow_keys: BTreeMap<_, _> = in_flight.iter().copied().collect();
            let keys: BTreeMap<_, _> =
                in_flight.iter().map(|&(flow_key, key)| (key, flow_key)).collect();
            assert_eq!(flow_keys.len(), keys.len(), "step {step}");
        }
        assert!((1_000..9_000).contains(&leaders), "{leaders} leaders");
        // Idle flows are removed: of 160 flows only the active ones are left.
        in_flight.iter().for_each(|&(flow_key, _)| flows.acknowledge(flow_key, now));
        for (nic, far) in (0..2).flat_map(|nic| (0..40).map(move |far| (nic, far * 8))) {
            flows.open((NicId(nic), NicId(far)), 0, Time(now.0 + 100), 2);
        }
        assert_eq!(flows.entries.live(), 80);
    }
}
