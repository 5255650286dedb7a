//! From a program to a linear code, with its errors.

use crate::draws;
use crate::folded_messages::Folded;
use crate::grid::{Grid, MAX_DIMENSIONS};
use crate::program::{
    Access, Action, CollectiveCall, Computation, FileAction, Node, Partition, Partner, Program,
    Remap, Size, Targets, Where,
};
use collectives::{Algorithm, Case, Collective, Kind, Member, NodeMap, Ragged};
use std::sync::Arc;
use workload::{Context, SendMode, WORLD};

/// An error of a program: its place, what was found, and what was expected.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramError {
    pub at: String,
    pub found: String,
    pub expected: String,
}

/// Deepest nesting of loops.
pub const MAX_DEPTH: usize = 4;
/// The same in a part of a program, which a loop of its own repeats.
pub const MAX_LEVELS: usize = MAX_DEPTH + 1;
/// Simulated iterations of loops whose omitted iterations delay the rank. They take as long as the
/// shortest simulated one, since messages of other phases delay some. Loops of some ranks cost
/// less, and their short messages wait longer for others.
const OF_ALL: u32 = 6;
const OF_SOME: u32 = 24;
/// Largest request.
const MAX_REQUEST: u8 = 3;
/// The request of offloaded computation: waiting for it counts as computation.
pub const OFFLOADED: u8 = 3;
/// Most instructions of a program; more take too long to read.
pub const MAX_CODE: usize = 1 << 22;
/// Longest message, as of schedules.
pub const MAX_BYTES: u64 = workload::schedule::MAX_BYTES;

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Code {
    Begin(u32),
    End(u32),
    Call(CallCode),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallCode {
    pub phase: u32,
    pub request: u8,
    pub only: Vec<Where>,
    pub action: ActionCode,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ActionCode {
    Send { to: Partner, bytes: Size, tag: i32, mode: SendMode },
    Recv { from: Partner, bytes: Size, tag: i32 },
    Wait(u8),
    Compute(u32),
    RemapSend(Remap),
    RemapRecv(Remap),
    Collective(u32),
    Access(Access),
    File(FileAction),
}

/// A loop in the code.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopCode {
    pub begin: u32,
    pub end: u32,
    pub depth: u8,
    pub count: f64,
    pub coarse: f64,
    pub is_sample: bool,
    /// Iterations that are simulated.
    pub simulated: u32,
    /// Whether the iterations that are not simulated delay the rank: other ranks, or requests that
    /// are open, do not take part in the loop and would wait for the simulated ones alone.
    pub delays: bool,
    /// Whether all ranks make calls in it.
    pub of_all: bool,
}

impl LoopCode {
    /// The iterations that are not simulated. The warm-up of a sample takes the time of one.
    pub fn omitted(&self) -> f64 {
        let simulated = f64::from(self.simulated + u32::from(self.is_sample));
        (self.count - simulated).max(0.0)
    }
    /// The omitted iterations between the first and iteration `k + 1`, in a loop that delays the
    /// rank. Simulated iterations are at distances that grow by a constant factor: what delays the
    /// loop for a while, such as a long message at the same NIC, then delays few of them.
    pub fn omitted_after(&self, k: u32) -> f64 {
        let last = self.simulated.saturating_sub(1);
        if k >= last || self.is_sample {
            return self.omitted();
        }
        let passed = self.count.powf(f64::from(k) / f64::from(last));
        (passed - f64::from(k + 1)).clamp(0.0, self.omitted())
    }
    /// Simulated iterations after the first, or the only one.
    pub fn later(&self) -> f64 {
        f64::from(self.simulated.max(2) - 1)
    }
    /// The iterations that iteration `k` represents.
    pub fn weight(&self, k: u32) -> f64 {
        self.share(k, self.count)
    }
    /// The same for the coarser sampling.
    pub fn coarse_weight(&self, k: u32) -> f64 {
        self.share(k, self.coarse)
    }
    fn share(&self, k: u32, count: f64) -> f64 {
        match (self.is_sample, self.simulated, k) {
            (_, 1, _) => count,
            // The first warms up.
            (true, _, 0) => 0.0,
            (true, ..) => count / self.later(),
            (false, _, 0) => 1.0,
            (false, ..) => (count - 1.0) / self.later(),
        }
    }
}

/// The members of the communicators of a partition.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub of: Partition,
    pub first_context: Context,
    pub size: u32,
    /// By color, in rank order.
    pub members: Vec<u32>,
}

