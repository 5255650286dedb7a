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
use std::hint::select_unpredictable;
use std::ops::Range;

use base::{Idx, IndexVec};

mod class_shares;

pub use class_shares::ClassShare;
use class_shares::ClassTable;

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
/// level is as high; and two of them differ by less than 2^63, so that a difference has a sign.
const UNSET: u64 = i64::MAX as u64;

/// After so many waves of a solve that each concern others, all whom any of it can concern are
/// solved again at once.
const MAX_WAVES: u32 = 16;

#[derive(Clone, Copy)]
struct ResourceState {
    capacity: i64,
    /// What flows with a level leave. Below nothing where there are more flows than units.
    residual: i64,
    /// Weights of the flows that are being given a level.
    open_weight: u64,
    /// Weights of those that have their bottleneck here.
    bottleneck_weight: u64,
    /// Nobody of these has a level below this.
    min_bottleneck_level: u64,
    /// The highest level that this wave has given to one that crosses it.
    max_wave_level: u64,
    /// The lowest level that it stands in the heap with; `UNSET` if it does not.
    queued_level: u64,
    /// The wave in which those who have their bottleneck here were last looked through, and the
    /// step in which one that crosses it was last opened.
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

    /// The level that it would set for its open flows: one at least, so that nobody stands still
    /// even where more flows share than there are units to deal out.
    #[inline]
    fn level(&self) -> u64 {
        (self.residual() / self.open_weight).max(1)
    }

    #[inline]
    fn residual(&self) -> u64 {
        self.residual.max(0) as u64
    }

