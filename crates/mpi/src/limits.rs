//! Usage counters of resources of NICs and of the provider under an MPI library, against their
//! limits.
//!
//! Counters and high-water marks, no clock. A caller reports what a rank takes and returns. The
//! result states whether it fits, and what the provider does otherwise. Names are those of
//! fi_cxi(7); docs/models/limits.md has the sources of the rules.

use crate::contexts::PREDEFINED;

/// No limit.
pub const UNLIMITED: u64 = u64::MAX;

/// Where messages and receives are matched: `FI_CXI_RX_MATCH_MODE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchMode {
    /// By the NIC only. Without a free entry it stops its senders, moves what it can to the host
    /// and continues, or ends the job.
    Hardware,
    /// By the NIC while it has entries, then by the rank's CPU.
    Hybrid,
    /// By the rank's CPU.
    Software,
}

impl MatchMode {
    pub const ALL: [MatchMode; 3] = [MatchMode::Hardware, MatchMode::Hybrid, MatchMode::Software];
    pub const NAMES: [&str; 3] = ["hardware", "hybrid", "software"];
    pub fn from_name(name: &str) -> Option<MatchMode> {
        Some(Self::ALL[Self::NAMES.iter().position(|&known| known == name)?])
    }
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// A limited resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The largest tag.
    Tag,
    /// Posted receives, unexpected messages and memory regions, per match engine of a NIC.
    MatchEntries,
    /// Events that the queue of a rank's endpoint must hold.
    EventQueue,
    /// Rendezvous sends of one rank in flight.
    RendezvousSends,
    /// Bytes of unexpected messages held by one rank; only memory limits them.
    EagerBuffers,
    /// Memory regions registered with one match engine of a NIC; each takes one of its entries.
    Regions,
    /// Entries of a NIC's portal table: those of its endpoints, and one per optimized region.
    PortalTable,
    /// Target command queues of a NIC: one per endpoint.
    CommandQueues,
    /// Context ids of the library: one per communicator of a rank.
    Communicators,
    /// Bytes of a node's memory. Not counted here: only live runs use memory.
    Memory,
    /// Requests held by one rank's library: active, or complete and not yet waited for.
    Requests,
}

impl Limit {
    pub const ALL: [Limit; 11] = [
        Limit::Tag,
        Limit::MatchEntries,
        Limit::EventQueue,
        Limit::RendezvousSends,
        Limit::EagerBuffers,
        Limit::Regions,
        Limit::PortalTable,
        Limit::CommandQueues,
        Limit::Communicators,
        Limit::Memory,
        Limit::Requests,
    ];
    pub fn name(self) -> &'static str {
        match self {
            Limit::Tag => "tag",
            Limit::MatchEntries => "match_entries",
            Limit::EventQueue => "event_queue",
            Limit::RendezvousSends => "rendezvous_sends",
            Limit::EagerBuffers => "eager_buffers",
            Limit::Regions => "regions",
            Limit::PortalTable => "portal_table",
            Limit::CommandQueues => "command_queues",
            Limit::Communicators => "communicators",
            Limit::Memory => "memory",
            Limit::Requests => "requests",
        }
    }
    /// The parameter by which it is queried or set.
    pub fn parameter(self) -> &'static str {
        match self {
            Limit::Tag => "MPI_TAG_UB",
            Limit::MatchEntries => "FI_CXI_RX_MATCH_MODE",
            Limit::EventQueue => "FI_CXI_DEFAULT_CQ_SIZE",
            Limit::RendezvousSends => "FI_CXI_DEFAULT_TX_SIZE",
            Limit::EagerBuffers => "FI_CXI_OFLOW_BUF_SIZE",
            Limit::Regions => "nic.match_entries",
            Limit::PortalTable => "FI_CXI_OPTIMIZED_MRS",
            Limit::CommandQueues => "MPICH_OFI_NIC_POLICY",
            Limit::Communicators => "context_ids",
            Limit::Memory => "node.memory",
            Limit::Requests => "max_requests",
        }
    }
    /// What avoids exceeding it: a setting, or a change of the program.
    pub fn workaround(self) -> &'static str {
        match self {
            Limit::Tag => {
                "keep tags below MPI_TAG_UB: number messages by pair of ranks instead of globally, \
                 or take the number modulo the bound"
            }
            Limit::MatchEntries => {
                "set FI_CXI_RX_MATCH_MODE=hybrid, or post fewer receives at once and receive \
                 messages sooner"
            }
            Limit::EventQueue => {
                "set FI_CXI_DEFAULT_CQ_SIZE higher (131072 and more), or post receives before \
                 their messages arrive"
            }
            Limit::RendezvousSends => {
                "post receives before sends, have fewer long sends in flight, set \
                 FI_CXI_DEFAULT_TX_SIZE higher (up to 16384), or make messages eager with \
                 FI_CXI_RDZV_THRESHOLD"
            }
            Limit::EagerBuffers => "post receives before their messages arrive",
            Limit::Regions => {
                "free unused windows, use one window with several parts instead of many, flush \
                 long accumulates more often (or set \
                 MPIR_CVAR_CH4_OFI_AM_LONG_FORCE_PIPELINE=1), or spread the node's ranks over more \
                 NICs"
            }
            Limit::PortalTable => {
                "set FI_CXI_OPTIMIZED_MRS=0, or set the hint `optimized_mr` for few windows only"
            }
            Limit::CommandQueues => {
                "spread the node's ranks over all of its NICs (MPICH_OFI_NIC_POLICY=BLOCK or \
                 NUMA), or run fewer ranks per node"
            }
            Limit::Communicators => {
                "free unused communicators, windows and files, keep those that are created \
                 repeatedly, and create those of disjoint groups by one MPI_Comm_split"
            }
            Limit::Memory => {
                "keep data about all other ranks once per node (MPI_Win_allocate_shared) or \
                 distributed over ranks, keep entries for neighbors only, or run fewer ranks per \
                 node"
            }
            Limit::Requests => {
                "wait for requests in batches (MPI_Waitsome, MPI_Waitall), free those that are \
                 never waited for (MPI_Request_free), or use a library built on MPICH 4.3 or later"
            }
        }
    }
}

