//! Two-phase collective I/O (collective buffering): ranks exchange data with aggregators, and these
//! access the file in large contiguous windows.
//!
//! The algorithm is ROMIO's ([R] = pmodels/mpich, `common/ad_write_coll.c` and `ad_read_coll.c`;
//! Thakur and Choudhary, Scientific Programming 5(4), 1996):
//!
//! 1. Each rank sends each aggregator the list of the ranges it accesses there.
//! 2. In each round, an all-to-all exchange of lengths, then messages with the data. A write goes
//!    to the file after the exchange, a read comes before it.
//! 3. A window with holes is read first, and written as a whole (data sieving), or each contiguous
//!    range is written.
//!
//! Where ranges of ranks overlap, the last rank's data win in all domains, so the result is that of
//! writes in rank order. The bytes of holes are never written, although the simulated call includes
//! them: another process may write them at the same time.
//!
//! This module knows neither MPI nor files: `Peers` exchanges data, `Store` accesses the file. All
//! functions are asynchronous, for non-blocking accesses.

use std::ops::Range;

use super::domains::Division;
use crate::error::{Error, Result};

/// A range of the file: offset and length.
pub(super) type Run = (i64, u64);

/// Communication among the ranks of a file. All calls are collective.
pub(super) trait Peers {
    fn rank(&self) -> usize;
    /// Sends element `i` to rank `i`; returns the elements from all ranks, by rank.
    async fn alltoall(&self, mine: &[u64]) -> Vec<u64>;
    /// Maximum over all ranks.
    async fn maximum(&self, mine: u64) -> u64;
    /// Sends a message to each rank of `outgoing`, and receives one of the given length from each
    /// rank of `incoming`. Returns these in the same order.
    async fn exchange(
        &self,
        outgoing: Vec<(usize, Vec<u8>)>,
        incoming: &[(usize, usize)],
    ) -> Result<Vec<Vec<u8>>>;
    /// Returns an error on every rank if any rank passes one.
    async fn agree(&self, mine: Result) -> Result;
}

/// A file as an aggregator accesses it.
pub(super) trait Store {
    /// Reads up to the end of the file, in one call. Returns the bytes read.
    async fn read(&self, at: i64, out: &mut [u8]) -> (u64, Option<Error>);
    /// Reads `len` bytes before a write with holes.
    async fn read_back(&self, at: i64, len: u64) -> Option<Error>;
    /// Writes `data` at `at` in one call, of which the bytes in `runs` change the file.
    async fn write(&self, at: i64, data: &[u8], runs: &[Run]) -> Option<Error>;
    /// Locks a range of the file against data sieving of others.
    async fn lock(&self, at: i64, len: u64) -> Option<Error>;
    async fn unlock(&self, at: i64, len: u64) -> Option<Error>;
}

/// How a file is accessed collectively.
pub(super) struct Plan<'a> {
    pub division: Division,
    /// Ranks by index of aggregator.
    pub aggregators: &'a [u32],
    /// Whether windows with holes are read and written as a whole.
    pub sieves: bool,
}

impl Plan<'_> {
    fn index(&self, rank: usize) -> Option<usize> {
        self.aggregators.iter().position(|&r| r as usize == rank)
    }
    fn rank(&self, aggregator: usize) -> usize {
        self.aggregators[aggregator] as usize
    }
}

/// A part of an access that one aggregator handles in one round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    round: u64,
    /// The rank at the other end: of the aggregator, or whose access it is.
    rank: usize,
    at: i64,
    len: u64,
    /// Position in the packed data of the access. Not used by aggregators.
    position: u64,
}

/// Pieces by round and rank, each in the order of the access.
struct Pieces(Vec<Piece>);

impl Pieces {
    fn new(mut pieces: Vec<Piece>) -> Pieces {
        pieces.sort_by_key(|piece| (piece.round, piece.rank));
        Pieces(pieces)
    }
    fn round(&self, round: u64) -> &[Piece] {
        let first = self.0.partition_point(|piece| piece.round < round);
        let end = self.0.partition_point(|piece| piece.round <= round);
        &self.0[first..end]
    }
}

