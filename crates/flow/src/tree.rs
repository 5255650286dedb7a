//! Who stands in whose way where no switch manages congestion.
//!
//! The one idea: what goes to a NIC that is sent more than it takes waits in the buffers of its
//! ways, back to its sender. Where it fills a buffer, the link before it goes on as fast as that
//! buffer drains, and its packets take turns with others': nobody gets by faster than they do.

use base::{IndexVec, Time};
use fluid::{FlowId, Resource};
use machine::{Machine, NicId};

use crate::strands::{Strand, WAYS};
use crate::{FlightId, FlowNetwork, pieces};

base::ids! {
    /// A class's buffer at the far end of a link.
    Buffer,
    /// A NIC as a class's messages come to it.
    Receiver,
}

/// Of a buffer: what stands in it that a receiver does not take.
#[derive(Clone, Copy)]
struct Standing {
    /// The level of the slowest, `u64::MAX` if nothing stands there.
    level: u64,
    /// What can wait of all of them, and what the buffer holds.
    bytes: u64,
    buffer: u32,
}

/// What messages under way to a NIC still have to bring: all of them, and the longest.
#[derive(Clone, Copy, Default)]
struct Due {
    all: u64,
    longest: u64,
}

impl Due {
    /// What can be too early: as long as others send, too, each sends what it would alone.
    fn waits(self) -> u64 {
        self.all - self.longest
    }
}

pub(crate) struct Tree {
    /// Class by class: no class waits in another's buffers.
    of: IndexVec<Buffer, Standing>,
    n_links: u32,
    n_nics: u32,
    /// Where something stands.
    full: Vec<Buffer>,
    /// Some buffer is full.
    is_full: bool,
    due: IndexVec<Receiver, Due>,
    flights: Vec<Coming>,
    /// Flows that have their bottleneck where a NIC takes packets, and where each stands among
    /// them, or `OUT`: nobody else's packets stand.
    held: Vec<FlowId>,
    place: IndexVec<FlowId, u32>,
}

const OUT: u32 = u32::MAX;

/// Who is under way: of which class, to which NIC, what he still has to bring, and whether he has
/// less than he would alone.
#[derive(Clone, Copy)]
struct Coming {
    flight: FlightId,
    class: u32,
    receiver: NicId,
    left: u64,
    is_slow: bool,
}

/// So many flights ahead of the one that is looked at are fetched: they lie all over a memory that
/// no cache holds [estimate].
const AHEAD: usize = 8;

impl Tree {
    /// The tree of a machine whose switches do nothing about it.
    pub fn new(machine: &Machine) -> Option<Tree> {
        let of = |&buffer: &u32| Standing { level: u64::MAX, bytes: 0, buffer };
        let classes = machine.classes.sharing().count().max(1);
        let (n_links, n_nics) = (machine.links.buffer.len() as u32, machine.n_nics());
        let each = || machine.links.buffer.raw.iter().map(of);
        let of = (0..classes).flat_map(|_| each()).collect();
        let due = IndexVec::filled(Due::default(), classes * n_nics as usize);
        let (full, flights, held, place) = (Vec::new(), Vec::new(), Vec::new(), IndexVec::new());
        let is_full = false;
        let tree = Tree { of, n_links, n_nics, full, is_full, due, flights, held, place };
        machine.congestion.is_none().then_some(tree)
    }

    /// `flow` has its bottleneck where a NIC takes packets, if it `is_held` there.
    fn hold(&mut self, flow: FlowId, is_held: bool) {
        if self.place.len() <= flow.0 as usize {
            self.place.raw.resize(flow.0 as usize + 1, OUT);
        }
        let place = self.place[flow];
        if is_held && place == OUT {
            self.place[flow] = self.held.len() as u32;
            self.held.push(flow);
        } else if !is_held && place != OUT {
            self.place[flow] = OUT;
            self.held.swap_remove(place as usize);
            if let Some(&moved) = self.held.get(place as usize) {
                self.place[moved] = place;
            }
        }
    }

    /// `flow` is no more.
    pub fn forget(&mut self, flow: FlowId) {
        self.hold(flow, false);
    }

    fn clear(&mut self) {
        self.is_full = false;
        while let Some(at) = self.full.pop() {
            (self.of[at].level, self.of[at].bytes) = (u64::MAX, 0);
        }
    }

    fn buffer(&self, class: u32, link: Resource) -> Buffer {
        Buffer(class * self.n_links + link.0)
    }

    fn receiver(&self, class: u32, nic: NicId) -> Receiver {
        Receiver(class * self.n_nics + nic.0)
    }

    fn stand(&mut self, at: Buffer, level: u64, bytes: u64) {
        let standing = &mut self.of[at];
        if standing.level == u64::MAX {
            self.full.push(at);
        }
        standing.level = standing.level.min(level);
        standing.bytes = standing.bytes.saturating_add(bytes);
        self.is_full |= standing.bytes >= u64::from(standing.buffer);
    }

    /// The most that anybody has who goes by it.
    fn most(&self, at: Buffer) -> u64 {
        let Standing { level, bytes, buffer } = self.of[at];
        if bytes < u64::from(buffer) { u64::MAX } else { level }
    }

    pub fn bytes(&self) -> usize {
        self.of.len() * size_of::<Standing>()
            + self.due.len() * size_of::<Due>()
            + self.held.capacity() * size_of::<FlowId>()
            + self.place.raw.capacity() * size_of::<u32>()
    }
}