/// Resources of a NIC, shared by its ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nic {
    /// Match engines, and list entries of each. Endpoints are assigned to engines round-robin.
    pub match_engines: u32,
    pub match_entries: u64,
    pub portal_table: u64,
    pub command_queues: u64,
}

/// The limits, and how resources are shared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub tag: u64,
    pub context_ids: u64,
    pub nic: Nic,
    pub match_mode: MatchMode,
    /// Slots of an endpoint's event queue; those an unexpected message uses, and those always in
    /// use.
    pub events: u64,
    pub events_unexpected: u64,
    pub events_fixed: u64,
    /// Rendezvous sends per endpoint.
    pub rendezvous: u64,
    /// Regions per endpoint that may have a table entry of their own, and the entries every
    /// endpoint uses.
    pub optimized_regions: u64,
    pub table_fixed: u64,
    /// Requests per rank.
    pub requests: u64,
}

impl Bounds {
    fn of(&self, limit: Limit) -> u64 {
        match limit {
            Limit::Tag => self.tag,
            Limit::MatchEntries | Limit::Regions => self.nic.match_entries,
            Limit::EventQueue => self.events,
            Limit::RendezvousSends => self.rendezvous,
            Limit::EagerBuffers | Limit::Memory => UNLIMITED,
            Limit::PortalTable => self.nic.portal_table,
            Limit::CommandQueues => self.nic.command_queues,
            Limit::Communicators => self.context_ids,
            Limit::Requests => self.requests,
        }
    }
    /// The same machine without limits, with the same matching mode.
    pub fn unlimited(self) -> Bounds {
        let none = UNLIMITED;
        let nic = Nic { match_entries: none, portal_table: none, command_queues: none, ..self.nic };
        let (context_ids, requests) = (none, none);
        Bounds { tag: none, context_ids, nic, events: none, rendezvous: none, requests, ..self }
    }
}

/// The result of taking one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Fits,
    /// The NIC had no free entry. It stopped its senders, moved this many headers of unexpected
    /// messages to host memory, and continued.
    FlowControl {
        moved: u64,
    },
    /// The NIC had no free entry. This endpoint's lists, of this many elements, were moved to host
    /// memory, and its rank's CPU does matching from then on.
    ToSoftware {
        moved: u64,
    },
    /// The provider fails.
    Exceeded(Limit),
}

/// One rank's endpoint: the counters that incoming messages use, in one cache line. Lists are
/// shorter than 2^32: that many messages alone would need 256 GB.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Endpoint {
    /// (index within its NIC) x (number of NICs) + (its NIC).
    engine: u32,
    software: bool,
    /// Entries in the NIC's lists.
    posted: u32,
    unexpected: u32,
    /// Unexpected messages that flow control moved to host memory.
    onloaded: u32,
    rendezvous: u32,
    eager_bytes: u64,
    matches: MatchCounters,
}
const _: () = assert!(size_of::<Endpoint>() == 64);

