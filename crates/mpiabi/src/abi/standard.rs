//! The MPI-5 standard ABI: handles are pointers with small predefined values, below 0x1000.

use std::ffi::c_int;

use super::Kind;

/// The library with the other ABI.
pub(crate) const OTHER_ABI: &std::ffi::CStr = c"libmpi.so.12";

pub type Raw = usize;

/// Fits in 30 bits, so that the handle survives `MPI_Comm_toint` and is never a predefined value.
const CREATED: usize = 1 << 30;
const SLOTS: usize = 1 << 24;

pub fn created(kind: Kind, slot: u32) -> Raw {
    assert!((slot as usize) < SLOTS, "more than {SLOTS} live {kind:?} objects");
    CREATED | (kind as usize) << 24 | slot as usize
}

pub fn slot(kind: Kind, raw: Raw) -> Option<u32> {
    (raw & !(SLOTS - 1) == CREATED | (kind as usize) << 24).then_some((raw & (SLOTS - 1)) as u32)
}

/// Whether the bits are those of a handle created by MPICH's library (`mpich.rs`).
pub(crate) fn foreign_created(kind: Kind, raw: u32) -> bool {
    raw >> 26 == 0x20 | kind as u32
}

/// `MPI_Status`. The three public fields are fixed; three of the five private ones are used.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_snake_case)]
pub struct Status {
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    pub MPI_ERROR: c_int,
    cancelled: c_int,
    bytes: [c_int; 2],
    _unused: [c_int; 2],
}
const _: () = assert!(size_of::<Status>() == 32);

impl Status {
    pub fn new(source: c_int, tag: c_int, error: c_int) -> Status {
        Status {
            MPI_SOURCE: source,
            MPI_TAG: tag,
            MPI_ERROR: error,
            cancelled: 0,
            bytes: [0; 2],
            _unused: [0; 2],
        }
    }
    /// Length of the message, in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.bytes[0] as u32) | u64::from(self.bytes[1] as u32) << 32
    }
    pub fn set_bytes(&mut self, bytes: u64) {
        self.bytes = [bytes as c_int, (bytes >> 32) as c_int];
    }
    pub fn cancelled(&self) -> bool {
        self.cancelled != 0
    }
    pub fn set_cancelled(&mut self, cancelled: bool) {
        self.cancelled = c_int::from(cancelled);
    }
}

/// Whether `weights` is `MPI_UNWEIGHTED`. The function below compares with `MPI_WEIGHTS_EMPTY`.
pub fn is_unweighted(weights: *const c_int) -> bool {
    weights as usize == super::c::UNWEIGHTED
}
pub fn is_without_weights(weights: *const c_int) -> bool {
    weights as usize == super::c::WEIGHTS_EMPTY
}
