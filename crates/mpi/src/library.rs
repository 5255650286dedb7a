//! The behavior of an MPI library, as data: costs of calls, protocol thresholds, algorithms of
//! collectives.
//!
//! A profile is a TOML file. It may be based on another by `like`, and have other values for
//! machines of one fabric. The files in `libraries/` state the source of each number;
//! docs/models/library.md describes their meaning.

use std::collections::BTreeMap;

use crate::limits::MatchMode;
use crate::packing::{MAX_ELEMENT_TIME, Packing};
pub use crate::presets::{PRESETS, preset};
use crate::{Family, Provider};
use base::quantity::{self, Quantity, Unit};
use base::{Gap, Span};
use collectives::{Kind, Selection};
use toml::{Table, Value};

/// A profile, resolved for one fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct Library {
    pub name: String,
    pub family: Family,
    /// The version in `MPI_Get_library_version`, after our own name.
    pub version: String,
    /// CPU time of the sender per message, from the call until the command is at the NIC.
    pub send_overhead: Span,
    /// CPU time of the receiver per message, from the NIC's event to the return of the call.
    pub recv_overhead: Span,
    /// CPU time of the origin per one-sided operation that NICs execute.
    pub rma_overhead: Span,
    /// The same where sender and receiver share a node.
    pub shm_send_overhead: Span,
    pub shm_recv_overhead: Span,
    /// Longest message sent eagerly, bytes; `u64::MAX` is no limit.
    pub eager_max: u64,
    /// The same within a node, through cells of shared memory.
    pub shm_eager_max: u64,
    /// Bytes of a cell. For longer messages, one cell is filled while another is emptied.
    pub shm_cell: u64,
    /// Single-copy thresholds for rendezvous within a node, bytes. From `cma_min` on the kernel
    /// copies (CMA), with a start-up time and a time per page. From `xpmem_min` on the receiver
    /// copies from attached memory (XPMEM). Other messages use cells.
    pub cma_min: u64,
    pub xpmem_min: u64,
    pub cma_start: Span,
    pub cma_page: Span,
    pub xpmem_start: Span,
    /// CPU time per event of a rendezvous between nodes that an eager message does not have: two at
    /// the receiver, one at the sender.
    pub rendezvous_event: Span,
    /// Bytes of a rendezvous message that travel with the request to send.
    pub rendezvous_eager_part: u64,
    /// Bytes that every eager message and request to send carries beside the payload.
    pub control_bytes: u64,
    /// Memory that each rank's library holds per peer in its job, bytes.
    pub peer_memory: u64,
    /// Copying eager data out of a bounce buffer, per byte. Zero: there is no copy.
    pub eager_copy_gap: Gap,
    /// The NIC matches, and writes eager data to the buffer of a posted receive by itself: the copy
    /// takes its time, but no CPU time.
    pub eager_direct: bool,
    /// Ranks of a node exchange messages through shared memory; otherwise through their NICs.
    pub shared_memory: bool,
    /// Longest one-sided atomic operation of the NIC, bytes; longer ones need the target's CPU.
    pub nic_atomic_max: u64,
    /// Combining one byte in a reduction.
    pub reduce_gap: Gap,
    /// Copying one byte within a rank's buffer.
    pub local_copy_gap: Gap,
    pub packing: Packing,
    /// CPU time of posting a receive. A latency does not contain it if the receive is posted while
    /// the message is in flight; a rate of messages does.
    pub post_overhead: Span,
    /// CPU time of any other MPI call.
    pub call_overhead: Span,
    /// How long an unsuccessful poll keeps the rank busy.
    pub poll_interval: Span,
    /// `MPI_TAG_UB`.
    pub tag_ub: i32,
    /// Context ids per rank, including those of the predefined communicators.
    pub context_ids: u64,
    /// Requests a rank may hold at once; a send of up to `inject_max` bytes needs none.
    pub max_requests: u64,
    pub inject_max: u64,
    /// Data that one-sided operations made of active messages carry with them, bytes; more is read.
    pub am_eager_max: u64,
    /// NICs a rank may use, and the number of NICs over which a rendezvous of at least `stripe_min`
    /// bytes is striped.
    pub max_nics: u64,
    pub stripe_nics: u64,
    pub stripe_min: u64,
    pub gpu: Gpu,
    pub provider: Provider,
    pub selection: Selection,
    /// Settings that have no effect here, with the collective they concern, if any.
    pub notes: Vec<(Option<Kind>, String)>,
}

