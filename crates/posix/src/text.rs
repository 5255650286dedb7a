//! A zero-terminated path of limited length, on the stack: nothing here allocates.

use std::ffi::c_char;

/// Twice the kernel's longest path: a backing directory and a path below its mount.
const CAPACITY: usize = 2 * libc::PATH_MAX as usize;

pub struct Text {
    bytes: [u8; CAPACITY],
    length: usize,
}

impl Text {
    pub const fn new() -> Text {
        Text { bytes: [0; CAPACITY], length: 0 }
    }
    pub fn of(text: &[u8]) -> Text {
        let mut new = Text::new();
        new.push(text);
        new
    }
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
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
        self.bytes[self.length] = 0;
    }
    /// Appends; what exceeds the capacity is cut, so that the path is longer than the kernel's
    /// limit and any call with it fails.
    pub fn push(&mut self, more: &[u8]) {
        let n = more.len().min(CAPACITY - 1 - self.length);
        self.bytes[self.length..self.length + n].copy_from_slice(&more[..n]);
        self.length += n;
        self.bytes[self.length] = 0;
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
    /// Lets `write` fill the buffer from its beginning; it returns the length.
    pub fn fill<E>(&mut self, write: impl FnOnce(&mut [u8]) -> Result<usize, E>) -> Result<(), E> {
        let n = write(&mut self.bytes[..CAPACITY - 1])?;
        self.length = n.min(CAPACITY - 1);
        self.bytes[self.length] = 0;
        Ok(())
    }
}

/// The components of a path, without `.` and empty ones.
pub fn components(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".")
}

/// Whether a component is `..`.
pub fn has_parent(path: &[u8]) -> bool {
    path.split(|&byte| byte == b'/').any(|part| part == b"..")
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
