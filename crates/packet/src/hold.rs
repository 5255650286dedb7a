//! Messages held back: what a NIC has for receivers that switches have told it are congested.
//! The rules are argued in docs/models/congestion.md.
//!
//! Knows to whom a NIC sends only on credit, and which messages wait for that. Refuses to know why:
//! a switch has said so (`congestion.rs`).
//!
//! The one idea: of what is held back one message a receiver stands in the NIC's round, if there is
//! credit, to send one packet. It stands soon, and where it does is known in one step.

use base::{Slab, Span};
use des::Phase;
use machine::{Idle, LinkId, NicId};
use net::Cx;

use crate::congestion::{Order, Said};
use crate::{NONE, Packet, PacketEvent, PacketId, PacketNetwork, Transit, TransitId, mark};

base::ids! {
    /// A receiver to whom a NIC sends only on credit.
    HoldId,
}

/// Chains that the holds of a NIC in a class are divided into.
const CHAINS: u32 = 16;

/// What a NIC has in a class for a receiver to whom it sends of it only on credit.
#[derive(Clone, Copy, Debug)]
struct Hold {
    dst: NicId,
    /// The next of its chain.
    next: u32,
    /// Messages held back, in turn.
    first: u32,
    last: u32,
    /// The message that is in the NIC's round to send one packet. There is one while there are
    /// credits.
    admitted: u32,
    credits: u32,
    times: u8,
}

/// What all NICs hold back.
pub(crate) struct Holds {
    n_nics: u32,
    classes: u8,
    of: Slab<HoldId, Hold>,
    /// By NIC, class and chain, its first. Nothing while nobody is told to hold.
    chains: Vec<u32>,
    /// Scratch: the way of a credit that is handed back.
    path: Vec<LinkId>,
}

impl Holds {
    pub fn new(n_nics: u32, classes: u8) -> Holds {
        let (of, chains, path) = (Slab::with_capacity(0), Vec::new(), Vec::new());
        Holds { n_nics, classes, of, chains, path }
    }

    /// Nobody is held back.
    pub fn check_quiet(&self) {
        assert_eq!(self.of.live(), 0, "NICs still hold messages back");
    }

    pub fn held(&self) -> usize {
        self.of.bytes() + size_of_val(&self.chains[..])
    }

    /// Where the chain begins that has the hold of `src` for `dst`, if there is one.
    fn chain(&self, src: NicId, class: u8, dst: NicId) -> usize {
        // Receivers at equal distances from each other fall into different chains.
        let chain = dst.0.wrapping_mul(0x9E37_79B9) >> (32 - CHAINS.ilog2());
        let classes = usize::from(self.classes);
        let of_nic = src.0 as usize * classes + usize::from(class);
        of_nic * CHAINS as usize + chain as usize
    }

    fn find(&self, src: NicId, class: u8, dst: NicId) -> Option<HoldId> {
        let mut id = *self.chains.get(self.chain(src, class, dst))?;
        while id != NONE {
            let hold = &self.of[HoldId(id)];
            if hold.dst == dst {
                return Some(HoldId(id));
            }
            id = hold.next;
        }
        None
    }

    /// From now on `src` sends to `dst` only on credit.
    fn add(&mut self, src: NicId, class: u8, dst: NicId, times: u8) {
        if self.chains.is_empty() {
            let of_classes = self.n_nics as usize * usize::from(self.classes);
            self.chains = vec![NONE; of_classes * CHAINS as usize];
        }
        let chain = self.chain(src, class, dst);
        let (first, last, admitted, credits) = (NONE, NONE, NONE, 0);
        let next = self.chains[chain];
        let new = Hold { dst, next, first, last, admitted, credits, times };
        self.chains[chain] = self.of.insert(new).0;
    }

    /// From now on `src` sends to `dst` as it likes.
    fn remove(&mut self, src: NicId, class: u8, id: HoldId) {
        let Hold { dst, next, .. } = self.of[id];
        let chain = self.chain(src, class, dst);
        let first = &mut self.chains[chain];
        if *first == id.0 {
            *first = next;
        } else {
            let mut before = HoldId(*first);
            while self.of[before].next != id.0 {
                before = HoldId(self.of[before].next);
            }
            self.of[before].next = next;
        }
        self.of.free(id);
    }
}

