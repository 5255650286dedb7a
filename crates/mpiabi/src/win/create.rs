//! Creating and freeing windows.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use super::epoch::Epochs;
use super::{
    Flavor, Hints, Region, Window, WindowPart, WindowState, find, insert, memory, properties,
    remove,
};
use crate::abi::{Aint, Comm, Info, Kind, Win, c};
use crate::coll;
use crate::comm;
use crate::error::{Error, Result, Site, fail};
use crate::export::{Integer, mpi_fn};
use crate::runtime::{self, Guarded, Held};
use crate::{attr, error, info};
use workload::wire::{Submission, flag, kind};

/// The arguments of a rank for its own part of a window.
#[derive(Clone, Copy)]
struct RequestedPart {
    size: Aint,
    disp_unit: i64,
}

impl RequestedPart {
    fn check(self) -> Result<RequestedPart> {
        if self.size < 0 {
            return fail!(c::ERR_SIZE, "a size of {} bytes", self.size);
        }
        if self.disp_unit <= 0 {
            return fail!(c::ERR_DISP, "a displacement unit of {}", self.disp_unit);
        }
        Ok(self)
    }
}

/// This rank's memory of a window.
struct LocalMemory {
    base: usize,
    /// Offset in the job's segment; 0 if it is not in the segment.
    offset: u64,
    blocks: Vec<(u64, u64)>,
}

/// Creates the window; collective over `parent`. `local_memory` is called when the window's
/// communicator exists, and may communicate over it.
fn make(
    held: &Held,
    parent: Comm,
    flavor: Flavor,
    requested: RequestedPart,
    hints: Hints,
    local_memory: impl FnOnce(&Held, &std::sync::Arc<comm::Communicator>) -> Result<LocalMemory>,
) -> Result<Win> {
    let parent = comm::find_intra(parent)?;
    let comm_handle = comm::duplicate(held, &parent, None);
    let comm = comm::find(comm_handle)?;
    let local_memory = match local_memory(held, &comm) {
        Ok(local_memory) => local_memory,
        Err(error) => {
            free_communicator(comm_handle)?;
            return Err(error);
        }
    };
    let own = WindowPart {
        size: requested.size,
        disp_unit: requested.disp_unit,
        offset: local_memory.offset,
    };
    let region = Region::of(flavor, requested.size, &hints);
    let state = WindowState {
        epochs: Epochs::new(),
        pending: Vec::new(),
        pending_bytes: 0,
        idle: None,
        unapplied: BTreeMap::new(),
        awaited: Vec::new(),
        attached: BTreeMap::new(),
        name: String::new(),
        hints: properties::effective_hints(hints, flavor),
    };
    let attribute_values =
        properties::AttributeValues::new(flavor, requested.size, requested.disp_unit);
    let (base, blocks, state) = (local_memory.base, local_memory.blocks, Guarded::new(state));
    let (parts, on) = (OnceCell::new(), comm.clone());
    let window =
        Window { flavor, comm, comm_handle, base, region, parts, blocks, attribute_values, state };
    if let Some(region) = region {
        report_region(held, region, flag::SET);
    }
    // The window is usable from here on. A rank that has received all parts may access it while
    // others are still in this call.
    let win = insert(held, window);
    let (parts, _) = coll::allgather(held, &on, own);
    let _ = find(held, win)?.parts.set(parts);
    Ok(win)
}

/// Reports to the simulator that memory is registered with the NIC (`SET`), or no longer.
fn report_region(held: &Held, region: Region, set: u32) {
    let flags = set | if region.is_optimized { flag::OPTIMIZED } else { 0 };
    let kind = kind::REGION;
    runtime::submit(held, Submission { kind, flags, ..Submission::default() });
}

/// Frees the window's own communicator.
fn free_communicator(mut comm: Comm) -> Result {
    // SAFETY: a handle of the library's own, without other users.
    unsafe { comm::Comm_free(&raw mut comm) }
}

/// An error on all ranks if one of them had no room.
fn agree(held: &Held, comm: &std::sync::Arc<comm::Communicator>, fits: bool) -> Result {
    let (all, _) = coll::allgather(held, comm, u64::from(fits));
    match all.iter().position(|&fits| fits == 0) {
        None => Ok(()),
        Some(rank) => fail!(c::ERR_NO_MEM, "rank {rank} has no room for its part of the window"),
    }
}

/// The alignment of a window's memory; 1 unless a hint sets it.
fn alignment(hints: &Hints) -> u64 {
    let requested = properties::hint(hints, b"mpi_minimum_memory_alignment");
    let requested = requested.and_then(|v| std::str::from_utf8(v).ok()?.parse::<u64>().ok());
    requested.filter(|n| n.is_power_of_two()).unwrap_or(1)
}

fn allocate(held: &Held, comm: Comm, requested: RequestedPart, hints: Hints) -> Result<Win> {
    let align = alignment(&hints);
    make(held, comm, Flavor::Allocate, requested, hints, |held, comm| {
        allocate_local(held, comm, requested.size as u64, align)
            .map(|(local_memory, _)| local_memory)
    })
}

