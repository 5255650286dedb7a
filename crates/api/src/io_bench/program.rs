//! The calls of IOR and mdtest as a workload. Ranks make one call at a time, and meet at barriers
//! between phases.
//!
//! Offsets, order of calls and phases are those of hpc/ior at 5fcf0ba9. Transfer j of segment i of
//! rank r is at `i N b + r b + j t` of a shared file, and at `i b + j t` of its own.

use base::{Span, Time, draw};
use collectives::{Algorithm, Kind, Member};
use workload::{
    Call, Context, FileCall, FileCallKind, FileId, LayoutRequest, Op, OpCompletion, Workload,
    file_flag,
};

use crate::bench_calls::collective;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Write,
    Read,
    Create,
    Stat,
    ReadFiles,
    Remove,
}

impl Phase {
    pub fn name(self) -> &'static str {
        match self {
            Phase::Write => "write",
            Phase::Read | Phase::ReadFiles => "read",
            Phase::Create => "create",
            Phase::Stat => "stat",
            Phase::Remove => "remove",
        }
    }

    pub fn is_ior(self) -> bool {
        matches!(self, Phase::Write | Phase::Read)
    }
}

/// What is run. See `IoBenchRequest`.
#[derive(Clone, Debug)]
pub struct Plan {
    pub file_system: u8,
    pub ranks: u32,
    pub ppn: u32,
    pub phases: Vec<Phase>,
    pub layout: Option<LayoutRequest>,
    pub transfer: u64,
    pub per_block: u64,
    pub segments: u64,
    pub file_per_process: bool,
    pub reorder: bool,
    pub random: bool,
    pub fsync: bool,
    pub direct: bool,
    pub dfs: bool,
    pub stonewall: Option<Span>,
    pub wear_out: bool,
    pub items: u64,
    pub unique: bool,
    pub file_bytes: u64,
    pub stride: u32,
}

/// When the stonewall was hit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wall {
    pub least: u64,
    pub most: u64,
    pub all: u64,
    pub last: Time,
}

/// Totals of a phase over all ranks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PhaseTotals {
    /// First call, and last completion.
    pub first: Time,
    pub last: Time,
    pub operations: u64,
    pub wall: Option<Wall>,
}

const NO_TOTALS: PhaseTotals =
    PhaseTotals { first: Time(u64::MAX), last: Time::ZERO, operations: 0, wall: None };

/// What a rank does next within a phase, or between phases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Rank 0 sets the layout of the root, from which directories inherit it, and makes the
    /// directory. The others look it up, before time is taken. Then all ranks make their own.
    SetLayout,
    MakeDirectory,
    MeetBeforeConnect,
    Connect,
    MakeOwn,
    /// All ranks meet before a phase.
    Meet,
    Open,
    /// One operation of a phase: a transfer, or a call on a file.
    Operate,
    /// Ranks compare how many operations they made before the stonewall.
    Compare,
    Sync,
    Close,
    /// mdtest: the file of this item has been opened, and written or read.
    Transfer,
    CloseItem,
    Ended,
}

struct RankState {
    step: Step,
    phase: usize,
    /// Operations made in this phase.
    made: u64,
    started: Time,
    /// Whether the stonewall has been hit.
    is_walled: bool,
    tokens: u32,
    /// The call that completes next, if it is on a file.
    pending: Option<FileCall>,
}

#[derive(Clone, Copy, Default)]
struct FileState {
    exists: bool,
    size: u64,
}

pub struct IoProgram {
    plan: Plan,
    ranks: Vec<RankState>,
    world: Vec<u32>,
    files: Vec<FileState>,
    totals: Vec<PhaseTotals>,
    /// Operations of each rank in the last stonewalled phase that it compared.
    n_ended: u32,
    /// Completed operations of each phase at the stonewall: the most of any rank.
    goals: Vec<u64>,
}

/// The root of the file system, and the benchmark's directory in it.
const ROOT: FileId = 0;
const DIRECTORY: FileId = 1;
const FIRST: FileId = 2;

