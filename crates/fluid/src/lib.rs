//! Floor 1: max-min fair sharing. Flows cross resources; each resource has a capacity, and a flow
//! takes of each resource it crosses its level times the weight it has there. Levels are max-min
//! fair: nobody's can rise without that of another, no higher, falling. docs/models/flow.md has
//! the algorithm and why it is right.
//!
//! Knows capacities and levels, all integers. Refuses to know time, bytes and networks.
//!
//! The one idea: a flow's level is set by one resource, its bottleneck. So a change matters to
//! those who have their bottleneck where something changed, and to others only where it leaves or
//! takes more than a stated part: only these are solved again, by progressive filling.

use base::{IndexVec, Least};

base::ids! {
    /// What flows share.
    Resource,
    /// What takes a share of every resource on its way.
    FlowId,
}

/// A resource that a flow crosses, and what one unit of its level takes there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    pub resource: Resource,
    pub weight: u32,
}

/// No resource.
const NONE: Resource = Resource(u32::MAX);

/// After so many waves of a solve that each concern others, all whom any of it can concern are
/// solved again at once.
const WAVES: u32 = 16;

#[derive(Clone, Copy)]
struct Share {
    capacity: u64,
    /// What flows with a level take.
    used: u64,
    /// Weights of the flows that are being given a level.
    open: u64,
    /// Weights of those that have their bottleneck here.
    tight: u64,
    /// Nobody of these has a level below this.
    low: u64,
    /// The highest level that this wave has given to one that crosses it.
    high: u64,
    /// The wave in which those who have their bottleneck here were last looked through, and in
    /// which one that crosses it was last opened.
    touched: u32,
    visited: u32,
    /// The level that it would set is not what `next` has been told.
    is_listed: bool,
}
const _: () = assert!(size_of::<Share>() == 64);

