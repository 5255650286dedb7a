//! Resources that parties share before flows do.
//!
//! The one idea: a party's part of a resource is a resource, which its flows cross in place of the
//! whole. How large parts are follows from what parties want, and what they want is known when
//! flows have their levels: so levels and parts are found in turns, until parts are due.

use std::ops::Range;

use base::Idx;

use crate::{MaxMin, Resource, ResourceState, UNSET, Use};

/// What a party is due of a resource, in its units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClassShare {
    /// What it gets if it wants it. All parties of a resource are assured no more than there is.
    pub assured: u64,
    /// What it gets at most.
    pub ceiling: u64,
    /// Of what is left then, higher goes first; equals get equal parts.
    pub priority: u8,
}

impl ClassShare {
    const NONE: ClassShare = ClassShare { assured: 0, ceiling: 0, priority: 0 };
}

/// A resource has no more parties than this.
pub(crate) const MAX_CLASSES: usize = 32;

/// So often levels are found and parts dealt for one solve at most: what later turns change is not
/// worth their time. Where a resource has been dealt so often parts go half of their way, and again
/// half as far each time that has doubled: where two wait for each other, whole steps can go round
/// for ever.
const MAX_ITERATIONS: u32 = 48;
const FULL_STEPS: u32 = 4;

/// Until steps have been halved so often those who rise are waited for, which can go round, too.
const MAX_WAIT_HALVINGS: u32 = 2;

/// Parts are due to one part in 2 to this power, or to a fourth of what levels are exact to, if
/// that is more: what a large part lacks is much to a small one.
const MAX_PRECISION_BITS: u32 = 8;

/// Who shares what. The part of a resource's first party has the number of the resource; parts of
/// the others come after all resources, party by party.
#[derive(Default)]
pub(crate) struct ClassTable {
    /// Parties of each divided resource; 0 where nothing is divided.
    n: u32,
    /// The first so many resources are divided, of so many.
    divided: u32,
    resources: u32,
    /// By divided resource: all of it, and whether it is to be dealt anew.
    whole: Vec<u64>,
    is_pending: Vec<bool>,
    pending: Vec<Resource>,
    /// In which solve it was last dealt, and how often before in that.
    demands_and_shares: Vec<(u32, u32)>,
    /// By divided resource and party: what it is due; and whether more than it takes is wanted, as
    /// far as is known, by somebody who has his bottleneck elsewhere. Of which that is so.
    entitlements: Vec<ClassShare>,
    is_unbounded: Vec<bool>,
    set: Vec<u32>,
}

impl ClassTable {
    #[inline]
    pub fn are_none(&self) -> bool {
        self.n == 0
    }

    /// The resource whose part `part` is, which is not `NONE`; itself, if it is whole.
    #[inline]
    pub fn resource_of(&self, part: Resource) -> Resource {
        match part.0.checked_sub(self.resources) {
            Some(beyond) if self.n > 0 => Resource(beyond % self.divided),
            _ => part,
        }
    }

    /// Which party's part it is.
    fn class_of(&self, part: Resource) -> usize {
        part.0.checked_sub(self.resources).map_or(0, |beyond| 1 + beyond / self.divided) as usize
    }

    /// Of what `class` crosses the parts that are its own.
    pub fn take_parts(&self, class: u32, uses: &mut [Use]) {
        assert!(class < self.n, "a party that nothing is due");
        for Use { resource, .. } in uses {
            if resource.0 < self.divided {
                resource.0 += self.resources + (class - 1) * self.divided;
            }
        }
    }

    /// All parts of a resource, party by party; itself, if it is whole.
    pub fn parts(&self, resource: Resource) -> impl Iterator<Item = Resource> + use<> {
        let first = self.resources + resource.0;
        let others = if resource.0 < self.divided { 0..self.n - 1 } else { 0..0 };
        let divided = self.divided;
        std::iter::once(resource).chain(others.map(move |nth| Resource(first + nth * divided)))
    }

    /// If `resource` is divided: all of it.
    pub fn whole(&self, resource: Resource) -> Option<u64> {
        self.whole.get(resource.idx()).copied()
    }

    /// Where the parts of `resource` are among those of all.
    fn places(&self, resource: Resource) -> Range<usize> {
        let n = self.n as usize;
        resource.idx() * n..(resource.idx() + 1) * n
    }

    /// If `resource` is divided, it is to be dealt anew.
    fn mark_pending(&mut self, resource: Resource) {
        let Some(is_pending) = self.is_pending.get_mut(resource.idx()) else { return };
        if !std::mem::replace(is_pending, true) {
            self.pending.push(resource);
        }
    }

