//! Random sequences of Lustre calls by several ranks, with messages in random order.

use std::collections::BTreeMap;

use base::{below, draw};
use storage::lustre::Waits;
use storage::{CallId, Peer, Rpc};
use workload::{FileCall, FileCallKind as Kind, file_flag as flag};

use crate::driver::{Stage, World, call, params};

const CLIENTS: u32 = 4;
const RANKS: u32 = 3 * CLIENTS;
const FILES: u32 = 5;

/// Small limits, so that every one is reached.
const KEYS: &str = "mds = 2\nmdts = 2\noss = 2\nosts = 4\nbrw_size = \"64 KiB\"\n\
    dirty_limit = \"96 KiB\"\ngrant_initial = \"32 KiB\"\ngrant_step = \"256 KiB\"\n\
    page_cache = \"1 MB\"\nprecreate_min = 2\n";

/// A random world, and what a workload knows of its files.
struct Run {
    world: World,
    seed: u64,
    draws: u64,
    sizes: [u64; FILES as usize],
    exists: [bool; FILES as usize],
    /// The call of each busy rank.
    busy: BTreeMap<u32, CallId>,
    completed: usize,
}

impl Run {
    fn new(layout: &str, keys: &str, seed: u64) -> Run {
        let all = format!("{KEYS}layout = \"{layout}\"\n{keys}");
        Run {
            world: World::new(params(&all), CLIENTS, seed),
            seed,
            draws: 0,
            sizes: [0; FILES as usize],
            exists: [true; FILES as usize],
            busy: BTreeMap::new(),
            completed: 0,
        }
    }

    fn below(&mut self, n: u32) -> u32 {
        self.draws += 1;
        below(draw(self.seed, 1, 0, self.draws), n)
    }

    /// Submits a call, or processes a message.
    fn step(&mut self, next: &mut impl FnMut(&mut Run, u32) -> Option<FileCall>) -> bool {
        let idle: Vec<u32> = (0..RANKS).filter(|r| !self.busy.contains_key(r)).collect();
        if !idle.is_empty() && self.below(3) == 0 {
            let rank = idle[self.below(idle.len() as u32) as usize];
            if let Some(call) = next(self, rank) {
                let id = self.world.submit(rank % CLIENTS, &call);
                self.busy.insert(rank, id);
                self.check();
                return true;
            }
        }
        self.draws += 1;
        let moved = self.world.random_step(self.seed, self.draws);
        self.check();
        moved
    }

    fn check(&mut self) {
        for &(call, _) in &self.world.record.completed[self.completed..] {
            self.busy.retain(|_, c| *c != call);
        }
        self.completed = self.world.record.completed.len();
        let seed = self.seed;
        self.world.fs.invariants().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let mut bulk: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        // `ost_read` and `ost_write`, except those that wait for a lock at their server.
        let moving = |(rpc, stage): &(Rpc, Stage)| rpc.operation < 2 && *stage != Stage::Held;
        for (rpc, _) in self.world.record.in_flight.values().filter(|r| moving(r)) {
            let Some(access) = rpc.access else { panic!("seed {seed}: no medium") };
            let key = match rpc.from {
                Peer::Client(client) => (client.0, access.medium.0),
                Peer::Server(_) => panic!("seed {seed}: data from a server"),
            };
            *bulk.entry(key).or_default() += 1;
        }
        // One more for pages under revoked locks, and those that a lock has released.
        let waited = self.world.record.in_flight.values().filter(|(_, s)| *s == Stage::Reply);
        let limit = 9 + waited.count() as u32;
        assert!(bulk.values().all(|&n| n <= limit), "seed {seed}: {bulk:?}");
    }

    /// Processes everything, and writes all dirty pages.
    fn finish(&mut self) {
        let mut none = |_: &mut Run, _: u32| None;
        let mut stalled = 0;
        while stalled < 200 {
            stalled = if self.step(&mut none) { 0 } else { stalled + 1 };
        }
        assert!(self.busy.is_empty(), "seed {}: never complete: {:?}", self.seed, self.busy);
        for client in 0..CLIENTS {
            self.world.run(client, &call(Kind::SyncAll));
        }
        self.check();
        let held = &self.world.record.in_flight;
        assert!(held.is_empty(), "seed {}: {held:?}", self.seed);
    }
}

/// Writes of disjoint bytes and reads of any: each written byte reaches an OST exactly once.
fn disjoint_writes(layout: &str, seed: u64) {
    let mut run = Run::new(layout, "", seed);
    let (mut left, mut written) = (300, 0);
    let mut next = |run: &mut Run, _rank: u32| {
        if left == 0 {
            return None;
        }
        left -= 1;
        let file = run.below(2);
        let size = run.sizes[file as usize];
        let bytes = u64::from(1 + run.below(100_000));
        let flags = flag::OPEN;
        let base = FileCall { file: 1 + file, flags, bytes, size, ..call(Kind::Read) };
        Some(match run.below(8) {
            0 => FileCall { kind: Kind::Sync, ..base },
            1 | 2 => {
                let offset = u64::from(run.below(size.max(1) as u32));
                let direct = if run.below(4) == 0 { flag::DIRECT } else { 0 };
                FileCall { offset, flags: flags | direct, ..base }
            }
            n => {
                written += bytes;
                run.sizes[file as usize] += bytes;
                let extra = match n {
                    3 => flag::SYNC,
                    4 => flag::DIRECT,
                    5 => flag::APPEND,
                    _ => 0,
                };
                FileCall { kind: Kind::Write, offset: size, flags: flags | extra, ..base }
            }
        })
    };
    for _ in 0..1500 {
        run.step(&mut next);
    }
    run.finish();
    let targets = run.world.fs.targets();
    let stored: u64 = targets.iter().map(|t| t.written_bytes).sum();
    let used: u64 = targets.iter().map(|t| t.used).sum();
    assert_eq!((stored, used), (written, written), "seed {seed}");
    assert!(run.completed > 100, "seed {seed}: {} calls", run.completed);
}

