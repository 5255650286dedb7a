//! Links: what each of them holds, who waits for it, and who goes next.

use base::{IndexVec, Span, Time, with_capacity};
use des::Phase;
use machine::{Arbitration, Hop, LinkEnd, LinkId, Machine, NicId, Route, SwitchId};
use net::{Counters, Cx, LinkTraffic, Partition};

use crate::credit::{Buffer, Channel, Class, Classes};
use crate::loads::Reports;
use crate::{NONE, Packet, PacketEvent, PacketId, PacketNetwork};

/// A link as its near end sees it. One cache line, because a grant needs all of it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Wire {
    /// When the last tail has left.
    pub free_at: Time,
    /// Wire bytes and packets sent so far, and the most bytes that ever waited.
    pub bytes: u64,
    pub packets: u64,
    pub queue_max: u32,
    /// Bytes waiting for it at this end, in any number for a NIC that is congested. What is
    /// promised is among them until somebody looks after it has begun: see `queue`.
    pub waiting: u64,
    /// The switch it leads to; nothing where it leads to a NIC.
    pub to: SwitchId,
    /// Virtual channels with lanes, one bit each.
    pub waited_for: u32,
    /// What is known of the NIC it leads to, while that is congested, of one class first; nothing
    /// otherwise.
    pub endpoint: u32,
    /// The last packet to which it was promised: how long before `free_at` that enters, ps, its
    /// wire bytes (0 if there is none, or it is not among those who wait any more), its channel.
    held: u32,
    promised: u16,
    promised_vc: u8,
    pub class: u8,
    /// A `Free` event is pending.
    pub armed: bool,
    /// It is free, and those who wait for it cannot go: since when, `stalls` knows.
    pub stalled: bool,
}
const _: () = assert!(size_of::<Wire>() == 64);

impl Wire {
    /// Whether a packet has ever entered it, or waited for it.
    pub fn is_used(&self) -> bool {
        self.packets > 0 || self.queue_max > 0
    }
    /// What waits for it as switches tell each other. Between switches they wait in buffers, which
    /// hold no more than 32 bits count.
    #[inline]
    pub fn queue(&self, now: Time) -> u32 {
        let begun = if now > self.begins() { self.promised } else { 0 };
        (self.waiting - u64::from(begun)) as u32
    }

    /// When the packet enters to which it was promised last. Until then, that instant included, it
    /// is one of those who wait.
    #[inline]
    fn begins(&self) -> Time {
        Time(self.free_at.0 - u64::from(self.held))
    }

    /// If it was promised and that has begun since somebody looked: when, and the queue until then.
    #[inline]
    pub fn begun(&self, now: Time) -> Option<(Time, u32)> {
        let begins = self.begins();
        (self.promised > 0 && now > begins).then_some((begins, self.waiting as u32))
    }

    /// What was promised of this link, which is `link`, and has begun does not wait any more.
    #[inline]
    fn keep_promise(&mut self, link: LinkId, reports: &mut Reports, now: Time) {
        if let Some((begins, queue)) = self.begun(now) {
            self.waiting -= u64::from(self.promised);
            self.promised = 0;
            reports.note(link, begins, queue);
        }
    }

    /// The head of `p` enters `hop`, this link, `then`; its tail will have left at `gone`. It takes
    /// so many cells at the far end.
    #[inline(always)]
    pub fn carry(
        &mut self,
        p: &mut Packet,
        hop: Hop,
        class: &Class,
        cells: u16,
        then: Time,
        gone: Time,
    ) -> Entered {
        let left = p.buffer();
        self.free_at = gone;
        self.bytes += u64::from(p.bytes);
        self.packets += 1;
        p.tail = gone + class.latency;
        p.traveled += class.latency.0 as u32;
        p.cells = cells;
        (p.input, p.input_vc, p.input_class, p.at) = (hop.link, hop.vc, self.class, self.to);
        let &Class { latency, abroad, is_slow, .. } = class;
        Entered { left, head: then + latency, to: self.to, abroad, is_slow }
    }

    /// Bytes promised to a packet of `vc` that still waits: it has its credit already, and has not
    /// used it.
    #[inline]
    pub fn is_promised(&self, vc: u8, now: Time) -> u16 {
        let is_open = self.promised > 0 && self.promised_vc == vc && now <= self.begins();
        if is_open { self.promised } else { 0 }
    }
}

