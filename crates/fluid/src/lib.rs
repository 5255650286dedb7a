//! Layer 1: max-min fair sharing. A flow uses `level x weight` of each resource on its path. Levels
//! are max-min fair: no level can rise without lowering one that is not higher.
//! docs/models/flow-fair-sharing.md has the algorithm and its proof sketch.
//!
//! Knows capacities and levels, all integers. Contains no time, bytes or networks.
//!
//! Key idea: one resource, the bottleneck, sets the level of a flow. So a change concerns flows
//! whose bottleneck changed, and others only where it frees or takes more than a given fraction.
//! Only these are solved again, by progressive filling.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::select_unpredictable;
use std::ops::Range;

use base::{Idx, IndexVec};

mod class_shares;

pub use class_shares::ClassShare;
use class_shares::ClassTable;

base::ids! {
    /// A shared resource.
    Resource,
    /// A flow: it takes a share of every resource on its path.
    FlowId,
}

/// A resource on the path of a flow, and its use per unit of level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    pub resource: Resource,
    pub weight: u32,
}

/// No resource.
const NONE: Resource = Resource(u32::MAX);

/// No level: a resource outside the heap, or a flow without a level. It is above every level. Two
/// values differ by less than 2^63, so that a wrapping difference has a sign.
const UNSET: u64 = i64::MAX as u64;

/// After this many waves of one solve, all flows that could be concerned are opened at once.
const MAX_WAVES: u32 = 16;

#[derive(Clone, Copy)]
struct ResourceState {
    capacity: i64,
    /// Capacity not used by flows with a level. Negative where there are more flows than units.
    residual: i64,
    /// Weights of the open flows, which have no level yet.
    open_weight: u64,
    /// Weights of the flows with their bottleneck here.
    bottleneck_weight: u64,
    /// Lower bound of the levels of those flows.
    min_bottleneck_level: u64,
    /// The highest level assigned in this wave to a flow that uses this resource.
    max_wave_level: u64,
    /// The lowest level of its heap entries; `UNSET` if it has none.
    queued_level: u64,
    /// The wave in which the flows with their bottleneck here were last collected, and the step in
    /// which a flow that uses this resource was last opened.
    opened_in: u32,
    visited_in: u32,
}
const _: () = assert!(size_of::<ResourceState>() == 64);

impl ResourceState {
    fn idle(capacity: u64) -> ResourceState {
        assert!(capacity < UNSET, "a capacity of 2^63 - 1 and more");
        let capacity = capacity as i64;
        ResourceState {
            capacity,
            residual: capacity,
            open_weight: 0,
            bottleneck_weight: 0,
            min_bottleneck_level: 0,
            max_wave_level: 0,
            queued_level: UNSET,
            opened_in: 0,
            visited_in: 0,
        }
    }

    /// The level that it would set for its open flows. At least one, so that every flow makes
    /// progress even where more flows share a resource than it has units.
    #[inline]
    fn level(&self) -> u64 {
        (self.residual() / self.open_weight).max(1)
    }

    #[inline]
    fn residual(&self) -> u64 {
        self.residual.max(0) as u64
    }

