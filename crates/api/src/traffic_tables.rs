//! Result tables of a run's network traffic: messages, links, counters and limits.

use super::congestion::Congested;
use super::counters::{NicCounters, Tally, of_nodes};
use super::rows::EngineRow;
use super::{
    BackgroundRow, CongestionRow, CounterRow, Fidelity, IoResult, LimitsRow, NetworkErrors,
};
use machine::{Distance, LinkEnd, LinkKind, Machine};
use serde::Serialize;
use sim::{Job, Outcome};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Serialize)]
pub struct TrafficTables {
    /// Point-to-point messages, and those of collectives.
    pub messages: u64,
    pub bytes: u64,
    pub distance_table: Vec<DistanceRow>,
    pub message_matrix: Vec<PairRow>,
    /// The busiest links that carried anything, at most `LINKS`.
    pub link_table: Vec<LinkRow>,
    /// Per kind of link: the share that carried anything, and the mean utilization.
    pub link_kinds: Vec<LinkKindRow>,
    /// Over the NICs of the ranks' nodes.
    pub counter_table: Vec<CounterRow>,
    /// The same of each NIC, for small jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nic_counters: Option<NicCounters>,
    pub background: Vec<BackgroundRow>,
    pub limits: LimitsRow,
    /// On a machine with a fault schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkErrors>,
    /// On a machine whose switches manage congestion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion: Option<CongestionRow>,
    /// If calls on simulated file systems were made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io: Option<IoResult>,
    pub engine: EngineRow,
}

#[derive(Clone, Debug, Serialize)]
pub struct DistanceRow {
    pub distance: &'static str,
    pub messages: u64,
    pub bytes: u64,
}
#[derive(Clone, Debug, Serialize)]
pub struct PairRow {
    pub src: u32,
    pub dst: u32,
    pub messages: u32,
    pub bytes: u64,
}
#[derive(Clone, Debug, Serialize)]
pub struct LinkRow {
    pub from: String,
    pub to: String,
    pub kind: &'static str,
    pub bytes: u64,
    pub packets: u64,
    pub busy_s: f64,
    /// Fraction of the run's time.
    pub utilization: f64,
    pub queue_max: u32,
    /// Time in which the link was free but no waiting packet could be sent.
    pub stalled_s: f64,
}
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkKindRow {
    pub kind: &'static str,
    pub links: u64,
    pub used: u64,
    pub bytes: u64,
    pub packets: u64,
    pub utilization_mean: f64,
    pub utilization_max: f64,
    /// Sum over all links, and the busiest link.
    pub stalled_s: f64,
    pub busiest: Option<String>,
}

/// Maximum number of rows of the link table.
const LINKS: usize = 200;

impl TrafficTables {
    pub(super) fn of(job: &Job, fidelity: Fidelity, outcome: &Outcome) -> TrafficTables {
        let mut engine = EngineRow::default();
        engine.add(outcome.engine);
        let tally = Tally::of(outcome);
        let (link_table, link_kinds) = links(&job.machine, &tally);
        let nics = of_nodes(&job.machine, job.placements.iter().map(|placement| placement.nic));
        let distances = Distance::NAMES.iter().zip(outcome.by_distance);
        TrafficTables {
            messages: outcome.by_distance.iter().map(|d| d.0).sum(),
            bytes: outcome.by_distance.iter().map(|d| d.1).sum(),
            distance_table: distances
                .map(|(&distance, (messages, bytes))| DistanceRow { distance, messages, bytes })
                .collect(),
            message_matrix: outcome
                .pairs
                .iter()
                .map(|p| PairRow { src: p.from, dst: p.to, messages: p.messages, bytes: p.bytes })
                .collect(),
            link_table,
            link_kinds,
            counter_table: tally.rows(&job.machine, fidelity, &nics),
            nic_counters: NicCounters::of(&tally, &job.machine, fidelity, &nics),
            background: outcome.background.iter().map(Into::into).collect(),
            limits: LimitsRow::of_run(job, outcome),
            network: NetworkErrors::of_run(&job.machine, outcome),
            congestion: CongestionRow::of(
                &job.machine,
                fidelity,
                &Congested::of(&outcome.counters),
            ),
            io: IoResult::of(outcome),
            engine,
        }
    }
}

