//! Which rank runs on which node, and through which NIC it speaks.

use base::{below, draw};

use crate::complaint::{Complaint, nearest};
use crate::{GroupId, Machine, NicId, NodeId};

/// Stream of the draws that choose nodes.
const STREAM: u32 = 0x706C_6163;

/// How ranks come to nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Nodes in order of their numbers, each filled before the next is begun: mpiexec's default.
    Block,
    /// The same nodes, ranks dealt out to them in turn.
    RoundRobin,
    /// Nodes drawn from the whole machine, each filled before the next.
    Random,
    /// Nodes taken from the compute groups in turn, each filled before the next.
    GroupSpread,
    /// These nodes with so many ranks each, filled in order: a host file.
    Hosts(Vec<(NodeId, u32)>),
    /// The node of each rank.
    Nodes(Vec<NodeId>),
}

/// Words for the policies that need no more than a word.
pub const POLICIES: &[&str] = &["contiguous", "block", "round-robin", "random", "group-spread"];

impl Policy {
    /// The policy that `word` names; `contiguous` is `block`.
    pub fn from_word(word: &str) -> Result<Policy, Complaint> {
        Ok(match word {
            "contiguous" | "block" => Policy::Block,
            "round-robin" => Policy::RoundRobin,
            "random" => Policy::Random,
            "group-spread" => Policy::GroupSpread,
            _ => {
                let wanted = format!("one of {}, or a host file", POLICIES.join(", "));
                let near = nearest(word, POLICIES.iter().copied());
                return Err(Complaint::new("placement", word, wanted).with_hint(near));
            }
        })
    }
}

/// Where every rank runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// By rank.
    pub node: Vec<NodeId>,
    /// By rank: the NIC it speaks through.
    pub nic: Vec<NicId>,
    /// By rank: its number among the ranks of its node.
    pub local: Vec<u32>,
    /// Distinct nodes.
    pub nodes: u32,
}

/// What is to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub ranks: u32,
    /// Ranks a node has room for.
    pub ppn: u32,
    /// Nodes to use; `None` is as many as `ranks` fill.
    pub nodes: Option<u32>,
    pub seed: u64,
}

impl Placement {
    pub fn new(machine: &Machine, policy: &Policy, job: Job) -> Result<Placement, Vec<Complaint>> {
        let node = match policy {
            Policy::Nodes(nodes) => listed(machine, nodes, job)?,
            Policy::Hosts(hosts) => hosted(hosts, job)?,
            _ => chosen(machine, policy, job)?,
        };
        Ok(Placement::of_nodes(machine, node, job.ppn))
    }

    /// Local rank `l` of a node takes NIC `l * nics / ppn`: consecutive ranks share a NIC if they
    /// must, and few ranks are spread over the node's NICs.
    fn of_nodes(machine: &Machine, node: Vec<NodeId>, ppn: u32) -> Placement {
        let mut on_node = vec![0u32; machine.compute_nodes as usize];
        let local: Vec<u32> = node
            .iter()
            .map(|n| {
                let count = &mut on_node[n.0 as usize];
                *count += 1;
                *count - 1
            })
            .collect();
        let nic = node.iter().zip(&local).map(|(&n, &l)| {
            let first = machine.node_nics[n];
            let nics = machine.node_nics[NodeId(n.0 + 1)] - first;
            let room = u64::from(ppn.max(on_node[n.0 as usize]));
            NicId(first + (u64::from(l) * u64::from(nics) / room) as u32)
        });
        let nic = nic.collect();
        let nodes = on_node.iter().filter(|&&n| n > 0).count() as u32;
        Placement { node, nic, local, nodes }
    }
}

fn at_least_one(job: Job) -> Vec<Complaint> {
    [("ranks", job.ranks), ("ppn", job.ppn), ("nodes", job.nodes.unwrap_or(1))]
        .into_iter()
        .filter(|&(_, n)| n == 0)
        .map(|(at, _)| Complaint::new(at, "0", "at least 1"))
        .collect()
}

/// The policies that choose nodes themselves.
fn chosen(machine: &Machine, policy: &Policy, job: Job) -> Result<Vec<NodeId>, Vec<Complaint>> {
    let mut out = at_least_one(job);
    if !out.is_empty() {
        return Err(out);
    }
    let has = machine.compute_nodes;
    let nodes = job.nodes.unwrap_or(job.ranks.div_ceil(job.ppn));
    if nodes > has {
        let wanted = match job.nodes {
            Some(_) => format!("at most {has}, the compute nodes of `{}`", machine.name),
            None => format!(
                "at most {}: `{}` has {has} compute nodes, {} ranks on each",
                u64::from(has) * u64::from(job.ppn),
                machine.name,
                job.ppn
            ),
        };
        let (at, found) = job.nodes.map_or(("ranks", job.ranks), |nodes| ("nodes", nodes));
        out.push(Complaint::new(at, found.to_string(), wanted));
    } else if u64::from(job.ranks) > u64::from(nodes) * u64::from(job.ppn) {
        let slots = u64::from(nodes) * u64::from(job.ppn);
        let wanted = format!("at most {slots}: {nodes} nodes, {} ranks on each", job.ppn);
        out.push(Complaint::new("ranks", job.ranks.to_string(), wanted));
    }
    if !out.is_empty() {
        return Err(out);
    }
    let order = match policy {
        Policy::Random => drawn(has, nodes, job.seed),
        Policy::GroupSpread => group_by_group(machine, nodes),
        _ => (0..nodes).map(NodeId).collect(),
    };
    let of_rank = |rank: u32| match policy {
        Policy::RoundRobin => rank % nodes,
        _ => rank / job.ppn,
    };
    Ok((0..job.ranks).map(|rank| order[of_rank(rank) as usize]).collect())
}

