//! Prefetching, as in the network models: the data of a rank's next events is fetched while earlier
//! ones are handled, first the objects that an event names, then those that they refer to. It has
//! no effect on results.

use super::World;
use crate::collective::Run;
use crate::component::Component;
use crate::event::{HostEvent, InFlight, MessageOwner};
use crate::kernel::Kernel;
use crate::send::Send;
use crate::transport::Transport;
use base::prefetch;
use mpi::Limits;
use net::{ARRIVAL, NetworkModel};
use workload::Workload;

/// Distance in events of the last of three prefetch stages; earlier stages look further ahead.
const AHEAD: usize = 4;
/// With fewer sends in flight, caches hold all of them [estimate].
const MANY: usize = 1 << 12;

impl<N: NetworkModel, W: Workload, C: Component<N>> World<'_, N, W, C> {
    #[inline]
    pub(super) fn prefetch_next(&mut self) {
        let Transport { kernel, limit_checker, sends, .. } = &mut self.transport;
        let (runs, limits) = (&self.collectives.runs, &limit_checker.limits);
        if kernel.queue.has_prefetch()
            && let Some(block) = kernel.queue.next_prefetch_block()
        {
            kernel.network.prefetch_block(block, &kernel.job.machine, |id| {
                if let MessageOwner::Send(in_flight) = MessageOwner::unpack(id.0) {
                    sends.prefetch(in_flight.send);
                }
            });
        }
        let upcoming = kernel.network.prefetch_next(&kernel.queue, &kernel.job.machine);
        if sends.peak() < MANY {
            return;
        }
        if let Some(id) = upcoming
            && let MessageOwner::Send(in_flight) = MessageOwner::unpack(id.0)
        {
            sends.prefetch(in_flight.send);
        }
        if let Some((rank, word)) = word_ahead(kernel, 3 * AHEAD) {
            match HostEvent::unpack(word) {
                HostEvent::Arrive(MessageOwner::Send(InFlight { send, .. })) => {
                    sends.prefetch(send)
                }
                HostEvent::SendNext(run) => {
                    runs.prefetch(run);
                    sends.prefetch_free();
                    prefetch(&kernel.job.placements[rank as usize]);
                    limits.prefetch_sends(rank);
                }
                HostEvent::Advance(run) => {
                    runs.prefetch(run);
                    prefetch_rank(kernel, limits, rank);
                }
                _ => {}
            }
        }
        if let Some((rank, word)) = word_ahead(kernel, 2 * AHEAD) {
            match HostEvent::unpack(word) {
                HostEvent::Arrive(MessageOwner::Send(InFlight { send, .. })) => {
                    let Send { from, to, .. } = sends[send];
                    prefetch_rank(kernel, limits, kernel.representative(to));
                    limits.prefetch_sends(from);
                }
                HostEvent::SendNext(run) => {
                    let nic = kernel.job.placements[rank as usize].nic;
                    kernel.network.prefetch(nic);
                    prefetch(&kernel.injected[nic]);
                    prefetch(&kernel.job.machine.nic_switch[nic]);
                    prefetch(&kernel.job.placements[runs[run].receiver()]);
                }
                HostEvent::Advance(run) => self.calls.prefetch(runs[run].call),
                _ => {}
            }
        }
        if let Some((_, word)) = word_ahead(kernel, AHEAD) {
            match HostEvent::unpack(word) {
                HostEvent::Arrive(MessageOwner::Send(InFlight { send, .. })) => {
                    let rank = kernel.representative(sends[send].to);
                    if let Some(run) = kernel.ranks[rank as usize].run {
                        runs.prefetch_first(run, Run::ARRIVE);
                    }
                }
                HostEvent::SendNext(run) => {
                    let to = kernel.job.placements[runs[run].receiver()].nic;
                    prefetch(&kernel.job.machine.nic_switch[to]);
                }
                _ => {}
            }
        }
    }

    /// With many sends in flight, lets queues expose upcoming events. Called from time to time.
    pub(super) fn enable_prefetch(&mut self) {
        if self.transport.sends.peak() >= MANY {
            let Kernel { queue, network, .. } = &mut self.transport.kernel;
            queue.enable_prefetch();
            network.enable_prefetch();
        }
    }
}

#[inline]
fn prefetch_rank<N: NetworkModel>(kernel: &Kernel<'_, N>, limits: &Limits, rank: u32) {
    prefetch(&kernel.ranks[rank as usize]);
    limits.prefetch(rank);
}

/// The event `nth` places ahead, if it is a rank's.
#[inline(always)]
fn word_ahead<N: NetworkModel>(kernel: &Kernel<'_, N>, nth: usize) -> Option<(u32, u32)> {
    let what = kernel.queue.ahead(nth)?;
    let is_rank = what.kind() >= ARRIVAL && (what.source() as usize) < kernel.ranks.len();
    is_rank.then(|| (what.source(), what.arg()))
}
