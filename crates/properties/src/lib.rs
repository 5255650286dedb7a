//! What must be true across rooms: agreement of fidelities, conservation, bounds from theory.
//!
//! The laws are the tests in `tests/`. Here is what they share: machines, messages, traffic, and
//! `run`, which balances the books of whatever it runs. Nothing else names this crate.

use base::{Digest, IndexVec, Span, Time, below, draw};
use des::{Phase, Queue};
use machine::{LinkId, Machine, MachineSpec, NicId};
use net::{
    Completion, Counters, Cx, Event, FAILED, Failure, Message, MsgId, NetworkModel, NicCounters,
    Origin,
};
use packet::PacketNetwork;
use sim::api::Fidelity;
use sim::traffic::{Finish, LoadOutcome, TrafficRequest, TrafficSetting, one_load_at};

/// A number that whoever runs random tests may set in the environment: how many, or which.
pub fn asked(name: &str) -> Option<u64> {
    let set = std::env::var(name).ok()?;
    Some(set.parse().unwrap_or_else(|_| panic!("{name}={set} is no number")))
}

/// A preset with some keys set otherwise.
pub fn preset(name: &str, set: &[(&str, &str)]) -> Machine {
    let text = machine::preset(name).unwrap_or_else(|| panic!("no preset {name}"));
    let keys: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    MachineSpec::parse(name, text, &keys)
        .and_then(|spec| spec.resolve())
        .unwrap_or_else(|input_errors| panic!("{name} with {set:?}: {input_errors:?}"))
}

/// `dragonfly-1056` with some keys set otherwise, and the virtual networks of these classes.
pub fn with_classes(set: &[(&str, &str)], classes: &[&str]) -> (Machine, Vec<u8>) {
    let mut machine = preset("dragonfly-1056", set);
    let vnets = use_classes(&mut machine, classes);
    (machine, vnets)
}

/// The virtual networks that these classes get on a machine.
pub fn use_classes(machine: &mut Machine, classes: &[&str]) -> Vec<u8> {
    let find = |&word: &&str| machine.classes.find("class", Some(word)).expect("a known class");
    let found: Vec<usize> = classes.iter().map(find).collect();
    machine.use_classes(&found).unwrap_or_else(|input_error| panic!("{input_error}"));
    found.iter().filter_map(|&class| machine.classes.vnet(class)).collect()
}

/// What docs/models/classes.md entitles classes to that want so much: first what they are assured,
/// then what is left in equal turns, by priority and up to their ceilings.
pub fn entitled(machine: &Machine, demands: &[f64], at_nic: bool) -> Vec<f64> {
    let classes: Vec<_> = machine.classes.sharing().collect();
    let assured = |i: usize| if at_nic { classes[i].nic_assured } else { classes[i].assured };
    let most = |i: usize| demands[i].min(f64::from(classes[i].ceiling) / 100.0);
    let mut got: Vec<f64> =
        (0..demands.len()).map(|i| most(i).min(f64::from(assured(i)) / 100.0)).collect();
    for priority in (0..=7).rev() {
        loop {
            let left = 1.0 - got.iter().sum::<f64>();
            let short = |&i: &usize| classes[i].priority == priority && most(i) - got[i] > 1e-9;
            let open: Vec<usize> = (0..demands.len()).filter(short).collect();
            if left < 1e-9 || open.is_empty() {
                break;
            }
            let turn = open.iter().map(|&i| most(i) - got[i]).fold(1.0, f64::min);
            let turn = turn.min(left / open.len() as f64);
            open.iter().for_each(|&i| got[i] += turn);
        }
    }
    got
}

/// The balanced dragonfly one size down from `dragonfly-1056`, with some keys set otherwise: p = 2,
/// a = 4, h = 2, g = 9.
pub fn small(set: &[(&str, &str)]) -> Machine {
    let nine_groups = [
        ("groups.compute.count", "9"),
        ("groups.compute.switches", "4"),
        ("groups.compute.global_ports", "2"),
        ("groups.compute.nodes", "8"),
    ];
    preset("dragonfly-1056", &[&nine_groups, set].concat())
}

/// Keys that give every port this buffer.
pub fn buffers(size: &str) -> [(&str, &str); 3] {
    ["links.edge.buffer", "links.local.buffer", "links.global.buffer"].map(|key| (key, size))
}

