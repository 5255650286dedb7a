//! Programs and libraries on a mount, and the environment of programs that this process starts.
//!
//! A program executes by its real path. For a script, the kernel would give that path to the
//! interpreter, so the interpreter is started here, with the virtual path. An environment without
//! the mounts gets them: a mounted file system does not depend on the environment either.
//!
//! These functions run in children of `vfork` and `fork`. They take memory from the kernel.

use std::arch::naked_asm;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::{pid_t, posix_spawn_file_actions_t, posix_spawnattr_t};
use workload::FileCallKind;

use crate::blocks;
use crate::data::charge;
use crate::descriptors::simulated;
use crate::mounts;
use crate::next::{function, real};
use crate::open::{close_simulated, open_target};
use crate::place::{Found, Target, enters_by_link, is_host, locate};
use crate::sys::{self, error, finish, sys};
use crate::text::Text;

type Strings = *const *const c_char;

/// Variables that a program needs, as `NAME=VALUE`, from the start of this process.
const PRELOAD: usize = 0;
const NAMES: [&CStr; 8] = [
    c"LD_PRELOAD",
    mounts::VARIABLE,
    mounts::FILE_VARIABLE,
    blocks::INDEX_VARIABLE,
    blocks::CONTENTS_VARIABLE,
    c"ODONATA_MPI_LIBRARY",
    c"ODONATA_FD",
    c"ODONATA_RANK",
];
static VARIABLES: [AtomicPtr<c_char>; NAMES.len()] =
    [const { AtomicPtr::new(null_mut()) }; NAMES.len()];
const LIBRARY: &[u8] = b"libodonata_io.so";
/// Longest first line of a script (`BINPRM_BUF_SIZE` of Linux).
const FIRST_LINE: usize = 256;
/// Most interpreters that are scripts, as the kernel.
const MAX_SCRIPTS: u32 = 5;

/// Keeps the variables, at the start of the process.
pub fn keep_environment() {
    for (name, into) in NAMES.iter().zip(&VARIABLES) {
        // SAFETY: zero-terminated names; the copy has room for all parts.
        unsafe {
            let value = libc::getenv(name.as_ptr());
            if value.is_null() {
                continue;
            }
            let (name, value) = (name.to_bytes(), sys::bytes(value));
            let copy = libc::malloc(name.len() + value.len() + 2).cast::<u8>();
            if copy.is_null() {
                continue;
            }
            copy.copy_from(name.as_ptr(), name.len());
            *copy.add(name.len()) = b'=';
            copy.add(name.len() + 1).copy_from(value.as_ptr(), value.len());
            *copy.add(name.len() + value.len() + 1) = 0;
            into.store(copy.cast(), Ordering::Release);
        }
    }
}

/// Pages of the kernel for the arguments of a new program; returned if that does not start.
struct Pages {
    at: *mut u8,
    bytes: usize,
    used: usize,
}

impl Pages {
    fn new(bytes: usize) -> Option<Pages> {
        let (rw, how) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory.
        let at = unsafe { sys!(SYS_mmap, 0, bytes, rw, how, -1isize, 0) };
        (at > 0).then(|| Pages { at: at as *mut u8, bytes, used: 0 })
    }
    /// A copy of some parts as one zero-terminated text.
    fn text(&mut self, parts: &[&[u8]]) -> *const c_char {
        let start = self.at.wrapping_add(self.used);
        for part in parts {
            let n = part.len().min(self.bytes - self.used - 1);
            // SAFETY: inside the pages, whose last byte stays 0.
            unsafe { self.at.add(self.used).copy_from(part.as_ptr(), n) };
            self.used += n;
        }
        self.used += 1;
        start.cast()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the pages of `new`.
        unsafe { sys!(SYS_munmap, self.at, self.bytes) };
    }
}

unsafe fn count(list: Strings) -> usize {
    if list.is_null() {
        return 0;
    }
    let mut n = 0;
    // SAFETY: ends with null.
    while !unsafe { *list.add(n) }.is_null() {
        n += 1;
    }
    n
}

/// The value of a variable in an environment.
unsafe fn value_in<'a>(environment: Strings, name: &CStr) -> Option<(usize, &'a [u8])> {
    (0..unsafe { count(environment) }).find_map(|i| {
        let entry: &[u8] = unsafe { sys::bytes(*environment.add(i)) };
        Some((i, entry.strip_prefix(name.to_bytes())?.strip_prefix(b"=")?))
    })
}