/// A packet has entered a link: what it leaves behind it, when its head stands at the far end, and
/// which that is, here or abroad; and whether it came slower than a NIC takes it.
#[derive(Clone, Copy)]
pub(crate) struct Entered {
    left: Buffer,
    head: Time,
    to: SwitchId,
    abroad: u8,
    is_slow: bool,
}

impl Packet {
    /// When its tail has left where it is by a link of `class` that its head enters `then`. That
    /// cannot be before the tail has come: from a slow link to a fast one it goes at the slow one's
    /// rate.
    #[inline(always)]
    fn through(&self, class: &Class, then: Time) -> Time {
        (then + class.gap.span(u64::from(self.bytes))).max(self.tail)
    }
    /// The room it takes up where it is.
    #[inline(always)]
    pub fn buffer(&self) -> Buffer {
        Buffer { hop: self.came(), cells: self.cells, class: self.input_class }
    }
}

/// The columns of a machine at rest: links, their channels, the room at the ends of these, and the
/// classes of links.
///
/// Links of NICs come first and have one channel, as their numbers say; all others have one for
/// each class of routes.
pub(crate) fn columns(
    machine: &Machine,
    part: Option<(&Partition, u8)>,
) -> (IndexVec<LinkId, Wire>, Vec<Channel>, Vec<u16>, Classes) {
    let links = &machine.links;
    let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
    let host = machine.nic.host_gap.max(machine.nic.host_gap_one_way);
    let slowest = links.gap.raw.iter().max().map_or(Span::ZERO, |gap| gap.span(packet));
    let release = slowest.max(host.span(packet));
    let ways_out = (0..machine.n_nics()).map(|nic| links.gap[machine.ejection(NicId(nic))]);
    let way_out = ways_out.min().unwrap_or_default().span(packet);
    let taken_in = way_out.max(host.span(machine.nic.packet_payload));
    let layout = Layout::new(machine);
    let n_links = links.gap.len();
    let mut wires = IndexVec::with_capacity(n_links);
    let n_channels = layout.first(LinkId(n_links as u32));
    let (mut channels, mut rooms) = (with_capacity(n_channels), with_capacity(n_channels));
    channels.resize(n_channels, Channel::IDLE);
    let mut classes: Option<Classes> = None;
    let (mut last, mut cells, mut before) = (0, 0, None);
    wires.raw.extend(links.gap.ids().map(|link| {
        let abroad = part.map_or(0, |(partition, own)| partition.remote_shard(machine, link, own));
        // Neighbors are mostly alike, and a class takes longer to work out than all else here.
        let like = (links.kind[link], links.gap[link], links.latency[link], links.cable[link]);
        let like = Some((like, links.buffer[link], abroad));
        if like != before {
            before = like;
            let class = Class::new(machine, link, release, taken_in, abroad);
            last = classes.get_or_insert_with(|| Classes::of(class)).number(class);
            cells = class.cells;
        }
        let next = layout.first(LinkId(link.0 + 1));
        rooms.resize(next, cells);
        Wire {
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
            held: 0,
            promised: 0,
            promised_vc: 0,
            class: last,
            armed: false,
            stalled: false,
        }
    }));
    (wires, channels, rooms, classes.expect("a machine has links"))
}

/// Whether a busy link can be promised. Where no packet is sent twice a link is held for no longer
/// than the slowest, or the NIC's host interface, needs for the largest packet there can be.
pub(crate) fn may_promise(machine: &Machine) -> bool {
    let host = machine.nic.host_gap.max(machine.nic.host_gap_one_way);
    let slowest = machine.links.gap.raw.iter().copied().max().unwrap_or_default().max(host);
    machine.arbitration == Arbitration::RoundRobin
        && machine.faults.is_none()
        && !machine.classes.is_shared()
        && slowest.span(u16::MAX.into()) <= Span(u32::MAX.into())
}

/// Where channels lie: those of the NICs' links come first.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// Links of NICs.
    ends: u32,
    /// Channels of a link of a NIC, and of one between switches.
    each: [u32; 2],
    /// How many there would be more before such a link if all had as many.
    less: [u32; 2],
}

