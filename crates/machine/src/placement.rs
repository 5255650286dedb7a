//! Placement: the node and the NIC of each rank.

use base::{below, draw};

use crate::input_error::{InputError, nearest};
use crate::names::{MAX_HOST_NAME, MAX_LABEL, expand};
use crate::{Binding, Machine, NicId, NicPolicy, NodeId};

/// Random stream of the draws that choose nodes.
const STREAM: u32 = 0x706C_6163;
/// Maximum number of ranks on missing nodes that are reported one by one.
const MAX_REPORTED: usize = 20;

/// Assignment of ranks to nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlacementPolicy {
    /// Nodes in order of their numbers, each filled before the next: mpiexec's default.
    Block,
    /// The same nodes, with ranks assigned round robin.
    RoundRobin,
    /// Nodes drawn from the whole machine, each filled before the next.
    Random,
    /// Nodes from the compute groups in turn, each filled before the next: from all groups, or from
    /// the first that many groups with room for their share.
    GroupSpread(Option<u32>),
    /// These nodes with this many ranks each, filled in order: a host file.
    Hosts(Vec<(NodeId, u32)>),
    /// The node of each rank.
    Nodes(Vec<NodeId>),
}

/// Names of the policies; `block` is a synonym of `contiguous`.
pub const POLICIES: &[&str] =
    &["contiguous", "round-robin", "random", "one-group", "group-spread", "group-spread:K"];

impl PlacementPolicy {
    /// The policy that `word` names; `contiguous` is `block`, `one-group` is `group-spread:1`.
    pub fn from_name(word: &str) -> Result<PlacementPolicy, InputError> {
        if let Some(groups) = word.strip_prefix("group-spread:") {
            let expected = "`group-spread:K` with K groups, at least 1";
            let k = groups.parse().ok().filter(|&k| k > 0);
            let k: u32 = k.ok_or_else(|| InputError::new("placement", word, expected))?;
            return Ok(PlacementPolicy::GroupSpread(Some(k)));
        }
        Ok(match word {
            "contiguous" | "block" => PlacementPolicy::Block,
            "round-robin" => PlacementPolicy::RoundRobin,
            "random" => PlacementPolicy::Random,
            "group-spread" => PlacementPolicy::GroupSpread(None),
            "one-group" => PlacementPolicy::GroupSpread(Some(1)),
            _ => {
                let expected = format!("one of {}, or a host file", POLICIES.join(", "));
                let near = nearest(word, POLICIES.iter().copied());
                return Err(InputError::new("placement", word, expected).with_hint(near));
            }
        })
    }
}

/// The placement of every rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// By rank.
    pub node: Vec<NodeId>,
    /// By rank: its NIC, and its binding within the node.
    pub nic: Vec<NicId>,
    pub binding: Vec<Binding>,
    /// By rank: its number among the ranks of its node.
    pub local: Vec<u32>,
    /// Number of distinct nodes.
    pub nodes: u32,
}

/// The job to be placed.
#[derive(Clone, Copy, Debug)]
pub struct JobShape<'a> {
    pub ranks: u32,
    /// Rank slots per node.
    pub ppn: u32,
    /// Nodes to use; `None` is as many as `ranks` fill.
    pub nodes: Option<u32>,
    pub nics: &'a NicPolicy,
    pub seed: u64,
}

/// Compute nodes not assigned to a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreeNodes {
    /// In the order of their numbers.
    pub nodes: Vec<NodeId>,
}

impl FreeNodes {
    pub fn all(machine: &Machine) -> FreeNodes {
        FreeNodes { nodes: (0..machine.compute_nodes).map(NodeId).collect() }
    }
    pub fn contains(&self, node: NodeId) -> bool {
        self.nodes.binary_search(&node).is_ok()
    }
    /// Assigns these nodes to a job.
    pub fn allocate(&mut self, nodes: &[NodeId]) {
        let mut taken = nodes.to_vec();
        taken.sort_unstable();
        self.nodes.retain(|node| taken.binary_search(node).is_err());
    }
}

impl Placement {
    pub fn new(
        machine: &Machine,
        policy: &PlacementPolicy,
        job: JobShape<'_>,
    ) -> Result<Placement, Vec<InputError>> {
        Placement::on_free_nodes(machine, policy, job, &FreeNodes::all(machine))
    }

