//! Links: output ports with their waiting packets, virtual channels, and arbitration.
//!
//! `Links` knows nothing of what a NIC does with packets.

use base::{IndexVec, Span, Time};
use des::Phase;
use machine::{Arbitration, FabricView, Hop, LinkEnd, LinkId, Machine, NicId, SwitchId};
use net::{Counters, Cx, LinkTraffic, Partition};

use crate::channels::Channels;
use crate::credit::{Buffer, Channel, LinkType, LinkTypes};
use crate::event::PacketEvent;
use crate::packet::{NEVER, NONE, Packet, PacketId, Packets};
use crate::reports::Reports;
use crate::voq::{Arbiter, Voq, VoqList, VoqStore};

/// State of a link at its near end, the output port of a switch or NIC. One cache line, because a
/// grant needs all of it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct OutputPort {
    /// When the last tail has left.
    pub free_at: Time,
    /// Wire bytes and packets sent so far, and the maximum of `waiting`.
    pub bytes: u64,
    pub packets: u64,
    pub queue_max: u32,
    /// Bytes waiting at this end; may exceed 32 bits for a congested NIC. A packet with a
    /// reservation is included until `settle_reservation`, also after it has entered; `queue`
    /// subtracts it then.
    pub waiting: u64,
    /// The switch it leads to; none for an ejection link.
    pub to: SwitchId,
    /// Virtual channels with waiting packets, one bit each.
    pub waited_for: u32,
    /// The congested endpoint at its end (`EndpointId`), the first of several traffic classes; none
    /// without congestion.
    pub endpoint: u32,
    /// The last reservation: how long before `free_at` it starts, ps; wire bytes of the packet (0
    /// without a reservation, or once it has been settled); its channel.
    reserved_ps: u32,
    reserved: u16,
    reserved_vc: u8,
    pub link_type: u8,
    /// A `Free` event is pending.
    pub armed: bool,
    /// It is free and no waiting packet can be sent; `stalls` has the start time.
    pub stalled: bool,
}
const _: () = assert!(size_of::<OutputPort>() == 64);

impl OutputPort {
    /// Whether a packet has ever entered it or waited for it.
    pub fn is_used(&self) -> bool {
        self.packets > 0 || self.queue_max > 0
    }
    /// Bytes waiting at this end: the near load of routing. Between switches it is bounded by
    /// buffers and fits in 32 bits.
    #[inline]
    pub fn queue(&self, now: Time) -> u32 {
        let reservation_begun = if now > self.begins() { self.reserved } else { 0 };
        (self.waiting - u64::from(reservation_begun)) as u32
    }

    /// When the packet of the last reservation enters. Until then, that instant included, it counts
    /// as waiting.
    #[inline]
    fn begins(&self) -> Time {
        Time(self.free_at.0 - u64::from(self.reserved_ps))
    }

    /// For a reservation that has begun and is not settled: its start, and the queue until then.
    #[inline]
    pub fn reservation_begun(&self, now: Time) -> Option<(Time, u32)> {
        let begins = self.begins();
        (self.reserved > 0 && now > begins).then_some((begins, self.waiting as u32))
    }

    /// Removes a reservation of `link` that has begun from the waiting bytes.
    #[inline]
    fn settle_reservation(&mut self, link: LinkId, reports: &mut Reports, now: Time) {
        if let Some((begins, queue)) = self.reservation_begun(now) {
            self.waiting -= u64::from(self.reserved);
            self.reserved = 0;
            reports.note(link, begins, queue);
        }
    }

    /// The head of `p` enters this link by `hop` at `start`; its tail leaves at `gone`. It occupies
    /// `cells` at the far end.
    #[inline(always)]
    pub fn carry(
        &mut self,
        p: &mut Packet,
        (hop, used): (Hop, &mut Vec<LinkId>),
        link_type: &LinkType,
        cells: u16,
        start: Time,
        gone: Time,
    ) -> Entered {
        if self.packets == 0 {
            used.push(hop.link);
        }
        let vacated = p.buffer();
        self.free_at = gone;
        self.bytes += u64::from(p.bytes);
        self.packets += 1;
        p.tail = gone + link_type.latency;
        p.traveled += link_type.latency.0 as u32;
        p.cells = cells;
        (p.input, p.input_vc, p.input_type, p.at) = (hop.link, hop.vc, self.link_type, self.to);
        let &LinkType { latency, remote_shard, is_slower_than_nic, .. } = link_type;
        Entered { vacated, head: start + latency, to: self.to, remote_shard, is_slower_than_nic }
    }

