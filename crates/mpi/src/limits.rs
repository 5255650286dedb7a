//! What of the NICs and of the provider under an MPI library is in use, against what there is.
//!
//! Counters and their highest marks, no clocks: a caller says what a rank takes and gives back, and
//! hears whether it fits and what the provider does if not. Names are those of fi_cxi(7); where the
//! rules are from stands in docs/models/limits.md.

use crate::contexts::PREDEFINED;

/// "There is no such limit."
pub const UNLIMITED: u64 = u64::MAX;

/// Where messages and receives are matched: `FI_CXI_RX_MATCH_MODE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchMode {
    /// By the NIC alone; without entries it stops its senders, moves what it can to the host and
    /// goes on, or ends the job.
    Hardware,
    /// By the NIC while it has entries, by the rank's CPU from then on.
    Hybrid,
    /// By the rank's CPU.
    Software,
}

impl MatchMode {
    pub const ALL: [MatchMode; 3] = [MatchMode::Hardware, MatchMode::Hybrid, MatchMode::Software];
    pub const NAMES: [&str; 3] = ["hardware", "hybrid", "software"];
    pub fn named(name: &str) -> Option<MatchMode> {
        Some(Self::ALL[Self::NAMES.iter().position(|&known| known == name)?])
    }
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// Something there is only so much of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The largest tag.
    Tag,
    /// Receives posted, messages unexpected and memory registered, in one match engine of a NIC.
    MatchEntries,
    /// Events of one rank's endpoint that its queue must hold.
    EventQueue,
    /// Rendezvous sends of one rank under way.
    RendezvousSends,
    /// Bytes of unexpected messages one rank holds; nothing bounds them but memory.
    EagerBuffers,
    /// Pieces of memory registered with one match engine of a NIC, of whose entries each takes one.
    Regions,
    /// Entries of a NIC's portal table: its endpoints' own, and one for each optimized region.
    PortalTable,
    /// Target command queues of a NIC: one for each endpoint.
    CommandQueues,
    /// Context ids of the library, one a communicator that a rank is in.
    Communicators,
    /// Bytes of a node's memory. Not counted here: only a program that runs has any.
    Memory,
    /// Requests of one rank that its library holds: under way, or complete and not waited for.
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
    /// What one asks the library for it by, or sets it with.
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
    /// What avoids it: a setting, or a change of the program.
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
                 their messages come"
            }
            Limit::RendezvousSends => {
                "post receives before sends, have fewer long sends out at once, set \
                 FI_CXI_DEFAULT_TX_SIZE higher (up to 16384), or make messages eager with \
                 FI_CXI_RDZV_THRESHOLD"
            }
            Limit::EagerBuffers => "post receives before their messages come",
            Limit::Regions => {
                "free windows that are done with, have one window of several parts in place of \
                 many, flush long accumulates more often (or set \
                 MPIR_CVAR_CH4_OFI_AM_LONG_FORCE_PIPELINE=1), or spread the node's ranks over more \
                 NICs"
            }
            Limit::PortalTable => {
                "set FI_CXI_OPTIMIZED_MRS=0, or leave the hint `optimized_mr` to few windows"
            }
            Limit::CommandQueues => {
                "spread the node's ranks over all of its NICs (MPICH_OFI_NIC_POLICY=BLOCK or \
                 NUMA), or run fewer ranks a node"
            }
            Limit::Communicators => {
                "free communicators, windows and files that are done with, keep those that are \
                 made again and again, and make those of disjoint groups by one MPI_Comm_split"
            }
            Limit::Memory => {
                "have what every rank holds of all others once a node (MPI_Win_allocate_shared) or \
                 spread over ranks, keep entries for neighbors only, or run fewer ranks a node"
            }
            Limit::Requests => {
                "wait for requests in batches (MPI_Waitsome, MPI_Waitall), free those nobody waits \
                 for (MPI_Request_free), or use a library built on MPICH 4.3 or later"
            }
        }
    }
}

