//! Collectives made of point-to-point messages: one to and one from every rank with a block to
//! exchange, in a separate context. Used for neighborhoods and intercommunicators.

use std::ffi::c_int;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use workload::wire::Completion;

use crate::abi::c;
use crate::buffer::Buffer;
use crate::comm::Communicator;
use crate::error::{Result, fail};
use crate::op::{self, combiners::Combiner};
use crate::p2p::{CheckedReceive, CheckedSend, Source};
use crate::request::{InFlight, OnComplete, Outcome};
use crate::runtime::Held;

/// All messages of one call.
pub(super) struct Exchange {
    receives: Vec<CheckedReceive>,
    sends: Vec<CheckedSend>,
    /// The received data are operands of this reduction, not the user's data.
    fold: Option<Rc<Fold>>,
}

impl Exchange {
    /// Sends `outgoing` to ranks of the communicator and receives `incoming` from them, each with a
    /// tag.
    pub fn new(
        comm: &Arc<Communicator>,
        outgoing: impl IntoIterator<Item = (Option<u32>, c_int, Buffer)>,
        incoming: impl IntoIterator<Item = (Option<u32>, c_int, Buffer)>,
    ) -> Exchange {
        let context = comm.messages_context();
        let world = |rank: Option<u32>| rank.map(|r| comm.world(r));
        let send = |(to, tag, buffer)| CheckedSend::own(buffer, world(to), context, tag);
        let receive = |(from, tag, buffer)| {
            let from = world(from).map_or(Source::ProcNull, Source::Rank);
            CheckedReceive::own(buffer, from, context, tag, comm.clone())
        };
        Exchange {
            sends: outgoing.into_iter().map(send).collect(),
            receives: incoming.into_iter().map(receive).collect(),
            fold: None,
        }
    }

    /// The same with tags of its own.
    pub fn on_channel(mut self, channel: u32) -> Exchange {
        // Tags without a channel are kinds of collectives, or twice the dimensions of a grid.
        let by = (channel as c_int & 0xff_ffff) << 6;
        self.receives.iter_mut().for_each(|r| r.shift_tag(by));
        self.sends.iter_mut().for_each(|s| s.shift_tag(by));
        self
    }
    /// The received data are operands of a reduction.
    pub fn folding(mut self, fold: Fold) -> Exchange {
        self.fold = Some(Rc::new(fold));
        self
    }

    pub fn start(&self, held: &Held) -> InFlight {
        let mut tokens = Vec::new();
        let mut callbacks: Vec<(usize, OnComplete)> = Vec::new();
        let receives = self.receives.iter().map(|r| r.start(held)).collect::<Vec<InFlight>>();
        for in_flight in receives.into_iter().chain(self.sends.iter().map(|s| s.start(held))) {
            callbacks.push((in_flight.tokens.len(), in_flight.on_complete));
            tokens.extend(in_flight.tokens);
        }
        let (fold, arriving) = (self.fold.clone(), self.receives.len());
        let on_complete = move |held: &Held, done: &[Completion]| {
            let (mut rest, mut error) = (done, None);
            for (n, on_complete) in callbacks {
                let (mine, others) = rest.split_at(n);
                error = error.or(on_complete(held, mine).error);
                rest = others;
            }
            if let (Some(fold), None) = (fold, &error) {
                error = fold.run(&done[..arriving]).err();
            }
            Outcome { error, ..Outcome::empty() }
        };
        InFlight { tokens, on_complete: Box::new(on_complete) }
    }
}

/// Combines received operands, one per rank, in rank order.
pub(super) struct Fold {
    combiner: Arc<Combiner>,
    memory: AlignedMemory,
    /// Bytes of one operand, and the range of them that is combined.
    length: u64,
    part: Range<u64>,
    into: Buffer,
}

impl Fold {
    /// Combines `part` of all peers' operands, `length` bytes each, `into` the user's buffer.
    pub fn new(
        comm: &Communicator,
        combiner: Arc<Combiner>,
        length: u64,
        part: Range<u64>,
        into: Buffer,
    ) -> Fold {
        let memory = AlignedMemory::new(aligned(length) * comm.peers().len() as u64);
        Fold { combiner, memory, length, part, into }
    }
    /// The receive buffer of each operand.
    pub fn operand_buffers(&self, comm: &Communicator) -> Result<Vec<Buffer>> {
        let place = |rank| {
            let at = self.memory.at(aligned(self.length) * rank as u64);
            Buffer::new(at.cast_const().cast(), self.length as i64, c::BYTE)
        };
        (0..comm.peers().len()).map(place).collect()
    }

    fn run(&self, arrived: &[Completion]) -> Result {
        if let Some(short) = arrived.iter().find(|d| d.bytes != self.length) {
            let (got, wanted) = (short.bytes, self.length);
            return fail!(
                c::ERR_TRUNCATE,
                "a rank contributed {got} bytes to the reduction, others {wanted}"
            );
        }
        let Combiner { operation, handle, datatype } = &*self.combiner;
        let bytes = self.part.end - self.part.start;
        let count = datatype.items(bytes).expect("no part cuts between elements");
        let operand = |i: usize| self.memory.at(aligned(self.length) * i as u64 + self.part.start);
        let result = AlignedMemory::new(bytes);
        let sum = result.at(0);
        // SAFETY: the memory has all operands at full length, and no other code accesses it now.
        unsafe {
            sum.copy_from_nonoverlapping(operand(0), bytes as usize);
            for i in 1..arrived.len() {
                let next = operand(i);
                op::combine_packed(operation, (*handle, datatype), count, sum, next, false);
            }
            self.into.unpack(sum, bytes);
        }
        Ok(())
    }
}

fn aligned(bytes: u64) -> u64 {
    bytes.next_multiple_of(16)
}

/// Memory at a fixed address, aligned for any type that a program's function may use. The library
/// writes to it asynchronously, so it is accessed through pointers only.
struct AlignedMemory(*mut [u128]);

impl AlignedMemory {
    fn new(bytes: u64) -> AlignedMemory {
        AlignedMemory(Box::into_raw(vec![0; bytes.div_ceil(16) as usize].into()))
    }
    fn at(&self, offset: u64) -> *mut u8 {
        self.0.cast::<u8>().wrapping_add(offset as usize)
    }
}
impl Drop for AlignedMemory {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` and owned by this object alone.
        drop(unsafe { Box::from_raw(self.0) });
    }
}
