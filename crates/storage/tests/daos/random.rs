//! Random sequences of calls of several clients at once.

use std::collections::BTreeMap;

use base::{below, draw};
use machine::storage::daos::{ClientPath, DaosParams, ObjectClass};
use storage::Bulk;
use storage::daos::operation;
use workload::{FileCall, FileCallKind as Kind, file_flag};

use crate::driver::{Driver, ROOT, call, create, params};

const PATHS: [ClientPath; 6] = [
    ClientPath::Dfs,
    ClientPath::Pil4dfs,
    ClientPath::Ioil,
    ClientPath::Dfuse { caching: true, write_back: true },
    ClientPath::Dfuse { caching: true, write_back: false },
    ClientPath::Dfuse { caching: false, write_back: false },
];

const CLASSES: [(&str, &str); 7] = [
    ("S1", "S1"),
    ("SX", "SX"),
    ("RP_2G1", "RP_2G1"),
    ("RP_3GX", "RP_3G4"),
    ("EC_2P1G1", "RP_2G1"),
    ("EC_4P2GX", "RP_3GX"),
    ("EC_16P2G2", "S4"),
];

struct Random {
    seed: u64,
    draws: u64,
}

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.draws += 1;
        below(draw(self.seed, 0, 0, self.draws), n)
    }
}

const FILES: u32 = 6;

fn random_call(random: &mut Random, sizes: &mut [u64]) -> FileCall {
    let index = random.below(FILES);
    let file = 1 + index;
    let size = sizes[index as usize];
    let bytes = match random.below(4) {
        0 => u64::from(random.below(5_000)),
        1 => u64::from(random.below(200_000)),
        2 => 128 << 10,
        _ => u64::from(random.below(6 << 20)),
    };
    let offset = match random.below(3) {
        0 => u64::from(random.below(9 << 20)),
        1 => u64::from(random.below(64)) * (128 << 10),
        _ => size,
    };
    let (open, exists) = (file_flag::OPEN, file_flag::EXISTS);
    let flags =
        [0, file_flag::DIRECT, file_flag::SYNC, file_flag::APPEND][random.below(4) as usize];
    let with = |kind, flags| FileCall { offset, bytes, size, ..call(kind, file, ROOT, flags) };
    match random.below(20) {
        0..8 => {
            sizes[index as usize] = size.max(offset + bytes);
            with(Kind::Write, open | flags)
        }
        8..12 => with(Kind::Read, open | flags & file_flag::DIRECT),
        12 => with(Kind::Stat, exists),
        13 => with(Kind::Sync, open),
        14 => with(Kind::Close, open),
        15 => {
            sizes[index as usize] = bytes;
            with(Kind::Truncate, open)
        }
        16 => with(Kind::Open, exists | file_flag::CREATE),
        17 => with(Kind::Mkdir, 0),
        18 => with(Kind::SyncAll, 0),
        _ => with(Kind::ReadDirectory, open | file_flag::DIRECTORY),
    }
}

/// Runs random calls, 8 clients with one each at a time. Returns the bytes that were written.
fn run(driver: &mut Driver, random: &mut Random, calls: usize) -> u64 {
    let mut sizes = [0; FILES as usize];
    for file in 0..FILES {
        driver.rpcs(0, &create(1 + file));
    }
    let mut waits: BTreeMap<u32, u32> = BTreeMap::new();
    let mut written = 0;
    let completed = driver.sink.completed.len();
    for nth in 0..calls {
        let client = random.below(8);
        loop {
            for (call, _) in &driver.sink.completed[completed..] {
                waits.retain(|_, of| *of != call.0);
            }
            if !waits.contains_key(&client) {
                break;
            }
            assert!(driver.step() || driver.fire(), "seed {}: no progress", random.seed);
        }
        let mut what = random_call(random, &mut sizes);
        if what.kind == Kind::ReadDirectory || what.kind == Kind::Mkdir {
            what.file = 100 + nth as u32;
        }
        if what.kind == Kind::Write {
            written += what.bytes;
        }
        let id = driver.submit(client, &what);
        waits.insert(client, id.0);
        for _ in 0..random.below(30) {
            driver.step();
        }
    }
    driver.drain();
    assert_eq!(driver.sink.completed.len() - completed, calls, "seed {}", random.seed);
    let errors = driver.sink.completed.iter().filter(|(_, error)| *error != 0).count();
    assert_eq!(errors, 0, "seed {}", random.seed);
    written
}

