//! The file systems of the machine: they execute the RPCs of `storage`'s protocols.
//!
//! A protocol decides which RPCs a call needs (`storage::FileSystem`). This component moves their
//! messages through the network, queues them at servers and media, and completes the calls. It does
//! not know what an RPC means.
//!
//! Its endpoints are, per file system, one for events of RPCs and calls and one for timers of the
//! protocol, then one per message in flight.

mod accounts;
mod completion_order;
mod execution;
#[cfg(test)]
mod fixture;
mod limit;
mod lnet;
mod network;
mod outcome;
mod rates;
#[cfg(test)]
mod tests;

pub use outcome::{
    CallClass, ClassTotals, FileSystemOutcome, FileTotals, HostLoad, IoPhase, MediumLoad,
};
pub use rates::{Counted, Rates};

use crate::endpoints::EndpointEvent;
use crate::job::Job;
use crate::kernel::Kernel;
use base::{Span, Time};
use execution::Execution;
#[cfg(test)]
use fixture::Fixture;
use machine::storage::Protocol;
use net::NetworkModel;
use network::Endpoints;
use std::collections::VecDeque;
use storage::daos::Daos;
use storage::lustre::{Lustre, Ports};
use workload::{FileCall, Op, Token};

/// Messages in flight of all file systems, at most: the number of their endpoints.
const MAX_MESSAGES: u32 = 1 << 25;

/// One file system with the protocol that its machine file names.
enum Instance {
    Lustre(Box<Execution<Lustre>>),
    Daos(Box<Execution<Daos>>),
    #[cfg(test)]
    Fixture(Box<Execution<Fixture>>),
}

/// Evaluates an expression for the execution of an instance, whatever its protocol.
macro_rules! with_execution {
    ($instance:expr, $execution:ident => $value:expr) => {
        match $instance {
            Instance::Lustre($execution) => $value,
            Instance::Daos($execution) => $value,
            #[cfg(test)]
            Instance::Fixture($execution) => $value,
        }
    };
}

/// A notice that precedes a call.
enum Notice {
    Lookup { parent: u32, file: u32 },
    Layout(Box<workload::LayoutRequest>),
}

/// A notice of a call that its rank's CPU has not reached, by the call's token.
struct Noticed {
    token: Token,
    notice: Notice,
}

/// All file systems of the machine.
#[derive(Default)]
pub(crate) struct FileSystems {
    /// By number: those that have been called.
    instances: Vec<Option<Instance>>,
    first: u32,
    /// By rank, in the order of their calls.
    notices: Vec<VecDeque<Noticed>>,
    /// Executes the protocol of the tests.
    #[cfg(test)]
    pub uses_fixture: bool,
}

impl Instance {
    /// The `nth` file system of the machine. `first` is the kernel's number of the first endpoint
    /// of all of them.
    fn new(job: &Job, nth: usize, first: u32) -> Result<Instance, String> {
        let (site, n_nics) = (&job.machine.file_systems[nth], job.machine.n_nics() as usize);
        let endpoints = endpoints_of(job, nth, first);
        Ok(match &site.protocol {
            Protocol::Lustre(params) => {
                let ports = |host: u32| site.hosts[host as usize].ports();
                let ports = Ports { mds: ports(0), oss: ports(params.mds) };
                let protocol = Lustre::new((**params).clone(), ports, job.seed);
                Instance::Lustre(Box::new(Execution::new(protocol, site, n_nics, endpoints)))
            }
            Protocol::Daos(params) => {
                let protocol = Daos::new(params, site.hosts.len() as u32)?;
                Instance::Daos(Box::new(Execution::new(protocol, site, n_nics, endpoints)))
            }
        })
    }

    #[cfg(test)]
    fn fixture(job: &Job, nth: usize, first: u32) -> Instance {
        let (site, n_nics) = (&job.machine.file_systems[nth], job.machine.n_nics() as usize);
        let endpoints = endpoints_of(job, nth, first);
        let protocol = Fixture::new(fixture::PARAMS, site.hosts.len() as u32);
        Instance::Fixture(Box::new(Execution::new(protocol, site, n_nics, endpoints)))
    }
}

/// The endpoints of the `nth` file system.
fn endpoints_of(job: &Job, nth: usize, first: u32) -> Endpoints {
    let vnet = job.storage_vnets[nth];
    let (nth, n) = (nth as u32, job.machine.file_systems.len() as u32);
    let (events, first_message) = (first + 2 * nth, first + 2 * n + nth);
    Endpoints { events, first_message, stride: n, vnet }
}

impl FileSystems {
    /// The machine has `n` file systems. `first` is the kernel's number of the first endpoint.
    pub fn open(&mut self, n: usize, first: u32) {
        self.instances.resize_with(n, || None);
        self.first = first;
    }

