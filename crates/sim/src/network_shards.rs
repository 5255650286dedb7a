//! The network of a run, divided among threads: each has a shard, with the switches and NICs of
//! some neighboring groups (`crates/packet/src/shard.rs`).
//!
//! Hosts belong to the main thread, which also has the first shard. In windows, hosts are simulated
//! first, then all shards in parallel; shards exchange mail at the end. In the event engine, the
//! main thread handles the events of all shards in one order, and mail is delivered after each
//! event. So shards need not be joined when a run changes its engine. In windows with few events,
//! the main thread simulates one shard after the other.

use std::sync::{Arc, Mutex};
use std::thread::Scope;

use crate::engine::EngineChoice;
use crate::job::Job;
use crate::network_windows::{NetworkEvents, Report, WindowLength};
use crate::shard_pool::{Alone, Member, ShardPool};
use base::{IndexVec, Span, Time};
use des::{EventCode, Phase, Units};
use machine::{Machine, NicId, SwitchId};
use net::{Counters, Cx, Message, MsgId, NetEvent, NetworkModel, Partition};

/// Weight of a NIC of the jobs in the division among threads, relative to other NICs. These carry
/// only packets on nonminimal routes, and those of file systems [estimate].
const WEIGHT: u64 = 64;

/// All shards of a network.
pub(crate) struct Shards<N: NetworkModel> {
    partition: Partition,
    /// The switch of each event.
    units: Units,
    /// Empty while the threads simulate a window.
    shards: Vec<Box<Shard<N>>>,
    team: Arc<Team<N>>,
    member: Member<N::Mail>,
    /// `Job::shared_events`.
    shared_events: u64,
    /// Number of events in the last window.
    n_events: u64,
    pub has_run_in_parallel: bool,
    /// Empty, for mail that is delivered by the main thread.
    mail: N::Mail,
    /// Scratch: by shard, the next of its reports.
    next: Vec<usize>,
}

/// One shard.
struct Shard<N: NetworkModel> {
    net: N,
    events: NetworkEvents,
    delivered: Vec<(MsgId, Time)>,
    /// In windows. The counters of links belong to the network.
    counters: Counters,
    /// Number of events in the last window.
    n_events: u64,
}

/// The threads of a network and what they exchange.
pub(crate) struct Team<N: NetworkModel> {
    pool: Arc<ShardPool<N::Mail>>,
    /// Shards passed to and from the other threads.
    slots: Vec<Mutex<Option<Box<Shard<N>>>>>,
}

/// Published instead of the end of a window when the run has ended.
const STOP: u64 = 0;