    /// Bytes reserved by a packet of `vc` that still waits: its credit is taken but not yet used.
    #[inline]
    pub fn reserved_on(&self, vc: u8, now: Time) -> u16 {
        let is_open = self.reserved > 0 && self.reserved_vc == vc && now <= self.begins();
        if is_open { self.reserved } else { 0 }
    }
}

/// Result of the entry of a packet: the buffer it leaves, when and where its head arrives, the
/// shard of the far end, and whether the link is slower than a NIC.
#[derive(Clone, Copy)]
pub(crate) struct Entered {
    pub vacated: Buffer,
    pub head: Time,
    pub to: SwitchId,
    pub remote_shard: u8,
    pub is_slower_than_nic: bool,
}

impl Packet {
    /// When its tail has left by a link of `link_type` that its head enters at `start`. The tail
    /// leaves no earlier than it has arrived: from a slow link to a fast one a packet moves at the
    /// slow rate.
    #[inline(always)]
    pub fn through(&self, link_type: &LinkType, start: Time) -> Time {
        (start + link_type.gap.span(u64::from(self.bytes))).max(self.tail)
    }
    /// The buffer it occupies.
    #[inline(always)]
    pub fn buffer(&self) -> Buffer {
        Buffer { hop: self.input_hop(), cells: self.cells, link_type: self.input_type }
    }
}

/// A free link with credit for a packet, which may enter it or not.
pub(crate) struct Admission<'a> {
    hop: Hop,
    cells: u16,
    port: &'a mut OutputPort,
    pub link_type: &'a LinkType,
    credit: &'a mut u16,
    used: &'a mut Vec<LinkId>,
}

impl Admission<'_> {
    /// The head of `p` enters at `start`; its tail leaves at `gone`.
    #[inline(always)]
    pub fn enter(self, p: &mut Packet, start: Time, gone: Time) -> Entered {
        debug_assert!(!self.port.stalled, "no packet waits");
        *self.credit -= self.cells;
        self.port.carry(p, (self.hop, self.used), self.link_type, self.cells, start, gone)
    }
}

/// Answer to a packet's request for a link.
pub(crate) enum Request {
    /// It has entered; its tail leaves the buffer before the link at this time.
    Entered(Entered, Time),
    /// Something is in its way, possibly not the link itself.
    Waits { is_free: bool },
    /// It has credit, and its traffic class and the fault schedule decide.
    ByRule,
}

/// All links: their ports, channels and waiting packets. The packets themselves belong to the
/// fabric.
pub(crate) struct Links {
    pub types: LinkTypes,
    ports: IndexVec<LinkId, OutputPort>,
    /// Links that have carried packets, in the order of their first packets.
    used: Vec<LinkId>,
    pub channels: Channels,
    voqs: VoqStore,
    arbiter: Arbiter,
    reports: Reports,
    /// By link: start of the current stall, if any, and the sum of all previous ones.
    stalls: IndexVec<LinkId, (Time, Span)>,
    /// No traffic classes share links, and there is no fault schedule.
    pub is_plain: bool,
    /// Busy links may be reserved by a packet that waits alone (`can_reserve`).
    reserves: bool,
    /// The condition of the fabric on which routing depends.
    pub view: FabricView,
}

