//! Collectives that deal with the ranks of a node first: stages within nodes, and one among the
//! first rank of each.
//!
//! MPICH has them twice. What its device composes (`alpha`, `beta`) goes within a node through
//! memory that all ranks of it read; what is made of other collectives (`smp`) goes by messages.

use std::sync::Arc;

use crate::blocks::doublings;
use crate::shapes::{Pipeline, Shape, Tree};
use crate::{Algorithm, Collective, InNetwork, Kind, Land, Part, RoundSink, Seat, trees};

/// Which ranks of a communicator share a node: the same on all members, who share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes(Arc<Layout>);

#[derive(Debug, PartialEq, Eq)]
struct Layout {
    /// By rank: its node, numbered by first rank, and its place there.
    seats: Vec<(u32, u32)>,
    /// Ranks by node, each node's in order.
    ranks: Vec<u32>,
    /// Where a node's ranks begin, and the end.
    starts: Vec<u32>,
    /// First rank of each node.
    roots: Vec<u32>,
    /// Ranks of the fullest node.
    most: u32,
    /// Each node's ranks follow each other.
    are_consecutive: bool,
}

impl Nodes {
    /// From each rank's node, by any numbers.
    pub fn new(of_ranks: impl IntoIterator<Item = u32>) -> Nodes {
        let mut numbers = std::collections::BTreeMap::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut seats = Vec::new();
        for (rank, node) in (0..).zip(of_ranks) {
            let node = *numbers.entry(node).or_insert(members.len());
            if node == members.len() {
                members.push(Vec::new());
            }
            seats.push((node as u32, members[node].len() as u32));
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
        Nodes(Arc::new(Layout { seats, ranks, starts, roots, most, are_consecutive }))
    }
    /// How many nodes.
    pub fn count(&self) -> u32 {
        self.0.roots.len() as u32
    }
    /// Whether the ranks of each node are consecutive.
    pub fn are_consecutive(&self) -> bool {
        self.0.are_consecutive
    }
    /// How many ranks.
    pub fn ranks(&self) -> u32 {
        self.0.seats.len() as u32
    }
    fn of(&self, node: u32) -> &[u32] {
        let at = |n: u32| self.0.starts[n as usize] as usize;
        &self.0.ranks[at(node)..at(node + 1)]
    }
}

/// In which order nodes and the network take their turns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Form {
    /// Within a node data goes from and to its first rank, and between that and the root by a
    /// message of its own. Through shared memory.
    Alpha,
    /// Within the root's node data goes from and to the root. Through shared memory.
    Beta,
    /// MPICH's `smp`, by messages: `Alpha` for a broadcast, `Beta` for a reduction.
    Smp,
}

/// What the nodes' first ranks do among each other: an algorithm that knows of no nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Across {
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
    Tree { shape: Shape, k: u32, chunk: u32 },
    Offload,
}

impl From<Across> for Algorithm {
    fn from(across: Across) -> Algorithm {
        match across {
            Across::Dissemination { k } => Algorithm::Dissemination { k },
            Across::Binomial => Algorithm::Binomial,
            Across::ScatterRecursiveDoubling => Algorithm::ScatterRecursiveDoubling,
            Across::ScatterRing => Algorithm::ScatterRing,
            Across::RecursiveDoubling => Algorithm::RecursiveDoubling,
            Across::RecursiveExchange { k } => Algorithm::RecursiveExchange { k },
            Across::Rabenseifner => Algorithm::Rabenseifner,
            Across::ReduceScatterGather => Algorithm::ReduceScatterGather,
            Across::Ring => Algorithm::Ring,
            Across::ReduceBcast => Algorithm::ReduceBcast,
            Across::SplitBinary { chunk } => Algorithm::SplitBinary { chunk },
            Across::Tree { shape, k, chunk } => Algorithm::Tree { shape, k, chunk },
            Across::Offload => Algorithm::Offload,
        }
    }
}

