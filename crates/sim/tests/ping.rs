//! A component as an example: clients send pings to a server, which answers them after a queue.
//!
//! The component owns its state, schedules events for its endpoints, and counts. The engine reports
//! to it what happens at its endpoints. See ARCHITECTURE.md.

use base::{Span, Time, draw};
use machine::{Machine, NicId};
use net::{Message, NetworkModel};
use sim::traffic::Destinations;
use sim::{Background, Component, Context, End, EndpointEvent, Service, ServiceQueue, World};
use workload::Op;

use crate::common::{Script, job};

const SERVICE: Span = Span::us(5);
const START: Time = Time(1_000_000);
/// Stream of the draws for the routes of messages.
const STREAM: u32 = 0x7069_6e67;

/// Clients ping a server on NIC 0, all at once. Client `i` has endpoint `2 i` for its request and
/// `2 i + 1` for the response.
struct PingResponder {
    clients: Vec<Client>,
    queue: ServiceQueue<u32>,
    service: Span,
}

struct Client {
    nic: NicId,
    /// 0 is the most urgent.
    priority: usize,
    answered: Option<Time>,
}

/// Tokens of the component's events: a client sends its request, and a request has been served.
const PING: u32 = 0;
const SERVED: u32 = 1;

impl PingResponder {
    fn send<N: NetworkModel>(&self, context: &mut Context<'_, '_, N>, endpoint: u32) {
        let client = self.clients[endpoint as usize / 2].nic;
        let (src, dst) =
            if endpoint.is_multiple_of(2) { (client, NicId(0)) } else { (NicId(0), client) };
        // An endpoint sends one message, so its number distinguishes the draws.
        let route = draw(context.seed(), STREAM, endpoint, 0);
        context.send(endpoint, Message::new(src, dst, 8, route));
    }
}

impl<N: NetworkModel> Component<N> for PingResponder {
    fn endpoints(&self) -> u32 {
        2 * self.clients.len() as u32
    }

    fn start(&mut self, context: &mut Context<'_, '_, N>) {
        let clients = 0..self.clients.len() as u32;
        clients.for_each(|client| context.schedule(2 * client, START, PING));
    }

    fn handle(&mut self, context: &mut Context<'_, '_, N>, endpoint: u32, event: EndpointEvent) {
        let (now, client) = (context.now(), endpoint / 2);
        let is_request = endpoint.is_multiple_of(2);
        let state = &mut self.clients[client as usize];
        let next = match event {
            EndpointEvent::Timer(PING) => return self.send(context, endpoint),
            EndpointEvent::Timer(_) => {
                self.send(context, endpoint);
                self.queue.end(now)
            }
            EndpointEvent::Arrived if is_request => {
                self.queue.arrive(now, state.priority, self.service, client)
            }
            EndpointEvent::Arrived => {
                state.answered = Some(now);
                return;
            }
            EndpointEvent::Failed => panic!("this machine has no faults"),
        };
        if let Some(Service { job: client, ends }) = next {
            context.schedule(2 * client + 1, ends, SERVED);
        }
    }
}

/// Clients at the same distance from the server: NICs of another switch.
fn clients(machine: &Machine, priorities: &[usize]) -> Vec<Client> {
    let nics = (0..machine.n_nics()).map(NicId).filter(|&nic| machine.nic_switch[nic].0 == 1);
    let client = |(nic, &priority)| Client { nic, priority, answered: None };
    nics.zip(priorities).map(client).collect()
}

/// Time from its ping to its response for each client, and the time that requests waited.
fn run<N: NetworkModel>(priorities: &[usize], servers: u32, service: Span) -> (Vec<Span>, Span) {
    let job = job(&[40, 41]);
    // The run lasts as long as its job.
    let script = Script::new(2, [(0, 0, 1_000_000, Op::Pause)]);
    let clients = clients(&job.machine, priorities);
    let component = PingResponder { clients, queue: ServiceQueue::new(servers, 2), service };
    let mut world = World::<N, _, _>::with_component(&job, script, component);
    assert_eq!(world.run(&mut |_| true).end, End::Finished);
    let PingResponder { clients, queue, .. } = world.component;
    assert_eq!(queue.counters().served, priorities.len() as u64);
    let round_trip = |client: Client| client.answered.expect("it was answered") - START;
    (clients.into_iter().map(round_trip).collect(), queue.counters().waiting)
}

