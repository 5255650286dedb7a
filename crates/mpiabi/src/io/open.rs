//! Opening, closing and deleting files.

use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::sync::{Arc, Mutex};

use super::disk::{self, Disk, Mode};
use super::mounted::Backing;
use super::opening::{self, Found, Opening};
use super::view::View;
use super::{FILES, FileState, Hints, OpenFile, agree, find, on, split};
use crate::abi::{Comm, File, Info, c};
use crate::error::{self, Error, Result, Site, fail};
use crate::export::mpi_fn;
use crate::runtime::{self, Held};
use crate::{coll, comm, info};

/// Names of ROMIO drivers, with which programs prefix file names ("ufs:/scratch/x"). They have an
/// effect on simulated file systems only.
const DRIVERS: [&[u8]; 16] = [
    b"ufs",
    b"nfs",
    b"xfs",
    b"lustre",
    b"gpfs",
    b"panfs",
    b"pvfs",
    b"pvfs2",
    b"zoidfs",
    b"daos",
    b"ime",
    b"quobyte",
    b"ad_quobyte",
    b"testfs",
    b"gridftp",
    b"hfs",
];

/// A path, and the driver before it.
type FileName = (OsString, Option<&'static [u8]>);

/// # Safety
/// `name` is null or a C string.
unsafe fn path(name: *const c_char) -> Result<FileName> {
    if name.is_null() {
        return fail!(c::ERR_ARG, "the file name is null");
    }
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let cut = name.iter().position(|&b| b == b':');
    let driver = cut.and_then(|cut| DRIVERS.into_iter().find(|driver| *driver == &name[..cut]));
    let name = driver.map_or(name, |driver| &name[driver.len() + 1..]);
    Ok((OsStr::from_bytes(name).to_os_string(), driver))
}

const ACCESS: c_int = c::MODE_RDONLY | c::MODE_WRONLY | c::MODE_RDWR;
const ALL: c_int = ACCESS
    | c::MODE_CREATE
    | c::MODE_EXCL
    | c::MODE_APPEND
    | c::MODE_SEQUENTIAL
    | c::MODE_UNIQUE_OPEN
    | c::MODE_DELETE_ON_CLOSE;

fn check_mode(amode: c_int) -> Result {
    let is = |mode: c_int| amode & mode != 0;
    if (amode & ACCESS).count_ones() != 1 {
        let wanted = "exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR";
        return fail!(c::ERR_AMODE, "the mode {amode:#x} does not have {wanted}");
    }
    if is(c::MODE_RDONLY) && is(c::MODE_CREATE | c::MODE_EXCL) {
        return fail!(c::ERR_AMODE, "MPI_MODE_CREATE or MPI_MODE_EXCL with MPI_MODE_RDONLY");
    }
    if is(c::MODE_RDWR) && is(c::MODE_SEQUENTIAL) {
        return fail!(c::ERR_AMODE, "MPI_MODE_SEQUENTIAL with MPI_MODE_RDWR");
    }
    if amode & !ALL != 0 {
        return fail!(c::ERR_AMODE, "the mode {amode:#x} has undefined bits");
    }
    Ok(())
}

fn open(held: &Held, comm: Comm, name: *const c_char, amode: c_int, hints: Info) -> Result<File> {
    let parent = comm::find_intra(comm)?;
    // All ranks must take part in the collective steps, even if the arguments of one are wrong.
    let arguments = || {
        check_mode(amode)?;
        Ok((unsafe { path(name) }?, info::pairs(hints)?))
    };
    let mine: Result<(FileName, Hints)> = arguments();
    let code = mine.as_ref().map_or_else(|e| e.code, |_| c::SUCCESS);
    let all = coll::allgather_values(held, &parent, (code, amode));
    let ((name, prefix), hints) = mine?;
    agree(Ok(()), |_| all.iter().map(|a| a.0).collect())?;
    if let Some(rank) = all.iter().position(|a| a.1 != amode) {
        let (other, me) = (all[rank].1, parent.rank);
        let what = format!("{amode:#x} on rank {me} and {other:#x} on rank {rank}");
        return fail!(c::ERR_NOT_SAME, "the mode is {what}");
    }

    let mut handle = comm::duplicate(held, &parent, None);
    let made = open_all(held, handle, (name, prefix), amode, hints);
    if made.is_err() {
        // SAFETY: a handle of the library's own.
        unsafe { comm::Comm_free(&raw mut handle) }?;
    }
    let file = File::created(FILES.insert(Arc::new(made?)));
    error::inherit(Site::file(c::FILE_NULL), Site::file(file));
    Ok(file)
}

/// The collective part, over the file's own communicator: it succeeds on all ranks or on none.
fn open_all(
    held: &Held,
    handle: Comm,
    (name, prefix): FileName,
    amode: c_int,
    hints: Hints,
) -> Result<OpenFile> {
    let comm = comm::find(handle)?;
    let allgather = |code: c_int| coll::allgather_values(held, &comm, code);
    let mode = Mode {
        read: amode & c::MODE_WRONLY == 0,
        write: amode & c::MODE_RDONLY == 0,
        create: amode & c::MODE_CREATE != 0,
        exclusive: amode & c::MODE_EXCL != 0,
    };
    let attempt = |mode: Mode| Disk::open(&name, mode).map_err(|why| disk::file_error(&name, &why));
    // The first rank creates the file; then it exists for all others.
    let first = if comm.rank == 0 { Some(attempt(mode)) } else { None };
    agree(
        first.as_ref().map_or(Ok(()), |f| f.as_ref().map(drop).map_err(Error::clone)),
        allgather,
    )?;
    let opening = Opening { name: &name, prefix, creates: mode.create, hints: &hints };
    let found = first.as_ref().and_then(|first| first.as_ref().ok());
    let found = found.and_then(|disk| Found::on_first_rank(held, &opening, disk));
    let later = Mode { create: false, exclusive: false, ..mode };
    let appends = amode & c::MODE_APPEND != 0;
    let mine = first.unwrap_or_else(|| attempt(later)).and_then(|disk| {
        let end = if appends { disk.size()? } else { 0 };
        let backing = Backing::of(held, &disk);
        Ok((disk, end, backing))
    });
    let is_mounted = matches!(mine, Ok((.., Some(_))));
    agree_on_mount(mine.as_ref().map(|_| is_mounted).map_err(Error::clone), allgather)?;
    let (disk, end, backing) = mine?;
    let mounted = backing.map(|backing| opening::mount(held, &comm, &opening, (backing, found)));
    let view = Arc::new(View::plain());
    let state = Mutex::new(FileState { view, position: end, atomic: false, hints });
    let file = OpenFile { name, disk, mounted, amode, handle, comm: comm.clone(), state };
    file.submit_metadata(held);
    if end > 0 && file.is_first() {
        file.set_shared(held, end);
    }
    file.barrier(held);
    Ok(file)
}

/// Code of a rank that has opened the file on a simulated file system. MPI's codes are not
/// negative.
const MOUNTED: c_int = -1;

/// Returns an error on every rank if a rank has failed, or if only some ranks have the file on a
/// simulated file system.
fn agree_on_mount(mine: Result<bool>, allgather: impl FnOnce(c_int) -> Vec<c_int>) -> Result {
    let code = match &mine {
        Ok(true) => MOUNTED,
        Ok(false) => c::SUCCESS,
        Err(error) => error.code,
    };
    let all = allgather(code);
    let is_good = |code: c_int| matches!(code, MOUNTED | c::SUCCESS);
    agree(mine.map(drop), |_| {
        all.iter().map(|&code| if is_good(code) { c::SUCCESS } else { code }).collect()
    })?;
    match all.iter().position(|&other| other != all[0]) {
        None => Ok(()),
        Some(rank) => {
            let what = "the file is on a simulated file system on rank 0 or on rank";
            fail!(c::ERR_NOT_SAME, "{what} {rank}, but not on both")
        }
    }
}

fn close(held: &Held, handle: File) -> Result {
    let file = find(handle)?;
    split::abandon(held, handle);
    // All ranks have finished their accesses.
    file.barrier(held);
    let deleted = if file.is(c::MODE_DELETE_ON_CLOSE) {
        file.on_first_rank(held, || delete(&file.name))
    } else {
        Ok(())
    };
    let mut comm = file.handle;
    // SAFETY: a handle of the library's own.
    unsafe { comm::Comm_free(&raw mut comm) }?;
    FILES.remove(handle.slot().expect("found above"));
    deleted
}

fn delete(name: &OsString) -> Result {
    std::fs::remove_file(name).map_err(|why| disk::file_error(name, &why))
}

mpi_fn! {
    pub fn File_open(
        comm: Comm, filename: *const c_char, amode: c_int, hints: Info, fh: *mut File,
    ) {
        let held = &runtime::enter()?;
        unsafe {
            *fh = c::FILE_NULL;
            // There is no file yet: the handler of all new files applies.
            *fh = open(held, comm, filename, amode, hints).map_err(|e| on(c::FILE_NULL, e))?;
        }
        Ok(())
    }
    pub fn File_close(fh: *mut File) {
        let held = &runtime::enter()?;
        let file = unsafe { *fh };
        let closed = close(held, file).map_err(|e| on(file, e));
        if super::find(file).is_err() && file != c::FILE_NULL {
            error::forget(Site::file(file));
            unsafe { *fh = c::FILE_NULL };
        }
        closed
    }
    pub fn File_delete(filename: *const c_char, _hints: Info) {
        runtime::enter()?;
        let deleted = unsafe { path(filename) }.and_then(|(name, _)| delete(&name));
        deleted.map_err(|e| on(c::FILE_NULL, e))
    }
}