impl Layout {
    pub fn new(machine: &Machine) -> Layout {
        let (ends, of_edge) = (2 * machine.n_nics(), u32::from(machine.n_vnets));
        let of_fabric = of_edge * u32::from(machine.n_vcs);
        let channels = machine.links.gap.len() as u64 * u64::from(of_fabric);
        assert!(u32::try_from(channels).is_ok(), "2^32 virtual channels or more");
        Layout { ends, each: [of_edge, of_fabric], less: [0, ends * (of_fabric - of_edge)] }
    }
    /// Links below this are NICs'.
    #[inline]
    pub fn ends(&self) -> u32 {
        self.ends
    }
    /// The first channel of a link, or of the one that would come after the last. There is no
    /// branch in it, since links of both kinds come as they like.
    #[inline(always)]
    pub fn first(&self, link: LinkId) -> usize {
        let kind = usize::from(link.0 >= self.ends);
        (link.0 * self.each[kind] - self.less[kind]) as usize
    }
}

impl PacketNetwork {
    /// Where the state of a virtual channel lies. A link of a NIC has one for each virtual network,
    /// a link between switches as many as its virtual networks have together.
    #[inline]
    pub(crate) fn channel(&self, link: LinkId, vc: u8) -> usize {
        self.layout.first(link) + usize::from(vc)
    }
    /// A step of a route, by the virtual channels of `vnet`.
    #[inline]
    pub(crate) fn on(&self, vnet: u8, hop: Hop) -> Hop {
        let vc = if self.is_edge(hop.link) { vnet } else { vnet * self.n_vcs + hop.vc };
        Hop { vc, ..hop }
    }
    /// Whether it is an injection or an ejection link.
    #[inline]
    pub(crate) fn is_edge(&self, link: LinkId) -> bool {
        link.0 < self.layout.ends
    }
    #[inline]
    pub(crate) fn class(&self, link: LinkId) -> &Class {
        &self.classes[self.wires[link].class]
    }

    /// `packet` wants to leave by `hop`, the next of its `route`: now if nothing stands in its way,
    /// otherwise in turn.
    #[inline(always)]
    pub(crate) fn request(&mut self, packet: PacketId, route: Route, hop: Hop, cx: &mut Cx<'_>) {
        let at = self.channel(hop.link, hop.vc);
        let (p, wire) = (&mut self.packets[packet], &mut self.wires[hop.link]);
        let class = &self.classes[wire.class];
        p.route = route;
        let is_free = wire.free_at <= cx.now;
        if !is_free || wire.waited_for != 0 || wire.endpoint != NONE {
            return self.wait(packet, hop, is_free, cx);
        }
        let (room, cells) = (&mut self.rooms[at], class.cell.of_packet(p.bytes));
        if !class.lets(cells, room, || &mut self.channels[at], cx.now) {
            return self.wait(packet, hop, true, cx);
        }
        if !self.is_plain {
            return self.request_by_rule(packet, hop, cx);
        }
        if wire.promised > 0 {
            wire.keep_promise(hop.link, &mut self.reports, cx.now);
        }
        *room -= cells;
        let gone = p.through(class, cx.now);
        let entered = wire.carry(p, hop, class, cells, cx.now, gone);
        self.announce(packet, hop, &entered, cx);
        self.vacate(entered.left, gone, cx);
    }

    /// `packet` could enter the free link of `hop` if its class may, and if nothing goes wrong.
    #[inline(never)]
    fn request_by_rule(&mut self, packet: PacketId, hop: Hop, cx: &mut Cx<'_>) {
        if !self.shares.is_off() && !self.is_allowed(packet, hop.link, cx.now) {
            return self.wait(packet, hop, true, cx);
        }
        self.wires[hop.link].keep_promise(hop.link, &mut self.reports, cx.now);
        self.grant(packet, hop, cx.now, cx);
    }

