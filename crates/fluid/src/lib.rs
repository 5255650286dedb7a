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

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use base::{Idx, IndexVec};

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

/// No level: of a resource that is not in the heap.
const OUT: u64 = u64::MAX;

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
    /// The lowest level that it stands in the heap with; `OUT` if it does not.
    told: u64,
    /// The wave in which those who have their bottleneck here were last looked through, and in
    /// which one that crosses it was last opened.
    touched: u32,
    visited: u32,
}
const _: () = assert!(size_of::<Share>() == 64);

impl Share {
    fn idle(capacity: u64) -> Share {
        assert!(capacity < OUT, "no level stands for none");
        Share {
            capacity,
            used: 0,
            open: 0,
            tight: 0,
            low: 0,
            high: 0,
            told: OUT,
            touched: 0,
            visited: 0,
        }
    }

    /// The level that it would set for its open flows: one at least, so that nobody stands still
    /// even where more flows share than there are units to deal out.
    #[inline]
    fn level(&self) -> u64 {
        (self.capacity.saturating_sub(self.used) / self.open).max(1)
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
    /// While it is open: what the second lowest of its resources would set.
    level: u64,
    /// What it was when the solve began that last gave it one, and which that is.
    before: u64,
    solved: u32,
    bottleneck: Resource,
    /// Its uses: where they begin among all, how many, and the logarithm of how many have room.
    begin: u32,
    n_uses: u16,
    room: u8,
    state: State,
}
const _: () = assert!(size_of::<Row>() == 32);

impl Row {
    #[inline]
    fn uses(&self) -> Range<usize> {
        self.begin as usize..self.begin as usize + usize::from(self.n_uses)
    }
}

/// A use, and its place among those that cross the resource.
#[derive(Clone, Copy)]
struct Placed {
    one: Use,
    place: u32,
}

/// A level and the resource that would set it, in their order: a number, which is quick to compare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u128);

impl Key {
    const MAX: Key = Key(u128::MAX);

