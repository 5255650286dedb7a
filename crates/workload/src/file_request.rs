//! A call on a simulated file as a program's process submits it, and its reply. The C layouts are
//! the interface between the preload library (`crates/posix`), the MPI library, which carries
//! requests to the simulator, and `crates/live`, which executes them.
//!
//! The preload library calls `odonata_file_call(&FileRequest, &mut FileReply)` of the MPI library.
//! It returns `SIMULATED`, or `NOT_SIMULATED` in processes that the simulator does not control;
//! then the library executes the call itself.
//!
//! While a call by path is simulated, the simulator executes what changes names, sizes and
//! attributes, on the backing directory: `Open` with `CREATE` or `TRUNCATE`, `Mkdir`, `Rmdir`,
//! `Unlink`, `Rename`, `Link`, `Symlink`, `SetAttributes`, `Truncate`, `SetXattr`, `SetLayout`.
//! The library executes all others itself when the call returns. It opens the backing file without
//! creation flags, moves data, reads attributes, entries and links, takes locks. It also executes
//! all calls on open files (`OPEN`): the file may have no name any more.

use crate::FileCallKind;

/// Environment variable with the mounts, in the form of `encode_mounts`. A backing directory whose
/// path ends with the path of its mount (`STORE/lus/flare` for `/lus/flare`) also provides the
/// directories above the mount (`STORE/lus` for `/lus`) if the computer does not have them.
pub const ENV_MOUNTS: &str = "ODONATA_MOUNTS";
/// Most mounts of a job.
pub const MAX_MOUNTS: usize = 14;
/// Environment variable with the path of the MPI library, for processes that do not use MPI. They
/// load it and call `odonata_file_attach`. An MPI library that is attached calls
/// `odonata_file_register(odonata_file_call)` of the preload library, if that is there.
pub const ENV_MPI_LIBRARY: &str = "ODONATA_MPI_LIBRARY";

/// Names of the attribute with the layout of a file, and that of the file of the store that has
/// it. `GetXattr` of an open file: the value is the stored layout, which the library has read. The
/// library stores the value of `SetXattr`.
pub const LAYOUT_NAMES: [&[u8]; 2] = [b"lustre.lov", b"trusted.lov"];
pub const STORED_LAYOUT: &std::ffi::CStr = c"user.odonata.layout";

/// Results of `odonata_file_call`, and of `odonata_file_attach`.
pub const SIMULATED: i32 = 0;
pub const NOT_SIMULATED: i32 = 1;

/// Flags of a request beyond `file_flag`.
pub mod request_flag {
    /// The call is on a symbolic link itself: a link in the last component is not followed.
    pub const NO_FOLLOW: u32 = 1 << 16;
    /// Rename: fails with `EEXIST` if the new name exists.
    pub const NO_REPLACE: u32 = 1 << 17;
    /// Rename: both names exist and are exchanged.
    pub const EXCHANGE: u32 = 1 << 18;
    /// Open with `CREATE` and `EXCLUSIVE`: `mknod`. `mode` has the file type, `bytes` the device.
    /// With type `S_IFSOCK` it is `bind`, which the library executes.
    pub const NODE: u32 = 1 << 19;
    /// SetXattr: the attribute must not exist.
    pub const XATTR_CREATE: u32 = 1 << 20;
    /// SetXattr: the attribute must exist.
    pub const XATTR_REPLACE: u32 = 1 << 21;
    /// SetXattr: removes the attribute.
    pub const XATTR_REMOVE: u32 = 1 << 22;
    /// Lock: exclusive; without it and `UNLOCK`, shared.
    pub const LOCK_EXCLUSIVE: u32 = 1 << 23;
    pub const UNLOCK: u32 = 1 << 24;
    /// Open: for reading.
    pub const READ: u32 = 1 << 25;
    /// Allocate: `mode` has the flags of `fallocate`.
    pub const FALLOCATE: u32 = 1 << 26;
    /// GetXattr: the list of names (`listxattr`).
    pub const XATTR_LIST: u32 = 1 << 27;
    /// Write: the real disk has refused the data of an earlier call, with the errno in `mode`. The
    /// job ends.
    pub const STORE_FULL: u32 = 1 << 28;
    /// ReadDirectory: takes no simulated time. The value has the inodes of entries on the real
    /// disk, and the returned data their simulated numbers, eight bytes each.
    pub const NUMBERS: u32 = 1 << 29;
}

/// Attributes that `SetAttributes` sets.
pub mod attribute {
    pub const MODE: u32 = 1;
    pub const OWNER: u32 = 2;
    pub const GROUP: u32 = 4;
    /// Times. With `*_NOW`, the simulated time of the call.
    pub const ACCESSED: u32 = 8;
    pub const ACCESSED_NOW: u32 = 16;
    pub const MODIFIED: u32 = 32;
    pub const MODIFIED_NOW: u32 = 64;
}

