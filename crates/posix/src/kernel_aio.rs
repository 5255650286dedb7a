//! The kernel's asynchronous I/O: `io_submit`, of libaio or by `syscall`.
//!
//! A transfer is charged when it is submitted, so it takes its simulated time there, as `io_submit`
//! blocks on Linux for buffered files. The kernel then moves the data of simulated files before
//! `io_submit` returns, because no backing file is opened with `O_DIRECT`.

use std::ffi::{c_int, c_long, c_void};

use libc::iovec;
use workload::FileCallKind;

use crate::data::charge_at;
use crate::descriptors::{may_be_simulated, simulated};
use crate::mounts;
use crate::simulator::{Verdict, submit_open};
use crate::sys;

/// `struct iocb` of Linux (`linux/aio_abi.h`) on little-endian computers with 64 bits.
#[repr(C)]
pub struct Block {
    data: u64,
    key: u32,
    rw_flags: u32,
    operation: u16,
    priority: i16,
    fd: c_int,
    /// The buffer, or the array of a vector.
    buffer: *const c_void,
    /// Bytes, or elements of the vector.
    count: u64,
    offset: i64,
}

/// Operations of `linux/aio_abi.h`.
const PREAD: u16 = 0;
const PWRITE: u16 = 1;
const FSYNC: u16 = 2;
const FDSYNC: u16 = 3;
const PREADV: u16 = 7;
const PWRITEV: u16 = 8;

/// `io_submit` of libaio, which returns the negative error.
#[unsafe(no_mangle)]
unsafe extern "C" fn io_submit(context: *mut c_void, n: c_long, list: *mut *mut Block) -> c_int {
    unsafe { submit(context, n, list) as c_int }
}

/// Charges the transfers of simulated files and submits all blocks. Returns the number of
/// submitted blocks, or the negative error of the first.
///
/// # Safety
/// The program's arguments for `io_submit`.
pub unsafe fn submit(context: *mut c_void, n: c_long, list: *mut *mut Block) -> isize {
    let mut charged = n;
    let mut failed = 0;
    if mounts::active() && !list.is_null() {
        for i in 0..n.max(0) {
            // SAFETY: the program's list of `n` blocks.
            if let Err(errno) = unsafe { charge(*list.add(i as usize)) } {
                (charged, failed) = (i, errno);
                break;
            }
        }
    }
    if charged == 0 && failed != 0 {
        return -(failed as isize);
    }
    // SAFETY: the program's arguments, with at most as many blocks.
    unsafe {
        let arguments = [context as usize, charged as usize, list as usize, 0, 0, 0];
        sys::call(libc::SYS_io_submit, arguments)
    }
}

/// # Safety
/// Null or the program's block.
unsafe fn charge(block: *const Block) -> Result<(), c_int> {
    if block.is_null() || !may_be_simulated(unsafe { (*block).fd }) {
        return Ok(());
    }
    let block = unsafe { &*block };
    let transfer = |kind, bytes| charge_at(block.fd, kind, block.offset, bytes);
    match block.operation {
        PREAD => transfer(FileCallKind::Read, block.count),
        PWRITE => transfer(FileCallKind::Write, block.count),
        PREADV => transfer(FileCallKind::Read, unsafe { vector_bytes(block) }),
        PWRITEV => transfer(FileCallKind::Write, unsafe { vector_bytes(block) }),
        FSYNC | FDSYNC => match simulated(block.fd) {
            Some(open) => match submit_open(FileCallKind::Sync, 0, &open, |_| {}) {
                Verdict::Failed(errno) => Err(errno),
                Verdict::Absent | Verdict::Done(_) => Ok(()),
            },
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// # Safety
/// The block has a vector of `count` elements.
unsafe fn vector_bytes(block: &Block) -> u64 {
    let vector = block.buffer.cast::<iovec>();
    (0..block.count as usize)
        .map(|i| unsafe { (*vector.add(i)).iov_len } as u64)
        .fold(0, u64::saturating_add)
}
