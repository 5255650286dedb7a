//! Max-min fairness by its definition, on random problems.

use super::*;
use base::{below, draw};

/// Precision of one unit of level.
const EXACT: u32 = 63;

/// Largest weight.
const HEAVIEST: u32 = 3_000;

/// A problem: capacities, and the uses of every flow.
struct Problem {
    capacities: Vec<u64>,
    flows: Vec<Vec<Use>>,
}

impl Problem {
    fn random(seed: u64, resources: u32, flows: u32) -> Problem {
        let pick = |stream, owner, nth, n| below(draw(seed, stream, owner, nth), n);
        // Few distinct capacities and weights, so that ties occur.
        let sort = |nth| [1u64 << 50, 1 << 50, 3 << 49, 1 << 46][pick(0, 0, nth, 4) as usize];
        let weight = |flow, nth| [2132, 2132, 64, HEAVIEST][pick(1, flow, nth, 4) as usize];
        let one = |flow| {
            let n = 1 + pick(2, flow, 0, 6);
            let resource = |nth| Resource(pick(3, flow, nth, resources));
            let of = |nth| Use { resource: resource(nth), weight: weight(flow, nth) };
            (0..u64::from(n)).map(of).collect()
        };
        Problem {
            capacities: (0..u64::from(resources)).map(sort).collect(),
            flows: (0..flows).map(one).collect(),
        }
    }

    fn empty(&self, precision_bits: u32) -> MaxMin {
        MaxMin::new(self.capacities.iter().copied(), precision_bits)
    }

    /// Levels of these flows, all started at once in this order.
    fn at_once(&self, order: &[usize]) -> Vec<u64> {
        let mut sharing = self.empty(EXACT);
        let mut ids = vec![None; self.flows.len()];
        for &flow in order {
            ids[flow] = Some(start(&mut sharing, &self.flows[flow]));
        }
        sharing.solve();
        check(&sharing, &ids.iter().flatten().copied().collect::<Vec<_>>());
        ids.iter().map(|id| id.map_or(0, |id| sharing.level_of(id))).collect()
    }
}

fn start(sharing: &mut MaxMin, uses: &[Use]) -> FlowId {
    let flow = sharing.add(uses);
    sharing.start(flow);
    flow
}

/// The definition of max-min fairness. No use exceeds a capacity. Every flow has a bottleneck: a
/// resource that is full, to less than one more unit of level, where no flow has a higher level.
/// Both hold to the precision of the solver.
fn check(sharing: &MaxMin, flows: &[FlowId]) {
    let (n, to) = (sharing.shares.len(), sharing.precision_bits);
    let mut shares = vec![Seen { used: 0, most: 0, bound: 0 }; n];
    for &flow in flows {
        let level = sharing.level_of(flow);
        for Use { resource, weight } in sharing.uses(flow) {
            let seen = &mut shares[resource.0 as usize];
            seen.used += level * u64::from(weight);
            seen.most = seen.most.max(level);
            if sharing.bottleneck(flow) == Some(resource) {
                seen.bound += u64::from(weight);
            }
        }
    }
    for (seen, at) in shares.iter().zip(0..) {
        let resource = Resource(at);
        assert!(seen.used <= sharing.capacity(resource), "{resource:?} exceeds its capacity");
        assert_eq!(seen.used, sharing.used(resource), "{resource:?} is miscounted");
    }
    for &flow in flows {
        let at = sharing.bottleneck(flow).expect("every flow has a bottleneck");
        let seen = shares[at.0 as usize];
        let left = sharing.capacity(at) - seen.used;
        let (idle, less) = (sharing.capacity(at) >> to, seen.most >> to);
        assert!(sharing.level_of(flow) >= seen.most - less, "{flow:?} is not first at {at:?}");
        assert!(left < seen.bound.max(idle), "{left} left at {at:?}");
    }
}

/// Total use of a resource, the highest level there, and the weights of flows with their bottleneck
/// there.
#[derive(Clone, Copy)]
struct Seen {
    used: u64,
    most: u64,
    bound: u64,
}

/// Two levels are equal up to integer rounding.
fn assert_near(a: u64, b: u64, what: &str) {
    assert!(a.abs_diff(b) <= a.max(b) >> 24, "{what}: {a} and {b}");
}

