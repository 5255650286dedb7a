//! Data transfer between a user's buffer and the visible bytes of a file.

use std::ffi::c_void;
use std::sync::Arc;

use workload::wire::{Completion, flag};

use super::datarep::Named;
use super::view::View;
use super::{OpenFile, find, on};
use crate::abi::{Datatype, File, c};
use crate::buffer::Buffer;
use crate::error::{Error, Result, fail};
use crate::export::Integer;
use crate::request::{InFlight, Outcome};
use crate::runtime::Held;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
}

/// Positioning in the file, as in MPI's classification of data access routines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Positioning {
    /// Explicit offset, in etypes from the beginning of the view.
    At(i64),
    /// Individual file pointer.
    Own,
    /// Shared file pointer, in the order of arrival.
    Shared,
    /// Shared file pointer, in rank order: collective.
    Ordered,
}

/// A user's buffer argument: address, count, datatype.
pub(super) type BufferArguments<Int> = (*const c_void, Int, Datatype);

/// Longest piece of a non-contiguous buffer that is packed at a time, in bytes.
const PIECE: u64 = 16 << 20;

/// One call with its arguments checked.
#[derive(Clone)]
pub(super) struct Access {
    pub file: Arc<OpenFile>,
    handle: File,
    view: Arc<View>,
    buffer: Buffer,
    datatype: Datatype,
    direction: Direction,
    /// Size in the file: bytes of an item, bytes in total, and etypes.
    item: u64,
    bytes: u64,
    pub etypes: i64,
}

impl Access {
    pub fn new<Int: Integer>(
        handle: File,
        positioning: Positioning,
        what: BufferArguments<Int>,
        direction: Direction,
    ) -> Result<Access> {
        let file = find(handle)?;
        match direction {
            Direction::Read => file.check_readable()?,
            Direction::Write => file.check_writable()?,
        }
        match positioning {
            Positioning::At(offset) if offset < 0 => {
                return fail!(c::ERR_ARG, "the offset is {offset}");
            }
            Positioning::At(_) | Positioning::Own => file.check_random()?,
            Positioning::Shared | Positioning::Ordered => {}
        }
        let (at, count, datatype) = what;
        let buffer = Buffer::new(at, count.wide(), datatype)?;
        let view = file.view();
        let of = Named { handle: datatype, datatype: buffer.datatype.clone() };
        let item = view.representation.bytes_in_file(&of)?;
        let Some(bytes) =
            item.checked_mul(buffer.address_and_count().1).filter(|&b| b <= i64::MAX as u64)
        else {
            return fail!(c::ERR_COUNT, "{} items of {item} bytes", count.wide());
        };
        let unit = view.unit;
        if bytes.checked_rem(unit).unwrap_or(0) != 0 {
            return fail!(c::ERR_IO, "{bytes} bytes are not a whole number of etypes of {unit}");
        }
        let etypes = bytes.checked_div(unit).unwrap_or(0) as i64;
        Ok(Access { file, handle, view, buffer, datatype, direction, item, bytes, etypes })
    }

    /// Starts the access at a position in etypes; `None` is the shared file pointer's position.
    pub fn start(&self, held: &Held, position: Option<i64>) -> InFlight {
        if self.bytes == 0 {
            return InFlight::completed(bytes_moved(0, None));
        }
        if !self.file.state().atomic {
            return self.launch(held, position);
        }
        // In atomic mode no other access is interleaved with the parts of this one.
        self.file.lock(held);
        let outcome = self.launch(held, position).wait(held);
        self.file.unlock(held);
        InFlight::completed(outcome)
    }

    fn launch(&self, held: &Held, position: Option<i64>) -> InFlight {
        let write = if self.direction == Direction::Write { flag::WRITE } else { 0 };
        let me = self.clone();
        let Some(position) = position else {
            // The position is known on completion only: the pointer moves when storage processes
            // the request. The data are transferred immediately after, before this rank can notify
            // any other.
            let token = self.file.submit(held, write | flag::FETCH, self.etypes, self.bytes);
            let on_complete = move |_: &Held, done: &[Completion]| me.run(done[0].value as i64);
            return InFlight { tokens: vec![token], on_complete: Box::new(on_complete) };
        };
        match self.direction {
            Direction::Write => {
                let outcome = self.run(position);
                let token = self.file.submit(held, write, 0, self.bytes);
                InFlight { tokens: vec![token], on_complete: Box::new(move |_, _| outcome) }
            }
            Direction::Read => {
                let token = self.file.submit(held, 0, 0, self.readable_bytes(position));
                let on_complete = move |_: &Held, _: &[Completion]| me.run(position);
                InFlight { tokens: vec![token], on_complete: Box::new(on_complete) }
            }
        }
    }

    /// Bytes that a read will find: the file may end before.
    fn readable_bytes(&self, position: i64) -> u64 {
        let size = self.file.disk.size().unwrap_or(i64::MAX);
        let from = (position as u64).saturating_mul(self.view.unit);
        self.view.visible_before(size).saturating_sub(from).min(self.bytes)
    }

