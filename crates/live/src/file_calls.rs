//! Calls on simulated files: converts the request of a rank to the simulator's call, and at its
//! completion executes it on the store and writes the reply.
//!
//! The simulator completes no two calls at one instant of which one changes what the other reads
//! (`sim`). So the effects occur in simulated order, and a program that opens, reads or writes the
//! backing file right after its call finds what it should.

use crate::file_effects::{self, Request};
use crate::file_facts::{self, SystemFacts};
use crate::file_layouts;
use crate::file_names::{FileState, NameSpace, Names, Place};
use crate::file_store::{FileStore, FileSystems};
use crate::file_waits::Waits;
use crate::outcome::{FailureCause, FileTraffic};
use crate::segment::lies_inside;
use crate::tokens::PAUSE;
use base::{Span, Time};
use std::collections::BTreeMap;
use std::io;
use workload::file_flag::{APPEND, CREATE, DIRECTORY, EXISTS, OPEN, TRUNCATE};
use workload::file_request::{FileRequest, Range, Usage, attribute, request_flag};
use workload::wire::{FileBlock, Segment, Submission};
use workload::{Call, CompletionStatus, FileCall, FileCallKind, FileId, LayoutRequest, Op, Token};

/// Longest transfer of a call: the kernel moves fewer bytes at once (read(2)).
const MAX_MOVED: u64 = 1 << 40;

/// A call in flight.
struct PendingCall {
    block: u64,
    bytes: u64,
    capacity: u64,
    /// The file system that the path or descriptor names, and that of the file.
    system: usize,
    target: usize,
    call: FileCall,
    /// `NameSpace::changes` at submission, and whether the path leads to a file of a mount.
    changes: u64,
    is_inside: bool,
    submitted: Time,
    /// What the simulated file system returns, if it does.
    description: Option<String>,
}

pub(crate) struct FileCalls {
    names: NameSpace,
    epoch_ns: Option<i64>,
    /// By index of the file system.
    facts: Vec<SystemFacts>,
    /// By rank and token.
    pending: BTreeMap<(u32, Token), PendingCall>,
    waits: Waits,
    /// By index of the file system.
    traffic: Vec<FileTraffic>,
    /// The store, removed at the end.
    pub store: FileStore,
}

impl FileCalls {
    pub fn new(systems: &FileSystems) -> io::Result<FileCalls> {
        let store = FileStore::new(systems)?;
        let mut names = NameSpace::new(&store)?;
        if store.temporary().is_some() {
            names.date_roots(systems.epoch_ns);
        }
        let traffic = names
            .systems
            .iter()
            .map(|names| FileTraffic { file_system: names.number, ..FileTraffic::default() })
            .collect();
        let facts_of = |number: u8| systems.facts.iter().find(|f| f.file_system == number).cloned();
        let facts = names.systems.iter().map(|n| facts_of(n.number).unwrap_or_default()).collect();
        Ok(FileCalls {
            names,
            facts,
            epoch_ns: systems.epoch_ns,
            pending: BTreeMap::new(),
            waits: Waits::default(),
            traffic,
            store,
        })
    }

    /// Whether any file system is mounted.
    pub fn has_mounts(&self) -> bool {
        !self.store.mounts.is_empty()
    }

    /// By file system: those with calls.
    pub fn traffic(&self) -> Vec<FileTraffic> {
        self.traffic.iter().copied().filter(|traffic| traffic.calls > 0).collect()
    }

    /// A path by which a file was opened.
    pub fn path(&self, file_system: u8, file: FileId) -> Option<String> {
        let names = self.names.systems.iter().find(|names| names.number == file_system)?;
        names.path(file)
    }

