//! Parameters of DAOS: engines, containers, client paths, times. What they mean is not known here.
//!
//! Sources of defaults: [D] daos-stack/daos @1ff45496, the file named; [A] argonne-lcf/user-guides
//! @7d04a3f9, daos-overview.md; [derived] arithmetic on those; [estimate] a guess.

use base::{Gap, Span};

use crate::input_error::InputError;
use crate::key::IfAbsent::{Default, Described};
use crate::key::ValueForm::{Count, Text, Word};
use crate::key::{Key, MEMORY, RATE, SIZE, TIME, key};
use crate::values::Values;

/// Keys of `[[storage]]` with `kind = "daos"`. Each is read in `DaosParams::new`, except `servers`,
/// which is the number of hosts.
#[rustfmt::skip] // A table is read down its columns.
pub const KEYS: &[Key] = &[
    key("storage.<name>.servers", Count(1, 65_000), Described("all nodes of its groups"),
        "Server nodes of the pool."),
    key("storage.<name>.engines", Count(1, 16), Default("2"),
        "Engines per server node, each with an equal share of its NICs."),
    key("storage.<name>.targets", Count(1, 64), Default("16"), "Targets per engine."),
    // [A]: 16 NVMes of a server with two engines.
    key("storage.<name>.nvmes", Count(0, 64), Default("8"),
        "NVMes per engine. With 0, all data is on SCM."),
    // Container properties.
    key("storage.<name>.redundancy_factor", Count(0, 3), Default("0"),
        "Failures of servers that the container survives (`rd_fac`)."),
    key("storage.<name>.file_class", Text, Described("by `redundancy_factor`"),
        "Object class of files, such as `SX` or `EC_16P2GX`."),
    key("storage.<name>.directory_class", Text, Described("by `redundancy_factor`"),
        "Object class of directories, such as `S1` or `RP_3G1`. Erasure codes are ignored."),
    key("storage.<name>.chunk_size", SIZE, Described("1 MiB, or by the default code"),
        "Bytes of a file per key."),
    key("storage.<name>.cell_size", SIZE, Default("128 KiB"), // [D] daos/object.h
        "Bytes of a cell of an erasure code."),
    key("storage.<name>.checksums", Word(&["off", "client", "client-and-engine"]), Default("off"),
        "Who computes checksums (`cksum`, `srv_cksum`)."),
    key("storage.<name>.client_path", Word(&ClientPath::NAMES), Default("dfuse"),
        "How processes reach the file system. See docs/models/daos.md."),
    key("storage.<name>.placement_seed", Count(0, 1_000_000_000), Default("1"),
        "Seed of the placement of objects."),
    // CPU time of clients. 128-byte writes of one process: 60.8 k/s, so 16.4 us per RPC. The halves
    // are an [estimate]. Source: [A] daos pool autotest.
    key("storage.<name>.send_time", TIME, Default("8.2 us"), "Client CPU time to send an RPC."),
    key("storage.<name>.receive_time", TIME, Default("8.2 us"),
        "Client CPU time to receive a reply."),
    // 1 MiB of one process: 5.54 k/s written, 12.9 k/s read, minus an RPC. [derived] from [A].
    key("storage.<name>.client_write_rate", RATE, Default("6.39 GB/s"),
        "Bytes per client CPU time of bulk transfers, writing."),
    key("storage.<name>.client_read_rate", RATE, Default("17.2 GB/s"),
        "Bytes per client CPU time of bulk transfers, reading."),
    key("storage.<name>.client_parity_rate", RATE, Default("10 GB/s"), // ISA-L [estimate]
        "Bytes of data cells per client CPU time and parity cell."),
    key("storage.<name>.client_checksum_rate", RATE, Default("10 GB/s"), // ISA-L crc32 [estimate]
        "Bytes per client CPU time of a checksum."),
    // One process makes 10.1 k creates of empty files per second: 98 us, of which an RPC takes 48.
    // [derived] from IO-500 submission 696: Aurora, 80 servers, 10 nodes x 208 processes, DFS.
    key("storage.<name>.open_time", TIME, Default("50 us"),
        "Client CPU time to open a file's object: identifier, layout, handles."),
    key("storage.<name>.init_time", TIME, Default("300 ms"), // "hundreds of ms", [D] filesystem.md
        "Client CPU time of the first call of a process (`daos_init`)."),
    key("storage.<name>.entry_timeout", TIME, Default("60 s"), // D_IL_DCACHE_REC_TIMEOUT
        "Validity of directory handles in libpil4dfs."),
    key("storage.<name>.credits", Count(1, 256), Default("32"), // CRT_CREDIT_EP_CTX
        "RPCs in flight per process and target."),
    // Times of a target's thread. `vos_perf` on one core with Optane: 4 KiB in 12.448 us (update)
    // and 2.388 us (fetch), 1 MiB in 531.2 and 253.3 us. The line through both sizes gives the
    // fixed time and the rate of the copy. [derived] from [D] admin/performance_tuning.md.
    key("storage.<name>.rpc_time", TIME, Default("5 us"), // [estimate]
        "Engine time per RPC, besides its execution."),
    key("storage.<name>.update_time", TIME, Default("10.414 us"), "Engine time of an update."),
    key("storage.<name>.fetch_time", TIME, Default("1.404 us"), "Engine time of a fetch."),
    key("storage.<name>.update_copy_rate", RATE, Default("2.013 GB/s"),
        "Bytes per engine time of a payload in an RPC that is copied to SCM."),
    key("storage.<name>.fetch_copy_rate", RATE, Default("4.163 GB/s"),
        "Bytes per engine time of a payload in a reply that is copied from SCM."),
    // `vos_perf` repeats accesses of one object, whose trees are in the processor's caches. Targets
    // limit the metadata rates of IO-500 submission 670 (LRZ). [derived] from its four rates of
    // creates and removals, as docs/models/daos.md states.
    key("storage.<name>.key_time", TIME, Default("12.5 us"),
        "Engine time of the first update of a key, beside `update_time`: its entries in the trees \
         of VOS."),
    key("storage.<name>.object_time", TIME, Default("65 us"),
        "Engine time of the first update of an object on a target, beside `key_time`."),
    key("storage.<name>.punch_time", TIME, Default("21 us"),
        "Engine time of a punch of a key or object."),
    key("storage.<name>.reclaim_time", TIME, Default("25 us"),
        "Engine time of the punch of an object that has data, beside `punch_time`."),
    // [derived] from the reads of files of 3,901 B in IO-500 submission 696 (Aurora).
    key("storage.<name>.cold_fetch_time", TIME, Default("45 us"),
        "Engine time of a fetch of a file's data, beside `fetch_time`: trees of VOS in SCM."),
    // [derived] from `stat` in IO-500 submission 670.
    key("storage.<name>.query_time", TIME, Default("10 us"),
        "Engine time of a query of an object's size."),
    key("storage.<name>.list_time", TIME, Default("5 us"), // [estimate]
        "Engine time of a list, besides its entries."),
    key("storage.<name>.list_entry_time", TIME, Default("200 ns"), // [estimate]
        "Engine time per entry of a list."),
    key("storage.<name>.commit_time", TIME, Default("1 us"), // [estimate]
        "Engine time per committed transaction."),
    key("storage.<name>.engine_checksum_rate", RATE, Default("10 GB/s"), // [estimate]
        "Bytes per engine time of a checksum."),
    key("storage.<name>.engine_parity_rate", RATE, Default("10 GB/s"), // [estimate]
        "Bytes of data cells per engine time and parity cell, in aggregations."),
    // Media.
    key("storage.<name>.scm_write_rate", RATE, Default("2.013 GB/s"), // as the copy
        "Rate of one target's SCM, writing by RDMA."),
    key("storage.<name>.scm_read_rate", RATE, Default("4.163 GB/s"), // as the copy
        "Rate of one target's SCM, reading by RDMA."),
    key("storage.<name>.nvme_write_rate", RATE, Default("3.8 GB/s"), // PM1733 [estimate]
        "Rate of one NVMe, writing."),
    key("storage.<name>.nvme_read_rate", RATE, Default("7 GB/s"), // PM1733 [estimate]
        "Rate of one NVMe, reading."),
    key("storage.<name>.nvme_command_time", TIME, Default("1 us"), // 1 M commands/s [estimate]
        "Occupation of an NVMe per command, besides its bytes."),
    key("storage.<name>.nvme_write_latency", TIME, Default("20 us"), // [estimate]
        "Latency of a write command, during which the NVMe serves others."),
    key("storage.<name>.nvme_read_latency", TIME, Default("80 us"), // [estimate]
        "Latency of a read command, during which the NVMe serves others."),
    // Space, for `daos pool query`.
    key("storage.<name>.scm_capacity", MEMORY, Default("256 GB"), // [A] 16 x 512 GB per node
        "Space of one target's SCM."),
    key("storage.<name>.nvme_capacity", MEMORY, Default("15.3 TB"), // [A]
        "Space of one NVMe."),
    // Sizes of messages.
    key("storage.<name>.request_size", SIZE, Default("512 B"), // [estimate]
        "Bytes of a request without payload."),
    key("storage.<name>.reply_size", SIZE, Default("256 B"), // [estimate]
        "Bytes of a reply without payload."),
    key("storage.<name>.entry_size", SIZE, Default("100 B"), // an inode, [D] dfs/README.md
        "Bytes of a directory entry."),
    key("storage.<name>.list_entry_size", SIZE, Default("48 B"), // descriptor and name [estimate]
        "Bytes per entry of a list."),
    // The daemon of a node.
    key("storage.<name>.dfuse_threads", Count(1, 256), Default("16"), // [D] dfuse.h
        "Threads of the dfuse daemon of a node."),
    // 256 pages since Linux 4.20, 32 before (fs/fuse, FUSE_MAX_PAGES_PER_REQ).
    key("storage.<name>.dfuse_request_size", SIZE, Default("1 MiB"), // [D] dfuse.h
        "Largest read or write request of the kernel to dfuse."),
    key("storage.<name>.dfuse_kernel_time", TIME, Default("6 us"), // [estimate]
        "CPU time of a process per request to dfuse: system call, queue, two context switches."),
    key("storage.<name>.dfuse_request_time", TIME, Default("10 us"), // [estimate]
        "Time of a thread of dfuse per request, besides its RPCs and copies."),
    key("storage.<name>.dfuse_copy_rate", RATE, Default("8 GB/s"), // [estimate]
        "Rate of a copy between a process, the page cache or dfuse."),
    // The kernel lets FUSE use 1 % of the page cache for modified data.
    key("storage.<name>.dfuse_dirty_size", MEMORY, Default("1 GiB"), // [estimate]
        "Modified data per node above which writers to dfuse wait."),
    key("storage.<name>.dfuse_cache_size", MEMORY, Default("64 GiB"), // [estimate]
        "Data of dfuse in the page cache of a node."),
];

