//! `syscall`: some libraries call the kernel by number where the C library has no function or an
//! old one. The numbers that concern files are those functions here; the others go to the kernel.
//!
//! `io_uring_setup` fails with `ENOSYS`, as on a kernel without it: transfers through a ring are
//! not calls, so they could not be simulated.

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};

use crate::blocks;
use crate::descriptors::{may_be_simulated, simulated};
use crate::directories::getdents64;
use crate::kernel_aio::{self, Block};
use crate::mounts;
use crate::names::rename_at;
use crate::next::real;
use crate::open::{close_simulated, open_at};
use crate::status::statx;
use crate::sys::{self, error, finish};

#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    type L = c_long;
    if !mounts::active() {
        return unsafe { real!(syscall(L, L, L, L, L, L, L) -> L)(number, a, b, c, d, e, f) };
    }
    let path = |value: c_long| value as *const c_char;
    let host = || finish(unsafe { sys::call(number, [a, b, c, d, e, f].map(|x| x as usize)) });
    let host_int = || host() as c_int;
    // SAFETY: the program's arguments for these calls.
    unsafe {
        match number {
            libc::SYS_openat => {
                let place = (a as c_int, path(b));
                open_at(place, c as c_int, d as libc::mode_t, host_int).into()
            }
            libc::SYS_openat2 => open2(a as c_int, path(b), c as *const u64, host_int).into(),
            libc::SYS_statx => {
                let out = e as *mut libc::statx;
                statx(a as c_int, path(b), c as c_int, d as c_uint, out).into()
            }
            libc::SYS_renameat2 => {
                let (from, to) = ((a as c_int, path(b)), (c as c_int, path(d)));
                rename_at(from, to, e as c_uint, host_int).into()
            }
            libc::SYS_getdents64 => getdents64(a as c_int, b as *mut c_void, c as usize) as c_long,
            libc::SYS_close if may_be_simulated(a as c_int) => close_simulated(a as c_int).into(),
            libc::SYS_io_submit => {
                finish(kernel_aio::submit(a as *mut c_void, b, c as *mut *mut Block)) as c_long
            }
            libc::SYS_io_uring_setup => finish(error(libc::ENOSYS)) as c_long,
            _ => {
                if let Err(errno) = make_plain(number, [a, b, c, e]) {
                    return finish(sys::error(errno)) as c_long;
                }
                let real = real!(syscall(L, L, L, L, L, L, L) -> L);
                real(number, a, b, c, d, e, f)
            }
        }
    }
}

/// Data of simulated files that the kernel moves for other numbers must be in the backing file.
fn make_plain(number: c_long, [a, b, c, e]: [c_long; 4]) -> Result<(), c_int> {
    let descriptors = match number {
        libc::SYS_read
        | libc::SYS_write
        | libc::SYS_pread64
        | libc::SYS_pwrite64
        | libc::SYS_readv
        | libc::SYS_writev
        | libc::SYS_preadv
        | libc::SYS_pwritev
        | libc::SYS_preadv2
        | libc::SYS_pwritev2
        | libc::SYS_ftruncate
        | libc::SYS_fallocate
        | libc::SYS_lseek => [a, -1],
        libc::SYS_sendfile => [a, b],
        libc::SYS_copy_file_range | libc::SYS_splice => [a, c],
        libc::SYS_mmap => [e, -1],
        _ => return Ok(()),
    };
    for fd in descriptors {
        if let Some(open) = simulated(fd as c_int) {
            blocks::make_plain(&open)?;
        }
    }
    Ok(())
}

/// `openat2`, whose argument has flags, mode and restrictions. Restrictions that the kernel checks
/// against the real tree are applied to the program's path as far as it is relative to a directory.
unsafe fn open2(
    dir: c_int,
    path: *const c_char,
    how: *const u64,
    host: impl Fn() -> c_int,
) -> c_int {
    if how.is_null() {
        return host();
    }
    let (flags, mode, resolve) = unsafe { (*how, *how.add(1), *how.add(2)) };
    if resolve != 0 {
        let fd = host();
        if fd >= 0 {
            crate::descriptors::recognize(fd);
        }
        return fd;
    }
    unsafe { open_at((dir, path), flags as c_int, mode as libc::mode_t, host) }
}

/// `io_uring_queue_init` of liburing, and its forms with parameters and memory. They return the
/// negative error; a program that can do without rings then uses other calls.
macro_rules! rings {
    ($($name:ident($($argument:ident: $ty:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $ty),*) -> c_int {
            if mounts::active() {
                return -libc::ENOSYS;
            }
            unsafe { real!($name($($ty),*) -> c_int)($($argument),*) }
        }
    )*};
}
rings! {
    io_uring_queue_init(entries: c_uint, ring: *mut c_void, flags: c_uint);
    io_uring_queue_init_params(entries: c_uint, ring: *mut c_void, parameters: *mut c_void);
    io_uring_queue_init_mem(
        entries: c_uint, ring: *mut c_void, parameters: *mut c_void, memory: *mut c_void,
        bytes: usize
    );
}