impl IoProgram {
    pub fn new(plan: Plan) -> IoProgram {
        let n = plan.ranks as usize;
        let rank = |_| RankState {
            step: Step::SetLayout,
            phase: 0,
            made: 0,
            started: Time::ZERO,
            is_walled: false,
            tokens: 0,
            pending: None,
        };
        let phases = plan.phases.len();
        let root = FileState { exists: true, size: 0 };
        IoProgram {
            ranks: (0..n).map(rank).collect(),
            world: (0..plan.ranks).collect(),
            files: vec![root],
            totals: vec![NO_TOTALS; phases],
            goals: vec![0; phases],
            n_ended: 0,
            plan,
        }
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The name of a data file, as the programs name it.
    pub fn path(&self, file: FileId) -> Option<String> {
        let Plan { file_per_process, ranks, items, unique, phases, .. } = &self.plan;
        let nth = u64::from(file.checked_sub(FIRST)?);
        if phases.first().is_some_and(|phase| phase.is_ior()) {
            return Some(match file_per_process {
                true => format!("testFile.{nth:08}"),
                false => "testFile".into(),
            });
        }
        let nth = nth.checked_sub(if *unique { u64::from(*ranks) } else { 0 })?;
        let items = (*items).max(1);
        Some(format!("file.mdtest.{}.{}", nth / items, nth % items))
    }

    /// Totals of the phases that have started.
    pub fn totals(&self) -> impl Iterator<Item = (Phase, &PhaseTotals)> {
        let all = self.plan.phases.iter().copied().zip(&self.totals);
        all.filter(|(_, totals)| totals.last > Time::ZERO)
    }

    fn phase(&self, rank: u32) -> Option<Phase> {
        self.plan.phases.get(self.ranks[rank as usize].phase).copied()
    }

    /// Operations that a rank makes in a phase without a stonewall.
    fn most(&self, phase: Phase) -> u64 {
        if phase.is_ior() { self.plan.per_block * self.plan.segments } else { self.plan.items }
    }

    /// Operations that the rank makes in its phase. Later phases cover what the first has made.
    fn goal(&self, rank: u32) -> u64 {
        let (state, plan) = (&self.ranks[rank as usize], &self.plan);
        let phase = plan.phases[state.phase];
        let of_writer = match plan.stonewall {
            Some(_) if state.phase > 0 => self.goals[0],
            _ => u64::MAX,
        };
        self.most(phase).min(of_writer)
    }

    fn has_wall(&self, rank: u32) -> bool {
        self.plan.stonewall.is_some() && self.ranks[rank as usize].phase == 0
    }

    /// The rank whose data a rank reads, or whose files it accesses.
    fn owner(&self, rank: u32, phase: Phase) -> u32 {
        let Plan { ranks, ppn, reorder, stride, .. } = self.plan;
        let shift = match phase {
            Phase::Read if reorder => ppn,
            Phase::Stat => stride,
            Phase::ReadFiles => stride.wrapping_mul(2),
            Phase::Remove => stride.wrapping_mul(3),
            _ => 0,
        };
        ((u64::from(rank) + u64::from(shift)) % u64::from(ranks)) as u32
    }

    /// The file of IOR that a rank opens.
    fn data_file(&self, owner: u32) -> FileId {
        if self.plan.file_per_process { FIRST + owner } else { FIRST }
    }

    /// The directory and the file of an item of mdtest.
    fn item(&self, owner: u32, nth: u64) -> (FileId, FileId) {
        let Plan { ranks, items, unique, .. } = self.plan;
        let directory = if unique { FIRST + owner } else { DIRECTORY };
        let first = if unique { FIRST + ranks } else { FIRST };
        (directory, first + (u64::from(owner) * items + nth) as u32)
    }

    /// Offset of a rank's `nth` transfer.
    fn offset(&self, owner: u32, nth: u64) -> u64 {
        let Plan { ranks, per_block, segments, transfer, random, file_per_process, .. } = self.plan;
        let nth = if random { shuffled(nth, per_block * segments) } else { nth };
        let (segment, within) = (nth / per_block, nth % per_block);
        let block = per_block * transfer;
        match file_per_process {
            true => segment * block + within * transfer,
            false => {
                segment * u64::from(ranks) * block + u64::from(owner) * block + within * transfer
            }
        }
    }

    fn state(&mut self, file: FileId) -> &mut FileState {
        let at = file as usize;
        if at >= self.files.len() {
            self.files.resize(at + 1, FileState::default());
        }
        &mut self.files[at]
    }

    /// A call with the facts about its file.
    fn call(
        &mut self,
        kind: FileCallKind,
        flags: u16,
        (parent, file): (FileId, FileId),
    ) -> FileCall {
        let FileState { exists, size } = *self.state(file);
        let exists = if exists { file_flag::EXISTS } else { 0 };
        let library = if self.plan.dfs { file_flag::LIBRARY } else { 0 };
        FileCall {
            kind,
            file_system: self.plan.file_system,
            flags: flags | exists | library,
            file,
            parent,
            other: 0,
            name: draw(0, 0x6e61_6d65, parent, file.into()),
            offset: 0,
            bytes: 0,
            size,
        }
    }

    /// Submits the rank's next call.
    fn advance(&mut self, rank: u32, now: Time, calls: &mut Vec<Call>) {
        loop {
            let Some(op) = self.next(rank, now) else {
                if self.ranks[rank as usize].step == Step::Ended {
                    return;
                }
                continue;
            };
            let Op::File(call) = op else {
                return self.submit(rank, op, calls);
            };
            let file_system = call.file_system;
            let by_path = call.flags & file_flag::OPEN == 0;
            let connects = call.kind == FileCallKind::Stat && call.file == DIRECTORY;
            if by_path && (call.parent != ROOT || connects) {
                let lookup = Op::Lookup { file_system, parent: ROOT, file: DIRECTORY };
                self.submit(rank, lookup, calls);
                if call.parent != DIRECTORY {
                    let (parent, file) = (DIRECTORY, call.parent);
                    self.submit(rank, Op::Lookup { file_system, parent, file }, calls);
                }
            }
            if call.kind == FileCallKind::SetLayout {
                let request = Box::new(self.plan.layout.clone().expect("it has a layout"));
                self.submit(rank, Op::Layout { file_system, request }, calls);
            }
            self.ranks[rank as usize].pending = Some(call);
            return self.submit(rank, op, calls);
        }
    }

    fn submit(&mut self, rank: u32, op: Op, calls: &mut Vec<Call>) {
        let state = &mut self.ranks[rank as usize];
        calls.push(Call { rank, token: state.tokens, after: Span::ZERO, op });
        state.tokens = state.tokens.wrapping_add(1);
    }

    /// The operation of the rank's step, if it has one; moves to the next step.
    fn next(&mut self, rank: u32, now: Time) -> Option<Op> {
        let at = rank as usize;
        let step = self.ranks[at].step;
        let to = |program: &mut IoProgram, step: Step| program.ranks[at].step = step;
        match step {
            Step::SetLayout => {
                to(self, Step::MakeDirectory);
                let sets = rank == 0 && self.plan.layout.is_some();
                sets.then(|| Op::File(self.directory_call(FileCallKind::SetLayout, ROOT)))
            }
            Step::MakeDirectory => {
                to(self, Step::MeetBeforeConnect);
                let call = self.directory_call(FileCallKind::Mkdir, DIRECTORY);
                (rank == 0).then_some(Op::File(call))
            }
            Step::MeetBeforeConnect => {
                to(self, Step::Connect);
                Some(self.barrier(rank))
            }
            Step::Connect => {
                let has_own = self.plan.unique && self.plan.phases.iter().any(|p| !p.is_ior());
                to(self, if has_own { Step::MakeOwn } else { Step::Meet });
                let call = self.directory_call(FileCallKind::Stat, DIRECTORY);
                (rank > 0).then_some(Op::File(call))
            }
            Step::MakeOwn => {
                to(self, Step::Meet);
                Some(Op::File(self.directory_call(FileCallKind::Mkdir, FIRST + rank)))
            }
            Step::Meet => {
                let Some(phase) = self.phase(rank) else {
                    to(self, Step::Ended);
                    self.n_ended += 1;
                    return None;
                };
                to(self, if phase.is_ior() { Step::Open } else { Step::Operate });
                let state = &mut self.ranks[at];
                (state.made, state.is_walled) = (0, false);
                Some(self.barrier(rank))
            }
            Step::Open => {
                self.begin(rank, now);
                to(self, Step::Operate);
                Some(Op::File(self.open(rank)))
            }
            Step::Operate => self.operate(rank, now),
            Step::Transfer | Step::CloseItem => self.continue_item(rank, step),
            Step::Compare => self.compare(rank),
            Step::Sync => {
                to(self, Step::Close);
                let phase = self.phase(rank).expect("it is in a phase");
                let file = self.data_file(self.owner(rank, phase));
                let syncs = self.plan.fsync && phase == Phase::Write;
                let flags = file_flag::OPEN;
                syncs.then(|| Op::File(self.call(FileCallKind::Sync, flags, (DIRECTORY, file))))
            }
            Step::Close => {
                to(self, Step::Meet);
                let phase = self.phase(rank).expect("it is in a phase");
                let file = self.data_file(self.owner(rank, phase));
                let flags = file_flag::OPEN;
                self.ranks[at].phase += 1;
                Some(Op::File(self.call(FileCallKind::Close, flags, (DIRECTORY, file))))
            }
            Step::Ended => None,
        }
    }

    fn directory_call(&mut self, kind: FileCallKind, file: FileId) -> FileCall {
        let parent = if file <= DIRECTORY { ROOT } else { DIRECTORY };
        self.call(kind, file_flag::DIRECTORY, (parent, file))
    }

    fn barrier(&self, rank: u32) -> Op {
        let member = Member { rank, size: self.plan.ranks };
        collective(Kind::Barrier, Algorithm::Dissemination { k: 2 }, member, 0)
    }

    /// The rank's first call of a phase is made now.
    fn begin(&mut self, rank: u32, now: Time) {
        let state = &mut self.ranks[rank as usize];
        state.started = now;
        let totals = &mut self.totals[state.phase];
        totals.first = totals.first.min(now);
    }

    fn open(&mut self, rank: u32) -> FileCall {
        let phase = self.phase(rank).expect("it is in a phase");
        let file = self.data_file(self.owner(rank, phase));
        let direct = if self.plan.direct { file_flag::DIRECT } else { 0 };
        let flags = match phase {
            Phase::Write => file_flag::CREATE | file_flag::WRITE | direct,
            _ => direct,
        };
        self.call(FileCallKind::Open, flags, (DIRECTORY, file))
    }

    /// The next operation of a phase, or its end.
    fn operate(&mut self, rank: u32, now: Time) -> Option<Op> {
        let phase = self.phase(rank).expect("it is in a phase");
        let made = self.ranks[rank as usize].made;
        if made == 0 && !phase.is_ior() {
            self.begin(rank, now);
        }
        let state = &self.ranks[rank as usize];
        let is_over = made >= self.goal(rank);
        if self.has_wall(rank) && !state.is_walled {
            let limit = self.plan.stonewall.expect("it has a wall");
            if is_over || (made > 0 && now - state.started >= limit) {
                self.hit_wall(rank, now);
                self.ranks[rank as usize].step = Step::Compare;
                return Some(self.barrier(rank));
            }
        } else if is_over || self.has_wall(rank) && made >= self.goals[0] {
            self.leave_phase(rank);
            return None;
        }
        Some(self.operation(rank, phase, made))
    }

    fn operation(&mut self, rank: u32, phase: Phase, nth: u64) -> Op {
        let owner = self.owner(rank, phase);
        if phase.is_ior() {
            let kind = if phase == Phase::Write { FileCallKind::Write } else { FileCallKind::Read };
            self.ranks[rank as usize].made += 1;
            let direct = if self.plan.direct { file_flag::DIRECT } else { 0 };
            let flags = file_flag::OPEN | direct;
            let (offset, bytes) = (self.offset(owner, nth), self.plan.transfer);
            let file = self.data_file(owner);
            return Op::File(FileCall {
                offset,
                bytes,
                ..self.call(kind, flags, (DIRECTORY, file))
            });
        }
        let entry = self.item(owner, nth);
        let (kind, flags) = match phase {
            Phase::Create => (FileCallKind::Open, file_flag::CREATE | file_flag::WRITE),
            Phase::ReadFiles => (FileCallKind::Open, 0),
            Phase::Stat => (FileCallKind::Stat, 0),
            _ => (FileCallKind::Unlink, 0),
        };
        let state = &mut self.ranks[rank as usize];
        if kind == FileCallKind::Open {
            state.step = Step::Transfer;
        } else {
            state.made += 1;
        }
        Op::File(self.call(kind, flags, entry))
    }

    /// The file of an item is open: its data, and its close.
    fn continue_item(&mut self, rank: u32, step: Step) -> Option<Op> {
        let phase = self.phase(rank).expect("it is in a phase");
        let made = self.ranks[rank as usize].made;
        let entry = self.item(self.owner(rank, phase), made);
        let (bytes, flags) = (self.plan.file_bytes, file_flag::OPEN);
        let state = &mut self.ranks[rank as usize];
        if step == Step::Transfer {
            state.step = Step::CloseItem;
            let kind =
                if phase == Phase::Create { FileCallKind::Write } else { FileCallKind::Read };
            return (bytes > 0)
                .then(|| Op::File(FileCall { bytes, ..self.call(kind, flags, entry) }));
        }
        state.made += 1;
        state.step = Step::Operate;
        Some(Op::File(self.call(FileCallKind::Close, flags, entry)))
    }

    fn hit_wall(&mut self, rank: u32, now: Time) {
        let state = &mut self.ranks[rank as usize];
        state.is_walled = true;
        let made = state.made;
        let none = Wall { least: u64::MAX, most: 0, all: 0, last: Time::ZERO };
        let wall = self.totals[state.phase].wall.get_or_insert(none);
        wall.least = wall.least.min(made);
        wall.most = wall.most.max(made);
        wall.all += made;
        wall.last = wall.last.max(now);
        let goal = if self.plan.wear_out { wall.most } else { wall.least };
        self.goals[0] = goal;
    }

    /// All ranks have hit the wall.
    fn compare(&mut self, rank: u32) -> Option<Op> {
        self.ranks[rank as usize].step = Step::Operate;
        if !self.plan.wear_out {
            self.leave_phase(rank);
        }
        None
    }

    fn leave_phase(&mut self, rank: u32) {
        let phase = self.phase(rank).expect("it is in a phase");
        let state = &mut self.ranks[rank as usize];
        self.totals[state.phase].operations += state.made;
        if phase.is_ior() {
            state.step = Step::Sync;
        } else {
            state.step = Step::Meet;
            state.phase += 1;
        }
    }

    /// A call on a file has completed: its effect, and the end of its phase so far.
    fn complete(&mut self, rank: u32, now: Time) {
        let state = &mut self.ranks[rank as usize];
        let Some(call) = state.pending.take() else { return };
        let at = match state.step {
            // Its close has moved the rank to the next phase.
            Step::Meet if call.kind == FileCallKind::Close => Some(state.phase - 1),
            // Calls before the first phase.
            Step::MakeDirectory
            | Step::MeetBeforeConnect
            | Step::Connect
            | Step::MakeOwn
            | Step::Meet => None,
            _ => Some(state.phase),
        };
        if let Some(totals) = at.and_then(|at| self.totals.get_mut(at)) {
            totals.last = totals.last.max(now);
        }
        let file = self.state(call.file);
        match call.kind {
            FileCallKind::Open | FileCallKind::Mkdir => file.exists = true,
            FileCallKind::Write => file.size = file.size.max(call.offset + call.bytes),
            FileCallKind::Unlink => file.exists = false,
            _ => {}
        }
        let entries = match call.kind {
            FileCallKind::Open if call.flags & file_flag::EXISTS == 0 => 1,
            FileCallKind::Mkdir => 1,
            FileCallKind::Unlink => -1,
            _ => 0,
        };
        let parent = self.state(call.parent);
        parent.size = parent.size.saturating_add_signed(entries);
    }
}

/// The `nth` of `n` in an order without a pattern: a multiplication by a number that has no common
/// factor with `n`.
fn shuffled(nth: u64, n: u64) -> u64 {
    let odd = |k: u64| 0x9e37_79b9_7f4a_7c15u64.wrapping_add(2 * k) % n.max(1);
    let factor = (0..).map(odd).find(|&factor| n < 2 || factor > 0 && base::gcd(factor, n) == 1);
    let factor = factor.expect("1 has no common factor");
    (u128::from(nth) * u128::from(factor) % u128::from(n.max(1))) as u64
}

impl Workload for IoProgram {
    fn ranks(&self) -> u32 {
        self.plan.ranks
    }

    fn members(&self, _: u32, _: Context) -> &[u32] {
        &self.world
    }

    fn start(&mut self, calls: &mut Vec<Call>) {
        (0..self.plan.ranks).for_each(|rank| self.advance(rank, Time::ZERO, calls));
    }

    fn resume(&mut self, now: Time, done: &[OpCompletion], calls: &mut Vec<Call>) {
        for done in done {
            self.complete(done.rank, now);
            self.advance(done.rank, now, calls);
        }
    }

    fn is_finished(&self) -> bool {
        self.n_ended == self.plan.ranks
    }
}
