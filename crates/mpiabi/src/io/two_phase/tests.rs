//! Ranks as threads, and a file in memory: random accesses against a serial reference, and closed
//! forms of calls and bytes.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Barrier, Mutex};
use std::task::{Context, Poll, Waker};

use super::*;
use crate::abi::c;
use crate::io::domains::{aggregators_for_stripes, interleave};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::io) enum Call {
    Read,
    ReadBack,
    Write,
    Lock,
    Unlock,
}

/// Rank, call, offset and length.
pub(in crate::io) type Recorded = (usize, Call, i64, u64);

#[derive(Clone)]
pub(in crate::io) struct Memory(Arc<Mutex<(Vec<u8>, Vec<Recorded>)>>);

impl Memory {
    pub fn filled(bytes: usize, with: u8) -> Memory {
        Memory::of(vec![with; bytes])
    }
    pub fn of(bytes: Vec<u8>) -> Memory {
        Memory(Arc::new(Mutex::new((bytes, Vec::new()))))
    }
    pub fn store(&self, rank: usize) -> MemoryStore {
        MemoryStore { memory: self.clone(), rank, fails_from: i64::MAX }
    }
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().0.clone()
    }
    pub fn calls(&self) -> Vec<Recorded> {
        self.0.lock().unwrap().1.clone()
    }
}

pub(in crate::io) struct MemoryStore {
    memory: Memory,
    rank: usize,
    /// Calls on bytes from here on fail.
    fails_from: i64,
}

impl MemoryStore {
    fn record(&self, call: Call, at: i64, len: u64) -> Option<Error> {
        self.memory.0.lock().unwrap().1.push((self.rank, call, at, len));
        let fails = at + len as i64 > self.fails_from;
        fails.then(|| Error::new(c::ERR_NO_SPACE, "no space"))
    }
}

impl Store for MemoryStore {
    async fn read(&self, at: i64, out: &mut [u8]) -> (u64, Option<Error>) {
        let error = self.record(Call::Read, at, out.len() as u64);
        let file = self.memory.bytes();
        let n = file.len().saturating_sub(at as usize).min(out.len());
        out[..n].copy_from_slice(&file[file.len().min(at as usize)..][..n]);
        (n as u64, error)
    }
    async fn read_back(&self, at: i64, len: u64) -> Option<Error> {
        self.record(Call::ReadBack, at, len)
    }
    async fn write(&self, at: i64, data: &[u8], runs: &[Run]) -> Option<Error> {
        let error = self.record(Call::Write, at, data.len() as u64);
        if error.is_none() {
            let mut state = self.memory.0.lock().unwrap();
            runs.iter().for_each(|&(offset, len)| {
                put(&mut state.0, offset, &data[(offset - at) as usize..][..len as usize]);
            });
        }
        error
    }
    async fn lock(&self, at: i64, len: u64) -> Option<Error> {
        self.record(Call::Lock, at, len)
    }
    async fn unlock(&self, at: i64, len: u64) -> Option<Error> {
        self.record(Call::Unlock, at, len)
    }
}

fn put(file: &mut Vec<u8>, at: i64, data: &[u8]) {
    let end = at as usize + data.len();
    file.resize(file.len().max(end), 0);
    file[at as usize..end].copy_from_slice(data);
}

/// What all ranks share.
struct World {
    barrier: Barrier,
    words: Mutex<Vec<Vec<u64>>>,
    mail: Mutex<BTreeMap<(usize, usize), Vec<u8>>>,
    /// Bytes of all messages, and number of calls of `exchange`.
    traffic: Mutex<(u64, u64)>,
}

impl World {
    fn new(ranks: usize) -> World {
        World {
            barrier: Barrier::new(ranks),
            words: Mutex::new(vec![Vec::new(); ranks]),
            mail: Mutex::default(),
            traffic: Mutex::default(),
        }
    }
}

struct Thread<'a>(&'a World, usize);

impl Thread<'_> {
    fn gather(&self, mine: Vec<u64>) -> Vec<Vec<u64>> {
        self.0.words.lock().unwrap()[self.1] = mine;
        self.0.barrier.wait();
        let all = self.0.words.lock().unwrap().clone();
        self.0.barrier.wait();
        all
    }
}