/// Bytes behind the header of a request.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct Range {
    /// From the first byte of the request.
    pub at: u32,
    pub bytes: u32,
}

/// The header of a request; the bytes of its ranges follow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct FileRequest {
    /// Length of the header and of all ranges, in bytes.
    pub length: u32,
    /// `FileCallKind` as u32.
    pub kind: u32,
    /// Sum of `file_flag` and `request_flag`. The simulator adds `EXISTS`.
    pub flags: u32,
    pub file_system: u32,
    /// New files and directories: file type and permissions, after `umask`. `SetAttributes`:
    /// permissions. `Stat` by `access`: its mode.
    pub mode: u32,
    /// `Lock`: the process, and the one for whose lock it waits, if it does.
    pub owner: u32,
    pub group: u32,
    /// `SetAttributes`: sum of `attribute`.
    pub attributes: u32,
    /// The backing file of an open file (`OPEN`), by its device and inode.
    pub device: u64,
    pub inode: u64,
    /// See `FileCall`.
    pub offset: u64,
    pub bytes: u64,
    /// `SetAttributes`: times in nanoseconds since 1970.
    pub accessed_ns: i64,
    pub modified_ns: i64,
    /// Path relative to the mount's root, without a slash at its beginning, and not terminated.
    /// Empty: the root, or no path (`OPEN`). Links in it are not resolved. It has no `..` except as
    /// last component, and ends with `/` or `/.` if the program's path does. The new name of `Link`
    /// and `Symlink`; the old one of `Rename`.
    pub path: Range,
    /// `Rename`: the new path. `Link`: the existing path. Relative as `path`. `Symlink`: the target
    /// to be stored, in which a path below a mount is one below its backing directory.
    /// Extended attributes: the name.
    pub other: Range,
    /// `SetXattr`, `SetLayout`: the value.
    pub value: Range,
}

/// The reply to a request. The caller sets `data` and `capacity`, and zeroes the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct FileReply {
    /// 0, or the error of the call.
    pub errno: i32,
    pub _pad: u32,
    /// `Open`: 1 if the call created the file. `Read`, `Write`: the bytes to move, at most those of
    /// the request. `Stat`: the preferred size of transfers (`st_blksize`), which programs choose
    /// their buffers by; 0 for that of the backing file.
    pub value: u64,
    /// Size of the file after the call, in bytes.
    pub size: u64,
    /// `Write` with `APPEND`: the position at which the library writes.
    pub offset: u64,
    /// Memory of the caller for returned data: an extended attribute, a layout, or `Usage`.
    pub data: *mut u8,
    pub capacity: u64,
    /// Length of the returned data; greater than `capacity` if they did not fit. `u64::MAX`: none,
    /// and the library reads them from the backing file.
    pub data_bytes: u64,
    /// Simulated duration of the call, and time since the start of the job at its completion, in
    /// picoseconds.
    pub elapsed_ps: u64,
    pub completed_ps: u64,
    /// `Stat`: the number of the file, and its times in nanoseconds since 1970. 0: that of the
    /// backing file.
    pub inode: u64,
    pub accessed_ns: i64,
    pub modified_ns: i64,
    pub changed_ns: i64,
}

/// Data of the reply to `StatFs`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct Usage {
    pub block_bytes: u64,
    /// In blocks.
    pub total: u64,
    pub free: u64,
    pub available: u64,
    pub files: u64,
    pub free_files: u64,
    /// Longest name, bytes.
    pub name_bytes: u64,
    /// `f_type` of `statfs`.
    pub magic: u64,
}

impl FileRequest {
    pub const BYTES: usize = size_of::<FileRequest>();

    pub fn new(kind: FileCallKind, file_system: u32, flags: u32) -> FileRequest {
        FileRequest {
            length: FileRequest::BYTES as u32,
            kind: kind as u32,
            flags,
            file_system,
            ..FileRequest::default()
        }
    }
    /// The bytes of a range of this request, which `all` holds; `None` if it is not inside.
    pub fn bytes_of(range: Range, all: &[u8]) -> Option<&[u8]> {
        let start = range.at as usize;
        let end = start.checked_add(range.bytes as usize)?;
        if range.bytes == 0 { Some(&[]) } else { all.get(start..end) }
    }
}

