//! Communicators, and the matching of their collectives.
//!
//! The n-th calls of all members on a communicator form one collective. A mismatch ends the job
//! with both ranks' names, before the call reaches the simulator. The data moves between the ranks'
//! own buffers, when the part of each rank is complete in simulated time.

use crate::combine;
use crate::outcome::FailureCause;
use base::Slab;
use collectives::{
    Algorithm, Blocked, ByteRange, Collective, Execution, Kind, Member, Memory, NodeMap, Ragged,
};
use std::collections::{BTreeMap, VecDeque};
use workload::Context;
use workload::functions::function_name;
use workload::wire::{self, Combine, Segment, Submission, flag};

base::ids! {
    /// A collective that some members have entered and not all have completed.
    OpenCollectiveId,
}

/// The input of algorithm selection: data equal on all members.
pub use collectives::Case as CollectiveCase;

/// Selects an algorithm. One that does not implement the kind, or does not keep the order that an
/// operator needs, is replaced by the kind's first.
pub type AlgorithmSelector = dyn Fn(&CollectiveCase) -> Algorithm;

struct Communicator {
    members: Vec<u32>,
    /// Which members share a node; filled by the first collective.
    nodes: Option<NodeMap>,
    /// Rank that registered it.
    registered_by: u32,
    /// Collectives called so far, by member.
    called: Vec<u32>,
    /// Number of members that have freed it.
    n_freed: u32,
    /// If it is a channel: its communicator.
    parent: Option<Context>,
    /// Open collectives from number `first` on; `None` when complete.
    first: u32,
    open: VecDeque<Option<OpenCollectiveId>>,
}

/// The call of one member.
struct Entry {
    world: u32,
    function: u32,
    call: Collective,
    block: u64,
    combine: u32,
    op: u64,
    /// See `Submission::means`.
    means: u32,
    commutative: bool,
}

struct OpenCollective {
    context: Context,
    number: u32,
    algorithm: Algorithm,
    new_contexts: bool,
    /// First of the new contexts.
    value: u64,
    execution: Execution,
    /// By member.
    entries: Vec<Option<Entry>>,
    /// Member that entered first.
    first: usize,
}

pub(crate) struct CollectiveMatcher {
    segment: Segment,
    select_algorithm: Box<AlgorithmSelector>,
    n_ranks: u32,
    /// The node of each rank.
    nodes: Vec<u32>,
    /// Next free context.
    next_context: u32,
    communicators: BTreeMap<Context, Communicator>,
    /// Contexts of channels: each persistent collective has its own, because ranks may start theirs
    /// in any order.
    channels: BTreeMap<(Context, i32), Context>,
    open_collectives: Slab<OpenCollectiveId, Option<OpenCollective>>,
}

impl Communicator {
    fn new(members: Vec<u32>, registered_by: u32) -> Communicator {
        let called = vec![0; members.len()];
        let (n_freed, parent, first, open) = (0, None, 0, VecDeque::new());
        Communicator { members, nodes: None, registered_by, called, n_freed, parent, first, open }
    }
    fn is_freed_by_all(&self) -> bool {
        self.n_freed as usize == self.members.len()
    }
}

impl CollectiveMatcher {
    /// With the world communicator and every rank's self communicator. `nodes` has the node of each
    /// rank.
    pub fn new(
        segment: Segment,
        nodes: Vec<u32>,
        select_algorithm: Box<AlgorithmSelector>,
    ) -> CollectiveMatcher {
        let n_ranks = nodes.len() as u32;
        let world = (workload::WORLD, Communicator::new((0..n_ranks).collect(), 0));
        let selves = (0..n_ranks).map(|rank| (1 + rank, Communicator::new(vec![rank], rank)));
        CollectiveMatcher {
            segment,
            select_algorithm,
            n_ranks,
            nodes,
            next_context: 1 + n_ranks,
            communicators: selves.chain([world]).collect(),
            channels: BTreeMap::new(),
            open_collectives: Slab::with_capacity(0),
        }
    }

    /// Empty if the context is not registered. Private messages of the library have the same
    /// members.
    pub fn members(&self, context: Context) -> &[u32] {
        self.communicators.get(&(context & !wire::PRIVATE_CONTEXT)).map_or(&[], |c| &c.members)
    }

