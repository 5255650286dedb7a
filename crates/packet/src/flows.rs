//! Flows: packets in order that must not overtake each other. All of a flow that is under way goes
//! one way. docs/models/routing.md has the rule and where it is from.
//!
//! Knows which flows a NIC has, and the steps that each has taken. Refuses to know how a step is
//! chosen.
//!
//! The one idea: the first packet of a flow that has nothing under way leads. It is routed like any
//! other, and every switch it passes keeps its step. The packets behind it come to that switch by
//! the same link and channel, and take the same step.

use base::{Slab, Time};
use machine::{Hop, LinkId, Machine, NicId, Route};
use net::{Cx, Message, Partition};

use crate::{NONE, Packet, PacketId, PacketNetwork, TransitId, mark};

base::ids! {
    /// A flow that is or was just now under way, with its sender.
    FlowId,
}

/// Chains that the flows of a NIC are divided into.
const CHAINS: u32 = 16;

/// Bits of a flow's name that are its number with its sender; above them is the sender's shard.
const BITS: u32 = 26;

/// A flow as its sender knows it. It has messages or packets under way or is forgotten, at the
/// latest when its chain is looked through again.
#[derive(Clone, Copy, Debug)]
struct Flow {
    dst: NicId,
    vnet: u8,
    /// Messages not all sent. One of them is in the NIC's round, if any is ready to be.
    messages: u32,
    in_round: bool,
    /// Those that wait for it, in turn.
    first: u32,
    last: u32,
    /// Packets of which it is not known when they will have been acknowledged.
    away: u32,
    /// When the last of the others will have been.
    acked: Time,
    /// After it in its chain.
    next: u32,
}

impl Flow {
    /// Nothing of it is under way.
    fn is_over(&self, now: Time) -> bool {
        self.away == 0 && self.acked <= now
    }
}

/// What a switch keeps of a flow: how it came, and where it went.
#[derive(Clone, Copy, Debug)]
struct Step {
    came: Hop,
    went: Hop,
    route: Route,
}

impl Step {
    const NONE: Step = {
        let nowhere = Hop { link: LinkId(NONE), vc: 0 };
        let route = Route { via: 0, class: 0, decided: false, passed: false, hops: 0 };
        Step { came: nowhere, went: nowhere, route }
    };
}

pub(crate) struct Flows {
    /// Switches keep flows.
    pub are_kept: bool,
    own: u8,
    /// By NIC and chain, its first flow. Nothing while nobody sends in order.
    chains: Vec<u32>,
    of: Slab<FlowId, Flow>,
    /// By the sender's shard, flow and hop. What a shard has of them are steps at its own switches.
    steps: Vec<Vec<Step>>,
    /// Most steps of a way.
    most: usize,
    /// A packet may be lost: what a flow that is over has left must not be found.
    sweeps: bool,
}

impl Flows {
    pub fn new(machine: &Machine, part: Option<(&Partition, u8)>) -> Flows {
        Flows {
            are_kept: machine.keeps_flows,
            own: part.map_or(0, |(_, own)| own),
            chains: Vec::new(),
            of: Slab::with_capacity(0),
            steps: vec![Vec::new(); part.map_or(1, |(partition, _)| partition.shards)],
            // The last is out of the network.
            most: machine.max_hops() as usize + 1,
            sweeps: machine.faults.is_some(),
        }
    }

