//! Layer 2: a machine, described by a file (`MachineSpec`) and resolved to ids and integers
//! (`Machine`). After resolution there are no names and no units.
//!
//! Owns topology, routing, placement and the parameters of NICs, switches, nodes and file systems.
//! Knows nothing of packets, messages or the passing of time.

use base::{Digest, Gap, IndexVec, Span};

base::ids! {
    /// A node has NICs and runs ranks. Compute nodes come first, then service nodes.
    NodeId,
    /// A network endpoint.
    NicId,
    SwitchId,
    GroupId,
    /// One direction of one cable. Injection links come first (`LinkId(n)` leaves `NicId(n)`), then
    /// ejection links (`LinkId(nics + n)` enters `NicId(n)`), then links between switches.
    LinkId,
}

/// One end of a link.
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

/// One row per link. Columns are separate because the hot loop reads few of them at a time.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub from: IndexVec<LinkId, LinkEnd>,
    pub to: IndexVec<LinkId, LinkEnd>,
    pub kind: IndexVec<LinkId, LinkKind>,
    /// From the head entering the link until it is ready for a routing decision at the far end: the
    /// cable and the switch it leads to. Into a NIC it is the cable alone.
    pub latency: IndexVec<LinkId, Span>,
    /// The cable alone, which is what a returning credit takes.
    pub cable: IndexVec<LinkId, Span>,
    /// Inverse of the link's rate (serialization).
    pub gap: IndexVec<LinkId, Gap>,
    /// Input buffer at the far end, bytes per virtual channel.
    pub buffer: IndexVec<LinkId, u32>,
}

impl Links {
    /// With the column that every hop reads on large pages. Called once its size is known.
    fn on_large_pages(mut self) -> Links {
        self.to.raw = base::packed(self.to.raw.into_iter());
        self
    }

    /// Latency and gap per kind of link.
    pub fn by_kind(&self) -> LinkKindTable {
        let mut of = [(Span::ZERO, Gap::ZERO); _];
        for (link, &kind) in self.kind.iter() {
            of[kind as usize] = (self.latency[link], self.gap[link]);
        }
        let kinds = &self.kind.raw;
        let last = kinds.iter().rposition(|&kind| kind != LinkKind::Global);
        let (others, _) = kinds.split_at(last.map_or(0, |last| last + 1));
        let is_mixed = |kind: &LinkKind| matches!(kind, LinkKind::LocalBlack | LinkKind::Global);
        let globals = LinkId(others.len() as u32);
        LinkKindTable { of, globals: (!others.iter().any(is_mixed)).then_some(globals) }
    }
}

/// Latency and gap per kind; all links of a kind are equal (`resolve` lays them).
#[derive(Clone, Debug)]
pub struct LinkKindTable {
    of: [(Span, Gap); LinkKind::Global as usize + 1],
    /// The first global link, if links between switches are local ones followed by global ones.
    globals: Option<LinkId>,
}

impl LinkKindTable {
    #[inline]
    pub fn of(&self, kind: LinkKind) -> (Span, Gap) {
        self.of[kind as usize]
    }
    /// The same for a link between switches. Derives the kind from the link's number where it can,
    /// because the column of kinds is long and read at random.
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

/// The loads that a routing decision may use, in bytes.
///
/// A switch uses `near` and `far` of its own links, and `downstream` of links out of other switches
/// of its group. `remote_backlog` is for UGAL-G only, which cannot be simulated in parallel.
pub trait LoadView {
    /// Bytes queued for `link` at this end.
    fn near(&self, link: LinkId) -> u32;
    /// Bytes in the buffer at the far end of `link` according to credits: sent and not credited,
    /// less what an uncontended sender at full rate keeps on the cable.
    fn far(&self, link: LinkId) -> u32;
    /// `near` of a link out of another switch of this group, as last reported: one to two delays of
    /// a local link old.
    fn downstream(&self, link: LinkId) -> u32;
    /// `near` and `far` of any link of the machine, now. No real router has it.
    fn remote_backlog(&self, link: LinkId) -> u32;

    /// Sum of `near` and `far` of a link out of this switch.
    #[inline]
    fn backlog(&self, link: LinkId) -> u32 {
        self.near(link) + self.far(link)
    }
}
/// A network without load: every adaptive route is minimal.
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
    fn remote_backlog(&self, _: LinkId) -> u32 {
        0
    }
}

