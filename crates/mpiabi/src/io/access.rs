//! Data transfer between a user's buffer and the visible bytes of a file.

use std::borrow::Cow;
use std::ffi::c_void;
use std::sync::Arc;

use workload::wire::{Completion, flag};

use super::datarep::Named;
use super::disk::Runs;
use super::mounted::{self, Mounted, MountedStore, Transfer};
use super::steps::{self, Steps};
use super::two_phase::Run;
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

/// Whether the ranks of a file make the call together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Coordination {
    Noncollective,
    Collective,
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
    pub bytes: u64,
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
        if let Some(mounted) = &self.file.mounted {
            return self.launch_mounted(held, mounted, position);
        }
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

    /// The same on a simulated file system.
    fn launch_mounted(&self, held: &Held, mounted: &Mounted, position: Option<i64>) -> InFlight {
        let me = self.clone();
        let Some(position) = position else {
            let token = self.file.submit(held, flag::FETCH, self.etypes, 0);
            let on_complete = move |held: &Held, done: &[Completion]| {
                let next = me.launch(held, Some(done[0].value as i64));
                Outcome { next_stage: Some(Box::new(next)), ..Outcome::empty() }
            };
            return InFlight { tokens: vec![token], on_complete: Box::new(on_complete) };
        };
        let runs = match self.runs(position) {
            Ok(runs) => runs,
            Err(error) => return InFlight::completed(self.outcome(0, Some(error))),
        };
        let (hints, writes) = (mounted.hints(), self.direction == Direction::Write);
        if let ([(at, bytes)], Some(address)) = (&runs[..], self.packed_address()) {
            let (at, bytes, backing) = (*at, *bytes, mounted.backing);
            let flags = mounted::transfer_flags(&hints, writes, false);
            let address = address as usize;
            let transfer = move |error: Option<Error>| {
                let (at_address, len) = (address as *mut u8, bytes as usize);
                // SAFETY: the library may access the user's buffer until the request completes.
                let (done, error) = unsafe {
                    match error {
                        Some(error) => (0, Some(error)),
                        None if writes => {
                            backing.save(at, std::slice::from_raw_parts(at_address, len))
                        }
                        None => backing.load(at, std::slice::from_raw_parts_mut(at_address, len)),
                    }
                };
                me.outcome(done, error)
            };
            return mounted.backing.start(held, Transfer { writes, at, bytes, flags }, transfer);
        }
        // Like ROMIO, a non-blocking access that is not contiguous blocks.
        let steps = Steps::new();
        let store = MountedStore::new(&steps, mounted.backing, &hints);
        let is_packed = self.packed_address().is_some();
        let moved = match self.direction {
            Direction::Write => {
                let written = self.packed().map(|data| {
                    steps::run(held, &steps, store.write_alone(&runs, &data, is_packed))
                });
                let (done, error) = written.unwrap_or_else(|error| (0, Some(error)));
                self.outcome(done, error)
            }
            Direction::Read => {
                let mut data = vec![0; self.bytes as usize];
                let reading = store.read_alone(&runs, &mut data, is_packed);
                let (got, error) = steps::run(held, &steps, reading);
                self.filled(data, got, error)
            }
        };
        InFlight::completed(moved)
    }

    /// The ranges of the file, from a position in etypes.
    pub fn runs(&self, position: i64) -> Result<Vec<Run>> {
        let from = self.first_byte(position)?;
        let mut runs = Vec::new();
        self.view.runs(from, self.bytes).each(&mut |at, len| {
            runs.push((at, len));
            true
        });
        match runs.iter().find(|(at, len)| at.checked_add_unsigned(*len).is_none()) {
            None => Ok(runs),
            Some((at, _)) => fail!(c::ERR_ARG, "offset {at} is beyond the last byte of a file"),
        }
    }
    /// The first visible byte at a position in etypes.
    fn first_byte(&self, position: i64) -> Result<u64> {
        match (position as u64).checked_mul(self.view.unit) {
            Some(from) if from <= i64::MAX as u64 => Ok(from),
            _ => {
                fail!(c::ERR_ARG, "etype {position} is beyond the last possible byte of a file")
            }
        }
    }
    /// The offset in the file of a position in etypes.
    pub fn offset(&self, position: i64) -> i64 {
        self.first_byte(position).map_or(0, |from| self.view.offset_of(from))
    }
    /// Address of the user's data if they are in memory as they are in the file.
    fn packed_address(&self) -> Option<*mut u8> {
        let address = self.buffer.contiguous_address()?;
        self.view.representation.is_memory().then_some(address)
    }
    /// The data as they are in the file.
    pub fn packed(&self) -> Result<Cow<'_, [u8]>> {
        if let Some(at) = self.packed_address() {
            // SAFETY: the library may read the user's buffer until the call completes.
            return Ok(unsafe { std::slice::from_raw_parts(at, self.bytes as usize) }.into());
        }
        let mut data = vec![0; self.bytes as usize];
        self.view.representation.encode(&self.buffer, self.datatype, &mut data)?;
        Ok(data.into())
    }
    /// Stores the first `got` bytes of the data as they are in the file.
    pub fn filled(&self, mut data: Vec<u8>, got: u64, error: Option<Error>) -> Outcome {
        let representation = &self.view.representation;
        let decoded = representation.decode(&self.buffer, self.datatype, &mut data, got);
        self.outcome(got, error.or(decoded.err()))
    }
    /// The outcome after `done` bytes of the file.
    pub fn outcome(&self, done: u64, error: Option<Error>) -> Outcome {
        // An item may have another size in the file than in memory.
        let size = self.buffer.datatype.size;
        let bytes = if size == self.item { done } else { done / self.item.max(1) * size };
        bytes_moved(bytes, error.map(|e| on(self.handle, e)))
    }

    /// Etypes between the end of the file and the end of a read that found `got` bytes.
    pub fn missing_etypes(&self, got: u64) -> i64 {
        if self.item == self.buffer.datatype.size && got < self.bytes {
            return ((self.bytes - got) / self.view.unit.max(1)) as i64;
        }
        0
    }

    /// Bytes that a read will find: the file may end before.
    fn readable_bytes(&self, position: i64) -> u64 {
        let size = self.file.disk.size().unwrap_or(i64::MAX);
        let from = (position as u64).saturating_mul(self.view.unit);
        self.view.visible_before(size).saturating_sub(from).min(self.bytes)
    }

    /// Transfers the data from or to a position in etypes.
    fn run(&self, position: i64) -> Outcome {
        let (done, error) = match self.first_byte(position) {
            Ok(from) => self.transfer(from),
            Err(error) => (0, Some(error)),
        };
        self.outcome(done, error)
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
