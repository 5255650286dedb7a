//! Components with endpoints that are not ranks: sources of traffic, servers, agents.
//!
//! An endpoint schedules events for itself and sends messages from a NIC. The engine reports its
//! events, and the arrival or failure of its messages, to its component. These reports do not
//! identify the message, so a component has one endpoint per message in flight that it must
//! distinguish. A component does not decide when a run ends: jobs do.
//! `crates/sim/tests/ping.rs` is an example.

use crate::endpoints::ARRIVAL;
pub use crate::endpoints::EndpointEvent;
use crate::event::MessageOwner;
use crate::kernel::Kernel;
use base::Time;
use machine::Machine;
use net::{Message, NetworkModel};

/// The endpoints of a component, numbered from 0.
pub trait Component<N: NetworkModel> {
    /// Number of endpoints. Constant.
    fn endpoints(&self) -> u32;
    /// The run starts: schedules the first events.
    fn start(&mut self, context: &mut Context<'_, '_, N>);
    /// Handles what happens at an endpoint.
    fn handle(&mut self, context: &mut Context<'_, '_, N>, endpoint: u32, event: EndpointEvent);
    /// The jobs begin: what happened before is the warm-up.
    fn open(&mut self) {}
    /// The jobs have ended, and the outcome is complete. Endpoints answer messages in flight and
    /// send nothing else from now on, so that the network drains.
    fn close(&mut self) {}
}

/// What a component may use while it handles an event.
pub struct Context<'k, 'j, N: NetworkModel> {
    kernel: &'k mut Kernel<'j, N>,
    /// The kernel's number of the component's first endpoint.
    first: u32,
}

impl<'k, 'j, N: NetworkModel> Context<'k, 'j, N> {
    pub(crate) fn new(kernel: &'k mut Kernel<'j, N>, first: u32) -> Self {
        Context { kernel, first }
    }

    /// Since the start of the run, warm-up included.
    pub fn now(&self) -> Time {
        self.kernel.now
    }

    /// Seed of the job's random draws.
    pub fn seed(&self) -> u64 {
        self.kernel.job.seed
    }

    pub fn machine(&self) -> &'j Machine {
        &self.kernel.job.machine
    }

    /// Schedules a timer of an endpoint. `token` is below `u32::MAX`.
    ///
    /// A timer for now expires 1 ps later, as in `net::Cx::at`: a service may have no duration.
    pub fn schedule(&mut self, endpoint: u32, when: Time, token: u32) {
        assert!(when >= self.now() && token != ARRIVAL, "a past event, or a reserved token");
        let when = when.max(Time(self.now().0 + 1));
        self.kernel.push_endpoint(self.first + endpoint, when, token);
    }

    /// Gives the network a message of an endpoint, from one NIC to another.
    pub fn send(&mut self, endpoint: u32, message: Message) {
        assert!(message.src != message.dst, "a message within a NIC does not use the network");
        self.kernel.inject(MessageOwner::Endpoint(self.first + endpoint), message);
    }
}

/// No endpoints.
impl<N: NetworkModel> Component<N> for () {
    fn endpoints(&self) -> u32 {
        0
    }
    fn start(&mut self, _: &mut Context<'_, '_, N>) {}
    fn handle(&mut self, _: &mut Context<'_, '_, N>, _: u32, _: EndpointEvent) {
        unreachable!("there are no endpoints")
    }
}
