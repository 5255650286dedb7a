//! State of a rank, and the calls that wait for its CPU.

use super::{Buffers, CallId, HostEvent, RunId, SendId, Waiter, World};
use base::{Span, Time};
use collectives::{Collective, NodeMap};
use mpi::{Envelope, Matching, Pattern};
use net::NetworkModel;
use std::collections::VecDeque;
use workload::{Call, Context, NonContiguous, Op, Token, WORLD, Workload};

/// One cache line.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct Rank {
    /// The rank's job.
    pub job: u32,
    /// Number of collectives called on the communicator of all ranks; for others see
    /// `Inbox::called`.
    in_world: u32,
    /// Time at which its CPU has finished all accepted work.
    pub cpu: Time,
    /// First and last of its calls, a linked list.
    calls: Option<(CallId, CallId)>,
    /// First of the collectives it is in, a linked list.
    pub run: Option<RunId>,
    /// First and last of the collective messages that arrived before this rank was in their round,
    /// a linked list.
    pub early: Option<(SendId, SendId)>,
    /// Present if the rank does more than collectives of all ranks.
    pub(super) inbox: Option<Box<Inbox>>,
    pub exited: bool,
}
const _: () = assert!(size_of::<Rank>() == 64);

impl Rank {
    pub fn of(job: u32) -> Rank {
        Rank { job, ..Rank::default() }
    }
    pub fn inbox(&mut self) -> &mut Inbox {
        self.inbox.get_or_insert_default()
    }
    /// The number of this collective among those this rank has called on `context`.
    pub fn next_collective(&mut self, context: Context) -> u32 {
        let called = match context {
            WORLD => &mut self.in_world,
            _ => {
                let called = &mut self.inbox().called;
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
        let others = self.inbox.iter().flat_map(|inbox| &inbox.called);
        match context {
            WORLD => self.in_world,
            _ => others.filter(|called| called.0 == context).map(|called| called.1).sum(),
        }
    }
    /// Unexpected messages.
    pub fn unexpected(&self) -> impl Iterator<Item = (Envelope, SendId)> {
        self.inbox.iter().flat_map(|inbox| inbox.matching.unexpected())
    }
}

/// State of a rank's messages, except those of collectives, and of smaller communicators.
#[derive(Default)]
pub(crate) struct Inbox {
    /// Number of collectives called, by communicator, except that of all ranks.
    called: Vec<(Context, u32)>,
    pub matching: Matching<Waiter, SendId>,
    pub probes: Vec<(Pattern, Token, bool)>,
    /// Messages reserved by matched probes.
    pub taken: Vec<(Token, Envelope, SendId)>,
    /// Non-contiguous layouts of calls: of the data they send, until the CPU accepts the call; of
    /// the data they receive, until it has arrived.
    send_layouts: Vec<(Token, NonContiguous)>,
    recv_layouts: Vec<(Token, NonContiguous)>,
    /// Sends with named NICs in call order, until they take effect.
    nics: VecDeque<(Token, [u8; 2])>,
}

/// Removes and returns the entry of a call. Few calls of a rank are in progress at once.
fn removed(list: &mut Vec<(Token, NonContiguous)>, token: Token) -> Option<NonContiguous> {
    let at = list.iter().position(|entry| entry.0 == token)?;
    Some(list.swap_remove(at).1)
}

/// The NICs of a send, if the first entry names NICs for it. Calls of a rank take effect in order,
/// so a send that is listed but not first shows that one was skipped.
fn named_for(named: &mut VecDeque<(Token, [u8; 2])>, token: Token) -> Option<[u8; 2]> {
    let (first, nics) = *named.front()?;
    if first == token {
        named.pop_front();
        return Some(nics);
    }
    debug_assert!(
        named.iter().all(|&(later, _)| later != token),
        "send {token} takes effect before send {first}, whose NICs are named"
    );
    None
}

/// A call, and the next call of its rank. A collective's entry stays until the rank leaves it.
pub(crate) struct CallEntry {
    call: Option<Call>,
    next: Option<CallId>,
}

impl CallEntry {
    pub fn call(&self) -> &Call {
        self.call.as_ref().expect("it is listed once")
    }
    /// The collective that it calls.
    pub fn collective(&self) -> &Collective {
        match &self.call().op {
            Op::Collective { call, .. } => call,
            op => unreachable!("{op:?} is no collective"),
        }
    }
    /// Sets the grouping of ranks by node for that collective.
    pub fn set_nodes(&mut self, all: NodeMap) {
        if let Some(Call { op: Op::Collective { call, .. }, .. }) = &mut self.call {
            call.nodes = Some(all);
        }
    }
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    pub(super) fn submit(&mut self) {
        let mut calls = std::mem::take(&mut self.calls);
        let (mut apart, mut nics) = (None, None);
        for call in calls.drain(..) {
            let at = call.rank;
            match call.op {
                Op::Region { held, optimized } => self.region(at, held, optimized),
                Op::Join { context } => self.joined(at, context),
                Op::Leave { context } => self.left(at, context),
                Op::Requests(held) => self.requests(at, held),
                Op::Nics { own, peer } => nics = Some((at, [own, peer])),
                Op::SendLayout(how) | Op::RecvLayout(how) => {
                    let (_, send_layouts, recv_layouts) = apart.get_or_insert((at, None, None));
                    let side = if matches!(call.op, Op::SendLayout(_)) {
                        send_layouts
                    } else {
                        recv_layouts
                    };
                    *side = Some(how);
                }
                _ => {
                    if let Some((_, send_layouts, recv_layouts)) =
                        apart.take().filter(|entry| entry.0 == at)
                    {
                        let inbox = self.ranks[at as usize].inbox();
                        inbox.send_layouts.extend(send_layouts.map(|how| (call.token, how)));
                        inbox.recv_layouts.extend(recv_layouts.map(|how| (call.token, how)));
                    }
                    if let Some((_, named)) = nics.take().filter(|named| named.0 == at) {
                        self.ranks[at as usize].inbox().nics.push_back((call.token, named));
                    }
                    self.append_call(call);
                }
            }
        }
        self.calls = calls;
    }

    /// Appends a call to its rank's list.
    #[inline]
    fn append_call(&mut self, call: Call) {
        let at = call.rank;
        let id = self.call_entries.insert(CallEntry { call: Some(call), next: None });
        let rank = &mut self.ranks[at as usize];
        match &mut rank.calls {
            Some((_, last)) => {
                self.call_entries[*last].next = Some(id);
                *last = id;
            }
            None => {
                rank.calls = Some((id, id));
                rank.cpu = rank.cpu.max(self.now);
                self.schedule_next_call(at);
            }
        }
    }

    /// Removes the rank's next call from its list; the CPU has reached it.
    pub(super) fn next_call(&mut self, rank: u32) -> CallId {
        let calls = &mut self.ranks[rank as usize].calls;
        let (first, last) = calls.expect("a call was taken on");
        *calls = self.call_entries[first].next.map(|next| (next, last));
        first
    }

    /// Takes a call that is not on a list any more.
    pub(crate) fn take_call(&mut self, id: CallId) -> Call {
        let call = self.call_entries[id].call.take().expect("it is taken once");
        self.call_entries.free(id);
        call
    }

    /// Puts the call back at the head of its rank's list.
    pub(super) fn put_back(&mut self, call: Call) {
        let calls = &mut self.ranks[call.rank as usize].calls;
        let next = calls.map(|(first, _)| first);
        let id = self.call_entries.insert(CallEntry { call: Some(call), next });
        *calls = Some((id, calls.map_or(id, |(_, last)| last)));
    }

    /// Schedules the effect of the rank's next call: after the computation before it and the CPU
    /// time of the call itself.
    pub(super) fn schedule_next_call(&mut self, rank: u32) {
        let Some((first, _)) = self.ranks[rank as usize].calls else { return };
        let call = self.call_entries[first].call();
        let (after, cost) = (call.after, self.call_cost(rank, &call.op));
        let cost = cost + self.gather_cost(rank, first);
        let when = self.end_of_work(rank, self.ranks[rank as usize].cpu, after + cost);
        self.ranks[rank as usize].cpu = when.max(self.now + Span(1));
        self.schedule(rank, when, HostEvent::Execute);
    }

    /// The NICs named for this send, which takes effect now.
    pub(crate) fn take_nics(&mut self, rank: u32, token: Token) -> Option<[u8; 2]> {
        named_for(&mut self.ranks[rank as usize].inbox.as_mut()?.nics, token)
    }

    /// CPU time for packing the data of a call with a non-contiguous layout, once. Within a node,
    /// packing replaces the copy to the destination, if the call makes one.
    #[inline]
    fn gather_cost(&mut self, rank: u32, id: CallId) -> Span {
        match &mut self.ranks[rank as usize].inbox {
            Some(inbox) if !inbox.send_layouts.is_empty() => {}
            _ => return Span::ZERO,
        }
        let call = self.call_entries[id].call();
        let (token, replaced) = match call.op {
            Op::Send { to, bytes, .. } if !self.uses_single_copy(rank, to, bytes) => {
                (call.token, self.replaced_copy_time(rank, to, bytes))
            }
            Op::OneSided { to, request_bytes: out, .. } => {
                (call.token, self.replaced_copy_time(rank, to, out))
            }
            _ => (call.token, Span::ZERO),
        };
        let Some(give) = removed(&mut self.ranks[rank as usize].inbox().send_layouts, token) else {
            return Span::ZERO;
        };
        net_cost(self.packing_cost(&give), replaced)
    }

    /// CPU time for unpacking `bytes` that have arrived for one of its calls; it likewise replaces
    /// a copy.
    #[inline]
    pub(crate) fn scatter_cost(
        &mut self,
        rank: u32,
        token: Token,
        bytes: u64,
        replaced: impl FnOnce(&Self) -> Span,
    ) -> Span {
        let take = match &mut self.ranks[rank as usize].inbox {
            Some(inbox) if !inbox.recv_layouts.is_empty() => {
                removed(&mut inbox.recv_layouts, token)
            }
            _ => None,
        };
        let Some(take) = take else { return Span::ZERO };
        net_cost(self.packing_cost(&take.first(bytes)), replaced(self))
    }

    /// With GPU buffers the GPU does it.
    fn packing_cost(&self, apart: &NonContiguous) -> Span {
        let library = &self.job.library;
        match self.job.buffers {
            Buffers::Gpu => Span::ZERO,
            Buffers::Host => library.packing.pack_time(apart, library.local_copy_gap),
        }
    }
}

/// The part of `cost` beyond the copy that it replaces.
fn net_cost(cost: Span, replaced: Span) -> Span {
    Span(cost.0.saturating_sub(replaced.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_take_the_nics_that_are_named_for_them() {
        let mut named = VecDeque::from([(3, [0, 1]), (5, [2, 3])]);
        let taken = [2, 3, 4, 5, 6].map(|token| named_for(&mut named, token));
        assert_eq!(taken, [None, Some([0, 1]), None, Some([2, 3]), None]);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "send 5 takes effect before send 3")]
    fn a_named_send_is_not_skipped() {
        named_for(&mut VecDeque::from([(3, [0, 1]), (5, [2, 3])]), 5);
    }
}
