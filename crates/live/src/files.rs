//! Files of a job in anonymous memory: the list of its nodes, and a ledger in which the library
//! that is preloaded into the ranks (`crates/clock`) records the files they open.
//!
//! The ranks open both by this process's `/proc/PID/fd`, so nothing remains when it ends.

use crate::file_store::FileStore;
use crate::launch::LaunchSpec;
use crate::segment::Shared;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use workload::block_index::{ENV_CONTENTS, ENV_INDEX};
use workload::file_request::{ENV_MOUNTS, ENV_MPI_LIBRARY};
use workload::mount_file::{ENV_MOUNT_FILE, MountFile};
use workload::wire;

/// The name of the rank's node.
pub(crate) const ENV_NODE: &str = "ODONATA_NODE";
/// The file that lists the job's nodes, one per line: the n-th has the address 127.64.0.0 + n.
const ENV_NODES: &str = "ODONATA_NODES";
const ENV_LEDGER: &str = "ODONATA_LEDGER";

/// Layout of the ledger, as in `crates/clock/src/files.rs`: counters at its start, and
/// zero-terminated paths from this offset.
const PATHS_AT: usize = 4096;
const LEDGER_BYTES: usize = 64 << 10;

/// File accesses of the ranks other than by MPI.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileCounts {
    /// Number of files opened for writing and for reading between MPI_Init and the end.
    pub written: u64,
    pub read: u64,
    /// Replaced files that are older than the job and have digits in their names.
    pub replaced: Vec<OsString>,
}

pub(crate) struct JobFiles {
    nodes: File,
    ledger: File,
    /// Mounts that commands of the job add; open until the end.
    _mount_file: File,
    /// By index of the node: its name, the number of its ranks, and the ranks.
    names: Vec<String>,
    counts: Vec<u32>,
    ranks: Vec<Vec<u32>>,
    /// Variables of the library that is preloaded for simulated file systems.
    mounts: Vec<(&'static str, OsString)>,
    /// A directory to remove at the end of the job.
    temporary: Option<PathBuf>,
}

fn memory(name: &std::ffi::CStr) -> io::Result<File> {
    // SAFETY: plain system call; the descriptor is new and owned here.
    unsafe {
        match libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) {
            fd if fd < 0 => Err(io::Error::last_os_error()),
            fd => Ok(File::from_raw_fd(fd)),
        }
    }
}

fn path(fd: RawFd) -> OsString {
    format!("/proc/{}/fd/{fd}", std::process::id()).into()
}

/// The value of `LD_PRELOAD`: the library for simulated file systems after all others, so that
/// their calls reach it.
fn preloaded(spec: &LaunchSpec) -> OsString {
    let name = "LD_PRELOAD";
    let given = spec.env.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let mut all = given.or_else(|| std::env::var_os(name)).unwrap_or_default();
    if !all.is_empty() {
        all.push(":");
    }
    all.push(&spec.file_systems.preload);
    all
}

impl JobFiles {
    pub fn new(spec: &LaunchSpec, store: &FileStore, shared: &Shared) -> io::Result<JobFiles> {
        let n = spec.nodes as usize;
        let (mut names, mut counts) = (vec![String::new(); n], vec![0; n]);
        let mut ranks = vec![Vec::new(); n];
        for (rank, location) in (0..).zip(&spec.locations) {
            names[location.node as usize].clone_from(&location.node_name);
            counts[location.node as usize] = location.local_size;
            ranks[location.node as usize].push(rank);
        }
        let mut nodes = memory(c"odonata-nodes")?;
        let text: String = names.iter().map(|name| format!("{name}\n")).collect();
        nodes.write_all(text.as_bytes())?;
        let ledger = memory(c"odonata-ledger")?;
        ledger.set_len(LEDGER_BYTES as u64)?;
        let mount_file = memory(c"odonata-mounts")?;
        mount_file.set_len(size_of::<MountFile>() as u64)?;
        let mut mounts = match store.variable() {
            None => Vec::new(),
            Some(mounts) => vec![
                (ENV_MOUNTS, mounts.into()),
                (ENV_MOUNT_FILE, path(mount_file.as_raw_fd())),
                (ENV_MPI_LIBRARY, spec.file_systems.mpi_library.clone()),
                (wire::ENV_SEGMENT, path(shared.fd())),
                ("LD_PRELOAD", preloaded(spec)),
            ],
        };
        if let Some(blocks) = &store.blocks {
            let (index, contents) = blocks.descriptors();
            mounts.extend([(ENV_INDEX, path(index)), (ENV_CONTENTS, path(contents))]);
        }
        let temporary = store.temporary().map(Path::to_path_buf);
        Ok(JobFiles {
            nodes,
            ledger,
            _mount_file: mount_file,
            names,
            counts,
            ranks,
            mounts,
            temporary,
        })
    }

    /// Names of the nodes, by index.
    pub fn names(&self) -> &[String] {
        &self.names
    }
    /// Number of ranks per node.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }
    /// The ranks of a node, separated by commas.
    pub fn ranks_of(&self, node: u32) -> String {
        let ranks = &self.ranks[node as usize];
        ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
    }
    pub fn nodes_path(&self) -> OsString {
        path(self.nodes.as_raw_fd())
    }
    /// Variables for the preloaded library.
    pub fn variables(&self) -> [(&'static str, OsString); 2] {
        [(ENV_NODES, path(self.nodes.as_raw_fd())), (ENV_LEDGER, path(self.ledger.as_raw_fd()))]
    }

    /// Variables for simulated file systems. `LD_PRELOAD` includes the user's.
    pub fn mounts(&self) -> &[(&'static str, OsString)] {
        &self.mounts
    }

    /// A directory to remove at the end of the job.
    pub fn temporary(&self) -> Option<&Path> {
        self.temporary.as_deref()
    }

    /// The contents of the ledger.
    pub fn counts_in_ledger(&self) -> FileCounts {
        let mut bytes = Vec::new();
        let mut ledger = &self.ledger;
        let read = ledger.seek(SeekFrom::Start(0)).and_then(|_| ledger.read_to_end(&mut bytes));
        if read.is_err() || bytes.len() < LEDGER_BYTES {
            return FileCounts::default();
        }
        let counter = |at: usize| {
            let word: [u8; 8] = bytes[8 * at..8 * at + 8].try_into().expect("eight bytes");
            u64::from_ne_bytes(word)
        };
        let paths = bytes[PATHS_AT..LEDGER_BYTES].split(|&b| b == 0).filter(|p| !p.is_empty());
        let replaced: BTreeSet<OsString> = paths.map(|p| OsString::from_vec(p.into())).collect();
        let replaced = replaced.into_iter().collect();
        FileCounts { written: counter(0), read: counter(1), replaced }
    }
}
