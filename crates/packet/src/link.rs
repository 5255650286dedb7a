//! Links: state, waiting packets, arbitration, and entry of packets.

use base::{IndexVec, Span, Time, with_capacity};
use des::Phase;
use machine::{Arbitration, Hop, LinkEnd, LinkId, Machine, NicId, Route, SwitchId};
use net::{Counters, Cx, LinkTraffic, Partition};

use crate::credit::{Buffer, Channel, LinkType, LinkTypes};
use crate::loads::Reports;
use crate::{NONE, Packet, PacketEvent, PacketId, PacketNetwork};

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
        hop: Hop,
        link_type: &LinkType,
        cells: u16,
        start: Time,
        gone: Time,
    ) -> Entered {
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
    vacated: Buffer,
    head: Time,
    to: SwitchId,
    remote_shard: u8,
    is_slower_than_nic: bool,
}

impl Packet {
    /// When its tail has left by a link of `link_type` that its head enters at `start`. The tail
    /// leaves no earlier than it has arrived: from a slow link to a fast one a packet moves at the
    /// slow rate.
    #[inline(always)]
    fn through(&self, link_type: &LinkType, start: Time) -> Time {
        (start + link_type.gap.span(u64::from(self.bytes))).max(self.tail)
    }
    /// The buffer it occupies.
    #[inline(always)]
    pub fn buffer(&self) -> Buffer {
        Buffer { hop: self.input_hop(), cells: self.cells, link_type: self.input_type }
    }
}

/// The arrays of an idle machine: output ports, channels, credits, and link types.
///
/// Links of NICs come first and have one channel per virtual network; all others have one per
/// virtual network and route class.
pub(crate) fn link_arrays(
    machine: &Machine,
    part: Option<(&Partition, u8)>,
) -> (IndexVec<LinkId, OutputPort>, Vec<Channel>, Vec<u16>, LinkTypes) {
    let links = &machine.links;
    let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
    let host = machine.nic.host_gap.max(machine.nic.host_gap_one_way);
    let slowest = links.gap.raw.iter().max().map_or(Span::ZERO, |gap| gap.span(packet));
    let release = slowest.max(host.span(packet));
    let ejection_gaps = (0..machine.n_nics()).map(|nic| links.gap[machine.ejection(NicId(nic))]);
    let ejection_time = ejection_gaps.min().unwrap_or_default().span(packet);
    let min_take_time = ejection_time.max(host.span(machine.nic.packet_payload));
    let layout = ChannelLayout::new(machine);
    let n_links = links.gap.len();
    let mut ports = IndexVec::with_capacity(n_links);
    let n_channels = layout.first(LinkId(n_links as u32));
    let (mut channels, mut credits) = (with_capacity(n_channels), with_capacity(n_channels));
    channels.resize(n_channels, Channel::IDLE);
    let mut link_types: Option<LinkTypes> = None;
    let (mut type_number, mut cells, mut previous_key) = (0, 0, None);
    ports.raw.extend(links.gap.ids().map(|link| {
        let remote_shard =
            part.map_or(0, |(partition, own)| partition.remote_shard(machine, link, own));
        // Neighboring links are mostly of one type, and computing a type is the most expensive step
        // here.
        let key = (links.kind[link], links.gap[link], links.latency[link], links.cable[link]);
        let key = Some((key, links.buffer[link], remote_shard));
        if key != previous_key {
            previous_key = key;
            let link_type = LinkType::new(machine, link, release, min_take_time, remote_shard);
            type_number =
                link_types.get_or_insert_with(|| LinkTypes::of(link_type)).number(link_type);
            cells = link_type.cells;
        }
        let next = layout.first(LinkId(link.0 + 1));
        credits.resize(next, cells);
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
            link_type: type_number,
            armed: false,
            stalled: false,
        }
    }));
    (ports, channels, credits, link_types.expect("a machine has links"))
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

/// Positions of channels: those of the NICs' links come first.
#[derive(Clone, Copy)]
pub(crate) struct ChannelLayout {
    /// Number of links of NICs (edge links).
    edge_links: u32,
    /// Channels of a link of a NIC, and of a link between switches.
    channels_per_link: [u32; 2],
    /// Subtracted from the link's number times its channels: 0 for a link of a NIC. For a link
    /// between switches, the channels that the NICs' links lack compared with it.
    offset: [u32; 2],
}