/// The types of links, and the number of each link's type.
pub(crate) fn number_types(
    machine: &Machine,
    part: Option<(&Partition, u8)>,
) -> (LinkTypes, IndexVec<LinkId, u8>) {
    let links = &machine.links;
    let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
    let host = machine.nic.host_gap.max(machine.nic.host_gap_one_way);
    let slowest = links.gap.raw.iter().max().map_or(Span::ZERO, |gap| gap.span(packet));
    let release = slowest.max(host.span(packet));
    let ejection_gaps = (0..machine.n_nics()).map(|nic| links.gap[machine.ejection(NicId(nic))]);
    let ejection_time = ejection_gaps.min().unwrap_or_default().span(packet);
    let min_take_time = ejection_time.max(host.span(machine.nic.packet_payload));
    let mut types: Option<LinkTypes> = None;
    let (mut number, mut previous_key) = (0, None);
    let mut numbers = IndexVec::with_capacity(links.gap.len());
    numbers.raw.extend(links.gap.ids().map(|link| {
        let remote_shard =
            part.map_or(0, |(partition, own)| partition.remote_shard(machine, link, own));
        // Neighboring links are mostly of one type, and computing a type is the most expensive step
        // here.
        let key = (links.kind[link], links.gap[link], links.latency[link], links.cable[link]);
        let key = Some((key, links.buffer[link], remote_shard));
        if key != previous_key {
            previous_key = key;
            let link_type = LinkType::new(machine, link, release, min_take_time, remote_shard);
            number = types.get_or_insert_with(|| LinkTypes::new(link_type)).number(link_type);
        }
        number
    }));
    (types.expect("a machine has links"), numbers)
}

impl Links {
    /// Idle links. Initial capacities are guesses; arenas grow during warm-up. Unused capacity is
    /// not backed by memory.
    pub fn new(machine: &Machine, part: Option<(&Partition, u8)>) -> Links {
        let links = &machine.links;
        let mut ports = IndexVec::with_capacity(links.gap.len());
        let mut channels = Channels::new(machine);
        let (types, numbers) = number_types(machine, part);
        ports.raw.extend(numbers.iter().map(|(link, &link_type)| {
            channels.add_credits(link, types[link_type].cells);
            OutputPort {
                free_at: Time::ZERO,
                bytes: 0,
                packets: 0,
                queue_max: 0,
                waiting: 0,
                to: match links.to[link] {
                    LinkEnd::Switch(switch) => switch,
                    LinkEnd::Nic(_) => SwitchId(NONE),
                },
                waited_for: 0,
                endpoint: NONE,
                reserved_ps: 0,
                reserved: 0,
                reserved_vc: 0,
                link_type,
                armed: false,
                stalled: false,
            }
        }));
        Links {
            types,
            stalls: IndexVec::zeros(ports.len()),
            used: Vec::with_capacity(ports.len()),
            ports,
            channels,
            voqs: VoqStore::with_capacity(machine.n_nics() as usize),
            arbiter: Arbiter::new(machine.arbitration),
            reports: Reports::new(machine),
            is_plain: true,
            reserves: may_reserve(machine),
            view: machine.initial_fabric().clone(),
        }
    }

    #[inline(always)]
    pub fn port(&self, link: LinkId) -> &OutputPort {
        &self.ports[link]
    }

    #[inline]
    pub fn link_type(&self, link: LinkId) -> &LinkType {
        &self.types[self.ports[link].link_type]
    }

    /// Whether `hop` has credit for `bytes` now.
    #[inline(always)]
    pub fn has_credit(&mut self, hop: Hop, bytes: u16, now: Time) -> bool {
        let link_type = &self.types[self.ports[hop.link].link_type];
        let cells = link_type.cell.count_packet(bytes);
        self.channels.sufficient_credit(hop, cells, link_type, now).is_some()
    }

    /// `link` is free, and no arbitration is scheduled for this instant.
    #[inline]
    pub fn is_idle(&self, link: LinkId, now: Time) -> bool {
        let port = &self.ports[link];
        !port.armed && port.free_at <= now
    }

    /// The numbers of all links' types.
    pub fn type_numbers(&self) -> IndexVec<LinkId, u8> {
        self.ports.iter().map(|(_, port)| port.link_type).collect()
    }

    /// Sets the number of a link's type.
    pub fn set_type(&mut self, link: LinkId, link_type: u8) {
        self.ports[link].link_type = link_type;
    }

    /// Sets the first congested endpoint at the end of `link`.
    pub fn set_endpoint(&mut self, link: LinkId, endpoint: u32) {
        self.ports[link].endpoint = endpoint;
    }

    /// The queue of `link` as reported to other switches of its group.
    #[inline]
    pub fn reported_queue(&self, link: LinkId, now: Time) -> u32 {
        let port = &self.ports[link];
        self.reports.read(link, now, port.queue(now), port.reservation_begun(now))
    }