/// The routing state of a packet. `Route::default()` means "not decided yet".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Route {
    /// Intermediate switch of a nonminimal route, plus 1; 0 is none. Its meaning belongs to the
    /// topology.
    pub via: u32,
    /// Virtual-channel class of the next hop. It never decreases, so no deadlock is possible.
    pub class: u8,
    pub decided: bool,
    /// The intermediate switch has been reached, or there is none.
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

/// One hop of a route: the link out of this switch and the virtual channel on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    pub link: LinkId,
    pub vc: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arbitration {
    /// The inputs that compete for an output are served in turn.
    RoundRobin,
    /// The packet injected first goes first.
    Age,
}

/// Resolved NIC parameters. Sources are in the machine files.
#[derive(Clone, Debug, PartialEq)]
pub struct NicParams {
    /// From the command to the head entering the injection link, for data inside the command.
    pub send_latency: Span,
    /// From the arrival of the tail to the completion at the receiver.
    pub recv_latency: Span,
    /// Largest message whose data is inside the command, bytes.
    pub immediate_max: u64,
    /// Added before the head of a larger message: the NIC reads host memory.
    pub dma_latency: Span,
    /// Inverse of the rate between host memory and NIC of one packet, which the NIC holds whole
    /// before it sends or writes it. It adds latency to the first and the last packet and is no
    /// pipeline stage. `Gap::ZERO` is none.
    pub staging_gap: Gap,
    /// Minimum time between two messages entering one NIC, from any process.
    pub message_gap: Span,
    /// Minimum time between two messages of one process.
    pub command_gap: Span,
    /// Minimum time between two one-sided commands of one core.
    pub core_gap: Span,
    /// Payload of a full packet, bytes.
    pub packet_payload: u64,
    /// Wire bytes per packet in addition to its payload.
    pub packet_overhead: u64,
    /// Wire bytes of a response packet in addition to its payload; 0 where acknowledgements are not
    /// packets.
    pub response: u64,
    /// Larger messages are moved by the NIC's block engine, which takes `block_latency` to start.
    /// `u64::MAX` is none.
    pub block_above: u64,
    pub block_latency: Span,
    /// Read of host memory by a target's NIC that answers packet by packet. A transfer by the block
    /// engine includes it in `block_latency`.
    pub read_latency: Span,
    /// Minimum time between two atomics that a NIC executes.
    pub atomic_gap: Span,
    /// Maximum number of unacknowledged packets per NIC.
    pub window: u32,
    /// Match engines per NIC, and list entries per match engine. `u64::MAX` is no limit.
    pub match_engines: u32,
    pub match_entries: u64,
    /// Portal table entries and target command queues per NIC. `u64::MAX` is no limit.
    pub portal_table: u64,
    pub command_queues: u64,
    /// Inverse of the host interface's payload rate for both directions together. `Gap::ZERO` is no
    /// cap.
    pub host_gap: Gap,
    /// Inverse of the host interface's payload rate in one direction. `Gap::ZERO` is no cap.
    pub host_gap_one_way: Gap,
    /// Time that a message of several packets occupies the shared capacity of the host interface,
    /// in addition to its bytes, at either end, with its first packet.
    pub multipacket_message: Span,
    /// Time that an MPI message occupies its receiver's NIC in addition to its bytes: per process,
    /// and for the NIC as a whole.
    pub process_message: Span,
    pub received_message: Span,
}

impl NicParams {
    /// Time that an MPI message occupies a receiver's NIC with `processes` processes, in addition
    /// to its bytes. The processes overlap their own part, so 1/n of it blocks the NIC. It is zero
    /// without a host interface.
    pub fn handling(&self, processes: u32) -> Span {
        if self.host_gap.max(self.host_gap_one_way) == Gap::ZERO {
            return Span::ZERO;
        }
        self.received_message.max(Span(self.process_message.0 / u64::from(processes.max(1))))
    }

    /// From the request for `bytes` of host memory until their first packet is in the NIC.
    #[inline]
    pub fn fetch(&self, bytes: u64) -> Span {
        self.dma_latency + self.stage_first(bytes)
    }

    /// Time of the first packet of `bytes` from host memory.
    #[inline]
    pub fn stage_first(&self, bytes: u64) -> Span {
        self.staging_gap.span(bytes.min(self.packet_payload))
    }

    /// Time of the last packet of `bytes` into host memory.
    #[inline]
    pub fn stage_last(&self, bytes: u64) -> Span {
        if self.staging_gap == Gap::ZERO || bytes == 0 {
            return Span::ZERO;
        }
        self.staging_gap.span((bytes - 1) % self.packet_payload + 1)
    }

