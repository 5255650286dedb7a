//! Collectives, with one submission per call. The rank writes its contribution to a working buffer
//! in shared memory, the simulator runs the rounds, and the rank reads the result.
//!
//! A `Plan` is one call with its arguments checked. Blocking, non-blocking and persistent forms
//! differ only in how they use the `InFlight` that a plan starts. `jobs` converts arguments to
//! plans: a `Job`, which is one submission, or on intercommunicators (`inter`) an `Exchange` of
//! messages. The other files are the three forms, and neighborhood collectives.

mod blocking;
mod exchange;
mod inter;
mod jobs;
mod neighbors;
mod nonblocking;
mod persistent;

use std::ffi::c_int;
use std::marker::PhantomData;
use std::ops::Add;
use std::sync::Arc;

use collectives::{ByteRange, Collective, Kind, Member, Ragged};
use workload::NonContiguous;
use workload::wire::{Submission, combine, flag, kind};

use crate::abi::{Datatype, Op, c};
use crate::buffer::Buffer;
use crate::comm::Communicator;
use crate::datatype;
use crate::error::Result;
use crate::op;
use crate::op::combiners::{self, Combiner};
use crate::request::{self, InFlight, Outcome};
use crate::runtime::{self, Held};
use exchange::Exchange;

/// Tag of the messages of `start_messages`. Those of one pair of ranks are received in the order
/// in which they are sent.
const MESSAGE_TAG: c_int = 0;

/// The source of contributions, or the destination of results.
#[derive(Clone)]
pub(crate) enum Side {
    Nothing,
    /// All blocks of the area, consecutive in the user's buffer too.
    Whole(Buffer),
    /// Block `i` of the area is buffer `i`.
    Blocks(Vec<Buffer>),
}

impl Side {
    /// Layout of the data of these blocks that has to be packed. Block `still` is in its place
    /// already.
    fn noncontiguous(
        &self,
        blocks: impl Iterator<Item = (u32, ByteRange)>,
        still: Option<u32>,
    ) -> NonContiguous {
        let all = match self {
            Side::Nothing => NonContiguous::default(),
            Side::Whole(buffer) => {
                let all = buffer.noncontiguous();
                let stays = |still| blocks.filter(|b| b.0 == still).map(|b| b.1.len).sum::<u64>();
                all.first(buffer.bytes() - still.map_or(0, stays).min(buffer.bytes()))
            }
            Side::Blocks(buffers) => {
                let moved = blocks.map(|b| b.0).filter(|&i| Some(i) != still);
                let each = moved.map(|i| buffers[i as usize].noncontiguous());
                each.fold(NonContiguous::default(), Add::add)
            }
        };
        all.first(NonContiguous::MOST)
    }
}

/// How operands are combined.
#[derive(Clone)]
pub(crate) struct Reduction {
    /// `combine::builtin`, or `combine::USER` if this process must combine.
    how: u32,
    /// Compared with the other members' value: see `Submission::means`.
    means: u32,
    commutes: bool,
    /// `None` if only the simulator combines.
    own: Option<Arc<Combiner>>,
}

impl Reduction {
    /// Checks that the operation is defined for the type.
    pub fn new(op: Op, handle: Datatype) -> Result<Reduction> {
        let (operation, datatype) = (op::get(op)?, datatype::committed(handle)?);
        operation.check(&datatype)?;
        let (how, commutes) = (operation.on_wire(&datatype), operation.is_commutative());
        let means = operation.wire_identity(&datatype);
        let own = Some(Arc::new(Combiner { operation, handle, datatype }));
        Ok(Reduction { how, means, commutes, own })
    }
    /// A reduction that the simulator can compute by itself.
    fn builtin(op: u32, element: u32) -> Reduction {
        let how = combine::builtin(op, element);
        Reduction { how, means: how, commutes: true, own: None }
    }
    /// Registers the combiner for COMBINE; returns its index, to be released when the operation is
    /// complete.
    fn register(&self, held: &Held) -> Option<usize> {
        let own = self.own.clone().filter(|_| self.how == combine::USER)?;
        Some(combiners::register(held, own))
    }
}