/// A call of all communicators of a family. By color: the call of the root and of the others.
#[derive(Clone, Debug)]
pub(crate) struct PreparedCall {
    pub call: CollectiveCall,
    pub kind: Kind,
    pub by_color: Vec<[Collective; 2]>,
}

/// A program that can be expanded for each rank.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub ranks: u32,
    pub phases: Vec<String>,
    pub loops: Vec<LoopCode>,
    pub computations: Vec<Computation>,
    /// Seconds of each computation; set by `set_seconds`.
    pub(crate) seconds: Vec<f64>,
    pub(crate) grids: Vec<Grid>,
    pub(crate) families: Vec<Family>,
    pub(crate) calls: Vec<PreparedCall>,
    pub(crate) code: Vec<Code>,
    /// By position in the code, and one past the last: the loops around it, the outermost first.
    pub(crate) around: Vec<([u32; MAX_LEVELS], u8)>,
    pub(crate) world: Vec<u32>,
    pub seed: u64,
    /// Relative standard deviations of the speed of the ranks' computing units, and of the time of
    /// one computation. They apply to computation without deviations of its own.
    pub spread: f64,
    pub jitter: f64,
    /// Names of the program's file systems, and their numbers on the machine.
    pub file_systems: Vec<String>,
    pub(crate) file_system_numbers: Vec<u8>,
    /// Messages of an exchange on nodes that stand for all.
    pub(crate) folded: Option<Arc<Folded>>,
}

/// Reads a program.
struct Compiler {
    code: Vec<Code>,
    loops: Vec<LoopCode>,
    computations: Vec<Computation>,
    calls: Vec<PreparedCall>,
    errors: Vec<ProgramError>,
    more: usize,
    grids: Vec<Grid>,
    /// Ranks of a communicator of each family.
    sizes: Vec<u32>,
    file_systems: usize,
    phases: usize,
    ranks: u32,
}

