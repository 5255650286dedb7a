//! Node-aware collectives: stages within nodes, and one among the first ranks of the nodes.
//!
//! MPICH has two kinds. Compositions of its device layer (`alpha`, `beta`) use shared memory within
//! a node. `smp`, which combines other collectives, uses messages.

use std::sync::Arc;

use crate::blocks::doublings;
use crate::shapes::{Pipeline, Tree, TreeShape};
use crate::{
    Algorithm, ApplyMode, ByteRange, Collective, InNetwork, Kind, Member, RoundSink, trees,
};

/// Which ranks of a communicator share a node. Equal on all members, and shared by them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeMap(Arc<NodeTable>);

#[derive(Debug, PartialEq, Eq)]
struct NodeTable {
    /// By rank: its node, numbered in the order of first ranks, and its index on the node.
    positions: Vec<(u32, u32)>,
    /// Ranks by node, in order within each node.
    ranks: Vec<u32>,
    /// Index of each node's first entry in `ranks`, and the end.
    starts: Vec<u32>,
    /// First rank of each node.
    roots: Vec<u32>,
    /// Ranks of the largest node.
    most: u32,
    /// Whether the ranks of each node are consecutive.
    are_consecutive: bool,
}

impl NodeMap {
    /// From each rank's node; node numbers are arbitrary.
    pub fn new(of_ranks: impl IntoIterator<Item = u32>) -> NodeMap {
        let mut numbers = std::collections::BTreeMap::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut positions = Vec::new();
        for (rank, node) in (0..).zip(of_ranks) {
            let node = *numbers.entry(node).or_insert(members.len());
            if node == members.len() {
                members.push(Vec::new());
            }
            positions.push((node as u32, members[node].len() as u32));
            members[node].push(rank);
        }
        let mut starts = vec![0];
        starts.extend(members.iter().scan(0, |end, node| {
            *end += node.len() as u32;
            Some(*end)
        }));
        let roots = members.iter().map(|node| node[0]).collect();
        let most = members.iter().map(|node| node.len() as u32).max().unwrap_or(0);
        let ranks = members.concat();
        let are_consecutive = ranks.is_sorted();
        NodeMap(Arc::new(NodeTable { positions, ranks, starts, roots, most, are_consecutive }))
    }
    /// Number of nodes.
    pub fn count(&self) -> u32 {
        self.0.roots.len() as u32
    }
    /// Whether the ranks of each node are consecutive.
    pub fn are_consecutive(&self) -> bool {
        self.0.are_consecutive
    }
    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.0.positions.len() as u32
    }
    fn of(&self, node: u32) -> &[u32] {
        let at = |n: u32| self.0.starts[n as usize] as usize;
        &self.0.ranks[at(node)..at(node + 1)]
    }
}

/// The order of intra-node and inter-node stages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Composition {
    /// Within a node, data goes from and to its first rank. One more message connects that and the
    /// root. By shared memory.
    Alpha,
    /// Within the root's node, data goes from and to the root. By shared memory.
    Beta,
    /// MPICH's `smp`, by messages: `Alpha` for a broadcast, `Beta` for a reduction.
    Smp,
}

/// The algorithm among the first ranks of the nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum InterNode {
    Dissemination { k: u8 },
    Binomial,
    ScatterRecursiveDoubling,
    ScatterRing,
    RecursiveDoubling,
    RecursiveExchange { k: u8 },
    Rabenseifner,
    ReduceScatterGather,
    Ring,
    ReduceBcast,
    SplitBinary { chunk: u32 },
    Tree { shape: TreeShape, k: u32, chunk: u32 },
    Offload,
}

impl From<InterNode> for Algorithm {
    fn from(inter_node: InterNode) -> Algorithm {
        match inter_node {
            InterNode::Dissemination { k } => Algorithm::Dissemination { k },
            InterNode::Binomial => Algorithm::Binomial,
            InterNode::ScatterRecursiveDoubling => Algorithm::ScatterRecursiveDoubling,
            InterNode::ScatterRing => Algorithm::ScatterRing,
            InterNode::RecursiveDoubling => Algorithm::RecursiveDoubling,
            InterNode::RecursiveExchange { k } => Algorithm::RecursiveExchange { k },
            InterNode::Rabenseifner => Algorithm::Rabenseifner,
            InterNode::ReduceScatterGather => Algorithm::ReduceScatterGather,
            InterNode::Ring => Algorithm::Ring,
            InterNode::ReduceBcast => Algorithm::ReduceBcast,
            InterNode::SplitBinary { chunk } => Algorithm::SplitBinary { chunk },
            InterNode::Tree { shape, k, chunk } => Algorithm::Tree { shape, k, chunk },
            InterNode::Offload => Algorithm::Offload,
        }
    }
}

