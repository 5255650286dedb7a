//! Counters by the names of `lctl get_param`, and what calls waited for.

use workload::{FileCall, FileCallKind};

use super::messages::OPERATIONS;
use super::namespace::Target;

/// Names of the calls in `llite.*.stats`, by `FileCallKind`.
const CALLS: [&str; 24] = [
    "open",
    "close",
    "read",
    "write",
    "fsync",
    "getattr",
    "readdir",
    "mkdir",
    "rmdir",
    "unlink",
    "rename",
    "link",
    "symlink",
    "readlink",
    "setattr",
    "truncate",
    "fallocate",
    "getxattr",
    "setxattr",
    "statfs",
    "flock",
    "setstripe",
    "getstripe",
    "sync",
];

#[derive(Clone, Debug)]
pub struct Counters {
    calls: [u64; CALLS.len()],
    read_bytes: u64,
    write_bytes: u64,
    /// RPCs by operation.
    pub rpcs: Vec<u64>,
    /// Writes that waited for grant, and for the dirty limit.
    pub grant_waits: u64,
    pub dirty_waits: u64,
    pub precreation_waits: u64,
    pub inode_revocations: u64,
}

impl Counters {
    pub fn new() -> Self {
        Counters {
            calls: [0; CALLS.len()],
            read_bytes: 0,
            write_bytes: 0,
            rpcs: vec![0; OPERATIONS.len()],
            grant_waits: 0,
            dirty_waits: 0,
            precreation_waits: 0,
            inode_revocations: 0,
        }
    }
    pub fn call(&mut self, what: &FileCall) {
        self.calls[what.kind as usize] += 1;
        match what.kind {
            FileCallKind::Read => {
                self.read_bytes += what.bytes.min(what.size.saturating_sub(what.offset));
            }
            FileCallKind::Write => self.write_bytes += what.bytes,
            _ => {}
        }
    }
    /// All counters that are not 0, clients first, then RPCs, then targets.
    pub fn list(&self, targets: &[Target], osts: u32) -> Vec<(String, u64)> {
        let mut all = Vec::new();
        let mut add = |name: String, value: u64| {
            if value > 0 {
                all.push((name, value));
            }
        };
        add("llite.stats.read_bytes".into(), self.read_bytes);
        add("llite.stats.write_bytes".into(), self.write_bytes);
        for (name, &n) in CALLS.iter().zip(&self.calls) {
            add(format!("llite.stats.{name}"), n);
        }
        for (name, &n) in OPERATIONS.iter().zip(&self.rpcs) {
            add(format!("stats.{name}"), n);
        }
        add("osc.grant_waits".into(), self.grant_waits);
        add("osc.dirty_waits".into(), self.dirty_waits);
        add("osp.precreation_waits".into(), self.precreation_waits);
        add("mdt.inode_revocations".into(), self.inode_revocations);
        for (i, t) in targets.iter().enumerate() {
            let i = i as u32;
            let name = if i < osts {
                format!("obdfilter.OST{i:04x}.stats")
            } else {
                format!("mdt.MDT{:04x}.stats", i - osts)
            };
            add(format!("{name}.read_bytes"), t.read_bytes);
            add(format!("{name}.write_bytes"), t.written_bytes);
            add(format!("{name}.read"), t.read_rpcs);
            add(format!("{name}.write"), t.write_rpcs);
            add(format!("{name}.lock_conflicts"), t.lock_conflicts);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_call_has_a_name() {
        assert_eq!(FileCallKind::SyncAll as usize + 1, CALLS.len());
        assert_eq!(CALLS[FileCallKind::StatFs as usize], "statfs");
        assert_eq!(CALLS[FileCallKind::GetLayout as usize], "getstripe");
    }
}
