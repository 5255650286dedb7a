//! Whether a process waits in the kernel for another process, from its threads in proc(5).
//!
//! A process is blocked if all its threads sleep, and at least one in a call that only another
//! process ends (a socket, a pipe, a file lock, a shared futex). A process that computes, reads a
//! file, sleeps or reads its standard input is not blocked.

use crate::process::Stat;
use std::fs;
use std::os::unix::fs::FileTypeExt;

/// Activity of a process outside MPI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Activity {
    /// It runs, or will continue by itself.
    Runs,
    /// It waits for another process.
    Blocked {
        /// The system call and what it waits on: "accept4 (socket)".
        call: String,
        /// Some thread has a timeout.
        timed: bool,
    },
}

/// What one thread waits for.
#[derive(PartialEq, Eq, Debug)]
enum Wait {
    /// Nothing: it runs, or is in a call that ends by itself.
    None,
    /// Another thread of its process.
    Thread { timed: bool },
    /// The end of a sleep.
    Sleep,
    /// The end of a child process.
    Child { call: &'static str },
    /// Another process.
    Process { call: String, timed: bool },
}

/// Depth of nested child processes that are inspected.
const DEPTH: u32 = 8;

/// Activity of the process `pid`, over all its threads.
pub(crate) fn activity(pid: u32) -> Activity {
    inspect(pid, DEPTH)
}

fn inspect(pid: u32, depth: u32) -> Activity {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Activity::Runs };
    let mut found: Option<String> = None;
    let mut wakes = false;
    for task in tasks.flatten().filter_map(|t| t.file_name().into_string().ok()) {
        match of_thread(pid, &task) {
            Wait::None => return Activity::Runs,
            Wait::Thread { timed } => wakes |= timed,
            Wait::Sleep if task.parse() == Ok(pid) => return Activity::Runs,
            Wait::Sleep => wakes = true,
            Wait::Process { call, timed } => {
                // A thread that joins another one also waits on a shared futex.
                if found.as_ref().is_none_or(|before| before.starts_with("futex")) {
                    found = Some(call);
                }
                wakes |= timed;
            }
            Wait::Child { call } => match of_children(pid, depth) {
                Activity::Runs => return Activity::Runs,
                Activity::Blocked { call: theirs, .. } => {
                    found = Some(format!("{call} on a process in {theirs}"));
                    wakes = true;
                }
            },
        }
    }
    match found {
        Some(call) if wakes && call.starts_with("futex") => Activity::Runs,
        Some(call) => Activity::Blocked { call, timed: wakes },
        None => Activity::Runs,
    }
}

/// Activity of the children of a process: blocked if all of them are.
fn of_children(pid: u32, depth: u32) -> Activity {
    let mut all = None;
    for child in children(pid) {
        if depth == 0 {
            return Activity::Runs;
        }
        match inspect(child, depth - 1) {
            Activity::Runs => return Activity::Runs,
            blocked => all = Some(blocked),
        }
    }
    all.unwrap_or(Activity::Runs)
}

fn children(pid: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |p: &u32| Stat::of(&p.to_string()).is_ok_and(|s| s.parent == pid);
    pids.filter(is_child).collect()
}

/// CPU time of the process in clock ticks, 0 if it has ended.
pub(crate) fn cpu_ticks(pid: u32) -> u64 {
    let text = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    let Some(at) = text.iter().rposition(|&b| b == b')') else { return 0 };
    let words = String::from_utf8_lossy(&text[at + 1..]);
    // Fields 14 and 15 of proc(5); the first word here is field 3.
    words.split_whitespace().skip(11).take(2).filter_map(|w| w.parse::<u64>().ok()).sum()
}

fn of_thread(pid: u32, task: &str) -> Wait {
    match Stat::of(&format!("{pid}/task/{task}")).map(|stat| stat.state) {
        Ok(b'S') => {}
        Ok(b'Z' | b'X') => return Wait::Thread { timed: false },
        Ok(_) | Err(_) => return Wait::None,
    }
    let Ok(text) = fs::read_to_string(format!("/proc/{pid}/task/{task}/syscall")) else {
        return Wait::None;
    };
    let mut words = text.split_whitespace();
    let Some(number) = words.next().and_then(|w| w.parse::<i64>().ok()) else { return Wait::None };
    let number_of = |w: &str| u64::from_str_radix(w.trim_start_matches("0x"), 16).ok();
    let mut arguments = [0; 6];
    arguments.iter_mut().zip(words.filter_map(number_of)).for_each(|(to, from)| *to = from);
    wait_of(pid, number, arguments)
}

/// The timeout argument of a call.
#[derive(Clone, Copy)]
enum Limit {
    Never,
    /// A pointer, null for no timeout.
    Pointer(usize),
    /// Milliseconds, negative for no timeout.
    Millis(usize),
}