    /// Takes a request of `rank`, made at `now`, as the call `token`. `calls` gets lookups of path
    /// components; the call itself is returned.
    pub fn submit(
        &mut self,
        segment: Segment,
        (rank, token): (u32, Token),
        s: &Submission,
        now: Time,
        calls: &mut Vec<Call>,
    ) -> Result<Op, FailureCause> {
        let request = request_of(segment, s)
            .ok_or_else(|| FailureCause::Protocol(format!("submitted no file call: {s:?}")))?;
        let Some(system) = self.names.index(request.header.file_system) else {
            let what = "submitted a call on a file system that is not mounted";
            return Err(FailureCause::Protocol(what.into()));
        };
        if request.has(request_flag::STORE_FULL) {
            return Err(FailureCause::StoreFull { error: request.header.mode as i32 });
        }
        if request.has(request_flag::NUMBERS) && request.kind == FileCallKind::ReadDirectory {
            let call = call_of(self.names.systems[system].number, &request);
            self.keep((rank, token), s, now, (system, call, true));
            return Ok(Op::Pause);
        }
        let mut kept = None;
        let (call, is_inside) = match request.has_flag(OPEN) {
            true => (self.call_on_open_file(system, &request), true),
            false => self.call_by_path(system, &request, rank, (calls, &mut kept)),
        };
        if let Some(layout) = request.layout().or(kept) {
            let op = Op::Layout { file_system: call.file_system, request: Box::new(layout) };
            calls.push(Call { rank, token: PAUSE, after: Span::ZERO, op });
        }
        self.keep((rank, token), s, now, (system, call, is_inside));
        Ok(Op::File(call))
    }

    /// Keeps a call until it completes.
    fn keep(
        &mut self,
        key: (u32, Token),
        s: &Submission,
        submitted: Time,
        (system, call, is_inside): (usize, FileCall, bool),
    ) {
        // A link may lead to another mount.
        let target = self.names.index(u32::from(call.file_system)).unwrap_or(system);
        let pending = PendingCall {
            block: s.block,
            bytes: s.bytes,
            capacity: s.grain,
            system,
            target,
            call,
            changes: self.names.changes,
            is_inside,
            submitted,
            description: None,
        };
        self.pending.insert(key, pending);
    }

    fn call_on_open_file(&mut self, system: usize, request: &Request) -> FileCall {
        let header = &request.header;
        let names = &mut self.names.systems[system];
        let file = names.open_file(header.device, header.inode);
        let state = names.state(file);
        let (size, is_directory) = (state.size.unwrap_or(0), state.is_directory);
        let mut call = call_of(names.number, request);
        call.file = file;
        call.size = size;
        call.flags |= EXISTS;
        if is_directory {
            call.flags |= DIRECTORY;
        }
        if request.has_flag(APPEND) {
            call.offset = call.size;
        }
        call
    }

    fn call_by_path(
        &mut self,
        system: usize,
        request: &Request,
        rank: u32,
        (calls, kept): (&mut Vec<Call>, &mut Option<LayoutRequest>),
    ) -> (FileCall, bool) {
        let place = self.names.resolve(system, &request.path, request.follows());
        let other = match request.kind {
            FileCallKind::Rename => Some(self.names.resolve(system, &request.other, false)),
            FileCallKind::Link => {
                let follow = file_effects::follows_existing(request);
                Some(self.names.resolve(system, &request.other, follow))
            }
            _ => None,
        };
        let names = &mut self.names.systems[place.system];
        let mut call = call_of(names.number, request);
        (call.file, call.parent) = (place.file, place.parent);
        let name = place.name.as_bytes();
        call.name = hash(name.strip_suffix(b"/").unwrap_or(name));
        if place.stat.is_some() {
            call.flags |= EXISTS;
            call.size = match place.is(libc::S_IFDIR) {
                true => names.entries(place.file, &place),
                false => names.state(place.file).size.unwrap_or(0),
            };
        }
        let makes_directory = place.stat.is_none()
            && request.layout().is_some_and(|layout| file_layouts::is_of_directory(&layout));
        if place.is(libc::S_IFDIR) || makes_directory {
            call.flags |= DIRECTORY;
        }
        if let Some(other) = &other {
            match request.kind {
                // The call fails.
                _ if other.system != place.system => call.other = call.parent,
                // The existing file gets the new name.
                FileCallKind::Link => call.file = other.file,
                _ => call.other = other.parent,
            }
        }
        if self.store.temporary().is_none() {
            *kept = kept_layout(names, &place, request);
        }
        let number = names.number;
        for place in [Some(&place), other.as_ref()].into_iter().flatten() {
            push_lookups(rank, number, place, calls);
        }
        (call, place.is_inside())
    }

