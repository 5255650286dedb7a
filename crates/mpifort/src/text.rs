//! Conversion of text: blank-padded with a length in Fortran, ended by NUL in C.

use std::ffi::{CString, c_char};

/// Longest text that a function writes, with its NUL: `MPI_MAX_LIBRARY_VERSION_STRING`, in bytes.
const MAX_TEXT_BYTES: usize = 8192;
/// A first byte that no C function writes.
const UNTOUCHED: u8 = 0xff;

/// The text without trailing blanks.
///
/// # Safety
/// `at` has `len` characters.
pub unsafe fn text(at: *const u8, len: usize) -> CString {
    of(unsafe { characters(at, len) }.trim_ascii_end())
}

/// The text without leading and trailing blanks, as for keys and values of an info object.
///
/// # Safety
/// `at` has `len` characters.
pub unsafe fn trimmed(at: *const u8, len: usize) -> CString {
    of(unsafe { characters(at, len) }.trim_ascii())
}

unsafe fn characters<'a>(at: *const u8, len: usize) -> &'a [u8] {
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, len) } }
}

/// The text up to the first NUL, which programs that share text with C may contain.
fn of(bytes: &[u8]) -> CString {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).expect("cut before the first NUL")
}

/// A buffer for text that C writes.
pub struct OutputBuffer(Vec<u8>);

impl OutputBuffer {
    pub fn new(len: usize) -> OutputBuffer {
        let mut buffer = vec![0; MAX_TEXT_BYTES.max(len + 1)];
        buffer[0] = UNTOUCHED;
        OutputBuffer(buffer)
    }

    pub fn as_mut_ptr(&mut self) -> *mut c_char {
        self.0.as_mut_ptr().cast()
    }

    /// Copies the text, truncated or padded with blanks to `len`. Writes nothing if C wrote
    /// nothing.
    ///
    /// # Safety
    /// `to` has room for `len` characters.
    pub unsafe fn copy_to(&self, to: *mut u8, len: usize) {
        if self.0[0] == UNTOUCHED || len == 0 {
            return;
        }
        let end = self.0.iter().position(|b| *b == 0).unwrap_or(self.0.len());
        let to = unsafe { std::slice::from_raw_parts_mut(to, len) };
        let n = end.min(len);
        to[..n].copy_from_slice(&self.0[..n]);
        to[n..].fill(b' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_blanks_are_trimmed() {
        let given = b"  a key \0";
        let of = |n| unsafe { (text(given.as_ptr(), n), trimmed(given.as_ptr(), n)) };
        assert_eq!(of(8), (c"  a key".into(), c"a key".into()));
        assert_eq!(of(9), (c"  a key ".into(), c"a key ".into()), "a NUL ends it, not a blank");
        assert_eq!(of(2), (c"".into(), c"".into()));
        assert_eq!(of(0), (c"".into(), c"".into()));
    }

    #[test]
    fn output_is_padded_or_truncated() {
        let mut buffer = OutputBuffer::new(3);
        let mut out = *b"######";
        unsafe { buffer.copy_to(out.as_mut_ptr(), 6) };
        assert_eq!(&out, b"######", "nothing was written");
        buffer.0[..5].copy_from_slice(b"name\0");
        unsafe { buffer.copy_to(out.as_mut_ptr(), 5) };
        assert_eq!(&out, b"name #", "of five characters");
        unsafe { buffer.copy_to(out.as_mut_ptr(), 3) };
        assert_eq!(&out, b"name #", "three of them stay what they were");
        buffer.0[0] = 0;
        unsafe { buffer.copy_to(out.as_mut_ptr(), 6) };
        assert_eq!(&out, b"      ", "an empty text is blanks");
    }
}
