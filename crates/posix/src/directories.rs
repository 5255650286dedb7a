//! Streams of directory entries. Those of simulated directories are this library's own: the order
//! of entries is a function of their names. The order of the real disk would make the prediction of
//! a program that reads a directory depend on the computer.
//!
//! A stream holds a snapshot of the directory, taken at its first read and after `rewinddir`. The
//! entries are charged in the portions in which the C library reads them.

use std::ffi::{c_char, c_int, c_long, c_void};
use std::ptr::null_mut;

use libc::{DIR, dirent, dirent64, size_t, ssize_t};
use workload::FileCallKind;

use crate::descriptors::{Open, simulated};
use crate::entries::{LENGTH_AT, NAME_AT, OFFSET_AT, inode, name, records, set_inode};
use crate::next::{at, real};
use crate::open::{close_simulated, open_target};
use crate::place::Target;
use crate::simulator::{MAX_NUMBERS, Verdict, submit_numbers, submit_open};
use crate::sys::{self, error, finish, sys};

/// Bytes of entries that the C library reads at once.
const PORTION: usize = 32 << 10;
/// The beginning of a stream of this library. In the C library's own, a descriptor is there, and
/// no descriptor is as large.
const MAGIC: u64 = 0x6f64_6f6e_6174_6144;

/// A stream of a simulated directory.
#[repr(C)]
struct Stream {
    magic: u64,
    fd: c_int,
    is_read: bool,
    /// Records of the kernel; in order: the offset of each in `bytes`.
    bytes: Vec<u8>,
    order: Vec<u32>,
    next: usize,
    /// Entries that have been charged.
    charged: usize,
}

/// The stream behind a `DIR` of the program, if it is one of this library.
unsafe fn own<'a>(stream: *mut DIR) -> Option<&'a mut Stream> {
    if stream.is_null() || !stream.cast::<u64>().is_aligned() {
        return None;
    }
    // SAFETY: streams of both kinds have at least eight bytes.
    unsafe { (stream.cast::<u64>().read() == MAGIC).then(|| &mut *stream.cast::<Stream>()) }
}

impl Stream {
    fn create(fd: c_int) -> *mut DIR {
        let new = Stream {
            magic: MAGIC,
            fd,
            is_read: false,
            bytes: Vec::new(),
            order: Vec::new(),
            next: 0,
            charged: 0,
        };
        Box::into_raw(Box::new(new)).cast()
    }

    /// Takes the snapshot.
    fn fill(&mut self) -> Result<(), c_int> {
        self.bytes.clear();
        self.order.clear();
        sys::lseek(self.fd, 0, libc::SEEK_SET);
        loop {
            let at = self.bytes.len();
            self.bytes.resize(at + PORTION, 0);
            let into = self.bytes[at..].as_mut_ptr();
            // SAFETY: room for a portion.
            let n = unsafe { sys!(SYS_getdents64, self.fd, into, PORTION) };
            self.bytes.truncate(at + usize::try_from(n).unwrap_or(0));
            if n < 0 {
                return Err(-n as c_int);
            }
            if n == 0 {
                break;
            }
        }
        let mut at = 0;
        let mut keys: Vec<(u8, u64, u32)> = Vec::new();
        for record in records(&self.bytes) {
            keys.push((rank_of(name(record)), hash(name(record)), at));
            at += record.len() as u32;
        }
        let name_at = |at: u32| name(&self.bytes[at as usize..]);
        keys.sort_unstable_by(|a, b| {
            (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| name_at(a.2).cmp(name_at(b.2)))
        });
        self.order.extend(keys.iter().map(|key| key.2));
        for (i, &at) in self.order.iter().enumerate() {
            let at = at as usize + OFFSET_AT;
            self.bytes[at..at + 8].copy_from_slice(&(i as i64 + 1).to_ne_bytes());
        }
        self.is_read = true;
        Ok(())
    }

