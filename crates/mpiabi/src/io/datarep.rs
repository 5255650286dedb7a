//! Data representations: how values look in a file.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use super::view::Layout;
use crate::abi::c;
use crate::buffer::Buffer;
use crate::datatype::Type;
use crate::error::{Result, fail};

#[derive(Clone)]
pub(super) enum Representation {
    Native,
}

impl Representation {
    pub fn is_native(&self) -> bool {
        matches!(self, Representation::Native)
    }
    pub fn name(&self) -> &str {
        "native"
    }
    pub fn in_file(&self, datatype: &Arc<Type>) -> Result<Layout> {
        let placed = datatype.placed().clone();
        Ok(Layout { placed, bytes: datatype.size, extent: datatype.extent() })
    }
    /// Bytes of one item in the file.
    pub fn bytes_in_file(&self, datatype: &Arc<Type>) -> Result<u64> {
        Ok(datatype.size)
    }
    /// What the file is to hold of a buffer.
    pub fn encode(&self, buffer: &Buffer, out: &mut [u8]) -> Result {
        // SAFETY: the user's buffer is readable, and the piece is as long as its items.
        unsafe { buffer.pack(out.as_mut_ptr(), out.len() as u64) };
        Ok(())
    }
    /// Hands the first `got` bytes to the buffer.
    pub fn decode(&self, buffer: &Buffer, piece: &mut [u8], got: u64) -> Result {
        // SAFETY: the user's buffer is writable, and the piece has that many bytes.
        unsafe { buffer.unpack(piece.as_ptr(), got) };
        Ok(())
    }
}

/// The representation of that name.
pub(super) fn named(name: *const c_char) -> Result<Representation> {
    if name.is_null() {
        return fail!(c::ERR_ARG, "the data representation is null");
    }
    // SAFETY: the user's C string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    match name {
        b"native" | b"internal" => Ok(Representation::Native),
        _ => {
            let name = String::from_utf8_lossy(name);
            fail!(c::ERR_UNSUPPORTED_DATAREP, "no data representation is called {name:?}")
        }
    }
}
