//! File views: tiles of a filetype from a displacement on, counted in etypes.
//!
//! Positions count visible bytes. A filetype becomes a tree in which a position is found by
//! division, so a view of a million blocks needs no list of a million.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::datarep::{FileLayout, Named, Representation};
use super::disk::Runs;
use crate::abi::c;
use crate::datatype::map::Map;
use crate::error::{Result, fail};

pub(super) struct View {
    pub displacement: i64,
    pub etype: Named,
    pub filetype: Named,
    pub representation: Representation,
    /// Bytes of an etype in the file.
    pub unit: u64,
    tile: Tile,
}

/// Part of a tile: `bytes` visible bytes, the first of them at offset 0 or later.
struct Node {
    bytes: u64,
    shape: NodeShape,
}

enum NodeShape {
    Run,
    Repeat {
        count: u64,
        stride: i64,
        body: Arc<Node>,
    },
    /// Visible bytes before each part, its offset, and the part.
    List(Vec<(u64, i64, Arc<Node>)>),
}

struct Tile {
    at: i64,
    extent: i64,
    node: Arc<Node>,
}

/// Shared parts of a map become shared nodes.
fn node(map: &Arc<Map>, known: &mut BTreeMap<*const Map, Arc<Node>>) -> Arc<Node> {
    if let Some(found) = known.get(&Arc::as_ptr(map)) {
        return found.clone();
    }
    let made = match &**map {
        Map::Run(bytes) => Node { bytes: *bytes, shape: NodeShape::Run },
        Map::Repeat { count, stride, body } => {
            let body = node(body, known);
            let bytes = count * body.bytes;
            Node { bytes, shape: NodeShape::Repeat { count: *count, stride: *stride, body } }
        }
        Map::List(list) => {
            let mut bytes = 0;
            let mut parts = Vec::with_capacity(list.len());
            for part in list {
                let node = node(&part.map, known);
                let before = bytes;
                bytes += node.bytes;
                parts.push((before, part.at, node));
            }
            Node { bytes, shape: NodeShape::List(parts) }
        }
    };
    let made = Arc::new(made);
    known.insert(Arc::as_ptr(map), made.clone());
    made
}

impl Node {
    /// Visits the runs from visible byte `skip` on; returning `false` ends the walk.
    fn walk(&self, at: i64, skip: u64, visit: &mut dyn FnMut(i64, u64) -> bool) -> bool {
        match &self.shape {
            NodeShape::Run => visit(at.saturating_add(skip as i64), self.bytes - skip),
            NodeShape::Repeat { count, stride, body } => {
                let first = skip / body.bytes;
                (first..*count).all(|i| {
                    let skip = if i == first { skip % body.bytes } else { 0 };
                    body.walk(at.saturating_add(i as i64 * stride), skip, visit)
                })
            }
            NodeShape::List(parts) => {
                let first = parts.partition_point(|part| part.0 <= skip) - 1;
                parts[first..].iter().enumerate().all(|(i, (before, offset, part))| {
                    let skip = if i == 0 { skip - before } else { 0 };
                    part.walk(at.saturating_add(*offset), skip, visit)
                })
            }
        }
    }
    /// First byte, start of the last run, and end. `None` if the runs do not ascend, or overlap
    /// where this is not allowed.
    fn ascending(&self, may_overlap: bool) -> Option<(i64, i64, i64)> {
        let follows = |last: (i64, i64, i64), next: (i64, i64, i64)| {
            next.0 >= if may_overlap { last.1 } else { last.2 }
        };
        match &self.shape {
            NodeShape::Run => Some((0, 0, self.bytes as i64)),
            NodeShape::Repeat { count, stride, body } => {
                let (low, last, high) = body.ascending(may_overlap)?;
                let by = (*count as i64 - 1) * stride;
                let next = (low + stride, last + stride, high + stride);
                follows((low, last, high), next).then_some((low, last + by, high + by))
            }
            NodeShape::List(parts) => {
                let mut all: Option<(i64, i64, i64)> = None;
                for (_, at, part) in parts {
                    let (low, last, high) = part.ascending(may_overlap)?;
                    let next = (low + at, last + at, high + at);
                    all = Some(match all {
                        None => next,
                        Some(before) if follows(before, next) => (before.0, next.1, next.2),
                        Some(_) => return None,
                    });
                }
                all
            }
        }
    }
}

impl View {
    /// The default view: every byte of the file.
    pub fn plain() -> View {
        let byte = Named::committed(c::BYTE).expect("predefined");
        View::new(0, byte.clone(), byte, Representation::Native, true).expect("the default view")
    }

