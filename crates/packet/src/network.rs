//! The packet network: composition of its components, and dispatch of events.
//!
//! `PacketNetwork` forwards packets between components, each of which decides about its own state.
//! ARCHITECTURE.md has a map of them.

use base::{Span, Time};
use des::{EventCode, Item, PREFETCH_BLOCK, Phase, Queue, Units};
use machine::{Hop, LinkId, Machine, NicId, Route, Routing};
use net::{
    Counters, Cx, Failure, LostAt, Message, MsgId, NetEvent, NetworkModel, Partition,
    PrecomputedReady, Prefetch, Sharded, Windowed,
};

use crate::congestion::Congestion;
use crate::endpoints::Endpoints;
use crate::event::{PacketEvent, kind};
use crate::fabric::Fabric;
use crate::faults;
use crate::link::Request;
use crate::packet::{NONE, Packet, PacketId, mark};
use crate::prefetch::{Prefetcher, View};
use crate::shard::Mail;
use crate::windows;

/// A network of NICs and switches, or one shard of it.
pub struct PacketNetwork {
    fabric: Fabric,
    endpoints: Endpoints,
    congestion: Congestion,
    prefetcher: Prefetcher,
}

impl NetworkModel for PacketNetwork {
    type Event = PacketEvent;
    const COUNTS_RESPONSES: bool = true;

    fn build(machine: &Machine) -> Self {
        Self::new(machine, None)
    }

    fn start(&mut self, cx: &mut Cx<'_>) {
        if self.prefetcher.is_large {
            cx.queue.enable_prefetch();
        }
        faults::schedule_changes(cx);
    }

    fn inject(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        self.endpoints.command(id, msg, &mut self.fabric, cx);
    }

    #[inline(always)]
    fn handle(&mut self, ev: PacketEvent, cx: &mut Cx<'_>) {
        let PacketNetwork { fabric, endpoints, congestion, .. } = self;
        match ev {
            PacketEvent::Head { packet, link } => self.arrive(packet, link, cx),
            PacketEvent::Credit { link, vc } => {
                if fabric.links.receive_credit(link, vc, cx.now) {
                    self.serve(link, cx);
                }
            }
            PacketEvent::LateCredit { link, vc, cells } => {
                fabric.links.receive_cells(Hop { link, vc }, cells, cx.now, cx)
            }
            PacketEvent::Free { link } => {
                fabric.links.disarm(link);
                self.serve(link, cx);
            }
            PacketEvent::Ready { transit, .. } => endpoints.enqueue_message(transit, fabric, cx),
            PacketEvent::Allowed { link } => {
                // A busy link is considered when it is free.
                if fabric.shares.wake(link, cx.now) && fabric.links.is_idle(link, cx.now) {
                    self.serve(link, cx);
                }
            }
            PacketEvent::Ack { nic, vnet } => {
                if endpoints.nics.acknowledge(nic, vnet, cx.now) {
                    endpoints.pump(nic, fabric, cx);
                }
            }
            PacketEvent::Host { nic } => endpoints.serve_host(nic, fabric, cx),
            PacketEvent::Respond { nic, packet } => {
                endpoints.enqueue_response(packet, nic, fabric, cx)
            }
            PacketEvent::Lost { nic } => endpoints.time_out(nic, fabric, cx),
            PacketEvent::Change { nth, .. } => self.change(nth, cx),
            PacketEvent::Notice { link, word } => endpoints.receive_notice(link, word, fabric, cx),
            PacketEvent::EndpointCredit { nic, word } => {
                congestion.receive_endpoint_credit(nic, word, fabric, cx)
            }
        }
    }

    #[inline(always)]
    fn dispatch(&mut self, code: EventCode, cx: &mut Cx<'_>) {
        // Most events are heads. The others are distinguished elsewhere, which avoids one
        // unpredictable branch over all codes.
        if code.kind() == kind::HEAD {
            self.arrive(PacketId(code.arg()), LinkId(code.source()), cx);
        } else {
            self.dispatch_other(code, cx);
        }
    }

    fn failure(&mut self, id: MsgId) -> Option<Failure> {
        self.endpoints.take_failure(id)
    }

    fn report(&self, counters: &mut Counters) {
        self.fabric.links.report(counters);
        self.fabric.shares.report(counters);
        counters.congestion = self.congestion.counts;
        self.endpoints.report(&self.fabric, counters);
    }

    fn carried(&self, _: &Counters, each: impl FnMut(LinkId, u64)) {
        self.fabric.links.carried(each);
    }

    fn bytes(&self) -> usize {
        self.fabric.held() + self.endpoints.held() + self.congestion.held()
    }

    fn assert_idle(&self, machine: &Machine) {
        self.fabric.assert_idle();
        self.endpoints.assert_idle(&self.fabric, machine);
        self.congestion.assert_idle();
    }
}

