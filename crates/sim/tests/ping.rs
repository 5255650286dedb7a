//! A component as an example: clients send pings to a server, which answers them after a queue.
//!
//! The component owns its state, schedules events for its endpoints, and counts. The engine reports
//! to it what happens at its endpoints. See ARCHITECTURE.md.

use base::{Span, Time};
use machine::{Machine, NicId};
use net::{Completion, Message, NetworkModel, Origin};
use sim::{Component, Context, End, EndpointEvent, Service, ServiceQueue, World};
use workload::Op;

use crate::common::{Script, job};

const SERVICE: Span = Span::us(5);
const START: Time = Time(1_000_000);

/// Clients ping a server on NIC 0, all at once. Client `i` has endpoint `2 i` for its request and
/// `2 i + 1` for the response.
struct PingResponder {
    clients: Vec<Client>,
    queue: ServiceQueue<u32>,
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
        let message = Message {
            src,
            dst,
            bytes: 8,
            origin: Origin::Host,
            vnet: 0,
            completion: Completion::Target,
            draw: 0,
            in_order: false,
            handling: Span::ZERO,
        };
        context.send(endpoint, message);
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
                self.queue.arrive(now, state.priority, SERVICE, client)
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
fn run<N: NetworkModel>(priorities: &[usize], servers: u32) -> (Vec<Span>, Span) {
    let job = job(&[40, 41]);
    // The run lasts as long as its job.
    let script = Script::new(2, [(0, 0, 1_000_000, Op::Pause)]);
    let clients = clients(&job.machine, priorities);
    let component = PingResponder { clients, queue: ServiceQueue::new(servers, 2) };
    let mut world = World::<N, _, _>::with_component(&job, script, component);
    assert_eq!(world.run(&mut |_| true).end, End::Finished);
    let PingResponder { clients, queue } = world.component;
    assert_eq!(queue.counters().served, priorities.len() as u64);
    let round_trip = |client: Client| client.answered.expect("it was answered") - START;
    (clients.into_iter().map(round_trip).collect(), queue.counters().waiting)
}

/// One server answers one ping per service time, and of those that wait the urgent one first.
#[test]
fn pings_are_answered_after_a_queue() {
    let (spans, waiting) = run::<loggp::LogGpNetwork>(&[1, 1, 1, 0], 1);
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
        let (spans, waiting) = run::<N>(&[0; 4], 4);
        assert_eq!(waiting, Span::ZERO);
        for span in spans {
            assert!(span > SERVICE + Span::us(2) && span < SERVICE + Span::us(4), "{span:?}");
        }
    }
    check::<loggp::LogGpNetwork>();
    check::<packet::PacketNetwork>();
    check::<flow::FlowNetwork>();
}
