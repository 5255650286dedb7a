//! Calls on files of a simulated file system, as a workload submits them.
//!
//! The workload holds names and data, and executes each call on them when it completes. It states
//! here what the call means to the file system's protocol: which file, which bytes, and the facts
//! about the file that determine the messages of the call.

/// A file or directory. The workload numbers them in the order of first use; a number is never used
/// again.
pub type FileId = u32;

/// Number of a file system of the machine.
pub type FileSystemId = u8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FileCallKind {
    /// `open` and `creat`; see `CREATE`, `EXISTS`, `EXCLUSIVE`, `TRUNCATE`.
    Open,
    Close,
    /// `bytes` at `offset`. With `DIRECT`, without the client's cache.
    Read,
    Write,
    /// `fsync` and `fdatasync`.
    Sync,
    /// Attributes by path (`stat`, `access`), or with `OPEN` of an open file (`fstat`, `SEEK_END`).
    Stat,
    /// The next entries of an open directory: `bytes` is their number, `offset` the number of
    /// entries before them, `size` that of the directory.
    ReadDirectory,
    Mkdir,
    Rmdir,
    Unlink,
    /// `file` moves from `parent` to `other`.
    Rename,
    /// A hard link to `file` in `parent`.
    Link,
    Symlink,
    ReadLink,
    /// Owner, mode, times.
    SetAttributes,
    /// Sets the size to `bytes`.
    Truncate,
    /// Reserves space: `bytes` at `offset`.
    Allocate,
    /// Extended attributes, which have `bytes`.
    GetXattr,
    SetXattr,
    /// Usage of the whole file system.
    StatFs,
    /// `flock` and record locks of `fcntl`, which the workload grants.
    Lock,
    /// Sets the layout that the rank's last `Op::Layout` gave: of a new file, or the default of a
    /// directory.
    SetLayout,
    GetLayout,
    /// `sync`: all files of the client.
    SyncAll,
}

impl FileCallKind {
    /// All kinds, with their names in recordings.
    pub const ALL: [(FileCallKind, &str); 24] = [
        (FileCallKind::Open, "file_open"),
        (FileCallKind::Close, "file_close"),
        (FileCallKind::Read, "file_read"),
        (FileCallKind::Write, "file_write"),
        (FileCallKind::Sync, "file_sync"),
        (FileCallKind::Stat, "file_stat"),
        (FileCallKind::ReadDirectory, "file_read_directory"),
        (FileCallKind::Mkdir, "file_mkdir"),
        (FileCallKind::Rmdir, "file_rmdir"),
        (FileCallKind::Unlink, "file_unlink"),
        (FileCallKind::Rename, "file_rename"),
        (FileCallKind::Link, "file_link"),
        (FileCallKind::Symlink, "file_symlink"),
        (FileCallKind::ReadLink, "file_read_link"),
        (FileCallKind::SetAttributes, "file_set_attributes"),
        (FileCallKind::Truncate, "file_truncate"),
        (FileCallKind::Allocate, "file_allocate"),
        (FileCallKind::GetXattr, "file_get_xattr"),
        (FileCallKind::SetXattr, "file_set_xattr"),
        (FileCallKind::StatFs, "file_statfs"),
        (FileCallKind::Lock, "file_lock"),
        (FileCallKind::SetLayout, "file_set_layout"),
        (FileCallKind::GetLayout, "file_get_layout"),
        (FileCallKind::SyncAll, "file_sync_all"),
    ];

    pub fn name(self) -> &'static str {
        FileCallKind::ALL[self as usize].1
    }
}

/// Flags of a call.
pub mod file_flag {
    pub const CREATE: u16 = 1;
    /// The entry existed when the call was submitted.
    pub const EXISTS: u16 = 2;
    pub const EXCLUSIVE: u16 = 4;
    pub const TRUNCATE: u16 = 8;
    pub const DIRECT: u16 = 16;
    /// Write: returns when the data are on storage (`O_SYNC`, `O_DSYNC`).
    pub const SYNC: u16 = 32;
    pub const APPEND: u16 = 64;
    /// The call names an open file, not a path.
    pub const OPEN: u16 = 128;
    /// `file` is a directory.
    pub const DIRECTORY: u16 = 256;
    /// Open: for writing.
    pub const WRITE: u16 = 512;
    /// MPI-IO: one of the aggregators of a collective access made this call.
    pub const COLLECTIVE: u16 = 1024;
    /// The program calls the library of the file system (DFS), not POSIX.
    pub const LIBRARY: u16 = 2048;
}

/// One call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileCall {
    pub kind: FileCallKind,
    pub file_system: FileSystemId,
    /// Sum of `file_flag`.
    pub flags: u16,
    pub file: FileId,
    /// The directory of the entry, for calls by path.
    pub parent: FileId,
    /// Rename: the new directory.
    pub other: FileId,
    /// Hash of the entry's name.
    pub name: u64,
    pub offset: u64,
    pub bytes: u64,
    /// Size of the file in bytes, or of the directory in entries, when the call was submitted.
    pub size: u64,
}

/// A layout as a user requests it. 0 and an empty name stand for the default of the file system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutRequest {
    /// Lustre: the components of a file in order of their extents. One without an end for a plain
    /// layout.
    pub components: Vec<LayoutComponent>,
    /// Lustre, of a directory: number of MDTs over which its entries are hashed, and the first MDT
    /// plus 1.
    pub mdt_count: u32,
    pub first_mdt: u32,
    /// DAOS: object class by its name (`SX`, `RP_2G1`, `EC_16P2GX`), and chunk size in bytes.
    pub object_class: String,
    pub directory_class: String,
    pub chunk_size: u64,
}

/// One component of a Lustre layout.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutComponent {
    /// First byte after the component; 0 is the end of the file.
    pub end: u64,
    /// Number of stripes: `u32::MAX` is all OSTs. 0 with `on_mdt`.
    pub stripe_count: u32,
    pub stripe_size: u64,
    /// First OST plus 1.
    pub first_ost: u32,
    /// Name of the pool of OSTs.
    pub pool: String,
    /// Data on the MDT.
    pub on_mdt: bool,
    /// Several stripes of a file may be on one OST.
    pub overstriping: bool,
}