/// How an object's data is protected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Redundancy {
    /// This number of copies; 1 is no protection.
    Replicas(u32),
    /// Reed-Solomon: `data` + `parity` cells per stripe.
    ErasureCode { data: u32, parity: u32 },
}

impl Redundancy {
    /// Shards of a redundancy group.
    pub fn group_size(self) -> u32 {
        match self {
            Redundancy::Replicas(r) => r,
            Redundancy::ErasureCode { data, parity } => data + parity,
        }
    }
}

/// Number of redundancy groups of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Groups {
    Count(u32),
    /// `X`: all targets except a reserve.
    Max,
}

/// An object class, by its name in DAOS: `S1`, `SX`, `RP_2G1`, `EC_16P2GX`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectClass {
    pub redundancy: Redundancy,
    pub groups: Groups,
}

/// Replicas and erasure codes for which DAOS has classes. Source: [D] daos_obj_class.h,
/// `daos_obj_redun`.
const REPLICAS: [u32; 13] = [2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 128];
const CODES: [(u32, u32); 11] =
    [(2, 1), (2, 2), (4, 1), (4, 2), (4, 3), (8, 1), (8, 2), (8, 3), (16, 1), (16, 2), (16, 3)];
/// Largest fixed part of a message, so that sums of them fit 32 bits.
const MAX_MESSAGE: u64 = 64 << 10;
/// Source: [D] daos_obj_class.h, `MAX_NUM_GROUPS`.
const MAX_GROUPS: u32 = 65_535;