    /// Number of endpoints of `n` file systems.
    pub fn endpoints(n: usize) -> u32 {
        if n == 0 { 0 } else { 2 * n as u32 + MAX_MESSAGES }
    }

    /// A notice precedes the next call of its rank on a file.
    pub fn announce(&mut self, rank: u32, token: Token, op: Op) {
        let notice = match op {
            Op::Lookup { parent, file, .. } => Notice::Lookup { parent, file },
            Op::Layout { request, .. } => Notice::Layout(request),
            op => unreachable!("{op:?} is no notice"),
        };
        let rank = rank as usize;
        if rank >= self.notices.len() {
            self.notices.resize_with(rank + 1, VecDeque::new);
        }
        self.notices[rank].push_back(Noticed { token, notice });
    }

    /// A rank's CPU has reached a call.
    pub fn call<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        (rank, token): (u32, Token),
        call: FileCall,
    ) {
        let notices = self.notices.get_mut(rank as usize).map(|all| {
            let own = all.iter().take_while(|noticed| noticed.token == token).count();
            all.drain(..own).map(|noticed| noticed.notice)
        });
        let notices = notices.into_iter().flatten();
        let (nth, n) = (usize::from(call.file_system), self.instances.len());
        if nth >= n {
            return kernel.erroneous(rank, format!("a call on file system {nth}: there are {n}"));
        }
        let (job, first) = (kernel.job, self.first);
        #[cfg(test)]
        if self.uses_fixture && self.instances[nth].is_none() {
            self.instances[nth] = Some(Instance::fixture(job, nth, first));
        }
        if self.instances[nth].is_none() {
            match Instance::new(job, nth, first) {
                Ok(instance) => self.instances[nth] = Some(instance),
                Err(why) => return kernel.erroneous(rank, why),
            }
        }
        let instance = self.instances[nth].as_mut().expect("it has been built");
        with_execution!(instance, execution => {
            execution.call(kernel, (rank, token), call, notices);
        });
    }

    /// An event of an endpoint of the file systems, by its number among them.
    pub fn handle<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        endpoint: u32,
        event: EndpointEvent,
    ) {
        let n = self.instances.len() as u32;
        if endpoint >= 2 * n {
            let (id, instance) = ((endpoint - 2 * n) / n, (endpoint - 2 * n) % n);
            let instance = self.instance(instance);
            return with_execution!(instance, execution => execution.message(kernel, id, event));
        }
        let EndpointEvent::Timer(token) = event else { unreachable!("it sends no messages") };
        let instance = self.instance(endpoint / 2);
        with_execution!(instance, execution => match endpoint.is_multiple_of(2) {
            true => execution.event(kernel, token),
            false => execution.timer(kernel, token),
        });
    }

    fn instance(&mut self, nth: u32) -> &mut Instance {
        self.instances[nth as usize].as_mut().expect("it has been called")
    }

    /// The jobs have ended: what is in flight ends, and nothing new is sent.
    pub fn close(&mut self) {
        for instance in self.instances.iter_mut().flatten() {
            with_execution!(instance, execution => execution.close());
        }
    }

    /// Whether a file system has nearly as many messages or RPCs in flight as can be numbered.
    pub fn is_nearly_full(&self) -> bool {
        let share = MAX_MESSAGES as usize / self.instances.len().max(1);
        self.instances.iter().flatten().any(|instance| {
            let (messages, others) = with_execution!(instance, execution => execution.peaks());
            messages > share / 8 * 7 || others > 1 << 27
        })
    }

    /// What calls wait, by rank.
    pub fn waiting(&self) -> Vec<(u32, String)> {
        let of = |instance: &Instance| with_execution!(instance, execution => execution.waiting());
        self.instances.iter().flatten().flat_map(of).collect()
    }

    /// By file system and target: the bytes it has moved so far, and how long it stays busy.
    pub fn loads(&self, now: Time, mut each: impl FnMut((usize, usize), u64, Span)) {
        for (nth, instance) in self.instances.iter().enumerate() {
            let Some(instance) = instance else { continue };
            with_execution!(instance, execution => execution.loads(now, |target, bytes, backlog| {
                each((nth, target), bytes, backlog);
            }));
        }
    }

    /// Names of the targets that have been used, by file system and number.
    pub fn target_names(&self) -> Vec<(u32, u32, String)> {
        let mut names = Vec::new();
        for (nth, instance) in (0..).zip(&self.instances) {
            let Some(instance) = instance else { continue };
            let of = with_execution!(instance, execution => execution.named_targets());
            names.extend(of.into_iter().map(|(target, name)| (nth, target, name)));
        }
        names
    }

    /// What each file system did that was called, by number.
    pub fn outcome<N: NetworkModel>(&self, kernel: &Kernel<'_, N>) -> Vec<FileSystemOutcome> {
        let of =
            |instance: &Instance| with_execution!(instance, execution => execution.outcome(kernel));
        self.instances.iter().flatten().map(of).collect()
    }
}