    /// `p` requests `hop`, and enters at once if nothing is in its way. Traffic classes and faults
    /// have no say if `is_plain`.
    #[inline(always)]
    pub fn request(&mut self, p: &mut Packet, hop: Hop, now: Time) -> Request {
        let port = &mut self.ports[hop.link];
        let link_type = &self.types[port.link_type];
        let is_free = port.free_at <= now;
        if !is_free || port.waited_for != 0 || port.endpoint != NONE {
            return Request::Waits { is_free };
        }
        let cells = link_type.cell.count_packet(p.bytes);
        let Some(credit) = self.channels.sufficient_credit(hop, cells, link_type, now) else {
            return Request::Waits { is_free: true };
        };
        if !self.is_plain {
            return Request::ByRule;
        }
        if port.reserved > 0 {
            port.settle_reservation(hop.link, &mut self.reports, now);
        }
        *credit -= cells;
        let gone = p.through(link_type, now);
        Request::Entered(port.carry(p, (hop, &mut self.used), link_type, cells, now, gone), gone)
    }

    /// Adds the `bytes` of a packet to those that wait for `link`.
    #[inline]
    pub fn count_waiting(&mut self, link: LinkId, bytes: u16, now: Time) {
        let port = &mut self.ports[link];
        self.reports.note(link, now, port.queue(now));
        port.waiting += u64::from(bytes);
        port.queue_max = port.queue_max.max(u32::try_from(port.waiting).unwrap_or(u32::MAX));
    }

    /// Removes the reservation of `link`, if it has begun, from the waiting bytes.
    #[inline]
    pub fn settle_reservation(&mut self, link: LinkId, now: Time) {
        self.ports[link].settle_reservation(link, &mut self.reports, now);
    }

    /// Whether the next grant of the busy link of `hop` is certain to be that of `p`. Under round
    /// robin a packet that waits alone with credit is next, whatever arrives later. The next packet
    /// of its VOQ is granted later and arrives behind this packet's tail. Not with traffic classes
    /// or a fault schedule, nor for ejection links, where throttling may intervene.
    #[inline]
    pub fn can_reserve(&mut self, p: &Packet, hop: Hop, now: Time) -> bool {
        let port = &self.ports[hop.link];
        self.reserves
            && port.waited_for == 0
            && port.reserved == 0
            && port.free_at < p.tail
            && port.to.0 != NONE
            && self.has_credit(hop, p.bytes, now)
    }

    /// A packet of `bytes` was granted the link of `hop` from `begins` on, when the link is free.
    /// It counts as waiting until then.
    #[inline]
    pub fn note_reservation(&mut self, hop: Hop, bytes: u16, begins: Time) {
        let port = &mut self.ports[hop.link];
        port.reserved = bytes;
        port.reserved_vc = hop.vc;
        port.reserved_ps = (port.free_at - begins).0 as u32;
    }

    /// Appends `packet` to its VOQ, and creates the VOQ if necessary.
    #[inline]
    pub fn enqueue(&mut self, packet: PacketId, hop: Hop, packets: &mut Packets) {
        let p = &mut packets[packet];
        p.next = NONE;
        let Packet { input, born, bytes, .. } = *p;
        // Without waiting packets there are no VOQs. This test avoids a read of the channel, which
        // would stall.
        let waited_for = &mut self.ports[hop.link].waited_for;
        let mut entry = VoqList::EMPTY;
        if *waited_for & (1 << hop.vc) != 0 {
            entry = self.channels.waiting(hop.link, hop.vc);
            if let Some(voq) = self.voqs.find(entry, input) {
                let tail = std::mem::replace(&mut voq.tail, packet);
                packets[tail].next = packet.0;
                return;
            }
        }
        *waited_for |= 1 << hop.vc;
        let arbitration_key = self.arbiter.next_key(born);
        self.voqs
            .add(&mut entry, Voq { arbitration_key, input, head: packet, tail: packet, bytes });
        *self.channels.waiting_mut(hop.link, hop.vc) = entry;
    }

