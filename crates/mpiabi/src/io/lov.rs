//! The extended attribute `lustre.lov`: the layout of a Lustre file, in the form of
//! `struct lov_user_md` (lustre_user.h of the Lustre sources). ROMIO reads and sets layouts in this
//! form.

use super::hints::{RequestedStriping, Striping};

/// Magic numbers: one layout, one with the name of a pool, and several components.
const V1: u32 = 0x0bd1_0bd0;
const V3: u32 = 0x0bd3_0bd0;
const COMPOSITE: u32 = 0x0bd6_0bd0;
/// Length of `lov_user_md_v1`, and of the header and an entry of `lov_comp_md_v1`, in bytes.
const PLAIN: usize = 32;
const HEADER: usize = 32;
const ENTRY: usize = 48;

pub(super) const NAME: &std::ffi::CStr = c"lustre.lov";

/// The attribute of a new file.
pub(super) fn encode(wanted: &RequestedStriping) -> Vec<u8> {
    let count = if wanted.count == u32::MAX { u16::MAX } else { wanted.count.min(2000) as u16 };
    // -1: the file system chooses.
    let first = u16::try_from(wanted.first).unwrap_or(u16::MAX);
    let mut out = Vec::with_capacity(PLAIN);
    out.extend(V1.to_le_bytes());
    out.extend([0; 20]); // pattern (default) and object id
    out.extend(u32::try_from(wanted.unit).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(first.to_le_bytes());
    out
}

/// The stripes that an attribute states: of several components, those of the last, which has the
/// largest files. `None` if it is invalid, or has no stripes.
pub(super) fn decode(attribute: &[u8]) -> Option<Striping> {
    let word = |at: usize| Some(u32::from_le_bytes(attribute.get(at..at + 4)?.try_into().ok()?));
    let half = |at: usize| Some(u16::from_le_bytes(attribute.get(at..at + 2)?.try_into().ok()?));
    match word(0)? {
        COMPOSITE => {
            let entries = usize::from(half(14)?);
            let last = HEADER + ENTRY * entries.checked_sub(1)?;
            let (at, length) = (word(last + 24)? as usize, word(last + 28)? as usize);
            let part = attribute.get(at..at.checked_add(length)?)?;
            let is_plain = part.len() >= 4 && part[..4] != COMPOSITE.to_le_bytes();
            if is_plain { decode(part) } else { None }
        }
        magic @ (V1 | V3) => {
            let (unit, count) = (word(24)?, half(28)?);
            // An object: id (16 bytes), generation and OST (4 bytes each). V3 has a pool's name
            // of 16 bytes before the objects.
            let objects = if magic == V3 { PLAIN + 16 } else { PLAIN };
            let first = word(objects + 20).unwrap_or(0);
            let has_stripes = unit > 0 && count > 0 && count < u16::MAX;
            has_stripes.then_some(Striping { count: count.into(), unit: unit.into(), first })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plain layout with the OSTs of its objects.
    fn plain(magic: u32, unit: u32, osts: &[u32]) -> Vec<u8> {
        let mut out = magic.to_le_bytes().to_vec();
        out.extend([0; 20]);
        out.extend(unit.to_le_bytes());
        out.extend((osts.len() as u16).to_le_bytes());
        out.extend([0; 2]);
        if magic == V3 {
            out.extend(b"capacity\0\0\0\0\0\0\0\0");
        }
        for ost in osts {
            out.extend([0; 20]);
            out.extend(ost.to_le_bytes());
        }
        out
    }

    #[test]
    fn plain_layouts_state_their_stripes() {
        for magic in [V1, V3] {
            let found = decode(&plain(magic, 4 << 20, &[7, 3, 9]));
            assert_eq!(found, Some(Striping { count: 3, unit: 4 << 20, first: 7 }));
        }
    }

    #[test]
    fn the_last_of_several_components_counts() {
        let parts = [plain(V1, 1 << 20, &[5]), plain(V3, 2 << 20, &[1, 2, 3, 4])];
        let mut all = COMPOSITE.to_le_bytes().to_vec();
        all.extend([0; 10]);
        all.extend(2_u16.to_le_bytes());
        all.resize(HEADER, 0);
        let mut at = HEADER + 2 * ENTRY;
        for part in &parts {
            let mut entry = vec![0; 24];
            entry.extend((at as u32).to_le_bytes());
            entry.extend((part.len() as u32).to_le_bytes());
            entry.resize(ENTRY, 0);
            all.extend(entry);
            at += part.len();
        }
        all.extend(parts.concat());
        assert_eq!(decode(&all), Some(Striping { count: 4, unit: 2 << 20, first: 1 }));
        assert_eq!(decode(&all[..all.len() - 100]), None);
    }

    #[test]
    fn requests_leave_what_they_do_not_state_to_the_file_system() {
        let of = |count, unit, first| encode(&RequestedStriping { count, unit, first });
        assert_eq!(of(8, 1 << 20, 2).len(), PLAIN);
        assert_eq!(of(8, 1 << 20, 2)[24..], [0, 0, 16, 0, 8, 0, 2, 0]);
        assert_eq!(of(0, 0, -1)[24..], [0, 0, 0, 0, 0, 0, 255, 255]);
        assert_eq!(of(u32::MAX, 0, -1)[28..30], [255, 255]);
    }

    #[test]
    fn invalid_attributes_are_refused() {
        let good = plain(V1, 4096, &[1]);
        assert_eq!(decode(&[]), None);
        assert_eq!(decode(&good[..20]), None);
        assert_eq!(decode(&plain(17, 4096, &[1])), None);
        assert_eq!(decode(&plain(V1, 0, &[1])), None);
        assert_eq!(decode(&plain(V1, 4096, &[])), None);
    }
}
