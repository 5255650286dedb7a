//! A message's ways: how they are drawn, and what each of them has carried.
//!
//! The one idea: a few packets stand for all. Each asks the machine's routing for its way at the
//! load that it sees, those drawn before it included; equal ways are one strand.

use base::IndexVec;
use fluid::{FlowId, MaxMin, Resource, Use};
use machine::{LinkId, Machine};
use net::{Carried, Cx, LostAt, Message};

use crate::pressure::{Ask, Pressure};
use crate::tree::Tree;
use crate::turns::Pace;
use crate::{Flight, FlightId, FlowNetwork, NEVER, pieces};

/// How many of a message's packets are asked for their way, and so the most ways it has at once.
pub(crate) const WAYS: u32 = 8;

/// How often those look for other ways who come, whose rate those change who were commanded with
/// them, or whose turn it is; and how often after that, now for ways with room only [estimate].
const ROUNDS: u32 = 4;
const ROOM_ROUNDS: u32 = 12;

/// A way has room if its links are asked for no more than this, 2^20 being all they carry: what a
/// message has by it is no finer than one of its packets in parallel.
const ROOM: u64 = (1 << 20) + (1 << 20) / WAYS as u64;

/// Whether there is a way does not depend on what is drawn: a message that has set out has one.
pub(crate) const THERE_IS_ONE: &str = "a way that was there before";

/// One way of a message and the packets in parallel that take it.
#[derive(Clone, Copy)]
pub(crate) struct Strand {
    pub flow: FlowId,
    pub count: u32,
    /// Links forward, and those of what comes back.
    forward: u16,
    back: u16,
    pub is_minimal: bool,
    /// Which of its links holds it up, by its place; 0 if none between switches does.
    held: u16,
    /// Of each of these packets.
    pub level: u64,
    /// Level x count x time.
    pub carried: u128,
}

impl Strand {
    pub const NONE: Strand = Strand {
        flow: FlowId(u32::MAX),
        count: 0,
        forward: 0,
        back: 0,
        is_minimal: true,
        held: 0,
        level: 0,
        carried: 0,
    };
}

/// A way as it was drawn: where its links begin in the list of all, forward ones first.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    begin: u32,
    forward: u16,
    back: u16,
    count: u32,
    pub is_minimal: bool,
}

impl Drawn {
    pub const NONE: Drawn = Drawn { begin: 0, forward: 0, back: 0, count: 0, is_minimal: true };

    /// One packet's, by these links, which begin at `begin`.
    pub fn new(begin: usize, path: &[LinkId], back: &[LinkId], is_minimal: bool) -> Drawn {
        let begin = u32::try_from(begin).expect("fewer than 2^32 links");
        let (forward, back) = (path.len() as u16, back.len() as u16);
        Drawn { begin, forward, back, count: 1, is_minimal }
    }
    pub fn forward<'a>(&self, links: &'a [LinkId]) -> &'a [LinkId] {
        &links[self.begin as usize..][..self.forward.into()]
    }
    pub fn back<'a>(&self, links: &'a [LinkId]) -> &'a [LinkId] {
        &links[self.begin as usize..][self.forward.into()..][..self.back.into()]
    }
}

impl Strand {
    /// Links from NIC to NIC.
    pub fn hops(&self) -> usize {
        self.forward.into()
    }

    /// Links of its way, there and back: the first of what it uses.
    fn links(&self) -> usize {
        usize::from(self.forward) + usize::from(self.back)
    }

    /// These links.
    pub fn path(&self, sharing: &MaxMin) -> impl Iterator<Item = LinkId> {
        sharing.uses(self.flow).take(self.links()).map(|one| LinkId(one.resource.0))
    }

    /// The way of one of its packets, whose links begin at `begin`.
    pub fn drawn(&self, begin: usize) -> Drawn {
        let begin = u32::try_from(begin).expect("fewer than 2^32 links");
        let Strand { forward, back, is_minimal, .. } = *self;
        Drawn { begin, forward, back, count: 1, is_minimal }
    }