/// Allocates memory of this rank; also returns its offset in the segment.
fn allocate_local(
    held: &Held,
    comm: &std::sync::Arc<comm::Communicator>,
    bytes: u64,
    align: u64,
) -> Result<(LocalMemory, u64)> {
    if bytes == 0 {
        agree(held, comm, true)?;
        return Ok((LocalMemory { base: 0, offset: 0, blocks: Vec::new() }, 0));
    }
    let room = bytes.checked_add(align - 1);
    let block = room.and_then(|room| memory::allocate(held, room).map(|block| (block, room)));
    if let Err(error) = agree(held, comm, block.is_some()) {
        block.iter().for_each(|(block, room)| memory::free(held, *block, *room));
        return Err(error);
    }
    let (block, room) = block.expect("agreed");
    let address = runtime::address(held, block) as usize;
    let offset = block + (address.next_multiple_of(align as usize) - address) as u64;
    let base = runtime::address(held, offset) as usize;
    Ok((LocalMemory { base, offset, blocks: vec![(block, room)] }, offset))
}

/// The parts of a node's ranks are contiguous in memory of the first rank, unless the program
/// allows separate memory.
fn allocate_shared(held: &Held, comm: Comm, requested: RequestedPart, hints: Hints) -> Result<Win> {
    let node = runtime::node(held).0;
    let align = alignment(&hints);
    let is_separate =
        properties::hint(&hints, b"alloc_shared_noncontig").is_some_and(|v| v == b"true");
    make(held, comm, Flavor::Shared, requested, hints, |held, comm| {
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Need {
            size: i64,
            node: u64,
        }
        let need = Need { size: requested.size, node: u64::from(node) };
        let (needs, _) = coll::allgather(held, comm, need);
        if let Some(rank) = needs.iter().position(|n| n.node != needs[0].node) {
            return fail!(
                c::ERR_RMA_SHARED,
                "rank {rank} is on another node than rank 0: split the communicator with \
                 MPI_COMM_TYPE_SHARED first"
            );
        }
        if is_separate {
            return allocate_local(held, comm, requested.size as u64, align)
                .map(|(local_memory, _)| local_memory);
        }
        let total = needs.iter().try_fold(0u64, |sum, n| sum.checked_add(n.size as u64));
        let before: u64 = needs[..comm.rank as usize].iter().map(|n| n.size as u64).sum();
        let Some(total) = total else {
            return fail!(c::ERR_NO_MEM, "the window is larger than any memory");
        };
        let first = comm.rank == 0;
        let (local_memory, offset) =
            allocate_local(held, comm, if first { total } else { 0 }, align)?;
        let (offsets, _) = coll::allgather(held, comm, offset);
        let offset = offsets[0] + before;
        let base = if total == 0 { 0 } else { runtime::address(held, offset) as usize };
        Ok(LocalMemory { base, offset, blocks: local_memory.blocks })
    })
}

/// Frees a window when no operation of any rank on it is pending.
fn free(win: *mut Win) -> Result {
    if win.is_null() {
        return fail!(c::ERR_ARG, "the address of the handle is null");
    }
    let handle = unsafe { *win };
    let on = |error: Error| Error { site: Some(Site::win(handle)), ..error };
    let window = {
        let held = &runtime::enter()?;
        let window = find(held, handle).map_err(on)?;
        window.state(held).epochs.free().map_err(on)?;
        window
    };
    // Callbacks of the program run with no lock held.
    attr::delete_all(Kind::Win, handle.to_int()).map_err(on)?;
    let held = &runtime::enter()?;
    super::pending::flush(held, &window, None);
    // Samples before other ranks free pages that this rank has mapped too.
    runtime::sample(held);
    super::sync::barrier(held, &window);
    error::forget(Site::win(handle));
    if let Some(region) = window.region {
        report_region(held, region, 0);
    }
    remove(held, handle);
    window.blocks.iter().for_each(|&(block, bytes)| memory::free(held, block, bytes));
    free_communicator(window.comm_handle)?;
    unsafe { *win = c::WIN_NULL };
    Ok(())
}

/// # Safety
/// `size`, `disp_unit` and `base` are writable.
unsafe fn query<Int: Integer>(
    held: &Held,
    window: &Rc<Window>,
    rank: c_int,
    (size, disp_unit, base): (*mut Aint, *mut Int, *mut c_void),
) -> Result {
    let found = match rank {
        c::PROC_NULL => window.parts().iter().position(|p| p.size > 0),
        _ => Some(window.comm.checked(rank, "the rank")? as usize),
    };
    let is_own = found == Some(window.comm.rank as usize);
    // The memory of other ranks is returned only for shared windows. In other windows an operation
    // may be applied after its origin has proceeded, and only the target's own accesses wait for
    // it.
    let seen = found.filter(|_| is_own || window.flavor == Flavor::Shared);
    let part =
        seen.map_or(WindowPart { size: 0, disp_unit: 0, offset: 0 }, |rank| window.parts()[rank]);
    let at = match part.offset {
        _ if is_own => window.base,
        0 => 0,
        offset => runtime::address(held, offset) as usize,
    };
    unsafe {
        *size = part.size;
        *disp_unit = Int::narrow(part.disp_unit).unwrap_or(Int::UNDEFINED);
        *base.cast::<usize>() = at;
    }
    Ok(())
}

