//! Destination patterns of synthetic traffic. Theory of each: docs/models/saturation.md.

use base::{below, draw};
use machine::{InputError, Machine, NicId, nearest};

const STREAM_TO: u32 = 0x746f;
const STREAM_SHUFFLE: u32 = 0x7368_7566;

/// Names of the patterns in the user interface.
pub const PATTERNS: [&str; 10] = [
    "uniform",
    "adversarial:K",
    "group-shift:K",
    "shift:K",
    "hotspot:K",
    "incast:K",
    "random-permutation",
    "worst-permutation",
    "all-to-all",
    "random-all-to-all",
];

/// Destinations among a set of NICs; others neither send nor receive. Rules number NICs by their
/// position in the set.
#[derive(Clone, Debug, PartialEq)]
pub struct Destinations {
    rule: Rule,
    /// The participating NICs; empty for the first `n` NICs.
    nics: Vec<NicId>,
    n: u32,
    seed: u64,
}

#[derive(Clone, Debug, PartialEq)]
enum Rule {
    /// A random other NIC.
    Uniform,
    /// A random NIC of the group this many groups further on.
    Group(Blocks, u32),
    /// One fixed partner per NIC.
    Fixed(Vec<u32>),
    /// A random one of this many NICs, evenly spread.
    Hot(u32),
    /// This many NICs, evenly spread, send to the first NIC.
    Incast(u32),
    /// The first NICs, of this number, send to a random one of the others.
    Across(u32),
    /// All other NICs in turn, starting with the next.
    Cycle,
    /// All other NICs in a shuffled order: the NIC at each position, and the position of each NIC.
    Shuffled(Vec<u32>, Vec<u32>),
}

/// NICs grouped by dragonfly group or by switch.
#[derive(Clone, Debug, PartialEq)]
struct Blocks {
    /// Block of each NIC, numbered over non-empty blocks.
    of: Vec<u32>,
    /// `members[first[b]..first[b + 1]]` are the NICs of block `b`.
    first: Vec<u32>,
    members: Vec<u32>,
}

impl Blocks {
    fn new(n: u32, key: impl Fn(u32) -> u32) -> Blocks {
        let mut members: Vec<u32> = (0..n).collect();
        members.sort_by_key(|&nic| key(nic));
        let (mut of, mut first, mut last) = (vec![0; n as usize], Vec::new(), None);
        for (i, &nic) in members.iter().enumerate() {
            let block = key(nic);
            if last != Some(block) {
                last = Some(block);
                first.push(i as u32);
            }
            of[nic as usize] = first.len() as u32 - 1;
        }
        first.push(n);
        Blocks { of, first, members }
    }

    fn len(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    fn members(&self, block: u32) -> &[u32] {
        &self.members[self.first[block as usize] as usize..self.first[block as usize + 1] as usize]
    }

    /// The block `shift` blocks after that of `nic`.
    fn shifted_block(&self, nic: u32, shift: u32) -> &[u32] {
        self.members((self.of[nic as usize] + shift) % self.len())
    }

    /// For each NIC, the NIC at the same position in the next block: a permutation if all blocks
    /// have one size.
    fn onto_next_block(&self) -> Vec<u32> {
        let mut to = vec![0; self.of.len()];
        for block in 0..self.len() {
            for (place, &nic) in self.members(block).iter().enumerate() {
                let there = self.shifted_block(nic, 1);
                to[nic as usize] = there[place % there.len()];
            }
        }
        to
    }

    /// For each NIC, the NIC `shift` positions further in its block, cyclically.
    fn shifted_within_block(&self, shift: u32) -> Vec<u32> {
        let mut to = vec![0; self.of.len()];
        for block in 0..self.len() {
            let members = self.members(block);
            for (place, &nic) in members.iter().enumerate() {
                to[nic as usize] = members[(place + shift as usize) % members.len()];
            }
        }
        to
    }
}

impl Destinations {
    /// Parses a pattern between all NICs of compute nodes.
    pub fn parse(pattern: &str, machine: &Machine, seed: u64) -> Result<Destinations, InputError> {
        let n = machine.node_nics.raw[machine.compute_nodes as usize];
        Destinations::over(pattern, machine, Vec::new(), n, seed)
    }

