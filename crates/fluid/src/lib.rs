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

/// No level: of a resource that is not in the heap, and of a flow that is being given one. No
/// level is as high.
const OUT: u64 = u64::MAX;

/// After so many waves of a solve that each concern others, all whom any of it can concern are
/// solved again at once.
const WAVES: u32 = 16;

#[derive(Clone, Copy)]
struct Share {
    capacity: i64,
    /// What flows with a level leave. Below nothing where there are more flows than units.
    left: i64,
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
        let capacity = i64::try_from(capacity).expect("a capacity below 2^63");
        Share {
            capacity,
            left: capacity,
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
        (self.left() / self.open).max(1)
    }

    #[inline]
    fn left(&self) -> u64 {
        self.left.max(0) as u64
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No flow has this id.
    Free,
    /// Not started: takes nothing.
    Parked,
    /// Has a level, or is given one by the next solve.
    Started,
}

#[derive(Clone, Copy)]
struct Row {
    /// Its level when the solve began that last gave it one, and which that is.
    before: u64,
    solved: u32,
    /// What set its level last.
    bottleneck: Resource,
    /// While it is open: none of its resources but the first would set less.
    second: u64,
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

/// Flows and what they share.
pub struct MaxMin {
    /// Base-2 logarithm of the part of a level, or of a capacity, that concerns nobody else.
    exact_to: u32,
    shares: IndexVec<Resource, Share>,
    /// Who crosses each: once for each of his uses of it.
    crossings: IndexVec<Resource, Vec<FlowId>>,
    rows: IndexVec<FlowId, Row>,
    /// Of each flow; `OUT` while it is being given one, 0 before. Apart from all else, for who
    /// crosses a resource is looked through far more often than changed.
    levels: IndexVec<FlowId, u64>,
    /// Uses of all flows, and the place of each among those who cross the resource. Rows keep
    /// their room for the next flow.
    uses: Vec<Use>,
    places: Vec<u32>,
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
            levels: IndexVec::new(),
            uses: Vec::new(),
            places: Vec::new(),
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
            let (before, second, solved, begin, n_uses, room) = (0, 0, 0, 0, 0, 0);
            self.levels.push(0);
            self.rows.push(Row { before, solved, bottleneck, second, begin, n_uses, room, state })
        });
        let row = &mut self.rows[flow];
        let room = uses.len().next_power_of_two();
        // The logarithm, and one: a row that is new has room for nothing.
        let log = room.trailing_zeros() as u8 + 1;
        if row.room < log {
            row.begin = u32::try_from(self.uses.len()).expect("fewer than 2^32 uses");
            row.room = log;
            self.uses.resize(self.uses.len() + room, Use { resource: NONE, weight: 0 });
            self.places.resize(self.uses.len(), 0);
        }
        (row.bottleneck, row.state) = (NONE, State::Parked);
        row.n_uses = n_uses;
        self.uses[row.uses()].copy_from_slice(uses);
        for (one, place) in uses.iter().zip(&mut self.places[row.uses()]) {
            let crossings = &mut self.crossings[one.resource];
            *place = crossings.len() as u32;
            crossings.push(flow);
        }
        flow
    }

    /// From the next solve on `flow` takes its share.
    pub fn start(&mut self, flow: FlowId) {
        debug_assert!(self.rows[flow].state == State::Parked);
        self.rows[flow].state = State::Started;
        self.started.push(flow);
    }

    /// `flow` is no more. Others take what it leaves when they are solved next.
    pub fn remove(&mut self, flow: FlowId) {
        let row = self.rows[flow];
        assert!(row.state != State::Free, "no flow of this id");
        let level = std::mem::take(&mut self.levels[flow]);
        for at in row.uses() {
            let Use { resource, weight } = self.uses[at];
            let share = &mut self.shares[resource];
            if row.bottleneck == resource {
                share.tight -= u64::from(weight);
            }
            share.left += (level * u64::from(weight)) as i64;
            if level > 0 && share.tight > 0 {
                self.eased.push(resource);
            }
            // Who crossed it last goes where it stood.
            let place = std::mem::replace(&mut self.places[at], u32::MAX);
            let crossings = &mut self.crossings[resource];
            crossings.swap_remove(place as usize);
            if let Some(&moved) = crossings.get(place as usize) {
                let last = (resource, crossings.len() as u32);
                let is_last = |&at: &usize| (self.uses[at].resource, self.places[at]) == last;
                let at = self.rows[moved].uses().find(is_last).expect("it crosses");
                self.places[at] = place;
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
            if self.rows[flow].state == State::Started && self.rows[flow].bottleneck == NONE {
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
                    self.tell_here(resource);
                }
            }
            std::mem::swap(&mut self.eased, &mut self.visited);
        }
        while let Some(resource) = self.eased.pop() {
            self.shares[resource].high = 0;
        }
        while let Some(flow) = self.opened.pop() {
            if self.levels[flow] != self.rows[flow].before {
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
        self.levels[flow]
    }

    /// The resource that sets the level of `flow`.
    #[inline]
    pub fn bottleneck(&self, flow: FlowId) -> Option<Resource> {
        Some(self.rows[flow].bottleneck).filter(|&resource| resource != NONE)
    }

    pub fn uses(&self, flow: FlowId) -> impl Iterator<Item = Use> {
        self.uses[self.rows[flow].uses()].iter().copied()
    }

    pub fn capacity(&self, resource: Resource) -> u64 {
        self.shares[resource].capacity as u64
    }

    /// What all flows together take.
    pub fn used(&self, resource: Resource) -> u64 {
        let Share { capacity, left, .. } = self.shares[resource];
        (capacity - left) as u64
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
        self.shares.len() * (size_of::<Share>() + size_of::<Vec<FlowId>>())
            + self.rows.raw.capacity() * size_of::<Row>()
            + self.levels.raw.capacity() * size_of::<u64>()
            + self.uses.capacity() * (size_of::<Use>() + size_of::<u32>())
            + crossings * size_of::<FlowId>()
            + ids.map(|ids| ids.capacity() * size_of::<FlowId>()).sum::<usize>()
            + resources.iter().map(|ids| ids.capacity() * size_of::<Resource>()).sum::<usize>()
            + self.next.capacity() * size_of::<Key>()
    }

    /// Whether those who have their bottleneck at `resource` have it no more: they could have more,
    /// or somebody who crosses it does.
    fn concerns(&mut self, resource: Resource) -> bool {
        let share = &mut self.shares[resource];
        let high = std::mem::take(&mut share.high);
        share.tight > 0
            && (share.left() >= share.tight.max(share.capacity as u64 >> self.exact_to)
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
        for &flow in &self.crossings[resource] {
            let row = &self.rows[flow];
            if row.bottleneck == resource {
                self.to_open.push(flow);
                base::prefetch(&self.uses[row.begin as usize]);
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
                    self.touch(self.uses[at].resource);
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
        for &flow in &self.to_open {
            for one in &uses[self.rows[flow].uses()] {
                base::prefetch(&shares[one.resource.idx()]);
            }
        }
        while let Some(flow) = self.to_open.pop() {
            let level = std::mem::replace(&mut self.levels[flow], OUT);
            if level == OUT {
                continue;
            }
            let row = &mut self.rows[flow];
            if row.solved != self.solves {
                (row.before, row.solved) = (level, self.solves);
                self.opened.push(flow);
            }
            self.batch.push(flow);
            for &Use { resource, weight } in &uses[row.uses()] {
                let (share, weight) = (&mut shares[resource.idx()], u64::from(weight));
                share.left += (level * weight) as i64;
                share.open += weight;
                share.tight -= weight * u64::from(resource == row.bottleneck);
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
        for &Use { resource, weight } in &self.uses[row.uses()] {
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
        row.second = second.level();
        self.put(first);
    }

    /// The level of a resource has changed: another may be the lowest now of those who are open
    /// there, which are `here`.
    fn tell_here(&mut self, resource: Resource) {
        let risen = Key::new(self.shares[resource].level(), resource);
        while let Some(flow) = self.here.pop() {
            if self.rows[flow].second > risen.level() {
                self.put(risen);
            } else {
                self.tell(flow, false);
            }
        }
    }

    #[inline]
    fn put(&mut self, key: Key) {
        let share = &mut self.shares[key.resource()];
        if key.level() < share.told {
            share.told = key.level();
            self.next.push(Reverse(key));
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
            self.look_here(resource, OUT);
            self.tell_here(resource);
        }
        self.next.clear();
        None
    }

    /// Who is open at `resource`: `here`. Whether somebody else has more than `most`.
    ///
    /// Processors cannot foretell who is open, so that is no branch: all are written down, and who
    /// does not count is written over.
    fn look_here(&mut self, resource: Resource, most: u64) -> bool {
        let (crossings, levels) = (&self.crossings[resource][..], &self.levels.raw[..]);
        self.here.resize(crossings.len(), FlowId(0));
        let here = &mut self.here[..];
        let (mut n, mut others) = (0, false);
        for &flow in crossings {
            let has = levels[flow.idx()];
            here[n] = flow;
            n += usize::from(has == OUT);
            others |= (has > most) & (has != OUT);
        }
        self.here.truncate(n);
        others
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
        if !self.look_here(resource, most) {
            return;
        }
        self.above.clear();
        for &flow in &self.crossings[resource] {
            let has = self.levels[flow];
            if has > most && has != OUT {
                let row = &self.rows[flow];
                base::prefetch(&self.uses[row.begin as usize]);
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
            // It can cross the resource twice.
            if std::mem::replace(&mut self.levels[flow], level) != OUT {
                continue;
            }
            self.n_open -= 1;
            let row = &mut self.rows[flow];
            row.bottleneck = resource;
            for one in &uses[row.uses()] {
                let weight = u64::from(one.weight);
                let share = &mut shares[one.resource.idx()];
                share.left -= (level * weight) as i64;
                share.open -= weight;
                share.high = share.high.max(level);
                share.tight += weight * u64::from(one.resource == resource);
            }
        }
    }
}

#[cfg(test)]
mod tests;