    /// On free nodes only, as if the others did not exist.
    pub fn on_free_nodes(
        machine: &Machine,
        policy: &PlacementPolicy,
        job: JobShape<'_>,
        free: &FreeNodes,
    ) -> Result<Placement, Vec<InputError>> {
        let node = match policy {
            PlacementPolicy::Nodes(nodes) => listed(machine, nodes, job)?,
            PlacementPolicy::Hosts(hosts) => hosted(hosts, job)?,
            _ => chosen(machine, policy, job, free)?,
        };
        let mut taken: Vec<NodeId> = node.iter().copied().filter(|&n| !free.contains(n)).collect();
        taken.dedup();
        if let Some(&node) = taken.first() {
            let found = machine.node_name(node);
            return Err(vec![InputError::new("placement", found, "a node that no other job has")]);
        }
        let placed = Placement::of_nodes(machine, node, job);
        if let NicPolicy::User(mapping) = job.nics {
            let most = |of: &Placement| of.local.iter().max().map_or(0, |&local| local + 1);
            let nics = placed.node.iter().map(|&node| machine.kind_of(node).nics).min();
            if let Some(input_error) = mapping.missing_for(nics.unwrap_or(1), most(&placed)) {
                return Err(vec![input_error]);
            }
        }
        Ok(placed)
    }

    /// A partly filled node is bound as if it were full.
    fn of_nodes(
        machine: &Machine,
        node: Vec<NodeId>,
        JobShape { ppn, nics, .. }: JobShape<'_>,
    ) -> Placement {
        let mut on_node = vec![0u32; machine.compute_nodes as usize];
        let local: Vec<u32> = node
            .iter()
            .map(|n| {
                let count = &mut on_node[n.0 as usize];
                *count += 1;
                *count - 1
            })
            .collect();
        let bound = node.iter().zip(&local).map(|(&n, &l)| {
            let room = ppn.max(on_node[n.0 as usize]);
            machine.bind(n, (l, room), nics)
        });
        let (nic, binding) = bound.unzip();
        let nodes = on_node.iter().filter(|&&n| n > 0).count() as u32;
        Placement { node, nic, binding, local, nodes }
    }
}

fn at_least_one(job: JobShape<'_>) -> Vec<InputError> {
    [("ranks", job.ranks), ("ppn", job.ppn), ("nodes", job.nodes.unwrap_or(1))]
        .into_iter()
        .filter(|&(_, n)| n == 0)
        .map(|(at, _)| InputError::new(at, "0", "at least 1"))
        .collect()
}

/// The nodes of the policies that choose nodes themselves.
fn chosen(
    machine: &Machine,
    policy: &PlacementPolicy,
    job: JobShape<'_>,
    free: &FreeNodes,
) -> Result<Vec<NodeId>, Vec<InputError>> {
    let mut out = at_least_one(job);
    if !out.is_empty() {
        return Err(out);
    }
    let has = free.nodes.len() as u32;
    let which = if has == machine.compute_nodes { "compute" } else { "free compute" };
    let nodes = job.nodes.unwrap_or(job.ranks.div_ceil(job.ppn));
    if nodes > has {
        let expected = match job.nodes {
            Some(_) => format!("at most {has}, the {which} nodes of `{}`", machine.name),
            None => format!(
                "at most {}: `{}` has {has} {which} nodes, {} on each",
                u64::from(has) * u64::from(job.ppn),
                machine.name,
                ranks(job.ppn)
            ),
        };
        let (at, found) = job.nodes.map_or(("ranks", job.ranks), |nodes| ("nodes", nodes));
        out.push(InputError::new(at, found.to_string(), expected));
    } else if u64::from(job.ranks) > u64::from(nodes) * u64::from(job.ppn) {
        let slots = u64::from(nodes) * u64::from(job.ppn);
        let expected = format!("at most {slots}: {nodes} nodes, {} on each", ranks(job.ppn));
        out.push(InputError::new("ranks", job.ranks.to_string(), expected));
    }
    if !out.is_empty() {
        return Err(out);
    }
    let order = match *policy {
        PlacementPolicy::Random => drawn(&free.nodes, nodes, job.seed),
        PlacementPolicy::GroupSpread(groups) => spread(machine, &free.nodes, nodes, groups)?,
        _ => free.nodes[..nodes as usize].to_vec(),
    };
    let of_rank = |rank: u32| match policy {
        PlacementPolicy::RoundRobin => rank % nodes,
        _ => rank / job.ppn,
    };
    Ok((0..job.ranks).map(|rank| order[of_rank(rank) as usize]).collect())
}

