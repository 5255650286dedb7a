//! Times of clients and targets, media, counters.

use base::Span;
use machine::storage::daos::{Checksums, ClientPath, DaosParams};
use storage::daos::operation;
use storage::{FileSystem, MediumId, Peer, Rpc};
use workload::{FileCall, FileCallKind as Kind, file_flag};

use crate::driver::{Driver, FILE, ROOT, call, create, params, read, write};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// CPU time of the rank for a call, and the RPCs of the call.
fn cost(driver: &mut Driver, what: &FileCall) -> (Span, Vec<Rpc>) {
    let before = driver.sink.occupied;
    let rpcs = driver.rpcs(0, what);
    (Span(driver.sink.occupied.0 - before.0), rpcs)
}

fn driver(params: &DaosParams) -> Driver {
    let mut driver = Driver::new(params);
    driver.rpcs(0, &create(FILE));
    driver
}

#[test]
fn a_process_pays_for_rpcs_bytes_parity_and_checksums() {
    let p = params("S1");
    let c = p.client.clone();
    let rpc = c.send + c.receive;
    let with = |class: &str, checksums| DaosParams {
        checksums,
        chunk_size: Some(4 * MIB),
        ..params(class)
    };
    for (class, checksums, bytes, expected) in [
        ("S1", Checksums::Off, 4 * KIB, rpc),
        ("S1", Checksums::Off, MIB, rpc + c.write.span(MIB)),
        ("S1", Checksums::Client, 4 * KIB, rpc + c.checksum.span(4 * KIB)),
        // All replicas fetch from the same memory.
        ("RP_2G1", Checksums::Off, MIB, rpc + c.write.span(MIB)),
        // One stripe of 2 MiB: two parity cells.
        (
            "EC_16P2G1",
            Checksums::Off,
            2 * MIB,
            rpc + c.parity.span(2 * 2 * MIB) + c.write.span(2 * MIB),
        ),
        // A partial stripe needs no parity.
        ("EC_16P2G1", Checksums::Off, MIB, rpc + c.write.span(MIB)),
    ] {
        let mut driver = driver(&with(class, checksums));
        let (got, _) = cost(&mut driver, &write(FILE, 0, bytes));
        assert_eq!(got, expected, "{class}, {bytes} B");
    }
    let mut driver = driver(&with("S1", Checksums::Client));
    driver.rpcs(0, &write(FILE, 0, MIB));
    let (got, _) = cost(&mut driver, &read(FILE, 0, MIB, MIB));
    assert_eq!(got, rpc + c.read.span(MIB) + c.checksum.span(MIB));
    // The daemon's time is not that of a rank.
    let path = ClientPath::Dfuse { caching: false, write_back: false };
    let mut driver = self::driver(&DaosParams { client_path: path, ..with("S1", Checksums::Off) });
    let (got, _) = cost(&mut driver, &write(FILE, 0, MIB));
    assert_eq!(got, p.dfuse.kernel);
}

#[test]
fn a_target_pays_for_execution_copies_and_checksums() {
    let p = params("S1");
    let e = p.engine.clone();
    let update = e.request + e.update + e.new_key + e.new_object;
    for (checksums, bytes, service) in [
        (Checksums::Off, 4 * KIB - 1, update + e.update_copy.span(4 * KIB - 1)),
        (Checksums::Off, 4 * KIB, update),
        (Checksums::Client, MIB, update),
        (Checksums::ClientAndEngine, MIB, update + e.checksum.span(MIB)),
    ] {
        let mut driver = driver(&DaosParams { checksums, ..p.clone() });
        let (_, rpcs) = cost(&mut driver, &write(FILE, 0, bytes));
        assert_eq!(rpcs[0].service, service, "{bytes} B");
        // Small extents are on SCM, which the thread writes; others on an NVMe.
        let access = rpcs[0].access.map(|access| (access.span, access.latency));
        let nvme = (e.nvme_command + e.nvme_write.span(bytes), e.nvme_write_latency);
        assert_eq!(access, (bytes >= 4 * KIB).then_some(nvme), "{bytes} B");
        let (_, rpcs) = cost(&mut driver, &read(FILE, 0, bytes, bytes));
        let access = rpcs[0].access.map(|access| (access.span, access.latency));
        let nvme = (e.nvme_command + e.nvme_read.span(bytes), e.nvme_read_latency);
        assert_eq!(access, (bytes >= 4 * KIB).then_some(nvme), "{bytes} B");
    }
    // Without NVMe, RDMA writes to SCM.
    let mut driver = driver(&DaosParams { nvmes: 0, ..p.clone() });
    let (_, rpcs) = cost(&mut driver, &write(FILE, 0, MIB));
    let Peer::Server(target) = rpcs[0].to else { panic!("no target") };
    let access = rpcs[0].access.expect("an access");
    assert_eq!((access.medium, access.span), (MediumId(target.0), e.scm_write.span(MIB)));
}

