//! Forks all ranks from one process with their common state: a Python interpreter that has imported
//! the modules of the script.
//!
//! The process runs none of the user's code before the fork, and the forked ranks wait at a gate
//! until all exist. After a failure until then, the ranks are started individually instead. The
//! process ends after the last fork. Because odonata is a subreaper, the ranks then become its
//! children. `python/odonata/_warm.py` documents the messages on the socket.

use crate::children::{Children, Exit};
use crate::files::JobFiles;
use crate::launch::LaunchSpec;
use crate::process::own_memory;
use crate::segment::Shared;
use crate::streams::{Streams, pipe};
use crate::variables;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;

/// Ranks per request: with two descriptors each, half of what a message may carry.
const BATCH: u32 = 64;
/// Interval of checks for an interrupt during a wait, in milliseconds.
const POLL_MS: i32 = 20;
/// Environment variable with the process's socket, its gate and odonata's process id.
const ENV_WARM: &str = "ODONATA_WARM";

pub(crate) enum ForkError {
    /// The ranks have to be started individually.
    Unsuitable(String),
    Interrupted,
}

impl From<io::Error> for ForkError {
    fn from(error: io::Error) -> ForkError {
        ForkError::Unsuitable(error.to_string())
    }
}

/// Forks all ranks. `report` gets their number so far, and returns whether to stop.
pub(crate) fn fork_all(
    spec: &LaunchSpec,
    program: &Path,
    words: &[OsString],
    (shared, files): (&Shared, &JobFiles),
    streams: &mut Streams,
    report: &mut dyn FnMut(u32) -> bool,
) -> Result<Children, ForkError> {
    let fd = shared.fd();
    let (ours, theirs) = socket_pair()?;
    let (gate, opener) = pipe()?;
    let mut children = Children::new(files.temporary());
    let setup = format!("{},{},{}", theirs.as_raw_fd(), gate.as_raw_fd(), std::process::id());
    // The process has rank 0's streams, so its interpreter configures them as in a rank.
    let input = streams.input()?;
    let mut first_outputs = streams.outputs(0)?;
    let stdio = match &first_outputs {
        Some([out, err]) => [input.as_ref(), Some(out), Some(err)],
        None => [input.as_ref(), None, None],
    };
    let mut exec = streams.exec(spec, program, words, &children, (fd, files))?;
    exec.add(ENV_WARM, setup)?;
    children.spawn_forker(&exec, &[fd, theirs.as_raw_fd(), gate.as_raw_fd()], stdio)?;
    drop(input);
    drop((theirs, gate));
    let ready = answer(&ours, &mut || report(0))?;
    if ready != "ready" {
        return Err(ForkError::Unsuitable(ready));
    }
    let (mut first, mut copy) = (0, None);
    while first < spec.ranks {
        let last = (first + BATCH).min(spec.ranks);
        let mut outputs = Vec::new();
        for rank in first..last {
            let own = if rank == 0 { first_outputs.take() } else { streams.outputs(rank)? };
            outputs.extend(own.into_iter().flatten());
        }
        let fds: Vec<i32> = outputs.iter().map(AsRawFd::as_raw_fd).collect();
        send(&ours, request(spec, files, first, last).as_bytes(), &fds)?;
        let pids = answer(&ours, &mut || report(first))?;
        for pid in pids.split(' ') {
            match pid.parse() {
                Ok(pid) => {
                    copy.get_or_insert(pid);
                    children.adopt(pid);
                }
                Err(_) => return Err(ForkError::Unsuitable(pids)),
            }
        }
        first = last;
        if report(first) {
            return Err(ForkError::Interrupted);
        }
    }
    drop(ours);
    if children.wait_for_forker() != Exit::Status(0) {
        return Err(ForkError::Unsuitable("the interpreter that forked the ranks died".into()));
    }
    if let Some(own) = copy.and_then(own_memory) {
        shared.inherit(own);
    }
    drop(opener);
    Ok(children)
}

/// A request for ranks, with one line of variables per rank, separated by blanks: the values are
/// numbers and host names.
fn request(spec: &LaunchSpec, files: &JobFiles, first: u32, last: u32) -> String {
    let mut text = format!("{first} {last}");
    for rank in first..last {
        text.push('\n');
        for (name, value) in variables::of_rank(spec, files, rank) {
            text += &format!("{name}={} ", value.display());
        }
    }
    text
}

fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: room for two descriptors, which are new and owned here.
    unsafe {
        match libc::socketpair(libc::AF_UNIX, kind, 0, fds.as_mut_ptr()) {
            0 => Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1]))),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// The next message. Waits for it until `stop` returns true.
fn answer(socket: &OwnedFd, stop: &mut dyn FnMut() -> bool) -> Result<String, ForkError> {
    let mut poll = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid pollfd.
    while unsafe { libc::poll(&mut poll, 1, POLL_MS) } <= 0 {
        if stop() {
            return Err(ForkError::Interrupted);
        }
    }
    let mut text = [0u8; 4096];
    // SAFETY: reads into a local buffer.
    let n = unsafe { libc::recv(socket.as_raw_fd(), text.as_mut_ptr().cast(), text.len(), 0) };
    match n {
        1.. => Ok(String::from_utf8_lossy(&text[..n as usize]).into_owned()),
        0 => Err(ForkError::Unsuitable("the interpreter died during its imports".into())),
        _ => Err(io::Error::last_os_error().into()),
    }
}

/// Sends a message with descriptors.
fn send(socket: &OwnedFd, text: &[u8], fds: &[i32]) -> io::Result<()> {
    let size = std::mem::size_of_val(fds) as u32;
    // Aligned as a cmsghdr must be.
    // SAFETY: arithmetic only.
    let mut control = vec![0u64; unsafe { libc::CMSG_SPACE(size) } as usize / 8 + 1];
    let mut part = libc::iovec { iov_base: text.as_ptr() as *mut _, iov_len: text.len() };
    // SAFETY: zeroed is a valid msghdr; everything it points to outlives the call, and `control`
    // has room for a header and the descriptors.
    let sent = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        (message.msg_iov, message.msg_iovlen) = (&mut part, 1);
        if !fds.is_empty() {
            message.msg_control = control.as_mut_ptr().cast();
            message.msg_controllen = libc::CMSG_SPACE(size) as _;
            let header = libc::CMSG_FIRSTHDR(&message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(size) as _;
            libc::CMSG_DATA(header).copy_from(fds.as_ptr().cast(), size as usize);
        }
        libc::sendmsg(socket.as_raw_fd(), &message, libc::MSG_NOSIGNAL)
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