    /// `packet` joins those who wait for `hop`.
    #[inline(never)]
    fn wait(&mut self, packet: PacketId, hop: Hop, is_free: bool, cx: &mut Cx<'_>) {
        self.wires[hop.link].keep_promise(hop.link, &mut self.reports, cx.now);
        if !is_free && self.is_promising(packet, hop, cx.now) {
            return self.promise(packet, hop, cx);
        }
        if self.wires[hop.link].endpoint != NONE {
            self.meet(packet, hop.link, cx);
        }
        self.join(packet, hop);
        self.count_waiting(packet, hop.link, cx.now);
        let wire = &self.wires[hop.link];
        let is_news = wire.endpoint == NONE || self.congestion.are_classes_apart();
        if wire.waiting > self.congestion.threshold && wire.to.0 == NONE && is_news {
            self.watch(hop.link, hop.vc, cx);
        }
        let wire = &self.wires[hop.link];
        if !is_free {
            self.arm(hop.link, cx);
        } else if !wire.armed {
            // Those who wait already lack credit on their channels; this one may not.
            self.arbitrate(hop.link, cx);
        }
    }

    /// `packet` begins to wait for `link`.
    #[inline]
    fn count_waiting(&mut self, packet: PacketId, link: LinkId, now: Time) {
        let Packet { bytes, vnet, .. } = self.packets[packet];
        let wire = &mut self.wires[link];
        self.reports.note(link, now, wire.queue(now));
        wire.waiting += u64::from(bytes);
        wire.queue_max = wire.queue_max.max(u32::try_from(wire.waiting).unwrap_or(u32::MAX));
        if let Some(waiting) = self.congestion.waiting(link, vnet) {
            *waiting += u64::from(bytes);
        }
    }

    /// Whether the next turn of the busy link of `hop` can only be that of `packet`: in a round,
    /// who waits alone and has credit goes first whoever comes after him, and the next of his lane,
    /// which would have to wait for another turn, comes later still, since their link brings it
    /// only behind his tail. Classes could change that meanwhile, links fail, and who waits for a
    /// NIC may be told to hold back.
    #[inline]
    fn is_promising(&mut self, packet: PacketId, hop: Hop, now: Time) -> bool {
        let wire = &self.wires[hop.link];
        let Packet { tail, bytes, .. } = self.packets[packet];
        self.promises
            && wire.waited_for == 0
            && wire.promised == 0
            && wire.free_at < tail
            && wire.to.0 != NONE
            && self.has_room(hop, bytes, now)
    }

    /// `packet` is granted the busy link of `hop` for when it is free. That is no event then; until
    /// then it is seen to wait.
    #[inline]
    fn promise(&mut self, packet: PacketId, hop: Hop, cx: &mut Cx<'_>) {
        self.count_waiting(packet, hop.link, cx.now);
        let begins = self.wires[hop.link].free_at;
        self.grant(packet, hop, begins, cx);
        let wire = &mut self.wires[hop.link];
        wire.promised = self.packets[packet].bytes;
        wire.promised_vc = hop.vc;
        wire.held = (wire.free_at - begins).0 as u32;
    }

    /// Grants the free `link` to one of those who wait for it, if any of them has credit.
    pub(crate) fn arbitrate(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        debug_assert!(self.wires[link].free_at <= cx.now && !self.wires[link].armed);
        let chosen = if self.shares.is_off() {
            self.choose(link, self.wires[link].waited_for, cx.now)
        } else {
            self.choose_by_class(link, cx)
        };
        let Some(vc) = chosen else {
            for vc in ones(self.wires[link].waited_for) {
                self.starve(link, vc, cx);
            }
            self.stall(link, cx.now);
            return self.await_ceiling(link, cx);
        };
        let packet = self.leave(link, vc);
        self.wires[link].keep_promise(link, &mut self.reports, cx.now);
        if self.wires[link].stalled {
            self.unstall(link, cx.now);
        }
        let wire = &mut self.wires[link];
        self.reports.note(link, cx.now, wire.queue(cx.now));
        let Packet { bytes, vnet, .. } = self.packets[packet];
        wire.waiting -= u64::from(bytes);
        if let Some(waiting) = self.congestion.waiting(link, vnet) {
            *waiting -= u64::from(bytes);
        }
        self.grant(packet, Hop { link, vc }, cx.now, cx);
        if self.wires[link].endpoint != NONE {
            self.deal_to(link, vc, cx);
        }
        if self.wires[link].waited_for != 0 {
            self.arm(link, cx);
        }
    }

