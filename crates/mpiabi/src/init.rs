//! Beginning and end: taking the seat, leaving it, ending the job; threads; sessions.

use std::ffi::{CStr, c_char, c_int};

use crate::abi::{Comm, Errhandler, Group, Info, Session, c};
use crate::error::{self, Error, Result, Site, copy_string, fail};
use crate::export::mpi_fn;
use crate::runtime::{self, Guarded, Held};
use crate::{comm, group, info};

/// The best we can do: one thread at a time in MPI (see `runtime`).
const THREADS: c_int = c::THREAD_SERIALIZED;

struct State {
    /// `MPI_Init` was called; sessions alone do not count.
    initialized: bool,
    finalized: bool,
    provided: c_int,
    main_thread: Option<std::thread::ThreadId>,
    /// Open sessions; a slot's value says whether it is open.
    sessions: Vec<bool>,
}

static STATE: Guarded<State> = Guarded::new(State {
    initialized: false,
    finalized: false,
    provided: c::THREAD_SINGLE,
    main_thread: None,
    sessions: Vec::new(),
});

fn abort(code: c_int) -> ! {
    runtime::abort(&runtime::lock(), code)
}

/// Takes the seat, once, whether by `MPI_Init` or by the first session.
fn take_seat(held: &Held) -> Result {
    if runtime::is_attached(held) {
        return Ok(());
    }
    runtime::attach(held).map_err(|why| Error::new(c::ERR_OTHER, why))?;
    error::set_abort(abort);
    crate::env::set_library(&runtime::library(held));
    comm::init(held);
    runtime::flush(held);
    STATE.get(held).main_thread = Some(std::thread::current().id());
    Ok(())
}

fn init(required: c_int) -> Result<c_int> {
    let held = &runtime::lock();
    if STATE.get(held).initialized {
        return fail!(c::ERR_OTHER, "it is called twice, or after MPI_Init_thread");
    }
    take_seat(held)?;
    let mut state = STATE.get(held);
    state.initialized = true;
    state.main_thread = Some(std::thread::current().id());
    state.provided = required.clamp(c::THREAD_SINGLE, THREADS);
    Ok(state.provided)
}

/// Leaves the seat when nobody sits on it any more. A process that only ever opened sessions may
/// open another, so it keeps its seat until it exits.
fn leave_seat(held: &Held, exiting: bool) {
    let may_leave = {
        let state = STATE.get(held);
        let over = state.finalized || (exiting && !state.initialized);
        over && !state.sessions.contains(&true)
    };
    if may_leave && runtime::is_attached(held) && !runtime::is_finalized(held) {
        runtime::finalize(held);
    }
}

extern "C" fn at_exit() {
    leave_seat(&runtime::lock(), true);
}