    pub fn register(
        &mut self,
        rank: u32,
        context: Context,
        members: &[u32],
    ) -> Result<(), FailureCause> {
        if let Some(known) = self.communicators.get(&context) {
            if known.members == members {
                return Ok(());
            }
            return Err(FailureCause::Mismatch(format!(
                "and rank {} name different members of communicator {context}: {} and {}",
                known.registered_by,
                some(members),
                some(&known.members),
            )));
        }
        let known = context > self.n_ranks && context < self.next_context;
        if !known || !members.contains(&rank) || members.iter().any(|&m| m >= self.n_ranks) {
            return Err(FailureCause::Protocol(format!(
                "registered communicator {context} with members {}",
                some(members)
            )));
        }
        self.communicators.insert(context, Communicator::new(members.to_vec(), rank));
        Ok(())
    }

    /// A rank has freed the communicator. Its open collectives continue.
    pub fn leave(&mut self, rank: u32, context: Context) -> Result<(), FailureCause> {
        let wrong =
            || FailureCause::Protocol(format!("left communicator {context}, which it is not in"));
        let communicator = self.communicators.get_mut(&context).ok_or_else(wrong)?;
        if !communicator.members.contains(&rank) {
            return Err(wrong());
        }
        communicator.n_freed += 1;
        self.forget(context);
        Ok(())
    }
    /// Removes a communicator that all members have freed, when it has no open collective.
    fn forget(&mut self, context: Context) {
        let Some(this) = self.communicators.get(&context) else { return };
        let context = this.parent.unwrap_or(context);
        let channels = || self.channels.range((context, i32::MIN)..=(context, i32::MAX));
        let is_idle = |c: &Context| self.communicators[c].open.is_empty();
        let is_complete = self.communicators[&context].is_freed_by_all()
            && is_idle(&context)
            && channels().all(|(_, channel)| is_idle(channel));
        if is_complete {
            self.communicators.remove(&context);
            let communicators = &mut self.communicators;
            self.channels.retain(|&(of, _), channel| {
                let keeps = of != context;
                if !keeps {
                    communicators.remove(channel);
                }
                keeps
            });
        }
    }

    /// The context in which a collective is matched: the communicator's or that of a channel.
    /// `None` if there is no such communicator, or no context left.
    fn matching_context(&mut self, context: Context, channel: i32) -> Option<Context> {
        let communicator = self.communicators.get(&context)?;
        if channel == 0 {
            return Some(context);
        }
        if let Some(&known) = self.channels.get(&(context, channel)) {
            return Some(known);
        }
        let mut new = Communicator::new(communicator.members.clone(), communicator.registered_by);
        new.parent = Some(context);
        let own = take_contexts(&mut self.next_context, 1)?;
        self.communicators.insert(own, new);
        self.channels.insert((context, channel), own);
        Some(own)
    }

    /// A rank enters a collective. Returns the context in which it is matched, the call for the
    /// simulator, and the id of the open collective.
    pub fn join(
        &mut self,
        rank: u32,
        s: &Submission,
    ) -> Result<(Context, Collective, u32), FailureCause> {
        let wrong =
            |what: &str| FailureCause::Protocol(format!("entered a collective with {what}: {s:?}"));
        let kind = *Kind::ALL.get(s.collective as usize).ok_or_else(|| wrong("no known kind"))?;
        let context = self.matching_context(s.context, s.tag);
        let context =
            context.ok_or_else(|| wrong("an unknown communicator, or no contexts left"))?;
        let communicator = self.communicators.get_mut(&context).expect("looked up above");
        let (member, size) = (s.peer as usize, communicator.members.len() as u32);
        if communicator.members.get(member) != Some(&rank) {
            return Err(wrong("the member number of another rank"));
        }
        if s.root >= size || s.grain == 0 {
            return Err(wrong("no such root, or elements of no bytes"));
        }
        let number = communicator.called[member];
        communicator.called[member] += 1;
        let index = (number - communicator.first) as usize;
        let joined = communicator.open.get(index).copied().flatten();
        let mut call = Collective {
            kind,
            algorithm: Algorithm::Linear,
            member: Member { rank: s.peer, size },
            root: s.root,
            bytes: s.bytes,
            grain: s.grain,
            ragged: ragged(self.segment, kind, size, s)
                .map_err(|()| wrong("a list of lengths that does not fit its kind"))?,
            nodes: None,
        };
        let node = |&member: &u32| self.nodes[member as usize];
        let nodes = || NodeMap::new(communicator.members.iter().map(node));
        call.nodes = Some(communicator.nodes.get_or_insert_with(nodes).clone());
        let new_contexts = s.flags & flag::NEW_CONTEXTS != 0;
        let id = match joined {
            Some(id) => id,
            None => {
                let algorithm = algorithm_for(&call, s, &*self.select_algorithm);
                let mut value = 0;
                if new_contexts {
                    let first = take_contexts(&mut self.next_context, size);
                    value = u64::from(first.ok_or_else(|| wrong("no contexts left"))?);
                }
                let id = self.open_collectives.insert(Some(OpenCollective {
                    context,
                    number,
                    algorithm,
                    new_contexts,
                    value,
                    execution: Execution::new(size),
                    entries: (0..size).map(|_| None).collect(),
                    first: member,
                }));
                communicator.open.push_back(Some(id));
                id
            }
        };
        let open_collective = self.open_collectives[id].as_mut().expect("an open collective");
        call.algorithm = open_collective.algorithm;
        let mut entry = Entry {
            world: rank,
            function: s.function,
            call,
            block: s.block,
            combine: s.combine,
            op: s.op,
            means: s.means,
            commutative: s.flags & flag::COMMUTATIVE != 0,
        };
        open_collective.check(&mut entry, new_contexts)?;
        entry.check_memory(self.segment).map_err(wrong)?;
        let call = entry.call.clone();
        open_collective.entries[member] = Some(entry);
        let joined = open_collective.execution.join(member as u32, call.clone());
        joined.map_err(|blocked| open_collective.explain(blocked))?;
        Ok((context, call, id.0))
    }

