//! Inside the node: copy rates, NIC selection, and transfer methods of GPU buffers. The formulas
//! are those of docs/models/node.md and docs/models/gpu-buffers.md; numbers are in the presets and
//! the profiles.

use api::{BenchRequest, BenchResult, bench};
use base::{Gap, Span};
use machine::{MachineSpec, NodeParams};
use mpi::Library;
use serde_json::{Value, json};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// A benchmark on Aurora, with additional keys of the request.
fn run_bench(
    name: &str,
    more: Value,
    sizes: &[u64],
) -> Result<BenchResult, Vec<machine::InputError>> {
    let mut request = json!({
        "machine": {"name": "aurora"}, "name": name, "nodes": 1, "ppn": 2, "sizes": sizes,
        "mpi": "mpich", "fidelity": "loggp",
    });
    let words = more.as_object().expect("an object").clone();
    request.as_object_mut().expect("an object").extend(words);
    let request: BenchRequest = serde_json::from_value(request).expect("a request");
    bench(&request, &mut |_| true)
}

fn on(set: &[(&str, &str)]) -> Value {
    json!({"name": "aurora", "set": set})
}

/// Nanoseconds, one value per size.
fn latency(more: Value, sizes: &[u64]) -> Vec<f64> {
    let rows = run_bench("latency", more, sizes).expect("legal").rows;
    rows.iter().map(|row| row.latency_s.expect("measured") * 1e9).collect()
}

/// GB/s.
fn rate(name: &str, more: Value, bytes: u64) -> f64 {
    let rows = run_bench(name, more, &[bytes]).expect("legal").rows;
    rows[0].bandwidth.expect("measured") / 1e9
}

fn node(set: &[(&str, &str)]) -> NodeParams {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let text = machine::preset("aurora").expect("a preset");
    let machine = MachineSpec::parse("aurora", text, &set).and_then(|s| s.resolve());
    machine.expect("legal").node
}

fn library(name: &str) -> Library {
    let text = mpi::library::preset(name).expect("a preset");
    Library::parse(name, text, "slingshot").expect("legal")
}

fn close(got: f64, want: f64, within: f64) {
    assert!((got / want - 1.0).abs() < within, "{got}, not {want}");
}

/// Aurora with one CPU, on which all ranks run.
const ONE_CPU: (&str, &str) = ("groups.compute.cpus", "1");

/// Two ranks of a node, with the parameters of machine and library, in nanoseconds.
struct Pair {
    latency: f64,
    /// To copy one byte.
    byte: f64,
    library: Library,
}

impl Pair {
    fn near(library: Library) -> Pair {
        let p = node(&[]);
        Pair { latency: ns(p.shm_latency), byte: gap(p.shm_gap), library }
    }
    fn far(library: Library) -> Pair {
        let p = node(&[]);
        Pair { latency: ns(p.shm_latency + p.far_latency), byte: gap(p.far_gap), library }
    }
    fn copy(&self, bytes: u64) -> f64 {
        self.byte * bytes as f64
    }
    fn overheads(&self) -> f64 {
        ns(self.library.shm_send_overhead) + ns(self.library.shm_recv_overhead)
    }
    /// Copied in by one core and out by the other.
    fn eager(&self, bytes: u64) -> f64 {
        self.overheads() + self.latency + 2.0 * self.copy(bytes)
    }
    /// The receiver reads the request and copies. In a ping-pong its next request waits until the
    /// other rank has seen the completion and posted a receive.
    fn single(&self, start: Span, bytes: u64) -> f64 {
        let (l, overheads) = (&self.library, self.overheads());
        let notified = self.latency + ns(l.call_overhead) - overheads;
        overheads + self.latency + ns(start) + self.copy(bytes) + notified.max(0.0)
    }
    /// The receiver requests the data. The sender fills one cell while the receiver empties the one
    /// before.
    fn by_cells(&self, bytes: u64) -> f64 {
        let first = bytes.min(self.library.shm_cell);
        self.overheads() + 3.0 * self.latency + self.copy(first) + self.copy(bytes)
    }
}

fn ns(span: Span) -> f64 {
    span.0 as f64 / 1e3
}

/// Nanoseconds per byte.
fn gap(gap: Gap) -> f64 {
    gap.span(1 << 30).0 as f64 / 1e3 / (1 << 30) as f64
}