/// Messages and bytes that each of `ranks` ranks sent.
pub(super) fn sent(ranks: usize, outcome: &Outcome) -> Vec<(u64, u64)> {
    let mut sent = vec![(0, 0); ranks];
    for pair in &outcome.pairs {
        let row: &mut (u64, u64) = &mut sent[pair.from as usize];
        row.0 += u64::from(pair.messages);
        row.1 += pair.bytes;
    }
    sent
}

pub(super) fn kind_name(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Injection => "injection",
        LinkKind::Ejection => "ejection",
        LinkKind::Local => "local",
        LinkKind::LocalBlack => "local_black",
        LinkKind::Global => "global",
    }
}

/// Number of links of each kind. Links of one kind are mostly adjacent.
fn count(kinds: &[LinkKind]) -> BTreeMap<LinkKind, u64> {
    let mut of = BTreeMap::new();
    for alike in kinds.chunk_by(|a, b| a == b) {
        *of.entry(alike[0]).or_default() += alike.len() as u64;
    }
    of
}

/// Name of the end of a link.
pub(super) fn end_name(machine: &Machine, end: LinkEnd) -> String {
    match end {
        LinkEnd::Nic(nic) => machine.nic_name(nic),
        LinkEnd::Switch(switch) => {
            format!("g{} switch{}", machine.switch_group[switch].0, switch.0)
        }
    }
}

/// One row per link among the busiest, and one per kind; none if nothing was run.
pub(crate) fn links(machine: &Machine, tally: &Tally) -> (Vec<LinkRow>, Vec<LinkKindRow>) {
    let name = |end: LinkEnd| end_name(machine, end);
    if tally.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let counters = &tally.counters;
    let mut kinds: BTreeMap<LinkKind, LinkKindRow> = BTreeMap::new();
    let mut used = Vec::new();
    let span = tally.time.seconds();
    for (kind, links) in count(&machine.links.kind.raw) {
        let row = LinkKindRow {
            kind: kind_name(kind),
            links,
            used: 0,
            bytes: 0,
            packets: 0,
            utilization_mean: 0.0,
            utilization_max: 0.0,
            stalled_s: 0.0,
            busiest: None,
        };
        kinds.insert(kind, row);
    }
    for (link, _) in counters.links.iter().filter(|(_, carried)| carried.packets > 0) {
        let kind = machine.links.kind[link];
        let busy = machine.links.gap[link].span(counters.links[link].bytes).seconds();
        let utilization = if span > 0.0 { busy / span } else { 0.0 };
        let row = kinds.get_mut(&kind).expect("it was counted");
        row.used += 1;
        row.bytes += counters.links[link].bytes;
        row.packets += counters.links[link].packets;
        row.stalled_s += counters.stalled[link].seconds();
        row.utilization_mean += utilization;
        row.utilization_max = row.utilization_max.max(utilization);
        used.push((busy, link));
    }
    for row in kinds.values_mut() {
        row.utilization_mean /= row.used.max(1) as f64;
    }
    used.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let words =
        |link| format!("{} -> {}", name(machine.links.from[link]), name(machine.links.to[link]));
    for &(_, link) in &used {
        let row = kinds.get_mut(&machine.links.kind[link]).expect("it was counted");
        row.busiest.get_or_insert_with(|| words(link));
    }
    let table = used.into_iter().take(LINKS).map(|(busy, link)| LinkRow {
        from: name(machine.links.from[link]),
        to: name(machine.links.to[link]),
        kind: kind_name(machine.links.kind[link]),
        bytes: counters.links[link].bytes,
        packets: counters.links[link].packets,
        busy_s: busy,
        utilization: if span > 0.0 { busy / span } else { 0.0 },
        queue_max: counters.queue_max[link],
        stalled_s: counters.stalled[link].seconds(),
    });
    (table.collect(), kinds.into_values().collect())
}
