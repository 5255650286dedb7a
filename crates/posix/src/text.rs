//! A zero-terminated path of limited length, on the stack: nothing here allocates.

use std::ffi::c_char;
use std::mem::MaybeUninit;

/// Twice the kernel's longest path: a backing directory and a path below its mount.
const CAPACITY: usize = 2 * libc::PATH_MAX as usize;

pub struct Text {
    /// Initialized up to the zero at `length`: a call uses several texts, and most paths are short.
    bytes: [MaybeUninit<u8>; CAPACITY],
    length: usize,
}

impl Text {
    pub const fn new() -> Text {
        let mut bytes = [MaybeUninit::uninit(); CAPACITY];
        bytes[0] = MaybeUninit::new(0);
        Text { bytes, length: 0 }
    }
    pub fn of(text: &[u8]) -> Text {
        let mut new = Text::new();
        new.push(text);
        new
    }
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: initialized.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().cast(), self.length) }
    }
    pub fn len(&self) -> usize {
        self.length
    }
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
    pub fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr().cast()
    }
    pub fn clear(&mut self) {
        self.truncate(0);
    }
    pub fn truncate(&mut self, length: usize) {
        self.length = length.min(self.length);
        self.bytes[self.length] = MaybeUninit::new(0);
    }
    /// Appends; what exceeds the capacity is cut, so that the path is longer than the kernel's
    /// limit and any call with it fails.
    pub fn push(&mut self, more: &[u8]) {
        let n = more.len().min(CAPACITY - 1 - self.length);
        self.bytes[self.length..self.length + n].write_copy_of_slice(&more[..n]);
        self.length += n;
        self.bytes[self.length] = MaybeUninit::new(0);
    }
    /// Removes the last component and its slash.
    pub fn pop(&mut self) {
        let at = self.bytes().iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        self.truncate(at);
    }
    pub fn set(&mut self, text: &[u8]) {
        self.clear();
        self.push(text);
    }
    /// Lets `write` fill the buffer from its beginning. It gets the buffer and its size, and
    /// returns the number of bytes that it has written.
    pub fn fill<E>(
        &mut self,
        write: impl FnOnce(*mut u8, usize) -> Result<usize, E>,
    ) -> Result<(), E> {
        self.clear();
        let n = write(self.bytes.as_mut_ptr().cast(), CAPACITY - 1)?;
        self.length = n.min(CAPACITY - 1);
        self.bytes[self.length] = MaybeUninit::new(0);
        Ok(())
    }
}

/// The components of a path, without `.` and empty ones.
pub fn components(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".")
}

/// Whether an absolute path has only components that are names, and no slash too many.
pub fn is_simple(path: &[u8]) -> bool {
    let mut rest = path;
    while let Some(at) = rest.iter().position(|&byte| byte == b'/') {
        rest = &rest[at + 1..];
        match rest {
            [] | [b'/', ..] | [b'.'] | [b'.', b'/', ..] | [b'.', b'.'] | [b'.', b'.', b'/', ..] => {
                return false;
            }
            _ => {}
        }
    }
    true
}

/// Whether a component is `..`.
pub fn has_parent(path: &[u8]) -> bool {
    path.windows(2).any(|pair| pair == b"..")
        && path.split(|&byte| byte == b'/').any(|part| part == b"..")
}

/// What follows `prefix` in `path`, both absolute, `prefix` without odd components: empty or with a
/// slash at its beginning. `None` if `path` is not below `prefix`.
pub fn below<'a>(path: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    // The usual case, without odd components.
    if let Some(rest) = path.strip_prefix(prefix)
        && (rest.is_empty() || rest[0] == b'/')
    {
        return Some(rest);
    }
    let mut rest = path;
    for wanted in components(prefix) {
        rest = skip(rest)?.strip_prefix(wanted)?;
        if !rest.is_empty() && rest[0] != b'/' {
            return None;
        }
    }
    Some(rest)
}

/// Skips slashes and `.` before a component; `None` if `path` has no slash at its beginning.
fn skip(path: &[u8]) -> Option<&[u8]> {
    let mut rest = path;
    let mut slash = false;
    loop {
        match rest {
            [b'/', more @ ..] => (rest, slash) = (more, true),
            [b'.'] if slash => rest = &[],
            [b'.', more @ ..] if slash && more.first() == Some(&b'/') => rest = more,
            _ => return slash.then_some(rest),
        }
    }
}

/// Appends the components of `path` to the absolute path `out`, without links: `..` removes one.
pub fn normalize(path: &[u8], out: &mut Text) {
    for part in components(path) {
        if part == b".." {
            out.pop();
        } else {
            out.push(b"/");
            out.push(part);
        }
    }
}