    /// The same between `nics`, which are in ascending order.
    pub fn between(
        pattern: &str,
        machine: &Machine,
        nics: Vec<NicId>,
        seed: u64,
    ) -> Result<Destinations, InputError> {
        let n = nics.len() as u32;
        Destinations::over(pattern, machine, nics, n, seed)
    }

    /// Each of `senders` sends to random ones of `receivers`. Neither is empty.
    pub fn across(senders: Vec<NicId>, receivers: &[NicId], seed: u64) -> Destinations {
        assert!(!senders.is_empty() && !receivers.is_empty(), "there is traffic");
        let rule = Rule::Across(senders.len() as u32);
        let nics = [&senders[..], receivers].concat();
        Destinations { rule, n: nics.len() as u32, nics, seed }
    }

    fn over(
        pattern: &str,
        machine: &Machine,
        nics: Vec<NicId>,
        n: u32,
        seed: u64,
    ) -> Result<Destinations, InputError> {
        let wrong = |expected: String| InputError::new("pattern", pattern, expected);
        if n < 2 {
            return Err(wrong("two or more NICs on compute nodes for it".into()));
        }
        let (name, number) = match pattern.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (pattern, None),
        };
        let k = |least: u32, most: u32| {
            let given = number.and_then(|k| k.trim().parse::<u32>().ok());
            given
                .filter(|k| (least..=most).contains(k))
                .ok_or_else(|| wrong(format!("`{name}:K` with K from {least} to {most}")))
        };
        let nic = |at: u32| nics.get(at as usize).copied().unwrap_or(NicId(at));
        let groups = || Blocks::new(n, |at| machine.group_of(nic(at)).0);
        let switches = || Blocks::new(n, |at| machine.nic_switch[nic(at)].0);
        let rule = match (name, number) {
            ("uniform", None) => Rule::Uniform,
            ("random-permutation", None) => Rule::Fixed(one_cycle(n, seed)),
            ("worst-permutation", None) => Rule::Fixed(worst(&groups(), &switches())),
            ("all-to-all", None) => Rule::Cycle,
            ("random-all-to-all", None) => {
                // A cycle through all NICs defines an order of them.
                let next = one_cycle(n, seed);
                let order: Vec<u32> = std::iter::successors(Some(0), |&at| Some(next[at as usize]))
                    .take(n as usize)
                    .collect();
                let mut places = order.clone();
                for (place, &who) in order.iter().enumerate() {
                    places[who as usize] = place as u32;
                }
                Rule::Shuffled(order, places)
            }
            ("shift", _) => {
                let k = k(1, n - 1)?;
                Rule::Fixed(
                    (0..n).map(|i| ((u64::from(i) + u64::from(k)) % u64::from(n)) as u32).collect(),
                )
            }
            ("group-shift", _) => {
                let groups = groups();
                let least = (0..groups.len()).map(|g| groups.members(g).len() as u32).min();
                match least.expect("a machine has groups") {
                    0 | 1 => return Err(wrong("another pattern: a group has one NIC".into())),
                    least => Rule::Fixed(groups.shifted_within_block(k(1, least - 1)?)),
                }
            }
            ("hotspot", _) => Rule::Hot(k(1, n)?),
            ("incast", _) => Rule::Incast(k(1, n - 1)?),
            ("adversarial", _) => match groups() {
                groups if groups.len() < 2 => {
                    return Err(wrong("another pattern: there is one group".into()));
                }
                groups => {
                    let most = groups.len() - 1;
                    Rule::Group(groups, k(1, most)?)
                }
            },
            _ => {
                let hint = nearest(name, PATTERNS.iter().map(|p| p.trim_end_matches(":K")));
                return Err(wrong(format!("one of {}", PATTERNS.join(", "))).with_hint(hint));
            }
        };
        Ok(Destinations { rule, nics, n, seed })
    }

    /// Number of participating NICs.
    pub fn participants(&self) -> u32 {
        self.n
    }