#[test]
fn calls_that_open_an_object_pay_for_it() {
    let c = params("S1").client;
    let rpc = c.send + c.receive;
    let mut driver = Driver::new(&params("S1"));
    let (got, _) = cost(&mut driver, &create(FILE));
    assert_eq!(got, c.open + rpc);
    let exists = file_flag::EXISTS;
    for (kind, flags, expected) in [
        (Kind::Stat, exists, c.open + rpc * 2),
        (Kind::Stat, exists | file_flag::DIRECTORY, rpc),
        (Kind::Open, exists, c.open + rpc),
        (Kind::Unlink, exists, rpc * 3),
    ] {
        let (got, _) = cost(&mut driver, &call(kind, FILE, ROOT, flags));
        assert_eq!(got, expected, "{kind:?}");
    }
}

/// `vos_perf` on one core with Optane: daos-stack/daos @1ff45496, admin/performance_tuning.md. The
/// same accesses, without the cost of an RPC and of trees that are not in the cache.
#[test]
fn a_target_is_as_fast_as_measured_on_one_core() {
    let e = params("S1").engine;
    for (bytes, update_us, fetch_us) in [(4 * KIB, 12.448, 2.388), (MIB, 531.2, 253.3)] {
        let update = e.update + e.update_copy.span(bytes);
        let fetch = e.fetch + e.fetch_copy.span(bytes);
        assert!((update.seconds() * 1e6 / update_us - 1.0).abs() < 0.01, "{update:?}");
        assert!((fetch.seconds() * 1e6 / fetch_us - 1.0).abs() < 0.01, "{fetch:?}");
    }
}

/// The first update of a key inserts it, and the first of an object on a target also the object. A
/// replica pays the same.
#[test]
fn a_target_pays_for_new_keys_and_objects() {
    let p = DaosParams { chunk_size: Some(MIB), ..params("RP_2G1") };
    let e = p.engine.clone();
    let mut driver = Driver::new(&p);
    let service = |rpcs: Vec<Rpc>| rpcs.iter().map(|rpc| rpc.service).collect::<Vec<_>>();
    let update = e.request + e.update;
    let entry = update + e.new_key + e.update_copy.span(p.message.entry.into());
    assert_eq!(service(driver.rpcs(0, &create(FILE))), [entry]);
    let object = update + e.new_key + e.new_object;
    assert_eq!(service(driver.rpcs(0, &write(FILE, 0, 8 * KIB))), [object; 2]);
    // What is forwarded also has commits of earlier writes.
    for (offset, expected) in [(0, update), (8 * KIB, update), (MIB, update + e.new_key)] {
        assert_eq!(service(driver.rpcs(0, &write(FILE, offset, 8 * KIB)))[0], expected);
    }
    let fetch = e.request + e.fetch + e.cold_fetch;
    assert_eq!(service(driver.rpcs(0, &read(FILE, 0, 8 * KIB, MIB + 8 * KIB))), [fetch]);
}

/// Removing data costs more than removing an empty file.
#[test]
fn a_target_pays_for_the_space_of_removed_objects() {
    let p = params("S1");
    let e = p.engine.clone();
    let mut driver = Driver::new(&p);
    for (file, bytes, reclaim) in [(FILE, 0, Span::ZERO), (FILE + 1, 100, e.reclaim)] {
        driver.rpcs(0, &create(file));
        if bytes > 0 {
            driver.rpcs(0, &write(file, 0, bytes));
        }
        let rpcs = driver.rpcs(0, &call(Kind::Unlink, file, ROOT, file_flag::EXISTS));
        let punch = rpcs.iter().find(|rpc| rpc.operation == operation::OBJ_PUNCH);
        assert_eq!(punch.expect("a punch").service, e.request + e.punch + reclaim, "{bytes} B");
    }
}

