//! The distinct parts of a program, which are simulated once each if the whole is too large.
//!
//! A part is a computation, a blocking collective, an exchange (consecutive messages, and whatever
//! is made while requests are open), or a sample of a loop with its warm-up. Requests that are open
//! at the end of a loop are waited for there, as parts do not overlap.

use crate::compile::{ActionCode, CallCode, Code, Compiled, Family, LoopCode, OFFLOADED, around};
use crate::grid::Grid;
use crate::program::{Distribution, Partition, Partner, Where};
use collectives::Collective;
use std::ops::Range;

/// By request: whether it is open.
type Requests = [bool; 4];
const CLOSED: Requests = [false; 4];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Computation number.
    Compute(u32),
    /// Collective call number.
    Collective(u32),
    /// Position in `Units::exchanges`.
    Exchange(u32),
    /// Position in `Units::samples`.
    Sample(u32),
}

/// A use of a part in a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitUse {
    pub unit: Unit,
    pub phase: u32,
    /// Number of executions, and the same with coarser samples of loops.
    pub weight: f64,
    pub coarse: f64,
    /// The share of the ranks that make it.
    pub share: f64,
    /// Ranks that a collective synchronizes; 0 of other parts.
    pub synchronized: u32,
}

/// The parts of a program in the order of the code.
#[derive(Clone, Debug)]
pub struct Units {
    pub uses: Vec<UnitUse>,
    /// Distinct exchanges, each a program that executes it twice.
    pub exchanges: Vec<Compiled>,
    /// Samples of loops, each a program of a warm-up and one iteration.
    pub samples: Vec<Compiled>,
    codes: Vec<Vec<Code>>,
}

impl Units {
    /// The parts of a program. Samples of loops that `fit` are parts; others consist of parts.
    pub fn of(program: &Compiled, fit: &dyn Fn(&Compiled) -> bool) -> Units {
        let (uses, exchanges, samples) = (Vec::new(), Vec::new(), Vec::new());
        let mut units = Units { uses, exchanges, samples, codes: Vec::new() };
        let mut weights = vec![(1.0, 1.0)];
        let mut at = 0;
        while let Some(code) = program.code.get(at) {
            let &(weight, coarse) = weights.last().expect("the outermost");
            let one = |unit: Unit, phase: u32| {
                let (share, synchronized) = (1.0, 0);
                UnitUse { unit, phase, weight, coarse, share, synchronized }
            };
            if let Some((warm_up, of)) = sample(program, code) {
                let part = program.sample_part(warm_up, of);
                at = warm_up.end as usize + 1;
                if fit(&part) {
                    let unit = Unit::Sample(units.samples.len() as u32);
                    units.samples.push(part);
                    let (weight, coarse) = (weight * of.count, coarse * of.coarse);
                    units.uses.push(UnitUse { weight, coarse, ..one(unit, 0) });
                    at = of.end as usize + 1;
                }
                continue;
            }
            let (end, open) = exchange_end(program, at);
            if end > at {
                let phase = phase_of(&program.code[at..end]);
                let unit = Unit::Exchange(units.exchange(program, at..end, open));
                units.uses.push(one(unit, phase));
                at = end;
                continue;
            }
            match code {
                Code::Begin(number) => {
                    let of = &program.loops[*number as usize];
                    weights.push((weight * of.count, coarse * of.coarse));
                }
                Code::End(_) => drop(weights.pop()),
                Code::Call(call) => {
                    let found = units.call(program, call, at);
                    let share = program.share(&call.only);
                    let found = found.map(|(unit, synchronized)| UnitUse {
                        share,
                        synchronized,
                        ..one(unit, call.phase)
                    });
                    units.uses.extend(found);
                }
            }
            at += 1;
        }
        units
    }

    /// The part of a call that is no message, and the ranks that it synchronizes.
    fn call(&mut self, program: &Compiled, call: &CallCode, at: usize) -> Option<(Unit, u32)> {
        match call.action {
            ActionCode::Compute(of) => Some((Unit::Compute(of), 0)),
            ActionCode::Collective(of) => {
                let partition = program.calls[of as usize].call.partition;
                let family = partition.map(|at| program.families[at as usize].size);
                let members = family.unwrap_or(program.ranks);
                let unit = match call.only.is_empty() {
                    true => Unit::Collective(of),
                    // Of some communicators of a family.
                    false => Unit::Exchange(self.exchange(program, at..at + 1, CLOSED)),
                };
                Some((unit, members))
            }
            _ => None,
        }
    }