impl ChannelLayout {
    pub fn new(machine: &Machine) -> ChannelLayout {
        let (edge_links, of_edge) = (2 * machine.n_nics(), u32::from(machine.n_vnets));
        let of_fabric = of_edge * u32::from(machine.n_vcs);
        let channels = machine.links.gap.len() as u64 * u64::from(of_fabric);
        assert!(u32::try_from(channels).is_ok(), "fewer than 2^32 virtual channels");
        ChannelLayout {
            edge_links,
            channels_per_link: [of_edge, of_fabric],
            offset: [0, edge_links * (of_fabric - of_edge)],
        }
    }
    /// Links below this number are links of NICs.
    #[inline]
    pub fn edge_links(&self) -> u32 {
        self.edge_links
    }
    /// The first channel of a link, or of the one after the last. Branchless, since the two kinds
    /// of links alternate unpredictably.
    #[inline(always)]
    pub fn first(&self, link: LinkId) -> usize {
        let kind = usize::from(link.0 >= self.edge_links);
        (link.0 * self.channels_per_link[kind] - self.offset[kind]) as usize
    }
}

impl PacketNetwork {
    /// Position of a virtual channel. A link of a NIC has one per virtual network, a link between
    /// switches all channels of all virtual networks.
    #[inline]
    pub(crate) fn channel(&self, link: LinkId, vc: u8) -> usize {
        self.layout.first(link) + usize::from(vc)
    }
    /// A hop whose `vc` is a route class, with the channel of that class in virtual network `vnet`.
    #[inline]
    pub(crate) fn on_vnet(&self, vnet: u8, hop: Hop) -> Hop {
        let vc = if self.is_edge(hop.link) { vnet } else { vnet * self.n_vcs + hop.vc };
        Hop { vc, ..hop }
    }
    /// Whether it is an injection or an ejection link.
    #[inline]
    pub(crate) fn is_edge(&self, link: LinkId) -> bool {
        link.0 < self.layout.edge_links
    }
    #[inline]
    pub(crate) fn link_type(&self, link: LinkId) -> &LinkType {
        &self.link_types[self.ports[link].link_type]
    }

    /// `packet` requests `hop`, the next of its `route`: it enters at once if nothing is in its
    /// way, or waits.
    #[inline(always)]
    pub(crate) fn request(&mut self, packet: PacketId, route: Route, hop: Hop, cx: &mut Cx<'_>) {
        let at = self.channel(hop.link, hop.vc);
        let (p, port) = (&mut self.packets[packet], &mut self.ports[hop.link]);
        let link_type = &self.link_types[port.link_type];
        p.route = route;
        let is_free = port.free_at <= cx.now;
        if !is_free || port.waited_for != 0 || port.endpoint != NONE {
            return self.wait(packet, hop, is_free, cx);
        }
        let (credit, cells) = (&mut self.credits[at], link_type.cell.of_packet(p.bytes));
        if !link_type.admits(cells, credit, || &mut self.channels[at], cx.now) {
            return self.wait(packet, hop, true, cx);
        }
        if !self.is_plain {
            return self.request_by_rule(packet, hop, cx);
        }
        if port.reserved > 0 {
            port.settle_reservation(hop.link, &mut self.reports, cx.now);
        }
        *credit -= cells;
        let gone = p.through(link_type, cx.now);
        let entered = port.carry(p, hop, link_type, cells, cx.now, gone);
        self.schedule_arrival(packet, hop, &entered, cx);
        self.free_buffer(entered.vacated, gone, cx);
    }

    /// `packet` can enter the free link of `hop` if its traffic class and the fault schedule allow.
    #[inline(never)]
    fn request_by_rule(&mut self, packet: PacketId, hop: Hop, cx: &mut Cx<'_>) {
        if !self.shares.is_off() && !self.is_allowed(packet, hop.link, cx.now) {
            return self.wait(packet, hop, true, cx);
        }
        self.ports[hop.link].settle_reservation(hop.link, &mut self.reports, cx.now);
        self.grant(packet, hop, cx.now, cx);
    }

