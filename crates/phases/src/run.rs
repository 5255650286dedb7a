//! The workload of a phase program, and the time of its phases.

use crate::compile::{Compiled, LoopCode, MAX_LEVELS, OFFLOADED};
use crate::expand::{Item, Position};
use base::{Span, Time};
use std::collections::VecDeque;
use workload::{Call, Context, Op, OpCompletion, Token, Workload};

/// Requests that a rank distinguishes: 0 are blocking calls.
const REQUESTS: usize = 4;
const REQUEST_BITS: u32 = 2;
/// No wait: the rank has ended.
const NONE: u8 = u8::MAX;

#[derive(Clone, Copy)]
struct Cursor {
    position: Position,
    out: [u32; REQUESTS],
    /// The request that the rank waits for.
    waits: u8,
    is_ended: bool,
    sequence: u32,
    /// The phase that the current wait belongs to.
    phase: u32,
    /// Computation that the next call begins with.
    computed: Span,
    /// Of it and of submitted computation: not yet part of elapsed time.
    uncounted: Span,
    /// Time that is accounted for.
    last: Time,
    /// When the CPU and the device end the computation that is known so far.
    cpu_free: Time,
    device_free: Time,
    /// When the device began the first computation of its queue, and the phase of the last.
    device_began: Time,
    device_phase: u32,
    /// While omitted iterations pass: the share in which the device computes.
    offloaded: f64,
}

/// Phases of a loop that are distinguished; the last one counts further ones, too.
const OFFLOADED_PHASES: usize = 4;

/// Computation of the device by phase, s, in the order of first use.
#[derive(Clone, Copy, Default)]
struct OffloadedTimes {
    seconds: [(u32, f64); OFFLOADED_PHASES],
    n: usize,
}

impl OffloadedTimes {
    fn add(&mut self, phase: u32, seconds: f64) {
        let known = self.seconds[..self.n].iter().position(|&(of, _)| of == phase);
        let at = known.unwrap_or(self.n).min(OFFLOADED_PHASES - 1);
        if at == self.n {
            self.n += 1;
            self.seconds[at].0 = phase;
        }
        self.seconds[at].1 += seconds;
    }

    /// Each phase with its share of `seconds`.
    fn split(self, seconds: f64) -> impl Iterator<Item = (u32, f64)> {
        let all = self.seconds.iter().map(|of| of.1).sum::<f64>().max(f64::MIN_POSITIVE);
        let of_phase = move |(phase, own): (u32, f64)| (phase, seconds * own / all);
        self.seconds.into_iter().take(self.n).map(of_phase)
    }
}

/// The last iteration of a loop, and the time of omitted iterations.
#[derive(Clone, Copy, Default)]
struct Iteration {
    /// Begin of the current iteration after the first.
    began: Time,
    /// The shortest iteration after the first, and what the device would spend in omitted ones, s.
    shortest_s: f64,
    device_omitted_s: f64,
    /// Computation of the device in the current iteration, s, and in all by phase.
    device_s: f64,
    offloaded_times: OffloadedTimes,
    /// Seconds in the current iteration, and those of omitted iterations before it.
    seconds: f64,
    passed_s: f64,
    /// Omitted iterations for which time has passed.
    passed: f64,
    /// Computation of the CPU that the current iteration represents, s, and the same with coarser
    /// samples.
    computed_s: [f64; 2],
    /// The same of omitted iterations.
    computed_omitted_s: [f64; 2],
    /// Seconds of all simulated iterations, and of waiting for the device in them.
    all_s: f64,
    waited_s: f64,
}

/// Times, messages and bytes by phase: sums over ranks, in which a simulated iteration counts as
/// all that it represents.
#[derive(Clone, Debug, Default)]
pub struct PhaseTotals {
    /// Seconds of computation, and of everything else.
    pub compute_s: Vec<f64>,
    pub communication_s: Vec<f64>,
    pub messages: Vec<f64>,
    pub bytes: Vec<f64>,
    pub calls: Vec<f64>,
    /// By computation: its seconds, and the number of its executions.
    pub computations: Vec<(f64, f64)>,
    /// Seconds by loop and iteration, as simulated.
    pub loops: Vec<Vec<f64>>,
    /// All seconds with the coarser samples of loops.
    pub coarse_s: f64,
}

