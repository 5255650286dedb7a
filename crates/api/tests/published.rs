//! Predictions of benchmarks without load, compared with published values (testdata/published.toml,
//! and the public curves named beside each number).

use crate::common::{Script, job_on, machine};
use api::{BenchRequest, BenchResult, bench};
use packet::PacketNetwork;
use workload::{Op, SendMode, WORLD};

fn run_bench(
    name: &str,
    machine: &str,
    mpi: &str,
    buffers: &str,
    nodes: u32,
    sizes: &[u64],
) -> BenchResult {
    let request = serde_json::json!({
        "machine": {"name": machine}, "mpi": mpi, "name": name, "nodes": nodes, "ppn": 1,
        "buffers": buffers, "sizes": sizes,
    });
    let request: BenchRequest = serde_json::from_value(request).expect("a request");
    bench(&request, &mut |_| true).expect("legal")
}

fn run(name: &str, machine: &str, mpi: &str, nodes: u32, sizes: &[u64]) -> BenchResult {
    run_bench(name, machine, mpi, "host", nodes, sizes)
}

/// Microseconds, one value per size.
fn latencies(result: &BenchResult) -> Vec<f64> {
    result.rows.iter().map(|row| row.latency_s.expect("measured") * 1e6).collect()
}

fn latency_us(machine: &str, mpi: &str, nodes: u32, sizes: &[u64]) -> Vec<f64> {
    latencies(&run("latency", machine, mpi, nodes, sizes))
}

/// GB/s of payload, all directions together.
fn gb_per_s(name: &str, machine: &str, bytes: u64) -> f64 {
    run(name, machine, "mpich", 2, &[bytes]).rows[0].bandwidth.expect("measured") / 1e9
}

const SLINGSHOT: [&str; 3] = ["aurora", "frontier", "lumi-g"];
const MIB: u64 = 1 << 20;

/// Below MPI, data in the command: 1.60 us through one switch (shs-libcxi, cxi_send_lat), 1.95 and
/// 2.80 within a group and between groups (MPICH's topology constants, De Sensi's 350 ns per
/// switch).
#[test]
fn eight_bytes_below_mpi_take_what_was_measured_by_distance() {
    for machine in SLINGSHOT {
        let one_switch = latency_us(machine, "none", 2, &[8])[0];
        assert!((one_switch / 1.60 - 1.0).abs() < 0.05, "{machine}: {one_switch} us");
        // The last of these nodes is in the first's group but not on its switch, then in another
        // group.
        let same_group = latency_us(machine, "none", 60, &[8])[0];
        assert!((same_group / 1.95 - 1.0).abs() < 0.05, "{machine}: {same_group} us");
        // Paths between groups are shorter where a link happens to end at one of the two switches.
        let far = [130, 400, 1000].map(|nodes| latency_us(machine, "none", nodes, &[8])[0]);
        let other_group = far.into_iter().fold(0.0, f64::max);
        assert!((other_group / 2.80 - 1.0).abs() < 0.05, "{machine}: {other_group} us");
    }
}

/// cxi_send_lat: 1.63 us at 64 B, 2.22 us at 128 B.
#[test]
fn the_step_to_dma_lies_between_64_and_128_bytes() {
    for machine in SLINGSHOT {
        let us = latency_us(machine, "none", 2, &[64, 128, 1024]);
        assert!((us[1] - us[0] - 0.59).abs() < 0.05, "{machine}: {us:?}");
        assert!((us[2] / 2.43 - 1.0).abs() < 0.10, "{machine}: {us:?}");
    }
}

/// The step of one more round trip is at each library's threshold. LUMI-G, OMB 7.5, saw it between
/// 16 and 32 KiB with Cray MPICH from host memory (+3.38 us, 0.73 us of it wire time). With Open
/// MPI from GPU memory it was between 4 and 8 KiB (+3.11 us, of which 0.17 us).
#[test]
fn the_rendezvous_step_lies_at_the_librarys_threshold() {
    for (mpi, buffers, below, above, step) in [
        ("cray-mpich", "host", 16 << 10, 32 << 10, 3.38),
        ("openmpi", "gpu", 4 << 10, 8 << 10, 3.11),
    ] {
        let sizes = [below / 2, below, above, 2 * above];
        let us = latencies(&run_bench("latency", "lumi-g", mpi, buffers, 2, &sizes));
        let got = us[2] - us[1];
        assert!((got / step - 1.0).abs() < 0.15, "{mpi}: {us:?}");
        assert!(us[1] - us[0] < got / 2.0 && us[3] - us[2] < got / 1.5, "{mpi}: {us:?}");
    }
}