/// Compact form of `Matches`; the counts of long messages saturate at 2^32 - 1.
#[derive(Clone, Copy, Debug, Default)]
struct MatchCounters {
    expected: u64,
    unexpected: u64,
    in_software: u64,
    rendezvous: u32,
    offloaded: u32,
}

/// Messages that arrived at an endpoint by the NIC, by what the match engine did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// With, and without, a receive posted at arrival.
    pub expected: u64,
    pub unexpected: u64,
    /// Matched by the rank's CPU.
    pub in_software: u64,
    /// Of all these: rendezvous messages, and those whose data the NIC fetched by itself.
    pub rendezvous: u64,
    pub offloaded: u64,
}

impl Matches {
    pub fn add(&mut self, other: Matches) {
        self.expected += other.expected;
        self.unexpected += other.unexpected;
        self.in_software += other.in_software;
        self.rendezvous += other.rendezvous;
        self.offloaded += other.offloaded;
    }
}

/// Resources used by the endpoints of one NIC.
#[derive(Clone, Copy, Debug, Default)]
struct NicUse {
    endpoints: u64,
    table: u64,
}

/// The largest usage, and its rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HighWater {
    pub used: u64,
    pub rank: u32,
}

/// The usage of all endpoints.
#[derive(Clone, Debug)]
pub struct Limits {
    bounds: Bounds,
    endpoints: Vec<Endpoint>,
    /// By rank: its messages in flight, which their receivers end.
    sends: Vec<u32>,
    /// By rank: memory regions, and those of them with a table entry of their own.
    registered: Vec<u32>,
    optimized: Vec<u32>,
    /// By rank: memory registered for one message, until that ends.
    temporary_regions: Vec<u32>,
    nics: Vec<NicUse>,
    /// By engine: entries in use, and those of them that are memory regions.
    engines: Vec<u32>,
    regions: Vec<u32>,
    high_water: [HighWater; Limit::ALL.len()],
    /// Whether sends without a free rendezvous identifier wait for one.
    sends_wait: bool,
}

impl Limits {
    /// `nics` has each rank's NIC, in rank order.
    pub fn new(bounds: Bounds, nics: impl Iterator<Item = u32>) -> Limits {
        let mut seen: Vec<Option<u32>> = Vec::new();
        let mut shared: Vec<NicUse> = Vec::new();
        let mut endpoints: Vec<Endpoint> = base::with_capacity(nics.size_hint().0);
        let n_engines = bounds.nic.match_engines;
        for nic in nics {
            seen.resize(seen.len().max(nic as usize + 1), None);
            let nic = *seen[nic as usize].get_or_insert(shared.len() as u32);
            if nic as usize == shared.len() {
                shared.push(NicUse::default());
            }
            let of = &mut shared[nic as usize];
            let engine = nic * n_engines + of.endpoints as u32 % n_engines;
            of.endpoints += 1;
            of.table += bounds.table_fixed;
            let software = bounds.match_mode == MatchMode::Software;
            endpoints.push(Endpoint { engine, software, ..Endpoint::default() });
        }
        // The first engines of all NICs are adjacent: many ranks have an engine of their own.
        let n_nics = shared.len() as u32;
        for Endpoint { engine, .. } in &mut endpoints {
            *engine = *engine % n_engines * n_nics + *engine / n_engines;
        }
        let (ranks, all) = (endpoints.len(), shared.len() * n_engines as usize);
        let mut limits = Limits {
            bounds,
            endpoints,
            sends: vec![0; ranks],
            registered: vec![0; ranks],
            optimized: vec![0; ranks],
            temporary_regions: vec![0; ranks],
            nics: shared,
            engines: vec![0; all],
            regions: vec![0; all],
            high_water: Default::default(),
            sends_wait: true,
        };
        for rank in 0..ranks as u32 {
            let NicUse { endpoints, table } = limits.nics[limits.nic_of(rank)];
            limits.note(Limit::CommandQueues, rank, endpoints);
            limits.note(Limit::PortalTable, rank, table);
        }
        limits
    }

    fn nic_of(&self, rank: u32) -> usize {
        self.endpoints[rank as usize].engine as usize % self.nics.len()
    }
    /// Prefetches the counters that a message to this rank changes.
    #[inline]
    pub fn prefetch(&self, rank: u32) {
        base::prefetch(&self.endpoints[rank as usize]);
    }