impl Sharded for PacketNetwork {
    type Mail = Mail;

    fn can_be_sharded(machine: &Machine) -> bool {
        // `ugal-g` uses loads of links all over the machine, and timers of lost packets cross no
        // cable.
        !matches!(machine.routing, Routing::UgalG { .. }) && machine.faults.is_none()
    }

    fn build_part(machine: &Machine, partition: &Partition, own: u8) -> Self {
        Self::new(machine, Some((partition, own)))
    }

    fn report_at_receivers(&mut self) {
        self.endpoints.arrivals.report_at_receivers();
    }

    fn outgoing(&mut self, to: usize) -> &mut Mail {
        self.fabric.mail.outgoing(to)
    }

    fn take_addressees(&mut self) -> u64 {
        self.fabric.mail.take_addressees()
    }

    fn incoming(&mut self, from: usize, mail: &mut Mail, cx: &mut Cx<'_>) {
        self.receive_mail(from, mail, cx);
    }
}

impl Windowed for PacketNetwork {
    const HAS_WINDOWS: bool = true;

    fn window_length(machine: &Machine, end: Time) -> Result<Span, &'static str> {
        windows::length(machine, end)
    }

    fn units(machine: &Machine) -> Units {
        windows::units(machine)
    }
}

impl PrecomputedReady for PacketNetwork {
    const PRECOMPUTES_READY: bool = true;

    fn ready(&mut self, src: NicId, bytes: u64, at: Time) -> Time {
        self.endpoints.nics.precompute_ready(src, bytes, at)
    }

    fn leave(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        let transit = self.endpoints.open_message(id, msg, &mut self.fabric.mail, cx);
        self.endpoints.start(transit, &mut self.fabric, cx);
    }
}

impl Prefetch for PacketNetwork {
    #[inline]
    fn prefetch_next(&self, queue: &Queue, _: &Machine) -> Option<MsgId> {
        if !self.prefetcher.is_large {
            self.prefetcher.prefetch_small(&self.fabric.packets, queue);
        }
        None
    }

    #[inline]
    fn prefetch_block(
        &mut self,
        block: &[Item; PREFETCH_BLOCK],
        machine: &Machine,
        report: impl FnMut(MsgId),
    ) {
        if self.prefetcher.is_large {
            let view = View::new(&self.fabric, &self.endpoints);
            self.prefetcher.prefetch_stages(block, &view, machine, report);
        }
    }
}

impl PacketNetwork {
    /// The whole network, or one shard of it.
    fn new(machine: &Machine, part: Option<(&Partition, u8)>) -> Self {
        let fabric = Fabric::new(machine, part);
        PacketNetwork {
            endpoints: Endpoints::new(machine, part, &fabric),
            congestion: Congestion::new(machine),
            prefetcher: Prefetcher::new(&fabric.links),
            fabric,
        }
    }

    #[inline(never)]
    fn dispatch_other(&mut self, code: EventCode, cx: &mut Cx<'_>) {
        self.handle(PacketEvent::unpack(code.kind(), code.source(), code.arg()), cx);
    }

    /// Processes the mail of shard `from`; none of it is for a time before now.
    fn receive_mail(&mut self, from: usize, mail: &mut Mail, cx: &mut Cx<'_>) {
        self.endpoints.receive_mail(from, mail, cx);
        for (then, link, packet) in mail.heads.drain(..) {
            self.fabric.receive_head(packet, link, then, cx);
        }
        for (returns_at, hop, cells) in mail.credits.drain(..) {
            self.fabric.links.receive_cells(hop, cells, returns_at, cx);
        }
        for (then, link, word) in mail.notices.drain(..) {
            cx.at(then, Phase::Arrive, PacketEvent::Notice { link, word });
        }
        for (then, nic, word) in mail.endpoint_credit_returns.drain(..) {
            cx.at(then, Phase::Arrive, PacketEvent::EndpointCredit { nic, word });
        }
    }

    /// The head of `packet` is at the far end of `link`.
    #[inline(always)]
    fn arrive(&mut self, packet: PacketId, link: LinkId, cx: &mut Cx<'_>) {
        let p = &self.fabric.packets[packet];
        if p.at.0 == NONE {
            let nic = self.endpoints.nics.at_end_of(link);
            return self.endpoints.receive(packet, nic, &mut self.fabric, cx);
        }
        if self.fabric.conditions.is_some() {
            return self.route_around_faults(packet, cx);
        }
        if p.marks & mark::ORDERED != 0 {
            return self.arrive_in_order(packet, cx);
        }
        let (route, hop) = self.fabric.links.next_hop(p, p.draw, cx.now, cx.machine);
        let hop = self.fabric.links.channels.on_vnet(p.vnet, hop);
        self.request(packet, route, hop, cx);
    }