/// A profile derived from MPICH's.
fn like(more: &str) -> (Library, Value) {
    let text = format!("like = \"mpich\"\nversion = \"1\"\n{more}");
    let library = Library::parse("mine", &text, "slingshot").expect("legal");
    (library, json!({"mpi": "mine", "mpi_toml": text}))
}

fn near(mut more: Value) -> Value {
    more["machine"] = on(&[ONE_CPU]);
    more
}

/// Bytes, and the expected time of a message.
fn check(what: &str, more: &Value, want: &[(u64, f64)]) {
    let sizes: Vec<u64> = want.iter().map(|&(bytes, _)| bytes).collect();
    let got = latency(more.clone(), &sizes);
    for (&(bytes, want), got) in want.iter().zip(got) {
        assert!((got - want).abs() < 0.1, "{what}, {bytes} B: {got} ns, not {want}");
    }
}

/// Both sides of each threshold of a library: MPICH's cells end below 8 KiB, CMA starts at 64 KiB.
/// Two ranks of a node of Aurora are on its two CPUs.
#[test]
fn the_shared_memory_path_changes_at_the_library_thresholds() {
    let page = |l: &Library, n: u64| l.cma_start + l.cma_page * n;
    for (at, pair, more) in [
        ("near", Pair::near(library("mpich")), near(json!({}))),
        ("far", Pair::far(library("mpich")), json!({})),
    ] {
        let l = &pair.library;
        let cells = [0, 1, 8, 128, 4 * KIB, 8 * KIB - 1].map(|bytes| (bytes, pair.eager(bytes)));
        let cma = [(8 * KIB, 2), (8 * KIB + 1, 3), (64 * KIB - 1, 16)]
            .map(|(bytes, pages)| (bytes, pair.single(page(l, pages), bytes)));
        let xpmem = [64 * KIB, MIB].map(|bytes| (bytes, pair.single(l.xpmem_start, bytes)));
        check(at, &more, &[&cells[..], &cma, &xpmem].concat());
    }
    // Cray MPICH uses XPMEM for everything that is not in cells.
    let pair = Pair::near(library("cray-mpich"));
    let start = pair.library.xpmem_start;
    let want = [(8 * KIB - 1, pair.eager(8 * KIB - 1)), (8 * KIB, pair.single(start, 8 * KIB))];
    check("cray-mpich", &near(json!({"mpi": "cray-mpich"})), &want);
    assert!(start > Span::ZERO);
    // Without a library nothing is copied out.
    let pair = Pair::near(library("none"));
    let want = [8, MIB].map(|bytes| (bytes, pair.latency + pair.copy(bytes)));
    check("none", &near(json!({"mpi": "none"})), &want);
}

/// Without CMA and XPMEM everything goes through cells, what does not fit in one after a request. A
/// library without requests also fills the next cell while one is emptied.
#[test]
fn shared_memory_cells_are_filled_and_drained_concurrently() {
    let without = "cma_min = \"unlimited\"\nxpmem_min = \"unlimited\"\nshm_cell = \"16 KiB\"";
    let (l, more) = like(without);
    for (at, pair, more) in
        [("near", Pair::near(l.clone()), near(more.clone())), ("far", Pair::far(l), more.clone())]
    {
        let cells = [8 * KIB, 16 * KIB, 16 * KIB + 1, MIB];
        let want = cells.map(|bytes| (bytes, pair.by_cells(bytes)));
        check(at, &more, &[&[(8 * KIB - 1, pair.eager(8 * KIB - 1))], &want[..]].concat());
    }
    close(rate("bw", near(more.clone()), 4 * MIB), 12.0, 0.01);
    // Both copies are limited by the memory.
    let mut slow = more;
    slow["machine"] = on(&[ONE_CPU, ("node.memory_rate", "30 GB/s")]);
    slow["ppn"] = 16.into();
    close(rate("mbw_mr", slow, MIB), 15.0, 0.02);
    let (l, more) = like("shm_eager_max = \"1 MiB\"");
    let pair = Pair::near(l);
    let eager = |bytes: u64| {
        let last = bytes.min(8 * KIB);
        (bytes, pair.overheads() + pair.latency + pair.copy(bytes) + pair.copy(last))
    };
    check("eager", &near(more), &[8 * KIB, 8 * KIB + 1, MIB].map(eager));
}

