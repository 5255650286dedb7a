//! Runs collectives on real bytes, and computes their results by MPI's definition.

use base::{below, draw};
use collectives::{ApplyMode, Blocked, ByteRange, Collective, Execution, Kind, Memory, RoundSink};

/// Operators on packed little-endian words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// Wrapping sum of one word: commutes.
    Sum,
    /// Composition of maps `x -> a x + b` over words, left one applied first: associative, does not
    /// commute. Two words per element.
    Compose,
}

impl Operator {
    pub fn grain(self) -> u64 {
        match self {
            Operator::Sum => 8,
            Operator::Compose => 16,
        }
    }
    /// `left op right`, element by element.
    pub fn apply(self, left: &[u8], right: &[u8]) -> Vec<u8> {
        let word = |s: &[u8], i: usize| u64::from_le_bytes(s[8 * i..8 * i + 8].try_into().unwrap());
        assert_eq!(left.len(), right.len());
        assert_eq!(left.len() as u64 % self.grain(), 0, "an element was cut in two");
        let words = left.len() / 8;
        let mut out = Vec::with_capacity(left.len());
        match self {
            Operator::Sum => {
                for i in 0..words {
                    out.extend(word(left, i).wrapping_add(word(right, i)).to_le_bytes());
                }
            }
            Operator::Compose => {
                for i in (0..words).step_by(2) {
                    let (a, b) = (word(left, i), word(left, i + 1));
                    let (c, d) = (word(right, i), word(right, i + 1));
                    out.extend(a.wrapping_mul(c).to_le_bytes());
                    out.extend(c.wrapping_mul(b).wrapping_add(d).to_le_bytes());
                }
            }
        }
        out
    }
}

/// All working buffers, and the operator.
pub struct Buffers {
    pub of: Vec<Vec<u8>>,
    pub operator: Operator,
}

fn range(part: ByteRange) -> std::ops::Range<usize> {
    part.at as usize..(part.at + part.len) as usize
}

impl Memory for Buffers {
    fn read(&mut self, rank: u32, part: ByteRange, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.of[rank as usize][range(part)]);
    }
    fn write(&mut self, rank: u32, at: u64, bytes: &[u8]) {
        let part = ByteRange { at, len: bytes.len() as u64 };
        self.of[rank as usize][range(part)].copy_from_slice(bytes);
    }
    fn combine(&mut self, rank: u32, at: u64, bytes: &[u8], left: bool) {
        let part = ByteRange { at, len: bytes.len() as u64 };
        let here = &mut self.of[rank as usize][range(part)];
        let new = match left {
            true => self.operator.apply(bytes, here),
            false => self.operator.apply(here, bytes),
        };
        here.copy_from_slice(&new);
    }
}

/// What `rank` contributes as block `i`.
pub fn contribution(rank: u32, i: u32, len: u64) -> Vec<u8> {
    let words = (0..len.div_ceil(8)).map(|w| draw(7, rank, i, w));
    let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    bytes.truncate(len as usize);
    bytes
}

/// Buffers filled with garbage, then contributions deposited.
pub fn deposited(calls: &[Collective], operator: Operator) -> Buffers {
    let mut of = Vec::new();
    for call in calls {
        let mut buffer = vec![0xA5; call.buffer_bytes() as usize];
        for (i, part) in call.deposits() {
            buffer[range(part)].copy_from_slice(&contribution(call.member.rank, i, part.len));
        }
        of.push(buffer);
    }
    Buffers { of, operator }
}

