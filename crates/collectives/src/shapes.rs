//! Trees of any shape and radix, along which a vector is sent whole or in segments.
//!
//! Ranks are numbered from the root. A segmented tree is a pipeline: in round `k` a rank at depth
//! `d` sends segment `k - d` and receives the next one. So all segments take the rounds of one,
//! plus one round for each other segment.

use crate::{ApplyMode, ByteRange, Collective, RoundSink};

/// The shape of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum TreeShape {
    /// Children of rank `v` are `k v + 1` to `k v + k`.
    Kary,
    /// A subtree is a range of consecutive ranks, in `k`-ary numbers.
    Knomial1,
    /// Children differ from their parent in one digit below its lowest nonzero digit. With radix 2
    /// this is the binomial tree.
    Knomial2,
    /// `k` chains of consecutive ranks (Open MPI).
    Chain,
    /// As many levels as k-ary; within a level, all first children precede all second children
    /// (Open MPI's binary tree).
    Levels,
}

impl TreeShape {
    pub const ALL: [TreeShape; 5] = [
        TreeShape::Kary,
        TreeShape::Knomial1,
        TreeShape::Knomial2,
        TreeShape::Chain,
        TreeShape::Levels,
    ];
    /// MPICH's name in `MPIR_CVAR_BCAST_TREE_TYPE`; the last two are Open MPI's.
    pub fn name(self) -> &'static str {
        match self {
            TreeShape::Kary => "kary",
            TreeShape::Knomial1 => "knomial_1",
            TreeShape::Knomial2 => "knomial_2",
            TreeShape::Chain => "chain",
            TreeShape::Levels => "levels",
        }
    }
    pub fn from_name(name: &str) -> Option<TreeShape> {
        TreeShape::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// Largest number of segments of a vector; segments are lengthened to stay below it.
const SEGMENTS_MAX: u64 = 1 << 16;

/// A tree over `size` ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    shape: TreeShape,
    k: u32,
    size: u32,
}

impl Tree {
    pub(crate) fn new(shape: TreeShape, k: u32, size: u32) -> Tree {
        // A k-nomial tree of radix 1 would have no children.
        let least = if matches!(shape, TreeShape::Kary | TreeShape::Chain) { 1 } else { 2 };
        Tree { shape, k: k.clamp(least, size.max(2)), size }
    }

    /// Number of digits of the last rank.
    fn digits(&self) -> u32 {
        if self.size < 2 { 0 } else { (self.size - 1).ilog(self.k) + 1 }
    }

    /// First rank and length of a chain. The first `others % k` chains are longer by one.
    fn chain(&self, nth: u32) -> (u32, u32) {
        let (others, k) = (self.size - 1, self.k);
        let (short, longer) = (others / k, others % k);
        (1 + nth * short + nth.min(longer), short + u32::from(nth < longer))
    }
    /// The chain of a rank, and its position in it.
    fn link(&self, v: u32) -> (u32, u32) {
        let (others, k) = (self.size - 1, self.k);
        let (short, longer) = (others / k, others % k);
        let at = v - 1;
        match at < longer * (short + 1) {
            true => (at / (short + 1), at % (short + 1)),
            false => {
                let at = at - longer * (short + 1);
                (longer + at / short, at % short)
            }
        }
    }

    /// A rank's level, the number of ranks on it, and the first of them.
    fn level(&self, v: u32) -> (u32, u64, u64) {
        let (mut level, mut width, mut first) = (0, 1, 0);
        while u64::from(v) >= first + width {
            (level, first, width) = (level + 1, first + width, width * u64::from(self.k));
        }
        (level, width, first)
    }

    /// Descends to rank `v` in a tree whose subtrees are ranges. Returns its parent, its depth, and
    /// the number of digits of its own subtrees.
    fn descend(&self, v: u32) -> (u32, u32, u32) {
        let (mut parent, mut here, mut depth) = (0, 0, 0);
        let (mut level, mut first) = (self.digits(), 1u64);
        while here != v {
            level -= 1;
            let width = u64::from(self.k).pow(level);
            let end = first + width * u64::from(self.k - 1);
            if u64::from(v) < end {
                let nth = (u64::from(v) - first) / width;
                (parent, here, depth) = (here, (first + nth * width) as u32, depth + 1);
                first = u64::from(here) + 1;
            } else {
                first = end;
            }
        }
        (parent, depth, level)
    }

