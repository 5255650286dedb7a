//! The name of the simulated node, and the addresses of the job's nodes.
//!
//! Every way to ask for the host's name gives that of the node, as `MPI_Get_processor_name` does.
//! Names of the job's nodes have addresses of this computer, one each: a socket that one rank binds
//! to its node's name is found by another that connects to it.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};

use libc::{addrinfo, size_t, sockaddr, sockaddr_in, socklen_t, utsname};

use crate::{fail, real};

/// Set by the launcher: the name of this rank's node, and the file that lists the job's nodes, a
/// line each.
const NODE: &CStr = c"ODONATA_NODE";
const NODES: &CStr = c"ODONATA_NODES";
/// The n-th node of the list, counted from 1, has this address plus n. All of 127.0.0.0/8 leads
/// back to this computer.
const FIRST_ADDRESS: u32 = u32::from_be_bytes([127, 64, 0, 0]);
/// More nodes than ranks there can be.
const MOST_NODES: u32 = 1 << 16;
/// Longest name of a host with its zero (HOST_NAME_MAX of Linux).
const NAME_BYTES: usize = 65;

fn variable(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: a zero-terminated name; as valid as `getenv` makes it, and only read at once.
    let found = unsafe { libc::getenv(name.as_ptr()) };
    if found.is_null() { None } else { Some(unsafe { CStr::from_ptr(found) }) }
}

/// The node's name, for a process of a simulated job.
pub(crate) fn own_name() -> Option<&'static [u8]> {
    variable(NODE).map(CStr::to_bytes).filter(|n| !n.is_empty() && n.len() < NAME_BYTES)
}

fn names() -> Option<String> {
    std::fs::read_to_string(variable(NODES)?.to_str().ok()?).ok()
}

/// The job's node of that name, with a domain or without: its own spelling, and its address.
fn node(name: *const c_char) -> Option<(CString, CString)> {
    if name.is_null() || own_name().is_none() {
        return None;
    }
    // SAFETY: the caller's, zero-terminated.
    let asked = unsafe { CStr::from_ptr(name) }.to_str().ok()?;
    let all = names()?;
    let place = |asked: &str| all.lines().position(|line| line.eq_ignore_ascii_case(asked));
    let of_domain = || place(asked.split_once('.')?.0);
    let at = place(asked).or_else(of_domain)?;
    let address = std::net::Ipv4Addr::from(FIRST_ADDRESS + 1 + u32::try_from(at).ok()?);
    let own = all.lines().nth(at)?;
    Some((CString::new(own).ok()?, CString::new(address.to_string()).ok()?))
}

/// The name of the node that has this address, in network byte order.
fn node_at(address: u32) -> Option<CString> {
    let n = u32::from_be(address).checked_sub(FIRST_ADDRESS + 1).filter(|&n| n < MOST_NODES)?;
    own_name()?;
    CString::new(names()?.lines().nth(n as usize)?).ok()
}

