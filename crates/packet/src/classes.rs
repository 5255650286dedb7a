//! Traffic classes: which of those that wait for a link may enter it, and who goes first.
//! Equations and limits in docs/models/classes.md.
//!
//! A class in use is a virtual network. Its share of a link is measured by two leaky buckets, one
//! that leaks at the assured rate and one that leaks at the ceiling's. A bucket is one number, the
//! time at which it will be empty, so it needs no event and no looking after. Where a run has one
//! class without a ceiling there are no buckets and nothing here is asked.

use base::{Gap, IndexVec, Span, Time};
use des::Phase;
use machine::{LinkId, Machine, NicId, TrafficClass};
use net::{Counters, Cx};

use crate::credit::Class;
use crate::link::Wire;
use crate::nic::Nic;
use crate::{NEVER, NONE, Packet, PacketEvent, PacketId, PacketNetwork, TransitId};

/// What a class may do on links of one kind.
#[derive(Clone, Copy, Debug)]
struct Rule {
    /// Inverse of the assured rate; `Gap::ZERO` if nothing is assured.
    assured: Gap,
    /// How long a bucket filled to its limit takes to empty.
    assured_limit: Span,
    /// Inverse of the ceiling's rate; `Gap::ZERO` if there is none.
    ceiling: Gap,
    ceiling_limit: Span,
    priority: u8,
}

impl Rule {
    /// `packet` is what a full one has on the wire.
    fn new(class: &TrafficClass, assured: u8, link: Gap, packet: u64) -> Rule {
        let of = |percent: u8| Gap(link.0 * 100 / u64::from(percent.max(1)));
        let limit = u64::from(class.bucket) * packet;
        let none = Gap::ZERO;
        let assured = if assured == 0 { none } else { of(assured) };
        let ceiling = if class.ceiling == 100 { none } else { of(class.ceiling) };
        Rule {
            assured,
            assured_limit: assured.span(limit),
            ceiling,
            ceiling_limit: ceiling.span(limit),
            priority: class.priority,
        }
    }
}

/// When the buckets of a class at a link will be empty, and how many packets went into them.
#[derive(Clone, Copy, Debug)]
struct Buckets {
    assured: Time,
    ceiling: Time,
    packets: u64,
}

/// What links remember beside their buckets.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// When those who wait under their ceiling are looked at again; `NEVER` if there are none.
    wakes: Time,
    /// The class that was last given what nobody was assured.
    last: u8,
}

/// Who may enter links, by link and class. Empty where nobody asks.
pub(crate) struct Shares {
    classes: u8,
    n_nics: u32,
    of: Vec<TrafficClass>,
    /// Wire bytes of a full packet.
    packet: u64,
    /// By kind of link, those out of NICs second, and class.
    rules: Vec<Rule>,
    /// By link and class.
    buckets: Vec<Buckets>,
    turns: Vec<Turn>,
    /// Scratch of a decision: when the first of those at their ceilings may go on.
    soonest: Time,
    /// By class beyond the first and NIC: the sending side, which each class has for itself.
    pub others: Vec<Nic>,
}

