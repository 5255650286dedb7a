//! A worked example of a component: clients send requests to a NIC, which answers each after a
//! queue. It has endpoints, events, messages, a queue and a counter. `World` has a field for it,
//! and an arm in `handle_endpoint`.

use crate::endpoints::{EndpointEvent, EndpointKind};
use crate::event::MessageOwner;
use crate::kernel::Kernel;
use crate::service_queue::{Service, ServiceQueue};
use base::{Span, Time};
use machine::NicId;
use net::{Completion, Message, NetworkModel, Origin};

/// Tokens of events: a client sends its request, and a request has been served.
const ASK: u32 = 0;
const SERVED: u32 = 1;

/// The NIC that answers, and its clients.
#[derive(Default)]
pub(crate) struct Echo {
    target: NicId,
    clients: Vec<Client>,
    /// Time to serve a request.
    service: Span,
    queue: Option<ServiceQueue<u32>>,
    /// The first endpoint. Each client has two: one for its request and one for the response.
    first: u32,
    /// A counter: responses that have arrived.
    pub answered: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct Client {
    pub nic: NicId,
    pub priority: usize,
    /// Time at which it has the response.
    pub answered: Option<Time>,
}

impl Echo {
    /// The clients send their requests at `when`.
    pub fn start<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        (target, service): (NicId, Span),
        clients: Vec<Client>,
        when: Time,
    ) {
        let n = clients.len() as u32;
        self.first = kernel.endpoints.add(EndpointKind::Echo, 2 * n);
        (self.target, self.service, self.clients) = (target, service, clients);
        self.queue = Some(ServiceQueue::new(1, 2));
        (0..n).for_each(|client| kernel.push_endpoint(self.first + 2 * client, when, ASK));
    }

    pub fn clients(&self) -> &[Client] {
        &self.clients
    }

    pub fn handle<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        at: u32,
        event: EndpointEvent,
    ) {
        let (client, is_response) = (at / 2, at % 2 == 1);
        let queue = self.queue.as_mut().expect("it has started");
        match event {
            EndpointEvent::Timer(ASK) => self.send(kernel, client, false),
            EndpointEvent::Timer(_) => {
                let next = queue.end(kernel.now);
                self.expect_end(kernel, next);
                self.send(kernel, client, true);
            }
            EndpointEvent::Arrived if is_response => {
                self.answered += 1;
                self.clients[client as usize].answered = Some(kernel.now);
            }
            EndpointEvent::Arrived => {
                let priority = self.clients[client as usize].priority;
                let service = queue.arrive(kernel.now, priority, self.service, client);
                self.expect_end(kernel, service);
            }
            EndpointEvent::Failed => {}
        }
    }

    fn expect_end<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        service: Option<Service<u32>>,
    ) {
        if let Some(Service { job: client, ends }) = service {
            kernel.push_endpoint(self.first + 2 * client + 1, ends, SERVED);
        }
    }

    /// Sends a client's request, or the response to it.
    fn send<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        client: u32,
        is_response: bool,
    ) {
        let nic = self.clients[client as usize].nic;
        let (src, dst) = if is_response { (self.target, nic) } else { (nic, self.target) };
        let message = Message {
            src,
            dst,
            bytes: 64,
            origin: Origin::Host,
            vnet: 0,
            completion: Completion::Target,
            draw: 0,
            in_order: false,
            handling: Span::ZERO,
        };
        let endpoint = self.first + 2 * client + u32::from(is_response);
        kernel.inject(MessageOwner::Endpoint(endpoint), message);
    }
}
