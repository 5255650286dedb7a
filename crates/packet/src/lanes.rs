//! Who waits for a virtual channel, and whose turn it is.
//!
//! A link of a full machine may have many lanes at a channel, and whoever begins to wait or has had
//! its turn looks through them. So those of a channel lie side by side: chained, each would be a
//! read that waits for the one before.

use base::{Time, grow, prefetch_all_at, resident_bytes, with_capacity};
use machine::{Arbitration, Hop, LinkId};

use crate::link::ones;
use crate::{NONE, Packet, PacketId, PacketNetwork};

/// Packets that came in by one link and wait for one virtual channel of another, first in, first
/// out. It exists only while somebody waits: one for every pair of ports would be 41 million on
/// Aurora, and few are ever in use.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub(crate) struct Lane {
    /// Of a link's lanes that with the least goes first, of channels that have room for it.
    pub turn: u64,
    pub input: LinkId,
    pub head: PacketId,
    pub tail: PacketId,
    /// Wire bytes of the head.
    pub bytes: u16,
}
const _: () = assert!(size_of::<Lane>() == 32);

/// The lanes of a channel: where the first lies, how many there are, and the binary logarithm of
/// how many there is room for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Round {
    at: u32,
    len: u16,
    room: u8,
}

impl Round {
    pub const EMPTY: Round = Round { at: NONE, len: 0, room: 0 };

    /// How many lanes there are.
    pub fn len(self) -> usize {
        self.len.into()
    }

    /// Where they lie.
    #[inline]
    fn range(self) -> std::ops::Range<usize> {
        self.at as usize..self.at as usize + self.len()
    }
}

/// A round that is not empty has room for two lanes at least.
const LEAST: u8 = 1;
/// None has room for more than 2^16: no switch has as many ports (`Count` of ports in
/// `crates/machine/src/schema.rs`).
const ROOMS: usize = 17;

/// The lanes of all channels, those of each in the order of their turns.
#[derive(Debug)]
pub(crate) struct Lanes {
    rows: Vec<Lane>,
    /// The first free stretch of each room; the head of its first lane names the next.
    free: [u32; ROOMS],
}

impl Lanes {
    pub fn with_capacity(n: usize) -> Lanes {
        Lanes { rows: with_capacity(n), free: [NONE; ROOMS] }
    }

    /// The lanes of a channel.
    #[inline]
    pub fn of(&self, round: Round) -> &[Lane] {
        &self.rows[round.range()]
    }

    /// The lane whose turn it is in a round that is not empty.
    #[inline]
    pub fn first(&self, round: Round) -> &Lane {
        &self.rows[round.at as usize]
    }

    /// Bytes held, in use now or not.
    pub fn bytes(&self) -> usize {
        resident_bytes(&self.rows)
    }

    /// Has the processor fetch the first lane of a round.
    #[inline]
    pub fn prefetch(&self, round: Round) {
        prefetch_all_at(&self.rows, round.at as usize);
    }

    /// `lane` joins `round`. Of two with the same turn who joined first goes first.
    fn add(&mut self, round: &mut Round, lane: Lane) {
        if round.len == 0 {
            *round = self.stretch(LEAST);
        } else if usize::from(round.len) == 1 << round.room {
            self.move_out(round);
        }
        round.len += 1;
        let lanes = &mut self.rows[round.range()];
        let mut at = lanes.len() - 1;
        while at > 0 && lanes[at - 1].turn > lane.turn {
            lanes[at] = lanes[at - 1];
            at -= 1;
        }
        lanes[at] = lane;
    }

    /// The first lane of `round` has had its turn, and becomes `lane`.
    #[inline]
    fn renew(&mut self, round: Round, lane: Lane) {
        let lanes = &mut self.rows[round.range()];
        let mut at = 0;
        while let Some(&next) = lanes.get(at + 1)
            && next.turn <= lane.turn
        {
            lanes[at] = next;
            at += 1;
        }
        lanes[at] = lane;
    }

    /// The first lane of `round` is empty.
    fn remove(&mut self, round: &mut Round) {
        if round.len == 1 {
            self.give_back(*round);
            *round = Round::EMPTY;
            return;
        }
        self.rows.copy_within(round.range().start + 1..round.range().end, round.range().start);
        round.len -= 1;
    }

    /// Room for 2^`room` lanes.
    fn stretch(&mut self, room: u8) -> Round {
        let first = &mut self.free[usize::from(room)];
        let mut at = *first;
        if at == NONE {
            at = u32::try_from(self.rows.len()).expect("fewer than 2^32 lanes");
            let none = PacketId(NONE);
            let empty = Lane { turn: 0, input: LinkId(NONE), head: none, tail: none, bytes: 0 };
            for _ in 0..1u32 << room {
                grow(&mut self.rows);
                self.rows.push(empty);
            }
        } else {
            *first = self.rows[at as usize].head.0;
        }
        Round { at, len: 0, room }
    }