    /// Transfers the data from or to a position in etypes.
    fn run(&self, position: i64) -> Outcome {
        let moved = match (position as u64).checked_mul(self.view.unit) {
            Some(from) if from <= i64::MAX as u64 => self.transfer(from),
            _ => {
                let what = format!("etype {position} is beyond the last possible byte of a file");
                (0, Some(Error::new(c::ERR_ARG, what)))
            }
        };
        // An item may have another size in the file than in memory.
        let (done, error) = moved;
        let size = self.buffer.datatype.size;
        let bytes = if size == self.item { done } else { done / self.item.max(1) * size };
        bytes_moved(bytes, error.map(|e| on(self.handle, e)))
    }

    /// Visible bytes transferred, starting at `from`, and the error that stopped the transfer.
    fn transfer(&self, from: u64) -> (u64, Option<Error>) {
        let representation = &self.view.representation;
        if let (true, Some(at)) = (representation.is_memory(), self.buffer.contiguous_address()) {
            return self.transfer_contiguous(from, at);
        }
        let count = self.buffer.address_and_count().1;
        let most = (PIECE / self.item.max(1)).max(1);
        let (mut item, mut done) = (0, 0);
        let mut piece = Vec::new();
        while item < count {
            let n = most.min(count - item);
            let part = self.buffer.items(item as i64, n);
            let bytes = n * self.item;
            piece.resize(bytes as usize, 0);
            let runs = self.view.runs(from + done, bytes);
            let (moved, error) = match self.direction {
                Direction::Write => match representation.encode(&part, self.datatype, &mut piece) {
                    Ok(()) => self.file.disk.write(runs, &piece),
                    Err(error) => (0, Some(error)),
                },
                Direction::Read => {
                    let (got, error) = self.file.disk.read(runs, &mut piece);
                    let decoded = representation.decode(&part, self.datatype, &mut piece, got);
                    (got, error.or(decoded.err()))
                }
            };
            done += moved;
            if error.is_some() || moved < bytes {
                return (done, error);
            }
            item += n;
        }
        (done, None)
    }

    fn transfer_contiguous(&self, from: u64, at: *mut u8) -> (u64, Option<Error>) {
        let runs = self.view.runs(from, self.bytes);
        let len = self.bytes as usize;
        // SAFETY: the library may access the user's buffer until the call or request completes.
        unsafe {
            match self.direction {
                Direction::Write => self.file.disk.write(runs, std::slice::from_raw_parts(at, len)),
                Direction::Read => {
                    self.file.disk.read(runs, std::slice::from_raw_parts_mut(at, len))
                }
            }
        }
    }
}

fn bytes_moved(bytes: u64, error: Option<Error>) -> Outcome {
    let mut outcome = Outcome::empty();
    outcome.status.set_bytes(bytes);
    Outcome { error, ..outcome }
}

/// Starts an access with any positioning. The individual file pointer moves immediately by the
/// requested amount.
pub(super) fn start<Int: Integer>(
    held: &Held,
    handle: File,
    positioning: Positioning,
    what: BufferArguments<Int>,
    direction: Direction,
) -> Result<InFlight> {
    let access = Access::new(handle, positioning, what, direction);
    match positioning {
        Positioning::At(offset) => Ok(access?.start(held, Some(offset))),
        Positioning::Shared => Ok(access?.start(held, None)),
        Positioning::Own => {
            let access = access?;
            let position = advance_position(&access)?;
            Ok(access.start(held, Some(position)))
        }
        Positioning::Ordered => {
            // A rank with wrong arguments must still take part in the collective steps.
            let file = find(handle)?;
            let mine = access.as_ref().map_or(0, |a| a.etypes);
            let position = ordered_position(held, &file, mine);
            Ok(access?.start(held, Some(position)))
        }
    }
}

/// Returns the individual file pointer and advances it.
fn advance_position(access: &Access) -> Result<i64> {
    let mut state = access.file.state();
    let position = state.position;
    let Some(next) = position.checked_add(access.etypes) else {
        return fail!(c::ERR_ARG, "{} etypes from {position} on", access.etypes);
    };
    state.position = next;
    Ok(position)
}

/// This rank's position if all ranks access their etypes in rank order from the shared file
/// pointer.
fn ordered_position(held: &Held, file: &OpenFile, etypes: i64) -> i64 {
    let all = file.allgather(held, etypes);
    let total: i64 = all.iter().sum();
    let first = if file.is_first() { file.advance_shared(held, total) } else { 0 };
    let first = file.allgather(held, first)[0];
    first + all[..file.comm.rank as usize].iter().sum::<i64>()
}

/// The blocking form. If a read at the individual file pointer reaches the end of the file, the
/// pointer is set to that end.
pub(super) fn run<Int: Integer>(
    held: &Held,
    handle: File,
    positioning: Positioning,
    what: BufferArguments<Int>,
    direction: Direction,
) -> Result<Outcome> {
    let outcome = start(held, handle, positioning, what, direction)?.wait(held);
    if positioning == Positioning::Own && direction == Direction::Read {
        truncate_position(handle, what, &outcome)?;
    }
    Ok(outcome)
}

fn truncate_position<Int: Integer>(
    handle: File,
    what: BufferArguments<Int>,
    outcome: &Outcome,
) -> Result {
    let access = Access::new(handle, Positioning::Own, what, Direction::Read)?;
    let got = outcome.status.bytes();
    if access.item == access.buffer.datatype.size && got < access.bytes {
        let missing = (access.bytes - got) / access.view.unit.max(1);
        access.file.state().position -= missing as i64;
    }
    Ok(())
}
