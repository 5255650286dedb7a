//! Division of the network among threads. Each part has a range of switches with their NICs.
//! Packets, credits and acknowledgements for other parts are mail, which the parts exchange after
//! each pass: none of them has an effect within its window.

use std::ops::Range;

use base::Time;
use net::Partition;

use super::credits::Input;
use super::{Packet, Turns, Unit};
use crate::packet::NONE;

/// Packets that are received between two steps of prefetching.
const BATCH: usize = 8;

/// Mail from one part to another, one column per kind.
#[derive(Default)]
pub struct TurnMail {
    heads: Vec<(u32, Packet)>,
    /// With the windows from which they count.
    credits: Vec<(Input, u64)>,
    /// Senders, by place in the whole network, and times.
    acks: Vec<(u32, Time)>,
}

/// The ranges of all parts, and outgoing mail.
pub(super) struct Parts {
    /// The first switch and the first NIC of this part; places of NICs are those of the whole
    /// network.
    pub first_switch: u32,
    pub first_nic: u32,
    /// Behind its last switch.
    end: u32,
    /// First switch and first NIC of each part.
    switches: Vec<u32>,
    nics: Vec<u32>,
    /// By part.
    mail: Vec<TurnMail>,
    /// By NIC of the whole network: its source. Empty if there is one part.
    pub sources: Vec<u32>,
}

impl Parts {
    /// Part `own` of `partition`. `units` are all switches.
    pub fn new(partition: &Partition, own: usize, units: &[Unit]) -> Parts {
        let n_nics = units.last().map_or(0, |unit| unit.nics.1);
        let first = |part: usize| {
            let switch = partition.of.raw.partition_point(|&of| usize::from(of) < part);
            (switch as u32, units.get(switch).map_or(n_nics, |unit| unit.nics.0))
        };
        let (switches, nics): (Vec<u32>, Vec<u32>) = (0..partition.shards).map(first).unzip();
        let n_sources = if partition.shards > 1 { n_nics } else { 0 };
        let end = switches.get(own + 1).copied().unwrap_or(units.len() as u32);
        Parts {
            first_switch: switches[own],
            first_nic: nics[own],
            end,
            switches,
            nics,
            mail: (0..partition.shards).map(|_| TurnMail::default()).collect(),
            sources: vec![NONE; n_sources as usize],
        }
    }

    /// The switches of this part.
    pub fn own_switches(&self) -> Range<usize> {
        self.first_switch as usize..self.end as usize
    }

    #[inline(never)]
    pub fn mail_head(&mut self, to: u32, packet: &Packet) {
        let part = part_of(&self.switches, to);
        self.mail[part].heads.push((to, *packet));
    }

    #[inline(never)]
    pub fn mail_credit(&mut self, input: Input, window: u64) {
        let part = part_of(&self.switches, input.switch());
        self.mail[part].credits.push((input, window));
    }

    #[inline(never)]
    pub fn mail_ack(&mut self, sender: u32, at: Time) {
        let part = part_of(&self.nics, sender);
        self.mail[part].acks.push((sender, at));
    }

    pub fn bytes(&self) -> usize {
        let of_mail = |mail: &TurnMail| {
            mail.heads.capacity() * size_of::<(u32, Packet)>()
                + mail.credits.capacity() * size_of::<(Input, u64)>()
                + mail.acks.capacity() * size_of::<(u32, Time)>()
        };
        self.mail.iter().map(of_mail).sum::<usize>() + size_of_val(&self.sources[..])
    }
}

/// The part of a switch or NIC: the last whose first one is not behind it.
fn part_of(firsts: &[u32], at: u32) -> usize {
    firsts.partition_point(|&first| first <= at) - 1
}

impl Turns<'_> {
    /// Outgoing mail for part `to`.
    pub fn outgoing(&mut self, to: usize) -> &mut TurnMail {
        &mut self.parts.mail[to]
    }

    /// Takes the mail of another part, behind a pass.
    pub fn incoming(&mut self, mail: &mut TurnMail) {
        for batch in mail.heads.chunks(BATCH) {
            for (to, packet) in batch {
                let window = self.window_of(packet.head);
                let unit = to - self.parts.first_switch;
                self.due.mark(unit as usize, window);
                self.inboxes.send(unit, window, packet);
            }
            self.inboxes.advance();
        }
        self.inboxes.deliver();
        for &(input, window) in &mail.credits {
            let switch = self.credits.place(input).expect("mail for this part");
            self.send_credit(switch, input, window - self.window);
        }
        for &(sender, at) in &mail.acks {
            self.expect_ack((sender - self.parts.first_nic) as usize, at);
        }
        mail.heads.clear();
        mail.credits.clear();
        mail.acks.clear();
    }
}
