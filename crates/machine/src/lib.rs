//! Floor 2: the machine, described once (`MachineSpec`) and resolved once to ids and integers
//! (`Machine`). Names and units are gone after that.
//!
//! Knows topology, routing, placement and the parameters of NICs, switches and nodes. Refuses to
//! know packets, messages and time's passing.

use std::hint::select_unpredictable;

use base::{Digest, Gap, IndexVec, Span};

base::ids! {
    /// A node: it has NICs and runs ranks. Compute nodes come first, service nodes after them.
    NodeId,
    /// A network endpoint.
    NicId,
    SwitchId,
    GroupId,
    /// One direction of one cable. Injection links come first (`LinkId(n)` leaves `NicId(n)`),
    /// then ejection links (`LinkId(nics + n)` enters `NicId(n)`), then links between switches.
    LinkId,
}

/// Where a link begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkEnd {
    Nic(NicId),
    Switch(SwitchId),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum LinkKind {
    Injection,
    Ejection,
    /// Within a group; on Aries within a chassis ("green", rank 1).
    Local,
    /// Within an Aries group, between chassis ("black", rank 2).
    LocalBlack,
    /// Between groups ("blue", rank 3).
    Global,
}

/// One row a link, columns kept apart because the hot loop reads few of them at a time.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub from: IndexVec<LinkId, LinkEnd>,
    pub to: IndexVec<LinkId, LinkEnd>,
    pub kind: IndexVec<LinkId, LinkKind>,
    /// From the head entering the link to the head being ready for a decision at its far end: the
    /// cable, and the traversal of the switch it leads to (none where it leads to a NIC).
    pub latency: IndexVec<LinkId, Span>,
    /// The cable alone: what a credit needs on its way back.
    pub cable: IndexVec<LinkId, Span>,
    /// Serialization: inverse of the link's rate.
    pub gap: IndexVec<LinkId, Gap>,
    /// Input buffer at the far end, bytes per virtual channel.
    pub buffer: IndexVec<LinkId, u32>,
}

impl Links {
    /// What every step of a way reads lies on large pages, now that it is known how much it is.
    fn settled(mut self) -> Links {
        self.to.raw = base::packed(self.to.raw.into_iter());
        self
    }

    /// What links of each kind have in common.
    pub fn by_kind(&self) -> ByKind {
        let mut of = [(Span::ZERO, Gap::ZERO); _];
        for (link, &kind) in self.kind.iter() {
            of[kind as usize] = (self.latency[link], self.gap[link]);
        }
        let kinds = &self.kind.raw;
        let last = kinds.iter().rposition(|&kind| kind != LinkKind::Global);
        let (others, _) = kinds.split_at(last.map_or(0, |last| last + 1));
        let is_mixed = |kind: &LinkKind| matches!(kind, LinkKind::LocalBlack | LinkKind::Global);
        let globals = LinkId(others.len() as u32);
        ByKind { of, globals: (!others.iter().any(is_mixed)).then_some(globals) }
    }
}

/// Latency and gap of the links of each kind, which are alike (`resolve` lays them).
#[derive(Clone, Debug)]
pub struct ByKind {
    of: [(Span, Gap); LinkKind::Global as usize + 1],
    /// Where links between switches are of two kinds, one after the other: the first of those
    /// between groups.
    globals: Option<LinkId>,
}

impl ByKind {
    #[inline]
    pub fn of(&self, kind: LinkKind) -> (Span, Gap) {
        self.of[kind as usize]
    }
    /// The same of a link between switches. The kinds of all are a long column that is read here
    /// and there, so it is not where the link's number tells.
    #[inline]
    pub fn between_switches(&self, link: LinkId, links: &Links) -> (Span, Gap) {
        let kind = match self.globals {
            Some(globals) if link < globals => LinkKind::Local,
            Some(_) => LinkKind::Global,
            None => links.kind[link],
        };
        self.of(kind)
    }
}

/// What a router may look at when it has a choice. All are bytes.
///
/// A switch asks of its own links' `near` and `far`, and of `downstream` for links out of other
/// switches of its own group. Nobody but a research policy asks for more, so groups can be
/// simulated side by side.
pub trait LoadView {
    /// What waits at this end for `link`: its request queue.
    fn near(&self, link: LinkId) -> u32;
    /// What lies in the buffer at the far end of `link` as far as credits tell: sent and not
    /// credited, less what a stream at full rate that meets nobody keeps on the cable.
    fn far(&self, link: LinkId) -> u32;
    /// `near` of a link out of another switch of this group, as that switch's last report told:
    /// as it stood between one and two delays of a local link ago.
    fn downstream(&self, link: LinkId) -> u32;
    /// `near` and `far` of any link of the machine, now. No router knows this.
    fn anywhere(&self, link: LinkId) -> u32;