/// Groups pieces of one round by rank.
fn by_rank(pieces: &[Piece]) -> impl Iterator<Item = (usize, &[Piece])> {
    pieces.chunk_by(|a, b| a.rank == b.rank).map(|group| (group[0].rank, group))
}
fn bytes_of(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.len as usize).sum()
}

/// Both ends of the exchange, as one rank knows them.
struct Exchange {
    /// The pieces of this rank's access.
    own: Pieces,
    /// The pieces of all accesses that this rank handles as an aggregator.
    handled: Pieces,
    rounds: u64,
}

/// Sends each aggregator the ranges of this rank's access `runs`.
async fn exchange_ranges<P: Peers>(
    peers: &P,
    plan: &Plan<'_>,
    runs: &[Run],
    ranks: usize,
) -> Result<Exchange> {
    let mut lists: Vec<Vec<Run>> = vec![Vec::new(); plan.aggregators.len()];
    let (mut own, mut position) = (Vec::new(), 0);
    for &(at, len) in runs {
        for (at, len, aggregator) in plan.division.parts(at, len) {
            lists[aggregator].push((at, len));
            for (at, len, round) in plan.division.by_round(at, len) {
                own.push(Piece { round, rank: plan.rank(aggregator), at, len, position });
                position += len;
            }
        }
    }
    let mut counts = vec![0; ranks];
    for (aggregator, list) in lists.iter().enumerate() {
        counts[plan.rank(aggregator)] = list.len() as u64;
    }
    let counts = peers.alltoall(&counts).await;
    let me = peers.rank();
    let incoming: Vec<(usize, usize)> = (counts.iter().enumerate())
        .filter(|&(rank, &count)| count > 0 && rank != me)
        .map(|(rank, &count)| (rank, 16 * count as usize))
        .collect();
    let mut outgoing = Vec::new();
    let mut handled = Vec::new();
    let mut take = |rank, list: &[Run]| {
        for &(at, len) in list {
            let pieces = plan.division.by_round(at, len);
            handled.extend(pieces.map(|(at, len, round)| Piece {
                round,
                rank,
                at,
                len,
                position: 0,
            }));
        }
    };
    for (aggregator, list) in lists.iter().enumerate().filter(|(_, list)| !list.is_empty()) {
        match plan.rank(aggregator) {
            rank if rank == me => take(me, list),
            rank => outgoing.push((rank, encode(list))),
        }
    }
    let lists = peers.exchange(outgoing, &incoming).await?;
    for ((rank, _), list) in incoming.iter().zip(lists) {
        take(*rank, &decode(&list));
    }
    let rounds = if handled.is_empty() { 0 } else { plan.division.rounds() };
    let rounds = peers.maximum(rounds).await;
    Ok(Exchange { own: Pieces::new(own), handled: Pieces::new(handled), rounds })
}

fn encode(list: &[Run]) -> Vec<u8> {
    list.iter().flat_map(|(at, len)| [at.to_ne_bytes(), len.to_ne_bytes()].concat()).collect()
}
fn decode(list: &[u8]) -> Vec<Run> {
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    list.chunks_exact(16).map(|pair| (word(&pair[..8]) as i64, word(&pair[8..]))).collect()
}

/// The exchange of lengths with which ROMIO begins each round: what this rank sends to each.
async fn exchange_lengths<P: Peers>(peers: &P, groups: &[Piece], ranks: usize) {
    let mut lengths = vec![0; ranks];
    for (rank, group) in by_rank(groups) {
        lengths[rank] = bytes_of(group) as u64;
    }
    peers.alltoall(&lengths).await;
}

/// Bytes behind the data of a message of a read: the error class of the aggregator, and the end of
/// the file if it has found it.
const TRAILER: usize = 16;