    /// The simulated file system returns this text for a call that completes next.
    pub fn describe(&mut self, (rank, token): (u32, Token), text: String) {
        if let Some(pending) = self.pending.get_mut(&(rank, token)) {
            pending.description = Some(text);
        }
    }

    /// A call is complete: executes it, unless the simulated file system has refused it, and writes
    /// the reply. Without pending call there is nothing to do.
    pub fn complete(
        &mut self,
        segment: Segment,
        (rank, token): (u32, Token),
        now: Time,
        status: CompletionStatus,
    ) -> Result<(), FailureCause> {
        let Some(pending) = self.pending.remove(&(rank, token)) else { return Ok(()) };
        let mut reply = FileBlock {
            data_bytes: u64::MAX,
            elapsed_ps: now.since(pending.submitted).0,
            completed_ps: now.0,
            ..FileBlock::default()
        };
        let request = bytes_of(segment, pending.block, pending.bytes).and_then(parse);
        let request =
            request.ok_or_else(|| FailureCause::Protocol("changed a request in flight".into()))?;
        if !request.has(request_flag::NUMBERS) {
            self.count(&pending, now);
        }
        if let CompletionStatus::FileError(error) = status {
            let earlier = file_effects::error_of_names(&mut self.names, pending.system, &request);
            reply.errno = earlier.unwrap_or(error);
        } else {
            self.execute(segment, &pending, &request, now, &mut reply)?;
        }
        // SAFETY: the block was checked at submission, and the rank waits for the reply.
        unsafe { segment.ptr(pending.block).cast::<FileBlock>().write(reply) };
        Ok(())
    }

    fn execute(
        &mut self,
        segment: Segment,
        pending: &PendingCall,
        request: &Request,
        now: Time,
        reply: &mut FileBlock,
    ) -> Result<(), FailureCause> {
        use FileCallKind::*;
        let call = &pending.call;
        let is_open_file = request.has_flag(OPEN);
        let executes = match request.kind {
            Open => request.has_flag(CREATE) || request.has_flag(TRUNCATE),
            SetXattr if is_open_file && request.names_layout() => {
                let is_directory = call.flags & DIRECTORY != 0;
                if request.layout().is_some() && call.size > 0 && !is_directory {
                    // The layout of a file with data is fixed.
                    reply.errno = libc::EEXIST;
                    return Ok(());
                }
                self.names.systems[pending.target].has_layouts = true;
                false
            }
            Mkdir | Rmdir | Unlink | Rename | Link | Symlink | SetAttributes | Truncate
            | SetXattr | SetLayout => !is_open_file,
            GetXattr if request.names_description() => {
                match &pending.description {
                    Some(text) => return_data(pending, segment, text.as_bytes(), reply),
                    None => reply.errno = libc::ENODATA,
                }
                return Ok(());
            }
            GetXattr | GetLayout if request.names_layout() => {
                self.read_layout(pending, request, segment, reply);
                return Ok(());
            }
            StatFs => {
                self.read_usage(pending, segment, reply);
                return Ok(());
            }
            ReadDirectory if request.has(request_flag::NUMBERS) => {
                self.read_numbers(pending, request, segment, reply);
                return Ok(());
            }
            _ => false,
        };
        reply.offset = call.offset;
        let now_ns = self.epoch_ns.map(|epoch| epoch.saturating_add((now.0 / 1000) as i64));
        if executes {
            match file_effects::execute(&mut self.names, pending.system, request, now_ns) {
                Ok(created) => reply.value = u64::from(created),
                Err(error @ (libc::ENOSPC | libc::EDQUOT)) => {
                    return Err(FailureCause::StoreFull { error });
                }
                Err(error) => {
                    reply.errno = error;
                    return Ok(());
                }
            }
        }
        if request.kind == Lock
            && self.waits.attempt(now, request.header.owner, request.header.group)
        {
            reply.errno = libc::EDEADLK;
            return Ok(());
        }
        if request.kind == Write && request.has_flag(APPEND) {
            self.measure(pending.target, call.file);
        }
        match request.kind {
            Stat => self.read_attributes(pending, request, reply),
            _ => self.update(pending, request, now_ns, reply),
        }
        Ok(())
    }