    /// A flow that uses these has come, and `is_new`, or gone, or has another level: what is
    /// divided there is to be dealt anew.
    pub fn mark_uses_pending(&mut self, uses: &[Use], is_new: bool) {
        for one in uses {
            self.mark_pending(self.resource_of(one.resource));
        }
        if is_new {
            self.set_unbounded(uses);
        }
    }

    /// Who uses these wants more than he has, as far as is known: until parts are dealt.
    fn set_unbounded(&mut self, uses: &[Use]) {
        for one in uses {
            let resource = self.resource_of(one.resource);
            if resource.0 < self.divided {
                let place = self.places(resource).start + self.class_of(one.resource);
                self.is_unbounded[place] = true;
                self.set.push(place as u32);
            }
        }
    }

    /// Solves are counted anew.
    pub fn reset_steps(&mut self) {
        self.demands_and_shares.fill((0, 0));
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.whole[..])
            + size_of_val(&self.is_pending[..])
            + self.pending.capacity() * size_of::<Resource>()
            + size_of_val(&self.demands_and_shares[..])
            + size_of_val(&self.entitlements[..])
            + size_of_val(&self.is_unbounded[..])
            + self.set.capacity() * size_of::<u32>()
    }
}

/// What each party gets of `all` that wants so much: what it is assured; then what is left, to the
/// highest priority first, in equal parts among equals; none more than its ceiling.
///
/// Should there be less than is assured, that is dealt in proportion.
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
    // Nobody to whom something was given has been looked at yet.
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
            let turn = residual / open;
            let least = (0..n).filter(|p| short(out, p)).map(|p| most(p) - out[p]).min();
            let turn = turn.min(least.expect("somebody is open"));
            if turn == 0 {
                return;
            }
            for p in 0..n {
                if short(out, &p) {
                    out[p] += turn;
                    residual -= turn;
                }
            }
        }
    }
}

/// Parts by what parties want: what each gets, and what nobody wants, too, so that who comes finds
/// something.
fn parts(all: u64, entitlements: &[ClassShare], demands: &[u64], out: &mut [u64]) {
    divide_capacity(all, entitlements, demands, out);
    let mut has = [ClassShare::NONE; MAX_CLASSES];
    for ((has, entitlements), &out) in has.iter_mut().zip(entitlements).zip(&*out) {
        *has = ClassShare { assured: out, ..*entitlements };
    }
    divide_capacity(all, &has[..entitlements.len()], &[u64::MAX; MAX_CLASSES], out);
}

impl MaxMin {
    /// The first resources are shared by parties first, of which a flow is of one: what is due to
    /// each of them, resource by resource. Before any flow is there.
    pub fn share_by_class(&mut self, class_shares: u32, entitlements: Vec<ClassShare>) {
        assert!(
            self.rows.is_empty() && self.class_shares.are_none(),
            "it is divided once, and first"
        );
        assert!((1..=MAX_CLASSES as u32).contains(&class_shares));
        let (resources, divided) =
            (self.shares.len() as u32, entitlements.len() as u32 / class_shares);
        assert!(entitlements.len() as u32 == divided * class_shares && divided <= resources);
        let whole: Vec<u64> =
            self.shares.raw[..divided as usize].iter().map(|share| share.capacity as u64).collect();
        for _ in 1..class_shares {
            self.shares.raw.extend(whole.iter().map(|_| ResourceState::idle(0)));
        }
        let n = self.shares.len();
        self.crossings.raw.resize_with(n, Vec::new);
        self.second_lowest_of.raw.resize(n, UNSET);
        self.visited_in.resize(n + 1, crate::NONE);
        let (is_pending, is_unbounded) =
            (vec![false; whole.len()], vec![false; entitlements.len()]);
        let (pending, set, demands_and_shares) =
            (Vec::new(), Vec::new(), vec![(0, 0); whole.len()]);
        self.class_shares = ClassTable {
            n: class_shares,
            divided,
            resources,
            whole,
            is_pending,
            pending,
            demands_and_shares,
            entitlements,
            is_unbounded,
            set,
        };
        for resource in (0..divided).map(Resource) {
            let of = &self.class_shares;
            let entitlements =
                &of.entitlements[(resource.0 * class_shares) as usize..][..class_shares as usize];
            let assured: u128 = entitlements.iter().map(|one| u128::from(one.assured)).sum();
            assert!(assured <= u128::from(of.whole[resource.idx()]), "more assured than there is");
            assert!(entitlements.iter().all(|one| one.assured <= one.ceiling && one.ceiling > 0));
            let mut gets = [0; MAX_CLASSES];
            parts(of.whole[resource.idx()], entitlements, &[0; MAX_CLASSES], &mut gets);
            for (part, get) in of.parts(resource).zip(gets) {
                self.shares[part] = ResourceState::idle(get);
            }
        }
    }

