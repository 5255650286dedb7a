//! Hardware counters of NICs and links, under the names of the real machine's counters.
//!
//! Cassini's names are those of the driver's telemetry (HewlettPackard/shs-cassini-headers,
//! `cassini_cntr_desc.h`; HPE, "Cassini Performance Counters"). Aries' names are those of its
//! registers (LDMS, `aries_nic_mmr`). Definitions and missing counters: docs/models/counters.md.

use super::Fidelity;
use base::Span;
use machine::{Machine, NicId};
use mpi::limits::Matches;
use net::Counters;
use serde::Serialize;
use sim::Outcome;
use std::collections::BTreeMap;

/// One counter over the NICs of a job, as in Cray MPICH's report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CounterRow {
    pub name: String,
    /// Number of NICs.
    pub nics: u64,
    pub total: u64,
    pub min: u64,
    pub mean: f64,
    pub max: u64,
    /// The first NIC with the maximum; none if nothing was counted.
    pub max_nic: Option<String>,
}

/// The counters of each NIC, in the order of `nics`.
#[derive(Clone, Debug, Serialize)]
pub struct NicCounters {
    pub nics: Vec<String>,
    pub counts: BTreeMap<String, Vec<u64>>,
}

/// Counts of one run or of several together.
#[derive(Default)]
pub(crate) struct Tally {
    pub counters: Counters,
    matches: BTreeMap<(NicId, u32), Matches>,
    pub time: Span,
}

impl Tally {
    pub fn of(outcome: &Outcome) -> Tally {
        let (counters, matches) = (outcome.counters.clone(), outcome.matches.clone());
        Tally { counters, matches, time: outcome.time - base::Time::ZERO }
    }
    /// Adds a run; the first one's columns are moved, not copied.
    pub fn add(&mut self, outcome: Outcome) {
        self.time += outcome.time - base::Time::ZERO;
        if self.is_empty() {
            (self.counters, self.matches) = (outcome.counters, outcome.matches);
            return;
        }
        self.counters.merge(&outcome.counters);
        for (at, matches) in outcome.matches {
            self.matches.entry(at).or_default().add(matches);
        }
    }
    /// Adds a run of traffic without ranks that lasted `time`.
    pub fn add_traffic(&mut self, counters: &Counters, time: Span) {
        self.counters.merge(counters);
        self.time += time;
    }

    /// Nothing was run, for example because the user stopped the first call.
    pub fn is_empty(&self) -> bool {
        self.counters.links.is_empty()
    }
    /// One row per counter that the fabric has and the fidelity models; none if nothing was run.
    pub fn rows(&self, machine: &Machine, fidelity: Fidelity, nics: &[NicId]) -> Vec<CounterRow> {
        if self.is_empty() {
            return Vec::new();
        }
        let table = Table { machine, nics, tally: self, rows: Vec::new() };
        match machine.fabric.as_str() {
            "slingshot" => table.cassini(fidelity),
            "aries" => table.aries(fidelity),
            _ => table.plain(),
        }
    }
}

/// Jobs with more NICs have no counters of each NIC.
const MOST_NICS: usize = 512;

impl NicCounters {
    /// The counters of each NIC of a small job; none if nothing was counted.
    pub(crate) fn of(
        tally: &Tally,
        machine: &Machine,
        fidelity: Fidelity,
        nics: &[NicId],
    ) -> Option<Self> {
        if nics.len() > MOST_NICS || tally.is_empty() {
            return None;
        }
        let mut counts: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for &nic in nics {
            for row in tally.rows(machine, fidelity, &[nic]) {
                counts.entry(row.name).or_default().push(row.total);
            }
        }
        let nics = nics.iter().map(|&nic| machine.nic_name(nic)).collect();
        Some(NicCounters { nics, counts })
    }
}