impl Compiled {
    /// The code of a program, or all errors.
    pub fn new(program: &Program, seed: u64) -> Result<Compiled, Vec<ProgramError>> {
        let mut compiler = Compiler {
            code: Vec::new(),
            loops: Vec::new(),
            computations: Vec::new(),
            calls: Vec::new(),
            errors: Vec::new(),
            more: 0,
            grids: program.grids.clone(),
            sizes: Vec::new(),
            file_systems: program.file_systems.len(),
            phases: program.phases.len(),
            ranks: program.ranks,
        };
        compiler.check_shapes(program);
        if compiler.errors.is_empty() {
            let size = |of: &Partition| program.grids[of.grid as usize].extent_of(&of.axes);
            compiler.sizes = program.partitions.iter().map(size).collect();
            compiler.list(&program.body, 0);
        }
        let Compiler { code, mut loops, computations, calls, mut errors, more, .. } = compiler;
        if more > 0 {
            let expected = "corrections of the errors above first".into();
            errors.push(ProgramError { at: "and".into(), found: format!("{more} more"), expected });
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        find_delays(&code, &mut loops);
        let mut first_context = WORLD + 1;
        let families = program.partitions.iter().map(|of| {
            let family = Family::new(of, &program.grids[of.grid as usize], first_context);
            first_context += program.ranks / family.size;
            family
        });
        Ok(Compiled {
            ranks: program.ranks,
            phases: program.phases.clone(),
            loops,
            seconds: computations.iter().map(|one| one.seconds.unwrap_or(0.0)).collect(),
            computations,
            families: families.collect(),
            grids: program.grids.clone(),
            calls,
            around: around(&code),
            code,
            world: (0..program.ranks).collect(),
            seed,
            spread: 0.0,
            jitter: 0.0,
            file_systems: program.file_systems.clone(),
            file_system_numbers: vec![0; program.file_systems.len()],
            folded: None,
        })
    }

    /// Sets the time of each computation.
    pub fn set_seconds(&mut self, seconds: impl Iterator<Item = f64>) {
        self.seconds = seconds.collect();
        assert_eq!(self.seconds.len(), self.computations.len(), "one time per computation");
    }

    /// Sets the machine's number of each file system.
    pub fn set_file_systems(&mut self, numbers: Vec<u8>) {
        assert_eq!(numbers.len(), self.file_systems.len(), "one number per name");
        self.file_system_numbers = numbers;
    }

    /// Simulates at most `most` iterations of each loop, but more of those whose omitted iterations
    /// delay the rank.
    pub fn limit_iterations(&mut self, most: u32) {
        for one in &mut self.loops {
            let all = one.count.ceil().min(f64::from(u32::MAX)) as u32;
            let all = if one.is_sample { 1 } else { all };
            let least = if one.of_all { OF_ALL } else { OF_SOME };
            one.simulated = all.min(if one.delays { most.max(least) } else { most });
        }
    }

    /// Prepares the collective calls for ranks on these nodes; `choose` selects the algorithm.
    pub fn prepare(&mut self, nodes: &[u32], choose: &dyn Fn(&Case) -> Algorithm) {
        let world = [NodeMap::new(nodes.iter().copied())];
        let of_family = |family: &Family| -> Vec<NodeMap> {
            let sets = family.members.chunks(family.size as usize);
            sets.map(|set| NodeMap::new(set.iter().map(|&rank| nodes[rank as usize]))).collect()
        };
        let maps: Vec<Vec<NodeMap>> = self.families.iter().map(of_family).collect();
        let (ranks, seed) = (self.ranks, self.seed);
        for prepared in &mut self.calls {
            let (maps, size) = match prepared.call.partition {
                None => (&world[..], ranks),
                Some(at) => (&maps[at as usize][..], self.families[at as usize].size),
            };
            let (kind, call) = (prepared.kind, &prepared.call);
            let of_color = |(color, map): (usize, &NodeMap)| {
                let mut calls = [true, false]
                    .map(|is_root| collective(kind, call, size, is_root, map, (seed, color)));
                // The root has all lengths, from which rules choose.
                let case = calls[0].case(true, true);
                let algorithm = case.fit(choose(&case));
                calls.iter_mut().for_each(|call| call.algorithm = algorithm);
                calls
            };
            prepared.by_color = maps.iter().enumerate().map(of_color).collect();
        }
    }

    /// Simulates all iterations of loops, except of samples, which represent other iterations.
    pub fn simulate_all_iterations(&mut self) {
        for one in self.loops.iter_mut().filter(|one| !one.is_sample) {
            one.simulated = one.count.ceil().min(f64::from(u32::MAX)) as u32;
        }
    }

    /// The calls of one member of each communicator, for estimates of their messages.
    pub fn collective_calls(&self) -> impl Iterator<Item = &Collective> {
        self.calls.iter().map(|call| &call.by_color[0][0])
    }

    /// The number of executions that a simulated one of a loop represents, in the mean.
    pub fn represented(&self, of: &LoopCode) -> f64 {
        let around = self.loops_around(of.begin).iter().map(|&at| &self.loops[at as usize]);
        around.map(|outer| outer.count / f64::from(outer.simulated.max(1))).product()
    }

    /// The loops around this position, the outermost first.
    pub(crate) fn loops_around(&self, code: u32) -> &[u32] {
        let (loops, depth) = &self.around[code as usize];
        &loops[..usize::from(*depth)]
    }

    pub(crate) fn members(&self, context: Context) -> &[u32] {
        if context == WORLD {
            return &self.world;
        }
        let of = self.families.partition_point(|family| family.first_context <= context) - 1;
        let family = &self.families[of];
        let (size, color) = (family.size as usize, (context - family.first_context) as usize);
        &family.members[color * size..(color + 1) * size]
    }
}

/// The loops around each position: those that begin before it and end at it or later.
pub(crate) fn around(code: &[Code]) -> Vec<([u32; MAX_LEVELS], u8)> {
    let (mut loops, mut depth) = ([0; MAX_LEVELS], 0u8);
    let after = code.iter().map(|instruction| {
        match instruction {
            Code::Begin(number) => {
                loops[usize::from(depth)] = *number;
                depth += 1;
            }
            Code::End(_) => depth -= 1,
            Code::Call(_) => {}
        }
        (loops, depth)
    });
    [([0; MAX_LEVELS], 0)].into_iter().chain(after).collect()
}

/// Finds the loops whose omitted iterations delay the rank: those without a call of all ranks, and
/// those at whose begin or end a request is open.
fn find_delays(code: &[Code], loops: &mut [LoopCode]) {
    let mut open = [false; MAX_REQUEST as usize + 1];
    // By loop around this position: its number, and whether all ranks make one of its calls.
    let mut around: Vec<(u32, bool)> = Vec::new();
    for instruction in code {
        let is_open = open.contains(&true);
        match instruction {
            Code::Begin(number) => {
                loops[*number as usize].delays = is_open;
                around.push((*number, false));
            }
            Code::End(number) => {
                let of_all = around.pop().is_some_and(|(_, of_all)| of_all);
                loops[*number as usize].delays |= is_open || !of_all;
                loops[*number as usize].of_all = of_all;
                if let Some((_, outer)) = around.last_mut() {
                    *outer |= of_all;
                }
            }
            Code::Call(call) => {
                let waits = matches!(call.action, ActionCode::Wait(_));
                if let Some((_, of_all)) = around.last_mut() {
                    *of_all |= call.only.is_empty() && !waits;
                }
                match call.action {
                    ActionCode::Wait(of) => open[usize::from(of)] = false,
                    _ => open[usize::from(call.request)] |= call.request > 0,
                }
            }
        }
    }
}

impl Family {
    fn new(of: &Partition, grid: &Grid, first_context: Context) -> Family {
        let size = grid.extent_of(&of.axes);
        let ranks = grid.ranks() as u32;
        let mut members = vec![0; ranks as usize];
        for rank in 0..ranks {
            let (own, color) = grid.split(rank, &of.axes);
            members[(color * size + own) as usize] = rank;
        }
        Family { of: of.clone(), first_context, size, members }
    }
}

/// The call of the root or of another member. The rank is set at the call.
fn collective(
    kind: Kind,
    call: &CollectiveCall,
    size: u32,
    is_root: bool,
    nodes: &NodeMap,
    (seed, color): (u64, usize),
) -> Collective {
    let length = |nth: u32| match call.spread {
        None => call.bytes,
        Some(spread) => {
            let owner = (color as u32).wrapping_mul(size).wrapping_add(nth);
            draws::drawn(call.bytes as f64, spread, call.grain, seed, call.stream, (owner, 0))
        }
    };
    let ragged = match kind {
        Kind::Allgatherv => Some(Ragged::new((0..size).map(length))),
        Kind::Gatherv | Kind::Scatterv if is_root => Some(Ragged::new((0..size).map(length))),
        Kind::Alltoallv => Some(Ragged::new(std::iter::repeat_n(call.bytes, 2 * size as usize))),
        Kind::ReduceScatter => {
            let (grains, n) = (call.bytes / call.grain, u64::from(size));
            let own = |i: u64| (grains / n + u64::from(i < grains % n)) * call.grain;
            Some((0..n).map(own).collect())
        }
        _ => None,
    };
    let bytes = if kind == Kind::Barrier { 0 } else { call.bytes };
    let member = Member { rank: call.root, size };
    let algorithm = kind.algorithms()[0];
    let (root, grain) = (call.root, call.grain);
    Collective { kind, algorithm, member, root, bytes, grain, ragged, nodes: Some(nodes.clone()) }
}

impl Compiler {
    const MAX_ERRORS: usize = 40;

