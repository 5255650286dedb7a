//! Traffic classes: which waiting packets may enter a link, and in which order. Equations and
//! limits: docs/models/classes.md.
//!
//! A class in use is a virtual network. Its share of a link is measured by two leaky buckets, which
//! leak at the assured rate and at the rate of the ceiling. A bucket is represented by the time at
//! which it will be empty, so it needs no events. A run with a single class without a ceiling has
//! no buckets.

use base::{Gap, Span, Time};
use des::Phase;
use machine::{LinkId, Machine, TrafficClass};
use net::{Counters, Cx};

use crate::credit::LinkType;
use crate::event::PacketEvent;
use crate::link::{Links, OutputPort};
use crate::packet::NEVER;

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
        let share = |percent: u8| Gap(link.0 * 100 / u64::from(percent.max(1)));
        let limit = u64::from(class.bucket) * packet;
        let none = Gap::ZERO;
        let assured = if assured == 0 { none } else { share(assured) };
        let ceiling = if class.ceiling == 100 { none } else { share(class.ceiling) };
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
    n_classes: u8,
    n_nics: u32,
    classes: Vec<TrafficClass>,
    /// Wire bytes of a full packet.
    packet: u64,
    /// By link type (first for links in general, then for injection links) and class.
    rules: Vec<Rule>,
    /// By link and class.
    buckets: Vec<Buckets>,
    link_states: Vec<LinkState>,
    /// Scratch of a decision: when the first class at its ceiling may continue.
    soonest: Time,
}

impl Shares {
    pub fn new(machine: &Machine, link_types: &[LinkType]) -> Shares {
        let classes: Vec<TrafficClass> = machine.classes.sharing().cloned().collect();
        let n_links = if classes.is_empty() { 0 } else { machine.links.gap.len() };
        let mut shares = Shares {
            n_classes: classes.len() as u8,
            n_nics: machine.n_nics(),
            packet: machine.nic.packet_payload + machine.nic.packet_overhead,
            rules: Vec::new(),
            buckets: vec![
                Buckets { assured: Time::ZERO, ceiling: Time::ZERO, packets: 0 };
                n_links * classes.len()
            ],
            link_states: vec![LinkState { wakes: NEVER, last: 0 }; n_links],
            soonest: NEVER,
            classes,
        };
        link_types.iter().for_each(|link_type| shares.add_link_type(link_type.gap));
        shares
    }
    /// Adds a link type.
    pub fn add_link_type(&mut self, gap: Gap) {
        let at_switch = |class: &TrafficClass| Rule::new(class, class.assured, gap, self.packet);
        let at_nic = |class: &TrafficClass| Rule::new(class, class.nic_assured, gap, self.packet);
        let rules = self.classes.iter().map(at_switch).chain(self.classes.iter().map(at_nic));
        self.rules.extend(rules);
    }
    #[inline]
    pub fn is_off(&self) -> bool {
        self.n_classes == 0
    }
    /// Inverse of the rate of a class's ceiling at `link`, which has `link_type`; `Gap::ZERO` if it
    /// has none.
    pub fn ceiling(&self, link: LinkId, link_type: u8, class: u8) -> Gap {
        if self.is_off() { Gap::ZERO } else { self.rule(link, link_type, class).ceiling }
    }
    /// Position of the state of a class at a link.
    fn place(&self, link: LinkId, class: u8) -> usize {
        link.0 as usize * usize::from(self.n_classes) + usize::from(class)
    }
    fn rule(&self, link: LinkId, link_type: u8, class: u8) -> &Rule {
        let row = 2 * usize::from(link_type) + usize::from(link.0 < self.n_nics);
        &self.rules[row * usize::from(self.n_classes) + usize::from(class)]
    }

