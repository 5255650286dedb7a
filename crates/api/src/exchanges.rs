//! Exchanges between explicit pairs of ranks, in rounds, with a time for each pair or rank, and the
//! wiring of nodes. Tests of a fabric (`odonata check`) consist of these; it has neither sets nor
//! verdicts.
//!
//! Rounds either follow each other on each rank, as in a collective, or each is a run of its own
//! that starts on an idle machine. The second form gives the rate of a pair that depends on no
//! earlier partner.

use super::bench::failed;
use super::rows::{EngineRow, FailureRow};
use super::{Common, Fidelity, MachineRequest, fidelity, job};
use base::{Digest, Time};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::{GroupId, InputError, LinkEnd, Machine, NicId, NodeId, SwitchId};
use net::NetworkModel;
use packet::PacketNetwork;
use serde::{Deserialize, Serialize};
use sim::{End, Job, Progress, World};
use std::collections::{BTreeMap, BTreeSet};
use workload::{Op, SendMode, Step, Streams, WORLD};

#[derive(Clone, Debug, Deserialize)]
pub struct ExchangesRequest {
    #[serde(flatten)]
    pub common: Common,
    pub nodes: u32,
    pub ppn: u32,
    /// Bytes of a message.
    pub bytes: u64,
    /// Messages in flight per pair and direction.
    pub window: u32,
    /// Pairs of ranks by round. A rank is in at most one pair of a round.
    pub rounds: Vec<Vec<[u32; 2]>>,
    /// Each round is a run of its own.
    pub apart: bool,
    /// Both ranks of a pair send at once; otherwise the first sends, then the second.
    pub both: bool,
}

#[derive(Debug, Default, Serialize)]
pub struct ExchangesResult {
    /// Time of each pair by round, if rounds are apart.
    pub pairs_s: Vec<Vec<f64>>,
    /// Time of each rank from the start to its last round, otherwise.
    pub ranks_s: Vec<f64>,
    pub failure: Option<FailureRow>,
    pub interrupted: bool,
    pub digest: String,
    pub engine: EngineRow,
}

