//! The calls of one rank, one after the other.

use crate::compile::{ActionCode, CallCode, Code, Compiled, MAX_DEPTH, MAX_LEVELS};
use crate::draws;
use crate::grid::MAX_DIMENSIONS;
use crate::program::{
    Access, Block, Boxes, CollectiveCall, Distribution, FileAction, FileStep, Partner, Remap,
    Targets, Where,
};
use base::Span;
use collectives::{Member, Ragged};
use workload::{FileCall, FileCallKind, Op, WORLD, file_flag};

/// How far a rank has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position {
    pub code: u32,
    /// Messages of this instruction that were listed.
    pub(crate) sub: u32,
    /// Iterations of the loops around it.
    pub counters: [u32; MAX_LEVELS],
}

/// What a rank does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// With request 0, the rank waits for its completion.
    Call {
        op: Op,
        request: u8,
    },
    /// Collective call number `at`.
    Collective {
        at: u32,
        request: u8,
    },
    Wait(u8),
    /// Computation number `of`. Offloaded computation occupies the device of the rank.
    Compute {
        of: u32,
        span: Span,
        request: u8,
        is_offloaded: bool,
    },
    /// An iteration of this loop has ended.
    Iterated {
        of: u32,
        k: u32,
    },
}

impl Compiled {
    /// The next item of a rank, and the phase it belongs to; `None` at the end.
    pub fn next(&self, rank: u32, position: &mut Position) -> Option<(Item, u32)> {
        loop {
            match self.code.get(position.code as usize)? {
                Code::Begin(number) => {
                    let of = &self.loops[*number as usize];
                    position.counters[usize::from(of.depth)] = 0;
                    position.code = if of.simulated == 0 { of.end + 1 } else { position.code + 1 };
                }
                Code::End(number) => {
                    let of = &self.loops[*number as usize];
                    let counter = &mut position.counters[usize::from(of.depth)];
                    let k = *counter;
                    *counter += 1;
                    if *counter < of.simulated {
                        position.code = of.begin + 1;
                    } else {
                        *counter = 0;
                        position.code += 1;
                    }
                    return Some((Item::Iterated { of: *number, k }, 0));
                }
                Code::Call(call) => match self.made(rank, call, position) {
                    Some((item, is_last)) => {
                        if is_last {
                            (position.code, position.sub) = (position.code + 1, 0);
                        }
                        return Some((item, call.phase));
                    }
                    None => (position.code, position.sub) = (position.code + 1, 0),
                },
            }
        }
    }

    /// What one rank calls in the simulated iterations: its sends and accesses, and for each
    /// collective call the number of its executions.
    pub fn census(&self, rank: u32) -> (u64, Vec<u64>) {
        let (mut sends, mut collectives) = (0, vec![0; self.calls.len()]);
        let mut position = Position::default();
        while let Some((item, _)) = self.next(rank, &mut position) {
            match item {
                Item::Call { op: Op::Send { .. } | Op::OneSided { .. }, .. } => sends += 1,
                Item::Collective { at, .. } => collectives[at as usize] += 1,
                _ => {}
            }
        }
        (sends, collectives)
    }

    /// What an instruction lists next for a rank, if the rank makes it, and whether that is its
    /// last item.
    pub(crate) fn made(
        &self,
        rank: u32,
        call: &CallCode,
        position: &mut Position,
    ) -> Option<(Item, bool)> {
        if let Some(folded) = &self.folded
            && let Some(message) = folded.message(position.code, rank, position.sub)
        {
            position.sub += 1;
            let (peer, bytes) = message?;
            return Some((folded_item(call, peer, bytes)?, false));
        }
        if position.sub == 0 && !self.is_made(rank, &call.only) {
            return None;
        }
        self.item(rank, call, position)
    }

    fn is_made(&self, rank: u32, only: &[Where]) -> bool {
        only.iter().all(|one| {
            let grid = &self.grids[one.grid as usize];
            let extent = grid.shape[one.axis as usize];
            let at = (grid.place(rank)[one.axis as usize] + extent - one.root % extent) % extent;
            (one.from..one.to).contains(&at) && (at - one.from).is_multiple_of(one.step)
        })
    }

    /// A number that differs between iterations.
    fn iteration(position: &Position) -> u64 {
        let mix = |sum: u64, &k: &u32| sum.wrapping_mul(1_000_003).wrapping_add(k.into());
        position.counters[..MAX_DEPTH].iter().fold(0, mix)
    }

