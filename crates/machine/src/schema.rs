//! Every key of a machine file, declared once: parsing, complaints and the reference all read
//! this table.

use crate::Routing;
use crate::quantity::Dimension;

/// What a key's value looks like.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Form {
    /// A whole number in this closed range.
    Count(u64, u64),
    /// `Count` or the word `full`: as many as the ports allow.
    CountOrFull(u64, u64),
    /// How many times as much as something else.
    Ratio,
    Quantity(Dimension),
    Word(&'static [&'static str]),
    Text,
    /// A host list.
    Hosts,
    /// A list of small whole numbers.
    Counts,
}

impl Form {
    /// What would be legal, in words.
    pub fn wanted(self) -> String {
        match self {
            Form::Count(lo, hi) => format!("a whole number from {lo} to {hi}"),
            Form::CountOrFull(lo, hi) => format!("a whole number from {lo} to {hi}, or `full`"),
            Form::Ratio => "a number from 0.001 to 1000".into(),
            Form::Quantity(dimension) => dimension.wanted().into(),
            Form::Word(words) => format!("one of {}", words.join(", ")),
            Form::Text => "text in quotes".into(),
            Form::Hosts => "a list of hosts, such as `nid[001000-003047]`".into(),
            Form::Counts => "a list of whole numbers, such as `[0, 0, 1, 1]`".into(),
        }
    }
}