    /// The part of a rank is complete: runs its rounds on the real bytes. Returns the value of the
    /// collective (the first new context).
    pub fn complete(
        &mut self,
        open_collective: u32,
        member: u32,
        combine: &mut dyn FnMut(u32, Combine) -> Result<(), FailureCause>,
    ) -> Result<u64, FailureCause> {
        let id = OpenCollectiveId(open_collective);
        let open_collective = self.open_collectives[id].as_mut().expect("an open collective");
        // SAFETY: the header is written.
        let scratch = unsafe { self.segment.scratch() };
        let mut buffers = Buffers {
            segment: self.segment,
            entries: &open_collective.entries,
            scratch,
            combine,
            error: None,
        };
        let advanced = open_collective.execution.advance(member, &mut buffers);
        if let Some(error) = buffers.error {
            return Err(error);
        }
        advanced.map_err(|blocked| open_collective.explain(blocked))?;
        let value = open_collective.value;
        if open_collective.execution.is_complete() {
            let (context, number) = (open_collective.context, open_collective.number);
            self.open_collectives[id] = None;
            self.open_collectives.free(id);
            let communicator =
                self.communicators.get_mut(&context).expect("it has an open collective");
            communicator.open[(number - communicator.first) as usize] = None;
            while let Some(None) = communicator.open.front() {
                communicator.open.pop_front();
                communicator.first += 1;
            }
            self.forget(context);
        }
        Ok(value)
    }
}

/// Takes `n` consecutive contexts and returns the first. `None` if there are not enough.
fn take_contexts(next: &mut Context, n: u32) -> Option<Context> {
    let first = *next;
    *next = first.checked_add(n).filter(|next| next & wire::PRIVATE_CONTEXT == 0)?;
    Some(first)
}

fn algorithm_for(
    call: &Collective,
    s: &Submission,
    select_algorithm: &AlgorithmSelector,
) -> Algorithm {
    let commutative = !call.kind.reduces() || s.flags & flag::COMMUTATIVE != 0;
    let case = call.case(commutative, s.combine != wire::combine::USER);
    case.fit(select_algorithm(&case))
}

/// The block lengths of a kind. `Err` if the list has the wrong length or place.
fn ragged(segment: Segment, kind: Kind, size: u32, s: &Submission) -> Result<Option<Ragged>, ()> {
    use Kind::*;
    let expected = match kind {
        Allgatherv | ReduceScatter => size,
        Gatherv | Scatterv if s.peer == s.root => size,
        Alltoallv => size.checked_mul(2).ok_or(())?,
        _ => 0,
    };
    if s.ragged_len != expected {
        return Err(());
    }
    if expected == 0 {
        return Ok(None);
    }
    let end = s.ragged.checked_add(u64::from(expected) * 8).ok_or(())?;
    if s.ragged == 0 || !s.ragged.is_multiple_of(8) || end > regions_end(segment) {
        return Err(());
    }
    // SAFETY: inside the mapping and aligned; the rank does not access its list meanwhile.
    let lengths = unsafe {
        std::slice::from_raw_parts(segment.ptr(s.ragged).cast::<u64>(), expected as usize)
    };
    Ok(Some(Ragged::from(lengths)))
}

