//! How fast a simulator of packets could be at most: its loop alone, in which packets go from link
//! to link and nothing else happens. What a network takes beyond that is its model, or memory; so
//! there are two loops, one with next to no memory, and one that reads and changes about as many
//! cache lines as a packet of ours does (docs/performance.md). Neither has a model.
//!
//! A packet takes a link drawn from all as soon as that is free, and a latency later it stands
//! before the next. After as many links as the network's packets pass it begins anew elsewhere, so
//! there are always as many packets. There are no credits, channels, choices or windows. Events lie
//! in buckets of a wheel, in no order within one, and what the next buckets will read is fetched.

use std::fmt;

use base::{Span, below, draw, prefetch_at, with_room};
use machine::{Machine, NicId};

use crate::{OnCore, Yard, preset};

/// A packet's head stands before `link`.
#[derive(Clone, Copy)]
struct Head {
    at: u64,
    packet: u32,
    link: u32,
}

const NOBODY: Head = Head { at: 0, packet: 0, link: 0 };

/// Links passed that are timed, at the least.
const PASSES: u64 = 20_000_000;

/// Events of a bucket at most, and how many it should have.
const ROOM: usize = 64;
const WANTED: u64 = 16;

/// Buckets, each an array.
struct Wheel {
    items: Vec<[Head; ROOM]>,
    counts: Vec<u8>,
    /// log2 of a bucket's width, ps.
    width: u32,
}

impl Wheel {
    /// Room for `pending` events, which wait for `mostly` ps as a rule and `longest` at most.
    fn new(pending: u64, mostly: u64, longest: u64) -> Wheel {
        let width = (mostly * WANTED / pending).max(1).ilog2();
        let buckets = (longest >> width).next_power_of_two() as usize * 2;
        let mut items = with_room(buckets);
        items.resize(buckets, [NOBODY; ROOM]);
        Wheel { items, counts: vec![0; buckets], width }
    }
    #[inline(always)]
    fn nth(&self, bucket: u64) -> usize {
        bucket as usize & (self.items.len() - 1)
    }
    /// Into its bucket, or, where that is full, the next that is not: a little late.
    #[inline(always)]
    fn push(&mut self, head: Head) {
        let mut at = self.nth(head.at >> self.width);
        while usize::from(self.counts[at]) == ROOM {
            at = (at + 1) & (self.items.len() - 1);
        }
        self.items[at][usize::from(self.counts[at])] = head;
        self.counts[at] += 1;
    }
    fn heads(&self, bucket: u64) -> &[Head] {
        let at = self.nth(bucket);
        &self.items[at][..usize::from(self.counts[at])]
    }
}

/// What the loop needs of a machine under a load.
#[derive(Clone, Copy)]
struct Size {
    nics: usize,
    links: usize,
    channels: usize,
    packets: usize,
    /// Links that a packet passes.
    passes: u32,
    /// How long a packet holds a link, and how long it takes from one link to the next, ps: the
    /// mean of all links.
    serial: u64,
    latency: u64,
}

/// What is kept of packets and links.
trait Columns {
    fn new(size: Size) -> Self;
    /// Asks for what `head` needs: far ahead, and nearer to its turn what that has told.
    fn fetch(&self, head: &Head);
    fn fetch_more(&self, head: &Head);
    /// The head takes its link: when, and which it wants next.
    fn pass(&mut self, head: &Head) -> (u64, u32);
}

/// The next of a packet's draws, as good as this needs.
#[inline(always)]
fn drawn(draw: &mut u64, n: usize) -> usize {
    *draw = draw.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
    below(*draw, n as u32) as usize
}

/// Eight bytes a link, sixteen a packet.
struct Bare {
    size: Size,
    free: Vec<u64>,
    packets: Vec<(u64, u64)>,
}

