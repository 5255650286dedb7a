//! Bytes per NIC and RPCs of reads and writes: closed forms.

use storage::{Bulk, Peer};

use crate::driver::{Driver, FILE, Traffic, create, params, read, traffic, write};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// What a write of a class costs, without the fixed bytes of requests and replies.
struct Row {
    class: &'static str,
    bytes: u64,
    /// Bulk data that each target pulls, ascending. Empty: the payload travels in RPCs.
    pulled: &'static [u64],
    /// Targets that get an RPC.
    targets: usize,
}

/// Cells of 128 KiB, chunks of 4 MiB. Full stripes: 256 KiB of EC_2P1, 2 MiB of EC_16P2.
const WRITES: [Row; 13] = [
    Row { class: "S1", bytes: MIB, pulled: &[MIB], targets: 1 },
    Row { class: "S1", bytes: 4 * KIB, pulled: &[], targets: 1 },
    Row { class: "RP_2G1", bytes: MIB, pulled: &[MIB, MIB], targets: 2 },
    Row { class: "RP_2G1", bytes: 4 * KIB, pulled: &[], targets: 2 },
    Row { class: "RP_3G1", bytes: MIB, pulled: &[MIB, MIB, MIB], targets: 3 },
    Row { class: "RP_3G1", bytes: 4 * KIB, pulled: &[], targets: 3 },
    // Four full stripes: half of the data on each data target, as much parity.
    Row { class: "EC_2P1G1", bytes: MIB, pulled: &[MIB / 2, MIB / 2, MIB / 2], targets: 3 },
    // A partial stripe: one cell, and a replica on the parity target.
    Row { class: "EC_2P1G1", bytes: 4 * KIB, pulled: &[4 * KIB, 4 * KIB], targets: 2 },
    // A full and a partial stripe: one cell of the second, which the parity target gets as a copy.
    Row {
        class: "EC_2P1G1",
        bytes: 384 * KIB,
        pulled: &[128 * KIB, 256 * KIB, 256 * KIB],
        targets: 3,
    },
    Row { class: "EC_16P2G1", bytes: 2 * MIB, pulled: &[128 * KIB; 18], targets: 18 },
    Row { class: "EC_16P2G1", bytes: 4 * MIB, pulled: &[256 * KIB; 18], targets: 18 },
    // Half a stripe: eight cells, and two replicas of the whole.
    Row {
        class: "EC_16P2G1",
        bytes: MIB,
        pulled: &[
            128 * KIB,
            128 * KIB,
            128 * KIB,
            128 * KIB,
            128 * KIB,
            128 * KIB,
            128 * KIB,
            128 * KIB,
            MIB,
            MIB,
        ],
        targets: 10,
    },
    Row { class: "EC_16P2G1", bytes: 4 * KIB, pulled: &[4 * KIB, 4 * KIB, 4 * KIB], targets: 3 },
];

fn driver(class: &str) -> Driver {
    let mut params = params(class);
    params.chunk_size = Some(4 * MIB);
    let mut driver = Driver::new(&params);
    driver.rpcs(0, &create(FILE));
    driver
}

#[test]
fn a_write_moves_the_bytes_of_its_class() {
    let message = params("S1").message;
    let (request, reply) = (u64::from(message.request), u64::from(message.reply));
    for row in &WRITES {
        let mut driver = driver(row.class);
        let rpcs = driver.rpcs(0, &write(FILE, 0, row.bytes));
        let inline = if row.pulled.is_empty() { row.bytes } else { 0 };
        let forwarded = row.targets as u64 - 1;
        let got = traffic(&rpcs);
        // One RPC from the client. All targets fetch their data from the client.
        assert_eq!(got.rpcs, row.targets, "{}, {} B", row.class, row.bytes);
        assert_eq!(got.client_out, request + inline + row.pulled.iter().sum::<u64>());
        assert_eq!(got.client_in, reply);
        // Each target gets a request and its data; the leader gets the replies of the others.
        let mut server_in: Vec<u64> = match row.pulled {
            [] => vec![request + inline; row.targets],
            pulled => pulled.iter().map(|bytes| request + bytes).collect(),
        };
        let without_replies: u64 = server_in.iter().sum();
        *server_in.last_mut().expect("a target") += forwarded * reply;
        server_in.sort_unstable();
        assert_eq!(got.server_in.iter().sum::<u64>(), without_replies + forwarded * reply);
        assert_eq!(got.server_in, server_in, "{}, {} B", row.class, row.bytes);
        let pulled: u64 = rpcs
            .iter()
            .map(|rpc| match rpc.bulk {
                Bulk::Pull(bytes) => bytes,
                _ => 0,
            })
            .sum();
        assert_eq!(pulled, row.pulled.iter().sum::<u64>());
        assert!(rpcs.iter().all(|rpc| matches!(rpc.bulk_peer, Peer::Client(_)) || pulled == 0));
    }
}

