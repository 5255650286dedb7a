//! Every key of a machine file, declared once: parsing, error messages and the reference use these
//! tables.

use crate::Routing;
use crate::compute_keys::COMPUTE_KEYS;
use crate::key::IfAbsent::{Default, Described, Required};
use crate::key::ValueForm::{Count, CountOrFull, Counts, Hosts, Ratio, Text, Word};
use crate::key::{Key, MEMORY, RATE, SIZE, TIME, key};
use crate::storage::keys::{self, PROTOCOLS};

/// Network families.
pub const FABRICS: &[&str] = &["slingshot", "aries", "generic"];

#[rustfmt::skip] // A table is read down its columns.
pub const KEYS: &[Key] = &[
    key("like", Text, Described("no other file"),
        "A preset, or another machine file by its path relative to this one. It supplies every \
         key that this file does not set."),
    key("about", Text, Default(""), "One line that describes the machine."),
    key("source", Text, Default(""), "The source of the numbers."),
    key("launcher", Word(&["pals", "slurm"]), Default("slurm"),
        "The program launcher: HPE's `mpiexec` under PBS (`pals`) or `srun` (`slurm`). Ranks find \
         its variables in their environment."),
    key("node_names", Hosts, Described("`NAME-00000` and so on, with the machine's name"),
        "Names of the compute nodes, in order. Several brackets denote their product; the last \
         one varies fastest. Nodes beyond the list get the default name."),
    key("node_kind", Text, Described("the machine has one kind"),
        "The kind of nodes that a run uses, on a machine with tables `[node_kinds.NAME]`. Such a \
         table has the keys of the machine file that differ for nodes of its kind. On the command \
         line: `--node-kind`."),
    key("fabric", Word(FABRICS), Default("generic"),
        "Network family. It selects the values of an MPI library's profile."),
    key("routing", Word(Routing::NAMES), Default("ugal"),
        "Routing policy. `ugal` is `ugal-l`. `adaptive` is the policy of the fabric: `slingshot`, \
         Aries' `adaptive-0`, or `ugal-l`."),
    key("ugal_bias", SIZE, Default("0 B"),
        "Bias of `ugal-l`, `ugal-g` and `par` toward minimal paths, in bytes x hops."),
    key("adaptive.quantum", SIZE, Default("2 KiB"),
        "Bytes of load per step of a score (`slingshot`, `adaptive-0` to `-3`); a power of two."),
    key("adaptive.minimal_shift", Count(0, 3), Default("0"),
        "Left shift of the scores of minimal paths, in bits."),
    key("adaptive.minimal_add", Count(0, 63), Default("0"),
        "Added to the scores of minimal paths. A value above that of nonminimal paths favors \
         nonminimal ones."),
    key("adaptive.nonminimal_shift", Count(0, 3), Default("1"),
        "Left shift of the scores of nonminimal paths by `slingshot`, in bits."),
    key("adaptive.nonminimal_add", Count(0, 63), Default("2"),
        "Added by `slingshot` to the scores of nonminimal paths."),
    key("adaptive.growth", Count(0, 63), Default("2"),
        "Added by `adaptive-1` to the scores of nonminimal paths per router visited."),
    key("adaptive.small_add", Count(0, 63), Default("2"),
        "Added by `adaptive-2` to the scores of nonminimal paths."),
    key("adaptive.large_add", Count(0, 63), Default("8"),
        "Added by `adaptive-3` to the scores of nonminimal paths."),

    key("groups.<kind>.role", Word(&["compute", "service"]), Default("compute"),
        "`compute` groups run jobs. `service` groups are numbered after them."),
    key("groups.<kind>.count", Count(1, 65_000), Required,
        "Groups of this kind. 0 removes the kind and the links to it."),
    key("groups.<kind>.switches", Count(1, 65_000), Required, "Switches per group."),
    key("groups.<kind>.chassis", Count(1, 65_000), Default("1"),
        "Chassis per group, with equally many switches each. With one chassis all switches are \
         linked to each other. With more, a switch is linked to all of its chassis and to the \
         switch in the same slot of each other chassis."),
    key("groups.<kind>.local_links", Count(0, 255), Default("1"),
        "Parallel links between two switches of a chassis."),
    key("groups.<kind>.chassis_links", Count(0, 255), Default("1"),
        "Parallel links between switches in the same slot of two chassis."),
    key("groups.<kind>.local_ports", Count(0, 65_000), Described("as many as are used"),
        "Ports per switch reserved for links within the group, used or not."),
    key("groups.<kind>.global_ports", Count(0, 65_000), Described("all remaining ports"),
        "Maximum number of ports per switch for links to other groups."),
    key("groups.<kind>.group_load", Word(&["on", "off"]), Default("on"),
        "Whether the switches of these groups compare the loads of two intermediate groups per \
         nonminimal candidate (routing `slingshot`)."),
    key("groups.<kind>.transit", Word(&["yes", "no"]), Described("`yes` for compute groups"),
        "Whether nonminimal routes may pass through groups of this kind."),
    key("groups.<kind>.nodes", Count(0, 1_000_000), Required, "Nodes per group."),
    key("groups.<kind>.nics", Count(1, 1_024), Default("1"), "NICs per node."),
    key("groups.<kind>.wiring", Word(&["single", "spread"]), Default("single"),
        "`single`: all NICs of a node on one switch. `spread`: on neighboring switches, according \
         to the key `spread`."),
    key("groups.<kind>.spread", Counts, Described("one switch per NIC, in order"),
        "For each NIC of a node, the number of the neighboring switch it is cabled to, from 0."),
    key("groups.<kind>.cpus", Count(0, 1_024), Default("0"), "CPUs per node."),
    key("groups.<kind>.gpus", Count(0, 1_024), Default("0"), "GPUs per node."),
    key("groups.<kind>.gpu_tiles", Count(0, 1_024), Default("1"), "Tiles per GPU."),

    key("global.links.<kind>.<kind>", CountOrFull(0, 65_000), Described("no links"),
        "Links between any two groups of these kinds; at least 1 where both have nodes. `full` \
         (machines with one kind): as many whole cables as `global_ports` allows."),
    key("global.links_per_cable", Count(1, 1_024), Default("1"), "Links per cable."),

    key("links.edge.rate", RATE, Required, "Between NIC and switch, each way."),
    key("links.edge.cable", TIME, Required, "Propagation time of the cable, at most 100 us."),
    key("links.edge.buffer", SIZE, Required,
        "Input buffer of a port, all virtual channels together."),
    key("links.local.rate", RATE, Required, "Between switches of a chassis, each way."),
    key("links.local.cable", TIME, Required, "Propagation time of the cable, at most 100 us."),
    key("links.local.buffer", SIZE, Required,
        "Input buffer of a port, all virtual channels together."),
    key("links.chassis.rate", RATE, Described("as `links.local`"),
        "Between chassis of a group, each way."),
    key("links.chassis.cable", TIME, Described("as `links.local`"),
        "Propagation time of the cable, at most 100 us."),
    key("links.chassis.buffer", SIZE, Described("as `links.local`"),
        "Input buffer of a port, all virtual channels together."),
    key("links.global.rate", RATE, Required, "Between groups, each way."),
    key("links.global.cable", TIME, Required, "Propagation time of the cable, at most 100 us."),
    key("links.global.buffer", SIZE, Required,
        "Input buffer of a port, all virtual channels together."),

    key("switch.ports", Count(1, 65_000), Described("as many as are used"), "Ports per switch."),
    key("switch.latency", TIME, Required,
        "From the arrival of a packet's head to its departure without load, at most 100 us."),
    key("switch.arbitration", Word(&["round-robin", "age"]), Default("round-robin"),
        "Order of inputs that compete for an output: round robin, or the oldest packet first."),
    key("switch.credit_epoch", TIME, Described("a sixth of the longest return of a credit"),
        "Interval, 1 ns to 10 us, at whose multiples returned credits become available. If it is \
         at most the latency of a hop, the window engine can simulate one switch at a time \
         (docs/models/window-engine.md)."),
    key("switch.flows", Word(&["kept", "none"]), Default("none"),
        "`kept`: ordered traffic (envelopes, eager data) stays on one path while any packet of \
         its flow is in flight. `none`: every packet is routed by itself. See \
         docs/models/ordered-flows.md."),

    key("congestion.management", Word(&["on", "off"]), Default("off"),
        "Congestion management: switches throttle the senders that overload a NIC."),
    key("congestion.threshold", SIZE, Default("32 KiB"),
        "Bytes queued for a NIC's ejection link at which its senders are throttled. About as many \
         stay queued while they are, so that the link never idles."),

    key("classes.profile", Word(&["ll-be-bd-et", "hpc", "none"]),
        Described("`ll-be-bd-et`; `none` on Aries"),
        "The published set of traffic classes that `--class` selects from."),
    key("classes.<class>.assured", Count(0, 100), Described("as in the profile, else 0"),
        "Percent of every link that the class gets on demand."),
    key("classes.<class>.nic_assured", Count(0, 100), Described("`assured`, or as in the profile"),
        "The same for the link out of a NIC."),
    key("classes.<class>.ceiling", Count(1, 100), Described("as in the profile, else 100"),
        "Maximum percent of a link for the class, even if the link is otherwise idle."),
    key("classes.<class>.priority", Count(0, 7), Described("as in the profile, else 2"),
        "Higher first, among classes below their assured shares and among classes above."),
    key("classes.<class>.bucket", Count(1, 64), Described("as in the profile, else 2"),
        "Full packets by which the class may exceed its shares for a moment (leaky bucket)."),

    key("nic.send_latency", TIME, Required,
        "From the command to the head of the message entering the link."),
    key("nic.recv_latency", TIME, Required,
        "From the arrival of the tail to the completion at the receiver."),
    key("nic.immediate_max", SIZE, Required, "Largest message carried inside the command."),
    key("nic.dma_latency", TIME, Required, "Added to larger messages: the NIC reads host memory."),
    key("nic.staging_rate", RATE, Described("staging takes no time"),
        "Rate between memory and NIC of a packet that the NIC holds whole before it sends or \
         writes it."),
    key("nic.message_gap", TIME, Required,
        "Minimum time between two messages entering one NIC, from any process."),
    key("nic.command_gap", TIME, Default("0 ns"),
        "Minimum time between two messages of one process."),
    key("nic.core_gap", TIME, Default("0 ns"),
        "Minimum time between two one-sided commands of one core."),
    key("nic.packet_payload", SIZE, Required, "Payload of a full packet."),
    key("nic.packet_overhead", SIZE, Required, "Wire bytes per packet in addition to its payload."),
    key("nic.response", SIZE, Described("acknowledgements are not packets"),
        "Wire bytes of a response packet in addition to the payload of a get."),
    key("nic.block_above", SIZE, Described("no block engine"),
        "Larger messages are moved by the NIC's block engine."),
    key("nic.block_latency", TIME, Default("0 ns"), "Start time of the block engine."),
    key("nic.read_latency", TIME, Default("0 ns"),
        "Added to a get without the block engine, and to an atomic whose word the target's NIC has \
         not cached. Only with `nic.response`; without it, `nic.dma_latency` counts."),
    key("nic.atomic_gap", TIME, Default("0 ns"),
        "Minimum time between two atomics that the NIC of their target executes."),
    key("nic.window", Count(1, 1_000_000), Required,
        "Maximum number of unacknowledged packets per NIC."),
    key("nic.match_entries", Count(1, 1_000_000_000), Described("no limit"),
        "List entries per match engine: posted receives and unexpected messages of the ranks that \
         share it (docs/models/limits.md)."),
    key("nic.match_engines", Count(1, 1_024), Default("1"),
        "Match engines per NIC. Its ranks are assigned to them cyclically."),
    key("nic.portal_table", Count(1, 1_000_000_000), Described("no limit"),
        "Portal table entries per NIC: three per rank and one per optimized window \
         (docs/limits/windows.md)."),
    key("nic.command_queues", Count(1, 1_000_000_000), Described("no limit"),
        "Target command queues per NIC: one per rank."),
    key("nic.host_rate", RATE, Described("no cap"),
        "Payload rate of the host interface, both directions together."),
    key("nic.host_rate_one_way", RATE, Described("no cap"),
        "Payload rate of the host interface, one direction."),
    key("nic.multipacket_message", TIME, Default("0 ns"),
        "Time that a message of several packets occupies the shared capacity of the host \
         interface, in addition to its bytes, at either end."),
    key("nic.process_message", TIME, Default("0 ns"),
        "Time that an MPI message occupies its receiver's NIC in addition to its bytes, per \
         process: with n processes on the NIC, 1/n of it."),
    key("nic.received_message", TIME, Default("0 ns"),
        "The same for all processes of the NIC together. The longer of the two counts."),

    key("retry.timeout", TIME, Default("1073741824 ns"),
        "From the transmission of a packet to its retransmission if it is lost."),
    key("retry.limit", Count(0, 100), Default("4"),
        "Retransmissions of a packet before its message fails."),
    key("retry.sweep", TIME, Default("1 s"),
        "Time until a failure or repair of a link is visible to other switches."),
    key("retry.reports", Word(&["delayed", "sweeps"]), Described("`delayed`"),
        "Whether that is `retry.sweep` after the failure or repair (`delayed`), or at the next \
         multiple of `retry.sweep`, as with periodic sweeps of a fabric manager (`sweeps`)."),

    key("node.cores", Count(1, 1_000_000), Required, "Cores per node for ranks."),
    key("node.core_speed", Ratio, Default("1.0"),
        "Speed of a core relative to the one odonata runs on."),
    key("node.mpi_speed", Ratio, Default("1.0"),
        "Speed of a core in an MPI library's code, relative to the cores that the library's \
         profile was measured on. It divides the CPU time per message and per call, except that \
         per byte, and the CPU time of packing non-contiguous blocks."),
    key("node.nic_latency", TIME, Default("0 ns"),
        "Added where a host commands its NIC, and where it sees a completion. Not added where \
         NICs proceed by themselves, as in a rendezvous."),
    key("node.shm_latency", TIME, Required,
        "Latency of an empty message between two cores of a node, without MPI overheads."),
    key("node.shm_rate", RATE, Required, "Copy rate of one core, in or out."),
    key("node.memory_rate", RATE, Required, "Copy rate of a whole node."),
    key("node.memory", MEMORY, Described("no limit"),
        "Memory of a node available to the allocations of its ranks."),
    key("node.far_latency", TIME, Default("0 ns"),
        "Added to `node.shm_latency` between cores of different CPUs."),
    key("node.far_rate", RATE, Described("as `node.shm_rate`"),
        "Copy rate of one core, in or out, between cores of different CPUs."),
    key("node.far_nic_latency", TIME, Default("0 ns"),
        "Added where a core uses a NIC of another CPU."),
    key("node.gpu_rate", RATE, Described("GPU buffers are refused"),
        "Between host memory and one GPU, each way."),
    key("node.gpu_copy_latency", TIME, Default("5 us"), "Start time of a GPU's copy engine."),
    key("node.gpu_link_rate", RATE, Described("as `node.gpu_rate`"),
        "Between two GPUs of a node, each way."),
    key("node.gpu_tile_rate", RATE, Described("as `node.gpu_link_rate`"),
        "Between two tiles of a GPU, each way."),
    key("node.gpu_nic_latency", TIME, Default("0 ns"),
        "Added where a NIC reads GPU memory, in addition to `nic.dma_latency`."),
    key("node.gpu_nic_rate_one_way", RATE, Described("as `nic.host_rate_one_way`"),
        "Payload rate between GPU memory and a NIC that accesses it directly, one direction."),
    key("node.gpu_nic_rate", RATE, Described("no cap"),
        "Between GPU memory and all NICs of one CPU together, each way."),

    key("local_storage.rate", RATE, Default("1 TB/s"),
        "Files outside mounts: rate of all nodes together, reading or writing."),
    key("local_storage.node_rate", RATE, Default("10 GB/s"),
        "Rate of one node, reading or writing."),
    key("local_storage.latency", TIME, Default("100 us"),
        "Latency of a transfer in addition to the time of its bytes."),
];