    /// How much longer a full packet of `bytes` takes into memory than the last one; zero if there
    /// is only one packet.
    #[inline]
    pub fn stage_ahead(&self, bytes: u64) -> Span {
        if self.staging_gap == Gap::ZERO || bytes <= self.packet_payload {
            return Span::ZERO;
        }
        Span(self.staging_gap.span(self.packet_payload).0 - self.stage_last(bytes).0)
    }

    /// From the tail of a message of `bytes` to the completion that its receiver can see.
    #[inline]
    pub fn completion(&self, bytes: u64) -> Span {
        self.recv_latency + self.stage_last(bytes)
    }

    /// Delay of the second of `packets` packets beyond `pace` after the first, caused by the shared
    /// time that the message itself takes.
    #[inline]
    pub fn multipacket_wait(&self, packets: u64, pace: Span) -> Span {
        if packets == 1 || self.multipacket_message == Span::ZERO {
            return Span::ZERO;
        }
        let shared = self.host_gap.span(self.packet_payload) + self.multipacket_message;
        Span(shared.0.saturating_sub(pace.0))
    }

    /// Time in which a NIC that answers packet by packet reads `bytes` of host memory for a get.
    #[inline]
    pub fn read_for_get(&self, bytes: u64) -> Span {
        let is_read = self.response > 0 && bytes > 0 && bytes <= self.block_above;
        if is_read { self.read_latency } else { Span::ZERO }
    }

    /// Time that the NIC takes for a command of `bytes` before the first head can leave, in
    /// addition to its general latencies.
    #[inline]
    pub fn block_start(&self, bytes: u64) -> Span {
        if bytes > self.block_above { self.block_latency } else { Span::ZERO }
    }
}

/// Resolved parameters of congestion management.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CongestionParams {
    /// Bytes queued for a NIC's ejection link at which its senders are throttled. As many stay
    /// queued while they are, so that the link never idles.
    pub threshold: u32,
}

/// Resolved parameters of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeParams {
    /// From a host's command until its NIC has it, and from the NIC's completion until the host
    /// sees it, each in addition to the NIC's own latencies.
    pub nic_latency: Span,
    /// Shared-memory latency of a message between two cores, without MPI overheads.
    pub shm_latency: Span,
    /// Inverse of the copy rate of one core.
    pub shm_gap: Gap,
    /// Added to `shm_latency` between cores of different CPUs.
    pub far_latency: Span,
    /// Inverse of the copy rate of one core, to or from a core of another CPU.
    pub far_gap: Gap,
    /// Added where a core uses a NIC of another CPU, on either side.
    pub far_nic_latency: Span,
    /// Inverse of the copy rate of all pairs together.
    pub memory_gap: Gap,
    /// Bytes that its ranks may use; `None` is no limit.
    pub memory: Option<u64>,
    /// Cores usable by ranks.
    pub cores: u32,
    /// Speed of one core relative to the one odonata runs on, for `--compute measured`.
    pub core_speed: f64,
    /// Speed of a core in MPI library code, relative to the cores that the library's profile was
    /// measured on.
    pub mpi_speed: f64,
    /// `None` if the machine file describes no GPU links.
    pub gpu: Option<GpuParams>,
}

/// Resolved GPU parameters of a node. All rates are one way.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuParams {
    /// Inverse of the rate between host memory and one GPU.
    pub gap: Gap,
    /// Start time of a copy engine.
    pub copy_latency: Span,
    /// Inverse of the rate between two GPUs of a node, and between two tiles of one GPU.
    pub link_gap: Gap,
    pub tile_gap: Gap,
    /// Latency of a NIC's read of GPU memory beyond that of host memory.
    pub nic_latency: Span,
    /// Inverse of the one-way rate between a NIC and GPU memory; `None` is that of host memory.
    pub nic_gap_one_way: Option<Gap>,
    /// Inverse of the rate between GPU memory and all NICs of one CPU together. `Gap::ZERO` is no
    /// cap.
    pub nic_gap: Gap,
}

/// Resolved parameters of files outside the mounts of file systems.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalStorageParams {
    /// Added to every transfer.
    pub latency: Span,
    /// Inverse of the rate of all nodes together.
    pub gap: Gap,
    /// Inverse of the rate of one node.
    pub node_gap: Gap,
}

/// Resolved parameters of loss and retransmission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryParams {
    /// From the transmission of a packet to its retransmission if it is lost.
    pub timeout: Span,
    /// Retransmissions of a packet before its message fails.
    pub limit: u32,
    /// Time until a failure or repair of a link is visible to other switches.
    pub routing_delay: faults::RoutingDelay,
}