/// Textbook progressive filling in floating point: all levels rise together, and flows at a full
/// resource stop. Evaluates everything at every step.
fn textbook(problem: &Problem) -> Vec<f64> {
    let mut level = vec![None; problem.flows.len()];
    while level.contains(&None) {
        let mut least = (f64::INFINITY, 0);
        for (at, &capacity) in problem.capacities.iter().enumerate() {
            let (mut left, mut open) = (capacity as f64, 0.0);
            for (uses, level) in problem.flows.iter().zip(&level) {
                for one in uses.iter().filter(|one| one.resource.0 as usize == at) {
                    match level {
                        Some(level) => left -= level * f64::from(one.weight),
                        None => open += f64::from(one.weight),
                    }
                }
            }
            if open > 0.0 && left / open < least.0 {
                least = (left / open, at);
            }
        }
        for (uses, level) in problem.flows.iter().zip(&mut level) {
            if level.is_none() && uses.iter().any(|one| one.resource.0 as usize == least.1) {
                *level = Some(least.0);
            }
        }
    }
    level.into_iter().map(|level| level.expect("all have one")).collect()
}

#[test]
fn levels_match_progressive_filling() {
    for seed in 0..60 {
        let problem = Problem::random(seed, 3 + (seed as u32 % 11), 1 + seed as u32);
        let order: Vec<usize> = (0..problem.flows.len()).collect();
        for (got, want) in problem.at_once(&order).iter().zip(textbook(&problem)) {
            assert_near(*got, want as u64, &format!("seed {seed}"));
        }
    }
}

/// To the last bit: order and ids have no effect.
#[test]
fn levels_do_not_depend_on_order_or_ids() {
    for seed in 0..40 {
        let problem = Problem::random(seed, 12, 80);
        let mut order: Vec<usize> = (0..80).collect();
        let levels = problem.at_once(&order);
        order.reverse();
        assert_eq!(problem.at_once(&order), levels, "seed {seed}");
        order.sort_by_key(|&flow| draw(seed, 9, flow as u32, 0));
        assert_eq!(problem.at_once(&order), levels, "seed {seed}");
    }
}

/// Starts and removes random flows; calls `look` after every solve.
fn churn(
    (problem, seed, steps): (&Problem, u64, u64),
    sharing: &mut MaxMin,
    mut look: impl FnMut(u64, &MaxMin, &[Option<FlowId>]),
) {
    let n = problem.flows.len();
    let mut ids = vec![None; n];
    for step in 0..steps {
        for nth in 0..=below(draw(seed, 5, 0, step), 3) {
            let flow = below(draw(seed, 6, nth, step), n as u32) as usize;
            ids[flow] = match ids[flow].take() {
                Some(id) => {
                    sharing.remove(id);
                    None
                }
                None => Some(start(sharing, &problem.flows[flow])),
            };
        }
        sharing.solve();
        look(step, sharing, &ids);
    }
}

/// After any sequence of starts and removals, levels are those of the present flows, to the
/// precision of the solver.
#[test]
fn levels_do_not_depend_on_history() {
    let (mut partly, mut least) = (0, 0);
    for (seed, precision_bits) in (0..12).flat_map(|seed| [(seed, EXACT), (seed, 6), (seed, 3)]) {
        let problem = Problem::random(seed, 40, 120);
        let mut sharing = problem.empty(precision_bits);
        churn((&problem, seed, 200), &mut sharing, |step, sharing, ids| {
            let here: Vec<FlowId> = ids.iter().flatten().copied().collect();
            assert_eq!(sharing.live(), here.len());
            check(sharing, &here);
            partly += usize::from(sharing.changed().len() < here.len());
            if step % 20 == 0 && precision_bits == EXACT {
                let order: Vec<usize> = (0..120).filter(|&flow| ids[flow].is_some()).collect();
                let fresh = problem.at_once(&order);
                for &flow in &order {
                    let level = sharing.level_of(ids[flow].expect("it is here"));
                    assert_near(level, fresh[flow], &format!("seed {seed}, step {step}"));
                    least += 1;
                }
            }
        });
    }
    assert!(partly > 3_000 && least > 1_000, "nearly all were solved anew every time");
}