    /// The next entry; null at the end, and after an error, which sets `errno`.
    fn read(&mut self) -> *mut dirent64 {
        if let Err(errno) = self.charge() {
            sys::set_errno(errno);
            return null_mut();
        }
        let Some(&at) = self.order.get(self.next) else { return null_mut() };
        self.next += 1;
        self.bytes[at as usize..].as_mut_ptr().cast()
    }

    /// Charges the portion that has the next entry, and takes the snapshot before the first.
    fn charge(&mut self) -> Result<(), c_int> {
        if self.is_read && self.next < self.charged {
            return Ok(());
        }
        let Some(open) = simulated(self.fd) else {
            // Another file has this number, or the directory is one of the host.
            return if self.is_read { Ok(()) } else { self.fill() };
        };
        // The directory's entries are known after the first call; it has one portion at least.
        if !self.is_read {
            self.submit(&open, 0, 0)?;
            self.fill()?;
            self.charged = self.portion(0);
            self.number(&open, 0, self.charged)?;
            if self.charged < self.order.len() || self.charged == 0 {
                return Ok(());
            }
        } else {
            if self.charged >= self.order.len() {
                return Ok(());
            }
            let n = self.portion(self.charged);
            self.submit(&open, self.charged, n)?;
            self.number(&open, self.charged, n)?;
            self.charged += n;
        }
        Ok(())
    }

    /// Number of entries in the portion that begins with the nth.
    fn portion(&self, nth: usize) -> usize {
        let mut bytes = 0;
        let fits = |&&at: &&u32| {
            let length = &self.bytes[at as usize + LENGTH_AT..][..2];
            bytes += usize::from(u16::from_ne_bytes([length[0], length[1]]));
            bytes <= PORTION
        };
        self.order[nth..].iter().take_while(fits).count()
    }

    /// Gives `n` entries the numbers that their files have in the simulation.
    fn number(&mut self, open: &Open, first: usize, n: usize) -> Result<(), c_int> {
        for part in self.order[first..first + n].chunks(MAX_NUMBERS) {
            let mut numbers = [0u64; MAX_NUMBERS];
            for (number, &at) in numbers.iter_mut().zip(part) {
                *number = inode(&self.bytes[at as usize..]);
            }
            if !submit_numbers(open, &mut numbers[..part.len()])? {
                return Ok(());
            }
            for (number, &at) in numbers.iter().zip(part) {
                set_inode(&mut self.bytes[at as usize..], *number);
            }
        }
        Ok(())
    }

    fn submit(&self, open: &Open, first: usize, n: usize) -> Result<(), c_int> {
        let verdict = submit_open(FileCallKind::ReadDirectory, 0, open, |header| {
            (header.offset, header.bytes) = (first as u64, n as u64);
        });
        match verdict {
            Verdict::Failed(errno) => Err(errno),
            _ => Ok(()),
        }
    }
}

/// `.` and `..` come first.
fn rank_of(name: &[u8]) -> u8 {
    match name {
        b"." => 0,
        b".." => 1,
        _ => 2,
    }
}