/// `n` of `has` nodes, drawn without replacement, in the order drawn.
fn drawn(has: u32, n: u32, seed: u64) -> Vec<NodeId> {
    let mut all: Vec<NodeId> = (0..has).map(NodeId).collect();
    for i in 0..n {
        let j = i + below(draw(seed, STREAM, i, 0), has - i);
        all.swap(i as usize, j as usize);
    }
    all.truncate(n as usize);
    all
}

/// The first node of every compute group, then the second of every one, and so on.
fn group_by_group(machine: &Machine, n: u32) -> Vec<NodeId> {
    let mut of_group: Vec<Vec<NodeId>> = Vec::new();
    let mut last = None;
    for node in (0..machine.compute_nodes).map(NodeId) {
        let group: GroupId = machine.group_of(NicId(machine.node_nics[node]));
        if last.replace(group) != Some(group) {
            of_group.push(Vec::new());
        }
        of_group.last_mut().expect("just pushed").push(node);
    }
    (0..)
        .flat_map(|nth| of_group.iter().filter_map(move |nodes| nodes.get(nth).copied()))
        .take(n as usize)
        .collect()
}

fn listed(machine: &Machine, nodes: &[NodeId], job: Job) -> Result<Vec<NodeId>, Vec<Complaint>> {
    let mut out = Vec::new();
    if nodes.len() != job.ranks as usize {
        let wanted = format!("a node for each of {} ranks", job.ranks);
        let s = if nodes.len() == 1 { "" } else { "s" };
        out.push(Complaint::new("placement", format!("{} node{s}", nodes.len()), wanted));
    }
    for (rank, node) in nodes.iter().enumerate().filter(|(_, n)| n.0 >= machine.compute_nodes) {
        let wanted = format!("at most {}, the last compute node", machine.compute_nodes - 1);
        out.push(Complaint::new(format!("placement, rank {rank}"), node.0.to_string(), wanted));
    }
    if out.is_empty() { Ok(nodes.to_vec()) } else { Err(out) }
}

fn hosted(hosts: &[(NodeId, u32)], job: Job) -> Result<Vec<NodeId>, Vec<Complaint>> {
    let mut out = at_least_one(job);
    let slots: u64 = hosts.iter().map(|&(_, slots)| u64::from(slots)).sum();
    if u64::from(job.ranks) > slots {
        let wanted = format!("at most {slots}, the slots of the host file");
        out.push(Complaint::new("ranks", job.ranks.to_string(), wanted));
    }
    if !out.is_empty() {
        return Err(out);
    }
    let seats = hosts.iter().flat_map(|&(node, n)| std::iter::repeat_n(node, n as usize));
    Ok(seats.take(job.ranks as usize).collect())
}

/// Reads a host file: a node a line, by name or number, with `:slots` or ` slots=n` after it.
/// Without, a node has `ppn` slots. `#` begins a comment.
pub fn parse_hosts(
    machine: &Machine,
    text: &str,
    ppn: u32,
) -> Result<Vec<(NodeId, u32)>, Vec<Complaint>> {
    let (mut hosts, mut out) = (Vec::new(), Vec::new());
    for (nth, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let at = format!("host file, line {}", nth + 1);
        let (name, rest) = match line.find(|c: char| c == ':' || c.is_whitespace()) {
            Some(end) => (&line[..end], line[end..].trim_start_matches(':').trim()),
            None => (line, ""),
        };
        let slots = match rest.strip_prefix("slots=").unwrap_or(rest) {
            "" => Some(ppn),
            number => number.parse().ok().filter(|&n| n > 0),
        };
        let Some(slots) = slots else {
            let wanted = "`node`, `node:slots` or `node slots=n` with n at least 1";
            out.push(Complaint::new(at, line, wanted));
            continue;
        };
        match machine.node_by_name(name).filter(|n| n.0 < machine.compute_nodes) {
            Some(node) => hosts.push((node, slots)),
            None => {
                let (first, last) = (NodeId(0), NodeId(machine.compute_nodes - 1));
                let (first, last) = (machine.node_name(first), machine.node_name(last));
                let wanted = format!("a compute node, `{first}` to `{last}`");
                out.push(Complaint::new(at, name, wanted));
            }
        }
    }
    if hosts.is_empty() && out.is_empty() {
        out.push(Complaint::new("host file", "", "at least one node"));
    }
    if out.is_empty() { Ok(hosts) } else { Err(out) }
}