    /// Prefetches the counter that the receiver of this rank's message changes.
    #[inline]
    pub fn prefetch_sends(&self, rank: u32) {
        base::prefetch(&self.sends[rank as usize]);
    }

    /// Whether the job can start: the first rank for which a resource is exhausted, and the
    /// resource.
    pub fn start(&self) -> Option<(u32, Limit)> {
        let starts = [Limit::CommandQueues, Limit::PortalTable].into_iter();
        let mut short = starts.filter(|&limit| self.high_water(limit).used > self.bound(limit));
        short.next().map(|limit| (self.high_water(limit).rank, limit))
    }

    /// From now on rendezvous sends are counted and never wait.
    pub fn stop_waiting_for_rendezvous(&mut self) {
        self.sends_wait = false;
    }

    pub fn bound(&self, limit: Limit) -> u64 {
        self.bounds.of(limit)
    }
    pub fn match_mode(&self) -> MatchMode {
        self.bounds.match_mode
    }
    /// The largest usage so far.
    pub fn high_water(&self, limit: Limit) -> HighWater {
        self.high_water[limit as usize]
    }
    /// The part of it that is always in use.
    pub fn fixed(&self, limit: Limit) -> u64 {
        match limit {
            Limit::EventQueue => self.bounds.events_fixed,
            Limit::PortalTable => {
                self.ranks_on_nic(self.high_water(limit).rank) * self.bounds.table_fixed
            }
            Limit::Communicators => PREDEFINED.into(),
            _ => 0,
        }
    }
    /// Whether the rank's CPU does its matching.
    #[inline]
    pub fn is_software(&self, rank: u32) -> bool {
        self.endpoints[rank as usize].software
    }
    /// A message has arrived at the rank by the NIC.
    #[inline]
    pub fn message_arrived(&mut self, rank: u32, is_expected: bool, is_rendezvous: bool) {
        let endpoint = &mut self.endpoints[rank as usize];
        let matches = &mut endpoint.matches;
        match (endpoint.software, is_expected) {
            (true, _) => matches.in_software += 1,
            (false, true) => matches.expected += 1,
            (false, false) => matches.unexpected += 1,
        }
        matches.rendezvous = matches.rendezvous.saturating_add(is_rendezvous.into());
    }
    /// The NIC fetches the data of such a message by itself.
    #[inline]
    pub fn offload(&mut self, rank: u32) {
        let offloaded = &mut self.endpoints[rank as usize].matches.offloaded;
        *offloaded = offloaded.saturating_add(1);
    }
    /// For every rank: the index of its engine on its NIC, and its messages.
    pub fn matches(&self) -> impl Iterator<Item = (u32, Matches)> {
        let n_nics = self.nics.len() as u32;
        self.endpoints.iter().map(move |of| {
            let MatchCounters { expected, unexpected, in_software, rendezvous, offloaded } =
                of.matches;
            let (rendezvous, offloaded) = (rendezvous.into(), offloaded.into());
            let matches = Matches { expected, unexpected, in_software, rendezvous, offloaded };
            (of.engine / n_nics, matches)
        })
    }
    /// The number of ranks that match in software.
    pub fn software_ranks(&self) -> usize {
        self.endpoints.iter().filter(|e| e.software).count()
    }
    /// Ranks that share this rank's match engine, itself included.
    pub fn ranks_on_engine(&self, rank: u32) -> usize {
        let engine = self.endpoints[rank as usize].engine;
        self.endpoints.iter().filter(|e| e.engine == engine).count()
    }
    /// Ranks that share this rank's NIC, itself included.
    pub fn ranks_on_nic(&self, rank: u32) -> u64 {
        self.nics[self.nic_of(rank)].endpoints
    }
    /// The rank's memory regions: all, and those with a table entry of their own.
    pub fn regions(&self, rank: u32) -> (u64, u64) {
        let rank = rank as usize;
        (self.registered[rank].into(), self.optimized[rank].into())
    }
    /// The rank's regions that are registered for one message each.
    pub fn temporary_regions(&self, rank: u32) -> u64 {
        self.temporary_regions[rank as usize].into()
    }
    /// Entries in the NIC's lists: posted receives, unexpected messages.
    pub fn lists(&self, rank: u32) -> (u64, u64) {
        let endpoint = &self.endpoints[rank as usize];
        (endpoint.posted.into(), endpoint.unexpected.into())
    }
    pub fn events(&self, rank: u32) -> u64 {
        let endpoint = &self.endpoints[rank as usize];
        u64::from(endpoint.posted)
            + u64::from(endpoint.unexpected) * self.bounds.events_unexpected
            + u64::from(self.sends[rank as usize])
            + self.bounds.events_fixed
    }

