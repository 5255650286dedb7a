//! Traffic classes: which waiting packets may enter a link, and in which order. Equations and
//! limits: docs/models/classes.md.
//!
//! A class in use is a virtual network. Its share of a link is measured by two leaky buckets, which
//! leak at the assured rate and at the rate of the ceiling. A bucket is represented by the time at
//! which it will be empty, so it needs no events. A run with a single class without a ceiling has
//! no buckets.

use base::{Gap, IndexVec, Span, Time};
use des::Phase;
use machine::{LinkId, Machine, NicId, TrafficClass};
use net::{Counters, Cx};

use crate::credit::LinkType;
use crate::link::OutputPort;
use crate::nic::Nic;
use crate::{NEVER, NONE, Packet, PacketEvent, PacketId, PacketNetwork, TransitId};

/// Parameters of a class on links of one type.
#[derive(Clone, Copy, Debug)]
struct Rule {
    /// Inverse of the assured rate; `Gap::ZERO` if nothing is assured.
    assured: Gap,
    /// Time until a full bucket is empty.
    assured_limit: Span,
    /// Inverse of the ceiling's rate; `Gap::ZERO` if there is none.
    ceiling: Gap,
    ceiling_limit: Span,
    priority: u8,
}

impl Rule {
    /// `packet` is the wire size of a full packet.
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

/// When the buckets of a class at a link will be empty, and packets counted.
#[derive(Clone, Copy, Debug)]
struct Buckets {
    assured: Time,
    ceiling: Time,
    packets: u64,
}

/// Scheduling state of a link, apart from its buckets.
#[derive(Clone, Copy, Debug)]
struct LinkState {
    /// When classes at their ceiling are considered again; `NEVER` if there are none.
    wakes: Time,
    /// The class that last used bandwidth beyond the assured shares.
    last: u8,
}

/// Shares of all links and classes. Empty if classes do not matter.
pub(crate) struct Shares {
    classes: u8,
    n_nics: u32,
    of: Vec<TrafficClass>,
    /// Wire bytes of a full packet.
    packet: u64,
    /// By link type (first for links in general, then for injection links) and class.
    rules: Vec<Rule>,
    /// By link and class.
    buckets: Vec<Buckets>,
    link_states: Vec<LinkState>,
    /// Scratch of a decision: when the first class at its ceiling may continue.
    soonest: Time,
    /// By class beyond the first, and NIC: the sending side of NICs, which is separate for each
    /// class.
    pub other_senders: Vec<Nic>,
}

impl Shares {
    pub fn new(machine: &Machine, kinds: &[LinkType]) -> Shares {
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
            link_states: vec![LinkState { wakes: NEVER, last: 0 }; n_links],
            soonest: NEVER,
            other_senders: vec![Nic::IDLE; senders],
            of: classes,
        };
        kinds.iter().for_each(|kind| shares.add_kind(kind.gap));
        shares
    }
    /// Adds a link type.
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
    /// Inverse of the rate of a class's ceiling at `link`, a link of type `kind`; `Gap::ZERO` if it
    /// has none.
    pub fn ceiling(&self, link: LinkId, kind: u8, class: u8) -> Gap {
        if self.is_off() { Gap::ZERO } else { self.rule(link, kind, class).ceiling }
    }
    /// The sending side of a NIC for a class: its round of messages and its window.
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
        &mut self.other_senders[(usize::from(vnet) - 1) * nics.len() + nic.0 as usize]
    }
    /// Position of the state of a class at a link.
    fn place(&self, link: LinkId, class: u8) -> usize {
        link.0 as usize * usize::from(self.classes) + usize::from(class)
    }
    fn rule(&self, link: LinkId, kind: u8, class: u8) -> &Rule {
        let row = 2 * usize::from(kind) + usize::from(link.0 < self.n_nics);
        &self.rules[row * usize::from(self.classes) + usize::from(class)]
    }

    /// Precedence of a class at `link`, a link of type `kind`; the highest goes first. None if the
    /// class is at its ceiling.
    ///
    /// The packet size does not matter: the last packet may overfill a bucket, which then leaks for
    /// longer. So small packets of a class have no advantage over a large one.
    fn precedence(&mut self, link: LinkId, kind: u8, class: u8, now: Time) -> Option<u16> {
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
        // Bandwidth beyond the assured shares rotates: the class after the last one has the first
        // turn. So no two classes have equal precedence.
        let since =
            (class + self.classes - 1 - self.link_states[link.0 as usize].last) % self.classes;
        Some(assured | u16::from(rule.priority) << 8 | u16::from(self.classes - 1 - since))
    }

    /// `bytes` of `class` enter `link`.
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
            // Borrowed, and not charged: unused bandwidth of others does not count against a class.
            self.link_states[link.0 as usize].last = class;
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

    pub fn check_idle(&self) {
        assert!(
            self.link_states.iter().all(|t| t.wakes == NEVER),
            "a link expects an event that is not pending"
        );
    }

    /// Bytes of memory held.
    pub fn held(&self) -> usize {
        size_of_val(&self.buckets[..])
            + size_of_val(&self.link_states[..])
            + size_of_val(&self.other_senders[..])
    }
}

