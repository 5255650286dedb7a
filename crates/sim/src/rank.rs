//! State of a rank that several components use: its CPU, its calls, and its collectives.

use crate::event::{CallId, RunId, SendId};
use base::Time;
use std::collections::VecDeque;
use workload::{Context, NonContiguous, Token, WORLD};

/// One cache line, which most events of a rank need.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct Rank {
    /// The rank's job.
    pub job: u32,
    /// Number of collectives called on the communicator of all ranks; for others see
    /// `RankExtra::called`.
    in_world: u32,
    /// Time at which its CPU has finished all accepted work.
    pub cpu: Time,
    /// First and last of its calls, a linked list (`calls`).
    pub calls: Option<(CallId, CallId)>,
    /// First of the collectives it is in, a linked list (`collective`).
    pub run: Option<RunId>,
    /// First and last of the collective messages that arrived before this rank was in their round,
    /// a linked list (`collective`).
    pub early: Option<(SendId, SendId)>,
    /// Present if the rank calls collectives of other communicators, passes non-contiguous data or
    /// names NICs.
    pub extra: Option<Box<RankExtra>>,
    pub exited: bool,
}
const _: () = assert!(size_of::<Rank>() == 64);

/// State that few ranks have.
#[derive(Default)]
pub(crate) struct RankExtra {
    /// Number of collectives called, by communicator, except that of all ranks.
    called: Vec<(Context, u32)>,
    /// Non-contiguous layouts of calls: of the data they send, until the CPU accepts the call; of
    /// the data they receive, until it has arrived.
    pub send_layouts: Vec<(Token, NonContiguous)>,
    pub recv_layouts: Vec<(Token, NonContiguous)>,
    /// Sends with named NICs in call order, until they take effect.
    pub nics: VecDeque<(Token, [u8; 2])>,
}

impl Rank {
    pub fn of(job: u32) -> Rank {
        Rank { job, ..Rank::default() }
    }
    pub fn extra(&mut self) -> &mut RankExtra {
        self.extra.get_or_insert_default()
    }
    /// The number of this collective among those this rank has called on `context`.
    pub fn next_collective(&mut self, context: Context) -> u32 {
        let called = match context {
            WORLD => &mut self.in_world,
            _ => {
                let called = &mut self.extra().called;
                let known = called.binary_search_by_key(&context, |called| called.0);
                let at = known.unwrap_or_else(|at| {
                    called.insert(at, (context, 0));
                    at
                });
                &mut called[at].1
            }
        };
        *called += 1;
        *called - 1
    }
    /// Number of collectives it has called on `context`.
    pub fn called(&self, context: Context) -> u32 {
        let others = self.extra.iter().flat_map(|extra| &extra.called);
        match context {
            WORLD => self.in_world,
            _ => others.filter(|called| called.0 == context).map(|called| called.1).sum(),
        }
    }
}