    fn parent(&self, v: u32) -> u32 {
        match self.shape {
            TreeShape::Kary => (v - 1) / self.k,
            TreeShape::Knomial1 => self.descend(v).0,
            TreeShape::Knomial2 => {
                let mut unit = 1;
                while (v / unit).is_multiple_of(self.k) {
                    unit *= self.k;
                }
                v - v / unit % self.k * unit
            }
            TreeShape::Chain if self.link(v).1 == 0 => 0,
            TreeShape::Chain => v - 1,
            TreeShape::Levels => {
                let (_, width, first) = self.level(v);
                let above = width / u64::from(self.k);
                (first - above + (u64::from(v) - first) % above) as u32
            }
        }
    }

    /// Calls `to` for each child, in the order in which they are served.
    fn children(&self, v: u32, mut to: impl FnMut(u32)) {
        let (k, size) = (u64::from(self.k), u64::from(self.size));
        let mut child = |v: u64| {
            if v < size {
                to(v as u32);
            }
            v < size
        };
        let from = u64::from(v);
        match self.shape {
            TreeShape::Kary => {
                let _ = (1..=k).all(|i| child(from * k + i));
            }
            TreeShape::Knomial1 => {
                let (_, _, mut level) = self.descend(v);
                let mut next = from + 1;
                while level > 0 {
                    level -= 1;
                    for _ in 1..k {
                        child(next);
                        next += k.pow(level);
                    }
                }
            }
            TreeShape::Knomial2 => {
                let below = (0..self.digits()).find(|&j| from / k.pow(j) % k != 0);
                for j in (0..below.unwrap_or(self.digits())).rev() {
                    for i in (1..k).rev() {
                        child(from + i * k.pow(j));
                    }
                }
            }
            TreeShape::Chain if v == 0 => {
                let _ = (0..self.k.min(self.size - 1)).all(|nth| child(self.chain(nth).0.into()));
            }
            TreeShape::Chain => {
                let (nth, place) = self.link(v);
                if place + 1 < self.chain(nth).1 {
                    child(from + 1);
                }
            }
            TreeShape::Levels => {
                let width = self.level(v).1;
                let _ = (1..=k).all(|i| child(from + i * width));
            }
        }
    }

    /// Number of edges between a rank and the root.
    fn depth(&self, v: u32) -> u32 {
        match self.shape {
            TreeShape::Kary if self.k == 1 => v,
            TreeShape::Kary => {
                let (mut v, mut depth) = (v, 0);
                while v > 0 {
                    (v, depth) = ((v - 1) / self.k, depth + 1);
                }
                depth
            }
            TreeShape::Knomial1 => self.descend(v).1,
            TreeShape::Knomial2 => {
                let (mut v, mut depth) = (v, 0);
                while v > 0 {
                    (v, depth) = (v / self.k, depth + u32::from(v % self.k != 0));
                }
                depth
            }
            TreeShape::Chain if v == 0 => 0,
            TreeShape::Chain => self.link(v).1 + 1,
            TreeShape::Levels => self.level(v).0,
        }
    }

    /// The largest depth.
    fn height(&self) -> u32 {
        if self.size < 2 {
            return 0;
        }
        match self.shape {
            TreeShape::Kary | TreeShape::Levels => self.depth(self.size - 1),
            TreeShape::Chain => self.chain(0).1,
            // The first child's subtree is the largest.
            TreeShape::Knomial1 => {
                let (mut left, mut level, mut height) = (self.size, self.digits(), 0);
                while left > 1 {
                    level -= 1;
                    (left, height) = ((left - 1).min(self.k.pow(level)), height + 1);
                }
                height
            }
            // The largest number of nonzero digits among the numbers up to the last rank: a prefix
            // of its digits, one digit less, then any digits.
            TreeShape::Knomial2 => {
                let (last, mut unit, mut place, mut best) = (self.size - 1, 1u64, 0, 0);
                while unit <= u64::from(last) {
                    let digit = u64::from(last) / unit % u64::from(self.k);
                    let above = self.depth((u64::from(last) / unit / u64::from(self.k)) as u32);
                    if digit > 0 {
                        best = best.max(above + u32::from(digit > 1) + place);
                    }
                    (unit, place) = (unit * u64::from(self.k), place + 1);
                }
                best.max(self.depth(last))
            }
        }
    }
}