/// What `call` collects as block `i` of `len` bytes, by MPI's definition.
fn expected(calls: &[Collective], rank: u32, i: u32, len: u64, operator: Operator) -> Vec<u8> {
    let call = &calls[rank as usize];
    let fold = |ranks: std::ops::Range<u32>, block: u32, len: u64| {
        let mut all = ranks.map(|r| contribution(r, block, len));
        let first = all.next().expect("somebody contributes");
        all.fold(first, |left, right| operator.apply(&left, &right))
    };
    match call.kind {
        Kind::Barrier => Vec::new(),
        Kind::Bcast => contribution(call.root, 0, len),
        Kind::Reduce | Kind::Allreduce => fold(0..call.member.size, 0, len),
        Kind::Scan => fold(0..rank + 1, 0, len),
        Kind::Exscan => fold(0..rank, 0, len),
        Kind::Allgather | Kind::Allgatherv | Kind::Gather | Kind::Gatherv => {
            contribution(i, i, len)
        }
        Kind::Scatter | Kind::Scatterv => contribution(call.root, rank, len),
        Kind::Alltoall | Kind::Alltoallv => contribution(i, rank, len),
        Kind::ReduceScatter | Kind::ReduceScatterBlock => fold(0..call.member.size, i, len),
    }
}

pub fn check_collected(calls: &[Collective], buffers: &Buffers, how: &str) {
    // Where all ranks collect the same, it is computed once.
    let mut known: std::collections::BTreeMap<(u32, u64), Vec<u8>> = Default::default();
    for call in calls {
        let rank = call.member.rank;
        let alike = matches!(
            call.kind,
            Kind::Bcast | Kind::Reduce | Kind::Allreduce | Kind::Allgather | Kind::Allgatherv
        );
        let mut area = call.collect_area();
        for (i, part) in call.collects() {
            let want = || expected(calls, rank, i, part.len, buffers.operator);
            let got = &buffers.of[rank as usize][range(part)];
            let ok = match alike {
                true => known.entry((i, part.len)).or_insert_with(want) == got,
                false => want() == got,
            };
            assert!(ok, "{how}: rank {rank} block {i} of {call:?}");
            assert_eq!(part.at, area.at, "{how}: a gap before block {i} of {call:?}");
            area = ByteRange { at: part.at + part.len, len: area.len - part.len };
        }
        assert_eq!(area.len, 0, "{how}: {call:?}");
    }
}

/// The actions of one rank in one round.
#[derive(Default, Debug, Clone)]
pub struct Round {
    pub sends: Vec<(u32, ByteRange)>,
    pub recvs: Vec<(u32, ByteRange, ApplyMode)>,
    pub locals: Vec<(ByteRange, ByteRange, ApplyMode)>,
}
impl RoundSink for Round {
    fn send(&mut self, to: u32, part: ByteRange) {
        self.sends.push((to, part));
    }
    fn recv(&mut self, from: u32, part: ByteRange, mode: ApplyMode) {
        self.recvs.push((from, part, mode));
    }
    fn local(&mut self, from: ByteRange, to: ByteRange, mode: ApplyMode) {
        self.locals.push((from, to, mode));
    }
}

/// (from, to, bytes) of the messages that consist of the given ranges, which are grouped by peer.
fn messages(parts: impl Iterator<Item = (u32, u32, u64)>) -> Vec<(u32, u32, u64)> {
    let mut all: Vec<(u32, u32, u64)> = Vec::new();
    for (from, to, len) in parts {
        match all.last_mut() {
            Some(last) if (last.0, last.1) == (from, to) => last.2 += len,
            _ => all.push((from, to, len)),
        }
    }
    all
}

/// Checks one round of all ranks: ranges lie within buffers, no rank sends to itself, at most one
/// message per pair, and every send is received in the same round with the same length.
fn check_round(calls: &[Collective], rounds: &[Round], k: u32) {
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    for (call, round) in calls.iter().zip(rounds) {
        let (rank, size) = (call.member.rank, call.buffer_bytes());
        let fits = |part: ByteRange| part.at + part.len <= size;
        let what = || format!("round {k} of {call:?}");
        assert!(round.sends.iter().all(|&(to, p)| fits(p) && to != rank), "{}", what());
        assert!(round.recvs.iter().all(|&(from, p, _)| fits(p) && from != rank), "{}", what());
        for &(from, to, mode) in &round.locals {
            assert!(fits(from) && fits(to) && from.len == to.len, "{}", what());
            let apart = from.at + from.len <= to.at || to.at + to.len <= from.at;
            assert!(apart || mode != ApplyMode::Write, "{}", what());
        }
        if call.kind != Kind::Barrier {
            assert!(round.sends.iter().all(|s| s.1.len > 0), "{}", what());
            assert!(round.recvs.iter().all(|r| r.1.len > 0), "{}", what());
        }
        sent.extend(messages(round.sends.iter().map(|&(to, p)| (rank, to, p.len))));
        received.extend(messages(round.recvs.iter().map(|&(from, p, _)| (from, rank, p.len))));
    }
    sent.sort_unstable();
    received.sort_unstable();
    assert_eq!(sent, received, "round {k} of {:?}", calls[0]);
    let twice = sent.windows(2).find(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1));
    assert!(twice.is_none(), "round {k} of {:?}: {twice:?}", calls[0]);
}