    /// What a call other than `Stat` changes of the state of its file.
    fn update(
        &mut self,
        pending: &PendingCall,
        request: &Request,
        now_ns: Option<i64>,
        reply: &mut FileBlock,
    ) {
        use FileCallKind::*;
        let call = &pending.call;
        let state = self.names.systems[pending.target].state(call.file);
        let header = &request.header;
        match request.kind {
            Open => {
                if pending.target == pending.system {
                    state.path = Some(request.path.as_slice().into());
                }
                if request.has_flag(TRUNCATE) && !state.is_directory {
                    state.size = Some(0);
                    state.modify(now_ns);
                }
            }
            Read => {
                reply.value = header.bytes;
                state.access(now_ns);
            }
            ReadDirectory => state.access(now_ns),
            Write => {
                let size = state.size.unwrap_or(0);
                if request.has_flag(APPEND) {
                    reply.offset = size;
                }
                let end = reply.offset.saturating_add(header.bytes);
                state.size = Some(size.max(end));
                state.modify(now_ns);
                reply.value = header.bytes;
            }
            Truncate => {
                state.size = Some(header.bytes);
                state.modify(now_ns);
            }
            SetAttributes => set_times(state, header, now_ns),
            SetXattr | SetLayout => state.changed_ns = now_ns,
            Allocate => {
                let mode = header.mode as i32;
                let size = state.size.unwrap_or(0);
                let end = call.offset.saturating_add(header.bytes);
                if mode & libc::FALLOC_FL_KEEP_SIZE == 0 && end > size {
                    state.size = Some(end);
                }
                if mode & !libc::FALLOC_FL_KEEP_SIZE != 0 || state.size != Some(size) {
                    state.modify(now_ns);
                }
            }
            _ => {}
        }
        reply.size = state.size.unwrap_or(0);
    }

    /// The attributes of a file that the store does not have.
    fn read_attributes(&mut self, pending: &PendingCall, request: &Request, reply: &mut FileBlock) {
        let mut file = pending.call.file;
        let (mut target, mut is_inside) = (pending.target, pending.is_inside);
        // The path may lead to another file than at submission.
        if !request.has_flag(OPEN) && self.names.changes != pending.changes {
            let place = self.names.resolve(pending.system, &request.path, request.follows());
            (file, target, is_inside) = (place.file, place.system, place.is_inside());
        }
        if !is_inside {
            return;
        }
        self.date(pending.system, (target, file), request);
        let state = self.names.systems[target].state(file);
        if !state.is_directory {
            reply.value = self.facts[target].transfer_bytes;
        }
        reply.inode = u64::from(file) + 1;
        reply.accessed_ns = state.accessed_ns.unwrap_or(0);
        reply.modified_ns = state.modified_ns.unwrap_or(0);
        reply.changed_ns = state.changed_ns.unwrap_or(0);
        reply.size = state.size.unwrap_or(0);
    }

    /// The numbers of entries of a directory, whose inodes on the real disk the request has.
    fn read_numbers(
        &mut self,
        pending: &PendingCall,
        request: &Request,
        segment: Segment,
        reply: &mut FileBlock,
    ) {
        let names = &mut self.names.systems[pending.system];
        let mut numbers = Vec::with_capacity(request.value.len());
        for inode in request.value.chunks_exact(8) {
            let inode = u64::from_ne_bytes(inode.try_into().expect("eight bytes"));
            let file = names.open_file(request.header.device, inode);
            numbers.extend((u64::from(file) + 1).to_ne_bytes());
        }
        return_data(pending, segment, &numbers, reply);
    }

    /// Takes the size of a file from the store, for data to be appended: an earlier call may have
    /// written less than its request.
    fn measure(&mut self, system: usize, file: FileId) {
        let Some(path) = self.names.systems[system].state(file).path.clone() else { return };
        // The state gets the size of the file that is found.
        self.names.resolve(system, &path, true);
    }

    /// Gives a file of the store the simulated time of its last change: its program is about to
    /// read it. The data have been written at real times since.
    fn date(&mut self, system: usize, (target, file): (usize, FileId), request: &Request) {
        let state = self.names.systems[target].state(file);
        let modified_ns = state.modified_ns;
        if !std::mem::take(&mut state.is_undated) || modified_ns.is_none() {
            return;
        }
        let (system, path) = match request.has_flag(OPEN) {
            true => (target, state.path.clone()),
            false => (system, Some(request.path.as_slice().into())),
        };
        let Some(path) = path else { return };
        let place = self.names.resolve(system, &path, request.follows());
        if place.file == file && place.stat.is_some() {
            // A failure leaves the real time.
            let _ = file_effects::set_times(&place, None, modified_ns, false);
        }
    }

