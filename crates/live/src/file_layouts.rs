//! Layouts of files as programs set them: the extended attribute `lustre.lov` in the form of
//! `struct lov_user_md` (lustre_user.h of the Lustre sources), or a text for what that form lacks.
//! The MDTs of a directory are the attribute `lustre.lmv`, always a text.
//!
//! The text has entries `key=value` separated by blanks: `mdt_count`, `first_mdt`, `oclass`,
//! `dir_oclass`, `chunk_size`.

use std::ffi::CStr;
use workload::file_request::LAYOUT_NAMES;
use workload::{LayoutComponent, LayoutRequest};

/// Names of the attribute with the MDTs of a directory.
const MDT_NAMES: [&[u8]; 2] = [b"lustre.lmv", b"trusted.lmv"];
/// Attributes of the simulated file system: the objects of a file, and the usage of targets
/// (`storage::FileSystem::describe`).
pub(crate) const OBJECTS: &[u8] = b"odonata.objects";
pub(crate) const USAGE: &[u8] = b"odonata.usage";
/// The attribute of a file of the store that holds its layout.
pub(crate) use workload::file_request::STORED_LAYOUT as STORED;
/// The same for the MDTs of a directory, which new entries do not inherit.
const STORED_MDTS: &CStr = c"user.odonata.mdts";

/// Magic numbers: one layout, one with the name of a pool, and several components.
const V1: u32 = 0x0bd1_0bd0;
const V3: u32 = 0x0bd3_0bd0;
const COMPOSITE: u32 = 0x0bd6_0bd0;
/// Length of `lov_user_md_v1`, of a pool's name, and of the header and an entry of
/// `lov_comp_md_v1`, in bytes.
const PLAIN: usize = 32;
const POOL: usize = 16;
const HEADER: usize = 32;
const ENTRY: usize = 48;
/// Bits of `lmm_pattern`.
const ON_MDT: u32 = 0x100;
const OVERSTRIPING: u32 = 0x200;
/// The count that stands for all OSTs, and the first OST that the file system chooses.
const ALL: u16 = u16::MAX;
const ANY: u16 = u16::MAX;
/// Most components (LUSTRE_COMP_MAX is not limited; an attribute of 64 KiB has room for these).
const MAX_COMPONENTS: usize = 500;

/// The layout that the value of an attribute requests; `None` if it is invalid.
pub(crate) fn parse(value: &[u8]) -> Option<LayoutRequest> {
    match word(value, 0) {
        Some(V1 | V3) => {
            let components = vec![component(value)?];
            Some(LayoutRequest { components, ..LayoutRequest::default() })
        }
        Some(COMPOSITE) => composite(value),
        _ => text(value),
    }
}

/// The attribute of the store for an attribute of the program; `None` if it is no layout.
pub(crate) fn stored(name: &[u8]) -> Option<&'static CStr> {
    match () {
        () if LAYOUT_NAMES.contains(&name) => Some(STORED),
        () if MDT_NAMES.contains(&name) => Some(STORED_MDTS),
        () => None,
    }
}