    /// `near` and `far` of a link out of this switch.
    #[inline]
    fn backlog(&self, link: LinkId) -> u32 {
        self.near(link) + self.far(link)
    }
}
/// A network with no load: every adaptive route becomes its minimal one.
pub struct Idle;
impl LoadView for Idle {
    fn near(&self, _: LinkId) -> u32 {
        0
    }
    fn far(&self, _: LinkId) -> u32 {
        0
    }
    fn downstream(&self, _: LinkId) -> u32 {
        0
    }
    fn anywhere(&self, _: LinkId) -> u32 {
        0
    }
}

/// What a packet carries of its route. `Route::default()` is "not decided yet".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Route {
    /// Intermediate place of a non-minimal route, +1; 0 is none. Its meaning is the topology's own.
    pub via: u32,
    /// Virtual-channel class of the next hop; it never falls, which is why nothing deadlocks.
    pub class: u8,
    pub decided: bool,
    /// The intermediate place has been reached (or there is none).
    pub passed: bool,
    /// Hops between switches so far.
    pub hops: u8,
}
const _: () = assert!(size_of::<Route>() <= 8);
impl Route {
    pub fn is_minimal(self) -> bool {
        self.via == 0
    }
}

/// A step of a route: the link out of this switch and the virtual channel to use on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    pub link: LinkId,
    pub vc: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arbitration {
    /// Over the inputs that wait for an output, in turn.
    RoundRobin,
    /// The packet injected first.
    Age,
}

/// NIC parameters, resolved. Sources stand in the machine files.
#[derive(Clone, Debug, PartialEq)]
pub struct NicParams {
    /// From the command to the head entering the injection link, data in the command.
    pub send_latency: Span,
    /// From the tail's arrival to the completion the receiver can see.
    pub recv_latency: Span,
    /// Largest message whose data travels inside the command, bytes.
    pub immediate_max: u64,
    /// Added before the head of a larger message: the NIC reads host memory.
    pub dma_latency: Span,
    /// Inverse of the rate at which a packet passes between host memory and the NIC, which has it
    /// whole before it sends it or writes it: latency of the first and of the last, no stage of
    /// the pipeline. `Gap::ZERO` is none.
    pub staging_gap: Gap,
    /// Least time between two messages entering one NIC, whoever sends them.
    pub message_gap: Span,
    /// Least time between two messages that one process gives its NIC.
    pub command_gap: Span,
    /// Least time between two one-sided commands of one core.
    pub core_gap: Span,
    /// Payload of a full packet, bytes.
    pub packet_payload: u64,
    /// Wire bytes beside the payload, every packet.
    pub packet_overhead: u64,
    /// Wire bytes of the response to a packet, beside the payload it may bring; 0 where
    /// acknowledgements are no packets.
    pub response: u64,
    /// Messages of more bytes than this are moved by the NIC's block engine, which first spends
    /// `block_latency` on them. `u64::MAX` is none.
    pub block_above: u64,
    pub block_latency: Span,
    /// Unacknowledged packets one NIC may have out.
    pub window: u32,
    /// Match engines of one NIC, and list entries of each. `u64::MAX` is no limit.
    pub match_engines: u32,
    pub match_entries: u64,
    /// Of one NIC, too: portal table entries, and target command queues.
    pub portal_table: u64,
    pub command_queues: u64,
    /// Inverse of the host interface's rate for both directions together (payload bytes); the
    /// bidirectional cap. `Gap::ZERO` is no cap.
    pub host_gap: Gap,
    /// Inverse of the host interface's rate one way (payload bytes). `Gap::ZERO` is no cap.
    pub host_gap_one_way: Gap,
    /// What a message of several packets takes of what both directions share, beside its bytes, at
    /// either end: with its first packet.
    pub multipacket_message: Span,
    /// What an MPI message takes of its receiver's NIC beside its bytes: of one process, and of
    /// the NIC itself.
    pub process_message: Span,
    pub received_message: Span,
}

