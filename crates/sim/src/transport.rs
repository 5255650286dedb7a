//! Transport of messages between ranks: the protocol phases of a send, through a node's memory or
//! through NICs.
//!
//! Eager: envelope and data travel together. Rendezvous: a request to send carries the first part.
//! After the match, the receiver's NIC fetches the rest from the sender's NIC, and a last message
//! notifies the sender. Within a node the receiver copies the data itself, or the sender writes it
//! to cells.
//!
//! The transport owns the kernel, the limits and the memory of nodes, which every phase needs. It
//! is the context of the components that send messages between ranks. What follows from an arrival
//! is not part of it: `World` passes arrivals to the component that the send belongs to.

use crate::costs::{GpuSide, GpuTransfer};
use crate::event::{HostEvent, InFlight, MessageOwner, ProtocolPhase, SendId};
use crate::gpu::Admission;
use crate::intranode::Intranode;
use crate::job::{Buffers, Job};
use crate::kernel::{Kernel, Outbound};
use crate::limit_checker::LimitChecker;
use crate::named_nics::NamedNics;
use crate::pairs::Pairs;
use crate::send::{Delivery, Pair, Purpose, Send, ends, is_back};
use base::{IndexVec, Slab, Span, Time};
use machine::NicId;
use net::{Completion, NetworkModel, Origin};

pub(crate) struct Transport<'j, N: NetworkModel> {
    pub kernel: Kernel<'j, N>,
    pub limit_checker: LimitChecker,
    pub intranode: Intranode,
    pub sends: Slab<SendId, Send>,
    /// NICs that the workload named for sends.
    pub named: NamedNics,
    /// Processing time per message at each receiving NIC, in addition to its bytes.
    handling: IndexVec<NicId, Span>,
    /// Order and traffic of each pair of ranks.
    pub pairs: Pairs<Pair>,
}

impl<'j, N: NetworkModel> Transport<'j, N> {
    /// For `n` simulated ranks.
    pub fn new(job: &'j Job, n: usize) -> Self {
        Transport {
            kernel: Kernel::new(job, n),
            limit_checker: LimitChecker::new(job),
            intranode: Intranode::new(job),
            // Unused capacity takes no physical memory.
            sends: Slab::with_capacity(16 * n),
            named: NamedNics::default(),
            handling: job.handling(),
            pairs: Pairs::new(),
        }
    }

    /// Starts a protocol phase: through the node's memory or the NIC.
    pub fn depart(&mut self, in_flight: InFlight) {
        if let Some(timeline) = &mut self.kernel.timeline
            && matches!(in_flight.phase, ProtocolPhase::Eager | ProtocolPhase::RequestToSend)
        {
            timeline.sent(in_flight.send, Time(self.kernel.now.0 - self.kernel.origin.0));
        }
        let send = &self.sends[in_flight.send];
        if send.same_node {
            let (_, dst) = ends(send, in_flight.phase);
            let when = self.intranode.arrives_at(&mut self.kernel, send, in_flight.phase);
            let arrival = HostEvent::Arrive(MessageOwner::Send(in_flight));
            return self.kernel.schedule(dst, when, arrival);
        }
        if self.kernel.job.buffers == Buffers::Host || self.admits(in_flight) {
            self.start_phase(in_flight);
        }
    }

    /// Whether a message may leave its rank now. Otherwise it is queued behind other reads of GPU
    /// memory.
    fn admits(&mut self, in_flight: InFlight) -> bool {
        let send = self.sends[in_flight.send];
        let job = self.kernel.job;
        let is_read = !matches!(in_flight.phase, ProtocolPhase::Get | ProtocolPhase::Finished);
        let method = || job.gpu_transfer(job.buffers_of(&send), false, send.bytes, GpuSide::Out);
        if !is_read || method() != GpuTransfer::Nic {
            return true;
        }
        let (bytes, _) = job.on_wire(&send, in_flight.phase);
        let nic = self.nics_of(in_flight).0;
        let nth = nic.0 - job.machine.nics_of_same_node(nic).start;
        let (gpus, now) = (self.intranode.gpus(), self.kernel.now);
        match gpus.admit((send.from, in_flight), nth, bytes, now) {
            Admission::Admitted => true,
            Admission::Queued(next) => {
                if let Some((arbiter, when)) = next {
                    self.kernel.schedule(send.from, when, HostEvent::Serve(arbiter));
                }
                false
            }
        }
    }