impl Algorithm {
    /// This algorithm as an inter-node stage. `None` if it is node-aware or belongs to kinds that
    /// have no node-aware algorithm.
    pub fn for_node_roots(self) -> Option<InterNode> {
        Some(match self {
            Algorithm::Dissemination { k } => InterNode::Dissemination { k },
            Algorithm::Binomial => InterNode::Binomial,
            Algorithm::ScatterRecursiveDoubling => InterNode::ScatterRecursiveDoubling,
            Algorithm::ScatterRing => InterNode::ScatterRing,
            Algorithm::RecursiveDoubling => InterNode::RecursiveDoubling,
            Algorithm::RecursiveExchange { k } => InterNode::RecursiveExchange { k },
            Algorithm::Rabenseifner => InterNode::Rabenseifner,
            Algorithm::ReduceScatterGather => InterNode::ReduceScatterGather,
            Algorithm::Ring => InterNode::Ring,
            Algorithm::ReduceBcast => InterNode::ReduceBcast,
            Algorithm::SplitBinary { chunk } => InterNode::SplitBinary { chunk },
            Algorithm::Tree { shape, k, chunk } => InterNode::Tree { shape, k, chunk },
            Algorithm::Offload => InterNode::Offload,
            _ => return None,
        })
    }
}

/// MPICH's intra-node trees in shared memory: k-ary, 64 children for release and 4 for gather. The
/// buffer is 32 KiB in 4 cells. [MPICH] release_gather.c.
const RELEASE_RADIX: u32 = 64;
const GATHER_RADIX: u32 = 4;
const CELL: u64 = 8 << 10;
/// Longer vectors use this many cells, which are longer: see docs/models/collectives.md.
const CELLS_MAX: u64 = 16;

/// A stage of a node-aware collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// A barrier among the ranks of a node.
    NodeBarrier,
    /// From one rank to all others of its node, and back.
    Release(NodeSet),
    Gather(NodeSet),
    /// The algorithm among the first ranks of the nodes.
    InterNode,
    /// One message from the root to the first rank of its node, or back.
    ToFirst,
    FromFirst,
}

/// On which nodes a stage runs, and from which rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NodeSet {
    /// All nodes, the first rank.
    All,
    /// All but the root's node, the first rank.
    AllButRoot,
    /// The root's node, the root.
    RootOnly,
}

/// The stages of a call: at most three.
fn stages(c: &Collective, form: Composition, nodes: &NodeMap) -> [Option<Stage>; 3] {
    use Stage::{FromFirst, Gather, InterNode, NodeBarrier, Release, ToFirst};
    let is_first = nodes.0.positions[c.root as usize].1 == 0;
    match (c.kind, form) {
        (Kind::Barrier, _) => [Some(NodeBarrier), Some(InterNode), Some(Release(NodeSet::All))],
        (Kind::Bcast, Composition::Alpha | Composition::Smp) => {
            [(!is_first).then_some(ToFirst), Some(InterNode), Some(Release(NodeSet::All))]
        }
        (Kind::Bcast, Composition::Beta) if is_first => {
            [Some(InterNode), Some(Release(NodeSet::All)), None]
        }
        (Kind::Bcast, Composition::Beta) => {
            [Some(Release(NodeSet::RootOnly)), Some(InterNode), Some(Release(NodeSet::AllButRoot))]
        }
        (Kind::Reduce, Composition::Alpha) => {
            [Some(Gather(NodeSet::All)), Some(InterNode), (!is_first).then_some(FromFirst)]
        }
        (Kind::Reduce, Composition::Beta | Composition::Smp) => {
            [Some(Gather(NodeSet::AllButRoot)), Some(InterNode), Some(Gather(NodeSet::RootOnly))]
        }
        _ => [Some(Gather(NodeSet::All)), Some(InterNode), Some(Release(NodeSet::All))],
    }
}

/// A stage for one of its groups of ranks.
struct Group {
    /// The group's own call, among its ranks.
    call: Collective,
    transport: Transport,
}

enum Transport {
    Rounds,
    /// By cells of shared memory.
    Cells(Pipeline),
    Message,
}