    /// The head of the ordered packet `packet` is at a switch.
    #[inline(never)]
    fn arrive_in_order(&mut self, packet: PacketId, cx: &mut Cx<'_>) {
        let p = &mut self.fabric.packets[packet];
        let (route, hop) = match self.endpoints.flows.stored_step(p) {
            Some(step) => step,
            None => {
                let leads = p.marks & mark::LEADS != 0;
                assert!(leads, "an ordered packet without a stored hop is the leader");
                let (route, hop) =
                    self.fabric.links.next_hop(p, p.routing_draw(), cx.now, cx.machine);
                self.endpoints.flows.store_step(p, route, hop);
                (route, hop)
            }
        };
        let hop = self.fabric.links.channels.on_vnet(p.vnet, hop);
        self.request(packet, route, hop, cx);
    }

    /// Routes a packet from its current switch; it is lost if there is no route.
    #[cold]
    #[inline(never)]
    fn route_around_faults(&mut self, packet: PacketId, cx: &mut Cx<'_>) {
        let Fabric { links, packets, conditions, .. } = &mut self.fabric;
        // Reports of faults have no events of their own.
        links.view.advance(cx.now);
        let p = &mut packets[packet];
        let Packet { mut route, dst, at, vnet, input, .. } = *p;
        let before = self.endpoints.flows.stored_step(p);
        let loads = links.loads(vnet, route.class, cx.now);
        let class = links.channels.route_class(vnet, p.input_hop());
        let to = (dst, &mut route, p.routing_draw());
        let (view, input_hop) = (&links.view, (input, class));
        let hop = cx.machine.next_hop_with_faults(view, at, to, before, &loads, input_hop);
        let Some(hop) = hop else { return self.lose_at_switch(packet, cx) };
        let most = conditions.as_ref().expect("called only with a fault schedule").max_hops;
        assert!(u32::from(route.hops) <= most, "a packet beyond its {most} hops");
        assert!(route.class < cx.machine.n_vcs, "a packet beyond its channels");
        let kind = |link| cx.machine.links.kind[link];
        let climbs = links.channels.is_edge(hop.link)
            || (hop.vc, kind(hop.link)) > (class, kind(input))
            || links.channels.is_edge(input);
        assert!(climbs, "a hop that does not climb could close a cycle");
        if before.is_none_or(|(_, output_hop)| output_hop != hop) {
            self.endpoints.flows.store_step(p, route, hop);
        }
        let hop = links.channels.on_vnet(vnet, hop);
        self.request(packet, route, hop, cx);
    }

    /// `packet` is lost at its current switch. Its buffer is free when its tail is in.
    fn lose_at_switch(&mut self, packet: PacketId, cx: &mut Cx<'_>) {
        let p = self.fabric.packets[packet];
        self.endpoints.lose(packet, LostAt::Switch(p.at), &mut self.fabric, cx);
        self.fabric.free_buffer(p.buffer(), p.tail.max(cx.now), cx);
    }

    /// Applies the `nth` change of the fault schedule; with `NONE`, changes of routing biases only.
    /// Packets that wait for a link that fails are routed again: no part of them has left the
    /// switch.
    fn change(&mut self, nth: u32, cx: &mut Cx<'_>) {
        self.fabric.links.view.advance(cx.now);
        if nth == NONE {
            return;
        }
        let Some(link) = self.fabric.change(nth, cx.machine) else { return };
        let Fabric { links, packets, .. } = &mut self.fabric;
        let waiting = links.take_all(link, packets, cx.now);
        for &packet in &waiting {
            self.congestion.remove_waiting(link, &packets[packet]);
        }
        for packet in waiting {
            cx.machine.undo_hop(&mut self.fabric.packets[packet].route, link);
            self.route_around_faults(packet, cx);
        }
        if self.fabric.links.port(link).endpoint != NONE {
            self.congestion.backlog_emptied(link, &mut self.fabric, cx);
        }
    }

    /// `packet` requests `hop`, the next of its `route`: it enters at once if nothing is in its
    /// way, or waits.
    #[inline(always)]
    fn request(&mut self, packet: PacketId, route: Route, hop: Hop, cx: &mut Cx<'_>) {
        match self.fabric.request(packet, route, hop, cx.now) {
            Request::Entered(entered, gone) => {
                self.endpoints.schedule_arrival(packet, hop, &entered, &mut self.fabric, cx);
                self.fabric.free_buffer(entered.vacated, gone, cx);
            }
            Request::Waits { is_free } => self.wait(packet, hop, is_free, cx),
            Request::ByRule => self.request_by_rule(packet, hop, cx),
        }
    }