fn ranks(n: u32) -> String {
    format!("{n} rank{}", if n == 1 { "" } else { "s" })
}

/// `n` of the nodes, drawn without replacement, in the order drawn.
fn drawn(nodes: &[NodeId], n: u32, seed: u64) -> Vec<NodeId> {
    let (mut all, has) = (nodes.to_vec(), nodes.len() as u32);
    for i in 0..n {
        let j = i + below(draw(seed, STREAM, i, 0), has - i);
        all.swap(i as usize, j as usize);
    }
    all.truncate(n as usize);
    all
}

/// The first node of every group, then the second of every group, and so on. Uses all groups, or
/// the first `k` that have room for their share. Shares differ by at most one node.
fn spread(
    machine: &Machine,
    free: &[NodeId],
    n: u32,
    k: Option<u32>,
) -> Result<Vec<NodeId>, Vec<InputError>> {
    let group = |node: NodeId| machine.group_of(NicId(machine.node_nics[node]));
    let all = free.chunk_by(|&a, &b| group(a) == group(b));
    let groups: Vec<&[NodeId]> = match k {
        None => all.collect(),
        Some(k) => {
            if k > n {
                let found = format!("group-spread:{k}");
                let expected =
                    format!("at most {n} group{}, one per node", if n == 1 { "" } else { "s" });
                return Err(vec![InputError::new("placement", found, expected)]);
            }
            let mut groups: Vec<&[NodeId]> = Vec::new();
            let most = all.clone().map(<[NodeId]>::len).max().unwrap_or(0);
            // The larger shares come first.
            let share = |i: usize| (n / k + u32::from((i as u32) < n % k)) as usize;
            for nodes in all {
                if groups.len() < k as usize && nodes.len() >= share(groups.len()) {
                    groups.push(&nodes[..share(groups.len())]);
                }
            }
            if groups.len() < k as usize {
                let (name, found, s) = (&machine.name, groups.len(), if k == 1 { "" } else { "s" });
                let why = match found {
                    0 => format!("no group has more than {most}"),
                    _ => format!("it has {found}"),
                };
                let expected =
                    format!("{k} group{s} of `{name}` with {} free nodes: {why}", share(0));
                let found = format!("group-spread:{k}");
                return Err(vec![InputError::new("placement", found, expected)]);
            }
            groups
        }
    };
    let nth = |nth: usize| groups.iter().filter_map(move |nodes| nodes.get(nth).copied());
    Ok((0..).flat_map(nth).take(n as usize).collect())
}

fn listed(
    machine: &Machine,
    nodes: &[NodeId],
    job: JobShape<'_>,
) -> Result<Vec<NodeId>, Vec<InputError>> {
    let mut out = Vec::new();
    if nodes.len() != job.ranks as usize {
        let expected = format!("a node for each of {} ranks", job.ranks);
        let s = if nodes.len() == 1 { "" } else { "s" };
        out.push(InputError::new("placement", format!("{} node{s}", nodes.len()), expected));
    }
    let expected = format!("at most {}, the last compute node", machine.compute_nodes - 1);
    let is_beyond = |(_, node): &(usize, &NodeId)| node.0 >= machine.compute_nodes;
    let mut beyond = nodes.iter().enumerate().filter(is_beyond);
    for (rank, node) in beyond.by_ref().take(MAX_REPORTED) {
        let at = format!("placement, rank {rank}");
        out.push(InputError::new(at, node.0.to_string(), expected.clone()));
    }
    let more = beyond.count();
    if more > 0 {
        let found = format!("{more} more ranks on nodes that do not exist");
        out.push(InputError::new("placement", found, expected));
    }
    if out.is_empty() { Ok(nodes.to_vec()) } else { Err(out) }
}

fn hosted(hosts: &[(NodeId, u32)], job: JobShape<'_>) -> Result<Vec<NodeId>, Vec<InputError>> {
    let mut out = at_least_one(job);
    let slots: u64 = hosts.iter().map(|&(_, slots)| u64::from(slots)).sum();
    if u64::from(job.ranks) > slots {
        let expected = format!("at most {slots}, the slots of the host file");
        out.push(InputError::new("ranks", job.ranks.to_string(), expected));
    }
    if !out.is_empty() {
        return Err(out);
    }
    let coords = hosts.iter().flat_map(|&(node, n)| std::iter::repeat_n(node, n as usize));
    Ok(coords.take(job.ranks as usize).collect())
}