/// Whether `path` is an instance of `pattern`, component by component.
fn matches(pattern: &str, path: &[&str]) -> bool {
    let mut parts = pattern.split('.');
    path.iter().all(|&p| parts.next().is_some_and(|want| want.starts_with('<') || want == p))
        && parts.next().is_none()
}

/// Whether `path` is a key of machine files.
pub fn is_key(path: &str) -> bool {
    let parts: Vec<&str> = path.split('.').collect();
    tables().iter().any(|(_, keys)| keys.iter().any(|key| matches(key.path, &parts)))
}

/// The key that replaced one of earlier versions.
pub fn renamed(path: &str) -> Option<&'static str> {
    let names = ["local_storage.rate", "local_storage.node_rate", "local_storage.latency"];
    names.into_iter().find(|name| name.strip_prefix("local_") == Some(path))
}

/// All tables of keys, and the condition under which the file may have them.
fn tables() -> Vec<(&'static str, &'static [Key])> {
    let mut all = vec![("", KEYS), ("", COMPUTE_KEYS), ("", keys::KEYS)];
    all.extend(PROTOCOLS);
    all
}

/// A legal path and its declaration.
pub struct LegalKey {
    pub path: String,
    pub key: &'static Key,
    /// The path of a key without which it is unknown whether this one is legal. It is neither
    /// required nor set to its default then.
    pub needs: Option<String>,
}

