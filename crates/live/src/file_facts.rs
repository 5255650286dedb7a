//! What programs read about a file system: its type and size, and the layout of its files.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use workload::LayoutComponent;
use workload::file_request::Usage;

use crate::file_layouts;

/// Longest name of an entry, in bytes; Linux's and both protocols' limit.
const NAME_BYTES: u64 = 255;
const BLOCK_BYTES: u64 = 4096;
/// Number of files that a file system has room for. [estimate]
const FILES: u64 = 1 << 32;

/// Facts about one file system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemFacts {
    /// Its number among those of the machine.
    pub file_system: u8,
    /// `f_type` of `statfs`.
    pub magic: u64,
    /// Preferred size of transfers (`st_blksize`), bytes; 0 for that of the real disk.
    pub transfer_bytes: u64,
    /// Its size.
    pub bytes: u64,
    /// Lustre: the layout of files without one, and the number of OSTs. Without components, files
    /// have no layout that programs can read.
    pub layout: Vec<LayoutComponent>,
    pub osts: u32,
}

impl SystemFacts {
    /// The reply to `StatFs` when data occupy `used` bytes, and a number of `files` exist.
    pub fn usage(&self, used: u64, files: u64) -> Usage {
        let total = self.bytes / BLOCK_BYTES;
        let free = total.saturating_sub(used.div_ceil(BLOCK_BYTES));
        Usage {
            block_bytes: BLOCK_BYTES,
            total,
            free,
            available: free,
            files: FILES,
            free_files: FILES.saturating_sub(files),
            name_bytes: NAME_BYTES,
            magic: self.magic,
        }
    }

    /// The attribute of a file: of the layout that was set for it or that it has inherited,
    /// `stored`, or the default. What a layout leaves to the file system has its values. `None`: no
    /// layout.
    pub fn attribute(&self, stored: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let default = self.layout.last().map(|last| {
            let count = if last.stripe_count == u32::MAX { self.osts } else { last.stripe_count };
            (count.clamp(1, u16::MAX.into()) as u16, last.stripe_size as u32)
        });
        let value = match (stored, default) {
            (Some(stored), _) => stored,
            (None, Some(_)) => file_layouts::encode(&self.layout),
            (None, None) => return None,
        };
        let osts = self.osts.clamp(1, u16::MAX as u32 - 1) as u16;
        Some(match default {
            Some((count, unit)) => file_layouts::complete(value, (count.min(osts), unit), osts),
            None => value,
        })
    }
}

/// Sum of the sizes of regular files below a directory, and number of its files and directories.
/// Hard links count once.
pub(crate) fn contents(root: &Path) -> io::Result<(u64, u64)> {
    let (mut bytes, mut files) = (0, 0);
    let mut linked = std::collections::BTreeSet::new();
    let mut todo = vec![root.to_path_buf()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(dir)? {
            let entry = entry?;
            let found = entry.metadata()?;
            if found.is_dir() {
                todo.push(entry.path());
            } else if found.nlink() > 1 && !linked.insert(found.ino()) {
                continue;
            }
            files += 1;
            bytes += if found.is_file() { found.len() } else { 0 };
        }
    }
    Ok((bytes, files))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> SystemFacts {
        let last =
            LayoutComponent { stripe_count: 2, stripe_size: 1 << 20, ..LayoutComponent::default() };
        let bytes = 80 << 50;
        SystemFacts { magic: 7, bytes, layout: vec![last], osts: 160, ..SystemFacts::default() }
    }

    #[test]
    fn the_size_is_the_simulated_one() {
        let usage = facts().usage(4097, 3);
        assert_eq!((usage.magic, usage.block_bytes, usage.total), (7, 4096, 80 << 38));
        assert_eq!((usage.free, usage.available), ((80 << 38) - 2, (80 << 38) - 2));
        assert_eq!(usage.files - usage.free_files, 3);
        assert_eq!(facts().usage(u64::MAX, 0).free, 0);
    }

    #[test]
    fn files_are_counted_once() {
        let dir = tempfile();
        std::fs::create_dir(dir.join("d")).unwrap();
        std::fs::write(dir.join("d/a"), [0; 100]).unwrap();
        std::fs::hard_link(dir.join("d/a"), dir.join("b")).unwrap();
        std::fs::write(dir.join("c"), [0; 11]).unwrap();
        std::os::unix::fs::symlink("d", dir.join("l")).unwrap();
        assert_eq!(contents(&dir).unwrap(), (111, 4));
        std::fs::remove_dir_all(dir).unwrap();
    }

    fn tempfile() -> std::path::PathBuf {
        let dir = std::env::temp_dir().join(format!("odonata-facts-{}", std::process::id()));
        std::fs::create_dir(&dir).unwrap();
        dir
    }

    #[test]
    fn an_attribute_states_what_the_layout_leaves_open() {
        let stripes = |value: &[u8]| {
            let unit = u32::from_le_bytes(value[24..28].try_into().unwrap());
            (u16::from_le_bytes(value[28..30].try_into().unwrap()), unit)
        };
        let default = facts().attribute(None).expect("a default");
        assert_eq!(stripes(&default), (2, 1 << 20));
        let of = |count, unit| {
            let part = LayoutComponent {
                stripe_count: count,
                stripe_size: unit,
                ..LayoutComponent::default()
            };
            let stored = file_layouts::encode(&[part]);
            stripes(&facts().attribute(Some(stored)).expect("stored"))
        };
        assert_eq!(of(8, 0), (8, 1 << 20));
        assert_eq!(of(0, 4 << 20), (2, 4 << 20));
        assert_eq!(of(u32::MAX, 0), (160, 1 << 20));
        let text = b"chunk_size=4096".to_vec();
        assert_eq!(SystemFacts::default().attribute(Some(text.clone())), Some(text));
        assert_eq!(SystemFacts::default().attribute(None), None);
    }
}