impl Columns for Bare {
    fn new(size: Size) -> Bare {
        let packets = (0..size.packets).map(|nth| (draw(1, 0, 0, nth as u64), 0));
        Bare { size, free: filled(size.links, 0), packets: base::packed(packets) }
    }
    #[inline(always)]
    fn fetch(&self, head: &Head) {
        prefetch_at(&self.free, head.link as usize);
        prefetch_at(&self.packets, head.packet as usize);
    }
    #[inline(always)]
    fn fetch_more(&self, _: &Head) {}
    #[inline(always)]
    fn pass(&mut self, head: &Head) -> (u64, u32) {
        let free = &mut self.free[head.link as usize];
        let begins = head.at.max(*free);
        *free = begins + self.size.serial;
        let (draw, passed) = &mut self.packets[head.packet as usize];
        *passed += 1;
        (begins, drawn(draw, self.size.links) as u32)
    }
}

/// A line, as a packet, a link, a message or a NIC has one.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u64; 8]);
const LINE: Line = Line([0; 8]);

/// Half of one: a channel.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Half([u64; 4]);
const HALF: Half = Half([0; 4]);

/// As many lines as a network by packets touches for a packet: a link's, its packet's, room in a
/// channel, and the channel that the packet leaves, each time; and where it begins and ends two
/// NICs', a source's, a message's, who it is, an acknowledgement's; and other links to choose from.
struct Lines {
    size: Size,
    links: Vec<Line>,
    channels: Vec<Half>,
    rooms: Vec<u16>,
    packets: Vec<Line>,
    messages: Vec<Line>,
    born: Vec<[u64; 2]>,
    sources: Vec<[u64; 2]>,
    nics: Vec<Line>,
    dues: Vec<[u64; 2]>,
}

/// Columns of a packet's line.
const DRAW: usize = 0;
const LINKS_PASSED: usize = 1;
const CAME_BY: usize = 2;
const FROM: usize = 3;
const TO: usize = 4;
/// Links beside its own that a packet looks at once.
const OTHERS: usize = 3;

fn filled<T: Copy>(n: usize, item: T) -> Vec<T> {
    let mut items = with_room(n);
    items.resize(n, item);
    items
}

impl Lines {
    /// A channel of a link: which is as good as drawn.
    #[inline(always)]
    fn channel(&self, link: usize, draw: u64) -> usize {
        let each = self.size.channels / self.size.links;
        link * each + (draw >> 60) as usize % each
    }
    fn others(&self, draw: u64) -> [usize; OTHERS] {
        [5, 11, 17].map(|by| below(draw << by, self.size.links as u32) as usize)
    }
    fn begin(&mut self, packet: usize) {
        let Line(p) = &mut self.packets[packet];
        p[LINKS_PASSED] = 0;
        let [from, to] = [FROM, TO].map(|end| {
            p[end] = drawn(&mut p[DRAW], self.size.nics) as u64;
            p[end] as usize
        });
        self.born[packet][0] += from as u64;
        self.sources[from][0] += 1;
        self.messages[packet].0[0] += to as u64;
        self.nics[from].0[0] += 1;
        self.nics[from].0[1] += self.dues[packet][0];
    }
}