/// Calls that wait for another process, whatever their arguments.
const WAITS: &[(i64, &str, Limit)] = &[
    (libc::SYS_accept, "accept", Limit::Never),
    (libc::SYS_accept4, "accept4", Limit::Never),
    (libc::SYS_connect, "connect", Limit::Never),
    (libc::SYS_recvfrom, "recv", Limit::Never),
    (libc::SYS_recvmsg, "recvmsg", Limit::Never),
    (libc::SYS_recvmmsg, "recvmmsg", Limit::Never),
    (libc::SYS_sendto, "send", Limit::Never),
    (libc::SYS_sendmsg, "sendmsg", Limit::Never),
    (libc::SYS_sendmmsg, "sendmmsg", Limit::Never),
    (libc::SYS_flock, "flock", Limit::Never),
    (libc::SYS_msgrcv, "msgrcv", Limit::Never),
    (libc::SYS_msgsnd, "msgsnd", Limit::Never),
    (libc::SYS_semop, "semop", Limit::Never),
    (libc::SYS_semtimedop, "semtimedop", Limit::Pointer(3)),
    (libc::SYS_mq_timedreceive, "mq_receive", Limit::Pointer(4)),
    (libc::SYS_mq_timedsend, "mq_send", Limit::Pointer(4)),
    (libc::SYS_rt_sigtimedwait, "sigwait", Limit::Pointer(2)),
    (libc::SYS_rt_sigsuspend, "sigsuspend", Limit::Never),
    (libc::SYS_ppoll, "poll", Limit::Pointer(2)),
    (libc::SYS_pselect6, "select", Limit::Pointer(4)),
    (libc::SYS_epoll_pwait, "epoll_wait", Limit::Millis(3)),
    (libc::SYS_epoll_pwait2, "epoll_wait", Limit::Pointer(3)),
    (libc::SYS_io_uring_enter, "io_uring_enter", Limit::Never),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_poll, "poll", Limit::Millis(2)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_select, "select", Limit::Pointer(4)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_epoll_wait, "epoll_wait", Limit::Millis(3)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_pause, "pause", Limit::Never),
];
/// Calls that wait for another process unless their first argument is a file on a disk.
const TRANSFERS: [(i64, &str); 4] = [
    (libc::SYS_read, "read"),
    (libc::SYS_readv, "readv"),
    (libc::SYS_write, "write"),
    (libc::SYS_writev, "writev"),
];

fn wait_of(pid: u32, number: i64, arguments: [u64; 6]) -> Wait {
    let process = |call: &str, timed| Wait::Process { call: call.to_string(), timed };
    if let Some(&(_, name, limit)) = WAITS.iter().find(|w| w.0 == number) {
        let timed = match limit {
            Limit::Never => false,
            Limit::Pointer(at) => arguments[at] != 0,
            Limit::Millis(at) => arguments[at] as i32 >= 0,
        };
        // Without descriptors the call is a sleep.
        let count = match number {
            libc::SYS_ppoll => Some(1),
            libc::SYS_pselect6 => Some(0),
            _ => poll_count(number),
        };
        return match count {
            Some(at) if arguments[at] == 0 && timed => Wait::Sleep,
            _ => process(name, timed),
        };
    }
    if let Some((_, name)) = TRANSFERS.iter().find(|t| t.0 == number) {
        return match stream(pid, arguments[0]) {
            Some(kind) => process(&format!("{name} ({kind})"), false),
            None => Wait::None,
        };
    }
    match number {
        libc::SYS_futex => {
            let timed = arguments[3] != 0;
            match arguments[1] as i32 & libc::FUTEX_PRIVATE_FLAG {
                0 => process("futex (shared memory)", timed),
                _ => Wait::Thread { timed },
            }
        }
        libc::SYS_fcntl if is_lock(arguments[1] as i32) => process("fcntl (file lock)", false),
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => Wait::Sleep,
        libc::SYS_wait4 => Wait::Child { call: "wait4" },
        libc::SYS_waitid => Wait::Child { call: "waitid" },
        // The other end of a named pipe is not open yet.
        _ if opens(number) && waits_for_partner(pid) => process("open (named pipe)", false),
        _ => Wait::None,
    }
}

#[cfg(target_arch = "x86_64")]
fn poll_count(number: i64) -> Option<usize> {
    match number {
        libc::SYS_poll => Some(1),
        libc::SYS_select => Some(0),
        _ => None,
    }
}
#[cfg(not(target_arch = "x86_64"))]
fn poll_count(_: i64) -> Option<usize> {
    None
}

#[cfg(target_arch = "x86_64")]
fn opens(number: i64) -> bool {
    matches!(number, libc::SYS_openat | libc::SYS_open)
}
#[cfg(not(target_arch = "x86_64"))]
fn opens(number: i64) -> bool {
    number == libc::SYS_openat
}

fn is_lock(command: i32) -> bool {
    matches!(command, libc::F_SETLKW | libc::F_OFD_SETLKW)
}