    /// The NIC at position `at`.
    #[inline]
    pub fn nic(&self, at: u32) -> NicId {
        if self.nics.is_empty() { NicId(at) } else { self.nics[at as usize] }
    }

    /// Number of sending NICs.
    pub fn senders(&self) -> u32 {
        match self.rule {
            Rule::Incast(k) | Rule::Across(k) => k,
            _ => self.n,
        }
    }

    /// Whether the NIC at position `at` sends.
    pub fn sends(&self, at: u32) -> bool {
        match self.rule {
            // The receiver is 0; the senders are evenly spaced among 1 to n - 1.
            Rule::Incast(k) => {
                let share = |at: u32| u64::from(at) * u64::from(k) / u64::from(self.n - 1);
                at > 0 && share(at) > share(at - 1)
            }
            Rule::Across(k) => at < k,
            _ => true,
        }
    }

    /// Whether all senders send to one NIC.
    pub fn is_incast(&self) -> bool {
        matches!(self.rule, Rule::Incast(_))
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The position that is next, cyclically, for the `nth` packet from position `from`.
    fn next_position(&self, from: u32, nth: u64) -> u32 {
        let step = 1 + nth % u64::from(self.n - 1);
        ((u64::from(from) + step) % u64::from(self.n)) as u32
    }

    /// Destination of the `nth` packet of the NIC at position `from`.
    pub fn to(&self, from: u32, nth: u64) -> NicId {
        let random_draw = || draw(self.seed, STREAM_TO, self.nic(from).0, nth);
        self.nic(match &self.rule {
            Rule::Uniform => {
                let k = below(random_draw(), self.n - 1);
                k + u32::from(k >= from)
            }
            Rule::Group(groups, shift) => {
                let there = groups.shifted_block(from, *shift);
                there[below(random_draw(), there.len() as u32) as usize]
            }
            Rule::Fixed(to) => to[from as usize],
            Rule::Hot(k) => {
                let spot = |i: u32| (u64::from(i) * u64::from(self.n) / u64::from(*k)) as u32;
                let hot = spot(below(random_draw(), *k));
                // A hot NIC that drew itself sends to its neighbor, so every source offers the same
                // load.
                if hot == from { (hot + 1) % self.n } else { hot }
            }
            Rule::Incast(_) => 0,
            Rule::Across(k) => k + below(random_draw(), self.n - k),
            Rule::Cycle => self.next_position(from, nth),
            Rule::Shuffled(order, places) => {
                order[self.next_position(places[from as usize], nth) as usize]
            }
        })
    }
}

/// The worst permutation for minimal routing on a dragonfly: every NIC sends to the same position
/// in the next group, so one group pair carries all traffic of a group. No permutation loads a link
/// between groups more, and links within groups carry less (saturation.md). On a machine with one
/// group it is the next switch, for the same reason.
fn worst(groups: &Blocks, switches: &Blocks) -> Vec<u32> {
    if groups.len() > 1 {
        groups.onto_next_block()
    } else if switches.len() > 1 {
        switches.onto_next_block()
    } else {
        groups.shifted_within_block(1)
    }
}

/// A random permutation with a single cycle, hence without fixed points (Sattolo, 1986).
fn one_cycle(n: u32, seed: u64) -> Vec<u32> {
    let mut to: Vec<u32> = (0..n).collect();
    for i in (1..n).rev() {
        to.swap(i as usize, below(draw(seed, STREAM_SHUFFLE, 0, u64::from(i)), i) as usize);
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::MachineSpec;

    #[test]
    fn a_random_permutation_has_no_fixed_point_and_covers_all() {
        for n in 2..50 {
            let to = one_cycle(n, u64::from(n));
            let (mut at, mut steps) = (to[0], 1);
            while at != 0 {
                at = to[at as usize];
                steps += 1;
            }
            assert_eq!(steps, n);
        }
    }

    #[test]
    fn traffic_across_two_sets_goes_one_way() {
        let nics = |from: u32, n: u32| (from..from + n).map(NicId).collect::<Vec<_>>();
        let (senders, receivers) = (nics(40, 3), nics(7, 5));
        let to = Destinations::across(senders.clone(), &receivers, 1);
        assert_eq!((to.participants(), to.senders()), (8, 3));
        let sending: Vec<NicId> = (0..8).filter(|&at| to.sends(at)).map(|at| to.nic(at)).collect();
        assert_eq!(sending, senders);
        let mut reached: Vec<NicId> = (0..400).map(|nth| to.to(nth as u32 % 3, nth)).collect();
        reached.sort_unstable();
        reached.dedup();
        assert_eq!(reached, receivers);
    }

    fn small(groups: &str) -> Machine {
        let set = [
            ("groups.compute.count", groups),
            ("groups.compute.switches", "4"),
            ("groups.compute.nodes", "8"),
        ];
        let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
        let text = machine::preset("dragonfly-1056").expect("a preset");
        MachineSpec::parse("small", text, &set).and_then(|s| s.resolve()).expect("sound")
    }

    fn parse(pattern: &str, machine: &Machine) -> Destinations {
        Destinations::parse(pattern, machine, 3).unwrap_or_else(|c| panic!("{pattern}: {c:?}"))
    }

    #[test]
    fn permutations_reach_each_nic_once_and_never_the_source() {
        for (groups, patterns) in [
            ("5", &["random-permutation", "worst-permutation", "shift:7", "group-shift:2"][..]),
            ("1", &["worst-permutation", "group-shift:1"][..]),
        ] {
            let machine = small(groups);
            for pattern in patterns {
                let d = parse(pattern, &machine);
                let mut met = vec![false; d.participants() as usize];
                for nic in 0..d.participants() {
                    let to = d.to(nic, 0).0;
                    assert_ne!(to, nic, "{pattern}");
                    assert!(!std::mem::replace(&mut met[to as usize], true), "{pattern}: {to}");
                }
            }
        }
    }

    #[test]
    fn shifts_reach_the_stated_target() {
        let machine = small("5");
        let group = |nic: u32| machine.group_of(NicId(nic)).0;
        for nic in 0..40 {
            for nth in 0..50 {
                assert_eq!(
                    group(parse("adversarial:3", &machine).to(nic, nth).0),
                    (nic / 8 + 3) % 5
                );
            }
            assert_eq!(parse("group-shift:2", &machine).to(nic, 0).0, nic / 8 * 8 + (nic + 2) % 8);
            assert_eq!(parse("worst-permutation", &machine).to(nic, 0).0, (nic + 8) % 40);
            for pattern in ["all-to-all", "random-all-to-all"] {
                let pattern = parse(pattern, &machine);
                let mut met: Vec<u32> = (0..39).map(|n| pattern.to(nic, n).0).collect();
                met.sort_unstable();
                assert_eq!(met, (0..40).filter(|&other| other != nic).collect::<Vec<_>>());
            }
        }
    }

    /// In ascending order, a group sends to one or two groups at a time. In random order it sends
    /// to most groups. In both, every NIC sends to another one.
    #[test]
    fn an_all_to_all_in_random_order_is_spread_over_groups() {
        let machine = small("5");
        for (pattern, few, many) in [("all-to-all", 1, 2), ("random-all-to-all", 3, 5)] {
            let to = parse(pattern, &machine);
            let mut groups = 0;
            for nth in 0..39 {
                let mut met: Vec<u32> = (0..40).map(|nic| to.to(nic, nth).0).collect();
                let mut reached: Vec<u32> =
                    met[..8].iter().map(|&nic| machine.group_of(NicId(nic)).0).collect();
                reached.sort_unstable();
                reached.dedup();
                groups += reached.len();
                met.sort_unstable();
                assert_eq!(met, (0..40).collect::<Vec<_>>());
            }
            assert!((few * 39..=many * 39).contains(&groups), "{pattern}: {groups}");
        }
    }

    #[test]
    fn an_incast_has_the_requested_number_of_senders() {
        let machine = small("5");
        for k in 1..40 {
            let d = parse(&format!("incast:{k}"), &machine);
            assert!(!d.sends(0));
            assert_eq!((0..40).filter(|&nic| d.sends(nic)).count() as u32, k);
            assert_eq!((d.senders(), d.to(1, 0)), (k, NicId(0)));
        }
    }
}