    fn add(&mut self, at: &str, found: impl Into<String>, expected: impl Into<String>) {
        if self.errors.len() == Self::MAX_ERRORS {
            self.more += 1;
            return;
        }
        let (found, expected) = (found.into(), expected.into());
        self.errors.push(ProgramError { at: at.into(), found, expected });
    }

    fn check_shapes(&mut self, program: &Program) {
        if program.ranks == 0 {
            self.add("ranks", "0", "at least one rank");
        }
        for (nth, grid) in program.grids.iter().enumerate() {
            if grid.shape.is_empty() || grid.shape.len() > MAX_DIMENSIONS {
                let found = format!("{} dimensions", grid.shape.len());
                self.add(&format!("grid {nth}"), found, "1 to 6 dimensions");
            } else if grid.shape.iter().map(|&n| u128::from(n)).product::<u128>()
                != u128::from(program.ranks)
            {
                let expected = format!("a grid of {} ranks", program.ranks);
                self.add(&format!("grid {nth}"), format!("{:?}", grid.shape), expected);
            }
        }
        for (nth, of) in program.partitions.iter().enumerate() {
            let known = program.grids.get(of.grid as usize).map_or(0, |grid| grid.shape.len());
            let mut axes = of.axes.clone();
            axes.sort_unstable();
            axes.dedup();
            if axes.len() != of.axes.len() || axes.last().is_none_or(|&axis| axis as usize >= known)
            {
                let found = format!("grid {}, axes {:?}", of.grid, of.axes);
                self.add(&format!("communicator {nth}"), found, "different axes of a grid");
            }
        }
        if program.phases.is_empty() {
            self.add("phases", "none", "at least the name of one");
        }
    }