/// Whether an `open` waits for the other end of a named pipe, from the kernel function it sleeps
/// in.
fn waits_for_partner(pid: u32) -> bool {
    let at = fs::read_to_string(format!("/proc/{pid}/wchan")).unwrap_or_default();
    at.contains("wait_for_partner") || at.contains("fifo_open")
}

/// The kind of a descriptor with another process at its other end; none for files, and for the
/// standard streams of the process, which lead out of the job.
fn stream(pid: u32, descriptor: u64) -> Option<&'static str> {
    let path = |number: u64| format!("/proc/{pid}/fd/{number}");
    let link = fs::read_link(path(descriptor)).ok()?;
    if (0..3).any(|own| fs::read_link(path(own)).is_ok_and(|l| l == link)) {
        return None;
    }
    let text = link.to_string_lossy();
    for (start, kind) in [("socket:", "socket"), ("pipe:", "pipe"), ("anon_inode:", "event")] {
        if text.starts_with(start) {
            return Some(kind);
        }
    }
    let kind = fs::metadata(path(descriptor)).ok()?.file_type();
    kind.is_fifo().then_some("named pipe")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::process::{Child, Command, Stdio};

    /// Repeats until the activity is expected, for a process that has just been started.
    fn settled(child: &Child, condition: fn(&Activity) -> bool) -> Activity {
        for _ in 0..20_000 {
            if condition(&activity(child.id())) {
                break;
            }
            std::thread::yield_now();
        }
        activity(child.id())
    }

    #[test]
    fn a_process_is_blocked_by_what_it_waits_for() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let fd = std::os::fd::OwnedFd::from(theirs.try_clone().unwrap());
        // Its standard input leads out of the job; descriptor 5 is a socket of its own.
        let start = |script: &str| {
            Command::new("sh")
                .args(["-c", script])
                .stdin(Stdio::from(fd.try_clone().unwrap()))
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        };
        let mut own = start("read line");
        let mut waits = start("(read line; true); true");
        let mut sleeps = start("exec sleep 1000");
        let is_asleep = |child: &Child| {
            (0..20_000).any(|_| {
                std::thread::yield_now();
                Stat::of(&child.id().to_string()).is_ok_and(|s| s.state == b'S')
            })
        };
        for child in [&own, &sleeps, &waits] {
            assert!(is_asleep(child));
            assert_eq!(settled(child, |a| *a == Activity::Runs), Activity::Runs);
        }
        (&ours).write_all(b"go\ngo\n").unwrap();
        assert!(own.wait().unwrap().success());
        assert!(waits.wait().unwrap().success());
        sleeps.kill().unwrap();
        sleeps.wait().unwrap();
    }

    #[test]
    fn pipes_and_blocked_children_block_a_process() {
        for (script, expected) in [
            ("exec 5<&0 </dev/null; exec cat /dev/fd/5", "read (pipe)"),
            ("exec 5<&0 </dev/null; (cat /dev/fd/5; true); true", "wait4 on a process in"),
        ] {
            let mut child = Command::new("sh")
                .args(["-c", script])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let found = settled(&child, |a| *a != Activity::Runs);
            let Activity::Blocked { call, .. } = found else { panic!("{script}: {found:?}") };
            assert!(call.starts_with(expected), "{script}: {call}");
            child.stdin.take().unwrap().write_all(b"go\n").unwrap();
            let mut text = String::new();
            child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
            assert!(child.wait().unwrap().success());
        }
    }

    #[test]
    fn timeouts_are_read_from_the_arguments() {
        let wait = |number, arguments| wait_of(std::process::id(), number, arguments);
        let of = |call: &str, timed| Wait::Process { call: call.into(), timed };
        assert_eq!(wait(libc::SYS_ppoll, [1, 1, 0, 0, 0, 0]), of("poll", false));
        assert_eq!(wait(libc::SYS_ppoll, [1, 1, 8, 0, 0, 0]), of("poll", true));
        assert_eq!(wait(libc::SYS_ppoll, [0, 0, 8, 0, 0, 0]), Wait::Sleep);
        assert_eq!(wait(libc::SYS_pselect6, [0, 0, 0, 0, 8, 0]), Wait::Sleep);
        assert_eq!(wait(libc::SYS_pselect6, [4, 8, 0, 0, 8, 0]), of("select", true));
        let forever = u64::from(u32::MAX);
        assert_eq!(wait(libc::SYS_epoll_pwait, [3, 1, 9, forever, 0, 0]), of("epoll_wait", false));
        assert_eq!(wait(libc::SYS_epoll_pwait, [3, 1, 9, 100, 0, 0]), of("epoll_wait", true));
        let private = libc::FUTEX_PRIVATE_FLAG as u64;
        assert_eq!(wait(libc::SYS_futex, [1, private, 0, 0, 0, 0]), Wait::Thread { timed: false });
        assert_eq!(wait(libc::SYS_getpid, [0; 6]), Wait::None);
    }
}