impl Share {
    fn idle(capacity: u64) -> Share {
        Share {
            capacity,
            used: 0,
            open: 0,
            tight: 0,
            low: 0,
            high: 0,
            touched: 0,
            visited: 0,
            is_listed: false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No flow has this id.
    Free,
    /// Not started: takes nothing.
    Parked,
    /// Has a level; none before it is solved for the first time.
    Set,
    /// Is being given one.
    Open,
}

#[derive(Clone, Copy)]
struct Row {
    level: u64,
    /// What it was when the solve began that last gave it one, and which that is.
    before: u64,
    solved: u32,
    bottleneck: Resource,
    /// Its weight there.
    bound: u64,
    state: State,
}

/// Who crosses a resource: the flow, and the place of the use in its row.
#[derive(Clone, Copy)]
struct Crossing {
    flow: FlowId,
    nth: u32,
}

/// Flows and what they share.
pub struct MaxMin {
    /// Base-2 logarithm of the part of a level, or of a capacity, that concerns nobody else.
    exact_to: u32,
    shares: IndexVec<Resource, Share>,
    crossings: IndexVec<Resource, Vec<Crossing>>,
    rows: IndexVec<FlowId, Row>,
    /// A flow's uses, each with its place among the resource's crossings. Rows keep their memory
    /// for the next flow.
    uses: IndexVec<FlowId, Vec<(Use, u32)>>,
    free: Vec<FlowId>,
    /// What has changed since the last solve: flows that started, and bottlenecks that somebody
    /// left.
    started: Vec<FlowId>,
    eased: Vec<Resource>,
    /// Resources of open flows, by the level that they would set.
    next: Least<Resource, u64>,
    solves: u32,
    waves: u32,
    /// Where somebody has been opened in this wave.
    visited: Vec<Resource>,
    opened: Vec<FlowId>,
    changed: Vec<FlowId>,
    to_open: Vec<FlowId>,
    listed: Vec<Resource>,
}

impl MaxMin {
    /// Levels are max-min fair to within one part in 2^`exact_to`: that much of a capacity may lie
    /// idle, and that much less than another may somebody have who has his bottleneck where both
    /// share. From 63 on they are to within one unit of level.
    pub fn new(capacities: impl Iterator<Item = u64>, exact_to: u32) -> Self {
        let shares: IndexVec<Resource, Share> = capacities.map(Share::idle).collect();
        let crossings = (0..shares.len()).map(|_| Vec::new()).collect();
        MaxMin {
            exact_to: exact_to.min(63),
            shares,
            crossings,
            rows: IndexVec::new(),
            uses: IndexVec::new(),
            free: Vec::new(),
            started: Vec::new(),
            eased: Vec::new(),
            next: Least::new(),
            solves: 0,
            waves: 0,
            visited: Vec::new(),
            opened: Vec::new(),
            changed: Vec::new(),
            to_open: Vec::new(),
            listed: Vec::new(),
        }
    }

    /// A flow that crosses these, of which there is one at least. It takes nothing until it has
    /// been told to `start`.
    pub fn add(&mut self, uses: &[Use]) -> FlowId {
        assert!(!uses.is_empty(), "nothing would limit the flow");
        let (bottleneck, state) = (NONE, State::Parked);
        let row = Row { level: 0, before: 0, solved: 0, bottleneck, bound: 0, state };
        let flow = match self.free.pop() {
            Some(flow) => {
                self.rows[flow] = row;
                flow
            }
            None => {
                self.uses.push(Vec::new());
                self.rows.push(row)
            }
        };
        for (&one, nth) in uses.iter().zip(0..) {
            let crossings = &mut self.crossings[one.resource];
            self.uses[flow].push((one, crossings.len() as u32));
            crossings.push(Crossing { flow, nth });
        }
        flow
    }

    /// From the next solve on `flow` takes its share.
    pub fn start(&mut self, flow: FlowId) {
        debug_assert!(self.rows[flow].state == State::Parked);
        self.rows[flow].state = State::Set;
        self.started.push(flow);
    }

    /// `flow` is no more. Others take what it leaves when they are solved next.
    pub fn remove(&mut self, flow: FlowId) {
        let Row { level, bottleneck, bound, state, .. } = self.rows[flow];
        assert!(matches!(state, State::Parked | State::Set), "no flow of this id");
        if bottleneck != NONE {
            self.shares[bottleneck].tight -= bound;
        }
        while let Some((Use { resource, weight }, place)) = self.uses[flow].pop() {
            let share = &mut self.shares[resource];
            share.used -= level * u64::from(weight);
            if level > 0 && share.tight > 0 {
                self.eased.push(resource);
            }
            let crossings = &mut self.crossings[resource];
            crossings.swap_remove(place as usize);
            if let Some(&Crossing { flow, nth }) = crossings.get(place as usize) {
                self.uses[flow][nth as usize].1 = place;
            }
        }
        self.rows[flow].state = State::Free;
        self.free.push(flow);
    }

    /// Gives everybody his level again.
    ///
    /// In waves: whoever is opened may leave or take what concerns others, which is known when he
    /// has his level, and these are opened next. The last wave opens them beforehand.
    pub fn solve(&mut self) {
        self.solves = self.solves.wrapping_add(1);
        self.changed.clear();
        while let Some(flow) = self.started.pop() {
            if self.rows[flow].state == State::Set && self.rows[flow].bottleneck == NONE {
                self.to_open.push(flow);
            }
        }
        for wave in 0..=WAVES {
            self.waves = self.waves.wrapping_add(1);
            while let Some(resource) = self.eased.pop() {
                if self.concerns(resource) {
                    self.touch(resource);
                }
            }
            if self.to_open.is_empty() {
                break;
            }
            let all = wave == WAVES;
            self.open_all(all);
            while let Some((told, resource)) = self.next.first() {
                // Levels given since then have left more for the others.
                let level = self.level(resource);
                if level > told {
                    self.next.set(resource, level);
                } else if !self.open_unfair(resource, level, all) {
                    self.fill(resource, level);
                }
            }
            std::mem::swap(&mut self.eased, &mut self.visited);
        }
        while let Some(resource) = self.eased.pop() {
            self.shares[resource].high = 0;
        }
        while let Some(flow) = self.opened.pop() {
            if self.rows[flow].level != self.rows[flow].before {
                self.changed.push(flow);
            }
        }
    }

    /// Flows whose level the last solve has changed, in no order that means anything.
    pub fn changed(&self) -> &[FlowId] {
        &self.changed
    }

    /// What `flow` takes of a resource where its weight is one.
    #[inline]
    pub fn level_of(&self, flow: FlowId) -> u64 {
        self.rows[flow].level
    }

    /// The resource that sets the level of `flow`.
    #[inline]
    pub fn bottleneck(&self, flow: FlowId) -> Option<Resource> {
        Some(self.rows[flow].bottleneck).filter(|&resource| resource != NONE)
    }

    pub fn uses(&self, flow: FlowId) -> impl Iterator<Item = Use> {
        self.uses[flow].iter().map(|&(one, _)| one)
    }

    pub fn capacity(&self, resource: Resource) -> u64 {
        self.shares[resource].capacity
    }

    /// What all flows together take.
    pub fn used(&self, resource: Resource) -> u64 {
        self.shares[resource].used
    }

    /// Flows there are.
    pub fn live(&self) -> usize {
        self.rows.len() - self.free.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let rows: usize = self.uses.raw.iter().map(|uses| uses.capacity()).sum();
        let crossings: usize = self.crossings.raw.iter().map(|those| those.capacity()).sum();
        let ids = [&self.free, &self.started, &self.opened, &self.changed, &self.to_open];
        let resources = [&self.eased, &self.visited, &self.listed];
        self.shares.len() * (size_of::<Share>() + size_of::<Vec<Crossing>>())
            + self.rows.raw.capacity() * (size_of::<Row>() + size_of::<Vec<(Use, u32)>>())
            + rows * size_of::<(Use, u32)>()
            + crossings * size_of::<Crossing>()
            + ids.iter().map(|ids| ids.capacity() * size_of::<FlowId>()).sum::<usize>()
            + resources.iter().map(|ids| ids.capacity() * size_of::<Resource>()).sum::<usize>()
            + self.next.bytes()
    }

    /// The level that `resource` would set for its open flows: one at least, so that nobody stands
    /// still even where more flows share than there are units to deal out.
    #[inline]
    fn level(&self, resource: Resource) -> u64 {
        let Share { capacity, used, open, .. } = self.shares[resource];
        (capacity.saturating_sub(used) / open).max(1)
    }

    /// Whether those who have their bottleneck at `resource` have it no more: they could have more,
    /// or somebody who crosses it does.
    fn concerns(&mut self, resource: Resource) -> bool {
        let share = &mut self.shares[resource];
        let high = std::mem::take(&mut share.high);
        let left = share.capacity.saturating_sub(share.used);
        share.tight > 0
            && (left >= share.tight.max(share.capacity >> self.exact_to)
                || high - (high >> self.exact_to) > share.low)
    }

    /// Those who have their bottleneck at `resource` are to be opened, once a wave.
    fn touch(&mut self, resource: Resource) {
        let share = &mut self.shares[resource];
        if share.touched == self.waves {
            return;
        }
        share.touched = self.waves;
        if share.tight == 0 {
            return;
        }
        for &Crossing { flow, .. } in &self.crossings[resource] {
            if self.rows[flow].bottleneck == resource {
                self.to_open.push(flow);
            }
        }
    }

    /// Opens all that are to be; and, if `all` are, whom that can concern.
    fn open_all(&mut self, all: bool) {
        while let Some(flow) = self.to_open.pop() {
            let row = &mut self.rows[flow];
            if row.state == State::Open {
                continue;
            }
            let Row { level, bottleneck, bound, solved, .. } = *row;
            (row.state, row.bottleneck) = (State::Open, NONE);
            if solved != self.solves {
                (row.before, row.solved) = (level, self.solves);
                self.opened.push(flow);
            }
            if bottleneck != NONE {
                self.shares[bottleneck].tight -= bound;
            }
            for nth in 0..self.uses[flow].len() {
                let Use { resource, weight } = self.uses[flow][nth].0;
                if all {
                    self.touch(resource);
                }
                let share = &mut self.shares[resource];
                share.used -= level * u64::from(weight);
                share.open += u64::from(weight);
                if share.visited != self.waves {
                    share.visited = self.waves;
                    self.visited.push(resource);
                }
                if !share.is_listed {
                    share.is_listed = true;
                    self.listed.push(resource);
                }
            }
        }
        // Told once, when all are open.
        while let Some(resource) = self.listed.pop() {
            self.shares[resource].is_listed = false;
            self.next.set(resource, self.level(resource));
        }
    }

    /// Opens those who have more than `level` at `resource`, where it is all that there is for the
    /// open ones: they will have as much as these. Whether there was one.
    ///
    /// First those who have their bottleneck here, for nobody has more than they; what they leave
    /// may be enough. All stood above the levels given so far in this wave, and so does whoever is
    /// opened with them: nothing that has been given has to be taken back.
    fn open_unfair(&mut self, resource: Resource, level: u64, all: bool) -> bool {
        let most = level.saturating_add(level >> self.exact_to);
        for tight in [true, false] {
            if tight && self.shares[resource].tight == 0 {
                continue;
            }
            for &Crossing { flow, .. } in &self.crossings[resource] {
                let row = &self.rows[flow];
                let counts = !tight || row.bottleneck == resource;
                if row.state == State::Set && row.level > most && counts {
                    self.to_open.push(flow);
                }
            }
            if !self.to_open.is_empty() {
                self.open_all(all);
                return true;
            }
        }
        false
    }

    /// Open flows at `resource` get this level, and have their bottleneck there.
    fn fill(&mut self, resource: Resource, level: u64) {
        let share = &mut self.shares[resource];
        share.low = if share.tight == 0 { level } else { share.low.min(level) };
        for nth in 0..self.crossings[resource].len() {
            let flow = self.crossings[resource][nth].flow;
            let row = &mut self.rows[flow];
            if row.state != State::Open {
                continue;
            }
            (row.state, row.level, row.bottleneck) = (State::Set, level, resource);
            row.bound = 0;
            for &(one, _) in &self.uses[flow] {
                let share = &mut self.shares[one.resource];
                share.used += level * u64::from(one.weight);
                share.open -= u64::from(one.weight);
                share.high = share.high.max(level);
                if one.resource == resource {
                    row.bound += u64::from(one.weight);
                    share.tight += u64::from(one.weight);
                }
                if share.open == 0 {
                    self.next.remove(one.resource);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