    fn list(&mut self, nodes: &[Node], depth: usize) {
        for node in nodes {
            if self.code.len() > MAX_CODE {
                let expected = format!("at most {MAX_CODE}; use loops");
                return self.add("program", "more calls", expected);
            }
            match node {
                Node::Loop(of) => {
                    if depth == MAX_DEPTH {
                        let expected = format!("at most {MAX_DEPTH} nested loops");
                        self.add("loop", format!("{} nested loops", depth + 1), expected);
                        continue;
                    }
                    if !(of.count.is_finite() && of.count >= 0.0 && of.count <= 1e15) {
                        let expected = "a number from 0 to 1e15";
                        self.add("loop", format!("{} iterations", of.count), expected);
                        continue;
                    }
                    let number = self.loops.len() as u32;
                    self.loops.push(LoopCode {
                        begin: self.code.len() as u32,
                        end: 0,
                        depth: depth as u8,
                        count: of.count,
                        coarse: of.coarse.unwrap_or(of.count),
                        is_sample: of.is_sample,
                        simulated: of.count.ceil().min(f64::from(u32::MAX)) as u32,
                        delays: false,
                        of_all: true,
                    });
                    self.code.push(Code::Begin(number));
                    self.list(&of.body, depth + 1);
                    self.loops[number as usize].end = self.code.len() as u32;
                    self.code.push(Code::End(number));
                }
                Node::Call(call) => {
                    self.check_call(call.phase, call.request, &call.only);
                    let action = self.action(&call.action);
                    self.code.extend(action.map(|action| {
                        let only = call.only.clone();
                        let (phase, request) = (call.phase, call.request);
                        Code::Call(CallCode { phase, request, only, action })
                    }));
                }
            }
        }
    }

    fn check_call(&mut self, phase: u32, request: u8, only: &[Where]) {
        if phase as usize >= self.phases {
            self.add("phase", phase.to_string(), "the number of a phase");
        }
        self.check_request(request);
        for one in only {
            if self.extent(one.grid, one.axis).is_none() || one.step == 0 {
                self.add("where", format!("{one:?}"), "an axis of a grid");
            }
        }
    }

    fn check_request(&mut self, request: u8) {
        if request > MAX_REQUEST {
            self.add("request", request.to_string(), format!("a number up to {MAX_REQUEST}"));
        }
    }

    fn extent(&self, grid: u32, axis: u32) -> Option<u32> {
        self.grids.get(grid as usize)?.shape.get(axis as usize).copied()
    }

    fn check_partner(&mut self, partner: &Partner) {
        let (is_valid, expected) = match partner {
            Partner::Offset { grid, by, periodic } => {
                let axes = self.grids.get(*grid as usize).map(|grid| grid.shape.len());
                let fits = axes == Some(by.len()) && periodic.len() <= by.len();
                (fits, "a distance on a grid".to_string())
            }
            Partner::Shift { .. } | Partner::Xor { .. } => (true, String::new()),
            Partner::Rank { rank } => (*rank < self.ranks, format!("a rank below {}", self.ranks)),
            Partner::At { grid, axis, at } => {
                let fits = self.extent(*grid, *axis).is_some_and(|extent| *at < extent);
                (fits, "a coordinate of the grid".into())
            }
            Partner::AxisXor { grid, axis, root, .. } => {
                let fits = self.extent(*grid, *axis).is_some_and(|extent| *root < extent);
                (fits, "a coordinate of the grid".into())
            }
        };
        if !is_valid {
            self.add("partner", format!("{partner:?}"), expected);
        }
    }

    fn check_bytes(&mut self, bytes: &Size) {
        let most = match bytes {
            Size::Fixed(bytes) => *bytes as f64,
            Size::Drawn { mean, .. } => *mean,
        };
        if !(0.0..=MAX_BYTES as f64).contains(&most) {
            self.add("bytes", most.to_string(), format!("from 0 to {MAX_BYTES}"));
        }
    }

    fn check_remap(&mut self, of: &Remap) {
        for grid in [of.from.grid, of.to.grid] {
            let axes = self.grids.get(grid as usize).map(|grid| grid.shape.len());
            if axes != Some(of.extent.len()) {
                let expected = format!("a grid of {} dimensions", of.extent.len());
                self.add("remap", format!("grid {grid}"), expected);
            }
        }
        // One message has the cells of a box at most, and no box is larger than all cells.
        let cells = of.extent.iter().map(|&n| u128::from(n));
        let all = cells.fold(u128::from(of.bytes), u128::saturating_mul);
        if all > 1 << 62 {
            self.add("remap", format!("{all} bytes in all"), "at most 2^62 bytes");
        }
    }