/// A call with its arguments checked.
enum Plan {
    /// On an intracommunicator: one submission.
    Job(Job),
    /// On an intercommunicator.
    Exchange(Exchange),
}

impl Plan {
    /// The persistent form. Members may start such calls in different orders, so calls are matched
    /// by the order of their preparation.
    fn persistent(self, comm: &Communicator) -> Plan {
        let channel = comm.next_channel();
        match self {
            Plan::Job(job) => Plan::Job(Job { channel, ..job }),
            Plan::Exchange(exchange) => Plan::Exchange(exchange.on_channel(channel)),
        }
    }
    fn start(&self, held: &Held) -> InFlight {
        match self {
            Plan::Job(job) => job.start(held),
            Plan::Exchange(exchange) => exchange.start(held),
        }
    }
}

impl From<Job> for Plan {
    fn from(job: Job) -> Plan {
        Plan::Job(job)
    }
}

#[derive(Clone)]
pub(crate) struct Job {
    comm: Arc<Communicator>,
    layout: Collective,
    outgoing: Side,
    incoming: Side,
    reduction: Option<Reduction>,
    /// The rank's own block is in the buffer of all blocks and stays there: it is neither packed
    /// nor unpacked, though the working buffer contains it.
    in_place: bool,
    flags: u32,
    /// 0, or the number of a persistent call on this communicator.
    channel: u32,
}

impl Job {
    pub fn new(comm: &Arc<Communicator>, kind: Kind, bytes: u64) -> Job {
        let layout = Collective {
            kind,
            // The simulator selects the algorithm; the layout of the working buffer depends on the
            // kind only.
            algorithm: kind.algorithms()[0],
            member: Member { rank: comm.rank, size: comm.size() },
            root: 0,
            bytes,
            grain: 1,
            ragged: None,
            nodes: None,
        };
        let (outgoing, incoming) = (Side::Nothing, Side::Nothing);
        let (comm, reduction, in_place, flags, channel) = (comm.clone(), None, false, 0, 0);
        Job { comm, layout, outgoing, incoming, reduction, in_place, flags, channel }
    }
    pub fn root(mut self, root: u32) -> Job {
        self.layout.root = root;
        self
    }
    pub fn ragged(mut self, lengths: impl IntoIterator<Item = u64>) -> Job {
        self.layout.ragged = Some(Ragged::new(lengths));
        self
    }
    /// See the field.
    pub fn in_place(mut self, in_place: bool) -> Job {
        self.in_place = in_place;
        self
    }
    pub fn outgoing(mut self, outgoing: Side) -> Job {
        self.outgoing = outgoing;
        self
    }
    pub fn incoming(mut self, incoming: Side) -> Job {
        self.incoming = incoming;
        self
    }
    /// Size of an element, in bytes.
    pub fn elements(mut self, bytes: u64) -> Job {
        self.layout.grain = bytes.max(1);
        self
    }
    pub fn reducing(mut self, reduction: Reduction, grain: u64) -> Job {
        self.reduction = Some(reduction);
        self.elements(grain)
    }
    /// The allreduce by which MPICH agrees on a context id; its completion carries the new
    /// contexts.
    pub fn agreement(comm: &Arc<Communicator>, bytes: u64) -> Job {
        let reduction = Reduction::builtin(combine::op::BAND, combine::element::U32);
        let mut job = Job::new(comm, Kind::Allreduce, bytes).reducing(reduction, 4);
        job.flags = flag::NEW_CONTEXTS;
        job
    }

    /// Submits without user buffers. Returns the token, and the working buffer to free on
    /// completion.
    pub fn submit(&self, held: &Held) -> (u32, u64) {
        let block = self.working_buffer(held);
        (self.submit_block(held, block, 0, None), block)
    }

