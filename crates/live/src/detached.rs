//! Ranks that are detached from simulated time: they are blocked outside MPI (`outside_mpi`).

use workload::OpCompletion;

#[derive(Default, Debug)]
pub(crate) struct DetachedRanks {
    /// In increasing order.
    ranks: Vec<u32>,
    /// Completions for detached ranks, which own their memory until they hand over.
    deferred: Vec<OpCompletion>,
    /// Every rank that has been detached, and the call in which it was first found.
    calls: Vec<(u32, String)>,
    /// Detached ranks whose exit has not been taken yet.
    exited: Vec<u32>,
}

impl DetachedRanks {
    pub fn contains(&self, rank: u32) -> bool {
        self.ranks.binary_search(&rank).is_ok()
    }

    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// In increasing order.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Adds a rank that is blocked in `call`.
    pub fn add(&mut self, rank: u32, call: String) {
        if let Err(i) = self.ranks.binary_search(&rank) {
            self.ranks.insert(i, rank);
        }
        if self.first_call(rank).is_none() {
            self.calls.push((rank, call));
        }
    }

    /// The call in which a rank was first found.
    pub fn first_call(&self, rank: u32) -> Option<&String> {
        self.calls.iter().find(|known| known.0 == rank).map(|known| &known.1)
    }

    /// Every rank that has been detached, with that call.
    pub fn take_calls(&mut self) -> Vec<(u32, String)> {
        std::mem::take(&mut self.calls)
    }

    /// Keeps completions for a detached rank until it rejoins. Whether it is detached.
    pub fn defer(&mut self, done: &[OpCompletion]) -> bool {
        let is_detached = !self.is_empty() && self.contains(done[0].rank);
        if is_detached {
            self.deferred.extend_from_slice(done);
        }
        is_detached
    }

    /// Takes a rank out. Returns its completions.
    pub fn rejoin(&mut self, rank: u32) -> Vec<OpCompletion> {
        self.ranks.retain(|&other| other != rank);
        let deferred = std::mem::take(&mut self.deferred);
        let (own, others) = deferred.into_iter().partition(|done| done.rank == rank);
        self.deferred = others;
        own
    }

    /// A rank has exited while another of its processes waited: its exit is to be taken.
    pub fn add_exit(&mut self, rank: u32) {
        self.exited.push(rank);
    }

    /// A rank has exited with status 0. Whether it was detached: then its exit is to be taken.
    pub fn note_exit(&mut self, rank: u32) -> bool {
        let was_detached = self.contains(rank);
        self.rejoin(rank);
        if was_detached {
            self.exited.push(rank);
        }
        was_detached
    }

    /// Detached ranks that have exited since the last call.
    pub fn take_exited(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.exited)
    }
}