impl<N: NetworkModel> Shards<N> {
    /// The network of `job` in several shards, or why one thread simulates it.
    pub fn new(job: &Job) -> Result<Shards<N>, &'static str> {
        if !N::HAS_WINDOWS {
            return Err("only packets are simulated by several threads");
        }
        if job.engine == EngineChoice::Event {
            return Err("the event engine uses one thread");
        }
        let machine = &job.machine;
        let length = WindowLength::of::<N>(machine)?;
        // Each shard has a view of the fabric, which changes with events.
        if machine.initial_fabric().later_bias_changes().next().is_some() {
            return Err("biases of routing change");
        }
        if !N::can_be_sharded(machine) {
            return Err("the network cannot be divided");
        }
        let partition = divide(job);
        let n = partition.shards;
        if n == 1 {
            return Err("the jobs use the NICs of one group");
        }
        let units = N::units(machine);
        let shard = |own: usize| {
            let mut net = N::build_part(machine, &partition, own as u8);
            net.report_at_receivers();
            Box::new(Shard {
                net,
                events: NetworkEvents::new(length, units.clone()),
                delivered: Vec::with_capacity(1 << 8),
                counters: Counters::new(machine.links.to.len()),
                n_events: 0,
            })
        };
        let shards = (0..n).map(shard).collect();
        let pool = Arc::new(ShardPool::new(n, Alone::For(Span::ZERO)));
        let member = Member::new(&pool, 0);
        let team = Arc::new(Team { pool, slots: (0..n).map(|_| Mutex::new(None)).collect() });
        let (mail, next) = (N::Mail::default(), vec![0; n]);
        Ok(Shards {
            partition,
            units,
            shards,
            team,
            member,
            shared_events: job.shared_events,
            n_events: 0,
            has_run_in_parallel: false,
            mail,
            next,
        })
    }

    pub fn len(&self) -> usize {
        self.partition.shards
    }

    pub fn team(&self) -> Arc<Team<N>> {
        Arc::clone(&self.team)
    }

    pub fn last(&self) -> Time {
        let last = self.shards.iter().map(|shard| shard.events.last).max();
        last.unwrap_or(Time::ZERO)
    }

    pub fn events(&mut self) -> impl Iterator<Item = &mut NetworkEvents> {
        self.shards.iter_mut().map(|shard| &mut shard.events)
    }

    #[inline]
    fn of(&self, code: EventCode) -> usize {
        usize::from(self.partition.of[SwitchId(self.units.of(code) as u32)])
    }

    #[inline]
    fn of_nic(&self, nic: NicId, machine: &Machine) -> usize {
        usize::from(self.partition.of[machine.nic_switch[nic]])
    }

    // The event engine.

    pub fn start(&mut self, cx: &mut Cx<'_>) {
        self.shards.iter_mut().for_each(|shard| shard.net.start(cx));
    }

    #[inline(never)]
    pub fn inject(&mut self, id: MsgId, message: Message, cx: &mut Cx<'_>) {
        let own = self.of_nic(message.src, cx.machine);
        self.shards[own].net.inject(id, message, cx);
        self.deliver_mail(own, cx);
    }

    #[inline(never)]
    pub fn handle(&mut self, event: N::Event, cx: &mut Cx<'_>) {
        let (kind, source, arg) = event.pack();
        let own = self.of(EventCode::new(Phase::Arrive, kind, source, arg));
        self.shards[own].net.handle(event, cx);
        self.deliver_mail(own, cx);
    }

    /// Delivers the mail of shard `own` at once.
    fn deliver_mail(&mut self, own: usize, cx: &mut Cx<'_>) {
        let mut addressees = self.shards[own].net.take_addressees();
        while let Some(to) = take_first(&mut addressees) {
            std::mem::swap(self.shards[own].net.outgoing(to), &mut self.mail);
            self.shards[to].net.incoming(own, &mut self.mail, cx);
        }
    }

    // Windows.

    pub fn push(&mut self, at: Time, code: EventCode) {
        let own = self.of(code);
        self.shards[own].events.queue.push(at, code);
    }

    #[inline]
    pub fn command(&mut self, now: Time, id: MsgId, message: Message) {
        let code = EventCode::new(Phase::Resume, net::INJECT, message.src.0, 0);
        let own = self.of(code);
        self.shards[own].events.command(now, id, message);
    }

    /// Simulates all shards until `end`, in parallel unless the last window had few events. Adds
    /// their reports to `delivered`; returns the number of events.
    pub fn run(&mut self, end: Time, machine: &Machine, delivered: &mut Vec<(MsgId, Time)>) -> u64 {
        if self.n_events >= self.shared_events {
            self.run_in_parallel(end, machine);
        } else {
            self.run_serially(end, machine);
        }
        self.take_reports(delivered);
        self.n_events = self.shards.iter().map(|shard| shard.n_events).sum();
        self.n_events
    }

    /// Simulates one shard after the other.
    fn run_serially(&mut self, end: Time, machine: &Machine) {
        self.shards.iter_mut().for_each(|shard| shard.run(end, machine));
        for own in 0..self.shards.len() {
            let mut addressees = self.shards[own].net.take_addressees();
            while let Some(to) = take_first(&mut addressees) {
                std::mem::swap(self.shards[own].net.outgoing(to), &mut self.mail);
                self.shards[to].receive(end, machine, |net, cx| {
                    net.incoming(own, &mut self.mail, cx);
                });
            }
        }
    }

    fn run_in_parallel(&mut self, end: Time, machine: &Machine) {
        self.has_run_in_parallel = true;
        let slots = &self.team.slots;
        for (slot, shard) in slots[1..].iter().zip(self.shards.drain(1..)) {
            *slot.lock().expect("no thread failed") = Some(shard);
        }
        drop(self.member.all_gather(end.0));
        self.shards[0].run_with_others(end, machine, &self.member);
        self.member.wait_for_all();
        let returned = slots[1..].iter().map(|slot| slot.lock().expect("no thread failed").take());
        self.shards.extend(returned.map(|shard| shard.expect("a thread returns its shard")));
    }

    /// Adds the reports of the window to `delivered`, in the order of the event engine.
    fn take_reports(&mut self, delivered: &mut Vec<(MsgId, Time)>) {
        let Shards { shards, next, .. } = self;
        merge(
            |own| &shards[own].events.reports,
            next,
            |report| {
                delivered.push((report.id, report.seen));
            },
        );
        shards.iter_mut().for_each(|shard| shard.events.reports.clear());
    }

    // Threads and results.

    /// The run has ended: the threads end too.
    pub fn stop(&mut self) {
        drop(self.member.all_gather(STOP));
    }

    /// Adds all counts to `counters`.
    pub fn report(&mut self, counters: &mut Counters) {
        for shard in &mut self.shards {
            let mut own = std::mem::take(&mut shard.counters);
            shard.net.report(&mut own);
            counters.merge(&own);
        }
    }

    pub fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.net.bytes()).sum()
    }

    pub fn assert_idle(&self, machine: &Machine) {
        self.shards.iter().for_each(|shard| shard.net.assert_idle(machine));
    }
}

