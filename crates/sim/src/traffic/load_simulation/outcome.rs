//! The result of one load.

use base::{Span, Time};
use machine::NicId;

use super::super::request::{BackgroundLoad, LoadOutcome, TrafficRow};
use super::super::slices::Slice;
use super::{Load, ShardOutcome};
use crate::outcome::NetworkErrors;

impl Load<'_> {
    /// Results of the background traffic.
    fn background_counts(&self, whole: &ShardOutcome) -> Vec<BackgroundLoad> {
        let machine = self.machine;
        let counts = whole.background_counts.iter().zip(&whole.received);
        let rows = self.setting.background.iter().zip(counts).map(|(b, (&messages, &received))| {
            let rate = machine.links.gap[machine.injection(b.to.nic(0))].bytes_per_s();
            let link = rate * self.request.window.seconds();
            let wire = (messages * b.wire(machine)) as f64;
            BackgroundLoad {
                pattern: b.pattern.clone(),
                offered: b.load,
                accepted: wire / (link * f64::from(b.to.senders())),
                receiver: b.to.is_incast().then_some(received as f64 / link),
            }
        });
        rows.collect()
    }

    pub(super) fn outcome(&self, mut whole: ShardOutcome) -> LoadOutcome {
        let Load { machine, request, .. } = *self;
        let [latency_p50_s, latency_p99_s] = [0.50, 0.99].map(|q| whole.latencies.quantile_s(q));
        let (latency_mean_s, unfinished) =
            (whole.latencies.mean_s(), whole.packets - whole.latencies.count);
        // Packets in flight at the end were generated in the window or before; their mean age is
        // exact.
        let end = (request.warmup + request.window).0;
        // An interrupted run may have counted packets that are not generated yet.
        let ages =
            (u128::from(unfinished) * u128::from(whole.now.0)).saturating_sub(whole.generation_sum);
        whole.latencies.add_at_least(Span(whole.now.0.saturating_sub(end)), unfinished, ages);
        let wire = request.packet_bytes + machine.nic.packet_overhead;
        let rate = machine.links.gap[machine.injection(NicId(0))].bytes_per_s();
        let full = f64::from(self.destinations.senders()) * rate * request.window.seconds();
        let arrived = whole.sums.0.max(1) as f64;
        let row = TrafficRow {
            offered: self.load,
            accepted: (whole.arrived * wire) as f64 / full,
            latency_mean_s,
            latency_p50_s,
            latency_p99_s,
            hops_mean: whole.sums.1 as f64 / arrived,
            nonminimal_fraction: whole.sums.2 as f64 / arrived,
            packets: whole.packets,
            unfinished,
            least_mean_s: whole.latencies.mean_s(),
            least_p99_s: whole.latencies.quantile_s(0.99),
            alone_mean_s: None,
            alone_p99_s: None,
            background: self.background_counts(&whole),
            onsets: whole.counters.congestion.onsets,
            holds: whole.counters.congestion.holds,
            digest: format!("{:016x}", whole.digest),
            network: machine.faults.as_ref().map(|_| NetworkErrors::of(&whole.counters)),
            slices: Slice::rows(&whole.slices, request.warmup, request.window, full / wire as f64),
        };
        LoadOutcome {
            row,
            events: whole.events,
            generated: whole.generated,
            bytes: whole.bytes,
            took: whole.now - Time::ZERO,
            counters: whole.counters,
            interrupted: whole.interrupted,
            engine: None,
        }
    }
}