impl Peers for Thread<'_> {
    fn rank(&self) -> usize {
        self.1
    }
    async fn alltoall(&self, mine: &[u64]) -> Vec<u64> {
        self.gather(mine.to_vec()).iter().map(|row| row[self.1]).collect()
    }
    async fn maximum(&self, mine: u64) -> u64 {
        self.gather(vec![mine]).into_iter().map(|row| row[0]).max().unwrap()
    }
    async fn exchange(
        &self,
        outgoing: Vec<(usize, Vec<u8>)>,
        incoming: &[(usize, usize)],
    ) -> Result<Vec<Vec<u8>>> {
        for (to, message) in outgoing {
            assert_ne!(to, self.1);
            assert!(!message.is_empty());
            let mut traffic = self.0.traffic.lock().unwrap();
            traffic.0 += message.len() as u64;
            let before = self.0.mail.lock().unwrap().insert((self.1, to), message);
            assert!(before.is_none(), "two messages from {} to {to}", self.1);
        }
        if self.1 == 0 {
            self.0.traffic.lock().unwrap().1 += 1;
        }
        self.0.barrier.wait();
        let take = |&(from, len): &(usize, usize)| {
            let message = self.0.mail.lock().unwrap().remove(&(from, self.1));
            let message = message.expect("a message for each announced length");
            assert_eq!(message.len(), len);
            message
        };
        let messages = incoming.iter().map(take).collect();
        self.0.barrier.wait();
        assert!(self.0.mail.lock().unwrap().is_empty(), "a message without receiver");
        self.0.barrier.wait();
        Ok(messages)
    }
    async fn agree(&self, mine: Result) -> Result {
        let codes = self.gather(vec![mine.as_ref().map_or_else(|e| e.code as u64, |()| 0)]);
        mine?;
        match codes.iter().map(|row| row[0]).find(|&code| code != 0) {
            None => Ok(()),
            Some(code) => Err(Error::new(code as i32, "another rank")),
        }
    }
}

/// The result of a call whose operations complete at once.
pub(in crate::io) fn ready<T>(call: impl Future<Output = T>) -> T {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("the call waits"),
    }
}