impl Machine {
    /// The machine's name and the node's number: `aurora-00042`.
    pub fn node_name(&self, node: NodeId) -> String {
        format!("{}-{:05}", self.name, node.0)
    }

    /// The inverse of `node_name`; a bare number will do.
    pub fn node_by_name(&self, name: &str) -> Option<NodeId> {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let number = match name.strip_prefix(&self.name).and_then(|rest| rest.strip_prefix('-')) {
            Some(rest) if !digits(name) => rest,
            _ => name,
        };
        let node = number.parse().ok().filter(|_| digits(number))?;
        (node < self.node_nics.len() as u32 - 1).then_some(NodeId(node))
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

    fn job(ranks: u32, ppn: u32) -> Job {
        Job { ranks, ppn, nodes: None, seed: 1 }
    }

    #[test]
    fn ranks_come_to_the_nodes_their_policy_names() {
        let m = aurora();
        let nodes = |policy: Policy, job: Job| -> Vec<u32> {
            let placed = Placement::new(&m, &policy, job).expect("there is room");
            placed.node.iter().map(|n| n.0).collect()
        };
        assert_eq!(nodes(Policy::Block, job(5, 2)), [0, 0, 1, 1, 2]);
        assert_eq!(nodes(Policy::RoundRobin, job(5, 2)), [0, 1, 2, 0, 1]);
        // 64 nodes a group.
        assert_eq!(nodes(Policy::GroupSpread, job(5, 2)), [0, 0, 64, 64, 128]);
        let whole = nodes(Policy::GroupSpread, job(10_624, 1));
        assert_eq!(&whole[165..168], [165 * 64, 1, 65]);
        for policy in [Policy::Random, Policy::GroupSpread] {
            let mut all = nodes(policy, job(10_624, 1));
            all.sort();
            assert!(all.iter().copied().eq(0..10_624), "every node once");
        }
        assert_ne!(
            nodes(Policy::Random, job(100, 1)),
            nodes(Policy::Random, Job { seed: 2, ..job(100, 1) })
        );
        let list = vec![NodeId(7), NodeId(3), NodeId(7)];
        assert_eq!(nodes(Policy::Nodes(list), job(3, 1)), [7, 3, 7]);
    }

    #[test]
    fn ranks_share_the_nics_of_their_node_in_blocks() {
        let m = aurora();
        for (ranks, ppn, want) in [
            (12, 12, vec![0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7]),
            (8, 8, (0..8).collect()),
            (2, 2, vec![0, 4]),
            // A node that is not full is wired as if it were.
            (3, 8, vec![0, 1, 2]),
        ] {
            let placed = Placement::new(&m, &Policy::Block, job(ranks, ppn)).expect("room");
            assert_eq!(placed.nic, want.into_iter().map(NicId).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_job_too_large_is_refused() {
        let m = aurora();
        for (policy, job, at) in [
            (Policy::Block, job(10_625, 1), "ranks"),
            (Policy::Random, job(0, 1), "ranks"),
            (Policy::Block, job(8, 0), "ppn"),
            (Policy::Block, Job { nodes: Some(2), ..job(17, 8) }, "ranks"),
            (Policy::Block, Job { nodes: Some(10_625), ..job(17, 8) }, "nodes"),
            (Policy::Hosts(vec![(NodeId(0), 4)]), job(5, 1), "ranks"),
            (Policy::Nodes(vec![NodeId(10_624)]), job(1, 1), "placement, rank 0"),
        ] {
            let complaints = Placement::new(&m, &policy, job).expect_err("too large");
            assert_eq!(complaints[0].at, at, "{policy:?} {job:?}");
        }
    }

    #[test]
    fn host_files_are_read_or_every_bad_line_named() {
        let m = aurora();
        let text = "# two nodes\naurora-00003:2\n\n5 slots=3 # by number\n10623\n";
        let hosts = parse_hosts(&m, text, 4).expect("legal");
        assert_eq!(hosts, [(NodeId(3), 2), (NodeId(5), 3), (NodeId(10_623), 4)]);
        let bad = parse_hosts(&m, "aurora-10624\nfrontier-1\n3:x\n4:0\n5\n", 1).expect_err("bad");
        let lines: Vec<&str> = bad.iter().map(|c| &c.at[11..]).collect();
        assert_eq!(lines, ["line 1", "line 2", "line 3", "line 4"]);
        assert_eq!(parse_hosts(&m, "# none\n", 1).expect_err("empty")[0].at, "host file");
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