impl Group {
    fn of(
        c: &Collective,
        kind: Kind,
        algorithm: Algorithm,
        (rank, size, root): GroupPosition,
    ) -> Group {
        let member = Member { rank, size };
        let bytes = if c.kind == Kind::Barrier { 0 } else { c.bytes };
        let (ragged, nodes) = (None, None);
        let call =
            Collective { kind, algorithm, member, root, bytes, grain: c.grain, ragged, nodes };
        Group { call, transport: Transport::Rounds }
    }
    /// A group within a node.
    fn within(c: &Collective, form: Composition, kind: Kind, position: GroupPosition) -> Group {
        let mut group = Group::of(c, kind, Algorithm::Binomial, position);
        if form != Composition::Smp {
            let radix = if kind == Kind::Bcast { RELEASE_RADIX } else { GATHER_RADIX };
            let tree = Tree::new(TreeShape::Kary, radix, position.1);
            let cell = CELL.max(c.bytes.div_ceil(CELLS_MAX));
            group.transport = Transport::Cells(Pipeline::new(&group.call, tree, cell, true));
        }
        group
    }
    fn rounds(&self) -> u32 {
        match &self.transport {
            Transport::Rounds if self.call.kind == Kind::Bcast => match self.call.algorithm {
                // A barrier's release has no bytes.
                Algorithm::Binomial => doublings(self.call.member.size),
                _ => self.call.rounds(),
            },
            Transport::Rounds => self.call.rounds(),
            Transport::Cells(pipeline) => pipeline.rounds(),
            Transport::Message => 1,
        }
    }
    fn round(&self, k: u32, out: &mut impl RoundSink) {
        let c = &self.call;
        match (&self.transport, c.kind) {
            (Transport::Cells(pipeline), Kind::Bcast) => pipeline.down(c, k, out),
            (Transport::Cells(pipeline), _) => pipeline.up(c, k, out),
            (Transport::Rounds, Kind::Bcast) if c.algorithm == Algorithm::Binomial => {
                trees::bcast_binomial(c, k, out);
            }
            (Transport::Rounds, _) => c.flat_round(k, out),
            (Transport::Message, _) => {
                let whole = ByteRange { at: 0, len: c.bytes };
                if c.member.rank == c.root {
                    out.send(1 - c.root, whole);
                } else {
                    out.recv(c.root, whole, ApplyMode::Write);
                }
            }
        }
    }
}

/// Rank, size and root within a group.
type GroupPosition = (u32, u32, u32);

/// The group of `rank` in a stage, and the group's ranks; `None` if the rank has no part in it.
fn group<'a>(
    c: &Collective,
    (form, inter_node): (Composition, InterNode),
    nodes: &'a NodeMap,
    stage: Stage,
    rank: u32,
) -> Option<(Group, &'a [u32])> {
    let (node, position) = nodes.0.positions[rank as usize];
    let (root_node, root_place) = nodes.0.positions[c.root as usize];
    let ranks = nodes.of(node);
    let size = ranks.len() as u32;
    let within = |kind, root| Some((Group::within(c, form, kind, (position, size, root)), ranks));
    let here = |nodes_of: NodeSet| match nodes_of {
        NodeSet::All => Some(0),
        NodeSet::AllButRoot => (node != root_node).then_some(0),
        NodeSet::RootOnly => (node == root_node).then_some(root_place),
    };
    match stage {
        Stage::NodeBarrier => {
            let algorithm = Algorithm::Dissemination { k: 2 };
            Some((Group::of(c, Kind::Barrier, algorithm, (position, size, 0)), ranks))
        }
        Stage::Release(nodes_of) => within(Kind::Bcast, here(nodes_of)?),
        Stage::Gather(nodes_of) => within(Kind::Reduce, here(nodes_of)?),
        Stage::InterNode if position > 0 => None,
        Stage::InterNode => {
            let member = (node, nodes.count(), root_node);
            Some((Group::of(c, c.kind, inter_node.into(), member), &nodes.0.roots))
        }
        Stage::ToFirst | Stage::FromFirst => {
            let ends = [0, root_place];
            let at = ends.iter().position(|&p| p == position).filter(|_| node == root_node)?;
            let from = u32::from(stage == Stage::ToFirst);
            let mut group = Group::of(c, c.kind, inter_node.into(), (at as u32, 2, from));
            group.transport = Transport::Message;
            Some((group, ranks))
        }
    }
}

