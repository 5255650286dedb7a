//! An exchange on some nodes that stand for all: messages to other nodes go to chosen ones instead.
//!
//! Each rank of a chosen node sends what it sends in the whole, so that CPUs and NICs have the same
//! work. Receivers have nearly the same work, too.

use crate::compile::{ActionCode, Code, Compiled};
use crate::expand::{Item, Position};
use crate::folded_messages::{Folded, Messages};
use crate::program::{Partner, Remap, Targets};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use workload::Op;

/// The job's nodes, and those that stand for all.
struct Nodes {
    /// By node, in the order of first ranks: its ranks.
    ranks: Vec<Vec<u32>>,
    /// By rank: its node, and its number on it.
    places: Vec<(u32, u32)>,
    chosen: Vec<u32>,
}

impl Nodes {
    /// `chosen` nodes at equal distances.
    fn new(of_ranks: &[u32], chosen: u32) -> Nodes {
        let mut numbers = BTreeMap::new();
        let mut ranks: Vec<Vec<u32>> = Vec::new();
        let mut places = Vec::with_capacity(of_ranks.len());
        for (rank, node) in (0..).zip(of_ranks) {
            let number = *numbers.entry(node).or_insert(ranks.len());
            if number == ranks.len() {
                ranks.push(Vec::new());
            }
            places.push((number as u32, ranks[number].len() as u32));
            ranks[number].push(rank);
        }
        let all = ranks.len() as u64;
        let at = |nth: u32| (u64::from(nth) * all / u64::from(chosen)) as u32;
        Nodes { chosen: (0..chosen).map(at).collect(), ranks, places }
    }

    /// The nodes that stand for `targets` of the chosen node `own`, by target: the chosen nodes
    /// after it in turn, for targets in the order of their distance after it. Thus all chosen nodes
    /// receive alike from patterns that are alike on all nodes, and traffic between nodes stays
    /// between nodes.
    fn fold(&self, own: usize, targets: &BTreeSet<u32>) -> BTreeMap<u32, u32> {
        let (from, n) = (self.chosen[own], self.chosen.len());
        let after = targets.iter().copied().filter(|&target| target > from);
        let before = targets.iter().copied().filter(|&target| target < from);
        let others = after.chain(before).enumerate();
        let folded = others.map(|(nth, of)| (of, self.chosen[(own + 1 + nth % (n - 1)) % n]));
        folded.chain([(from, from)]).collect()
    }
}

impl Compiled {
    /// The same exchange on `chosen` nodes that stand for all, and their ranks. `None` if its
    /// receives are not all posted before the sends that they wait for, or if all ranks have the
    /// same target at a time, on which the others wait. `nodes` are those of the ranks.
    pub fn folded(&self, nodes: &[u32], chosen: u32) -> Option<(Compiled, Vec<u32>)> {
        let receivers = self.receivers()?;
        let nodes = Nodes::new(nodes, chosen);
        if chosen < 2 || nodes.ranks.len() <= chosen as usize {
            return None;
        }
        let of_node = |&node: &u32| nodes.ranks[node as usize].iter().copied();
        let ranks: Vec<u32> = nodes.chosen.iter().flat_map(of_node).collect();
        let mut numbers = vec![u32::MAX; self.ranks as usize];
        for (number, &rank) in (0..).zip(&ranks) {
            numbers[rank as usize] = number;
        }
        let mut messages: Vec<Vec<Vec<(u32, u64)>>> = vec![Vec::new(); self.code.len()];
        for (at, receiver) in receivers.iter().enumerate() {
            let Some(receiver) = *receiver else { continue };
            messages[at].resize(ranks.len(), Vec::new());
            messages[receiver].resize(ranks.len(), Vec::new());
            for own in 0..nodes.chosen.len() {
                for (from, to, bytes) in self.folded_sends(&nodes, own, at) {
                    let (from, to) = (numbers[from as usize], numbers[to as usize]);
                    messages[at][from as usize].push((to, bytes));
                    if receiver != at {
                        messages[receiver][to as usize].push((from, bytes));
                    }
                }
            }
        }
        let table = |(at, by_rank): (usize, Vec<Vec<(u32, u64)>>)| {
            let is_message = matches!(&self.code[at],
                Code::Call(call) if !matches!(call.action, ActionCode::Wait(_)));
            is_message.then(|| Messages::new(&by_rank, ranks.len()))
        };
        let folded = messages.into_iter().enumerate().map(table).collect();
        let (n, world) = (ranks.len() as u32, (0..ranks.len() as u32).collect());
        let program = Compiled {
            ranks: n,
            world,
            folded: Some(Arc::new(Folded::new(folded))),
            ..self.clone()
        };
        Some((program, ranks))
    }