    /// `packet` enters the link, which is free `then`, with credit for all of it. The link is held
    /// until the tail has left. Then too its input buffer is empty of it, and the credit starts
    /// home.
    #[inline(always)]
    pub(crate) fn grant(&mut self, packet: PacketId, hop: Hop, then: Time, cx: &mut Cx<'_>) {
        let p = &self.packets[packet];
        let (left, gone) = (p.buffer(), p.through(self.class(hop.link), then));
        self.send(packet, hop, then, gone, cx);
        self.vacate(left, gone, cx);
    }

    /// The head of `packet` enters `hop` `then`; its tail will have left at `gone`.
    #[inline(always)]
    pub(crate) fn send(
        &mut self,
        packet: PacketId,
        hop: Hop,
        then: Time,
        gone: Time,
        cx: &mut Cx<'_>,
    ) {
        if !self.is_plain {
            if !self.shares.is_off() {
                self.take_share(packet, hop.link, then);
            }
            if self.faults.is_some() {
                return self.send_on_faulty(packet, hop, then, gone, cx);
            }
        }
        self.enter(packet, hop, then, gone, cx);
    }

    /// The same where nothing can go wrong any more.
    #[inline(always)]
    pub(crate) fn enter(
        &mut self,
        packet: PacketId,
        hop: Hop,
        then: Time,
        gone: Time,
        cx: &mut Cx<'_>,
    ) {
        let at = self.channel(hop.link, hop.vc);
        let (p, wire) = (&mut self.packets[packet], &mut self.wires[hop.link]);
        let class = &self.classes[wire.class];
        let cells = class.cell.of_packet(p.bytes);
        self.rooms[at] -= cells;
        let entered = wire.carry(p, hop, class, cells, then, gone);
        self.announce(packet, hop, &entered, cx);
    }

    /// `packet` has entered `hop`: its coming to the far end is an event, if anybody looks.
    #[inline(always)]
    pub(crate) fn announce(
        &mut self,
        packet: PacketId,
        hop: Hop,
        entered: &Entered,
        cx: &mut Cx<'_>,
    ) {
        let (Hop { link, vc }, &Entered { mut head, to, abroad, is_slow, .. }) = (hop, entered);
        if is_slow && to == cx.machine.nic_switch[self.packets[packet].dst] {
            head = head.max(self.in_one_piece(packet));
        }
        if to.0 != NONE {
            self.foretell(packet, to, cx.machine);
        }
        if abroad != 0 {
            return self.emigrate(packet, link, head, abroad);
        }
        if to.0 == NONE {
            // Where nobody is in its way and nobody looks it need not come to be known to have
            // come: at a NIC that takes what comes, or if it is for the NIC alone.
            let nic = NicId(link.0 - self.nics.len() as u32);
            if self.takes_at_once {
                return self.take(packet, nic, head, cx);
            }
            let &Packet { bytes, tail: whole, .. } = &self.packets[packet];
            if vc >= self.responses_from && u64::from(bytes) == self.params.response {
                return self.answered(packet, nic, whole, cx);
            }
            if let Some(at) = self.is_taken_at(nic, head) {
                return self.take(packet, nic, at, cx);
            }
        }
        cx.at(head, Phase::Arrive, PacketEvent::Head { packet, link });
    }

    /// From when on `packet`, on its way to its last switch, can go on to its NIC without a
    /// pause for its tail. Nobody asks for the way out sooner: others can use it meanwhile.
    #[inline(never)]
    fn in_one_piece(&self, packet: PacketId) -> Time {
        let Packet { tail, bytes, vnet, dst, .. } = self.packets[packet];
        let ejection = LinkId(self.nics.len() as u32 + dst.0);
        let way_out = self.class(ejection).gap.span(u64::from(bytes));
        let (_, host) = self.host_takes(self.payload(bytes, vnet));
        // A way out of fewer lanes may need longer than the run has lasted.
        Time(tail.0.saturating_sub(way_out.max(host).0))
    }

    /// Whether so many bytes may be sent by `hop` now.
    #[inline(always)]
    pub(crate) fn has_room(&mut self, hop: Hop, bytes: u16, now: Time) -> bool {
        let at = self.channel(hop.link, hop.vc);
        let class = &self.classes[self.wires[hop.link].class];
        let (cells, room) = (class.cell.of_packet(bytes), &mut self.rooms[at]);
        class.lets(cells, room, || &mut self.channels[at], now)
    }