    /// `at` sets its level now: what comes to a link between switches faster than it goes on fills
    /// the buffers before it, all the way from the switch of the sender. What comes back likewise.
    pub fn hold_up(
        &mut self,
        at: Option<Resource>,
        pull: (Ask, Ask),
        sharing: &MaxMin,
        pressure: &mut Pressure,
    ) {
        let (forward, all) = (usize::from(self.forward), self.links());
        let on_way = |at| sharing.uses(self.flow).take(all).position(|one| one.resource == at);
        // The first link of either way is a NIC's own, and so is the last.
        let is_ends = |place: usize| [0, forward - 1, forward, all - 1].contains(&place);
        let place = at.and_then(on_way).filter(|&place| !is_ends(place));
        let held = place.unwrap_or(0) as u16;
        if held != self.held {
            self.let_go(pull, sharing, pressure);
            self.held = held;
            self.before_hold(pull, sharing, |link, asks| pressure.fill(link, asks));
        }
    }

    /// Nothing holds it up.
    fn let_go(&mut self, pull: (Ask, Ask), sharing: &MaxMin, pressure: &mut Pressure) {
        self.before_hold(pull, sharing, |link, asks| pressure.drain(link, asks));
        self.held = 0;
    }

    /// The links from a NIC's switch to where it is held up, and what it asks of them.
    fn before_hold(&self, pull: (Ask, Ask), sharing: &MaxMin, mut of: impl FnMut(LinkId, u64)) {
        let (pull, begin) =
            if self.held < self.forward { (pull.0, 0) } else { (pull.1, self.forward) };
        let links = sharing.uses(self.flow).take(self.held.into()).skip(usize::from(begin) + 1);
        links.for_each(|one| of(LinkId(one.resource.0), pull.rate * u64::from(self.count)));
    }
}

impl FlowNetwork {
    /// Draws the ways of `flight`, which has none. They are left in `ways` and `links`, too. If
    /// there is no way, it has none still.
    pub(crate) fn draw_ways(&mut self, flight: FlightId, machine: &Machine) -> Result<(), LostAt> {
        let pull = self.pull_of(flight, Pace::Offered);
        self.flights[flight].pull = pull;
        self.ways.clear();
        self.links.clear();
        for _ in 0..self.flights[flight].samples {
            let draw = self.next_draw(flight, machine);
            let is_minimal = self.walk(flight, draw, machine)?;
            self.walk_back(flight, draw, machine)?;
            self.path.iter().for_each(|&link| self.pressure.add_own(link, pull.0));
            self.back.iter().for_each(|&link| self.pressure.add_own(link, pull.1));
            let (path, back) = (std::mem::take(&mut self.path), std::mem::take(&mut self.back));
            self.note_way((&path, &back), is_minimal);
            (self.path, self.back) = (path, back);
        }
        self.pressure.disown();
        self.put_ways(flight);
        Ok(())
    }

    /// What each packet in parallel of `flight` asks, forward and back.
    pub(crate) fn pull_of(&self, flight: FlightId, pace: Pace) -> (Ask, Ask) {
        let f = &self.flights[flight];
        let (src, dst) = (self.twin(f.msg.src), self.twin(f.msg.dst));
        // What its NICs leave it, if they deal fairly and nothing else is in the way.
        let company = self.nics[src].sends.max(self.nics[dst].takes).max(1);
        let offered = f.alone / (u64::from(company) * u64::from(f.samples));
        let each = match pace {
            Pace::Offered => offered,
            // Of a class with a ceiling all that NICs have sent waits, and that part of it goes.
            Pace::Got => {
                let part = u128::from(f.rate) * u128::from(f.alone);
                let got = part / u128::from(self.classes.most(f).max(1) * u64::from(f.samples));
                offered.min(u64::try_from(got).unwrap_or(u64::MAX))
            }
        };
        let of = |weight: u32| Ask {
            rate: Pressure::rate(each, weight),
            bytes: f.cut.packets.div_ceil(f.samples.into()) * u64::from(weight),
        };
        (of(f.weight.wire), of(f.weight.back))
    }

