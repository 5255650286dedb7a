//! Fields of result rows: names, units and meaning.

/// A field of one kind of row.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The command whose rows have it.
    pub record: &'static str,
    pub name: &'static str,
    /// JSON type; with `?` if it may be null.
    pub form: &'static str,
    /// Unit; 1 for ratios and counts, empty for text.
    pub unit: &'static str,
    pub doc: &'static str,
}

const fn field(
    record: &'static str,
    name: &'static str,
    (form, unit): (&'static str, &'static str),
    doc: &'static str,
) -> Field {
    Field { record, name, form, unit, doc }
}

const TEXT: (&str, &str) = ("string", "");
const YES_NO: (&str, &str) = ("boolean", "");
const COUNT: (&str, &str) = ("integer", "1");
const RATIO: (&str, &str) = ("number", "1");
const SECONDS: (&str, &str) = ("number", "s");
const MAYBE_SECONDS: (&str, &str) = ("number?", "s");
const MAYBE_RATIO: (&str, &str) = ("number?", "1");
const RATE: (&str, &str) = ("number", "B/s");
const BYTES: (&str, &str) = ("integer", "B");

#[rustfmt::skip] // A table is read down its columns.
pub const FIELDS: &[Field] = &[
    field("bench", "bytes", BYTES, "Message size."),
    field("bench", "latency_s", SECONDS,
        "Time of one message (half of a round trip), or of one call, mean over ranks."),
    field("bench", "latency_min_s", SECONDS, "Collectives: mean time of the fastest rank."),
    field("bench", "latency_max_s", SECONDS, "Collectives: mean time of the slowest rank."),
    field("bench", "latency_p99_s", SECONDS,
        "GPCNeT and `bisect`: 99th percentile over the iterations of all ranks."),
    field("bench", "bandwidth_B_per_s", RATE,
        "Payload per time, all pairs and directions together; of `put_alltoall` and the tests of \
         GPCNeT and dgnettest per rank."),
    field("bench", "bandwidth_p99_B_per_s", RATE,
        "GPCNeT and `bisect`: bandwidth that 99 % of the iterations of all ranks reach."),
    field("bench", "messages_per_s", ("number", "1/s"), "Messages per time."),
    field("bench", "algorithm", TEXT, "Algorithm of the collective."),
    field("bench", "method", TEXT,
        "`exact`, or `sampled` if not all rounds were simulated, or not on all ranks."),
    field("bench", "error", RATIO,
        "Half of the 95 % confidence interval of the time, relative to the time."),
    field("bench", "rounds", COUNT, "Rounds of the call."),
    field("bench", "rounds_played", COUNT, "Rounds that were simulated."),
    field("bench", "ranks_played", COUNT, "Ranks that were simulated."),
    field("bench", "band_low", MAYBE_RATIO, "Lower error bar, relative to the time."),
    field("bench", "band_high", MAYBE_RATIO, "Upper error bar, relative to the time."),
    field("bench", "twin_nodes", ("integer?", "1"),
        "Nodes of the largest scaled-down run; none if it was \
         too large."),
    field("bench", "twin_error", MAYBE_RATIO, "Largest error of all scaled-down runs."),
    field("bench", "background_accepted", RATIO,
        "Accepted background load, as a fraction of the injection rate of its nodes."),

    field("app", "nodes", COUNT, "Nodes of the job."),
    field("app", "ranks", COUNT, "Ranks of the job."),
    field("app", "time_s", SECONDS, "Time of the application."),
    field("app", "figure_of_merit", ("number", ""), "The application's own measure, in `unit`."),
    field("app", "unit", TEXT, "Unit of the figure of merit."),
    field("app", "efficiency", RATIO,
        "Figure of merit per node, relative to the smallest number of nodes."),
    field("app", "low", ("number", ""), "Lower end of the error bar of the figure of merit."),
    field("app", "high", ("number", ""), "Upper end of the error bar of the figure of merit."),

    field("tune", "nodes", COUNT, "Nodes of the job."),
    field("tune", "ranks", COUNT, "Ranks of the job."),
    field("tune", "bytes", BYTES, "Message size, as in the benchmark of the same name."),
    field("tune", "algorithm", TEXT, "Algorithm of the collective."),
    field("tune", "latency_s", MAYBE_SECONDS,
        "Time of one call, mean over ranks; none if the call was too large."),
    field("tune", "latency_max_s", MAYBE_SECONDS, "Time of one call on the slowest rank."),
    field("tune", "method", ("string?", ""),
        "`exact`, or `sampled` if not all rounds were simulated, or not on all ranks."),
    field("tune", "error", MAYBE_RATIO,
        "Half of the 95 % confidence interval of the time, relative to the time."),
    field("tune", "rounds", COUNT, "Rounds of the call."),
    field("tune", "rounds_played", COUNT, "Rounds that were simulated."),
    field("tune", "ranks_played", COUNT, "Ranks that were simulated."),
    field("tune", "messages", MAYBE_RATIO, "Messages that a rank sends, mean over ranks."),
    field("tune", "bytes_sent", ("number?", "B"), "Bytes that a rank sends, mean over ranks."),
    field("tune", "network_bytes", ("number?", "B"), "Bytes sent between nodes, all ranks."),
    field("tune", "global_bytes", ("number?", "B"), "Bytes sent between groups, all ranks."),
    field("tune", "contention", RATIO, "Time with packets over time in closed form."),
    field("tune", "messages_wanted", ("integer?", "1"),
        "The `--messages` that simulates the call, if it was too large and cannot be sampled."),
    field("tune", "is_default", YES_NO, "Whether the library's own rules select it."),
    field("tune", "is_winner", YES_NO, "Whether it is the fastest algorithm of the library."),

    field("traffic", "offered", RATIO, "Offered load, as a fraction of the injection rate."),
    field("traffic", "accepted", RATIO,
        "Wire bytes delivered in the window, as a fraction of the capacity of the injection \
         links."),
    field("traffic", "latency_mean_s", MAYBE_SECONDS,
        "Mean latency of packets generated in the window and delivered before the end."),
    field("traffic", "latency_p50_s", MAYBE_SECONDS, "Median of the same, within 0.4 %."),
    field("traffic", "latency_p99_s", MAYBE_SECONDS, "99th percentile of the same, within 0.4 %."),
    field("traffic", "hops_mean", MAYBE_RATIO, "Mean number of switches visited."),
    field("traffic", "nonminimal_fraction", MAYBE_RATIO,
        "Fraction of packets on nonminimal paths."),
    field("traffic", "packets", COUNT, "Packets generated in the window."),
    field("traffic", "unfinished", COUNT, "Of these, packets in flight at the end."),
    field("traffic", "least_mean_s", MAYBE_SECONDS,
        "Mean latency including packets in flight at the end with their age: a lower bound if \
         there are any."),
    field("traffic", "least_p50_s", MAYBE_SECONDS, "Median of the same."),
    field("traffic", "least_p99_s", MAYBE_SECONDS, "99th percentile of the same."),
    field("traffic", "alone_mean_s", MAYBE_SECONDS, "Mean latency without the background traffic."),
    field("traffic", "alone_p99_s", MAYBE_SECONDS,
        "99th percentile without the background traffic."),
    field("traffic", "background", ("array", ""), "Background traffic: offered and accepted."),
    field("traffic", "onsets", COUNT, "Times a NIC's link became congested, over the whole run."),
    field("traffic", "holds", COUNT, "Times a sender was throttled, over the whole run."),
    field("traffic", "digest", TEXT, "Digest of all deliveries."),
    field("traffic", "network_timeouts", COUNT,
        "With a fault schedule: packet timers of NICs that expired."),
    field("traffic", "packets_lost", COUNT, "With a fault schedule: packets lost."),
    field("traffic", "packets_resent", COUNT,
        "With a fault schedule: packets that NICs sent again."),
    field("traffic", "link_retries", COUNT,
        "With a fault schedule: packets that a link sent again after a bit error."),
    field("traffic", "messages_failed", COUNT,
        "With a fault schedule: messages given up after the last retry."),
];