impl ObjectClass {
    /// `None` if DAOS has no class of this name.
    pub fn parse(name: &str) -> Option<ObjectClass> {
        if let Some(rest) = name.strip_prefix("RP_") {
            let (replicas, groups) = rest.split_once('G')?;
            let redundancy = Redundancy::Replicas(number(replicas)?);
            let known = REPLICAS.contains(&redundancy.group_size());
            return known.then_some(ObjectClass { redundancy, groups: groups_of(groups)? });
        }
        if let Some(rest) = name.strip_prefix("EC_") {
            let (code, groups) = rest.split_once('G')?;
            let (data, parity) = code.split_once('P')?;
            let code = (number(data)?, number(parity)?);
            let redundancy = Redundancy::ErasureCode { data: code.0, parity: code.1 };
            let known = CODES.contains(&code);
            return known.then_some(ObjectClass { redundancy, groups: groups_of(groups)? });
        }
        let groups = groups_of(name.strip_prefix('S')?)?;
        Some(ObjectClass { redundancy: Redundancy::Replicas(1), groups })
    }

    pub fn name(&self) -> String {
        let groups = match self.groups {
            Groups::Count(n) => n.to_string(),
            Groups::Max => "X".to_string(),
        };
        match self.redundancy {
            Redundancy::Replicas(1) => format!("S{groups}"),
            Redundancy::Replicas(r) => format!("RP_{r}G{groups}"),
            Redundancy::ErasureCode { data, parity } => format!("EC_{data}P{parity}G{groups}"),
        }
    }
}

