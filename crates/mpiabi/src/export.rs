//! How a Rust function becomes two C symbols: `PMPI_X`, strong, and `MPI_X`, a weak alias of it, so
//! that a profiling tool may define `MPI_X` and call `PMPI_X`. Both widths of count share a body.
//!
//! ```text
//! mpi_fn! {
//!     /// A body returns `error::Result`; the error handler of the communicator, window, file or
//!     /// session among the arguments decides what an error means.
//!     pub fn Comm_size(comm: Comm, size: *mut c_int) { ...; Ok(()) }
//!     /// `Int` is `c_int` in `MPI_Send` and `MPI_Count` in `MPI_Send_c`.
//!     pub fn Send<Int>(buf: *const c_void, count: Int, ...) { let n = count.wide(); ... }
//!     /// Whatever does not return an error code says what it returns.
//!     pub fn Wtime() -> f64 { ... }
//! }
//! ```
//!
//! The build script finds implementations by the text `pub fn Name(` or `pub fn Name<Int>(` at the
//! start of a line, and exports the rest of the interface from `unsupported.rs`.

use std::ffi::c_int;

use workload::functions::function_name;

use crate::abi::{Comm, File, Group, Kind, Raw, Session, Win, c};
use crate::error::{Error, Result, Site};
use crate::function;

/// Numbers of the functions: `id::Send`, and `id_c::Send` for `MPI_Send_c`.
#[allow(non_upper_case_globals, unused)]
mod ids {
    include!(concat!(env!("OUT_DIR"), "/ids.rs"));
}
pub(crate) use ids::{id, id_c};

/// An argument that must not be NULL; `at` and `length` are indices of the function's arguments.
pub(crate) struct Required {
    at: usize,
    name: &'static str,
    /// Index of the argument with the array's length; `usize::MAX` if it is not an array.
    length: usize,
}

/// Arguments that must not be NULL: `required::Comm_size`.
#[allow(non_upper_case_globals, unused)]
mod required_arguments {
    use super::Required;
    include!(concat!(env!("OUT_DIR"), "/required.rs"));
}
pub(crate) use required_arguments::required;

/// The first argument that is NULL although it must not be.
#[inline(always)]
pub(crate) fn missing(all: &'static [Required], words: &[i64]) -> Option<&'static Required> {
    let is_used = |r: &Required| r.length == usize::MAX || words[r.length] > 0;
    all.iter().find(|r| words[r.at] == 0 && is_used(r))
}

/// The error of a call with a NULL argument. As in MPICH, an invalid communicator, window or group
/// is reported first.
#[cold]
pub(crate) fn null_argument(missing: &Required, arguments: &[&dyn Argument]) -> Error {
    if let Some(other) = arguments.iter().find_map(|a| a.check().err()) {
        return other;
    }
    let is_key = missing.name == "key" && function::current() != id::Info_get_nthkey;
    let class = if is_key { c::ERR_INFO_KEY } else { c::ERR_ARG };
    let error = Error::new(class, format!("{} is NULL", missing.name));
    let is_of_files = function_name(function::current()).starts_with("MPI_File_");
    let has_file = arguments.iter().any(|a| a.site().is_some_and(|s| s.kind == Kind::File));
    if is_of_files && !has_file {
        return Error { site: Some(Site::file(c::FILE_NULL)), ..error };
    }
    error
}

/// Records that the thread enters `id`; returns the function it was in, for `leave`.
pub(crate) fn enter(id: u32) -> u32 {
    crate::runtime::record_function(id);
    function::replace(id)
}

pub(crate) fn leave(outer: u32) {
    crate::runtime::record_function(outer);
    function::replace(outer);
}

/// A count or displacement, as `c_int` or `i64`.
pub(crate) trait Integer: Copy + 'static {
    fn wide(self) -> i64;
    /// `None` if the value does not fit.
    fn narrow(value: i64) -> Option<Self>;
    /// The value that reports that a result does not fit (`MPI_UNDEFINED`).
    const UNDEFINED: Self;
    const LARGE: bool;
}

impl Integer for c_int {
    fn wide(self) -> i64 {
        i64::from(self)
    }
    fn narrow(value: i64) -> Option<c_int> {
        value.try_into().ok()
    }
    const UNDEFINED: c_int = crate::abi::c::UNDEFINED;
    const LARGE: bool = false;
}