/// An environment with the variables of the mounts: the given one if it has them.
struct Environment {
    list: Strings,
    _pages: Option<Pages>,
}

/// The environment of a program that this process starts now.
unsafe fn environment(given: Strings) -> Environment {
    if mounts::active() {
        blocks::make_inherited_plain();
    }
    let same = Environment { list: given, _pages: None };
    let is_missing = |&nth: &usize| {
        let kept = VARIABLES[nth].load(Ordering::Acquire);
        !kept.is_null() && unsafe { value_in(given, NAMES[nth]) }.is_none()
    };
    let preload = unsafe { value_in(given, NAMES[PRELOAD]) };
    let contains = |text: &[u8]| text.windows(LIBRARY.len()).any(|part| part == LIBRARY);
    let lacks_library = preload.is_some_and(|(_, value)| !contains(value));
    if !mounts::active() || (!lacks_library && !(0..NAMES.len()).any(|n| is_missing(&n))) {
        return same;
    }
    let n = unsafe { count(given) };
    let list_bytes = (n + NAMES.len() + 1) * size_of::<*const c_char>();
    let kept = VARIABLES[PRELOAD].load(Ordering::Acquire);
    let own = if kept.is_null() { &b""[..] } else { unsafe { sys::bytes(kept) } };
    let theirs = preload.map_or(&b""[..], |(_, value)| value);
    let Some(mut pages) = Pages::new(list_bytes + own.len() + theirs.len() + 64) else {
        return same;
    };
    let list = pages.at.cast::<*const c_char>();
    pages.used = list_bytes;
    // SAFETY: the list has room for these entries and a null.
    unsafe {
        let mut m = 0;
        for i in 0..n {
            *list.add(m) = *given.add(i);
            m += 1;
        }
        if let Some((at, value)) = preload.filter(|_| lacks_library) {
            let own = own.strip_prefix(b"LD_PRELOAD=").unwrap_or(own);
            *list.add(at) = pages.text(&[b"LD_PRELOAD=", value, b":", own]);
        }
        for nth in (0..NAMES.len()).filter(is_missing) {
            *list.add(m) = VARIABLES[nth].load(Ordering::Acquire);
            m += 1;
        }
        *list.add(m) = null();
    }
    Environment { list, _pages: Some(pages) }
}

/// A program to execute: its real path and arguments.
struct Program {
    path: *const c_char,
    arguments: Strings,
    _pages: Option<Pages>,
}

/// Prepares a program at a target. A script becomes its interpreter.
unsafe fn prepare(target: &mut Target, arguments: Strings, scripts: u32) -> Result<Program, c_int> {
    let mut line = [0u8; FIRST_LINE];
    let length = charge_program(target, &mut line)?;
    let plain = |target: &mut Target| Program { path: target.absolute(), arguments, _pages: None };
    let Some((interpreter, argument)) = parse_script(&line[..length]) else {
        return Ok(plain(target));
    };
    if scripts == MAX_SCRIPTS {
        return Err(libc::ELOOP);
    }
    let n = unsafe { count(arguments) };
    let list_bytes = (n + 4) * size_of::<*const c_char>();
    let room = list_bytes + 4 * libc::PATH_MAX as usize;
    let mut pages = Pages::new(room).ok_or(libc::ENOMEM)?;
    let list = pages.at.cast::<*const c_char>();
    pages.used = list_bytes;
    let mut path = Text::new();
    mounts::push_virtual(target.real(), &mut path);
    let interpreter = pages.text(&[interpreter]);
    // SAFETY: the list has room for these entries and a null.
    unsafe {
        let mut m = 1;
        *list = interpreter;
        if let Some(argument) = argument {
            *list.add(m) = pages.text(&[argument]);
            m += 1;
        }
        *list.add(m) = pages.text(&[path.bytes()]);
        m += 1;
        for i in 1..n {
            *list.add(m) = *arguments.add(i);
            m += 1;
        }
        *list.add(m) = null();
    }
    // The interpreter may be on a mount too, and be a script.
    let mut next = Target::new();
    let found = unsafe { locate(libc::AT_FDCWD, interpreter, true, &mut next) };
    let mut program = Program { path: interpreter, arguments: list, _pages: None };
    if let Found::Target = found {
        let inner = unsafe { prepare(&mut next, list, scripts + 1)? };
        let path = pages.text(&[unsafe { sys::bytes(inner.path) }]);
        if inner.arguments != list.cast_const() {
            return Ok(inner);
        }
        program.path = path;
    }
    program._pages = Some(pages);
    Ok(program)
}