    /// The number of an exchange, which is new unless an equal one is known. It ends with waits for
    /// the requests that are open.
    fn exchange(&mut self, program: &Compiled, range: Range<usize>, open: Requests) -> u32 {
        let mut code = normalized(&program.code[range]);
        let requests = (0..).zip(open).filter(|&(_, is_open)| is_open);
        code.extend(requests.map(|(of, _)| {
            let (only, action) = (Vec::new(), ActionCode::Wait(of));
            Code::Call(CallCode { phase: 0, request: 0, only, action })
        }));
        let known = self.codes.iter().position(|known| are_equal(program, known, &code));
        let at = known.unwrap_or_else(|| {
            self.exchanges.push(program.part(&code));
            self.codes.push(code);
            self.codes.len() - 1
        });
        at as u32
    }
}

/// The loops of a sample that begins here: its warm-up, and the iteration that counts.
fn sample<'a>(program: &'a Compiled, code: &Code) -> Option<(&'a LoopCode, &'a LoopCode)> {
    let Code::Begin(number) = code else { return None };
    let warm_up = &program.loops[*number as usize];
    if !warm_up.is_sample || warm_up.count > 0.0 {
        return None;
    }
    match program.code.get(warm_up.end as usize + 1) {
        Some(Code::Begin(next)) => Some((warm_up, &program.loops[*next as usize])),
        _ => None,
    }
}

/// Without what has no effect on time. Tags are numbered in the order of the code, so that they
/// still select the receive of a message.
fn normalized(code: &[Code]) -> Vec<Code> {
    let mut tags: Vec<i32> = Vec::new();
    let mut number = |tag: &mut i32| {
        let known = tags.iter().position(|own| *own == *tag);
        let at = known.unwrap_or(tags.len());
        if known.is_none() {
            tags.push(*tag);
        }
        *tag = at as i32;
    };
    let mut code = code.to_vec();
    for one in &mut code {
        let Code::Call(call) = one else { continue };
        call.phase = 0;
        match &mut call.action {
            ActionCode::Send { tag, .. } | ActionCode::Recv { tag, .. } => number(tag),
            ActionCode::RemapSend(of) | ActionCode::RemapRecv(of) => number(&mut of.tag),
            _ => {}
        }
    }
    code
}

fn are_equal(program: &Compiled, a: &[Code], b: &[Code]) -> bool {
    let count = |number: &u32| program.loops[*number as usize].count;
    a.len() == b.len()
        && a.iter().zip(b).all(|pair| match pair {
            (Code::Begin(a), Code::Begin(b)) | (Code::End(a), Code::End(b)) => count(a) == count(b),
            (Code::Call(a), Code::Call(b)) => match (&a.action, &b.action) {
                (ActionCode::Compute(x), ActionCode::Compute(y)) => {
                    program.seconds[*x as usize] == program.seconds[*y as usize]
                }
                _ => a == b,
            },
            _ => false,
        })
}

fn phase_of(code: &[Code]) -> u32 {
    let mut phases = code.iter().filter_map(|code| match code {
        Code::Call(call) => Some(call.phase),
        _ => None,
    });
    phases.next().unwrap_or(0)
}

fn is_message(call: &CallCode) -> bool {
    !matches!(call.action, ActionCode::Compute(_) | ActionCode::Collective(_))
}

/// Whether a request is open after code that opens it: an overlap that begins with a loop.
fn leaves_open(code: &[Code], request: u8) -> bool {
    let last = code.iter().rev().find_map(|code| match code {
        Code::Call(CallCode { action: ActionCode::Wait(of), .. }) => {
            (*of == request).then_some(false)
        }
        Code::Call(call) => (call.request == request).then_some(true),
        _ => None,
    });
    last == Some(true)
}