    #[inline]
    fn new(level: u64, resource: Resource) -> Key {
        Key(u128::from(level) << 64 | u128::from(resource.0))
    }
    #[inline]
    fn level(self) -> u64 {
        (self.0 >> 64) as u64
    }
    #[inline]
    fn resource(self) -> Resource {
        Resource(self.0 as u32)
    }
}

/// Who crosses a resource: the flow, and which of its uses that is.
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
    /// Uses of all flows. Rows keep their room for the next flow.
    uses: Vec<Placed>,
    free: Vec<FlowId>,
    /// What has changed since the last solve: flows that started, and bottlenecks that somebody
    /// left.
    started: Vec<FlowId>,
    eased: Vec<Resource>,
    /// How many flows are being given a level, and the lowest resource of each, by the level that
    /// it would set: it can have risen since it was told.
    n_open: usize,
    next: BinaryHeap<Reverse<Key>>,
    solves: u32,
    waves: u32,
    /// Where somebody has been opened in this wave.
    visited: Vec<Resource>,
    opened: Vec<FlowId>,
    changed: Vec<FlowId>,
    to_open: Vec<FlowId>,
    /// Flows that have been opened together; those that are open at a resource, and those who have
    /// more of it than is fair though their bottleneck is another.
    batch: Vec<FlowId>,
    here: Vec<FlowId>,
    above: Vec<FlowId>,
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
            uses: Vec::new(),
            free: Vec::new(),
            started: Vec::new(),
            eased: Vec::new(),
            n_open: 0,
            next: BinaryHeap::new(),
            solves: 0,
            waves: 0,
            visited: Vec::new(),
            opened: Vec::new(),
            changed: Vec::new(),
            to_open: Vec::new(),
            batch: Vec::new(),
            here: Vec::new(),
            above: Vec::new(),
        }
    }

    /// A flow that crosses these, of which there is one at least. It takes nothing until it has
    /// been told to `start`.
    pub fn add(&mut self, uses: &[Use]) -> FlowId {
        assert!(!uses.is_empty(), "nothing would limit the flow");
        let n_uses = u16::try_from(uses.len()).expect("a way of fewer than 2^16");
        let flow = self.free.pop().unwrap_or_else(|| {
            let (bottleneck, state) = (NONE, State::Free);
            let (level, before, solved) = (0, 0, 0);
            let (begin, n_uses, room) = (0, 0, 0);
            self.rows.push(Row { level, before, solved, bottleneck, begin, n_uses, room, state })
        });
        let row = &mut self.rows[flow];
        let room = uses.len().next_power_of_two();
        // The logarithm, and one: a row that is new has room for nothing.
        let log = room.trailing_zeros() as u8 + 1;
        if row.room < log {
            row.begin = u32::try_from(self.uses.len()).expect("fewer than 2^32 uses");
            row.room = log;
            let none = Placed { one: Use { resource: NONE, weight: 0 }, place: 0 };
            self.uses.resize(self.uses.len() + room, none);
        }
        (row.level, row.bottleneck, row.state) = (0, NONE, State::Parked);
        row.n_uses = n_uses;
        let placed = &mut self.uses[row.uses()];
        for ((&one, placed), nth) in uses.iter().zip(placed).zip(0..) {
            let crossings = &mut self.crossings[one.resource];
            *placed = Placed { one, place: crossings.len() as u32 };
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
        let row = self.rows[flow];
        assert!(matches!(row.state, State::Parked | State::Set), "no flow of this id");
        for at in row.uses() {
            let Placed { one: Use { resource, weight }, place } = self.uses[at];
            let share = &mut self.shares[resource];
            if row.bottleneck == resource {
                share.tight -= u64::from(weight);
            }
            share.used -= row.level * u64::from(weight);
            if row.level > 0 && share.tight > 0 {
                self.eased.push(resource);
            }
            let crossings = &mut self.crossings[resource];
            crossings.swap_remove(place as usize);
            if let Some(&Crossing { flow, nth }) = crossings.get(place as usize) {
                self.uses[self.rows[flow].begin as usize + nth as usize].place = place;
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
            self.open_all(all, false);
            while let Some((level, resource)) = self.lowest() {
                self.look(resource, level);
                if self.to_open.is_empty() {
                    self.fill(resource, level);
                } else {
                    self.open_all(all, true);
                    self.tell_risen(resource);
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
        self.uses[self.rows[flow].uses()].iter().map(|placed| placed.one)
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
        let crossings: usize = self.crossings.raw.iter().map(|those| those.capacity()).sum();
        let ids = [&self.free, &self.started, &self.opened, &self.changed, &self.to_open];
        let ids = ids.into_iter().chain([&self.batch, &self.here, &self.above]);
        let resources = [&self.eased, &self.visited];
        self.shares.len() * (size_of::<Share>() + size_of::<Vec<Crossing>>())
            + self.rows.raw.capacity() * size_of::<Row>()
            + self.uses.capacity() * size_of::<Placed>()
            + crossings * size_of::<Crossing>()
            + ids.map(|ids| ids.capacity() * size_of::<FlowId>()).sum::<usize>()
            + resources.iter().map(|ids| ids.capacity() * size_of::<Resource>()).sum::<usize>()
            + self.next.capacity() * size_of::<Key>()
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

    /// Opens all that are to be; and, if `all` are, whom that can concern. Where others are open
    /// `beside` them it lowers the levels that those could have.
    fn open_all(&mut self, all: bool, beside: bool) {
        let mut looked = 0;
        loop {
            self.open_listed();
            if !all || looked == self.batch.len() {
                break;
            }
            for nth in looked..self.batch.len() {
                for at in self.rows[self.batch[nth]].uses() {
                    self.touch(self.uses[at].one.resource);
                }
            }
            looked = self.batch.len();
        }
        // Told when all are open.
        self.n_open += self.batch.len();
        while let Some(flow) = self.batch.pop() {
            self.tell(flow, beside);
        }
    }

    fn open_listed(&mut self) {
        let (shares, uses) = (&mut self.shares.raw[..], &self.uses[..]);
        while let Some(flow) = self.to_open.pop() {
            let row = &mut self.rows[flow];
            if row.state == State::Open {
                continue;
            }
            let Row { level, bottleneck, solved, .. } = *row;
            (row.state, row.bottleneck) = (State::Open, NONE);
            if solved != self.solves {
                (row.before, row.solved) = (level, self.solves);
                self.opened.push(flow);
            }
            self.batch.push(flow);
            for placed in &uses[row.uses()] {
                let Use { resource, weight } = placed.one;
                let (share, weight) = (&mut shares[resource.idx()], u64::from(weight));
                share.used -= level * weight;
                share.open += weight;
                share.tight -= weight * u64::from(resource == bottleneck);
                if share.visited != self.waves {
                    (share.visited, share.told) = (self.waves, OUT);
                    self.visited.push(resource);
                }
            }
        }
    }

    /// Puts the lowest of its resources in the heap; and those that others are open at, `beside`
    /// it, if it has lowered them.
    fn tell(&mut self, flow: FlowId, beside: bool) {
        let shares = &mut self.shares.raw[..];
        let row = &mut self.rows[flow];
        let (mut first, mut second) = (Key::MAX, Key::MAX);
        for placed in &self.uses[row.uses()] {
            let Use { resource, weight } = placed.one;
            let share = &mut shares[resource.idx()];
            let level = share.level();
            let key = Key::new(level, resource);
            second = second.min(key.max(first));
            first = first.min(key);
            if beside & (share.open > u64::from(weight)) & (level < share.told) {
                share.told = level;
                self.next.push(Reverse(key));
            }
        }
        row.level = second.level();
        let (level, share) = (first.level(), &mut shares[first.resource().idx()]);
        if level < share.told {
            share.told = level;
            self.next.push(Reverse(first));
        }
    }

    /// A resource that was told has risen: another may be the lowest now of those who are open
    /// there, which are `here`.
    fn tell_risen(&mut self, resource: Resource) {
        let level = self.shares[resource].level();
        while let Some(flow) = self.here.pop() {
            if self.rows[flow].level > level {
                self.put(resource, level);
            } else {
                self.tell(flow, false);
            }
        }
    }

    #[inline]
    fn put(&mut self, resource: Resource, level: u64) {
        let share = &mut self.shares[resource];
        if level < share.told {
            share.told = level;
            self.next.push(Reverse(Key::new(level, resource)));
        }
    }

    /// Takes the resource out of the heap that sets the lowest level.
    ///
    /// Every open flow has a resource in the heap that stood, when it was told, before all others
    /// of the flow; and none of them can have fallen since without being told. So the first is
    /// before all that there are, if it stands where it was told.
    fn lowest(&mut self) -> Option<(u64, Resource)> {
        while self.n_open > 0 {
            let Reverse(key) = self.next.pop().expect("what is open is told");
            let (told, resource) = (key.level(), key.resource());
            let share = &mut self.shares[resource];
            // If it has been told a lower level since, that has been looked at.
            if share.told != told {
                continue;
            }
            share.told = OUT;
            if share.open == 0 {
                continue;
            }
            let level = share.level();
            if level == told {
                return Some((level, resource));
            }
            // Levels given since then have left more for the others.
            let open = |flow: &FlowId| self.rows[*flow].state == State::Open;
            let flows = self.crossings[resource].iter().map(|crossing| crossing.flow);
            self.here.extend(flows.filter(open));
            self.tell_risen(resource);
        }
        self.next.clear();
        None
    }

    /// Who is open at `resource`, which gives them `level`: `here`. And who has more than that
    /// there, which is all that there is for the open ones: `to_open`, for they will have as much
    /// as these.
    ///
    /// First those who have their bottleneck here, for nobody has more than they; what they leave
    /// may be enough. All stood above the levels given so far in this wave, and so does whoever is
    /// opened with them: nothing that has been given has to be taken back.
    fn look(&mut self, resource: Resource, level: u64) {
        let most = level.saturating_add(level >> self.exact_to);
        self.here.clear();
        self.above.clear();
        for &Crossing { flow, .. } in &self.crossings[resource] {
            let row = &self.rows[flow];
            if row.state == State::Open {
                self.here.push(flow);
            } else if row.level > most && row.state == State::Set {
                let tight = row.bottleneck == resource;
                if tight { &mut self.to_open } else { &mut self.above }.push(flow);
            }
        }
        if self.to_open.is_empty() {
            std::mem::swap(&mut self.to_open, &mut self.above);
        }
    }

    /// Those who are `here`, open at `resource`, get this level, and have their bottleneck there.
    fn fill(&mut self, resource: Resource, level: u64) {
        let share = &mut self.shares[resource];
        share.low = if share.tight == 0 { level } else { share.low.min(level) };
        let (shares, uses) = (&mut self.shares.raw[..], &self.uses[..]);
        while let Some(flow) = self.here.pop() {
            let row = &mut self.rows[flow];
            // It can cross the resource twice.
            if row.state != State::Open {
                continue;
            }
            (row.state, row.level, row.bottleneck) = (State::Set, level, resource);
            self.n_open -= 1;
            for placed in &uses[row.uses()] {
                let weight = u64::from(placed.one.weight);
                let share = &mut shares[placed.one.resource.idx()];
                share.used += level * weight;
                share.open -= weight;
                share.high = share.high.max(level);
                share.tight += weight * u64::from(placed.one.resource == resource);
            }
        }
    }
}

#[cfg(test)]
mod tests;