    /// `packet` can enter the free link of `hop` if its traffic class and the fault schedule allow.
    #[inline(never)]
    fn request_by_rule(&mut self, packet: PacketId, hop: Hop, cx: &mut Cx<'_>) {
        if !self.fabric.is_allowed(packet, hop.link, cx.now) {
            return self.wait(packet, hop, true, cx);
        }
        self.fabric.links.settle_reservation(hop.link, cx.now);
        self.grant(packet, hop, cx.now, cx);
    }

    /// `packet` starts to wait for `hop`.
    #[inline(never)]
    fn wait(&mut self, packet: PacketId, hop: Hop, is_free: bool, cx: &mut Cx<'_>) {
        let link = hop.link;
        let Fabric { links, packets, .. } = &mut self.fabric;
        links.settle_reservation(link, cx.now);
        if !is_free && links.can_reserve(&packets[packet], hop, cx.now) {
            return self.reserve(packet, hop, cx);
        }
        if links.port(link).endpoint != NONE {
            let arrivals = &mut self.endpoints.arrivals;
            self.congestion.join(packet, link, arrivals, &mut self.fabric, cx);
        }
        self.fabric.links.enqueue(packet, hop, &mut self.fabric.packets);
        self.count_waiting(packet, link, cx.now);
        if self.congestion.may_begin(self.fabric.links.port(link)) {
            let arrivals = &mut self.endpoints.arrivals;
            self.congestion.detect(link, hop.vc, arrivals, &mut self.fabric, cx);
        }
        if !is_free {
            self.fabric.links.arm(link, cx);
        } else if !self.fabric.links.port(link).armed {
            // All packets that waited before lack credit on their channels; this one may have it.
            self.arbitrate(link, cx);
        }
    }

    /// Adds `packet` to the bytes that wait for `link`.
    #[inline]
    fn count_waiting(&mut self, packet: PacketId, link: LinkId, now: Time) {
        let p = &self.fabric.packets[packet];
        self.fabric.links.count_waiting(link, p.bytes, now);
        self.congestion.add_waiting(link, p);
    }

    /// Grants `packet` the busy link of `hop` for the time at which it is free. This needs no
    /// event; until then the packet counts as waiting.
    #[inline]
    fn reserve(&mut self, packet: PacketId, hop: Hop, cx: &mut Cx<'_>) {
        self.count_waiting(packet, hop.link, cx.now);
        let begins = self.fabric.links.port(hop.link).free_at;
        self.grant(packet, hop, begins, cx);
        let bytes = self.fabric.packets[packet].bytes;
        self.fabric.links.note_reservation(hop, bytes, begins);
    }

    /// Grants the free `link` to a waiting packet with credit, if there is one.
    fn arbitrate(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        let Fabric { links, packets, shares, .. } = &mut self.fabric;
        debug_assert!(links.is_idle(link, cx.now));
        let chosen = if shares.is_off() {
            links.choose(link, links.port(link).waited_for, cx.now)
        } else {
            shares.choose(link, links, cx.now)
        };
        let Some(vc) = chosen else {
            links.await_credits(link, cx);
            links.stall(link, cx.now);
            return shares.wake_at_ceiling(link, cx);
        };
        let packet = links.take_next(link, vc, packets, cx.now);
        self.congestion.remove_waiting(link, &packets[packet]);
        self.grant(packet, Hop { link, vc }, cx.now, cx);
        if self.fabric.links.port(link).endpoint != NONE {
            self.congestion.backlog_decreased(link, vc, &mut self.fabric, cx);
        }
        if self.fabric.links.port(link).waited_for != 0 {
            self.fabric.links.arm(link, cx);
        }
    }

    /// `packet` enters the link at `start`, when the link is free, with credit for all its cells.
    /// The link is occupied until the tail has left; then the credit for the packet's input buffer
    /// is sent.
    #[inline(always)]
    fn grant(&mut self, packet: PacketId, hop: Hop, start: Time, cx: &mut Cx<'_>) {
        let p = &self.fabric.packets[packet];
        let link_type = self.fabric.links.link_type(hop.link);
        let (vacated, gone) = (p.buffer(), p.through(link_type, start));
        self.endpoints.send(packet, hop, start, gone, &mut self.fabric, cx);
        self.fabric.free_buffer(vacated, gone, cx);
    }

    /// Grants the free `link` to a waiting packet, if there is one. Over an injection link the NIC
    /// sends its next packet.
    #[inline]
    fn serve(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        if self.fabric.links.port(link).waited_for != 0 {
            self.arbitrate(link, cx);
        } else if (link.0 as usize) < self.endpoints.nics.len() {
            // An injection link has the number of its NIC.
            self.endpoints.pump(NicId(link.0), &mut self.fabric, cx);
        }
    }
}

#[cfg(test)]
mod tests;
