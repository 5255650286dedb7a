//! GOAL, the schedule language of LogGOPSim: sends, receives and computations of every rank, and
//! their dependencies.
//!
//! Sources: Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language - A Flexible Way to
//! Express Collective Communication" (ICPP 2009); Hoefler, Schneider, Lumsdaine, "LogGOPSim" (HPDC
//! 2010); the grammar and the file layout in the repository spcl/LogGOPSim (`txt2bin.re`,
//! `Parser.hpp`).
//!
//! - `calc N` computes for N nanoseconds.
//! - `a requires b`: a begins when b is done. `a irequires b`: a begins when b has begun.
//! - Operations of one rank on one `cpu` are serialized; those on different ones overlap.
//! - Tag and source -1 are wildcards. Tags are taken modulo 2^32, as in `txt2bin`.
//! - `nic N` is the NIC N places after that of the rank, modulo the number of NICs of its node.

mod binary;
mod nics;
mod text;

use super::{
    Action, Builder, FilePosition, MAX_BYTES, MAX_COMPUTE, MAX_RANKS, Schedule, ScheduleError,
    ScheduleErrors,
};
use crate::wire::PRIVATE_CONTEXT;
use crate::{Context, SendMode};
use base::Span;
use std::collections::BTreeMap;

/// A private context: tags of a schedule are not limited by a library's tag bound.
const CONTEXT: Context = PRIVATE_CONTEXT;

/// Wildcard of tag and source, as files store it in 32 bits.
const ANY: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OpKind {
    Send,
    Recv,
    Calc,
}

#[derive(Clone, Copy, Debug)]
struct GoalOp {
    kind: OpKind,
    cpu: u8,
    nic: u8,
    peer: u32,
    tag: u32,
    /// Bytes; for a computation, nanoseconds.
    size: u64,
    /// A line, or in a binary file the operation's number.
    position: u32,
}

/// `op` needs the end of `needed`, or only its begin.
#[derive(Clone, Copy, Debug)]
struct Edge {
    op: u32,
    needed: u32,
    needs_begin_only: bool,
}

/// The operations of one rank, in file order.
#[derive(Default, Debug)]
struct RankOps {
    ops: Vec<GoalOp>,
    edges: Vec<Edge>,
}

/// How error messages name a position.
#[derive(Clone, Copy)]
enum PositionStyle {
    Lines,
    Numbers,
}

/// Reads either form; a binary file is recognized by its first eight bytes.
pub fn read(file: &[u8]) -> Result<Schedule, Vec<ScheduleError>> {
    let mut errors = ScheduleErrors::default();
    let (parts, style) = if binary::is_binary(file) {
        (binary::read(file, &mut errors), PositionStyle::Numbers)
    } else {
        (text::read(file, &mut errors), PositionStyle::Lines)
    };
    if !errors.is_empty() {
        return errors.finish(()).map(|()| unreachable!("there are faults"));
    }
    check(&parts, style, &mut errors);
    if !errors.is_empty() {
        return errors.finish(()).map(|()| unreachable!("there are faults"));
    }
    let schedule = schedule(&parts, style);
    for rank in 0..schedule.ranks {
        if let Some(step) = schedule.cycle(rank) {
            let op = parts[rank as usize].ops[(step - schedule.first_step[rank as usize]) as usize];
            let expected =
                "an order in which operations can begin; these depend on each other in a cycle";
            errors.add(at(style, rank, &op), name(op.kind), expected);
        }
    }
    errors.finish(schedule)
}

fn at(style: PositionStyle, rank: u32, op: &GoalOp) -> String {
    position(style, rank, op).to_string()
}

fn position(style: PositionStyle, rank: u32, op: &GoalOp) -> FilePosition {
    match style {
        PositionStyle::Lines => FilePosition::Line(op.position),
        PositionStyle::Numbers => FilePosition::Number { rank, op: op.position },
    }
}

fn name(kind: OpKind) -> &'static str {
    match kind {
        OpKind::Send => "send",
        OpKind::Recv => "recv",
        OpKind::Calc => "calc",
    }
}