impl FlowNetwork {
    /// Shares have been dealt: whoever goes by a full buffer has no more than those who fill it.
    pub(crate) fn wait_behind(&mut self, now: Time) {
        let Some(mut tree) = self.tree.take() else { return };
        for &flow in self.sharing.opened() {
            let at = self.sharing.bottleneck(flow);
            tree.hold(flow, at.is_some_and(|at| self.fabric.is_taker(at)));
        }
        let was_full = tree.is_full;
        tree.clear();
        if !was_full {
            self.stand_at_most(&mut tree, now);
        }
        if was_full || tree.is_full {
            tree.clear();
            self.look_at_all(&mut tree, was_full, now);
        }
        self.tree = Some(tree);
    }

    /// What stands if all waits that held flows still have to bring: if that fills no buffer, there
    /// is no need to know what is due from all others who are under way.
    fn stand_at_most(&self, tree: &mut Tree, now: Time) {
        for nth in 0..tree.held.len() {
            if let Some(&next) = tree.held.get(nth + AHEAD) {
                base::prefetch(&self.flights[self.owner[next]].left);
                base::prefetch(&self.flights[self.owner[next]].msg);
            }
            let flow = tree.held[nth];
            let one = self.coming(self.owner[flow], now);
            let f = &self.flights[one.flight];
            let all = f.strands[..f.n_strands as usize].iter();
            for strand in all.filter(|strand| one.is_slow && strand.flow == flow) {
                self.stand_by(strand, &one, one.left, tree);
            }
        }
    }

    /// What is due to each NIC, what stands for it and where, and whom that slows down.
    fn look_at_all(&mut self, tree: &mut Tree, was_full: bool, now: Time) {
        let of = |flight| Coming { flight, class: 0, receiver: NicId(0), left: 0, is_slow: false };
        tree.flights.extend(self.ends.ids().map(of));
        for nth in 0..tree.flights.len() {
            self.fetch(&tree.flights, nth + AHEAD);
            let one = &mut tree.flights[nth];
            *one = self.coming(one.flight, now);
            let (class, receiver, left) = (one.class, one.receiver, one.left);
            let at = tree.receiver(class, receiver);
            let due = &mut tree.due[at];
            (due.all, due.longest) = (due.all.saturating_add(left), due.longest.max(left));
        }
        for nth in 0..tree.flights.len() {
            self.fetch(&tree.flights, nth + AHEAD);
            self.stand(tree.flights[nth], tree);
        }
        for nth in 0..tree.flights.len() {
            let at = tree.receiver(tree.flights[nth].class, tree.flights[nth].receiver);
            tree.due[at] = Due::default();
        }
        if was_full || tree.is_full {
            for (nth, one) in tree.flights.iter().enumerate() {
                self.fetch(&tree.flights, nth + AHEAD);
                self.slow_down(*one, tree, now);
            }
        }
        tree.flights.clear();
    }

    /// Has the processor fetch one that will be looked at.
    fn fetch(&self, flights: &[Coming], nth: usize) {
        if let Some(one) = flights.get(nth) {
            let f = &self.flights[one.flight];
            base::prefetch(&f.left);
            base::prefetch(&f.msg);
            base::prefetch(&f.strands[0]);
        }
    }

    /// What there is to know of a flight: the NIC that it is charged at, and bytes on the wire that
    /// it still has to bring.
    fn coming(&self, flight: FlightId, now: Time) -> Coming {
        let f = &self.flights[flight];
        let sent = u128::from(f.rate.min(f.alone)) * u128::from(now.since(f.since).0);
        let left = pieces(f.left.saturating_sub(sent), f.piece);
        Coming {
            flight,
            class: self.classes.party(f.msg),
            receiver: self.twin(f.msg.dst),
            left: left.saturating_mul(f.weight.wire.into()),
            is_slow: f.free < self.classes.most(f),
        }
    }

    /// What its receiver does not take of a flight stands all along its ways.
    fn stand(&self, one: Coming, tree: &mut Tree) {
        let Coming { flight, class, receiver, left, is_slow } = one;
        if !is_slow {
            return;
        }
        let f = &self.flights[flight];
        let waits = tree.due[tree.receiver(class, receiver)].waits().min(left);
        for strand in &f.strands[..f.n_strands as usize] {
            self.stand_by(strand, &one, waits, tree);
        }
    }

    /// Of what waits of a flight, the part of one of its ways.
    fn stand_by(&self, strand: &Strand, one: &Coming, waits: u64, tree: &mut Tree) {
        let at = self.sharing.bottleneck(strand.flow);
        if !at.is_some_and(|at| self.fabric.is_taken_by(at, one.receiver)) {
            return;
        }
        let each = waits / u64::from(self.flights[one.flight].samples);
        let level = self.sharing.level_of(strand.flow);
        // The last is the receiver's own.
        for link in self.sharing.uses(strand.flow).take(strand.hops() - 1) {
            let at = tree.buffer(one.class, link.resource);
            tree.stand(at, level, each * u64::from(strand.count));
        }
    }

    fn slow_down(&mut self, one: Coming, tree: &Tree, now: Time) {
        let Coming { flight, class, .. } = one;
        let f = &self.flights[flight];
        let mut levels = [0; WAYS as usize];
        let mut differs = false;
        for (strand, level) in f.strands[..f.n_strands as usize].iter().zip(&mut levels) {
            let links = self.sharing.uses(strand.flow).take(strand.hops() - 1);
            let most = links.map(|one| tree.most(tree.buffer(class, one.resource))).min();
            *level = self.sharing.level_of(strand.flow).min(most.unwrap_or(u64::MAX));
            differs |= *level != strand.level;
        }
        if differs {
            self.advance(flight, now);
            let f = &mut self.flights[flight];
            for (strand, level) in f.strands[..f.n_strands as usize].iter_mut().zip(levels) {
                strand.level = level;
            }
            self.pace(flight);
        }
    }
}