/// A lone message pays both cores. A stream pays the slower one, the receiver's: it fetches every
/// message from the sender's cache, and copies as long as the sender's.
#[test]
fn a_stream_within_a_node_pays_the_slower_core() {
    let each = |more: Value, bytes: u64| {
        let mut more = near(more);
        more["window"] = 1000.into();
        bytes as f64 / rate("bw", more, bytes)
    };
    let pair = Pair::near(library("mpich"));
    let l = &pair.library;
    let receiver = ns(l.call_overhead) + pair.latency + ns(l.shm_recv_overhead);
    for bytes in [1, 8, 128, KIB, 8 * KIB - 1] {
        close(each(json!({}), bytes), receiver + pair.copy(bytes), 0.01);
    }
    // The request is the message that is waited for.
    close(each(json!({}), 64 * KIB), receiver + pair.copy(64 * KIB), 0.01);
    let (l, slow) = like("shm_send_overhead = \"500 ns\"");
    close(each(slow, KIB), ns(l.shm_send_overhead) + pair.copy(KIB), 0.01);
    // A core copies one message after another, so a pair gets a core's rate and not the memory's.
    // Several pairs have several cores, and share the memory.
    close(rate("bw", near(json!({})), 4 * MIB), 12.0, 0.01);
    close(rate("mbw_mr", near(json!({"ppn": 16})), MIB), 8.0 * 12.0, 0.01);
    let slow = on(&[ONE_CPU, ("node.memory_rate", "30 GB/s")]);
    close(rate("mbw_mr", json!({"ppn": 16, "machine": slow}), MIB), 30.0, 0.01);
}

/// Two ranks of a node of Aurora are on its two CPUs.
#[test]
fn the_other_cpu_is_farther() {
    let set = [("node.far_latency", "100 ns"), ("node.far_rate", "6 GB/s")];
    let far = json!({"machine": on(&set)});
    let (a, b) = (latency(near(json!({})), &[8]), latency(far.clone(), &[8]));
    // Copying 8 B takes 0.7 ns longer, twice.
    assert!((b[0] - a[0] - 101.3).abs() < 0.1, "{a:?} {b:?}");
    close(rate("bw", far.clone(), MIB), 6.0, 0.01);
    // With one CPU nothing is far.
    let one = on(&[&set[..], &[ONE_CPU]].concat());
    assert_eq!(latency(json!({"machine": one}), &[8, MIB]), latency(near(json!({})), &[8, MIB]));
}

/// With all ranks on one NIC they get that NIC's bandwidth, an eighth of the node's.
#[test]
fn a_bad_binding_costs_the_bandwidth_of_the_other_nics() {
    let all = |policy: &str| {
        let more = json!({"nodes": 2, "ppn": 8, "nic_policy": policy, "fidelity": "packet"});
        rate("mbw_mr", more, 256 * KIB)
    };
    let block = all("block");
    close(block, 8.0 * 22.6, 0.03);
    close(all("single"), 22.6, 0.02);
    // Eight ranks on eight NICs with other mappings. With policy GPU, two NICs have two ranks each,
    // whose windows take twice as long. Time runs from the first rank's first window to the last
    // one's third.
    for (policy, part) in [("numa", 1.0), ("round-robin", 1.0), ("GPU", 2.0 / (3.0 * 2.0 - 1.0))] {
        close(all(policy), block * part, 0.03);
    }
}

/// Round robin gives half of the ranks a NIC of the other CPU; numa and block none.
#[test]
fn a_nic_of_the_other_cpu_is_farther() {
    let pairs = |policy: &str, far: &str| {
        let machine = on(&[("node.far_nic_latency", far)]);
        let more = json!({"nodes": 2, "ppn": 4, "nic_policy": policy, "machine": machine});
        run_bench("multi_lat", more, &[8]).expect("legal").rows[0].latency_s.expect("measured")
            * 1e9
    };
    for policy in ["block", "numa"] {
        assert_eq!(pairs(policy, "0 ns"), pairs(policy, "100 ns"), "{policy}");
    }
    // Of four ranks, 2 and 3 run on CPU 1 and have NICs 2 and 3 of CPU 0, as have their peers.
    let more = pairs("round-robin", "100 ns") - pairs("round-robin", "0 ns");
    assert!((more - 100.0).abs() < 1.0, "{more}");
}