/// LUMI-G, OMB 7.5, 4 MiB from host memory: 191.6 us, and streams of 22.6 GB/s (DeiC). Aurora's
/// NICs: 90 GB/s of four (paper, 5.1), osu_bw 22.6 GB/s (ofiwg/libfabric, #11392).
/// Both ways shs-libcxi's cxi_send_bw gives 42.8 GB/s in all, cxi_write_bw 41.3.
#[test]
fn four_mebibytes_fill_a_nic_one_way_and_the_host_interface_both_ways() {
    for machine in SLINGSHOT {
        let us = latency_us(machine, "cray-mpich", 2, &[4 * MIB])[0];
        let one_way = gb_per_s("bw", machine, 4 * MIB);
        assert!((us / 191.6 - 1.0).abs() < 0.02, "{machine}: {us} us");
        assert!((22.2..=23.0).contains(&one_way), "{machine}: {one_way} GB/s");
        let each_way = gb_per_s("bibw", machine, 4 * MIB) / 2.0;
        assert!((20.6..=21.4).contains(&each_way), "{machine}: {each_way} GB/s");
    }
}

/// LUMI-G, OMB 7.5 (DeiC), 4 MiB with Cray MPICH: 22.58 GB/s from host memory, 23.95 from GPU
/// memory. A library that stages short messages in host memory sends those at the host's rate, and
/// all others at the GPU's.
#[test]
fn a_nic_that_hangs_on_a_gpu_reads_its_memory_faster_than_the_hosts() {
    let one_way = |buffers: &str, more: &str| {
        let request = serde_json::json!({
            "machine": {"name": "lumi-g"}, "mpi": "mine", "name": "bw", "nodes": 2, "ppn": 1,
            "mpi_toml": format!("like = \"cray-mpich\"\n{more}"), "buffers": buffers,
            "sizes": [4 * MIB],
        });
        let request: BenchRequest = serde_json::from_value(request).expect("a request");
        let rows = bench(&request, &mut |_| true).expect("legal").rows;
        rows[0].bandwidth.expect("measured") / 1e9
    };
    let [host, gpu] = ["host", "gpu"].map(|buffers| one_way(buffers, ""));
    assert!((host / 22.58 - 1.0).abs() < 0.01 && (gpu / 23.95 - 1.0).abs() < 0.01, "{host} {gpu}");
    let staged = one_way("gpu", "gpu_rdma_min = \"1 MiB\"");
    assert!((staged / host - 1.0).abs() < 0.01, "{staged} {host}");
}

/// The Cascade paper, VIII: Put 0.8 us, MPI 1.3 us, 100 ns per router, 10 GB/s one way, 7.5 GB/s
/// each way when both run. The host interface has 10 and 15 GB/s; message headers take the rest.
#[test]
fn cascade_gives_the_papers_latencies_and_payload_rates() {
    let put = |nodes| {
        let row = &run("put_latency", "cascade-3k", "mpich", nodes, &[8]).rows[0];
        row.latency_s.expect("measured") * 1e6
    };
    assert!((put(2) - 0.8).abs() < 0.01, "{} us", put(2));
    let mpi = latency_us("cascade-3k", "mpich", 2, &[8])[0];
    assert!((mpi - 1.3).abs() < 0.02, "{mpi} us");
    // Node 4 is on the next router of the chassis: one more hop, whose link is slower than the
    // NIC's by 6 ns for the packet's 28 bytes.
    let hop = put(5) - put(2);
    assert!((hop - 0.1).abs() < 0.007, "{hop} us");
    let one_way = gb_per_s("bw", "cascade-3k", MIB);
    assert!((9.7..=10.0).contains(&one_way), "{one_way} GB/s");
    let each_way = gb_per_s("bibw", "cascade-3k", MIB) / 2.0;
    assert!((7.3..=7.5).contains(&each_way), "{each_way} GB/s");
}