/// Charges the loading of a program, and reads its first line. A program that can be executed and
/// not read is not charged.
fn charge_program(target: &mut Target, line: &mut [u8; FIRST_LINE]) -> Result<usize, c_int> {
    let fd = match open_target(target, libc::O_RDONLY | libc::O_CLOEXEC, 0) {
        fd if fd >= 0 => fd as c_int,
        failed if failed == error(libc::EACCES) => return Ok(0),
        failed => return Err(-failed as c_int),
    };
    let charged = match simulated(fd) {
        Some(open) => charge(&open, FileCallKind::Read, 0, open.size())
            .and_then(|_| blocks::make_plain(&open)),
        None => Ok(()),
    };
    // SAFETY: room for the line.
    let n = unsafe { sys!(SYS_pread64, fd, line.as_mut_ptr(), FIRST_LINE, 0) };
    close_simulated(fd);
    charged?;
    Ok(usize::try_from(n).unwrap_or(0))
}

/// The interpreter and argument of a script's first line.
fn parse_script(line: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let line = line.strip_prefix(b"#!")?;
    let line = line.split(|&byte| byte == b'\n').next()?;
    let is_blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
    let line = line.trim_ascii();
    let end = line.iter().position(is_blank).unwrap_or(line.len());
    let (interpreter, rest) = line.split_at(end);
    let rest = rest.trim_ascii();
    (!interpreter.is_empty()).then_some((interpreter, (!rest.is_empty()).then_some(rest)))
}

/// Finds a program's path; `None` if it is the kernel's.
unsafe fn find(dir: c_int, path: *const c_char, out: &mut Target) -> Result<bool, c_int> {
    if !mounts::active() || path.is_null() {
        return Ok(false);
    }
    if is_host(dir, path) {
        // SAFETY: the program's path.
        let exists = unsafe { sys!(SYS_faccessat, dir, path, libc::F_OK) };
        return Ok(exists == error(libc::ENOENT) && unsafe { enters_by_link(dir, path, true, out) });
    }
    match unsafe { locate(dir, path, true, out) } {
        Found::Target => Ok(true),
        Found::Unchanged => Ok(false),
        Found::Error(errno) => Err(errno),
    }
}

/// # Safety
/// The program's texts.
unsafe fn execute(
    (dir, path): (c_int, *const c_char),
    arguments: Strings,
    given: Strings,
    flags: c_int,
) -> sys::Result {
    let environment = unsafe { environment(given) };
    // With an empty path, the descriptor is the program.
    if let Some(open) = simulated(dir) {
        // An error is found again when the program starts.
        let _ = blocks::make_plain(&open);
    }
    let mut target = Target::new();
    match unsafe { find(dir, path, &mut target) } {
        Err(errno) => error(errno),
        Ok(false) if dir == libc::AT_FDCWD && flags == 0 => unsafe {
            sys!(SYS_execve, path, arguments, environment.list)
        },
        Ok(false) => unsafe { sys!(SYS_execveat, dir, path, arguments, environment.list, flags) },
        Ok(true) => match unsafe { prepare(&mut target, arguments, 0) } {
            Err(errno) => error(errno),
            Ok(program) => unsafe {
                let (path, arguments) = (program.path, program.arguments);
                sys!(SYS_execve, path, arguments, environment.list)
            },
        },
    }
}