    /// Checks that the filetype is valid for the etype.
    pub fn new(
        displacement: i64,
        etype: Named,
        filetype: Named,
        representation: Representation,
        may_overlap: bool,
    ) -> Result<View> {
        let unit = representation.bytes_in_file(&etype)?;
        let FileLayout { placed, bytes, extent } = representation.layout(&filetype)?;
        if bytes.checked_rem(unit).unwrap_or(bytes) != 0 {
            let (e, f) = (unit, bytes);
            return fail!(c::ERR_ARG, "a filetype of {f} bytes is not made of etypes of {e}");
        }
        let node = node(&placed.map, &mut BTreeMap::new());
        if bytes > 0 {
            match node.ascending(may_overlap) {
                None => {
                    let what = "the displacements of the filetype do not ascend, or they overlap";
                    return fail!(c::ERR_IO, "{what}");
                }
                Some((low, ..)) if low + placed.at < 0 => {
                    return fail!(c::ERR_IO, "the filetype has a negative displacement");
                }
                Some(_) if extent <= 0 => {
                    return fail!(c::ERR_IO, "the filetype has an extent of {extent}");
                }
                Some(_) => {}
            }
        }
        let tile = Tile { at: placed.at, extent, node };
        Ok(View { displacement, etype, filetype, representation, unit, tile })
    }

    /// File offset of visible byte `at`.
    pub fn offset_of(&self, at: u64) -> i64 {
        let mut found = self.displacement;
        self.walk(at, &mut |offset, _| {
            found = offset;
            false
        });
        found
    }

    /// Visits all runs from visible byte `from` on, until `visit` returns `false`.
    fn walk(&self, from: u64, visit: &mut dyn FnMut(i64, u64) -> bool) {
        let Tile { at, extent, node } = &self.tile;
        if node.bytes == 0 {
            return;
        }
        let (mut tile, mut skip) = (from / node.bytes, from % node.bytes);
        loop {
            let place = i128::from(tile) * i128::from(*extent) + i128::from(self.displacement + at);
            let place = i64::try_from(place).unwrap_or(i64::MAX);
            if !node.walk(place, skip, visit) {
                return;
            }
            (tile, skip) = (tile + 1, 0);
        }
    }

    /// Whether every byte from the displacement on is visible.
    fn is_plain(&self) -> bool {
        let Tile { extent, node, .. } = &self.tile;
        matches!(node.shape, NodeShape::Run) && node.bytes as i64 == *extent
    }

    /// The longest ranges of the file that hold `len` visible bytes from `from` on.
    pub fn runs(&self, from: u64, len: u64) -> ViewRuns<'_> {
        ViewRuns { view: self, from, len }
    }

    /// Visible bytes before file offset `end`, rounded up to whole etypes.
    pub fn visible_before(&self, end: i64) -> u64 {
        let Tile { extent, node, .. } = &self.tile;
        if node.bytes == 0 || end <= self.displacement {
            return 0;
        }
        // Offsets ascend with positions, so binary search finds the first one at or after `end`.
        let tiles = ((end - self.displacement) / *extent) as u64 + 1;
        let (mut low, mut high) = (0, tiles.saturating_mul(node.bytes));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.offset_of(middle) < end {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.next_multiple_of(self.unit.max(1))
    }
}

pub(super) struct ViewRuns<'a> {
    view: &'a View,
    from: u64,
    len: u64,
}

