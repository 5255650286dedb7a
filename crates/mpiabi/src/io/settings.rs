//! Properties of a file and their setters.

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use super::datarep;
use super::datarep::Named;
use super::hints::Moment;
use super::view::View;
use super::{Hints, OpenFile, find};
use crate::abi::{Aint, Datatype, File, Group, Info, c};
use crate::datatype::calls::reference;
use crate::error::{Result, copy_string, fail};
use crate::export::mpi_fn;
use crate::runtime::{self, Held};
use crate::{datatype, group, info};

/// A new hint replaces an old one with the same key.
fn merge(into: &mut Hints, new: Hints) {
    for (key, value) in new {
        match into.iter_mut().find(|pair| pair.0 == key) {
            Some(pair) => pair.1 = value,
            None => into.push((key, value)),
        }
    }
}

impl OpenFile {
    /// Hints given after the file was opened, on a simulated file system.
    fn take_hints(&self, new: &Hints) {
        if let Some(mounted) = &self.mounted {
            let mut hints = (*mounted.hints()).clone();
            hints.apply(new, Moment::Later);
            mounted.set_hints(hints);
        }
    }
    /// Checks that all ranks pass the same valid size, and that the file is writable.
    fn check_resize(&self, held: &Held, size: i64) -> Result {
        self.check_writable()?;
        self.check_random()?;
        self.check_same(held, "the size", size)?;
        if size < 0 {
            return fail!(c::ERR_ARG, "the size is {size}");
        }
        Ok(())
    }
}

/// Arguments of `MPI_File_set_view`.
struct ViewArguments {
    displacement: i64,
    etype: Datatype,
    filetype: Datatype,
    datarep: *const c_char,
    hints: Info,
}

/// The view, and the hints passed with it.
fn view(held: &Held, file: &OpenFile, wanted: &ViewArguments) -> Result<(View, Hints)> {
    let hints = info::pairs(wanted.hints)?;
    let is_current = wanted.displacement == c::DISPLACEMENT_CURRENT;
    if is_current != file.is(c::MODE_SEQUENTIAL) {
        let what = "the displacement is MPI_DISPLACEMENT_CURRENT if, and only if, the file was \
                    opened with MPI_MODE_SEQUENTIAL";
        return fail!(c::ERR_ARG, "{what}");
    }
    let displacement =
        if is_current { file.view().offset_of(current(held, file)) } else { wanted.displacement };
    if displacement < 0 {
        return fail!(c::ERR_ARG, "the displacement is {displacement}");
    }
    let representation = datarep::named(wanted.datarep)?;
    let (etype, filetype) = (Named::committed(wanted.etype)?, Named::committed(wanted.filetype)?);
    let may_overlap = file.is(c::MODE_RDONLY);
    Ok((View::new(displacement, etype, filetype, representation, may_overlap)?, hints))
}

/// Position of a sequential file's next byte, in visible bytes.
fn current(held: &Held, file: &OpenFile) -> u64 {
    (file.advance_shared(held, 0) as u64).saturating_mul(file.view().unit)
}

mpi_fn! {
    pub fn File_set_view(
        fh: File, disp: i64, etype: Datatype, filetype: Datatype, datarep: *const c_char,
        hints: Info,
    ) {
        let held = &runtime::enter()?;
        let file = find(fh)?;
        let wanted = ViewArguments { displacement: disp, etype, filetype, datarep, hints };
        let made = view(held, &file, &wanted);
        // No rank moves the shared pointer while it is reset to the beginning.
        file.agree(held, made.as_ref().map(drop).map_err(Clone::clone))?;
        let (view, hints) = made?;
        {
            let mut state = file.state();
            state.view = Arc::new(view);
            state.position = 0;
            file.take_hints(&hints);
            merge(&mut state.hints, hints);
        }
        file.on_first_rank(held, || {
            file.set_shared(held, 0);
            Ok(())
        })
    }
    pub fn File_get_view(
        fh: File, disp: *mut i64, etype: *mut Datatype, filetype: *mut Datatype,
        datarep: *mut c_char,
    ) {
        let view = find(fh)?.view();
        let give = |of: &Named| reference(of.handle, &of.datatype);
        unsafe {
            *disp = view.displacement;
            *etype = give(&view.etype);
            *filetype = give(&view.filetype);
            let room = c::MAX_DATAREP_STRING as usize;
            copy_string(view.representation.name().as_bytes(), datarep, room);
        }
        Ok(())
    }
    pub fn File_get_type_extent<Int>(fh: File, datatype: Datatype, extent: *mut Aint) {
        let view = find(fh)?.view();
        let found = Named { handle: datatype, datatype: datatype::get(datatype)? };
        unsafe { *extent = view.representation.layout(&found)?.extent };
        Ok(())
    }

    pub fn File_set_size(fh: File, size: i64) {
        let held = &runtime::enter()?;
        let file = find(fh)?;
        file.check_resize(held, size)?;
        file.metadata_on_first_rank(held, || file.disk.resize(size))
    }
    pub fn File_preallocate(fh: File, size: i64) {
        let held = &runtime::enter()?;
        let file = find(fh)?;
        file.check_resize(held, size)?;
        file.metadata_on_first_rank(held, || file.disk.reserve(size))
    }
    pub fn File_get_size(fh: File, size: *mut i64) {
        let held = &runtime::enter()?;
        let file = find(fh)?;
        file.submit_metadata(held);
        unsafe { *size = file.disk.size()? };
        Ok(())
    }
    pub fn File_sync(fh: File) {
        let held = &runtime::enter()?;
        let file = find(fh)?;
        file.check_writable()?;
        // The writes of all ranks are in the file before the first rank syncs it.
        file.barrier(held);
        if file.mounted.is_some() {
            // Each node has a cache.
            return file.agree(held, file.disk.sync());
        }
        file.metadata_on_first_rank(held, || file.disk.sync())
    }

    pub fn File_get_group(fh: File, group: *mut Group) {
        unsafe { *group = group::insert(find(fh)?.comm.members.clone()) };
        Ok(())
    }
    pub fn File_get_amode(fh: File, amode: *mut c_int) {
        unsafe { *amode = find(fh)?.amode };
        Ok(())
    }
    pub fn File_set_atomicity(fh: File, flag: c_int) {
        let held = &runtime::enter()?;
        let file = find(fh)?;
        file.check_same(held, "the flag", (flag != 0).into())?;
        file.state().atomic = flag != 0;
        Ok(())
    }
    pub fn File_get_atomicity(fh: File, flag: *mut c_int) {
        unsafe { *flag = c_int::from(find(fh)?.state().atomic) };
        Ok(())
    }
    pub fn File_set_info(fh: File, hints: Info) {
        let held = &runtime::enter()?;
        let file = find(fh)?;
        let new = info::pairs(hints);
        file.agree(held, new.as_ref().map(drop).map_err(Clone::clone))?;
        let new = new?;
        file.take_hints(&new);
        merge(&mut file.state().hints, new);
        Ok(())
    }
    pub fn File_get_info(fh: File, hints: *mut Info) {
        let file = find(fh)?;
        let own = match &file.mounted {
            Some(mounted) => mounted.hints().report(),
            None => file.state().hints.clone(),
        };
        unsafe { *hints = info::insert(own) };
        Ok(())
    }
}