#[cfg(test)]
mod tests {
    use super::FIELDS;
    use crate::{Band, BenchRow, SampleRow, TuneRow};
    use serde::Serialize;
    use sim::NetworkErrors;
    use sim::traffic::{BackgroundLoad, SliceRow, TrafficRow};
    use std::collections::BTreeSet;

    /// Fields that Python adds to rows.
    const ADDED: [&str; 1] = ["least_p50_s"];
    /// Fields that Python moves from the rows to the summary.
    const MOVED: [&str; 1] = ["slices"];

    /// Every field of a full row is declared, and nothing else. Rows have all optional fields.
    fn check(record: &str, row: &impl Serialize) {
        let row = serde_json::to_value(row).expect("plain data");
        let names = row.as_object().expect("fields").keys().map(String::as_str);
        let row: BTreeSet<&str> = names.filter(|name| !MOVED.contains(name)).collect();
        let of_record = FIELDS.iter().filter(|field| field.record == record);
        let of_record = of_record.filter(|field| !ADDED.contains(&field.name));
        let declared: Vec<&str> = of_record.map(|field| field.name).collect();
        assert_eq!(declared.iter().copied().collect::<BTreeSet<_>>(), row);
        assert_eq!(declared.len(), row.len(), "{record}: a field is declared twice");
    }