#[test]
fn a_read_moves_each_byte_once() {
    let message = params("S1").message;
    let (request, reply) = (u64::from(message.request), u64::from(message.reply));
    for (class, bytes, targets) in [
        ("S1", MIB, 1),
        ("S1", 4 * KIB, 1),
        ("RP_2G1", MIB, 1),
        ("RP_2G1", 4 * KIB, 1),
        ("RP_3G1", MIB, 1),
        ("RP_3G1", 4 * KIB, 1),
        ("EC_2P1G1", MIB, 2),
        ("EC_2P1G1", 4 * KIB, 1),
        ("EC_16P2G1", 2 * MIB, 16),
        ("EC_16P2G1", MIB, 8),
        ("EC_16P2G1", 4 * KIB, 1),
    ] {
        let mut driver = driver(class);
        driver.rpcs(0, &write(FILE, 0, bytes));
        let got = traffic(&driver.rpcs(1, &read(FILE, 0, bytes, bytes)));
        let n = targets as u64;
        let expected = Traffic {
            rpcs: targets,
            client_out: n * request,
            client_in: n * reply + bytes,
            server_in: vec![request; targets],
        };
        assert_eq!(got, expected, "{class}, {bytes} B");
    }
}

#[test]
fn a_payload_travels_in_the_rpc_below_its_limit() {
    for (bytes, bulk) in [(19_455, Bulk::None), (19_456, Bulk::Pull(19_456))] {
        let mut driver = driver("RP_2G1");
        let rpcs = driver.rpcs(0, &write(FILE, 0, bytes));
        assert!(rpcs.iter().all(|rpc| rpc.bulk == bulk), "{bytes} B");
    }
    for (bytes, bulk) in [(19_455, Bulk::None), (19_456, Bulk::Push(19_456))] {
        let mut driver = driver("S1");
        driver.rpcs(0, &write(FILE, 0, MIB));
        let rpcs = driver.rpcs(0, &read(FILE, 0, bytes, MIB));
        assert!(rpcs.iter().all(|rpc| rpc.bulk == bulk), "{bytes} B");
    }
    // Two cells: bulk transfers, whatever the size.
    let mut driver = driver("EC_2P1G1");
    driver.rpcs(0, &write(FILE, 0, MIB));
    let rpcs = driver.rpcs(0, &read(FILE, 128 * KIB - 1, 2, MIB));
    assert_eq!(rpcs.iter().map(|rpc| rpc.bulk).collect::<Vec<_>>(), [Bulk::Push(1); 2]);
}

#[test]
fn each_chunk_of_a_call_is_an_rpc() {
    let mut params = params("SX");
    params.chunk_size = Some(MIB);
    let mut driver = Driver::new(&params);
    driver.rpcs(0, &create(FILE));
    // 16 MiB at an offset of half a chunk touch 17 chunks.
    let rpcs = driver.rpcs(0, &write(FILE, MIB / 2, 16 * MIB));
    assert_eq!(rpcs.len(), 17);
    let mut targets: Vec<Peer> = rpcs.iter().map(|rpc| rpc.to).collect();
    targets.sort_unstable_by_key(|peer| match peer {
        Peer::Server(server) => server.0,
        Peer::Client(_) => u32::MAX,
    });
    targets.dedup();
    assert!(targets.len() > 12, "{} targets", targets.len());
    assert_eq!(driver.rpcs(0, &read(FILE, MIB / 2, 16 * MIB, 17 * MIB)).len(), 17);
}

#[test]
fn holes_are_not_sent_and_a_short_read_queries_the_size() {
    let mut driver = driver("S1");
    driver.rpcs(0, &write(FILE, 0, MIB));
    driver.rpcs(0, &write(FILE, 2 * MIB, MIB));
    let names = |rpcs: &[storage::Rpc]| crate::driver::names(rpcs);
    let full = driver.rpcs(0, &read(FILE, 2 * MIB, MIB, 3 * MIB));
    assert_eq!(names(&full), [("fetch", 1)]);
    let hole = driver.rpcs(0, &read(FILE, MIB / 2, 2 * MIB, 3 * MIB));
    assert_eq!(names(&hole), [("fetch", 1), ("key_query", 1)]);
    assert_eq!(hole[0].bulk, Bulk::Push(MIB));
    let end = driver.rpcs(0, &read(FILE, 3 * MIB, 4 * KIB, 3 * MIB));
    assert_eq!(names(&end), [("fetch", 1), ("key_query", 1)]);
    assert_eq!(end[0].bulk, Bulk::None);
}

