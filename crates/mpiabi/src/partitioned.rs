//! Partitioned communication: the parts of a message are marked ready and arrive one by one.
//!
//! Every partition of the sender is a separate message, which is sent when the partition is marked
//! ready. The two sides may use different partitions. So the sender first sends its layout in a
//! message that is matched as the `_init` calls are: by sender, tag and order.
//!
//! All these messages are in a context of the library's own, where no receive of the program
//! matches them. The tags of partitions are negative there, and belong to one pair of requests.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::sync::Arc;

use workload::NonContiguous;
use workload::wire::{self, Submission, flag, kind};

use crate::abi::{Comm, Count, Datatype, Info, Request, c};
use crate::buffer::Buffer;
use crate::comm::{self, Communicator};
use crate::error::{Error, Result, fail};
use crate::export::mpi_fn;
use crate::p2p::{self, Source};
use crate::request::{self, InFlight, Outcome, Progress};
use crate::runtime::{self, Guarded, Held};

pub(crate) enum Parts {
    Send(PartitionedSend),
    Receive(PartitionedReceive),
}

impl Progress for Parts {
    fn start(&self, held: &Held) {
        match self {
            Parts::Send(send) => send.start(),
            Parts::Receive(receive) => receive.start(held),
        }
    }
    fn persists(&self) -> bool {
        true
    }
    fn advance(&self, held: &Held) -> Option<Outcome> {
        match self {
            Parts::Send(send) => send.advance(held),
            Parts::Receive(receive) => receive.advance(held),
        }
    }
    /// A send may also wait for a call that marks a partition ready.
    fn open(&self, held: &Held, tokens: &mut Vec<u32>) -> bool {
        match self {
            Parts::Send(send) => send.open(held, tokens),
            Parts::Receive(receive) => {
                let state = receive.state.borrow();
                tokens.extend(state.layout_token.iter().chain(state.tokens.iter().flatten()));
                false
            }
        }
    }
    /// The sender's layout still arrives, because it has matched the `MPI_Psend_init` of the
    /// sender.
    fn abandon(&self) -> Option<InFlight> {
        let Parts::Receive(receive) = self else { return None };
        let tokens = vec![receive.state.borrow_mut().layout_token.take()?];
        let on_complete = |held: &Held, done: &[wire::Completion]| {
            runtime::free(held, done[0].block);
            Outcome::empty()
        };
        Some(InFlight { tokens, on_complete: Box::new(on_complete) })
    }
}

/// One side's buffer, divided into its own partitions.
struct PartitionedBuffer {
    buffer: Buffer,
    partitions: usize,
    /// Items per partition.
    count: u64,
}

impl PartitionedBuffer {
    fn new(
        at: *const c_void,
        partitions: c_int,
        count: Count,
        datatype: Datatype,
    ) -> Result<PartitionedBuffer> {
        if partitions < 1 {
            return fail!(c::ERR_ARG, "{partitions} partitions");
        }
        let each = crate::datatype::count(count)?;
        let Some(items) = count.checked_mul(i64::from(partitions)) else {
            return fail!(c::ERR_COUNT, "{partitions} partitions of {count} items");
        };
        let buffer = Buffer::new(at, items, datatype)?;
        Ok(PartitionedBuffer { buffer, partitions: partitions as usize, count: each })
    }
    fn part(&self, i: usize) -> Buffer {
        self.buffer.items(i as i64 * self.count as i64, self.count)
    }
    /// Packed bytes per partition.
    fn bytes(&self) -> u64 {
        self.buffer.datatype.packed_size(self.count)
    }
    fn checked(&self, partition: c_int) -> Result<usize> {
        match usize::try_from(partition) {
            Ok(i) if i < self.partitions => Ok(i),
            _ => {
                let last = self.partitions - 1;
                fail!(c::ERR_ARG, "partition {partition}, but there are 0 to {last}")
            }
        }
    }
}