/// Handling of buffers in GPU memory; see docs/models/gpu-buffers.md.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gpu {
    /// CPU time per side to move a message of at most `load_max` bytes to or from GPU memory by
    /// loads and stores.
    pub load_overhead: Span,
    pub load_max: u64,
    /// The same for loads alone, which fetch GPU memory over PCIe.
    pub read_max: u64,
    /// CPU time per side if the NIC accesses GPU memory.
    pub overhead: Span,
    /// Longest message whose data the CPU writes into the NIC's command.
    pub immediate_max: u64,
    /// CPU time of a put of at most `inject_max` bytes from GPU memory: the provider copies its
    /// data, because the call must not keep the buffer.
    pub inject_copy: Span,
    /// Shortest message for which the NIC accesses GPU memory, bytes. Shorter ones are staged in
    /// host memory; those of at least `pipeline_min` bytes in pieces of `chunk`, others whole.
    pub rdma_min: u64,
    pub pipeline_min: u64,
    /// The thresholds that MPICH's variables set, which count only where access and pipeline are
    /// enabled.
    pub rdma_threshold: u64,
    pub pipeline_threshold: u64,
    pub chunk: u64,
    /// Within a node: shortest message that the receiver's GPU copies, and its largest rate.
    pub ipc_min: u64,
    pub ipc_gap: Gap,
}

/// Longest time in a profile, seconds: sums of longer times could exceed the clock.
pub const MAX_TIME_S: f64 = 1000.0;
/// Rates in a profile, bytes per second: the gap of a byte is a whole number of 2^-20 ps.
const RATES: std::ops::RangeInclusive<f64> = 1e6..=1e15;
/// Largest size in a profile, bytes; the highest number stands for no limit.
const MAX_SIZE: u64 = i64::MAX as u64;

/// [MPICH] MPIR_CVAR_CH4_OFI_GPU_PIPELINE_THRESHOLD, bytes.
const PIPELINE_THRESHOLD: u64 = 1 << 20;

/// A size, or `other` in place of no limit.
fn if_finite(size: u64, other: u64) -> u64 {
    if size == u64::MAX { other } else { size }
}

/// The kind of a key's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueKind {
    Time,
    /// A time per page or block.
    ShortTime,
    /// A time per element or member; there may be as many as bytes.
    Element,
    /// Bytes, or no limit.
    Size,
    /// Bytes that are added to other bytes.
    SmallSize,
    Rate,
    Tag,
    /// A number of things, or no limit.
    Count,
    /// A number to which others are added.
    Addend,
    Mode,
    Switch,
}

/// All numeric keys.
const KEYS: [(&str, ValueKind); 63] = [
    ("send_overhead", ValueKind::Time),
    ("recv_overhead", ValueKind::Time),
    ("rma_overhead", ValueKind::Time),
    ("shm_send_overhead", ValueKind::Time),
    ("shm_recv_overhead", ValueKind::Time),
    ("eager_max", ValueKind::Size),
    ("shm_eager_max", ValueKind::Size),
    ("shm_cell", ValueKind::Size),
    ("cma_min", ValueKind::Size),
    ("xpmem_min", ValueKind::Size),
    ("cma_start", ValueKind::Time),
    ("cma_page", ValueKind::ShortTime),
    ("xpmem_start", ValueKind::Time),
    ("rendezvous_event", ValueKind::Time),
    ("rendezvous_eager_part", ValueKind::Size),
    ("control_bytes", ValueKind::SmallSize),
    ("peer_memory", ValueKind::SmallSize),
    ("nic_atomic_max", ValueKind::Size),
    ("eager_copy_rate", ValueKind::Rate),
    ("eager_direct", ValueKind::Switch),
    ("shared_memory", ValueKind::Switch),
    ("reduce_rate", ValueKind::Rate),
    ("local_copy_rate", ValueKind::Rate),
    ("pack_round", ValueKind::ShortTime),
    ("pack_block", ValueKind::ShortTime),
    ("pack_stretch", ValueKind::ShortTime),
    ("pack_element", ValueKind::Element),
    ("pack_member", ValueKind::Element),
    ("move_block", ValueKind::ShortTime),
    ("post_overhead", ValueKind::Time),
    ("call_overhead", ValueKind::Time),
    ("poll_interval", ValueKind::Time),
    ("tag_ub", ValueKind::Tag),
    ("context_ids", ValueKind::Count),
    ("max_requests", ValueKind::Count),
    ("inject_max", ValueKind::Size),
    ("am_eager_max", ValueKind::Size),
    ("max_nics", ValueKind::Count),
    ("stripe_nics", ValueKind::Count),
    ("stripe_min", ValueKind::Size),
    ("gpu_load_overhead", ValueKind::Time),
    ("gpu_load_max", ValueKind::Size),
    ("gpu_read_max", ValueKind::Size),
    ("gpu_overhead", ValueKind::Time),
    ("gpu_immediate_max", ValueKind::Size),
    ("gpu_inject_copy", ValueKind::Time),
    ("gpu_rdma_min", ValueKind::Size),
    ("gpu_pipeline_min", ValueKind::Size),
    ("gpu_chunk", ValueKind::Size),
    ("gpu_ipc_min", ValueKind::Size),
    ("gpu_ipc_rate", ValueKind::Rate),
    ("rx_match_mode", ValueKind::Mode),
    ("match_element", ValueKind::Time),
    ("flow_control", ValueKind::Time),
    ("rdzv_get_min", ValueKind::SmallSize),
    ("default_cq_size", ValueKind::Count),
    ("eq_page", ValueKind::Size),
    ("unexpected_events", ValueKind::Addend),
    ("eq_ack_batch_size", ValueKind::Addend),
    ("oflow_buf_count", ValueKind::Addend),
    ("req_buf_min_posted", ValueKind::Addend),
    ("default_tx_size", ValueKind::Count),
    ("rendezvous_ids", ValueKind::Count),
];