/// What it means that a key is absent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Absent {
    Refuse,
    /// The value it then has, as one would write it.
    Means(&'static str),
    /// What happens then, in words.
    Is(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Dotted; `<kind>` stands for the name of a kind of group, `<class>` for a traffic class's.
    pub path: &'static str,
    pub form: Form,
    pub absent: Absent,
    pub doc: &'static str,
}

const fn key(path: &'static str, form: Form, absent: Absent, doc: &'static str) -> Key {
    Key { path, form, absent, doc }
}

const TIME: Form = Form::Quantity(Dimension::Time);
const RATE: Form = Form::Quantity(Dimension::Rate);
const SIZE: Form = Form::Quantity(Dimension::Size);
const MEMORY: Form = Form::Quantity(Dimension::Memory);

use Absent::{Is, Means, Refuse};
use Form::{Count, CountOrFull, Counts, Hosts, Ratio, Text, Word};

/// Families of networks.
pub const FABRICS: &[&str] = &["slingshot", "aries", "generic"];

#[rustfmt::skip] // A table is read down its columns.
pub const KEYS: &[Key] = &[
    key("like", Text, Is("it says all itself"),
        "A preset, or a machine file by its path as seen from this one, that has what this one \
         does not say; see above."),
    key("about", Text, Means(""), "One line saying what the machine is."),
    key("source", Text, Means(""), "Where its numbers come from."),
    key("launcher", Word(&["pals", "slurm"]), Means("slurm"),
        "Who starts programs: HPE's `mpiexec` under PBS, or `srun`. Ranks find its variables in \
         their environment."),
    key("node_names", Hosts, Is("`NAME-00000` and so on, by the machine's name"),
        "What the compute nodes are called, in order. Several brackets name their product, the \
         last of them counts fastest; nodes beyond the list are called as if there were none."),
    key("fabric", Word(FABRICS), Means("generic"),
        "Family of the network: which values of an MPI library's profile hold."),
    key("routing", Word(Routing::WORDS), Means("ugal"),
        "How packets choose their way; `ugal` is `ugal-l`, and `adaptive` what the switches of the \
         fabric do: `slingshot`, Aries' `adaptive-0`, or `ugal-l`."),
    key("ugal_bias", SIZE, Means("0 B"),
        "Bytes x hops by which `ugal-l`, `ugal-g` and `par` favor minimal ways."),
    key("adaptive.quantum", SIZE, Means("2 KiB"),
        "Bytes of load that are one step of a score (`slingshot`, `adaptive-0` to `-3`); a power \
         of two."),
    key("adaptive.minimal_shift", Count(0, 3), Means("0"),
        "Bits by which scores of minimal ways are shifted left."),
    key("adaptive.minimal_add", Count(0, 63), Means("0"),
        "Added to scores of minimal ways. More than the non-minimal ways' leans away from them."),
    key("adaptive.nonminimal_shift", Count(0, 3), Means("1"),
        "Bits by which `slingshot` shifts scores of non-minimal ways left."),
    key("adaptive.nonminimal_add", Count(0, 63), Means("2"),
        "Added by `slingshot` to scores of non-minimal ways."),
    key("adaptive.growth", Count(0, 63), Means("2"),
        "Added by `adaptive-1` to scores of non-minimal ways for every router visited."),
    key("adaptive.small_add", Count(0, 63), Means("2"),
        "Added by `adaptive-2` to scores of non-minimal ways."),
    key("adaptive.large_add", Count(0, 63), Means("8"),
        "Added by `adaptive-3` to scores of non-minimal ways."),

    key("groups.<kind>.role", Word(&["compute", "service"]), Means("compute"),
        "Whether its nodes run jobs. Service groups are numbered after compute groups."),
    key("groups.<kind>.count", Count(1, 65_000), Refuse,
        "Groups of this kind. 0 leaves the kind out, with the links to it."),
    key("groups.<kind>.switches", Count(1, 65_000), Refuse, "Switches of one group."),
    key("groups.<kind>.chassis", Count(1, 65_000), Means("1"),
        "Chassis its switches are divided into evenly. With one, all switches are linked to all; \
         with more, a switch is linked to all of its chassis and to its like in every other."),
    key("groups.<kind>.local_links", Count(0, 255), Means("1"),
        "Parallel links between two switches of a chassis."),
    key("groups.<kind>.chassis_links", Count(0, 255), Means("1"),
        "Parallel links between a switch and its like in another chassis."),
    key("groups.<kind>.local_ports", Count(0, 65_000), Is("as many as are used"),
        "Ports a switch sets aside for links within the group, used or not."),
    key("groups.<kind>.global_ports", Count(0, 65_000), Is("as many as are left"),
        "Most ports a switch has for links to other groups."),
    key("groups.<kind>.transit", Word(&["yes", "no"]), Is("`yes` for compute groups"),
        "Whether non-minimal routes pass through groups of this kind."),
    key("groups.<kind>.nodes", Count(0, 1_000_000), Refuse, "Nodes of one group."),
    key("groups.<kind>.nics", Count(1, 1_024), Means("1"), "NICs of one node."),
    key("groups.<kind>.wiring", Word(&["single", "spread"]), Means("single"),
        "`single`: all NICs of a node on one switch. `spread`: on neighboring switches, as the \
         key `spread` says."),
    key("groups.<kind>.spread", Counts, Is("one switch a NIC, in order"),
        "For each NIC of a node, which of its neighboring switches it is cabled to, from 0."),
    key("groups.<kind>.cpus", Count(0, 1_024), Means("0"), "CPUs of one node."),
    key("groups.<kind>.gpus", Count(0, 1_024), Means("0"), "GPUs of one node."),
    key("groups.<kind>.gpu_tiles", Count(0, 1_024), Means("1"), "Tiles of one GPU."),

    key("global.links.<kind>.<kind>", CountOrFull(0, 65_000), Is("no links"),
        "Links between any two groups of these kinds, at least 1 where both have nodes. `full` \
         (machines of one kind): as many whole cables as `global_ports` allows."),
    key("global.links_per_cable", Count(1, 1_024), Means("1"), "Links that share a cable."),

    key("links.edge.rate", RATE, Refuse, "Between NIC and switch, each way."),
    key("links.edge.cable", TIME, Refuse, "Signal time of the cable, at most 100 us."),
    key("links.edge.buffer", SIZE, Refuse, "Input buffer of a port, all its VCs together."),
    key("links.local.rate", RATE, Refuse, "Between switches of a chassis, each way."),
    key("links.local.cable", TIME, Refuse, "Signal time of the cable, at most 100 us."),
    key("links.local.buffer", SIZE, Refuse, "Input buffer of a port, all its VCs together."),
    key("links.chassis.rate", RATE, Is("as `links.local`"),
        "Between chassis of a group, each way."),
    key("links.chassis.cable", TIME, Is("as `links.local`"),
        "Signal time of the cable, at most 100 us."),
    key("links.chassis.buffer", SIZE, Is("as `links.local`"),
        "Input buffer of a port, all its VCs together."),
    key("links.global.rate", RATE, Refuse, "Between groups, each way."),
    key("links.global.cable", TIME, Refuse, "Signal time of the cable, at most 100 us."),
    key("links.global.buffer", SIZE, Refuse, "Input buffer of a port, all its VCs together."),

    key("switch.ports", Count(1, 65_000), Is("as many as are used"), "Ports of a switch."),
    key("switch.latency", TIME, Refuse,
        "From a head's arrival to its leaving, no load; at most 100 us."),
    key("switch.arbitration", Word(&["round-robin", "age"]), Means("round-robin"),
        "Who goes first when several inputs want one output: each in turn, or the oldest packet."),
    key("switch.flows", Word(&["kept", "none"]), Means("none"),
        "Whether packets in order (envelopes, eager data) go one way while any of their flow is \
         under way. Otherwise each goes its own."),

    key("congestion.management", Word(&["on", "off"]), Means("off"),
        "Whether switches hold back those who send more to a NIC than it can take."),
    key("congestion.threshold", SIZE, Means("32 KiB"),
        "Bytes waiting for a NIC's link at which its senders are held back; about as many are kept \
         waiting from then on, so that the link stays busy."),

    key("classes.profile", Word(&["ll-be-bd-et", "hpc", "none"]),
        Is("`ll-be-bd-et`; `none` on Aries"),
        "The published set of traffic classes that `--class` chooses from."),
    key("classes.<class>.assured", Count(0, 100), Is("as the profile says; 0"),
        "Percent of every link that the class gets if it wants it."),
    key("classes.<class>.nic_assured", Count(0, 100), Is("as `assured`, or as the profile says"),
        "The same of the link out of a NIC."),
    key("classes.<class>.ceiling", Count(1, 100), Is("as the profile says; 100"),
        "Percent of a link that the class gets at most, wanted by others or not."),
    key("classes.<class>.priority", Count(0, 7), Is("as the profile says; 2"),
        "Higher goes first: among classes below their assured shares, and among those above."),
    key("classes.<class>.bucket", Count(1, 64), Is("as the profile says; 2"),
        "Full packets by which the class may be ahead of its shares."),

    key("nic.send_latency", TIME, Refuse, "From the command to the head entering the link."),
    key("nic.recv_latency", TIME, Refuse,
        "From the tail's arrival to what the receiver can see."),
    key("nic.immediate_max", SIZE, Refuse, "Largest message carried inside the command."),
    key("nic.dma_latency", TIME, Refuse, "Added to larger ones: the NIC reads host memory."),
    key("nic.staging_rate", RATE, Is("it takes no time"),
        "At which a NIC has a packet whole from memory before it sends it, or writes it."),
    key("nic.message_gap", TIME, Refuse,
        "Least time between two messages entering one NIC, whoever sends them."),
    key("nic.command_gap", TIME, Means("0 ns"),
        "Least time between two messages that one process gives its NIC."),
    key("nic.core_gap", TIME, Means("0 ns"),
        "Least time between two one-sided commands of one core."),
    key("nic.packet_payload", SIZE, Refuse, "Payload of a full packet."),
    key("nic.packet_overhead", SIZE, Refuse, "Wire bytes beside the payload of each packet."),
    key("nic.response", SIZE, Is("acknowledgements are no packets"),
        "Wire bytes of the packet that answers a packet, beside the payload of a get."),
    key("nic.block_above", SIZE, Is("it has no block engine"),
        "Larger messages are moved by the NIC's block engine."),
    key("nic.block_latency", TIME, Means("0 ns"), "What the block engine needs to start."),
    key("nic.window", Count(1, 1_000_000), Refuse, "Unacknowledged packets one NIC may have out."),
    key("nic.match_entries", Count(1, 1_000_000_000), Is("there is no such limit"),
        "List entries of one match engine: receives posted and messages unexpected of the ranks \
         that share it (docs/models/limits.md)."),
    key("nic.match_engines", Count(1, 1_024), Means("1"),
        "Match engines of one NIC; its ranks are dealt to them in turn."),
    key("nic.portal_table", Count(1, 1_000_000_000), Is("there is no such limit"),
        "Portal table entries of one NIC: three a rank, and one for each optimized window \
         (docs/limits/windows.md)."),
    key("nic.command_queues", Count(1, 1_000_000_000), Is("there is no such limit"),
        "Target command queues of one NIC: one a rank."),
    key("nic.host_rate", RATE, Is("no cap"), "Host interface, both directions together, payload."),
    key("nic.host_rate_one_way", RATE, Is("no cap"), "Host interface, one direction, payload."),
    key("nic.multipacket_message", TIME, Means("0 ns"),
        "What a message of several packets takes beside its bytes of what both directions of a \
         host interface share, at either end."),
    key("nic.process_message", TIME, Means("0 ns"),
        "What an MPI message takes of its receiver's NIC beside its bytes, of one process: of n on \
         the NIC the n-th part."),
    key("nic.received_message", TIME, Means("0 ns"),
        "The same of the NIC itself, however many processes are on it; the longer one counts."),

    key("retry.timeout", TIME, Means("1073741824 ns"),
        "From a packet's sending until its NIC takes it for lost and sends it again."),
    key("retry.limit", Count(0, 100), Means("4"),
        "How often a packet is sent again before its message has failed."),
    key("retry.sweep", TIME, Means("1 s"),
        "Until switches elsewhere have heard of a link that went down or came back."),

    key("node.cores", Count(1, 1_000_000), Refuse, "Cores of a node that ranks may use."),
    key("node.core_speed", Ratio, Means("1.0"),
        "Speed of a core relative to the one odonata runs on."),
    key("node.mpi_speed", Ratio, Means("1.0"),
        "Speed at which a core goes through an MPI library's own code, relative to those that the \
         library's profile was measured on: what it takes of a CPU for a message or a call, beside \
         bytes, and to pack blocks that lie apart is divided by it."),
    key("node.nic_latency", TIME, Means("0 ns"),
        "Added where a host commands its NIC, and where it sees what its NIC has done; not where \
         NICs go on by themselves, as in a rendezvous."),
    key("node.shm_latency", TIME, Refuse,
        "What a core waits until it has an empty message of another of its node, a message."),
    key("node.shm_rate", RATE, Refuse, "Copying by one core, in or out."),
    key("node.memory_rate", RATE, Refuse, "All copies of a node together."),
    key("node.memory", MEMORY, Is("no limit"),
        "All of a node that its ranks may use, for what they allocate."),
    key("node.far_latency", TIME, Means("0 ns"),
        "Added to `node.shm_latency` between cores of different CPUs."),
    key("node.far_rate", RATE, Is("as `node.shm_rate`"),
        "Copying by one core, in or out, between cores of different CPUs."),
    key("node.far_nic_latency", TIME, Means("0 ns"), "Added by a NIC of another CPU."),
    key("node.gpu_rate", RATE, Is("GPU buffers are refused"),
        "Between host memory and one GPU, each way."),
    key("node.gpu_copy_latency", TIME, Means("5 us"), "What a GPU's copy engine needs to start."),
    key("node.gpu_link_rate", RATE, Is("as `node.gpu_rate`"),
        "Between two GPUs of a node, each way."),
    key("node.gpu_tile_rate", RATE, Is("as `node.gpu_link_rate`"),
        "Between two tiles of a GPU, each way."),
    key("node.gpu_nic_rate_one_way", RATE, Is("as `nic.host_rate_one_way`"),
        "Between GPUs' memory and a NIC that reads and writes it itself, one direction, payload."),
    key("node.gpu_nic_rate", RATE, Is("no cap"),
        "Between GPUs' memory and all NICs of one CPU together, each way."),

    key("storage.rate", RATE, Means("1 TB/s"), "What all nodes together read or write."),
    key("storage.node_rate", RATE, Means("10 GB/s"), "What one node reads or writes."),
    key("storage.latency", TIME, Means("100 us"), "Of a transfer, beside its bytes."),
];

/// Whether `path` is an instance of `pattern`, part by part.
fn matches(pattern: &str, path: &[&str]) -> bool {
    let mut parts = pattern.split('.');
    path.iter().all(|&p| parts.next().is_some_and(|want| want.starts_with('<') || want == p))
        && parts.next().is_none()
}

/// The declaration of the key at `path`.
pub fn find(path: &str) -> Option<&'static Key> {
    let parts: Vec<&str> = path.split('.').collect();
    KEYS.iter().find(|key| matches(key.path, &parts))
}