mod binding;
mod classes;
mod compute;
mod compute_keys;
mod distance;
mod fabric;
pub mod faults;
mod folding;
mod group_kind;
mod inheritance;
mod input_error;
mod key;
pub mod names;
mod parameters;
pub mod placement;
mod prefetch;
mod presets;
mod quantity;
mod reorder;
mod resolve;
mod routes;
mod schema;
mod spec;
pub mod storage;
mod summary;
mod topology;
mod tree;
mod values;
mod zero_load;

pub use binding::{Binding, NicMapping, NicPolicy};
pub use classes::{BEST_EFFORT, Classes, TrafficClass};
pub use compute::{ComputeParams, KERNELS, PRECISIONS, PowerParams};
pub use distance::Distance;
pub use fabric::FabricView;
pub use folding::{Folding, FoldingPlace};
pub use group_kind::GroupKind;
pub use input_error::{InputError, nearest};
pub use presets::{PRESETS, preset};
pub use reorder::Reorder;
pub use schema::{FABRICS, reference};
pub use spec::MachineSpec;
pub use summary::{Distances, FileSystemSummary, LinksByKind, PortsByKind, Summary};
pub use topology::Topology;
pub use topology::dragonfly::routing::{AriesMode, Bias, Routing, RoutingBias, Scoring};
pub use tree::{NIC_CHILDREN, Reducer};

/// Program launcher; it gives each rank its number in environment variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launcher {
    /// HPE's `mpiexec`, under PBS.
    Pals,
    /// `srun`.
    Slurm,
}

/// A resolved machine, immutable during a run.
#[derive(Clone, Debug)]
pub struct Machine {
    pub name: String,
    /// Digest of the keys of its file; machines with equal digests are equal.
    pub digest: Digest,
    pub topology: Topology,
    pub routing: Routing,
    /// Name of the routing policy as the file or an override spells it, or the default.
    pub routing_name: String,
    pub arbitration: Arbitration,
    /// Returned credits of links between switches become available at multiples of this; if `None`,
    /// the packet network selects an interval for each link.
    pub credit_epoch: Option<Span>,
    /// Ordered traffic stays on one path while any packet of its flow is in flight.
    pub keeps_flows: bool,
    pub links: Links,
    /// First NIC of each node and one past the last: node `n` has NICs `node_nics[n]..node_nics[n +
    /// 1]`.
    pub node_nics: IndexVec<NodeId, u32>,
    pub nic_node: IndexVec<NicId, NodeId>,
    pub nic_switch: IndexVec<NicId, SwitchId>,
    pub switch_group: IndexVec<SwitchId, GroupId>,
    /// Nodes that run jobs: `NodeId(0)..NodeId(compute_nodes)`.
    pub compute_nodes: u32,
    pub n_groups: u32,
    /// Virtual channels per link and virtual network, as many as the routing needs.
    pub n_vcs: u8,
    /// Virtual networks, each with its own virtual channels: no packet waits for a buffer that a
    /// packet of another virtual network holds.
    pub n_vnets: u8,
    pub classes: Classes,
    pub nic: NicParams,
    /// `None` without congestion management.
    pub congestion: Option<CongestionParams>,
    pub node: NodeParams,
    /// Keys of library profiles that differ on this machine, by profile; not checked here.
    pub libraries: toml::Table,
    /// What a rank computes on; `None` if the file has no rates.
    pub compute: Option<ComputeParams>,
    pub power: PowerParams,
    pub local_storage: LocalStorageParams,
    /// Sorted by name. The workload numbers file systems by their index.
    pub file_systems: Vec<storage::FileSystem>,
    pub retry: RetryParams,
    /// Resolved fault schedule, if there is one.
    pub faults: Option<Box<faults::Faults>>,
    /// Changes of routing biases during a run.
    bias_changes: Vec<fabric::FabricChange>,
    /// What routing knows at the start of a run.
    initial_fabric: FabricView,
    /// Network family; it selects the values of an MPI library's profile.
    pub fabric: String,
    /// Kinds of groups, in the order of their groups.
    pub kinds: Vec<GroupKind>,
    pub group_kind: IndexVec<GroupId, u16>,
    /// Links between groups that share a cable.
    pub links_per_cable: u32,
    /// Names of the compute nodes, if the file gives them.
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
    /// From a host's command with inline data until the NIC sends it.
    pub fn command_latency(&self) -> Span {
        self.node.nic_latency + self.nic.send_latency
    }
    /// From the arrival of the tail until the host sees it.
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
}