pub struct PhaseRun {
    pub program: Compiled,
    ranks: Vec<Cursor>,
    /// By rank: ends and phases of the computations of its device that are not accounted for. Each
    /// begins at the end of the previous one.
    device_queues: Vec<VecDeque<(Time, u32)>>,
    /// By rank: computations of the device in the omitted iterations that pass.
    omitted_phases: Vec<OffloadedTimes>,
    n_ended: usize,
    pub totals: PhaseTotals,
    /// By rank: its end.
    pub ends: Vec<Time>,
    /// The current iteration of each loop, by rank and depth.
    in_loop: Vec<[Iteration; MAX_LEVELS]>,
}

impl PhaseTotals {
    pub fn new(program: &Compiled) -> PhaseTotals {
        let zero = || vec![0.0; program.phases.len()];
        PhaseTotals {
            compute_s: zero(),
            communication_s: zero(),
            messages: zero(),
            bytes: zero(),
            calls: zero(),
            computations: vec![(0.0, 0.0); program.computations.len()],
            loops: program.loops.iter().map(|of| vec![0.0; of.simulated as usize]).collect(),
            coarse_s: 0.0,
        }
    }

    pub fn seconds(&self) -> f64 {
        self.compute_s.iter().chain(&self.communication_s).sum()
    }

    /// Adds the sums of `weight` executions of a part of the program; to one phase if it is given.
    pub fn add(&mut self, part: &PhaseTotals, weight: f64, phase: Option<u32>) {
        let to = |from: usize| phase.map_or(from, |phase| phase as usize);
        for from in 0..part.compute_s.len() {
            self.compute_s[to(from)] += weight * part.compute_s[from];
            self.communication_s[to(from)] += weight * part.communication_s[from];
            self.messages[to(from)] += weight * part.messages[from];
            self.bytes[to(from)] += weight * part.bytes[from];
            self.calls[to(from)] += weight * part.calls[from];
        }
        for (sum, more) in self.computations.iter_mut().zip(&part.computations) {
            *sum = (sum.0 + weight * more.0, sum.1 + weight * more.1);
        }
    }
}

impl PhaseRun {
    pub fn new(program: Compiled) -> PhaseRun {
        let n = program.ranks as usize;
        let cursor = Cursor {
            position: Position::default(),
            out: [0; REQUESTS],
            waits: NONE,
            is_ended: false,
            sequence: 0,
            phase: 0,
            computed: Span::ZERO,
            uncounted: Span::ZERO,
            last: Time::ZERO,
            cpu_free: Time::ZERO,
            device_free: Time::ZERO,
            device_began: Time::ZERO,
            device_phase: 0,
            offloaded: 0.0,
        };
        PhaseRun {
            totals: PhaseTotals::new(&program),
            ranks: vec![cursor; n],
            device_queues: vec![VecDeque::new(); n],
            omitted_phases: vec![OffloadedTimes::default(); n],
            n_ended: 0,
            ends: vec![Time::ZERO; n],
            in_loop: vec![[Iteration::default(); MAX_LEVELS]; n],
            program,
        }
    }

    /// The number of iterations that the current one of a rank represents, and the same for coarser
    /// samples.
    fn weights(&self, position: &Position) -> (f64, f64) {
        self.weights_in(position, false)
    }

    /// The same for elapsed time: that of omitted iterations elapses in loops that delay the rank.
    fn weights_of_time(&self, position: &Position) -> (f64, f64) {
        self.weights_in(position, true)
    }

    fn weights_in(&self, position: &Position, is_time: bool) -> (f64, f64) {
        let around = self.program.loops_around(position.code).iter().zip(&position.counters);
        let loops = around.map(|(&number, &k)| (&self.program.loops[number as usize], k));
        let weighted = loops.filter(|(of, _)| !(is_time && of.delays));
        weighted.fold((1.0, 1.0), |(fine, coarse), (of, k)| {
            (fine * of.weight(k), coarse * of.coarse_weight(k))
        })
    }

    /// Accounts for the time of a rank until `now`. Time in which its device computes belongs to
    /// that phase, whatever the CPU waits for: the rest is exposed communication.
    fn account(&mut self, rank: usize, now: Time) {
        let cursor = &mut self.ranks[rank];
        let began = std::mem::replace(&mut cursor.last, now);
        let elapsed = now.since(began);
        let computed = cursor.uncounted.min(elapsed);
        cursor.uncounted = Span(cursor.uncounted.0 - computed.0);
        let (rest, phase) = ((elapsed - computed).seconds(), cursor.phase as usize);
        let (from, until) = (cursor.device_began.max(began), cursor.device_free.min(now));
        let busy = if until > from { until.since(from).seconds() } else { 0.0 };
        let position = cursor.position;
        let depth = self.program.loops_around(position.code).len();
        let busy_s = busy.max(std::mem::take(&mut cursor.offloaded) * rest).min(rest);
        for iteration in &mut self.in_loop[rank][..depth] {
            iteration.seconds += elapsed.seconds();
            iteration.waited_s += busy_s;
        }
        if rest > 0.0 {
            let (fine, coarse) = self.weights_of_time(&position);
            self.account_offloaded(rank, (began, now), (busy, busy_s), fine);
            self.totals.communication_s[phase] += fine * (rest - busy_s);
            self.totals.coarse_s += coarse * rest;
        }
        let (cursor, queue) = (&mut self.ranks[rank], &mut self.device_queues[rank]);
        while let Some((end, _)) = queue.pop_front_if(|&mut (end, _)| end <= now) {
            cursor.device_began = end;
        }
    }