    /// `packet` starts to wait for `hop`.
    #[inline(never)]
    fn wait(&mut self, packet: PacketId, hop: Hop, is_free: bool, cx: &mut Cx<'_>) {
        self.ports[hop.link].settle_reservation(hop.link, &mut self.reports, cx.now);
        if !is_free && self.can_reserve(packet, hop, cx.now) {
            return self.reserve(packet, hop, cx);
        }
        if self.ports[hop.link].endpoint != NONE {
            self.join_congested(packet, hop.link, cx);
        }
        self.enqueue(packet, hop);
        self.count_waiting(packet, hop.link, cx.now);
        let port = &self.ports[hop.link];
        let may_be_onset = port.endpoint == NONE || self.congestion.is_per_class();
        if port.waiting > self.congestion.threshold && port.to.0 == NONE && may_be_onset {
            self.detect_congestion(hop.link, hop.vc, cx);
        }
        let port = &self.ports[hop.link];
        if !is_free {
            self.arm(hop.link, cx);
        } else if !port.armed {
            // All packets that waited before lack credit on their channels; this one may have it.
            self.arbitrate(hop.link, cx);
        }
    }

    /// Adds `packet` to the bytes that wait for `link`.
    #[inline]
    fn count_waiting(&mut self, packet: PacketId, link: LinkId, now: Time) {
        let Packet { bytes, vnet, .. } = self.packets[packet];
        let port = &mut self.ports[link];
        self.reports.note(link, now, port.queue(now));
        port.waiting += u64::from(bytes);
        port.queue_max = port.queue_max.max(u32::try_from(port.waiting).unwrap_or(u32::MAX));
        if let Some(waiting) = self.congestion.waiting(link, vnet) {
            *waiting += u64::from(bytes);
        }
    }

    /// Whether the next grant of the busy link of `hop` is certain to be that of `packet`. Under
    /// round robin a packet that waits alone with credit is next, whatever arrives later. The next
    /// packet of its VOQ is granted later and arrives behind this packet's tail. Not with traffic
    /// classes or a fault schedule, nor for ejection links, where throttling may intervene.
    #[inline]
    fn can_reserve(&mut self, packet: PacketId, hop: Hop, now: Time) -> bool {
        let port = &self.ports[hop.link];
        let Packet { tail, bytes, .. } = self.packets[packet];
        self.reserves
            && port.waited_for == 0
            && port.reserved == 0
            && port.free_at < tail
            && port.to.0 != NONE
            && self.has_credit(hop, bytes, now)
    }

    /// Grants `packet` the busy link of `hop` for the time at which it is free. This needs no
    /// event; until then the packet counts as waiting.
    #[inline]
    fn reserve(&mut self, packet: PacketId, hop: Hop, cx: &mut Cx<'_>) {
        self.count_waiting(packet, hop.link, cx.now);
        let begins = self.ports[hop.link].free_at;
        self.grant(packet, hop, begins, cx);
        let port = &mut self.ports[hop.link];
        port.reserved = self.packets[packet].bytes;
        port.reserved_vc = hop.vc;
        port.reserved_ps = (port.free_at - begins).0 as u32;
    }

    /// Grants the free `link` to a waiting packet with credit, if there is one.
    pub(crate) fn arbitrate(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        debug_assert!(self.ports[link].free_at <= cx.now && !self.ports[link].armed);
        let chosen = if self.shares.is_off() {
            self.choose(link, self.ports[link].waited_for, cx.now)
        } else {
            self.choose_by_class(link, cx)
        };
        let Some(vc) = chosen else {
            for vc in ones(self.ports[link].waited_for) {
                self.wake_on_credit(link, vc, cx);
            }
            self.stall(link, cx.now);
            return self.wake_at_ceiling(link, cx);
        };
        let packet = self.dequeue(link, vc);
        self.ports[link].settle_reservation(link, &mut self.reports, cx.now);
        if self.ports[link].stalled {
            self.unstall(link, cx.now);
        }
        let port = &mut self.ports[link];
        self.reports.note(link, cx.now, port.queue(cx.now));
        let Packet { bytes, vnet, .. } = self.packets[packet];
        port.waiting -= u64::from(bytes);
        if let Some(waiting) = self.congestion.waiting(link, vnet) {
            *waiting -= u64::from(bytes);
        }
        self.grant(packet, Hop { link, vc }, cx.now, cx);
        if self.ports[link].endpoint != NONE {
            self.grant_endpoint_credits(link, vc, cx);
        }
        if self.ports[link].waited_for != 0 {
            self.arm(link, cx);
        }
    }

