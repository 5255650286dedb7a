//! What programs read about a file system: its type and size, and the layout of its files.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use workload::LayoutComponent;
use workload::file_request::Usage;

use crate::file_layouts;

/// Longest name of an entry, in bytes; Linux's and both protocols' limit.
const NAME_BYTES: u64 = 255;
const BLOCK_BYTES: u64 = 4096;

/// Facts about one file system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemFacts {
    /// Its number among those of the machine.
    pub file_system: u8,
    /// `f_type` of `statfs`.
    pub magic: u64,
    /// Preferred size of transfers (`st_blksize`), bytes; 0 for that of the real disk.
    pub transfer_bytes: u64,
    /// Its size. `None`: that of the real disk is reported.
    pub bytes: Option<u64>,
    /// Lustre: the layout of files without one, and the number of OSTs. Without components, files
    /// have no layout that programs can read.
    pub layout: Vec<LayoutComponent>,
    pub osts: u32,
}

impl SystemFacts {
    /// The reply to `StatFs`, with what the real disk states about the store at `root`.
    pub fn usage(&self, root: &Path) -> io::Result<Usage> {
        let path = CString::new(root.as_os_str().as_bytes())?;
        // SAFETY: a plain structure, which the C library fills.
        let real = unsafe {
            let mut real: libc::statvfs = std::mem::zeroed();
            if libc::statvfs(path.as_ptr(), &raw mut real) != 0 {
                return Err(io::Error::last_os_error());
            }
            real
        };
        let disk = Usage {
            block_bytes: real.f_frsize,
            total: real.f_blocks,
            free: real.f_bfree,
            available: real.f_bavail,
            files: real.f_files,
            free_files: real.f_ffree,
            name_bytes: NAME_BYTES,
            magic: self.magic,
        };
        let Some(bytes) = self.bytes else { return Ok(disk) };
        let used = (real.f_blocks - real.f_bfree).saturating_mul(real.f_frsize);
        let total = bytes / BLOCK_BYTES;
        let free = total.saturating_sub(used / BLOCK_BYTES);
        Ok(Usage { block_bytes: BLOCK_BYTES, total, free, available: free, ..disk })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(bytes: Option<u64>) -> SystemFacts {
        let last =
            LayoutComponent { stripe_count: 2, stripe_size: 1 << 20, ..LayoutComponent::default() };
        SystemFacts { magic: 7, bytes, layout: vec![last], osts: 160, ..SystemFacts::default() }
    }

    #[test]
    fn the_size_is_the_simulated_one() {
        let root = std::env::temp_dir();
        let usage = facts(Some(80 << 50)).usage(&root).expect("a directory");
        assert_eq!((usage.magic, usage.block_bytes, usage.total), (7, 4096, 80 << 38));
        assert!(usage.free <= usage.total && usage.available == usage.free);
        let real = facts(None).usage(&root).expect("a directory");
        assert!(real.total < 80 << 38 && real.magic == 7);
    }

    #[test]
    fn an_attribute_states_what_the_layout_leaves_open() {
        let stripes = |value: &[u8]| {
            let unit = u32::from_le_bytes(value[24..28].try_into().unwrap());
            (u16::from_le_bytes(value[28..30].try_into().unwrap()), unit)
        };
        let default = facts(None).attribute(None).expect("a default");
        assert_eq!(stripes(&default), (2, 1 << 20));
        let of = |count, unit| {
            let part = LayoutComponent {
                stripe_count: count,
                stripe_size: unit,
                ..LayoutComponent::default()
            };
            let stored = file_layouts::encode(&[part]);
            stripes(&facts(None).attribute(Some(stored)).expect("stored"))
        };
        assert_eq!(of(8, 0), (8, 1 << 20));
        assert_eq!(of(0, 4 << 20), (2, 4 << 20));
        assert_eq!(of(u32::MAX, 0), (160, 1 << 20));
        let text = b"chunk_size=4096".to_vec();
        assert_eq!(SystemFacts::default().attribute(Some(text.clone())), Some(text));
        assert_eq!(SystemFacts::default().attribute(None), None);
    }
}