    /// Gives everybody his level, and parties their parts: in turns. At any time parts are together
    /// no more than there is.
    ///
    /// Those who have the least rise first, and with them what they want elsewhere: what they will
    /// have taken when they have risen is not lent to others meanwhile.
    pub(crate) fn solve_classes(&mut self) {
        let mut rising = Vec::new();
        for turn in 0..MAX_ITERATIONS {
            while let Some(resource) = self.class_shares.pending.pop() {
                self.class_shares.is_pending[resource.idx()] = false;
                if let Some(level) = self.lowest_underserved(resource) {
                    rising.push((level, resource));
                }
            }
            if turn > 0 && rising.is_empty() {
                break;
            }
            rising.sort_unstable();
            for (_, resource) in rising.drain(..) {
                self.divide_capacity(resource);
                // Others may have been waited for, and steps are not always whole.
                self.class_shares.mark_pending(resource);
            }
            while let Some(place) = self.class_shares.set.pop() {
                self.class_shares.is_unbounded[place as usize] = false;
            }
            self.solve_levels();
            while let Some(flow) = self.reopened.pop() {
                self.class_shares.mark_uses_pending(&self.uses[self.rows[flow].uses()], false);
            }
        }
    }

    /// What parties of `resource` want: all that they can have, if somebody has his bottleneck
    /// there, or has come, or is about to rise; or else what they take, and hardly more, lest they
    /// meet the end of it. And their parts by that.
    fn demands_and_shares(&self, resource: Resource) -> ([u64; MAX_CLASSES], [u64; MAX_CLASSES]) {
        let of = &self.class_shares;
        let places = of.places(resource);
        let (mut demands, mut gets) = ([0; MAX_CLASSES], [0; MAX_CLASSES]);
        for ((part, demand), place) in of.parts(resource).zip(&mut demands).zip(places.clone()) {
            let share = &self.shares[part];
            let takes = share.taken();
            let all = of.is_unbounded[place] || share.bottleneck_weight > 0;
            *demand =
                if all { u64::MAX } else { takes + (takes >> (self.class_precision_bits() + 4)) };
        }
        parts(of.whole[resource.idx()], &of.entitlements[places], &demands, &mut gets);
        (demands, gets)
    }

    fn class_precision_bits(&self) -> u32 {
        (self.precision_bits + 2).min(MAX_PRECISION_BITS)
    }

    /// Whether a part that would get so much, of which all is wanted, is to rise: if who has his
    /// bottleneck there would notice.
    fn is_underserved(&self, part: Resource, demand: u64, get: u64) -> bool {
        let share = &self.shares[part];
        let idle = share.bottleneck_weight.max(get >> self.class_precision_bits());
        demand == u64::MAX && get.saturating_sub(share.capacity as u64) > idle
    }

    /// The lowest level of those at `resource` whose part is to rise; 0 of those who have come.
    fn lowest_underserved(&self, resource: Resource) -> Option<u64> {
        let (demands, gets) = self.demands_and_shares(resource);
        let each = self.class_shares.parts(resource).zip(demands.iter().zip(&gets));
        let short = each.filter(|&(part, (&demand, &get))| self.is_underserved(part, demand, get));
        let level = |part: Resource| {
            let share = &self.shares[part];
            if share.bottleneck_weight > 0 { share.min_bottleneck_level } else { 0 }
        };
        short.map(|(part, _)| level(part)).min()
    }

    /// Deals the parts of `resource`, if some are to rise still.
    fn divide_capacity(&mut self, resource: Resource) {
        let (demands, gets) = self.demands_and_shares(resource);
        let n = self.class_shares.n as usize;
        let short: u32 =
            (self.class_shares.parts(resource).zip(demands.iter().zip(&gets)).zip(0..))
                .map(|((part, (&demand, &get)), nth)| {
                    u32::from(self.is_underserved(part, demand, get)) << nth
                })
                .sum();
        if short == 0 {
            return;
        }
        let (solve, times) = &mut self.class_shares.demands_and_shares[resource.idx()];
        *times = if *solve == self.solve { *times + 1 } else { 0 };
        *solve = self.solve;
        let halved = (*times / FULL_STEPS).checked_ilog2().map_or(0, |n| n + 1);
        for ((part, get), nth) in self.class_shares.parts(resource).zip(gets).take(n).zip(0..) {
            let share = &mut self.shares[part];
            let now = share.capacity;
            share.capacity += (get as i64 - now) >> halved;
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
                        self.class_shares.set_unbounded(&self.uses[self.rows[flow].uses()]);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