    /// Adds `busy_s` of the `busy` seconds of the device between `began` and `now` to the phases of
    /// its computations. The CPU computes before it waits, so the last seconds count.
    fn account_offloaded(
        &mut self,
        rank: usize,
        (began, now): (Time, Time),
        (busy, busy_s): (f64, f64),
        weight: f64,
    ) {
        let cursor = &self.ranks[rank];
        let (last, omitted) = (cursor.device_phase, self.omitted_phases[rank]);
        let (mut start, mut hidden_s, mut left_s) =
            (cursor.device_began, (busy - busy_s).max(0.0), busy_s);
        for &(end, phase) in &self.device_queues[rank] {
            let (from, until) = (start.max(began), end.min(now));
            start = end;
            let all_s = if until > from { until.since(from).seconds() } else { 0.0 };
            let own_s = (all_s - hidden_s).max(0.0);
            hidden_s = (hidden_s - all_s).max(0.0);
            self.totals.compute_s[phase as usize] += weight * own_s;
            left_s -= own_s;
        }
        // The device computes in omitted iterations, too.
        if omitted.n == 0 {
            self.totals.compute_s[last as usize] += weight * left_s;
        }
        for (phase, own_s) in omitted.split(left_s) {
            self.totals.compute_s[phase as usize] += weight * own_s;
        }
    }

    fn submit(&mut self, rank: u32, request: u8, op: Op, calls: &mut Vec<Call>) {
        let cursor = &mut self.ranks[rank as usize];
        let token = (cursor.sequence << REQUEST_BITS) | Token::from(request);
        cursor.sequence = cursor.sequence.wrapping_add(1);
        cursor.out[usize::from(request)] += 1;
        let after = std::mem::take(&mut cursor.computed);
        calls.push(Call { rank, token, after, op });
    }

    fn count_call(&mut self, phase: u32, op: &Op, weight: f64) {
        let phase = phase as usize;
        self.totals.calls[phase] += weight;
        let bytes = match op {
            Op::Send { bytes, .. } => *bytes,
            Op::OneSided { request_bytes, response_bytes, .. } => request_bytes + response_bytes,
            _ => return,
        };
        self.totals.messages[phase] += weight;
        self.totals.bytes[phase] += weight * bytes as f64;
    }

    /// Ranks that have made a call.
    pub fn participants(&self) -> usize {
        self.ranks.iter().filter(|cursor| cursor.sequence > 0).count()
    }

    /// Submits until the rank must wait.
    fn advance(&mut self, rank: u32, now: Time, calls: &mut Vec<Call>) {
        let at = rank as usize;
        loop {
            let mut position = self.ranks[at].position;
            let Some((item, phase)) = self.program.next(rank, &mut position) else {
                if self.ranks[at].computed > Span::ZERO {
                    self.ranks[at].waits = 0;
                    return self.submit(rank, 0, Op::Pause, calls);
                }
                let cursor = &mut self.ranks[at];
                if let Some(open) = cursor.out.iter().position(|&out| out > 0) {
                    cursor.waits = open as u8;
                    return;
                }
                (cursor.waits, cursor.is_ended) = (NONE, true);
                self.ends[at] = now;
                self.n_ended += 1;
                return;
            };
            let item = match item {
                Item::Collective { at, request } => {
                    Item::Call { op: self.program.collective_of(rank, at), request }
                }
                other => other,
            };
            match item {
                Item::Collective { .. } => unreachable!("listed as a call"),
                Item::Call { op, request } => {
                    let (weight, _) = self.weights(&position);
                    self.count_call(phase, &op, weight);
                    self.submit(rank, request, op, calls);
                    if request == 0 {
                        return self.wait(at, 0, phase, position);
                    }
                }
                Item::Wait(of) => {
                    if self.ranks[at].computed > Span::ZERO {
                        self.submit(rank, of, Op::Pause, calls);
                    }
                    if self.ranks[at].out[usize::from(of)] > 0 {
                        return self.wait(at, of, phase, position);
                    }
                }
                Item::Compute { of, span, request, is_offloaded } => {
                    self.compute(
                        rank,
                        now,
                        (of, span, request, is_offloaded),
                        phase,
                        &position,
                        calls,
                    );
                }
                Item::Iterated { of, k } => {
                    if self.iterated(rank, now, (of, k), &position, calls) {
                        let phase = self.ranks[at].phase;
                        return self.wait(at, 0, phase, position);
                    }
                }
            }
            self.ranks[at].position = position;
        }
    }

