//! Lower bounds for a packet simulator: event loops in which packets move from link to link without
//! any model. The difference to the network is the cost of its model or of memory. One loop uses
//! hardly any memory; the other reads and modifies about as many cache lines per packet as the
//! network (docs/lab/packet-speed.md).
//!
//! A packet takes a randomly drawn link as soon as it is free, and reaches the next after the
//! latency. After as many links as in the network it restarts elsewhere, so the number of packets
//! is constant. There are no credits, choices or windows. Events are in buckets of a wheel,
//! unordered within a bucket, and the data of the next buckets are prefetched.

use std::fmt;
use std::hint::black_box;
use std::iter::repeat_n;

use base::{Span, below, draw, packed, prefetch_at};
use machine::{Machine, NicId};

use crate::{Benchmark, OnCore, preset};

/// A network under load, and both loops of its size.
pub struct LowerBound {
    benchmark: Benchmark,
    size: Size,
    /// Switches per packet of the network, and time per packet, s.
    hops: f64,
    packet_s: f64,
    /// Time per link in the loops, s: bare, and with cache lines.
    link_s: [f64; 2],
}

/// Runs the network of `benchmark`, then the loops of its size for `passes` links.
pub fn lower_bound(benchmark: Benchmark, passes: u64) -> LowerBound {
    let (packet_s, hops) = benchmark.measure().a_packet();
    let machine = preset(benchmark.machine, &[("routing", benchmark.routing)]);
    let size = Size::of(&machine, &benchmark, hops.round() as u32 + 1);
    let each = |(passed, s): (u64, f64)| s / passed as f64;
    let link_s = [each(run::<Bare>(size, passes)), each(run::<Lines>(size, passes))];
    LowerBound { benchmark, size, hops, packet_s, link_s }
}

impl fmt::Display for LowerBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LowerBound { benchmark, size, hops, packet_s, link_s } = self;
        let ns = |s: f64| s * 1e9;
        write!(
            f,
            "{} {} {} B, load {}: {:.0} ns per packet of {hops:.1} switches; \
             {} packets by {} links each: {:.1} ns per link bare, {:.1} with cache lines, \
             {:.0} and {:.0} ns per packet",
            benchmark.machine,
            benchmark.routing,
            benchmark.packet_bytes,
            benchmark.load,
            ns(*packet_s),
            size.packets,
            size.passes,
            ns(link_s[0]),
            ns(link_s[1]),
            ns(link_s[0]) * (hops + 1.0),
            ns(link_s[1]) * (hops + 1.0),
        )
    }
}

/// Size of a machine under load, as far as the loops need it.
#[derive(Clone, Copy)]
struct Size {
    nics: usize,
    links: usize,
    channels: usize,
    packets: usize,
    /// Links per packet.
    passes: u32,
    /// Time for which a packet occupies a link, and time from one link to the next, ps; means of
    /// all links.
    serial: u64,
    latency: u64,
}

