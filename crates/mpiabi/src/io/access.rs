//! Moving data: between a buffer of the user's and the visible bytes of a file.

use std::ffi::c_void;
use std::sync::Arc;

use workload::wire::{Completion, flag};

use super::view::{Named, View};
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

/// Where in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Positioning {
    /// So many etypes from the view's beginning.
    At(i64),
    /// At the individual file pointer.
    Own,
    /// At the shared one, first come, first served.
    Shared,
    /// At the shared one, in the order of ranks: collective.
    Ordered,
}

/// A user's buffer argument: address, count, datatype.
pub(super) type BufferArguments<Int> = (*const c_void, Int, Datatype);

/// Longest piece of a scattered buffer that is gathered at a time, bytes.
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
    /// What it is in the file: bytes of an item, bytes, and etypes.
    item: u64,
    bytes: u64,
    pub etypes: i64,
}

impl Access {
    pub fn new<Int: Integer>(
        handle: File,
        place: Positioning,
        what: BufferArguments<Int>,
        direction: Direction,
    ) -> Result<Access> {
        let file = find(handle)?;
        match direction {
            Direction::Read => file.check_readable()?,
            Direction::Write => file.check_writable()?,
        }
        match place {
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
        let Some(bytes) = item.checked_mul(buffer.place().1).filter(|&b| b <= i64::MAX as u64)
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

    /// Starts it at a position in etypes, `None` for the shared file pointer's.
    pub fn start(&self, held: &Held, position: Option<i64>) -> InFlight {
        if self.bytes == 0 {
            return InFlight::completed(bytes_moved(0, None));
        }
        if !self.file.state().atomic {
            return self.launch(held, position);
        }
        // Nobody else's access lies between the parts of this one, whatever it overlaps.
        self.file.lock(held);
        let outcome = self.launch(held, position).wait(held);
        self.file.unlock(held);
        InFlight::completed(outcome)
    }

    fn launch(&self, held: &Held, position: Option<i64>) -> InFlight {
        let write = if self.direction == Direction::Write { flag::WRITE } else { 0 };
        let me = self.clone();
        let Some(position) = position else {
            // Where it goes is known only when it has been there: the pointer moves when storage
            // gets to it. The data follow at once, before this rank can tell anyone.
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

    /// Bytes a read will find: there may be fewer before the end of the file.
    fn readable_bytes(&self, position: i64) -> u64 {
        let size = self.file.disk.size().unwrap_or(i64::MAX);
        let from = (position as u64).saturating_mul(self.view.unit);
        self.view.visible_before(size).saturating_sub(from).min(self.bytes)
    }

    /// Moves the data from or to a position in etypes.
    fn run(&self, position: i64) -> Outcome {
        let moved = match (position as u64).checked_mul(self.view.unit) {
            Some(from) if from <= i64::MAX as u64 => self.transfer(from),
            _ => {
                let what = format!("etype {position} lies behind the last byte a file can have");
                (0, Some(Error::new(c::ERR_ARG, what)))
            }
        };
        // In the file an item may have another length than in memory.
        let (done, error) = moved;
        let size = self.buffer.datatype.size;
        let bytes = if size == self.item { done } else { done / self.item.max(1) * size };
        bytes_moved(bytes, error.map(|e| on(self.handle, e)))
    }

    /// Visible bytes moved, from `from` on, and what stopped it.
    fn transfer(&self, from: u64) -> (u64, Option<Error>) {
        let representation = &self.view.representation;
        if let (true, Some(at)) = (representation.is_memory(), self.buffer.contiguous_address()) {
            return self.transfer_contiguous(from, at);
        }
        let count = self.buffer.place().1;
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
        // SAFETY: the user's buffer is ours until the call or request completes.
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

/// Starts an access from wherever it is to be made. The individual file pointer moves at once, by
/// what was asked for.
pub(super) fn start<Int: Integer>(
    held: &Held,
    handle: File,
    place: Positioning,
    what: BufferArguments<Int>,
    direction: Direction,
) -> Result<InFlight> {
    let access = Access::new(handle, place, what, direction);
    match place {
        Positioning::At(offset) => Ok(access?.start(held, Some(offset))),
        Positioning::Shared => Ok(access?.start(held, None)),
        Positioning::Own => {
            let access = access?;
            let position = advance_position(&access)?;
            Ok(access.start(held, Some(position)))
        }
        Positioning::Ordered => {
            // A rank whose arguments are wrong must not leave the others waiting.
            let file = find(handle)?;
            let mine = access.as_ref().map_or(0, |a| a.etypes);
            let position = ordered_position(held, &file, mine);
            Ok(access?.start(held, Some(position)))
        }
    }
}

/// Where the individual file pointer is; it moves on.
fn advance_position(access: &Access) -> Result<i64> {
    let mut state = access.file.state();
    let position = state.position;
    let Some(next) = position.checked_add(access.etypes) else {
        return fail!(c::ERR_ARG, "{} etypes from {position} on", access.etypes);
    };
    state.position = next;
    Ok(position)
}

/// This rank's position among all, which each take their etypes from the shared file pointer.
fn ordered_position(held: &Held, file: &OpenFile, etypes: i64) -> i64 {
    let all = file.allgather(held, etypes);
    let total: i64 = all.iter().sum();
    let first = if file.is_first() { file.advance_shared(held, total) } else { 0 };
    let first = file.allgather(held, first)[0];
    first + all[..file.comm.rank as usize].iter().sum::<i64>()
}

/// The blocking form. A read at the individual file pointer that met the end of the file leaves it
/// there.
pub(super) fn run<Int: Integer>(
    held: &Held,
    handle: File,
    place: Positioning,
    what: BufferArguments<Int>,
    direction: Direction,
) -> Result<Outcome> {
    let outcome = start(held, handle, place, what, direction)?.wait(held);
    if place == Positioning::Own && direction == Direction::Read {
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