impl NicParams {
    /// What an MPI message takes of a receiver's NIC that has so many processes, beside its bytes.
    /// What each does of its own they do at once: the NIC stands still for the n-th part. One
    /// without a host interface has nothing to hold up.
    pub fn handling(&self, processes: u32) -> Span {
        if self.host_gap.max(self.host_gap_one_way) == Gap::ZERO {
            return Span::ZERO;
        }
        self.received_message.max(Span(self.process_message.0 / u64::from(processes.max(1))))
    }

    /// From the wish for `bytes` of host memory to the first packet of them being in the NIC.
    #[inline]
    pub fn fetch(&self, bytes: u64) -> Span {
        self.dma_latency + self.stage_first(bytes)
    }

    /// How long the first packet of `bytes` takes from host memory.
    #[inline]
    pub fn stage_first(&self, bytes: u64) -> Span {
        self.staging_gap.span(bytes.min(self.packet_payload))
    }

    /// How long the last packet of `bytes` takes into host memory.
    #[inline]
    pub fn stage_last(&self, bytes: u64) -> Span {
        if self.staging_gap == Gap::ZERO || bytes == 0 {
            return Span::ZERO;
        }
        self.staging_gap.span((bytes - 1) % self.packet_payload + 1)
    }

    /// How much longer than the last packet of `bytes` the full ones before it take into memory,
    /// if there are any.
    #[inline]
    pub fn stage_ahead(&self, bytes: u64) -> Span {
        if self.staging_gap == Gap::ZERO || bytes <= self.packet_payload {
            return Span::ZERO;
        }
        Span(self.staging_gap.span(self.packet_payload).0 - self.stage_last(bytes).0)
    }

    /// From the tail of a message of `bytes` to the completion its receiver can see.
    #[inline]
    pub fn completion(&self, bytes: u64) -> Span {
        self.recv_latency + self.stage_last(bytes)
    }

    /// How much later the second of so many packets goes than `pace` after the first: what both
    /// directions share is taken by the message itself.
    #[inline]
    pub fn multipacket_wait(&self, packets: u64, pace: Span) -> Span {
        if packets == 1 || self.multipacket_message == Span::ZERO {
            return Span::ZERO;
        }
        let shared = self.host_gap.span(self.packet_payload) + self.multipacket_message;
        Span(shared.0.saturating_sub(pace.0))
    }

    /// What the NIC spends on a command that moves `bytes` before the first head can leave, beside
    /// its latencies for any.
    #[inline]
    pub fn block_start(&self, bytes: u64) -> Span {
        if bytes > self.block_above { self.block_latency } else { Span::ZERO }
    }
}

/// What switches do about NICs that are sent more than they can take, resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CongestionParams {
    /// Bytes that wait for a NIC's ejection link at which its senders are held back, and that then
    /// are kept waiting so that the link never idles.
    pub threshold: u32,
}

/// What happens inside a node, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeParams {
    /// From a host's command until its NIC has it, and from what the NIC has done until the host
    /// sees it, each, beside the NIC's own latencies.
    pub nic_latency: Span,
    /// Shared memory: what a core waits for another's cache until it has the words of a message,
    /// without MPI's overheads.
    pub shm_latency: Span,
    /// Inverse of the rate at which one core copies.
    pub shm_gap: Gap,
    /// Added to `shm_latency` between cores of different CPUs.
    pub far_latency: Span,
    /// Inverse of the rate at which a core copies what comes from a core of another CPU, or goes
    /// there.
    pub far_gap: Gap,
    /// Added to what a NIC of another CPU moves, on either side.
    pub far_nic_latency: Span,
    /// Inverse of all pairs' copy rate together.
    pub memory_gap: Gap,
    /// Bytes its ranks may use; none: there is no limit.
    pub memory: Option<u64>,
    /// Cores usable by ranks.
    pub cores: u32,
    /// Speed of one core relative to the one odonata runs on, for `--compute measured`.
    pub core_speed: f64,
    /// Speed at which a core goes through an MPI library's own code, relative to the cores that its
    /// profile was measured on.
    pub mpi_speed: f64,
    /// None where the machine file says nothing of GPUs' ways.
    pub gpu: Option<GpuParams>,
}

/// How GPUs hang in a node, resolved. All rates are one way.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuParams {
    /// Inverse of the rate between host memory and one GPU.
    pub gap: Gap,
    /// What a copy engine needs to start.
    pub copy_latency: Span,
    /// Inverse of the rate between two GPUs of a node, and between two tiles of one GPU.
    pub link_gap: Gap,
    pub tile_gap: Gap,
    /// Inverse of the rate at which a NIC reaches the memory of GPUs one way; `None` as it reaches
    /// the host's.
    pub nic_gap_one_way: Option<Gap>,
    /// Inverse of the rate at which the NICs of one CPU reach the memory of GPUs, all together.
    /// `Gap::ZERO` is no cap.
    pub nic_gap: Gap,
}