impl PacketNetwork {
    /// A switch has said something to one who sends to the end of `link`.
    #[cold]
    pub(crate) fn heed(&mut self, link: LinkId, said: u32, cx: &mut Cx<'_>) {
        let Said { nic: src, class, times, order } = Said::read(said);
        let dst = NicId(link.0 - self.nics.len() as u32);
        let hold = self.congestion.holds.find(src, class, dst);
        let current = hold.filter(|&id| self.congestion.holds.of[id].times == times);
        match (order, hold, current) {
            (Order::Hold, Some(id), _) => self.congestion.holds.of[id].times = times,
            (Order::Hold, None, _) => {
                self.congestion.holds.add(src, class, dst, times);
                let nic = self.shares.sender(&mut self.nics, src, class);
                if !nic.is_held {
                    (nic.is_held, nic.reached) = (true, NONE);
                }
                nic.holds += 1;
            }
            (Order::Free, _, Some(id)) => self.set_free(src, class, id, cx),
            (Order::Free, _, None) => {}
            (Order::Send, _, Some(id)) => {
                let hold = &mut self.congestion.holds.of[id];
                if (hold.first, hold.admitted) == (NONE, NONE) {
                    self.dissolve(src, class, id);
                    return self.hand_back(src, class, dst, times, cx);
                }
                hold.credits += 1;
                self.admit(src, id);
                self.pump(src, cx);
            }
            (Order::Send, _, None) => self.hand_back(src, class, dst, times, cx),
        }
    }

    /// The next message that is held back joins the round to send a packet, if there is credit.
    fn admit(&mut self, src: NicId, id: HoldId) {
        let hold = &mut self.congestion.holds.of[id];
        if hold.credits == 0 || hold.admitted != NONE || hold.first == NONE {
            return;
        }
        hold.admitted = hold.first;
        hold.first = self.transits[TransitId(hold.first)].next;
        if hold.first == NONE {
            hold.last = NONE;
        }
        let admitted = TransitId(hold.admitted);
        self.cut_in(src, admitted, id);
    }

    /// `transit`, which may send a packet on credit, stands behind the first in the round that
    /// needs none: between two packets of others each receiver that gives credit has its turn. At
    /// the end of the round it would have one turn in as many as the NIC has messages for others.
    fn cut_in(&mut self, src: NicId, transit: TransitId, id: HoldId) {
        let nic = self.shares.sender(&mut self.nics, src, self.transits[transit].vnet);
        let mut behind = if nic.reached == NONE { nic.first } else { nic.reached };
        self.transits[transit].hold = id.0;
        if behind == NONE {
            return self.queue_up(src, transit);
        }
        let mut at = self.transits[TransitId(behind)];
        while at.hold != NONE && at.next != NONE {
            behind = at.next;
            at = self.transits[TransitId(behind)];
        }
        nic.reached = behind;
        self.transits[TransitId(behind)].next = transit.0;
        self.transits[transit].next = at.next;
        if at.next == NONE {
            nic.last = transit.0;
        }
    }

    /// `transit` goes to the end of those held back.
    fn hold_back(&mut self, id: HoldId, transit: TransitId) {
        let t = &mut self.transits[transit];
        (t.next, t.hold) = (NONE, NONE);
        let hold = &mut self.congestion.holds.of[id];
        match hold.last {
            NONE => hold.first = transit.0,
            last => self.transits[TransitId(last)].next = transit.0,
        }
        hold.last = transit.0;
    }

    /// Takes out of the round of `class` what is first there and may not send. False if nothing is
    /// left.
    #[cold]
    pub(crate) fn set_aside(&mut self, src: NicId, class: u8) -> bool {
        loop {
            let first = self.shares.sender(&mut self.nics, src, class).first;
            if first == NONE {
                return false;
            }
            let transit = TransitId(first);
            let Transit { dst, next, hold, .. } = self.transits[transit];
            if hold != NONE {
                return true;
            }
            let Some(id) = self.congestion.holds.find(src, class, dst) else { return true };
            let nic = self.shares.sender(&mut self.nics, src, class);
            nic.first = next;
            if nic.first == NONE {
                nic.last = NONE;
            }
            if nic.reached == first {
                nic.reached = NONE;
            }
            self.hold_back(id, transit);
        }
    }