impl Algorithm {
    /// This for the nodes' first ranks; `None` if it is itself node-aware, or of kinds that no
    /// node-aware algorithm is of.
    pub fn among_roots(self) -> Option<Across> {
        Some(match self {
            Algorithm::Dissemination { k } => Across::Dissemination { k },
            Algorithm::Binomial => Across::Binomial,
            Algorithm::ScatterRecursiveDoubling => Across::ScatterRecursiveDoubling,
            Algorithm::ScatterRing => Across::ScatterRing,
            Algorithm::RecursiveDoubling => Across::RecursiveDoubling,
            Algorithm::RecursiveExchange { k } => Across::RecursiveExchange { k },
            Algorithm::Rabenseifner => Across::Rabenseifner,
            Algorithm::ReduceScatterGather => Across::ReduceScatterGather,
            Algorithm::Ring => Across::Ring,
            Algorithm::ReduceBcast => Across::ReduceBcast,
            Algorithm::SplitBinary { chunk } => Across::SplitBinary { chunk },
            Algorithm::Tree { shape, k, chunk } => Across::Tree { shape, k, chunk },
            Algorithm::Offload => Across::Offload,
            _ => return None,
        })
    }
}

/// MPICH's trees through a node's shared memory: k-ary, of 64 children for what is released and 4
/// for what is gathered, and a buffer of 32 KiB in 4 cells. [MPICH] release_gather.c.
const RELEASE_RADIX: u32 = 64;
const GATHER_RADIX: u32 = 4;
const CELL: u64 = 8 << 10;
/// Longer vectors are passed on in as many cells, which are longer: see docs/models/collectives.md.
const CELLS_MAX: u64 = 16;

/// A stage of a node-aware collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Ranks of a node meet.
    Meet,
    /// From the rank at the place to all others of its node, and back.
    Release(Where),
    Gather(Where),
    /// The nodes' first ranks among each other.
    Across,
    /// One message from the root to the first rank of its node, or back.
    ToFirst,
    FromFirst,
}

/// In which nodes, and from which rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Where {
    /// All, the first.
    All,
    /// All but the root's, the first.
    Others,
    /// The root's, the root.
    Roots,
}

/// One call's stages: at most three.
fn stages(c: &Collective, form: Form, nodes: &Nodes) -> [Option<Stage>; 3] {
    use Stage::{Across, FromFirst, Gather, Meet, Release, ToFirst};
    let is_first = nodes.0.seats[c.root as usize].1 == 0;
    match (c.kind, form) {
        (Kind::Barrier, _) => [Some(Meet), Some(Across), Some(Release(Where::All))],
        (Kind::Bcast, Form::Alpha | Form::Smp) => {
            [(!is_first).then_some(ToFirst), Some(Across), Some(Release(Where::All))]
        }
        (Kind::Bcast, Form::Beta) if is_first => [Some(Across), Some(Release(Where::All)), None],
        (Kind::Bcast, Form::Beta) => {
            [Some(Release(Where::Roots)), Some(Across), Some(Release(Where::Others))]
        }
        (Kind::Reduce, Form::Alpha) => {
            [Some(Gather(Where::All)), Some(Across), (!is_first).then_some(FromFirst)]
        }
        (Kind::Reduce, Form::Beta | Form::Smp) => {
            [Some(Gather(Where::Others)), Some(Across), Some(Gather(Where::Roots))]
        }
        _ => [Some(Gather(Where::All)), Some(Across), Some(Release(Where::All))],
    }
}

/// What a stage is for one of its groups of ranks.
struct Group {
    /// Its call of its own, among these ranks.
    call: Collective,
    way: Way,
}

enum Way {
    Rounds,
    /// Through shared memory.
    Cells(Pipeline),
    Message,
}