/// The machine's storage, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageParams {
    /// Added to every transfer, however short.
    pub latency: Span,
    /// Inverse of the rate at which all nodes together are served.
    pub gap: Gap,
    /// Inverse of the rate of one node.
    pub node_gap: Gap,
}

/// What NICs and switches do about losses, resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryParams {
    /// From a packet's sending until its NIC takes it for lost and sends it again.
    pub timeout: Span,
    /// How often a packet is sent again before its message has failed.
    pub limit: u32,
    /// Until switches elsewhere have heard of a link that went down or came back.
    pub sweep: Span,
}

#[derive(Clone, Debug)]
pub enum Topology {
    Dragonfly(Dragonfly),
    // Other topologies enter here; see house.md. None is built yet.
}

mod binding;
mod classes;
mod dragonfly;
pub mod faults;
mod folding;
mod inheritance;
mod input_error;
pub mod names;
mod parameters;
pub mod placement;
mod prefetch;
mod presets;
mod quantity;
mod reorder;
mod resolve;
mod routing;
mod schema;
mod spec;
mod summary;
mod tree;
mod zero_load;

pub use binding::{Binding, NicMapping, NicPolicy};
pub use classes::{BEST_EFFORT, Classes, TrafficClass};
pub use dragonfly::Dragonfly;
pub use folding::Folding;
pub use input_error::{InputError, nearest};
pub use presets::{PRESETS, preset};
pub use reorder::Reorder;
pub use resolve::GroupKind;
pub use routing::{AriesMode, Bias, Routing, Scoring};
pub use schema::{FABRICS, reference};
pub use spec::MachineSpec;
pub use summary::{Distances, LinksByKind, PortsByKind, Summary};
pub use tree::{NIC_CHILDREN, Reducer};

/// Who starts programs on a machine, and tells each rank who it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launcher {
    /// HPE's `mpiexec`, under PBS.
    Pals,
    /// `srun`.
    Slurm,
}

/// A resolved machine. Immutable for the whole run.
#[derive(Clone, Debug)]
pub struct Machine {
    pub name: String,
    /// Of the keys of its file: machines of one digest are alike.
    pub digest: Digest,
    pub topology: Topology,
    pub routing: Routing,
    /// As its file or whoever changed it calls that, or the word that holds where nobody does.
    pub routing_name: String,
    pub arbitration: Arbitration,
    /// Packets in order go one way while any of their flow is under way.
    pub keeps_flows: bool,
    pub links: Links,
    /// First NIC of each node and one past the last: node `n` has `nics[n]..nics[n + 1]`.
    pub node_nics: IndexVec<NodeId, u32>,
    pub nic_node: IndexVec<NicId, NodeId>,
    pub nic_switch: IndexVec<NicId, SwitchId>,
    pub switch_group: IndexVec<SwitchId, GroupId>,
    /// Nodes that run jobs: `NodeId(0)..NodeId(compute_nodes)`.
    pub compute_nodes: u32,
    pub n_groups: u32,
    /// Virtual channels per link of one virtual network: as many as the routing needs.
    pub n_vcs: u8,
    /// Virtual networks, each with virtual channels of its own: no packet of one ever waits for
    /// a buffer that a packet of another holds.
    pub n_vnets: u8,
    pub classes: Classes,
    pub nic: NicParams,
    /// None where switches do nothing about congestion.
    pub congestion: Option<CongestionParams>,
    pub node: NodeParams,
    pub storage: StorageParams,
    pub retry: RetryParams,
    /// What is broken, and when; most machines are whole.
    pub faults: Option<Box<faults::Faults>>,
    /// Family of the network: which values of an MPI library's profile hold.
    pub fabric: String,
    /// Kinds of groups, in the order of their groups.
    pub kinds: Vec<GroupKind>,
    pub group_kind: IndexVec<GroupId, u16>,
    /// Links between groups that share a cable.
    pub links_per_cable: u32,
    /// What the compute nodes are called, as far as the file says.
    pub node_names: Option<names::HostList>,
    pub launcher: Launcher,
}