    #[inline]
    fn note(&mut self, limit: Limit, rank: u32, used: u64) {
        let high_water = &mut self.high_water[limit as usize];
        if used > high_water.used {
            *high_water = HighWater { used, rank };
        }
    }

    /// A send or receive with this tag.
    #[inline]
    pub fn tag(&mut self, rank: u32, tag: i32) -> Verdict {
        let tag = tag.max(0) as u64;
        self.note(Limit::Tag, rank, tag);
        if tag > self.bounds.tag { Verdict::Exceeded(Limit::Tag) } else { Verdict::Fits }
    }

    /// The rank uses this context id for one more communicator.
    pub fn context(&mut self, rank: u32, id: u32) -> Verdict {
        let used = u64::from(id) + 1;
        self.note(Limit::Communicators, rank, used);
        match used > self.bounds.context_ids {
            true => Verdict::Exceeded(Limit::Communicators),
            false => Verdict::Fits,
        }
    }

    /// The rank holds this many requests at once.
    pub fn request(&mut self, rank: u32, held: u32) -> Verdict {
        let held = held.into();
        self.note(Limit::Requests, rank, held);
        let fits = held <= self.bounds.requests;
        if fits { Verdict::Fits } else { Verdict::Exceeded(Limit::Requests) }
    }

    /// A receive is appended to the NIC's list.
    #[inline]
    pub fn post(&mut self, rank: u32) -> Verdict {
        if self.is_software(rank) {
            return Verdict::Fits;
        }
        let verdict = self.take_entry(rank);
        if !self.is_software(rank) {
            self.endpoints[rank as usize].posted += 1;
        }
        self.check_events(rank, verdict)
    }
    /// A receive has matched or was cancelled. The receives of a collective with mismatched lengths
    /// were never posted.
    #[inline]
    pub fn remove_posted(&mut self, rank: u32) {
        let endpoint = &mut self.endpoints[rank as usize];
        if endpoint.posted > 0 {
            endpoint.posted -= 1;
            self.engines[endpoint.engine as usize] -= 1;
        }
    }

    /// An unexpected message is kept, with `bytes` of data.
    #[inline]
    pub fn add_unexpected(&mut self, rank: u32, bytes: u64) -> Verdict {
        let endpoint = &mut self.endpoints[rank as usize];
        endpoint.eager_bytes += bytes;
        let (held, software) = (endpoint.eager_bytes, endpoint.software);
        self.note(Limit::EagerBuffers, rank, held);
        if software {
            return Verdict::Fits;
        }
        let verdict = self.take_entry(rank);
        if !self.is_software(rank) {
            self.endpoints[rank as usize].unexpected += 1;
        }
        self.check_events(rank, verdict)
    }
    /// An unexpected message has matched. Those moved by flow control are the oldest, and are
    /// assumed to match first.
    #[inline]
    pub fn take(&mut self, rank: u32, bytes: u64) {
        let endpoint = &mut self.endpoints[rank as usize];
        endpoint.eager_bytes -= bytes;
        if endpoint.onloaded > 0 {
            endpoint.onloaded -= 1;
        } else if !endpoint.software {
            endpoint.unexpected -= 1;
            self.engines[endpoint.engine as usize] -= 1;
        }
    }

    /// Takes an entry of the rank's match engine, unless its lists leave the NIC.
    #[inline]
    fn take_entry(&mut self, rank: u32) -> Verdict {
        let engine = self.endpoints[rank as usize].engine as usize;
        let mut verdict = Verdict::Fits;
        if u64::from(self.engines[engine]) >= self.bounds.nic.match_entries {
            verdict = self.make_room(rank);
        }
        if !self.is_software(rank) {
            self.engines[engine] += 1;
            let used = self.engines[engine];
            self.note(Limit::MatchEntries, rank, used.into());
        }
        verdict
    }

    #[cold]
    fn make_room(&mut self, rank: u32) -> Verdict {
        let hybrid = self.bounds.match_mode == MatchMode::Hybrid;
        let endpoint = &mut self.endpoints[rank as usize];
        let moved = endpoint.unexpected;
        endpoint.onloaded += moved;
        endpoint.unexpected = 0;
        let used = &mut self.engines[endpoint.engine as usize];
        *used -= moved;
        if hybrid {
            *used -= endpoint.posted;
            let moved = moved + endpoint.posted;
            endpoint.posted = 0;
            endpoint.software = true;
            return Verdict::ToSoftware { moved: moved.into() };
        }
        // The provider ends the job if not a single entry was freed.
        match moved {
            0 => Verdict::Exceeded(Limit::MatchEntries),
            _ => Verdict::FlowControl { moved: moved.into() },
        }
    }

