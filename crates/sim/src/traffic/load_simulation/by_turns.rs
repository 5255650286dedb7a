//! One load by the window engine (`packet::Turns`).

use base::Time;
use machine::NicId;
use net::Counters;
use packet::{Stop, Turns};

use super::{Finish, Load, Part, Source, Tick, Traffic, Watch};

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

impl Load<'_> {
    /// Simulates one load on one thread, or returns what `Turns` does not have.
    pub(super) fn run_turns(
        &self,
        shards: usize,
        tick: &mut Tick<'_>,
    ) -> Result<Part, &'static str> {
        let Load { machine, destinations, request, setting, load, finish, .. } = *self;
        let bytes = request.packet_bytes;
        if shards > 1 {
            return Err("several threads");
        }
        if setting.in_order {
            return Err("packets are ordered");
        }
        if !setting.background.is_empty() {
            return Err("there is background traffic");
        }
        let mut turns = Turns::new(machine, bytes)?;
        let start = Time::ZERO + request.warmup;
        let end = start + request.window;
        let limit = request.latest_end();
        let sources_end = if finish == Finish::Empty { end } else { limit };
        let watch = Watch { start, end, sources_end };
        let traffic = &mut Traffic::new(machine, destinations, request, setting, (load, watch));
        for at in (0..destinations.participants()).filter(|&at| destinations.sends(at)) {
            turns.add_source(destinations.nic(at), at, traffic);
        }
        let mut now = Time::ZERO;
        let mut on = true;
        let mut advance = |to: Time, turns: &mut Turns<'_>, traffic: &mut Traffic<'_>| {
            if on {
                match turns.run_until(to, traffic, tick) {
                    Ok(()) => now = to,
                    Err(Stop::Interrupted) => on = false,
                    Err(Stop::Congested) => return Err("congestion management throttles senders"),
                }
            }
            Ok(on)
        };
        advance(start, &mut turns, traffic)?;
        let before = turns.sums();
        let mut goes_on = advance(end, &mut turns, traffic)?;
        let after = turns.sums();
        traffic.count_all();
        match finish {
            Finish::Measured => {
                let mut to = end;
                while goes_on && to < limit && traffic.packets > traffic.latencies.count {
                    to = self.next_look(to);
                    goes_on = advance(to, &mut turns, traffic)?;
                }
            }
            Finish::Empty => {
                goes_on = advance(Time(u64::MAX), &mut turns, traffic)?;
                if goes_on {
                    turns.assert_idle();
                }
            }
        }
        let mut counters = Counters::new(machine.links.gap.len());
        turns.report(&mut counters);
        let sources = traffic.sources.len() * size_of::<Source>();
        Ok(Part {
            sums: (after.0 - before.0, after.1 - before.1, after.2 - before.2),
            packets: traffic.packets,
            generated: traffic.sent(now),
            arrived: traffic.arrived,
            digest: traffic.digest,
            events: turns.events(),
            bytes: turns.bytes() + sources,
            interrupted: !goes_on,
            latencies: std::mem::replace(&mut traffic.latencies, super::Histogram::new()),
            slices: std::mem::take(&mut traffic.slices),
            background_counts: Vec::new(),
            received: Vec::new(),
            generation_sum: traffic.generation_sum,
            now,
            counters,
        })
    }
}