/// A host takes part at both ends of a message and of a get. The NICs exchange further messages by
/// themselves: the receiver's NIC fetches the rest of a rendezvous. MPICH's rendezvous starts at
/// 18,434 B.
#[test]
fn a_host_far_from_its_nic_counts_once_at_either_end_of_a_message() {
    for fidelity in ["loggp", "flow", "packet"] {
        let ends = |name: &str, bytes: u64| {
            let ns = |latency: &str| {
                let machine = on(&[("node.nic_latency", latency)]);
                let more = json!({"nodes": 2, "ppn": 1, "machine": machine, "fidelity": fidelity});
                let rows = run_bench(name, more, &[bytes]).expect("legal").rows;
                rows[0].latency_s.expect("measured") * 1e9
            };
            ns("300 ns") - ns("0 ns")
        };
        for (name, bytes) in [
            ("latency", 8),
            ("latency", 18_433),
            ("latency", 18_434),
            ("latency", MIB),
            ("get_latency", 8),
            ("get_latency", MIB),
        ] {
            let more = ends(name, bytes);
            assert!((more - 600.0).abs() < 0.1, "{fidelity} {name} {bytes} B: {more}");
        }
    }
    // If software matches, the receiver's host reads the request and fetches the data.
    let software = |host: &str| {
        let mut more = json!({"nodes": 2, "ppn": 1, "mpi": "mine"});
        more["mpi_toml"] = "like = \"mpich\"\nrx_match_mode = \"software\"".into();
        more["machine"] = on(&[("node.nic_latency", host)]);
        latency(more, &[MIB])[0]
    };
    let more = software("300 ns") - software("0 ns");
    assert!((more - 1200.0).abs() < 0.1, "{more}");
    // Within a node no NIC takes part.
    let within = json!({"machine": on(&[("node.nic_latency", "300 ns")])});
    assert_eq!(latency(within, &[8, MIB]), latency(json!({}), &[8, MIB]));
}

#[test]
fn a_long_message_is_split_over_nics_where_the_library_does_that() {
    let profile = "like = \"mpich\"\nversion = \"1\"\nmax_nics = 4\nstripe_nics = 8";
    let plain = json!({"nodes": 2, "ppn": 1, "fidelity": "packet"});
    let mut striped = plain.clone();
    striped["mpi"] = "mine".into();
    striped["mpi_toml"] = profile.into();
    let one = rate("bw", plain.clone(), 4 * MIB);
    close(rate("bw", striped.clone(), 4 * MIB), 4.0 * one, 0.05);
    let below = |more: &Value| run_bench("bw", more.clone(), &[MIB - 1]).expect("legal").digest;
    assert_eq!(below(&plain), below(&striped), "short ones are whole");
}

fn refused(name: &str, more: Value) -> machine::InputError {
    run_bench(name, more, &[8]).expect_err("refused").swap_remove(0)
}

#[test]
fn gpu_buffers_are_refused_where_they_mean_nothing() {
    let gpu = json!({"buffers": "gpu"});
    let input_error = refused("put_latency", gpu.clone());
    assert_eq!(input_error.at, "buffers");
    assert!(input_error.expected.contains("poll host memory"), "{input_error:?}");
    let none = json!({"machine": {"name": "dragonfly-1056"}, "buffers": "gpu"});
    assert!(refused("latency", none).expected.contains("have no GPUs"));
    let unsaid = json!({"machine": on(&[("groups.compute.gpus", "0")]), "buffers": "gpu"});
    assert!(refused("latency", unsaid).expected.contains("have no GPUs"));
    let wrong = refused("latency", json!({"buffers": "gpus", "nic_policy": "nearest"}));
    assert_eq!(wrong.hint.as_deref(), Some("gpu"));
    let policy = refused("latency", json!({"nic_policy": "nearest"}));
    assert_eq!(policy.at, "nic_policy");
}

/// MPICH's default build stages data that its build for Aurora lets the NIC read: a copy out of the
/// GPU, and one into the other.
#[test]
fn staging_costs_a_copy_at_each_end() {
    let us = |mpi: &str, bytes: u64| {
        let more = json!({"nodes": 2, "ppn": 1, "mpi": mpi, "buffers": "gpu"});
        latency(more, &[bytes])[0]
    };
    let (gpu, l) = (node(&[]).gpu.expect("GPUs"), library("mpich-aurora").gpu);
    for bytes in [8 * KIB, MIB, 8 * MIB] {
        let copy = (gpu.copy_latency + gpu.gap.span(bytes)).0 as f64 / 1e3;
        let more = us("mpich", bytes) - us("mpich-aurora", bytes);
        let want = 2.0 * (copy - l.overhead.0 as f64 / 1e3);
        assert!((more - want).abs() < 2.0, "{bytes}: {more}, not {want}");
    }
    // Pieces overlap with the network: each end waits for one, not for all.
    let text = "like = \"mpich-aurora\"\ngpu_rdma_min = \"unlimited\"\ngpu_chunk = \"1 MiB\"";
    let more = json!({
        "nodes": 2, "ppn": 1, "mpi": "pieces", "mpi_toml": text, "buffers": "gpu"
    });
    let piece = (gpu.copy_latency + gpu.gap.span(MIB)).0 as f64 / 1e3;
    let more = latency(more, &[8 * MIB])[0] - us("mpich-aurora", 8 * MIB);
    assert!((more - 2.0 * piece).abs() < 200.0, "{more}, not {}", 2.0 * piece);
}