/// Writes the packed `data` of the access `runs`, whose offsets ascend.
pub(super) async fn write<P: Peers, S: Store>(
    (peers, ranks): (&P, usize),
    store: &S,
    plan: &Plan<'_>,
    runs: &[Run],
    data: &[u8],
) -> Result {
    let exchange = exchange_ranges(peers, plan, runs, ranks).await?;
    let me = peers.rank();
    let mut result = Ok(());
    let part = |piece: &Piece| &data[piece.position as usize..][..piece.len as usize];
    for round in 0..exchange.rounds {
        let (own, handled) = (exchange.own.round(round), exchange.handled.round(round));
        exchange_lengths(peers, own, ranks).await;
        let outgoing = by_rank(own)
            .filter(|(rank, _)| *rank != me)
            .map(|(rank, group)| {
                let mut message = Vec::with_capacity(bytes_of(group));
                group.iter().for_each(|piece| message.extend_from_slice(part(piece)));
                (rank, message)
            })
            .collect();
        let incoming: Vec<(usize, usize)> = by_rank(handled)
            .filter(|(rank, _)| *rank != me)
            .map(|(rank, group)| (rank, bytes_of(group)))
            .collect();
        let messages = peers.exchange(outgoing, &incoming).await?;
        if handled.is_empty() {
            continue;
        }
        let mut received = messages.iter();
        let mut sources: Vec<(Run, &[u8])> = Vec::new();
        for (rank, group) in by_rank(handled) {
            if rank == me {
                let mine = own.iter().filter(|piece| piece.rank == me);
                sources.extend(mine.map(|piece| ((piece.at, piece.len), part(piece))));
                continue;
            }
            let mut rest = received.next().expect("one per rank").as_slice();
            for piece in group {
                let (bytes, others) = rest.split_at(piece.len as usize);
                sources.push(((piece.at, piece.len), bytes));
                rest = others;
            }
        }
        if result.is_ok() {
            result = write_windows(store, plan, &sources).await;
        }
    }
    peers.agree(result).await
}

