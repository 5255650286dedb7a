//! MPI-IO: files that ranks open together.
//!
//! The rank's process moves the bytes to and from the real file system by system calls; the
//! simulator provides the time. A write puts its bytes into the file and then submits the storage
//! request. A read submits, waits, and reads the bytes that are in the file then. So an access sees
//! all accesses that precede it in simulated time.
//!
//! Shared file pointers are counters in the simulator, so their order is reproducible. In atomic
//! mode an access holds the file's lock, which is in the simulator too.
//!
//! `disk` accesses the operating system, `view` maps visible bytes to file offsets, and `datarep`
//! converts values. `access` moves data with all three, and `routines` starts it. `calls`,
//! `nonblocking`, `open`, `pointers`, `settings` and `split` implement MPI's functions.
//!
//! Files on simulated file systems (`mounted`) are accessed as ROMIO does. `opening` finds their
//! `hints` and `lov` their stripes. `sieving` transfers accesses with gaps. `collective` aggregates
//! the data of ranks by `two_phase`, with the file `domains` of `aggregators`. Their operations are
//! `steps` of futures, which non-blocking collective accesses continue later (`pending`).

mod access;
mod aggregators;
mod calls;
mod collective;
mod datarep;
mod disk;
mod domains;
mod hints;
mod lov;
mod mounted;
mod nonblocking;
mod open;
mod opening;
mod pending;
mod pointers;
mod routines;
mod settings;
mod sieving;
mod split;
mod steps;
mod two_phase;
mod view;

use std::ffi::{OsString, c_int};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use workload::wire::{Submission, flag, kind};

use crate::abi::{Comm, File, Kind, Registry, c};
use crate::comm::Communicator;
use crate::error::{Error, Result, Site, fail};
use crate::runtime::{self, Held};
use disk::Disk;
use mounted::Mounted;
use view::View;

/// Keys and values, as in info objects.
type Hints = Vec<(Vec<u8>, Vec<u8>)>;

/// A file that this rank has open.
struct OpenFile {
    name: OsString,
    disk: Disk,
    /// Set if the file is on a simulated file system.
    mounted: Option<Mounted>,
    amode: c_int,
    /// A communicator of the file's own. Its context also identifies the shared file pointer and
    /// the file's lock.
    handle: Comm,
    comm: Arc<Communicator>,
    state: Mutex<FileState>,
}

struct FileState {
    view: Arc<View>,
    /// The individual file pointer, in etypes.
    position: i64,
    atomic: bool,
    hints: Hints,
}

static FILES: Registry<OpenFile> = Registry::new();

/// Number of files that the program has not closed.
pub(crate) fn created() -> usize {
    FILES.len()
}

/// Whether error handlers may be attached to the handle.
pub(crate) fn is_file(file: File) -> bool {
    file == c::FILE_NULL || file.slot().and_then(|slot| FILES.get(slot)).is_some()
}

fn find(file: File) -> Result<Arc<OpenFile>> {
    match file.slot().and_then(|slot| FILES.get(slot)) {
        Some(found) => Ok(found),
        None if file == c::FILE_NULL => fail!(c::ERR_FILE, "the file is MPI_FILE_NULL"),
        None => {
            let (raw, more) = (file.to_int(), crate::foreign::clause(Kind::File, file.to_int()));
            fail!(c::ERR_FILE, "{raw:#x} is not a file, or it has been closed{more}")
        }
    }
}