    /// Precedence of a class at `link`, which has `link_type`; the highest goes first. None if the
    /// class is at its ceiling.
    ///
    /// The packet size does not matter: the last packet may overfill a bucket, which then leaks for
    /// longer. So small packets of a class have no advantage over a large one.
    pub fn precedence(&mut self, link: LinkId, link_type: u8, class: u8, now: Time) -> Option<u16> {
        let rule = self.rule(link, link_type, class);
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
        // Bandwidth beyond the assured shares rotates: the class after the last one precedes the
        // others. So no two classes have equal precedence.
        let since =
            (class + self.n_classes - 1 - self.link_states[link.0 as usize].last) % self.n_classes;
        Some(assured | u16::from(rule.priority) << 8 | u16::from(self.n_classes - 1 - since))
    }

    /// `bytes` of `class` enter `link`, which has `link_type`.
    #[inline(never)]
    pub fn spend(&mut self, link: LinkId, link_type: u8, class: u8, bytes: u16, now: Time) {
        let rule = *self.rule(link, link_type, class);
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

    /// Whether `class` is below its ceiling at `link`, which has `link_type`.
    #[inline(never)]
    pub fn is_allowed(&mut self, link: LinkId, link_type: u8, class: u8, now: Time) -> bool {
        self.precedence(link, link_type, class, now).is_some()
    }

    /// A decision begins, in which `precedence` of each class is compared.
    pub fn begin_decision(&mut self) {
        self.soonest = NEVER;
    }

    /// Number of classes that share links.
    pub fn n_classes(&self) -> u8 {
        self.n_classes
    }

    /// The channel to serve next at the free `link`, by class.
    #[inline(never)]
    pub fn choose(&mut self, link: LinkId, links: &mut Links, now: Time) -> Option<u8> {
        let OutputPort { link_type, waited_for, .. } = *links.port(link);
        self.begin_decision();
        let mut tried = 0u32;
        loop {
            let mut best: Option<(u16, u8)> = None;
            for class in (0..self.n_classes).filter(|&c| tried >> c & 1 == 0) {
                if waited_for & links.channels.of_vnet(link, class) == 0 {
                    continue;
                }
                let precedence = self.precedence(link, link_type, class, now);
                best = best.max(precedence.map(|precedence| (precedence, class)));
            }
            // If a class has no credit, the next one is considered.
            let (_, class) = best?;
            let channels = waited_for & links.channels.of_vnet(link, class);
            if let Some(chosen) = links.choose(link, channels, now) {
                return Some(chosen);
            }
            tried |= 1 << class;
        }
    }

    /// No packet entered the free `link`: it is considered again when the first class at its
    /// ceiling may continue.
    pub fn wake_at_ceiling(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        let when = self.soonest;
        if when == NEVER {
            return;
        }
        let when = when.max(Time(cx.now.0 + 1));
        let link_state = &mut self.link_states[link.0 as usize];
        if when < link_state.wakes {
            link_state.wakes = when;
            cx.at(when, Phase::Decide, PacketEvent::Allowed { link });
        }
    }

    /// An `Allowed` event occurs. Returns whether a class that was at its ceiling may enter `link`;
    /// if not, an earlier event has superseded this one.
    pub fn wake(&mut self, link: LinkId, now: Time) -> bool {
        let link_state = &mut self.link_states[link.0 as usize];
        let is_expected = link_state.wakes == now;
        if is_expected {
            link_state.wakes = NEVER;
        }
        is_expected
    }

    /// Adds the packets of each class on the links of NICs to `counters`.
    pub fn report(&self, counters: &mut Counters) {
        let edges = 2 * self.n_nics;
        let packets = |class: u8| {
            (0..edges).map(|link| self.buckets[self.place(LinkId(link), class)].packets).collect()
        };
        counters.by_class = (0..self.n_classes).map(packets).collect();
    }

    pub fn assert_idle(&self) {
        assert!(
            self.link_states.iter().all(|t| t.wakes == NEVER),
            "a link expects an event that is not pending"
        );
    }

    /// Bytes of memory held.
    pub fn held(&self) -> usize {
        size_of_val(&self.buckets[..]) + size_of_val(&self.link_states[..])
    }
}

impl Rule {
    /// Whether a class whose bucket will be empty at `empty` is below its assured share.
    fn is_assured(&self, empty: Time, now: Time) -> bool {
        self.assured > Gap::ZERO && empty < now + self.assured_limit
    }
}