    /// Ends iteration `k` of a loop. In a loop that delays the rank, time passes for omitted
    /// iterations. Whether the rank must wait for that.
    fn iterated(
        &mut self,
        rank: u32,
        now: Time,
        (number, k): (u32, u32),
        position: &Position,
        calls: &mut Vec<Call>,
    ) -> bool {
        let at = rank as usize;
        let of = &self.program.loops[number as usize];
        let iteration = &mut self.in_loop[at][usize::from(of.depth)];
        let seconds = std::mem::take(&mut iteration.seconds);
        let passed_s = std::mem::take(&mut iteration.passed_s);
        self.totals.loops[number as usize][k as usize] += seconds - passed_s;
        let is_last = k + 1 >= of.simulated;
        if !of.delays {
            if is_last {
                iteration.offloaded_times = OffloadedTimes::default();
            }
            return false;
        }
        let end = self.ranks[at].cpu_free.max(now);
        iteration.end(of, k, end, seconds);
        let Iteration { device_omitted_s, computed_omitted_s, shortest_s, .. } = *iteration;
        let phases = iteration.offloaded_times;
        if is_last {
            iteration.offloaded_times = OffloadedTimes::default();
        }
        let (all_s, waited_s) = (iteration.all_s, iteration.waited_s);
        // The device makes up for omitted iterations at the end.
        let may_pass = is_last || (k > 0 && device_omitted_s == 0.0);
        let omitted = if may_pass { of.omitted_after(k) - iteration.passed } else { 0.0 };
        let omitted_s = if omitted > 0.0 { omitted * shortest_s } else { 0.0 };
        if !is_last {
            let span = Span::from_seconds(omitted_s);
            if span > Span::ZERO {
                iteration.passed += omitted;
                iteration.passed_s = span.seconds();
                iteration.began = end + span;
                self.ranks[at].offloaded = if all_s > 0.0 { waited_s / all_s } else { 0.0 };
                self.omitted_phases[at] = phases;
                self.submit(rank, 0, Op::Delay { span }, calls);
            }
            return span > Span::ZERO;
        }
        let uncounted_s = if of.is_sample { (of.coarse - of.count) * seconds } else { 0.0 };
        // Computation of omitted iterations is accounted for; the rest of their time elapses.
        let (fine, coarse) = self.weights_of_time(position);
        let phase = self.ranks[at].phase as usize;
        self.totals.communication_s[phase] -= fine * computed_omitted_s[0];
        self.totals.coarse_s += coarse * (uncounted_s - computed_omitted_s[1]);
        for (phase, seconds) in phases.split(device_omitted_s) {
            let device = Span::from_seconds(seconds);
            if device > Span::ZERO {
                self.ranks[at].device_phase = phase;
                self.offload(rank, now, device, (OFFLOADED, position), calls);
            }
        }
        let span = Span::from_seconds(omitted_s);
        if span > Span::ZERO {
            self.ranks[at].offloaded = if all_s > 0.0 { waited_s / all_s } else { 0.0 };
            self.omitted_phases[at] = phases;
            self.submit(rank, 0, Op::Delay { span }, calls);
        }
        span > Span::ZERO
    }

    /// The device executes one computation at a time, each from when the CPU starts it.
    fn offload(
        &mut self,
        rank: u32,
        now: Time,
        span: Span,
        (request, position): (u8, &Position),
        calls: &mut Vec<Call>,
    ) {
        let at = rank as usize;
        let depth = self.program.loops_around(position.code).len();
        let phase = self.ranks[at].device_phase;
        for iteration in &mut self.in_loop[at][..depth] {
            iteration.device_s += span.seconds();
            iteration.offloaded_times.add(phase, span.seconds());
        }
        let cursor = &mut self.ranks[at];
        let start = cursor.cpu_free.max(now);
        let queue = &mut self.device_queues[at];
        if cursor.device_free < start {
            // The CPU has computed since then, so that no time of the device counts.
            queue.clear();
            cursor.device_began = start;
        }
        cursor.device_free = cursor.device_free.max(start) + span;
        match queue.back_mut() {
            Some((end, phase)) if *phase == cursor.device_phase => *end = cursor.device_free,
            _ => queue.push_back((cursor.device_free, cursor.device_phase)),
        }
        let span = cursor.device_free.since(start);
        self.submit(rank, request, Op::Delay { span }, calls);
    }