    /// The channel of `link` among `channels` that is next: the one whose first VOQ has the lowest
    /// key. A channel whose first VOQ lacks credit is skipped entirely, so small packets cannot
    /// starve a large one.
    #[inline(always)]
    pub fn choose(&mut self, link: LinkId, channels: u32, now: Time) -> Option<u8> {
        let mut best: Option<(u64, u8)> = None;
        for vc in ones(channels) {
            let entry = self.channels.waiting(link, vc);
            let Voq { arbitration_key, bytes, .. } = *self.voqs.first(entry);
            if best.is_none_or(|(least, _)| arbitration_key < least)
                && self.has_credit(Hop { link, vc }, bytes, now)
            {
                best = Some((arbitration_key, vc));
            }
        }
        best.map(|(_, vc)| vc)
    }

    /// Removes the next packet of a channel with waiting packets. Its VOQ gets a new key, or is
    /// removed.
    #[inline]
    pub fn dequeue(&mut self, link: LinkId, vc: u8, packets: &Packets) -> PacketId {
        let entry = self.channels.waiting(link, vc);
        let voq = *self.voqs.first(entry);
        if voq.head == voq.tail {
            self.voqs.remove(self.channels.waiting_mut(link, vc));
            if entry.len() == 1 {
                self.ports[link].waited_for &= !(1 << vc);
            }
        } else {
            let head = PacketId(packets[voq.head].next);
            let Packet { born, bytes, .. } = packets[head];
            let arbitration_key = self.arbiter.next_key(born);
            self.voqs.requeue_first(entry, Voq { arbitration_key, head, bytes, ..voq });
        }
        voq.head
    }

    /// Removes the next packet of channel `vc`, which is granted the free `link`.
    #[inline]
    pub fn take_next(&mut self, link: LinkId, vc: u8, packets: &Packets, now: Time) -> PacketId {
        let packet = self.dequeue(link, vc, packets);
        let port = &mut self.ports[link];
        port.settle_reservation(link, &mut self.reports, now);
        self.reports.note(link, now, port.queue(now));
        port.waiting -= u64::from(packets[packet].bytes);
        if port.stalled {
            self.unstall(link, now);
        }
        packet
    }

    /// Removes all packets that wait for `link`, in arbitration order of each channel.
    pub fn take_all(&mut self, link: LinkId, packets: &Packets, now: Time) -> Vec<PacketId> {
        let mut all = Vec::new();
        while self.ports[link].waited_for != 0 {
            let vc = self.ports[link].waited_for.trailing_zeros() as u8;
            all.push(self.dequeue(link, vc, packets));
        }
        self.end_stall(link, now);
        let port = &mut self.ports[link];
        self.reports.note(link, now, port.queue(now));
        port.waiting = 0;
        all
    }

    /// The first packet of the `nth` VOQ of a list.
    pub fn voq_head(&self, list: VoqList, nth: usize) -> PacketId {
        self.voqs.list(list)[nth].head
    }

    /// The VOQs of each channel of `link` with waiting packets.
    #[inline]
    fn waiting_lists(&self, link: LinkId) -> impl Iterator<Item = VoqList> {
        ones(self.ports[link].waited_for).map(move |vc| self.channels.waiting(link, vc))
    }

    /// Schedules the arbitration of `link` for the time when it is free. Called only if packets
    /// wait.
    #[inline]
    pub fn arm(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        let port = &mut self.ports[link];
        if !port.armed {
            port.armed = true;
            cx.at(port.free_at, Phase::Decide, PacketEvent::Free { link });
        }
    }

    /// The arbitration of `link` begins.
    #[inline]
    pub fn disarm(&mut self, link: LinkId) {
        self.ports[link].armed = false;
    }

    /// The free `link` has waiting packets, and none of them can be sent.
    #[cold]
    pub fn stall(&mut self, link: LinkId, now: Time) {
        let port = &mut self.ports[link];
        if !port.stalled {
            port.stalled = true;
            self.stalls[link].0 = now;
        }
    }

    /// A waiting packet of `link` is sent.
    #[inline]
    pub fn end_stall(&mut self, link: LinkId, now: Time) {
        if self.ports[link].stalled {
            self.unstall(link, now);
        }
    }

    #[cold]
    fn unstall(&mut self, link: LinkId, now: Time) {
        self.ports[link].stalled = false;
        let (since, sum) = &mut self.stalls[link];
        *sum += now.since(*since);
    }

