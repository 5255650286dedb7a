//! A rank: what it knows, and the calls that wait for its CPU.

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
    /// The job it is of.
    pub job: u32,
    /// Collectives called so far on the communicator of all; others are in `Inbox::called`.
    in_world: u32,
    /// When its CPU is through with what it has taken on.
    pub cpu: Time,
    /// Its calls, the first and the last; each knows the next.
    calls: Option<(CallId, CallId)>,
    /// The first of the collectives it is in; each knows the next.
    pub run: Option<RunId>,
    /// Collective messages that came before this rank was in their round, first and last; each
    /// knows the next.
    pub early: Option<(SendId, SendId)>,
    /// Of a rank that does more than collectives of all.
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
    /// How many collectives it has called on `context`.
    pub fn called(&self, context: Context) -> u32 {
        let others = self.inbox.iter().flat_map(|inbox| &inbox.called);
        match context {
            WORLD => self.in_world,
            _ => others.filter(|called| called.0 == context).map(|called| called.1).sum(),
        }
    }
    /// What has come to it that no receive was posted for.
    pub fn unexpected(&self) -> impl Iterator<Item = (Envelope, SendId)> {
        self.inbox.iter().flat_map(|inbox| inbox.matching.unexpected())
    }
}

/// What a rank knows of its own messages, those of collectives aside, and of smaller communicators.
#[derive(Default)]
pub(crate) struct Inbox {
    /// Collectives called so far by communicator, but for that of all.
    called: Vec<(Context, u32)>,
    pub matching: Matching<Waiter, SendId>,
    pub probes: Vec<(Pattern, Token, bool)>,
    /// Messages set aside by probes that take.
    pub taken: Vec<(Token, Envelope, SendId)>,
    /// Calls whose data lies apart: of what they give until they are taken on, of what they take
    /// until it has come.
    gives: Vec<(Token, NonContiguous)>,
    takes: Vec<(Token, NonContiguous)>,
    /// Sends whose NICs are named, in the order of the calls, until they take effect.
    nics: VecDeque<(Token, [u8; 2])>,
}

/// The entry of a call, which is on the list no more. Few calls of a rank are under way at once.
fn removed(list: &mut Vec<(Token, NonContiguous)>, token: Token) -> Option<NonContiguous> {
    let at = list.iter().position(|entry| entry.0 == token)?;
    Some(list.swap_remove(at).1)
}

/// The NICs of a send, the first of those whose NICs are named, or of one without names. A rank's
/// calls take effect in their order: a send whose name is not the first shows that one was skipped.
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

/// A call and the one its rank made after it. A collective's stays until the rank leaves it.
pub(crate) struct Called {
    call: Option<Call>,
    after: Option<CallId>,
}