impl Integer for i64 {
    fn wide(self) -> i64 {
        self
    }
    fn narrow(value: i64) -> Option<i64> {
        Some(value)
    }
    const UNDEFINED: i64 = crate::abi::c::UNDEFINED as i64;
    const LARGE: bool = true;
}

/// An argument of an MPI function.
pub(crate) trait Argument {
    /// The object whose error handler decides the effect of an error.
    fn site(&self) -> Option<Site> {
        None
    }
    /// Its value as an integer or an address; for a handle, any value but 0.
    fn word(&self) -> i64 {
        1
    }
    /// Checks that the handle refers to an object.
    fn check(&self) -> Result {
        Ok(())
    }
}
impl Argument for c_int {
    fn word(&self) -> i64 {
        i64::from(*self)
    }
}
impl Argument for i64 {
    fn word(&self) -> i64 {
        *self
    }
}
impl<T> Argument for *const T {
    fn word(&self) -> i64 {
        self.addr() as i64
    }
}
impl<T> Argument for *mut T {
    fn word(&self) -> i64 {
        self.addr() as i64
    }
}
impl Argument for Comm {
    fn site(&self) -> Option<Site> {
        Some(Site::comm(*self))
    }
    fn check(&self) -> Result {
        crate::comm::find(*self).map(drop)
    }
}
impl Argument for Group {
    fn check(&self) -> Result {
        crate::group::get(*self).map(drop)
    }
}
impl Argument for Win {
    fn site(&self) -> Option<Site> {
        Some(Site::win(*self))
    }
    fn check(&self) -> Result {
        crate::win::check(&crate::runtime::enter()?, *self)
    }
}
impl Argument for File {
    fn site(&self) -> Option<Site> {
        Some(Site::file(*self))
    }
}
impl Argument for Session {
    fn site(&self) -> Option<Site> {
        Some(Site::session(*self))
    }
}
macro_rules! no_site { ($($t:ty)*) => { $(impl Argument for $t {})* } }
no_site! {
    crate::abi::Datatype crate::abi::Errhandler crate::abi::Info
    crate::abi::Message crate::abi::Op crate::abi::Request
}
macro_rules! no_site_in_callbacks { ($(($($a:ident)*))*) => { $(
    impl<R, $($a),*> Argument for Option<unsafe extern "C" fn($($a),*) -> R> {}
)* } }
no_site_in_callbacks! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }
const _: () = assert!(size_of::<Raw>() <= 8);

/// Detects at compile time whether an argument is the location of a handle that the call creates.
/// Method lookup prefers `Created` to `NotCreated`, which needs one more reference.
pub(crate) struct Output<T>(pub T);
pub(crate) trait Created {
    /// # Safety
    /// The location is null or writable.
    unsafe fn set_null(&self);
}
pub(crate) trait NotCreated {
    /// # Safety
    /// Always safe: does nothing.
    unsafe fn set_null(&self) {}
}
impl<T> NotCreated for &Output<T> {}
macro_rules! created { ($($kind:ident $null:ident)*) => { $(
    impl Created for Output<*mut crate::abi::$kind> {
        unsafe fn set_null(&self) {
            if !self.0.is_null() {
                unsafe { *self.0 = crate::abi::c::$null };
            }
        }
    }
)* } }
created! {
    Comm COMM_NULL Datatype DATATYPE_NULL Errhandler ERRHANDLER_NULL File FILE_NULL
    Group GROUP_NULL Info INFO_NULL Message MESSAGE_NULL Op OP_NULL Request REQUEST_NULL
    Session SESSION_NULL Win WIN_NULL
}

/// Whether the handles that a function writes are new. Other functions take handles and keep or
/// free them, or fill arrays whose length they define.
pub(crate) fn creates(function: &str) -> bool {
    const STARTS: [&str; 7] = ["T_", "Wait", "Test", "Start", "Cancel", "Mrecv", "Imrecv"];
    const ENDS: [&str; 6] =
        ["_free", "_close", "_disconnect", "_finalize", "_commit", "get_contents"];
    let function = function.strip_suffix("_c").unwrap_or(function);
    !STARTS.iter().any(|s| function.starts_with(s)) && !ENDS.iter().any(|e| function.ends_with(e))
}

/// Defines the weak symbol. It is a macro because an alias must be assembled together with its
/// target.
macro_rules! weak_alias {
    ($name:expr) => {
        ::core::arch::global_asm!(
            concat!(".weak MPI_", $name),
            concat!(".set MPI_", $name, ", PMPI_", $name),
        );
    };
}
pub(crate) use weak_alias;

