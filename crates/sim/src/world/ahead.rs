//! Prefetching, as in the network models: the data of a rank's next events is fetched while earlier
//! ones are handled, first the objects that an event names, then those that they refer to. It has
//! no effect on results.

use super::{HostEvent, InFlight, MessageOwner, Send, World};
use crate::collective::Run;
use base::prefetch;
use net::{HOST, NetworkModel};
use workload::Workload;

/// Distance in events of the last of three prefetch stages; earlier stages look further ahead.
const AHEAD: usize = 4;
/// With fewer sends in flight, caches hold all of them [estimate].
const MANY: usize = 1 << 12;

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    #[inline]
    pub(super) fn prefetch_next(&mut self) {
        if self.queue.has_prefetch()
            && let Some(block) = self.queue.next_prefetch_block()
        {
            let sends = &self.sends;
            self.net.prefetch_block(block, &self.job.machine, |id| {
                if let MessageOwner::Send(in_flight) = MessageOwner::unpack(id.0) {
                    sends.prefetch(in_flight.send);
                }
            });
        }
        let upcoming = self.net.prefetch_next(&self.queue, &self.job.machine);
        if self.sends.peak() < MANY {
            return;
        }
        if let Some(id) = upcoming
            && let MessageOwner::Send(in_flight) = MessageOwner::unpack(id.0)
        {
            self.sends.prefetch(in_flight.send);
        }
        if let Some((rank, word)) = self.word_ahead(3 * AHEAD) {
            match HostEvent::unpack(word) {
                HostEvent::Arrive(MessageOwner::Send(InFlight { send, .. })) => {
                    self.sends.prefetch(send)
                }
                HostEvent::SendNext(run) => {
                    self.runs.prefetch(run);
                    self.sends.prefetch_free();
                    prefetch(&self.job.placements[rank as usize]);
                    self.limit_checker.limits.prefetch_sends(rank);
                }
                HostEvent::Advance(run) => {
                    self.runs.prefetch(run);
                    self.prefetch_rank(rank);
                }
                _ => {}
            }
        }
        if let Some((rank, word)) = self.word_ahead(2 * AHEAD) {
            match HostEvent::unpack(word) {
                HostEvent::Arrive(MessageOwner::Send(InFlight { send, .. })) => {
                    let Send { from, to, .. } = self.sends[send];
                    self.prefetch_rank(self.representative(to));
                    self.limit_checker.limits.prefetch_sends(from);
                }
                HostEvent::SendNext(run) => {
                    let nic = self.job.placements[rank as usize].nic;
                    self.net.prefetch(nic);
                    prefetch(&self.injected[nic]);
                    prefetch(&self.job.machine.nic_switch[nic]);
                    prefetch(&self.job.placements[self.runs[run].receiver()]);
                }
                HostEvent::Advance(run) => self.call_entries.prefetch(self.runs[run].call),
                _ => {}
            }
        }
        if let Some((_, word)) = self.word_ahead(AHEAD) {
            match HostEvent::unpack(word) {
                HostEvent::Arrive(MessageOwner::Send(InFlight { send, .. })) => {
                    let rank = self.representative(self.sends[send].to);
                    if let Some(run) = self.ranks[rank as usize].run {
                        self.runs.prefetch_first(run, Run::ARRIVE);
                    }
                }
                HostEvent::SendNext(run) => {
                    let to = self.job.placements[self.runs[run].receiver()].nic;
                    prefetch(&self.job.machine.nic_switch[to]);
                }
                _ => {}
            }
        }
    }

    /// With many sends in flight, lets the queue expose upcoming events. Called from time to time.
    pub(super) fn enable_prefetch(&mut self) {
        if self.sends.peak() >= MANY {
            self.queue.enable_prefetch();
        }
    }

    #[inline]
    fn prefetch_rank(&self, rank: u32) {
        prefetch(&self.ranks[rank as usize]);
        self.limit_checker.limits.prefetch(rank);
    }

    /// The event `nth` places ahead, if it is a rank's.
    #[inline(always)]
    fn word_ahead(&self, nth: usize) -> Option<(u32, u32)> {
        let what = self.queue.ahead(nth)?;
        let is_rank = what.kind() == HOST && (what.source() as usize) < self.ranks.len();
        is_rank.then(|| (what.source(), what.arg()))
    }
}