    /// An arbiter of reads of GPU memory is free: serves the next message.
    pub fn serve(&mut self, arbiter: u32) {
        let in_flight = self.intranode.gpus().next(arbiter);
        let send = self.sends[in_flight.send];
        let (bytes, _) = self.kernel.job.on_wire(&send, in_flight.phase);
        if let Some(when) = self.intranode.gpus().serve(arbiter, bytes, self.kernel.now) {
            self.kernel.schedule(send.from, when, HostEvent::Serve(arbiter));
        }
        self.start_phase(in_flight);
    }

    /// Starts a protocol phase through the network, now or when other delays are over.
    fn start_phase(&mut self, in_flight: InFlight) {
        let when = self.leaves_at(in_flight);
        if when > self.kernel.now {
            let rank = ends(&self.sends[in_flight.send], in_flight.phase).0;
            let rank = self.kernel.representative(rank);
            self.kernel.schedule(rank, when, HostEvent::Inject(in_flight));
        } else {
            self.inject_phase(in_flight);
        }
    }

    /// Time at which the data of a protocol phase can enter the network.
    #[inline]
    fn leaves_at(&mut self, in_flight: InFlight) -> Time {
        let Send { from, to, .. } = self.sends[in_flight.send];
        let command_time = match in_flight.phase {
            ProtocolPhase::Eager | ProtocolPhase::RequestToSend => {
                self.kernel.command(self.kernel.representative(from))
            }
            ProtocolPhase::Get | ProtocolPhase::Data | ProtocolPhase::Finished => self.kernel.now,
        };
        let now = command_time + self.far_nics(in_flight) + self.host_ends(in_flight.phase, to);
        match self.kernel.job.buffers {
            Buffers::Host => now,
            Buffers::Gpu => {
                let (job, send) = (self.kernel.job, &self.sends[in_flight.send]);
                self.intranode.leaves_gpu_at(job, send, in_flight.phase, now)
            }
        }
    }

    /// A protocol phase enters the network.
    pub fn inject_phase(&mut self, in_flight: InFlight) {
        let send = &self.sends[in_flight.send];
        let job = self.kernel.job;
        let src = ends(send, in_flight.phase).0;
        let nics = self.nics_of(in_flight);
        let (bytes, origin) = job.on_wire(send, in_flight.phase);
        let data = job.on_wire(send, ProtocolPhase::Data).0;
        let pieces = match in_flight.phase {
            ProtocolPhase::Data if !self.names_nics(in_flight.send) => self.stripes(send, nics),
            _ => 1,
        };
        if matches!(in_flight.phase, ProtocolPhase::Eager | ProtocolPhase::RequestToSend) {
            self.limit_checker.limits.send(src);
        }
        if in_flight.phase == ProtocolPhase::Get && job.machine.nic.response > 0 {
            // The receiver's NIC fetches the data: it arrives as the response to the request.
            let in_flight = InFlight { phase: ProtocolPhase::Data, ..in_flight };
            self.kernel.trace_queue(&self.sends[in_flight.send]);
            return self.send(in_flight, nics, 0, (origin, Completion::Initiator(data)));
        }
        self.sends[in_flight.send].pieces = pieces - 1;
        if matches!(in_flight.phase, ProtocolPhase::Eager | ProtocolPhase::Data) {
            self.kernel.trace_queue(&self.sends[in_flight.send]);
        }
        let pieces = u32::from(pieces);
        for piece in 0..pieces {
            let share = |n: u32| bytes / u64::from(pieces) * u64::from(n);
            let last = piece + 1 == pieces;
            let bytes = if last { bytes } else { share(piece + 1) } - share(piece);
            let nics = self.piece_nics(nics, piece);
            self.send(in_flight, nics, bytes, (origin, Completion::Target));
        }
    }