/// The end of the exchange that begins at `from`, and the requests that are open there; `from` if
/// none does.
fn exchange_end(program: &Compiled, from: usize) -> (usize, Requests) {
    let mut open = CLOSED;
    let (mut depth, mut at, mut end) = (0, from, from);
    let mut phase = None;
    while let Some(code) = program.code.get(at) {
        let is_open = open.contains(&true);
        match code {
            Code::Begin(number) => {
                let of = &program.loops[*number as usize];
                let inside = &program.code[of.begin as usize..of.end as usize];
                let has_other =
                    inside.iter().any(|code| matches!(code, Code::Call(c) if !is_message(c)));
                if !is_open && has_other && !leaves_open(inside, OFFLOADED) {
                    return (end, CLOSED);
                }
                depth += 1;
            }
            Code::End(_) if depth == 0 => break,
            Code::End(_) => depth -= 1,
            // A phase is complete in itself.
            Code::Call(call)
                if !is_open && depth == 0 && *phase.get_or_insert(call.phase) != call.phase =>
            {
                return (end, CLOSED);
            }
            Code::Call(call) => match call.action {
                ActionCode::Wait(of) => open[usize::from(of)] = false,
                _ => {
                    if !is_open && call.request == 0 && !is_message(call) && depth == 0 {
                        return (end, CLOSED);
                    }
                    open[usize::from(call.request)] |= call.request > 0;
                }
            },
        }
        at += 1;
        if depth == 0 && !open.contains(&true) {
            end = at;
        }
    }
    match end == from && open != CLOSED {
        true => (at, open),
        false => (end, CLOSED),
    }
}

impl Compiled {
    /// A program that executes a part of the code twice; the second time counts.
    fn part(&self, code: &[Code]) -> Compiled {
        let mut part = self.extract(code, 1);
        part.code.insert(0, Code::Begin(0));
        part.code.push(Code::End(0));
        for of in &mut part.loops {
            (of.begin, of.end, of.depth) = (of.begin + 1, of.end + 1, of.depth + 1);
        }
        let twice = LoopCode {
            begin: 0,
            end: part.code.len() as u32 - 1,
            depth: 0,
            count: 1.0,
            coarse: 1.0,
            is_sample: true,
            simulated: 2,
            delays: false,
            of_all: true,
        };
        part.loops.insert(0, twice);
        part.around = around(&part.code);
        part
    }

    /// A program of a warm-up and an iteration, which counts once.
    fn sample_part(&self, warm_up: &LoopCode, of: &LoopCode) -> Compiled {
        let mut part = self.extract(&self.code[warm_up.begin as usize..=of.end as usize], 0);
        let begin = of.begin - warm_up.begin;
        let counted = part.loops.iter_mut().find(|one| one.begin == begin);
        let counted = counted.expect("the iteration follows the warm-up");
        (counted.count, counted.coarse) = (1.0, 1.0);
        part
    }

    /// A part of the code, in which loops have new numbers from `first` on.
    fn extract(&self, code: &[Code], first: u32) -> Compiled {
        let begins = |code: &Code| match code {
            Code::Begin(number) => Some(*number),
            _ => None,
        };
        let inner: Vec<u32> = code.iter().filter_map(begins).collect();
        let place = |old: &u32| {
            let at = inner.iter().position(|number| number == old);
            at.expect("loops begin inside") as u32 + first
        };
        let numbered = code.iter().map(|code| match code {
            Code::Begin(old) => Code::Begin(place(old)),
            Code::End(old) => Code::End(place(old)),
            other => other.clone(),
        });
        let part: Vec<Code> = numbered.collect();
        let find = |what: Code| {
            let at = part.iter().position(|code| *code == what);
            at.expect("loops begin and end inside") as u32
        };
        let lowest = inner.iter().map(|&old| self.loops[old as usize].depth).min().unwrap_or(0);
        let loops = inner.iter().zip(first..).map(|(&old, new)| {
            let of = &self.loops[old as usize];
            let (begin, end) = (find(Code::Begin(new)), find(Code::End(new)));
            LoopCode { begin, end, depth: of.depth - lowest, ..of.clone() }
        });
        let loops = loops.collect();
        Compiled { loops, around: around(&part), code: part, ..self.clone() }
    }