/// A vector, or a range of it, along a tree.
pub(crate) struct Pipeline {
    tree: Tree,
    height: u32,
    at: u64,
    bytes: u64,
    /// Bytes of a segment; the first one holds the remainder, as in MPICH.
    segment: u64,
    segments: u32,
    /// By shared memory within a node: each segment is written once.
    is_shared: bool,
}

impl Pipeline {
    /// In segments of at most `chunk` bytes; 0 means one segment.
    pub(crate) fn new(c: &Collective, tree: Tree, chunk: u64, is_shared: bool) -> Pipeline {
        Pipeline {
            is_shared,
            ..Pipeline::of_part(c, tree, chunk, ByteRange { at: 0, len: c.bytes })
        }
    }
    fn of_part(
        c: &Collective,
        tree: Tree,
        chunk: u64,
        ByteRange { at, len: bytes }: ByteRange,
    ) -> Pipeline {
        let grain = if c.kind.reduces() { c.grain.max(1) } else { 1 };
        let chunk = if chunk == 0 { u64::MAX } else { chunk };
        let least = c.bytes.div_ceil(SEGMENTS_MAX);
        let segment = (chunk / grain).max(least.div_ceil(grain)).max(1).saturating_mul(grain);
        let segments = bytes.div_ceil(segment).max(1) as u32;
        let height = tree.height();
        Pipeline { tree, height, at, bytes, segment, segments, is_shared: false }
    }
    pub(crate) fn rounds(&self) -> u32 {
        if self.height == 0 { 0 } else { self.segments + self.height - 1 }
    }
    fn part(&self, nth: u32) -> ByteRange {
        let first = self.bytes - u64::from(self.segments - 1) * self.segment.min(self.bytes);
        match nth {
            0 => ByteRange { at: self.at, len: first },
            nth => {
                let before = first + u64::from(nth - 1) * self.segment;
                ByteRange { at: self.at + before, len: self.segment }
            }
        }
    }
    /// The segment of that number, if it exists.
    fn segment(&self, nth: i64) -> Option<ByteRange> {
        u32::try_from(nth).ok().filter(|&n| n < self.segments).map(|n| self.part(n))
    }

    /// From the root to all ranks.
    pub(crate) fn down(&self, c: &Collective, k: u32, out: &mut impl RoundSink) {
        let v = c.relative();
        let depth = i64::from(self.tree.depth(v));
        if let Some(part) = self.segment(i64::from(k) - depth) {
            let mut is_first = true;
            self.tree.children(v, |child| {
                match self.is_shared {
                    true => out.send_shared(c.real(child), part, is_first),
                    false => out.send(c.real(child), part),
                }
                is_first = false;
            });
        }
        if v > 0
            && let Some(part) = self.segment(i64::from(k) - depth + 1)
        {
            out.recv(c.real(self.tree.parent(v)), part, ApplyMode::Write);
        }
    }

    /// From all ranks to the root, which is last in every combination: for operators that commute.
    pub(crate) fn up(&self, c: &Collective, k: u32, out: &mut impl RoundSink) {
        let v = c.relative();
        let behind = i64::from(k) + i64::from(self.tree.depth(v)) - i64::from(self.height);
        if v > 0
            && let Some(part) = self.segment(behind)
        {
            let parent = c.real(self.tree.parent(v));
            match self.is_shared {
                true => out.send_shared(parent, part, true),
                false => out.send(parent, part),
            }
        }
        if let Some(part) = self.segment(behind + 1) {
            self.tree.children(v, |child| out.recv(c.real(child), part, ApplyMode::CombineRight));
        }
    }
}

/// Open MPI's broadcast along a binary tree. Each side gets half of the vector; at the end every
/// rank exchanges halves with a rank of the other side.
pub(crate) struct SplitTree {
    tree: Tree,
    sides: [Pipeline; 2],
}

impl SplitTree {
    pub(crate) fn new(c: &Collective, chunk: u64) -> SplitTree {
        let tree = Tree::new(TreeShape::Levels, 2, c.member.size);
        let half = c.bytes / 2;
        let parts = [ByteRange { at: 0, len: half }, ByteRange { at: half, len: c.bytes - half }];
        SplitTree { tree, sides: parts.map(|part| Pipeline::of_part(c, tree, chunk, part)) }
    }
    pub(crate) fn rounds(&self) -> u32 {
        self.tail() + 1
    }
    fn tail(&self) -> u32 {
        self.sides[0].rounds().max(self.sides[1].rounds())
    }
    /// Odd ranks, numbered from the root, are on the first child's side.
    fn side(&self, v: u32) -> &Pipeline {
        &self.sides[usize::from(v.is_multiple_of(2))]
    }
    fn half(&self, v: u32) -> ByteRange {
        let side = self.side(v);
        ByteRange { at: side.at, len: side.bytes }
    }

