//! The name of the simulated node, and the addresses of the job's nodes.
//!
//! All functions that return the host's name return that of the node, as `MPI_Get_processor_name`
//! does. Each node name of the job resolves to a loopback address of its own. A rank can therefore
//! connect to a socket that another rank has bound to the name of its node.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};

use libc::{addrinfo, size_t, sockaddr, sockaddr_in, socklen_t, utsname};

use crate::{real, set_errno};

/// Set by the launcher: the name of this rank's node, and the file that lists the job's nodes, one
/// per line.
const NODE: &CStr = c"ODONATA_NODE";
const NODES: &CStr = c"ODONATA_NODES";
/// The n-th node of the list, counted from 1, has this address plus n. 127.0.0.0/8 is loopback.
const FIRST_ADDRESS: u32 = u32::from_be_bytes([127, 64, 0, 0]);
/// Largest number of nodes: that of the ranks of a job.
const MAX_NODES: u32 = 1 << 16;
/// Longest host name with its zero, in bytes (HOST_NAME_MAX of Linux).
const NAME_BYTES: usize = 65;

fn variable(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: a zero-terminated name; the value of `getenv` is read immediately.
    let found = unsafe { libc::getenv(name.as_ptr()) };
    if found.is_null() { None } else { Some(unsafe { CStr::from_ptr(found) }) }
}

/// The node's name, in a process of a simulated job.
pub(crate) fn own_name() -> Option<&'static [u8]> {
    variable(NODE).map(CStr::to_bytes).filter(|n| !n.is_empty() && n.len() < NAME_BYTES)
}

fn names() -> Option<String> {
    std::fs::read_to_string(variable(NODES)?.to_str().ok()?).ok()
}

/// The job's node of this name, with a domain or without: its spelling in the list, its address.
fn node(name: *const c_char) -> Option<(CString, CString)> {
    if name.is_null() || own_name().is_none() {
        return None;
    }
    // SAFETY: the caller's zero-terminated text.
    let requested = unsafe { CStr::from_ptr(name) }.to_str().ok()?;
    let all = names()?;
    let place = |requested: &str| all.lines().position(|line| line.eq_ignore_ascii_case(requested));
    let of_domain = || place(requested.split_once('.')?.0);
    let at = place(requested).or_else(of_domain)?;
    let address = std::net::Ipv4Addr::from(FIRST_ADDRESS + 1 + u32::try_from(at).ok()?);
    let own = all.lines().nth(at)?;
    Some((CString::new(own).ok()?, CString::new(address.to_string()).ok()?))
}

/// The name of the node with this address (network byte order).
fn node_at(address: u32) -> Option<CString> {
    let n = u32::from_be(address).checked_sub(FIRST_ADDRESS + 1).filter(|&n| n < MAX_NODES)?;
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
        return set_errno(libc::ENAMETOOLONG);
    }
    unsafe { *out.add(n) = 0 };
    0
}

/// `gethostname` where the compiler knows the size of the buffer.
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

/// Whether a process may have a text there: beyond the first pages (`vm.mmap_min_addr`), and below
/// the kernel's addresses. The kernel returns `EFAULT` for others.
pub(crate) fn is_address(text: *const c_char) -> bool {
    (1 << 16..1 << 56).contains(&text.addr())
}

/// Opens a file with the node's name in place of one with the host's name; `None` for other files.
pub(crate) unsafe fn open_host_file(path: *const c_char, flags: c_int) -> Option<c_int> {
    if !is_address(path) || flags & libc::O_ACCMODE != libc::O_RDONLY {
        return None;
    }
    // SAFETY: the caller's zero-terminated text.
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
    let real_fn =
        real!(getaddrinfo(*const c_char, Service, *const addrinfo, *mut *mut addrinfo) -> c_int);
    let flags = if hints.is_null() { 0 } else { unsafe { (*hints).ai_flags } };
    let Some((own, address)) = node(name).filter(|_| flags & libc::AI_NUMERICHOST == 0) else {
        return unsafe { real_fn(name, service, hints, out) };
    };
    let answer = unsafe { real_fn(address.as_ptr(), service, hints, out) };
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
    let real_fn = real!(
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
        return unsafe { real_fn(of, length, host, host_bytes, service, service_bytes, flags) };
    };
    let (name, room) = (name.as_bytes_with_nul(), host_bytes as usize);
    if name.len() > room {
        return libc::EAI_OVERFLOW;
    }
    // SAFETY: the length was checked.
    unsafe { host.copy_from(name.as_ptr().cast(), name.len()) };
    if service.is_null() || service_bytes == 0 {
        return 0;
    }
    let flags = flags | libc::NI_NUMERICHOST;
    unsafe { real_fn(of, length, std::ptr::null_mut(), 0, service, service_bytes, flags) }
}

/// `struct hostent` of netdb.h.
#[repr(C)]
struct Hostent {
    name: *mut c_char,
    aliases: *mut *mut c_char,
    family: c_int,
    length: c_int,
    addresses: *mut *mut c_char,
}