    /// Returns the layout that was set for a file, or an error if none was.
    fn read_layout(
        &mut self,
        pending: &PendingCall,
        request: &Request,
        segment: Segment,
        reply: &mut FileBlock,
    ) {
        if request.has_flag(OPEN) {
            // The request has what the library has found at the file.
            let is_directory = self.names.systems[pending.target].state(pending.call.file);
            let stored = (!request.value.is_empty()).then(|| request.value.clone());
            let value = match is_directory.is_directory {
                true => stored,
                false => self.facts[pending.target].attribute(stored),
            };
            match value {
                Some(value) => return_data(pending, segment, &value, reply),
                None => reply.errno = libc::ENODATA,
            }
            return;
        }
        let place = self.names.resolve(pending.system, &request.path, request.follows());
        let value = match place.error {
            Some(error) => Err(error),
            None => match file_effects::stored_layout(&place, request) {
                Ok(value) if place.is(libc::S_IFREG) => {
                    self.facts[pending.system].attribute(Some(value)).ok_or(libc::ENODATA)
                }
                Err(libc::ENODATA) if place.is(libc::S_IFREG) && request.names_file_layout() => {
                    self.facts[pending.system].attribute(None).ok_or(libc::ENODATA)
                }
                other => other,
            },
        };
        match value {
            Err(error) => reply.errno = error,
            Ok(value) => return_data(pending, segment, &value, reply),
        }
    }

    /// Returns the usage of a file system; without facts about it, none.
    fn read_usage(&self, pending: &PendingCall, segment: Segment, reply: &mut FileBlock) {
        let facts = &self.facts[pending.system];
        if facts.magic == 0 {
            return;
        }
        let number = self.names.systems[pending.system].number;
        let roots = self.store.roots();
        let Some((_, root)) = roots.iter().find(|(other, _)| *other == number) else { return };
        let (bytes, files) = match file_facts::contents(root) {
            Ok(contents) => contents,
            Err(why) => {
                reply.errno = why.raw_os_error().unwrap_or(libc::EIO);
                return;
            }
        };
        // What the targets hold, if the file system states it: `TARGET:BYTES`, separated by blanks.
        let of_target = |word: &str| word.split_once(':')?.1.parse::<u64>().ok();
        let held = |text: &String| text.split_whitespace().filter_map(of_target).sum();
        let used = pending.description.as_ref().map_or(bytes, held);
        let usage = facts.usage(used, files);
        // SAFETY: plain data without padding.
        let bytes = unsafe {
            let at = std::ptr::from_ref(&usage).cast::<u8>();
            std::slice::from_raw_parts(at, size_of::<Usage>())
        };
        return_data(pending, segment, bytes, reply);
    }

    fn count(&mut self, pending: &PendingCall, now: Time) {
        let call = &pending.call;
        let traffic = &mut self.traffic[pending.target];
        traffic.calls += 1;
        traffic.time += now.since(pending.submitted);
        match call.kind {
            FileCallKind::Read => {
                traffic.bytes_read += call.bytes.min(call.size.saturating_sub(call.offset));
            }
            FileCallKind::Write => traffic.bytes_written += call.bytes,
            _ => {}
        }
    }
}

/// The times that `SetAttributes` leaves.
fn set_times(state: &mut FileState, header: &FileRequest, now_ns: Option<i64>) {
    let time = |present: u32, given: u32, ns: i64| match header.attributes {
        attributes if attributes & present != 0 => Some(now_ns),
        attributes if attributes & given != 0 => Some(now_ns.map(|_| ns)),
        _ => None,
    };
    let accessed = time(attribute::ACCESSED_NOW, attribute::ACCESSED, header.accessed_ns);
    let modified = time(attribute::MODIFIED_NOW, attribute::MODIFIED, header.modified_ns);
    state.accessed_ns = accessed.unwrap_or(state.accessed_ns);
    if let Some(modified_ns) = modified {
        (state.modified_ns, state.is_undated) = (modified_ns, true);
    }
    state.changed_ns = now_ns;
}

