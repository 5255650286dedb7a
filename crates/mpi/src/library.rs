//! How one MPI library behaves, as data: what its calls cost, where its protocols change, which
//! algorithms its collectives use.
//!
//! A profile is a TOML file. It may begin `like` another and differ in a few keys, and may give
//! other values for machines of one fabric. The files in `libraries/` say where each number is
//! from; docs/models/library.md says what it stands for.

use std::collections::BTreeMap;

use crate::limits::MatchMode;
use crate::packing::{Packing, SLOWEST};
use crate::{Family, Provider};
use base::{Gap, Span};
use collectives::{Kind, Selection};
use toml::{Table, Value};

/// A profile, resolved for one fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct Library {
    pub name: String,
    pub family: Family,
    /// What `MPI_Get_library_version` says, after our own name.
    pub version: String,
    /// CPU time of the sender per message, from the call to the command's being with the NIC.
    pub send_overhead: Span,
    /// CPU time of the receiver per message, from what the NIC shows to the call's return.
    pub recv_overhead: Span,
    /// The same where sender and receiver share a node.
    pub shm_send_overhead: Span,
    pub shm_recv_overhead: Span,
    /// Longest message sent without asking first, bytes; `u64::MAX` is no limit.
    pub eager_max: u64,
    /// The same within a node: through cells of shared memory.
    pub shm_eager_max: u64,
    /// Bytes that a cell takes: of what has more the next is filled while one is emptied.
    pub shm_cell: u64,
    /// A longer message of so many bytes and more is copied by the kernel (CMA), which takes a
    /// while to start and a while for every page; from so many on by the receiver itself, from
    /// memory it has attached (XPMEM). Others go through cells, too, once they are asked for.
    pub cma_min: u64,
    pub xpmem_min: u64,
    pub cma_start: Span,
    pub cma_page: Span,
    pub xpmem_start: Span,
    /// Bytes of a longer message that travel with the request to send.
    pub rendezvous_eager_part: u64,
    /// Bytes every eager message and request to send carries beside the payload.
    pub control_bytes: u64,
    /// Bytes of memory that each rank's library holds for every other rank of its job.
    pub peer_memory: u64,
    /// The receiver copies eager data out of a bounce buffer. Zero: it need not.
    pub eager_copy_gap: Gap,
    /// Longest one-sided atomic operation the NIC does itself; longer ones need the target's CPU.
    pub nic_atomic_max: u64,
    /// Combining one byte of a reduction.
    pub reduce_gap: Gap,
    /// Moving one byte within a rank's buffer.
    pub local_copy_gap: Gap,
    pub packing: Packing,
    /// CPU time of any other MPI call.
    pub call_overhead: Span,
    /// How long a call that polls in vain keeps the rank busy.
    pub poll_interval: Span,
    /// `MPI_TAG_UB`.
    pub tag_ub: i32,
    /// Communicators one rank can tell apart, those that are always there included.
    pub context_ids: u64,
    /// NICs a rank may use, and over how many of them the data of a rendezvous of at least
    /// `stripe_min` bytes is split.
    pub max_nics: u64,
    pub stripe_nics: u64,
    pub stripe_min: u64,
    pub gpu: Gpu,
    pub provider: Provider,
    pub selection: Selection,
    /// What was asked of it that is not followed, and of which collective if it is one's.
    pub notes: Vec<(Option<Kind>, String)>,
}

/// What a library does with buffers in a GPU's memory. docs/models/node.md has the ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gpu {
    /// CPU time, on each side, to move a message of at most `load_max` bytes to or from a GPU's
    /// memory by loads and stores.
    pub load_overhead: Span,
    pub load_max: u64,
    /// CPU time on each side where the NIC does it.
    pub overhead: Span,
    /// Longest message whose data the CPU puts into the NIC's command.
    pub immediate_max: u64,
    /// The NIC reads and writes GPU memory from so many bytes on; shorter messages are staged in
    /// host memory, in pieces of `chunk`.
    pub rdma_min: u64,
    pub chunk: u64,
    /// Within a node the receiver's GPU copies from so many bytes on, and no faster than this.
    pub ipc_min: u64,
    pub ipc_gap: Gap,
}

/// Longer times, added up, might be more than the clock holds.
pub const LONGEST_S: f64 = 1000.0;