    /// The share of the ranks that fulfill all conditions, which are on different axes.
    fn share(&self, only: &[Where]) -> f64 {
        let of = |one: &Where| {
            let extent = self.grids[one.grid as usize].shape[one.axis as usize];
            let found = one.to.min(extent).saturating_sub(one.from).div_ceil(one.step);
            f64::from(found) / f64::from(extent)
        };
        only.iter().map(of).product()
    }

    /// The call of a collective among all ranks, as rank 0 makes it; `None` of other communicators.
    pub fn world_call(&self, at: u32) -> Option<&Collective> {
        let call = &self.calls[at as usize];
        call.call.partition.is_none().then(|| &call.by_color[0][0])
    }

    /// A program that executes a collective call twice, of which the second counts.
    pub fn collective_part(&self, at: u32) -> Compiled {
        let action = ActionCode::Collective(at);
        self.part(&[Code::Call(CallCode { phase: 0, request: 0, only: Vec::new(), action })])
    }

    /// The same of a collective of all ranks, among ranks on these nodes instead.
    pub fn world_part(&self, at: u32, nodes: &[u32]) -> Compiled {
        let prepared = self.calls[at as usize].clone();
        let algorithm = prepared.by_color[0][0].algorithm;
        let mut part = self.collective_part(0);
        (part.calls, part.families) = (vec![prepared], Vec::new());
        part.ranks = nodes.len() as u32;
        part.world = (0..part.ranks).collect();
        part.prepare(nodes, &|_| algorithm);
        part
    }

    /// The same in some communicators of a family: those of the first ranks in `order`, at most
    /// about `most_ranks`, but of `least_ranks` at least. With the members. `None` for all of them.
    /// `order` has the ranks node by node, so that the communicators fill some nodes.
    pub fn some_communicators(
        &self,
        at: u32,
        order: &[u32],
        most_ranks: u32,
        least_ranks: u32,
    ) -> Option<(Compiled, Vec<u32>)> {
        let family = &self.families[self.calls[at as usize].call.partition? as usize];
        let grid = &self.grids[family.of.grid as usize];
        let mut colors = Vec::new();
        for (nth, &rank) in (0..).zip(order) {
            let color = grid.split(rank, &family.of.axes).1;
            if colors.contains(&color) {
                continue;
            }
            if nth >= least_ranks && (colors.len() as u32 + 1) * family.size > most_ranks {
                break;
            }
            colors.push(color);
        }
        let (count, size) = (colors.len() as u32, family.size);
        if count * size == self.ranks {
            return None;
        }
        let mut part = self.collective_part(at);
        part.ranks = count * size;
        part.world = (0..part.ranks).collect();
        part.grids = vec![Grid { shape: vec![count, size], first_fastest: false }];
        let of = Partition { grid: 0, axes: vec![1] };
        part.families = vec![Family { of, members: part.world.clone(), ..family.clone() }];
        let prepared = &mut part.calls[at as usize];
        prepared.call.partition = Some(0);
        prepared.by_color =
            colors.iter().map(|&color| prepared.by_color[color as usize].clone()).collect();
        let members = |&color: &u32| {
            let from = (color * size) as usize;
            family.members[from..from + size as usize].iter().copied()
        };
        let ranks = colors.iter().flat_map(members).collect();
        Some((part, ranks))
    }

    /// The time of a computation, mean over ranks, s.
    pub fn mean_seconds(&self, of: u32) -> f64 {
        self.seconds[of as usize]
    }

    /// Relative standard deviations of a computation: between ranks, and between calls.
    pub fn deviations(&self, of: u32) -> (f64, f64) {
        let computation = &self.computations[of as usize];
        let or = |own: Option<Distribution>, other: f64| own.map_or(other, deviation);
        (or(computation.imbalance, self.spread), or(computation.noise, self.jitter))
    }