    /// A full round moves to where it has twice the room.
    #[cold]
    fn move_out(&mut self, round: &mut Round) {
        let wide = Round { len: round.len, ..self.stretch(round.room + 1) };
        self.rows.copy_within(round.range(), wide.at as usize);
        self.give_back(*round);
        *round = wide;
    }

    fn give_back(&mut self, round: Round) {
        let first = std::mem::replace(&mut self.free[usize::from(round.room)], round.at);
        self.rows[round.at as usize].head = PacketId(first);
    }
}

impl PacketNetwork {
    /// The turn of a lane that begins to wait with a packet as old as that, or again: by age its
    /// birth, otherwise the next.
    #[inline]
    fn next_turn(&mut self, born: Time) -> u64 {
        match self.arbitration {
            Arbitration::Age => born.0,
            Arbitration::RoundRobin => {
                self.turns += 1;
                self.turns
            }
        }
    }

    /// Adds `packet` to its lane, and the lane to the round if it is new there.
    pub(crate) fn join(&mut self, packet: PacketId, hop: Hop) {
        let at = self.channel(hop.link, hop.vc);
        let p = &mut self.packets[packet];
        p.next = NONE;
        let Packet { input, born, bytes, .. } = *p;
        // Where nobody waits there are no lanes: a processor waits for what it reads of a channel.
        let waited_for = &mut self.wires[hop.link].waited_for;
        let mut round = Round::EMPTY;
        if *waited_for & (1 << hop.vc) != 0 {
            round = self.channels[at].round;
            let lanes = &mut self.lanes.rows[round.range()];
            if let Some(lane) = lanes.iter_mut().find(|lane| lane.input == input) {
                let tail = std::mem::replace(&mut lane.tail, packet);
                self.packets[tail].next = packet.0;
                return;
            }
        }
        *waited_for |= 1 << hop.vc;
        let turn = self.next_turn(born);
        self.lanes.add(&mut round, Lane { turn, input, head: packet, tail: packet, bytes });
        self.channels[at].round = round;
    }

    /// The channel of `link`, of these, whose turn it is: that of its first lane is the least. A
    /// channel whose first lane lacks room is passed over whole, so a large packet is never starved
    /// by small ones.
    #[inline(always)]
    pub(crate) fn choose(&mut self, link: LinkId, channels: u32, now: Time) -> Option<u8> {
        let mut best: Option<(u64, u8)> = None;
        for vc in ones(channels) {
            let round = self.channels[self.channel(link, vc)].round;
            let Lane { turn, bytes, .. } = *self.lanes.first(round);
            if best.is_none_or(|(least, _)| turn < least)
                && self.has_room(Hop { link, vc }, bytes, now)
            {
                best = Some((turn, vc));
            }
        }
        best.map(|(_, vc)| vc)
    }