#[test]
fn every_written_byte_reaches_an_ost_once() {
    for seed in 0..12 {
        for layout in ["-c 1 -S 64K", "-c 3 -S 64K", "-E 64K -L mdt -E 256K -c 1 -E -1 -c 4 -S 64K"]
        {
            disjoint_writes(layout, seed);
        }
    }
}

/// Any call on few files.
fn any_call(run: &mut Run, rank: u32) -> FileCall {
    const KINDS: [Kind; 23] = [
        Kind::Open,
        Kind::Close,
        Kind::Read,
        Kind::Write,
        Kind::Write,
        Kind::Write,
        Kind::Sync,
        Kind::Stat,
        Kind::ReadDirectory,
        Kind::Unlink,
        Kind::Rename,
        Kind::Link,
        Kind::Symlink,
        Kind::ReadLink,
        Kind::SetAttributes,
        Kind::Truncate,
        Kind::Allocate,
        Kind::GetXattr,
        Kind::SetXattr,
        Kind::StatFs,
        Kind::Lock,
        Kind::GetLayout,
        Kind::SyncAll,
    ];
    let kind = KINDS[run.below(KINDS.len() as u32) as usize];
    let file = run.below(FILES);
    let at = file as usize;
    let size = run.sizes[at];
    let offset = u64::from(run.below(500_000));
    let bytes = u64::from(run.below(100_000));
    let mut flags = if run.exists[at] { flag::EXISTS } else { 0 };
    match kind {
        Kind::Open => {
            flags |= flag::WRITE | flag::CREATE;
            if run.below(3) == 0 {
                flags |= flag::TRUNCATE;
                run.sizes[at] = 0;
            }
            run.exists[at] = true;
        }
        Kind::Unlink => {
            run.exists[at] = false;
            run.sizes[at] = 0;
        }
        Kind::Write => {
            let extra =
                [0, 0, flag::DIRECT, flag::SYNC, flag::APPEND, flag::COLLECTIVE, flag::DIRECT];
            flags = flag::OPEN | extra[run.below(7) as usize];
            run.sizes[at] = size.max(offset + bytes);
        }
        Kind::Read => flags = flag::OPEN | if run.below(3) == 0 { flag::DIRECT } else { 0 },
        Kind::Truncate => {
            flags |= flag::OPEN;
            run.sizes[at] = bytes;
        }
        Kind::ReadDirectory => flags = flag::OPEN | flag::DIRECTORY,
        Kind::Close | Kind::Sync | Kind::Allocate => flags |= flag::OPEN,
        _ => {}
    }
    // Files from 1 on are regular; the directory is 0.
    let file = if kind == Kind::ReadDirectory { 0 } else { 1 + file };
    FileCall { file, flags, offset, bytes, size, name: u64::from(rank), ..call(kind) }
}

fn any_calls(layout: &str, keys: &str, seed: u64) -> Waits {
    let mut run = Run::new(layout, keys, seed);
    let mut left = 400u32;
    let mut next = |run: &mut Run, rank: u32| {
        left = left.checked_sub(1)?;
        Some(any_call(run, rank))
    };
    for _ in 0..2500 {
        run.step(&mut next);
    }
    run.finish();
    assert!(run.completed > 100, "seed {seed}: {} calls", run.completed);
    run.world.fs.waits()
}

#[test]
fn all_calls_of_random_sequences_complete() {
    let mut sum = Waits::default();
    let mut any_calls = |layout: &str, keys: &str, seed| {
        let waits = any_calls(layout, keys, seed);
        sum.lock_conflicts += waits.lock_conflicts;
        sum.inode_revocations += waits.inode_revocations;
        sum.grant += waits.grant;
        sum.dirty_limit += waits.dirty_limit;
        sum.precreation += waits.precreation;
    };
    for seed in 0..12 {
        any_calls("-c 2 -S 64K", "", seed);
        any_calls("-E 64K -L mdt -E 256K -c 1 -E -1 -c 4 -S 64K", "", 100 + seed);
        any_calls("-c 1 -S 64K", "collective_locks = \"lock-ahead\"\n", 200 + seed);
        any_calls("-c 1 -S 64K", "collective_locks = \"group\"\n", 300 + seed);
        any_calls("-c 4 -S 64K", "ost_capacity = \"1 MB\"\n", 400 + seed);
    }
    // The sequences reach every cause of waiting.
    let all =
        [sum.lock_conflicts, sum.inode_revocations, sum.grant, sum.dirty_limit, sum.precreation];
    assert!(all.iter().all(|&n| n > 10), "{sum:?}");
}

/// The same calls and messages give the same RPCs.
#[test]
fn a_run_is_a_function_of_its_seed() {
    let rpcs = |seed| {
        let mut run = Run::new("-c 2 -S 64K", "", seed);
        let mut next = |run: &mut Run, rank: u32| Some(any_call(run, rank));
        for _ in 0..1000 {
            run.step(&mut next);
        }
        run.world.record.sent.clone()
    };
    assert_eq!(rpcs(5), rpcs(5));
    assert_ne!(rpcs(5), rpcs(6));
}