impl Size {
    /// Size of `machine` under `benchmark` with `passes` links per packet. The number of packets in
    /// flight follows from the injection rate (Little's law).
    fn of(machine: &Machine, benchmark: &Benchmark, passes: u32) -> Size {
        let links = &machine.links;
        let n = links.gap.len();
        let mean = links.latency.iter().map(|(_, &Span(ps))| ps).sum::<u64>() / n as u64;
        let wire = benchmark.packet_bytes + machine.nic.packet_overhead;
        let Span(serial) = links.gap[machine.injection(NicId(0))].span(wire);
        let nics = machine.n_nics() as usize;
        let each = benchmark.load * (u64::from(passes) * mean) as f64 / serial as f64;
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

/// The head of a packet before `link`.
#[derive(Clone, Copy)]
struct Head {
    at: u64,
    packet: u32,
    link: u32,
}

const EMPTY: Head = Head { at: 0, packet: 0, link: 0 };

/// Capacity of a bucket; usually it holds between half of `WANTED` and all of it.
const CAPACITY: usize = 32;
const WANTED: u64 = 16;
/// Limit of the wait for a link, in packet times. Longer waits are rare below half of the
/// saturation load and would make the wheel large.
const WAITS: u64 = 8;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bucket([Head; CAPACITY]);

/// Buckets, each an array.
struct Wheel {
    buckets: Vec<Bucket>,
    counts: Vec<u8>,
    /// log2 of a bucket's width, ps.
    width: u32,
}

impl Wheel {
    /// For `pending` events, which usually wait for `mostly` ps and at most for `longest`.
    fn new(pending: u64, mostly: u64, longest: u64) -> Wheel {
        let width = (mostly * WANTED / pending).max(1).ilog2();
        // Some spare buckets, for events that find theirs full.
        let n = ((longest >> width) as usize + CAPACITY).next_power_of_two();
        Wheel { buckets: packed(repeat_n(Bucket([EMPTY; CAPACITY]), n)), counts: vec![0; n], width }
    }
    #[inline(always)]
    fn nth(&self, bucket: u64) -> usize {
        bucket as usize & (self.buckets.len() - 1)
    }
    /// Into its bucket, or the next one with room, which is slightly late.
    #[inline(always)]
    fn push(&mut self, head: Head) {
        let mut at = self.nth(head.at >> self.width);
        while usize::from(self.counts[at]) == CAPACITY {
            at = (at + 1) & (self.buckets.len() - 1);
        }
        self.buckets[at].0[usize::from(self.counts[at])] = head;
        self.counts[at] += 1;
    }
    fn heads(&self, bucket: u64) -> &[Head] {
        let at = self.nth(bucket);
        &self.buckets[at].0[..usize::from(self.counts[at])]
    }
}

/// State of packets and links.
trait Columns {
    fn new(size: Size) -> Self;
    /// Prefetches the data of `head`: first what it names, and later what that names.
    fn fetch(&self, head: &Head);
    fn fetch_more(&self, head: &Head);
    /// The head takes its link: start time, and the next link.
    fn pass(&mut self, head: &Head) -> (u64, u32);
}

/// The next random number of a packet: Knuth's multiplier (MMIX), high bits; sufficient here.
#[inline(always)]
fn drawn(random: &mut u64, n: usize) -> usize {
    *random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
    below(*random, n as u32) as usize
}

/// Eight bytes per link, sixteen per packet.
struct Bare {
    size: Size,
    free: Vec<u64>,
    packets: Vec<(u64, u64)>,
}

impl Columns for Bare {
    fn new(size: Size) -> Bare {
        let packets = (0..size.packets).map(|nth| (draw(1, 0, 0, nth as u64), 0));
        Bare { size, free: packed(repeat_n(0, size.links)), packets: packed(packets) }
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
        let (random, passed) = &mut self.packets[head.packet as usize];
        *passed += 1;
        (begins, drawn(random, self.size.links) as u32)
    }
}

/// A cache line, as of a packet, a link, a message or a NIC.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u64; 8]);
const LINE: Line = Line([0; 8]);

/// Half a cache line: a channel.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Half([u64; 4]);
const HALF: Half = Half([0; 4]);

/// About as many cache lines as a packet of the network touches. Per link: the link, the packet,
/// the credits of a channel, and the channel that the packet leaves. Once per packet: three other
/// links, as in a routing decision, with their credits. At the end: the receiver, the sender, and
/// the next sender, with a source, a message, its id and an acknowledgement. With five links these
/// are 33; all but those of the three links and their credits are modified.
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
const LOADS: usize = 5;

impl Lines {
    /// A random channel; a link's own would be no closer in memory.
    #[inline(always)]
    fn channel(&self, random: u64) -> usize {
        below(random << 23, self.size.channels as u32) as usize
    }
    /// Links to choose from, and a random number for a channel of each.
    #[inline(always)]
    fn others(&self, random: u64) -> [(usize, u64); 3] {
        [5, 11, 17].map(|by| (below(random << by, self.size.links as u32) as usize, random << by))
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
            links: packed(repeat_n(LINE, size.links)),
            channels: packed(repeat_n(HALF, size.channels)),
            rooms: packed(repeat_n(u16::MAX, size.channels)),
            packets: packed(repeat_n(LINE, size.packets)),
            messages: packed(repeat_n(LINE, size.packets)),
            born: packed(repeat_n([0; 2], size.packets)),
            sources: packed(repeat_n([0; 2], size.nics)),
            nics: packed(repeat_n(LINE, size.nics)),
            dues: packed(repeat_n([0; 2], size.packets)),
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
        prefetch_at(&self.rooms, self.channel(p[DRAW]));
        prefetch_at(&self.channels, p[CAME_BY] as usize);
        if p[LINKS_PASSED] == 1 {
            for (link, random) in self.others(p[DRAW]) {
                prefetch_at(&self.links, link);
                prefetch_at(&self.rooms, self.channel(random));
            }
        }
        if p[LINKS_PASSED] + 1 == u64::from(self.size.passes) {
            let packet = head.packet as usize;
            prefetch_at(&self.messages, packet);
            prefetch_at(&self.born, packet);
            prefetch_at(&self.dues, packet);
            prefetch_at(&self.nics, p[TO] as usize);
            prefetch_at(&self.nics, p[FROM] as usize);
            // The next sender is drawn first, as in `pass` and `begin`.
            let mut random = p[DRAW];
            drawn(&mut random, self.size.links);
            let next = drawn(&mut random, self.size.nics);
            prefetch_at(&self.nics, next);
            prefetch_at(&self.sources, next);
        }
    }
    #[inline(always)]
    fn pass(&mut self, head: &Head) -> (u64, u32) {
        let (packet, link) = (head.packet as usize, head.link as usize);
        let Line(p) = &mut self.packets[packet];
        let (random, came_by) = (p[DRAW], p[CAME_BY] as usize);
        let next = drawn(&mut p[DRAW], self.size.links);
        p[LINKS_PASSED] += 1;
        let passed = p[LINKS_PASSED];
        let [from, to] = [FROM, TO].map(|end| p[end] as usize);
        let Line(wire) = &mut self.links[link];
        let begins = head.at.max(wire[0]);
        wire[0] = begins + self.size.serial;
        wire[1] += 1;
        let at = self.channel(random);
        self.packets[packet].0[CAME_BY] = at as u64;
        self.rooms[at] = self.rooms[at].wrapping_sub(1);
        self.channels[came_by].0[0] += 1;
        if passed == 2 {
            for (link, random) in self.others(random) {
                let room = self.rooms[self.channel(random)];
                self.packets[packet].0[LOADS] += self.links[link].0[0] + u64::from(room);
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

/// Runs the loop: a quarter of `passes` for warm-up, then until `passes` links are passed. Returns
/// links passed and core time, s.
fn run<C: Columns>(size: Size, passes: u64) -> (u64, f64) {
    let mut columns = C::new(size);
    let longest = size.latency + WAITS * size.serial;
    let mut wheel = Wheel::new(size.packets as u64, size.latency, longest);
    for packet in 0..size.packets as u32 {
        let random = draw(2, 0, packet, 0);
        let at = below(random, size.latency as u32).into();
        wheel.push(Head { at, packet, link: below(random << 32, size.links as u32) });
    }
    let (mut passed, mut bucket, mut warm) = (0, 0, None);
    let (before, clock) = loop {
        if warm.is_none() && passed >= passes / 4 {
            warm = Some((passed, OnCore::begin()));
        }
        if let Some(timed) = warm.take_if(|(before, _)| passed >= *before + passes) {
            break timed;
        }
        wheel.heads(bucket + 2).iter().for_each(|head| columns.fetch(head));
        wheel.heads(bucket + 1).iter().for_each(|head| columns.fetch_more(head));
        let now = wheel.nth(bucket);
        let mut nth = 0;
        while nth < usize::from(wheel.counts[now]) {
            let head = wheel.buckets[now].0[nth];
            debug_assert!(bucket - (head.at >> wheel.width) < 4, "processed in its bucket");
            let (begins, link) = columns.pass(&head);
            let at = begins.min(head.at + WAITS * size.serial) + size.latency;
            wheel.push(Head { at, link, ..head });
            nth += 1;
            passed += 1;
        }
        wheel.counts[now] = 0;
        bucket += 1;
    };
    let s = clock.s();
    // Keeps the compiler from removing the counters.
    black_box(&columns);
    let pending = wheel.counts.iter().map(|&n| usize::from(n)).sum::<usize>();
    assert_eq!(pending, size.packets, "every packet is before a link");
    (passed - before, s)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size {
        nics: 10,
        links: 60,
        channels: 120,
        packets: 100,
        passes: 5,
        serial: 1_000,
        latency: 100_000,
    };

    /// No packet is lost and all are processed in order, which `run` asserts; no link has two
    /// packets at once.
    #[test]
    fn links_are_traversed_one_at_a_time() {
        run::<Bare>(SIZE, 10_000);
        run::<Lines>(SIZE, 10_000);
        let (mut bare, mut lines) = (Bare::new(SIZE), Lines::new(SIZE));
        for (at, then) in [(500, 500), (600, 1_500), (5_000, 5_000)] {
            let head = Head { at, packet: 7, link: 3 };
            assert_eq!([bare.pass(&head).0, lines.pass(&head).0], [then; 2]);
        }
    }

    /// After its last link a packet restarts.
    #[test]
    fn a_packet_restarts_after_its_last_link() {
        let mut lines = Lines::new(SIZE);
        let sent = |lines: &Lines| lines.sources.iter().map(|source| source[0]).sum::<u64>();
        for nth in 1..=SIZE.passes {
            assert_eq!(sent(&lines), 100);
            lines.pass(&Head { at: 0, packet: 7, link: nth });
        }
        assert_eq!((sent(&lines), lines.packets[7].0[LINKS_PASSED]), (101, 0));
    }

    /// The number of packets in flight follows from the injection rate.
    #[test]
    fn the_loops_have_the_size_of_the_network() {
        let benchmark = Benchmark {
            machine: "dragonfly-1056",
            routing: "minimal",
            pattern: "uniform",
            packet_bytes: 64,
            load: 0.3,
            warmup: Span::ns(200),
            window: Span::ns(200),
        };
        let bound = lower_bound(benchmark, 10_000);
        let size = bound.size;
        assert_eq!((size.nics, size.links, size.passes), (1_056, 5_016, 5));
        let sent_per_ps = 1_056.0 * 0.3 / size.serial as f64;
        let in_flight = sent_per_ps * (5 * size.latency) as f64;
        assert!((size.packets as f64 / in_flight - 1.0).abs() < 1e-3, "{}", size.packets);
        assert!(bound.to_string().contains("5 links each"), "{bound}");
    }
}