    /// A NIC that holds something back has sent `packet`, of a message that was first in its round
    /// and on credit if it has a `hold`; `after` takes its place.
    #[cold]
    pub(crate) fn spend(
        &mut self,
        (transit, hold): (TransitId, u32),
        packet: PacketId,
        after: Option<TransitId>,
        src: NicId,
        cx: &mut Cx<'_>,
    ) {
        let Packet { vnet: class, dst, .. } = self.packets[packet];
        let nic = self.shares.sender(&mut self.nics, src, class);
        if nic.reached == transit.0 {
            nic.reached = NONE;
        }
        if hold == NONE {
            if let Some(after) = after {
                self.queue_up(src, after);
            }
            return;
        }
        let id = HoldId(hold);
        self.packets[packet].marks |= mark::CREDITED;
        let hold = &mut self.congestion.holds.of[id];
        hold.credits -= 1;
        hold.admitted = NONE;
        if let Some(after) = after {
            self.hold_back(id, after);
        }
        self.admit(src, id);
        let Hold { credits, admitted, times, .. } = self.congestion.holds.of[id];
        if credits > 0 && admitted == NONE {
            self.dissolve(src, class, id);
            (0..credits).for_each(|_| self.hand_back(src, class, dst, times, cx));
        }
    }

    /// Messages held back are in the round again.
    fn set_free(&mut self, src: NicId, class: u8, id: HoldId, cx: &mut Cx<'_>) {
        let Hold { dst, first, credits, times, .. } = self.congestion.holds.of[id];
        self.dissolve(src, class, id);
        let mut at = first;
        while at != NONE {
            let next = self.transits[TransitId(at)].next;
            self.queue_up(src, TransitId(at));
            at = next;
        }
        (0..credits).for_each(|_| self.hand_back(src, class, dst, times, cx));
        self.pump(src, cx);
    }

    /// `src` sends of `class` to the receiver of `id` as it likes.
    fn dissolve(&mut self, src: NicId, class: u8, id: HoldId) {
        let admitted = self.congestion.holds.of[id].admitted;
        self.congestion.holds.remove(src, class, id);
        let nic = self.shares.sender(&mut self.nics, src, class);
        nic.holds -= 1;
        nic.is_held = nic.holds > 0;
        if admitted != NONE {
            // It may stand before what has been reached.
            nic.reached = NONE;
            self.transits[TransitId(admitted)].hold = NONE;
        }
    }

    /// A credit goes back to the switch of `dst`: there was nothing to send.
    #[cold]
    fn hand_back(&mut self, src: NicId, class: u8, dst: NicId, times: u8, cx: &mut Cx<'_>) {
        self.congestion.counts.returned += 1;
        self.give_credit_back(src, Said { nic: dst, class, times, order: Order::Free }, cx);
    }

    /// The packet of `vnet` that was sent on a credit is lost, as `src` knows by now.
    pub(crate) fn credit_lost(&mut self, src: NicId, vnet: u8, dst: NicId, cx: &mut Cx<'_>) {
        let class = self.class_of(vnet);
        self.give_credit_back(src, Said { nic: dst, class, times: 0, order: Order::Hold }, cx);
    }

    /// By the shortest way.
    fn give_credit_back(&mut self, src: NicId, said: Said, cx: &mut Cx<'_>) {
        let (dst, word) = (said.nic, said.word());
        let mut path = std::mem::take(&mut self.congestion.holds.path);
        cx.machine.walk(src, dst, 0, &Idle, &mut path);
        let links = path.iter().take(path.len() - 1);
        let way: Span = links.map(|&link| cx.machine.links.latency[link]).sum();
        self.congestion.holds.path = path;
        let then = cx.now + way;
        match self.shard_of(cx.machine.nic_switch[dst]) {
            None => cx.at(then, Phase::Arrive, PacketEvent::Return { nic: src, word }),
            Some(shard) => self.mail_return(shard, then, src, word),
        }
    }
}