    /// From now on `flight`, whose levels have been dealt, asks so much.
    pub(crate) fn ask(&mut self, flight: FlightId, pace: Pace) {
        let (old, new) = (self.flights[flight].pull, self.pull_of(flight, pace));
        if old == new {
            return;
        }
        let n = self.flights[flight].n_strands as usize;
        for nth in 0..n {
            let mut strand = self.flights[flight].strands[nth];
            strand.let_go(old, &self.sharing, &mut self.pressure);
            self.ease(&strand, strand.count, old);
            for (nth, link) in strand.path(&self.sharing).enumerate() {
                let pull = if nth < strand.forward.into() { new.0 } else { new.1 };
                self.pressure.add(link, pull.times(strand.count));
            }
            let at = self.sharing.bottleneck(strand.flow);
            strand.hold_up(at, new, &self.sharing, &mut self.pressure);
            self.flights[flight].strands[nth] = strand;
        }
        self.flights[flight].pull = new;
    }

    /// Another packet goes by `path`, and what comes back for it by `back`.
    pub(crate) fn note_way(&mut self, (path, back): (&[LinkId], &[LinkId]), is_minimal: bool) {
        let links = &self.links;
        let is_same = |way: &&mut Drawn| way.forward(links) == path && way.back(links) == back;
        if let Some(way) = self.ways.iter_mut().find(is_same) {
            way.count += 1;
            return;
        }
        self.ways.push(Drawn::new(self.links.len(), path, back, is_minimal));
        self.links.extend_from_slice(path);
        self.links.extend_from_slice(back);
    }

    /// The ways that have been noted are those of `flight`.
    pub(crate) fn put_ways(&mut self, flight: FlightId) {
        let Message { src, dst, .. } = self.flights[flight].msg;
        let (src, dst) = (self.twin(src), self.twin(dst));
        let f = &mut self.flights[flight];
        f.n_strands = self.ways.len() as u32;
        for (way, strand) in self.ways.iter().zip(&mut f.strands) {
            let both = (way.forward(&self.links), way.back(&self.links));
            self.fabric.uses((src, dst), f.weight, way.count, both, &mut self.uses);
            let Drawn { count, forward, back, is_minimal, .. } = *way;
            let of = (flight, self.classes.party(f.msg));
            let flow = add_strand(&mut self.sharing, &mut self.owner, of, &self.uses);
            *strand = Strand { flow, count, forward, back, is_minimal, ..Strand::NONE };
        }
    }

    /// What the next packet of `flight` draws its way by.
    pub(crate) fn next_draw(&mut self, flight: FlightId, machine: &Machine) -> u64 {
        let f = &mut self.flights[flight];
        let draw = Message::packet_draw(f.msg.draw, f.drawn);
        f.drawn += 1;
        if f.msg.in_order && machine.keeps_flows {
            Message::draw_in_order(f.msg.draw)
        } else {
            draw
        }
    }

    /// The way of a packet of `flight` into `path`: whether it is minimal.
    pub(crate) fn walk(
        &mut self,
        flight: FlightId,
        draw: u64,
        machine: &Machine,
    ) -> Result<bool, LostAt> {
        let Message { src, dst, .. } = self.flights[flight].msg;
        let route = machine.find_path(src, dst, draw, &self.pressure, &mut self.path)?;
        self.path.iter_mut().for_each(|link| *link = self.pressure.stand(*link));
        Ok(route.is_minimal())
    }

    /// The way of what comes back for it into `back`.
    pub(crate) fn walk_back(
        &mut self,
        flight: FlightId,
        draw: u64,
        machine: &Machine,
    ) -> Result<(), LostAt> {
        let Flight { msg: Message { src, dst, .. }, weight, .. } = self.flights[flight];
        self.back.clear();
        if weight.back > 0 {
            machine.find_path(dst, src, !draw, &self.pressure, &mut self.back)?;
            self.back.iter_mut().for_each(|link| *link = self.pressure.stand(*link));
        }
        Ok(())
    }