    /// Injects a message of a protocol phase.
    fn send(
        &mut self,
        in_flight: InFlight,
        nics: (NicId, NicId),
        bytes: u64,
        (origin, completion): (Origin, Completion),
    ) {
        let receiver = if completion == Completion::Target { nics.1 } else { nics.0 };
        // MPI messages are posted, matched and completed at the receiver's NIC.
        let handling = match in_flight.phase {
            ProtocolPhase::Eager | ProtocolPhase::RequestToSend | ProtocolPhase::Data => {
                self.handling[receiver]
            }
            ProtocolPhase::Get | ProtocolPhase::Finished => Span::ZERO,
        };
        let in_order = in_flight.phase != ProtocolPhase::Data;
        let rank = self.sends[in_flight.send].from;
        let outbound = Outbound { rank, nics, bytes, origin, completion, in_order, handling };
        self.kernel.send(MessageOwner::Send(in_flight), outbound);
    }

    /// Number of pieces of the data of a rendezvous, each through another NIC.
    fn stripes(&self, send: &Send, (src, dst): (NicId, NicId)) -> u16 {
        let nics = |nic| self.kernel.job.machine.nics_of_same_node(nic).len() as u32;
        let most = nics(src).min(nics(dst)).min(u16::MAX.into());
        self.kernel.job.library.stripes(send.bytes, most) as u16
    }

    /// The NICs of the `nth` piece: the ranks' own, then the next ones of their nodes.
    fn piece_nics(&self, (src, dst): (NicId, NicId), nth: u32) -> (NicId, NicId) {
        (self.kernel.nth_nic_of_node(src, nth), self.kernel.nth_nic_of_node(dst, nth))
    }

    /// An envelope arrives. Returns false if the receiver's endpoint rejects it: it arrives later.
    #[inline]
    pub fn accepts(&mut self, in_flight: InFlight, send: &Send) -> bool {
        if !send.same_node {
            let (limits, kernel) = (&mut self.limit_checker, &mut self.kernel);
            if limits.deferred_by_flow_control(kernel, in_flight, send.to) {
                return false;
            }
            if in_flight.phase == ProtocolPhase::Eager {
                limits.limits.sent(send.from);
            }
        }
        true
    }

    /// Fetches the rest of a rendezvous. In the network the receiver's NIC fetches it. Within a
    /// node the receiver copies it, or has the sender write it to cells.
    pub fn fetch_data(&mut self, id: SendId) {
        let send = &self.sends[id];
        if send.same_node {
            let phase = self.kernel.job.next_phase_within_node(send);
            return self.depart(InFlight { send: id, phase });
        }
        let to = self.kernel.representative(send.to);
        let events = self.kernel.job.library.rendezvous_event * 2;
        if self.limit_checker.limits.is_software(to) {
            // Matched in software: the CPU issues the fetch, not the NIC.
            let when = self.kernel.occupy_cpu(to, Span::ZERO);
            self.kernel.schedule(to, when, HostEvent::Fetch(id));
        } else {
            self.limit_checker.limits.offload(to);
            self.depart(InFlight { send: id, phase: ProtocolPhase::Get });
        }
        if events > Span::ZERO {
            self.kernel.occupy_cpu(to, events);
        }
    }

    /// The sender of a message between nodes observes that its last protocol phase has arrived;
    /// returns when its CPU has handled that event.
    pub fn observe_end(&mut self, send: &Send) -> Time {
        let event = self.kernel.job.library.rendezvous_event;
        if !send.rendezvous || event == Span::ZERO {
            return self.kernel.now;
        }
        let from = self.kernel.representative(send.from);
        self.kernel.occupy_cpu(from, event)
    }