    /// What an instruction lists next for a rank, and whether that is its last item.
    fn item(&self, rank: u32, code: &CallCode, position: &mut Position) -> Option<(Item, bool)> {
        let request = code.request;
        let call = |op| Some((Item::Call { op, request }, true));
        match &code.action {
            ActionCode::Send { to, bytes, tag, mode } => {
                let to = self.partner(to, rank)?;
                let it = Self::iteration(position);
                let bytes = draws::bytes(bytes, self.seed, rank, to, it)?;
                call(Op::Send { to, context: WORLD, tag: *tag, bytes, mode: *mode })
            }
            ActionCode::Recv { from, bytes, tag } => {
                let from = self.partner(from, rank)?;
                let it = Self::iteration(position);
                let bytes = draws::bytes(bytes, self.seed, from, rank, it)?;
                call(Op::Recv { from, context: WORLD, tag: *tag, bytes })
            }
            ActionCode::Wait(of) => Some((Item::Wait(*of), true)),
            ActionCode::Compute(of) => {
                let span = self.span(rank, *of, Self::iteration(position));
                let is_offloaded = self.computations[*of as usize].is_offloaded;
                Some((Item::Compute { of: *of, span, request, is_offloaded }, true))
            }
            ActionCode::RemapSend(of) => {
                let (to, bytes) = self.overlap(of, &of.from, &of.to, rank, &mut position.sub)?;
                let mode = workload::SendMode::Standard;
                let op = Op::Send { to, context: WORLD, tag: of.tag, bytes, mode };
                Some((Item::Call { op, request }, false))
            }
            ActionCode::RemapRecv(of) => {
                let (from, bytes) = self.overlap(of, &of.to, &of.from, rank, &mut position.sub)?;
                let op = Op::Recv { from, context: WORLD, tag: of.tag, bytes };
                Some((Item::Call { op, request }, false))
            }
            ActionCode::Collective(at) => Some((Item::Collective { at: *at, request }, true)),
            ActionCode::File(of) => {
                let transfers = matches!(of.step, FileStep::Read | FileStep::Write);
                let count = if transfers { of.count } else { 1 };
                let nth = u64::from(position.sub);
                if nth == count {
                    return None;
                }
                position.sub += 1;
                let op = Op::File(self.file_call(rank, of, nth));
                Some((Item::Call { op, request }, false))
            }
            ActionCode::Access(of) => {
                let op = self.access(rank, of, &mut position.sub)?;
                Some((Item::Call { op, request }, false))
            }
        }
    }

    fn span(&self, rank: u32, of: u32, iteration: u64) -> Span {
        let computation = &self.computations[of as usize];
        let mut seconds = self.seconds[of as usize];
        let (seed, stream) = (self.seed, computation.stream);
        let machine = |sigma: f64| (sigma > 0.0).then_some(Distribution::Normal { sigma });
        // All computations of a rank run on one unit, so they share its deviation.
        let (imbalance, of_unit) = match computation.imbalance {
            Some(own) => (Some(own), stream ^ 0x6469_6666),
            None => (machine(self.spread), 0x756e_6974),
        };
        if let Some(spread) = imbalance {
            seconds *= draws::factor(spread, seed, of_unit, rank, 0);
        }
        if let Some(noise) = computation.noise.or(machine(self.jitter)) {
            seconds *= draws::factor(noise, seed, stream ^ 0x6e6f_6973, rank, iteration);
        }
        Span::from_seconds(seconds)
    }

    /// The other rank; `None` if there is none, or if it is the rank itself.
    pub(crate) fn partner(&self, partner: &Partner, rank: u32) -> Option<u32> {
        let ranks = i64::from(self.ranks);
        let found = match partner {
            Partner::Offset { grid, by, periodic } => {
                self.grids[*grid as usize].neighbor(rank, by, periodic)?
            }
            Partner::Shift { by } => (i64::from(rank) + by % ranks).rem_euclid(ranks) as u32,
            Partner::Xor { by } => Some(rank ^ by).filter(|&to| to < self.ranks)?,
            Partner::Rank { rank } => *rank,
            Partner::At { grid, axis, at } => {
                let grid = &self.grids[*grid as usize];
                let mut place = grid.place(rank);
                place[*axis as usize] = *at;
                grid.rank(&place)
            }
            Partner::AxisXor { grid, axis, root, by } => {
                let grid = &self.grids[*grid as usize];
                let extent = grid.shape[*axis as usize];
                let mut place = grid.place(rank);
                let own = (place[*axis as usize] + extent - root) % extent;
                let other = Some(own ^ by).filter(|&other| other < extent)?;
                place[*axis as usize] = (other + root) % extent;
                grid.rank(&place)
            }
        };
        (found != rank).then_some(found)
    }