/// Passes the reports of all shards, which are sorted by shard, to `each` by the time and order of
/// their events. `next` is scratch, one element per shard.
fn merge<'r>(
    of_shard: impl Fn(usize) -> &'r [Report],
    next: &mut [usize],
    mut each: impl FnMut(&Report),
) {
    next.fill(0);
    let mut before = None;
    loop {
        let firsts = next.iter().enumerate().filter_map(|(own, &nth)| {
            let report = of_shard(own).get(nth)?;
            Some(((report.at, report.order), own, report))
        });
        let Some((key, own, report)) = firsts.min_by_key(|&(key, ..)| key) else { break };
        debug_assert!(
            before.is_none_or(|(before, by)| before < key || by == own),
            "events of two shards have one time and order"
        );
        before = Some((key, own));
        next[own] += 1;
        each(report);
    }
}

/// The number of the lowest bit that is set, which is cleared.
fn take_first(bits: &mut u64) -> Option<usize> {
    let first = bits.trailing_zeros() as usize;
    *bits &= bits.wrapping_sub(1);
    (first < u64::BITS as usize).then_some(first)
}

impl<N: NetworkModel> Shard<N> {
    /// Simulates this shard until `end`.
    fn run(&mut self, end: Time, machine: &Machine) {
        let Shard { net, events, delivered, counters, n_events } = self;
        *n_events = events.run(end, (net, machine), delivered, counters);
    }

    /// The same; then exchanges mail with the others.
    fn run_with_others(&mut self, end: Time, machine: &Machine, member: &Member<N::Mail>) {
        self.run(end, machine);
        member.post(|to, mailbox| std::mem::swap(self.net.outgoing(to), mailbox));
        self.receive(end, machine, |net, cx| {
            member.take(|from, mailbox| net.incoming(from, mailbox, cx));
        });
    }

    /// Receives mail at `end`.
    fn receive(&mut self, end: Time, machine: &Machine, receive: impl FnOnce(&mut N, &mut Cx<'_>)) {
        let Shard { net, events, delivered, counters, .. } = self;
        let (now, queue) = (Time(end.0 - 1), &mut events.queue);
        receive(net, &mut Cx { now, machine, queue, delivered, counters });
        debug_assert!(delivered.is_empty(), "messages are reported at their receivers");
    }
}

impl<N: NetworkModel> Team<N> {
    /// Starts all threads but the main one. They end with `Shards::stop`, or with a panic if the
    /// main thread panics while it has the guard, also if a thread cannot be started.
    pub fn start<'scope, 'env>(
        self: &Arc<Self>,
        scope: &'scope Scope<'scope, 'env>,
        machine: &'env Machine,
    ) -> PanicGuard<N>
    where
        N: 'env,
    {
        let guard = PanicGuard(Arc::clone(self));
        for own in 1..self.slots.len() {
            let team = Arc::clone(self);
            scope.spawn(move || team.work(own, machine));
        }
        guard
    }

    fn work(&self, own: usize, machine: &Machine) {
        let mut member = Member::new(&self.pool, own);
        loop {
            let end = member.all_gather(0).next().expect("that of the main thread");
            if end == STOP {
                return;
            }
            let mut shard = self.slots[own].lock().expect("no thread failed").take();
            let passed = shard.as_mut().expect("the main thread passes it");
            passed.run_with_others(Time(end), machine, &member);
            *self.slots[own].lock().expect("no thread failed") = shard;
            member.wait_for_all();
        }
    }
}

/// Releases the other threads if the main thread panics.
pub(crate) struct PanicGuard<N: NetworkModel>(Arc<Team<N>>);

impl<N: NetworkModel> Drop for PanicGuard<N> {
    fn drop(&mut self) {
        self.0.pool.fail_in_panic();
    }
}

/// The shards of a run: with about equal numbers of NICs of the jobs.
fn divide(job: &Job) -> Partition {
    let machine = &job.machine;
    let mut weights = IndexVec::<NicId, u64>::filled(1, machine.n_nics() as usize);
    for placement in &job.placements {
        machine.nics_of_same_node(placement.nic).for_each(|nic| weights[NicId(nic)] = WEIGHT);
    }
    for to in job.background.iter().map(|background| &background.to) {
        (0..to.participants()).for_each(|at| weights[to.nic(at)] = WEIGHT);
    }
    let mut has_jobs = vec![false; machine.n_partition_units() as usize];
    for (nic, _) in weights.iter().filter(|(_, weight)| **weight > 1) {
        has_jobs[machine.partition_unit(machine.nic_switch[nic]) as usize] = true;
    }
    let groups = has_jobs.iter().filter(|has_jobs| **has_jobs).count();
    Partition::by_weight(machine, job.threads.min(groups), |nic| weights[nic])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By time, then by order; equal ones, which are of one shard, as that shard has them.
    #[test]
    fn reports_are_merged_by_time_and_order() {
        let report = |(at, order, id)| Report::new(Time(at), order, MsgId(id), Time(9));
        let shards = [
            vec![(1, 7, 0), (2, 5, 3), (2, 5, 4), (8, 1, 7)],
            vec![],
            vec![(1, 8, 1), (2, 4, 2), (3, 0, 5), (4, 9, 6)],
        ];
        let shards = shards.map(|all| all.into_iter().map(report).collect::<Vec<_>>());
        let mut merged = Vec::new();
        merge(|own| &shards[own], &mut [5; 3], |report| merged.push(report.id.0));
        assert_eq!(merged, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
