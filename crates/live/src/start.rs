//! Starting all ranks' processes.

use crate::children::{Children, Pipes};
use crate::launch::{LaunchError, LaunchSpec, Progress};
use crate::output::{Pump, Stream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

/// Descriptors we and the program need besides the ranks' pipes.
const OTHER_FDS: u64 = 64;

/// Starts the ranks in order. On any error nothing is left running.
pub(crate) fn start_all(
    spec: &LaunchSpec,
    program: &Path,
    fd: i32,
    progress: &mut Option<Box<dyn FnMut(Progress)>>,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<(Children, Vec<Pump>), LaunchError> {
    if spec.label {
        allow_descriptors(2 * u64::from(spec.ranks) + OTHER_FDS);
    }
    // A program in a process group of its own is stopped when it reads the terminal: it is handed
    // what we read.
    // SAFETY: a plain system call.
    let is_terminal = unsafe { libc::isatty(0) } == 1;
    let mut children = Children::new();
    let mut labelled: Vec<(u32, Stream, OwnedFd)> = Vec::new();
    let mut pumps = Vec::new();
    for rank in 0..spec.ranks {
        let stdin = match rank {
            0 if is_terminal => Stdio::piped(),
            0 => Stdio::inherit(),
            _ => Stdio::null(),
        };
        let out = || if spec.label { Stdio::piped() } else { Stdio::inherit() };
        let Pipes { stdin, stdout, stderr } = children
            .spawn(spec, program, fd, [stdin, out(), out()])
            .map_err(|error| LaunchError::Spawn { rank, ranks: spec.ranks, error })?;
        if let Some(stdin) = stdin {
            pumps.push(Pump::input(stdin.into()));
        }
        labelled.extend(stdout.map(|o| (rank, Stream::Out, o.into())));
        labelled.extend(stderr.map(|e| (rank, Stream::Err, e.into())));
        if (rank + 1) % 64 == 0 || rank + 1 == spec.ranks {
            if let Some(tell) = progress {
                tell(Progress { started: rank + 1, attached: 0, ranks: spec.ranks });
            }
            if interrupted() {
                return Err(LaunchError::Interrupted);
            }
        }
    }
    if !labelled.is_empty() {
        pumps.push(Pump::label(labelled));
    }
    Ok((children, pumps))
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