/// Step numbers have 32 bits. Resetting them does not change levels.
#[test]
fn step_counter_wraps_safely() {
    let problem = Problem::random(8, 40, 120);
    let levels = |steps| {
        let (mut sharing, mut levels) = (problem.empty(6), Vec::new());
        sharing.step = steps;
        churn((&problem, 8, 300), &mut sharing, |_, sharing, ids| {
            levels.extend(ids.iter().flatten().map(|&flow| sharing.level_of(flow)));
        });
        (levels, sharing.step)
    };
    let (few, many) = (levels(0), levels(u32::MAX / 2 - 1_000));
    assert_eq!(few.0, many.0);
    assert!(many.1 < few.1, "no reset in {} steps", few.1);
}

/// Every end sends to ten others and receives from ten, so a change concerns every flow a little.
/// Changes below 1/64 must not propagate.
#[test]
fn a_small_change_goes_no_further() {
    const ENDS: u32 = 100;
    let ways = |flow: u32| {
        let dst = below(draw(3, 0, flow, 0), ENDS);
        [flow % ENDS, ENDS + dst].map(|at| Use { resource: Resource(at), weight: 64 }).to_vec()
    };
    let problem = Problem {
        capacities: vec![1 << 50; 2 * ENDS as usize],
        flows: (0..20 * ENDS).map(ways).collect(),
    };
    let changed = |precision_bits| {
        let (mut sharing, mut changed) = (problem.empty(precision_bits), 0);
        churn((&problem, 4, 2_000), &mut sharing, |step, sharing, _| {
            changed += if step < 1_000 { 0 } else { sharing.changed().len() };
        });
        changed
    };
    let (all, most) = (changed(EXACT), changed(6));
    assert!(most * 4 < all, "{most} of {all}");
}

/// Flows that share nothing with the changed ones are not visited.
#[test]
fn only_sharing_flows_are_solved_again() {
    let mut sharing = MaxMin::new([1 << 40, 1 << 40, 1 << 40].into_iter(), EXACT);
    let on = |resource| Use { resource: Resource(resource), weight: 1 };
    let [a, b, c] = [[on(0)], [on(0)], [on(1)]].map(|uses| start(&mut sharing, &uses));
    sharing.solve();
    assert_eq!([a, b, c].map(|f| sharing.level_of(f)), [1 << 39, 1 << 39, 1 << 40]);
    // It uses both, but leaves more than enough of the second.
    let d = start(&mut sharing, &[on(0), on(2)]);
    sharing.solve();
    let third = (1 << 40) / 3;
    assert_eq!([a, b, c, d].map(|f| sharing.level_of(f)), [third, third, 1 << 40, third]);
    assert!(!sharing.changed().contains(&c));
    sharing.remove(b);
    sharing.solve();
    let mut changed = sharing.changed().to_vec();
    changed.sort_unstable();
    assert_eq!(changed, [a, d]);
    assert_eq!([a, c, d].map(|f| sharing.level_of(f)), [1 << 39, 1 << 40, 1 << 39]);
}

/// With more flows than units, each flow has one unit.
#[test]
fn every_flow_has_a_positive_level() {
    let mut sharing = MaxMin::new([5, 1 << 40].into_iter(), EXACT);
    let uses = [0, 1].map(|resource| Use { resource: Resource(resource), weight: 3 });
    let flows: Vec<FlowId> = (0..4).map(|_| start(&mut sharing, &uses)).collect();
    let other = start(&mut sharing, &uses[1..]);
    sharing.solve();
    assert!(flows.iter().all(|&flow| sharing.level_of(flow) == 1));
    assert!(sharing.level_of(other) > 1 << 38);
    flows.iter().for_each(|&flow| sharing.remove(flow));
    sharing.solve();
    assert_eq!(sharing.level_of(other), (1 << 40) / 3);
}

/// A flow that has not started uses nothing.
#[test]
fn a_flow_takes_nothing_before_it_starts() {
    let mut sharing = MaxMin::new([1 << 40].into_iter(), EXACT);
    let on = [Use { resource: Resource(0), weight: 4 }];
    let (a, parked) = (start(&mut sharing, &on), sharing.add(&on));
    sharing.solve();
    assert_eq!([a, parked].map(|f| sharing.level_of(f)), [1 << 38, 0]);
    sharing.start(parked);
    sharing.solve();
    assert_eq!([a, parked].map(|f| sharing.level_of(f)), [1 << 37, 1 << 37]);
    sharing.remove(parked);
    sharing.solve();
    assert_eq!(sharing.level_of(a), 1 << 38);
}