    /// `packet` enters the link at `start`, when the link is free, with credit for all its cells.
    /// The link is occupied until the tail has left at `gone`; then the credit for the packet's
    /// input buffer is sent.
    #[inline(always)]
    pub(crate) fn grant(&mut self, packet: PacketId, hop: Hop, start: Time, cx: &mut Cx<'_>) {
        let p = &self.packets[packet];
        let (vacated, gone) = (p.buffer(), p.through(self.link_type(hop.link), start));
        self.send(packet, hop, start, gone, cx);
        self.free_buffer(vacated, gone, cx);
    }

    /// The head of `packet` enters `hop` at `start`; its tail leaves at `gone`.
    #[inline(always)]
    pub(crate) fn send(
        &mut self,
        packet: PacketId,
        hop: Hop,
        start: Time,
        gone: Time,
        cx: &mut Cx<'_>,
    ) {
        if !self.is_plain {
            if !self.shares.is_off() {
                self.take_share(packet, hop.link, start);
            }
            if self.faults.is_some() {
                return self.send_with_faults(packet, hop, start, gone, cx);
            }
        }
        self.enter(packet, hop, start, gone, cx);
    }

    /// `send` after traffic classes and faults have been handled: takes credit for the packet's
    /// cells at the far end.
    #[inline(always)]
    pub(crate) fn enter(
        &mut self,
        packet: PacketId,
        hop: Hop,
        start: Time,
        gone: Time,
        cx: &mut Cx<'_>,
    ) {
        let at = self.channel(hop.link, hop.vc);
        let (p, port) = (&mut self.packets[packet], &mut self.ports[hop.link]);
        let link_type = &self.link_types[port.link_type];
        let cells = link_type.cell.of_packet(p.bytes);
        self.credits[at] -= cells;
        let entered = port.carry(p, hop, link_type, cells, start, gone);
        self.schedule_arrival(packet, hop, &entered, cx);
    }

    /// `packet` has entered `hop`: schedules its arrival at the far end, if that must be an event.
    #[inline(always)]
    pub(crate) fn schedule_arrival(
        &mut self,
        packet: PacketId,
        hop: Hop,
        entered: &Entered,
        cx: &mut Cx<'_>,
    ) {
        let (Hop { link, vc }, &Entered { mut head, to, remote_shard, is_slower_than_nic, .. }) =
            (hop, entered);
        if is_slower_than_nic && to == cx.machine.nic_switch[self.packets[packet].dst] {
            head = head.max(self.contiguous_start(packet));
        }
        if to.0 != NONE {
            self.precompute_next_hop(packet, to, cx.machine);
        }
        if remote_shard != 0 {
            return self.mail_head(packet, link, head, remote_shard);
        }
        if to.0 == NONE {
            // The arrival at a NIC needs no event if the host interface is unlimited, if the packet
            // is a response without data, or if its time is certain.
            let nic = NicId(link.0 - self.nics.len() as u32);
            if self.host_is_unlimited {
                return self.pass_to_host(packet, nic, head, cx);
            }
            let &Packet { bytes, tail: whole, .. } = &self.packets[packet];
            if vc >= self.responses_from && u64::from(bytes) == self.params.response {
                return self.receive_response(packet, nic, whole, cx);
            }
            if let Some(at) = self.known_host_start(nic, head) {
                return self.pass_to_host(packet, nic, at, cx);
            }
        }
        cx.at(head, Phase::Arrive, PacketEvent::Head { packet, link });
    }

    /// The earliest time at which `packet`, in transit to its last switch, can enter the ejection
    /// link and cross it without a pause. It requests the link no earlier, so others can use it.
    #[inline(never)]
    fn contiguous_start(&self, packet: PacketId) -> Time {
        let Packet { tail, bytes, vnet, dst, .. } = self.packets[packet];
        let ejection = LinkId(self.nics.len() as u32 + dst.0);
        let ejection_time = self.link_type(ejection).gap.span(u64::from(bytes));
        let (_, host) = self.host_takes(self.payload(bytes, vnet));
        // An ejection link with fewer lanes may need longer than the elapsed time of the run.
        Time(tail.0.saturating_sub(ejection_time.max(host).0))
    }

    /// Whether `hop` has credit for `bytes` now.
    #[inline(always)]
    pub(crate) fn has_credit(&mut self, hop: Hop, bytes: u16, now: Time) -> bool {
        let at = self.channel(hop.link, hop.vc);
        let link_type = &self.link_types[self.ports[hop.link].link_type];
        let (cells, credit) = (link_type.cell.of_packet(bytes), &mut self.credits[at]);
        link_type.admits(cells, credit, || &mut self.channels[at], now)
    }