/// # Safety
/// `base` and `win` are writable.
unsafe fn return_base(held: &Held, win: Win, base: *mut c_void, out: *mut Win) -> Result {
    let window = find(held, win)?;
    unsafe {
        *base.cast::<usize>() = window.base;
        *out = win;
    }
    Ok(())
}

mpi_fn! {
    pub fn Win_create<Int>(
        base: *mut c_void, size: Aint, disp_unit: Int, hints: Info, comm: Comm, win: *mut Win,
    ) {
        let held = &runtime::enter()?;
        let requested = RequestedPart { size, disp_unit: disp_unit.wide() }.check()?;
        if base.is_null() && size > 0 {
            return fail!(c::ERR_ARG, "the window's memory is null");
        }
        let hints = info::pairs(hints)?;
        let made = make(held, comm, Flavor::Create, requested, hints, |held, _| {
            let offset = runtime::offset_of(held, base.cast()).unwrap_or(0);
            Ok(LocalMemory { base: base as usize, offset, blocks: Vec::new() })
        })?;
        unsafe { *win = made };
        Ok(())
    }
    pub fn Win_allocate<Int>(
        size: Aint, disp_unit: Int, hints: Info, comm: Comm, base: *mut c_void, win: *mut Win,
    ) {
        let held = &runtime::enter()?;
        let requested = RequestedPart { size, disp_unit: disp_unit.wide() }.check()?;
        let made = allocate(held, comm, requested, info::pairs(hints)?)?;
        unsafe { return_base(held, made, base, win) }
    }
    pub fn Win_allocate_shared<Int>(
        size: Aint, disp_unit: Int, hints: Info, comm: Comm, base: *mut c_void, win: *mut Win,
    ) {
        let held = &runtime::enter()?;
        let requested = RequestedPart { size, disp_unit: disp_unit.wide() }.check()?;
        let made = allocate_shared(held, comm, requested, info::pairs(hints)?)?;
        unsafe { return_base(held, made, base, win) }
    }
    pub fn Win_create_dynamic(hints: Info, comm: Comm, win: *mut Win) {
        let held = &runtime::enter()?;
        let requested = RequestedPart { size: 0, disp_unit: 1 };
        let hints = info::pairs(hints)?;
        let made = make(held, comm, Flavor::Dynamic, requested, hints, |_, _| {
            Ok(LocalMemory { base: 0, offset: 0, blocks: Vec::new() })
        })?;
        unsafe { *win = made };
        Ok(())
    }
    pub fn Win_attach(win: Win, base: *mut c_void, size: Aint) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        if !window.is_dynamic() {
            return fail!(c::ERR_RMA_FLAVOR, "memory can be attached to dynamic windows only");
        }
        if size < 0 {
            return fail!(c::ERR_SIZE, "a size of {size} bytes");
        }
        if base.is_null() && size > 0 {
            return fail!(c::ERR_ARG, "the memory is null");
        }
        let (low, high) = (base as usize, (base as usize).saturating_add(size as usize));
        let mut state = window.state(held);
        if size == 0 {
            // Empty memory cannot be accessed, but it can be detached.
            state.attached.entry(low).or_insert(high);
            return Ok(());
        }
        if state.attached.range(..high).next_back().is_some_and(|(_, &end)| end > low) {
            return fail!(c::ERR_RMA_ATTACH, "{low:#x} to {high:#x} is already attached in part");
        }
        state.attached.insert(low, high);
        Ok(())
    }
    pub fn Win_detach(win: Win, base: *const c_void) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        if !window.is_dynamic() {
            return fail!(c::ERR_RMA_FLAVOR, "memory can be detached from dynamic windows only");
        }
        if base.is_null() {
            return fail!(c::ERR_ARG, "the memory is null");
        }
        if window.state(held).attached.remove(&(base as usize)).is_none() {
            return fail!(c::ERR_RMA_ATTACH, "no attached memory begins at {base:?}");
        }
        Ok(())
    }
    pub fn Win_shared_query<Int>(
        win: Win, rank: c_int, size: *mut Aint, disp_unit: *mut Int, base: *mut c_void,
    ) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        if window.is_dynamic() {
            return fail!(c::ERR_RMA_FLAVOR, "a dynamic window has no memory of its own");
        }
        unsafe { query(held, &window, rank, (size, disp_unit, base)) }
    }
    pub fn Win_free(win: *mut Win) {
        free(win)
    }
}