    /// Takes out the packet whose turn it is at a channel that is waited for; its lane waits for
    /// another turn, or is no more.
    pub(crate) fn leave(&mut self, link: LinkId, vc: u8) -> PacketId {
        let at = self.channel(link, vc);
        let round = self.channels[at].round;
        let lane = *self.lanes.first(round);
        if lane.head == lane.tail {
            self.lanes.remove(&mut self.channels[at].round);
            if round.len == 1 {
                self.wires[link].waited_for &= !(1 << vc);
            }
        } else {
            let head = PacketId(self.packets[lane.head].next);
            let Packet { born, bytes, .. } = self.packets[head];
            let turn = self.next_turn(born);
            self.lanes.renew(round, Lane { turn, head, bytes, ..lane });
        }
        lane.head
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::ArrivalId;
    use base::draw;
    use machine::{MachineSpec, NicId, Route, SwitchId, preset};
    use net::NetworkModel;

    const NOBODY: Packet = Packet {
        tail: Time::ZERO,
        born: Time::ZERO,
        draw: 0,
        route: Route { class: 0, hops: 0, via: 0, passed: false, decided: false },
        arrival: ArrivalId(NONE),
        dst: NicId(0),
        bytes: 90,
        traveled: 0,
        input: LinkId(NONE),
        next: NONE,
        at: SwitchId(NONE),
        cells: 0,
        input_class: 0,
        input_vc: 0,
        vnet: 0,
        marks: 0,
    };

    fn lane(turn: u64, input: u32) -> Lane {
        let packet = PacketId(input);
        Lane { turn, input: LinkId(input), head: packet, tail: packet, bytes: 64 }
    }

    /// Who waits is served as by the rule's own words: by rounds the lane that has waited longest
    /// for a turn, by age the lane whose first packet is the oldest, and of equals who came first.
    #[test]
    fn arbitration_follows_its_policy() {
        let (seed, link) = (8, LinkId(3_000));
        for rule in ["round-robin", "age"] {
            let text = preset("dragonfly-1056").expect("a preset");
            let set = [("switch.arbitration".into(), rule.into())];
            let spec = MachineSpec::parse("it", text, &set).expect("legal");
            let machine = spec.resolve().expect("sound");
            let mut net = PacketNetwork::build(&machine);
            assert!(!net.is_edge(link), "between switches");
            let by_age = machine.arbitration == Arbitration::Age;
            // By channel: lanes in the order in which they began to wait for a turn, with when
            // that was, and their packets.
            let mut model: [Vec<(u64, u32, VecDeque<PacketId>)>; 2] = Default::default();
            let mut served = 0;
            for step in 0..6_000 {
                let luck = draw(seed, 0, 0, step);
                if (luck >> 8) % 100 < if step / 500 % 2 == 0 { 70 } else { 30 } {
                    let (vc, input) = ((luck % 2) as u8, (luck >> 32 & 7) as u32);
                    let born = Time(luck >> 40 & 63);
                    let p = Packet { input: LinkId(input), born, ..NOBODY };
                    let packet = net.packets.insert(p);
                    net.join(packet, Hop { link, vc });
                    let lanes = &mut model[usize::from(vc)];
                    match lanes.iter_mut().find(|lane| lane.1 == input) {
                        Some(lane) => lane.2.push_back(packet),
                        None => lanes.push((step, input, [packet].into())),
                    }
                    continue;
                }
                let born = |id: PacketId| net.packets[id].born.0;
                let key = |lane: &(u64, u32, VecDeque<PacketId>)| {
                    if by_age { born(lane.2[0]) } else { lane.0 }
                };
                let all = (0..2).flat_map(|vc| (0..model[vc].len()).map(move |nth| (vc, nth)));
                let first = all.min_by_key(|&(vc, nth)| key(&model[vc][nth]));
                let waited_for = net.wires[link].waited_for;
                let chosen = net.choose(link, waited_for, Time::ZERO);
                assert_eq!(chosen, first.map(|(vc, _)| vc as u8), "{rule}, seed {seed}, {step}");
                let Some((vc, nth)) = first else { continue };
                let (_, input, mut packets) = model[vc].remove(nth);
                assert_eq!(Some(net.leave(link, vc as u8)), packets.pop_front());
                if !packets.is_empty() {
                    model[vc].push((step, input, packets));
                }
                served += 1;
            }
            assert!(served > 2_000, "{served}");
        }
    }

    /// Rounds that grow and shrink side by side are lists, each in the order of turns, and of those
    /// with the same turn who came first goes first.
    #[test]
    fn queues_stay_sorted() {
        let seed = 20;
        let mut lanes = Lanes::with_capacity(4);
        let mut rounds = [Round::EMPTY; 5];
        let mut lists: [Vec<Lane>; 5] = Default::default();
        let place = |list: &[Lane], lane: &Lane| list.partition_point(|l| l.turn <= lane.turn);
        for step in 0..20_000 {
            let luck = draw(seed, 0, 0, step);
            let at = (luck % 5) as usize;
            let (round, list) = (&mut rounds[at], &mut lists[at]);
            // Few turns, so that many are alike; longer and shorter by turns.
            let new = lane(luck >> 40 & 15, step as u32);
            let grows = (step / 1_000) % 2 == 0;
            match luck >> 32 & 3 {
                0 if !list.is_empty() => {
                    list.remove(0);
                    lanes.remove(round);
                }
                1 if !list.is_empty() => {
                    list.remove(0);
                    list.insert(place(list, &new), new);
                    lanes.renew(*round, new);
                }
                2 if !grows && !list.is_empty() => {
                    list.remove(0);
                    lanes.remove(round);
                }
                _ if grows || list.is_empty() => {
                    list.insert(place(list, &new), new);
                    lanes.add(round, new);
                }
                _ => continue,
            }
            if let Some(first) = list.first() {
                assert_eq!(lanes.first(rounds[at]), first, "seed {seed}, step {step}");
            }
            for (round, list) in rounds.iter().zip(&lists).filter(|(_, list)| !list.is_empty()) {
                assert_eq!(lanes.of(*round), &list[..], "seed {seed}, step {step}");
            }
        }
        assert!(lists.iter().all(|list| list.len() < 600), "they shrink too");
    }

    /// Who comes and goes takes up what others left.
    #[test]
    fn freed_storage_is_reused() {
        let mut lanes = Lanes::with_capacity(0);
        let fill = |lanes: &mut Lanes| {
            let mut round = Round::EMPTY;
            (0..100).for_each(|nth| lanes.add(&mut round, lane(nth, nth as u32)));
            (0..100).for_each(|_| lanes.remove(&mut round));
            assert_eq!(round, Round::EMPTY);
        };
        fill(&mut lanes);
        let rows = lanes.rows.len();
        assert_eq!(rows, 2 + 4 + 8 + 16 + 32 + 64 + 128);
        (0..10).for_each(|_| fill(&mut lanes));
        assert_eq!(lanes.rows.len(), rows);
    }
}