#[test]
fn every_call_completes_and_nothing_is_left() {
    for seed in 0..84 {
        let mut random = Random { seed, draws: 0 };
        let (file, directory) = CLASSES[seed as usize % CLASSES.len()];
        let mut params = params(file);
        params.directory_class = ObjectClass::parse(directory);
        params.client_path = PATHS[seed as usize / CLASSES.len() % PATHS.len()];
        params.chunk_size = [None, Some(470_080), Some(4 << 20)][random.below(3) as usize];
        params.dfuse.dirty_bytes = 4 << 20;
        let mut driver = Driver::on(&params, 20);
        run(&mut driver, &mut random, 150);
        assert!(driver.sink.in_flight.is_empty(), "seed {seed}");
        assert_eq!(driver.daos.unfinished(), (0, 0), "seed {seed}");
        for client in 0..8 {
            for target in 0..640 {
                let (client, target) = (storage::ClientId(client), storage::ServerId(target));
                assert_eq!(driver.daos.in_flight(client, target), 0, "seed {seed}");
            }
        }
    }
}

/// Bytes that a write of a class stores, from the definition of stripes: byte by cell.
fn stored(class: ObjectClass, cell: u64, chunk: u64, offset: u64, bytes: u64) -> u64 {
    use machine::storage::daos::Redundancy;
    let (data, parity) = match class.redundancy {
        Redundancy::Replicas(r) => return u64::from(r) * bytes,
        Redundancy::ErasureCode { data, parity } => (u64::from(data), u64::from(parity)),
    };
    let mut sum = 0;
    let mut at = offset;
    while at < offset + bytes {
        // The stripe of this byte, in its chunk, which may end within a stripe.
        let base = at / chunk * chunk;
        let stripe = base + (at - base) / (data * cell) * (data * cell);
        let end = (stripe + data * cell).min(base + chunk).min(offset + bytes);
        let whole = at == stripe && end == stripe + data * cell;
        sum += (end - at) + parity * if whole { cell } else { end - at };
        at = end;
    }
    sum
}

/// Each byte of a write reaches the targets of its class once.
#[test]
fn every_byte_is_stored_with_the_copies_of_its_class() {
    for seed in 0..28 {
        let mut random = Random { seed, draws: 0 };
        let class = ObjectClass::parse(CLASSES[seed as usize % CLASSES.len()].0).expect("a class");
        let chunk = [470_080, 1 << 20, 4 << 20][random.below(3) as usize];
        let params =
            DaosParams { file_class: Some(class), chunk_size: Some(chunk), ..params("S1") };
        let mut driver = Driver::new(&params);
        driver.rpcs(0, &create(1));
        for _ in 0..60 {
            let offset = u64::from(random.below(8 << 20));
            let bytes = 1 + u64::from(random.below(5 << 20)) / (1 << random.below(12));
            let rpcs = driver.rpcs(0, &crate::driver::write(1, offset, bytes));
            let mut sum = 0;
            for rpc in &rpcs {
                assert!([operation::UPDATE, operation::TGT_UPDATE].contains(&rpc.operation));
                // All earlier transactions have been committed, so an RPC carries payload only.
                sum += match rpc.bulk {
                    Bulk::Pull(bytes) => bytes,
                    _ => u64::from(rpc.request_bytes - params.message.request),
                };
            }
            let expected = stored(class, params.cell_size, chunk, offset, bytes);
            assert_eq!(sum, expected, "seed {seed}: {bytes} B at {offset}");
            driver.drain();
        }
    }
}