/// End of the ranks' memory in the segment.
fn regions_end(segment: Segment) -> u64 {
    // SAFETY: the header is written.
    unsafe { segment.scratch() }
}

impl Entry {
    fn describe(&self) -> String {
        let call = &self.call;
        let mut text = format!("{} ({}", function_name(self.function), call.kind.name());
        if call.kind.has_root() {
            text += &format!(", root {}", call.root);
        }
        if call.kind.reduces() {
            text += &format!(", {}", combine::describe(self.means, self.commutative));
        }
        if call.bytes > 0 {
            text += &format!(", {} B", call.bytes);
        }
        text + ")"
    }

    /// Whether the working buffer lies inside the ranks' memory.
    fn check_memory(&self, segment: Segment) -> Result<(), &'static str> {
        let bytes = self.call.buffer_bytes();
        let end = self.block.checked_add(bytes);
        if bytes > 0 && (self.block == 0 || end.is_none_or(|e| e > regions_end(segment))) {
            return Err("a working buffer outside the segment");
        }
        let grain = self.call.grain;
        match self.combine {
            _ if !self.call.kind.reduces() => Ok(()),
            wire::combine::USER => Ok(()),
            code => match combine::element_bytes(code) {
                Some(bytes) if grain.is_multiple_of(bytes) => Ok(()),
                _ => Err("a reduction the simulator does not know"),
            },
        }
    }
}

impl OpenCollective {
    /// Checks a new member's call against those of the members that have entered.
    fn check(&self, entry: &mut Entry, new_contexts: bool) -> Result<(), FailureCause> {
        let Some(first) = &self.entries[self.first] else { return Ok(()) };
        let (theirs, mine) = (&first.call, &entry.call);
        let root = |c: &Collective| c.kind.has_root().then_some(c.root);
        let uneven = matches!(mine.kind, Kind::Gatherv | Kind::Scatterv | Kind::Alltoallv);
        // Where block lengths may differ, the own block's length need not match.
        let bytes = |c: &Collective| if c.ragged.is_some() || uneven { 0 } else { c.bytes };
        let same = theirs.kind == mine.kind
            && root(theirs) == root(mine)
            && bytes(theirs) == bytes(mine)
            && (!mine.kind.reduces() || theirs.grain == mine.grain)
            && new_contexts == self.new_contexts;
        if !same {
            return Err(self.disagree(first, entry, ""));
        }
        if mine.kind.reduces() {
            let operator = |e: &Entry| (e.means >> 8, e.commutative);
            let differ = match () {
                _ if operator(first) != operator(entry) => "operators",
                // With another type, the operator may even be applied by the rank instead.
                _ if first.means != entry.means => "datatypes",
                _ => "",
            };
            if !differ.is_empty() {
                return Err(self.disagree(first, entry, &format!(": their {differ} differ")));
            }
        }
        match mine.kind {
            Kind::Allgatherv | Kind::ReduceScatter => {
                if theirs.ragged != mine.ragged {
                    return Err(self.disagree(first, entry, ": their lists of lengths differ"));
                }
                // All members share one copy.
                entry.call.ragged = theirs.ragged.clone();
                Ok(())
            }
            _ if uneven => self.check_blocks(entry),
            _ => Ok(()),
        }
    }

    /// Checks that the block lengths of a new member and the others match pairwise.
    fn check_blocks(&self, mine: &Entry) -> Result<(), FailureCause> {
        for other in self.entries.iter().flatten() {
            let lengths = |from: &Collective, to: &Collective| {
                (sends(from, to.member.rank), receives(to, from.member.rank))
            };
            for (from, to) in [(&other.call, &mine.call), (&mine.call, &other.call)] {
                if let (Some(sent), Some(expected)) = lengths(from, to)
                    && sent != expected
                {
                    let (from, to) = (self.world(from), self.world(to));
                    let from = from.unwrap_or(mine.world);
                    let to = to.unwrap_or(mine.world);
                    let what = format!(
                        ": rank {from} has {sent} B for rank {to}, which expects {expected} B"
                    );
                    return Err(self.disagree(other, mine, &what));
                }
            }
        }
        Ok(())
    }

    fn world(&self, call: &Collective) -> Option<u32> {
        self.entries[call.member.rank as usize].as_ref().map(|e| e.world)
    }

    fn disagree(&self, theirs: &Entry, mine: &Entry, more: &str) -> FailureCause {
        FailureCause::Mismatch(format!(
            "entered {} where rank {} entered {}, as collective {} on communicator {}{more}",
            mine.describe(),
            theirs.world,
            theirs.describe(),
            self.number,
            self.context,
        ))
    }