impl Called {
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
    /// Who shares a node with whom in that collective.
    pub fn know(&mut self, all: NodeMap) {
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
                Op::Packs(how) | Op::Unpacks(how) => {
                    let (_, gives, takes) = apart.get_or_insert((at, None, None));
                    let side = if matches!(call.op, Op::Packs(_)) { gives } else { takes };
                    *side = Some(how);
                }
                _ => {
                    if let Some((_, gives, takes)) = apart.take().filter(|told| told.0 == at) {
                        let inbox = self.ranks[at as usize].inbox();
                        inbox.gives.extend(gives.map(|how| (call.token, how)));
                        inbox.takes.extend(takes.map(|how| (call.token, how)));
                    }
                    if let Some((_, named)) = nics.take().filter(|named| named.0 == at) {
                        self.ranks[at as usize].inbox().nics.push_back((call.token, named));
                    }
                    self.list(call);
                }
            }
        }
        self.calls = calls;
    }

    /// Its rank's CPU will come to this call.
    #[inline]
    fn list(&mut self, call: Call) {
        let at = call.rank;
        let id = self.called.insert(Called { call: Some(call), after: None });
        let rank = &mut self.ranks[at as usize];
        match &mut rank.calls {
            Some((_, last)) => {
                self.called[*last].after = Some(id);
                *last = id;
            }
            None => {
                rank.calls = Some((id, id));
                rank.cpu = rank.cpu.max(self.now);
                self.take_on(at);
            }
        }
    }

    /// The rank's next call, which its CPU has come to, is on its list no more.
    pub(super) fn next_call(&mut self, rank: u32) -> CallId {
        let calls = &mut self.ranks[rank as usize].calls;
        let (first, last) = calls.expect("a call was taken on");
        *calls = self.called[first].after.map(|after| (after, last));
        first
    }

    /// Takes a call that is on no list any more.
    pub(crate) fn take_call(&mut self, id: CallId) -> Call {
        let call = self.called[id].call.take().expect("it is taken once");
        self.called.free(id);
        call
    }

    /// The rank comes to this call once more, before its others.
    pub(super) fn take_back(&mut self, call: Call) {
        let calls = &mut self.ranks[call.rank as usize].calls;
        let after = calls.map(|(first, _)| first);
        let id = self.called.insert(Called { call: Some(call), after });
        *calls = Some((id, calls.map_or(id, |(_, last)| last)));
    }

    /// Schedules the effect of the rank's next call: after the computation before it and the time
    /// the call itself costs.
    pub(super) fn take_on(&mut self, rank: u32) {
        let Some((first, _)) = self.ranks[rank as usize].calls else { return };
        let call = self.called[first].call();
        let (after, cost) = (call.after, self.call_cost(rank, &call.op));
        let cost = cost + self.gather_cost(rank, first);
        let when = self.busy(rank, self.ranks[rank as usize].cpu, after + cost);
        self.ranks[rank as usize].cpu = when.max(self.now + Span(1));
        self.schedule(rank, when, HostEvent::Execute);
    }

    /// The NICs that were named for this send, which takes effect now.
    pub(crate) fn take_nics(&mut self, rank: u32, token: Token) -> Option<[u8; 2]> {
        named_for(&mut self.ranks[rank as usize].inbox.as_mut()?.nics, token)
    }

    /// What packing costs the CPU for a call whose data lies apart, once. Within a node the data is
    /// packed to where it would be copied to: in place of that copy, if the call makes one.
    #[inline]
    fn gather_cost(&mut self, rank: u32, id: CallId) -> Span {
        match &mut self.ranks[rank as usize].inbox {
            Some(inbox) if !inbox.gives.is_empty() => {}
            _ => return Span::ZERO,
        }
        let call = self.called[id].call();
        let (token, spared) = match call.op {
            Op::Send { to, bytes, .. } if !self.copies_once(rank, to, bytes) => {
                (call.token, self.spared(rank, to, bytes))
            }
            Op::OneSided { to, out, .. } => (call.token, self.spared(rank, to, out)),
            _ => (call.token, Span::ZERO),
        };
        let Some(give) = removed(&mut self.ranks[rank as usize].inbox().gives, token) else {
            return Span::ZERO;
        };
        beside(self.packing_cost(&give), spared)
    }

    /// What unpacking costs the CPU as `bytes` have come for one of its calls, likewise in place of
    /// a copy that need not be made.
    #[inline]
    pub(crate) fn scatter_cost(
        &mut self,
        rank: u32,
        token: Token,
        bytes: u64,
        spared: impl FnOnce(&Self) -> Span,
    ) -> Span {
        let take = match &mut self.ranks[rank as usize].inbox {
            Some(inbox) if !inbox.takes.is_empty() => removed(&mut inbox.takes, token),
            _ => None,
        };
        let Some(take) = take else { return Span::ZERO };
        beside(self.packing_cost(&take.first(bytes)), spared(self))
    }

    /// A GPU does that by itself.
    fn packing_cost(&self, apart: &NonContiguous) -> Span {
        let library = &self.job.library;
        match self.job.buffers {
            Buffers::Gpu => Span::ZERO,
            Buffers::Host => library.packing.gathered(apart, library.local_copy_gap),
        }
    }
}

/// What is left of `cost` beside something of that length that need not be done.
fn beside(cost: Span, spared: Span) -> Span {
    Span(cost.0.saturating_sub(spared.0))
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
