//! The standard streams of the ranks' processes, and the command that starts these.

use crate::children::Children;
use crate::exec::Exec;
use crate::files::JobFiles;
use crate::job::ENV_JOB;
use crate::launch::LaunchSpec;
use crate::output::{Stream, StreamForwarder};
use crate::variables;
use std::ffi::OsString;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use workload::wire;

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
    pub fn new(label: bool, limit: Option<libc::rlimit>) -> Streams {
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
        let own =
            [(wire::ENV_FD, fd.to_string().into()), (ENV_JOB, children.mark().to_os_string())];
        let extra: Vec<_> = own.into_iter().chain(files.mounts().iter().cloned()).collect();
        let mut exec = Exec::new(spec, program, words, &job, &extra)?;
        exec.limit = self.limit;
        Ok(exec)
    }

    /// The three streams of one rank; none for those inherited from this process.
    pub fn of(&mut self, rank: u32) -> io::Result<[Option<OwnedFd>; 3]> {
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

    pub fn forwarders(self) -> Vec<StreamForwarder> {
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