/// Legal keys, with `<kind>` replaced by each of `kinds`, `<class>` by each of `classes`, and
/// `<name>` by each file system, given with its kind. With an unknown kind of file system, the keys
/// of all kinds are legal.
pub fn legal_keys(
    kinds: &[String],
    classes: &[String],
    file_systems: &[(String, String)],
) -> Vec<LegalKey> {
    let mut all = Vec::new();
    for key in KEYS.iter().chain(COMPUTE_KEYS) {
        let mut push = |path: String| all.push(LegalKey { path, key, needs: None });
        if key.path.contains("<class>") {
            classes.iter().for_each(|class| push(key.path.replace("<class>", class)));
            continue;
        }
        match key.path.matches("<kind>").count() {
            0 => push(key.path.to_string()),
            1 => kinds.iter().for_each(|k| push(key.path.replace("<kind>", k))),
            _ => {
                for a in kinds {
                    let half = key.path.replacen("<kind>", a, 1);
                    kinds.iter().for_each(|b| push(half.replacen("<kind>", b, 1)));
                }
            }
        }
    }
    for (name, kind) in file_systems {
        let is_known = PROTOCOLS.iter().any(|(known, _)| known == kind);
        let own = PROTOCOLS.iter().filter(|(known, _)| !is_known || known == kind);
        let path = |key: &Key| key.path.replace("<name>", name);
        for key in keys::KEYS.iter().chain(own.flat_map(|(_, keys)| keys.iter())) {
            let needs = (!key.path.ends_with(".kind")).then(|| format!("storage.{name}.kind"));
            all.push(LegalKey { path: path(key), key, needs });
        }
    }
    all
}

