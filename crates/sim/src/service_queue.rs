//! A queue with k equal servers. A job that finds all servers busy waits. Waiting jobs start in the
//! order of their priority, and jobs of one priority in the order of their arrival. A service is
//! never interrupted.
//!
//! The owner schedules an event at the end of each service, and then calls `end`. The queue draws
//! no random numbers and depends on no order but that of the calls.

use std::collections::VecDeque;

use base::{Span, Time};

/// A service that starts now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Service<T> {
    pub job: T,
    pub ends: Time,
}

/// Totals since the start.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct QueueCounters {
    pub arrivals: u64,
    /// Services that have ended.
    pub served: u64,
    /// Time of all services that have started, summed over servers.
    pub service: Span,
    /// Time that jobs waited before their services, summed over started services.
    pub waiting: Span,
    /// Maximum number of waiting jobs at one time.
    pub longest: usize,
}

/// A job that waits.
struct Waiting<T> {
    job: T,
    arrived: Time,
    span: Span,
}

pub struct ServiceQueue<T> {
    servers: u32,
    /// Servers that are busy now.
    busy: u32,
    /// By priority, the most urgent first.
    waiting: Vec<VecDeque<Waiting<T>>>,
    counters: QueueCounters,
}

impl<T> ServiceQueue<T> {
    /// A queue with `servers` servers and `priorities` priorities, at least one of each.
    pub fn new(servers: u32, priorities: usize) -> ServiceQueue<T> {
        assert!(servers > 0 && priorities > 0, "a queue needs a server and a priority");
        ServiceQueue {
            servers,
            busy: 0,
            waiting: (0..priorities).map(|_| VecDeque::new()).collect(),
            counters: QueueCounters::default(),
        }
    }

    /// A job arrives that needs a server for `span`; priority 0 is the most urgent. Returns its
    /// service, if a server is free.
    pub fn arrive(&mut self, now: Time, priority: usize, span: Span, job: T) -> Option<Service<T>> {
        self.counters.arrivals += 1;
        let waiting = Waiting { job, arrived: now, span };
        if self.busy < self.servers {
            self.busy += 1;
            return Some(self.start(now, waiting));
        }
        self.waiting[priority].push_back(waiting);
        self.counters.longest = self.counters.longest.max(self.len());
        None
    }

    /// A service ends. Returns the service that its server starts, if a job waits.
    pub fn end(&mut self, now: Time) -> Option<Service<T>> {
        assert!(self.busy > 0, "a service ended that did not start");
        self.counters.served += 1;
        let next = self.waiting.iter_mut().find_map(VecDeque::pop_front);
        if next.is_none() {
            self.busy -= 1;
        }
        next.map(|waiting| self.start(now, waiting))
    }

    fn start(&mut self, now: Time, Waiting { job, arrived, span }: Waiting<T>) -> Service<T> {
        self.counters.waiting += now - arrived;
        self.counters.service += span;
        Service { job, ends: now + span }
    }

    /// Number of waiting jobs.
    pub fn len(&self) -> usize {
        self.waiting.iter().map(VecDeque::len).sum()
    }