/// Legal paths, `<kind>` filled in with each of `kinds` and `<class>` with each of `classes`: what
/// a wrong path is compared with.
pub fn paths(kinds: &[String], classes: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for key in KEYS {
        if key.path.contains("<class>") {
            all.extend(classes.iter().map(|class| key.path.replace("<class>", class)));
            continue;
        }
        match key.path.matches("<kind>").count() {
            0 => all.push(key.path.to_string()),
            1 => all.extend(kinds.iter().map(|k| key.path.replace("<kind>", k))),
            _ => {
                for a in kinds {
                    let half = key.path.replacen("<kind>", a, 1);
                    all.extend(kinds.iter().map(|b| half.replacen("<kind>", b, 1)));
                }
            }
        }
    }
    all
}

/// The reference of machine files, in Markdown. `docs/models/machine.md` holds a copy, tested.
pub fn reference() -> String {
    let mut text = String::from("| key | value | if absent | meaning |\n|---|---|---|---|\n");
    for key in KEYS {
        let absent = match key.absent {
            Refuse => "refused".to_string(),
            Means("") => "empty".to_string(),
            Means(value) => format!("`{value}`"),
            Is(words) => words.to_string(),
        };
        let row = format!("| `{}` | {} | {absent} | {} |\n", key.path, key.form.wanted(), key.doc);
        text.push_str(&row);
    }
    text
}