    /// From the next deal on its strands take their shares.
    pub(crate) fn start_strands(&mut self, flight: FlightId) {
        let Flight { strands, n_strands, .. } = &self.flights[flight];
        for strand in &strands[..*n_strands as usize] {
            self.sharing.start(strand.flow);
        }
    }

    /// Where somebody has come, those commanded with him whose rate that has changed look for other
    /// ways if they are held up, and so does whose turn it is: so many times, each time by one of
    /// their packets in parallel. Everybody does once, if it is time for that.
    ///
    /// Packets choose ways all the time, so where there is room somebody who is held up finds it.
    /// Where there is none they cannot tell full from fuller, and stay as they are.
    pub(crate) fn look_around(&mut self, cx: &mut Cx<'_>) {
        if !cx.machine.routing.is_adaptive() {
            return;
        }
        let mut looking = std::mem::take(&mut self.looking);
        if !self.coming.is_empty() {
            looking.clone_from(&self.changed);
        }
        for round in 0..ROUNDS + ROOM_ROUNDS {
            if looking.is_empty() {
                break;
            }
            self.look_once(&mut looking, round >= ROUNDS, cx);
        }
        if self.looks <= cx.now {
            self.looks = NEVER;
            looking.clear();
            looking.extend(self.ends.ids());
            looking.sort_unstable();
            self.look_once(&mut looking, false, cx);
        }
        looking.clear();
        self.looking = looking;
    }

    /// All of them look once; those who are not held up are taken out. Shares are dealt anew if
    /// somebody has found a way.
    fn look_once(&mut self, looking: &mut Vec<FlightId>, for_room: bool, cx: &mut Cx<'_>) {
        let mut moved = false;
        looking.retain(|&flight| {
            let Some(slow) = self.held_up(flight) else { return false };
            moved |= self.look(flight, slow, for_room, cx);
            true
        });
        if moved {
            self.deal(cx.now, cx.machine);
        }
    }

    /// The slowest of its strands that are held up between switches, if that is why it has less
    /// than it could take.
    pub(crate) fn held_up(&self, flight: FlightId) -> Option<usize> {
        let f = &self.flights[flight];
        if f.samples == 1 || f.is_last || f.rate >= self.classes.most(f) {
            return None;
        }
        let strands = f.strands[..f.n_strands as usize].iter().enumerate();
        let held = strands.filter(|(_, strand)| strand.held > 0);
        held.min_by_key(|(_, strand)| strand.level).map(|(nth, _)| nth)
    }