    fn working_buffer(&self, held: &Held) -> u64 {
        match self.layout.buffer_bytes() {
            0 => 0,
            bytes => runtime::alloc(held, bytes),
        }
    }

    fn submit_block(&self, held: &Held, block: u64, ragged: u64, place: Option<usize>) -> u32 {
        let token = runtime::token(held);
        let (how, means, commutes) = match &self.reduction {
            Some(r) => (r.how, r.means, r.commutes),
            None => (combine::NONE, 0, false),
        };
        let commutes = if commutes { flag::COMMUTATIVE } else { 0 };
        let still = self.in_place.then_some(self.layout.member.rank);
        runtime::submit(
            held,
            Submission {
                kind: kind::COLLECTIVE,
                flags: self.flags | commutes,
                token,
                peer: self.comm.rank,
                tag: self.channel as i32,
                context: self.comm.context,
                root: self.layout.root,
                bytes: self.layout.bytes,
                block,
                collective: self.layout.kind as u32,
                ragged,
                ragged_len: self.layout.ragged.as_ref().map_or(0, |r| r.len() as u32),
                combine: how,
                grain: self.layout.grain,
                op: place.unwrap_or(0) as u64,
                means,
                send_layout: self.outgoing.noncontiguous(self.layout.deposits(), still),
                recv_layout: self.incoming.noncontiguous(self.layout.collects(), still),
                ..Submission::default()
            },
        );
        token
    }

    /// The block lengths, in shared memory; 0 if all are equal.
    fn write_lengths(&self, held: &Held) -> u64 {
        self.layout.ragged.as_ref().map_or(0, |lengths| {
            let at = runtime::alloc(held, 8 * lengths.len() as u64);
            let out = runtime::address(held, at).cast::<u64>();
            for (i, len) in lengths.lengths().enumerate() {
                // SAFETY: the block has room for all lengths.
                unsafe { out.add(i).write(len) };
            }
            at
        })
    }

    /// Writes the contribution, submits, and reads the result on completion.
    pub fn start(&self, held: &Held) -> InFlight {
        let block = self.working_buffer(held);
        let base = runtime::address(held, block);
        if block != 0 {
            // SAFETY: the user's buffers are readable until the call or request completes; the
            // working buffer holds every part that the layout names.
            unsafe {
                match &self.outgoing {
                    Side::Nothing => {}
                    Side::Whole(buffer) => {
                        let area = self.layout.deposit_area();
                        buffer.pack(base.add(area.at as usize), area.len);
                    }
                    Side::Blocks(buffers) => {
                        for (i, part) in self.layout.deposits() {
                            buffers[i as usize].pack(base.add(part.at as usize), part.len);
                        }
                    }
                }
            }
        }
        let ragged = self.write_lengths(held);
        let place = self.reduction.as_ref().and_then(|r| r.register(held));
        let token = self.submit_block(held, block, ragged, place);
        let (layout, incoming) = (self.layout.clone(), self.incoming.clone());
        let on_complete = move |held: &Held, _: &[_]| {
            if block != 0 {
                // SAFETY: as above; the simulator no longer uses the working buffer.
                unsafe { collect(&layout, &incoming, runtime::address(held, block)) };
            }
            runtime::free(held, block);
            runtime::free(held, ragged);
            if let Some(place) = place {
                combiners::release(held, place);
            }
            Outcome::empty()
        };
        InFlight { tokens: vec![token], on_complete: Box::new(on_complete) }
    }
}

unsafe fn collect(layout: &Collective, incoming: &Side, base: *const u8) {
    unsafe {
        match incoming {
            Side::Nothing => {}
            Side::Whole(buffer) => {
                let area = layout.collect_area();
                buffer.unpack(base.add(area.at as usize), area.len);
            }
            Side::Blocks(buffers) => {
                for (i, part) in layout.collects() {
                    buffers[i as usize].unpack(base.add(part.at as usize), part.len);
                }
            }
        }
    }
}