mpi_fn! {
    pub fn Init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) {
        init(c::THREAD_SINGLE).map(drop)
    }
    pub fn Init_thread(
        _argc: *mut c_int, _argv: *mut *mut *mut c_char, required: c_int, provided: *mut c_int,
    ) {
        unsafe { *provided = init(required)? };
        Ok(())
    }
    pub fn Initialized(flag: *mut c_int) {
        unsafe { *flag = c_int::from(STATE.get(&runtime::lock()).initialized) };
        Ok(())
    }
    pub fn Finalized(flag: *mut c_int) {
        unsafe { *flag = c_int::from(STATE.get(&runtime::lock()).finalized) };
        Ok(())
    }
    pub fn Finalize() {
        if runtime::is_forked() {
            // A forked process that exits by way of an exit handler: its parent is the rank.
            return Ok(());
        }
        // Attributes of MPI_COMM_SELF are deleted first, while everything still works.
        crate::attr::delete_all(crate::abi::Kind::Comm, c::COMM_SELF.to_int())?;
        let held = &runtime::enter()?;
        STATE.get(held).finalized = true;
        leave_seat(held, false);
        Ok(())
    }
    pub fn Abort(_comm: Comm, code: c_int) {
        runtime::abort(&runtime::lock(), code)
    }
    pub fn Query_thread(provided: *mut c_int) {
        let held = &runtime::enter()?;
        unsafe { *provided = STATE.get(held).provided };
        Ok(())
    }
    pub fn Is_thread_main(flag: *mut c_int) {
        let held = &runtime::enter()?;
        let is_main = STATE.get(held).main_thread == Some(std::thread::current().id());
        unsafe { *flag = c_int::from(is_main) };
        Ok(())
    }
    /// The simulated node's name: benchmarks find nodes by it.
    pub fn Get_processor_name(name: *mut c_char, length: *mut c_int) {
        let text = runtime::node_name(&runtime::enter()?);
        let room = c::MAX_PROCESSOR_NAME as usize;
        unsafe { *length = copy_string(text.as_bytes(), name, room) };
        Ok(())
    }

    pub fn Session_init(_hints: Info, _errhandler: Errhandler, session: *mut Session) {
        let held = &runtime::lock();
        take_seat(held)?;
        let mut state = STATE.get(held);
        if state.sessions.is_empty() {
            // SAFETY: registers a function of ours.
            unsafe { libc::atexit(at_exit) };
        }
        state.sessions.push(true);
        unsafe { *session = Session::created(state.sessions.len() as u32 - 1) };
        Ok(())
    }
    pub fn Session_finalize(session: *mut Session) {
        let held = &runtime::enter()?;
        let slot = open_session(held, unsafe { *session })?;
        STATE.get(held).sessions[slot] = false;
        unsafe { *session = c::SESSION_NULL };
        leave_seat(held, false);
        Ok(())
    }
    pub fn Session_get_num_psets(session: Session, _hints: Info, count: *mut c_int) {
        open_session(&runtime::enter()?, session)?;
        unsafe { *count = PSETS.len() as c_int };
        Ok(())
    }
    pub fn Session_get_nth_pset(
        session: Session, _hints: Info, n: c_int, length: *mut c_int, name: *mut c_char,
    ) {
        open_session(&runtime::enter()?, session)?;
        let Some(text) = usize::try_from(n).ok().and_then(|n| PSETS.get(n)) else {
            return fail!(c::ERR_ARG, "{n} is not the number of a process set");
        };
        unsafe {
            let room = usize::try_from(*length).unwrap_or(0);
            if room > 0 {
                copy_string(text.as_bytes(), name, room);
            }
            *length = text.len() as c_int + 1;
        }
        Ok(())
    }
    pub fn Session_get_info(session: Session, hints: *mut Info) {
        open_session(&runtime::enter()?, session)?;
        unsafe { *hints = info::insert(Vec::new()) };
        Ok(())
    }
    pub fn Session_get_pset_info(session: Session, name: *const c_char, hints: *mut Info) {
        let held = &runtime::enter()?;
        open_session(held, session)?;
        let size = pset(held, unsafe { CStr::from_ptr(name) })?.len();
        let size = (b"mpi_size".to_vec(), size.to_string().into_bytes());
        unsafe { *hints = info::insert(vec![size]) };
        Ok(())
    }
    pub fn Group_from_session_pset(session: Session, name: *const c_char, out: *mut Group) {
        let held = &runtime::enter()?;
        open_session(held, session)?;
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
        let new = comm::create_among(held, &world, group::get(members)?, tag)?;
        if new != c::COMM_NULL {
            error::set(Site::comm(new), errhandler)?;
        }
        unsafe { *out = new };
        Ok(())
    }
}

const PSETS: [&str; 2] = ["mpi://WORLD", "mpi://SELF"];

fn pset(held: &Held, name: &CStr) -> Result<Vec<u32>> {
    match name.to_str() {
        Ok("mpi://WORLD") => Ok((0..runtime::size(held)).collect()),
        Ok("mpi://SELF") => Ok(vec![runtime::rank(held)]),
        _ => fail!(c::ERR_ARG, "{name:?} is not a process set; there are {PSETS:?}"),
    }
}

pub(crate) fn open_session(held: &Held, session: Session) -> Result<usize> {
    let open = |slot: &usize| STATE.get(held).sessions.get(*slot) == Some(&true);
    let slot = session.slot().map(|s| s as usize).filter(open);
    slot.ok_or_else(|| Error::new(c::ERR_SESSION, "not a session, or it has been finalized"))
}

/// A tag from a string, the same on every rank (FNV-1a, folded to what tags may be).
fn tag_of(text: &CStr) -> c_int {
    let hash = text
        .to_bytes()
        .iter()
        .fold(0x811c_9dc5u32, |hash, &b| (hash ^ u32::from(b)).wrapping_mul(0x0100_0193));
    (hash & 0x7fff) as c_int
}