/// Spock has 16 nodes of four GPUs in this job. A longer block never takes less time, although
/// short ones are copied by loads and stores and long ones by a copy engine.
#[test]
fn a_staged_alltoall_rises_with_its_size() {
    let sizes: Vec<u64> = (9..=17).map(|power| 1 << power).collect();
    let more = json!({
        "machine": {"name": "spock"}, "nodes": 16, "ppn": 4, "mpi": "mpich", "buffers": "gpu",
        "fidelity": "loggp"
    });
    let rows = run_bench("alltoall", more, &sizes).expect("legal").rows;
    let times: Vec<f64> = rows.iter().map(|row| row.latency_s.expect("measured") * 1e6).collect();
    assert!(times.is_sorted(), "{times:?}");
    // Of 63 peers 60 are on other nodes: each costs a rank two messages, and a copy out and in.
    let l = library("mpich");
    let gap = 1e6 / 25e9;
    for (&bytes, &us) in sizes.iter().zip(&times) {
        let copied = 5.0 + bytes as f64 * gap;
        let stored = l.gpu.load_overhead.0 as f64 / 1e6 + bytes as f64 * gap;
        let into = if bytes <= 4 * KIB { stored } else { copied };
        let cpu = (l.send_overhead + l.recv_overhead).0 as f64 / 1e6 + copied + into;
        assert!(us > 60.0 * cpu, "{bytes}: {us} us, CPU {cpu} us per peer");
    }
}

/// Data that the NIC must fetch from a GPU does not fit in its command: Open MPI's 8 B also take
/// the time of the DMA (LUMI-G: 2.92 us instead of 2.34 us).
#[test]
fn short_gpu_messages_step_where_the_cpu_does_not_move_them() {
    let by = |mpi: &str, buffers: &str| {
        let more = json!({"nodes": 2, "ppn": 1, "mpi": mpi, "buffers": buffers});
        latency(more, &[64, 128])
    };
    let (host, gpu) = (by("openmpi", "host"), by("openmpi", "gpu"));
    // The NIC reads 64 B completely before they leave, at 12.4 GB/s.
    assert!((gpu[0] - host[0] - 580.0 - 64.0 / 12.4).abs() < 1.0, "{host:?} {gpu:?}");
    assert!((gpu[1] - host[1]).abs() < 1.0, "{host:?} {gpu:?}");
    let (host, gpu) = (by("cray-mpich", "host"), by("cray-mpich", "gpu"));
    for i in 0..2 {
        assert!((gpu[i] - host[i] - 70.0).abs() < 1.0, "{host:?} {gpu:?}");
    }
}

/// Within a node: Xe-Link between GPUs, the faster path between tiles of one; at most at the
/// library's copy rate.
#[test]
fn gpus_of_a_node_read_each_other_over_their_links() {
    let by = |mpi: &str, gpus: &str| {
        let machine = on(&[("groups.compute.gpus", gpus)]);
        rate("bw", json!({"mpi": mpi, "buffers": "gpu", "machine": machine}), 16 * MIB)
    };
    close(by("cray-mpich", "6"), 28.0, 0.01);
    close(by("cray-mpich", "1"), 200.0, 0.03);
    close(by("openmpi", "6"), 15.1, 0.01);
    // In both directions at once, each link has its rate.
    let more = json!({"mpi": "cray-mpich", "buffers": "gpu"});
    close(rate("bibw", more, 16 * MIB), 56.0, 0.01);
    // Six pairs from three GPUs to three: two pairs share each link.
    let more = json!({"ppn": 12, "mpi": "cray-mpich", "buffers": "gpu"});
    close(rate("mbw_mr", more, 16 * MIB), 3.0 * 28.0, 0.01);
}