    /// What flows with a level take.
    fn taken(&self) -> u64 {
        (self.capacity - self.residual) as u64
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FlowState {
    /// No flow has this id.
    Free,
    /// Not started: takes nothing.
    Parked,
    /// Has a level, or is given one by the next solve.
    Started,
}

#[derive(Clone, Copy)]
struct FlowEntry {
    /// Its level when the solve began that last gave it one, and the step in which that was.
    level_before: u64,
    solved_in: u32,
    /// What set its level last.
    bottleneck: Resource,
    /// While it is open: none of its resources but the one that stands for it would set less.
    second_lowest: u64,
    /// Its uses: where they begin among all, how many, and the logarithm of how many have room.
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

/// Flows that are picked out of more. Processors cannot foretell who is, so that is no branch: all
/// are written down, and who is not picked is written over.
#[derive(Default)]
struct PickList {
    items: Vec<FlowId>,
    n: usize,
}

impl PickList {
    /// So many more can be `put`.
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

/// Flows and what they share.
pub struct MaxMin {
    /// Base-2 logarithm of the part of a level, or of a capacity, that concerns nobody else.
    precision_bits: u32,
    shares: IndexVec<Resource, ResourceState>,
    /// Who shares resources before flows do.
    class_shares: ClassTable,
    /// Who crosses each: once for each of his uses of it.
    crossings: IndexVec<Resource, Vec<FlowId>>,
    rows: IndexVec<FlowId, FlowEntry>,
    /// Of each flow; `UNSET` while it is being given one, 0 before. Apart from all else, for who
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
    freed: Vec<Resource>,
    /// How many flows are being given a level, and a resource for each: its lowest, by the level
    /// that it would set, which can have risen since it was told.
    n_open: usize,
    next: BinaryHeap<Reverse<Key>>,
    /// Of each resource in the heap: up to this level it is the lowest of all for whom it stands.
    second_lowest_of: IndexVec<Resource, u64>,
    /// Steps so far: solves, waves and openings; and which this solve and this wave began with.
    step: u32,
    solve: u32,
    wave: u32,
    /// Where somebody has been opened in this wave: so many of these.
    visited_in: Vec<Resource>,
    n_visited: usize,
    opened: Vec<FlowId>,
    /// Where parties share: everybody who has been opened since parts were dealt.
    reopened: Vec<FlowId>,
    changed: Vec<FlowId>,
    to_open: PickList,
    /// Flows that have been opened together: those that are to be told, and those for whom the
    /// resource stands where they were opened, if its level is below all that they had.
    batch: Vec<FlowId>,
    same_bound: Vec<FlowId>,
    /// Flows that are open at a resource, and those who have more of it than is fair though their
    /// bottleneck is another.
    open_here: PickList,
    above: PickList,
}

impl MaxMin {
    /// Levels are max-min fair to within one part in 2^`precision_bits`: that much of a capacity may lie
    /// idle, and that much less than another may somebody have who has his bottleneck where both
    /// share. From 63 on they are to within one unit of level.
    pub fn new(capacities: impl Iterator<Item = u64>, precision_bits: u32) -> Self {
        let shares: IndexVec<Resource, ResourceState> =
            capacities.map(ResourceState::idle).collect();
        let n = shares.len();
        let crossings = (0..n).map(|_| Vec::new()).collect();
        MaxMin {
            precision_bits: precision_bits.min(63),
            shares,
            class_shares: ClassTable::default(),
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
            visited_in: vec![NONE; n + 1],
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

    /// A flow that crosses these, of which there is one at least. It takes nothing until it has
    /// been told to `start`.
    pub fn add(&mut self, uses: &[Use]) -> FlowId {
        self.add_in_class(0, uses)
    }

    /// The same of a flow of `class`, where parties share resources.
    pub fn add_in_class(&mut self, class: u32, uses: &[Use]) -> FlowId {
        assert!(!uses.is_empty(), "nothing would limit the flow");
        let n_uses = u16::try_from(uses.len()).expect("a way of fewer than 2^16");
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
        // The logarithm, and one: a row that is new has room for nothing.
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
            self.class_shares.take_parts(class, &mut self.uses[those.clone()]);
        }
        for (one, place) in self.uses[those.clone()].iter().zip(&mut self.places[those]) {
            let crossings = &mut self.crossings[one.resource];
            *place = crossings.len() as u32;
            crossings.push(flow);
        }
        flow
    }

    /// From the next solve on `flow` takes its share.
    pub fn start(&mut self, flow: FlowId) {
        debug_assert!(self.rows[flow].state == FlowState::Parked);
        self.rows[flow].state = FlowState::Started;
        self.started.push(flow);
    }

    /// `flow` is no more. Others take what it leaves when they are solved next.
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
        if level > 0 && !self.class_shares.are_none() {
            self.class_shares.mark_uses_pending(&self.uses[row.uses()], false);
        }
        self.rows[flow].state = FlowState::Free;
        self.free.push(flow);
    }

    /// Gives everybody his level again.
    pub fn solve(&mut self) {
        self.count_steps();
        self.changed.clear();
        self.opened.clear();
        self.to_open.room(self.started.len());
        while let Some(flow) = self.started.pop() {
            let row = &self.rows[flow];
            let is_new = row.state == FlowState::Started && row.bottleneck == NONE;
            self.to_open.put(flow, is_new);
            if is_new && !self.class_shares.are_none() {
                self.class_shares.mark_uses_pending(&self.uses[row.uses()], true);
            }
        }
        if self.class_shares.are_none() {
            self.solve_levels();
        } else {
            self.solve_classes();
        }
        let has_changed = |&&flow: &&FlowId| self.levels[flow] != self.rows[flow].level_before;
        self.changed.extend(self.opened.iter().filter(has_changed));
    }

    /// Levels at the capacities that there are.
    ///
    /// In waves: whoever is opened may leave or take what concerns others, which is known when he
    /// has his level, and these are opened next. The last wave opens them beforehand.
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
                let resource = self.visited_in[nth];
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
        for &resource in &self.visited_in[..std::mem::take(&mut self.n_visited)] {
            self.shares[resource].max_wave_level = 0;
        }
    }

    /// Flows whose level the last solve has changed, in no order that means anything.
    pub fn changed(&self) -> &[FlowId] {
        &self.changed
    }

    /// Flows that the last solve has given a level or another bottleneck; of all others both are
    /// as they were. Until one is removed, and in no order that means anything.
    pub fn opened(&self) -> &[FlowId] {
        &self.opened
    }

    /// What `flow` takes of a resource where its weight is one.
    #[inline]
    pub fn level_of(&self, flow: FlowId) -> u64 {
        self.levels[flow]
    }

    /// The resource that sets the level of `flow`.
    #[inline]
    pub fn bottleneck(&self, flow: FlowId) -> Option<Resource> {
        let bottleneck = self.rows[flow].bottleneck;
        (bottleneck != NONE).then(|| self.class_shares.resource_of(bottleneck))
    }

    pub fn uses(&self, flow: FlowId) -> impl Iterator<Item = Use> {
        let of = |&one: &Use| Use { resource: self.class_shares.resource_of(one.resource), ..one };
        self.uses[self.rows[flow].uses()].iter().map(of)
    }

    pub fn capacity(&self, resource: Resource) -> u64 {
        let whole = || self.shares[resource].capacity as u64;
        self.class_shares.whole(resource).unwrap_or_else(whole)
    }

    /// What all flows together take.
    pub fn used(&self, resource: Resource) -> u64 {
        self.class_shares.parts(resource).map(|part| self.shares[part].taken()).sum()
    }

    /// Flows there are.
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
        let resources = [&self.freed, &self.visited_in];
        self.shares.len()
            * (size_of::<ResourceState>() + size_of::<Vec<FlowId>>() + size_of::<u64>())
            + self.rows.raw.capacity() * size_of::<FlowEntry>()
            + self.levels.raw.capacity() * size_of::<u64>()
            + self.uses.capacity() * (size_of::<Use>() + size_of::<u32>())
            + crossings * size_of::<FlowId>()
            + ids.map(|ids| ids.capacity() * size_of::<FlowId>()).sum::<usize>()
            + resources.iter().map(|ids| ids.capacity() * size_of::<Resource>()).sum::<usize>()
            + self.next.capacity() * size_of::<Key>()
            + self.class_shares.bytes()
    }

    /// A solve begins. Steps are told apart by 32 bits, so all are taken back in time: no solve
    /// has 2^31.
    fn count_steps(&mut self) {
        if self.step > u32::MAX / 2 {
            self.step = 0;
            self.shares.raw.iter_mut().for_each(|s| (s.opened_in, s.visited_in) = (0, 0));
            self.rows.raw.iter_mut().for_each(|row| row.solved_in = 0);
            self.class_shares.reset_steps();
        }
        self.step += 1;
        self.solve = self.step;
    }

    /// Whether those who have their bottleneck at `resource` have it no more: they could have more,
    /// or somebody who crosses it does.
    fn must_reopen(&mut self, resource: Resource) -> bool {
        let share = &mut self.shares[resource];
        let max_wave_level = std::mem::take(&mut share.max_wave_level);
        let part = share.bottleneck_weight.max(share.capacity as u64 >> self.precision_bits);
        // Half of all are nobody's bottleneck: no branch.
        let part = select_unpredictable(share.bottleneck_weight > 0, part, UNSET);
        let min_bottleneck_level =
            select_unpredictable(share.bottleneck_weight > 0, share.min_bottleneck_level, UNSET);
        (share.residual() >= part)
            | (max_wave_level - (max_wave_level >> self.precision_bits) > min_bottleneck_level)
    }

    /// Those who have their bottleneck at `resource` are to be opened, once a wave.
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

    /// Opens all that are to be; and, if `all` are, whom that can concern. Where others are open
    /// beside them, which they are `at` a resource if at any, it lowers the levels that those could
    /// have.
    ///
    /// Who is opened beside others has a resource `at` which they are open, and what it had before
    /// bounds what its other resources would set: at least the least that any of the batch had,
    /// unless somebody else is open there, or less than nothing is left.
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
        // Told when all are open.
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

    /// Opens who is listed. The least level that any of them had.
    fn open_picked(&mut self, at: Resource) -> u64 {
        self.step += 1;
        let (step, wave, mut least) = (self.step, self.wave, UNSET);
        let (shares, uses) = (&mut self.shares.raw[..], &self.uses[..]);
        if at != NONE {
            shares[at.idx()].visited_in = step;
        }
        let (visited_in, mut n_visited) = (&mut self.visited_in[..], self.n_visited);
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
                // Others than those of this batch.
                shares_with_open |=
                    ((share.open_weight > 0) | (share.residual < 0)) & (share.visited_in < step);
                share.residual += (level * weight) as i64;
                share.open_weight += weight;
                bottleneck_weight += select_unpredictable(resource == bottleneck, weight, 0);
                visited_in[n_visited] = resource;
                n_visited += usize::from(share.visited_in < wave);
                share.visited_in = step;
            }
            if bottleneck != NONE {
                shares[bottleneck.idx()].bottleneck_weight -= bottleneck_weight;
            }
            if shares_with_open { &mut self.batch } else { &mut self.same_bound }.push(flow);
        }
        self.n_visited = n_visited;
        if !self.class_shares.are_none() {
            self.reopened.extend_from_slice(self.to_open.all());
        }
        self.to_open.n = 0;
        least
    }