/// FNV-1a.
fn hash(name: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    name.iter()
        .fold(start, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// # Safety
/// The program's path.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn opendir(path: *const c_char) -> *mut DIR {
    unsafe {
        open_stream((libc::AT_FDCWD, path), || real!(opendir(*const c_char) -> *mut DIR)(path))
    }
}

/// # Safety
/// The program's path.
pub unsafe fn open_stream(
    (dir, path): (c_int, *const c_char),
    host: impl Fn() -> *mut DIR,
) -> *mut DIR {
    let open = |target: &mut Target| {
        let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC | libc::O_NONBLOCK;
        match finish(open_target(target, flags, 0)) {
            -1 => null_mut(),
            fd => Stream::create(fd as c_int),
        }
    };
    unsafe { at((dir, path, true), host, open) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fdopendir(fd: c_int) -> *mut DIR {
    let Some(open) = simulated(fd) else {
        return unsafe { real!(fdopendir(c_int) -> *mut DIR)(fd) };
    };
    if open.status.st_mode & libc::S_IFMT != libc::S_IFDIR {
        sys::set_errno(libc::ENOTDIR);
        return null_mut();
    }
    Stream::create(fd)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn closedir(stream: *mut DIR) -> c_int {
    let Some(found) = (unsafe { own(stream) }) else {
        return unsafe { real!(closedir(*mut DIR) -> c_int)(stream) };
    };
    let fd = found.fd;
    found.magic = 0;
    // SAFETY: created by `Stream::create`, and used no more.
    drop(unsafe { Box::from_raw(stream.cast::<Stream>()) });
    close_simulated(fd)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn dirfd(stream: *mut DIR) -> c_int {
    match unsafe { own(stream) } {
        Some(stream) => stream.fd,
        None => unsafe { real!(dirfd(*mut DIR) -> c_int)(stream) },
    }
}

/// On 64-bit Linux, `dirent64` is `dirent`.
macro_rules! reads {
    ($($name:ident $name_r:ident $entry:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(stream: *mut DIR) -> *mut $entry {
            match unsafe { own(stream) } {
                Some(stream) => stream.read().cast(),
                None => unsafe { real!($name(*mut DIR) -> *mut $entry)(stream) },
            }
        }
        /// Returns the error; the program's entry has room for the longest name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name_r(
            stream: *mut DIR,
            entry: *mut $entry,
            out: *mut *mut $entry,
        ) -> c_int {
            let Some(found) = (unsafe { own(stream) }) else {
                let real = real!($name_r(*mut DIR, *mut $entry, *mut *mut $entry) -> c_int);
                return unsafe { real(stream, entry, out) };
            };
            sys::set_errno(0);
            let next = found.read();
            if next.is_null() {
                unsafe { *out = null_mut() };
                return sys::errno();
            }
            unsafe {
                let length = usize::from((*next).d_reclen);
                entry.cast::<u8>().copy_from(next.cast::<u8>(), length);
                *out = entry;
            }
            0
        }
    )*};
}
reads! { readdir readdir_r dirent; readdir64 readdir64_r dirent64; }

#[unsafe(no_mangle)]
unsafe extern "C" fn rewinddir(stream: *mut DIR) {
    let Some(stream) = (unsafe { own(stream) }) else {
        return unsafe { real!(rewinddir(*mut DIR) -> ())(stream) };
    };
    (stream.next, stream.charged, stream.is_read) = (0, 0, false);
}
#[unsafe(no_mangle)]
unsafe extern "C" fn telldir(stream: *mut DIR) -> c_long {
    match unsafe { own(stream) } {
        Some(stream) => stream.next as c_long,
        None => unsafe { real!(telldir(*mut DIR) -> c_long)(stream) },
    }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn seekdir(stream: *mut DIR, position: c_long) {
    match unsafe { own(stream) } {
        Some(stream) => stream.next = usize::try_from(position).unwrap_or(0),
        None => unsafe { real!(seekdir(*mut DIR, c_long) -> ())(stream, position) },
    }
}

/// # Safety
/// The program's buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getdents64(fd: c_int, out: *mut c_void, n: size_t) -> ssize_t {
    let simulated = simulated(fd);
    if let Some(open) = &simulated {
        let first = sys::lseek(fd, 0, libc::SEEK_CUR).max(0) as u64;
        let verdict = submit_open(FileCallKind::ReadDirectory, 0, open, |header| {
            // The kernel's offset is not a number of entries; only whether it is the beginning.
            header.offset = u64::from(first != 0);
        });
        if let Verdict::Failed(errno) = verdict {
            return finish(error(errno));
        }
    }
    let n = unsafe { real!(getdents64(c_int, *mut c_void, size_t) -> ssize_t)(fd, out, n) };
    if let Some(open) = simulated
        && n > 0
    {
        // SAFETY: filled in by the kernel.
        let bytes = unsafe { std::slice::from_raw_parts_mut(out.cast::<u8>(), n as usize) };
        if let Err(errno) = number_records(&open, bytes) {
            return finish(error(errno));
        }
    }
    n
}

/// Gives entries the numbers that their files have in the simulation.
fn number_records(open: &Open, bytes: &mut [u8]) -> Result<(), c_int> {
    let mut start = 0;
    while start < bytes.len() {
        let mut numbers = [0u64; MAX_NUMBERS];
        let (mut n, mut end) = (0, start);
        for record in records(&bytes[start..]).take(MAX_NUMBERS) {
            numbers[n] = inode(record);
            (n, end) = (n + 1, end + record.len());
        }
        if n == 0 || !submit_numbers(open, &mut numbers[..n])? {
            return Ok(());
        }
        let mut at = start;
        for number in &numbers[..n] {
            set_inode(&mut bytes[at..], *number);
            let length = &bytes[at + LENGTH_AT..][..2];
            at += usize::from(u16::from_ne_bytes([length[0], length[1]]));
        }
        start = end;
    }
    Ok(())
}

type Select = Option<unsafe extern "C" fn(*const dirent64) -> c_int>;
type Compare = Option<unsafe extern "C" fn(*mut *const dirent64, *mut *const dirent64) -> c_int>;
type List = *mut *mut *mut dirent64;

/// Scans a directory with this library's stream; the number of entries or -1.
unsafe fn scan(stream: *mut DIR, out: List, select: Select, compare: Compare) -> c_int {
    let mut found: Vec<*mut dirent64> = Vec::new();
    sys::set_errno(0);
    // SAFETY: the program's functions, called with entries as the C library does.
    unsafe {
        loop {
            let entry = readdir64(stream);
            if entry.is_null() {
                break;
            }
            if select.is_some_and(|select| select(entry) == 0) {
                continue;
            }
            let length = usize::from((*entry).d_reclen).max(NAME_AT + 1);
            let copy = libc::malloc(length).cast::<u8>();
            if copy.is_null() {
                sys::set_errno(libc::ENOMEM);
                break;
            }
            copy.copy_from(entry.cast::<u8>(), length);
            found.push(copy.cast());
            sys::set_errno(0);
        }
        let errno = sys::errno();
        closedir(stream);
        sys::set_errno(errno);
        let bytes = found.len().max(1) * size_of::<*mut dirent64>();
        let list =
            if errno == 0 { libc::malloc(bytes).cast::<*mut dirent64>() } else { null_mut() };
        if list.is_null() {
            found.iter().for_each(|entry| libc::free(entry.cast()));
            return -1;
        }
        list.copy_from(found.as_ptr(), found.len());
        if let Some(compare) = compare {
            type Any = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;
            // SAFETY: `qsort` passes pointers to elements, as `scandir` does.
            let compare = std::mem::transmute::<
                unsafe extern "C" fn(*mut *const dirent64, *mut *const dirent64) -> c_int,
                Any,
            >(compare);
            libc::qsort(list.cast(), found.len(), size_of::<*mut dirent64>(), Some(compare));
        }
        *out = list;
        found.len() as c_int
    }
}

macro_rules! scans {
    ($($name:ident $name_at:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            path: *const c_char,
            out: List,
            select: Select,
            compare: Compare,
        ) -> c_int {
            let real = real!($name(*const c_char, List, Select, Compare) -> c_int);
            let host = || unsafe { real(path, out, select, compare) };
            unsafe { scan_at((libc::AT_FDCWD, path), out, select, compare, host) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name_at(
            dir: c_int,
            path: *const c_char,
            out: List,
            select: Select,
            compare: Compare,
        ) -> c_int {
            let real = real!($name_at(c_int, *const c_char, List, Select, Compare) -> c_int);
            let host = || unsafe { real(dir, path, out, select, compare) };
            unsafe { scan_at((dir, path), out, select, compare, host) }
        }
    )*};
}
scans! { scandir scandirat; scandir64 scandirat64; }

unsafe fn scan_at(
    place: (c_int, *const c_char),
    out: List,
    select: Select,
    compare: Compare,
    host: impl Fn() -> c_int,
) -> c_int {
    let open = |target: &mut Target| {
        let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
        match finish(open_target(target, flags, 0)) {
            -1 => -1,
            fd => unsafe { scan(Stream::create(fd as c_int), out, select, compare) },
        }
    };
    unsafe { at((place.0, place.1, true), host, open) }
}