    /// The flow from `src` to `dst`, of one message more.
    pub fn open(&mut self, (src, dst): (NicId, NicId), vnet: u8, now: Time, nics: usize) -> FlowId {
        if self.chains.is_empty() {
            self.chains = vec![NONE; nics * CHAINS as usize];
        }
        // Receivers at equal distances from each other fall into different chains.
        let chain = dst.0.wrapping_mul(0x9E37_79B9) >> (32 - CHAINS.ilog2());
        let head = (src.0 * CHAINS + chain) as usize;
        let (mut before, mut at, mut found) = (NONE, self.chains[head], NONE);
        while at != NONE {
            let flow = self.of[FlowId(at)];
            if (flow.dst, flow.vnet) == (dst, vnet) {
                found = at;
            } else if flow.messages == 0 && flow.is_over(now) {
                self.of.free(FlowId(at));
                match before {
                    NONE => self.chains[head] = flow.next,
                    before => self.of[FlowId(before)].next = flow.next,
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
            let (messages, in_round, away) = (0, false, 0);
            let new = Flow { dst, vnet, messages, in_round, first, last, away, acked, next };
            found = self.of.insert(new).0;
            self.chains[head] = found;
            assert!(found >> BITS == 0, "2^26 flows of one shard or more");
        }
        self.of[FlowId(found)].messages += 1;
        FlowId(found)
    }

    /// One packet more of `flow` is sent: the name that it goes by, and whether it leads.
    fn join(&mut self, id: FlowId, now: Time) -> (u32, bool) {
        let flow = &mut self.of[id];
        let leads = flow.is_over(now);
        flow.away += 1;
        if leads && self.sweeps {
            self.sweep(id.0);
        }
        (id.0 | u32::from(self.own) << BITS, leads)
    }

    /// A packet will have been acknowledged `then`, or is known to be lost.
    pub fn hear(&mut self, name: u32, then: Time) {
        debug_assert_eq!(name >> BITS, u32::from(self.own), "of a NIC here");
        let flow = &mut self.of[FlowId(name & ((1 << BITS) - 1))];
        flow.away -= 1;
        flow.acked = flow.acked.max(then);
    }

    /// Where the step after so many hops lies.
    fn place(&self, name: u32, hops: u8) -> (usize, usize) {
        let (shard, flow) = (name >> BITS, name & ((1 << BITS) - 1));
        debug_assert!(usize::from(hops) < self.most, "a flow beyond its hops");
        (shard as usize, flow as usize * self.most + usize::from(hops))
    }

    fn step(&self, name: u32, hops: u8) -> Option<&Step> {
        let (shard, at) = self.place(name, hops);
        self.steps[shard].get(at)
    }

    fn keep(&mut self, name: u32, hops: u8, step: Step) {
        let (shard, at) = self.place(name, hops);
        let steps = &mut self.steps[shard];
        if steps.len() <= at {
            steps.resize((at / self.most + 1) * self.most, Step::NONE);
        }
        steps[at] = step;
    }

    fn sweep(&mut self, flow: u32) {
        let first = flow as usize * self.most;
        let steps = &mut self.steps[usize::from(self.own)];
        steps.iter_mut().skip(first).take(self.most).for_each(|step| *step = Step::NONE);
    }

    pub fn check_quiet(&self) {
        for &first in &self.chains {
            let mut at = first;
            while at != NONE {
                let Flow { dst, away, messages, in_round, next, .. } = self.of[FlowId(at)];
                assert_eq!((away, messages, in_round), (0, 0, false), "a flow to {dst:?} goes on");
                at = next;
            }
        }
    }

    pub fn held(&self) -> usize {
        self.chains.len() * size_of::<u32>()
            + self.of.bytes()
            + self.steps.iter().map(|steps| steps.capacity() * size_of::<Step>()).sum::<usize>()
    }
}

impl Packet {
    /// The flow it is of, if it is of any.
    #[inline]
    pub fn flow(&self) -> Option<u32> {
        (self.marks & mark::ORDERED != 0).then_some(self.draw as u32)
    }

    /// What its way is drawn from.
    #[inline]
    pub fn routing_draw(&self) -> u64 {
        match self.flow() {
            None => self.draw,
            Some(_) => Message::draw_in_order(self.draw),
        }
    }
}

impl PacketNetwork {
    /// Whether `transit` may stand in its NIC's round now: of the messages of a flow one does.
    #[inline(never)]
    pub(crate) fn is_next_of_flow(&mut self, transit: TransitId) -> bool {
        let flow = &mut self.flows.of[FlowId(self.transits[transit].flow)];
        if !std::mem::replace(&mut flow.in_round, true) {
            return true;
        }
        match flow.last {
            NONE => flow.first = transit.0,
            last => self.transits[TransitId(last)].next = transit.0,
        }
        flow.last = transit.0;
        self.transits[transit].next = NONE;
        false
    }

    /// All of a message of this flow has been sent: the one that takes its place in the round.
    #[inline(never)]
    pub(crate) fn after_in_flow(&mut self, flow: u32) -> Option<TransitId> {
        let flow = &mut self.flows.of[FlowId(flow)];
        flow.messages -= 1;
        let first = flow.first;
        if first == NONE {
            flow.in_round = false;
            return None;
        }
        flow.first = self.transits[TransitId(first)].next;
        if flow.first == NONE {
            flow.last = NONE;
        }
        Some(TransitId(first))
    }

    /// The draw and the marks of the next packet of `flow`, whose own draw this is: its lower half
    /// gives way to the flow's name.
    #[inline(never)]
    pub(crate) fn join_flow(&mut self, flow: u32, own: u64, now: Time) -> (u64, u8) {
        let (name, leads) = self.flows.join(FlowId(flow), now);
        let marks = if leads { mark::ORDERED | mark::LEADS } else { mark::ORDERED };
        (own >> 32 << 32 | u64::from(name), marks)
    }

    /// A packet of a flow will have been acknowledged `then`.
    #[inline(never)]
    pub(crate) fn hear_of_flow(&mut self, name: u32, then: Time) {
        match name >> BITS {
            shard if shard == u32::from(self.own) => self.flows.hear(name, then),
            shard => self.mail_flow(shard as usize, name, then),
        }
    }

    /// The step that the packet before this one of its flow took from the same link and channel.
    pub(crate) fn step_before(&self, packet: PacketId) -> Option<(Route, Hop)> {
        let p = &self.packets[packet];
        let name = p.flow().filter(|_| p.marks & mark::LEADS == 0)?;
        let step = self.flows.step(name, p.route.hops).filter(|step| step.came == p.came())?;
        Some((step.route, step.went))
    }

    /// `packet` is about to take this step. If it is in order, so will those behind it; where they
    /// would have gone otherwise, it leads from here on.
    pub(crate) fn keep_step(&mut self, packet: PacketId, route: Route, went: Hop) {
        let p = &mut self.packets[packet];
        let Some(name) = p.flow() else { return };
        p.marks |= mark::LEADS;
        let (hops, step) = (p.route.hops, Step { came: p.came(), went, route });
        self.flows.keep(name, hops, step);
    }

    /// The head of `packet`, which is in order, stands at a switch.
    #[inline(never)]
    pub(crate) fn arrive_in_order(&mut self, packet: PacketId, cx: &mut Cx<'_>) {
        let (route, hop) = match self.step_before(packet) {
            Some(step) => step,
            None => {
                let leads = self.packets[packet].marks & mark::LEADS != 0;
                assert!(leads, "a packet in order where none of its flow has passed");
                let p = &self.packets[packet];
                let (route, hop) = self.decide(p, p.routing_draw(), cx);
                self.keep_step(packet, route, hop);
                (route, hop)
            }
        };
        self.request(packet, route, self.on(self.packets[packet].vnet, hop), cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::draw;
    use std::collections::BTreeMap;

    #[test]
    fn the_first_packet_of_an_idle_flow_leads() {
        let mut flows = Flows {
            are_kept: true,
            own: 3,
            chains: Vec::new(),
            of: Slab::with_capacity(0),
            steps: vec![Vec::new(); 4],
            most: 4,
            sweeps: false,
        };
        // By sender, receiver and network: packets away, and when the others will be acknowledged.
        let mut naive: BTreeMap<(u32, u32, u8), (u32, Time)> = BTreeMap::new();
        let mut under_way: Vec<(u32, (u32, u32, u8))> = Vec::new();
        let (mut leaders, mut now) = (0, Time(1));
        for step in 0..20_000u64 {
            let routing_draw = |about| draw(1, about, 0, step);
            now = Time(now.0 + routing_draw(0) % 30);
            if routing_draw(1) % 2 == 0 {
                let key = (
                    (routing_draw(2) % 2) as u32,
                    (routing_draw(3) % 40) as u32 * 8,
                    (routing_draw(4) % 2) as u8,
                );
                let id = flows.open((NicId(key.0), NicId(key.1)), key.2, now, 2);
                let (name, leads) = flows.join(id, now);
                flows.of[id].messages -= 1;
                let (away, acked) = naive.entry(key).or_insert((0, Time(0)));
                assert_eq!(leads, *away == 0 && *acked <= now, "step {step}: {key:?}");
                assert_eq!(name >> BITS, 3);
                *away += 1;
                leaders += u32::from(leads);
                under_way.push((name, key));
            } else if !under_way.is_empty() {
                let nth = routing_draw(5) as usize % under_way.len();
                let (name, key) = under_way.swap_remove(nth);
                let then = Time(now.0 + routing_draw(6) % 100);
                flows.hear(name, then);
                let (away, acked) = naive.get_mut(&key).expect("it was sent");
                (*away, *acked) = (*away - 1, then.max(*acked));
            }
            // Two flows under way never have one name.
            let names: BTreeMap<_, _> = under_way.iter().copied().collect();
            let keys: BTreeMap<_, _> = under_way.iter().map(|&(name, key)| (key, name)).collect();
            assert_eq!(names.len(), keys.len(), "step {step}");
        }
        assert!((1_000..9_000).contains(&leaders), "{leaders} leaders");
        // What is over is forgotten: of 160 flows there are only those left that go on.
        under_way.iter().for_each(|&(name, _)| flows.hear(name, now));
        for (nic, far) in (0..2).flat_map(|nic| (0..40).map(move |far| (nic, far * 8))) {
            flows.open((NicId(nic), NicId(far)), 0, Time(now.0 + 100), 2);
        }
        assert_eq!(flows.of.live(), 80);
    }
}