/// The reference of machine files, in Markdown, at most 98 columns wide: a section per table of the
/// file, a list item per key. `docs/reference/machine-file.md` holds a copy, which a test compares.
pub fn reference() -> String {
    let mut text = String::new();
    let mut section = String::new();
    let keys =
        tables().into_iter().flat_map(|(kind, keys)| keys.iter().map(move |key| (kind, key)));
    for (kind, key) in keys {
        let title = match (key.path.split_once('.'), kind) {
            (None, _) => "Machine".into(),
            (Some(("storage", _)), "") => "`[[storage]]`".into(),
            (Some(("storage", _)), kind) => format!("`[[storage]]` with `kind = \"{kind}\"`"),
            (Some((table, _)), _) => format!("`[{table}]`"),
        };
        if title != section {
            text.push_str(&format!("\n### {title}\n\n"));
            section = title;
        }
        let absent = match key.absent {
            Required => "required".to_string(),
            Default("") => "default: empty".to_string(),
            Default(value) => format!("default `{value}`"),
            Described(words) => format!("if absent: {words}"),
        };
        let item = format!("`{}` ({}; {absent}). {}", key.path, key.form.short(), key.doc);
        push_item(&mut text, &item);
    }
    text
}

/// Appends a list item, wrapped between words.
fn push_item(text: &mut String, item: &str) {
    const COLUMNS: usize = 98;
    let mut column = 1;
    text.push('-');
    for word in item.split(' ') {
        let width = word.chars().count();
        if column + 1 + width > COLUMNS {
            text.push_str("\n ");
            column = 1;
        }
        text.push(' ');
        text.push_str(word);
        column += 1 + width;
    }
    text.push('\n');
}