impl ValueKind {
    fn expected(self) -> &'static str {
        match self {
            ValueKind::Time => "a time with its unit, such as `370 ns`, of at most 1000 s",
            ValueKind::ShortTime => "a time with its unit, such as `100 ns`, of at most 10 us",
            ValueKind::Element => "a time with its unit, such as `1 ns`, of at most 1 us",
            ValueKind::Size => {
                "a size with its unit, such as `16 KiB`, below 2^63 B, or `unlimited`"
            }
            ValueKind::SmallSize => "a size with its unit, such as `16 KiB`, of at most 4095 MiB",
            ValueKind::Rate => {
                "a rate with its unit, such as `30 GB/s`, from 1 MB/s to 1000 TB/s, or `unlimited`"
            }
            ValueKind::Tag => "a whole number from 32767 to 2147483647",
            ValueKind::Count => "a whole number above zero, or `unlimited`",
            ValueKind::Addend => "a whole number from 0 to 4294967295",
            ValueKind::Mode => "`hardware`, `hybrid` or `software`",
            ValueKind::Switch => "true or false",
        }
    }
    fn units(self) -> &'static [Unit] {
        match self {
            ValueKind::Time | ValueKind::ShortTime | ValueKind::Element => quantity::TIME,
            ValueKind::Size | ValueKind::SmallSize => quantity::SIZE,
            ValueKind::Rate => quantity::RATE,
            ValueKind::Tag
            | ValueKind::Count
            | ValueKind::Addend
            | ValueKind::Mode
            | ValueKind::Switch => &[],
        }
    }
    /// The value in picoseconds, bytes, `Gap` units or as it is.
    fn read(self, value: &Value) -> Option<u64> {
        if let (ValueKind::Tag, Value::Integer(n)) = (self, value) {
            // MPI guarantees every program at least 32,767.
            return (32_767..=i64::from(i32::MAX)).contains(n).then_some(*n as u64);
        }
        if let (ValueKind::Count | ValueKind::Addend, Value::Integer(n)) = (self, value) {
            let least = i64::from(self == ValueKind::Count);
            return (least..=i64::from(u32::MAX)).contains(n).then_some(*n as u64);
        }
        if let (ValueKind::Switch, Value::Boolean(on)) = (self, value) {
            return Some(u64::from(*on));
        }
        let Value::String(text) = value else { return None };
        match (self, text.trim()) {
            (ValueKind::Mode, text) => return MatchMode::from_name(text).map(|mode| mode as u64),
            (ValueKind::Size | ValueKind::Count, "unlimited") => return Some(u64::MAX),
            (ValueKind::Rate, "unlimited") => return Some(Gap::ZERO.0),
            _ => {}
        }
        let read = Quantity::split(text)?;
        let unit = *self.units().iter().find(|unit| unit.name == read.unit)?;
        let scaled = read.value(unit);
        match self {
            ValueKind::Time => (scaled <= MAX_TIME_S).then(|| Span::from_seconds(scaled).0),
            ValueKind::ShortTime => (scaled <= 10e-6).then(|| Span::from_seconds(scaled).0),
            ValueKind::Element => {
                (scaled <= MAX_ELEMENT_TIME.seconds()).then(|| Span::from_seconds(scaled).0)
            }
            ValueKind::Size => read.whole(unit).filter(|&bytes| bytes <= MAX_SIZE),
            ValueKind::SmallSize => read.whole(unit).filter(|&bytes| bytes < 4096 << 20),
            ValueKind::Rate => RATES.contains(&scaled).then(|| Gap::from_bytes_per_s(scaled).0),
            ValueKind::Tag
            | ValueKind::Count
            | ValueKind::Addend
            | ValueKind::Mode
            | ValueKind::Switch => None,
        }
    }
}