    /// `buffer` is free again from `gone` on: the credit for it starts home.
    #[inline(always)]
    pub(crate) fn vacate(&mut self, buffer: Buffer, gone: Time, cx: &mut Cx<'_>) {
        let class = &self.classes[buffer.class];
        let home = gone + class.cable;
        match class.abroad {
            0 => self.take_back(buffer, home, cx),
            shard => self.mail_credit(buffer, home, shard),
        }
    }

    /// The credit for `buffer`, at the end of a link whose near end is here, is `home` then.
    #[inline(always)]
    pub(crate) fn take_back(&mut self, buffer: Buffer, home: Time, cx: &mut Cx<'_>) {
        let Buffer { hop: Hop { link, vc }, cells, class } = buffer;
        let class = &self.classes[class];
        if !Channel::is_countable(class, home, cx.now) {
            return cx.at(home, Phase::Arrive, PacketEvent::Home { link, vc, cells });
        }
        let at = self.channel(link, vc);
        let channel = &mut self.channels[at];
        channel.give_back(cells, home, || &mut self.rooms[at], class, cx.now);
        if channel.starved {
            self.starve(link, vc, cx);
        }
    }

    /// Somebody waits for nothing but credit: its next coming is an event.
    pub(crate) fn starve(&mut self, link: LinkId, vc: u8, cx: &mut Cx<'_>) {
        let at = self.channel(link, vc);
        let class = &self.classes[self.wires[link].class];
        let channel = &mut self.channels[at];
        channel.starved = true;
        // If none is due, `give_back` will come here again.
        if let Some(due) = channel.next_due(&mut self.rooms[at], class, cx.now) {
            cx.at(due, Phase::Arrive, PacketEvent::Credit { link, vc });
        }
    }

    /// A credit that somebody waited for is home.
    pub(crate) fn credit(&mut self, link: LinkId, vc: u8, cx: &mut Cx<'_>) {
        let at = self.channel(link, vc);
        let class = &self.classes[self.wires[link].class];
        let channel = &mut self.channels[at];
        if channel.has_come(&mut self.rooms[at], class, cx.now) {
            channel.starved = false;
            let wire = &self.wires[link];
            if !wire.armed && wire.free_at <= cx.now {
                self.serve(link, cx);
            }
        }
    }

    /// So many cells are home that were too long on their way to be counted before.
    pub(crate) fn come_home(&mut self, hop: Hop, cells: u16, cx: &mut Cx<'_>) {
        let class = self.wires[hop.link].class;
        self.take_back(Buffer { hop, cells, class }, cx.now, cx);
    }

    /// Lets somebody have the free `link`, if anybody wants it.
    #[inline]
    pub(crate) fn serve(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        if self.wires[link].waited_for != 0 {
            self.arbitrate(link, cx);
        } else if (link.0 as usize) < self.nics.len() {
            self.pump(NicId(link.0), cx); // An injection link is numbered as its NIC.
        }
    }

    /// The free `link` has packets waiting, and none of them can go.
    #[cold]
    pub(crate) fn stall(&mut self, link: LinkId, now: Time) {
        let wire = &mut self.wires[link];
        if !wire.stalled {
            wire.stalled = true;
            self.stalls[link].0 = now;
        }
    }
    /// One of them goes.
    #[cold]
    pub(crate) fn unstall(&mut self, link: LinkId, now: Time) {
        self.wires[link].stalled = false;
        let (since, sum) = &mut self.stalls[link];
        *sum += now.since(*since);
    }

    /// Adds what the links have counted to the columns of `counters`.
    pub(crate) fn report_links(&self, counters: &mut Counters) {
        // Of a whole machine most links are at rest, and their counters are no memory yet.
        for (link, wire) in self.wires.iter().filter(|(_, wire)| wire.is_used()) {
            counters.links[link] += LinkTraffic { bytes: wire.bytes, packets: wire.packets };
            counters.stalled[link] += self.stalls[link].1;
            let most = &mut counters.queue_max[link];
            *most = wire.queue_max.max(*most);
        }
    }
}

/// The numbers of the bits that are set.
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