impl Group {
    fn of(c: &Collective, kind: Kind, algorithm: Algorithm, (rank, size, root): Place) -> Group {
        let seat = Seat { rank, size };
        let bytes = if c.kind == Kind::Barrier { 0 } else { c.bytes };
        let (ragged, nodes) = (None, None);
        let call = Collective { kind, algorithm, seat, root, bytes, grain: c.grain, ragged, nodes };
        Group { call, way: Way::Rounds }
    }
    /// Within a node.
    fn within(c: &Collective, form: Form, kind: Kind, place: Place) -> Group {
        let mut group = Group::of(c, kind, Algorithm::Binomial, place);
        if form != Form::Smp {
            let radix = if kind == Kind::Bcast { RELEASE_RADIX } else { GATHER_RADIX };
            let tree = Tree::new(Shape::Kary, radix, place.1);
            let cell = CELL.max(c.bytes.div_ceil(CELLS_MAX));
            group.way = Way::Cells(Pipeline::new(&group.call, tree, cell, true));
        }
        group
    }
    fn rounds(&self) -> u32 {
        match &self.way {
            Way::Rounds if self.call.kind == Kind::Bcast => match self.call.algorithm {
                // A barrier's release has no bytes.
                Algorithm::Binomial => doublings(self.call.seat.size),
                _ => self.call.rounds(),
            },
            Way::Rounds => self.call.rounds(),
            Way::Cells(pipeline) => pipeline.rounds(),
            Way::Message => 1,
        }
    }
    fn round(&self, k: u32, out: &mut impl RoundSink) {
        let c = &self.call;
        match (&self.way, c.kind) {
            (Way::Cells(pipeline), Kind::Bcast) => pipeline.down(c, k, out),
            (Way::Cells(pipeline), _) => pipeline.up(c, k, out),
            (Way::Rounds, Kind::Bcast) if c.algorithm == Algorithm::Binomial => {
                trees::bcast_binomial(c, k, out);
            }
            (Way::Rounds, _) => c.flat_round(k, out),
            (Way::Message, _) => {
                let whole = Part { at: 0, len: c.bytes };
                if c.seat.rank == c.root {
                    out.send(1 - c.root, whole);
                } else {
                    out.recv(c.root, whole, Land::Write);
                }
            }
        }
    }
}

/// Rank, size and root within a group.
type Place = (u32, u32, u32);

/// A stage's group for `rank`, with its ranks; `None` if it has no part in it.
fn group<'a>(
    c: &Collective,
    (form, across): (Form, Across),
    nodes: &'a Nodes,
    stage: Stage,
    rank: u32,
) -> Option<(Group, &'a [u32])> {
    let (node, place) = nodes.0.seats[rank as usize];
    let (root_node, root_place) = nodes.0.seats[c.root as usize];
    let ranks = nodes.of(node);
    let size = ranks.len() as u32;
    let within = |kind, root| Some((Group::within(c, form, kind, (place, size, root)), ranks));
    let here = |whose: Where| match whose {
        Where::All => Some(0),
        Where::Others => (node != root_node).then_some(0),
        Where::Roots => (node == root_node).then_some(root_place),
    };
    match stage {
        Stage::Meet => {
            let algorithm = Algorithm::Dissemination { k: 2 };
            Some((Group::of(c, Kind::Barrier, algorithm, (place, size, 0)), ranks))
        }
        Stage::Release(whose) => within(Kind::Bcast, here(whose)?),
        Stage::Gather(whose) => within(Kind::Reduce, here(whose)?),
        Stage::Across if place > 0 => None,
        Stage::Across => {
            let seat = (node, nodes.count(), root_node);
            Some((Group::of(c, c.kind, across.into(), seat), &nodes.0.roots))
        }
        Stage::ToFirst | Stage::FromFirst => {
            let ends = [0, root_place];
            let at = ends.iter().position(|&p| p == place).filter(|_| node == root_node)?;
            let from = u32::from(stage == Stage::ToFirst);
            let mut group = Group::of(c, c.kind, across.into(), (at as u32, 2, from));
            group.way = Way::Message;
            Some((group, ranks))
        }
    }
}