    fn explain(&self, blocked: Blocked) -> FailureCause {
        let entry = |member: u32| self.entries[member as usize].as_ref();
        match blocked {
            Blocked::Mismatch { rank, peer } => match (entry(rank), entry(peer)) {
                (Some(mine), Some(theirs)) => self.disagree(theirs, mine, ": their blocks differ"),
                _ => {
                    FailureCause::Protocol(format!("and member {peer} disagree about a collective"))
                }
            },
            Blocked::NotJoined(member) => FailureCause::Protocol(format!(
                "completed a collective that member {member}, which it needs, has not entered"
            )),
        }
    }
}

/// Bytes that a rank sends to another one, where both must agree on the length.
fn sends(c: &Collective, to: u32) -> Option<u64> {
    match c.kind {
        Kind::Gatherv if to == c.root => Some(c.bytes),
        Kind::Scatterv if c.member.rank == c.root => Some(c.ragged.as_ref()?.part(to as usize).len),
        Kind::Alltoallv => Some(c.ragged.as_ref()?.part(to as usize).len),
        _ => None,
    }
}
fn receives(c: &Collective, from: u32) -> Option<u64> {
    match c.kind {
        Kind::Gatherv if c.member.rank == c.root => {
            Some(c.ragged.as_ref()?.part(from as usize).len)
        }
        Kind::Scatterv if from == c.root => Some(c.bytes),
        Kind::Alltoallv => Some(c.ragged.as_ref()?.part((c.member.size + from) as usize).len),
        _ => None,
    }
}

/// The first 8 of a list of ranks, for messages.
fn some(members: &[u32]) -> String {
    let shown: Vec<String> = members.iter().take(8).map(u32::to_string).collect();
    let more =
        if members.len() > 8 { format!(", ... ({} ranks)", members.len()) } else { "".into() };
    format!("[{}{more}]", shown.join(", "))
}

/// The working buffers in the ranks' memory.
struct Buffers<'a> {
    segment: Segment,
    entries: &'a [Option<Entry>],
    scratch: u64,
    combine: &'a mut dyn FnMut(u32, Combine) -> Result<(), FailureCause>,
    error: Option<FailureCause>,
}

impl Buffers<'_> {
    fn entry(&self, member: u32) -> &Entry {
        self.entries[member as usize]
            .as_ref()
            .expect("a member whose buffer is accessed has joined")
    }
    fn slice(&mut self, member: u32, at: u64, len: u64) -> &mut [u8] {
        let entry = self.entry(member);
        assert!(at + len <= entry.call.buffer_bytes(), "inside the working buffer");
        // SAFETY: inside the segment (`check_memory`); the rank sleeps and does not access it.
        unsafe { std::slice::from_raw_parts_mut(self.segment.ptr(entry.block + at), len as usize) }
    }
}

impl Memory for Buffers<'_> {
    fn read(&mut self, member: u32, part: ByteRange, out: &mut Vec<u8>) {
        out.extend_from_slice(self.slice(member, part.at, part.len));
    }
    fn write(&mut self, member: u32, at: u64, bytes: &[u8]) {
        self.slice(member, at, bytes.len() as u64).copy_from_slice(bytes);
    }
    fn copy(&mut self, from: u32, part: ByteRange, to: u32, at: u64) {
        let from = self.slice(from, part.at, part.len).as_ptr();
        let to = self.slice(to, at, part.len).as_mut_ptr();
        // SAFETY: no rank accesses either range meanwhile; they may overlap.
        unsafe { std::ptr::copy(from, to, part.len as usize) };
    }
    fn combine(&mut self, member: u32, at: u64, bytes: &[u8], left: bool) {
        let Entry { world, combine: code, op, block, .. } = *self.entry(member);
        if self.error.is_some() {
            return;
        }
        if code != wire::combine::USER {
            combine::apply(code, self.slice(member, at, bytes.len() as u64), bytes, left);
            return;
        }
        // SAFETY: the header is written.
        let room = unsafe { self.segment.layout() }.scratch;
        assert!(bytes.len() as u64 <= room, "an operand fits the scratch memory");
        // SAFETY: only the simulator uses the scratch memory, and it is long enough.
        unsafe {
            let scratch = self.segment.ptr(self.scratch);
            scratch.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        let (into, bytes) = (block + at, bytes.len() as u64);
        let left = u32::from(left);
        let order = Combine { into, from: self.scratch, bytes, left, _pad: 0, op };
        self.error = (self.combine)(world, order).err();
    }
}