    fn sample() -> SampleRow {
        let (rounds, rounds_simulated, ranks_simulated) = (1, 1, 1);
        SampleRow { method: None, error: None, rounds, rounds_simulated, ranks_simulated }
    }

    #[test]
    fn bench_rows() {
        check(
            "bench",
            &BenchRow {
                bytes: 8,
                latency_s: Some(1.0),
                latency_min_s: Some(1.0),
                latency_max_s: Some(1.0),
                bandwidth: Some(1.0),
                messages_per_s: Some(1.0),
                latency_p99_s: Some(1.0),
                bandwidth_p99: Some(1.0),
                algorithm: Some("linear".into()),
                sample: Some(sample()),
                band: Some(Band::default()),
                background_accepted: Some(0.1),
            },
        );
    }

    #[test]
    fn tune_rows() {
        check(
            "tune",
            &TuneRow {
                nodes: 2,
                ranks: 2,
                bytes: 8,
                algorithm: "linear".into(),
                latency_s: None,
                latency_max_s: None,
                sample: sample(),
                messages: None,
                bytes_sent: None,
                network_bytes: None,
                global_bytes: None,
                contention: Some(1.0),
                messages_wanted: None,
                is_default: false,
                is_winner: false,
            },
        );
    }

    #[test]
    fn traffic_rows() {
        let load = BackgroundLoad {
            pattern: "uniform".into(),
            offered: 0.1,
            accepted: 0.1,
            receiver: None,
        };
        let row = TrafficRow {
            alone_mean_s: Some(1.0),
            alone_p99_s: Some(1.0),
            background: vec![load],
            slices: vec![SliceRow::default()],
            offered: 0.1,
            accepted: 0.1,
            latency_mean_s: 1.0,
            latency_p50_s: 1.0,
            latency_p99_s: 1.0,
            hops_mean: 1.0,
            nonminimal_fraction: 0.0,
            packets: 1,
            unfinished: 0,
            least_mean_s: 1.0,
            least_p99_s: 1.0,
            onsets: 0,
            holds: 0,
            digest: String::new(),
            network: Some(NetworkErrors::default()),
        };
        check("traffic", &row);
    }
}