/// Runs all ranks in lockstep, exactly as a round is defined.
pub fn run_in_step(calls: &[Collective], buffers: &mut Buffers) {
    let n_rounds = calls[0].rounds();
    assert!(calls.iter().all(|c| c.rounds() == n_rounds), "{:?}", calls[0]);
    let mut rounds = vec![Round::default(); calls.len()];
    for k in 0..n_rounds {
        let mut post = std::collections::BTreeMap::<(u32, u32), Vec<u8>>::new();
        for (call, round) in calls.iter().zip(&mut rounds) {
            *round = Round::default();
            call.round(k, round);
        }
        check_round(calls, &rounds, k);
        for (call, round) in calls.iter().zip(&rounds) {
            for &(to, part) in &round.sends {
                buffers.read(
                    call.member.rank,
                    part,
                    post.entry((call.member.rank, to)).or_default(),
                );
            }
        }
        for (call, round) in calls.iter().zip(&rounds) {
            mode(call.member.rank, round, &mut post, buffers);
        }
    }
}

type Post = std::collections::BTreeMap<(u32, u32), Vec<u8>>;

fn mode(rank: u32, round: &Round, post: &mut Post, buffers: &mut Buffers) {
    for &(from, part, mode) in &round.recvs {
        let message = post.get_mut(&(from, rank)).expect("checked");
        let bytes: Vec<u8> = message.drain(..part.len as usize).collect();
        match mode {
            ApplyMode::Write => buffers.write(rank, part.at, &bytes),
            _ => buffers.combine(rank, part.at, &bytes, mode == ApplyMode::CombineLeft),
        }
    }
    for &(from, to, mode) in &round.locals {
        let mut bytes = Vec::new();
        buffers.read(rank, from, &mut bytes);
        match mode {
            ApplyMode::Write => buffers.write(rank, to.at, &bytes),
            _ => buffers.combine(rank, to.at, &bytes, mode == ApplyMode::CombineLeft),
        }
    }
}

/// Runs lazily: ranks join and are advanced in an order drawn from `seed`. An advanced rank gives
/// up its buffer at once: its result is set aside and the buffer filled with garbage.
pub fn run_lazily(calls: &[Collective], buffers: &mut Buffers, seed: u64) {
    let size = calls.len() as u32;
    let mut execution = Execution::new(size);
    let mut todo: Vec<u32> = (0..size).collect();
    let mut results = vec![Vec::new(); calls.len()];
    for nth in 0.. {
        if todo.is_empty() {
            break;
        }
        let at = below(draw(seed, 1, size, nth), todo.len() as u32) as usize;
        let rank = todo[at];
        if !execution.has_joined(rank) {
            execution.join(rank, calls[rank as usize].clone()).expect("all agree");
        }
        match execution.advance(rank, buffers) {
            Ok(()) => {
                todo.swap_remove(at);
                let garbage = vec![0x5A; buffers.of[rank as usize].len()];
                results[rank as usize] = std::mem::replace(&mut buffers.of[rank as usize], garbage);
            }
            Err(Blocked::NotJoined(other)) => {
                assert!(!execution.has_joined(other), "seed {seed}: {:?}", calls[0]);
            }
            Err(stuck) => panic!("seed {seed}: {stuck:?} in {:?}", calls[rank as usize]),
        }
    }
    assert!(execution.is_complete());
    assert_eq!(execution.unread_bytes(), 0, "seed {seed}: {:?}", calls[0]);
    buffers.of = results;
}