/// A host's message between two NICs, told of where it arrives.
pub fn message(src: u32, dst: u32, bytes: u64, draw: u64) -> Message {
    let (src, dst, origin, completion) = (NicId(src), NicId(dst), Origin::Host, Completion::Target);
    let (in_order, handling) = (false, Span::ZERO);
    Message { src, dst, bytes, origin, vnet: 0, completion, draw, in_order, handling }
}

/// Random messages of all sizes up to `most` bytes, `count` of them at times up to `within`. Three
/// in four go to `hot` NICs, so that they meet; if that is 0 all go to anybody.
pub fn storm(
    machine: &Machine,
    seed: u64,
    count: u64,
    within: Span,
    most: u32,
    hot: u32,
) -> Vec<(Time, Message)> {
    let n = machine.n_nics();
    let mut at: Vec<u64> = (0..count).map(|i| draw(seed, 1, 0, i) % (within.0 + 1)).collect();
    at.sort_unstable();
    let one = |(at, i)| {
        let pick = |stream, n| below(draw(seed, stream, 0, i), n);
        let meets = hot > 0 && pick(2, 4) > 0;
        let dst = if meets { pick(3, hot) * (n / hot) } else { pick(3, n) };
        let src = (dst + 1 + pick(4, n - 1)) % n;
        let bytes = u64::from(pick(5, most) >> pick(6, 16));
        (Time(at), message(src, dst, bytes, draw(seed, 7, 0, i)))
    };
    at.into_iter().zip(0..).map(one).collect()
}

/// What came of a list of messages.
pub struct Run {
    /// When each was seen, or `FAILED`.
    pub seen: Vec<Time>,
    /// Why those failed that did, in the order in which they were told.
    pub failures: Vec<Failure>,
    pub digest: Digest,
    pub counters: Counters,
    pub events: u64,
}

impl Run {
    /// When the last of them was seen.
    pub fn end(&self) -> Time {
        *self.seen.iter().max().expect("messages")
    }
}

/// Commands `messages` at their times, which do not fall, and runs them packet by packet until
/// nothing is pending.
///
/// Checks that each was told of exactly once, that the network is quiet then, and that its books
/// balance.
pub fn run(machine: &Machine, messages: &[(Time, Message)]) -> Run {
    run_on::<PacketNetwork>(machine, messages)
}

/// The same at any fidelity.
pub fn run_on<N: NetworkModel>(machine: &Machine, messages: &[(Time, Message)]) -> Run {
    let mut net = N::build(machine);
    let (mut queue, mut delivered) = (Queue::new(), Vec::new());
    let mut counters = Counters::new(machine.links.gap.len());
    let mut seen = vec![None; messages.len()];
    let (mut failures, mut digest, mut events) = (Vec::new(), Digest::default(), 0);
    for (i, &(at, _)) in messages.iter().enumerate() {
        queue.push(at, Event::<N::Event>::host(Phase::Resume, i as u32, 0));
    }
    let mut now = Time::ZERO;
    let mut next = None;
    loop {
        let (queue, delivered) = (&mut queue, &mut delivered);
        let mut cx = Cx { now, machine, queue, delivered, counters: &mut counters };
        match next {
            None => net.start(&mut cx),
            Some(Event::Net(event)) => net.handle(event, &mut cx),
            Some(Event::Host { rank, .. }) => {
                net.inject(MsgId(rank), messages[rank as usize].1, &mut cx);
            }
        }
        for (id, time) in delivered.drain(..) {
            let slot = &mut seen[id.0 as usize];
            assert_eq!(*slot, None, "{id:?} was told of twice");
            *slot = Some(time);
            let failure = net.failure(id);
            assert_eq!(failure.is_some(), time == FAILED, "{id:?} at {time}: {failure:?}");
            failures.extend(failure);
            digest.mix(u64::from(id.0));
            digest.mix(time.0);
        }
        let Some((then, what)) = queue.pop() else { break };
        (now, next, events) = (then, Some(Event::of(what)), events + 1);
        assert!(events < 200_000_000, "a run that does not end");
    }
    net.assert_quiet(machine);
    net.report(&mut counters);
    let seen: Vec<Time> = seen.into_iter().map(|s| s.expect("a message nobody heard of")).collect();
    let counts_answers = machine.nic.response > 0 && N::COUNTS_RESPONSES;
    balance(machine, messages, &seen, &counters, counts_answers);
    Run { seen, failures, digest, counters, events }
}

