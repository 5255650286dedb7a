//! CPU time for packing and unpacking the data of calls with a non-contiguous layout.

use crate::job::{Buffers, Job};
use crate::kernel::Kernel;
use base::Span;
use net::NetworkModel;
use workload::{Call, NonContiguous, Op, Token};

impl<N: NetworkModel> Kernel<'_, N> {
    /// CPU time for packing the data of a call, once. Within a node, packing replaces the copy to
    /// the destination, if the call makes one.
    #[inline]
    pub(crate) fn packing_time(&mut self, call: &Call) -> Span {
        let rank = call.rank;
        match &self.ranks[rank as usize].extra {
            Some(extra) if !extra.send_layouts.is_empty() => {}
            _ => return Span::ZERO,
        }
        let replaced = match call.op {
            Op::Send { to, bytes, .. }
                if !self.job.uses_single_copy(self.shares_node(rank, to), bytes) =>
            {
                self.replaced_copy_time(rank, to, bytes)
            }
            Op::OneSided { to, request_bytes, .. } => {
                self.replaced_copy_time(rank, to, request_bytes)
            }
            _ => Span::ZERO,
        };
        let Some(give) = removed(&mut self.ranks[rank as usize].extra().send_layouts, call.token)
        else {
            return Span::ZERO;
        };
        net_cost(layout_cost(self.job, &give), replaced)
    }

    /// CPU time for unpacking `bytes` that have arrived for one of a rank's calls; it replaces a
    /// copy, which `replaced` returns.
    #[inline]
    pub(crate) fn unpacking_time(
        &mut self,
        rank: u32,
        token: Token,
        bytes: u64,
        replaced: impl FnOnce(&Self) -> Span,
    ) -> Span {
        let take = match &mut self.ranks[rank as usize].extra {
            Some(extra) if !extra.recv_layouts.is_empty() => {
                removed(&mut extra.recv_layouts, token)
            }
            _ => None,
        };
        let Some(take) = take else { return Span::ZERO };
        net_cost(layout_cost(self.job, &take.first(bytes)), replaced(self))
    }

    /// Copy time that packing or unpacking replaces.
    pub(crate) fn replaced_copy_time(&self, rank: u32, peer: u32, bytes: u64) -> Span {
        self.job.replaced_copy_time(self.shares_node(rank, peer), (rank, peer), bytes)
    }
}

/// With GPU buffers the GPU does it.
fn layout_cost(job: &Job, layout: &NonContiguous) -> Span {
    let library = &job.library;
    match job.buffers {
        Buffers::Gpu => Span::ZERO,
        Buffers::Host => library.packing.pack_time(layout, library.local_copy_gap),
    }
}

/// The part of `cost` beyond the copy that it replaces.
fn net_cost(cost: Span, replaced: Span) -> Span {
    Span(cost.0.saturating_sub(replaced.0))
}

/// Removes and returns the entry of a call. Few calls of a rank are in progress at once.
fn removed(list: &mut Vec<(Token, NonContiguous)>, token: Token) -> Option<NonContiguous> {
    let at = list.iter().position(|entry| entry.0 == token)?;
    Some(list.swap_remove(at).1)
}