impl Runs for ViewRuns<'_> {
    fn each(self, visit: &mut dyn FnMut(i64, u64) -> bool) {
        let mut left = self.len;
        if left == 0 || self.view.tile.node.bytes == 0 {
            return;
        }
        if self.view.is_plain() {
            visit(self.view.offset_of(self.from), left);
            return;
        }
        let mut pending: Option<(i64, u64)> = None;
        let mut continues = true;
        self.view.walk(self.from, &mut |at, len| {
            let len = len.min(left);
            left -= len;
            match &mut pending {
                Some(run) if run.0.saturating_add(run.1 as i64) == at => run.1 += len,
                _ => {
                    if let Some(run) = pending.replace((at, len)) {
                        continues = visit(run.0, run.1);
                    }
                }
            }
            continues && left > 0
        });
        if let (Some(run), true) = (pending, continues) {
            visit(run.0, run.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_int;

    use super::*;
    use crate::abi::Datatype;
    use crate::datatype::calls::*;
    use crate::datatype::map::Visitor;

    /// Offsets of all bytes of an item.
    struct Bytes(Vec<i64>);

    impl Visitor for Bytes {
        fn run(&mut self, at: i64, len: u64) -> bool {
            self.0.extend(at..at + len as i64);
            true
        }
    }

    /// Reproducible numbers from a seed.
    struct Draws(u64);

    impl Draws {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) % n
        }
    }

    /// A random type whose displacements ascend.
    fn ascending(draws: &mut Draws, depth: u32) -> Datatype {
        let mut new = c::DATATYPE_NULL;
        if depth == 0 {
            return [c::BYTE, c::SHORT, c::INT][draws.below(3) as usize];
        }
        let old = ascending(draws, depth - 1);
        let n = 1 + draws.below(4) as usize;
        let gap = |draws: &mut Draws| draws.below(3) as c_int;
        unsafe {
            match draws.below(4) {
                0 => Type_contiguous::<c_int>(n as c_int, old, &raw mut new),
                1 => {
                    let len = 1 + gap(draws);
                    let stride = len + gap(draws);
                    Type_vector::<c_int>(n as c_int, len, stride, old, &raw mut new)
                }
                2 => {
                    let (mut lengths, mut displacements, mut at) = (vec![], vec![], 0);
                    for _ in 0..n {
                        at += gap(draws);
                        lengths.push(1 + gap(draws));
                        displacements.push(at);
                        at += lengths.last().expect("just pushed");
                    }
                    let (l, d) = (lengths.as_ptr(), displacements.as_ptr());
                    Type_indexed::<c_int>(n as c_int, l, d, old, &raw mut new)
                }
                _ => {
                    let (mut size, mut part) = (0, 0);
                    let mut start = gap(draws);
                    size += start + n as c_int + gap(draws);
                    part += n as c_int;
                    let (s, p, f) = (&raw mut size, &raw mut part, &raw mut start);
                    let order = c::ORDER_C;
                    Type_create_subarray::<c_int>(1, s, p, f, order, old, &raw mut new)
                }
            }
            .expect("good arguments");
            Type_commit(&raw mut new).expect("a type");
        }
        new
    }

    #[test]
    fn runs_are_the_bytes_of_the_tiles_one_after_another() {
        for seed in 0..300 {
            println!("seed {seed}");
            let draws = &mut Draws(seed);
            let depth = 1 + draws.below(3) as u32;
            let handle = ascending(draws, depth);
            let filetype = Named::committed(handle).expect("committed");
            let of = filetype.datatype.clone();
            let mut tile = Bytes(Vec::new());
            of.placed().walk(1, of.extent(), &mut tile);
            let byte = Named::committed(c::BYTE).expect("predefined");
            let displacement = draws.below(50) as i64;
            let native = Representation::Native;
            let view = View::new(displacement, byte, filetype, native, false).expect("ascending");

            let size = tile.0.len() as u64;
            let offset = |at: u64| {
                let tiles = (at / size) as i64 * of.extent();
                displacement + tiles + tile.0[(at % size) as usize]
            };
            for _ in 0..10 {
                let (from, len) = (draws.below(4 * size), draws.below(3 * size + 2));
                let (mut seen, mut end) = (Vec::new(), None);
                view.runs(from, len).each(&mut |at, len| {
                    assert_ne!(end, Some(at), "two runs touch");
                    seen.extend(at..at + len as i64);
                    end = Some(at + len as i64);
                    true
                });
                let wanted: Vec<i64> = (from..from + len).map(offset).collect();
                assert_eq!(seen, wanted);
                assert_eq!(view.offset_of(from), offset(from));
                let end = draws.below(3 * of.extent() as u64 + 60) as i64;
                let before = (0..).take_while(|&at| offset(at) < end).count() as u64;
                assert_eq!(view.visible_before(end), before, "before {end}");
            }
        }
    }

    #[test]
    fn descending_displacements_are_no_filetype() {
        let byte = || Named::committed(c::BYTE).expect("predefined");
        let made = |displacements: [c_int; 2], may_overlap| {
            let mut new = c::DATATYPE_NULL;
            let lengths = [2, 2];
            unsafe {
                let (l, d) = (lengths.as_ptr(), displacements.as_ptr());
                Type_indexed::<c_int>(2, l, d, c::BYTE, &raw mut new).expect("good arguments");
                Type_commit(&raw mut new).expect("a type");
            }
            let filetype = Named::committed(new).expect("committed");
            View::new(0, byte(), filetype, Representation::Native, may_overlap).is_ok()
        };
        assert!(made([0, 2], false) && made([1, 8], false));
        assert!(!made([2, 0], false) && !made([2, 0], true));
        assert!(!made([0, 1], false) && made([0, 1], true));
        assert!(!made([-1, 4], true));
    }
}
