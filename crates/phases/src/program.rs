//! The form of a phase program, as Python writes it.

use crate::grid::Grid;
use serde::Deserialize;

/// What all ranks do.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    pub ranks: u32,
    pub grids: Vec<Grid>,
    /// Families of communicators; each contains every rank once.
    #[serde(default)]
    pub partitions: Vec<Partition>,
    /// Names of the file systems that files are on; an empty one is the machine's first.
    #[serde(default)]
    pub file_systems: Vec<String>,
    /// Names of the phases; the first is that of calls outside any.
    pub phases: Vec<String>,
    pub body: Vec<Node>,
}

/// The communicators of ranks that differ only in these axes of a grid.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    pub grid: u32,
    pub axes: Vec<u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Node {
    Loop(Loop),
    Call(CallNode),
}

/// A body that is made `count` times, of which `simulated` are simulated.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// Number of iterations. Of a sample of a longer loop: the number that it represents, which
    /// need not be whole.
    pub count: f64,
    /// The same if only every second sample existed: the difference is the error of the sampling.
    #[serde(default)]
    pub coarse: Option<f64>,
    /// Whether this is one iteration of a loop whose iterations differ. It is simulated once. An
    /// iteration with count 0 warms up for the next one.
    #[serde(default)]
    pub is_sample: bool,
    pub body: Vec<Node>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct CallNode {
    /// Its phase, a position in `Program::phases`.
    pub phase: u32,
    /// Ranks that make it; all if absent.
    #[serde(default, rename = "where")]
    pub only: Vec<Where>,
    /// The requests that a nonblocking call belongs to, from 1 to 3; 0 if the call blocks.
    /// Offloaded computation has 3.
    #[serde(default)]
    pub request: u8,
    #[serde(flatten)]
    pub action: Action,
}

/// Ranks with this coordinate from `from` to `to`, exclusively, every `step`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Where {
    pub grid: u32,
    pub axis: u32,
    pub from: u32,
    pub to: u32,
    #[serde(default = "one")]
    pub step: u32,
    /// The coordinate from which `from` and `to` count, around the axis.
    #[serde(default)]
    pub root: u32,
}

fn one() -> u32 {
    1
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
pub enum Action {
    Send {
        to: Partner,
        bytes: Size,
        tag: i32,
        #[serde(default)]
        synchronous: bool,
    },
    Recv {
        from: Partner,
        bytes: Size,
        tag: i32,
    },
    /// Waits for the nonblocking calls with this request.
    Wait {
        of: u8,
    },
    Compute(Computation),
    /// Messages of a change of decomposition: nonblocking, with `request`.
    RemapSend(Remap),
    RemapRecv(Remap),
    Collective(CollectiveCall),
    /// `count` accesses to the memory of other ranks.
    Access(Access),
    File(FileAction),
}

/// Another rank, as a function of a rank. A message is not sent if there is none, or if it is the
/// rank itself.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum Partner {
    /// A neighbor on a grid.
    Offset {
        grid: u32,
        by: Vec<i32>,
        #[serde(default)]
        periodic: Vec<bool>,
    },
    /// The rank at a constant distance around all ranks.
    Shift { by: i64 },
    /// The rank whose number has these bits inverted.
    Xor { by: u32 },
    /// One rank.
    Rank { rank: u32 },
    /// The rank with one coordinate replaced.
    At { grid: u32, axis: u32, at: u32 },
    /// The rank whose coordinate on one axis, counted from `root`, has these bits inverted.
    AxisXor { grid: u32, axis: u32, root: u32, by: u32 },
}

/// Bytes of a message.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Size {
    Fixed(u64),
    /// Drawn for each pair of ranks and iteration. With a probability below 1 a message may be
    /// absent.
    Drawn {
        mean: f64,
        spread: Distribution,
        probability: f64,
        grain: u64,
        /// Bytes before the drawn ones, such as a header.
        #[serde(default)]
        head: u64,
        stream: u32,
    },
}

/// The distribution of a factor with mean 1.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Distribution {
    /// Cut off at 0.
    Normal {
        sigma: f64,
    },
    /// From `1 - width` to `1 + width`.
    Uniform {
        width: f64,
    },
    /// `1 - mean` plus an exponential variable with this mean.
    Exponential {
        mean: f64,
    },
    LogNormal {
        sigma: f64,
    },
    /// A Poisson number with this mean, over the mean: counts of particles or vertices.
    Poisson {
        mean: f64,
    },
}