/// The Cascade paper, VIII: FMA Launch gives 120 million Puts of 8 B per second and node, 7.5
/// million per core.
#[test]
fn cascade_reaches_the_published_put_rate() {
    let rate = |cores: usize| {
        let (puts, mut nodes) = (1_000, vec![0; cores]);
        nodes.push(1);
        let job = job_on(machine("cascade-3k", &[]), "none", &nodes);
        let to = cores as u32;
        let put =
            Op::OneSided { to, context: WORLD, request_bytes: 8, response_bytes: 0, atomic: false };
        let calls = (0..to).flat_map(|at| (0..puts).map(move |nth| (at, nth)));
        let script = Script::new(to + 1, calls.map(|(at, nth)| (at, nth, 0, put.clone())));
        let (_, completed) = script.run::<PacketNetwork>(&job);
        let end = completed.iter().map(|t| t.0.seconds()).fold(0.0, f64::max);
        f64::from(to * puts) / end * 1e-6
    };
    let (core, node) = (rate(1), rate(16));
    println!("{core:.2} million puts a second a core, {node:.1} million a node");
    assert!((core / 7.5 - 1.0).abs() < 0.05, "{core} million a second");
    assert!((node / 120.0 - 1.0).abs() < 0.05, "{node} million a second");
}

/// Nanoseconds per message from one NIC to another, with `pairs` processes on each, without a
/// library.
fn ns_a_message(name: &str, pairs: u32, bytes: u64) -> f64 {
    let count = 800;
    let nodes: Vec<u32> = (0..2 * pairs).map(|rank| rank / pairs).collect();
    let job = job_on(machine(name, &[]), "none", &nodes);
    let (context, mode) = (WORLD, SendMode::Standard);
    let calls = (0..pairs).flat_map(|from| {
        let to = from + pairs;
        (0..count).flat_map(move |nth| {
            let send = Op::Send { to, context, tag: 1, bytes, mode };
            let recv = Op::Recv { from, context, tag: 1, bytes };
            [(from, nth, 0, send), (to, nth, 0, recv)]
        })
    });
    let (_, completed) = Script::new(2 * pairs, calls).run::<PacketNetwork>(&job);
    let received = completed.iter().filter(|(_, done)| done.rank >= pairs).map(|(at, _)| *at);
    let (first, last) = (received.clone().min(), received.max());
    let took = last.expect("messages").since(first.expect("messages"));
    took.seconds() * 1e9 / f64::from(pairs * count - 1)
}

/// A process gives a NIC a message every 59 ns (shs-libcxi, 14.3 million per second in lists of
/// 256). The NIC accepts one every 12 ns from all processes (Kestrel: 163.6 million per second
/// through two).
#[test]
fn a_slingshot_nic_takes_more_messages_than_one_process_has_for_it() {
    for (pairs, ns) in [(1, 59.0), (2, 29.5), (4, 14.75), (8, 12.0), (16, 12.0)] {
        let got = ns_a_message("aurora", pairs, 8);
        assert!((got / ns - 1.0).abs() < 0.01, "{pairs} pairs: {got} ns");
    }
}

/// 1 KiB at 22.6 GB/s, plus 35 ns if one process receives (shs-libcxi's cxi_send_bw), which eight
/// processes do in parallel. On Elbert 65 ns, with four processes (HPE's osu_mbw_mr).
#[test]
fn per_message_time_belongs_to_a_process_and_on_elbert_to_the_nic() {
    let bytes = 1024.0 / 22.6;
    for (name, pairs, more) in
        [("aurora", 1, 35.0), ("aurora", 8, 35.0 / 8.0), ("elbert", 1, 65.0), ("elbert", 8, 65.0)]
    {
        let (got, ns) = (ns_a_message(name, pairs, 1024), bytes + more);
        assert!((got / ns - 1.0).abs() < 0.01, "{name}, {pairs} pairs: {got} ns for {ns}");
    }
}

/// Puts and gets below MPI: 10 GB/s one way, 7.5 GB/s each way in both directions. A put takes 0.8
/// us, a get 1.6 us: the put, the return of its data, and the read by the target's NIC.
#[test]
fn cascade_gives_puts_and_gets_the_papers_rates() {
    for (name, gb) in [("put_bw", 10.0), ("get_bw", 10.0), ("put_bibw", 15.0)] {
        let got = gb_per_s(name, "cascade-3k", MIB);
        assert!((got / gb - 1.0).abs() < 0.02, "{name}: {got} GB/s");
    }
    let us = |name| {
        let row = &run(name, "cascade-3k", "none", 2, &[8]).rows[0];
        row.latency_s.expect("measured") * 1e6
    };
    let (put, get) = (us("put_latency"), us("get_latency"));
    assert!((put / 0.8 - 1.0).abs() < 0.05, "{put} us");
    assert!((get / 1.6 - 1.0).abs() < 0.01, "{get} us");
    assert!((get - put - 0.105 - 0.692).abs() < 0.01, "{get} us, a put {put} us");
}
