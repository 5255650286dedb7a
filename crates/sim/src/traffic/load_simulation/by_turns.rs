//! One load by the window engine (`packet::Turns`), on one thread or several.

use base::{Span, Time};
use machine::NicId;
use net::{Counters, Partition};
use packet::{Layout, TurnMail, Turns};

use super::{Alone, Finish, Load, Member, ShardOutcome, ShardPool, Source, Tick, Traffic, Watch};

impl packet::Traffic for Traffic<'_> {
    #[inline]
    fn generate(&mut self, source: u32) -> Option<(Time, u32)> {
        let at = self.next_generation(source);
        if at >= self.watch.sources_end {
            return None;
        }
        let nth = self.sources[source as usize].generated;
        self.sources[source as usize] = Source { generated_at: at, generated: nth + 1 };
        self.count(source, at);
        Some((at, nth))
    }

    #[inline]
    fn route(&self, source: u32, nth: u32) -> (NicId, u64) {
        let message = self.patterns[0].message(source, nth);
        (message.dst, message.draw)
    }

    #[inline]
    fn deliver(&mut self, source: u32, nth: u32, at: Time, seen: Time) {
        self.digest(source, nth, seen);
        self.measure(at, seen);
    }
}

/// Turns and events of a shard from one report of progress to the next.
const REPORT: u64 = 1 << 14;

/// Why the rest of a run is not simulated by turns.
const CONGESTED: &str = "congestion management throttles senders";

/// A shard of a load: its network, its sources, and its measurement of the packets that its
/// sources generate or its NICs receive.
struct Shard<'t> {
    turns: Turns<'t>,
    traffic: Traffic<'t>,
    member: Member<TurnMail>,
    /// Turns and events at the last report of progress.
    reported: u64,
    goes_on: bool,
    now: Time,
}

impl Shard<'_> {
    /// Simulates everything before `end`. Returns whether the run goes on, or why not by turns;
    /// the shards agree.
    fn advance(&mut self, end: Time, tick: &mut Tick<'_>) -> Result<bool, &'static str> {
        let Shard { turns, traffic, member, .. } = self;
        loop {
            let flags = u64::from(turns.is_congested()) << 1 | u64::from(self.goes_on);
            let (mut live, mut is_congested, mut goes_on) = (0i64, false, true);
            for word in member.all_gather((turns.live() << 2) as u64 | flags) {
                live += word as i64 >> 2;
                is_congested |= word & 2 != 0;
                goes_on &= word & 1 != 0;
            }
            // An interruption is not lost if congestion begins in the same pass.
            if is_congested && goes_on {
                return Err(CONGESTED);
            }
            if !goes_on || turns.now() >= end || live == 0 {
                self.now = if goes_on { end } else { self.now };
                return Ok(goes_on);
            }
            turns.pass(end, traffic);
            member.post(|to, mail| std::mem::swap(turns.outgoing(to), mail));
            member.take(|_, mail| turns.incoming(mail));
            if turns.work() - self.reported >= REPORT {
                self.reported = turns.work();
                self.goes_on = tick(turns.now(), turns.events());
            }
        }
    }
}

impl Load<'_> {
    /// Simulates one load, or returns what `Turns` does not have.
    pub(super) fn run_turns(
        &self,
        partition: &Partition,
        tick: &mut Tick<'_>,
    ) -> Result<ShardOutcome, &'static str> {
        let Load { machine, request, setting, .. } = *self;
        if setting.in_order {
            return Err("packets are ordered");
        }
        if !setting.background.is_empty() {
            return Err("there is background traffic");
        }
        let layout = &Layout::new(machine, request.packet_bytes, partition)?;
        let alone = Alone::For(Span::ZERO);
        let shards = ShardPool::run(partition.shards, alone, tick, |member, tick| {
            self.run_shard_by_turns(layout, partition, member, tick)
        });
        let all = shards.into_iter().reduce(|all, shard| Ok(all?.merge(shard?)));
        let mut all = all.expect("there is a shard")?;
        all.bytes += layout.bytes();
        Ok(all)
    }

    fn run_shard_by_turns(
        &self,
        layout: &Layout,
        partition: &Partition,
        member: Member<TurnMail>,
        tick: &mut Tick<'_>,
    ) -> Result<ShardOutcome, &'static str> {
        let Load { machine, destinations, request, setting, load, finish, .. } = *self;
        let start = Time::ZERO + request.warmup;
        let end = start + request.window;
        let limit = request.latest_end();
        let sources_end = if finish == Finish::Empty { end } else { limit };
        let watch = Watch { start, end, sources_end };
        let mut turns = Turns::new(machine, layout, request.packet_bytes, partition, member.own);
        let mut traffic = Traffic::new(machine, destinations, request, setting, (load, watch));
        for at in (0..destinations.participants()).filter(|&at| destinations.sends(at)) {
            turns.add_source(destinations.nic(at), at, &mut traffic);
        }
        let now = Time::ZERO;
        let mut shard = Shard { turns, traffic, member, reported: 0, goes_on: true, now };
        let mut goes_on = shard.advance(start, tick)?;
        let before = shard.turns.sums();
        goes_on = goes_on && shard.advance(end, tick)?;
        let after = shard.turns.sums();
        shard.traffic.count_all();
        match finish {
            Finish::Measured => {
                let mut to = end;
                while goes_on && to < limit && {
                    // A packet is generated in one shard and may arrive in another.
                    let traffic = &shard.traffic;
                    let lacks = traffic.packets.wrapping_sub(traffic.latencies.count);
                    shard.member.all_gather(lacks).fold(0, u64::wrapping_add) > 0
                } {
                    to = self.next_look(to);
                    goes_on = shard.advance(to, tick)?;
                }
            }
            Finish::Empty => {
                goes_on = goes_on && shard.advance(Time(u64::MAX), tick)?;
                if goes_on {
                    shard.turns.assert_idle();
                }
            }
        }
        let Shard { turns, traffic, member, now, .. } = shard;
        let mut mail = 0;
        member.look(|mailbox| mail += mailbox.bytes());
        let mut counters = Counters::new(machine.links.gap.len());
        turns.report(&mut counters);
        Ok(ShardOutcome {
            sums: (after.0 - before.0, after.1 - before.1, after.2 - before.2),
            packets: traffic.packets,
            generated: traffic.sent(now),
            arrived: traffic.arrived,
            digest: traffic.digest,
            events: turns.events(),
            bytes: turns.bytes() + mail + traffic.sources.len() * size_of::<Source>(),
            interrupted: !goes_on,
            latencies: traffic.latencies,
            slices: traffic.slices,
            background_counts: Vec::new(),
            received: Vec::new(),
            generation_sum: traffic.generation_sum,
            now,
            counters,
        })
    }
}