fn number(text: &str) -> Option<u32> {
    let plain = !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn groups_of(text: &str) -> Option<Groups> {
    match text {
        "X" => Some(Groups::Max),
        _ => number(text).filter(|&n| n <= MAX_GROUPS).map(Groups::Count),
    }
}

/// How processes reach the file system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClientPath {
    /// The DFS library, called by the program. Its directory handles are kept for the whole run.
    Dfs,
    /// libpil4dfs: data and metadata calls are served in the process.
    Pil4dfs,
    /// libioil: data calls are served in the process, metadata calls by dfuse.
    Ioil,
    /// The daemon of the node, below the kernel's FUSE. `write_back` is its `--enable-wb-cache`.
    Dfuse { caching: bool, write_back: bool },
}

impl ClientPath {
    pub const NAMES: [&str; 6] =
        ["dfs", "pil4dfs", "ioil", "dfuse", "dfuse-write-through", "dfuse-uncached"];

    pub fn parse(name: &str) -> Option<ClientPath> {
        Some(match name {
            "dfs" => ClientPath::Dfs,
            "pil4dfs" => ClientPath::Pil4dfs,
            "ioil" => ClientPath::Ioil,
            "dfuse" => ClientPath::Dfuse { caching: true, write_back: true },
            "dfuse-write-through" => ClientPath::Dfuse { caching: true, write_back: false },
            "dfuse-uncached" => ClientPath::Dfuse { caching: false, write_back: false },
            _ => return None,
        })
    }
}

/// Who computes and verifies checksums (container properties `cksum` and `srv_cksum`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checksums {
    Off,
    Client,
    ClientAndEngine,
}

/// The daemon of a node, and the kernel above it.
#[derive(Clone, Debug, PartialEq)]
pub struct DfuseParams {
    pub threads: u32,
    /// Inverse of the rate of a copy.
    pub copy: Gap,
    /// CPU time of the process per request, and time of a thread of the daemon.
    pub kernel: Span,
    pub request: Span,
    /// Data that a node may have modified and not written, and data that its kernel caches.
    pub dirty_bytes: u64,
    pub cache_bytes: u64,
    /// Largest request of the kernel.
    pub request_bytes: u64,
}

impl DfuseParams {
    /// Requests of the kernel in flight that no process waits for. Source: [D] dfuse.h.
    pub const MAX_BACKGROUND: u32 = 16;
    /// Largest file that is read as a whole. Source: [D] dfuse.h.
    pub const PREREAD: u64 = 4 << 20;
    /// Validity of entries with attributes, and of data. Source: [D] filesystem.md.
    pub const ATTRIBUTE_TIMEOUT: Span = Span::ms(1_000);
    pub const DATA_TIMEOUT: Span = Span::ms(600_000);
}

/// CPU time of clients.
#[derive(Clone, Debug, PartialEq)]
pub struct DaosClientParams {
    /// Sending an RPC, and receiving its reply.
    pub send: Span,
    pub receive: Span,
    /// Per byte of a bulk transfer: registration of memory, and progress.
    pub write: Gap,
    pub read: Gap,
    /// Per byte of data and parity cell.
    pub parity: Gap,
    pub checksum: Gap,
    /// Opening the object of a file.
    pub open: Span,
    /// `daos_init` of a process.
    pub init: Span,
    /// Validity of directory handles in libpil4dfs.
    pub entry_timeout: Span,
    /// RPCs in flight per process and target.
    pub credits: u32,
}

