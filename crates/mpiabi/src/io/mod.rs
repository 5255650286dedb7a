//! MPI-IO: files that ranks open together.
//!
//! The bytes go to the real file system by system calls of the rank's own process; the time is the
//! simulator's. A write puts its bytes into the file and then submits what storage has to move; a
//! read submits, waits, and reads what is there by then: whoever comes later in simulated order
//! sees what came before. File pointers that ranks share are counters of the simulator's, so their
//! order is its order, the same in every run. In atomic mode an access holds the file's one lock,
//! which is the simulator's too.
//!
//! `disk` knows the operating system, `view` which bytes of a file a rank sees, `datarep` how
//! values look there; `access` moves data by way of all three, and the rest are MPI's functions.

mod access;
mod calls;
mod datarep;
mod disk;
mod nonblocking;
mod open;
mod pointers;
mod settings;
mod split;
mod view;

use std::ffi::{OsString, c_int};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use workload::wire::{Submission, flag, kind};

use crate::abi::{Comm, File, Kind, Registry, c};
use crate::comm::Communicator;
use crate::error::{Error, Result, Site, fail};
use crate::runtime::{self, Held};
use disk::Disk;
use view::View;

/// Keys and values, as info objects hold them.
type Hints = Vec<(Vec<u8>, Vec<u8>)>;

/// A file this rank has open.
struct OpenFile {
    name: OsString,
    disk: Disk,
    amode: c_int,
    /// A communicator of the file's own. Its context is also the name of the shared file pointer
    /// and of the file's lock.
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

/// How many the program has not closed.
pub(crate) fn created() -> usize {
    FILES.len()
}

/// Whether the handle is one that error handlers may be attached to.
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
    /// For what makes no sense where only the next byte can be had.
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

    /// Has storage move `bytes`; the token.
    fn submit(&self, held: &Held, flags: u32, op: i64, bytes: u64) -> u32 {
        let (kind, token, context) = (kind::STORAGE, runtime::token(held), self.comm.context);
        let op = op as u64;
        let what = Submission { kind, flags, token, context, op, bytes, ..Submission::default() };
        runtime::submit(held, what);
        token
    }
    /// What any operation on the file system but moving data costs: one request without data.
    fn submit_metadata(&self, held: &Held) {
        await_value(held, self.submit(held, 0, 0, 0));
    }
    /// What the shared file pointer held, in etypes; `by` has been added.
    fn advance_shared(&self, held: &Held, by: i64) -> i64 {
        await_value(held, self.submit(held, flag::FETCH, by, 0))
    }
    fn set_shared(&self, held: &Held, to: i64) {
        await_value(held, self.submit(held, flag::SET, to, 0));
    }
    /// The file is this rank's alone until `unlock`.
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

    /// Nobody leaves before everybody has come.
    fn barrier(&self, held: &Held) {
        self.allgather(held, 0_u8);
    }
    /// Everybody's `mine`, by rank.
    fn allgather<T: Copy>(&self, held: &Held, mine: T) -> Vec<T> {
        crate::coll::allgather_values(held, &self.comm, mine)
    }
    /// The first rank does it and all learn what came of it.
    fn on_first_rank(&self, held: &Held, what: impl FnOnce() -> Result) -> Result {
        let done = if self.is_first() { what() } else { Ok(()) };
        self.agree(held, done)
    }
    /// The same for something storage has to do.
    fn metadata_on_first_rank(&self, held: &Held, what: impl FnOnce() -> Result) -> Result {
        self.on_first_rank(held, || {
            let done = what();
            self.submit_metadata(held);
            done
        })
    }
    /// Whether it went well everywhere. Where it did not, every rank says so.
    fn agree(&self, held: &Held, mine: Result) -> Result {
        agree(mine, |code| self.allgather(held, code))
    }
    /// All ranks name the same value.
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

/// Waits for a token, and what it brought.
fn await_value(held: &Held, token: u32) -> i64 {
    runtime::wait_all(held, &[token]);
    let value = runtime::completion(held, token).expect("waited for").value;
    runtime::release_token(held, token);
    value as i64
}

/// The error is one of that file's, whatever the arguments of the call are.
fn on(file: File, error: Error) -> Error {
    Error { site: Some(Site::file(file)), ..error }
}
