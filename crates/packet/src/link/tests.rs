//! Tests of links.

use std::collections::VecDeque;

use super::*;
use crate::packet::ArrivalId;
use base::draw;
use machine::{MachineSpec, NicId, Route, SwitchId, preset};

const EMPTY_PACKET: Packet = Packet {
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
    input_type: 0,
    input_vc: 0,
    vnet: 0,
    marks: 0,
};

/// Arbitration against a direct implementation of its definition. Round robin picks the VOQ
/// that has waited longest since it was served, age the VOQ with the oldest first packet. Ties
/// go to the earlier VOQ.
#[test]
fn arbitration_follows_its_policy() {
    let (seed, link) = (8, LinkId(3_000));
    for rule in ["round-robin", "age"] {
        let text = preset("dragonfly-1056").expect("a preset");
        let set = [("switch.arbitration".into(), rule.into())];
        let spec = MachineSpec::parse("it", text, &set).expect("legal");
        let machine = spec.resolve().expect("sound");
        let (mut links, mut packets) = (Links::new(&machine, None), Packets::with_capacity(0));
        assert!(!links.channels.is_edge(link), "between switches");
        let by_age = machine.arbitration == Arbitration::Age;
        // By channel: VOQs in order of their wait, with its start and their packets.
        let mut model: [Vec<(u64, u32, VecDeque<PacketId>)>; 2] = Default::default();
        let mut served = 0;
        for step in 0..6_000 {
            let random = draw(seed, 0, 0, step);
            if (random >> 8) % 100 < if step / 500 % 2 == 0 { 70 } else { 30 } {
                let (vc, input) = ((random % 2) as u8, (random >> 32 & 7) as u32);
                let born = Time(random >> 40 & 63);
                let p = Packet { input: LinkId(input), born, ..EMPTY_PACKET };
                let packet = packets.insert(p);
                links.enqueue(packet, Hop { link, vc }, &mut packets);
                let voqs = &mut model[usize::from(vc)];
                match voqs.iter_mut().find(|voq| voq.1 == input) {
                    Some(voq) => voq.2.push_back(packet),
                    None => voqs.push((step, input, [packet].into())),
                }
                continue;
            }
            let born = |id: PacketId| packets[id].born.0;
            let key = |voq: &(u64, u32, VecDeque<PacketId>)| {
                if by_age { born(voq.2[0]) } else { voq.0 }
            };
            let all = (0..2).flat_map(|vc| (0..model[vc].len()).map(move |nth| (vc, nth)));
            let first = all.min_by_key(|&(vc, nth)| key(&model[vc][nth]));
            let waited_for = links.port(link).waited_for;
            let chosen = links.choose(link, waited_for, Time::ZERO);
            assert_eq!(chosen, first.map(|(vc, _)| vc as u8), "{rule}, seed {seed}, {step}");
            let Some((vc, nth)) = first else { continue };
            let (_, input, mut waiting) = model[vc].remove(nth);
            assert_eq!(Some(links.dequeue(link, vc as u8, &packets)), waiting.pop_front());
            if !waiting.is_empty() {
                model[vc].push((step, input, waiting));
            }
            served += 1;
        }
        assert!(served > 2_000, "{served}");
    }
}