/// What a NIC has, of which its ranks take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nic {
    /// Match engines, and list entries of each. Endpoints are dealt to engines in turn.
    pub match_engines: u32,
    pub match_entries: u64,
    pub portal_table: u64,
    pub command_queues: u64,
}

/// How much there is, and how it is shared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub tag: u64,
    pub context_ids: u64,
    pub nic: Nic,
    pub match_mode: MatchMode,
    /// Slots of an endpoint's event queue; those an unexpected message holds, and those always
    /// held.
    pub events: u64,
    pub events_unexpected: u64,
    pub events_fixed: u64,
    /// Rendezvous sends of an endpoint.
    pub rendezvous: u64,
    /// Regions of an endpoint that may have a table entry of their own, and the entries an endpoint
    /// has in any case.
    pub optimized_regions: u64,
    pub table_fixed: u64,
    /// Requests of a rank.
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
    /// The same machine without its limits. Where matching is done stays.
    pub fn unlimited(self) -> Bounds {
        let none = UNLIMITED;
        let nic = Nic { match_entries: none, portal_table: none, command_queues: none, ..self.nic };
        let (context_ids, requests) = (none, none);
        Bounds { tag: none, context_ids, nic, events: none, rendezvous: none, requests, ..self }
    }
}

/// What comes of taking one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Fits,
    /// The NIC had no entry: it stopped its senders, and so many headers of unexpected messages
    /// were moved to host memory. Then it went on.
    FlowControl {
        moved: u64,
    },
    /// The NIC had no entry: this endpoint's lists, so many elements, were moved to host memory,
    /// and its rank's CPU matches from now on.
    ToSoftware {
        moved: u64,
    },
    /// The provider gives up.
    Exceeded(Limit),
}

/// One rank's endpoint, as far as messages that come to it ask: one cache line. Lists are shorter
/// than 2^32, of which so many messages alone would be 256 GB.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Endpoint {
    /// Its number among its NIC's, times NICs, and its NIC's.
    engine: u32,
    software: bool,
    /// In the NIC's lists.
    posted: u32,
    unexpected: u32,
    /// Unexpected, and moved to host memory by flow control.
    onloaded: u32,
    rendezvous: u32,
    eager_bytes: u64,
    matches: MatchCounters,
}
const _: () = assert!(size_of::<Endpoint>() == 64);

/// `Matches`; of long messages no more than 2^32 - 1 are counted.
#[derive(Clone, Copy, Debug, Default)]
struct MatchCounters {
    expected: u64,
    unexpected: u64,
    in_software: u64,
    rendezvous: u32,
    offloaded: u32,
}

/// What the match engine did for an endpoint, in messages that came by the NIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// A receive was posted when they came; none was.
    pub expected: u64,
    pub unexpected: u64,
    /// Either, where the rank's CPU matches.
    pub in_software: u64,
    /// Of all these, those whose data the receiver has to get; and which its NIC got by itself.
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

/// What the endpoints of one NIC have in use.
#[derive(Clone, Copy, Debug, Default)]
struct NicUse {
    endpoints: u64,
    table: u64,
}

/// The most there ever was, and whose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HighWater {
    pub used: u64,
    pub rank: u32,
}

/// What all endpoints have in use.
#[derive(Clone, Debug)]
pub struct Limits {
    bounds: Bounds,
    endpoints: Vec<Endpoint>,
    /// Of each rank: messages of its own that are under way, which who receives them ends.
    sends: Vec<u32>,
    /// Memory it has registered, and how much of it has table entries of its own.
    registered: Vec<u32>,
    optimized: Vec<u32>,
    /// Memory registered for one message, which ends it.
    temporary_regions: Vec<u32>,
    nics: Vec<NicUse>,
    /// Entries in use by engine, and those of them that are registered memory.
    engines: Vec<u32>,
    regions: Vec<u32>,
    marks: [HighWater; Limit::ALL.len()],
    /// Sends without an identifier wait for one.
    sends_wait: bool,
}