    /// Checks that the events of all current usage fit the queue.
    #[inline]
    fn check_events(&mut self, rank: u32, verdict: Verdict) -> Verdict {
        let events = self.events(rank);
        self.note(Limit::EventQueue, rank, events);
        if verdict == Verdict::Fits && events > self.bounds.events {
            return Verdict::Exceeded(Limit::EventQueue);
        }
        verdict
    }

    /// Registers memory for remote access. A region takes a list entry of the rank's engine, in any
    /// matching mode. An optimized region also takes the portal table entry of its key; without a
    /// free key of that kind it is an ordinary region.
    pub fn register(&mut self, rank: u32, optimized: bool) -> Verdict {
        let (nic, before) = (self.nic_of(rank), self.optimized[rank as usize]);
        self.registered[rank as usize] += 1;
        let mut verdict = self.add_region(rank);
        if optimized && u64::from(before) < self.bounds.optimized_regions {
            self.optimized[rank as usize] += 1;
            self.nics[nic].table += 1;
            let table = self.nics[nic].table;
            self.note(Limit::PortalTable, rank, table);
            if table > self.bounds.nic.portal_table {
                verdict = Verdict::Exceeded(Limit::PortalTable);
            }
        }
        verdict
    }
    /// Registers memory for the duration of one message.
    pub fn register_temporary(&mut self, rank: u32) -> Verdict {
        self.temporary_regions[rank as usize] += 1;
        self.add_region(rank)
    }
    pub fn deregister_temporary(&mut self, rank: u32) {
        self.temporary_regions[rank as usize] -= 1;
        self.remove_region(rank);
    }

    /// Takes a list entry of the rank's engine for memory.
    fn add_region(&mut self, rank: u32) -> Verdict {
        let engine = self.endpoints[rank as usize].engine as usize;
        self.regions[engine] += 1;
        self.engines[engine] += 1;
        let (regions, entries) = (self.regions[engine].into(), self.engines[engine].into());
        self.note(Limit::Regions, rank, regions);
        self.note(Limit::MatchEntries, rank, entries);
        let fits = entries <= self.bounds.nic.match_entries;
        if fits { Verdict::Fits } else { Verdict::Exceeded(Limit::Regions) }
    }
    fn remove_region(&mut self, rank: u32) {
        let engine = self.endpoints[rank as usize].engine as usize;
        self.regions[engine] -= 1;
        self.engines[engine] -= 1;
    }

    /// Ends a registration. Which regions had table entries is not reported; those are assumed to
    /// end first.
    pub fn deregister(&mut self, rank: u32, optimized: bool) {
        let (nic, at) = (self.nic_of(rank), rank as usize);
        if optimized && self.optimized[at] > 0 {
            self.optimized[at] -= 1;
            self.nics[nic].table -= 1;
        }
        if self.registered[at] > 0 {
            self.registered[at] -= 1;
            self.remove_region(rank);
        }
    }

    /// A send is at the NIC.
    #[inline]
    pub fn send(&mut self, rank: u32) {
        self.sends[rank as usize] += 1;
    }
    #[inline]
    pub fn sent(&mut self, rank: u32) {
        self.sends[rank as usize] -= 1;
    }

    /// Takes a rendezvous identifier. False if none is free: the call must wait.
    #[inline]
    pub fn claim_rendezvous(&mut self, rank: u32) -> bool {
        let used = self.endpoints[rank as usize].rendezvous;
        let has_one = u64::from(used) < self.bounds.rendezvous || !self.sends_wait;
        if has_one {
            self.claim_rendezvous_beyond_limit(rank);
        }
        has_one
    }
    /// The same for callers that cannot wait.
    #[inline]
    pub fn claim_rendezvous_beyond_limit(&mut self, rank: u32) {
        let endpoint = &mut self.endpoints[rank as usize];
        endpoint.rendezvous += 1;
        let used = endpoint.rendezvous;
        self.note(Limit::RendezvousSends, rank, used.into());
    }
    #[inline]
    pub fn release_rendezvous_id(&mut self, rank: u32) {
        self.endpoints[rank as usize].rendezvous -= 1;
    }
}

#[cfg(test)]
mod tests;
