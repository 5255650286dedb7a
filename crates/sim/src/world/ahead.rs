//! Looking ahead, as networks do: what a rank's event will need is asked for while its predecessors
//! are handled, first what it names and then what that names in turn. Nothing that anybody could
//! see depends on it.

use super::{Cargo, Due, Flight, Rank, World};
use base::prefetch_all;
use net::{HOST, NetworkModel};
use workload::Workload;

/// How many events ahead the last of three looks is, and each before it more.
const AHEAD: usize = 4;
/// Of fewer sends at once caches hold all [estimate].
const MANY: usize = 1 << 12;

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    #[inline]
    pub(super) fn look_ahead(&self) {
        let told = self.net.look_ahead(&self.queue, &self.job.machine);
        if self.sends.most() < MANY {
            return;
        }
        if let Some(id) = told
            && let Cargo::Leg(flight) = Cargo::unpack(id.0)
        {
            self.sends.prefetch(flight.send);
        }
        if let Some((_, due)) = self.due_ahead(3 * AHEAD) {
            match due {
                Due::Arrive(Cargo::Leg(Flight { send, .. })) => self.sends.prefetch(send),
                Due::Next(run) | Due::Advance(run) => self.runs.prefetch(run),
                _ => {}
            }
        }
        if let Some((rank, due)) = self.due_ahead(2 * AHEAD) {
            prefetch_all(self.rank_of(rank, due));
        }
        if let Some((rank, due)) = self.due_ahead(AHEAD)
            && let Some(run) = self.rank_of(rank, due).run
        {
            self.runs.prefetch(run);
        }
    }

    /// The rank that an event of this one's is about.
    #[inline]
    fn rank_of(&self, rank: u32, due: Due) -> &Rank {
        let rank = match due {
            Due::Arrive(Cargo::Leg(flight)) => self.played(self.sends[flight.send].to),
            _ => rank,
        };
        &self.ranks[rank as usize]
    }

    /// The rank's event so many ahead, if it is one.
    #[inline]
    fn due_ahead(&self, nth: usize) -> Option<(u32, Due)> {
        let what = self.queue.ahead(nth)?;
        let is_rank = what.kind() == HOST && (what.source() as usize) < self.ranks.len();
        is_rank.then(|| (what.source(), Due::unpack(what.arg())))
    }
}