    fn compute(
        &mut self,
        rank: u32,
        now: Time,
        (of, span, request, is_offloaded): (u32, Span, u8, bool),
        phase: u32,
        position: &Position,
        calls: &mut Vec<Call>,
    ) {
        let (fine, coarse) = self.weights(position);
        let seconds = span.seconds();
        let sum = &mut self.totals.computations[of as usize];
        *sum = (sum.0 + fine * seconds, sum.1 + fine);
        if is_offloaded {
            self.ranks[rank as usize].device_phase = phase;
            return self.offload(rank, now, span, (request, position), calls);
        }
        self.totals.compute_s[phase as usize] += fine * seconds;
        self.totals.coarse_s += coarse * seconds;
        let (mut represented, mut represented_coarse) = (seconds, seconds);
        let around = self.program.loops_around(position.code);
        for (depth, &number) in around.iter().enumerate().rev() {
            let (of, k) = (&self.program.loops[number as usize], position.counters[depth]);
            let sums = &mut self.in_loop[rank as usize][depth].computed_s;
            *sums = [sums[0] + represented, sums[1] + represented_coarse];
            represented *= of.weight(k);
            represented_coarse *= of.coarse_weight(k);
        }
        let cursor = &mut self.ranks[rank as usize];
        cursor.cpu_free = cursor.cpu_free.max(now) + span;
        cursor.computed += span;
        cursor.uncounted += span;
    }

    fn wait(&mut self, rank: usize, of: u8, phase: u32, position: Position) {
        let cursor = &mut self.ranks[rank];
        (cursor.waits, cursor.phase, cursor.position) = (of, phase, position);
    }
}

impl Iteration {
    /// Ends iteration `k` of a loop that delays the rank.
    fn end(&mut self, of: &LoopCode, k: u32, end: Time, seconds: f64) {
        let began = std::mem::replace(&mut self.began, end);
        let device_s = std::mem::take(&mut self.device_s);
        let computed_s = std::mem::take(&mut self.computed_s);
        if k == 0 {
            let Iteration { waited_s, offloaded_times, .. } = *self;
            let shortest_s = f64::INFINITY;
            *self = Iteration { shortest_s, waited_s, offloaded_times, ..Iteration::default() };
            self.began = end;
        }
        self.all_s += seconds;
        let more = [of.weight(k) - 1.0, of.coarse_weight(k) - 1.0];
        for (sum, (more, computed_s)) in
            self.computed_omitted_s.iter_mut().zip(more.into_iter().zip(computed_s))
        {
            *sum += more * computed_s;
        }
        if k > 0 {
            // A message of another phase that delays one iteration does not delay the omitted ones.
            self.shortest_s = self.shortest_s.min(end.since(began).seconds());
        } else if of.is_sample {
            self.shortest_s = seconds;
        }
        if k > 0 || of.is_sample {
            self.device_omitted_s += of.omitted() / of.later() * device_s;
        }
    }
}

impl Workload for PhaseRun {
    fn ranks(&self) -> u32 {
        self.program.ranks
    }
    fn members(&self, _: u32, context: Context) -> &[u32] {
        self.program.members(context)
    }
    fn start(&mut self, calls: &mut Vec<Call>) {
        for rank in 0..self.program.ranks {
            self.advance(rank, Time::ZERO, calls);
        }
    }
    fn resume(&mut self, now: Time, done: &[OpCompletion], calls: &mut Vec<Call>) {
        for group in done.chunk_by(|a, b| a.rank == b.rank) {
            let rank = group[0].rank;
            let cursor = &mut self.ranks[rank as usize];
            for one in group {
                cursor.out[(one.token as usize) % REQUESTS] -= 1;
            }
            let waits = cursor.waits;
            if waits != NONE && cursor.out[usize::from(waits)] == 0 {
                self.account(rank as usize, now);
                self.advance(rank, now, calls);
            }
        }
    }
    fn is_finished(&self) -> bool {
        self.n_ended == self.ranks.len()
    }
}
