//! The C boundary: handles, statuses and constants in the ABI of this library. All other modules
//! work with kinds and slots.
//!
//! There are two ABIs: the MPI-5 standard's (`standard.rs`) and, with the feature `mpich`, MPICH's
//! (`mpich.rs`). Constants come from `interface/constants.tsv`.

#[cfg(feature = "mpich")]
mod mpich;
mod registry;
#[cfg(not(feature = "mpich"))]
mod standard;

use std::ffi::c_int;

#[cfg(feature = "mpich")]
use mpich as chosen;
#[cfg(not(feature = "mpich"))]
use standard as chosen;

pub(crate) use c::FOREIGN;
pub(crate) use chosen::{OTHER_ABI, foreign_created, is_unweighted, is_without_weights};
pub use chosen::{Raw, Status};
pub(crate) use registry::Registry;

/// An address or a difference of two. File offsets and large counts are also 64 bits wide.
pub type Aint = i64;
pub type Count = i64;
const _: () = assert!(size_of::<usize>() == 8, "the interface is laid out for 64-bit addresses");

/// The kind of object that a handle refers to. The numbers are MPICH's, whose handles contain them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Kind {
    Comm = 1,
    Group = 2,
    Datatype = 3,
    File = 4,
    Errhandler = 5,
    Op = 6,
    Info = 7,
    Win = 8,
    Request = 11,
    Message = 13,
    Session = 14,
}

macro_rules! handles {
    ($($(#[$m:meta])* $name:ident: $raw:ty;)*) => { $(
        $(#[$m])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub struct $name(pub $raw);

        // All handles have the same methods, though not every kind needs all of them.
        #[allow(dead_code)]
        impl $name {
            /// The handle of the object a program created in `slot`.
            pub fn created(slot: u32) -> $name {
                $name(chosen::created(Kind::$name, slot) as $raw)
            }
            /// The slot of a created object; `None` for predefined and foreign handles.
            pub fn slot(self) -> Option<u32> {
                chosen::slot(Kind::$name, self.0 as Raw)
            }
            /// The handle as a C or Fortran integer, also used as a key in tables.
            pub fn to_int(self) -> c_int {
                self.0 as c_int
            }
            pub fn from_int(value: c_int) -> $name {
                // Sign-extended: MPICH's created handles have the upper bit set.
                $name(value as isize as $raw)
            }
        }
    )* };
}

handles! {
    Comm: Raw;
    Datatype: Raw;
    Errhandler: Raw;
    /// A pointer in both ABIs.
    File: usize;
    Group: Raw;
    Info: Raw;
    Message: Raw;
    Op: Raw;
    Request: Raw;
    Session: Raw;
    Win: Raw;
}

/// The constants of the chosen ABI, without `MPI_`.
#[allow(unused)]
pub mod c {
    use super::{
        Comm, Datatype, Errhandler, File, Group, Info, Kind, Message, Op, Request, Session, Win,
    };
    use std::ffi::c_int;
    include!(concat!(env!("OUT_DIR"), "/constants.rs"));
}