/// Computation of one rank. Either `seconds`, or an amount from which the machine's device gives
/// the time.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Computation {
    #[serde(default)]
    pub seconds: Option<f64>,
    #[serde(default)]
    pub flops: f64,
    /// Bytes that move between the processor and its memory.
    #[serde(default)]
    pub bytes: f64,
    /// Bytes between the host and the GPU.
    #[serde(default)]
    pub link_bytes: f64,
    #[serde(default)]
    pub kernel: String,
    #[serde(default)]
    pub precision: String,
    /// Size of the kernel, on which its efficiency depends: the order of a matrix, or points.
    #[serde(default)]
    pub size: f64,
    /// Whether it occupies the device and not the CPU, which continues with the next calls.
    #[serde(default)]
    pub is_offloaded: bool,
    /// Factors that differ between ranks, and between calls.
    #[serde(default)]
    pub imbalance: Option<Distribution>,
    #[serde(default)]
    pub noise: Option<Distribution>,
    /// Number that distinguishes the random draws of this call from others.
    #[serde(default)]
    pub stream: u32,
}

/// A change from one block decomposition of a box of cells to another.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Remap {
    pub from: Boxes,
    pub to: Boxes,
    /// Cells along each axis.
    pub extent: Vec<u64>,
    /// Bytes per cell.
    pub bytes: u64,
    pub tag: i32,
}

/// A block decomposition: coordinate `c` of `p` has the cells from `c N / p` to `(c + 1) N / p`,
/// rounded down.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Boxes {
    pub grid: u32,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct CollectiveCall {
    pub kind: String,
    /// A position in `Program::partitions`; the world if absent.
    #[serde(default)]
    pub partition: Option<u32>,
    #[serde(default)]
    pub root: u32,
    /// Bytes of the vector (broadcast, reductions, scans) or of one rank's block (others).
    #[serde(default)]
    pub bytes: u64,
    /// Bytes of an element.
    #[serde(default = "eight")]
    pub grain: u64,
    /// Relative deviation of the blocks of the vector variants.
    #[serde(default)]
    pub spread: Option<Distribution>,
    /// Of `alltoallv`: the blocks for the member at each distance, from the rank itself on; all
    /// are alike if this is empty. `bytes` is their mean.
    #[serde(default)]
    pub blocks: Vec<Block>,
    #[serde(default)]
    pub stream: u32,
}

/// Bytes of a block: the mean if there is a spread.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Block {
    pub bytes: u64,
    #[serde(default)]
    pub spread: Option<Distribution>,
}

impl CollectiveCall {
    /// The block from one member to another, if there are `blocks`.
    pub fn block(&self, from: u32, to: u32, members: u32) -> Block {
        self.blocks[((to + members - from) % members) as usize]
    }
}

fn eight() -> u64 {
    8
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Access {
    pub to: Targets,
    pub count: u64,
    /// Bytes sent to the target, and bytes that return.
    pub out: u64,
    pub back: u64,
    #[serde(default)]
    pub atomic: bool,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Targets {
    One(Partner),
    /// All other ranks in turn, from the next one on.
    FromNext,
    /// The same from rank 0 on, so that all ranks access the same target at a time.
    FromFirst,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum FileStep {
    Create,
    Open,
    Read,
    Write,
    Sync,
    Close,
}

/// A call on a file, which all ranks share or of which each rank has one.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct FileAction {
    pub step: FileStep,
    /// A position in `Program::file_systems`.
    pub file_system: u32,
    /// Number of the file; of the first rank's if each rank has one, and the others follow.
    pub file: u32,
    #[serde(default)]
    pub per_rank: bool,
    /// Of a transfer, and the number of consecutive transfers.
    #[serde(default)]
    pub bytes: u64,
    #[serde(default = "once")]
    pub count: u64,
    /// First byte; in a shared file, ranks follow each other from there.
    #[serde(default)]
    pub offset: u64,
    #[serde(default)]
    pub direct: bool,
}

fn once() -> u64 {
    1
}