/// The name returned by functions without `_r`; valid until the next call.
struct StaticName(UnsafeCell<[u8; NAME_BYTES]>);
// SAFETY: those functions may be called by one thread at a time (gethostbyname(3), ATTRIBUTES).
unsafe impl Sync for StaticName {}
static STATIC_NAME: StaticName = StaticName(UnsafeCell::new([0; NAME_BYTES]));

unsafe fn with_name(found: *mut Hostent, own: &CStr) -> *mut Hostent {
    let name = own.to_bytes_with_nul();
    if !found.is_null() && name.len() <= NAME_BYTES {
        // SAFETY: as above.
        unsafe {
            let into = STATIC_NAME.0.get().cast::<u8>();
            into.copy_from(name.as_ptr(), name.len());
            (*found).name = into.cast();
        }
    }
    found
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostbyname(name: *const c_char) -> *mut Hostent {
    let real_fn = real!(gethostbyname(*const c_char) -> *mut Hostent);
    match node(name) {
        Some((own, address)) => unsafe { with_name(real_fn(address.as_ptr()), &own) },
        None => unsafe { real_fn(name) },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostbyname2(name: *const c_char, family: c_int) -> *mut Hostent {
    let real_fn = real!(gethostbyname2(*const c_char, c_int) -> *mut Hostent);
    match node(name).filter(|_| family == libc::AF_INET) {
        Some((own, address)) => unsafe { with_name(real_fn(address.as_ptr(), family), &own) },
        None => unsafe { real_fn(name, family) },
    }
}

/// The IPv4 address in network byte order; `None` for other families.
unsafe fn ipv4(address: *const c_void, length: socklen_t, family: c_int) -> Option<u32> {
    let is_v4 = !address.is_null() && length as usize == size_of::<u32>();
    // SAFETY: four bytes.
    (is_v4 && family == libc::AF_INET).then(|| unsafe { address.cast::<u32>().read_unaligned() })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gethostbyaddr(
    address: *const c_void,
    length: socklen_t,
    family: c_int,
) -> *mut Hostent {
    let own = unsafe { ipv4(address, length, family) }.and_then(|a| Some((a, node_at(a)?)));
    match own {
        Some((address, own)) => {
            let text = address_text(address);
            let by_text = real!(gethostbyname(*const c_char) -> *mut Hostent);
            unsafe { with_name(by_text(text.as_ptr()), &own) }
        }
        None => {
            let real_fn = real!(gethostbyaddr(*const c_void, socklen_t, c_int) -> *mut Hostent);
            unsafe { real_fn(address, length, family) }
        }
    }
}

/// netdb.h: `errno` has the error.
const NETDB_INTERNAL: c_int = -1;

/// Where functions with `_r` put their results.
struct ResultBuffers {
    out: *mut Hostent,
    buffer: *mut c_char,
    size: size_t,
    result: *mut *mut Hostent,
    error: *mut c_int,
}

impl ResultBuffers {
    /// Returns the host `own` with the address `text`. The name is copied to the start of the
    /// buffer.
    unsafe fn answer(self, own: &CStr, text: &CStr) -> c_int {
        let name = own.to_bytes_with_nul();
        let taken = name.len().next_multiple_of(8);
        if self.size <= taken {
            // SAFETY: the caller's pointers, as for the C library's own function.
            unsafe { (*self.result, *self.error) = (std::ptr::null_mut(), NETDB_INTERNAL) };
            return libc::ERANGE;
        }
        let real_fn = real!(
            gethostbyname_r(
                *const c_char,
                *mut Hostent,
                *mut c_char,
                size_t,
                *mut *mut Hostent,
                *mut c_int,
            ) -> c_int
        );
        // SAFETY: the name fits; the pointers are the caller's.
        unsafe {
            self.buffer.copy_from(name.as_ptr().cast(), name.len());
            let (rest, left) = (self.buffer.add(taken), self.size - taken);
            let code = real_fn(text.as_ptr(), self.out, rest, left, self.result, self.error);
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
            ResultBuffers { out, buffer, size, result, error }.answer(&own, &text)
        },
        None => {
            let real_fn = real!(
                gethostbyname_r(
                    *const c_char,
                    *mut Hostent,
                    *mut c_char,
                    size_t,
                    *mut *mut Hostent,
                    *mut c_int,
                ) -> c_int
            );
            unsafe { real_fn(name, out, buffer, size, result, error) }
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
            ResultBuffers { out, buffer, size, result, error }.answer(&own, &text)
        },
        None => {
            let real_fn = real!(
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
            unsafe { real_fn(name, family, out, buffer, size, result, error) }
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
    let own = unsafe { ipv4(address, length, family) }.and_then(|a| Some((a, node_at(a)?)));
    match own {
        Some((address, own)) => unsafe {
            ResultBuffers { out, buffer, size, result, error }.answer(&own, &address_text(address))
        },
        None => {
            let real_fn = real!(
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
            unsafe { real_fn(address, length, family, out, buffer, size, result, error) }
        }
    }
}