/// The keys that a machine file may have in `[libraries.NAME]`.
pub fn machine_keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(key, _)| *key).chain(["version", "collectives"])
}

impl Library {
    /// Start-up and page time of the receiver's copy of a rendezvous of `bytes` within a node: by
    /// XPMEM if used, else by CMA. `None`: it goes through cells.
    pub fn single_copy_start(&self, bytes: u64) -> Option<Span> {
        const PAGE: u64 = 4096;
        if bytes >= self.xpmem_min {
            return Some(self.xpmem_start);
        }
        (bytes >= self.cma_min).then(|| self.cma_start + self.cma_page * bytes.div_ceil(PAGE))
    }

    /// The library on cores that are `speed` times as fast as those of the profile's measurements.
    /// Packing an element or a member takes at most 1 us. `Err` is an overhead in seconds that
    /// would exceed the maximum of a profile.
    pub fn on_cores(mut self, speed: f64) -> Result<Library, f64> {
        for span in [
            &mut self.send_overhead,
            &mut self.recv_overhead,
            &mut self.rma_overhead,
            &mut self.shm_send_overhead,
            &mut self.shm_recv_overhead,
            &mut self.xpmem_start,
            &mut self.rendezvous_event,
            &mut self.post_overhead,
            &mut self.call_overhead,
            &mut self.gpu.overhead,
            &mut self.packing.round,
            &mut self.packing.block,
            &mut self.packing.stretch,
            &mut self.packing.element,
            &mut self.packing.member,
            &mut self.packing.moved,
        ] {
            let seconds = span.seconds() / speed;
            if seconds > MAX_TIME_S {
                return Err(seconds);
            }
            *span = Span::from_seconds(seconds);
        }
        self.packing.element = self.packing.element.min(MAX_ELEMENT_TIME);
        self.packing.member = self.packing.member.min(MAX_ELEMENT_TIME);
        Ok(self)
    }

    /// The number of a node's `nics` over which a rendezvous of `bytes` is striped.
    pub fn stripes(&self, bytes: u64, nics: u32) -> u32 {
        if bytes < self.stripe_min {
            return 1;
        }
        self.stripe_nics.min(self.max_nics).min(u64::from(nics)).max(1) as u32
    }

    /// Reads a profile for machines of `fabric` (`slingshot`, `aries`, ...). A fabric that the
    /// profile does not name gets its general values. `Err` has all errors, each with the path of
    /// its key.
    pub fn parse(name: &str, text: &str, fabric: &str) -> Result<Library, Vec<String>> {
        Library::parse_on(name, text, fabric, &Table::new())
    }