    /// Capacity used by flows with a level.
    fn taken(&self) -> u64 {
        (self.capacity - self.residual) as u64
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FlowState {
    /// No flow has this id.
    Free,
    /// Added, not started: uses nothing.
    Parked,
    /// Has a level, or gets one in the next solve.
    Started,
}

#[derive(Clone, Copy)]
struct FlowEntry {
    /// Its level when the solve began that last gave it one, and the step in which that was.
    level_before: u64,
    solved_in: u32,
    /// The resource that last set its level.
    bottleneck: Resource,
    /// While open: a lower bound of the levels of its resources other than the lowest.
    second_lowest: u64,
    /// Its uses: begin, number, and 1 + log2 of the reserved length.
    begin: u32,
    n_uses: u16,
    room: u8,
    state: FlowState,
}
const _: () = assert!(size_of::<FlowEntry>() == 32);

impl FlowEntry {
    #[inline]
    fn uses(&self) -> Range<usize> {
        self.begin as usize..self.begin as usize + usize::from(self.n_uses)
    }
}

/// A level and the resource that would set it, ordered as one integer, which compares fast.
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

/// A selection of flows without branches: which flows are selected is unpredictable for a
/// processor. All candidates are written, and an unselected one is overwritten by the next.
#[derive(Default)]
struct PickList {
    items: Vec<FlowId>,
    n: usize,
}

impl PickList {
    /// Reserves space for `more` calls of `put`.
    #[inline]
    fn room(&mut self, more: usize) {
        if self.items.len() < self.n + more {
            self.items.resize(2 * (self.n + more), FlowId(0));
        }
    }
    #[inline]
    fn put(&mut self, flow: FlowId, is_picked: bool) {
        self.items[self.n] = flow;
        self.n += usize::from(is_picked);
    }
    #[inline]
    fn all(&self) -> &[FlowId] {
        &self.items[..self.n]
    }
}

/// Flows and the resources that they share.
pub struct MaxMin {
    /// log2 of the fraction of a level, or of a capacity, below which a change is ignored.
    precision_bits: u32,
    shares: IndexVec<Resource, ResourceState>,
    /// Class shares of resources.
    classes: ClassTable,
    /// Flows that use each resource, once per use.
    crossings: IndexVec<Resource, Vec<FlowId>>,
    rows: IndexVec<FlowId, FlowEntry>,
    /// Level of each flow; `UNSET` while open, 0 before the first. A column of its own, because it
    /// is read far more often than the rest.
    levels: IndexVec<FlowId, u64>,
    /// Uses of all flows, and their position in the list of the resource's flows. A freed flow
    /// keeps its space for the next one.
    uses: Vec<Use>,
    places: Vec<u32>,
    free: Vec<FlowId>,
    /// Changes since the last solve: started flows, and bottlenecks that a flow left.
    started: Vec<FlowId>,
    freed: Vec<Resource>,
    /// Number of open flows, and the heap of resources: per open flow the lowest one, by the level
    /// that it would set. That level may have risen since it was pushed.
    n_open: usize,
    next: BinaryHeap<Reverse<Key>>,
    /// Per resource in the heap: up to this level it is the lowest of all flows that it represents.
    second_lowest_of: IndexVec<Resource, u64>,
    /// Steps (solves, waves and openings) so far, and the first step of this solve and of this
    /// wave.
    step: u32,
    solve: u32,
    wave: u32,
    /// Resources of flows opened in this wave; the first `n_visited` are valid.
    visited: Vec<Resource>,
    n_visited: usize,
    opened: Vec<FlowId>,
    /// With classes: all flows opened since the parts were last computed.
    reopened: Vec<FlowId>,
    changed: Vec<FlowId>,
    to_open: PickList,
    /// Flows opened together. `batch` must push their lowest resource to the heap. For `same_bound`
    /// the resource at which they were opened is the lowest, if its level is below all their
    /// previous ones.
    batch: Vec<FlowId>,
    same_bound: Vec<FlowId>,
    /// Flows open at a resource, and flows there with more than the fair level whose bottleneck is
    /// another resource.
    open_here: PickList,
    above: PickList,
}

impl MaxMin {
    /// Levels are max-min fair to one part in 2^`precision_bits`: that much of a capacity may be
    /// idle, and a flow may have that much less than another one at its bottleneck. From 63 on the
    /// precision is one unit of level.
    pub fn new(capacities: impl Iterator<Item = u64>, precision_bits: u32) -> Self {
        let shares: IndexVec<Resource, ResourceState> =
            capacities.map(ResourceState::idle).collect();
        let n = shares.len();
        let crossings = (0..n).map(|_| Vec::new()).collect();
        MaxMin {
            precision_bits: precision_bits.min(63),
            shares,
            classes: ClassTable::default(),
            crossings,
            rows: IndexVec::new(),
            levels: IndexVec::new(),
            uses: Vec::new(),
            places: Vec::new(),
            free: Vec::new(),
            started: Vec::new(),
            freed: Vec::new(),
            n_open: 0,
            next: BinaryHeap::new(),
            second_lowest_of: IndexVec::filled(UNSET, n),
            step: 0,
            solve: 0,
            wave: 0,
            visited: vec![NONE; n + 1],
            n_visited: 0,
            opened: Vec::new(),
            reopened: Vec::new(),
            changed: Vec::new(),
            to_open: PickList::default(),
            batch: Vec::new(),
            same_bound: Vec::new(),
            open_here: PickList::default(),
            above: PickList::default(),
        }
    }

    /// Adds a flow with at least one use. It takes nothing until `start`.
    pub fn add(&mut self, uses: &[Use]) -> FlowId {
        self.add_in_class(0, uses)
    }

    /// Adds a flow of `class`, where classes share resources.
    pub fn add_in_class(&mut self, class: u32, uses: &[Use]) -> FlowId {
        assert!(!uses.is_empty(), "a flow needs at least one resource");
        let n_uses = u16::try_from(uses.len()).expect("a path of fewer than 2^16 resources");
        let flow = self.free.pop().unwrap_or_else(|| {
            let (bottleneck, state) = (NONE, FlowState::Free);
            let (level_before, second_lowest, solved_in, begin, n_uses, room) = (0, 0, 0, 0, 0, 0);
            self.levels.push(0);
            self.rows.push(FlowEntry {
                level_before,
                solved_in,
                bottleneck,
                second_lowest,
                begin,
                n_uses,
                room,
                state,
            })
        });
        let row = &mut self.rows[flow];
        let room = uses.len().next_power_of_two();
        // 1 + log2, because a new entry has no space at all.
        let log = room.trailing_zeros() as u8 + 1;
        if row.room < log {
            row.begin = u32::try_from(self.uses.len()).expect("fewer than 2^32 uses");
            row.room = log;
            self.uses.resize(self.uses.len() + room, Use { resource: NONE, weight: 0 });
            self.places.resize(self.uses.len(), 0);
        }
        (row.bottleneck, row.state) = (NONE, FlowState::Parked);
        row.n_uses = n_uses;
        let those = row.uses();
        self.uses[those.clone()].copy_from_slice(uses);
        if class > 0 {
            self.classes.take_parts(class, &mut self.uses[those.clone()]);
        }
        for (one, place) in self.uses[those.clone()].iter().zip(&mut self.places[those]) {
            let crossings = &mut self.crossings[one.resource];
            *place = crossings.len() as u32;
            crossings.push(flow);
        }
        flow
    }

    /// From the next solve on, `flow` takes its share.
    pub fn start(&mut self, flow: FlowId) {
        debug_assert!(self.rows[flow].state == FlowState::Parked);
        self.rows[flow].state = FlowState::Started;
        self.started.push(flow);
    }

    /// Removes `flow`. Its capacity is redistributed in the next solve.
    pub fn remove(&mut self, flow: FlowId) {
        let row = self.rows[flow];
        assert!(row.state != FlowState::Free, "no flow of this id");
        let level = std::mem::take(&mut self.levels[flow]);
        for at in row.uses() {
            let Use { resource, weight } = self.uses[at];
            let share = &mut self.shares[resource];
            if row.bottleneck == resource {
                share.bottleneck_weight -= u64::from(weight);
            }
            share.residual += (level * u64::from(weight)) as i64;
            if level > 0 && share.bottleneck_weight > 0 {
                self.freed.push(resource);
            }
            // The last flow of the list takes its position.
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
        if level > 0 && !self.classes.are_none() {
            self.classes.mark_uses_pending(&self.uses[row.uses()], false);
        }
        self.rows[flow].state = FlowState::Free;
        self.free.push(flow);
    }

    /// Recomputes levels.
    pub fn solve(&mut self) {
        self.count_steps();
        self.changed.clear();
        self.opened.clear();
        self.to_open.room(self.started.len());
        while let Some(flow) = self.started.pop() {
            let row = &self.rows[flow];
            let is_new = row.state == FlowState::Started && row.bottleneck == NONE;
            self.to_open.put(flow, is_new);
            if is_new && !self.classes.are_none() {
                self.classes.mark_uses_pending(&self.uses[row.uses()], true);
            }
        }
        if self.classes.are_none() {
            self.solve_levels();
        } else {
            self.solve_classes();
        }
        let has_changed = |&&flow: &&FlowId| self.levels[flow] != self.rows[flow].level_before;
        self.changed.extend(self.opened.iter().filter(has_changed));
    }

    /// Levels for the current capacities, in waves. Whether an opened flow frees or takes so much
    /// that others are concerned is known when it has its level; those open in the next wave. The
    /// last wave opens them beforehand.
    fn solve_levels(&mut self) {
        for wave in 0..=MAX_WAVES {
            self.step += 1;
            self.wave = self.step;
            while let Some(resource) = self.freed.pop() {
                if self.must_reopen(resource) {
                    self.open_bottlenecked(resource);
                }
            }
            for nth in 0..std::mem::take(&mut self.n_visited) {
                let resource = self.visited[nth];
                if self.must_reopen(resource) {
                    self.open_bottlenecked(resource);
                }
            }
            if self.to_open.n == 0 {
                break;
            }
            let all = wave == MAX_WAVES;
            self.open_all(all, NONE);
            while let Some((level, resource)) = self.lowest() {
                self.find_above(resource, level);
                if self.to_open.n == 0 {
                    self.assign_level(resource, level);
                } else {
                    self.open_all(all, resource);
                    self.enqueue_open_here(resource);
                }
            }
        }
        for &resource in &self.visited[..std::mem::take(&mut self.n_visited)] {
            self.shares[resource].max_wave_level = 0;
        }
    }

    /// Flows whose level the last solve changed, in unspecified order.
    pub fn changed(&self) -> &[FlowId] {
        &self.changed
    }

    /// Flows that got a level or another bottleneck in the last solve, in unspecified order. All
    /// others kept both. Valid until a flow is removed.
    pub fn opened(&self) -> &[FlowId] {
        &self.opened
    }

    /// The use by `flow` of a resource where its weight is one.
    #[inline]
    pub fn level_of(&self, flow: FlowId) -> u64 {
        self.levels[flow]
    }

    /// The resource that sets the level of `flow`.
    #[inline]
    pub fn bottleneck(&self, flow: FlowId) -> Option<Resource> {
        let bottleneck = self.rows[flow].bottleneck;
        (bottleneck != NONE).then(|| self.classes.resource_of(bottleneck))
    }

    pub fn uses(&self, flow: FlowId) -> impl Iterator<Item = Use> {
        let of = |&one: &Use| Use { resource: self.classes.resource_of(one.resource), ..one };
        self.uses[self.rows[flow].uses()].iter().map(of)
    }

    pub fn capacity(&self, resource: Resource) -> u64 {
        let whole = || self.shares[resource].capacity as u64;
        self.classes.whole(resource).unwrap_or_else(whole)
    }

    /// Total use of all flows.
    pub fn used(&self, resource: Resource) -> u64 {
        self.classes.parts(resource).map(|part| self.shares[part].taken()).sum()
    }

    /// Number of flows.
    pub fn live(&self) -> usize {
        self.rows.len() - self.free.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let crossings: usize = self.crossings.raw.iter().map(|those| those.capacity()).sum();
        let ids = [
            &self.free,
            &self.started,
            &self.opened,
            &self.reopened,
            &self.changed,
            &self.batch,
            &self.same_bound,
        ];
        let lists = [&self.to_open, &self.open_here, &self.above].map(|list| &list.items);
        let ids = ids.into_iter().chain(lists);
        let resources = [&self.freed, &self.visited];
        self.shares.len()
            * (size_of::<ResourceState>() + size_of::<Vec<FlowId>>() + size_of::<u64>())
            + self.rows.raw.capacity() * size_of::<FlowEntry>()
            + self.levels.raw.capacity() * size_of::<u64>()
            + self.uses.capacity() * (size_of::<Use>() + size_of::<u32>())
            + crossings * size_of::<FlowId>()
            + ids.map(|ids| ids.capacity() * size_of::<FlowId>()).sum::<usize>()
            + resources.iter().map(|ids| ids.capacity() * size_of::<Resource>()).sum::<usize>()
            + self.next.capacity() * size_of::<Key>()
            + self.classes.bytes()
    }

    /// Starts a solve. Step numbers have 32 bits and are reset in time: no solve has 2^31 steps.
    fn count_steps(&mut self) {
        if self.step > u32::MAX / 2 {
            self.step = 0;
            self.shares.raw.iter_mut().for_each(|s| (s.opened_in, s.visited_in) = (0, 0));
            self.rows.raw.iter_mut().for_each(|row| row.solved_in = 0);
            self.classes.reset_steps();
        }
        self.step += 1;
        self.solve = self.step;
    }

    /// Whether the flows with their bottleneck at `resource` must be opened: they could have more,
    /// or another flow there does.
    fn must_reopen(&mut self, resource: Resource) -> bool {
        let share = &mut self.shares[resource];
        let max_wave_level = std::mem::take(&mut share.max_wave_level);
        let part = share.bottleneck_weight.max(share.capacity as u64 >> self.precision_bits);
        // Half of all resources are no bottleneck, so a branch would be unpredictable.
        let part = select_unpredictable(share.bottleneck_weight > 0, part, UNSET);
        let min_bottleneck_level =
            select_unpredictable(share.bottleneck_weight > 0, share.min_bottleneck_level, UNSET);
        (share.residual() >= part)
            | (max_wave_level - (max_wave_level >> self.precision_bits) > min_bottleneck_level)
    }

    /// Selects the flows with their bottleneck at `resource` for opening, once per wave.
    fn open_bottlenecked(&mut self, resource: Resource) {
        let share = &mut self.shares[resource];
        if share.opened_in == self.wave {
            return;
        }
        share.opened_in = self.wave;
        if share.bottleneck_weight == 0 {
            return;
        }
        let crossings = &self.crossings[resource][..];
        self.to_open.room(crossings.len());
        for &flow in crossings {
            let row = &self.rows[flow];
            base::prefetch(&self.uses[row.begin as usize]);
            self.to_open.put(flow, row.bottleneck == resource);
        }
    }

    /// Opens the selected flows and, if `all`, the flows that they can concern. `at` is the
    /// resource at which they join flows already open, if any; they lower the levels that those
    /// could have.
    ///
    /// For flows opened at a resource, their previous levels bound what their other resources would
    /// set: at least the lowest previous level of the batch. Exceptions are resources with other
    /// open flows or with negative residual capacity.
    fn open_all(&mut self, all: bool, at: Resource) {
        let (mut looked, mut least) = (0, UNSET);
        loop {
            least = least.min(self.open_picked(if all { NONE } else { at }));
            if !all || looked == self.batch.len() {
                break;
            }
            for nth in looked..self.batch.len() {
                for at in self.rows[self.batch[nth]].uses() {
                    self.open_bottlenecked(self.uses[at].resource);
                }
            }
            looked = self.batch.len();
        }
        // Pushed when all are open.
        if !self.same_bound.is_empty() {
            let risen = Key::new(self.shares[at].level(), at);
            if risen.level() < least {
                for flow in self.same_bound.drain(..) {
                    self.rows[flow].second_lowest = least;
                }
                self.put(risen, least);
            } else {
                self.batch.append(&mut self.same_bound);
            }
        }
        while let Some(flow) = self.batch.pop() {
            self.enqueue(flow, at != NONE);
        }
    }

    /// Opens the selected flows. Returns the lowest of their previous levels.
    fn open_picked(&mut self, at: Resource) -> u64 {
        self.step += 1;
        let (step, wave, mut least) = (self.step, self.wave, UNSET);
        let (shares, uses) = (&mut self.shares.raw[..], &self.uses[..]);
        if at != NONE {
            shares[at.idx()].visited_in = step;
        }
        let (visited, mut n_visited) = (&mut self.visited[..], self.n_visited);
        for &flow in self.to_open.all() {
            let level = std::mem::replace(&mut self.levels[flow], UNSET);
            if level == UNSET {
                continue;
            }
            self.n_open += 1;
            least = least.min(level);
            let row = &mut self.rows[flow];
            if row.solved_in < self.solve {
                (row.level_before, row.solved_in) = (level, self.solve);
                self.opened.push(flow);
            }
            let (bottleneck, mut bottleneck_weight, mut shares_with_open) =
                (row.bottleneck, 0, at == NONE);
            for &Use { resource, weight } in &uses[row.uses()] {
                let (share, weight) = (&mut shares[resource.idx()], u64::from(weight));
                // Other flows than those of this batch.
                shares_with_open |=
                    ((share.open_weight > 0) | (share.residual < 0)) & (share.visited_in < step);
                share.residual += (level * weight) as i64;
                share.open_weight += weight;
                bottleneck_weight += select_unpredictable(resource == bottleneck, weight, 0);
                visited[n_visited] = resource;
                n_visited += usize::from(share.visited_in < wave);
                share.visited_in = step;
            }
            if bottleneck != NONE {
                shares[bottleneck.idx()].bottleneck_weight -= bottleneck_weight;
            }
            if shares_with_open { &mut self.batch } else { &mut self.same_bound }.push(flow);
        }
        self.n_visited = n_visited;
        if !self.classes.are_none() {
            self.reopened.extend_from_slice(self.to_open.all());
        }
        self.to_open.n = 0;
        least
    }

    /// Pushes the lowest of the flow's resources to the heap; with `with_others` also those whose
    /// level it lowers for other open flows.
    fn enqueue(&mut self, flow: FlowId, with_others: bool) {
        let shares = &mut self.shares.raw[..];
        let row = &mut self.rows[flow];
        let (mut first, mut second_lowest) = (Key::MAX, UNSET);
        let with_others = if with_others { u64::MAX } else { 0 };
        for &Use { resource, weight } in &self.uses[row.uses()] {
            let share = &mut shares[resource.idx()];
            let level = share.level();
            let key = Key::new(level, resource);
            second_lowest = second_lowest.min(level.max(first.level()));
            first = first.min(key);
            // Both differences are negative: one branch instead of two unpredictable ones.
            let others = u64::from(weight).wrapping_sub(share.open_weight) & with_others;
            if others & level.wrapping_sub(share.queued_level) > UNSET {
                if share.queued_level == UNSET {
                    self.second_lowest_of[resource] = UNSET;
                }
                share.queued_level = level;
                self.next.push(Reverse(key));
            }
        }
        row.second_lowest = second_lowest;
        self.put(first, second_lowest);
    }

    /// The level of a resource has risen, so another may now be the lowest for the flows in
    /// `open_here`.
    fn enqueue_open_here(&mut self, resource: Resource) {
        let risen = Key::new(self.shares[resource].level(), resource);
        for nth in 0..self.open_here.n {
            let flow = self.open_here.items[nth];
            let second_lowest = self.rows[flow].second_lowest;
            if second_lowest > risen.level() {
                self.put(risen, second_lowest);
            } else {
                self.enqueue(flow, false);
            }
        }
    }

    /// The resource of `key` represents a flow, up to the level `second_lowest`.
    #[inline]
    fn put(&mut self, key: Key, second_lowest: u64) {
        let (share, least) =
            (&mut self.shares[key.resource()], &mut self.second_lowest_of[key.resource()]);
        *least =
            select_unpredictable(share.queued_level == UNSET, UNSET, *least).min(second_lowest);
        if key.level() < share.queued_level {
            share.queued_level = key.level();
            self.next.push(Reverse(key));
        }
    }

    /// Takes the resource with the lowest level out of the heap.
    ///
    /// Every open flow has an entry whose resource was its lowest when pushed. Levels of its other
    /// resources cannot have fallen since without a new entry. So the first entry is the minimum if
    /// its level has not changed.
    fn lowest(&mut self) -> Option<(u64, Resource)> {
        while self.n_open > 0 {
            let Reverse(key) = self.next.pop().expect("every open flow has a heap entry");
            let (queued_level, resource) = (key.level(), key.resource());
            let share = &mut self.shares[resource];
            // A lower entry was pushed later and has been handled.
            if share.queued_level != queued_level {
                continue;
            }
            share.queued_level = UNSET;
            if share.open_weight == 0 {
                continue;
            }
            let level = share.level();
            if level == queued_level {
                return Some((level, resource));
            }
            // Levels assigned since then left more for the others. Usually it is still the lowest.
            if level < self.second_lowest_of[resource] {
                share.queued_level = level;
                self.next.push(Reverse(Key::new(level, resource)));
                continue;
            }
            self.find_open_and_above(resource, UNSET);
            self.enqueue_open_here(resource);
        }
        for Reverse(key) in self.next.drain() {
            self.shares[key.resource()].queued_level = UNSET;
        }
        None
    }

    /// Finds the flows open at `resource` (`open_here`) and others above level `most` (`above`).
    fn find_open_and_above(&mut self, resource: Resource, most: u64) {
        let (crossings, levels) = (&self.crossings[resource][..], &self.levels.raw[..]);
        (self.open_here.n, self.above.n) = (0, 0);
        self.open_here.room(crossings.len());
        self.above.room(crossings.len());
        let (open_here, above) = (&mut self.open_here.items[..], &mut self.above.items[..]);
        let (mut n_here, mut n_above) = (0, 0);
        for &flow in crossings {
            let has = levels[flow.idx()];
            open_here[n_here] = flow;
            n_here += usize::from(has == UNSET);
            above[n_above] = flow;
            n_above += usize::from((has > most) & (has != UNSET));
        }
        (self.open_here.n, self.above.n) = (n_here, n_above);
    }

    /// Finds the flows open at `resource`, which would get `level` (`open_here`), and selects flows
    /// with more than that for opening, because they must yield to the open ones.
    ///
    /// Flows with their bottleneck here come first, because no flow has more; what they free may
    /// suffice. All were above the levels assigned in this wave, and so are flows opened with them.
    /// So no assigned level has to be revised.
    fn find_above(&mut self, resource: Resource, level: u64) {
        self.find_open_and_above(resource, level.saturating_add(level >> self.precision_bits));
        if self.above.n == 0 {
            return;
        }
        self.to_open.room(self.above.n);
        for &flow in self.above.all() {
            let row = &self.rows[flow];
            base::prefetch(&self.uses[row.begin as usize]);
            self.to_open.put(flow, row.bottleneck == resource);
        }
        if self.to_open.n == 0 {
            std::mem::swap(&mut self.to_open, &mut self.above);
        }
    }

    /// Assigns this level to the flows in `open_here`; `resource` is their bottleneck.
    fn assign_level(&mut self, resource: Resource, level: u64) {
        let share = &mut self.shares[resource];
        share.min_bottleneck_level = if share.bottleneck_weight == 0 {
            level
        } else {
            share.min_bottleneck_level.min(level)
        };
        // All open flows there have their bottleneck there.
        share.bottleneck_weight += share.open_weight;
        let (shares, uses) = (&mut self.shares.raw[..], &self.uses[..]);
        for &flow in self.open_here.all() {
            // A flow can use the resource twice.
            if std::mem::replace(&mut self.levels[flow], level) != UNSET {
                continue;
            }
            self.n_open -= 1;
            let row = &mut self.rows[flow];
            row.bottleneck = resource;
            for one in &uses[row.uses()] {
                let weight = u64::from(one.weight);
                let share = &mut shares[one.resource.idx()];
                share.residual -= (level * weight) as i64;
                share.open_weight -= weight;
                share.max_wave_level = share.max_wave_level.max(level);
            }
        }
    }
}

#[cfg(test)]
mod tests;