/// The layout that the sender sends, in `LAYOUT_WORDS` words.
#[derive(Clone, Copy)]
struct PartitionLayout {
    partitions: usize,
    bytes: u64,
    /// Tag of partition 0; each following partition has the next lower tag.
    first_tag: i32,
}
const LAYOUT_WORDS: usize = 3;

/// The next unused tag, below the wildcard.
static NEXT_TAG: Guarded<i32> = Guarded::new(workload::ANY_TAG - 1);

/// The first of `n` unused tags.
fn tags(held: &Held, n: usize) -> Result<i32> {
    let first = *NEXT_TAG.get(held);
    match i32::try_from(n).ok().and_then(|n| first.checked_sub(n)) {
        Some(next) => {
            *NEXT_TAG.get(held) = next;
            Ok(first)
        }
        None => fail!(c::ERR_OTHER, "more than 2^31 partitions have been prepared"),
    }
}

/// The sending side of one request.
pub(crate) struct PartitionedSend {
    cut: PartitionedBuffer,
    /// World rank; `None`: `MPI_PROC_NULL`.
    to: Option<u32>,
    context: u32,
    first_tag: i32,
    /// Token by partition, once it is marked ready.
    tokens: RefCell<Vec<Option<u32>>>,
    /// Send flags of the partitions. In the first round the receiver may not know the layout before
    /// it waits for this request, so the sender must not wait for the receiver. In later rounds the
    /// receiver's `MPI_Start` posts the receives.
    flags: Cell<u32>,
}

impl PartitionedSend {
    /// Sends the layout to the receiver.
    fn send_layout(&self, held: &Held, tag: c_int) {
        let Some(to) = self.to else { return };
        let layout = [self.cut.partitions as u64, self.cut.bytes(), self.first_tag as u64];
        let bytes = size_of_val(&layout) as u64;
        let fill = |out: *mut u8| unsafe { out.cast::<[u64; LAYOUT_WORDS]>().write(layout) };
        let block = p2p::packed(held, bytes, fill);
        let all = (bytes, block, NonContiguous::default());
        let token = p2p::send(held, to, self.context, tag, all, p2p::STANDARD);
        runtime::detach(held, token);
    }
    fn start(&self) {
        *self.tokens.borrow_mut() = vec![None; self.cut.partitions];
    }
    fn advance(&self, held: &Held) -> Option<Outcome> {
        let mut tokens = self.tokens.borrow_mut();
        let done = |t: &Option<u32>| t.is_some_and(|t| runtime::completion(held, t).is_some());
        if self.to.is_some() && !tokens.iter().all(done) {
            return None;
        }
        tokens.drain(..).flatten().for_each(|t| runtime::release_token(held, t));
        self.flags.set(p2p::STANDARD);
        Some(Outcome::empty())
    }
    fn open(&self, held: &Held, open: &mut Vec<u32>) -> bool {
        let tokens = self.tokens.borrow();
        let waits = |t: &&u32| runtime::completion(held, **t).is_none();
        open.extend(tokens.iter().flatten().filter(waits));
        tokens.iter().any(Option::is_none)
    }
    fn ready(&self, held: &Held, i: usize) -> Result {
        let Some(to) = self.to else { return Ok(()) };
        if self.tokens.borrow().get(i).is_none_or(Option::is_some) {
            return fail!(c::ERR_ARG, "partition {i} is marked ready for the second time");
        }
        let (part, bytes) = (self.cut.part(i), self.cut.bytes());
        // SAFETY: the block has the room; the program has marked the partition ready.
        let block = p2p::packed(held, bytes, |out| unsafe { part.pack(out, bytes) });
        let tag = self.first_tag - i as i32;
        let all = (bytes, block, part.noncontiguous());
        let token = p2p::send(held, to, self.context, tag, all, self.flags.get());
        self.tokens.borrow_mut()[i] = Some(token);
        Ok(())
    }
}

/// The receiving side of one request.
pub(crate) struct PartitionedReceive {
    cut: PartitionedBuffer,
    from: Option<u32>,
    context: u32,
    tag: c_int,
    comm: Arc<Communicator>,
    state: RefCell<Arrivals>,
}