#[test]
fn a_client_has_32_rpcs_in_flight_per_target() {
    let mut params = params("S1");
    params.chunk_size = Some(64 * KIB);
    let mut driver = Driver::new(&params);
    driver.rpcs(0, &create(FILE));
    driver.submit(0, &write(FILE, 0, 100 * 64 * KIB));
    let mut most = 0;
    loop {
        most = most.max(driver.sink.in_flight.len());
        if !driver.step() {
            break;
        }
    }
    assert_eq!(most, 32);
    assert_eq!(driver.sink.log.len(), 1 + 100);
    assert_eq!(driver.sink.completed.len(), 2);
}

#[test]
fn transactions_are_committed_in_batches_and_with_updates_of_their_key() {
    let mut driver = driver("RP_3G1");
    let mut rpcs = Vec::new();
    // One update per chunk: 513 entries of one leader or of three.
    for chunk in 0..3 * 513 {
        rpcs.extend(driver.rpcs(0, &write(FILE, chunk * 4 * MIB, 4 * KIB)));
    }
    rpcs.extend(driver.drain());
    let commits = rpcs.iter().filter(|rpc| rpc.operation == storage::daos::operation::DTX_COMMIT);
    // Each entry is committed on its three members.
    let fixed = u64::from(params("S1").message.request);
    let entries: u64 = commits.clone().map(|rpc| (u64::from(rpc.request_bytes) - fixed) / 24).sum();
    assert_eq!(entries, 3 * 3 * 513);
    // A batch is an RPC to each of three targets. Three leaders: a batch by number, one by age.
    assert!(commits.clone().count() <= 3 * 3 * 2, "{}", commits.count());
    assert_eq!(driver.daos.unfinished().0, 0);

    // A later update of the same key takes the entry along.
    driver.rpcs(0, &write(FILE, 0, 4 * KIB));
    assert_eq!(driver.daos.unfinished().0, 1);
    let rpcs = driver.rpcs(0, &write(FILE, 4 * KIB, 4 * KIB));
    assert_eq!(driver.daos.unfinished().0, 1);
    let sizes: Vec<u64> = rpcs.iter().map(|rpc| rpc.request_bytes.into()).collect();
    assert_eq!(sizes, [fixed + 4_096, fixed + 4_096 + 24, fixed + 4_096 + 24]);
}

#[test]
fn one_target_needs_no_transaction() {
    let mut driver = driver("S1");
    driver.rpcs(0, &write(FILE, 0, MIB));
    assert_eq!(driver.daos.unfinished().0, 0);
    assert!(driver.drain().is_empty());
}

#[test]
fn partial_stripes_become_parity() {
    let cell = 128 * KIB;
    // Written cells of 16, cells that the leader reads.
    for (written, read_cells) in [(1, 1), (7, 7), (8, 8), (12, 4), (15, 1)] {
        let mut driver = driver("EC_16P2G1");
        driver.rpcs(0, &write(FILE, 0, written * cell));
        assert_eq!(driver.daos.unfinished().1, 1);
        let rpcs = driver.drain();
        assert_eq!(driver.daos.unfinished().1, 0);
        let count = |operation: u8| {
            rpcs.iter().filter(|rpc| rpc.operation == operation).map(|rpc| rpc.bulk).collect()
        };
        let fetched: Vec<Bulk> = count(storage::daos::operation::EC_AGGREGATE);
        assert_eq!(fetched, vec![Bulk::Push(cell); read_cells], "{written} cells");
        // The leader writes its own parity cell, and the other parity target fetches one.
        let mut replaced: Vec<Bulk> = count(storage::daos::operation::EC_REPLICATE);
        replaced.sort_by_key(|bulk| *bulk != Bulk::None);
        assert_eq!(replaced, [Bulk::None, Bulk::Pull(cell)], "{written} cells");
    }
    // All cells by two writes: the leader has everything.
    let mut driver = driver("EC_16P2G1");
    driver.rpcs(0, &write(FILE, 0, 8 * cell));
    driver.rpcs(0, &write(FILE, 8 * cell, 8 * cell));
    let rpcs = driver.drain();
    assert!(rpcs.iter().all(|rpc| rpc.operation != storage::daos::operation::EC_AGGREGATE));
    // A full stripe over a partial one leaves nothing to do.
    driver.rpcs(0, &write(FILE, 4 * MIB, cell));
    driver.rpcs(0, &write(FILE, 4 * MIB, 16 * cell));
    assert_eq!(driver.daos.unfinished().1, 0);

    // Nor does a removed file.
    driver.rpcs(0, &write(FILE, 4 * MIB, cell));
    let removal = crate::driver::call(
        workload::FileCallKind::Unlink,
        FILE,
        crate::driver::ROOT,
        workload::file_flag::EXISTS,
    );
    driver.rpcs(0, &removal);
    assert_eq!(driver.daos.unfinished().1, 1);
    let rpcs = driver.drain();
    assert_eq!(driver.daos.unfinished().1, 0);
    assert!(rpcs.iter().all(|rpc| rpc.operation != storage::daos::operation::EC_REPLICATE));
}
