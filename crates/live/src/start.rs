//! Starts the ranks' processes.

use crate::children::{Children, resolve};
use crate::files::JobFiles;
use crate::launch::{LaunchError, LaunchSpec, Progress};
use crate::output::StreamForwarder;
use crate::segment::Shared;
use crate::streams::Streams;
use crate::variables;
use crate::warm::{self, ForkError};
use std::path::Path;

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
    let mut children = Children::new(files.temporary());
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
