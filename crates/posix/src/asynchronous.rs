//! POSIX asynchronous I/O. The C library's threads move the data; the transfer is charged when it
//! is submitted, so it takes its simulated time there, as with a file system without asynchronous
//! calls.

use std::ffi::c_int;

use libc::{aiocb, sigevent};
use workload::FileCallKind;

use crate::data::charge_at;
use crate::descriptors::{may_be_simulated, simulated};
use crate::next::real;
use crate::simulator::{Verdict, submit_open};
use crate::sys::{error, finish};

/// # Safety
/// Null or the program's block.
unsafe fn charge_block(block: *const aiocb, kind: FileCallKind) -> Result<(), c_int> {
    if block.is_null() {
        return Ok(());
    }
    let (fd, offset, bytes) =
        unsafe { ((*block).aio_fildes, (*block).aio_offset, (*block).aio_nbytes) };
    if !may_be_simulated(fd) {
        return Ok(());
    }
    charge_at(fd, kind, offset, bytes as u64)
}

macro_rules! transfers {
    ($($name:ident $kind:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(block: *mut aiocb) -> c_int {
            if let Err(errno) = unsafe { charge_block(block, FileCallKind::$kind) } {
                return finish(error(errno)) as c_int;
            }
            unsafe { real!($name(*mut aiocb) -> c_int)(block) }
        }
    )*};
}
transfers! { aio_read Read; aio_read64 Read; aio_write Write; aio_write64 Write; }

macro_rules! syncs {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(how: c_int, block: *mut aiocb) -> c_int {
            // SAFETY: null or the program's block.
            if !block.is_null()
                && let Some(open) = simulated(unsafe { (*block).aio_fildes })
                && let Verdict::Failed(errno) = submit_open(FileCallKind::Sync, 0, &open, |_| {})
            {
                return finish(error(errno)) as c_int;
            }
            unsafe { real!($name(c_int, *mut aiocb) -> c_int)(how, block) }
        }
    )*};
}
syncs! { aio_fsync aio_fsync64 }

macro_rules! lists {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            mode: c_int,
            list: *const *mut aiocb,
            n: c_int,
            event: *mut sigevent,
        ) -> c_int {
            for i in 0..n.max(0) as usize {
                // SAFETY: the program's list of `n` blocks, which may be null.
                let charged = unsafe {
                    let block = *list.add(i);
                    let operation = if block.is_null() { 0 } else { (*block).aio_lio_opcode };
                    match operation {
                        libc::LIO_READ => charge_block(block, FileCallKind::Read),
                        libc::LIO_WRITE => charge_block(block, FileCallKind::Write),
                        _ => Ok(()),
                    }
                };
                if let Err(errno) = charged {
                    return finish(error(errno)) as c_int;
                }
            }
            type L = *const *mut aiocb;
            unsafe { real!($name(c_int, L, c_int, *mut sigevent) -> c_int)(mode, list, n, event) }
        }
    )*};
}
lists! { lio_listio lio_listio64 }