fn address_text(address: u32) -> CString {
    let text = std::net::Ipv4Addr::from(u32::from_be(address)).to_string();
    CString::new(text).expect("digits and dots")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostname(out: *mut c_char, size: size_t) -> c_int {
    let Some(name) = own_name().filter(|_| !out.is_null()) else {
        return unsafe { real!(gethostname(*mut c_char, size_t) -> c_int)(out, size) };
    };
    let n = name.len().min(size);
    // SAFETY: the caller has room for `size` bytes.
    unsafe { out.copy_from(name.as_ptr().cast(), n) };
    if n == size {
        return fail(libc::ENAMETOOLONG);
    }
    unsafe { *out.add(n) = 0 };
    0
}

/// The same where the compiler knows how large the buffer is.
#[unsafe(no_mangle)]
unsafe extern "C" fn __gethostname_chk(out: *mut c_char, size: size_t, room: size_t) -> c_int {
    if size > room {
        let real = real!(__gethostname_chk(*mut c_char, size_t, size_t) -> c_int);
        return unsafe { real(out, size, room) };
    }
    unsafe { gethostname(out, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn uname(out: *mut utsname) -> c_int {
    let answer = unsafe { real!(uname(*mut utsname) -> c_int)(out) };
    if let Some(name) = own_name()
        && answer == 0
    {
        // SAFETY: filled in by the kernel; the name is shorter than the field.
        let into = unsafe { &mut (*out).nodename };
        into.fill(0);
        for (to, &from) in into.iter_mut().zip(name) {
            *to = from as c_char;
        }
    }
    answer
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostid() -> c_long {
    match own_name() {
        // FNV-1a.
        Some(name) => {
            let mix = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            c_long::from(name.iter().fold(0x811c_9dc5, mix) as i32)
        }
        None => unsafe { real!(gethostid() -> c_long)() },
    }
}

/// A file with the host's name, for programs that read one; `None` for other files.
pub(crate) unsafe fn host_file(path: *const c_char, flags: c_int) -> Option<c_int> {
    if path.is_null() || flags & libc::O_ACCMODE != libc::O_RDONLY {
        return None;
    }
    // SAFETY: the caller's, zero-terminated.
    let path = unsafe { CStr::from_ptr(path) };
    if path != c"/proc/sys/kernel/hostname" && path != c"/etc/hostname" {
        return None;
    }
    let name = own_name()?;
    let how = if flags & libc::O_CLOEXEC != 0 { libc::MFD_CLOEXEC } else { 0 };
    // SAFETY: plain system calls on a descriptor that is new.
    unsafe {
        let fd = libc::memfd_create(c"hostname".as_ptr(), how);
        if fd < 0 {
            return None;
        }
        libc::write(fd, name.as_ptr().cast(), name.len());
        libc::write(fd, c"\n".as_ptr().cast(), 1);
        libc::lseek(fd, 0, libc::SEEK_SET);
        Some(fd)
    }
}

type Service = *const c_char;

#[unsafe(no_mangle)]
unsafe extern "C" fn getaddrinfo(
    name: *const c_char,
    service: Service,
    hints: *const addrinfo,
    out: *mut *mut addrinfo,
) -> c_int {
    let ask =
        real!(getaddrinfo(*const c_char, Service, *const addrinfo, *mut *mut addrinfo) -> c_int);
    let flags = if hints.is_null() { 0 } else { unsafe { (*hints).ai_flags } };
    let Some((own, address)) = node(name).filter(|_| flags & libc::AI_NUMERICHOST == 0) else {
        return unsafe { ask(name, service, hints, out) };
    };
    let answer = unsafe { ask(address.as_ptr(), service, hints, out) };
    if answer == 0 && flags & libc::AI_CANONNAME != 0 {
        // SAFETY: `freeaddrinfo` gives the name back to `free`.
        unsafe {
            libc::free((**out).ai_canonname.cast());
            (**out).ai_canonname = libc::strdup(own.as_ptr());
        }
    }
    answer
}

#[unsafe(no_mangle)]
unsafe extern "C" fn getnameinfo(
    of: *const sockaddr,
    length: socklen_t,
    host: *mut c_char,
    host_bytes: socklen_t,
    service: *mut c_char,
    service_bytes: socklen_t,
    flags: c_int,
) -> c_int {
    let ask = real!(
        getnameinfo(
            *const sockaddr,
            socklen_t,
            *mut c_char,
            socklen_t,
            *mut c_char,
            socklen_t,
            c_int,
        ) -> c_int
    );
    let is_v4 = !of.is_null()
        && length as usize >= size_of::<sockaddr_in>()
        && i32::from(unsafe { (*of).sa_family }) == libc::AF_INET;
    let by_name = is_v4 && flags & libc::NI_NUMERICHOST == 0 && !host.is_null();
    // SAFETY: long enough, and of that family.
    let name =
        by_name.then(|| node_at(unsafe { (*of.cast::<sockaddr_in>()).sin_addr.s_addr })).flatten();
    let Some(name) = name.filter(|_| host_bytes > 0) else {
        return unsafe { ask(of, length, host, host_bytes, service, service_bytes, flags) };
    };
    let (name, room) = (name.as_bytes_with_nul(), host_bytes as usize);
    if name.len() > room {
        return libc::EAI_OVERFLOW;
    }
    // SAFETY: there is room for it.
    unsafe { host.copy_from(name.as_ptr().cast(), name.len()) };
    if service.is_null() || service_bytes == 0 {
        return 0;
    }
    let flags = flags | libc::NI_NUMERICHOST;
    unsafe { ask(of, length, std::ptr::null_mut(), 0, service, service_bytes, flags) }
}

/// netdb.h
#[repr(C)]
struct Hostent {
    name: *mut c_char,
    aliases: *mut *mut c_char,
    family: c_int,
    length: c_int,
    addresses: *mut *mut c_char,
}

/// What functions without `_r` answer with belongs to the library, until the next call.
struct Answered(UnsafeCell<[u8; NAME_BYTES]>);
// SAFETY: those functions may be called by one thread at a time (gethostbyname(3), ATTRIBUTES).
unsafe impl Sync for Answered {}
static ANSWERED: Answered = Answered(UnsafeCell::new([0; NAME_BYTES]));

unsafe fn named(found: *mut Hostent, own: &CStr) -> *mut Hostent {
    let name = own.to_bytes_with_nul();
    if !found.is_null() && name.len() <= NAME_BYTES {
        // SAFETY: as above.
        unsafe {
            let into = ANSWERED.0.get().cast::<u8>();
            into.copy_from(name.as_ptr(), name.len());
            (*found).name = into.cast();
        }
    }
    found
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostbyname(name: *const c_char) -> *mut Hostent {
    let ask = real!(gethostbyname(*const c_char) -> *mut Hostent);
    match node(name) {
        Some((own, address)) => unsafe { named(ask(address.as_ptr()), &own) },
        None => unsafe { ask(name) },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostbyname2(name: *const c_char, family: c_int) -> *mut Hostent {
    let ask = real!(gethostbyname2(*const c_char, c_int) -> *mut Hostent);
    match node(name).filter(|_| family == libc::AF_INET) {
        Some((own, address)) => unsafe { named(ask(address.as_ptr(), family), &own) },
        None => unsafe { ask(name, family) },
    }
}

/// An IPv4 address in network byte order, which is what was asked for.
unsafe fn v4(address: *const c_void, length: socklen_t, family: c_int) -> Option<u32> {
    let is_v4 = !address.is_null() && length as usize == size_of::<u32>();
    // SAFETY: that many bytes.
    (is_v4 && family == libc::AF_INET).then(|| unsafe { address.cast::<u32>().read_unaligned() })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostbyaddr(
    address: *const c_void,
    length: socklen_t,
    family: c_int,
) -> *mut Hostent {
    let own = unsafe { v4(address, length, family) }.and_then(|a| Some((a, node_at(a)?)));
    match own {
        Some((address, own)) => {
            let text = address_text(address);
            let by_text = real!(gethostbyname(*const c_char) -> *mut Hostent);
            unsafe { named(by_text(text.as_ptr()), &own) }
        }
        None => {
            let ask = real!(gethostbyaddr(*const c_void, socklen_t, c_int) -> *mut Hostent);
            unsafe { ask(address, length, family) }
        }
    }
}

/// netdb.h: `errno` says what is wrong.
const NETDB_INTERNAL: c_int = -1;

/// Where functions with `_r` put their answers.
struct Room {
    out: *mut Hostent,
    buffer: *mut c_char,
    size: size_t,
    result: *mut *mut Hostent,
    error: *mut c_int,
}

impl Room {
    /// The host `own`, whose address is this text. Its name takes the beginning of the buffer.
    unsafe fn answer(self, own: &CStr, text: &CStr) -> c_int {
        let name = own.to_bytes_with_nul();
        let taken = name.len().next_multiple_of(8);
        if self.size <= taken {
            // SAFETY: the caller's, as for the C library's own function.
            unsafe { (*self.result, *self.error) = (std::ptr::null_mut(), NETDB_INTERNAL) };
            return libc::ERANGE;
        }
        let ask = real!(
            gethostbyname_r(
                *const c_char,
                *mut Hostent,
                *mut c_char,
                size_t,
                *mut *mut Hostent,
                *mut c_int,
            ) -> c_int
        );
        // SAFETY: the name fits, and the rest is the caller's as well.
        unsafe {
            self.buffer.copy_from(name.as_ptr().cast(), name.len());
            let (rest, left) = (self.buffer.add(taken), self.size - taken);
            let code = ask(text.as_ptr(), self.out, rest, left, self.result, self.error);
            if code == 0 && !(*self.result).is_null() {
                (**self.result).name = self.buffer;
            }
            code
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostbyname_r(
    name: *const c_char,
    out: *mut Hostent,
    buffer: *mut c_char,
    size: size_t,
    result: *mut *mut Hostent,
    error: *mut c_int,
) -> c_int {
    match node(name) {
        Some((own, text)) => unsafe {
            Room { out, buffer, size, result, error }.answer(&own, &text)
        },
        None => {
            let ask = real!(
                gethostbyname_r(
                    *const c_char,
                    *mut Hostent,
                    *mut c_char,
                    size_t,
                    *mut *mut Hostent,
                    *mut c_int,
                ) -> c_int
            );
            unsafe { ask(name, out, buffer, size, result, error) }
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostbyname2_r(
    name: *const c_char,
    family: c_int,
    out: *mut Hostent,
    buffer: *mut c_char,
    size: size_t,
    result: *mut *mut Hostent,
    error: *mut c_int,
) -> c_int {
    match node(name).filter(|_| family == libc::AF_INET) {
        Some((own, text)) => unsafe {
            Room { out, buffer, size, result, error }.answer(&own, &text)
        },
        None => {
            let ask = real!(
                gethostbyname2_r(
                    *const c_char,
                    c_int,
                    *mut Hostent,
                    *mut c_char,
                    size_t,
                    *mut *mut Hostent,
                    *mut c_int,
                ) -> c_int
            );
            unsafe { ask(name, family, out, buffer, size, result, error) }
        }
    }
}

#[allow(clippy::too_many_arguments)] // netdb.h has them
#[unsafe(no_mangle)]
unsafe extern "C" fn gethostbyaddr_r(
    address: *const c_void,
    length: socklen_t,
    family: c_int,
    out: *mut Hostent,
    buffer: *mut c_char,
    size: size_t,
    result: *mut *mut Hostent,
    error: *mut c_int,
) -> c_int {
    let own = unsafe { v4(address, length, family) }.and_then(|a| Some((a, node_at(a)?)));
    match own {
        Some((address, own)) => unsafe {
            Room { out, buffer, size, result, error }.answer(&own, &address_text(address))
        },
        None => {
            let ask = real!(
                gethostbyaddr_r(
                    *const c_void,
                    socklen_t,
                    c_int,
                    *mut Hostent,
                    *mut c_char,
                    size_t,
                    *mut *mut Hostent,
                    *mut c_int,
                ) -> c_int
            );
            unsafe { ask(address, length, family, out, buffer, size, result, error) }
        }
    }
}