    /// The same for one machine. `installed` has keys by name of an included profile: what differs
    /// for this library as built, set up and measured there. They count for that profile, and for
    /// files that are `like` it.
    pub fn parse_on(
        name: &str,
        text: &str,
        fabric: &str,
        installed: &Table,
    ) -> Result<Library, Vec<String>> {
        let mut draft = Draft { installed: installed.clone(), ..Draft::default() };
        draft.check_installed();
        draft.overlay(text, fabric, true);
        // A key with a wrong value is not also missing.
        if draft.errors.is_empty() {
            let missing = KEYS.iter().filter(|(key, _)| !draft.values.contains_key(key));
            let missing = missing.map(|(key, kind)| format!("{key}: expected {}", kind.expected()));
            draft.errors.extend(missing);
            if draft.version.is_empty() {
                draft.errors.push("version: expected the library's version, in quotes".into());
            }
        }
        let selection = Selection::parse(&draft.rules, "collectives");
        let selection = match (selection, draft.errors.is_empty()) {
            (Ok(selection), true) => selection,
            (selection, _) => {
                draft.errors.extend(selection.err().into_iter().flatten());
                return Err(draft.errors);
            }
        };
        let get = |key: &str| draft.values[key];
        Ok(Library {
            name: name.into(),
            family: Family::of(name, text),
            send_overhead: Span(get("send_overhead")),
            recv_overhead: Span(get("recv_overhead")),
            rma_overhead: Span(get("rma_overhead")),
            shm_send_overhead: Span(get("shm_send_overhead")),
            shm_recv_overhead: Span(get("shm_recv_overhead")),
            eager_max: get("eager_max"),
            shm_eager_max: get("shm_eager_max"),
            shm_cell: get("shm_cell"),
            cma_min: get("cma_min"),
            xpmem_min: get("xpmem_min"),
            cma_start: Span(get("cma_start")),
            cma_page: Span(get("cma_page")),
            xpmem_start: Span(get("xpmem_start")),
            rendezvous_event: Span(get("rendezvous_event")),
            rendezvous_eager_part: get("rendezvous_eager_part"),
            control_bytes: get("control_bytes"),
            peer_memory: get("peer_memory"),
            nic_atomic_max: get("nic_atomic_max"),
            eager_copy_gap: Gap(get("eager_copy_rate")),
            eager_direct: get("eager_direct") == 1,
            shared_memory: get("shared_memory") == 1,
            reduce_gap: Gap(get("reduce_rate")),
            local_copy_gap: Gap(get("local_copy_rate")),
            packing: Packing {
                round: Span(get("pack_round")),
                block: Span(get("pack_block")),
                stretch: Span(get("pack_stretch")),
                element: Span(get("pack_element")),
                member: Span(get("pack_member")),
                moved: Span(get("move_block")),
            },
            post_overhead: Span(get("post_overhead")),
            call_overhead: Span(get("call_overhead")),
            poll_interval: Span(get("poll_interval")),
            tag_ub: get("tag_ub") as i32,
            context_ids: get("context_ids"),
            max_requests: get("max_requests"),
            inject_max: get("inject_max"),
            am_eager_max: get("am_eager_max"),
            max_nics: get("max_nics"),
            stripe_nics: get("stripe_nics"),
            stripe_min: get("stripe_min"),
            gpu: Gpu {
                load_overhead: Span(get("gpu_load_overhead")),
                load_max: get("gpu_load_max"),
                read_max: get("gpu_read_max"),
                overhead: Span(get("gpu_overhead")),
                immediate_max: get("gpu_immediate_max"),
                inject_copy: Span(get("gpu_inject_copy")),
                rdma_min: get("gpu_rdma_min"),
                pipeline_min: get("gpu_pipeline_min"),
                rdma_threshold: if_finite(get("gpu_rdma_min"), 0),
                pipeline_threshold: if_finite(get("gpu_pipeline_min"), PIPELINE_THRESHOLD),
                chunk: get("gpu_chunk").max(1),
                ipc_min: get("gpu_ipc_min"),
                ipc_gap: Gap(get("gpu_ipc_rate")),
            },
            provider: Provider {
                match_mode: MatchMode::ALL[get("rx_match_mode") as usize],
                match_element: Span(get("match_element")),
                flow_control: Span(get("flow_control")),
                rdzv_get_min: get("rdzv_get_min"),
                cq_size: get("default_cq_size"),
                eq_page: get("eq_page").max(1),
                unexpected_events: get("unexpected_events"),
                ack_batch: get("eq_ack_batch_size"),
                oflow_buffers: get("oflow_buf_count"),
                request_buffers: get("req_buf_min_posted"),
                tx_size: get("default_tx_size"),
                rendezvous_ids: get("rendezvous_ids"),
                optimized_regions: true,         // [LF] FI_CXI_OPTIMIZED_MRS
                reduction_timeout: Span::ms(32), // [LF] FI_CXI_COLL_TIMEOUT_USEC
            },
            version: draft.version,
            selection,
            notes: Vec::new(),
        })
    }
}

/// A profile during the overlay of its layers.
#[derive(Default)]
struct Draft {
    /// Keys of the machine, by profile.
    installed: Table,
    version: String,
    values: BTreeMap<&'static str, u64>,
    rules: Table,
    errors: Vec<String>,
}