    /// Its strand `slow` sends one of its packets by the way that the next packet draws, if that is
    /// asked for less; `for_room`, if it has room. Whether that is another.
    ///
    /// By scores that end, a shortest way that is full looks as full as any way can, and ways round
    /// look so before they are: who waits for a shortest way goes round only where there is room.
    /// So does who has no room left for others beside what stands before his.
    fn look(&mut self, flight: FlightId, slow: usize, for_room: bool, cx: &mut Cx<'_>) -> bool {
        let f = &self.flights[flight];
        let (n, pull, strand) = (f.n_strands as usize, f.pull, f.strands[slow]);
        let links = || self.sharing.uses(strand.flow).map(|one| LinkId(one.resource.0));
        let forward = usize::from(strand.forward);
        self.path.clear();
        self.path.extend(links().take(forward));
        self.back.clear();
        self.back.extend(links().take(strand.links()).skip(forward));
        // What comes back goes other ways, or the message itself.
        let is_back = strand.held >= strand.forward;
        let worst = |network: &FlowNetwork, more: (u64, u64), (from, to): (usize, usize)| {
            let (links, more) =
                if is_back { (&network.back, more.1) } else { (&network.path, more.0) };
            let links = links.iter().take(to).skip(from);
            links.map(|&link| network.pressure.asked(link, more)).max()
        };
        // Who goes by his own switch's queues sees no further than the first link out of it. That
        // is so with several shortest ways, too, but there nothing is told of what stands: the two
        // have been measured together only.
        let whole = (0, usize::MAX);
        let seen = if self.committed.is_some() { (1, 2) } else { whole };
        let now = worst(self, (0, 0), seen);
        self.pressure.pace = now.unwrap_or(0).max(1 << 20);
        let draw = self.next_draw(flight, cx.machine);
        let mut is_minimal = strand.is_minimal;
        if is_back {
            self.walk_back(flight, draw, cx.machine).expect(THERE_IS_ONE);
        } else {
            is_minimal = self.walk(flight, draw, cx.machine).expect(THERE_IS_ONE);
        }
        self.pressure.pace = 1 << 20;
        let is_same = |strand: &Strand| {
            let links = self.sharing.uses(strand.flow).map(|one| LinkId(one.resource.0));
            links.take(strand.links()).eq(self.path.iter().chain(&self.back).copied())
        };
        let same = self.flights[flight].strands[..n].iter().position(is_same);
        let more = (pull.0.rate, pull.1.rate);
        let is_stuck = self.ask_if_stuck(flight, cx.machine);
        let stays = cx.machine.routing.blind_from().is_some() || is_stuck;
        let for_room = for_room || stays && strand.is_minimal && !is_minimal;
        if same == Some(slow)
            || worst(self, more, seen) >= now
            || for_room && worst(self, more, whole) > Some(ROOM)
        {
            return false;
        }
        self.advance(flight, cx.now);
        let Flight { pull, strands, .. } = self.flights[flight];
        match same {
            Some(same) => {
                self.pull(pull, 1);
                self.resize(flight, same, strands[same].count + 1);
            }
            None => {
                // Where the slow one stood, if that is to go: there is room for no more.
                let new = self.put_strand(flight, 1, is_minimal);
                if strands[slow].count == 1 {
                    self.drop_strand(flight, slow, false, cx);
                    self.flights[flight].strands[slow] = new;
                    return true;
                }
                let f = &mut self.flights[flight];
                f.strands[n] = new;
                f.n_strands += 1;
            }
        }
        if strands[slow].count == 1 {
            self.drop_strand(flight, slow, false, cx);
            let f = &mut self.flights[flight];
            f.strands[slow] = f.strands[n - 1];
            f.n_strands -= 1;
        } else {
            self.ease(&strands[slow], 1, pull);
            self.resize(flight, slow, strands[slow].count - 1);
        }
        true
    }

    /// So many packets in parallel ask for the links of `path` and `back`.
    pub(crate) fn pull(&mut self, pull: (Ask, Ask), count: u32) {
        self.path.iter().for_each(|&link| self.pressure.add(link, pull.0.times(count)));
        self.back.iter().for_each(|&link| self.pressure.add(link, pull.1.times(count)));
    }

    /// A new strand by `path`, and `back` for what comes back.
    pub(crate) fn put_strand(&mut self, flight: FlightId, count: u32, is_minimal: bool) -> Strand {
        let Flight { msg, weight, pull, .. } = self.flights[flight];
        self.pull(pull, count);
        let (src, dst) = (self.twin(msg.src), self.twin(msg.dst));
        let both = (&self.path[..], &self.back[..]);
        self.fabric.uses((src, dst), weight, count, both, &mut self.uses);
        let of = (flight, self.classes.party(msg));
        let flow = add_strand(&mut self.sharing, &mut self.owner, of, &self.uses);
        self.sharing.start(flow);
        let (forward, back) = (self.path.len() as u16, self.back.len() as u16);
        Strand { flow, count, forward, back, is_minimal, ..Strand::NONE }
    }

    /// So many of a strand's packets in parallel ask nothing of its links any more.
    fn ease(&mut self, strand: &Strand, count: u32, pull: (Ask, Ask)) {
        for (nth, one) in self.sharing.uses(strand.flow).take(strand.links()).enumerate() {
            let pull = if nth < strand.forward.into() { pull.0 } else { pull.1 };
            self.pressure.remove(LinkId(one.resource.0), pull.times(count));
        }
    }

