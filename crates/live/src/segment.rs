//! The shared segment: anonymous memory with a descriptor and no name, so that nothing of it is
//! left when the last process that maps it is gone, however it went.

use crate::LaunchSpec;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use workload::wire::{self, Segment, state};

/// Unmapped and closed when dropped.
pub(crate) struct Shared {
    pub segment: Segment,
    fd: OwnedFd,
    bytes: usize,
}

impl Shared {
    pub fn new(ranks: u32) -> io::Result<Shared> {
        // SAFETY: plain system calls; the name is only shown in /proc.
        let fd = unsafe { libc::memfd_create(c"odonata".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `fd` is new and ours alone.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let bytes = wire::segment_bytes(ranks);
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
        // A core dump would write out every hole of the sparse segment, and make it real to do so.
        // SAFETY: advice about the mapping made above.
        unsafe { libc::madvise(base, bytes as usize, libc::MADV_DONTDUMP) };
        // SAFETY: the mapping has the length asked for and lives as long as this value; `Live`
        // drops it last.
        let segment = unsafe { Segment::at(base.cast()) };
        Ok(Shared { segment, fd, bytes: bytes as usize })
    }

    pub fn fd(&self) -> i32 {
        self.fd.as_raw_fd()
    }

    /// Every rank is a copy of a process with so many bytes of its own. None of them runs yet.
    pub fn inherit(&self, bytes: u64) {
        // SAFETY: ranks read it once they run.
        unsafe { (*self.segment.header()).inherited = bytes };
    }

    /// Everything a rank reads before its first call. All ranks have the turn.
    pub fn write(&self, spec: &LaunchSpec) {
        // SAFETY: no rank has started, so all of the segment is ours, and it is zeroed.
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
            copy_text(&mut header.machine, &spec.machine);
            copy_text(&mut header.library, &spec.library_version);
            *header.running.get_mut() = spec.ranks;
            for (rank, seat) in spec.seats.iter().enumerate() {
                let control = &mut *self.segment.control(rank as u32);
                *control.turn.get_mut() = 1;
                *control.state.get_mut() = state::STARTING;
                control.node = seat.node;
                control.nodes = spec.nodes;
                control.local_rank = seat.local_rank;
                control.local_size = seat.local_size;
                copy_text(&mut control.node_name, &seat.node_name);
            }
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: unmaps what `new` mapped; nobody holds a reference into it any more.
        unsafe { libc::munmap(self.segment.ptr(0).cast(), self.bytes) };
    }
}

/// Zero-terminated, cut at a character if it is too long.
fn copy_text(into: &mut [u8], text: &str) {
    let mut n = text.len().min(into.len() - 1);
    while !text.is_char_boundary(n) {
        n -= 1;
    }
    into[..n].copy_from_slice(&text.as_bytes()[..n]);
    into[n] = 0;
}