/// Servers and media are those of the hosts: 20 nodes of 2 engines, 16 targets and 8 NVMes each.
#[test]
fn two_targets_share_an_nvme_of_their_engine() {
    let mut driver = Driver::new(&params("S1"));
    let places = driver.daos.servers();
    assert_eq!(places.len(), 641);
    assert_eq!((places[33].host, places[33].port, places[33].threads), (1, 0, 1));
    assert_eq!((places[63].host, places[63].port), (1, 1));
    assert_eq!(driver.daos.media(), 640 + 320);
    for file in 1..400 {
        driver.rpcs(0, &create(file));
        let rpcs = driver.rpcs(0, &write(file, 0, MIB));
        let Peer::Server(target) = rpcs[0].to else { panic!("no target") };
        let medium = rpcs[0].access.expect("an access").medium;
        assert_eq!(medium.0, 640 + target.0 / 2);
    }
    let name = |medium| driver.daos.medium_name(MediumId(medium));
    assert_eq!(
        (name(17).as_str(), name(640 + 8).as_str()),
        ("SCM of rank 1 tgt_1", "NVMe 0 of rank 1")
    );
    assert_eq!(driver.daos.place_name(storage::ServerId(17)), "rank 1 tgt_1");
}

#[test]
fn counters_are_those_of_the_messages() {
    let mut driver = driver(&DaosParams { chunk_size: Some(MIB), ..params("EC_2P1G1") });
    driver.rpcs(0, &write(FILE, 0, 3 * MIB));
    driver.rpcs(0, &write(FILE, 0, 100));
    driver.rpcs(0, &read(FILE, 0, 2 * MIB, 3 * MIB));
    let counters = driver.daos.counters();
    let value = |name: &str| {
        let found = counters.iter().find(|(key, _)| key == name);
        found.unwrap_or_else(|| panic!("{name}: {counters:#?}")).1
    };
    for (nth, name) in operation::NAMES.iter().enumerate() {
        let sent = driver.sink.log.iter().filter(|rpc| usize::from(rpc.operation) == nth).count();
        assert_eq!(value(&format!("pool/ops/{name}")), sent as u64, "{name}");
    }
    // The entry, 3 MiB with half as much parity, and 100 bytes twice.
    let entry = u64::from(params("S1").message.entry);
    assert_eq!(value("pool/xferred/update"), entry + 3 * MIB / 2 * 3 + 200);
    assert_eq!(value("pool/xferred/fetch"), 2 * MIB);
    assert_eq!(value("pool/EC_update/full_stripe"), 3);
    assert_eq!(value("pool/EC_update/partial"), 1);
    assert!(value("io/latency/update/1MB/max_us") >= value("io/latency/update/1MB/mean_us"));
    assert!((1..=3).contains(&value("io/ops/update/active/max")));
    let loads = driver.daos.loads();
    let written: u64 = loads.iter().map(|load| load.bytes_written).sum();
    assert_eq!(written, value("pool/xferred/update"));
}

/// A program that calls DFS does not use the daemon.
#[test]
fn calls_of_the_library_go_past_the_mount() {
    let path = ClientPath::Dfuse { caching: true, write_back: true };
    let mut driver = Driver::new(&DaosParams { client_path: path, ..params("S1") });
    let library = |what: FileCall| FileCall { flags: what.flags | file_flag::LIBRARY, ..what };
    assert_eq!(driver.rpcs(2, &library(create(FILE))).len(), 1);
    let rpcs = driver.rpcs(2, &library(write(FILE, 0, MIB)));
    assert_eq!(rpcs.iter().map(|rpc| rpc.from).collect::<Vec<_>>(), [storage_client(2)]);
    let lock = call(Kind::Lock, FILE, ROOT, file_flag::OPEN);
    assert_eq!(driver.run(2, &library(lock)).0, 95);
    assert_eq!(driver.run(2, &lock).0, 0);
}

fn storage_client(client: u32) -> Peer {
    Peer::Client(storage::ClientId(client))
}
