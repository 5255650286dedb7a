//! MPI's functions for sessions and process sets.

use std::ffi::{CStr, c_char, c_int};

use super::{Open, SESSIONS, check};
use crate::abi::{Comm, Errhandler, Group, Info, Kind, Session, c};
use crate::error::{self, Result, Site, copy_string, fail};
use crate::export::mpi_fn;
use crate::group::Members;
use crate::runtime::{self, Held};
use crate::{attach, comm, group, info, init};

const LEVELS: [(c_int, &str); 4] = [
    (c::THREAD_SINGLE, "MPI_THREAD_SINGLE"),
    (c::THREAD_FUNNELED, "MPI_THREAD_FUNNELED"),
    (c::THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"),
    (c::THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"),
];

extern "C" fn at_exit() {
    // A thread in MPI ends with the process, which the simulator detects.
    let _ = init::detach_from_job(&runtime::lock(), true);
}

/// The thread level that the hints request. MPICH accepts exactly the four names; any other value
/// is an error of this class.
fn threads_wanted(hints: Info) -> Result<c_int> {
    if hints == c::INFO_NULL {
        return Ok(c::THREAD_SINGLE);
    }
    let requested = info::pairs(hints)?.into_iter().find(|(key, _)| key == b"thread_level");
    let Some((_, value)) = requested else { return Ok(c::THREAD_SINGLE) };
    match LEVELS.iter().find(|l| l.1.as_bytes() == value) {
        Some(level) => Ok(level.0),
        None => {
            let value = String::from_utf8_lossy(&value);
            let names = LEVELS.map(|l| l.1).join(", ");
            fail!(c::ERR_OTHER, "thread_level is \"{value}\"; expected one of {names}")
        }
    }
}

const PSETS: [&str; 2] = ["mpi://WORLD", "mpi://SELF"];

fn pset(held: &Held, name: &CStr) -> Result<Vec<u32>> {
    match PSETS.iter().position(|set| set.as_bytes().eq_ignore_ascii_case(name.to_bytes())) {
        Some(0) => Ok((0..runtime::size(held)).collect()),
        Some(_) => Ok(vec![runtime::rank(held)]),
        None => fail!(c::ERR_ARG, "{name:?} is not a process set; there are {PSETS:?}"),
    }
}

/// A tag derived from a string, the same on every rank (FNV-1a). It is above the tags of
/// `MPI_Comm_create_group`, unless programs use all of them.
fn tag_of(text: &CStr) -> c_int {
    let hash = text
        .to_bytes()
        .iter()
        .fold(0x811c_9dc5u32, |hash, &b| (hash ^ u32::from(b)).wrapping_mul(0x0100_0193));
    (1 << 30 | hash & 0x3fff_ffff) as c_int
}

fn two_groups(
    (local, local_leader): (Group, c_int),
    (remote, remote_leader): (Group, c_int),
    tag: c_int,
    errhandler: Errhandler,
) -> Result<Comm> {
    let held = &runtime::enter()?;
    let world = comm::find(c::COMM_WORLD)?;
    let local: Members = group::get(local)?;
    group::distinct(&local)?;
    let remote = || Ok((group::get(remote)?, remote_leader));
    let new = comm::create_intercomm_from_groups(held, (local, local_leader), remote, &world, tag)?;
    error::set(Site::comm(new), errhandler)?;
    Ok(new)
}

mpi_fn! {
    pub fn Session_init(hints: Info, errhandler: Errhandler, session: *mut Session) {
        let held = &runtime::lock();
        init::attach_to_job(held)?;
        runtime::serialize_calls();
        let slot = SESSIONS.get(held).len();
        if slot == 0 {
            // SAFETY: registers a function of this library.
            unsafe { libc::atexit(at_exit) };
        }
        let new = Session::created(slot as u32);
        // The error handler of the session is called for errors here too, so the slot stays
        // occupied.
        SESSIONS.get(held).push(None);
        error::set(Site::session(new), errhandler)?;
        let threads = threads_wanted(hints).map_err(|e| e.of(Site::session(new)))?;
        let threads = init::provide(held, threads);
        SESSIONS.get(held)[slot] = Some(Open { threads });
        unsafe { *session = new };
        Ok(())
    }
    pub fn Session_finalize(session: *mut Session) {
        let held = &runtime::enter()?;
        let handle = unsafe { *session };
        let slot = check(held, handle)?;
        SESSIONS.get(held)[slot] = None;
        error::forget(Site::session(handle));
        attach::forget(Kind::Session, handle.to_int());
        unsafe { *session = c::SESSION_NULL };
        init::detach_from_job(held, false)
    }
    pub fn Session_get_num_psets(session: Session, _hints: Info, count: *mut c_int) {
        check(&runtime::enter()?, session)?;
        unsafe { *count = PSETS.len() as c_int };
        Ok(())
    }
    pub fn Session_get_nth_pset(
        session: Session, _hints: Info, n: c_int, length: *mut c_int, name: *mut c_char,
    ) {
        check(&runtime::enter()?, session)?;
        let Some(text) = usize::try_from(n).ok().and_then(|n| PSETS.get(n)) else {
            return fail!(c::ERR_ARG, "{n} is not the number of a process set");
        };
        unsafe {
            let room = usize::try_from(*length).unwrap_or(0);
            if room > 0 {
                copy_string(text.as_bytes(), name, room);
            } else {
                *length = text.len() as c_int + 1;
            }
        }
        Ok(())
    }
    pub fn Session_get_info(session: Session, hints: *mut Info) {
        let held = &runtime::enter()?;
        let slot = check(held, session)?;
        let threads = SESSIONS.get(held)[slot].as_ref().map(|open| open.threads);
        let level = LEVELS.iter().find(|l| Some(l.0) == threads).map_or("", |l| l.1);
        let pairs = [
            ("thread_level", level),
            // Messages on its communicators may be pending when the session ends.
            ("strict_finalize", "0"),
            ("mpi_memory_alloc_kinds", "mpi,system"),
        ];
        let bytes = |(key, value): (&str, &str)| (key.into(), value.into());
        unsafe { *hints = info::insert(pairs.map(bytes).into()) };
        Ok(())
    }
    pub fn Session_get_pset_info(session: Session, name: *const c_char, hints: *mut Info) {
        let held = &runtime::enter()?;
        check(held, session)?;
        let size = pset(held, unsafe { CStr::from_ptr(name) })?.len();
        let size = (b"mpi_size".to_vec(), size.to_string().into_bytes());
        unsafe { *hints = info::insert(vec![size]) };
        Ok(())
    }
    pub fn Group_from_session_pset(session: Session, name: *const c_char, out: *mut Group) {
        let held = &runtime::enter()?;
        check(held, session)?;
        unsafe { *out = c::GROUP_NULL };
        let members = pset(held, unsafe { CStr::from_ptr(name) })?;
        unsafe { *out = group::insert(members.into()) };
        Ok(())
    }
    pub fn Comm_create_from_group(
        members: Group, stringtag: *const c_char, _hints: Info, errhandler: Errhandler,
        out: *mut Comm,
    ) {
        let held = &runtime::enter()?;
        let world = comm::find(c::COMM_WORLD)?;
        let tag = tag_of(unsafe { CStr::from_ptr(stringtag) });
        let new = comm::create_from_group(held, &world, group::get(members)?, tag)?;
        if new != c::COMM_NULL {
            error::set(Site::comm(new), errhandler)?;
        }
        unsafe { *out = new };
        Ok(())
    }
    pub fn Intercomm_create_from_groups(
        local: Group, local_leader: c_int, remote: Group, remote_leader: c_int,
        stringtag: *const c_char, _hints: Info, errhandler: Errhandler, out: *mut Comm,
    ) {
        let tag = tag_of(unsafe { CStr::from_ptr(stringtag) });
        let (local, remote) = ((local, local_leader), (remote, remote_leader));
        unsafe { *out = two_groups(local, remote, tag, errhandler)? };
        Ok(())
    }
}
