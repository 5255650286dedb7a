//! Shards of the network, one per thread: ranges of switches with their NICs. Packets, credits and
//! acknowledgements for other shards are mail, which the shards exchange after each pass: none of
//! them has an effect within its window.

use std::ops::Range;

use base::Time;
use net::Partition;

use super::credits::Input;
use super::{Packet, Turns, Unit};
use crate::packet::NONE;

/// Packets that are received between two steps of prefetching.
const BATCH: usize = 8;

/// Mail from one shard to another, one column per kind.
#[derive(Default)]
pub struct TurnMail {
    heads: Vec<(u32, Packet)>,
    /// With the windows from which they count.
    credits: Vec<(Input, u64)>,
    /// Senders, by place in the whole network, and times.
    acks: Vec<(u32, Time)>,
}

impl TurnMail {
    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<(u32, Packet)>()
            + self.credits.capacity() * size_of::<(Input, u64)>()
            + self.acks.capacity() * size_of::<(u32, Time)>()
    }
}

/// This shard among all, and its outgoing mail.
pub(super) struct Shard {
    /// The first switch, port and NIC of this shard; places are those of the whole network.
    pub first_switch: u32,
    pub first_port: u32,
    pub first_nic: u32,
    /// First switch and first NIC of each shard.
    switches: Vec<u32>,
    nics: Vec<u32>,
    /// By shard.
    mail: Vec<TurnMail>,
    /// By NIC of the whole network: its source. Empty if there is one shard.
    pub sources: Vec<u32>,
}

impl Shard {
    /// Shard `own` of `partition`, and its switches. `units` are all switches.
    pub fn new(partition: &Partition, own: usize, units: &[Unit]) -> (Shard, Range<usize>) {
        let (n_ports, n_nics) = units.last().map_or((0, 0), |unit| (unit.ports.1, unit.nics.1));
        let first_switch =
            |shard: usize| partition.of.raw.partition_point(|&of| usize::from(of) < shard);
        let first_nic = |switch: usize| units.get(switch).map_or(n_nics, |unit| unit.nics.0);
        let switches = first_switch(own)..first_switch(own + 1);
        let firsts = (0..partition.shards).map(first_switch);
        let shard = Shard {
            first_switch: switches.start as u32,
            first_port: units.get(switches.start).map_or(n_ports, |unit| unit.ports.0),
            first_nic: first_nic(switches.start),
            switches: firsts.clone().map(|switch| switch as u32).collect(),
            nics: firsts.map(first_nic).collect(),
            mail: (0..partition.shards).map(|_| TurnMail::default()).collect(),
            sources: vec![NONE; if partition.shards > 1 { n_nics as usize } else { 0 }],
        };
        (shard, switches)
    }

    #[inline(never)]
    pub fn mail_head(&mut self, to: u32, packet: &Packet) {
        let to_shard = shard_of(&self.switches, to);
        self.mail[to_shard].heads.push((to, *packet));
    }

    #[inline(never)]
    pub fn mail_credit(&mut self, input: Input, window: u64) {
        let to_shard = shard_of(&self.switches, input.switch());
        self.mail[to_shard].credits.push((input, window));
    }

    #[inline(never)]
    pub fn mail_ack(&mut self, sender: u32, at: Time) {
        let to_shard = shard_of(&self.nics, sender);
        self.mail[to_shard].acks.push((sender, at));
    }

    pub fn bytes(&self) -> usize {
        self.mail.iter().map(TurnMail::bytes).sum::<usize>() + size_of_val(&self.sources[..])
    }
}

/// The shard of a switch or NIC: the last whose first one is not behind it. Shards without switches
/// or NICs have the first one of the next.
fn shard_of(firsts: &[u32], at: u32) -> usize {
    firsts.partition_point(|&first| first <= at) - 1
}

impl Turns<'_> {
    /// Outgoing mail for shard `to`.
    pub fn outgoing(&mut self, to: usize) -> &mut TurnMail {
        &mut self.shard.mail[to]
    }

    /// Takes the mail of another shard, behind a pass.
    pub fn incoming(&mut self, mail: &mut TurnMail) {
        for batch in mail.heads.chunks(BATCH) {
            for (to, packet) in batch {
                let window = self.window_of(packet.head);
                let unit = to - self.shard.first_switch;
                self.due.mark(unit as usize, window);
                self.inboxes.send(unit, window, packet);
            }
            self.inboxes.advance();
        }
        self.inboxes.deliver();
        for &(input, window) in &mail.credits {
            let switch = self.credits.place(input).expect("mail for this shard");
            self.send_credit(switch, input, window - self.window);
        }
        for &(sender, at) in &mail.acks {
            self.expect_ack((sender - self.shard.first_nic) as usize, at);
        }
        mail.heads.clear();
        mail.credits.clear();
        mail.acks.clear();
    }
}