/// Gathers `mine` of every rank, by rank, and the first of `size` new contexts.
pub(crate) fn allgather<T: Copy>(held: &Held, comm: &Arc<Communicator>, mine: T) -> (Vec<T>, u32) {
    allgather_with(held, comm, mine, flag::NEW_CONTEXTS)
}

/// Gathers `mine` of every rank, by rank. Completes on no rank before every rank has called.
pub(crate) fn allgather_values<T: Copy>(held: &Held, comm: &Arc<Communicator>, mine: T) -> Vec<T> {
    allgather_with(held, comm, mine, 0).0
}

fn allgather_with<T: Copy>(
    held: &Held,
    comm: &Arc<Communicator>,
    mine: T,
    flags: u32,
) -> (Vec<T>, u32) {
    let mut job = Job::new(comm, Kind::Allgather, size_of::<T>() as u64);
    job.flags = flags;
    let block = job.working_buffer(held);
    let base = runtime::address(held, block).cast::<T>();
    // SAFETY: the layout of an allgather is one block per rank, in rank order; blocks are aligned.
    unsafe { base.add(comm.rank as usize).write(mine) };
    let token = job.submit_block(held, block, 0, None);
    request::wait_all(held, &[token]);
    let first = runtime::completion(held, token).expect("waited for").value as u32;
    // SAFETY: as above, and all blocks have arrived.
    let all = (0..comm.size() as usize).map(|i| unsafe { base.add(i).read() }).collect();
    runtime::release_token(held, token);
    runtime::free(held, block);
    (all, first)
}

/// Gathers the lists of all ranks, concatenated in rank order.
pub(crate) fn allgather_lists<T: Copy>(
    held: &Held,
    comm: &Arc<Communicator>,
    mine: &[T],
) -> Vec<T> {
    let (counts, _) = allgather(held, comm, mine.len() as u64);
    let item = size_of::<T>() as u64;
    let job = Job::new(comm, Kind::Allgatherv, mine.len() as u64 * item)
        .ragged(counts.iter().map(|n| n * item));
    let block = job.working_buffer(held);
    let base = runtime::address(held, block);
    let (own, all) = (job.layout.deposit_area(), job.layout.collect_area());
    // SAFETY: the layout gives the place and the size of the own list.
    unsafe {
        base.add(own.at as usize).copy_from_nonoverlapping(mine.as_ptr().cast(), own.len as usize);
    }
    let ragged = job.write_lengths(held);
    let token = job.submit_block(held, block, ragged, None);
    request::wait_all(held, &[token]);
    runtime::release_token(held, token);
    let count = (all.len / item) as usize;
    // SAFETY: as above, and all lists have arrived.
    let lists = unsafe {
        let first = base.add(all.at as usize).cast::<T>();
        (0..count).map(|i| first.add(i).read_unaligned()).collect()
    };
    runtime::free(held, block);
    runtime::free(held, ragged);
    lists
}

/// A collective of values in flight.
pub(crate) struct ValuesInFlight<T> {
    pub token: u32,
    block: u64,
    /// Place of the received values in the block, and their number.
    at: u64,
    count: usize,
    values: PhantomData<T>,
}

impl<T: Copy> ValuesInFlight<T> {
    /// Deposits `mine`; collects `count` values.
    fn start(held: &Held, job: &Job, mine: &[T], count: usize) -> ValuesInFlight<T> {
        let block = job.working_buffer(held);
        let base = runtime::address(held, block);
        let (deposit, collect) = (job.layout.deposit_area(), job.layout.collect_area());
        // SAFETY: the layout gives the places; each area has as many values.
        unsafe {
            let to = base.add(deposit.at as usize).cast::<T>();
            (0..mine.len()).for_each(|i| to.add(i).write_unaligned(mine[i]));
        }
        let token = job.submit_block(held, block, 0, None);
        ValuesInFlight { token, block, at: collect.at, count, values: PhantomData }
    }
    /// The received values, after completion of the token. Releases it.
    pub fn take(self, held: &Held) -> Vec<T> {
        runtime::release_token(held, self.token);
        // SAFETY: as above, and all values have arrived.
        let values = unsafe {
            let first = runtime::address(held, self.block).add(self.at as usize).cast::<T>();
            (0..self.count).map(|i| first.add(i).read_unaligned()).collect()
        };
        runtime::free(held, self.block);
        values
    }
}