impl Rule {
    /// Whether a class whose bucket will be empty at `empty` is below its assured share.
    fn is_assured(&self, empty: Time, now: Time) -> bool {
        self.assured > Gap::ZERO && empty < now + self.assured_limit
    }
}

impl PacketNetwork {
    /// Whether the class of `packet` is below its ceiling at `link`.
    #[inline(never)]
    pub(crate) fn is_allowed(&mut self, packet: PacketId, link: LinkId, now: Time) -> bool {
        let kind = self.ports[link].link_type;
        self.shares.precedence(link, kind, self.packets[packet].vnet, now).is_some()
    }

    /// Charges `packet`, which enters `link`, to its class.
    #[inline(never)]
    pub(crate) fn take_share(&mut self, packet: PacketId, link: LinkId, now: Time) {
        let Packet { bytes, vnet, .. } = self.packets[packet];
        self.shares.spend(link, self.ports[link].link_type, vnet, bytes, now);
    }

    /// The channel to serve next at the free `link`, by class.
    #[inline(never)]
    pub(crate) fn choose_by_class(&mut self, link: LinkId, cx: &Cx<'_>) -> Option<u8> {
        let OutputPort { link_type: kind, waited_for, .. } = self.ports[link];
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
                let precedence = self.shares.precedence(link, kind, class, cx.now);
                best = best.max(precedence.map(|precedence| (precedence, class)));
            }
            // A class without credit leaves its turn to the next.
            let (_, class) = best?;
            if let Some(chosen) = self.choose(link, channels(class), cx.now) {
                return Some(chosen);
            }
            tried |= 1 << class;
        }
    }

    /// No packet entered the free `link`: it is considered again when the first class at its
    /// ceiling may continue.
    pub(crate) fn wake_at_ceiling(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        let when = self.shares.soonest;
        if when == NEVER {
            return;
        }
        let when = when.max(Time(cx.now.0 + 1));
        let link_state = &mut self.shares.link_states[link.0 as usize];
        if when < link_state.wakes {
            link_state.wakes = when;
            cx.at(when, Phase::Decide, PacketEvent::Allowed { link });
        }
    }

    /// A class that was at its ceiling may enter `link`.
    pub(crate) fn allow(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        let link_state = &mut self.shares.link_states[link.0 as usize];
        if link_state.wakes != cx.now {
            return; // Superseded by an earlier event.
        }
        link_state.wakes = NEVER;
        let port = &self.ports[link];
        // A busy link is considered when it is free.
        if !port.armed && port.free_at <= cx.now {
            self.serve(link, cx);
        }
    }

    /// Whether a NIC has messages of a class beyond the first.
    #[inline]
    pub(crate) fn has_other_message(&self, nic: NicId) -> bool {
        if self.shares.is_off() {
            return false;
        }
        let mut of_class = self.shares.other_senders.chunks_exact(self.nics.len());
        of_class.any(|of| of[nic.0 as usize].first != NONE)
    }

    /// The first message of the class to serve at a NIC with a free link. If no class can send,
    /// each is called again when what it lacks is available.
    #[inline(never)]
    pub(crate) fn first_by_class(&mut self, nic: NicId, cx: &mut Cx<'_>) -> Option<TransitId> {
        let link = cx.machine.injection(nic);
        let kind = self.ports[link].link_type;
        self.shares.soonest = NEVER;
        let mut best: Option<(u16, TransitId)> = None;
        for class in 0..self.shares.classes {
            let Some(first) = self.first_sendable(nic, class, cx) else { continue };
            let precedence = self.shares.precedence(link, kind, class, cx.now);
            best = best.max(precedence.map(|precedence| (precedence, first)));
        }
        if best.is_none() {
            self.wake_at_ceiling(link, cx);
        }
        best.map(|(_, first)| first)
    }
}