    fn action(&mut self, action: &Action) -> Option<ActionCode> {
        let before = self.errors.len() + self.more;
        let found = match action {
            Action::Send { to, bytes, tag, synchronous } => {
                self.check_partner(to);
                self.check_bytes(bytes);
                let mode = if *synchronous { SendMode::Synchronous } else { SendMode::Standard };
                ActionCode::Send { to: to.clone(), bytes: bytes.clone(), tag: *tag, mode }
            }
            Action::Recv { from, bytes, tag } => {
                self.check_partner(from);
                self.check_bytes(bytes);
                ActionCode::Recv { from: from.clone(), bytes: bytes.clone(), tag: *tag }
            }
            Action::Wait { of } => {
                self.check_request(*of);
                ActionCode::Wait(*of)
            }
            Action::Compute(computation) => {
                self.computations.push(computation.clone());
                ActionCode::Compute(self.computations.len() as u32 - 1)
            }
            Action::RemapSend(remap) => {
                self.check_remap(remap);
                ActionCode::RemapSend(remap.clone())
            }
            Action::RemapRecv(remap) => {
                self.check_remap(remap);
                ActionCode::RemapRecv(remap.clone())
            }
            Action::Collective(call) => self.collective(call)?,
            Action::Access(access) => {
                if let Targets::One(partner) = &access.to {
                    self.check_partner(partner);
                }
                if access.count > u64::from(u32::MAX) {
                    let expected = format!("at most {}", u32::MAX);
                    self.add("access", format!("{} accesses", access.count), expected);
                }
                self.check_bytes(&Size::Fixed(access.out.max(access.back)));
                ActionCode::Access(access.clone())
            }
            Action::File(file) => {
                self.check_file(file);
                ActionCode::File(file.clone())
            }
        };
        (self.errors.len() + self.more == before).then_some(found)
    }

    fn check_file(&mut self, file: &FileAction) {
        if file.file_system as usize >= self.file_systems {
            self.add("file", format!("file system {}", file.file_system), "a known one");
        }
        let of_rank = u128::from(file.bytes) * u128::from(file.count);
        let all = of_rank * u128::from(self.ranks) + u128::from(file.offset);
        if all > 1 << 62 || file.count > u64::from(u32::MAX) {
            self.add("file", format!("{all} bytes in all"), "at most 2^62 bytes, 2^32 transfers");
        }
    }

    fn collective(&mut self, call: &CollectiveCall) -> Option<ActionCode> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == call.kind);
        let Some(kind) = kind else {
            let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            self.add("collective", &*call.kind, format!("one of {}", names.join(", ")));
            return None;
        };
        self.check_bytes(&Size::Fixed(call.bytes));
        for block in &call.blocks {
            self.check_bytes(&Size::Fixed(block.bytes));
        }
        if call.grain == 0 || kind.reduces() && !call.bytes.is_multiple_of(call.grain) {
            let found = format!("{} bytes, elements of {}", call.bytes, call.grain);
            self.add(kind.name(), found, "whole elements");
        }
        if call.partition.is_some_and(|at| at as usize >= self.sizes.len()) {
            self.add(kind.name(), format!("communicator {:?}", call.partition), "a known one");
        }
        let size =
            call.partition.map_or(Some(self.ranks), |at| self.sizes.get(at as usize).copied());
        let blocks = call.blocks.len();
        if blocks > 0 && (kind != Kind::Alltoallv || size.is_some_and(|n| blocks != n as usize)) {
            let expected = "blocks of alltoallv, one per member".to_owned();
            self.add(kind.name(), format!("{blocks} blocks"), expected);
        }
        if let Some(size) = size.filter(|&size| call.root >= size) {
            self.add(kind.name(), format!("root {}", call.root), format!("a rank below {size}"));
        }
        let known = PreparedCall { call: call.clone(), kind, by_color: Vec::new() };
        let at = self.calls.iter().position(|one| one.call == known.call).unwrap_or_else(|| {
            self.calls.push(known);
            self.calls.len() - 1
        });
        Some(ActionCode::Collective(at as u32))
    }
}
