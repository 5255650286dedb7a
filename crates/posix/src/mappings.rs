//! Memory maps of simulated files. A map for reading is charged as one read of its range when it is
//! created. A shared map for writing is charged as a write of its range by `msync` and `munmap`.
//! Accesses of single pages are not observed.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use libc::{off_t, size_t};
use workload::FileCallKind;

use crate::blocks;
use crate::data::charge;
use crate::descriptors::{Open, simulated};
use crate::next::real;
use crate::sys::{error, finish};

/// A shared map for writing. Its file may be closed before it is unmapped.
#[derive(Clone, Copy)]
struct Map {
    start: usize,
    bytes: usize,
    offset: i64,
    mount: usize,
    status: libc::stat,
    is_written: bool,
}

/// Largest number of observed maps. Others are not charged when they are written.
const MAX_MAPS: usize = 256;
struct Maps(UnsafeCell<[Option<Map>; MAX_MAPS]>);
// SAFETY: used by the thread that holds `LOCK`.
unsafe impl Sync for Maps {}
static MAPS: Maps = Maps(UnsafeCell::new([None; MAX_MAPS]));
static LOCK: AtomicBool = AtomicBool::new(false);
/// Number of maps: 0 in most programs, whose calls end there.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Runs `work` on the table. The lock is held for some loads and stores.
fn with_maps<R>(work: impl FnOnce(&mut [Option<Map>; MAX_MAPS]) -> R) -> R {
    while LOCK.swap(true, Ordering::Acquire) {
        std::hint::spin_loop();
    }
    // SAFETY: this thread has the lock.
    let maps = unsafe { &mut *MAPS.0.get() };
    let result = work(maps);
    COUNT.store(maps.iter().flatten().count(), Ordering::Release);
    LOCK.store(false, Ordering::Release);
    result
}

macro_rules! mmaps {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            start: *mut c_void,
            bytes: size_t,
            protection: c_int,
            flags: c_int,
            fd: c_int,
            offset: off_t,
        ) -> *mut c_void {
            type V = *mut c_void;
            let real = real!($name(V, size_t, c_int, c_int, c_int, off_t) -> V);
            let host = || unsafe { real(start, bytes, protection, flags, fd, offset) };
            if flags & libc::MAP_ANONYMOUS != 0 {
                return host();
            }
            match simulated(fd) {
                Some(open) => map_simulated(&open, (bytes, protection, flags, offset), host),
                None => host(),
            }
        }
    )*};
}
mmaps! { mmap mmap64 }

fn map_simulated(
    open: &Open,
    (bytes, protection, flags, offset): (usize, c_int, c_int, i64),
    host: impl FnOnce() -> *mut c_void,
) -> *mut c_void {
    let in_file = open.size().saturating_sub(offset.max(0) as u64).min(bytes as u64);
    let read = if protection & libc::PROT_READ != 0 { in_file } else { 0 };
    // The blocks move to the file when the calls before this one in simulated time have stored
    // theirs, and before the map, which may copy pages at once (`MAP_POPULATE`).
    let result = charge(open, FileCallKind::Read, offset, read);
    if let Err(errno) = result.and_then(|_| blocks::make_plain(open)) {
        finish(error(errno));
        return libc::MAP_FAILED;
    }
    let at = host();
    if at == libc::MAP_FAILED {
        return at;
    }
    let is_shared = flags & libc::MAP_TYPE != libc::MAP_PRIVATE;
    if is_shared && protection & libc::PROT_WRITE != 0 {
        let map = Map {
            start: at as usize,
            bytes,
            offset,
            mount: open.mount,
            status: open.status,
            is_written: true,
        };
        with_maps(|maps| {
            if let Some(free) = maps.iter_mut().find(|map| map.is_none()) {
                *free = Some(map);
            }
        });
    }
    at
}

/// Charges the maps in a range, which are removed or have been written.
fn charge_range(start: usize, bytes: usize, removes: bool) -> Result<(), c_int> {
    if COUNT.load(Ordering::Acquire) == 0 {
        return Ok(());
    }
    let mut result = Ok(());
    for nth in 0..MAX_MAPS {
        let found = with_maps(|maps| {
            let map = maps[nth]?;
            let first = start.max(map.start);
            let end = start.saturating_add(bytes).min(map.start + map.bytes);
            if first >= end {
                return None;
            }
            // A part that is unmapped ends the observation of the whole.
            maps[nth] = (!removes).then_some(Map { is_written: false, ..map });
            let offset = map.offset + (first - map.start) as i64;
            Some((map, offset, (end - first) as u64))
        });
        if let Some((map, offset, bytes)) = found
            && (map.is_written || !removes)
        {
            let open = Open { fd: -1, mount: map.mount, flags: 0, status: map.status };
            let in_file = open.size().saturating_sub(offset as u64).min(bytes);
            if let Err(errno) = charge(&open, FileCallKind::Write, offset, in_file) {
                result = Err(errno);
            }
        }
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn munmap(start: *mut c_void, bytes: size_t) -> c_int {
    // The function has no error for a file.
    let _ = charge_range(start as usize, bytes, true);
    unsafe { real!(munmap(*mut c_void, size_t) -> c_int)(start, bytes) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn msync(start: *mut c_void, bytes: size_t, flags: c_int) -> c_int {
    if let Err(errno) = charge_range(start as usize, bytes, false) {
        return finish(error(errno)) as c_int;
    }
    unsafe { real!(msync(*mut c_void, size_t, c_int) -> c_int)(start, bytes, flags) }
}
