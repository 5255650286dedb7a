//! Hierarchical max-min: resources are shared between classes first, then between the flows of a
//! class.
//!
//! The share of a class at a resource is itself a resource, a *part*, which the flows of the class
//! use instead of the whole. The sizes of parts depend on class demands, and demands are known once
//! flows have levels. So levels and parts are computed in turn until every class has its
//! entitlement.

use std::ops::Range;

use base::Idx;

use crate::{MaxMin, Resource, ResourceState, UNSET, Use};

/// Entitlement of a class at a resource, in units of its capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClassShare {
    /// Minimum that the class gets if it demands it. The sum over classes is at most the capacity.
    pub assured: u64,
    /// Maximum.
    pub ceiling: u64,
    /// The remaining capacity goes to higher priorities first, in equal parts within one priority.
    pub priority: u8,
}

impl ClassShare {
    const NONE: ClassShare = ClassShare { assured: 0, ceiling: 0, priority: 0 };
}

/// Maximum number of classes.
pub(crate) const MAX_CLASSES: usize = 32;

/// Maximum number of iterations of one solve; later iterations change little. After `FULL_STEPS`
/// recomputations of a resource in one solve, its parts move half of the remaining distance. Each
/// doubling of that number halves the step again. Otherwise two resources that depend on each other
/// can cycle forever.
const MAX_ITERATIONS: u32 = 48;
const FULL_STEPS: u32 = 4;

/// Number of halvings up to which the future use of rising classes is reserved; that can cycle too.
const MAX_WAIT_HALVINGS: u32 = 2;

/// Class shares are exact to one part in 2 to this power, or to a fourth of the precision of levels
/// if that is coarser. A small error of a large part is a large one for a small part.
const MAX_PRECISION_BITS: u32 = 8;

/// All class shares. The part of the first class has the number of the resource. The parts of other
/// classes come after all resources, class by class.
#[derive(Default)]
pub(crate) struct ClassTable {
    /// Classes per divided resource; 0 if no resource is divided.
    n: u32,
    /// The first `divided` of `resources` resources are divided.
    divided: u32,
    resources: u32,
    /// Per divided resource: its full capacity, and whether its parts must be recomputed.
    whole: Vec<u64>,
    is_pending: Vec<bool>,
    pending: Vec<Resource>,
    /// The solve that last recomputed it, and how many recomputations came before in that solve.
    recomputed: Vec<(u32, u32)>,
    /// Per divided resource and class: its entitlement, and whether its demand counts as unlimited
    /// although its flows have their bottleneck elsewhere. `set` lists where that flag is set.
    entitlements: Vec<ClassShare>,
    is_unlimited: Vec<bool>,
    set: Vec<u32>,
}

impl ClassTable {
    #[inline]
    pub fn are_none(&self) -> bool {
        self.n == 0
    }

    /// The resource to which a part belongs; a resource that is not divided maps to itself.
    #[inline]
    pub fn resource_of(&self, part: Resource) -> Resource {
        match part.0.checked_sub(self.resources) {
            Some(beyond) if self.n > 0 => Resource(beyond % self.divided),
            _ => part,
        }
    }

    /// The class to which a part belongs.
    fn class_of(&self, part: Resource) -> usize {
        part.0.checked_sub(self.resources).map_or(0, |beyond| 1 + beyond / self.divided) as usize
    }

    /// Replaces the resources in `uses` by the parts of `class`.
    pub fn take_parts(&self, class: u32, uses: &mut [Use]) {
        assert!(class < self.n, "a class without entitlements");
        for Use { resource, .. } in uses {
            if resource.0 < self.divided {
                resource.0 += self.resources + (class - 1) * self.divided;
            }
        }
    }

    /// All parts of a resource, class by class; the resource itself if it is not divided.
    pub fn parts(&self, resource: Resource) -> impl Iterator<Item = Resource> + use<> {
        let first = self.resources + resource.0;
        let others = if resource.0 < self.divided { 0..self.n - 1 } else { 0..0 };
        let divided = self.divided;
        std::iter::once(resource).chain(others.map(move |nth| Resource(first + nth * divided)))
    }