    /// Whether no job waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn counters(&self) -> QueueCounters {
        self.counters
    }

    /// Fraction of the servers' time in `elapsed` that was used, once all services have ended.
    pub fn utilization(&self, elapsed: Span) -> f64 {
        self.counters.service.seconds() / (elapsed.seconds() * f64::from(self.servers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{draw, uniform};
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    const SERVICE: Span = Span(1_000_000);

    /// Simulates jobs with the given arrival times and priorities. Returns the mean waiting time of
    /// each priority in units of `SERVICE`, and the queue with the end of the last service.
    fn simulate(
        servers: u32,
        jobs: &[(Time, usize)],
        priorities: usize,
    ) -> (Vec<f64>, ServiceQueue<usize>, Time) {
        let mut queue = ServiceQueue::new(servers, priorities);
        let mut ends: BinaryHeap<Reverse<Time>> = BinaryHeap::new();
        let mut waits = vec![(0u128, 0u128); priorities];
        let mut last = Time::ZERO;
        let mut next = 0;
        while next < jobs.len() || !ends.is_empty() {
            let end = ends.peek().map(|end| end.0);
            let (now, started) = match (end, jobs.get(next)) {
                (Some(end), Some(&(at, _))) if end <= at => (end, None),
                (Some(end), None) => (end, None),
                (_, Some(&(at, priority))) => {
                    next += 1;
                    (at, Some(queue.arrive(at, priority, SERVICE, next - 1)))
                }
                (None, None) => unreachable!("the loop ends"),
            };
            let service = started.unwrap_or_else(|| {
                ends.pop();
                queue.end(now)
            });
            if let Some(Service { job, ends: end }) = service {
                let (arrived, priority) = jobs[job];
                waits[priority].0 += u128::from((now - arrived).0);
                waits[priority].1 += 1;
                last = last.max(end);
                ends.push(Reverse(end));
            }
        }
        let mean = |(sum, n): (u128, u128)| sum as f64 / n.max(1) as f64 / SERVICE.0 as f64;
        (waits.into_iter().map(mean).collect(), queue, last)
    }

    /// Poisson arrivals that offer `load` to each of `servers` servers. `urgent` of them have
    /// priority 0, the others 1.
    fn poisson(n: u64, servers: u32, load: f64, urgent: f64) -> Vec<(Time, usize)> {
        let mean = SERVICE.0 as f64 / (load * f64::from(servers));
        let mut at = Time::ZERO;
        let jobs = (0..n).map(|nth| {
            at += Span((-uniform(draw(1, 2, 3, nth)).ln() * mean) as u64);
            (at, usize::from(uniform(draw(1, 4, 5, nth)) >= urgent))
        });
        jobs.collect()
    }

    /// Ten jobs at once on three servers: three start at a time.
    #[test]
    fn simultaneous_jobs_start_in_rounds_of_k() {
        let (mean, queue, last) = simulate(3, &[(Time::ZERO, 0); 10], 1);
        assert_eq!(mean[0], (3.0 * (0.0 + 1.0 + 2.0) + 3.0) / 10.0);
        assert_eq!(last, Time::ZERO + SERVICE * 4);
        let counters = queue.counters();
        assert_eq!((counters.arrivals, counters.served, counters.longest), (10, 10, 7));
        assert_eq!((counters.service, counters.waiting), (SERVICE * 10, SERVICE * 12));
        assert!((queue.utilization(last - Time::ZERO) - 10.0 / 12.0).abs() < 1e-12);
        assert!(queue.is_empty());
    }

    /// An urgent job overtakes waiting jobs, but not the job in service.
    #[test]
    fn priorities_order_waiting_jobs_only() {
        let jobs = [(Time::ZERO, 1), (Time(1), 1), (Time(2), 0), (Time(3), 1), (Time(4), 0)];
        let mut queue = ServiceQueue::new(1, 2);
        let mut started = Vec::new();
        for (job, &(at, priority)) in jobs.iter().enumerate() {
            started.extend(queue.arrive(at, priority, SERVICE, job));
        }
        while let Some(service) = queue.end(started[started.len() - 1].ends) {
            started.push(service);
        }
        let order: Vec<usize> = started.iter().map(|service| service.job).collect();
        assert_eq!(order, [0, 2, 4, 1, 3]);
    }

    /// M/D/1: the mean waiting time is load / (2 (1 - load)) services (Pollaczek and Khinchine).
    #[test]
    fn one_queue_with_poisson_arrivals_waits_as_long_as_in_theory() {
        for load in [0.3, 0.6, 0.8] {
            let (mean, queue, last) = simulate(1, &poisson(400_000, 1, load, 1.0), 1);
            let theory = load / (2.0 * (1.0 - load));
            assert!((mean[0] / theory - 1.0).abs() < 0.03, "{load}: {} for {theory}", mean[0]);
            let used = queue.utilization(last - Time::ZERO);
            assert!((used / load - 1.0).abs() < 0.01, "{load}: {used}");
        }
    }

    /// M/D/2: half the mean waiting time of M/M/2, load^2 / (1 - load^2) services, with the
    /// correction of Cosmetatos ("Approximate explicit formulae for the average queueing time in
    /// the processes (M/D/r) and (D/M/r)", INFOR 1975). With 64 servers at low load no job waits.
    #[test]
    fn several_servers_with_poisson_arrivals_wait_as_long_as_in_theory() {
        let load: f64 = 0.8;
        let (mean, ..) = simulate(2, &poisson(400_000, 2, load, 1.0), 1);
        let correction = 1.0 + (1.0 - load) * (14f64.sqrt() - 2.0) / (32.0 * load);
        let theory = load * load / (1.0 - load * load) / 2.0 * correction;
        assert!((mean[0] / theory - 1.0).abs() < 0.03, "{} for {theory}", mean[0]);
        let (many, ..) = simulate(64, &poisson(100_000, 64, 0.3, 1.0), 1);
        assert_eq!(many[0], 0.0);
    }

    /// M/G/1 with two priorities (Cobham): with W0 = load / 2 services, the urgent jobs wait
    /// W0 / (1 - a), the others W0 / ((1 - a)(1 - load)), where a is the load of urgent jobs.
    #[test]
    fn two_priorities_wait_as_long_as_in_theory() {
        let (load, urgent): (f64, f64) = (0.8, 0.25);
        let (mean, ..) = simulate(1, &poisson(400_000, 1, load, urgent), 2);
        let a = load * urgent;
        let first = load / 2.0 / (1.0 - a);
        let theory = [first, first / (1.0 - load)];
        for (priority, theory) in theory.into_iter().enumerate() {
            let ratio = mean[priority] / theory;
            assert!((ratio - 1.0).abs() < 0.04, "{priority}: {} for {theory}", mean[priority]);
        }
    }
}