/// All NICs of the nodes of `nics`, in ascending order.
pub(crate) fn of_nodes(machine: &Machine, nics: impl Iterator<Item = NicId>) -> Vec<NicId> {
    let mut all: Vec<NicId> =
        nics.flat_map(|nic| machine.nics_of_same_node(nic).map(NicId)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Cassini counts cycles of its clock, 1 GHz (HewlettPackard/shs-cxi-driver).
const CASSINI_CYCLE: Span = Span::ns(1);

/// A count of a match engine.
type Of = fn(&Matches) -> u64;

struct Table<'a> {
    machine: &'a Machine,
    nics: &'a [NicId],
    tally: &'a Tally,
    rows: Vec<CounterRow>,
}

impl Table<'_> {
    fn cassini(mut self, fidelity: Fidelity) -> Vec<CounterRow> {
        let (machine, counters) = (self.machine, &self.tally.counters);
        let (out, into) = (|nic| machine.injection(nic), |nic| machine.ejection(nic));
        // If classes do not share links, all packets have one class.
        let packets = |class: usize, link| match &counters.by_class[..] {
            [] => counters.links[link].packets,
            by_class => by_class[class][link],
        };
        let classes = counters.by_class.len().max(1);
        for class in 0..classes {
            self.row(format!("hni_pkts_sent_by_tc_{class}"), |nic| packets(class, out(nic)));
        }
        for class in 0..classes {
            self.row(format!("hni_pkts_recv_by_tc_{class}"), |nic| packets(class, into(nic)));
        }
        if fidelity == Fidelity::Packet {
            // Stalls of a link are not separated by class.
            if classes == 1 {
                let cycles = |span: Span| span.0 / CASSINI_CYCLE.0;
                self.row("hni_tx_paused_0".into(), |nic| cycles(counters.stalled[out(nic)]));
                self.row("hni_rx_paused_0".into(), |nic| cycles(counters.stalled[into(nic)]));
            }
        }
        self.matching();
        if fidelity == Fidelity::Packet {
            let of =
                |nic: NicId| counters.nics.raw.get(nic.0 as usize).copied().unwrap_or_default();
            self.row("pct_spt_timeouts".into(), |nic| of(nic).timeouts);
            self.row("pct_retry_srb_requests".into(), |nic| of(nic).resent);
            self.row("hni_llr_tx_replay_event".into(), |nic| of(nic).replays_out);
            self.row("hni_llr_rx_replay_event".into(), |nic| of(nic).replays_in);
        }
        self.rows
    }

    /// Matches of the list processing engines that ranks use.
    fn matching(&mut self) {
        let matches = &self.tally.matches;
        let Some(last) = matches.keys().map(|key| key.1).max() else { return };
        let counts: [(&str, Of); 5] = [
            ("lpe_net_match_priority", |m| m.expected),
            ("lpe_net_match_overflow", |m| m.unexpected),
            ("lpe_net_match_request", |m| m.in_software),
            ("lpe_rndzv_puts", |m| m.rendezvous),
            ("lpe_rndzv_puts_offloaded", |m| m.offloaded),
        ];
        for (name, count) in counts {
            for engine in 0..=last {
                let of = |nic| matches.get(&(nic, engine)).map_or(0, count);
                self.row(format!("{name}_{engine}"), of);
            }
        }
    }

    fn aries(mut self, fidelity: Fidelity) -> Vec<CounterRow> {
        if fidelity == Fidelity::Packet {
            let nics = &self.tally.counters.nics;
            let requests = |nic: NicId| nics.raw.get(nic.0 as usize).map_or(0, |n| n.requests);
            self.row("AR_NIC_NETMON_ORB_EVENT_CNTR_REQ_PKTS".into(), requests);
        }
        self.rows
    }

    /// A fabric without named counters.
    fn plain(mut self) -> Vec<CounterRow> {
        let (machine, links) = (self.machine, &self.tally.counters.links);
        self.row("packets_sent".into(), |nic| links[machine.injection(nic)].packets);
        self.row("packets_received".into(), |nic| links[machine.ejection(nic)].packets);
        self.rows
    }

    fn row(&mut self, name: String, of: impl Fn(NicId) -> u64) {
        let counts = || self.nics.iter().map(|&nic| of(nic));
        let (nics, total) = (self.nics.len() as u64, counts().sum());
        let (min, max) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        let at = counts().position(|n| n == max && n > 0);
        let max_nic = at.map(|at| self.machine.nic_name(self.nics[at]));
        let mean = total as f64 / nics.max(1) as f64;
        self.rows.push(CounterRow { name, nics, total, min, mean, max, max_nic });
    }
}