/// Writes the data of one round. Later sources win.
async fn write_windows<S: Store>(store: &S, plan: &Plan<'_>, sources: &[(Run, &[u8])]) -> Result {
    let mut order: Vec<usize> = (0..sources.len()).collect();
    order.sort_by_key(|&i| (plan.division.window_end(sources[i].0.0), i));
    for group in order.chunk_by(|&a, &b| {
        let window = |i: usize| plan.division.window_end(sources[i].0.0);
        window(a) == window(b)
    }) {
        let runs: Vec<Run> = group.iter().map(|&i| sources[i].0).collect();
        let all = hull(&runs).expect("not empty");
        let mut data = vec![0; (all.end - all.start) as usize];
        for &i in group {
            let ((at, len), source) = &sources[i];
            let from = (at - all.start) as usize;
            data[from..from + *len as usize].copy_from_slice(source);
        }
        write_window(store, plan.sieves, all, &data, &union(runs)).await.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// Writes one window, of which `runs` have data.
async fn write_window<S: Store>(
    store: &S,
    sieves: bool,
    all: Range<i64>,
    data: &[u8],
    runs: &[Run],
) -> Option<Error> {
    if runs.len() == 1 {
        return store.write(all.start, data, runs).await;
    }
    if sieves {
        return match store.read_back(all.start, data.len() as u64).await {
            None => store.write(all.start, data, runs).await,
            error => error,
        };
    }
    for &(at, len) in runs {
        let part = &data[(at - all.start) as usize..][..len as usize];
        let error = store.write(at, part, &[(at, len)]).await;
        if error.is_some() {
            return error;
        }
    }
    None
}

/// First byte and end of ranges; `None` without ranges.
pub(super) fn hull(runs: &[Run]) -> Option<Range<i64>> {
    let first = runs.iter().map(|run| run.0).min()?;
    let end = runs.iter().map(|run| run.0 + run.1 as i64).max()?;
    Some(first..end)
}

/// The same bytes as ascending ranges that do not touch.
fn union(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_unstable();
    let mut joined: Vec<Run> = Vec::new();
    for (at, len) in runs {
        match joined.last_mut() {
            Some(last) if at <= last.0 + last.1 as i64 => {
                last.1 = last.1.max((at - last.0) as u64 + len);
            }
            _ => joined.push((at, len)),
        }
    }
    joined
}

/// Reads the access `runs` into `out`, packed. Returns the bytes up to the end of the file.
pub(super) async fn read<P: Peers, S: Store>(
    (peers, ranks): (&P, usize),
    store: &S,
    plan: &Plan<'_>,
    runs: &[Run],
    out: &mut [u8],
) -> Result<u64> {
    let exchange = exchange_ranges(peers, plan, runs, ranks).await?;
    let me = peers.rank();
    let is_aggregator = plan.index(me).is_some();
    let (mut file_end, mut code) = (i64::MAX, 0);
    for round in 0..exchange.rounds {
        let (own, handled) = (exchange.own.round(round), exchange.handled.round(round));
        debug_assert!(is_aggregator || handled.is_empty());
        let found = Found::read(store, plan, handled).await;
        exchange_lengths(peers, handled, ranks).await;
        let mut outgoing = Vec::new();
        for (rank, group) in by_rank(handled).filter(|(rank, _)| *rank != me) {
            let mut message = Vec::with_capacity(bytes_of(group) + TRAILER);
            group.iter().for_each(|piece| message.extend_from_slice(found.bytes(piece)));
            message.extend(i64::from(found.code).to_ne_bytes());
            message.extend(found.file_end.to_ne_bytes());
            outgoing.push((rank, message));
        }
        let incoming: Vec<(usize, usize)> = by_rank(own)
            .filter(|(rank, _)| *rank != me)
            .map(|(rank, group)| (rank, bytes_of(group) + TRAILER))
            .collect();
        let mut messages = peers.exchange(outgoing, &incoming).await?.into_iter();
        for (rank, group) in by_rank(own) {
            let mut store_piece = |piece: &Piece, bytes: &[u8]| {
                out[piece.position as usize..][..piece.len as usize].copy_from_slice(bytes);
            };
            let (its_code, its_end) = if rank == me {
                group.iter().for_each(|piece| store_piece(piece, found.bytes(piece)));
                (found.code, found.file_end)
            } else {
                let message = messages.next().expect("one per aggregator");
                let mut from = 0;
                for piece in group {
                    store_piece(piece, &message[from..from + piece.len as usize]);
                    from += piece.len as usize;
                }
                let word = |at: usize| {
                    i64::from_ne_bytes(message[at..at + 8].try_into().expect("eight bytes"))
                };
                (word(from) as i32, word(from + 8))
            };
            file_end = file_end.min(its_end);
            code = if code == 0 { its_code } else { code };
        }
    }
    if code != 0 {
        return Err(Error::new(code, "an aggregator cannot read the file"));
    }
    Ok(before(runs, file_end))
}

/// Bytes of consecutive ranges before the first one that passes the end of the file, and of this
/// one up to there.
fn before(runs: &[Run], file_end: i64) -> u64 {
    let mut bytes = 0;
    for &(at, len) in runs {
        let readable = (file_end.saturating_sub(at).max(0) as u64).min(len);
        bytes += readable;
        if readable < len {
            break;
        }
    }
    bytes
}

/// What an aggregator has read in one round.
struct Found {
    /// Windows in ascending order: first byte and data, zero behind the end of the file.
    windows: Vec<(i64, Vec<u8>)>,
    file_end: i64,
    /// 0, or the error class.
    code: i32,
}

impl Found {
    /// Reads the hull of the pieces in each window.
    async fn read<S: Store>(store: &S, plan: &Plan<'_>, pieces: &[Piece]) -> Found {
        let mut hulls: Vec<(i64, Range<i64>)> = Vec::new();
        let mut order: Vec<Run> = pieces.iter().map(|piece| (piece.at, piece.len)).collect();
        order.sort_unstable();
        for (at, len) in order {
            let (window, end) = (plan.division.window_end(at), at + len as i64);
            match hulls.last_mut() {
                Some((last, hull)) if *last == window => hull.end = hull.end.max(end),
                _ => hulls.push((window, at..end)),
            }
        }
        let mut found = Found { windows: Vec::new(), file_end: i64::MAX, code: 0 };
        for (_, hull) in hulls {
            let mut data = vec![0; (hull.end - hull.start) as usize];
            if found.code == 0 {
                let (got, error) = store.read(hull.start, &mut data).await;
                data[got as usize..].fill(0);
                if got < data.len() as u64 {
                    found.file_end = found.file_end.min(hull.start + got as i64);
                }
                found.code = error.map_or(0, |error| error.code);
            }
            found.windows.push((hull.start, data));
        }
        found
    }
    fn bytes(&self, piece: &Piece) -> &[u8] {
        let window = self.windows.partition_point(|(start, _)| *start <= piece.at) - 1;
        let (start, data) = &self.windows[window];
        &data[(piece.at - start) as usize..][..piece.len as usize]
    }
}

#[cfg(test)]
pub(super) mod tests;