impl Columns for Lines {
    fn new(size: Size) -> Lines {
        let mut lines = Lines {
            size,
            links: filled(size.links, LINE),
            channels: filled(size.channels, HALF),
            rooms: filled(size.channels, u16::MAX),
            packets: filled(size.packets, LINE),
            messages: filled(size.packets, LINE),
            born: filled(size.packets, [0; 2]),
            sources: filled(size.nics, [0; 2]),
            nics: filled(size.nics, LINE),
            dues: filled(size.packets, [0; 2]),
        };
        for packet in 0..size.packets {
            lines.packets[packet].0[DRAW] = draw(1, 0, 0, packet as u64);
            lines.begin(packet);
        }
        lines
    }
    #[inline(always)]
    fn fetch(&self, head: &Head) {
        prefetch_at(&self.links, head.link as usize);
        prefetch_at(&self.packets, head.packet as usize);
    }
    #[inline(always)]
    fn fetch_more(&self, head: &Head) {
        let Line(p) = &self.packets[head.packet as usize];
        prefetch_at(&self.rooms, self.channel(head.link as usize, p[DRAW]));
        prefetch_at(&self.channels, p[CAME_BY] as usize);
        if p[LINKS_PASSED] == 1 {
            for link in self.others(p[DRAW]) {
                prefetch_at(&self.links, link);
                prefetch_at(&self.rooms, self.channel(link, p[DRAW]));
            }
        }
        if p[LINKS_PASSED] + 1 == u64::from(self.size.passes) {
            let packet = head.packet as usize;
            prefetch_at(&self.messages, packet);
            prefetch_at(&self.born, packet);
            prefetch_at(&self.dues, packet);
            prefetch_at(&self.nics, p[TO] as usize);
            prefetch_at(&self.nics, p[FROM] as usize);
            // Who sends the next is drawn first, as `pass` and `begin` do.
            let mut draw = p[DRAW];
            drawn(&mut draw, self.size.links);
            let next = drawn(&mut draw, self.size.nics);
            prefetch_at(&self.nics, next);
            prefetch_at(&self.sources, next);
        }
    }
    #[inline(always)]
    fn pass(&mut self, head: &Head) -> (u64, u32) {
        let (packet, link) = (head.packet as usize, head.link as usize);
        let Line(p) = &mut self.packets[packet];
        let (luck, came_by) = (p[DRAW], p[CAME_BY] as usize);
        let next = drawn(&mut p[DRAW], self.size.links);
        p[LINKS_PASSED] += 1;
        let passed = p[LINKS_PASSED];
        let [from, to] = [FROM, TO].map(|end| p[end] as usize);
        let Line(wire) = &mut self.links[link];
        let begins = head.at.max(wire[0]);
        wire[0] = begins + self.size.serial;
        wire[1] += 1;
        let at = self.channel(link, luck);
        self.packets[packet].0[CAME_BY] = at as u64;
        self.rooms[at] = self.rooms[at].wrapping_sub(1);
        self.channels[came_by].0[0] += 1;
        if passed == 2 {
            for link in self.others(luck) {
                let room = self.rooms[self.channel(link, luck)];
                self.packets[packet].0[5] += self.links[link].0[0] + u64::from(room);
            }
        }
        if passed == u64::from(self.size.passes) {
            self.nics[to].0[2] += self.messages[packet].0[0] + self.born[packet][0];
            self.nics[from].0[3] += 1;
            self.dues[packet][0] += begins;
            self.begin(packet);
        }
        (begins, next as u32)
    }
}

/// The loop: so many turns of the wheel to warm up, then until `passes` links are passed. Links
/// passed, and seconds on a core.
fn run<C: Columns>(size: Size, passes: u64) -> (u64, f64) {
    let mut columns = C::new(size);
    // A link that is taken by some at once is free for the last of them this much later.
    let longest = size.latency + 64 * size.serial;
    let mut wheel = Wheel::new(size.packets as u64, size.latency, longest);
    for packet in 0..size.packets as u32 {
        let luck = draw(2, 0, packet, 0);
        let at = below(luck, size.latency as u32).into();
        wheel.push(Head { at, packet, link: below(luck << 32, size.links as u32) });
    }
    let (mut passed, mut bucket, mut began) = (0, 0, None);
    let (before, began) = loop {
        if began.is_none() && passed >= passes / 4 {
            began = Some((passed, OnCore::begin()));
        }
        if let Some(began) = began.take_if(|(before, _)| passed >= *before + passes) {
            break began;
        }
        wheel.heads(bucket + 2).iter().for_each(|head| columns.fetch(head));
        wheel.heads(bucket + 1).iter().for_each(|head| columns.fetch_more(head));
        let now = wheel.nth(bucket);
        let mut nth = 0;
        while nth < usize::from(wheel.counts[now]) {
            let head = wheel.items[now][nth];
            let (begins, link) = columns.pass(&head);
            let at = begins.min(head.at + 63 * size.serial) + size.latency;
            wheel.push(Head { at, link, ..head });
            nth += 1;
            passed += 1;
        }
        wheel.counts[now] = 0;
        bucket += 1;
    };
    let s = began.s();
    let pending = wheel.counts.iter().map(|&n| usize::from(n)).sum::<usize>();
    assert_eq!(pending, size.packets, "every packet is before a link");
    (passed - before, s)
}

