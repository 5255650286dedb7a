//! The shared segment: anonymous memory with a descriptor and no name, which disappears with the
//! last process that maps it.

use crate::launch::{LaunchError, LaunchSpec};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use workload::wire::{self, Segment, SegmentLayout, state};

/// Unmapped and closed when dropped.
pub(crate) struct Shared {
    pub segment: Segment,
    fd: OwnedFd,
    bytes: usize,
}

impl Shared {
    pub fn new(ranks: u32) -> Result<Shared, LaunchError> {
        let layout = layout_of(ranks)?;
        Shared::map(ranks, layout).map_err(LaunchError::SharedMemory)
    }

    fn map(ranks: u32, layout: SegmentLayout) -> io::Result<Shared> {
        // SAFETY: plain system calls; the name is only shown in /proc.
        let fd = unsafe { libc::memfd_create(c"odonata".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `fd` is new and owned here.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let bytes = layout.bytes(ranks);
        // SAFETY: a plain system call.
        if unsafe { libc::ftruncate(fd.as_raw_fd(), bytes as libc::off_t) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new mapping at an address the kernel chooses.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                fd.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // Excluded from core dumps, which would allocate every hole of the sparse segment.
        // SAFETY: advice about the mapping made above.
        unsafe { libc::madvise(base, bytes as usize, libc::MADV_DONTDUMP) };
        // SAFETY: the mapping has the requested length and lives as long as this value; `Live`
        // drops it last.
        let segment = unsafe { Segment::at(base.cast()) };
        // SAFETY: no rank has started, so only this process accesses the segment.
        unsafe { (*segment.header()).layout = layout };
        Ok(Shared { segment, fd, bytes: bytes as usize })
    }

    pub fn fd(&self) -> i32 {
        self.fd.as_raw_fd()
    }

    /// Sets the private memory in bytes of the process that the ranks were forked from. No rank
    /// runs yet.
    pub fn inherit(&self, bytes: u64) {
        // SAFETY: ranks read it only after they have started.
        unsafe { (*self.segment.header()).inherited = bytes };
    }

    /// Writes what ranks read before their first call. All ranks are running.
    pub fn write(&self, spec: &LaunchSpec) {
        // SAFETY: no rank has started, so only this process accesses the zeroed segment.
        unsafe {
            let header = &mut *self.segment.header();
            header.magic = wire::MAGIC;
            header.ranks = spec.ranks;
            header.compute_factor = spec.compute_factor.unwrap_or(0.0).to_bits();
            header.clock_tick_ps = spec.clock_tick.0;
            header.eager_max = spec.eager_max;
            header.inject_max = spec.inject_max;
            header.tag_ub = spec.tag_ub;
            header.tag_max = spec.tag_max;
            header.checks = spec.checks;
            header.synchronized = spec.synchronized;
            header.pid = std::process::id();
            header.mounts = spec.file_systems.mounts.len() as u64;
            copy_text(&mut header.machine, &spec.machine);
            copy_text(&mut header.library, &spec.library_version);
            *header.running.get_mut() = spec.ranks;
            for (rank, location) in spec.locations.iter().enumerate() {
                let control = &mut *self.segment.control(rank as u32);
                *control.turn.get_mut() = 1;
                *control.state.get_mut() = state::STARTING;
                control.node = location.node;
                control.nodes = spec.nodes;
                control.local_rank = location.local_rank;
                control.local_size = location.local_size;
                copy_text(&mut control.node_name, &location.node_name);
            }
        }
    }
}

/// Address space in bytes reserved for the rest of this process: the network model, results
/// [estimate].
const HEADROOM: u64 = 128 << 20;

/// The layout of a segment that fits into the limits of this process and of the ranks. A rank has
/// the same limit of address space and keeps more than half of it. The next of several jobs gets
/// half of the remaining space.
fn layout_of(ranks: u32) -> Result<SegmentLayout, LaunchError> {
    let limit = |which| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: a valid rlimit.
        let known = unsafe { libc::getrlimit(which, &mut limit) } == 0;
        if known && limit.rlim_cur != libc::RLIM_INFINITY { limit.rlim_cur } else { u64::MAX }
    };
    let (space, file) = (limit(libc::RLIMIT_AS), limit(libc::RLIMIT_FSIZE));
    if space == u64::MAX && file == u64::MAX {
        return Ok(SegmentLayout::full(ranks));
    }
    let own = own_space() + HEADROOM;
    let share = (space.saturating_sub(own) / 2).min(file);
    let least = SegmentLayout::min_bytes(ranks);
    SegmentLayout::within(ranks, share).ok_or(match share == file {
        true => LaunchError::Space { what: "a file", option: "-f", need: least, limit: file },
        false => {
            let need = 2 * least + own;
            LaunchError::Space { what: "address space", option: "-v", need, limit: space }
        }
    })
}

/// Bytes of address space this process has (proc(5), `statm`).
fn own_space() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
    // SAFETY: a plain query.
    pages * unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: unmaps what `new` mapped; no reference into it is left.
        unsafe { libc::munmap(self.segment.ptr(0).cast(), self.bytes) };
    }
}

/// Whether a range lies inside the ranks' regions. The header is written.
pub(crate) fn lies_inside(segment: Segment, at: u64, bytes: u64, align: usize) -> bool {
    // SAFETY: see above.
    let end = unsafe { segment.scratch() };
    let fits = at.checked_add(bytes).is_some_and(|e| e <= end);
    fits && at >= wire::HEADER_BYTES && at.is_multiple_of(align as u64)
}

/// Copies zero-terminated text, truncated at a character boundary.
fn copy_text(into: &mut [u8], text: &str) {
    let mut n = text.len().min(into.len() - 1);
    while !text.is_char_boundary(n) {
        n -= 1;
    }
    into[..n].copy_from_slice(&text.as_bytes()[..n]);
    into[n] = 0;
}