    /// The same exchange among some of the ranks, at most about `most_ranks`, and these ranks: the
    /// planes of the grid with low coordinates on one axis. The axis wraps around, so that every
    /// rank has all of its neighbors on it. `None` if the exchange depends on the extents of all
    /// axes. A node has `per_node` ranks, which share its NICs.
    pub fn cut(&self, most_ranks: u32, per_node: u32) -> Option<(Compiled, Vec<u32>)> {
        let number = self.only_grid()?;
        let whole = &self.grids[number as usize];
        let n = whole.shape.len();
        // The slowest axis first: its planes have consecutive ranks.
        let axes = (0..n).map(|nth| if whole.first_fastest { n - 1 - nth } else { nth });
        for (nth, axis) in axes.enumerate() {
            let Some(reach) = self.reach(axis) else { continue };
            let plane = self.ranks / whole.shape[axis];
            // With messages across planes five of them, so that neighbors of neighbors differ.
            let least = if reach > 0 { 2 * reach + 3 } else { 1 };
            let of_nodes = if nth == 0 { per_node.div_ceil(plane) } else { per_node };
            let planes = (most_ranks / plane).max(least).max(of_nodes);
            if planes < whole.shape[axis] {
                return Some(self.planes(number, axis, planes));
            }
        }
        None
    }

    /// The grid of all partners and conditions, if it is one.
    fn only_grid(&self) -> Option<u32> {
        let mut found = None;
        for code in &self.code {
            let Code::Call(call) = code else { continue };
            let partner = match &call.action {
                ActionCode::Send { to, .. } => Some(to),
                ActionCode::Recv { from, .. } => Some(from),
                ActionCode::Wait(_) => None,
                _ => return None,
            };
            let grid = match partner {
                Some(
                    Partner::Offset { grid, .. }
                    | Partner::At { grid, .. }
                    | Partner::AxisXor { grid, .. },
                ) => Some(*grid),
                Some(_) => return None,
                None => None,
            };
            for own in call.only.iter().map(|one| one.grid).chain(grid) {
                if *found.get_or_insert(own) != own {
                    return None;
                }
            }
        }
        found
    }

    /// The largest distance to partners along an axis; `None` if a call depends on coordinates on
    /// it.
    fn reach(&self, axis: usize) -> Option<u32> {
        let mut reach = 0;
        for code in &self.code {
            let Code::Call(call) = code else { continue };
            if call.only.iter().any(|one| one.axis as usize == axis) {
                return None;
            }
            match &call.action {
                ActionCode::Send { to: partner, .. } | ActionCode::Recv { from: partner, .. } => {
                    match partner {
                        Partner::Offset { by, .. } => reach = reach.max(by[axis].unsigned_abs()),
                        Partner::At { axis: own, .. } | Partner::AxisXor { axis: own, .. }
                            if *own as usize != axis => {}
                        _ => return None,
                    }
                }
                _ => {}
            }
        }
        // Partners far away are no neighbors.
        (reach <= 2).then_some(reach)
    }

    fn planes(&self, number: u32, axis: usize, planes: u32) -> (Compiled, Vec<u32>) {
        let whole = &self.grids[number as usize];
        let mut cut = self.clone();
        cut.ranks = self.ranks / whole.shape[axis] * planes;
        cut.world.truncate(cut.ranks as usize);
        cut.grids[number as usize].shape[axis] = planes;
        for code in &mut cut.code {
            let Code::Call(call) = code else { continue };
            if let ActionCode::Send { to: Partner::Offset { by, periodic, .. }, .. }
            | ActionCode::Recv { from: Partner::Offset { by, periodic, .. }, .. } =
                &mut call.action
            {
                periodic.resize(by.len(), false);
                periodic[axis] = true;
            }
        }
        let own = &cut.grids[number as usize];
        let ranks = (0..cut.ranks).map(|rank| whole.rank(&own.place(rank))).collect();
        (cut, ranks)
    }
}

/// Relative standard deviation of a factor.
fn deviation(of: Distribution) -> f64 {
    match of {
        Distribution::Normal { sigma } => sigma,
        Distribution::Uniform { width } => width / 3f64.sqrt(),
        Distribution::Exponential { mean } => mean,
        Distribution::LogNormal { sigma } => ((sigma * sigma).exp() - 1.0).sqrt(),
        Distribution::Poisson { mean } if mean <= 0.0 => 0.0,
        Distribution::Poisson { mean } => 1.0 / mean.sqrt(),
    }
}