    /// Puts the lowest of its resources in the heap; and those that others are open at, `with_others`
    /// it, if it has lowered them.
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
            // Both differences are below nothing: one branch, not two that nobody can foretell.
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

    /// The level of a resource has changed: another may be the lowest now of those who are open
    /// there, which are `open_here`.
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

    /// The resource of `key` stands for a flow, up to `second_lowest`.
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

    /// Takes the resource out of the heap that sets the lowest level.
    ///
    /// Every open flow has a resource in the heap that stood, when it was told, before all others
    /// of the flow; and none of them can have fallen since without being told. So the first is
    /// before all that there are, if it stands where it was told.
    fn lowest(&mut self) -> Option<(u64, Resource)> {
        while self.n_open > 0 {
            let Reverse(key) = self.next.pop().expect("what is open is told");
            let (queued_level, resource) = (key.level(), key.resource());
            let share = &mut self.shares[resource];
            // If it has been told a lower level since, that has been looked at.
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
            // Levels given since then have left more for the others. Mostly it is the lowest still.
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

    /// Who is open at `resource`: `open_here`; and who else has more than `most`: `above`.
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

    /// Who is open at `resource`, which gives them `level`: `open_here`. And who has more than that
    /// there, which is all that there is for the open ones: `to_open`, for they will have as much
    /// as these.
    ///
    /// First those who have their bottleneck here, for nobody has more than they; what they leave
    /// may be enough. All stood above the levels given so far in this wave, and so does whoever is
    /// opened with them: nothing that has been given has to be taken back.
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

    /// Those who are `open_here`, open at `resource`, get this level, and have their bottleneck there.
    fn assign_level(&mut self, resource: Resource, level: u64) {
        let share = &mut self.shares[resource];
        share.min_bottleneck_level = if share.bottleneck_weight == 0 {
            level
        } else {
            share.min_bottleneck_level.min(level)
        };
        // All that is open there has its bottleneck there.
        share.bottleneck_weight += share.open_weight;
        let (shares, uses) = (&mut self.shares.raw[..], &self.uses[..]);
        for &flow in self.open_here.all() {
            // It can cross the resource twice.
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