/// "Scaling MPI Applications on Aurora", 5.1: the four NICs of a socket get 90 GB/s from host
/// memory, about 70 from GPU memory; one NIC gets 23.
#[test]
fn nics_of_a_socket_share_their_path_to_gpus() {
    let of = |more: Value| {
        let mut all = json!({"nodes": 2, "ppn": 16, "mpi": "mpich-aurora", "fidelity": "packet"});
        all.as_object_mut().expect("one").extend(more.as_object().expect("one").clone());
        rate("mbw_mr", all, MIB)
    };
    let host = of(json!({})) / 2.0;
    close(host, 90.0, 0.10);
    let gpu = of(json!({"buffers": "gpu"})) / 2.0;
    close(gpu, 70.0, 0.10);
    assert!(gpu < 70.0, "{gpu} GB/s through what has 70");
    let one = of(json!({"buffers": "gpu", "nic_policy": "single", "ppn": 4}));
    close(one, 23.0, 0.10);
}

/// Collectives take GPU buffers: reductions copy them to host memory and back.
#[test]
fn collectives_take_gpu_buffers() {
    let us = |name: &str, buffers: &str| {
        let more = json!({"nodes": 2, "ppn": 12, "mpi": "mpich-aurora", "buffers": buffers});
        run_bench(name, more, &[64]).expect("legal").rows[0].latency_s.expect("measured") * 1e6
    };
    for name in ["bcast", "allgather", "alltoall", "gather", "allreduce", "scan", "barrier"] {
        let (host, gpu) = (us(name, "host"), us(name, "gpu"));
        let moves = name != "barrier";
        assert_eq!(gpu > host, moves, "{name}: {host} us, {gpu} us");
    }
}

/// The CPUs limit one pair of processes with short messages (docs/models/library.md), here that of
/// the receiver. Their NICs could carry nearly twice as many of 8 KiB; a second pair uses that.
#[test]
fn one_process_saturates_its_nic_with_long_messages_only() {
    let pairs = |ppn: u32, bytes| {
        let machine = json!({"name": "lumi-c"});
        let more = json!({
            "machine": machine, "nodes": 2, "ppn": ppn, "mpi": "cray-mpich", "fidelity": "packet",
        });
        rate("mbw_mr", more, bytes)
    };
    let l = library("cray-mpich");
    let receives = l.post_overhead + l.recv_overhead + l.eager_copy_gap.span(8 * KIB);
    assert!(receives > l.send_overhead);
    let by_cpu = 8.0 * KIB as f64 / ns(receives); // 14.0 GB/s
    let (one, two) = (pairs(1, 8 * KIB), pairs(2, 8 * KIB));
    // The wait for the answer to a window of 64 takes up to a sixth.
    assert!((by_cpu * 5.0 / 6.0..by_cpu).contains(&one), "{one} of {by_cpu} GB/s");
    let of_nic = 2048.0 / 2132.0 * 25.0;
    assert!((1.25 * one..=of_nic).contains(&two), "{two} of {of_nic} GB/s");
    close(pairs(2, MIB), pairs(1, MIB), 0.02);
}

/// In an alltoall a rank copies its own block. In GPU memory that is a copy by the GPU's runtime;
/// NICs move the other block without one.
#[test]
fn a_rank_copies_its_own_block_in_gpu_memory() {
    let time = |copy_latency: &str, buffers: &str| {
        let machine = on(&[("node.gpu_copy_latency", copy_latency)]);
        let more = json!({
            "machine": machine, "nodes": 2, "ppn": 1, "mpi": "mpich-aurora", "buffers": buffers,
        });
        let rows = run_bench("alltoall", more, &[4 * KIB]).expect("legal").rows;
        rows[0].latency_s.expect("measured") * 1e9
    };
    let more = time("50 us", "gpu") - time("20 us", "gpu");
    assert!((more - 30e3).abs() < 1.0, "{more}");
    assert_eq!(time("50 us", "host"), time("20 us", "host"));
}

/// MPICH on Alps has the measured 0.77 us per message of 8 B within a node (CSCS' page). The
/// overheads of sender and receiver do not contain the posting of receives and the fetch.
#[test]
fn short_messages_within_a_node_of_alps_are_as_frequent_as_measured() {
    let rate = rate("bw", json!({"machine": {"name": "alps"}}), 8);
    close(8.0 / (rate * 1e9), 0.77e-6, 0.02);
}