#[derive(Default)]
struct Arrivals {
    /// The sender's layout once it has arrived, and the token of its receive until then.
    layout: Option<PartitionLayout>,
    layout_token: Option<u32>,
    started: bool,
    /// Tokens of the receives of the sender's partitions that have not arrived, by partition.
    tokens: Vec<Option<u32>>,
    left: usize,
    /// By own partition: number of the sender's partitions that overlap it and are missing.
    missing: Vec<usize>,
    /// Packed bytes, if the two sides have different partitions.
    staged: Vec<u8>,
}

impl PartitionedReceive {
    /// Posts the receive of the sender's layout.
    fn prepare(&self, held: &Held) {
        let Some(peer) = self.from else { return };
        let (kind, token, context, tag) =
            (kind::RECV, runtime::token(held), self.context, self.tag);
        let bytes = (LAYOUT_WORDS * size_of::<u64>()) as u64;
        let what = Submission { kind, token, peer, tag, context, bytes, ..Submission::default() };
        runtime::submit(held, what);
        self.state.borrow_mut().layout_token = Some(token);
    }
    fn start(&self, held: &Held) {
        {
            let state = &mut *self.state.borrow_mut();
            (state.started, state.left, state.missing) = (true, 0, Vec::new());
        }
        if self.state.borrow().layout.is_some() {
            self.post(held);
        }
    }
    /// Posts the receives of all the sender's partitions.
    fn post(&self, held: &Held) {
        let (Some(layout), Some(peer)) = (self.state.borrow().layout, self.from) else { return };
        // Complete before the first submission, which may admit other threads that inquire about
        // arrivals.
        self.expect(held, layout);
        let (kind, context, bytes) = (kind::RECV, self.context, layout.bytes);
        let recv_layout = self.cut.buffer.noncontiguous().first(bytes);
        for i in 0..layout.partitions {
            let token = self.state.borrow().tokens[i]
                .expect("nothing arrives before its receive is posted");
            let tag = layout.first_tag - i as i32;
            let what = Submission { kind, token, peer, tag, context, ..Submission::default() };
            runtime::submit(held, Submission { bytes, recv_layout, ..what });
        }
    }
    /// Resets the state: nothing has arrived.
    fn expect(&self, held: &Held, layout: PartitionLayout) {
        let state = &mut *self.state.borrow_mut();
        state.tokens = (0..layout.partitions).map(|_| Some(runtime::token(held))).collect();
        state.left = layout.partitions;
        state.missing = vec![0; self.cut.partitions];
        for i in 0..layout.partitions {
            self.overlapped(layout, i).for_each(|j| state.missing[j] += 1);
        }
        if !self.has_equal_partitions(layout) {
            state.staged = vec![0; layout.partitions * layout.bytes as usize];
        }
    }
    fn has_equal_partitions(&self, layout: PartitionLayout) -> bool {
        (layout.partitions, layout.bytes) == (self.cut.partitions, self.cut.bytes())
    }
    /// The own partitions that overlap the sender's partition `i`.
    fn overlapped(&self, layout: PartitionLayout, i: usize) -> std::ops::Range<usize> {
        let (theirs, ours) = (layout.bytes, self.cut.bytes());
        if self.has_equal_partitions(layout) {
            return i..i + 1;
        }
        if theirs == 0 || ours == 0 {
            // An empty partition overlaps all partitions: each has arrived only when all of it has.
            return 0..self.cut.partitions;
        }
        let (begin, end) = (i as u64 * theirs, (i as u64 + 1) * theirs);
        let all = self.cut.partitions;
        ((begin / ours) as usize).min(all)..(end.div_ceil(ours) as usize).min(all)
    }
    fn advance(&self, held: &Held) -> Option<Outcome> {
        if self.from.is_none() {
            return Some(Outcome::proc_null());
        }
        self.receive_layout(held);
        let layout = self.state.borrow().layout?;
        for i in 0..layout.partitions {
            let token = self.state.borrow().tokens.get(i).copied().flatten();
            if let Some(token) = token
                && let Some(done) = runtime::completion(held, token)
            {
                runtime::release_token(held, token);
                self.arrived(held, layout, i, &done);
            }
        }
        let mut state = self.state.borrow_mut();
        if !state.started || state.left > 0 {
            return None;
        }
        state.started = false;
        state.staged = Vec::new();
        Some(self.outcome(layout))
    }
    /// Receives the sender's layout, if it has arrived, and then posts what `start` could not.
    fn receive_layout(&self, held: &Held) {
        let Some(token) = self.state.borrow().layout_token else { return };
        let Some(done) = runtime::completion(held, token) else { return };
        runtime::release_token(held, token);
        let at = runtime::address(held, done.block).cast::<[u64; LAYOUT_WORDS]>();
        // SAFETY: written by `send_layout`.
        let [partitions, bytes, first_tag] = unsafe { at.read() };
        runtime::free(held, done.block);
        let layout =
            PartitionLayout { partitions: partitions as usize, bytes, first_tag: first_tag as i32 };
        let started = {
            let mut state = self.state.borrow_mut();
            (state.layout_token, state.layout) = (None, Some(layout));
            state.started
        };
        if started {
            self.post(held);
        }
    }
    /// The sender's partition `i` has arrived: unpacks the own partitions that are complete with
    /// it.
    fn arrived(&self, held: &Held, layout: PartitionLayout, i: usize, done: &wire::Completion) {
        let state = &mut *self.state.borrow_mut();
        let bytes = layout.bytes as usize;
        let data = runtime::address(held, done.block);
        let has_equal_partitions = self.has_equal_partitions(layout);
        if has_equal_partitions && bytes > 0 {
            // SAFETY: the block holds the sender's partition; the program provides the buffer.
            unsafe { self.cut.part(i).unpack(data, layout.bytes) };
        } else if bytes > 0 {
            let room = state.staged[i * bytes..][..bytes].as_mut_ptr();
            // SAFETY: the block holds that many bytes.
            unsafe { room.copy_from_nonoverlapping(data, bytes) };
        }
        runtime::free(held, done.block);
        state.tokens[i] = None;
        state.left -= 1;
        for j in self.overlapped(layout, i) {
            state.missing[j] -= 1;
            if state.missing[j] == 0 && !has_equal_partitions {
                let ours = self.cut.bytes() as usize;
                let packed = &state.staged[j * ours..];
                let n = packed.len().min(ours);
                // SAFETY: as above.
                unsafe { self.cut.part(j).unpack(packed.as_ptr(), n as u64) };
            }
        }
    }
    fn outcome(&self, layout: PartitionLayout) -> Outcome {
        let from = self.from.and_then(|world| self.comm.rank_of(world));
        let source = from.map_or(c::ANY_SOURCE, |r| r as c_int);
        let (sent, room) = (layout.partitions as u64 * layout.bytes, self.cut.buffer.bytes());
        let mut outcome = Outcome::message(source, self.tag, sent.min(room));
        if sent > room {
            let what = format!(
                "{} partitions of {} bytes from rank {source} for a buffer of {room} bytes",
                layout.partitions, layout.bytes
            );
            outcome.error = Some(Error::new(c::ERR_TRUNCATE, what));
        }
        outcome
    }
    /// Whether an own partition has arrived.
    fn has_arrived(&self, partition: usize) -> bool {
        let state = self.state.borrow();
        self.from.is_none() || !state.started || state.missing.get(partition) == Some(&0)
    }
}