    /// The full capacity of `resource`, if it is divided.
    pub fn whole(&self, resource: Resource) -> Option<u64> {
        self.whole.get(resource.idx()).copied()
    }

    /// Index range of the parts of `resource` in per-class columns.
    fn places(&self, resource: Resource) -> Range<usize> {
        let n = self.n as usize;
        resource.idx() * n..(resource.idx() + 1) * n
    }

    /// Marks `resource` for recomputation, if it is divided.
    fn mark_pending(&mut self, resource: Resource) {
        let Some(is_pending) = self.is_pending.get_mut(resource.idx()) else { return };
        if !std::mem::replace(is_pending, true) {
            self.pending.push(resource);
        }
    }

    /// Marks the divided resources in `uses` for recomputation: a flow arrived (`is_new`), left, or
    /// changed its level.
    pub fn mark_uses_pending(&mut self, uses: &[Use], is_new: bool) {
        for one in uses {
            self.mark_pending(self.resource_of(one.resource));
        }
        if is_new {
            self.set_unlimited(uses);
        }
    }

    /// Treats the demand of this class at these resources as unlimited until the next
    /// recomputation.
    fn set_unlimited(&mut self, uses: &[Use]) {
        for one in uses {
            let resource = self.resource_of(one.resource);
            if resource.0 < self.divided {
                let place = self.places(resource).start + self.class_of(one.resource);
                self.is_unlimited[place] = true;
                self.set.push(place as u32);
            }
        }
    }

    /// Resets the solve counters.
    pub fn reset_steps(&mut self) {
        self.recomputed.fill((0, 0));
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.whole[..])
            + size_of_val(&self.is_pending[..])
            + self.pending.capacity() * size_of::<Resource>()
            + size_of_val(&self.recomputed[..])
            + size_of_val(&self.entitlements[..])
            + size_of_val(&self.is_unlimited[..])
            + self.set.capacity() * size_of::<u32>()
    }
}

/// Divides `all` between classes by demand: first the assured minimum, then the remainder by
/// priority and equally within a priority, each class up to its ceiling.
///
/// If the assured minima exceed `all`, they are scaled down in proportion.
pub(crate) fn divide_capacity(
    all: u64,
    entitlements: &[ClassShare],
    demands: &[u64],
    out: &mut [u64],
) {
    let most = |p: usize| demands[p].min(entitlements[p].ceiling);
    let n = entitlements.len();
    for p in 0..n {
        out[p] = most(p).min(entitlements[p].assured);
    }
    let assured: u128 = out[..n].iter().map(|&a| u128::from(a)).sum();
    if assured >= u128::from(all) {
        for a in &mut out[..n] {
            *a = (u128::from(*a) * u128::from(all) / assured.max(1)) as u64;
        }
        return;
    }
    let mut residual = all - assured as u64;
    // No priority has been served yet.
    let mut below = 256;
    while let Some(next) =
        entitlements.iter().map(|d| u32::from(d.priority)).filter(|&p| p < below).max()
    {
        below = next;
        loop {
            let short = |out: &[u64], p: &usize| {
                u32::from(entitlements[*p].priority) == below && out[*p] < most(*p)
            };
            let open = (0..n).filter(|p| short(out, p)).count() as u64;
            if open == 0 {
                break;
            }
            let equal_part = residual / open;
            let least = (0..n).filter(|p| short(out, p)).map(|p| most(p) - out[p]).min();
            let equal_part = equal_part.min(least.expect("at least one class is open"));
            if equal_part == 0 {
                return;
            }
            for p in 0..n {
                if short(out, &p) {
                    out[p] += equal_part;
                    residual -= equal_part;
                }
            }
        }
    }
}