/// Gathers `mine` of every rank, by rank.
pub(crate) fn start_allgather<T: Copy>(
    held: &Held,
    comm: &Arc<Communicator>,
    mine: T,
) -> ValuesInFlight<T> {
    let job = Job::new(comm, Kind::Allgather, size_of::<T>() as u64);
    ValuesInFlight::start(held, &job, &[mine], comm.size() as usize)
}

/// Sends word `i` to rank `i`; receives the words from all ranks, by rank.
pub(crate) fn start_alltoall(
    held: &Held,
    comm: &Arc<Communicator>,
    mine: &[u64],
) -> ValuesInFlight<u64> {
    let job = Job::new(comm, Kind::Alltoall, size_of::<u64>() as u64);
    ValuesInFlight::start(held, &job, mine, mine.len())
}

/// The maximum of `mine` over all ranks.
pub(crate) fn start_maximum(
    held: &Held,
    comm: &Arc<Communicator>,
    mine: u64,
) -> ValuesInFlight<u64> {
    let reduction = Reduction::builtin(combine::op::MAX, combine::element::U64);
    let word = size_of::<u64>() as u64;
    let job = Job::new(comm, Kind::Allreduce, word).reducing(reduction, word);
    ValuesInFlight::start(held, &job, &[mine], 1)
}

/// Sends a message to each rank of `outgoing` and receives one into each element of `incoming`, as
/// messages that implement collectives. The memory of all must stay until completion.
pub(crate) fn start_messages(
    held: &Held,
    comm: &Arc<Communicator>,
    outgoing: &[(usize, Vec<u8>)],
    incoming: &mut [(usize, Vec<u8>)],
) -> Result<InFlight> {
    let buffer = |at: *const u8, n: usize| Buffer::new(at.cast(), n as i64, c::BYTE);
    let mut sends = Vec::with_capacity(outgoing.len());
    for (rank, message) in outgoing {
        sends.push((Some(*rank as u32), MESSAGE_TAG, buffer(message.as_ptr(), message.len())?));
    }
    let mut receives = Vec::with_capacity(incoming.len());
    for (rank, message) in incoming {
        let into = buffer(message.as_mut_ptr(), message.len())?;
        receives.push((Some(*rank as u32), MESSAGE_TAG, into));
    }
    Ok(Exchange::new(comm, sends, receives).start(held))
}

/// Broadcasts the root's words to the communicator.
pub(crate) fn broadcast_words(
    held: &Held,
    comm: &Arc<Communicator>,
    root: u32,
    words: &[u32],
) -> Vec<u32> {
    let length = broadcast_exactly(held, comm, root, &[words.len() as u32])[0];
    let mut words = words.to_vec();
    words.resize(length as usize, 0);
    broadcast_exactly(held, comm, root, &words)
}

/// The same if every rank knows the number of words.
fn broadcast_exactly(held: &Held, comm: &Arc<Communicator>, root: u32, words: &[u32]) -> Vec<u32> {
    let job = Job::new(comm, Kind::Bcast, 4 * words.len() as u64).root(root);
    let block = job.working_buffer(held);
    let at = runtime::address(held, block).cast::<u32>();
    // SAFETY: the working buffer of a broadcast is the broadcast data.
    unsafe { at.copy_from_nonoverlapping(words.as_ptr(), words.len()) };
    let token = job.submit_block(held, block, 0, None);
    request::wait_all(held, &[token]);
    runtime::release_token(held, token);
    // SAFETY: as above, and the root's words have arrived.
    let received = (0..words.len()).map(|i| unsafe { at.add(i).read() }).collect();
    runtime::free(held, block);
    received
}

#[cfg(test)]
mod tests;