/// Runs `rank` on a thread per rank; returns the results by rank.
fn ranks<T: Send>(world: &World, n: usize, rank: impl Fn(&Thread, usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let rank = &rank;
        let threads: Vec<_> =
            (0..n).map(|i| scope.spawn(move || rank(&Thread(world, i), i))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// Reproducible numbers from a seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
    fn bytes(&mut self, n: u64) -> Vec<u8> {
        (0..n).map(|_| self.below(256) as u8).collect()
    }
}

/// An access whose offsets ascend; its ranges may overlap if it reads.
fn access(draws: &mut Draws, reads: bool) -> Vec<Run> {
    let mut at = draws.below(300) as i64;
    let mut runs = Vec::new();
    for _ in 0..draws.below(12) {
        let len = 1 + draws.below(60);
        runs.push((at, len));
        at += match reads && draws.below(3) == 0 {
            true => draws.below(len) as i64,
            false => (len + draws.below(80)) as i64,
        };
    }
    runs
}

fn extent(runs: &[Run]) -> Range<i64> {
    hull(runs).unwrap_or(0..0)
}
fn bytes(runs: &[Run]) -> u64 {
    runs.iter().map(|run| run.1).sum()
}

fn division(draws: &mut Draws, all: Range<i64>, n: usize) -> Division {
    let (buffer, unit) = (1 + draws.below(200), draws.below(2) * (1 + draws.below(90)));
    match draws.below(2) {
        0 => Division::blocks(all, n, buffer, draws.below(100), unit),
        _ => Division::stripes(all, n, buffer, unit),
    }
}

/// The ranks that aggregate: some, in any order.
fn some_ranks(draws: &mut Draws, n: usize) -> Vec<u32> {
    let mut ranks: Vec<u32> = (0..n as u32).collect();
    for i in 0..n {
        ranks.swap(i, draws.below(n as u64) as usize);
    }
    ranks.truncate(1 + draws.below(n as u64) as usize);
    ranks
}

#[test]
fn random_writes_leave_the_bytes_of_writes_in_rank_order() {
    for seed in 0..400 {
        println!("seed {seed}");
        let draws = &mut Draws(seed);
        let n = 1 + draws.below(6) as usize;
        let accesses: Vec<Vec<Run>> = (0..n).map(|_| access(draws, false)).collect();
        let data: Vec<Vec<u8>> = accesses.iter().map(|runs| draws.bytes(bytes(runs))).collect();
        let length = draws.below(600);
        let file = draws.bytes(length);
        let all = extent(&accesses.concat());
        let aggregators = some_ranks(draws, n);
        let division = division(draws, all, aggregators.len());
        let plan = Plan { division, aggregators: &aggregators, sieves: draws.below(2) == 0 };

        let mut expected = file.clone();
        for (runs, data) in accesses.iter().zip(&data) {
            let mut from = 0;
            for &(at, len) in runs {
                put(&mut expected, at, &data[from..from + len as usize]);
                from += len as usize;
            }
        }
        let (world, memory) = (World::new(n), Memory::of(file));
        ranks(&world, n, |peers, i| {
            let store = memory.store(i);
            ready(write((peers, n), &store, &plan, &accesses[i], &data[i])).unwrap();
        });
        assert!(memory.bytes() == expected);
        for (rank, call, ..) in memory.calls() {
            assert!(aggregators.contains(&(rank as u32)), "{call:?} by rank {rank}");
        }
    }
}

#[test]
fn random_reads_return_the_bytes_up_to_the_end_of_the_file() {
    for seed in 0..400 {
        println!("seed {seed}");
        let draws = &mut Draws(seed);
        let n = 1 + draws.below(6) as usize;
        let accesses: Vec<Vec<Run>> = (0..n).map(|_| access(draws, true)).collect();
        let length = 1 + draws.below(1200);
        let file = draws.bytes(length);
        let all = extent(&accesses.concat());
        let aggregators = some_ranks(draws, n);
        let division = division(draws, all, aggregators.len());
        let plan = Plan { division, aggregators: &aggregators, sieves: false };
        let (world, memory) = (World::new(n), Memory::of(file.clone()));
        let found = ranks(&world, n, |peers, i| {
            let mut out = vec![0; bytes(&accesses[i]) as usize];
            let store = memory.store(i);
            let got = ready(read((peers, n), &store, &plan, &accesses[i], &mut out)).unwrap();
            out.truncate(got as usize);
            out
        });
        for (runs, found) in accesses.iter().zip(found) {
            let mut expected = Vec::new();
            for &(at, len) in runs {
                let end = (at as usize + len as usize).min(file.len());
                expected.extend_from_slice(&file[(at as usize).min(end)..end]);
                if end < at as usize + len as usize {
                    break;
                }
            }
            assert!(found == expected);
        }
    }
}

/// Rank r of n writes blocks of `block` bytes r, r + n, r + 2n, ..., `count` of them.
fn interleaved(n: usize, block: u64, count: u64) -> Vec<Vec<Run>> {
    let at = |r: usize, i: u64| ((i * n as u64 + r as u64) * block) as i64;
    (0..n).map(|r| (0..count).map(|i| (at(r, i), block)).collect()).collect()
}

/// Calls, bytes of messages and number of exchanges of a collective write.
fn written(plan: &Plan, accesses: &[Vec<Run>]) -> (Vec<Recorded>, u64, u64) {
    let n = accesses.len();
    let (world, memory) = (World::new(n), Memory::of(Vec::new()));
    ranks(&world, n, |peers, i| {
        let data = vec![i as u8; bytes(&accesses[i]) as usize];
        ready(write((peers, n), &memory.store(i), plan, &accesses[i], &data)).unwrap();
    });
    let (traffic, exchanges) = *world.traffic.lock().unwrap();
    let mut calls = memory.calls();
    calls.sort_by_key(|&(rank, _, at, _)| (rank, at));
    (calls, traffic, exchanges)
}

#[test]
fn aggregators_write_equal_contiguous_parts_in_rounds() {
    // 8 ranks, 2 aggregators, 64 blocks of 100 bytes per rank: 51,200 bytes, 25,600 per
    // aggregator, in 3 rounds of at most 10,000 bytes.
    let (n, block, count) = (8, 100, 64);
    let accesses = interleaved(n, block, count);
    let extents: Vec<[i64; 2]> =
        accesses.iter().map(|runs| [extent(runs).start, extent(runs).end]).collect();
    assert!(interleave(&extents));
    let total = n as u64 * block * count;
    let division = Division::blocks(0..total as i64, 2, 10_000, 0, 0);
    assert_eq!(division.rounds(), 3);
    let plan = Plan { division, aggregators: &[0, 4], sieves: true };
    let (calls, traffic, exchanges) = written(&plan, &accesses);
    let of = |rank, base: i64| {
        [(0, 10_000), (10_000, 10_000), (20_000, 5_600)]
            .map(|(at, len)| (rank, Call::Write, base + at, len))
    };
    assert_eq!(calls, [of(0, 0), of(4, 25_600)].concat());
    // An aggregator has its own data: 7 of 8 ranks send it their blocks. Each sends the offset and
    // length of its 32 blocks there.
    let data = total * 7 / 8;
    let lists = 7 * 2 * 16 * count / 2;
    assert_eq!(traffic, data + lists);
    // The lists, and each round.
    assert_eq!(exchanges, 1 + 3);
}

#[test]
fn each_aggregator_of_a_lustre_file_writes_its_own_objects() {
    // 4 stripes of 1,000 bytes, 4 aggregators, 2 stripes per round, 40 stripes.
    let (n, unit, stripes) = (8, 1000, 40);
    let count = unit * stripes / (n as u64 * 50);
    let accesses = interleaved(n, 50, count);
    let n_aggregators = aggregators_for_stripes(7, 4, 1);
    assert_eq!(n_aggregators, 4);
    let division = Division::stripes(0..(unit * stripes) as i64, n_aggregators, 2 * unit, unit);
    assert_eq!(division.rounds(), 5);
    let plan = Plan { division, aggregators: &[0, 2, 4, 6], sieves: true };
    let (calls, traffic, exchanges) = written(&plan, &accesses);
    let stripe_of = |rank: u64| (0..stripes).filter(move |s| s % 4 == rank / 2);
    let expected: Vec<Recorded> = [0, 2, 4, 6]
        .into_iter()
        .flat_map(|rank| {
            stripe_of(rank).map(move |s| (rank as usize, Call::Write, (s * unit) as i64, unit))
        })
        .collect();
    assert_eq!(calls, expected);
    // Every stripe has 20 blocks of 50 bytes: 2 or 3 of each rank. 35 of 40 stripes' bytes pass
    // the network, if the aggregators' own blocks are an eighth.
    let own: u64 = [0, 2, 4, 6]
        .into_iter()
        .map(|rank| {
            let stripe = |at: i64| at as u64 / unit;
            let is_own = |at: i64| stripe(at) % 4 == rank / 2;
            accesses[rank as usize].iter().filter(|run| is_own(run.0)).count() as u64
        })
        .sum();
    let blocks = n as u64 * count;
    assert_eq!(traffic, (blocks - own) * (50 + 16));
    assert_eq!(exchanges, 1 + 5);
}

#[test]
fn windows_with_holes_are_read_first_or_written_in_parts() {
    // 2 ranks write 10 of every 40 bytes each: 0..10, 20..30 of each 40.
    let accesses: Vec<Vec<Run>> =
        (0..2).map(|r| (0..5).map(|i| (40 * i + 20 * r, 10)).collect()).collect();
    let plan = |sieves| Plan {
        division: Division::blocks(0..190, 1, 1000, 0, 0),
        aggregators: &[1],
        sieves,
    };
    let (calls, ..) = written(&plan(true), &accesses);
    assert_eq!(calls, [(1, Call::ReadBack, 0, 190), (1, Call::Write, 0, 190)]);
    let (calls, ..) = written(&plan(false), &accesses);
    let parts: Vec<Recorded> = (0..10).map(|i| (1, Call::Write, 20 * i, 10)).collect();
    assert_eq!(calls, parts);
}

#[test]
fn an_error_of_an_aggregator_reaches_all_ranks() {
    let accesses = interleaved(4, 100, 4);
    let division = Division::blocks(0..1600, 2, 300, 0, 0);
    let plan = Plan { division, aggregators: &[1, 2], sieves: true };
    for reads in [false, true] {
        let (world, memory) = (World::new(4), Memory::filled(1600, 1));
        let codes = ranks(&world, 4, |peers, i| {
            let store = MemoryStore { fails_from: 1000, ..memory.store(i) };
            let mut data = vec![0; 400];
            let done = match reads {
                true => ready(read((peers, 4), &store, &plan, &accesses[i], &mut data)).map(drop),
                false => ready(write((peers, 4), &store, &plan, &accesses[i], &data)),
            };
            done.map_or_else(|error| error.code, |()| 0)
        });
        assert_eq!(codes, [c::ERR_NO_SPACE; 4]);
    }
}

#[test]
fn without_bytes_there_is_no_round() {
    let plan =
        Plan { division: Division::blocks(0..0, 2, 100, 0, 0), aggregators: &[0, 1], sieves: true };
    let (calls, traffic, exchanges) = written(&plan, &[vec![], vec![], vec![]]);
    assert_eq!((calls.len(), traffic, exchanges), (0, 0, 1));
}