/// Part sizes for these demands. Unused capacity is distributed too, so that a new flow finds some.
fn part_sizes(all: u64, entitlements: &[ClassShare], demands: &[u64], out: &mut [u64]) {
    divide_capacity(all, entitlements, demands, out);
    let mut has = [ClassShare::NONE; MAX_CLASSES];
    for ((has, entitlements), &out) in has.iter_mut().zip(entitlements).zip(&*out) {
        *has = ClassShare { assured: out, ..*entitlements };
    }
    divide_capacity(all, &has[..entitlements.len()], &[u64::MAX; MAX_CLASSES], out);
}

impl MaxMin {
    /// Divides the first resources between classes; each flow belongs to one class. `entitlements`
    /// holds one entry per resource and class, resource by resource. Call before any flow is added.
    pub fn share_by_class(&mut self, n_classes: u32, entitlements: Vec<ClassShare>) {
        assert!(
            self.rows.is_empty() && self.classes.are_none(),
            "classes are set once, before any flow"
        );
        assert!((1..=MAX_CLASSES as u32).contains(&n_classes));
        let (resources, divided) =
            (self.shares.len() as u32, entitlements.len() as u32 / n_classes);
        assert!(entitlements.len() as u32 == divided * n_classes && divided <= resources);
        let whole: Vec<u64> =
            self.shares.raw[..divided as usize].iter().map(|share| share.capacity as u64).collect();
        for _ in 1..n_classes {
            self.shares.raw.extend(whole.iter().map(|_| ResourceState::idle(0)));
        }
        let n = self.shares.len();
        self.crossings.raw.resize_with(n, Vec::new);
        self.second_lowest_of.raw.resize(n, UNSET);
        self.visited.resize(n + 1, crate::NONE);
        let (is_pending, is_unlimited) =
            (vec![false; whole.len()], vec![false; entitlements.len()]);
        let (pending, set, recomputed) = (Vec::new(), Vec::new(), vec![(0, 0); whole.len()]);
        self.classes = ClassTable {
            n: n_classes,
            divided,
            resources,
            whole,
            is_pending,
            pending,
            recomputed,
            entitlements,
            is_unlimited,
            set,
        };
        for resource in (0..divided).map(Resource) {
            let of = &self.classes;
            let entitlements =
                &of.entitlements[(resource.0 * n_classes) as usize..][..n_classes as usize];
            let assured: u128 = entitlements.iter().map(|one| u128::from(one.assured)).sum();
            assert!(
                assured <= u128::from(of.whole[resource.idx()]),
                "assured shares exceed the capacity"
            );
            assert!(entitlements.iter().all(|one| one.assured <= one.ceiling && one.ceiling > 0));
            let mut amounts = [0; MAX_CLASSES];
            part_sizes(of.whole[resource.idx()], entitlements, &[0; MAX_CLASSES], &mut amounts);
            for (part, amount) in of.parts(resource).zip(amounts) {
                self.shares[part] = ResourceState::idle(amount);
            }
        }
    }

    /// Computes levels and class shares by iteration. The parts of a resource never exceed its
    /// capacity.
    ///
    /// Classes whose flows have the lowest levels are raised first. Their future use elsewhere is
    /// reserved, so that it is not lent to other classes meanwhile.
    pub(crate) fn solve_classes(&mut self) {
        let mut rising = Vec::new();
        for iteration in 0..MAX_ITERATIONS {
            while let Some(resource) = self.classes.pending.pop() {
                self.classes.is_pending[resource.idx()] = false;
                if let Some(level) = self.lowest_underserved(resource) {
                    rising.push((level, resource));
                }
            }
            if iteration > 0 && rising.is_empty() {
                break;
            }
            rising.sort_unstable();
            for (_, resource) in rising.drain(..) {
                self.divide_capacity(resource);
                // Another resource may have waited for this one, and steps may be partial.
                self.classes.mark_pending(resource);
            }
            while let Some(place) = self.classes.set.pop() {
                self.classes.is_unlimited[place as usize] = false;
            }
            self.solve_levels();
            while let Some(flow) = self.reopened.pop() {
                self.classes.mark_uses_pending(&self.uses[self.rows[flow].uses()], false);
            }
        }
    }