/// Whatever went into the network has come out of it, or was lost and told of.
fn balance(
    machine: &Machine,
    messages: &[(Time, Message)],
    seen: &[Time],
    c: &Counters,
    counts_answers: bool,
) {
    let failed = seen.iter().filter(|&&t| t == FAILED).count() as u64;
    assert_eq!(c.failed_messages, failed);
    assert_eq!(c.timeouts, c.lost_packets, "a loss its NIC never heard of");
    // Where NICs answer, each request that came has an answer that came or was lost. (Flows and
    // the closed form count none.)
    let answers_lost = match c.lost_packets {
        1.. if counts_answers => c.delivered_packets - c.responses,
        _ => 0,
    };
    assert_eq!(c.injected_packets + answers_lost, c.delivered_packets + c.lost_packets);
    by_nic(machine, c);
    let back = |m: &Message| match m.completion {
        Completion::Target => 0,
        Completion::Initiator(bytes) => bytes,
    };
    let arrived = messages.iter().zip(seen).filter(|(_, seen)| **seen != FAILED);
    let whole: u64 = arrived.map(|((_, m), _)| m.bytes + back(m)).sum();
    if failed > 0 {
        // Parts of the others may have come.
        return assert!(c.delivered_payload >= whole, "{} of {whole} B", c.delivered_payload);
    }
    assert_eq!(c.delivered_payload, whole);
    let packets = |m: &Message| m.bytes.max(back(m)).div_ceil(machine.nic.packet_payload).max(1);
    let once = c.injected_packets - c.resent_packets;
    assert_eq!(once, messages.iter().map(|(_, m)| packets(m)).sum::<u64>());
}

/// What NICs have counted each adds up to what the network has, where it tells them apart.
fn by_nic(machine: &Machine, c: &Counters) {
    let sum = |of: fn(&NicCounters) -> u64| c.nics.raw.iter().map(of).sum::<u64>();
    let sums = (sum(|n| n.requests), sum(|n| n.timeouts), sum(|n| n.resent));
    if c.nics.is_empty() {
        return; // Not packet by packet.
    }
    assert_eq!(sums, (c.injected_packets, c.timeouts, c.resent_packets));
    assert!(sum(|n| n.replays_out + n.replays_in) <= c.link_retries);
    let nics = || (0..machine.n_nics()).map(NicId);
    let out = |column: &IndexVec<LinkId, u64>| nics().map(|n| column[machine.injection(n)]).sum();
    let into = |column: &IndexVec<LinkId, u64>| nics().map(|n| column[machine.ejection(n)]).sum();
    let packets = c.links.raw.iter().map(|link| link.packets).collect();
    let (sent, received): (u64, u64) = (out(&packets), into(&packets));
    assert!(received <= sent && sent <= received + c.lost_packets, "{sent}, {received}");
    if !c.by_class.is_empty() {
        assert_eq!(c.by_class.iter().map(out).sum::<u64>(), sent);
        assert_eq!(c.by_class.iter().map(into).sum::<u64>(), received);
        if c.lost_packets == 0 {
            c.by_class.iter().for_each(|of| assert_eq!(out(of), into(of)));
        }
    }
}

/// Traffic as the laws offer it: one load, on one thread.
pub fn request(
    pattern: &str,
    load: f64,
    packet_bytes: u64,
    warmup: Span,
    window: Span,
) -> TrafficRequest {
    let (pattern, loads) = (pattern.into(), vec![load]);
    TrafficRequest { pattern, loads, packet_bytes, warmup, window, seed: 3, threads: 1 }
}

/// What came of the one load of `request`, packet by packet.
pub fn offered(machine: &Machine, request: &TrafficRequest, finish: Finish) -> LoadOutcome {
    offered_at(machine, request, &TrafficSetting::default(), finish)
}

/// The same between some NICs, and beside other traffic.
pub fn offered_at(
    machine: &Machine,
    request: &TrafficRequest,
    place: &TrafficSetting,
    finish: Finish,
) -> LoadOutcome {
    let &[load] = &request.loads[..] else { panic!("one load, not {:?}", request.loads) };
    one_load_at(machine, Fidelity::Packet, request, place, load, finish, &mut |_, _| true)
        .unwrap_or_else(|input_errors| panic!("{request:?}: {input_errors:?}"))
}

/// All that a user is told, and what every link and switch has counted.
pub fn assert_same(one: &LoadOutcome, other: &LoadOutcome, what: &str) {
    assert_eq!(one.row, other.row, "{what}");
    assert_eq!(one.counters, other.counters, "{what}");
    assert_eq!((one.generated, one.interrupted), (other.generated, other.interrupted), "{what}");
}