    /// By position in the code: of sends, the first receive with their tag of those that are waited
    /// for together; of accesses, their own position. `None` if a receive follows a send, if no
    /// receive has the tag, if ranks have a common target, or if there are other calls.
    fn receivers(&self) -> Option<Vec<Option<usize>>> {
        let mut found = vec![None; self.code.len()];
        // Tags of the receives that are open, and their positions.
        let mut open: Vec<(i32, usize)> = Vec::new();
        let mut sends = false;
        for (at, code) in self.code.iter().enumerate() {
            let call = match code {
                Code::Begin(_) | Code::End(_) if open.is_empty() && !sends => continue,
                Code::Begin(_) | Code::End(_) => return None,
                Code::Call(call) => call,
            };
            match &call.action {
                action if has_common_target(action) => return None,
                ActionCode::Recv { tag, .. } | ActionCode::RemapRecv(Remap { tag, .. }) => {
                    if sends || call.request == 0 {
                        return None;
                    }
                    open.push((*tag, at));
                }
                ActionCode::Send { tag, .. } | ActionCode::RemapSend(Remap { tag, .. }) => {
                    found[at] = Some(open.iter().find(|receive| receive.0 == *tag)?.1);
                    sends = true;
                }
                ActionCode::Access(_) => found[at] = Some(at),
                ActionCode::Wait(_) if call.only.is_empty() => {
                    open.clear();
                    sends = false;
                }
                _ => return None,
            }
        }
        Some(found)
    }

    /// Messages of the ranks of a chosen node by one instruction: sender, the rank that stands for
    /// the target, and bytes.
    fn folded_sends(&self, nodes: &Nodes, own: usize, at: usize) -> Vec<(u32, u32, u64)> {
        let ranks = &nodes.ranks[nodes.chosen[own] as usize];
        let of_rank = |&from: &u32| {
            let sends = self.sends(from, at).into_iter();
            sends.map(move |(to, bytes)| (from, to, bytes))
        };
        let mut sends: Vec<_> = ranks.iter().flat_map(of_rank).collect();
        let targets = sends.iter().map(|&(_, to, _)| nodes.places[to as usize].0).collect();
        let folded = nodes.fold(own, &targets);
        for (_, to, _) in &mut sends {
            let (node, nth) = nodes.places[*to as usize];
            let ranks = &nodes.ranks[folded[&node] as usize];
            *to = ranks[nth as usize % ranks.len()];
        }
        sends
    }

    /// Targets and bytes of the messages that a rank sends by one instruction.
    fn sends(&self, rank: u32, at: usize) -> Vec<(u32, u64)> {
        let Code::Call(call) = &self.code[at] else { return Vec::new() };
        let mut position = Position { code: at as u32, ..Position::default() };
        let mut found = Vec::new();
        while let Some((item, is_last)) = self.made(rank, call, &mut position) {
            match item {
                Item::Call { op: Op::Send { to, bytes, .. }, .. } => found.push((to, bytes)),
                Item::Call { op: Op::OneSided { to, .. }, .. } => found.push((to, 0)),
                _ => {}
            }
            if is_last {
                break;
            }
        }
        found
    }
}

/// Whether ranks that are apart have the same target at a time: fewer nodes would be fewer senders.
fn has_common_target(action: &ActionCode) -> bool {
    match action {
        ActionCode::Send { to, .. } => matches!(to, Partner::Rank { .. } | Partner::At { .. }),
        ActionCode::Access(of) => match &of.to {
            Targets::FromFirst => true,
            Targets::One(to) => matches!(to, Partner::Rank { .. } | Partner::At { .. }),
            Targets::FromNext => false,
        },
        _ => false,
    }
}
