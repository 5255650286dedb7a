//! The tables of mounted file systems, with the simulated ones: for `df` and `findmnt`.

use std::ffi::{c_char, c_int};

use crate::mounts;
use crate::place::is_wild;
use crate::status::MAJOR;
use crate::sys::{self, sys};

/// The type of a simulated file system in these tables; `statfs` has the one of the real system.
const TYPE: &[u8] = b"odonata";

/// Opens a copy of a table of mounts with the simulated ones; `None` for other files.
///
/// # Safety
/// Null or the program's path.
pub unsafe fn open(path: *const c_char, flags: c_int) -> Option<c_int> {
    if !mounts::active() || is_wild(path) || flags & libc::O_ACCMODE != libc::O_RDONLY {
        return None;
    }
    // SAFETY: the program's path.
    let text = unsafe { sys::bytes(path) };
    let has_ids = match text {
        b"/proc/self/mountinfo" => true,
        b"/proc/mounts" | b"/proc/self/mounts" | b"/etc/mtab" => false,
        _ => return None,
    };
    let close_on_exec = flags & libc::O_CLOEXEC;
    let how = if close_on_exec != 0 { libc::MFD_CLOEXEC } else { 0 };
    let readonly = libc::O_RDONLY | libc::O_CLOEXEC;
    // SAFETY: plain system calls on descriptors that are new.
    unsafe {
        let from = sys!(SYS_openat, libc::AT_FDCWD, path, readonly) as c_int;
        if from < 0 {
            return None;
        }
        let to = sys!(SYS_memfd_create, c"mounts".as_ptr(), how) as c_int;
        if to >= 0 {
            copy(from, to);
            for (_, mount) in mounts::present() {
                write_line(to, mount, has_ids);
            }
            sys::lseek(to, 0, libc::SEEK_SET);
        }
        sys::close(from);
        (to >= 0).then_some(to)
    }
}

fn copy(from: c_int, to: c_int) {
    let mut bytes = [0u8; 4096];
    loop {
        // SAFETY: room for this many bytes.
        let n = unsafe { sys!(SYS_read, from, bytes.as_mut_ptr(), bytes.len()) };
        match usize::try_from(n) {
            Ok(n) if n > 0 => write(to, &bytes[..n]),
            _ => return,
        }
    }
}

fn write(to: c_int, bytes: &[u8]) {
    // SAFETY: initialized bytes. The file is in memory; a failure shortens the table.
    unsafe { sys!(SYS_write, to, bytes.as_ptr(), bytes.len()) };
}

/// One line: with ids as in `mountinfo` (proc_pid_mountinfo(5)), else as in `fstab(5)`.
fn write_line(to: c_int, mount: &mounts::Mount, has_ids: bool) {
    if has_ids {
        let (mut id, mut minor, mut major) = ([0; 10], [0; 10], [0; 10]);
        write(to, decimal(1_000_000 + mount.number, &mut id));
        write(to, b" 1 ");
        write(to, decimal(MAJOR, &mut major));
        write(to, b":");
        write(to, decimal(mount.number, &mut minor));
        write(to, b" / ");
        write_path(to, mount.mount());
        write(to, b" rw,relatime - ");
        write(to, TYPE);
        write(to, b" ");
        write_path(to, mount.mount());
        write(to, b" rw\n");
    } else {
        write_path(to, mount.mount());
        write(to, b" ");
        write_path(to, mount.mount());
        write(to, b" ");
        write(to, TYPE);
        write(to, b" rw,relatime 0 0\n");
    }
}

/// Blanks and backslashes are octal numbers in these tables.
fn write_path(to: c_int, path: &[u8]) {
    for &byte in path {
        match byte {
            b' ' => write(to, b"\\040"),
            b'\t' => write(to, b"\\011"),
            b'\n' => write(to, b"\\012"),
            b'\\' => write(to, b"\\134"),
            plain => write(to, &[plain]),
        }
    }
}

fn decimal(number: u32, out: &mut [u8; 10]) -> &[u8] {
    let (mut at, mut rest) = (out.len(), number);
    while at == out.len() || rest > 0 {
        at -= 1;
        out[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    &out[at..]
}