    /// CPU time of the receiver for a message whose data has arrived, and the time at which the
    /// data is in its buffer, excluding CPU time.
    #[inline]
    pub fn receive(&mut self, send: &Send, delivery: Delivery) -> (Span, Time) {
        let job = self.kernel.job;
        let (cost, copy) = (job.receive_cost(send), job.eager_copy_time(send));
        let usable = self.intranode.usable_at(&self.kernel, send);
        let is_direct = delivery == Delivery::Expected
            && job.library.eager_direct
            && !self.limit_checker.limits.is_software(self.kernel.representative(send.to));
        if is_direct { (cost, usable + copy) } else { (cost + copy, usable) }
    }

    /// A message of a pair of ranks leaves.
    pub fn count_pair(&mut self, from: u32, to: u32, bytes: u64) {
        let pair = self.pairs.id(from, to);
        self.pairs[pair].messages += 1;
        self.pairs[pair].bytes += bytes;
    }
}

/// The NICs of a message: those of its ranks, unless the workload names others.
impl<N: NetworkModel> Transport<'_, N> {
    /// Whether the workload named the NICs of this send. Such a message is not striped.
    #[inline]
    fn names_nics(&self, send: SendId) -> bool {
        self.named_for(send).is_some()
    }

    #[inline]
    fn named_for(&self, send: SendId) -> Option<[u8; 2]> {
        // A message of a collective may reuse the id of a send with named NICs.
        let named = self.named.of(send)?;
        matches!(self.sends[send].purpose, Purpose::User { .. }).then_some(named)
    }

    /// Source and destination NIC of a protocol phase.
    #[inline]
    pub fn nics_of(&self, in_flight: InFlight) -> (NicId, NicId) {
        let kernel = &self.kernel;
        let (src, dst) = ends(&self.sends[in_flight.send], in_flight.phase);
        let (a, b) = (kernel.nic_of(src), kernel.nic_of(dst));
        let Some([own, peer]) = self.named_for(in_flight.send) else { return (a, b) };
        let (a_nth, b_nth) = if is_back(in_flight.phase) { (peer, own) } else { (own, peer) };
        (kernel.nth_nic_of_node(a, a_nth.into()), kernel.nth_nic_of_node(b, b_nth.into()))
    }

    /// Additional host latency of a protocol phase: the host that commands it and the host that
    /// observes it. The receiver's NIC matches a request to send and fetches the data by itself,
    /// unless its host does both; the sender's NIC sends the data.
    fn host_ends(&self, phase: ProtocolPhase, to: u32) -> Span {
        let limits = &self.limit_checker.limits;
        let ends = match phase {
            ProtocolPhase::Eager => 2,
            ProtocolPhase::RequestToSend | ProtocolPhase::Data | ProtocolPhase::Finished => 1,
            ProtocolPhase::Get if limits.is_software(self.kernel.representative(to)) => 2,
            ProtocolPhase::Get => 0,
        };
        self.kernel.job.machine.node.nic_latency * ends
    }

    /// Additional latency of a protocol phase for ranks whose NICs are attached to other CPUs.
    #[inline]
    fn far_nics(&self, in_flight: InFlight) -> Span {
        let ends = if self.names_nics(in_flight.send) {
            self.far_named_nics(in_flight)
        } else {
            let Send { from, to, .. } = self.sends[in_flight.send];
            let placements = &self.kernel.job.placements;
            let far = |rank: u32| u64::from(placements[rank as usize].binding.has_far_nic);
            far(from) + far(to)
        };
        self.kernel.job.machine.node.far_nic_latency * ends
    }

    /// How many of the two NICs named by the workload are attached to other CPUs than their ranks'.
    fn far_named_nics(&self, in_flight: InFlight) -> u64 {
        let job = self.kernel.job;
        let (src, dst) = ends(&self.sends[in_flight.send], in_flight.phase);
        let nics = self.nics_of(in_flight);
        let far = |rank: u32, nic: NicId| {
            let binding = &job.placements[rank as usize].binding;
            u64::from(job.machine.cpu_of(nic) != binding.cpu)
        };
        far(src, nics.0) + far(dst, nics.1)
    }
}
