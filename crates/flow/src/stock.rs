//! What of a message waits at its sender's switch when the rest has gone.
//!
//! The one idea: routers look at old news. Where links are asked for more than they carry, all see
//! every way round full at the same time, again and again; what they send meanwhile goes the
//! shortest way, full as it is. It gathers in the buffer that the NIC sends into, and goes last.

use base::{Span, Time};
use machine::{End, Idle, LinkId, LinkKind, LoadView, Machine, Route};
use net::{Cx, Message};

use crate::committed::Stands;
use crate::fabric::TIME;
use crate::strands::{Strand, THERE_IS_ONE, WAYS};
use crate::{FlightId, FlowNetwork, IDLE, pieces};

/// Packets are counted in parts of 2 to this power.
const PARTS: u32 = 20;

/// What comes to a way that looks empty, until it is known that it is not, comes from many at once:
/// so many links' worth [estimate]. One is too few for switches of 80 ns on Aurora (24 % early);
/// where delays are next to nothing, as on `dragonfly-1056`, it must not be all (11 % late).
const SWING: u128 = 4;

/// These links are full, all others idle.
struct Full<'a>(&'a [LinkId]);

impl LoadView for Full<'_> {
    fn near(&self, link: LinkId) -> u32 {
        if self.0.contains(&link) { 1 << 30 } else { 0 }
    }
    fn far(&self, _: LinkId) -> u32 {
        0
    }
    fn downstream(&self, link: LinkId) -> u32 {
        self.near(link)
    }
    fn anywhere(&self, link: LinkId) -> u32 {
        self.near(link)
    }
}

/// From a queue's growing until the last comes that was sent before it was known: a report is one
/// to two delays of a local link old (docs/models/routing.md), and who goes by it is one such delay
/// on his way.
pub(crate) fn news(machine: &Machine) -> Span {
    let links = &machine.links;
    let local = |kind| matches!(kind, LinkKind::Local | LinkKind::LocalBlack);
    let delays = links.kind.iter().filter(|&(_, &k)| local(k)).map(|(l, _)| links.latency[l]);
    let longest = delays.max().unwrap_or_default();
    Span(longest.0 * 5 / 2)
}

impl FlowNetwork {
    /// Those who have begun, or chosen again beside them, have their shares: what of them will go
    /// last.
    pub(crate) fn gather(&mut self, cx: &mut Cx<'_>) {
        for nth in 0..self.coming.len() {
            let flight = self.coming[nth];
            if self.flights[flight].stock > 0 || self.flights[flight].is_last {
                continue;
            }
            let stock = if self.committed.is_some() {
                self.stock_that_stands(flight, cx.machine)
            } else {
                self.stock_of(flight, cx.machine)
            };
            if stock > 0 {
                self.advance(flight, cx.now);
                self.flights[flight].stock = stock;
                self.pace(flight);
            }
        }
        self.coming.clear();
    }

    /// The part of `flight`'s work that stands before its shortest way: of `left`, and no more than
    /// half, for the other goes meanwhile [estimate].
    fn stock_that_stands(&mut self, flight: FlightId, machine: &Machine) -> u128 {
        let stands = self.stands(flight, machine);
        let f = &mut self.flights[flight];
        f.is_stuck = stands.as_ref().is_some_and(|stands| stands.is_stuck);
        match stands {
            Some(Stands { bytes, .. }) if f.rate < self.classes.most(f) => {
                let packets = (u128::from(bytes) << PARTS) / u128::from(f.weight.wire);
                ((packets * u128::from(f.piece)) >> PARTS).min(f.left / 2)
            }
            _ => 0,
        }
    }