/// See the module documentation.
macro_rules! mpi_fn {
    () => {};
    ($(#[$m:meta])* pub fn $name:ident<Int>($($arg:ident: $ty:ty),* $(,)?) $body:block
     $($rest:tt)*) => {
        $(#[$m])*
        #[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]
        pub(crate) unsafe fn $name<Int: $crate::export::Integer>(
            $($arg: $ty),*
        ) -> $crate::error::Result $body
        const _: () = {
            type Int = ::core::ffi::c_int;
            #[unsafe(export_name = concat!("PMPI_", stringify!($name)))]
            unsafe extern "C" fn plain($($arg: $ty),*) -> ::core::ffi::c_int {
                let outer = $crate::export::enter($crate::export::id::$name);
                let result = $crate::export::checked!($name, $($arg)*, $name::<Int>($($arg),*));
                let code = $crate::export::finish!($name, result, $($arg)*);
                $crate::export::leave(outer);
                code
            }
        };
        $crate::export::weak_alias!(stringify!($name));
        const _: () = {
            type Int = i64;
            #[unsafe(export_name = concat!("PMPI_", stringify!($name), "_c"))]
            unsafe extern "C" fn large($($arg: $ty),*) -> ::core::ffi::c_int {
                let outer = $crate::export::enter($crate::export::id_c::$name);
                let result = $crate::export::checked!($name, $($arg)*, $name::<Int>($($arg),*));
                let code = $crate::export::finish!($name, result, $($arg)*);
                $crate::export::leave(outer);
                code
            }
        };
        $crate::export::weak_alias!(concat!(stringify!($name), "_c"));
        $crate::export::mpi_fn! { $($rest)* }
    };
    ($(#[$m:meta])* pub fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty $body:block
     $($rest:tt)*) => {
        const _: () = {
            $(#[$m])*
            #[allow(clippy::too_many_arguments)]
            #[unsafe(export_name = concat!("PMPI_", stringify!($name)))]
            unsafe extern "C" fn plain($($arg: $ty),*) -> $ret {
                let outer = $crate::export::enter($crate::export::id::$name);
                let body = || $body;
                let result = body();
                $crate::export::leave(outer);
                result
            }
        };
        $crate::export::weak_alias!(stringify!($name));
        $crate::export::mpi_fn! { $($rest)* }
    };
    ($(#[$m:meta])* pub fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block
     $($rest:tt)*) => {
        $(#[$m])*
        #[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]
        pub(crate) unsafe fn $name($($arg: $ty),*) -> $crate::error::Result $body
        const _: () = {
            #[unsafe(export_name = concat!("PMPI_", stringify!($name)))]
            unsafe extern "C" fn plain($($arg: $ty),*) -> ::core::ffi::c_int {
                let outer = $crate::export::enter($crate::export::id::$name);
                let result = $crate::export::checked!($name, $($arg)*, $name($($arg),*));
                let code = $crate::export::finish!($name, result, $($arg)*);
                $crate::export::leave(outer);
                code
            }
        };
        $crate::export::weak_alias!(stringify!($name));
        $crate::export::mpi_fn! { $($rest)* }
    };
}
pub(crate) use mpi_fn;

/// Calls the body, unless an argument is NULL that must not be.
macro_rules! checked {
    ($name:ident, $($arg:ident)*, $call:expr) => {{
        let words: &[i64] = &[$($crate::export::Argument::word(&$arg)),*];
        match $crate::export::missing($crate::export::required::$name, words) {
            None => unsafe { $call },
            Some(missing) => {
                Err($crate::export::null_argument(missing, &[$(&$arg),*]))
            }
        }
    }};
}
pub(crate) use checked;

/// The return code of a body: 0, or the code that the error handler returns. A failed call writes
/// the null handle to the location of a handle it should have created.
macro_rules! finish {
    ($name:ident, $result:ident, $($arg:ident)*) => {
        match $result {
            Ok(()) => 0,
            Err(error) => {
                if $crate::export::creates(stringify!($name)) {
                    #[allow(unused_imports)]
                    use $crate::export::{Created, NotCreated, Output};
                    // SAFETY: MPI writes its results there.
                    $(unsafe { (&Output($arg)).set_null() };)*
                }
                #[allow(unused_mut, unused_assignments)]
                let mut site = None;
                $(site = site.or($crate::export::Argument::site(&$arg));)*
                $crate::error::raise(site, error)
            }
        }
    };
}
pub(crate) use finish;