/// Reads a host file: one node per line by name or number, or a list of nodes such as
/// `nid[001000-001007]`, followed by `:slots` or ` slots=n`. Without slots a node has `ppn`. `#`
/// begins a comment.
pub fn parse_hosts(
    machine: &Machine,
    text: &str,
    ppn: u32,
) -> Result<Vec<(NodeId, u32)>, Vec<InputError>> {
    let (mut hosts, mut out) = (Vec::new(), Vec::new());
    for (nth, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let at = format!("host file, line {}", nth + 1);
        let (list, rest) = match line.find(|c: char| c == ':' || c.is_whitespace()) {
            Some(end) => (&line[..end], line[end..].trim_start_matches(':').trim()),
            None => (line, ""),
        };
        let Some(slots) = slots_of(rest, ppn) else {
            let expected = "`node`, `node:slots` or `node slots=n` with n at least 1";
            out.push(InputError::new(at, line, expected));
            continue;
        };
        let Some(names) = expand(list) else {
            let expected = format!(
                "names of nodes, at most {MAX_HOST_NAME} bytes with their domain and \
                 {MAX_LABEL} between dots; several nodes as in `nid[001000-001007,001010]`"
            );
            out.push(InputError::new(at, line, expected));
            continue;
        };
        for name in names {
            match machine.node_by_name(&name).filter(|n| n.0 < machine.compute_nodes) {
                Some(node) => hosts.push((node, slots)),
                None => {
                    let expected = machine.expected_node(&name);
                    out.push(InputError::new(at.clone(), name, expected));
                    break;
                }
            }
        }
    }
    if hosts.is_empty() && out.is_empty() {
        out.push(InputError::new("host file", "", "at least one node"));
    }
    if out.is_empty() { Ok(hosts) } else { Err(out) }
}

/// The slots after a node in a host file: `8`, `slots=8`. Open MPI's `max_slots` is accepted and
/// ignored.
fn slots_of(rest: &str, ppn: u32) -> Option<u32> {
    let mut slots = ppn;
    for word in rest.split_whitespace() {
        let (key, number) = word.split_once('=').unwrap_or(("slots", word));
        let number = number.parse().ok().filter(|&n| n > 0)?;
        match key {
            "slots" => slots = number,
            "max_slots" | "max-slots" => {}
            _ => return None,
        }
    }
    Some(slots)
}

impl Machine {
    /// The node's name and the NIC's number there: `x4000c5s2b0n0 nic3`.
    pub fn nic_name(&self, nic: NicId) -> String {
        let node = self.nic_node[nic];
        format!("{} nic{}", self.node_name(node), nic.0 - self.node_nics[node])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MachineSpec, preset};

    fn aurora() -> Machine {
        let text = preset("aurora").expect("a preset");
        MachineSpec::parse("aurora", text, &[]).expect("legal").resolve().expect("sound")
    }