    /// The admission of a packet of `bytes` to `hop`, if the link is free and has credit.
    #[inline(always)]
    pub fn admission(&mut self, hop: Hop, bytes: u16, now: Time) -> Option<Admission<'_>> {
        let port = &mut self.ports[hop.link];
        let link_type = &self.types[port.link_type];
        if port.free_at > now {
            return None;
        }
        let cells = link_type.cell.count_packet(bytes);
        let credit = self.channels.sufficient_credit(hop, cells, link_type, now)?;
        Some(Admission { hop, cells, port, link_type, credit, used: &mut self.used })
    }

    /// `packet` enters `hop` at `start`, and takes credit for its cells at the far end. Its tail
    /// leaves at `gone`.
    #[inline(always)]
    pub fn enter(&mut self, p: &mut Packet, hop: Hop, start: Time, gone: Time) -> Entered {
        let port = &mut self.ports[hop.link];
        let link_type = &self.types[port.link_type];
        let cells = link_type.cell.count_packet(p.bytes);
        self.channels.take_credit(hop, cells);
        port.carry(p, (hop, &mut self.used), link_type, cells, start, gone)
    }

    /// A packet of `bytes` that never arrives occupies `link` until `gone`.
    pub fn occupy(&mut self, link: LinkId, bytes: u16, gone: Time) {
        let port = &mut self.ports[link];
        if port.packets == 0 {
            self.used.push(link);
        }
        port.free_at = gone;
        port.bytes += u64::from(bytes);
        port.packets += 1;
    }

    /// The credit for `buffer`, of a link whose near end is in this shard, arrives at `returns_at`.
    #[inline(always)]
    pub fn schedule_credit(&mut self, buffer: Buffer, returns_at: Time, cx: &mut Cx<'_>) {
        let Buffer { hop: Hop { link, vc }, cells, link_type } = buffer;
        let link_type = &self.types[link_type];
        if !Channel::has_slot_for(link_type, returns_at, cx.now) {
            return cx.at(returns_at, Phase::Arrive, PacketEvent::LateCredit { link, vc, cells });
        }
        if self.channels.add_credit(buffer, returns_at, link_type, cx.now) {
            self.wake_on_credit(link, vc, cx);
        }
    }

    /// A packet lacks nothing but credit: the next return of credit becomes an event.
    pub fn wake_on_credit(&mut self, link: LinkId, vc: u8, cx: &mut Cx<'_>) {
        let link_type = &self.types[self.ports[link].link_type];
        // If none is in transit, `schedule_credit` calls this again.
        if let Some(due) = self.channels.await_credit(link, vc, link_type, cx.now) {
            cx.at(due, Phase::Arrive, PacketEvent::Credit { link, vc });
        }
    }

    /// No waiting packet of `link` has credit: the next return of each credit becomes an event.
    pub fn await_credits(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        for vc in ones(self.ports[link].waited_for) {
            self.wake_on_credit(link, vc, cx);
        }
    }

    /// A credit has arrived. Returns whether a packet waits for it and `link` can be served.
    pub fn receive_credit(&mut self, link: LinkId, vc: u8, now: Time) -> bool {
        let link_type = &self.types[self.ports[link].link_type];
        self.channels.credit_event(link, vc, link_type, now) && self.is_idle(link, now)
    }

    /// Credits have arrived that come from another shard, or that were in transit for longer than
    /// the slots of their channel cover.
    pub fn receive_cells(&mut self, hop: Hop, cells: u16, returns_at: Time, cx: &mut Cx<'_>) {
        let link_type = self.ports[hop.link].link_type;
        // In windows, mail is processed at the end of the epoch from which credits count.
        let returns_at = returns_at.max(cx.now);
        self.schedule_credit(Buffer { hop, cells, link_type }, returns_at, cx);
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.ports.len()
    }

    /// Prefetches a port.
    #[inline]
    pub fn prefetch(&self, link: LinkId) {
        self.ports.prefetch(link);
    }

    /// Prefetches the load report about a link.
    #[inline]
    pub fn prefetch_report(&self, link: LinkId) {
        self.reports.prefetch(link);
    }

    /// Prefetches a candidate for the next hop of a packet: the port, and its credit.
    #[inline(always)]
    pub fn prefetch_candidate(&self, hop: Hop) {
        self.ports.prefetch(hop.link);
        self.channels.prefetch_credit(hop);
    }

    /// Prefetches the channels of `link` with waiting packets.
    #[inline]
    pub fn prefetch_channels(&self, link: LinkId) {
        ones(self.ports[link].waited_for).for_each(|vc| self.channels.prefetch(link, vc));
    }

    /// Prefetches the first VOQ of each of these channels.
    #[inline]
    pub fn prefetch_voqs(&self, link: LinkId) {
        self.waiting_lists(link).for_each(|list| self.voqs.prefetch(list));
    }

    /// The next of the packets that wait for `link`, if it has credit.
    #[inline]
    pub fn next_waiting<'a>(&self, link: LinkId, packets: &'a Packets) -> Option<&'a Packet> {
        let voqs = self.waiting_lists(link).map(|list| self.voqs.first(list));
        Some(&packets[voqs.min_by_key(|voq| voq.arbitration_key)?.head])
    }

    /// Adds the counts of links to the columns of `counters`.
    pub fn report(&self, counters: &mut Counters) {
        // On a whole machine most links are idle, and their counters are not backed by memory yet.
        for (link, port) in self.ports.iter().filter(|(_, port)| port.is_used()) {
            counters.links[link] += LinkTraffic { bytes: port.bytes, packets: port.packets };
            counters.stalled[link] += self.stalls[link].1;
            let most = &mut counters.queue_max[link];
            *most = port.queue_max.max(*most);
        }
    }

    /// The bytes that each link has carried that was used. On a whole machine most links are idle.
    pub fn carried(&self, mut each: impl FnMut(LinkId, u64)) {
        self.used.iter().for_each(|&link| each(link, self.ports[link].bytes));
    }

    /// Whether `assert_idle` examines a link in detail. Links without traffic are in their initial
    /// state, and only builds with assertions check them.
    pub fn is_checked(&self, link: LinkId) -> bool {
        cfg!(debug_assertions) || self.ports[link].is_used()
    }

    /// Asserts that all credits are returned and no packet waits.
    pub fn assert_idle(&self) {
        for (link, port) in self.ports.iter() {
            assert!(!port.stalled, "{link:?} is stalled without waiting packets");
            assert!(!port.armed, "{link:?} expects an event that is not pending");
            assert_eq!((port.queue(NEVER), port.waited_for), (0, 0), "{link:?} is not empty");
            assert_eq!(port.endpoint, NONE, "{link:?} is still congested");
        }
        for link in self.ports.ids().filter(|&link| self.is_checked(link)) {
            self.channels.assert_idle(link, self.link_type(link));
        }
    }

    /// Bytes of ports and channels, which decide whether prefetching pays off.
    pub fn state_bytes(&self) -> usize {
        size_of_val(&self.ports.raw[..]) + self.channels.state_bytes()
    }

    /// Bytes of memory held.
    pub fn held(&self) -> usize {
        size_of_val(&self.ports.raw[..])
            + size_of_val(&self.stalls.raw[..])
            + self.reports.held()
            + self.channels.held()
            + self.voqs.bytes()
            + self.view.bytes()
    }
}

/// Whether busy links may be reserved. Without retransmissions, a link is occupied at most for the
/// time of the largest packet on the slowest link or host interface, which must fit in 32 bits of
/// ps.
pub(crate) fn may_reserve(machine: &Machine) -> bool {
    let host = machine.nic.host_gap.max(machine.nic.host_gap_one_way);
    let slowest = machine.links.gap.raw.iter().copied().max().unwrap_or_default().max(host);
    machine.arbitration == Arbitration::RoundRobin
        && machine.faults.is_none()
        && !machine.classes.is_shared()
        && slowest.span(u16::MAX.into()) <= Span(u32::MAX.into())
}

/// Positions of the bits that are set.
#[inline]
pub(crate) fn ones(mut bits: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let first = bits.trailing_zeros() as u8;
        (bits != 0).then(|| {
            bits &= bits - 1;
            first
        })
    })
}

#[cfg(test)]
mod tests;