impl Draft {
    /// Overlays a profile: first the preset it is based on, then its general keys, those of the
    /// fabric, and, for the outermost preset, those of the machine. Only an included profile can be
    /// a base, so the recursion ends.
    fn overlay(&mut self, text: &str, fabric: &str, is_outermost: bool) {
        let mut table: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                self.errors.push(format!("not a TOML file: {}", error.message()));
                return;
            }
        };
        let own = PRESETS.iter().find(|name| preset(name) == Some(text));
        if let Some(like) = table.remove("like") {
            match like.as_str().and_then(preset) {
                Some(text) => self.overlay(text, fabric, is_outermost && own.is_none()),
                None => {
                    let hint = did_you_mean(like.as_str().unwrap_or(""), PRESETS.iter().copied());
                    let legal = PRESETS.join(", ");
                    self.errors
                        .push(format!("like: found `{like}`, expected one of {legal}{hint}"));
                }
            }
        }
        let fabrics = table.remove("fabric");
        self.layer("", &table, true);
        match fabrics {
            Some(Value::Table(fabrics)) => {
                for (name, keys) in &fabrics {
                    let at = format!("fabric.{name}");
                    match keys {
                        Value::Table(keys) => self.layer(&format!("{at}."), keys, name == fabric),
                        _ => self.errors.push(format!("{at}: expected a table of keys")),
                    }
                }
            }
            Some(_) => self.errors.push("fabric: expected tables by name of fabric".into()),
            None => {}
        }
        if let (true, Some(name)) = (is_outermost, own)
            && let Some(Value::Table(keys)) = self.installed.get(*name).cloned()
        {
            self.layer(&format!("libraries.{name}."), &keys, true);
        }
    }

    /// Checks the machine's keys of every profile, used here or not.
    fn check_installed(&mut self) {
        for (name, keys) in self.installed.clone() {
            let at = format!("libraries.{name}");
            match keys {
                Value::Table(keys) if preset(&name).is_some() => {
                    let found = self.errors.len();
                    self.layer(&format!("{at}."), &keys, false);
                    if self.errors.len() > found {
                        self.installed.remove(&name); // reported once
                    }
                }
                Value::Table(_) => {
                    let hint = did_you_mean(&name, PRESETS.iter().copied());
                    self.errors.push(format!("{at}: expected one of {}{hint}", PRESETS.join(", ")));
                }
                _ => self.errors.push(format!("{at}: expected a table of keys of a profile")),
            }
        }
    }

    /// Checks the keys of one layer, which are at path `at`, and stores them if they count here.
    fn layer(&mut self, at: &str, keys: &Table, counts: bool) {
        for (key, value) in keys {
            match (key.as_str(), value) {
                ("version", Value::String(_)) if !counts => {}
                ("version", Value::String(version)) => self.version.clone_from(version),
                ("collectives", Value::Table(rules)) if counts => {
                    self.rules.extend(rules.iter().map(|(k, v)| (k.clone(), v.clone())));
                }
                ("collectives", Value::Table(rules)) => {
                    let read = Selection::parse(rules, &format!("{at}collectives"));
                    self.errors.extend(read.err().unwrap_or_default());
                }
                _ => self.take(at, key, value, counts),
            }
        }
    }

    /// Checks a key and, if it `counts` on this fabric, stores its value.
    fn take(&mut self, at: &str, key: &str, value: &Value, counts: bool) {
        let Some(&(name, kind)) = KEYS.iter().find(|(name, _)| *name == key) else {
            let words = ["version", "like", "collectives", "fabric"];
            let legal = KEYS.iter().map(|k| k.0).chain(words);
            let hint = did_you_mean(key, legal);
            let what = if words.contains(&key) { "another value" } else { "a key of profiles" };
            self.errors.push(format!("{at}{key}: found `{value}`, expected {what}{hint}"));
            return;
        };
        match kind.read(value) {
            Some(number) if counts => _ = self.values.insert(name, number),
            Some(_) => {}
            None => {
                let expected = kind.expected();
                self.errors.push(format!("{at}{key}: found `{value}`, expected {expected}"));
            }
        }
    }
}

pub(crate) fn did_you_mean<'a>(word: &str, legal: impl IntoIterator<Item = &'a str>) -> String {
    let best = legal
        .into_iter()
        .map(|l| (strsim::jaro_winkler(word, l), l))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        // Below 0.7 Jaro-Winkler pairs words that share little more than letters.
        Some((score, near)) if score > 0.7 => format!("; did you mean `{near}`?"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