/// The layout from before the run of the file of a call, or of the directory of a new one.
fn kept_layout(names: &mut Names, place: &Place, request: &Request) -> Option<LayoutRequest> {
    let creates = match request.kind {
        FileCallKind::Open => request.has_flag(CREATE),
        kind => kind == FileCallKind::Mkdir,
    };
    if place.stat.is_none() {
        return creates.then(|| file_effects::kept_layout(place, true)).flatten();
    }
    let is_announced = &mut names.state(place.file).is_announced;
    if *is_announced || !place.is(libc::S_IFREG) {
        return None;
    }
    *is_announced = true;
    file_effects::kept_layout(place, false)
}

/// Writes returned data behind the request, as many bytes as fit.
fn return_data(pending: &PendingCall, segment: Segment, value: &[u8], reply: &mut FileBlock) {
    reply.data_bytes = value.len() as u64;
    let n = value.len().min(pending.capacity as usize);
    let data = segment.ptr(pending.block + FileBlock::data_at(pending.bytes));
    // SAFETY: the block has room for that many bytes, as checked at submission.
    unsafe { data.copy_from_nonoverlapping(value.as_ptr(), n) };
}

/// The call with what the request states.
fn call_of(file_system: u8, request: &Request) -> FileCall {
    let header = &request.header;
    FileCall {
        kind: match request.kind {
            FileCallKind::SetXattr if request.layout().is_some() => FileCallKind::SetLayout,
            FileCallKind::GetXattr if request.names_description() => {
                match request.other == file_layouts::OBJECTS {
                    true => FileCallKind::GetLayout,
                    false => FileCallKind::StatFs,
                }
            }
            FileCallKind::GetXattr if request.names_layout() => FileCallKind::GetLayout,
            kind => kind,
        },
        file_system,
        // The upper bits are for the execution.
        flags: header.flags as u16 & !EXISTS,
        file: 0,
        parent: 0,
        other: 0,
        name: 0,
        offset: header.offset,
        bytes: header.bytes,
        size: 0,
    }
}

fn push_lookups(rank: u32, number: u8, place: &Place, calls: &mut Vec<Call>) {
    for &(parent, file) in &place.lookups {
        let op = Op::Lookup { file_system: number, parent, file };
        calls.push(Call { rank, token: PAUSE, after: Span::ZERO, op });
    }
}

/// The bytes of the request of a block.
fn bytes_of<'a>(segment: Segment, block: u64, bytes: u64) -> Option<&'a [u8]> {
    if !lies_inside(segment, block, FileBlock::data_at(bytes), align_of::<FileBlock>()) {
        return None;
    }
    // SAFETY: inside the segment; the rank waits for the reply and does not change it.
    Some(unsafe {
        std::slice::from_raw_parts(segment.ptr(block + FileBlock::BYTES), bytes as usize)
    })
}

fn request_of(segment: Segment, s: &Submission) -> Option<Request> {
    if s.bytes > u64::from(u32::MAX) {
        return None;
    }
    let end = FileBlock::data_at(s.bytes).checked_add(s.grain)?;
    if !lies_inside(segment, s.block, end, align_of::<FileBlock>()) {
        return None;
    }
    parse(bytes_of(segment, s.block, s.bytes)?)
}

fn parse(bytes: &[u8]) -> Option<Request> {
    if bytes.len() < FileRequest::BYTES {
        return None;
    }
    // SAFETY: long enough; a request is plain data without invalid values.
    let header = unsafe { bytes.as_ptr().cast::<FileRequest>().read_unaligned() };
    let of = |range: Range| FileRequest::bytes_of(range, bytes).map(<[u8]>::to_vec);
    let (path, other, value) = (of(header.path)?, of(header.other)?, of(header.value)?);
    let kind = FileCallKind::from_number(header.kind)?;
    if header.offset > i64::MAX as u64 || header.bytes > i64::MAX as u64 {
        return None;
    }
    let moves = matches!(kind, FileCallKind::Read | FileCallKind::Write);
    if moves && header.bytes > MAX_MOVED || path.contains(&0) {
        return None;
    }
    Some(Request { kind, header, path, other, value })
}

/// FNV-1a, 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}