impl FileReply {
    pub fn new() -> FileReply {
        FileReply {
            errno: 0,
            _pad: 0,
            value: 0,
            size: 0,
            offset: 0,
            data: std::ptr::null_mut(),
            capacity: 0,
            data_bytes: u64::MAX,
            elapsed_ps: 0,
            completed_ps: 0,
            inode: 0,
            accessed_ns: 0,
            modified_ns: 0,
            changed_ns: 0,
        }
    }
}

impl Default for FileReply {
    fn default() -> FileReply {
        FileReply::new()
    }
}

impl FileCallKind {
    /// The kind with this number, of a request of another process.
    pub fn from_number(number: u32) -> Option<FileCallKind> {
        FileCallKind::ALL.get(number as usize).map(|(kind, _)| *kind)
    }
}

/// The value of `ENV_MOUNTS`: mounts separated by `:`, each `NUMBER=MOUNT=BACKING` with the number
/// of the file system and two absolute paths. Bytes of paths other than letters, digits and
/// `/ . _ -` are `%` and two hexadecimal digits.
pub fn encode_mounts<'a>(mounts: impl IntoIterator<Item = (u32, &'a [u8], &'a [u8])>) -> String {
    let mut text = String::new();
    for (number, mount, backing) in mounts {
        if !text.is_empty() {
            text.push(':');
        }
        text.push_str(&number.to_string());
        for path in [mount, backing] {
            text.push('=');
            for &byte in path {
                if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
                    text.push(char::from(byte));
                } else {
                    text.push_str(&format!("%{byte:02x}"));
                }
            }
        }
    }
    text
}

/// The mounts of `encode_mounts`, with paths still encoded. An invalid entry is `None`.
pub fn decode_mounts(text: &[u8]) -> impl Iterator<Item = Option<(u32, &[u8], &[u8])>> {
    text.split(|&byte| byte == b':').filter(|entry| !entry.is_empty()).map(|entry| {
        let mut fields = entry.split(|&byte| byte == b'=');
        let number = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
        let (mount, backing) = (fields.next()?, fields.next()?);
        fields.next().is_none().then_some((number, mount, backing))
    })
}

/// Decodes a path of `decode_mounts` into `out`; its length, or `None` if it is invalid or too
/// long. Allocates nothing: a process may decode inside its first `malloc`.
pub fn decode_path(encoded: &[u8], out: &mut [u8]) -> Option<usize> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|d| d as u8);
    let (mut i, mut n) = (0, 0);
    while i < encoded.len() {
        let byte = match encoded[i] {
            b'%' => {
                let pair = (digit(*encoded.get(i + 1)?)?, digit(*encoded.get(i + 2)?)?);
                i += 2;
                pair.0 << 4 | pair.1
            }
            plain => plain,
        };
        *out.get_mut(n)? = byte;
        (i, n) = (i + 1, n + 1);
    }
    Some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_numbered_in_order() {
        for (number, (kind, _)) in FileCallKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, number);
        }
        assert_eq!(FileCallKind::from_number(24), None);
    }

    #[test]
    fn mounts_survive_their_encoding() {
        let odd: &[u8] = b"/tmp/a b:c=%d\n\xff";
        let text = encode_mounts([(0, &b"/lus/flare"[..], odd), (7, odd, b"/x")]);
        assert!(text.is_ascii());
        let mut found = Vec::new();
        for entry in decode_mounts(text.as_bytes()) {
            let (number, mount, backing) = entry.expect("valid");
            let decode = |encoded| {
                let mut out = [0; 64];
                let n = decode_path(encoded, &mut out).expect("valid");
                out[..n].to_vec()
            };
            found.push((number, decode(mount), decode(backing)));
        }
        let expected =
            vec![(0, b"/lus/flare".to_vec(), odd.to_vec()), (7, odd.to_vec(), b"/x".to_vec())];
        assert_eq!(found, expected);
    }

    #[test]
    fn invalid_mounts_are_refused() {
        for text in ["x=/a=/b", "1=/a", "1=/a=/b=/c", "1"] {
            assert_eq!(decode_mounts(text.as_bytes()).next(), Some(None), "{text}");
        }
        for path in ["/a%", "/a%2", "/a%zz"] {
            assert_eq!(decode_path(path.as_bytes(), &mut [0; 16]), None, "{path}");
        }
        assert_eq!(decode_path(b"/long", &mut [0; 4]), None);
    }

    #[test]
    fn a_range_outside_its_request_is_refused() {
        let all = [1, 2, 3, 4];
        let of = |at, bytes| FileRequest::bytes_of(Range { at, bytes }, &all);
        assert_eq!(of(1, 2), Some(&all[1..3]));
        assert_eq!(of(9, 0), Some(&all[..0]));
        assert_eq!(of(3, 2), None);
        assert_eq!(of(u32::MAX, u32::MAX), None);
    }
}