    /// The next rank of `other` whose box overlaps that of `rank` in `own`, and the bytes of the
    /// overlap. The rank's own overlap is copied without a message.
    fn overlap(
        &self,
        of: &Remap,
        own: &Boxes,
        other: &Boxes,
        rank: u32,
        sub: &mut u32,
    ) -> Option<(u32, u64)> {
        let (own, other) = (&self.grids[own.grid as usize], &self.grids[other.grid as usize]);
        let place = own.place(rank);
        let start =
            |c: u64, p: u32, cells: u64| (u128::from(c) * u128::from(cells) / u128::from(p)) as u64;
        let axes = of.extent.len();
        let mut ranges = [(0u32, 0u32, 0u64, 0u64); MAX_DIMENSIONS];
        for axis in 0..axes {
            let (cells, p, q) = (of.extent[axis], own.shape[axis], other.shape[axis]);
            let at = u64::from(place[axis]);
            let (low, high) = (start(at, p, cells), start(at + 1, p, cells));
            if low == high {
                return None;
            }
            // The first coordinate of `other` whose box ends beyond `low`, and the last that begins
            // before `high`.
            let estimate =
                |cell: u64| (u128::from(cell) * u128::from(q) / u128::from(cells)) as u32;
            let mut first = estimate(low);
            while start(u64::from(first) + 1, q, cells) <= low {
                first += 1;
            }
            let mut last = estimate(high - 1).max(first);
            while last + 1 < q && start(u64::from(last) + 1, q, cells) < high {
                last += 1;
            }
            ranges[axis] = (first, last - first + 1, low, high);
        }
        let all: u32 = ranges[..axes].iter().map(|range| range.1).product();
        while *sub < all {
            let mut rest = *sub;
            *sub += 1;
            let mut to = [0; MAX_DIMENSIONS];
            let mut bytes = of.bytes;
            for nth in 0..axes {
                // In the order of ranks of `other`.
                let axis = if other.first_fastest { nth } else { axes - 1 - nth };
                let (first, count, low, high) = ranges[axis];
                to[axis] = first + rest % count;
                rest /= count;
                let at = u64::from(to[axis]);
                let (cells, q) = (of.extent[axis], other.shape[axis]);
                let from = start(at, q, cells).max(low);
                bytes *= start(at + 1, q, cells).min(high).saturating_sub(from);
            }
            let to = other.rank(&to);
            if to != rank && bytes > 0 {
                return Some((to, bytes));
            }
        }
        None
    }

    /// The collective call of a rank, after `prepare`.
    pub(crate) fn collective_of(&self, rank: u32, at: u32) -> Op {
        let prepared = &self.calls[at as usize];
        let (own, color, context) = match prepared.call.partition {
            None => (rank, 0, WORLD),
            Some(at) => {
                let family = &self.families[at as usize];
                let grid = &self.grids[family.of.grid as usize];
                let (own, color) = grid.split(rank, &family.of.axes);
                (own, color, family.first_context + color)
            }
        };
        let [root, other] = &prepared.by_color[color as usize];
        let mut call = if own == prepared.call.root { root.clone() } else { other.clone() };
        call.member = Member { rank: own, size: call.member.size };
        if !prepared.call.blocks.is_empty() {
            call.ragged = Some(self.blocks(&prepared.call, own, color, call.member.size));
        }
        Op::Collective { context, call }
    }

    /// The blocks that a member of communicator number `color` sends, then those it receives.
    fn blocks(&self, of: &CollectiveCall, own: u32, color: u32, members: u32) -> Ragged {
        let bytes = |from: u32, to: u32| {
            let Block { bytes, spread } = of.block(from, to, members);
            let owner = color.wrapping_mul(members).wrapping_add(from);
            let draw = |spread| {
                let number = (owner, u64::from(to));
                draws::drawn(bytes as f64, spread, of.grain, self.seed, of.stream, number)
            };
            spread.map_or(bytes, draw)
        };
        let sent = (0..members).map(|to| bytes(own, to));
        Ragged::new(sent.chain((0..members).map(|from| bytes(from, own))))
    }

