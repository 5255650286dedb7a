//! Out of memory: a message and exit code 1 instead of an abort.
//!
//! Rust aborts on a failed allocation, which looks like a bug of odonata. An allocator must not
//! unwind, so the process ends here, and its ranks with it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;

pub struct Watched;

// SAFETY: all calls are passed to the system's allocator.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        checked(unsafe { System.alloc(layout) }, layout.size())
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        checked(unsafe { System.realloc(at, layout, size) }, size)
    }
}

fn checked(at: *mut u8, bytes: usize) -> *mut u8 {
    if at.is_null() {
        out_of_memory(bytes);
    }
    at
}

/// A line on the stack.
struct Line([u8; 256], usize);

impl Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let n = text.len().min(self.0.len() - self.1);
        self.0[self.1..self.1 + n].copy_from_slice(&text.as_bytes()[..n]);
        self.1 += n;
        Ok(())
    }
}

#[cold]
fn out_of_memory(bytes: usize) -> ! {
    let mut line = Line([0; 256], 0);
    let kib = bytes.div_ceil(1024);
    let _ = writeln!(
        line,
        "odonata: out of memory: {kib} KiB more are needed than this computer or a limit such \
         as `ulimit -v` allows; take fewer nodes or ranks, or --fidelity flow or loggp"
    );
    // SAFETY: plain system calls.
    unsafe {
        libc::write(2, line.0.as_ptr().cast(), line.1);
        libc::_exit(1)
    }
}