    pub(crate) fn down(&self, c: &Collective, k: u32, out: &mut impl RoundSink) {
        let v = c.relative();
        if k == self.tail() {
            return self.swap(c, out);
        }
        let behind = i64::from(k) - i64::from(self.tree.depth(v));
        self.tree.children(v, |child| {
            if let Some(part) = self.side(child).segment(behind) {
                out.send(c.real(child), part);
            }
        });
        if v > 0
            && let Some(part) = self.side(v).segment(behind + 1)
        {
            out.recv(c.real(self.tree.parent(v)), part, ApplyMode::Write);
        }
    }

    /// With an even number of ranks the last one has no partner and gets the root's half.
    fn swap(&self, c: &Collective, out: &mut impl RoundSink) {
        let (p, v) = (c.member.size, c.relative());
        let unpaired = p.is_multiple_of(2).then_some(p - 1);
        if v == 0 {
            if let Some(last) = unpaired {
                out.send(c.real(last), self.half(0));
            }
        } else if Some(v) == unpaired {
            out.recv(c.real(0), self.half(0), ApplyMode::Write);
        } else {
            let peer = if v.is_multiple_of(2) { v - 1 } else { v + 1 };
            out.send(c.real(peer), self.half(v));
            out.recv(c.real(peer), self.half(peer), ApplyMode::Write);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn children(tree: &Tree, v: u32) -> Vec<u32> {
        let mut all = Vec::new();
        tree.children(v, |child| all.push(child));
        all
    }

    /// The examples in MPICH's source for its two k-nomial trees, 8 ranks of radix 2; Open MPI's
    /// chains of unequal length.
    #[test]
    fn trees_match_the_documented_examples() {
        let of = |shape, k, size| {
            let tree = Tree::new(shape, k, size);
            (0..size).map(|v| children(&tree, v)).collect::<Vec<_>>()
        };
        let none = Vec::new;
        assert_eq!(
            of(TreeShape::Knomial1, 2, 8),
            [vec![1, 5, 7], vec![2, 4], vec![3], none(), none(), vec![6], none(), none()]
        );
        assert_eq!(
            of(TreeShape::Knomial2, 2, 8),
            [vec![4, 2, 1], none(), vec![3], none(), vec![6, 5], none(), vec![7], none()]
        );
        assert_eq!(of(TreeShape::Kary, 2, 5), [vec![1, 2], vec![3, 4], none(), none(), none()]);
        assert_eq!(
            of(TreeShape::Chain, 2, 6),
            [vec![1, 4], vec![2], vec![3], none(), vec![5], none()]
        );
        assert_eq!(
            of(TreeShape::Levels, 2, 7),
            [vec![1, 2], vec![3, 5], vec![4, 6], none(), none(), none(), none()]
        );
    }

    /// Every rank but the root is the child of exactly its parent and one level deeper, and the
    /// height is the largest depth.
    #[test]
    fn parents_children_depths_and_heights_agree() {
        for shape in TreeShape::ALL {
            for (k, size) in (1..=7).chain([64]).flat_map(|k| (1..=130).map(move |p| (k, p))) {
                let tree = Tree::new(shape, k, size);
                let mut seen = vec![0; size as usize];
                for v in 0..size {
                    for child in children(&tree, v) {
                        seen[child as usize] += 1;
                        let at = format!("{shape:?} {k} {size}: {v} to {child}");
                        assert_eq!(tree.parent(child), v, "{at}");
                        assert_eq!(tree.depth(child), tree.depth(v) + 1, "{at}");
                    }
                }
                assert_eq!(seen[0], 0);
                assert!(seen[1..].iter().all(|&n| n == 1), "{shape:?} {k} {size}: {seen:?}");
                let deepest = (0..size).map(|v| tree.depth(v)).max();
                assert_eq!(deepest, Some(tree.height()), "{shape:?} {k} {size}");
            }
        }
    }
}