/// A network under a load, and both loops of its size.
pub struct Floor {
    yard: Yard,
    size: Size,
    /// Switches that a packet of the network passes, and what one takes, s.
    hops: f64,
    packet_s: f64,
    /// What a link takes in the loops, s: bare, and with a network's lines.
    link_s: [f64; 2],
}

impl Size {
    /// Of `machine` while `yard` runs and packets pass so many links: as many are under way as
    /// leave the NICs in the time that this takes (Little's law).
    fn of(machine: &Machine, yard: &Yard, passes: u32) -> Size {
        let links = &machine.links;
        let n = links.gap.len();
        let mean = links.latency.iter().map(|(_, &Span(ps))| ps).sum::<u64>() / n as u64;
        let wire = yard.packet_bytes + machine.nic.packet_overhead;
        let Span(serial) = links.gap[machine.injection(NicId(0))].span(wire);
        let nics = machine.n_nics() as usize;
        let each = yard.load * (u64::from(passes) * mean) as f64 / serial as f64;
        let (edges, vcs) = (2 * nics, usize::from(machine.n_vcs));
        Size {
            nics,
            links: n,
            channels: n * vcs - edges * (vcs - 1),
            packets: (nics as f64 * each) as usize,
            passes,
            serial,
            latency: mean,
        }
    }
}

/// The network of `yard`, then the loops of its size.
pub fn floor(yard: Yard) -> Floor {
    let reading = yard.read();
    let counted = &reading.outcome.counters;
    let packets = counted.delivered_packets as f64;
    let hops = counted.hops as f64 / packets;
    let machine = preset(yard.machine, &[("routing", yard.routing)]);
    let size = Size::of(&machine, &yard, hops.round() as u32 + 1);
    let passes = PASSES.max(10 * size.packets as u64);
    let each = |(passed, s): (u64, f64)| s / passed as f64;
    let link_s = [each(run::<Bare>(size, passes)), each(run::<Lines>(size, passes))];
    Floor { yard, size, hops, packet_s: reading.cpu_s / packets, link_s }
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Floor { yard, size, hops, packet_s, link_s } = self;
        let ns = |s: f64| s * 1e9;
        write!(
            f,
            "{} {} {} B, load {}: {:.0} ns a packet of {hops:.1} switches; \
             {} packets by {} links each: {:.1} ns a link bare, {:.1} with a network's lines, \
             {:.0} and {:.0} ns a packet",
            yard.machine,
            yard.routing,
            yard.packet_bytes,
            yard.load,
            ns(*packet_s),
            size.packets,
            size.passes,
            ns(link_s[0]),
            ns(link_s[1]),
            ns(link_s[0]) * f64::from(size.passes),
            ns(link_s[1]) * f64::from(size.passes),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many links are passed, none by two packets at once.
    #[test]
    fn both_loops_do_what_they_say() {
        let size = Size {
            nics: 10,
            links: 60,
            channels: 120,
            packets: 100,
            passes: 5,
            serial: 1_000,
            latency: 100_000,
        };
        for (passed, _) in [run::<Bare>(size, 10_000), run::<Lines>(size, 10_000)] {
            assert!((10_000..10_000 + ROOM as u64).contains(&passed), "{passed}");
        }
        let (mut bare, mut lines) = (Bare::new(size), Lines::new(size));
        let head = |at| Head { at, packet: 7, link: 3 };
        for at in [500, 600, 5_000] {
            let begins = [bare.pass(&head(at)).0, lines.pass(&head(at)).0];
            assert_eq!(
                begins,
                [match at {
                    600 => 1_500,
                    at => at,
                }; 2]
            );
        }
    }
}