    /// The part of `flight`'s work that will gather where it does not get on: of `left`.
    fn stock_of(&mut self, flight: FlightId, machine: &Machine) -> u128 {
        let f = &self.flights[flight];
        let alone = self.classes.most(f);
        if f.samples == 1 || f.rate >= alone {
            return 0;
        }
        let Some(blind) = machine.routing.blind_from() else { return 0 };
        let (asked, slow) = self.asked_around(flight, machine);
        let excess = asked.saturating_sub(1 << 20);
        if excess == 0 {
            return 0;
        }
        let (msg, weight, piece) = (f.msg, f.weight, f.piece);
        let sends = u128::from(self.nics[self.twin(msg.src)].sends);
        let sent_in = |ps: u128| (u128::from(alone) * ps / sends) >> (TIME - PARTS);
        let hides = machine.links.gap[slow].span(blind);
        // Until queues on the ways round are so long, and that is known.
        let fills = (u128::from(hides.0) << 20) / u128::from(excess);
        let before = sent_in(fills + u128::from(self.news.0));
        let rest = ((f.left << PARTS) / u128::from(piece)).saturating_sub(before);
        // From then on what they do not take goes the shortest way. Queues swing by what comes
        // before it is known: where that is less than what hides a way, ways are hidden for such a
        // part of the time.
        let most = rest * u128::from(excess) / u128::from(asked);
        let swing = u128::from(self.news.0) * SWING;
        let hides = u128::from(hides.0);
        let most = if swing < hides { most * swing / hides } else { most };
        let buffer = machine.links.buffer[machine.injection(msg.src)];
        let room = (u128::from(buffer) << PARTS) / (sends * u128::from(weight.wire));
        // Less than a packet waits nowhere.
        if most >> PARTS == 0 {
            return 0;
        }
        let stay = (0..WAYS).filter(|&nth| self.stays(msg, nth, machine)).count() as u128;
        let stock = (most * stay / u128::from(WAYS)).min(room);
        if stock >> PARTS == 0 { 0 } else { (stock * u128::from(piece)) >> PARTS }
    }

    /// What the links are asked for by which its packets leave their group on ways round, in the
    /// mean, in parts of 2^20 of what they carry; and one of them. Its own switch's are not among
    /// them, for of those it has no old news.
    fn asked_around(&self, flight: FlightId, machine: &Machine) -> (u64, LinkId) {
        let f = &self.flights[flight];
        let (mut asked, mut count, mut one) = (0u64, 0, LinkId(0));
        let around = |strand: &&Strand| !strand.is_minimal;
        for strand in f.strands[..f.n_strands as usize].iter().filter(around) {
            let mut links = self.sharing.uses(strand.flow).take(strand.hops() - 1).skip(1);
            let own = links.next().map(|first| LinkId(first.resource.0));
            let is_global = |link: &LinkId| machine.links.kind[*link] == LinkKind::Global;
            if own.as_ref().is_some_and(is_global) {
                continue;
            }
            if let Some(out) = links.map(|next| LinkId(next.resource.0)).find(is_global) {
                let of = self.pressure.asked(out, 0).saturating_mul(strand.count.into());
                asked = asked.saturating_add(of);
                count += u64::from(strand.count);
                one = out;
            }
        }
        (asked.checked_div(count).unwrap_or(0), one)
    }

    /// Whether a packet that has set out by its shortest way goes on by that, however full it is,
    /// and whatever else is idle.
    fn stays(&mut self, msg: Message, nth: u32, machine: &Machine) -> bool {
        let draw = Message::packet_draw(msg.draw, nth);
        machine.find_path(msg.src, msg.dst, draw, &Idle, &mut self.path).expect(THERE_IS_ONE);
        let (mut route, mut full) = (Route::default(), Full(&[]));
        self.path.windows(2).all(|pair| {
            let End::Switch(at) = machine.links.to[pair[0]] else { return false };
            let hop = machine.next_hop(at, msg.dst, &mut route, draw, &full);
            full = Full(&self.path);
            hop.link == pair[1]
        })
    }

    /// At `at` only what waits of `flight` is left. It goes its own way when shares are dealt next,
    /// which is soon.
    pub(crate) fn end_rush(&mut self, flight: FlightId, at: Time) {
        let f = &mut self.flights[flight];
        let takes = pieces(f.stock, f.rate.min(f.alone).max(1));
        (f.stock, f.is_last) = (0, true);
        self.lasts.push(flight);
        self.deals = self.deals.min(Time(at.0.saturating_add(takes / IDLE)));
        self.pace(flight);
    }

    /// Shares are dealt: whoever has only left what waits for its shortest way goes by that alone.
    pub(crate) fn send_last(&mut self, cx: &mut Cx<'_>) {
        while let Some(flight) = self.lasts.pop() {
            self.advance(flight, cx.now);
            self.drop_strands(flight, false, cx);
            let f = &self.flights[flight];
            let (Message { src, dst, draw, .. }, samples) = (f.msg, f.samples);
            let is_answered = f.weight.back > 0;
            let route =
                cx.machine.find_path(src, dst, draw, &Idle, &mut self.path).expect(THERE_IS_ONE);
            self.back.clear();
            if is_answered {
                cx.machine.find_path(dst, src, !draw, &Idle, &mut self.back).expect(THERE_IS_ONE);
            }
            for link in self.path.iter_mut().chain(&mut self.back) {
                *link = self.pressure.stand(*link);
            }
            let strand = self.put_strand(flight, samples, route.is_minimal());
            let f = &mut self.flights[flight];
            (f.strands[0], f.n_strands) = (strand, 1);
        }
    }
}
