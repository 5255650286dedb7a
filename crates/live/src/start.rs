//! Starting all ranks' processes.

use crate::children::{Children, resolve};
use crate::launch::{LaunchError, LaunchSpec, Progress};
use crate::output::{Pump, Stream};
use crate::warm::{self, Trouble};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;

/// Descriptors we and the program need besides the ranks' pipes.
const OTHER_FDS: u64 = 64;
/// Ranks started between two looks at the user.
const LOOK: u32 = 64;

pub(crate) struct Started {
    pub children: Children,
    pub pumps: Vec<Pump>,
    /// Why the ranks were not forked, though the launch asked for it.
    pub unfit: Option<String>,
}

/// Starts the ranks in order. On any error nothing is left running.
pub(crate) fn start_all(
    spec: &LaunchSpec,
    program: &Path,
    fd: i32,
    progress: &mut Option<Box<dyn FnMut(Progress)>>,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<Started, LaunchError> {
    if spec.label {
        allow_descriptors(2 * u64::from(spec.ranks) + OTHER_FDS);
    }
    let mut tell = |started: u32| {
        if let Some(tell) = progress {
            tell(Progress { started, attached: 0, ranks: spec.ranks });
        }
        interrupted()
    };
    let mut unfit = None;
    if let Some(words) = &spec.warm {
        let mut streams = Streams::new(spec.label);
        let forked = resolve(spec, words)
            .map_err(|error| Trouble::Unfit(error.to_string()))
            .and_then(|program| warm::fork_all(spec, &program, words, fd, &mut streams, &mut tell));
        match forked {
            Ok(children) => return Ok(Started { children, pumps: streams.pumps(), unfit: None }),
            Err(Trouble::Interrupted) => return Err(LaunchError::Interrupted),
            Err(Trouble::Unfit(why)) => unfit = Some(why),
        }
    }
    let mut streams = Streams::new(spec.label);
    let mut children = Children::new();
    for rank in 0..spec.ranks {
        streams
            .of(rank)
            .and_then(|stdio| children.spawn(spec, program, fd, stdio))
            .map_err(|error| LaunchError::Spawn { rank, ranks: spec.ranks, error })?;
        if ((rank + 1) % LOOK == 0 || rank + 1 == spec.ranks) && tell(rank + 1) {
            return Err(LaunchError::Interrupted);
        }
    }
    Ok(Started { children, pumps: streams.pumps(), unfit })
}

/// Where the ranks' standard streams lead.
pub(crate) struct Streams {
    label: bool,
    /// Near ends of what was piped.
    labelled: Vec<(u32, Stream, OwnedFd)>,
    input: Option<OwnedFd>,
}

impl Streams {
    fn new(label: bool) -> Streams {
        Streams { label, labelled: Vec::new(), input: None }
    }

    /// All three of one rank.
    fn of(&mut self, rank: u32) -> io::Result<[Stdio; 3]> {
        let stdin = if rank == 0 { self.input()? } else { Stdio::null() };
        Ok(match self.outputs(rank)? {
            Some([out, err]) => [stdin, out.into(), err.into()],
            None => [stdin, Stdio::inherit(), Stdio::inherit()],
        })
    }

    /// Rank 0's input. A program in a process group of its own is stopped when it reads the
    /// terminal: it is handed what we read.
    pub fn input(&mut self) -> io::Result<Stdio> {
        // SAFETY: a plain system call.
        if unsafe { libc::isatty(0) } != 1 {
            return Ok(Stdio::inherit());
        }
        let (far, near) = pipe()?;
        self.input = Some(near);
        Ok(far.into())
    }

    /// Far ends of a rank's stdout and stderr; none if they are ours.
    pub fn outputs(&mut self, rank: u32) -> io::Result<Option<[OwnedFd; 2]>> {
        if !self.label {
            return Ok(None);
        }
        let ((out, out_far), (err, err_far)) = (pipe()?, pipe()?);
        self.labelled.push((rank, Stream::Out, out));
        self.labelled.push((rank, Stream::Err, err));
        Ok(Some([out_far, err_far]))
    }

    fn pumps(self) -> Vec<Pump> {
        let mut pumps: Vec<Pump> = self.input.map(Pump::input).into_iter().collect();
        if !self.labelled.is_empty() {
            pumps.push(Pump::label(self.labelled));
        }
        pumps
    }
}

/// Its reading and its writing end.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    // SAFETY: room for two descriptors, which are new and ours alone.
    unsafe {
        match libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC) {
            0 => Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1]))),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Raises our own limit as far as we may; if that is not enough, a start will say so.
fn allow_descriptors(need: u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a valid rlimit.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 && limit.rlim_cur < need {
            limit.rlim_cur = need.min(limit.rlim_max);
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}