impl Machine {
    pub fn n_nics(&self) -> u32 {
        self.nic_node.len() as u32
    }
    pub fn n_switches(&self) -> u32 {
        self.switch_group.len() as u32
    }
    /// From a host's command that has its data with it until the NIC sends it.
    pub fn command_latency(&self) -> Span {
        self.node.nic_latency + self.nic.send_latency
    }
    /// From the tail's arrival until the host sees it.
    pub fn receive_latency(&self) -> Span {
        self.nic.recv_latency + self.node.nic_latency
    }
    pub fn injection(&self, nic: NicId) -> LinkId {
        LinkId(nic.0)
    }
    pub fn ejection(&self, nic: NicId) -> LinkId {
        LinkId(self.n_nics() + nic.0)
    }
    pub fn group_of(&self, nic: NicId) -> GroupId {
        self.switch_group[self.nic_switch[nic]]
    }

    /// The bias, bytes x hops, of who decides once, by the queues of the sender's switch alone
    /// (UGAL-L), where one shortest way joins any two switches; else `None`.
    pub fn single_decision_bias(&self) -> Option<u32> {
        let Topology::Dragonfly(dragonfly) = &self.topology;
        match self.routing {
            Routing::UgalL { bias } if dragonfly.has_single_paths => Some(bias),
            _ => None,
        }
    }

    /// The link a packet for `dst` takes out of `at`, and its virtual channel. The one routing
    /// function: packets ask it hop by hop, flows and LogGP walk it end to end.
    ///
    /// `route` starts as `Route::default()` at the source's switch and is updated at every hop.
    /// `draw` is the packet's own random number; nothing else random enters.
    #[inline]
    pub fn next_hop(
        &self,
        at: SwitchId,
        dst: NicId,
        route: &mut Route,
        draw: u64,
        load: &impl LoadView,
    ) -> Hop {
        let Topology::Dragonfly(dragonfly) = &self.topology;
        if let Some((after, hop)) = self.single_path_hop(at, dst, *route) {
            *route = after;
            return hop;
        }
        let home = self.nic_switch[dst];
        match dragonfly.next(at, home, dst, self.routing, route, draw, load) {
            Some((link, crosses)) => {
                let vc = route.class;
                route.class += u8::from(crosses);
                route.hops += 1;
                Hop { link, vc }
            }
            None => Hop { link: self.ejection(dst), vc: route.class },
        }
    }

    /// The next hop of a packet that has no choice any more, and its route from then on. Nothing if
    /// it may have one.
    #[inline(always)]
    pub fn single_path_hop(&self, at: SwitchId, dst: NicId, route: Route) -> Option<(Route, Hop)> {
        let Topology::Dragonfly(dragonfly) = &self.topology;
        let is_whole = dragonfly.has_single_paths && self.routing.is_fixed_minimal(route);
        // Where a packet is to decide yet nobody reads where it goes.
        let is_last_leg = route.decided && route.passed;
        if !(is_whole || is_last_leg) {
            return None;
        }
        let home = self.nic_switch[dst];
        let goes_on = at != home;
        let (link, crosses) = if is_whole {
            dragonfly.single_path_step(at, home)
        } else if dragonfly.has_single_local_links || !goes_on {
            (dragonfly.single_local_link(at, home)?, false)
        } else {
            return None;
        };
        let link = select_unpredictable(goes_on, link, self.ejection(dst));
        let after = Route {
            via: route.via,
            class: route.class + u8::from(goes_on & crosses),
            decided: true,
            passed: true,
            hops: route.hops + u8::from(goes_on),
        };
        Some((after, Hop { link, vc: route.class }))
    }

    /// All links from `src` to `dst`, injection first, ejection last, into `path`; and what a
    /// packet would carry of the route at its end. On a machine of which nothing is down, or as if
    /// nothing were.
    pub fn walk(
        &self,
        src: NicId,
        dst: NicId,
        draw: u64,
        load: &impl LoadView,
        path: &mut Vec<LinkId>,
    ) -> Route {
        path.clear();
        path.push(self.injection(src));
        let (mut route, mut at, last) =
            (Route::default(), self.nic_switch[src], self.ejection(dst));
        loop {
            let Hop { link, .. } = self.next_hop(at, dst, &mut route, draw, load);
            path.push(link);
            if link == last {
                return route;
            }
            let Topology::Dragonfly(dragonfly) = &self.topology;
            at = dragonfly.row_neighbor(at, link).unwrap_or_else(|| match self.links.to[link] {
                LinkEnd::Switch(next) => next,
                LinkEnd::Nic(_) => panic!("a route ended at the wrong NIC"),
            });
        }
    }
}