/// Names of the profiles that come with the product.
pub const PRESETS: &[&str] =
    &["mpich", "mpich-aurora", "cray-mpich", "openmpi", "mvapich-plus", "none"];

/// The text of a profile that comes with the product.
pub fn preset(name: &str) -> Option<&'static str> {
    Some(match name {
        "mpich" => include_str!("../libraries/mpich.toml"),
        "mpich-aurora" => include_str!("../libraries/mpich-aurora.toml"),
        "cray-mpich" => include_str!("../libraries/cray-mpich.toml"),
        "openmpi" => include_str!("../libraries/openmpi.toml"),
        "mvapich-plus" => include_str!("../libraries/mvapich-plus.toml"),
        "none" => include_str!("../libraries/none.toml"),
        _ => return None,
    })
}

/// What a key's value measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Time,
    /// A time for every page or block.
    Brief,
    /// A time for every element or member, of which there may be as many as bytes.
    Element,
    /// Bytes, or no limit.
    Size,
    /// Bytes that are added to others.
    Part,
    Rate,
    Tag,
    /// How many there are of something, or no limit.
    Count,
    /// A number that others are added to.
    Number,
    Mode,
}

/// Every key that costs something.
const KEYS: [(&str, Form); 52] = [
    ("send_overhead", Form::Time),
    ("recv_overhead", Form::Time),
    ("shm_send_overhead", Form::Time),
    ("shm_recv_overhead", Form::Time),
    ("eager_max", Form::Size),
    ("shm_eager_max", Form::Size),
    ("shm_cell", Form::Size),
    ("cma_min", Form::Size),
    ("xpmem_min", Form::Size),
    ("cma_start", Form::Time),
    ("cma_page", Form::Brief),
    ("xpmem_start", Form::Time),
    ("rendezvous_eager_part", Form::Size),
    ("control_bytes", Form::Part),
    ("peer_memory", Form::Part),
    ("nic_atomic_max", Form::Size),
    ("eager_copy_rate", Form::Rate),
    ("reduce_rate", Form::Rate),
    ("local_copy_rate", Form::Rate),
    ("pack_round", Form::Brief),
    ("pack_block", Form::Brief),
    ("pack_stretch", Form::Brief),
    ("pack_element", Form::Element),
    ("pack_member", Form::Element),
    ("move_block", Form::Brief),
    ("call_overhead", Form::Time),
    ("poll_interval", Form::Time),
    ("tag_ub", Form::Tag),
    ("context_ids", Form::Count),
    ("max_nics", Form::Count),
    ("stripe_nics", Form::Count),
    ("stripe_min", Form::Size),
    ("gpu_load_overhead", Form::Time),
    ("gpu_load_max", Form::Size),
    ("gpu_overhead", Form::Time),
    ("gpu_immediate_max", Form::Size),
    ("gpu_rdma_min", Form::Size),
    ("gpu_chunk", Form::Size),
    ("gpu_ipc_min", Form::Size),
    ("gpu_ipc_rate", Form::Rate),
    ("rx_match_mode", Form::Mode),
    ("match_element", Form::Time),
    ("flow_control", Form::Time),
    ("rdzv_get_min", Form::Part),
    ("default_cq_size", Form::Count),
    ("eq_page", Form::Size),
    ("unexpected_events", Form::Number),
    ("eq_ack_batch_size", Form::Number),
    ("oflow_buf_count", Form::Number),
    ("req_buf_min_posted", Form::Number),
    ("default_tx_size", Form::Count),
    ("rendezvous_ids", Form::Count),
];

