//! File calls of processes of a rank that are not its process in MPI: a shell, its commands, a
//! Python script without MPI, a child of the process in MPI.
//!
//! Such a process holds the rank's region during a call. It hands over with the submissions of the
//! process in MPI, if there are any, and waits for the completion of its own call only.

use std::sync::atomic::Ordering;

use workload::file_request::{FileReply, NOT_SIMULATED, SIMULATED};
use workload::wire::{self, Control, FileBlock, Segment, Submission, command, state};

use super::threads::{Guarded, Held};
use super::{EXIT_CPU_NS, EXIT_KILLED, EXIT_PS, RUNTIME};
use super::{is_forked, job, job_of_environment, region, thread_cpu_ns, turn};

/// The attachment of this process to its rank.
#[derive(Clone, Copy)]
struct Child {
    pid: u32,
    rank: u32,
    segment: Segment,
    control: *mut Control,
    /// Simulated picoseconds per picosecond of thread CPU time; 0: not charged.
    factor: f64,
}

static CHILD: Guarded<Option<Child>> = Guarded::new(None);

/// Submits the call and waits for its completion. The result is `SIMULATED` or `NOT_SIMULATED`.
pub fn call(held: &Held, request: &[u8], reply: &mut FileReply) -> i32 {
    let Some(child) = attach(held) else { return NOT_SIMULATED };
    if region::holder(child.control) == child.pid {
        // The process is in MPI, by another library.
        return NOT_SIMULATED;
    }
    region::lock(child.control, child.pid);
    // A process may have ended while the simulator had the turn.
    turn::await_turn(child.segment, child.control, 0);
    let answer = child.call(request, reply);
    region::unlock(child.control);
    answer
}

/// Attaches the process to the rank of its environment, or of the process that it is a fork of.
fn attach(held: &Held) -> Option<Child> {
    let pid = std::process::id();
    if let Some(child) = CHILD.get(held).filter(|child| child.pid == pid) {
        return Some(child);
    }
    let parent = RUNTIME.get(held).as_ref().map(|rt| (rt.segment, rt.rank, rt.singleton.is_none()));
    let known = CHILD.get(held).map(|child| (child.segment, child.rank, true)).or(parent);
    let (segment, rank) = match known {
        Some((segment, rank, true)) => (segment, rank),
        Some(_) => return None,
        None => {
            let (fd, rank) = job_of_environment().ok()??;
            (job::open_segment(fd).ok()?, rank)
        }
    };
    // SAFETY: the header is written before any rank starts.
    let (control, factor) = unsafe {
        let header = &*segment.header();
        if rank >= header.ranks || header.mounts == 0 {
            return None;
        }
        (segment.control(rank), f64::from_bits(header.compute_factor))
    };
    let child = Child { pid, rank, segment, control, factor };
    *CHILD.get(held) = Some(child);
    Some(child)
}

impl Child {
    fn call(&self, request: &[u8], reply: &mut FileReply) -> i32 {
        // SAFETY: this process holds the region and has the turn.
        let control = unsafe { &mut *self.control };
        match control.state.load(Ordering::Acquire) {
            state::STARTING => control.state.store(state::FILES, Ordering::Release),
            state::FILES | state::ACTIVE | state::WRAPPED => {}
            _ => return NOT_SIMULATED,
        }
        let bytes = request.len() as u64;
        let most = wire::FILE_BYTES - FileBlock::data_at(bytes.min(wire::FILE_BYTES / 2));
        if bytes > wire::FILE_BYTES / 2 {
            reply.errno = libc::E2BIG;
            return SIMULATED;
        }
        if control.in_ring as usize == wire::RING {
            self.exchange(wire::wait::NONE);
        }
        // SAFETY: as above; the rank's region has a block for these calls.
        let block = unsafe { self.segment.file_block(self.rank) };
        let grain = reply.capacity.min(most);
        super::files::write_file_request(self.segment, block, request);
        let submission = Submission {
            kind: wire::kind::FILE,
            token: wire::FILE_TOKEN,
            after_ps: self.charge(control),
            block,
            bytes,
            grain,
            ..Submission::default()
        };
        // SAFETY: as above, and the ring has room.
        unsafe {
            *self.segment.submission(self.rank, control.in_ring as usize) = submission;
        }
        control.in_ring += 1;
        self.exchange(wire::wait::FILE);
        super::files::read_file_reply(self.segment, block, bytes, grain, reply);
        EXIT_CPU_NS.set(thread_cpu_ns());
        SIMULATED
    }

    /// Computation of this thread since its last call that the rank's time does not cover yet, in
    /// picoseconds. Its program's start is not charged, as that of a rank before `MPI_Init`.
    fn charge(&self, control: &mut Control) -> u64 {
        let left = EXIT_CPU_NS.get();
        if self.factor == 0.0 || left == 0 {
            return 0;
        }
        let computed = (thread_cpu_ns().saturating_sub(left) as f64 * 1e3 * self.factor) as u64;
        let at_ps = EXIT_PS.get() + computed;
        let after_ps = at_ps.saturating_sub(control.reported_ps);
        control.reported_ps += after_ps;
        after_ps
    }

    /// Gives the turn away, and returns when the simulator releases the rank.
    fn exchange(&self, mode: u32) {
        // SAFETY: this process holds the region and has the turn; the simulator does not access the
        // block while it does not have it.
        let control = unsafe { &mut *self.control };
        control.submitted = std::mem::take(&mut control.in_ring);
        (control.wait_mode, control.wait_count) = (mode, 0);
        (control.function, control.after_ps) = (0, 0);
        (control.local_polls_used, control.thread) = (0, 0);
        loop {
            turn::sleep_until_turn(self.segment, self.control, 0);
            match control.command {
                command::RUN => break,
                // The list stays for the process in MPI.
                command::APPLY => {}
                command::DIE => {
                    // SAFETY: ends the process without running user code.
                    unsafe { libc::_exit(EXIT_KILLED) }
                }
                _ => self.refuse_operator(),
            }
        }
        control.reported_ps = control.now_ps;
        EXIT_PS.set(control.now_ps);
    }

    /// Only the process in MPI knows the operators of the program.
    fn refuse_operator(&self) -> ! {
        crate::error::write_line(
            "a process that a rank started makes a file call while a reduction with a user-defined \
             operator is in flight; the rank must complete it before",
        );
        // SAFETY: this process has the turn.
        let control = unsafe { &mut *self.control };
        control.abort_code = 1;
        control.state.store(state::ABORTED, Ordering::Release);
        turn::release_turn(self.segment, self.control);
        // SAFETY: ends the process without running user code.
        unsafe { libc::_exit(EXIT_KILLED) }
    }
}

/// Whether this process can attach to a rank.
pub fn can_attach(held: &Held) -> bool {
    if !is_forked() && RUNTIME.get(held).is_some() {
        return true;
    }
    attach(held).is_some()
}