    /// Demands of the classes at `resource`, and their parts. The demand is unlimited if a flow of
    /// the class has its bottleneck there, has arrived, or is about to rise. Otherwise it is the
    /// current use and a little more, so that flows do not reach its limit.
    fn demands_and_shares(&self, resource: Resource) -> ([u64; MAX_CLASSES], [u64; MAX_CLASSES]) {
        let of = &self.classes;
        let places = of.places(resource);
        let (mut demands, mut amounts) = ([0; MAX_CLASSES], [0; MAX_CLASSES]);
        for ((part, demand), place) in of.parts(resource).zip(&mut demands).zip(places.clone()) {
            let share = &self.shares[part];
            let takes = share.taken();
            let all = of.is_unlimited[place] || share.bottleneck_weight > 0;
            *demand =
                if all { u64::MAX } else { takes + (takes >> (self.class_precision_bits() + 4)) };
        }
        part_sizes(of.whole[resource.idx()], &of.entitlements[places], &demands, &mut amounts);
        (demands, amounts)
    }

    fn class_precision_bits(&self) -> u32 {
        (self.precision_bits + 2).min(MAX_PRECISION_BITS)
    }

    /// Whether a part with unlimited demand is below its entitlement by more than the flows with
    /// their bottleneck there would notice.
    fn is_underserved(&self, part: Resource, demand: u64, amount: u64) -> bool {
        let share = &self.shares[part];
        let idle = share.bottleneck_weight.max(amount >> self.class_precision_bits());
        demand == u64::MAX && amount.saturating_sub(share.capacity as u64) > idle
    }

    /// The lowest level at parts of `resource` that must rise; 0 for new flows.
    fn lowest_underserved(&self, resource: Resource) -> Option<u64> {
        let (demands, amounts) = self.demands_and_shares(resource);
        let each = self.classes.parts(resource).zip(demands.iter().zip(&amounts));
        let short =
            each.filter(|&(part, (&demand, &amount))| self.is_underserved(part, demand, amount));
        let level = |part: Resource| {
            let share = &self.shares[part];
            if share.bottleneck_weight > 0 { share.min_bottleneck_level } else { 0 }
        };
        short.map(|(part, _)| level(part)).min()
    }

    /// Recomputes the parts of `resource`, if a class is still below its entitlement.
    fn divide_capacity(&mut self, resource: Resource) {
        let (demands, amounts) = self.demands_and_shares(resource);
        let n = self.classes.n as usize;
        let short: u32 = (self.classes.parts(resource).zip(demands.iter().zip(&amounts)).zip(0..))
            .map(|((part, (&demand, &amount)), nth)| {
                u32::from(self.is_underserved(part, demand, amount)) << nth
            })
            .sum();
        if short == 0 {
            return;
        }
        let (solve, times) = &mut self.classes.recomputed[resource.idx()];
        *times = if *solve == self.solve { *times + 1 } else { 0 };
        *solve = self.solve;
        let halved = (*times / FULL_STEPS).checked_ilog2().map_or(0, |n| n + 1);
        for ((part, amount), nth) in self.classes.parts(resource).zip(amounts).take(n).zip(0..) {
            let share = &mut self.shares[part];
            let now = share.capacity;
            share.capacity += (amount as i64 - now) >> halved;
            share.residual += share.capacity - now;
            if share.residual < 0 {
                self.to_open.room(self.crossings[part].len());
                for &flow in &self.crossings[part] {
                    self.to_open.put(flow, self.levels[flow] > 0);
                }
            } else if share.capacity > now {
                self.freed.push(part);
            }
            if halved < MAX_WAIT_HALVINGS && short >> nth & 1 == 1 {
                for &flow in &self.crossings[part] {
                    if self.rows[flow].bottleneck == part {
                        self.classes.set_unlimited(&self.uses[self.rows[flow].uses()]);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