/// Times of engines. A target has one service thread.
#[derive(Clone, Debug, PartialEq)]
pub struct DaosEngineParams {
    /// Per RPC: progress, decoding, user-level thread.
    pub request: Span,
    pub update: Span,
    /// Beside `update`: the first one of a key, and of an object on a target.
    pub new_key: Span,
    pub new_object: Span,
    pub fetch: Span,
    /// Beside `fetch`, of a file's data.
    pub cold_fetch: Span,
    /// Per byte that the thread copies: small payloads of RPCs.
    pub update_copy: Gap,
    pub fetch_copy: Gap,
    pub query: Span,
    pub punch: Span,
    /// Beside `punch`, of an object that has data.
    pub reclaim: Span,
    /// A list, per RPC and per entry.
    pub list: Span,
    pub list_entry: Span,
    /// Commit of one distributed transaction.
    pub commit: Span,
    pub checksum: Gap,
    /// Aggregation of erasure codes, per byte of data and parity cell.
    pub parity: Gap,
    /// The share of the SCM of one target, and one NVMe.
    pub scm_write: Gap,
    pub scm_read: Gap,
    pub nvme_write: Gap,
    pub nvme_read: Gap,
    /// Occupation of an NVMe per command, and latency of a command.
    pub nvme_command: Span,
    pub nvme_write_latency: Span,
    pub nvme_read_latency: Span,
}

/// Bytes of messages.
#[derive(Clone, Debug, PartialEq)]
pub struct DaosMessageParams {
    /// A request and a reply without payload, a directory entry, an entry of a list.
    pub request: u32,
    pub reply: u32,
    pub entry: u32,
    pub list_entry: u32,
}

/// Resolved parameters of a DAOS file system. The number of its server nodes is that of its hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct DaosParams {
    /// Engines per host, targets and NVMes per engine. Without NVMe, all data is on SCM.
    pub engines: u32,
    pub targets: u32,
    pub nvmes: u32,
    /// Container properties. `None` is the default of DAOS for the redundancy factor.
    pub redundancy_factor: u32,
    pub file_class: Option<ObjectClass>,
    pub directory_class: Option<ObjectClass>,
    pub chunk_size: Option<u64>,
    pub cell_size: u64,
    pub checksums: Checksums,
    pub client_path: ClientPath,
    /// Bytes of one target's SCM, and of one NVMe.
    pub scm_capacity: u64,
    pub nvme_capacity: u64,
    pub placement_seed: u64,
    pub client: DaosClientParams,
    pub engine: DaosEngineParams,
    pub message: DaosMessageParams,
    pub dfuse: DfuseParams,
}

impl DaosParams {
    /// Reports classes and sizes that do not exist at `out`.
    pub(crate) fn new(values: &Values, out: &mut Vec<InputError>) -> DaosParams {
        let chunk_size = values.number("chunk_size").map(|bytes| bytes.round() as u64);
        let cell_size = values.bytes("cell_size");
        let request_size = values.bytes("dfuse_request_size");
        for (key, bytes) in [
            ("chunk_size", chunk_size),
            ("cell_size", Some(cell_size)),
            ("dfuse_request_size", Some(request_size)),
        ] {
            if bytes == Some(0) {
                out.push(InputError::new(values.path(key), "0 B", "at least 1 B"));
            }
        }
        for key in ["request_size", "reply_size", "entry_size", "list_entry_size"] {
            let bytes = values.bytes(key);
            if bytes > MAX_MESSAGE {
                let expected = format!("at most {MAX_MESSAGE} B");
                out.push(InputError::new(values.path(key), format!("{bytes} B"), expected));
            }
        }
        DaosParams {
            engines: values.count("engines"),
            targets: values.count("targets"),
            nvmes: values.count("nvmes"),
            redundancy_factor: values.count("redundancy_factor"),
            file_class: class(values, "file_class", out),
            directory_class: class(values, "directory_class", out),
            chunk_size,
            cell_size,
            checksums: match values.text("checksums") {
                "client" => Checksums::Client,
                "client-and-engine" => Checksums::ClientAndEngine,
                _ => Checksums::Off,
            },
            client_path: ClientPath::parse(values.text("client_path"))
                .expect("the words of the key are its names"),
            scm_capacity: values.bytes("scm_capacity"),
            nvme_capacity: values.bytes("nvme_capacity"),
            placement_seed: values.count("placement_seed").into(),
            client: DaosClientParams::new(values),
            engine: DaosEngineParams::new(values),
            message: DaosMessageParams {
                request: values.bytes("request_size") as u32,
                reply: values.bytes("reply_size") as u32,
                entry: values.bytes("entry_size") as u32,
                list_entry: values.bytes("list_entry_size") as u32,
            },
            dfuse: DfuseParams {
                threads: values.count("dfuse_threads"),
                copy: values.gap("dfuse_copy_rate"),
                kernel: values.span("dfuse_kernel_time"),
                request: values.span("dfuse_request_time"),
                dirty_bytes: values.bytes("dfuse_dirty_size"),
                cache_bytes: values.bytes("dfuse_cache_size"),
                request_bytes: values.bytes("dfuse_request_size"),
            },
        }
    }