impl Shares {
    pub fn new(machine: &Machine, kinds: &[Class]) -> Shares {
        let n_nics = machine.n_nics();
        let classes: Vec<TrafficClass> = machine.classes.sharing().cloned().collect();
        let n_links = if classes.is_empty() { 0 } else { machine.links.gap.len() };
        let senders = classes.len().saturating_sub(1) * n_nics as usize;
        let mut shares = Shares {
            classes: classes.len() as u8,
            n_nics,
            packet: machine.nic.packet_payload + machine.nic.packet_overhead,
            rules: Vec::new(),
            buckets: vec![
                Buckets { assured: Time::ZERO, ceiling: Time::ZERO, packets: 0 };
                n_links * classes.len()
            ],
            turns: vec![Turn { wakes: NEVER, last: 0 }; n_links],
            soonest: NEVER,
            others: vec![Nic::IDLE; senders],
            of: classes,
        };
        kinds.iter().for_each(|kind| shares.add_kind(kind.gap));
        shares
    }
    /// There is one kind of links more.
    pub fn add_kind(&mut self, gap: Gap) {
        let at_switch = |class: &TrafficClass| Rule::new(class, class.assured, gap, self.packet);
        let at_nic = |class: &TrafficClass| Rule::new(class, class.nic_assured, gap, self.packet);
        let rules = self.of.iter().map(at_switch).chain(self.of.iter().map(at_nic));
        self.rules.extend(rules);
    }
    #[inline]
    pub fn is_off(&self) -> bool {
        self.classes == 0
    }
    /// Inverse of the rate of a class's ceiling at `link`, a link of `kind`; `Gap::ZERO` if it has
    /// none.
    pub fn ceiling(&self, link: LinkId, kind: u8, class: u8) -> Gap {
        if self.is_off() { Gap::ZERO } else { self.rule(link, kind, class).ceiling }
    }
    /// The sending side of a NIC, as a class has it: its round of messages, its window.
    #[inline(always)]
    pub fn sender<'a>(
        &'a mut self,
        nics: &'a mut IndexVec<NicId, Nic>,
        nic: NicId,
        vnet: u8,
    ) -> &'a mut Nic {
        if self.is_off() || vnet == 0 {
            return &mut nics[nic];
        }
        &mut self.others[(usize::from(vnet) - 1) * nics.len() + nic.0 as usize]
    }
    /// Where the state of a class at a link lies.
    fn place(&self, link: LinkId, class: u8) -> usize {
        link.0 as usize * usize::from(self.classes) + usize::from(class)
    }
    fn rule(&self, link: LinkId, kind: u8, class: u8) -> &Rule {
        let row = 2 * usize::from(kind) + usize::from(link.0 < self.n_nics);
        &self.rules[row * usize::from(self.classes) + usize::from(class)]
    }

    /// Whose turn it is at `link`, a link of `kind`: the higher the sooner. Nothing if the class is
    /// at its ceiling.
    ///
    /// It does not ask how large a packet is: the last one may overfill a bucket, which then leaks
    /// the longer. So small packets of a class never go before a large one for being small.
    fn rank(&mut self, link: LinkId, kind: u8, class: u8, now: Time) -> Option<u16> {
        let rule = self.rule(link, kind, class);
        let buckets = self.buckets[self.place(link, class)];
        if rule.ceiling > Gap::ZERO {
            // The first instant at which the bucket is not full.
            let may = Time((buckets.ceiling.0 + 1).saturating_sub(rule.ceiling_limit.0));
            if may > now {
                self.soonest = self.soonest.min(may);
                return None;
            }
        }
        let assured = u16::from(rule.is_assured(buckets.assured, now)) << 15;
        // What nobody is assured goes round: the class after the last has the first turn. So no
        // two classes are ever equal.
        let since = (class + self.classes - 1 - self.turns[link.0 as usize].last) % self.classes;
        Some(assured | u16::from(rule.priority) << 8 | u16::from(self.classes - 1 - since))
    }

    /// So many bytes of `class` enter `link`.
    fn spend(&mut self, link: LinkId, kind: u8, class: u8, bytes: u16, now: Time) {
        let rule = *self.rule(link, kind, class);
        let place = self.place(link, class);
        let buckets = &mut self.buckets[place];
        buckets.packets += 1;
        let bytes = u64::from(bytes);
        buckets.ceiling = buckets.ceiling.max(now) + rule.ceiling.span(bytes);
        if rule.is_assured(buckets.assured, now) {
            buckets.assured = buckets.assured.max(now) + rule.assured.span(bytes);
        } else {
            // Lent, and not to be paid back: what others leave does not count against a class.
            self.turns[link.0 as usize].last = class;
        }
    }

    /// Adds the packets of each class on the links of NICs to `counters`.
    pub fn report(&self, counters: &mut Counters) {
        let edges = 2 * self.n_nics;
        let of = |class: u8| {
            (0..edges).map(|link| self.buckets[self.place(LinkId(link), class)].packets).collect()
        };
        counters.by_class = (0..self.classes).map(of).collect();
    }

    pub fn check_quiet(&self) {
        assert!(self.turns.iter().all(|t| t.wakes == NEVER), "a link expects what is not pending");
    }

    /// Bytes of memory held.
    pub fn held(&self) -> usize {
        size_of_val(&self.buckets[..])
            + size_of_val(&self.turns[..])
            + size_of_val(&self.others[..])
    }
}