    /// `buffer` is free from `gone` on: sends the credit for it to the near end of its link. Called
    /// when `gone` is known, usually before that time.
    #[inline(always)]
    pub(crate) fn free_buffer(&mut self, buffer: Buffer, gone: Time, cx: &mut Cx<'_>) {
        let link_type = &self.link_types[buffer.link_type];
        let returns_at = gone + link_type.cable;
        match link_type.remote_shard {
            0 => self.schedule_credit(buffer, returns_at, cx),
            shard => self.mail_credit(buffer, returns_at, shard),
        }
    }

    /// The credit for `buffer`, of a link whose near end is in this shard, arrives at `returns_at`.
    #[inline(always)]
    pub(crate) fn schedule_credit(&mut self, buffer: Buffer, returns_at: Time, cx: &mut Cx<'_>) {
        let Buffer { hop: Hop { link, vc }, cells, link_type } = buffer;
        let link_type = &self.link_types[link_type];
        if !Channel::has_slot_for(link_type, returns_at, cx.now) {
            return cx.at(returns_at, Phase::Arrive, PacketEvent::LateCredit { link, vc, cells });
        }
        let at = self.channel(link, vc);
        let channel = &mut self.channels[at];
        channel.add_credit(cells, returns_at, || &mut self.credits[at], link_type, cx.now);
        if channel.waits_for_credit {
            self.wake_on_credit(link, vc, cx);
        }
    }

    /// A packet lacks nothing but credit: the next return of credit becomes an event.
    pub(crate) fn wake_on_credit(&mut self, link: LinkId, vc: u8, cx: &mut Cx<'_>) {
        let at = self.channel(link, vc);
        let link_type = &self.link_types[self.ports[link].link_type];
        let channel = &mut self.channels[at];
        channel.waits_for_credit = true;
        // If none is in transit, `schedule_credit` calls this again.
        if let Some(due) = channel.next_credit_event(&mut self.credits[at], link_type, cx.now) {
            cx.at(due, Phase::Arrive, PacketEvent::Credit { link, vc });
        }
    }

    /// A credit that a packet waits for has arrived.
    pub(crate) fn credit(&mut self, link: LinkId, vc: u8, cx: &mut Cx<'_>) {
        let at = self.channel(link, vc);
        let link_type = &self.link_types[self.ports[link].link_type];
        let channel = &mut self.channels[at];
        if channel.credit_event(&mut self.credits[at], link_type, cx.now) {
            channel.waits_for_credit = false;
            let port = &self.ports[link];
            if !port.armed && port.free_at <= cx.now {
                self.serve(link, cx);
            }
        }
    }

    /// Credits have arrived that were in transit for longer than the slots of their channel cover.
    pub(crate) fn late_credit(&mut self, hop: Hop, cells: u16, cx: &mut Cx<'_>) {
        let link_type = self.ports[hop.link].link_type;
        self.schedule_credit(Buffer { hop, cells, link_type }, cx.now, cx);
    }

    /// Grants the free `link` to a waiting packet, if there is one. Over an injection link the NIC
    /// sends its next packet.
    #[inline]
    pub(crate) fn serve(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        if self.ports[link].waited_for != 0 {
            self.arbitrate(link, cx);
        } else if (link.0 as usize) < self.nics.len() {
            self.pump(NicId(link.0), cx); // An injection link has the number of its NIC.
        }
    }

    /// The free `link` has waiting packets, and none of them can be sent.
    #[cold]
    pub(crate) fn stall(&mut self, link: LinkId, now: Time) {
        let port = &mut self.ports[link];
        if !port.stalled {
            port.stalled = true;
            self.stalls[link].0 = now;
        }
    }
    /// One of them is sent.
    #[cold]
    pub(crate) fn unstall(&mut self, link: LinkId, now: Time) {
        self.ports[link].stalled = false;
        let (since, sum) = &mut self.stalls[link];
        *sum += now.since(*since);
    }

    /// Adds the counts of links to the columns of `counters`.
    pub(crate) fn report_links(&self, counters: &mut Counters) {
        // On a whole machine most links are idle, and their counters are not backed by memory yet.
        for (link, port) in self.ports.iter().filter(|(_, port)| port.is_used()) {
            counters.links[link] += LinkTraffic { bytes: port.bytes, packets: port.packets };
            counters.stalled[link] += self.stalls[link].1;
            let most = &mut counters.queue_max[link];
            *most = port.queue_max.max(*most);
        }
    }
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