    /// Reports classes that do not fit on this number of servers.
    pub(crate) fn check(&self, hosts: u32, values: &Values, out: &mut Vec<InputError>) {
        let targets = u64::from(hosts) * u64::from(self.engines) * u64::from(self.targets);
        for (key, class) in
            [("file_class", self.file_class), ("directory_class", self.directory_class)]
        {
            let Some(class) = class else { continue };
            let size = class.redundancy.group_size();
            let groups = match class.groups {
                Groups::Count(groups) => groups,
                Groups::Max => 1,
            };
            if size > hosts || u64::from(groups) * u64::from(size) > targets {
                let expected =
                    format!("a class for {hosts} servers with {targets} targets in total");
                out.push(InputError::new(values.path(key), class.name(), expected));
            }
        }
    }
}

fn class(values: &Values, key: &str, out: &mut Vec<InputError>) -> Option<ObjectClass> {
    let name = values.text(key);
    if name.is_empty() {
        return None;
    }
    let class = ObjectClass::parse(name);
    if class.is_none() {
        let expected = "an object class, such as `S1`, `SX`, `RP_2G1` or `EC_16P2GX`";
        out.push(InputError::new(values.path(key), name, expected));
    }
    class
}

impl DaosClientParams {
    fn new(values: &Values) -> DaosClientParams {
        DaosClientParams {
            send: values.span("send_time"),
            receive: values.span("receive_time"),
            write: values.gap("client_write_rate"),
            read: values.gap("client_read_rate"),
            parity: values.gap("client_parity_rate"),
            checksum: values.gap("client_checksum_rate"),
            open: values.span("open_time"),
            init: values.span("init_time"),
            entry_timeout: values.span("entry_timeout"),
            credits: values.count("credits"),
        }
    }
}

impl DaosEngineParams {
    fn new(values: &Values) -> DaosEngineParams {
        DaosEngineParams {
            request: values.span("rpc_time"),
            update: values.span("update_time"),
            new_key: values.span("key_time"),
            new_object: values.span("object_time"),
            fetch: values.span("fetch_time"),
            cold_fetch: values.span("cold_fetch_time"),
            update_copy: values.gap("update_copy_rate"),
            fetch_copy: values.gap("fetch_copy_rate"),
            query: values.span("query_time"),
            punch: values.span("punch_time"),
            reclaim: values.span("reclaim_time"),
            list: values.span("list_time"),
            list_entry: values.span("list_entry_time"),
            commit: values.span("commit_time"),
            checksum: values.gap("engine_checksum_rate"),
            parity: values.gap("engine_parity_rate"),
            scm_write: values.gap("scm_write_rate"),
            scm_read: values.gap("scm_read_rate"),
            nvme_write: values.gap("nvme_write_rate"),
            nvme_read: values.gap("nvme_read_rate"),
            nvme_command: values.span("nvme_command_time"),
            nvme_write_latency: values.span("nvme_write_latency"),
            nvme_read_latency: values.span("nvme_read_latency"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes_are_those_of_daos() {
        for name in ["S1", "S32", "SX", "RP_2G1", "RP_3GX", "EC_2P1G1", "EC_16P3G32", "EC_16P2GX"] {
            let class = ObjectClass::parse(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(class.name(), name);
        }
        for name in ["", "S", "S0", "S01", "S65536", "RP_2", "RP_7G1", "RP_1G1", "EC_3P1G1", "X"] {
            assert_eq!(ObjectClass::parse(name), None, "{name}");
        }
        for name in ["EC_2P1", "EC_16P2G", "EC_P1G1", "sx", "RP_2G-1", "S4294967297"] {
            assert_eq!(ObjectClass::parse(name), None, "{name}");
        }
    }
}
