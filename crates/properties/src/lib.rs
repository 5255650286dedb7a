//! Properties across crates: agreement of fidelities, conservation, and bounds from theory.
//!
//! The property tests are in `tests/`. This library has their machines, messages and traffic, and
//! `run`, which checks conservation for whatever it runs. Only `bench` depends on it.

use api::Fidelity;
use base::{Digest, IndexVec, Span, Time, below, draw};
use des::{Phase, Queue};
use machine::{LinkId, Machine, MachineSpec, NicId};
use net::{
    Completion, Counters, Cx, Event, FAILED, Failure, Message, MsgId, NetworkModel, NicCounters,
};
use packet::PacketNetwork;
use sim::traffic::{
    EngineChoice, Finish, LoadOutcome, TrafficRequest, TrafficSetting, one_load_at,
};

/// A number from the environment: how many random tests to run, or which one.
pub fn env_number(name: &str) -> Option<u64> {
    let set = std::env::var(name).ok()?;
    Some(set.parse().unwrap_or_else(|_| panic!("{name}={set} is not a number")))
}

/// A preset with modified keys.
pub fn preset(name: &str, set: &[(&str, &str)]) -> Machine {
    let text = machine::preset(name).unwrap_or_else(|| panic!("no preset {name}"));
    let keys: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    MachineSpec::parse(name, text, &keys)
        .and_then(|spec| spec.resolve())
        .unwrap_or_else(|input_errors| panic!("{name} with {set:?}: {input_errors:?}"))
}

/// `dragonfly-1056` with modified keys, and the virtual networks of these traffic classes.
pub fn with_classes(set: &[(&str, &str)], classes: &[&str]) -> (Machine, Vec<u8>) {
    let mut machine = preset("dragonfly-1056", set);
    let vnets = use_classes(&mut machine, classes);
    (machine, vnets)
}

/// The virtual networks of these traffic classes on a machine.
pub fn use_classes(machine: &mut Machine, classes: &[&str]) -> Vec<u8> {
    let find = |&word: &&str| machine.classes.find("class", Some(word)).expect("a known class");
    let found: Vec<usize> = classes.iter().map(find).collect();
    machine.use_classes(&found).unwrap_or_else(|input_error| panic!("{input_error}"));
    found.iter().filter_map(|&class| machine.classes.vnet(class)).collect()
}

/// Shares of a link for classes with these demands, by docs/models/classes.md: first the assured
/// shares, then the rest in equal parts, by priority and up to the ceilings.
pub fn fair_shares(machine: &Machine, demands: &[f64], at_nic: bool) -> Vec<f64> {
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

/// The balanced dragonfly one size below `dragonfly-1056`, with modified keys: p = 2, a = 4, h = 2,
/// g = 9.
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

/// A host's message between two NICs, with completion at the target.
pub fn message(src: u32, dst: u32, bytes: u64, draw: u64) -> Message {
    Message::new(NicId(src), NicId(dst), bytes, draw)
}

/// Random messages of up to `most` bytes, `count` of them at times up to `within`. Three in four go
/// to `hot` NICs, so that they contend; if `hot` is 0, destinations are uniform.
pub fn random_messages(
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

/// Result of a list of messages.
pub struct Run {
    /// Completion time of each, or `FAILED`.
    pub seen: Vec<Time>,
    /// Reasons of the failures, in the order in which they were reported.
    pub failures: Vec<Failure>,
    pub digest: Digest,
    pub counters: Counters,
    pub events: u64,
}

impl Run {
    /// Completion of the last message.
    pub fn end(&self) -> Time {
        *self.seen.iter().max().expect("messages")
    }
}

/// Issues `messages` at their times, which must be sorted, and simulates them packet by packet
/// until no event is pending.
///
/// Checks that each is reported exactly once, that the network is idle at the end, and
/// conservation.
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
            assert_eq!(*slot, None, "{id:?} was reported twice");
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
    net.assert_idle(machine);
    net.report(&mut counters);
    let seen: Vec<Time> = seen.into_iter().map(|s| s.expect("an unreported message")).collect();
    let counts_responses = machine.nic.response > 0 && N::COUNTS_RESPONSES;
    check_conservation(machine, messages, &seen, &counters, counts_responses);
    Run { seen, failures, digest, counters, events }
}

/// Everything that entered the network has left it, or is lost and reported.
fn check_conservation(
    machine: &Machine,
    messages: &[(Time, Message)],
    seen: &[Time],
    c: &Counters,
    counts_responses: bool,
) {
    let failed = seen.iter().filter(|&&t| t == FAILED).count() as u64;
    assert_eq!(c.failed_messages, failed);
    assert_eq!(c.timeouts, c.lost_packets, "a loss without a timeout");
    // Where NICs respond, each delivered request has a response that arrived or was lost. (Flows
    // and the closed form count none.)
    let responses_lost = match c.lost_packets {
        1.. if counts_responses => c.delivered_packets - c.responses,
        _ => 0,
    };
    assert_eq!(c.injected_packets + responses_lost, c.delivered_packets + c.lost_packets);
    check_nic_counters(machine, c);
    let back = |m: &Message| match m.completion {
        Completion::Target => 0,
        Completion::Initiator(bytes) => bytes,
    };
    let arrived = messages.iter().zip(seen).filter(|(_, seen)| **seen != FAILED);
    let whole: u64 = arrived.map(|((_, m), _)| m.bytes + back(m)).sum();
    if failed > 0 {
        // Parts of the failed messages may have arrived.
        return assert!(c.delivered_payload >= whole, "{} of {whole} B", c.delivered_payload);
    }
    assert_eq!(c.delivered_payload, whole);
    let packets = |m: &Message| m.bytes.max(back(m)).div_ceil(machine.nic.packet_payload).max(1);
    let once = c.injected_packets - c.resent_packets;
    assert_eq!(once, messages.iter().map(|(_, m)| packets(m)).sum::<u64>());
}

/// The per-NIC counters add up to those of the network, if the model has them.
fn check_nic_counters(machine: &Machine, c: &Counters) {
    let sum = |of: fn(&NicCounters) -> u64| c.nics.raw.iter().map(of).sum::<u64>();
    let sums = (sum(|n| n.requests), sum(|n| n.timeouts), sum(|n| n.resent));
    if c.nics.is_empty() {
        return; // Not a packet network.
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

/// A traffic request with one load, on one thread.
pub fn request(
    pattern: &str,
    load: f64,
    packet_bytes: u64,
    warmup: Span,
    window: Span,
) -> TrafficRequest {
    let (pattern, loads) = (pattern.into(), vec![load]);
    TrafficRequest {
        pattern,
        loads,
        packet_bytes,
        warmup,
        window,
        seed: 3,
        threads: 1,
        engine: EngineChoice::Event,
    }
}

/// Result of the single load of `request`, packet by packet.
pub fn offered(machine: &Machine, request: &TrafficRequest, finish: Finish) -> LoadOutcome {
    offered_at(machine, request, &TrafficSetting::default(), finish)
}

/// The same between selected NICs, and with background traffic.
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

/// Compares all that is reported to a user, and all counters of links and switches.
pub fn assert_same(one: &LoadOutcome, other: &LoadOutcome, what: &str) {
    assert_eq!(one.row, other.row, "{what}");
    assert_eq!(one.counters, other.counters, "{what}");
    assert_eq!((one.generated, one.interrupted), (other.generated, other.interrupted), "{what}");
}