impl Limits {
    /// `nics` names each rank's NIC, in the order of ranks.
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
        // The first engines of all NICs lie together: many ranks have one of their own.
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
            marks: Default::default(),
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
    /// Has the processor fetch what a message to this rank will change.
    #[inline]
    pub fn prefetch(&self, rank: u32) {
        base::prefetch(&self.endpoints[rank as usize]);
    }

    /// The same of what who receives a message of this rank's will change.
    #[inline]
    pub fn prefetch_sends(&self, rank: u32) {
        base::prefetch(&self.sends[rank as usize]);
    }

    /// What the job needs to start with: the first rank that finds none of it left.
    pub fn start(&self) -> Option<(u32, Limit)> {
        let starts = [Limit::CommandQueues, Limit::PortalTable].into_iter();
        let mut short = starts.filter(|&limit| self.mark(limit).used > self.bound(limit));
        short.next().map(|limit| (self.mark(limit).rank, limit))
    }

    /// From now on rendezvous sends are counted, and none waits.
    pub fn never_wait(&mut self) {
        self.sends_wait = false;
    }

    pub fn bound(&self, limit: Limit) -> u64 {
        self.bounds.of(limit)
    }
    pub fn match_mode(&self) -> MatchMode {
        self.bounds.match_mode
    }
    /// The most that was ever used of it.
    pub fn mark(&self, limit: Limit) -> HighWater {
        self.marks[limit as usize]
    }
    /// Of that, what is in use in any case.
    pub fn fixed(&self, limit: Limit) -> u64 {
        match limit {
            Limit::EventQueue => self.bounds.events_fixed,
            Limit::PortalTable => self.neighbors(self.mark(limit).rank) * self.bounds.table_fixed,
            Limit::Communicators => PREDEFINED.into(),
            _ => 0,
        }
    }
    /// Whether this rank's CPU does its matching.
    #[inline]
    pub fn is_software(&self, rank: u32) -> bool {
        self.endpoints[rank as usize].software
    }
    /// A message has come to the rank by the NIC.
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
    /// The NIC has asked for the data of one of these by itself.
    #[inline]
    pub fn offload(&mut self, rank: u32) {
        let offloaded = &mut self.endpoints[rank as usize].matches.offloaded;
        *offloaded = offloaded.saturating_add(1);
    }
    /// Of every rank what came to it, and the number of its engine on its NIC.
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
    /// How many ranks match in software.
    pub fn software_ranks(&self) -> usize {
        self.endpoints.iter().filter(|e| e.software).count()
    }
    /// Ranks that share this rank's match engine, itself among them.
    pub fn ranks_on_engine(&self, rank: u32) -> usize {
        let engine = self.endpoints[rank as usize].engine;
        self.endpoints.iter().filter(|e| e.engine == engine).count()
    }
    /// Ranks that share this rank's NIC, itself among them.
    pub fn neighbors(&self, rank: u32) -> u64 {
        self.nics[self.nic_of(rank)].endpoints
    }
    /// Memory the rank has registered: all, and that with table entries of its own.
    pub fn regions(&self, rank: u32) -> (u64, u64) {
        let rank = rank as usize;
        (self.registered[rank].into(), self.optimized[rank].into())
    }
    /// Pieces of its memory that are registered for one message each.
    pub fn temporary_regions(&self, rank: u32) -> u64 {
        self.temporary_regions[rank as usize].into()
    }
    /// In the NIC's lists: receives posted, messages unexpected.
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
        let mark = &mut self.marks[limit as usize];
        if used > mark.used {
            *mark = HighWater { used, rank };
        }
    }

    /// A send or receive with this tag.
    #[inline]
    pub fn tag(&mut self, rank: u32, tag: i32) -> Verdict {
        let tag = tag.max(0) as u64;
        self.note(Limit::Tag, rank, tag);
        if tag > self.bounds.tag { Verdict::Exceeded(Limit::Tag) } else { Verdict::Fits }
    }

    /// The rank has this context id for one communicator more.
    pub fn context(&mut self, rank: u32, id: u32) -> Verdict {
        let used = u64::from(id) + 1;
        self.note(Limit::Communicators, rank, used);
        match used > self.bounds.context_ids {
            true => Verdict::Exceeded(Limit::Communicators),
            false => Verdict::Fits,
        }
    }

    /// So many requests of the rank are held at once.
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
    /// A receive has matched, or was taken back. What a collective got that its members did not
    /// agree on was never posted.
    #[inline]
    pub fn unpost(&mut self, rank: u32) {
        let endpoint = &mut self.endpoints[rank as usize];
        if endpoint.posted > 0 {
            endpoint.posted -= 1;
            self.engines[endpoint.engine as usize] -= 1;
        }
    }

    /// A message that no receive waits for stays, with `bytes` of data.
    #[inline]
    pub fn keep(&mut self, rank: u32, bytes: u64) -> Verdict {
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
    /// Such a message has found its receive. Those that flow control moved are the oldest, and are
    /// taken to go first.
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

    /// One more entry of the rank's match engine, unless its lists leave the NIC.
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
        // The provider ends the job if not a single entry came free.
        match moved {
            0 => Verdict::Exceeded(Limit::MatchEntries),
            _ => Verdict::FlowControl { moved: moved.into() },
        }
    }

    /// Whether the events of what is in use now fit the queue.
    #[inline]
    fn check_events(&mut self, rank: u32, verdict: Verdict) -> Verdict {
        let events = self.events(rank);
        self.note(Limit::EventQueue, rank, events);
        if verdict == Verdict::Fits && events > self.bounds.events {
            return Verdict::Exceeded(Limit::EventQueue);
        }
        verdict
    }

    /// Memory is registered for others. Each takes a list entry of the rank's engine, whoever
    /// matches messages; an optimized one the portal table entry that its key names, too. Where
    /// the provider has no more keys of that kind, it is an ordinary one.
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
    /// The same for as long as one message lasts.
    pub fn register_temporary(&mut self, rank: u32) -> Verdict {
        self.temporary_regions[rank as usize] += 1;
        self.add_region(rank)
    }
    pub fn deregister_temporary(&mut self, rank: u32) {
        self.temporary_regions[rank as usize] -= 1;
        self.remove_region(rank);
    }

    /// One more list entry of the rank's engine is memory.
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

    /// It is not any more. Which of a rank's regions had table entries is not told: they are taken
    /// to be those given up first.
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

    /// A send is with the NIC.
    #[inline]
    pub fn send(&mut self, rank: u32) {
        self.sends[rank as usize] += 1;
    }
    #[inline]
    pub fn sent(&mut self, rank: u32) {
        self.sends[rank as usize] -= 1;
    }

    /// Takes an identifier for a rendezvous. False if there is none: the call must wait.
    #[inline]
    pub fn claim(&mut self, rank: u32) -> bool {
        let used = self.endpoints[rank as usize].rendezvous;
        let has_one = u64::from(used) < self.bounds.rendezvous || !self.sends_wait;
        if has_one {
            self.claim_anyway(rank);
        }
        has_one
    }
    /// The same for who cannot wait.
    #[inline]
    pub fn claim_anyway(&mut self, rank: u32) {
        let endpoint = &mut self.endpoints[rank as usize];
        endpoint.rendezvous += 1;
        let used = endpoint.rendezvous;
        self.note(Limit::RendezvousSends, rank, used.into());
    }
    #[inline]
    pub fn unclaim(&mut self, rank: u32) {
        self.endpoints[rank as usize].rendezvous -= 1;
    }
}

#[cfg(test)]
mod tests;
