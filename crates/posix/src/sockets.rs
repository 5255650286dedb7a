//! Sockets of the local domain whose names are below a mount. The kernel limits a socket's path to
//! 108 bytes, so it gets the name of an open directory and the last component.
//! Descriptors that are sent through sockets are prepared for processes that do not know them.

use std::ffi::{c_char, c_int, c_uint};

use libc::{mmsghdr, msghdr, sockaddr, sockaddr_un, socklen_t, ssize_t};
use workload::FileCallKind;
use workload::file_flag;
use workload::file_request::request_flag;

use crate::blocks;
use crate::descriptors::simulated;
use crate::mounts;
use crate::next::{at, real};
use crate::open::mask;
use crate::place::{Target, is_host};
use crate::simulator::{Verdict, submit_path};
use crate::sys::{self, error, finish, sys};
use crate::text::Text;

/// Room for a path and a final zero.
const ROOM: usize = 108;
const PATH_AT: usize = size_of::<libc::sa_family_t>();

/// The path in an address of the local domain; `None` for other ones, and abstract names.
unsafe fn path_of(address: *const sockaddr, length: socklen_t) -> Option<[u8; ROOM + 1]> {
    let n = (length as usize).checked_sub(PATH_AT).filter(|&n| n > 0 && n <= ROOM)?;
    if address.is_null() || i32::from(unsafe { (*address).sa_family }) != libc::AF_UNIX {
        return None;
    }
    let mut path = [0u8; ROOM + 1];
    // SAFETY: inside the address.
    unsafe {
        let from = address.cast::<u8>().add(PATH_AT);
        path[..n].copy_from_slice(std::slice::from_raw_parts(from, n));
    }
    (path[0] != 0).then_some(path)
}

/// Runs `call` with an address for the target.
fn with_address(
    target: &mut Target,
    call: impl FnOnce(*const sockaddr, socklen_t) -> c_int,
) -> c_int {
    let mut dir = Text::of(target.real());
    let name = dir.bytes().rsplit(|&byte| byte == b'/').next().unwrap_or(&[]);
    let mut name_text = [0u8; ROOM];
    let n = name.len().min(ROOM);
    name_text[..n].copy_from_slice(&name[..n]);
    dir.pop();
    let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
    // SAFETY: a zero-terminated path; zeroed is a valid address.
    let (fd, mut address) = unsafe {
        let fd = sys!(SYS_openat, libc::AT_FDCWD, dir.as_ptr(), flags);
        (fd, std::mem::zeroed::<sockaddr_un>())
    };
    if fd < 0 {
        return finish(fd) as c_int;
    }
    let mut path = [0u8; 32];
    let length = sys::descriptor_link(fd as c_int, &mut path);
    let text = path[..length].iter().chain(b"/").chain(&name_text[..n]);
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    let fits = length + 1 + n < address.sun_path.len();
    for (into, &byte) in address.sun_path.iter_mut().zip(text) {
        *into = byte as c_char;
    }
    let result = if fits {
        call((&raw const address).cast(), size_of::<sockaddr_un>() as socklen_t)
    } else {
        finish(error(libc::ENAMETOOLONG)) as c_int
    };
    let errno = sys::errno();
    sys::close(fd as c_int);
    sys::set_errno(errno);
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn bind(fd: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    let real = real!(bind(c_int, *const sockaddr, socklen_t) -> c_int);
    let host = || unsafe { real(fd, address, length) };
    let Some(path) = mounts::active().then(|| unsafe { path_of(address, length) }).flatten() else {
        return host();
    };
    let create = |target: &mut Target| {
        let exclusive = u32::from(file_flag::CREATE | file_flag::EXCLUSIVE);
        let flags = exclusive | request_flag::NODE;
        let verdict = submit_path(FileCallKind::Open, flags, target, |request| {
            request.set(|header| header.mode = libc::S_IFSOCK | 0o777 & !mask())
        });
        if let Verdict::Failed(errno) = verdict {
            let errno = if errno == libc::EEXIST { libc::EADDRINUSE } else { errno };
            return finish(error(errno)) as c_int;
        }
        with_address(target, |address, length| unsafe { real(fd, address, length) })
    };
    unsafe { at((libc::AT_FDCWD, path.as_ptr().cast(), false), host, create) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn connect(fd: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    let real = real!(connect(c_int, *const sockaddr, socklen_t) -> c_int);
    let host = || unsafe { real(fd, address, length) };
    let Some(path) = mounts::active().then(|| unsafe { path_of(address, length) }).flatten() else {
        return host();
    };
    let path = path.as_ptr().cast();
    if is_host(libc::AT_FDCWD, path) {
        // Interrupted attempts must not be repeated, so links of the host are not followed.
        return host();
    }
    let connect = |target: &mut Target| {
        let verdict = submit_path(FileCallKind::Stat, 0, target, |request| request);
        if let Verdict::Failed(errno) = verdict {
            return finish(error(errno)) as c_int;
        }
        with_address(target, |address, length| unsafe { real(fd, address, length) })
    };
    unsafe { at((libc::AT_FDCWD, path, true), host, connect) }
}

/// A process that gets a descriptor through a socket uses it without this library's table.
unsafe fn make_sent_plain(message: *const msghdr) -> Result<(), c_int> {
    if message.is_null() || !mounts::active() {
        return Ok(());
    }
    // SAFETY: the program's message.
    unsafe {
        let mut part = libc::CMSG_FIRSTHDR(message);
        while !part.is_null() {
            if (*part).cmsg_level == libc::SOL_SOCKET && (*part).cmsg_type == libc::SCM_RIGHTS {
                let bytes = (*part).cmsg_len.saturating_sub(libc::CMSG_LEN(0) as usize);
                let sent = libc::CMSG_DATA(part).cast::<c_int>();
                for nth in 0..bytes / size_of::<c_int>() {
                    if let Some(open) = simulated(sent.add(nth).read_unaligned()) {
                        blocks::make_plain(&open)?;
                    }
                }
            }
            part = libc::CMSG_NXTHDR(message, part);
        }
    }
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sendmsg(fd: c_int, message: *const msghdr, flags: c_int) -> ssize_t {
    if let Err(errno) = unsafe { make_sent_plain(message) } {
        return finish(error(errno));
    }
    unsafe { real!(sendmsg(c_int, *const msghdr, c_int) -> ssize_t)(fd, message, flags) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sendmmsg(fd: c_int, messages: *mut mmsghdr, n: c_uint, flags: c_int) -> c_int {
    for nth in 0..n as usize {
        // SAFETY: the program's messages.
        if let Err(errno) = unsafe { make_sent_plain(&raw const (*messages.add(nth)).msg_hdr) } {
            return finish(error(errno)) as c_int;
        }
    }
    unsafe { real!(sendmmsg(c_int, *mut mmsghdr, c_uint, c_int) -> c_int)(fd, messages, n, flags) }
}