impl Rule {
    /// Whether a class whose bucket will be `empty` then is below its assured share.
    fn is_assured(&self, empty: Time, now: Time) -> bool {
        self.assured > Gap::ZERO && empty < now + self.assured_limit
    }
}

impl PacketNetwork {
    /// Whether the class of `packet` is below its ceiling at `link`.
    #[inline(never)]
    pub(crate) fn is_allowed(&mut self, packet: PacketId, link: LinkId, now: Time) -> bool {
        let kind = self.wires[link].class;
        self.shares.rank(link, kind, self.packets[packet].vnet, now).is_some()
    }

    /// `packet` enters `link`.
    #[inline(never)]
    pub(crate) fn take_share(&mut self, packet: PacketId, link: LinkId, now: Time) {
        let Packet { bytes, vnet, .. } = self.packets[packet];
        self.shares.spend(link, self.wires[link].class, vnet, bytes, now);
    }

    /// Whose turn it is at the free `link`, class by class.
    #[inline(never)]
    pub(crate) fn choose_by_class(&mut self, link: LinkId, cx: &Cx<'_>) -> Option<u8> {
        let Wire { class: kind, waited_for, .. } = self.wires[link];
        let vcs = if self.is_edge(link) { 1 } else { u32::from(self.n_vcs) };
        let channels = |class: u8| waited_for & (((1 << vcs) - 1) << (u32::from(class) * vcs));
        self.shares.soonest = NEVER;
        let mut tried = 0u32;
        loop {
            let mut best: Option<(u16, u8)> = None;
            for class in (0..self.shares.classes).filter(|&c| tried >> c & 1 == 0) {
                if channels(class) == 0 {
                    continue;
                }
                let rank = self.shares.rank(link, kind, class, cx.now);
                best = best.max(rank.map(|rank| (rank, class)));
            }
            // A class that lacks room leaves its turn to the next.
            let (_, class) = best?;
            if let Some(chosen) = self.choose(link, channels(class), cx.now) {
                return Some(chosen);
            }
            tried |= 1 << class;
        }
    }

    /// It has ended and nobody entered the free `link`: it is looked at again when the first of
    /// those at their ceilings may.
    pub(crate) fn await_ceiling(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        let when = self.shares.soonest;
        if when == NEVER {
            return;
        }
        let when = when.max(Time(cx.now.0 + 1));
        let turn = &mut self.shares.turns[link.0 as usize];
        if when < turn.wakes {
            turn.wakes = when;
            cx.at(when, Phase::Decide, PacketEvent::Allowed { link });
        }
    }

    /// Somebody who was at their ceiling may enter `link`.
    pub(crate) fn allow(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        let turn = &mut self.shares.turns[link.0 as usize];
        if turn.wakes != cx.now {
            return; // An earlier look was called for in the meantime.
        }
        turn.wakes = NEVER;
        let wire = &self.wires[link];
        // A link in use is looked at when it is free again.
        if !wire.armed && wire.free_at <= cx.now {
            self.serve(link, cx);
        }
    }

    /// Whether a NIC has messages of a class beyond the first.
    #[inline]
    pub(crate) fn has_other_message(&self, nic: NicId) -> bool {
        if self.shares.is_off() {
            return false;
        }
        let mut of_class = self.shares.others.chunks_exact(self.nics.len());
        of_class.any(|of| of[nic.0 as usize].first != NONE)
    }

    /// The first message of the class whose turn it is at a NIC whose link is free. If nobody may
    /// send, each will be called again when what it lacks is there.
    #[inline(never)]
    pub(crate) fn first_by_class(&mut self, nic: NicId, cx: &mut Cx<'_>) -> Option<TransitId> {
        let link = cx.machine.injection(nic);
        let kind = self.wires[link].class;
        self.shares.soonest = NEVER;
        let mut best: Option<(u16, TransitId)> = None;
        for class in 0..self.shares.classes {
            let Some(first) = self.first_of(nic, class, cx) else { continue };
            let rank = self.shares.rank(link, kind, class, cx.now);
            best = best.max(rank.map(|rank| (rank, first)));
        }
        if best.is_none() {
            self.await_ceiling(link, cx);
        }
        best.map(|(_, first)| first)
    }
}
