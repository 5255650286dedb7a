//! Background traffic: NICs of nodes without a job send messages at a constant mean rate, whether
//! or not the network keeps up, as in `traffic`. Equations and limits: docs/models/jobs.md.

use crate::traffic::Destinations;
use crate::world::{Job, MessageOwner, World};
use base::{Span, Time};
use des::Phase;
use machine::Machine;
use net::{Completion, Message, NetworkModel, Origin};
use workload::Workload;

/// Background traffic of a set of nodes.
#[derive(Clone, Debug)]
pub struct Background {
    /// As the user wrote it.
    pub pattern: String,
    pub to: Destinations,
    /// Offered wire bytes as a fraction of the capacity of the injection links of its NICs.
    pub load: f64,
    /// Payload of a message, bytes.
    pub bytes: u64,
    /// Virtual network of its traffic class.
    pub vnet: u8,
}

impl Background {
    /// Wire bytes of a message.
    pub(crate) fn wire(&self, machine: &Machine) -> u64 {
        let packets = self.bytes.div_ceil(machine.nic.packet_payload).max(1);
        self.bytes + packets * machine.nic.packet_overhead
    }
}

/// Result of background traffic while jobs ran.
#[derive(Clone, Debug, PartialEq)]
pub struct BackgroundTraffic {
    pub pattern: String,
    /// NICs that sent.
    pub nics: u32,
    pub offered: f64,
    /// Wire bytes that arrived, as a fraction of the capacity of the injection links.
    pub accepted: f64,
    /// Messages that arrived, and their payload.
    pub messages: u64,
    pub bytes: u64,
}

/// One sending NIC.
#[derive(Clone, Copy)]
struct Source {
    of: u32,
    /// Position of the NIC in the pattern.
    at: u32,
    /// Messages given to the NIC so far, and those of them in flight.
    issued: u32,
    in_flight: u32,
    /// Messages generated so far.
    generated: u32,
}

#[derive(Clone, Copy, Default)]
struct Totals {
    mean_gap_ps: f64,
    /// Maximum number of messages of one source that the NIC holds.
    most: u32,
    arrived: u64,
    /// Those that arrived before the jobs began.
    before: u64,
}

/// All sources, and their results.
#[derive(Default)]
pub(crate) struct Sources {
    sources: Vec<Source>,
    sums: Vec<Totals>,
    /// The jobs have ended: nothing new is sent.
    closed: bool,
}

impl Sources {
    pub fn new(job: &Job) -> Sources {
        let mut all = Sources::default();
        for (of, background) in job.background.iter().enumerate() {
            let (machine, n) = (&job.machine, background.to.participants());
            let nic = background.to.nic(0);
            let busy = machine.links.gap[machine.injection(nic)].span(background.wire(machine));
            // A backlog beyond two windows is stored as a count, not as messages.
            let window = 2 * u64::from(machine.nic.window) * machine.nic.packet_payload;
            all.sums.push(Totals {
                mean_gap_ps: busy.0 as f64 / background.load,
                most: (window / background.bytes.max(1)).clamp(1, 1 << 20) as u32,
                ..Totals::default()
            });
            let senders = (0..n).filter(|&at| background.to.sends(at));
            all.sources.extend(senders.map(|at| Source {
                of: of as u32,
                at,
                issued: 0,
                in_flight: 0,
                generated: 0,
            }));
        }
        all
    }
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }
    pub fn close(&mut self) {
        self.closed = true;
    }
    /// The jobs begin now.
    pub fn open(&mut self) {
        self.sums.iter_mut().for_each(|sum| sum.before = sum.arrived);
    }
    /// Traffic that arrived in the `span` that the jobs took.
    pub fn outcome(&self, job: &Job, span: Span) -> Vec<BackgroundTraffic> {
        let rows = job.background.iter().zip(&self.sums).map(|(background, sum)| {
            let machine = &job.machine;
            let (nics, messages) = (background.to.senders(), sum.arrived - sum.before);
            let rate = machine.links.gap[machine.injection(background.to.nic(0))].bytes_per_s();
            let full = f64::from(nics) * rate * span.seconds();
            let wire = (messages * background.wire(machine)) as f64;
            BackgroundTraffic {
                pattern: background.pattern.clone(),
                nics,
                offered: background.load,
                accepted: if full > 0.0 { wire / full } else { 0.0 },
                messages,
                bytes: messages * background.bytes,
            }
        });
        rows.collect()
    }
}

/// Kinds of a source's events.
const GENERATES: u32 = 0;
const ARRIVES: u32 = 1;

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// Schedules the first message of every source.
    pub(crate) fn start_background(&mut self) {
        for source in 0..self.sources.sources.len() as u32 {
            self.schedule_background(source);
        }
    }

    /// Schedules the source's next message.
    fn schedule_background(&mut self, source: u32) {
        let row = self.sources.sources[source as usize];
        let to = &self.job.background[row.of as usize].to;
        let mean = self.sources.sums[row.of as usize].mean_gap_ps;
        let when = self.now + to.gap(row.at, u64::from(row.generated), mean);
        let host = self.ranks.len() as u32 + source;
        self.push_host(when, Phase::Decide, host, GENERATES);
    }

    /// Generates the next message of a source.
    pub(crate) fn generate(&mut self, source: u32) {
        if self.sources.closed {
            return;
        }
        self.sources.sources[source as usize].generated += 1;
        self.issue_next(source);
        self.schedule_background(source);
    }

    /// Gives the NIC the source's next message, if there is one and the NIC has room.
    fn issue_next(&mut self, source: u32) {
        let row = &mut self.sources.sources[source as usize];
        let most = self.sources.sums[row.of as usize].most;
        if row.issued == row.generated || row.in_flight == most {
            return;
        }
        let nth = u64::from(row.issued);
        row.issued += 1;
        row.in_flight += 1;
        let (of, at) = (row.of as usize, row.at);
        let Background { to, bytes, vnet, .. } = &self.job.background[of];
        let message = Message {
            src: to.nic(at),
            dst: to.to(at, nth),
            bytes: *bytes,
            // The data is in the NIC; its fetch is not modeled here.
            origin: Origin::Nic,
            vnet: *vnet,
            completion: Completion::Target,
            draw: to.route_draw(at, nth),
            in_order: false,
            handling: Span::ZERO,
        };
        self.inject(MessageOwner::Background(source), message);
    }

    /// Handles an event of a source.
    pub(crate) fn handle_source_event(&mut self, source: u32, token: u32) {
        match token {
            GENERATES => self.generate(source),
            _ => self.background_arrives(source),
        }
    }

    /// A message of the source will have arrived at `seen`.
    pub(crate) fn schedule_arrival(&mut self, source: u32, seen: Time) {
        let host = self.ranks.len() as u32 + source;
        self.push_host(seen, Phase::Decide, host, ARRIVES);
    }

    /// A message of the source was given up, which makes room for the next one.
    pub(crate) fn background_fails(&mut self, source: u32) {
        self.sources.sources[source as usize].in_flight -= 1;
        if !self.sources.closed {
            self.issue_next(source);
        }
    }

    pub(crate) fn background_arrives(&mut self, source: u32) {
        let row = &mut self.sources.sources[source as usize];
        row.in_flight -= 1;
        self.sources.sums[row.of as usize].arrived += 1;
        if !self.sources.closed {
            self.issue_next(source);
        }
    }
}