unsafe extern "C" {
    static environ: Strings;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn execve(path: *const c_char, arguments: Strings, given: Strings) -> c_int {
    if !mounts::active() {
        let real = real!(execve(*const c_char, Strings, Strings) -> c_int);
        return unsafe { real(path, arguments, given) };
    }
    finish(unsafe { execute((libc::AT_FDCWD, path), arguments, given, 0) }) as c_int
}
#[unsafe(no_mangle)]
unsafe extern "C" fn execveat(
    dir: c_int,
    path: *const c_char,
    arguments: Strings,
    given: Strings,
    flags: c_int,
) -> c_int {
    finish(unsafe { execute((dir, path), arguments, given, flags) }) as c_int
}
#[unsafe(no_mangle)]
unsafe extern "C" fn execv(path: *const c_char, arguments: Strings) -> c_int {
    unsafe { execve(path, arguments, environ) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn fexecve(fd: c_int, arguments: Strings, given: Strings) -> c_int {
    let environment = unsafe { environment(given) };
    if let Some(open) = simulated(fd) {
        // As above.
        let _ = blocks::make_plain(&open);
    }
    let real = real!(fexecve(c_int, Strings, Strings) -> c_int);
    unsafe { real(fd, arguments, environment.list) }
}

/// Searches the directories of `PATH`, as the C library does.
#[unsafe(no_mangle)]
unsafe extern "C" fn execvpe(file: *const c_char, arguments: Strings, given: Strings) -> c_int {
    if !mounts::active() || file.is_null() {
        let real = real!(execvpe(*const c_char, Strings, Strings) -> c_int);
        return unsafe { real(file, arguments, given) };
    }
    let run = |path: *const c_char| unsafe {
        let result = execute((libc::AT_FDCWD, path), arguments, given, 0);
        if result == error(libc::ENOEXEC) { run_shell(path, arguments, given) } else { result }
    };
    finish(unsafe { search(file, error(libc::ENOENT), |&result| is_next(result), run) }) as c_int
}
#[unsafe(no_mangle)]
unsafe extern "C" fn execvp(file: *const c_char, arguments: Strings) -> c_int {
    unsafe { execvpe(file, arguments, environ) }
}

/// Whether a search continues after this error.
fn is_next(result: sys::Result) -> bool {
    let next = [libc::EACCES, libc::ENOENT, libc::ESTALE, libc::ENOTDIR, libc::ENODEV];
    next.iter().any(|&errno| result == error(errno))
}

/// Runs `attempt` with each path that a program's name may stand for, while `is_next`.
unsafe fn search<R>(
    file: *const c_char,
    missing: R,
    is_next: impl Fn(&R) -> bool,
    mut attempt: impl FnMut(*const c_char) -> R,
) -> R {
    let name = unsafe { sys::bytes(file) };
    if name.contains(&b'/') {
        return attempt(file);
    }
    let mut result = missing;
    if name.is_empty() {
        return result;
    }
    // SAFETY: a zero-terminated name; the value is read at once.
    let list = unsafe { libc::getenv(c"PATH".as_ptr()) };
    let list = if list.is_null() { &b"/bin:/usr/bin"[..] } else { unsafe { sys::bytes(list) } };
    for dir in list.split(|&byte| byte == b':') {
        let mut path = Text::new();
        if !dir.is_empty() {
            path.push(dir);
            path.push(b"/");
        }
        path.push(name);
        result = attempt(path.as_ptr());
        if !is_next(&result) {
            break;
        }
    }
    result
}

/// A file without a format that the kernel knows is a script of the shell.
unsafe fn run_shell(path: *const c_char, arguments: Strings, given: Strings) -> sys::Result {
    let n = unsafe { count(arguments) };
    let Some(pages) = Pages::new((n + 3) * size_of::<*const c_char>()) else {
        return error(libc::ENOMEM);
    };
    let list = pages.at.cast::<*const c_char>();
    const SHELL: &CStr = c"/bin/sh";
    // SAFETY: the list has room for these entries and a null.
    unsafe {
        *list = SHELL.as_ptr();
        *list.add(1) = path;
        for i in 1..n.max(1) {
            *list.add(i + 1) = *arguments.add(i);
        }
        *list.add(n.max(1) + 1) = null();
        execute((libc::AT_FDCWD, SHELL.as_ptr()), list, given, 0)
    }
}

type Actions = *const posix_spawn_file_actions_t;
type Attributes = *const posix_spawnattr_t;
type Spawn =
    unsafe extern "C" fn(*mut pid_t, *const c_char, Actions, Attributes, Strings, Strings) -> c_int;

unsafe fn spawn(
    real: Spawn,
    (pid, path): (*mut pid_t, *const c_char),
    how: (Actions, Attributes),
    arguments: Strings,
    given: Strings,
) -> c_int {
    let environment = unsafe { environment(given) };
    let mut target = Target::new();
    match unsafe { find(libc::AT_FDCWD, path, &mut target) } {
        Err(errno) => errno,
        Ok(false) => unsafe { real(pid, path, how.0, how.1, arguments, environment.list) },
        Ok(true) => match unsafe { prepare(&mut target, arguments, 0) } {
            Err(errno) => errno,
            Ok(program) => unsafe {
                real(pid, program.path, how.0, how.1, program.arguments, environment.list)
            },
        },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_spawn(
    pid: *mut pid_t,
    path: *const c_char,
    actions: Actions,
    attributes: Attributes,
    arguments: Strings,
    given: Strings,
) -> c_int {
    let real = real!(
        posix_spawn(*mut pid_t, *const c_char, Actions, Attributes, Strings, Strings) -> c_int
    );
    if !mounts::active() {
        return unsafe { real(pid, path, actions, attributes, arguments, given) };
    }
    unsafe { spawn(real, (pid, path), (actions, attributes), arguments, given) }
}

/// Returns the error.
#[unsafe(no_mangle)]
unsafe extern "C" fn posix_spawnp(
    pid: *mut pid_t,
    file: *const c_char,
    actions: Actions,
    attributes: Attributes,
    arguments: Strings,
    given: Strings,
) -> c_int {
    let real = real!(
        posix_spawnp(*mut pid_t, *const c_char, Actions, Attributes, Strings, Strings) -> c_int
    );
    if !mounts::active() || file.is_null() {
        return unsafe { real(pid, file, actions, attributes, arguments, given) };
    }
    let environment = unsafe { environment(given) };
    // Only names that lead to a mount are searched here.
    let on_mount = |path: *const c_char| unsafe {
        let mut target = Target::new();
        matches!(find(libc::AT_FDCWD, path, &mut target), Ok(true))
            && sys!(SYS_faccessat, libc::AT_FDCWD, target.absolute(), libc::X_OK) == 0
    };
    let on_host =
        |path: *const c_char| unsafe { sys!(SYS_faccessat, libc::AT_FDCWD, path, libc::X_OK) == 0 };
    let how = (actions, attributes);
    let attempt = |path: *const c_char| {
        if on_mount(path) {
            return Some(unsafe { spawn(real, (pid, path), how, arguments, environment.list) });
        }
        on_host(path)
            .then(|| unsafe { real(pid, file, actions, attributes, arguments, environment.list) })
    };
    unsafe { search(file, None, Option::is_none, attempt) }.unwrap_or(libc::ENOENT)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_spawn_file_actions_addopen(
    actions: *mut posix_spawn_file_actions_t,
    fd: c_int,
    path: *const c_char,
    flags: c_int,
    mode: libc::mode_t,
) -> c_int {
    type A = *mut posix_spawn_file_actions_t;
    let real = real!(
        posix_spawn_file_actions_addopen(A, c_int, *const c_char, c_int, libc::mode_t) -> c_int
    );
    let mut target = Target::new();
    match unsafe { find(libc::AT_FDCWD, path, &mut target) } {
        Ok(true) => unsafe {
            // An error is found again when the program starts.
            let _ = blocks::on_path(target.absolute(), blocks::make_plain);
            real(actions, fd, target.absolute(), flags, mode)
        },
        Ok(false) => unsafe { real(actions, fd, path, flags, mode) },
        Err(errno) => errno,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_spawn_file_actions_addchdir_np(
    actions: *mut posix_spawn_file_actions_t,
    path: *const c_char,
) -> c_int {
    type A = *mut posix_spawn_file_actions_t;
    let real = real!(posix_spawn_file_actions_addchdir_np(A, *const c_char) -> c_int);
    let mut target = Target::new();
    match unsafe { find(libc::AT_FDCWD, path, &mut target) } {
        Ok(true) => unsafe { real(actions, target.absolute()) },
        Ok(false) => unsafe { real(actions, path) },
        Err(errno) => errno,
    }
}

/// Executes a program whose arguments were listed in a call: those in registers first, then those
/// on the stack. `how` distinguishes the three functions.
unsafe extern "C" fn execute_listed(
    path: *const c_char,
    registers: *const *const c_char,
    stack: *const *const c_char,
    how: usize,
) -> c_int {
    let nth = |i: usize| unsafe {
        if i < REGISTERS { *registers.add(i) } else { *stack.add(i - REGISTERS) }
    };
    let mut n = 0;
    while !nth(n).is_null() {
        n += 1;
    }
    let Some(pages) = Pages::new((n + 1) * size_of::<*const c_char>()) else {
        return finish(error(libc::ENOMEM)) as c_int;
    };
    let list = pages.at.cast::<*const c_char>();
    // SAFETY: the list has room for these entries and a null; `execle` has the environment next.
    unsafe {
        for i in 0..=n {
            *list.add(i) = nth(i);
        }
        match how {
            LISTED_SEARCHED => execvpe(path, list, environ),
            LISTED_WITH_ENVIRONMENT => execve(path, list, nth(n + 1).cast()),
            _ => execve(path, list, environ),
        }
    }
}
const LISTED: usize = 0;
const LISTED_SEARCHED: usize = 1;
const LISTED_WITH_ENVIRONMENT: usize = 2;
/// Arguments after the path that are in registers.
#[cfg(target_arch = "x86_64")]
const REGISTERS: usize = 5;
#[cfg(target_arch = "aarch64")]
const REGISTERS: usize = 7;

/// Rust has no functions with variable arguments: these collect theirs.
macro_rules! listed {
    ($($name:ident $how:ident;)*) => {$(
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            naked_asm!(
                "sub rsp, 56",
                "mov [rsp], rsi",
                "mov [rsp + 8], rdx",
                "mov [rsp + 16], rcx",
                "mov [rsp + 24], r8",
                "mov [rsp + 32], r9",
                "mov rsi, rsp",
                "lea rdx, [rsp + 64]",
                "mov ecx, {how}",
                "call {execute}",
                "add rsp, 56",
                "ret",
                how = const $how,
                execute = sym execute_listed,
            )
        }
        #[cfg(target_arch = "aarch64")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            naked_asm!(
                "sub sp, sp, #80",
                "stp x1, x2, [sp]",
                "stp x3, x4, [sp, #16]",
                "stp x5, x6, [sp, #32]",
                "stp x7, x30, [sp, #48]",
                "mov x1, sp",
                "add x2, sp, #80",
                "mov x3, #{how}",
                "bl {execute}",
                "ldr x30, [sp, #56]",
                "add sp, sp, #80",
                "ret",
                how = const $how,
                execute = sym execute_listed,
            )
        }
    )*};
}
listed! { execl LISTED; execlp LISTED_SEARCHED; execle LISTED_WITH_ENVIRONMENT; }

/// A path for the loader, and the loader's function. The loader searches a library in the
/// directories of its caller, so that function is jumped to, not called.
#[repr(C)]
struct Load {
    path: *const c_char,
    function: *const c_void,
}

unsafe extern "C" fn library_path(path: *const c_char, nth: usize) -> Load {
    static OPEN: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
    static OPEN_IN: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
    let loader: *const c_void = match nth {
        0 => function(&OPEN, "dlopen\0"),
        _ => function(&OPEN_IN, "dlmopen\0"),
    };
    let mut load = Load { path, function: loader };
    if path.is_null() || !mounts::active() || !unsafe { sys::bytes(path) }.contains(&b'/') {
        return load;
    }
    let mut target = Target::new();
    if let Ok(true) = unsafe { find(libc::AT_FDCWD, path, &mut target) } {
        let mut line = MaybeUninit::<[u8; FIRST_LINE]>::zeroed();
        // SAFETY: zeroed bytes. An error is found again by the loader, which reports it.
        let _ = charge_program(&mut target, unsafe { line.assume_init_mut() });
        // The loader keeps no reference; the copy is small, and libraries are few.
        // SAFETY: a zero-terminated path.
        load.path = unsafe { libc::strdup(target.absolute()) };
    }
    load
}

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn dlopen() {
    naked_asm!(
        "push rsi",
        "mov esi, 0",
        "call {path}",
        "pop rsi",
        "mov rdi, rax",
        "jmp rdx",
        path = sym library_path,
    )
}
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn dlmopen() {
    naked_asm!(
        "push rdi",
        "push rdx",
        "sub rsp, 8",
        "mov rdi, rsi",
        "mov esi, 1",
        "call {path}",
        "add rsp, 8",
        "mov rsi, rax",
        "mov rax, rdx",
        "pop rdx",
        "pop rdi",
        "jmp rax",
        path = sym library_path,
    )
}
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn dlopen() {
    naked_asm!(
        "stp x1, x30, [sp, #-16]!",
        "mov x1, #0",
        "bl {path}",
        "mov x16, x1",
        "ldp x1, x30, [sp], #16",
        "br x16",
        path = sym library_path,
    )
}
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn dlmopen() {
    naked_asm!(
        "stp x0, x2, [sp, #-32]!",
        "str x30, [sp, #16]",
        "mov x0, x1",
        "mov x1, #1",
        "bl {path}",
        "mov x16, x1",
        "mov x1, x0",
        "ldr x30, [sp, #16]",
        "ldp x0, x2, [sp], #32",
        "br x16",
        path = sym library_path,
    )
}
