//! Layouts: from a byte of a file to an object and a byte of the object.
//!
//! Knows no server. A composite layout (PFL) has components by extents of the file; each is striped
//! over objects (RAID-0), or lies on the MDT (DoM). Offsets in objects count from byte 0 of the
//! file, also in later components.

use super::extents::{EOF, Extent};

base::ids! {
    /// An object of a file on an OST, or the data of a file on its MDT.
    ObjectId,
}

/// How a component is to be created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Template {
    /// First byte after it; `EOF` for the last.
    pub end: u64,
    /// Number of stripes; `u32::MAX` is one per OST.
    pub stripes: u32,
    pub stripe_size: u64,
    pub first_ost: Option<u32>,
    /// Index of the pool, or all OSTs.
    pub pool: Option<u16>,
    pub on_mdt: bool,
    pub overstriping: bool,
}

/// A part of a file's layout.
#[derive(Clone, Debug)]
pub struct Component {
    pub template: Template,
    /// Empty until the first write to the component: not instantiated.
    pub objects: Vec<ObjectId>,
}

/// The layout of a file.
#[derive(Clone, Debug)]
pub struct Layout {
    pub components: Vec<Component>,
}

/// Bytes of a file that are consecutive in one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// `None`: the component is not instantiated.
    pub object: Option<ObjectId>,
    /// Bytes of the object.
    pub extent: Extent,
}

impl Layout {
    pub fn new(templates: &[Template]) -> Self {
        let component = |&template: &Template| Component { template, objects: Vec::new() };
        Layout { components: templates.iter().map(component).collect() }
    }

    /// Index of the component of the byte at `offset`.
    pub fn component(&self, offset: u64) -> usize {
        let at = self.components.partition_point(|c| c.template.end <= offset);
        at.min(self.components.len() - 1)
    }

    /// The longest piece from `offset`, which ends at `end` at the latest.
    pub fn piece(&self, offset: u64, end: u64) -> Piece {
        let index = self.component(offset);
        let Component { template, objects } = &self.components[index];
        let last = end.min(template.end);
        if objects.len() <= 1 {
            let extent = Extent::new(offset, last);
            return Piece { object: objects.first().copied(), extent };
        }
        let (n, size) = (objects.len() as u64, template.stripe_size);
        let stripe = offset / size;
        let bytes = (size - offset % size).min(last - offset);
        let start = stripe / n * size + offset % size;
        Piece {
            object: Some(objects[(stripe % n) as usize]),
            extent: Extent::new(start, start + bytes),
        }
    }

    /// The extents of objects that hold `range` of the file, joined where they are consecutive.
    pub fn object_extents(&self, range: Extent) -> Vec<(ObjectId, Extent)> {
        let mut extents: Vec<(ObjectId, Extent)> = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let piece = self.piece(at, range.end);
            at += piece.extent.bytes();
            let Some(object) = piece.object else { continue };
            let last = extents.iter_mut().rev().find(|e| e.0 == object);
            match last {
                Some((_, extent)) if extent.end == piece.extent.start => {
                    extent.end = piece.extent.end;
                }
                _ => extents.push((object, piece.extent)),
            }
        }
        extents
    }

    /// For each object, the bytes that lie in the file at `size` or after it.
    pub fn beyond(&self, size: u64) -> Vec<(ObjectId, Extent)> {
        let mut all = Vec::new();
        for c in self.components.iter().filter(|c| c.template.end > size) {
            let (n, stripe_size) = (c.objects.len() as u64, c.template.stripe_size);
            for (i, &object) in c.objects.iter().enumerate() {
                let start = if n == 1 {
                    size
                } else {
                    let (stripe, within) = (size / stripe_size, size % stripe_size);
                    let (row, current) = (stripe / n, stripe % n);
                    match (i as u64).cmp(&current) {
                        std::cmp::Ordering::Less => (row + 1) * stripe_size,
                        std::cmp::Ordering::Equal => row * stripe_size + within,
                        std::cmp::Ordering::Greater => row * stripe_size,
                    }
                };
                all.push((object, Extent::new(start, EOF)));
            }
        }
        all
    }

    pub fn objects(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.components.iter().flat_map(|c| c.objects.iter().copied())
    }
    /// Whether all data that exist are on the MDT, so that it knows the size.
    pub fn only_on_mdt(&self) -> bool {
        self.components.iter().all(|c| c.template.on_mdt || c.objects.is_empty())
    }
}

/// A layout request in the terms of this file system, or invalid.
#[derive(Clone, Debug)]
pub struct RequestedLayout {
    pub templates: Option<Vec<Template>>,
    pub mdt_count: u32,
    pub first_mdt: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn template(end: u64) -> Template {
        Template {
            end,
            stripes: 1,
            stripe_size: MIB,
            first_ost: None,
            pool: None,
            on_mdt: false,
            overstriping: false,
        }
    }

    fn striped(n: u32) -> Layout {
        let mut layout = Layout::new(&[template(EOF)]);
        layout.components[0].objects = (0..n).map(ObjectId).collect();
        layout
    }

    #[test]
    fn stripes_alternate_over_objects() {
        let layout = striped(3);
        for (offset, object, start) in [(0, 0, 0), (MIB, 1, 0), (3 * MIB + 5, 0, MIB + 5)] {
            let piece = layout.piece(offset, EOF);
            assert_eq!(piece.object, Some(ObjectId(object)));
            assert_eq!(piece.extent.start, start);
            assert_eq!(piece.extent.end % MIB, 0, "a piece ends with its stripe");
        }
    }

    #[test]
    fn consecutive_stripes_of_an_object_are_joined() {
        let extents = striped(2).object_extents(Extent::new(0, 4 * MIB));
        let both = Extent::new(0, 2 * MIB);
        assert_eq!(extents, [(ObjectId(0), both), (ObjectId(1), both)]);
    }

    #[test]
    fn bytes_beyond_a_size_begin_in_the_stripe_of_the_size() {
        let starts: Vec<u64> =
            striped(3).beyond(4 * MIB + 7).iter().map(|(_, e)| e.start).collect();
        assert_eq!(starts, [2 * MIB, MIB + 7, MIB]);
    }

    #[test]
    fn a_composite_layout_changes_objects_at_its_component() {
        let mut layout = Layout::new(&[template(MIB), template(EOF)]);
        layout.components[0].objects = vec![ObjectId(4)];
        let first = layout.piece(MIB - 10, MIB + 10);
        assert_eq!((first.object, first.extent.bytes()), (Some(ObjectId(4)), 10));
        assert_eq!(layout.piece(MIB, MIB + 10).object, None);
        layout.components[1].objects = vec![ObjectId(5), ObjectId(6)];
        // Byte 1 MiB is in stripe 1, which is the second object; offsets count from byte 0.
        let second = layout.piece(MIB, MIB + 10);
        assert_eq!((second.object, second.extent.start), (Some(ObjectId(6)), 0));
    }
}
