//! Characters: padded with blanks in Fortran, which passes their number; ended by NUL in C.

use std::ffi::{CString, c_char};

/// The longest text that any function writes, with its NUL: `MPI_MAX_LIBRARY_VERSION_STRING`.
const LONGEST: usize = 8192;
/// What no C function writes first.
const UNTOUCHED: u8 = 0xff;

/// Without the blanks at its end.
///
/// # Safety
/// `at` has `len` characters.
pub unsafe fn text(at: *const u8, len: usize) -> CString {
    of(unsafe { characters(at, len) }.trim_ascii_end())
}

/// Without the blanks at both ends, which do not count in keys and values of an info object.
///
/// # Safety
/// `at` has `len` characters.
pub unsafe fn trimmed(at: *const u8, len: usize) -> CString {
    of(unsafe { characters(at, len) }.trim_ascii())
}

unsafe fn characters<'a>(at: *const u8, len: usize) -> &'a [u8] {
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, len) } }
}

/// Up to the first NUL, as programs that share text with C put one there.
fn of(bytes: &[u8]) -> CString {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).expect("cut before the first NUL")
}

/// Room for what C writes.
pub struct Room(Vec<u8>);

impl Room {
    pub fn new(len: usize) -> Room {
        let mut room = vec![0; LONGEST.max(len + 1)];
        room[0] = UNTOUCHED;
        Room(room)
    }

    pub fn as_mut_ptr(&mut self) -> *mut c_char {
        self.0.as_mut_ptr().cast()
    }

    /// As much as there is room for, and blanks behind it. Nothing if C wrote nothing.
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
    fn blanks_go_where_they_do_not_count() {
        let given = b"  a key \0";
        let of = |n| unsafe { (text(given.as_ptr(), n), trimmed(given.as_ptr(), n)) };
        assert_eq!(of(8), (c"  a key".into(), c"a key".into()));
        assert_eq!(of(9), (c"  a key ".into(), c"a key ".into()), "a NUL ends it, not a blank");
        assert_eq!(of(2), (c"".into(), c"".into()));
        assert_eq!(of(0), (c"".into(), c"".into()));
    }

    #[test]
    fn what_is_written_is_padded_or_cut() {
        let mut room = Room::new(3);
        let mut out = *b"######";
        unsafe { room.copy_to(out.as_mut_ptr(), 6) };
        assert_eq!(&out, b"######", "nothing was written");
        room.0[..5].copy_from_slice(b"name\0");
        unsafe { room.copy_to(out.as_mut_ptr(), 5) };
        assert_eq!(&out, b"name #", "of five characters");
        unsafe { room.copy_to(out.as_mut_ptr(), 3) };
        assert_eq!(&out, b"name #", "three of them stay what they were");
        room.0[0] = 0;
        unsafe { room.copy_to(out.as_mut_ptr(), 6) };
        assert_eq!(&out, b"      ", "an empty text is blanks");
    }
}