/// Whether it states the MDTs of a directory.
pub(crate) fn is_of_directory(layout: &LayoutRequest) -> bool {
    layout.mdt_count > 0 || layout.first_mdt > 0
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}
fn double(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// A plain layout.
fn component(value: &[u8]) -> Option<LayoutComponent> {
    let magic = word(value, 0)?;
    if value.len() < PLAIN || magic != V1 && magic != V3 {
        return None;
    }
    let (pattern, unit) = (word(value, 4)?, word(value, 24)?);
    let (count, first) = (half(value, 28)?, half(value, 30)?);
    let pool = match magic {
        V3 => value.get(PLAIN..PLAIN + POOL)?,
        _ => &[],
    };
    let end = pool.iter().position(|&byte| byte == 0).unwrap_or(pool.len());
    let on_mdt = pattern & ON_MDT != 0;
    Some(LayoutComponent {
        end: 0,
        stripe_count: match count {
            _ if on_mdt => 0,
            ALL => u32::MAX,
            count => count.into(),
        },
        stripe_size: unit.into(),
        first_ost: if first == ANY { 0 } else { u32::from(first) + 1 },
        pool: std::str::from_utf8(&pool[..end]).ok()?.into(),
        on_mdt,
        overstriping: pattern & OVERSTRIPING != 0,
    })
}

/// Several components in order of their extents.
fn composite(value: &[u8]) -> Option<LayoutRequest> {
    let entries = usize::from(half(value, 14)?);
    if entries == 0 || entries > MAX_COMPONENTS {
        return None;
    }
    let mut components = Vec::new();
    let mut start = 0;
    for i in 0..entries {
        let entry = HEADER + ENTRY * i;
        let (from, end) = (double(value, entry + 8)?, double(value, entry + 16)?);
        let (at, length) = (word(value, entry + 24)? as usize, word(value, entry + 28)? as usize);
        let part = component(value.get(at..at.checked_add(length)?)?)?;
        if from != start || end <= start {
            return None;
        }
        start = end;
        components.push(LayoutComponent { end: if end == u64::MAX { 0 } else { end }, ..part });
    }
    // Bytes beyond the last component would have no place.
    if start != u64::MAX {
        return None;
    }
    Some(LayoutRequest { components, ..LayoutRequest::default() })
}

fn text(value: &[u8]) -> Option<LayoutRequest> {
    let mut request = LayoutRequest::default();
    let text = std::str::from_utf8(value).ok()?;
    for entry in text.split_ascii_whitespace() {
        let (key, value) = entry.split_once('=')?;
        match key {
            "mdt_count" => request.mdt_count = value.parse().ok()?,
            "first_mdt" => request.first_mdt = value.parse::<u32>().ok()?.checked_add(1)?,
            "oclass" => request.object_class = value.into(),
            "dir_oclass" => request.directory_class = value.into(),
            "chunk_size" => request.chunk_size = value.parse().ok()?,
            _ => return None,
        }
    }
    (request != LayoutRequest::default()).then_some(request)
}

/// The attribute of components, in order of their extents.
pub(crate) fn encode(components: &[LayoutComponent]) -> Vec<u8> {
    let parts: Vec<Vec<u8>> = components.iter().map(encode_component).collect();
    if let [part] = &parts[..] {
        return part.clone();
    }
    let mut at = HEADER + ENTRY * parts.len();
    let mut all = COMPOSITE.to_le_bytes().to_vec();
    all.extend([0; 10]);
    all.extend((parts.len() as u16).to_le_bytes());
    all.resize(HEADER, 0);
    let mut start = 0_u64;
    for (component, part) in components.iter().zip(&parts) {
        let end = if component.end == 0 { u64::MAX } else { component.end };
        let mut entry = (all.len() as u64).to_le_bytes().to_vec(); // id and flags: any
        entry.extend(start.to_le_bytes());
        entry.extend(end.to_le_bytes());
        entry.extend((at as u32).to_le_bytes());
        entry.extend((part.len() as u32).to_le_bytes());
        entry.resize(ENTRY, 0);
        all.extend(entry);
        (at, start) = (at + part.len(), end);
    }
    all.extend(parts.concat());
    let length = all.len() as u32;
    all[4..8].copy_from_slice(&length.to_le_bytes());
    all
}

fn encode_component(component: &LayoutComponent) -> Vec<u8> {
    let has_pool = !component.pool.is_empty();
    let pattern = match () {
        () if component.on_mdt => ON_MDT,
        () if component.overstriping => OVERSTRIPING | 1,
        () => 1,
    };
    let count = match component.stripe_count {
        u32::MAX => ALL,
        count => count.min(u32::from(ALL) - 1) as u16,
    };
    let first = component.first_ost.checked_sub(1).map_or(ANY, |ost| ost as u16);
    let mut out = if has_pool { V3 } else { V1 }.to_le_bytes().to_vec();
    out.extend(pattern.to_le_bytes());
    out.extend([0; 16]);
    out.extend(u32::try_from(component.stripe_size).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(first.to_le_bytes());
    if has_pool {
        let mut pool = component.pool.as_bytes().to_vec();
        pool.resize(POOL, 0);
        out.extend(pool);
    }
    out
}

/// Replaces what a layout leaves to the file system: a count and size of 0 by the default, and the
/// count of all OSTs by their number. A text stays as it is.
pub(crate) fn complete(mut value: Vec<u8>, default: (u16, u32), osts: u16) -> Vec<u8> {
    let starts: Vec<usize> = match word(&value, 0) {
        Some(V1 | V3) => vec![0],
        Some(COMPOSITE) => {
            let entries = half(&value, 14).map_or(0, usize::from);
            let start = |i: usize| word(&value, HEADER + ENTRY * i + 24);
            (0..entries).filter_map(start).map(|at| at as usize).collect()
        }
        _ => return value,
    };
    for at in starts {
        let (Some(pattern), Some(unit), Some(count)) =
            (word(&value, at + 4), word(&value, at + 24), half(&value, at + 28))
        else {
            continue;
        };
        if unit == 0 {
            value[at + 24..at + 28].copy_from_slice(&default.1.to_le_bytes());
        }
        let count = match count {
            0 if pattern & ON_MDT == 0 => default.0,
            ALL => osts,
            count => count,
        };
        value[at + 28..at + 30].copy_from_slice(&count.to_le_bytes());
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(magic: u32, pattern: u32, unit: u32, (count, first): (u16, u16)) -> Vec<u8> {
        let mut out = magic.to_le_bytes().to_vec();
        out.extend(pattern.to_le_bytes());
        out.extend([0; 16]);
        out.extend(unit.to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(first.to_le_bytes());
        if magic == V3 {
            out.extend(b"flash\0\0\0\0\0\0\0\0\0\0\0");
        }
        out
    }

    #[test]
    fn plain_layouts_state_stripes_and_pool() {
        let found = parse(&plain(V1, 1, 4 << 20, (8, ANY))).expect("valid");
        let expected =
            LayoutComponent { stripe_count: 8, stripe_size: 4 << 20, ..LayoutComponent::default() };
        assert_eq!(found.components, [expected]);
        let found = parse(&plain(V3, OVERSTRIPING, 0, (ALL, 3))).expect("valid");
        let first = &found.components[0];
        assert_eq!((first.stripe_count, first.first_ost, first.end), (u32::MAX, 4, 0));
        assert_eq!((first.pool.as_str(), first.overstriping), ("flash", true));
    }

    #[test]
    fn components_follow_each_other() {
        let composite = |extents: [(u64, u64); 2]| {
            let parts = [plain(V1, ON_MDT, 65_536, (1, ANY)), plain(V1, 1, 1 << 20, (4, ANY))];
            let mut all = COMPOSITE.to_le_bytes().to_vec();
            all.extend([0; 10]);
            all.extend(2_u16.to_le_bytes());
            all.resize(HEADER, 0);
            for (i, (from, end)) in extents.into_iter().enumerate() {
                let mut entry = vec![0; 8];
                entry.extend(from.to_le_bytes());
                entry.extend(end.to_le_bytes());
                entry.extend(((HEADER + 2 * ENTRY + i * PLAIN) as u32).to_le_bytes());
                entry.extend((PLAIN as u32).to_le_bytes());
                entry.resize(ENTRY, 0);
                all.extend(entry);
            }
            all.extend(parts.concat());
            all
        };
        let good = composite([(0, 65_536), (65_536, u64::MAX)]);
        let found = parse(&good).expect("valid").components;
        assert_eq!((found[0].end, found[0].on_mdt, found[0].stripe_count), (65_536, true, 0));
        assert_eq!((found[1].end, found[1].on_mdt, found[1].stripe_count), (0, false, 4));
        assert_eq!(parse(&composite([(0, 65_536), (1 << 20, u64::MAX)])), None);
        assert_eq!(parse(&good[..good.len() - 1]), None);
    }

    #[test]
    fn attributes_of_components_are_read_again() {
        let part = |end, count, first_ost| LayoutComponent {
            end,
            stripe_count: count,
            stripe_size: 2 << 20,
            first_ost,
            ..LayoutComponent::default()
        };
        let pool = LayoutComponent { pool: "flash".into(), ..part(0, 8, 4) };
        let dom = LayoutComponent { on_mdt: true, ..part(1 << 18, 0, 0) };
        for parts in [vec![part(0, 8, 0)], vec![pool.clone()], vec![dom, part(8 << 20, 1, 0), pool]]
        {
            assert_eq!(parse(&encode(&parts)).expect("valid").components, parts);
        }
    }

    #[test]
    fn other_settings_are_text() {
        let found = parse(b"oclass=EC_16P2GX chunk_size=2097152 first_mdt=0").expect("valid");
        assert_eq!((found.object_class.as_str(), found.chunk_size), ("EC_16P2GX", 2 << 20));
        assert_eq!((found.first_mdt, found.mdt_count), (1, 0));
        for wrong in [&b""[..], b"oclass", b"stripes=2", b"chunk_size=-1", b"\xff"] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }
}
