//! All calls of each rank as rows, for the comparison with a recording.

use crate::compile::{ActionCode, Code, Compiled};
use crate::draws::{elements, poisson_range};
use crate::expand::{Item, Position};
use crate::program::{Block, Distribution, Size};
use workload::{Op, WORLD};

/// A call of one rank, or a computation.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedCall {
    /// The name of the operation in recordings; of a computation, [`COMPUTE`].
    pub op: &'static str,
    pub phase: u32,
    /// Partner, or the root of a collective, or the number of the computation.
    pub peer: u32,
    pub bytes: u64,
    /// Bytes that return from a one-sided access.
    pub back: u64,
    /// Of a collective: 0 for the world, else a communicator of `Listing::members`.
    pub communicator: u32,
    /// The range in which the bytes lie with a probability of 95 %, if they are drawn.
    pub range: Option<(u64, u64)>,
    /// Drawn bytes are `head` and a multiple of `grain`.
    pub grain: u64,
    pub head: u64,
    /// Of `alltoallv` with blocks of different lengths: the ranges of those that the rank sends to
    /// each member, then of those that it receives.
    pub blocks: Vec<(u64, u64)>,
    /// Whether the call itself is drawn.
    pub is_optional: bool,
}

/// The name of computations among the calls.
pub const COMPUTE: &str = "compute";

/// The calls of a program.
pub struct Listing<'a> {
    pub program: &'a Compiled,
}

impl Listing<'_> {
    /// Members of a communicator.
    pub fn members(&self, communicator: u32) -> &[u32] {
        self.program.members(communicator)
    }

    /// All calls of a rank, at most `most`; `None` if there are more.
    pub fn calls(&self, rank: u32, most: usize) -> Option<Vec<ListedCall>> {
        let mut found = Vec::new();
        let mut position = Position::default();
        loop {
            let Some((item, phase)) = self.program.next(rank, &mut position) else {
                return Some(found);
            };
            if found.len() == most {
                return None;
            }
            let size = self.size(&position);
            match item {
                Item::Call { op, .. } => found.extend(listed(op, phase, size)),
                Item::Collective { at, .. } => found.push(self.collective(rank, at, phase)),
                Item::Compute { of, .. } => found.push(computation(of, phase)),
                Item::Wait(_) | Item::Iterated { .. } => {}
            }
        }
    }

    /// The size of the message of the instruction before a position.
    fn size(&self, position: &Position) -> Option<&Size> {
        let before = position.code.checked_sub(1)?;
        let Code::Call(call) = self.program.code.get(before as usize)? else { return None };
        match &call.action {
            ActionCode::Send { bytes, .. } | ActionCode::Recv { bytes, .. } => Some(bytes),
            _ => None,
        }
    }

    fn collective(&self, rank: u32, at: u32, phase: u32) -> ListedCall {
        let prepared = &self.program.calls[at as usize];
        let (own, communicator) = match prepared.call.partition {
            None => (rank, WORLD),
            Some(at) => {
                let family = &self.program.families[at as usize];
                let grid = &self.program.grids[family.of.grid as usize];
                let (own, color) = grid.split(rank, &family.of.axes);
                (own, family.first_context + color)
            }
        };
        let (grain, n) = (prepared.call.grain, prepared.call.blocks.len() as u32);
        let of = |from, to| {
            let Block { bytes, spread } = prepared.call.block(from, to, n);
            spread.map_or((bytes, bytes), |spread| range(bytes as f64, spread, grain))
        };
        let sent = (0..n).map(|to| of(own, to));
        let blocks = sent.chain((0..n).map(|from| of(from, own))).collect();
        let (op, bytes, peer) = (prepared.kind.name(), prepared.call.bytes, prepared.call.root);
        let range = prepared.call.spread.map(|spread| range(bytes as f64, spread, grain));
        ListedCall {
            op,
            phase,
            peer,
            bytes,
            back: 0,
            communicator,
            range,
            grain,
            head: 0,
            blocks,
            is_optional: false,
        }
    }
}

fn listed(op: Op, phase: u32, size: Option<&Size>) -> Option<ListedCall> {
    let (range, grain, head, is_optional) = match size {
        Some(&Size::Drawn { mean, spread, probability, grain, head, .. }) => {
            let (low, high) = range(mean, spread, grain);
            (Some((head + low, head + high)), grain, head, probability < 1.0)
        }
        _ => (None, 1, 0, false),
    };
    let (op, peer, bytes, back) = match op {
        Op::Send { to, bytes, mode: workload::SendMode::Synchronous, .. } => {
            ("ssend", to, bytes, 0)
        }
        Op::Send { to, bytes, .. } => ("send", to, bytes, 0),
        Op::Recv { from, bytes, .. } => ("recv", from, bytes, 0),
        Op::OneSided { to, request_bytes, response_bytes, atomic, .. } => {
            (if atomic { "atomic" } else { "access" }, to, request_bytes, response_bytes)
        }
        _ => return None,
    };
    Some(ListedCall {
        op,
        phase,
        peer,
        bytes,
        back,
        communicator: WORLD,
        range,
        grain,
        head,
        blocks: Vec::new(),
        is_optional,
    })
}

fn computation(of: u32, phase: u32) -> ListedCall {
    ListedCall {
        op: COMPUTE,
        phase,
        peer: of,
        bytes: 0,
        back: 0,
        communicator: WORLD,
        range: None,
        grain: 1,
        head: 0,
        blocks: Vec::new(),
        is_optional: false,
    }
}

/// The central 95 % of a size in elements of `grain` bytes.
fn range(mean_bytes: f64, spread: Distribution, grain: u64) -> (u64, u64) {
    /// Quantiles of the standard normal distribution and of the exponential one.
    const NORMAL: f64 = 1.959_964;
    const EXPONENTIAL: [f64; 2] = [0.025_318, 3.688_879];
    let (low, high) = match spread {
        Distribution::Normal { sigma } => (1.0 - NORMAL * sigma, 1.0 + NORMAL * sigma),
        Distribution::Uniform { width } => (1.0 - 0.95 * width, 1.0 + 0.95 * width),
        Distribution::Exponential { mean } => {
            (1.0 + mean * (EXPONENTIAL[0] - 1.0), 1.0 + mean * (EXPONENTIAL[1] - 1.0))
        }
        Distribution::LogNormal { sigma } => {
            let middle = -sigma * sigma / 2.0;
            ((middle - NORMAL * sigma).exp(), (middle + NORMAL * sigma).exp())
        }
        Distribution::Poisson { mean } => poisson_range(mean),
    };
    let mean = elements(mean_bytes, spread, grain) * grain.max(1) as f64;
    ((mean * low).max(0.0).floor() as u64, (mean * high).ceil() as u64)
}