pub fn exchanges(
    request: &ExchangesRequest,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<ExchangesResult, Vec<InputError>> {
    let ranks = request.nodes.saturating_mul(request.ppn);
    let mut input_errors: Vec<InputError> = misplaced(&request.rounds, ranks).into_iter().collect();
    if request.window == 0 {
        input_errors.push(InputError::new("window", "0", "at least one message"));
    }
    let job = match job(&request.common, ranks, request.ppn.max(1)) {
        Ok(job) if input_errors.is_empty() => job,
        Ok(_) => return Err(input_errors),
        Err(more) => return Err([input_errors, more].concat()),
    };
    let fidelity = fidelity(&request.common.fidelity).expect("reported by `job`");
    Ok(match fidelity {
        Fidelity::Packet => run::<PacketNetwork>(&job, request, tick),
        Fidelity::Flow => run::<FlowNetwork>(&job, request, tick),
        Fidelity::LogGp => run::<LogGpNetwork>(&job, request, tick),
    })
}

/// The first rank that does not exist, or is in two pairs of a round.
fn misplaced(rounds: &[Vec<[u32; 2]>], ranks: u32) -> Option<InputError> {
    for (nth, pairs) in rounds.iter().enumerate() {
        let mut met = BTreeSet::new();
        for &rank in pairs.iter().flatten() {
            if rank >= ranks || !met.insert(rank) {
                let expected = format!("ranks below {ranks}, each in one pair of a round");
                return Some(InputError::new(format!("rounds.{nth}"), rank.to_string(), expected));
            }
        }
    }
    None
}

fn run<N: NetworkModel>(
    job: &Job,
    request: &ExchangesRequest,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> ExchangesResult {
    let wall_start = std::time::Instant::now();
    let mut result = ExchangesResult::default();
    let mut digest = Digest::default();
    let runs: Vec<&[Vec<[u32; 2]>]> = match request.apart {
        true => request.rounds.chunks(1).collect(),
        false => vec![&request.rounds],
    };
    for rounds in runs {
        let mut world = World::<N, _>::new(job, streams(job, request, rounds));
        let outcome = world.run(tick);
        result.engine.add(outcome.engine);
        digest.mix(outcome.digest.0);
        if outcome.end != End::Finished {
            result.interrupted = outcome.end == End::Interrupted;
            result.failure = failed(job, &outcome.end, request.bytes);
            break;
        }
        let marks = &world.workload.marks;
        let took = |rank: u32| {
            let marked = marks.get(rank as usize).and_then(|marks| marks.last());
            (*marked.unwrap_or(&Time::ZERO) - Time::ZERO).seconds()
        };
        if request.apart {
            let pairs = rounds[0].iter().map(|&[a, b]| took(a).max(took(b)));
            result.pairs_s.push(pairs.collect());
        } else {
            result.ranks_s = (0..job.placements.len() as u32).map(took).collect();
        }
    }
    result.digest = format!("{:016x}", digest.0);
    result.engine.wall_s = wall_start.elapsed().as_secs_f64();
    result
}

/// The program of each rank: its exchanges in order, and a mark at the end.
fn streams(job: &Job, request: &ExchangesRequest, rounds: &[Vec<[u32; 2]>]) -> Streams {
    const NONE: u32 = u32::MAX;
    let ranks = job.placements.len();
    let mut partners: Vec<Vec<u32>> = Vec::with_capacity(rounds.len());
    for pairs in rounds {
        let mut of_round = vec![NONE; ranks];
        for &[a, b] in pairs {
            (of_round[a as usize], of_round[b as usize]) = (b, a);
        }
        partners.push(of_round);
    }
    let (window, bytes, both) = (request.window as usize, request.bytes, request.both);
    // Messages of one direction, perhaps a wait, those of the other, a wait.
    let body = 2 * window + 2;
    Streams::generated(ranks as u32, move |rank, nth| {
        let Some(of_round) = partners.get(nth / body) else {
            return (nth == partners.len() * body).then_some(Step::Mark);
        };
        let (at, partner) = (nth % body, of_round[rank as usize]);
        let is_send = |first: bool| match both {
            true => !first,
            false => first == (rank < partner),
        };
        let message = |first: bool| match is_send(first) {
            _ if partner == NONE => Step::Wait,
            true => {
                let mode = SendMode::Standard;
                Step::Do(Op::Send { to: partner, context: WORLD, tag: 1, bytes, mode })
            }
            false => Step::Do(Op::Recv { from: partner, context: WORLD, tag: 1, bytes }),
        };
        Some(match at {
            _ if at < window => message(true),
            // Both directions at once: no wait between, so nothing to do.
            _ if at == window && both => Step::Compute(base::Span::ZERO),
            _ if at == window || at == body - 1 => Step::Wait,
            _ => message(false),
        })
    })
}

#[derive(Clone, Debug, Deserialize)]
pub struct WiringRequest {
    pub machine: MachineRequest,
    pub nodes: Vec<u32>,
}

/// Where nodes are attached, and the cables between their switches and groups.
#[derive(Debug, Serialize)]
pub struct WiringResult {
    /// Name of each node.
    pub names: Vec<String>,
    /// Switch of each NIC, by node.
    pub nic_switches: Vec<Vec<u32>>,
    /// Group of each switch of a NIC.
    pub groups: BTreeMap<u32, u32>,
    /// The first node and switch of each of these groups, and its kind. Groups of a kind are equal.
    pub starts: BTreeMap<u32, [u32; 3]>,
    pub cables: Vec<CableRow>,
}

/// The links of a cable: a pair of switches each.
#[derive(Debug, Serialize)]
pub struct CableRow {
    /// The groups; equal for a local cable.
    pub groups: [u32; 2],
    /// Number among the cables of its two switches (local) or groups.
    pub nth: u32,
    pub links: Vec<[u32; 2]>,
}

pub fn wiring(request: &WiringRequest) -> Result<WiringResult, Vec<InputError>> {
    let machine = super::machine(&request.machine, None)?;
    if let Some(node) = request.nodes.iter().find(|&&node| node >= machine.compute_nodes) {
        let expected = format!("nodes below {}", machine.compute_nodes);
        return Err(vec![InputError::new("nodes", node.to_string(), expected)]);
    }
    let nodes = || request.nodes.iter().map(|&node| NodeId(node));
    let switches = |node: NodeId| {
        let nics = machine.node_nics[node]..machine.node_nics[NodeId(node.0 + 1)];
        nics.map(|nic| machine.nic_switch[NicId(nic)].0).collect()
    };
    let nic_switches: Vec<Vec<u32>> = nodes().map(switches).collect();
    let groups: BTreeMap<u32, u32> = nic_switches
        .iter()
        .flatten()
        .map(|&switch| (switch, machine.switch_group[SwitchId(switch)].0))
        .collect();
    let names = nodes().map(|node| machine.node_name(node)).collect();
    let starts = starts(&machine, &groups);
    let cables = cables(&machine, &groups);
    Ok(WiringResult { names, nic_switches, groups, starts, cables })
}

/// First node, first switch and kind of each group in use.
fn starts(machine: &Machine, groups: &BTreeMap<u32, u32>) -> BTreeMap<u32, [u32; 3]> {
    let mut found: BTreeMap<u32, [u32; 3]> = groups
        .values()
        .map(|&group| (group, [u32::MAX, u32::MAX, machine.group_kind[GroupId(group)].into()]))
        .collect();
    for (switch, group) in (0..).zip(&machine.switch_group.raw) {
        if let Some([_, first, _]) = found.get_mut(&group.0) {
            *first = switch.min(*first);
        }
    }
    for node in 0..machine.compute_nodes {
        let nics = machine.nics_of_same_node(NicId(machine.node_nics[NodeId(node)]));
        for nic in nics.map(NicId) {
            if let Some([first, ..]) = found.get_mut(&machine.group_of(nic).0) {
                *first = node.min(*first);
            }
        }
    }
    found
}

fn cables(machine: &Machine, groups: &BTreeMap<u32, u32>) -> Vec<CableRow> {
    let mut rows = Vec::new();
    let switches: Vec<u32> = groups.keys().copied().collect();
    for (nth, &a) in switches.iter().enumerate() {
        for &b in switches[nth + 1..].iter().filter(|b| groups[b] == groups[&a]) {
            let ends = [a, b].map(SwitchId);
            let links = machine.topology.links_between(ends[0], ends[1]);
            rows.extend((0..links.len() as u32).map(|nth| CableRow {
                groups: [groups[&a]; 2],
                nth,
                links: vec![[a, b]],
            }));
        }
    }
    let touched: BTreeSet<u32> = groups.values().copied().collect();
    for &a in &touched {
        for &b in touched.range(a + 1..) {
            let links = machine.global_links_between(GroupId(a), GroupId(b));
            let per_cable = machine.links_per_cable.max(1) as usize;
            for (nth, links) in links.chunks(per_cable).enumerate() {
                let ends = links.iter().map(|&link| {
                    [machine.links.from[link], machine.links.to[link]].map(|end| match end {
                        LinkEnd::Switch(switch) => switch.0,
                        LinkEnd::Nic(_) => unreachable!("a link between groups joins switches"),
                    })
                });
                rows.push(CableRow { groups: [a, b], nth: nth as u32, links: ends.collect() });
            }
        }
    }
    rows
}
