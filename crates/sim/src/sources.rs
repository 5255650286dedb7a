//! Sources of background traffic: NICs of nodes without a job that send messages at a constant mean
//! rate, whether or not the network keeps up, as in `traffic`. Equations and limits:
//! docs/models/jobs.md.

use crate::background::BackgroundTraffic;
use crate::component::{Component, Context, EndpointEvent};
use crate::job::Job;
use crate::rated_pattern::RatedPattern;
use base::Span;
use net::NetworkModel;

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

/// The sources of one pattern.
struct Row<'j> {
    pattern: RatedPattern<'j>,
    /// Maximum number of messages of one source that the NIC holds.
    most: u32,
    arrived: u64,
    /// Those that arrived before the jobs began.
    before: u64,
}

/// All sources, and their results.
#[derive(Default)]
pub(crate) struct Sources<'j> {
    sources: Vec<Source>,
    rows: Vec<Row<'j>>,
    /// The jobs have ended: nothing new is sent.
    closed: bool,
}

impl<'j> Sources<'j> {
    pub fn new(job: &'j Job) -> Sources<'j> {
        let mut all = Sources::default();
        for (of, background) in job.background.iter().enumerate() {
            let (machine, n) = (&job.machine, background.to.participants());
            // A backlog beyond two windows is stored as a count, not as messages.
            let window = 2 * u64::from(machine.nic.window) * machine.nic.packet_payload;
            all.rows.push(Row {
                pattern: RatedPattern::of_background(machine, background),
                most: (window / background.bytes.max(1)).clamp(1, 1 << 20) as u32,
                arrived: 0,
                before: 0,
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
    /// Traffic that arrived in the `span` that the jobs took.
    pub fn outcome(&self, job: &Job, span: Span) -> Vec<BackgroundTraffic> {
        let rows = job.background.iter().zip(&self.rows).map(|(background, row)| {
            let machine = &job.machine;
            let (nics, messages) = (background.to.senders(), row.arrived - row.before);
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

/// Token of the event that generates a source's next message.
const GENERATE: u32 = 0;

impl<N: NetworkModel> Component<N> for Sources<'_> {
    fn endpoints(&self) -> u32 {
        self.sources.len() as u32
    }

    /// Schedules the first message of every source.
    fn start(&mut self, context: &mut Context<'_, '_, N>) {
        for source in 0..self.sources.len() as u32 {
            self.schedule(context, source);
        }
    }

    /// A message that has arrived or was given up makes room for the next one.
    fn handle(&mut self, context: &mut Context<'_, '_, N>, source: u32, event: EndpointEvent) {
        if let EndpointEvent::Timer(_) = event {
            return self.generate(context, source);
        }
        let row = &mut self.sources[source as usize];
        row.in_flight -= 1;
        self.rows[row.of as usize].arrived += u64::from(event == EndpointEvent::Arrived);
        if !self.closed {
            self.issue_next(context, source);
        }
    }

    fn open(&mut self) {
        self.rows.iter_mut().for_each(|row| row.before = row.arrived);
    }

    fn close(&mut self) {
        self.closed = true;
    }
}

impl Sources<'_> {
    /// Schedules the source's next message.
    fn schedule<N: NetworkModel>(&mut self, context: &mut Context<'_, '_, N>, source: u32) {
        let row = self.sources[source as usize];
        let pattern = &self.rows[row.of as usize].pattern;
        let when = pattern.next_generation(row.at, context.now(), row.generated);
        context.schedule(source, when, GENERATE);
    }

    /// Generates the next message of a source.
    fn generate<N: NetworkModel>(&mut self, context: &mut Context<'_, '_, N>, source: u32) {
        if self.closed {
            return;
        }
        self.sources[source as usize].generated += 1;
        self.issue_next(context, source);
        self.schedule(context, source);
    }

    /// Gives the NIC the source's next message, if there is one and the NIC has room.
    fn issue_next<N: NetworkModel>(&mut self, context: &mut Context<'_, '_, N>, source: u32) {
        let row = &mut self.sources[source as usize];
        let Row { pattern, most, .. } = &self.rows[row.of as usize];
        if row.issued == row.generated || row.in_flight == *most {
            return;
        }
        let message = pattern.message(row.at, row.issued);
        row.issued += 1;
        row.in_flight += 1;
        context.send(source, message);
    }
}