    fn job(ranks: u32, ppn: u32) -> JobShape<'static> {
        JobShape { ranks, ppn, nodes: None, nics: &NicPolicy::Block, seed: 1 }
    }

    #[test]
    fn policies_assign_ranks_to_nodes() {
        let m = aurora();
        let nodes = |policy: PlacementPolicy, job: JobShape<'_>| -> Vec<u32> {
            let placed = Placement::new(&m, &policy, job).expect("there is room");
            placed.node.iter().map(|n| n.0).collect()
        };
        assert_eq!(nodes(PlacementPolicy::Block, job(5, 2)), [0, 0, 1, 1, 2]);
        assert_eq!(nodes(PlacementPolicy::RoundRobin, job(5, 2)), [0, 1, 2, 0, 1]);
        // 64 nodes a group.
        assert_eq!(nodes(PlacementPolicy::GroupSpread(None), job(5, 2)), [0, 0, 64, 64, 128]);
        let whole = nodes(PlacementPolicy::GroupSpread(None), job(10_624, 1));
        assert_eq!(&whole[165..168], [165 * 64, 1, 65]);
        assert_eq!(nodes(PlacementPolicy::GroupSpread(Some(2)), job(5, 1)), [0, 64, 1, 65, 2]);
        assert_eq!(
            nodes(PlacementPolicy::GroupSpread(Some(1)), job(64, 1)),
            (0..64).collect::<Vec<_>>()
        );
        for policy in [PlacementPolicy::Random, PlacementPolicy::GroupSpread(None)] {
            let mut all = nodes(policy, job(10_624, 1));
            all.sort();
            assert!(all.iter().copied().eq(0..10_624), "every node once");
        }
        assert_ne!(
            nodes(PlacementPolicy::Random, job(100, 1)),
            nodes(PlacementPolicy::Random, JobShape { seed: 2, ..job(100, 1) })
        );
        let list = vec![NodeId(7), NodeId(3), NodeId(7)];
        assert_eq!(nodes(PlacementPolicy::Nodes(list), job(3, 1)), [7, 3, 7]);
    }

    #[test]
    fn ranks_share_the_nics_of_their_node_in_blocks() {
        let m = aurora();
        for (ranks, ppn, want) in [
            (12, 12, vec![0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7]),
            (8, 8, (0..8).collect()),
            (2, 2, vec![0, 4]),
            // A partly filled node is bound as if it were full.
            (3, 8, vec![0, 1, 2]),
        ] {
            let placed =
                Placement::new(&m, &PlacementPolicy::Block, job(ranks, ppn)).expect("room");
            assert_eq!(placed.nic, want.into_iter().map(NicId).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_job_too_large_is_refused() {
        let m = aurora();
        for (policy, job, at) in [
            (PlacementPolicy::Block, job(10_625, 1), "ranks"),
            (PlacementPolicy::Random, job(0, 1), "ranks"),
            (PlacementPolicy::Block, job(8, 0), "ppn"),
            (PlacementPolicy::Block, JobShape { nodes: Some(2), ..job(17, 8) }, "ranks"),
            (PlacementPolicy::Block, JobShape { nodes: Some(10_625), ..job(17, 8) }, "nodes"),
            (PlacementPolicy::Hosts(vec![(NodeId(0), 4)]), job(5, 1), "ranks"),
            (PlacementPolicy::Nodes(vec![NodeId(10_624)]), job(1, 1), "placement, rank 0"),
            // 64 nodes a group, 166 groups.
            (PlacementPolicy::GroupSpread(Some(1)), job(65, 1), "placement"),
            (PlacementPolicy::GroupSpread(Some(167)), job(1_000, 1), "placement"),
            (PlacementPolicy::GroupSpread(Some(3)), job(2, 1), "placement"),
        ] {
            let input_errors = Placement::new(&m, &policy, job).expect_err("too large");
            assert_eq!(input_errors[0].at, at, "{policy:?} {job:?}");
        }
        for (groups, ranks, why) in [(1, 65, "no group has more than 64"), (167, 167, "it has 166")]
        {
            let policy = PlacementPolicy::GroupSpread(Some(groups));
            let input_errors = Placement::new(&m, &policy, job(ranks, 1)).expect_err("too large");
            assert!(input_errors[0].expected.ends_with(why), "{}", input_errors[0]);
        }
    }

    #[test]
    fn jobs_share_no_node() {
        let m = aurora();
        let mut free = FreeNodes::all(&m);
        let mut place = |policy: &PlacementPolicy, n: u32| -> Result<Vec<u32>, Vec<InputError>> {
            let placed = Placement::on_free_nodes(&m, policy, job(n, 1), &free)?;
            free.allocate(&placed.node);
            Ok(placed.node.iter().map(|n| n.0).collect())
        };
        assert_eq!(place(&PlacementPolicy::Nodes(vec![NodeId(1)]), 1).expect("free"), [1]);
        assert_eq!(place(&PlacementPolicy::Block, 3).expect("room"), [0, 2, 3]);
        // The first group has 60 nodes left: too few for this job, enough for the next.
        let one_group = PlacementPolicy::GroupSpread(Some(1));
        assert_eq!(place(&one_group, 61).expect("room"), (64..125).collect::<Vec<_>>());
        assert_eq!(place(&one_group, 60).expect("room"), (4..64).collect::<Vec<_>>());
        assert_eq!(
            place(&PlacementPolicy::GroupSpread(Some(2)), 4).expect("room"),
            [125, 128, 126, 129]
        );
        for policy in
            [PlacementPolicy::Nodes(vec![NodeId(2)]), PlacementPolicy::Hosts(vec![(NodeId(64), 1)])]
        {
            let input_errors = place(&policy, 1).expect_err("taken");
            assert_eq!(input_errors[0].at, "placement");
        }
        let input_errors = place(&PlacementPolicy::Random, 10_624).expect_err("too many");
        assert!(input_errors[0].expected.contains("free"), "{:?}", input_errors[0]);
        let mut rest = place(&PlacementPolicy::Random, 10_624 - 129).expect("just enough");
        rest.sort_unstable();
        assert!(rest.iter().all(|&n| n > 124) && free.nodes.is_empty());
    }

    #[test]
    fn host_files_are_read_or_every_bad_line_reported() {
        let m = aurora();
        let text = "# two nodes\naurora-00003:2\n\n5 slots=3 # by number\n10623\n";
        let hosts = parse_hosts(&m, text, 4).expect("legal");
        assert_eq!(hosts, [(NodeId(3), 2), (NodeId(5), 3), (NodeId(10_623), 4)]);
        // In the form that PBS writes. Cabinet 4305 is the sixth of the fourth row of 21.
        let text = "x4305c3s2b0n0.hostmgmt2305.cm.aurora.alcf.anl.gov\n\
                    x4000c0s[0-1,7]b0n0:2\nx4000c1s0b0n0,3 slots=1 max_slots=4\n";
        let hosts = parse_hosts(&m, text, 4).expect("legal");
        let far = NodeId((3 * 21 + 5) * 64 + 3 * 8 + 2);
        let near = [(0, 2), (1, 2), (7, 2), (8, 1), (3, 1)].map(|(n, slots)| (NodeId(n), slots));
        assert_eq!(hosts, [&[(far, 4)], near.as_slice()].concat());
        let text = "aurora-10624\nfrontier-1\n3:x\n4:0\n5\nx4000c8s0b0n0\nx[\n5 cores=2\n";
        let bad = parse_hosts(&m, text, 1).expect_err("bad");
        let lines: Vec<&str> = bad.iter().map(|c| &c.at[16..]).collect();
        assert_eq!(lines, ["1", "2", "3", "4", "6", "7", "8"]);
        assert_eq!(parse_hosts(&m, "# none\n", 1).expect_err("empty")[0].at, "host file");
    }

    #[test]
    fn host_files_accept_the_names_that_schedulers_write() {
        let read = |machine: &str, text: &str| {
            let spec = MachineSpec::parse(machine, preset(machine).expect("a preset"), &[]);
            parse_hosts(&spec.expect("legal").resolve().expect("sound"), text, 1)
        };
        let domain = "hostmgmt2305.cm.some.very.long.domain.of.a.laboratory.anl.gov";
        let long = format!("x4305c3s2b0n0.{domain}");
        assert!(long.len() > 64);
        let near = read("aurora", &long).expect("legal");
        assert_eq!(Ok(near), read("aurora", "x4305c3s2b0n0"));
        let nodes = |machine: &str, text: &str| -> Vec<u32> {
            read(machine, text).expect("legal").iter().map(|&(node, _)| node.0).collect()
        };
        assert_eq!(nodes("lumi-c", "nid[001234-001240]"), [234, 235, 236, 237, 238, 239, 240]);
        assert_eq!(nodes("frontier", "frontier00001"), [0]);
        // In the machine's style, but with numbers that it does not have.
        for (machine, text, range) in [
            ("aurora", "x4399c0s0b0n0.cm.aurora.alcf.anl.gov", "x[4000-4020,4100-4120,"),
            ("aurora", "x4000c8s0b0n0", "c[0-7]s[0-7]b0n0`"),
            ("lumi-c", "nid003048", "nid[001000-003047]"),
            ("frontier", "frontier09473", "frontier[00001-09472]"),
        ] {
            let error = read(machine, text).expect_err(text)[0].to_string();
            assert!(error.contains(range) && error.contains("preset is an estimate"), "{error}");
        }
        let error = read("aurora", "nid000001").expect_err("another machine's")[0].to_string();
        assert!(!error.contains("estimate"), "{error}");
        let error = read("aurora", &"n".repeat(64)).expect_err("too long")[0].to_string();
        assert!(error.contains("63 between dots") && !error.contains("slots"), "{error}");
    }

    #[test]
    fn node_names_have_an_inverse() {
        let m = aurora();
        for node in [0, 42, 10_623, 11_800].map(NodeId) {
            assert_eq!(m.node_by_name(&m.node_name(node)), Some(node));
        }
        for name in ["", "aurora", "aurora-", "aurora--1", "aurora-+1", "node3", "4294967295"] {
            assert_eq!(m.node_by_name(name), None, "{name}");
        }
    }
}