/// How many rounds a stage has on the ranks that have most.
fn stage_rounds(c: &Collective, how: (Form, Across), nodes: &Nodes, stage: Stage) -> u32 {
    let within = |kind, size| Group::within(c, how.0, kind, (0, size, 0)).rounds();
    let root_node = nodes.0.seats[c.root as usize].0;
    let size = |whose: Where| match whose {
        Where::Others if nodes.count() == 1 => 1,
        Where::All | Where::Others => nodes.0.most,
        Where::Roots => nodes.of(root_node).len() as u32,
    };
    match stage {
        Stage::Meet => doublings(nodes.0.most),
        Stage::Release(whose) => within(Kind::Bcast, size(whose)),
        Stage::Gather(whose) => within(Kind::Reduce, size(whose)),
        Stage::Across => {
            let place = (0, nodes.count(), root_node);
            Group::of(c, c.kind, how.1.into(), place).rounds()
        }
        Stage::ToFirst | Stage::FromFirst => 1,
    }
}

impl Collective {
    /// Rounds of a node-aware algorithm. Where nothing is known of nodes every rank has its own.
    pub(crate) fn staged_rounds(&self, form: Form, across: Across) -> u32 {
        let Some(nodes) = &self.nodes else {
            return Group::of(self, self.kind, across.into(), self.among_all()).rounds();
        };
        let all = stages(self, form, nodes);
        all.iter().flatten().map(|&s| stage_rounds(self, (form, across), nodes, s)).sum()
    }

    pub(crate) fn staged_round(
        &self,
        (form, across): (Form, Across),
        k: u32,
        out: &mut impl RoundSink,
    ) {
        let Some(nodes) = &self.nodes else {
            return Group::of(self, self.kind, across.into(), self.among_all()).round(k, out);
        };
        let mut k = k;
        for stage in stages(self, form, nodes).into_iter().flatten() {
            let rounds = stage_rounds(self, (form, across), nodes, stage);
            if k >= rounds {
                k -= rounds;
                continue;
            }
            if let Some((group, ranks)) =
                group(self, (form, across), nodes, stage, self.seat.rank)
                // Nodes that are less full are done earlier.
                && k < group.rounds()
            {
                let ends = [0, nodes.0.seats[self.root as usize].1];
                let names = match group.way {
                    Way::Message => Names::Ends(ranks, ends),
                    _ => Names::All(ranks),
                };
                group.round(k, &mut Named { names, out });
            }
            return;
        }
    }

    fn among_all(&self) -> Place {
        (self.seat.rank, self.seat.size, self.root)
    }
}

/// The ranks of a group, by their numbers in it.
#[derive(Clone, Copy)]
enum Names<'a> {
    All(&'a [u32]),
    /// Two of them.
    Ends(&'a [u32], [u32; 2]),
}

impl Names<'_> {
    fn rank(self, nth: u32) -> u32 {
        match self {
            Names::All(ranks) => ranks[nth as usize],
            Names::Ends(ranks, ends) => ranks[ends[nth as usize] as usize],
        }
    }
}

/// Tells what a group does by its ranks' names.
struct Named<'a, S> {
    names: Names<'a>,
    out: &'a mut S,
}

impl<S: RoundSink> RoundSink for Named<'_, S> {
    fn send(&mut self, to: u32, part: Part) {
        self.out.send(self.names.rank(to), part);
    }
    fn send_shared(&mut self, to: u32, part: Part, is_first: bool) {
        self.out.send_shared(self.names.rank(to), part, is_first);
    }
    fn recv(&mut self, from: u32, part: Part, land: Land) {
        self.out.recv(self.names.rank(from), part, land);
    }
    fn local(&mut self, from: Part, to: Part, land: Land) {
        self.out.local(from, to, land);
    }
    fn in_network(&mut self, part: InNetwork) -> bool {
        self.out.in_network(InNetwork { root: self.names.rank(part.root), ..part })
    }
}