impl OpenFile {
    fn state(&self) -> MutexGuard<'_, FileState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn view(&self) -> Arc<View> {
        self.state().view.clone()
    }
    fn is(&self, mode: c_int) -> bool {
        self.amode & mode != 0
    }
    fn check_readable(&self) -> Result {
        match self.is(c::MODE_WRONLY) {
            true => fail!(c::ERR_ACCESS, "the file was opened with MPI_MODE_WRONLY"),
            false => Ok(()),
        }
    }
    fn check_writable(&self) -> Result {
        match self.is(c::MODE_RDONLY) {
            true => fail!(c::ERR_READ_ONLY, "the file was opened with MPI_MODE_RDONLY"),
            false => Ok(()),
        }
    }
    /// Rejects calls that need random access on a sequential file.
    fn check_random(&self) -> Result {
        match self.is(c::MODE_SEQUENTIAL) {
            true => {
                let what = "the file was opened with MPI_MODE_SEQUENTIAL";
                fail!(c::ERR_UNSUPPORTED_OPERATION, "{what}")
            }
            false => Ok(()),
        }
    }
    fn is_first(&self) -> bool {
        self.comm.rank == 0
    }

    /// Submits a storage request of `bytes`; returns the token.
    fn submit(&self, held: &Held, flags: u32, op: i64, bytes: u64) -> u32 {
        let (kind, token, context) = (kind::STORAGE, runtime::token(held), self.comm.context);
        let op = op as u64;
        let what = Submission { kind, flags, token, context, op, bytes, ..Submission::default() };
        runtime::submit(held, what);
        token
    }
    /// The cost of a file system operation other than data transfer: one request without data. On
    /// a simulated file system the operation itself is simulated.
    fn submit_metadata(&self, held: &Held) {
        if self.mounted.is_none() {
            await_value(held, self.submit(held, 0, 0, 0));
        }
    }
    /// Adds `by` to the shared file pointer; returns its previous value, in etypes.
    fn advance_shared(&self, held: &Held, by: i64) -> i64 {
        await_value(held, self.submit(held, flag::FETCH, by, 0))
    }
    fn set_shared(&self, held: &Held, to: i64) {
        await_value(held, self.submit(held, flag::SET, to, 0));
    }
    /// Locks the file for this rank until `unlock`.
    fn lock(&self, held: &Held) {
        self.submit_lock(held, kind::LOCK);
    }
    fn unlock(&self, held: &Held) {
        self.submit_lock(held, kind::UNLOCK);
    }
    fn submit_lock(&self, held: &Held, kind: u32) {
        let (token, context) = (runtime::token(held), self.comm.context);
        let (flags, peer) = (flag::EXCLUSIVE, self.comm.world(0));
        runtime::submit(
            held,
            Submission { kind, flags, token, peer, context, ..Submission::default() },
        );
        await_value(held, token);
    }

    /// A barrier: no rank leaves before all have entered.
    fn barrier(&self, held: &Held) {
        self.allgather(held, 0_u8);
    }
    /// Gathers `mine` of every rank, by rank.
    fn allgather<T: Copy>(&self, held: &Held, mine: T) -> Vec<T> {
        pending::complete_all(held, self);
        crate::coll::allgather_values(held, &self.comm, mine)
    }
    /// Executes the operation on the first rank; all ranks return its result.
    fn on_first_rank(&self, held: &Held, what: impl FnOnce() -> Result) -> Result {
        let done = if self.is_first() { what() } else { Ok(()) };
        self.agree(held, done)
    }
    /// The same for an operation that storage has to process.
    fn metadata_on_first_rank(&self, held: &Held, what: impl FnOnce() -> Result) -> Result {
        self.on_first_rank(held, || {
            let done = what();
            self.submit_metadata(held);
            done
        })
    }
    /// Returns an error on every rank if any rank failed.
    fn agree(&self, held: &Held, mine: Result) -> Result {
        agree(mine, |code| self.allgather(held, code))
    }
    /// Checks that all ranks pass the same value.
    fn check_same(&self, held: &Held, what: &str, mine: i64) -> Result {
        let all = self.allgather(held, mine);
        match all.iter().position(|&other| other != all[0]) {
            None => Ok(()),
            Some(rank) => {
                let (first, other) = (all[0], all[rank]);
                fail!(c::ERR_NOT_SAME, "{what} is {first} on rank 0 and {other} on rank {rank}")
            }
        }
    }
}

fn agree(mine: Result, allgather: impl FnOnce(c_int) -> Vec<c_int>) -> Result {
    let all = allgather(mine.as_ref().map_or_else(|e| e.code, |()| c::SUCCESS));
    mine?;
    match all.iter().position(|&code| code != c::SUCCESS) {
        None => Ok(()),
        Some(rank) => Err(Error::new(all[rank], format!("it failed on rank {rank} of the file"))),
    }
}

/// Waits for a token; returns its value.
fn await_value(held: &Held, token: u32) -> i64 {
    runtime::wait_all(held, &[token]);
    let value = runtime::completion(held, token).expect("waited for").value;
    runtime::release_token(held, token);
    value as i64
}

/// Assigns the error to a file, whatever the arguments of the call are.
fn on(file: File, error: Error) -> Error {
    Error { site: Some(Site::file(file)), ..error }
}