    /// A call on a file of the root directory. Rank 0 creates a shared file, which exists for the
    /// others.
    fn file_call(&self, rank: u32, of: &FileAction, nth: u64) -> FileCall {
        const ROOT: u32 = 0;
        let file = ROOT + 1 + of.file + if of.per_rank { rank } else { 0 };
        let direct = if of.direct { file_flag::DIRECT } else { 0 };
        let exists = if of.per_rank || rank == 0 { 0 } else { file_flag::EXISTS };
        let (kind, flags) = match of.step {
            FileStep::Create => {
                (FileCallKind::Open, file_flag::CREATE | file_flag::WRITE | exists | direct)
            }
            FileStep::Open => (FileCallKind::Open, file_flag::EXISTS | direct),
            FileStep::Read => (FileCallKind::Read, file_flag::OPEN | file_flag::EXISTS | direct),
            FileStep::Write => (FileCallKind::Write, file_flag::OPEN | file_flag::EXISTS | direct),
            FileStep::Sync => (FileCallKind::Sync, file_flag::OPEN | file_flag::EXISTS),
            FileStep::Close => (FileCallKind::Close, file_flag::OPEN | file_flag::EXISTS),
        };
        let is_transfer = matches!(of.step, FileStep::Read | FileStep::Write);
        let before = if of.per_rank { 0 } else { u64::from(rank) * of.count * of.bytes };
        let offset = if is_transfer { of.offset + before + nth * of.bytes } else { 0 };
        // What other ranks have written is not known here: a file is as long as all of it.
        let owners = if of.per_rank { 1 } else { u64::from(self.ranks) };
        let size = match of.step {
            FileStep::Read => of.offset + owners * of.count * of.bytes,
            FileStep::Write => offset,
            _ => 0,
        };
        FileCall {
            kind,
            file_system: self.file_system_numbers[of.file_system as usize],
            flags,
            file,
            parent: ROOT,
            other: 0,
            name: base::draw(0, 0x6e61_6d65, ROOT, file.into()),
            offset,
            bytes: if is_transfer { of.bytes } else { 0 },
            size,
        }
    }

    fn access(&self, rank: u32, of: &Access, sub: &mut u32) -> Option<Op> {
        if u64::from(*sub) == of.count {
            return None;
        }
        let nth = *sub;
        *sub += 1;
        // The number among the other ranks.
        let turn = || nth.checked_rem(self.ranks - 1);
        let to = match &of.to {
            Targets::One(partner) => self.partner(partner, rank)?,
            Targets::FromNext => (u64::from(rank) + u64::from(turn()?) + 1) as u32 % self.ranks,
            Targets::FromFirst => {
                let position = turn()?;
                position + u32::from(position >= rank)
            }
        };
        let (request_bytes, response_bytes, atomic) = (of.out, of.back, of.atomic);
        Some(Op::OneSided { to, context: WORLD, request_bytes, response_bytes, atomic })
    }
}

/// A message of a folded program.
fn folded_item(call: &CallCode, peer: u32, bytes: u64) -> Option<Item> {
    let mode = workload::SendMode::Standard;
    let op = match &call.action {
        ActionCode::Send { tag, mode, .. } => {
            Op::Send { to: peer, context: WORLD, tag: *tag, bytes, mode: *mode }
        }
        ActionCode::RemapSend(of) => {
            Op::Send { to: peer, context: WORLD, tag: of.tag, bytes, mode }
        }
        ActionCode::Recv { tag, .. } => Op::Recv { from: peer, context: WORLD, tag: *tag, bytes },
        ActionCode::RemapRecv(of) => Op::Recv { from: peer, context: WORLD, tag: of.tag, bytes },
        ActionCode::Access(of) => {
            let (request_bytes, response_bytes, atomic) = (of.out, of.back, of.atomic);
            Op::OneSided { to: peer, context: WORLD, request_bytes, response_bytes, atomic }
        }
        _ => return None,
    };
    Some(Item::Call { op, request: call.request })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;

    /// Both ends of a block of `alltoallv` draw the same length, of whole elements.
    #[test]
    fn drawn_blocks_are_the_same_at_both_ends() {
        let spread = serde_json::json!({"kind": "poisson", "mean": 3.0});
        let block = serde_json::json!({"bytes": 48, "spread": spread});
        let program = serde_json::json!({"ranks": 6, "grids": [{"shape": [2, 3]}],
            "phases": ["main"], "partitions": [{"grid": 0, "axes": [1]}],
            "body": [{"do": "call", "call": "collective", "phase": 0, "kind": "alltoallv",
                "partition": 0, "bytes": 48, "grain": 16, "blocks": [block, block, block]}]});
        let program: Program = serde_json::from_value(program).expect("a program");
        let compiled = Compiled::new(&program, 1).expect("valid");
        let of = &compiled.calls[0].call;
        let lengths: Vec<Vec<u64>> = (0..6)
            .map(|rank| compiled.blocks(of, rank % 3, rank / 3, 3).lengths().collect())
            .collect();
        for row in lengths.chunks(3) {
            for (from, to) in (0..3).flat_map(|from| (0..3).map(move |to| (from, to))) {
                assert_eq!(row[from][to], row[to][3 + from]);
                assert!(row[from][to].is_multiple_of(16));
            }
        }
        assert_ne!(lengths[0], lengths[3]);
    }
}