    /// Gives a strand another count of packets in parallel.
    fn resize(&mut self, flight: FlightId, nth: usize, count: u32) {
        let f = &mut self.flights[flight];
        let strand = &mut f.strands[nth];
        strand.let_go(f.pull, &self.sharing, &mut self.pressure);
        // As `Fabric::uses` counts it: what a weight cannot hold is as much as it can.
        let scale =
            |one: Use| Use { weight: (one.weight / strand.count).saturating_mul(count), ..one };
        self.uses.clear();
        self.uses.extend(self.sharing.uses(strand.flow).map(scale));
        remove_strand(&mut self.sharing, &mut self.tree, strand.flow);
        strand.count = count;
        let of = (flight, self.classes.party(f.msg));
        strand.flow = add_strand(&mut self.sharing, &mut self.owner, of, &self.uses);
        self.sharing.start(strand.flow);
    }

    /// Takes all strands out; everything that has not been counted is, if the message `is_whole`.
    pub(crate) fn drop_strands(&mut self, flight: FlightId, is_whole: bool, cx: &mut Cx<'_>) {
        let n = self.flights[flight].n_strands as usize;
        for nth in 0..n {
            self.drop_strand(flight, nth, is_whole && nth + 1 == n, cx);
        }
        self.flights[flight].n_strands = 0;
    }

    /// Takes a strand out and counts what it has carried: as many whole packets as all strands
    /// before it and itself, less what has been counted; all that is left if it is the last.
    fn drop_strand(&mut self, flight: FlightId, nth: usize, is_last: bool, cx: &mut Cx<'_>) {
        let f = &mut self.flights[flight];
        let (strand, pull) = (&mut f.strands[nth], f.pull);
        strand.let_go(pull, &self.sharing, &mut self.pressure);
        let strand = *strand;
        f.carried += strand.carried;
        let until = if is_last {
            f.cut.packets
        } else {
            // Rounded down, and less than all: the last has one to count at least.
            f.counted.max(pieces(f.carried, f.piece).min(f.cut.packets - 1))
        };
        let bytes_until = |packets: u64| match packets {
            all if all == f.cut.packets => f.msg.bytes,
            some => some * self.params.packet_payload,
        };
        let packets = until - f.counted;
        let bytes = bytes_until(until) - bytes_until(f.counted) + packets * f.extra.headers;
        let back = packets * f.extra.back;
        f.counted = until;
        let counters = &mut *cx.counters;
        counters.hops += packets * u64::from(strand.forward - 1);
        counters.nonminimal += if strand.is_minimal { 0 } else { packets };
        for (nth, one) in self.sharing.uses(strand.flow).take(strand.links()).enumerate() {
            let link = LinkId(one.resource.0);
            let bytes = if nth < strand.forward.into() { bytes } else { back };
            counters.links[link] += Carried { bytes, packets };
            if let Some(of_class) = self.classes.packets.get_mut(usize::from(f.msg.vnet))
                && let Some(of_link) = of_class.raw.get_mut(link.0 as usize)
            {
                *of_link += packets;
            }
        }
        self.ease(&strand, strand.count, pull);
        remove_strand(&mut self.sharing, &mut self.tree, strand.flow);
    }
}

/// A flow of `flight`'s, and its class's, that uses these.
fn add_strand(
    sharing: &mut MaxMin,
    owner: &mut IndexVec<FlowId, FlightId>,
    (flight, party): (FlightId, u32),
    uses: &[Use],
) -> FlowId {
    let flow = sharing.add_of(party, uses);
    if owner.len() <= flow.0 as usize {
        owner.raw.resize(flow.0 as usize + 1, flight);
    }
    owner[flow] = flight;
    flow
}

/// `flow` is no more.
fn remove_strand(sharing: &mut MaxMin, tree: &mut Option<Tree>, flow: FlowId) {
    sharing.remove(flow);
    if let Some(tree) = tree {
        tree.forget(flow);
    }
}