impl Form {
    fn wanted(self) -> &'static str {
        match self {
            Form::Time => "a time with its unit, such as `370 ns`, of at most 1000 s",
            Form::Brief => "a time with its unit, such as `100 ns`, of at most 10 us",
            Form::Element => "a time with its unit, such as `1 ns`, of at most 1 us",
            Form::Size => "a size with its unit, such as `16 KiB`, or `unlimited`",
            Form::Part => "a size with its unit, such as `16 KiB`, of at most 4095 MiB",
            Form::Rate => "a rate with its unit, such as `30 GB/s`, from 1 MB/s on, or `unlimited`",
            Form::Tag => "a whole number from 32767 to 2147483647",
            Form::Count => "a whole number above zero, or `unlimited`",
            Form::Number => "a whole number from 0 to 4294967295",
            Form::Mode => "`hardware`, `hybrid` or `software`",
        }
    }
    fn units(self) -> &'static [(&'static str, f64)] {
        match self {
            Form::Time | Form::Brief | Form::Element => {
                &[("ps", 1e-12), ("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)]
            }
            Form::Size | Form::Part => {
                &[("B", 1.0), ("KiB", 1024.0), ("MiB", 1_048_576.0), ("kB", 1e3)]
            }
            Form::Rate => &[("GB/s", 1e9), ("MB/s", 1e6), ("TB/s", 1e12), ("Gbit/s", 0.125e9)],
            Form::Tag | Form::Count | Form::Number | Form::Mode => &[],
        }
    }
    /// The value in picoseconds, bytes, `Gap` units or as it stands.
    fn read(self, value: &Value) -> Option<u64> {
        if let (Form::Tag, Value::Integer(n)) = (self, value) {
            // MPI promises every program at least 32,767.
            return (32_767..=i64::from(i32::MAX)).contains(n).then_some(*n as u64);
        }
        if let (Form::Count | Form::Number, Value::Integer(n)) = (self, value) {
            let least = i64::from(self == Form::Count);
            return (least..=i64::from(u32::MAX)).contains(n).then_some(*n as u64);
        }
        let Value::String(text) = value else { return None };
        match (self, text.trim()) {
            (Form::Mode, text) => return MatchMode::named(text).map(|mode| mode as u64),
            (Form::Size | Form::Count, "unlimited") => return Some(u64::MAX),
            (Form::Rate, "unlimited") => return Some(Gap::ZERO.0),
            _ => {}
        }
        let text = text.trim();
        let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let number: f64 = text[..split].parse().ok()?;
        let unit = text[split..].trim();
        let scaled = number * self.units().iter().find(|(name, _)| *name == unit)?.1;
        match self {
            Form::Time => (scaled <= LONGEST_S).then(|| Span::from_seconds(scaled).0),
            Form::Brief => (scaled <= 10e-6).then(|| Span::from_seconds(scaled).0),
            Form::Element => (scaled <= SLOWEST.seconds()).then(|| Span::from_seconds(scaled).0),
            Form::Size => (scaled.fract() == 0.0).then_some(scaled as u64),
            Form::Part => {
                (scaled.fract() == 0.0 && scaled < 4096.0 * 1_048_576.0).then_some(scaled as u64)
            }
            Form::Rate => (scaled >= 1e6).then(|| Gap::from_bytes_per_s(scaled).0),
            Form::Tag | Form::Count | Form::Number | Form::Mode => None,
        }
    }
}

impl Library {
    /// What the receiver of a rendezvous of `bytes` within a node takes to start copying, and for
    /// its pages: by XPMEM where that is used, else by CMA. None: it goes through cells.
    pub fn single_copy_start(&self, bytes: u64) -> Option<Span> {
        const PAGE: u64 = 4096;
        if bytes >= self.xpmem_min {
            return Some(self.xpmem_start);
        }
        (bytes >= self.cma_min).then(|| self.cma_start + self.cma_page * bytes.div_ceil(PAGE))
    }

    /// The same library on cores that go through its code so many times as fast as those that the
    /// profile was measured on; an element or a member is packed in 1 us at most. Errors: the
    /// seconds of an overhead that is longer then than a profile's may be.
    pub fn on_cores(mut self, speed: f64) -> Result<Library, f64> {
        for span in [
            &mut self.send_overhead,
            &mut self.recv_overhead,
            &mut self.shm_send_overhead,
            &mut self.shm_recv_overhead,
            &mut self.xpmem_start,
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
            if seconds > LONGEST_S {
                return Err(seconds);
            }
            *span = Span::from_seconds(seconds);
        }
        self.packing.element = self.packing.element.min(SLOWEST);
        self.packing.member = self.packing.member.min(SLOWEST);
        Ok(self)
    }

    /// Over how many of a node's `nics` the data of a rendezvous of `bytes` is split.
    pub fn stripes(&self, bytes: u64, nics: u32) -> u32 {
        if bytes < self.stripe_min {
            return 1;
        }
        self.stripe_nics.min(self.max_nics).min(u64::from(nics)).max(1) as u32
    }

    /// Reads a profile for machines of `fabric` (`slingshot`, `aries`, ...; one the profile does
    /// not name gets its general values). All complaints at once, each with the path of its key.
    pub fn parse(name: &str, text: &str, fabric: &str) -> Result<Library, Vec<String>> {
        let mut draft = Draft::default();
        draft.lay(text, fabric);
        // A key with a wrong value is not also missing.
        if draft.complaints.is_empty() {
            let missing = KEYS.iter().filter(|(key, _)| !draft.values.contains_key(key));
            let missing = missing.map(|(key, form)| format!("{key}: expected {}", form.wanted()));
            draft.complaints.extend(missing);
            if draft.version.is_empty() {
                draft.complaints.push("version: expected the library's version, in quotes".into());
            }
        }
        let selection = Selection::parse(&draft.rules, "collectives");
        let selection = match (selection, draft.complaints.is_empty()) {
            (Ok(selection), true) => selection,
            (selection, _) => {
                draft.complaints.extend(selection.err().into_iter().flatten());
                return Err(draft.complaints);
            }
        };
        let get = |key: &str| draft.values[key];
        Ok(Library {
            name: name.into(),
            family: Family::of(name, text),
            send_overhead: Span(get("send_overhead")),
            recv_overhead: Span(get("recv_overhead")),
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
            rendezvous_eager_part: get("rendezvous_eager_part"),
            control_bytes: get("control_bytes"),
            peer_memory: get("peer_memory"),
            nic_atomic_max: get("nic_atomic_max"),
            eager_copy_gap: Gap(get("eager_copy_rate")),
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
            call_overhead: Span(get("call_overhead")),
            poll_interval: Span(get("poll_interval")),
            tag_ub: get("tag_ub") as i32,
            context_ids: get("context_ids"),
            max_nics: get("max_nics"),
            stripe_nics: get("stripe_nics"),
            stripe_min: get("stripe_min"),
            gpu: Gpu {
                load_overhead: Span(get("gpu_load_overhead")),
                load_max: get("gpu_load_max"),
                overhead: Span(get("gpu_overhead")),
                immediate_max: get("gpu_immediate_max"),
                rdma_min: get("gpu_rdma_min"),
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

/// A profile while its layers are laid over each other.
#[derive(Default)]
struct Draft {
    version: String,
    values: BTreeMap<&'static str, u64>,
    rules: Table,
    complaints: Vec<String>,
}

impl Draft {
    /// Lays a profile over what is here: first what it is like, then its general keys, then those
    /// of the fabric. Only a profile that comes with the product may be likened to, so this ends.
    fn lay(&mut self, text: &str, fabric: &str) {
        let table: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                self.complaints.push(format!("not a TOML file: {}", error.message()));
                return;
            }
        };
        if let Some(like) = table.get("like") {
            match like.as_str().and_then(preset) {
                Some(text) => self.lay(text, fabric),
                None => {
                    let hint = did_you_mean(like.as_str().unwrap_or(""), PRESETS.iter().copied());
                    let legal = PRESETS.join(", ");
                    self.complaints
                        .push(format!("like: found `{like}`, expected one of {legal}{hint}"));
                }
            }
        }
        for (key, value) in &table {
            match (key.as_str(), value) {
                ("like" | "fabric", _) => {}
                ("version", Value::String(version)) => self.version.clone_from(version),
                ("collectives", Value::Table(rules)) => {
                    self.rules.extend(rules.iter().map(|(k, v)| (k.clone(), v.clone())));
                }
                _ => self.take("", key, value, true),
            }
        }
        match table.get("fabric") {
            Some(Value::Table(fabrics)) => {
                for (name, keys) in fabrics {
                    let Value::Table(keys) = keys else {
                        self.complaints.push(format!("fabric.{name}: expected a table of keys"));
                        continue;
                    };
                    for (key, value) in keys {
                        match (key.as_str(), value) {
                            ("collectives", Value::Table(rules)) if name == fabric => {
                                let rules = rules.iter().map(|(k, v)| (k.clone(), v.clone()));
                                self.rules.extend(rules);
                            }
                            ("collectives", Value::Table(rules)) => {
                                let at = format!("fabric.{name}.collectives");
                                let read = Selection::parse(rules, &at);
                                self.complaints.extend(read.err().unwrap_or_default());
                            }
                            _ => self.take(&format!("fabric.{name}."), key, value, name == fabric),
                        }
                    }
                }
            }
            Some(_) => self.complaints.push("fabric: expected tables by name of fabric".into()),
            None => {}
        }
    }

    /// Checks a key and, if it `counts` here, takes its value.
    fn take(&mut self, at: &str, key: &str, value: &Value, counts: bool) {
        let Some(&(name, form)) = KEYS.iter().find(|(name, _)| *name == key) else {
            let words = ["version", "like", "collectives", "fabric"];
            let legal = KEYS.iter().map(|k| k.0).chain(words);
            let hint = did_you_mean(key, legal);
            let what = if words.contains(&key) { "another value" } else { "a key of profiles" };
            self.complaints.push(format!("{at}{key}: found `{value}`, expected {what}{hint}"));
            return;
        };
        match form.read(value) {
            Some(number) if counts => _ = self.values.insert(name, number),
            Some(_) => {}
            None => {
                let wanted = form.wanted();
                self.complaints.push(format!("{at}{key}: found `{value}`, expected {wanted}"));
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
mod tests {
    use super::*;
    use collectives::{Algorithm, Case, Overrides};

    fn library(name: &str, fabric: &str) -> Library {
        let text = preset(name).expect("a preset");
        Library::parse(name, text, fabric).unwrap_or_else(|c| panic!("{name} on {fabric}: {c:#?}"))
    }

    #[test]
    fn every_preset_is_legal_on_every_fabric_and_has_rules_for_all() {
        for name in PRESETS {
            for fabric in ["slingshot", "aries", "ideal"] {
                let library = library(name, fabric);
                for kind in Kind::ALL {
                    assert!(!library.selection.rules(kind).is_empty(), "{name}: {kind:?}");
                }
                // What travels with the request must be less than what must ask.
                assert!(library.rendezvous_eager_part <= library.eager_max, "{name} on {fabric}");
                assert!(library.poll_interval > Span::ZERO, "{name}");
            }
        }
    }

    /// On LUMI what a window of osu_bw leaves of 1.43 and 1.80 million messages a second; 1.3 less
    /// 0.8 us on Cascade, halved; first rendezvous of 18,434 B (threshold 16,384 + minimum 2,049,
    /// plus one).
    #[test]
    fn values_are_those_of_the_fabric() {
        for (name, fabric, overhead_ns, eager_max, tag_ub) in [
            ("mpich", "slingshot", 620, 16_384 + 2_049, 524_287),
            ("mpich", "aries", 250, 8_191, 1_073_741_823),
            ("cray-mpich", "slingshot", 480, 16_384 + 2_049, 524_287),
            ("cray-mpich", "aries", 250, 8_191, 2_097_151),
            ("openmpi", "slingshot", 480, 2_048 + 2_049, i32::MAX),
            ("openmpi", "aries", 250, 8_191, i32::MAX),
            ("none", "slingshot", 0, u64::MAX, i32::MAX),
            ("none", "aries", 0, u64::MAX, i32::MAX),
        ] {
            let library = library(name, fabric);
            let got = (library.send_overhead, library.eager_max, library.tag_ub);
            assert_eq!(got, (Span::ns(overhead_ns), eager_max, tag_ub), "{name} on {fabric}");
        }
    }

    fn decide(name: &str, kind: Kind, size: u32, bytes: u64) -> Algorithm {
        let (commutative, builtin, elements) = (true, true, bytes / 8);
        let case = Case { kind, size, nodes: size, bytes, elements, commutative, builtin };
        library(name, "slingshot").selection.decide(&case, &Overrides::default())
    }

    /// The table of MPICH's rules, both sides of every limit.
    #[test]
    fn mpich_chooses_as_its_table_says() {
        use Algorithm as A;
        let scattered = A::Scattered { throttle: 32 };
        for (kind, size, bytes, want) in [
            (Kind::Barrier, 9, 0, A::Dissemination { k: 2 }),
            (Kind::Bcast, 7, 1 << 20, A::Binomial),
            (Kind::Bcast, 8, 12_288, A::Binomial),
            (Kind::Bcast, 8, 12_289, A::ScatterRecursiveDoubling),
            (Kind::Bcast, 8, 524_288, A::ScatterRecursiveDoubling),
            (Kind::Bcast, 8, 524_289, A::ScatterRing),
            (Kind::Bcast, 9, 12_289, A::ScatterRing),
            (Kind::Allreduce, 64, 8, A::RecursiveDoubling),
            (Kind::Allreduce, 64, 8 * 63, A::RecursiveDoubling),
            (Kind::Allreduce, 64, 8 * 64, A::Rabenseifner),
            (Kind::Allreduce, 65, 8 * 64, A::Rabenseifner),
            (Kind::Allgather, 8, 524_287, A::RecursiveDoubling),
            (Kind::Allgather, 8, 524_288, A::Ring),
            (Kind::Allgatherv, 9, 81_919, A::Bruck),
            (Kind::Allgatherv, 9, 81_920, A::Ring),
            (Kind::Reduce, 4, 2_048, A::Binomial),
            (Kind::Reduce, 4, 2_056, A::ReduceScatterGather),
            (Kind::ReduceScatter, 6, 524_287, A::RecursiveHalving),
            (Kind::ReduceScatterBlock, 6, 524_288, A::Pairwise),
            (Kind::Alltoall, 7, 256, scattered),
            (Kind::Alltoall, 8, 256, A::Bruck),
            (Kind::Alltoall, 8, 257, scattered),
            (Kind::Alltoall, 8, 32_768, scattered),
            (Kind::Alltoall, 7, 32_769, A::Pairwise),
            (Kind::Alltoallv, 9, 0, scattered),
            (Kind::Gather, 9, 1, A::Binomial),
            (Kind::Scatterv, 9, 0, A::Linear),
            (Kind::Exscan, 9, 8, A::RecursiveDoubling),
        ] {
            assert_eq!(decide("mpich", kind, size, bytes), want, "{kind:?} {size} {bytes} B");
            if !matches!(kind, Kind::Alltoall | Kind::Alltoallv) {
                assert_eq!(
                    decide("cray-mpich", kind, size, bytes),
                    want,
                    "{kind:?} {size} {bytes}"
                );
            }
        }
    }

    /// Both sides of what MPICH_ENV_DISPLAY shows, as it is and with variables set; and that only
    /// on Slingshot.
    #[test]
    fn cray_mpich_sends_blocks_of_an_alltoall_in_pieces_on_few_nodes() {
        use Algorithm as A;
        let decide = |fabric: &str, set: &[(&str, &str)], nodes: u32, bytes: u64| {
            let mut overrides = Overrides::default();
            for (name, value) in set {
                let name = format!("MPICH_ALLTOALL_{name}");
                assert_eq!(overrides.set(&name, value), Ok(collectives::Setting::Applied));
            }
            let size = 8 * nodes;
            let (kind, commutative, builtin, elements) = (Kind::Alltoall, true, true, 0);
            let case = Case { kind, size, nodes, bytes, elements, commutative, builtin };
            library("cray-mpich", fabric).selection.decide(&case, &overrides)
        };
        let scattered = |throttle| A::Scattered { throttle };
        let chunked = |chunk, throttle| A::Chunked { chunk, throttle };
        for (set, nodes, bytes, want) in [
            (&[][..], 4, 256, A::Bruck),
            (&[], 4, 257, scattered(24)),
            (&[], 4, 16_384, scattered(24)),
            (&[], 4, 16_385, chunked(16_384, 24)),
            (&[], 90, 16_385, chunked(16_384, 24)),
            (&[], 91, 16_385, scattered(1)),
            (&[("SHORT_MSG", "64")], 4, 65, scattered(24)),
            (&[("SHORT_MSG", "512")], 4, 512, A::Bruck),
            (&[("SYNC_FREQ", "2")], 4, 16_385, chunked(16_384, 2)),
            (&[("SYNC_FREQ", "2")], 91, 16_385, scattered(2)),
            (&[("BLK_SIZE", "8192")], 4, 8_192, scattered(24)),
            (&[("BLK_SIZE", "8192")], 4, 8_193, chunked(8_192, 24)),
            (&[("BLK_SIZE", "65536")], 4, 65_536, scattered(1)),
            (&[("CHUNKING_MAX_NODES", "0")], 4, 16_385, scattered(1)),
            (&[("CHUNKING_MAX_NODES", "1000")], 91, 16_385, chunked(16_384, 24)),
        ] {
            let what = format!("{set:?} {nodes} nodes, {bytes} B");
            assert_eq!(decide("slingshot", set, nodes, bytes), want, "{what}");
        }
        assert_eq!(decide("aries", &[], 4, 32_769), A::Pairwise);
        // Each of the two has its own.
        let mut overrides = Overrides::default();
        for (name, value) in [("MPICH_ALLTOALL_SYNC_FREQ", "2"), ("MPICH_ALLTOALLV_THROTTLE", "3")]
        {
            assert_eq!(overrides.set(name, value), Ok(collectives::Setting::Applied));
            let cray = library("cray-mpich", "slingshot").selection;
            let chosen = cray.choose(Kind::Alltoallv, 64, 8, true, &overrides);
            let want = if name.ends_with("FREQ") { 8 } else { 3 };
            assert_eq!(chosen, A::Scattered { throttle: want }, "{name}");
        }
        for (name, value) in [("SYNC_FREQ", "0"), ("BLK_SIZE", "0"), ("SHORT_MSG", "many")] {
            assert!(Overrides::default().set(&format!("MPICH_ALLTOALL_{name}"), value).is_err());
        }
    }

    #[test]
    fn rules_of_another_fabric_are_read_and_not_used() {
        let text = |rule: &str| {
            format!(
                "like = \"mpich\"\nversion = \"1\"\n[fabric.aries.collectives]\nbcast = [{rule}]"
            )
        };
        let ring = text("{ use = \"scatter_ring_allgather\" }");
        let of = |fabric| {
            let library = Library::parse("mine", &ring, fabric).expect("legal");
            library.selection.choose(Kind::Bcast, 4, 8, true, &Overrides::default())
        };
        assert_eq!((of("aries"), of("slingshot")), (Algorithm::ScatterRing, Algorithm::Binomial));
        let wrong = Library::parse("mine", &text("{ use = \"ring\" }"), "slingshot");
        let complaints = wrong.expect_err("bcast has no ring");
        assert!(
            complaints[0].starts_with("fabric.aries.collectives.bcast[0].use"),
            "{complaints:?}"
        );
    }

    /// Also of one that is itself like another.
    #[test]
    fn a_profile_has_all_that_it_is_like_has() {
        for name in PRESETS {
            let theirs = library(name, "slingshot");
            let text = format!("like = \"{name}\"\nversion = \"mine\"");
            let mine = Library::parse("mine", &text, "slingshot").expect("legal");
            let renamed =
                Library { name: name.to_string(), version: theirs.version.clone(), ..mine };
            assert_eq!(renamed, theirs, "{name}");
        }
    }

    #[test]
    fn the_aurora_build_has_its_own_rules() {
        let recexch = |k| Algorithm::RecursiveExchange { k };
        for (kind, size, bytes, want) in [
            (Kind::Allreduce, 64, 128, Algorithm::RecursiveDoubling),
            (Kind::Allreduce, 64, 2_048, recexch(6)),
            (Kind::Allreduce, 512, 16_384, recexch(12)),
            (Kind::Allreduce, 512, 32_768, recexch(4)),
            (Kind::Allreduce, 64, 262_144, Algorithm::RecursiveDoubling),
            (Kind::Allreduce, 512, 262_144, Algorithm::Rabenseifner),
            (Kind::Allreduce, 513, 262_144, Algorithm::RecursiveDoubling),
            (Kind::Allreduce, 513, 262_152, Algorithm::Rabenseifner),
            (Kind::Allgather, 1000, 1 << 30, Algorithm::Bruck),
            (Kind::Allgatherv, 1024, 1 << 30, Algorithm::RecursiveDoubling),
            (Kind::Bcast, 1000, 1 << 30, Algorithm::ScatterRecursiveDoubling),
            // Kinds it says nothing of are MPICH's.
            (Kind::Alltoall, 8, 257, Algorithm::Scattered { throttle: 32 }),
        ] {
            assert_eq!(decide("mpich-aurora", kind, size, bytes), want, "{kind:?} {size} {bytes}");
        }
    }

    /// Both sides of some limits of Open MPI's table, by its numbers of algorithms: blocks of one
    /// rank for allgather, whose recursive doubling is Bruck's unless the size is a power of two.
    #[test]
    fn open_mpi_chooses_as_its_table_says() {
        use Algorithm as A;
        let all = A::Scattered { throttle: u16::MAX };
        for (kind, size, block, want) in [
            (Kind::Allreduce, 64, 262_143, A::RecursiveDoubling),
            (Kind::Allreduce, 64, 262_144, A::Rabenseifner),
            (Kind::Allreduce, 256, 4_095, A::ReduceBcast),
            (Kind::Allreduce, 256, 4_096, A::Rabenseifner),
            (Kind::Allreduce, 6_144, 2_047, A::ReduceBcast),
            // Fewer elements than ranks: no ring.
            (Kind::Allreduce, 6_144, 2_048, A::RecursiveDoubling),
            (Kind::Allreduce, 6_144, 32_768, A::Rabenseifner),
            (Kind::Allgather, 16, 1 << 20, A::RecursiveDoubling),
            (Kind::Allgather, 24, 1 << 20, A::Bruck),
            (Kind::Allgather, 384, 1_023, A::Bruck),
            (Kind::Allgather, 384, 1_024, A::Neighbor),
            (Kind::Allgather, 256, 1_023, A::RecursiveDoubling),
            (Kind::Allgather, 384, 131_072, A::Ring),
            (Kind::Allgather, 24_576, 4_095, A::Bruck),
            (Kind::Allgather, 24_576, 4_096, A::Neighbor),
            (Kind::Allgatherv, 384, 1_023, A::Bruck),
            (Kind::Allgatherv, 384, 1_024, A::Ring),
            (Kind::Alltoall, 48, 511, A::Bruck),
            (Kind::Alltoall, 48, 512, all),
            (Kind::Alltoall, 384, 32_767, all),
            (Kind::Alltoall, 384, 32_768, A::Pairwise),
            (Kind::Alltoallv, 100, 0, A::Pairwise),
        ] {
            let blocks = if kind.counts_all_blocks() { u64::from(size) } else { 1 };
            let got = decide("openmpi", kind, size, block * blocks);
            assert_eq!(got, want, "{kind:?} {size} {block} B");
        }
    }

    #[test]
    fn mistakes_are_all_reported_with_their_place() {
        let text = r#"
            like = "mpitch"
            send_overhed = "1 ns"
            recv_overhead = 370
            eager_max = "1.5 B"
            reduce_rate = "0.9 MB/s"
            cma_page = "11 us"
            tag_ub = 12
            unexpected_events = "unlimited"
            rdzv_get_min = "unlimited"
            match_element = "1e9 s"
            flow_control = "1001 s"
            [fabric.aries]
            call_overhead = "50 parsec"
            [collectives]
            bcast = [{ use = "ring" }]
        "#;
        let errors = Library::parse("mine", text, "slingshot").unwrap_err();
        for part in [
            "like: found `\"mpitch\"`",
            "did you mean `mpich`?",
            "send_overhed: found `\"1 ns\"`, expected a key of profiles",
            "did you mean `send_overhead`?",
            "recv_overhead: found `370`, expected a time",
            "eager_max: found `\"1.5 B\"`, expected a size",
            "reduce_rate: found `\"0.9 MB/s\"`, expected a rate",
            "cma_page: found `\"11 us\"`, expected a time",
            "tag_ub: found `12`, expected a whole number",
            "unexpected_events: found `\"unlimited\"`, expected a whole number from 0",
            "rdzv_get_min: found `\"unlimited\"`, expected a size",
            "match_element: found `\"1e9 s\"`, expected a time",
            "flow_control: found `\"1001 s\"`, expected a time",
            "fabric.aries.call_overhead: found `\"50 parsec\"`",
            "collectives.bcast[0].use: found `\"ring\"`, expected one of binomial",
        ] {
            assert!(errors.iter().any(|e| e.contains(part)), "{part}\n{errors:#?}");
        }
        assert_eq!(errors.len(), 13, "{errors:#?}");
        let missing = Library::parse("mine", "version = \"1\"", "aries").unwrap_err();
        assert_eq!(missing.len(), KEYS.len(), "{missing:#?}");
    }
}
