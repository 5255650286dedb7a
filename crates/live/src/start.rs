//! Starts the ranks' processes.

use crate::children::{Children, resolve};
use crate::exec::Exec;
use crate::files::JobFiles;
use crate::job::ENV_JOB;
use crate::launch::{LaunchError, LaunchSpec, Progress};
use crate::output::{Stream, StreamForwarder};
use crate::segment::Shared;
use crate::variables;
use crate::warm::{self, ForkError};
use std::ffi::OsString;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use workload::wire;

/// Descriptors needed besides the ranks' pipes.
const OTHER_FDS: u64 = 64;
/// Ranks started between two checks for an interrupt.
const RANKS_PER_CHECK: u32 = 64;

pub(crate) struct Started {
    pub children: Children,
    pub forwarders: Vec<StreamForwarder>,
    /// Why the ranks were not forked, though the launch requested it.
    pub fork_refusal: Option<String>,
    /// The raised limit of open files, kept while the ranks' pipes are open.
    pub descriptors: Descriptors,
}

/// Starts the ranks in order. On any error nothing is left running.
pub(crate) fn start_all(
    spec: &LaunchSpec,
    program: &Path,
    shared: &Shared,
    files: &JobFiles,
    progress: &mut Option<Box<dyn FnMut(Progress)>>,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<Started, LaunchError> {
    let fd = shared.fd();
    check_capacity(spec.ranks)?;
    let need = if spec.label { 2 * u64::from(spec.ranks) } else { 0 } + OTHER_FDS;
    let descriptors = Descriptors::allow(need)?;
    let mut report = |started: u32| {
        if let Some(report) = progress {
            report(Progress { started, attached: 0, ranks: spec.ranks });
        }
        interrupted()
    };
    let mut fork_refusal = None;
    if let Some(words) = &spec.warm {
        let mut streams = Streams::new(spec.label, descriptors.before);
        let forked = resolve(spec, words)
            .map_err(|error| ForkError::Unsuitable(error.to_string()))
            .and_then(|program| {
                let job = (shared, files);
                warm::fork_all(spec, &program, words, job, &mut streams, &mut report)
            });
        match forked {
            Ok(children) => {
                let forwarders = streams.forwarders();
                return Ok(Started { children, forwarders, fork_refusal: None, descriptors });
            }
            Err(ForkError::Interrupted) => return Err(LaunchError::Interrupted),
            Err(ForkError::Unsuitable(why)) => fork_refusal = Some(why),
        }
    }
    let spawn = |rank, error| LaunchError::Spawn { rank, ranks: spec.ranks, error };
    let mut streams = Streams::new(spec.label, descriptors.before);
    let mut children = Children::new();
    let exec = streams
        .exec(spec, program, &spec.program, &children, (fd, files))
        .map_err(|error| spawn(0, error))?;
    for rank in 0..spec.ranks {
        let environment = variables::of_rank(spec, files, rank);
        streams
            .of(rank)
            .and_then(|own| {
                children.spawn(&exec, &environment, fd, own.each_ref().map(Option::as_ref))
            })
            .map_err(|error| spawn(rank, error))?;
        if ((rank + 1) % RANKS_PER_CHECK == 0 || rank + 1 == spec.ranks) && report(rank + 1) {
            return Err(LaunchError::Interrupted);
        }
    }
    Ok(Started { children, forwarders: streams.forwarders(), fork_refusal, descriptors })
}

/// The ranks' standard streams.
pub(crate) struct Streams {
    label: bool,
    /// This process's ends of the output pipes, with rank and stream.
    labeled: Vec<(u32, Stream, OwnedFd)>,
    input: Option<OwnedFd>,
    /// Limit of open files of the ranks, if this process has raised its own.
    limit: Option<libc::rlimit>,
}

fn no_input() -> io::Result<OwnedFd> {
    Ok(std::fs::File::open("/dev/null")?.into())
}

impl Streams {
    fn new(label: bool, limit: Option<libc::rlimit>) -> Streams {
        Streams { label, labeled: Vec::new(), input: None, limit }
    }

    /// The command for the job of `children`, with the segment `fd` and the job's files.
    pub fn exec(
        &self,
        spec: &LaunchSpec,
        program: &Path,
        words: &[OsString],
        children: &Children,
        (fd, files): (i32, &JobFiles),
    ) -> io::Result<Exec> {
        let job = variables::of_job(spec, files);
        let extra =
            [(wire::ENV_FD, fd.to_string().into()), (ENV_JOB, children.mark().to_os_string())];
        let mut exec = Exec::new(spec, program, words, &job, &extra)?;
        exec.limit = self.limit;
        Ok(exec)
    }

    /// The three streams of one rank; none for those inherited from this process.
    fn of(&mut self, rank: u32) -> io::Result<[Option<OwnedFd>; 3]> {
        let stdin = if rank == 0 { self.input()? } else { Some(no_input()?) };
        Ok(match self.outputs(rank)? {
            Some([out, err]) => [stdin, Some(out), Some(err)],
            None => [stdin, None, None],
        })
    }

    /// Rank 0's input. The kernel stops a program of another process group that reads the terminal,
    /// so terminal input is forwarded through a pipe.
    pub fn input(&mut self) -> io::Result<Option<OwnedFd>> {
        // SAFETY: a plain system call.
        if unsafe { libc::isatty(0) } != 1 {
            return Ok(None);
        }
        let (far, near) = pipe()?;
        self.input = Some(near);
        Ok(Some(far))
    }

    /// The rank's ends of the pipes for stdout and stderr; none if they are inherited.
    pub fn outputs(&mut self, rank: u32) -> io::Result<Option<[OwnedFd; 2]>> {
        if !self.label {
            return Ok(None);
        }
        let ((out, out_far), (err, err_far)) = (pipe()?, pipe()?);
        self.labeled.push((rank, Stream::Out, out));
        self.labeled.push((rank, Stream::Err, err));
        Ok(Some([out_far, err_far]))
    }

    fn forwarders(self) -> Vec<StreamForwarder> {
        let mut forwarders: Vec<StreamForwarder> =
            self.input.map(StreamForwarder::input).into_iter().collect();
        if !self.labeled.is_empty() {
            forwarders.push(StreamForwarder::label(self.labeled));
        }
        forwarders
    }
}

/// The reading and the writing end of a new pipe.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    // SAFETY: room for two descriptors, which are new and owned here.
    unsafe {
        match libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC) {
            0 => Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1]))),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Memory of the smallest rank in KiB: an idle C program (measured: 190, plus the kernel's data).
const MIN_RANK_KIB: u64 = 256;

/// Refuses a job that cannot fit. A job that passes may still not fit.
fn check_capacity(ranks: u32) -> Result<(), LaunchError> {
    let number = |path: &str, word: usize| -> Option<u64> {
        let text = std::fs::read_to_string(path).ok()?;
        text.split_whitespace().nth(word)?.rsplit('/').next()?.parse().ok()
    };
    let enough = |what, need: u64, free: u64| match need <= free {
        true => Ok(()),
        false => Err(LaunchError::Capacity { what, need, free }),
    };
    // The fourth word of loadavg is `running/all` threads (proc(5)).
    if let (Some(most), Some(there)) =
        (number("/proc/sys/kernel/pid_max", 0), number("/proc/loadavg", 3))
    {
        let free = most.saturating_sub(there);
        enough("process numbers (kernel.pid_max)", u64::from(ranks), free)?;
    }
    // `MemAvailable` is the third line of three words.
    if let Some(free) = number("/proc/meminfo", 7) {
        enough("KiB of memory at least", u64::from(ranks) * MIN_RANK_KIB, free)?;
    }
    Ok(())
}

/// The limit of open files of this process, raised while this value lives.
pub(crate) struct Descriptors {
    before: Option<libc::rlimit>,
}

impl Descriptors {
    /// Allows `need` descriptors in addition to the open ones.
    fn allow(need: u64) -> Result<Descriptors, LaunchError> {
        let open = std::fs::read_dir("/proc/self/fd").map_or(0, |fds| fds.count() as u64);
        let need = need + open;
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: a valid rlimit.
        if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } != 0
            || limit.rlim_cur >= need
        {
            return Ok(Descriptors { before: None });
        }
        if limit.rlim_max < need {
            return Err(LaunchError::Descriptors { need, may: limit.rlim_max });
        }
        let raised = libc::rlimit { rlim_cur: need, ..limit };
        // SAFETY: as above.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raised) };
        Ok(Descriptors { before: Some(limit) })
    }
}

impl Drop for Descriptors {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: as above. Descriptors beyond the limit stay open.
            unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, before) };
        }
    }
}
