//! The MPICH ABI (`libmpi.so.12`): handles are integers whose bits encode kind and storage.
//! Programs may rely on the published constants only; handles of created objects keep MPICH's
//! layout.

use std::ffi::{c_int, c_void};

use super::Kind;

/// The library with the other ABI.
pub(crate) const OTHER_ABI: &std::ffi::CStr = c"libmpi_abi.so.1";

pub type Raw = c_int;

/// "Stored directly", as in MPICH's own created objects; the kind is in bits 26-29.
const CREATED: u32 = 0x8000_0000;
/// The five pair types with padding are predefined handles of that layout, from 0 up.
const FIRST: u32 = 0x100;
const SLOTS: u32 = 1 << 26;

pub fn created(kind: Kind, slot: u32) -> Raw {
    assert!(slot < SLOTS - FIRST, "more than {} live {kind:?} objects", SLOTS - FIRST);
    (CREATED | (kind as u32) << 26 | (slot + FIRST)) as Raw
}

pub fn slot(kind: Kind, raw: Raw) -> Option<u32> {
    let raw = raw as u32;
    let low = raw & (SLOTS - 1);
    (raw & !(SLOTS - 1) == CREATED | (kind as u32) << 26 && low >= FIRST).then(|| low - FIRST)
}

/// Whether the bits are those of a handle created by the standard ABI's library (`standard.rs`).
pub(crate) fn foreign_created(kind: Kind, raw: u32) -> bool {
    raw & 0xff00_0000 == 1 << 30 | (kind as u32) << 24
}

/// `MPI_Status`. The length has 63 bits; the lowest bit of `high_and_cancelled` is the cancelled
/// flag.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_snake_case)]
pub struct Status {
    count_low: c_int,
    high_and_cancelled: c_int,
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    pub MPI_ERROR: c_int,
}
const _: () = assert!(size_of::<Status>() == 20);

impl Status {
    pub fn new(source: c_int, tag: c_int, error: c_int) -> Status {
        Status {
            count_low: 0,
            high_and_cancelled: 0,
            MPI_SOURCE: source,
            MPI_TAG: tag,
            MPI_ERROR: error,
        }
    }
    /// Length of the message, in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.count_low as u32) | u64::from(self.high_and_cancelled as u32 >> 1) << 32
    }
    pub fn set_bytes(&mut self, bytes: u64) {
        self.count_low = bytes as c_int;
        let high = ((bytes >> 32) as u32) << 1;
        self.high_and_cancelled = (high | u32::from(self.cancelled())) as c_int;
    }
    pub fn cancelled(&self) -> bool {
        self.high_and_cancelled & 1 != 0
    }
    pub fn set_cancelled(&mut self, cancelled: bool) {
        self.high_and_cancelled = self.high_and_cancelled & !1 | c_int::from(cancelled);
    }
}

/// A pointer-sized variable that the interface exports.
#[repr(transparent)]
pub struct Word(*mut c_void);
// SAFETY: addresses of private statics, which are compared and never dereferenced.
unsafe impl Sync for Word {}

/// Memory whose addresses mean "unweighted" and the like: no other object has them.
static SENTINELS: [u64; 6] = [0; 6];

const fn sentinel(i: usize) -> Word {
    Word((&raw const SENTINELS[i]).cast_mut().cast())
}

macro_rules! words {
    ($($name:ident = $i:literal;)*) => { $(
        #[unsafe(no_mangle)]
        pub static $name: Word = sentinel($i);
    )* };
}
words! {
    MPI_UNWEIGHTED = 0;
    MPI_WEIGHTS_EMPTY = 1;
    MPI_F_STATUS_IGNORE = 2;
    MPI_F_STATUSES_IGNORE = 3;
    MPI_F08_STATUS_IGNORE = 4;
    MPI_F08_STATUSES_IGNORE = 5;
}
/// Means "all handles" in the tool interface.
#[unsafe(no_mangle)]
pub static MPI_T_PVAR_ALL_HANDLES: Word = Word(usize::MAX as *mut c_void);

/// `MPI_COMM_DUP_FN`, `MPI_TYPE_DUP_FN` and `MPI_WIN_DUP_FN` of MPICH's header.
///
/// # Safety
/// `out` and `flag` are writable, as MPI guarantees to a copy function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIR_Dup_fn(
    _object: c_int,
    _keyval: c_int,
    _extra_state: *mut c_void,
    value: *mut c_void,
    out: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    unsafe {
        *out.cast::<*mut c_void>() = value;
        *flag = 1;
    }
    0
}

/// Whether `weights` is `MPI_UNWEIGHTED`. The function below compares with `MPI_WEIGHTS_EMPTY`.
pub fn is_unweighted(weights: *const c_int) -> bool {
    weights.cast::<c_void>() == MPI_UNWEIGHTED.0.cast_const()
}
pub fn is_without_weights(weights: *const c_int) -> bool {
    weights.cast::<c_void>() == MPI_WEIGHTS_EMPTY.0.cast_const()
}
