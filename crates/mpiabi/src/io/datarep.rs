//! Data representations: the form of values in a file.
//!
//! `native` and `internal` are the form in memory. `external32` is big-endian, and some of its
//! values are shorter. A representation registered by the program has values of any size, and
//! functions of the program convert them.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::on;
use crate::abi::{Aint, Datatype, c};
use crate::buffer::Buffer;
use crate::datatype::calls::{Type_free, reference};
use crate::datatype::map::Placed;
use crate::datatype::packing::{from_external32, to_external32};
use crate::datatype::{self, Type, portable};
use crate::error::{Result, fail};
use crate::export::mpi_fn;

#[derive(Clone)]
pub(super) enum Representation {
    Native,
    Internal,
    External32,
    Own(Arc<Registered>),
}

/// A datatype and the handle by which it was passed.
#[derive(Clone)]
pub(super) struct Named {
    pub handle: Datatype,
    pub datatype: Arc<Type>,
}

impl Named {
    pub fn committed(handle: Datatype) -> Result<Named> {
        Ok(Named { handle, datatype: datatype::committed(handle)? })
    }
}

/// The layout of a datatype in a file.
pub(super) struct FileLayout {
    pub placed: Placed,
    pub bytes: u64,
    pub extent: i64,
}

/// A representation registered by the program; the addresses are its functions.
pub(super) struct Registered {
    name: String,
    read: usize,
    write: usize,
    extent: usize,
    extra_state: usize,
    /// Whether it was registered by the large-count function.
    large: bool,
}

static REGISTERED: Mutex<Vec<Arc<Registered>>> = Mutex::new(Vec::new());

fn registered() -> MutexGuard<'static, Vec<Arc<Registered>>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The representation with a given name.
pub(super) fn named(name: *const c_char) -> Result<Representation> {
    if name.is_null() {
        return fail!(c::ERR_ARG, "the data representation is null");
    }
    // SAFETY: the user's C string.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    Ok(match &*name {
        "native" => Representation::Native,
        "internal" => Representation::Internal,
        "external32" => Representation::External32,
        _ => match registered().iter().find(|r| r.name == name) {
            Some(found) => Representation::Own(found.clone()),
            None => {
                let what = "no data representation is called";
                return fail!(c::ERR_UNSUPPORTED_DATAREP, "{what} {name:?}");
            }
        },
    })
}

impl Representation {
    pub fn name(&self) -> &str {
        match self {
            Representation::Native => "native",
            Representation::Internal => "internal",
            Representation::External32 => "external32",
            Representation::Own(own) => &own.name,
        }
    }
    /// Whether the file holds the same bytes as memory.
    pub fn is_memory(&self) -> bool {
        matches!(self, Representation::Native | Representation::Internal)
    }
    /// Where the values of an item are in the file.
    pub fn layout(&self, of: &Named) -> Result<FileLayout> {
        let length = |basic| match self {
            Representation::Own(own) => own.length(basic),
            _ => Ok(datatype::get(basic)?.external_size(1)),
        };
        let rebuild_with_lengths;
        let shape = if self.is_as_long(of) {
            &of.datatype
        } else {
            rebuild_with_lengths =
                portable::rebuild_with_lengths(of.handle, &of.datatype, &length)?;
            &rebuild_with_lengths
        };
        let placed = shape.placed().clone();
        Ok(FileLayout { placed, bytes: shape.size, extent: shape.extent() })
    }
    /// Whether all values have the same size in the file and in memory.
    fn is_as_long(&self, of: &Named) -> bool {
        match self {
            Representation::Native | Representation::Internal => true,
            Representation::External32 => of.datatype.external_size(1) == of.datatype.size,
            Representation::Own(_) => false,
        }
    }
    /// Bytes of an item in the file.
    pub fn bytes_in_file(&self, of: &Named) -> Result<u64> {
        match self {
            Representation::Native | Representation::Internal => Ok(of.datatype.size),
            Representation::External32 => Ok(of.datatype.external_size(1)),
            Representation::Own(_) => Ok(self.layout(of)?.bytes),
        }
    }

    /// Converts a buffer of items of the type `handle` to its form in the file.
    pub fn encode(&self, buffer: &Buffer, handle: Datatype, out: &mut [u8]) -> Result {
        if let Representation::Own(own) = self
            && own.write != c::CONVERSION_FN_NULL
        {
            return own.convert(own.write, buffer, handle, out);
        }
        if matches!(self, Representation::External32) {
            let mut packed = vec![0; buffer.bytes() as usize];
            // SAFETY: the user's buffer is readable, and there is room for its items.
            unsafe { buffer.pack(packed.as_mut_ptr(), packed.len() as u64) };
            to_external32(&buffer.datatype, buffer.address_and_count().1, &mut packed, out);
            return Ok(());
        }
        check_room(buffer, out.len() as u64)?;
        // SAFETY: as above.
        unsafe { buffer.pack(out.as_mut_ptr(), out.len() as u64) };
        Ok(())
    }
    /// Converts the first `got` bytes of a piece and writes them to the buffer.
    pub fn decode(&self, buffer: &Buffer, handle: Datatype, piece: &mut [u8], got: u64) -> Result {
        if let Representation::Own(own) = self
            && own.read != c::CONVERSION_FN_NULL
        {
            // Only whole items can be converted.
            let count = buffer.address_and_count().1;
            let item = (piece.len() as u64 / count).max(1);
            let whole = buffer.items(0, got / item);
            return own.convert(own.read, &whole, handle, piece);
        }
        if matches!(self, Representation::External32) {
            let mut packed = vec![0; buffer.bytes() as usize];
            from_external32(&buffer.datatype, buffer.address_and_count().1, &mut packed, piece);
            // If values are longer in memory, only whole items can be counted.
            let (long, short) = (packed.len() as u64, piece.len() as u64);
            let bytes = if long == short {
                got
            } else {
                let items = buffer.address_and_count().1;
                got / (short / items) * (long / items)
            };
            // SAFETY: the user's buffer is writable, and these are its packed items.
            unsafe { buffer.unpack(packed.as_ptr(), bytes) };
            return Ok(());
        }
        check_room(buffer, piece.len() as u64)?;
        // SAFETY: as above.
        unsafe { buffer.unpack(piece.as_ptr(), got) };
        Ok(())
    }
}