/// Checks for what a file can express and no machine can do.
fn check(parts: &[RankOps], style: PositionStyle, errors: &mut ScheduleErrors) {
    let ranks = parts.len() as u32;
    let mut calls = 0u64;
    for (rank, part) in (0u32..).zip(parts) {
        let mut computed = 0u64;
        // One call per operation, one to mark its begin, one its end.
        calls += 3 * part.ops.len() as u64;
        for op in &part.ops {
            let at = || at(style, rank, op);
            if op.kind == OpKind::Calc {
                let before = computed;
                computed = computed.saturating_add(op.size);
                let longest = MAX_COMPUTE.0 / 1000;
                if before <= longest && computed > longest {
                    let expected = "computation of at most 50 days in all of one rank";
                    errors.add(at(), format!("calc {}", op.size), expected);
                }
                continue;
            }
            let any = op.kind == OpKind::Recv && op.peer == ANY;
            if op.peer >= ranks && !any {
                let expected = format!("a rank below {ranks}, as many as there are");
                errors.add(at(), format!("{} {}", name(op.kind), op.peer), &expected);
            }
            if op.kind == OpKind::Send && op.tag == ANY {
                let expected = "a tag that is not 4294967295 modulo 2^32: a receive's wildcard";
                errors.add(at(), "send with any tag", expected);
            }
            if op.size > MAX_BYTES {
                errors.add(at(), format!("{} B", op.size), "at most 2^40 bytes, a terabyte");
            }
        }
    }
    if calls > u64::from(u32::MAX) {
        errors.add("file", format!("{} operations", calls / 3), "at most 1,431,655,765");
    }
}

fn schedule(parts: &[RankOps], style: PositionStyle) -> Schedule {
    let mut builder = Builder::new();
    let mut threads = 0;
    let mut named = nics::of_sends(parts).map(|of| (of.into_iter(), Vec::new()));
    // By operation of the current rank: the calls whose completion marks its begin and its end.
    let mut begin_calls: Vec<Option<u32>> = Vec::new();
    let mut end_calls: Vec<u32> = Vec::new();
    for part in parts {
        builder.begin_rank();
        begin_calls.clear();
        begin_calls.resize(part.ops.len(), None);
        end_calls.clear();
        for edge in part.edges.iter().filter(|edge| edge.needs_begin_only) {
            begin_calls[edge.needed as usize] = Some(0);
        }
        let cpus = cpus(part, &mut threads);
        let first = builder.needs.len() as u32;
        for (op, begin_call) in part.ops.iter().zip(&mut begin_calls) {
            builder.begin_step();
            if let Some(mark) = begin_call {
                *mark = builder.call(Span::ZERO, Action::Pause);
            }
            let computed = Span(op.size.saturating_mul(1000));
            let is_alone = cpus.is_empty();
            let call = match op.kind {
                OpKind::Calc if is_alone => builder.call(computed, Action::Pause),
                OpKind::Calc => builder.call(Span::ZERO, Action::Delay { span: computed }),
                _ => builder.call(Span::ZERO, communication(op)),
            };
            if let Some((of, by_call)) = &mut named {
                by_call.resize(call as usize, [0, 0]);
                by_call.push(of.next().expect("one of each operation"));
            }
            end_calls.push(call);
            if let Some(&thread) = cpus.get(&op.cpu) {
                builder.occupy(thread);
                if op.kind != OpKind::Calc {
                    // The thread is free when the call is made, not when the message has arrived.
                    builder.call(Span::ZERO, Action::Pause);
                }
            }
        }
        for edge in &part.edges {
            let call = match (edge.needs_begin_only, begin_calls[edge.needed as usize]) {
                (true, Some(mark)) => mark,
                _ => end_calls[edge.needed as usize],
            };
            builder.need(call, first + edge.op);
        }
    }
    let mut schedule = builder.build(BTreeMap::new(), Vec::new());
    if let Some((_, by_call)) = named {
        schedule.nics = by_call;
        schedule.named = nics::named(parts, style);
    }
    schedule
}

/// The computing threads of a rank that uses several, by their numbers in the file.
fn cpus(part: &RankOps, threads: &mut u32) -> BTreeMap<u8, u32> {
    let mut used: Vec<u8> = part.ops.iter().map(|op| op.cpu).collect();
    used.sort_unstable();
    used.dedup();
    if used.len() < 2 {
        return BTreeMap::new();
    }
    let first = *threads;
    *threads += used.len() as u32;
    used.into_iter().zip(first..).collect()
}

fn communication(op: &GoalOp) -> Action {
    // The file's wildcards have all bits set, as in `Op`.
    let tag = op.tag as i32;
    let (context, bytes) = (CONTEXT, op.size);
    match op.kind {
        OpKind::Recv => Action::Recv { from: op.peer, context, tag, bytes },
        _ => Action::Send { to: op.peer, context, tag, bytes, mode: SendMode::Standard },
    }
}

/// Whether the number of ranks is valid; adds an error if not.
fn is_valid_rank_count(ranks: u64, at: &str, errors: &mut ScheduleErrors) -> bool {
    let fits = (1..=u64::from(MAX_RANKS)).contains(&ranks);
    if !fits {
        errors.add(at, ranks.to_string(), "a number of ranks, 1 to 16777216");
    }
    fits
}

#[cfg(test)]
mod tests;
