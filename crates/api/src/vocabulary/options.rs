//! Options of requests: one table for the command line, Python and the schema.

/// A group of options in help texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topic {
    Machine,
    Job,
    Program,
    Measurement,
    Model,
    Output,
}

impl Topic {
    pub fn name(self) -> &'static str {
        match self {
            Topic::Machine => "Machine",
            Topic::Job => "Job",
            Topic::Program => "Program",
            Topic::Measurement => "Measurement",
            Topic::Model => "Model",
            Topic::Output => "Output",
        }
    }
}

/// The legal values of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Flag,
    /// A whole number from the first to the second.
    Count(u64, u64),
    /// A whole number, or several as a list or as text.
    Counts,
    /// A name of this list.
    Name(&'static str),
    /// The same, or a file whose name ends in `.toml`.
    NameOrToml(&'static str),
    /// A name of the list `placement`, a file, or the node of each rank.
    Placement,
    /// Bytes: a number, or a text with a unit.
    Size,
    /// Bytes of several messages.
    Sizes,
    /// Seconds: a number, or a text with a unit.
    Time,
    /// A fraction: a number, or a text with `%`.
    Share,
    /// Fractions: a number, a list, or a text.
    Loads,
    /// A positive number, or one of these words before `FACTOR`, as in usage lines.
    Factor(&'static str),
    /// A text, named as in usage lines.
    Text(&'static str),
    /// The same; may be repeated.
    Texts(&'static str),
}

/// The meaning of an absent option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbsentOption {
    /// The default, as the command line writes it.
    Default(&'static str),
    /// The default, in words.
    Described(&'static str),
    Required,
    /// Required unless one of these options is given.
    RequiredWithout(&'static [&'static str]),
    /// Nothing is selected.
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// The commands that have it.
    pub commands: &'static [&'static str],
    /// Its name in Python.
    pub name: &'static str,
    /// Its names on the command line, separated by blanks.
    pub flags: &'static str,
    /// Further accepted names, which help texts do not show.
    pub synonyms: &'static str,
    pub topic: Topic,
    pub form: Form,
    pub absent: AbsentOption,
    pub help: &'static str,
}

impl Opt {
    /// The value in usage lines; empty for flags.
    pub fn metavar(&self) -> &'static str {
        match self.form {
            Form::Flag => "",
            Form::Count(..) => "N",
            Form::Name("limits") => "off|warn|fail",
            Form::Name("congestion") => "on|off",
            Form::Name("buffers") => "host|gpu",
            Form::Name("progress") => "line|json|none",
            Form::Name("clock") => "virtual|real",
            Form::Name("engine") => "auto|event|window",
            Form::Name(_) => "NAME",
            Form::NameOrToml(_) | Form::Placement => "NAME|FILE",
            Form::Counts => "LIST",
            Form::Loads => "LOADS",
            Form::Size => "SIZE",
            Form::Sizes => "SIZES",
            Form::Time => "TIME",
            Form::Share => "SHARE",
            Form::Factor(name) | Form::Text(name) | Form::Texts(name) => name,
        }
    }
}

/// Whole numbers that are counted in 32 bits with a sign.
const MOST: u64 = (1 << 31) - 1;
const COUNT: Form = Form::Count(1, MOST);

const EACH: &[&str] = &["run", "bench", "app", "tune", "traffic", "replay"];
const LONG: &[&str] =
    &["run", "bench", "app", "tune", "traffic", "replay", "validate", "sweep", "check"];
const ON_FABRICS: &[&str] = &["run", "bench", "traffic"];
const HEALTHY_OR_NOT: &[&str] = &["run", "bench", "app", "traffic", "replay"];
const OF_JOBS: &[&str] = &["run", "bench", "app", "tune", "replay"];
const WITH_LIMITS: &[&str] = &["run", "bench", "app", "replay"];
const TIMED: &[&str] = &["run", "bench", "app", "replay", "traffic"];

const fn opt(
    commands: &'static [&'static str],
    name: &'static str,
    (flags, synonyms): (&'static str, &'static str),
    topic: Topic,
    form: Form,
    absent: AbsentOption,
    help: &'static str,
) -> Opt {
    Opt { commands, name, flags, synonyms, topic, form, absent, help }
}

use AbsentOption::{Default, Described, Nothing, Required, RequiredWithout};
use Form::{
    Count, Counts, Factor, Flag, Loads, Name, NameOrToml, Share, Size, Sizes, Text, Texts, Time,
};
use Topic::{Job, Machine, Measurement, Model, Output, Program};

#[rustfmt::skip] // A table is read down its columns.
pub const OPTIONS: &[Opt] = &[
    opt(&["app", "tune", "replay"], "machine", ("--machine", ""), Machine, Text("NAME|FILE"),
        Required,
        "The machine: a preset (`odonata machines`) or a machine file, NAME.toml."),
    opt(ON_FABRICS, "machine", ("--machine", ""), Machine, Text("NAME|FILE"),
        RequiredWithout(&["fabric"]),
        "The machine: a preset (`odonata machines`) or a machine file, NAME.toml."),
    opt(ON_FABRICS, "fabric", ("--fabric", ""), Machine, Text("URL"), Nothing,
        "Instead of --machine: the address of `odonata fabric serve`. The run uses its machine \
         with the faults of its present state, and is a job on it while it runs."),
    opt(&["run", "bench", "app", "tune", "traffic", "replay", "show", "faults"],
        "changes", ("--set", ""), Machine, Texts("KEY=VALUE"), Nothing,
        "Set a key of the machine file, such as `nic.window=64`; repeatable \
         (docs/reference/machine-file.md)."),
    opt(&["run", "bench", "app", "tune", "traffic", "replay", "show", "faults"],
        "node_kind", ("--node-kind", ""), Machine, Text("NAME"),
        Described("the machine's `node_kind`"),
        "Kind of the job's nodes, on a machine with several: `gpu` or `cpu` on Perlmutter \
         (docs/models/machine.md)."),
    opt(&["run", "bench", "app", "tune", "traffic", "replay", "show"],
        "routing", ("--routing", ""), Machine, Name("routing"), Described("the machine's"),
        "Routing policy: minimal, valiant, ugal-l, par, slingshot, adaptive-0, ... \
         (docs/models/routing.md)."),
    opt(EACH, "congestion", ("--congestion", ""), Machine, Name("congestion"),
        Described("the machine's"),
        "Congestion management: switches throttle senders that overload a NIC."),
    opt(HEALTHY_OR_NOT, "faults", ("--faults", ""), Machine, Text("FILE|random:SEED:N"), Nothing,
        "Fault schedule: a file (docs/models/faults.md), or N random faults drawn from SEED. \
         `odonata faults` prints it."),

    opt(&["run"], "ranks", ("-n --ranks", "-np --np --ntasks"), Job, COUNT,
        RequiredWithout(&["nodes", "jobs"]),
        "Number of ranks."),
    opt(&["bench"], "ranks", ("-n --ranks", "-np --np --ntasks"), Job, COUNT,
        Described("--nodes times --ppn"),
        "Number of ranks."),
    opt(&["extrapolate"], "ranks", ("-n --ranks", "-np --np"), Job, Count(4, MOST), Required,
        "Number of ranks of the new recording."),
    opt(&["run"], "ppn",
        ("--ppn", "-ppn --ntasks-per-node --npernode -npernode -perhost"), Job, COUNT,
        Described("1, or as in the host file"),
        "Ranks per node."),
    opt(&["bench", "tune"], "ppn",
        ("--ppn", "-ppn --ntasks-per-node --npernode -npernode -perhost"), Job, COUNT,
        Default("1"),
        "Ranks per node."),
    opt(&["replay"], "ppn",
        ("--ppn", "-ppn --ntasks-per-node --npernode -npernode -perhost"), Job, COUNT,
        Described("1, or as recorded"),
        "Ranks per node."),
    opt(&["app"], "ppn",
        ("--ppn", "-ppn --ntasks-per-node --npernode -npernode -perhost"), Job, COUNT,
        Described("the model's, or one per computing unit"),
        "Ranks per node."),
    opt(&["run"], "nodes", ("--nodes", ""), Job, COUNT, Described("-n divided by --ppn"),
        "Number of nodes."),
    opt(&["bench"], "nodes", ("--nodes", ""), Job, COUNT, Default("2"),
        "Number of nodes."),
    opt(&["app"], "nodes", ("--nodes", ""), Job, Text("LIST"), RequiredWithout(&["ranks"]),
        "Numbers of nodes: `128:8192` doubles from 128 to 8,192, `32,512` is a list."),
    opt(&["tune"], "nodes", ("--nodes", ""), Job, Counts, Required,
        "Numbers of nodes, such as `32,512,2048`."),
    opt(&["traffic"], "nodes", ("--nodes", ""), Job, COUNT, Described("all compute nodes"),
        "Number of nodes that send and receive, placed by --placement."),
    opt(OF_JOBS, "placement", ("--placement", ""), Job, Form::Placement, Default("contiguous"),
        "Placement of ranks on nodes: contiguous, round-robin, random, one-group, group-spread \
         (over all groups), group-spread:K (over K groups), or a file of NODE[:RANKS] lines."),
    opt(&["traffic"], "placement", ("--placement", ""), Job, Name("placement"),
        Default("contiguous"),
        "Placement of the nodes of --nodes: contiguous, round-robin, random, one-group, \
         group-spread (over all groups), or group-spread:K (over K groups)."),
    opt(&["run"], "hostfile",
        ("--hostfile", "-hostfile --machinefile -machinefile -f"), Job, Text("FILE"), Nothing,
        "Host file: one node per line in rank order, such as `x4000c0s5b0n0`, \
         `nid[001000-001007]` or `5`, with `:SLOTS` or ` slots=N`."),
    opt(&["run", "bench", "app"], "nic_policy", ("--nic-policy", ""), Job, Name("nic_policy"),
        Described("block"),
        "Mapping of ranks to the NICs of their node: block (in order), numa (a NIC of the rank's \
         CPU), round-robin, gpu (a NIC of its GPU) or single (the first NIC). A list such as \
         `user:0:0-3;1:4-7` gives NIC 0 to ranks 0 to 3 of each node, and so on."),
    opt(EACH, "mpi", ("--mpi", ""), Job, NameOrToml("mpi"), Default("mpich"),
        "MPI library whose protocols and algorithms are simulated: a name, or a profile, \
         FILE.toml."),
    opt(OF_JOBS, "coll_rules", ("--coll-rules", ""), Job, Text("FILE"),
        Described("the library's own rules"),
        "Selection of collective algorithms: a tuning file of MPICH \
         (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE and similar) or of Open MPI \
         (coll_tuned_dynamic_rules_filename), as written by `odonata tune` (docs/tuning.md)."),
    opt(EACH, "traffic_class", ("--class", ""), Job, Text("NAME"), Described("best-effort"),
        "Traffic class on Slingshot: best-effort, low-latency, bulk-data, ... \
         (docs/models/classes.md)."),
    opt(WITH_LIMITS, "storage_class", ("--storage-class", ""), Job, Text("NAME"),
        Described("`storage.NAME.class` of the machine, or best-effort"),
        "Traffic class of the messages of all file systems (docs/models/classes.md)."),
    opt(&["bench"], "file_system", ("--file-system", ""), Measurement, Text("NAME"),
        Described("the machine's first"),
        "`ior` and `mdtest`: the file system of the machine that is measured."),
    opt(&["bench"], "io_options", ("--io-options", ""), Measurement, Text("OPTIONS"), Nothing,
        "`ior` and `mdtest`: options of the program in one text, such as `-t 1m -b 64m -F -C -e` \
         (docs/models/io-benchmarks.md)."),

    opt(&["app"], "ranks", ("-n --ranks", "-np --np --ntasks"), Job, Text("LIST"),
        Default("8,27,64"),
        "`odonata app check`: the numbers of ranks with which the program runs. `odonata app \
         rates`: one number, by default 1."),
    opt(&["app"], "problem", ("--problem", ""), Program, Texts("KEY=VALUE"), Nothing,
        "Set an option of the model, such as `nx=104`; repeatable."),
    opt(&["app"], "scaling", ("--scaling", ""), Program, Name("scaling"), Default("weak"),
        "With several numbers of nodes: a constant size per rank (weak), or a constant total size \
         (strong)."),
    opt(&["app"], "rates", ("--rates", ""), Machine, Text("FILE"), Nothing,
        "Rates of computing units instead of the machine's: a file with `[node.device]`, such as \
         `odonata app rates FILE` measures on this computer."),

    opt(&["run"], "env", ("--env", ""), Program, Texts("NAME=VALUE"), Nothing,
        "Set an environment variable of the ranks; repeatable."),
    opt(&["run"], "wdir", ("--wdir", "-wdir --chdir"), Program, Text("DIR"),
        Described("the current directory"),
        "Working directory of the ranks."),
    opt(&["run"], "warm", ("--warm", ""), Program, Text("MODULES"), Default("auto"),
        "Start of Python ranks: forked from one interpreter that has imported the script's modules \
         (auto) and further listed ones (`h5py,yaml`), or each in a new interpreter (none)."),
    opt(&["run"], "compute", ("--compute", ""), Program, Factor("measured|none|FACTOR"),
        Default("measured"),
        "Time between MPI calls: the CPU time of the thread (measured), zero (none), or the CPU \
         time multiplied by FACTOR, such as 0.5 for cores that are twice as fast."),
    opt(&["replay"], "compute", ("--compute", ""), Program, Factor("recorded|none|FACTOR"),
        Default("recorded"),
        "Time of computation: as recorded, zero (none), or multiplied by FACTOR. GOAL counts \
         nanoseconds; FACTOR 1000 reads them as microseconds."),
    opt(&["replay"], "compute_device", ("--compute-device", ""), Program, Text("NAME"), Nothing,
        "Machine whose device the recorded computation ran on: it is scaled by the rates of its \
         device and of that of --machine, of `fp64`, or of another rate as in \
         `frontier:memory_rate` (docs/traces.md)."),
    opt(&["run"], "clock", ("--clock", ""), Program, Name("clock"), Default("virtual"),
        "Clocks and sleeps of the program: simulated time (virtual) or wall time (real)."),
    opt(&["run"], "epoch", ("--epoch", ""), Program, Text("DATE"), Default("2026-01-01"),
        "Start of the virtual clock, UTC: `2026-01-01T12:30:00`, or `now`."),
    opt(&["run"], "mounts", ("--mount", ""), Program, Texts("PATH=NAME"), Nothing,
        "Also mount the file system NAME of the machine at PATH; repeatable."),
    opt(&["run"], "keep", ("--keep", ""), Program, Text("DIR"), Nothing,
        "Keep the files of the simulated file systems in DIR. Files that are there already are the \
         initial contents."),
    opt(&["run"], "jobs", ("--jobs", ""), Program, Text("FILE"), Nothing,
        "Run several jobs at once instead of PROGRAM. FILE is TOML with one `[[job]]` table per \
         job: `program` or `bench`, `ranks`, `ppn`, `placement` (docs/models/jobs.md)."),
    opt(&["run"], "alone", ("--alone/--no-alone", ""), Program, Flag, Default("yes"),
        "With --jobs: also run each job alone, and report its slowdown."),

    opt(&["bench"], "sizes", ("--sizes", ""), Measurement, Sizes, Described("as in OSU"),
        "Message sizes: `8:1Mi` doubles from 8 B to 1 MiB, `8,1Ki` is a list."),
    opt(&["tune"], "sizes", ("--sizes", ""), Measurement, Sizes, Default("8:1Mi"),
        "Message sizes: `8:1Mi` doubles from 8 B to 1 MiB, `8,1Ki` is a list."),
    opt(&["bench"], "window", ("--window -W", ""), Measurement, Count(1, 65_536), Default("64"),
        "Messages in flight per pair of ranks, in bandwidth tests."),
    opt(&["bench"], "shifts", ("--shifts", ""), Measurement, COUNT, Default("64"),
        "Number of simulated shifts of put_alltoall, from which the time of all is estimated."),
    opt(&["bench", "app"], "buffers", ("--buffers", ""), Measurement, Name("buffers"),
        Default("host"),
        "Memory of message buffers: the host's, or that of the ranks' GPUs \
         (docs/models/gpu-buffers.md)."),
    opt(&["traffic"], "load", ("--load", "--loads"), Measurement, Loads, Required,
        "Offered load as a fraction of the injection rate: `0.3`, a list `0.1,0.5`, or \
         FIRST:LAST:STEP."),
    opt(&["traffic"], "packet", ("--packet", "--packet-bytes"), Measurement, Size, Default("2Ki"),
        "Payload of a packet."),
    opt(&["traffic"], "time", ("--time", ""), Measurement, Time, Default("40us"),
        "Simulated time that is measured."),
    opt(&["traffic"], "warmup", ("--warmup", ""), Measurement, Time, Default("20us"),
        "Simulated time before the measurement."),
    opt(&["traffic"], "slices", ("--slices", ""), Measurement, Count(0, 10_000), Default("0"),
        "Divide the measured time into N parts and print one row per part, such as before and \
         after a fault."),
    opt(&["traffic"], "ordered", ("--ordered", ""), Measurement, Flag, Nothing,
        "Deliver the packets of each pair of NICs in order, on machines with \
         `switch.flows = \"kept\"` \
         (docs/models/ordered-flows.md)."),
    opt(&["traffic"], "alone", ("--alone/--no-alone", ""), Measurement, Flag, Default("yes"),
        "With --background: also run without it, and report the slowdown."),

    opt(&["run", "traffic", "replay"], "fidelity", ("--fidelity", ""), Model, Name("fidelity"),
        Default("packet"),
        "Network model: packet (every packet), flow (max-min fair shares of links) or loggp \
         (closed form, no contention)."),
    opt(&["bench"], "fidelity", ("--fidelity", ""), Model, Name("fidelity_or_auto"),
        Default("packet"),
        "Network model: packet (every packet), flow (max-min fair shares of links), loggp (closed \
         form, no contention), or auto (the cheapest one within --tolerance of packet)."),
    opt(&["app", "tune"], "fidelity", ("--fidelity", ""), Model, Name("fidelity"),
        Default("loggp"),
        "Network model: packet (every packet), flow (max-min fair shares of links) or loggp \
         (closed form, no contention)."),
    opt(&["validate"], "fidelity", ("--fidelity", ""), Model, Name("fidelity"),
        Described("that of each curve"),
        "Network model: packet, flow or loggp."),
    opt(&["bench"], "tolerance", ("--tolerance", ""), Model, Share, Nothing,
        "With --fidelity auto: maximum extent of the error bars, such as `10%`."),
    opt(&["bench"], "error_bars", ("--error-bars", ""), Model, Flag, Nothing,
        "With --fidelity loggp or flow: estimate the error of a collective's time from runs with \
         packets on fewer nodes."),
    opt(&["bench"], "twin_packets", ("--replica-packets", "--twin-packets"), Model, COUNT,
        Default("500000"),
        "With --error-bars or --fidelity auto: maximum number of packets of each scaled-down run."),
    opt(&["bench"], "messages", ("--messages", ""), Model, COUNT, Default("2000000"),
        "Message budget of one collective call with loggp; a tenth of it with flow. Longer calls \
         are sampled: representative rounds and ranks are simulated \
         (docs/models/collective-sampling.md). \
         An iteration of a GPCNeT or dgnettest test above the budget is refused."),
    opt(&["app"], "messages", ("--messages", ""), Model, COUNT, Default("2000000"),
        "Message budget per number of nodes; a tenth of it with flow. Above it, fewer iterations \
         are simulated, and then each kind of phase once (docs/application-models.md)."),
    opt(&["tune"], "messages", ("--messages", ""), Model, COUNT, Default("2000000"),
        "Message budget of one call; a tenth of it with flow. Longer calls are sampled: \
         representative rounds and ranks are simulated, and `~` marks the time. A call that cannot \
         be sampled is omitted (docs/models/collective-sampling.md)."),
    opt(EACH, "engine", ("--engine", ""), Model, Name("engine"), Default("auto"),
        "Simulation of packets: event by event in the order of time, or one switch at a time in \
         windows (docs/models/window-engine.md), which `auto` uses while many events occur per \
         window. Results do not depend on it."),
    opt(WITH_LIMITS, "limits", ("--limits", ""), Model, Name("limits"), Default("fail"),
        "Effect of exceeding a limit of a NIC, the library or a node: end the run as the machine \
         would (fail), report it and continue (warn), or ignore it (off) (docs/models/limits.md)."),
    opt(HEALTHY_OR_NOT, "background", ("--background", ""), Model, Texts("PATTERN:LOAD"), Nothing,
        "Traffic of the nodes without a job: a pattern of `odonata traffic` and a load, such as \
         `uniform:0.4`; with messages of 64 KiB `uniform:0.4@64Ki`; with a traffic class \
         `uniform:0.4,bulk-data`; repeatable."),
    opt(WITH_LIMITS, "noise", ("--noise", ""), Model, Text("LENGTH/PERIOD"), Nothing,
        "Operating system noise: `25us/1ms` stops every core for 25 us in each millisecond."),
    opt(EACH, "seed", ("--seed", ""), Model, Count(0, (1 << 63) - 1), Default("1"),
        "Seed of every random draw."),
    opt(EACH, "threads", ("--threads", ""), Model, COUNT, Default("1"),
        "Number of threads. `odonata traffic` divides loads among them, and networks if there are \
         fewer loads. Other commands divide the network of a simulation of packets while the \
         window engine is used (docs/performance.md). Results do not depend on it."),

    opt(&["app"], "plot", ("--plot", ""), Output, Text("FILE"), Nothing,
        "Draw the figure of merit against nodes: FILE.png, FILE.svg or FILE.pdf."),
    opt(&["app"], "native", ("--native", ""), Output, Flag, Nothing,
        "Also print the results in the format of the application: result lines, tables of steps \
         or of phases (docs/apps)."),
    opt(&["app"], "advise", ("--advise", ""), Output, Flag, Nothing,
        "Also predict the last number of nodes with other placements, collective algorithms, \
         traffic classes, libraries, NICs and routings, and list those that help."),
    opt(&["tune"], "whole", ("--all", ""), Output, Flag, Nothing,
        "Also print the time of every algorithm."),
    opt(&["run"], "label", ("-l --label", "-prepend-rank --tag-output"), Output, Flag, Nothing,
        "Prefix each line of output with its rank."),
    opt(&["run"], "record", ("--record", ""), Output, Text("FILE"), Nothing,
        "Record the MPI calls and computation of the ranks for `odonata replay FILE` \
         (docs/recording.md)."),
    opt(TIMED, "timeline", ("--timeline", ""), Output, Text("FILE"), Nothing,
        "Write a timeline for a viewer: FILE.pftrace for Perfetto, FILE.prv for Paraver, \
         FILE.otf2 for OTF2, or FILE.odtl (docs/timelines.md)."),
    opt(TIMED, "timeline_window", ("--timeline-window", ""), Output, Text("START:END"),
        Described("the whole run"),
        "Part of the run in the timeline: `1ms:2ms`."),
    opt(WITH_LIMITS, "timeline_ranks", ("--timeline-ranks", ""), Output, Text("RANGES"),
        Described("all"),
        "Ranks in the timeline: `0-7,64`."),
    opt(TIMED, "timeline_sample", ("--timeline-sample", ""), Output, Time,
        Described("1us, longer in long runs"),
        "Interval between two samples of links, NICs and storage targets in the timeline."),
    opt(WITH_LIMITS, "preflight", ("--preflight", ""), Output, Flag, Nothing,
        "Also list every limit of which at least a quarter was used. `odonata preflight` predicts \
         from several sizes where each limit is reached."),
    opt(HEALTHY_OR_NOT, "counters", ("--counters", ""), Output, Flag, Nothing,
        "Also print the counters of NICs and links, under the names of the machine's own counters \
         (docs/models/counters.md)."),
    opt(EACH, "out", ("--out", ""), Output, Text("DIR"), Nothing,
        "Write tables as Parquet, and summary.json, to DIR."),
    opt(EACH, "force", ("--force", ""), Output, Flag, Nothing,
        "With --out: replace an earlier result in DIR and its report; other files stay."),
    opt(&["run", "bench", "app", "tune", "traffic", "replay", "machines", "show", "validate",
          "preflight", "extrapolate", "sweep"],
        "as_json", ("--json", ""), Output, Flag, Nothing,
        "Print one JSON object on stdout."),
    opt(LONG, "progress", ("--progress", ""), Output, Name("progress"),
        Described("line, if stderr is a terminal"),
        "Progress on stderr: a line that is redrawn, one JSON object per second, or nothing."),
    opt(EACH, "quiet", ("--quiet", ""), Output, Flag, Nothing,
        "Print no progress line, notes or summary."),
    opt(&["sweep"], "out", ("--out", ""), Output, Text("DIR"),
        Described("STUDY.sweep beside the study"),
        "Directory of finished points and the table."),
    opt(&["check"], "as_json", ("--json", ""), Output, Flag, Nothing,
        "Print one JSON object on stdout."),
    opt(&["check"], "out", ("--out", ""), Output, Text("DIR"),
        Described("CAMPAIGN.check beside the campaign file"),
        "Directory of the journal and the results."),
    opt(&["check"], "force", ("--force", ""), Output, Flag, Nothing,
        "Begin again: remove the journal of an earlier campaign in the directory."),
    opt(&["sweep"], "workers", ("--workers", ""), Model, Count(1, 4096), Described("one per core"),
        "Number of worker processes."),
    opt(&["sweep"], "scheduler", ("--scheduler", ""), Model, Text("ADDRESS"), Nothing,
        "Compute on the Dask cluster of this scheduler: `tcp://HOST:8786`, \
         or its file, FILE.json."),
    opt(&["sweep"], "tries", ("--tries", ""), Model, COUNT, Default("3"),
        "Attempts per point if its process dies."),
    opt(&["validate"], "every", ("--all", ""), Measurement, Flag, Nothing,
        "Also predict measurements that take long: a quarter of an hour on two cores."),
    opt(&["validate"], "held_out", ("--held-out", ""), Measurement, Flag, Nothing,
        "Predict the measurements that were set aside to check the bands, and no others."),
    opt(&["validate"], "page", ("--page", ""), Output, Text("FILE"), Nothing,
        "Also write an HTML page with every point, its band and its source."),
    opt(&["validate", "extrapolate", "report", "sweep", "check"], "quiet", ("--quiet", ""), Output,
        Flag, Nothing,
        "Print no progress line and no notes."),
    opt(&["show"], "as_toml", ("--toml", ""), Output, Flag, Nothing,
        "Print the machine file, as a start for one of your own."),
    opt(&["extrapolate"], "record", ("-o --record", "--output"), Output, Text("FILE"), Required,
        "The recording to write."),
    opt(&["report"], "output", ("-o --output", ""), Output, Text("FILE"),
        Described("RUNDIR/report.html"),
        "The HTML file to write."),
    opt(&["compare"], "as_json", ("--json", ""), Output, Flag, Nothing,
        "Print one JSON object on stdout."),
    opt(&["compare"], "output", ("-o --output", ""), Output, Text("FILE"), Nothing,
        "Also write the comparison as one HTML file."),
    opt(&["report"], "published", ("--published/--no-published", ""), Output, Flag, Default("yes"),
        "Also predict published latencies and show both."),
    opt(&["report", "compare"], "force", ("--force", ""), Output, Flag, Nothing,
        "Replace FILE even if it is not a report."),
];