/// Checks the room: without conversion, values have the same size in the file and in memory.
fn check_room(buffer: &Buffer, bytes: u64) -> Result {
    if buffer.bytes() != bytes {
        let own = buffer.bytes();
        let what = format!("{own} bytes in memory are {bytes} in the file");
        return fail!(c::ERR_CONVERSION, "{what}, but there is no conversion function");
    }
    Ok(())
}

impl Registered {
    /// Bytes of a value of a predefined type in the file.
    fn length(&self, basic: Datatype) -> Result<u64> {
        type Extent = unsafe extern "C" fn(Datatype, *mut Aint, *mut c_void) -> c_int;
        let mut extent = 0;
        // SAFETY: the program registered a function of this type.
        let code = unsafe {
            let f = std::mem::transmute::<usize, Extent>(self.extent);
            f(basic, &raw mut extent, self.extra_state as *mut c_void)
        };
        match u64::try_from(extent) {
            Ok(extent) if code == c::SUCCESS => Ok(extent),
            _ => fail!(c::ERR_CONVERSION, "the extent function of {:?} failed", self.name),
        }
    }
    /// Calls the program's function to convert all items of a buffer, to or from a piece of the
    /// file.
    fn convert(&self, f: usize, buffer: &Buffer, handle: Datatype, piece: &mut [u8]) -> Result {
        type Small = unsafe extern "C" fn(
            *mut c_void,
            Datatype,
            c_int,
            *mut c_void,
            i64,
            *mut c_void,
        ) -> c_int;
        type Large = unsafe extern "C" fn(
            *mut c_void,
            Datatype,
            i64,
            *mut c_void,
            i64,
            *mut c_void,
        ) -> c_int;
        let (at, count) = buffer.address_and_count();
        if count == 0 {
            return Ok(());
        }
        // The program may have freed its own handle.
        let mut own_handle = reference(handle, &buffer.datatype);
        let (user, file) = (at.cast::<c_void>(), piece.as_mut_ptr().cast::<c_void>());
        let extra_state = self.extra_state as *mut c_void;
        // SAFETY: the program registered a function of one of the two types; a piece never has more
        // items than the int form can count.
        let code = unsafe {
            if self.large {
                let f = std::mem::transmute::<usize, Large>(f);
                f(user, own_handle, count as i64, file, 0, extra_state)
            } else {
                let f = std::mem::transmute::<usize, Small>(f);
                f(user, own_handle, count as c_int, file, 0, extra_state)
            }
        };
        if own_handle != handle {
            // SAFETY: a handle of the library's own.
            unsafe { Type_free(&raw mut own_handle) }?;
        }
        if code != c::SUCCESS {
            return fail!(c::ERR_CONVERSION, "a conversion function of {:?} failed", self.name);
        }
        Ok(())
    }
}

fn register(
    name: *const c_char,
    [read, write, extent]: [*const c_void; 3],
    extra_state: *mut c_void,
    large: bool,
) -> Result {
    if name.is_null() || extent.is_null() {
        return fail!(c::ERR_ARG, "the name or the extent function is null");
    }
    // SAFETY: the user's C string.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    let longest = c::MAX_DATAREP_STRING as usize - 1;
    if name.is_empty() || name.len() > longest {
        let n = name.len();
        return fail!(c::ERR_ARG, "a name of {n} bytes: 1 to {longest} are allowed");
    }
    let mut all = registered();
    let predefined = ["native", "internal", "external32"].contains(&name.as_str());
    if predefined || all.iter().any(|r| r.name == name) {
        return fail!(c::ERR_DUP_DATAREP, "{name:?} is registered already");
    }
    let [read, write, extent] = [read, write, extent].map(|f| f as usize);
    let extra_state = extra_state as usize;
    all.push(Arc::new(Registered { name, read, write, extent, extra_state, large }));
    Ok(())
}

mpi_fn! {
    pub fn Register_datarep<Int>(
        name: *const c_char, read: *const c_void, write: *const c_void, extent: *const c_void,
        extra_state: *mut c_void,
    ) {
        let functions = [read, write, extent];
        // There is no file yet: the handler of all new files applies.
        register(name, functions, extra_state, Int::LARGE).map_err(|e| on(c::FILE_NULL, e))
    }
}