fn checked_tag(held: &Held, tag: c_int) -> Result {
    let last = runtime::tag_max(held, tag);
    if tag < 0 || tag > last {
        return fail!(c::ERR_TAG, "tag is {tag}, wanted 0 to {last}");
    }
    Ok(())
}

/// The operation behind a partitioned request, and whether it is active.
fn parts(held: &Held, request: Request) -> Result<(Rc<Parts>, bool)> {
    let what = "not a request of partitioned communication";
    request::operation(held, request)?.ok_or_else(|| Error::new(c::ERR_REQUEST, what))
}

/// Marks partitions of an active send as ready.
fn mark_ready(request: Request, partitions: impl Iterator<Item = c_int>) -> Result {
    let held = &runtime::enter()?;
    let (operation, is_active) = parts(held, request)?;
    let Parts::Send(send) = &*operation else {
        return fail!(c::ERR_REQUEST, "a receive: only partitions of a send are marked ready");
    };
    if !is_active {
        return fail!(c::ERR_REQUEST, "the request is not active: call MPI_Start first");
    }
    for partition in partitions {
        send.ready(held, send.cut.checked(partition)?)?;
    }
    Ok(())
}

mpi_fn! {
    pub fn Psend_init(
        buf: *const c_void, partitions: c_int, count: Count, datatype: Datatype, dest: c_int,
        tag: c_int, comm: Comm, _info: Info, request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let at = comm::find(comm)?;
        checked_tag(held, tag)?;
        let to = match dest {
            c::PROC_NULL => None,
            _ => Some(at.world(at.checked(dest, "the destination")?)),
        };
        let cut = PartitionedBuffer::new(buf, partitions, count, datatype)?;
        let first_tag = tags(held, cut.partitions)?;
        let (context, tokens) = (at.partitioned_context(), RefCell::default());
        let flags = Cell::new(flag::BUFFERED);
        let outgoing = PartitionedSend { cut, to, context, first_tag, tokens, flags };
        outgoing.send_layout(held, tag);
        unsafe { *request = request::progressing(held, comm, Rc::new(Parts::Send(outgoing))) };
        Ok(())
    }
    pub fn Precv_init(
        buf: *mut c_void, partitions: c_int, count: Count, datatype: Datatype, source: c_int,
        tag: c_int, comm: Comm, _info: Info, request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let at = comm::find(comm)?;
        checked_tag(held, tag)?;
        if source == c::ANY_SOURCE {
            return fail!(c::ERR_RANK, "a partitioned receive from MPI_ANY_SOURCE");
        }
        let (from, tag) = p2p::envelope(held, source, tag, &at)?;
        let from = match from {
            Source::ProcNull => None,
            Source::Rank(world) => Some(world),
        };
        let cut = PartitionedBuffer::new(buf, partitions, count, datatype)?;
        let (context, state) = (at.partitioned_context(), RefCell::default());
        let incoming = PartitionedReceive { cut, from, context, tag, comm: at, state };
        incoming.prepare(held);
        let operation = Rc::new(Parts::Receive(incoming));
        unsafe { *request = request::progressing(held, comm, operation) };
        Ok(())
    }
    pub fn Pready(partition: c_int, request: Request) {
        mark_ready(request, std::iter::once(partition))
    }
    /// Both bounds are inclusive.
    pub fn Pready_range(low: c_int, high: c_int, request: Request) {
        if low > high {
            return fail!(c::ERR_ARG, "partitions {low} to {high}");
        }
        mark_ready(request, low..=high)
    }
    pub fn Pready_list(length: c_int, partitions: *const c_int, request: Request) {
        let list = unsafe { crate::datatype::calls::list(partitions, i64::from(length))? };
        mark_ready(request, list.into_iter().map(|p| p as c_int))
    }
    pub fn Parrived(request: Request, partition: c_int, flag: *mut c_int) {
        let held = &runtime::enter()?;
        if request == c::REQUEST_NULL {
            unsafe { *flag = 1 };
            return Ok(());
        }
        let (operation, is_active) = parts(held, request)?;
        let Parts::Receive(receive) = &*operation else {
            return fail!(c::ERR_REQUEST, "a send: only partitions of a receive arrive");
        };
        let partition = receive.cut.checked(partition)?;
        let has_arrived = |is_active: bool| !is_active || receive.has_arrived(partition);
        let mut yes = has_arrived(is_active);
        if !yes {
            let mut open = Vec::new();
            operation.open(held, &mut open);
            runtime::poll(held, &open);
            yes = has_arrived(parts(held, request)?.1);
        }
        unsafe { *flag = c_int::from(yes) };
        Ok(())
    }
}