/// The number of rounds of a stage on the largest group.
fn stage_rounds(
    c: &Collective,
    composed: (Composition, InterNode),
    nodes: &NodeMap,
    stage: Stage,
) -> u32 {
    let within = |kind, size| Group::within(c, composed.0, kind, (0, size, 0)).rounds();
    let root_node = nodes.0.positions[c.root as usize].0;
    let size = |nodes_of: NodeSet| match nodes_of {
        NodeSet::AllButRoot if nodes.count() == 1 => 1,
        NodeSet::All | NodeSet::AllButRoot => nodes.0.most,
        NodeSet::RootOnly => nodes.of(root_node).len() as u32,
    };
    match stage {
        Stage::NodeBarrier => doublings(nodes.0.most),
        Stage::Release(nodes_of) => within(Kind::Bcast, size(nodes_of)),
        Stage::Gather(nodes_of) => within(Kind::Reduce, size(nodes_of)),
        Stage::InterNode => {
            let position = (0, nodes.count(), root_node);
            Group::of(c, c.kind, composed.1.into(), position).rounds()
        }
        Stage::ToFirst | Stage::FromFirst => 1,
    }
}

impl Collective {
    /// Rounds of a node-aware algorithm. Without a `NodeMap` every rank has its own node.
    pub(crate) fn node_aware_rounds(&self, form: Composition, inter_node: InterNode) -> u32 {
        let Some(nodes) = &self.nodes else {
            return Group::of(self, self.kind, inter_node.into(), self.in_communicator()).rounds();
        };
        let all = stages(self, form, nodes);
        all.iter().flatten().map(|&s| stage_rounds(self, (form, inter_node), nodes, s)).sum()
    }

    pub(crate) fn node_aware_round(
        &self,
        (form, inter_node): (Composition, InterNode),
        k: u32,
        out: &mut impl RoundSink,
    ) {
        let Some(nodes) = &self.nodes else {
            return Group::of(self, self.kind, inter_node.into(), self.in_communicator())
                .round(k, out);
        };
        let mut k = k;
        for stage in stages(self, form, nodes).into_iter().flatten() {
            let rounds = stage_rounds(self, (form, inter_node), nodes, stage);
            if k >= rounds {
                k -= rounds;
                continue;
            }
            if let Some((group, ranks)) =
                group(self, (form, inter_node), nodes, stage, self.member.rank)
                // Smaller nodes finish earlier.
                && k < group.rounds()
            {
                let ends = [0, nodes.0.positions[self.root as usize].1];
                let numbers = match group.transport {
                    Transport::Message => RankNumbers::Ends(ranks, ends),
                    _ => RankNumbers::All(ranks),
                };
                group.round(k, &mut Translated { numbers, out });
            }
            return;
        }
    }

    fn in_communicator(&self) -> GroupPosition {
        (self.member.rank, self.member.size, self.root)
    }
}

/// The ranks of a group, by their numbers in it.
#[derive(Clone, Copy)]
enum RankNumbers<'a> {
    All(&'a [u32]),
    /// Two of the ranks.
    Ends(&'a [u32], [u32; 2]),
}

impl RankNumbers<'_> {
    fn rank(self, nth: u32) -> u32 {
        match self {
            RankNumbers::All(ranks) => ranks[nth as usize],
            RankNumbers::Ends(ranks, ends) => ranks[ends[nth as usize] as usize],
        }
    }
}

/// Forwards the actions of a group, with group numbers translated to ranks.
struct Translated<'a, S> {
    numbers: RankNumbers<'a>,
    out: &'a mut S,
}

impl<S: RoundSink> RoundSink for Translated<'_, S> {
    fn send(&mut self, to: u32, part: ByteRange) {
        self.out.send(self.numbers.rank(to), part);
    }
    fn send_shared(&mut self, to: u32, part: ByteRange, is_first: bool) {
        self.out.send_shared(self.numbers.rank(to), part, is_first);
    }
    fn recv(&mut self, from: u32, part: ByteRange, mode: ApplyMode) {
        self.out.recv(self.numbers.rank(from), part, mode);
    }
    fn local(&mut self, from: ByteRange, to: ByteRange, mode: ApplyMode) {
        self.out.local(from, to, mode);
    }
    fn in_network(&mut self, part: InNetwork) -> bool {
        self.out.in_network(InNetwork { root: self.numbers.rank(part.root), ..part })
    }
}