/// One server answers one ping per service time, and of those that wait the urgent one first.
#[test]
fn pings_are_answered_after_a_queue() {
    let (spans, waiting) = run::<loggp::LogGpNetwork>(&[1, 1, 1, 0], 1, SERVICE);
    let first = spans[0];
    assert_eq!(spans, [first, first + SERVICE * 2, first + SERVICE * 3, first + SERVICE]);
    // Requests arrive one after the other, as the link of the server's NIC delivers them.
    let machine = job(&[40]).machine;
    let wire = 8 + machine.nic.packet_overhead;
    let gap = machine.links.gap[machine.ejection(NicId(0))].span(wire);
    assert_eq!(waiting, (SERVICE - gap) * 6);
}

/// With as many servers as clients no request waits, and a ping takes the service and two messages
/// of one or two microseconds each, at any fidelity.
#[test]
fn with_enough_servers_no_ping_waits() {
    fn check<N: NetworkModel>() {
        let (spans, waiting) = run::<N>(&[0; 4], 4, SERVICE);
        assert_eq!(waiting, Span::ZERO);
        for span in spans {
            assert!(span > SERVICE + Span::us(2) && span < SERVICE + Span::us(4), "{span:?}");
        }
    }
    check::<loggp::LogGpNetwork>();
    check::<packet::PacketNetwork>();
    check::<flow::FlowNetwork>();
}

/// A service without duration ends 1 ps after its start.
#[test]
fn a_service_may_have_no_duration() {
    let (spans, _) = run::<loggp::LogGpNetwork>(&[0], 1, SERVICE);
    let (instant, _) = run::<loggp::LogGpNetwork>(&[0], 1, Span::ZERO);
    assert_eq!(instant[0], spans[0] - SERVICE + Span(1));
}

/// One endpoint that counts its timers: those before the jobs, and those while they run.
#[derive(Default)]
struct Ticks {
    before: Option<u32>,
    ticks: u32,
    at_end: Option<u32>,
}

const TICK: Span = Span::us(1);

impl<N: NetworkModel> Component<N> for Ticks {
    fn endpoints(&self) -> u32 {
        1
    }

    fn start(&mut self, context: &mut Context<'_, '_, N>) {
        context.schedule(0, Time::ZERO + TICK, 0);
    }

    fn handle(&mut self, context: &mut Context<'_, '_, N>, endpoint: u32, _: EndpointEvent) {
        if self.at_end.is_none() {
            self.ticks += 1;
            context.schedule(endpoint, context.now() + TICK, 0);
        }
    }

    fn open(&mut self) {
        self.before = Some(self.ticks);
    }

    fn close(&mut self) {
        self.at_end = Some(self.ticks);
    }
}

/// The jobs begin after the warm-up of the background traffic, and without it at once. A component
/// is notified when they begin and when they end.
#[test]
fn a_component_distinguishes_the_warm_up_from_the_jobs() {
    let ticks = |warmup: Span| {
        let mut job = job(&[40, 41]);
        if warmup > Span::ZERO {
            let to = Destinations::between("uniform", &job.machine, vec![NicId(0), NicId(8)], 1);
            let (pattern, to) = ("uniform".into(), to.expect("two NICs"));
            job.background.push(Background { pattern, to, load: 0.01, bytes: 8, vnet: 0 });
            job.warmup = warmup;
        }
        let script = Script::new(2, [(0, 0, 10_500, Op::Pause)]);
        let mut world =
            World::<loggp::LogGpNetwork, _, _>::with_component(&job, script, Ticks::default());
        assert_eq!(world.run(&mut |_| true).end, End::Finished);
        let Ticks { before, at_end, .. } = world.component;
        let before = before.expect("the jobs began");
        (before, at_end.expect("the jobs ended") - before)
    };
    assert_eq!(ticks(Span::ZERO), (0, 10));
    assert_eq!(ticks(Span::ns(20_250)), (20, 10));
}
