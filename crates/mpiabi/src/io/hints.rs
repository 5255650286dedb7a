//! Hints of a file on a simulated file system: those that the program and the user gave, and the
//! values in effect.
//!
//! Names, defaults and precedence are ROMIO's ([R] = pmodels/mpich, `src/mpi/romio`:
//! `common/ad_hints.c`, `ad_lustre/ad_lustre_hints.c`, `ad_daos/ad_daos_hints.c`), or those of Cray
//! MPICH ([C] = intro_mpi(3), and the output of `MPICH_MPIIO_HINTS_DISPLAY=1`). A hint with an
//! invalid value is ignored, as MPI requires of unknown hints, and the report shows that.

use super::aggregators::{self, Home};
use super::domains::aggregators_for_stripes;

pub(super) type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// Whose MPI-IO is simulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Library {
    Romio,
    Cray,
}

/// ROMIO's driver for a file system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Driver {
    Ufs,
    Lustre,
    Daos,
}

impl Driver {
    /// The driver of a prefix, as in `lustre:/path`, or of `ROMIO_FSTYPE_FORCE`. Other names of
    /// file systems use the generic driver.
    pub fn named(name: &[u8]) -> Driver {
        match name.strip_suffix(b":").unwrap_or(name) {
            b"lustre" => Driver::Lustre,
            b"daos" => Driver::Daos,
            _ => Driver::Ufs,
        }
    }
    /// By `f_type` of `statfs`, as ROMIO detects it ([R] `common/ad_fstype.c`). DAOS is mounted as
    /// FUSE.
    pub fn of_magic(magic: i64) -> Driver {
        match magic {
            0x0bd0_0bd0 => Driver::Lustre,
            0x6573_5546 => Driver::Daos,
            _ => Driver::Ufs,
        }
    }
}

/// Whether an optimization is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Switch {
    Automatic,
    Enable,
    Disable,
}

impl Switch {
    fn parse(text: &[u8]) -> Option<Switch> {
        match text {
            b"automatic" | b"AUTOMATIC" => Some(Switch::Automatic),
            b"enable" | b"ENABLE" => Some(Switch::Enable),
            b"disable" | b"DISABLE" => Some(Switch::Disable),
            _ => None,
        }
    }
    fn text(self) -> &'static str {
        match self {
            Switch::Automatic => "automatic",
            Switch::Enable => "enable",
            Switch::Disable => "disable",
        }
    }
    /// Whether it is used if `useful` by the library's own criterion.
    pub fn decide(self, useful: impl FnOnce() -> bool) -> bool {
        match self {
            Switch::Automatic => useful(),
            Switch::Enable => true,
            Switch::Disable => false,
        }
    }
}

/// Stripes of an existing file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Striping {
    pub count: u32,
    pub unit: u64,
    /// First OST.
    pub first: u32,
}

/// When hints are given: some only have an effect when the file is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moment {
    Open,
    Later,
}

/// The values in effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Hints {
    pub library: Library,
    pub driver: Driver,
    pub cb_buffer_size: u64,
    pub cb_read: Switch,
    pub cb_write: Switch,
    pub ds_read: Switch,
    pub ds_write: Switch,
    pub ind_rd_buffer_size: u64,
    pub ind_wr_buffer_size: u64,
    pub min_fdomain_size: u64,
    /// 0: not known.
    pub striping_unit: u64,
    pub co_ratio: u32,
    /// Number of bytes above which Lustre's driver does not buffer a collective access that does
    /// not interleave; 0: no threshold.
    pub coll_threshold: u64,
    pub ds_in_coll: Switch,
    /// Aggregators request locks of exact extents in advance.
    pub lock_ahead: bool,
    /// [C] 0 to 2.
    write_lock_mode: u32,
    /// [C] aggregators per object.
    nodes_multiplier: u32,
    /// Number of aggregators requested; 0: the default.
    cb_nodes: usize,
    cb_config_list: Vec<u8>,
    striping_factor: u32,
    start_iodevice: i64,
    no_indep_rw: bool,
    direct_read: bool,
    direct_write: bool,
    daos_chunk_size: u64,
    daos_class: Vec<u8>,
    ranks: usize,
    pub aggregators: Vec<u32>,
}

/// Decimal digits at the beginning, as C's `atoi` reads them. `None` if there are none, or the
/// number is not positive.
fn positive(text: &[u8]) -> Option<u64> {
    number(text).filter(|&n| n > 0)
}
fn number(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii();
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    std::str::from_utf8(&text[..end]).ok()?.parse().ok()
}
fn truth(text: &[u8]) -> Option<bool> {
    match text {
        b"true" | b"TRUE" => Some(true),
        b"false" | b"FALSE" => Some(false),
        _ => None,
    }
}
fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

impl Hints {
    /// The defaults.
    pub fn new(library: Library, driver: Driver, ranks: usize) -> Hints {
        let is_cray = library == Library::Cray;
        // DAOS has no locks, so its driver does not write by data sieving.
        let ds_write = if driver == Driver::Daos { Switch::Disable } else { Switch::Automatic };
        Hints {
            library,
            driver,
            cb_buffer_size: 16 << 20,
            cb_read: Switch::Automatic,
            cb_write: Switch::Automatic,
            ds_read: if is_cray { Switch::Disable } else { Switch::Automatic },
            ds_write,
            ind_rd_buffer_size: 4 << 20,
            ind_wr_buffer_size: 512 << 10,
            min_fdomain_size: 0,
            striping_unit: 0,
            co_ratio: 1,
            coll_threshold: 0,
            ds_in_coll: Switch::Enable,
            lock_ahead: false,
            write_lock_mode: 0,
            nodes_multiplier: 1,
            cb_nodes: 0,
            cb_config_list: if is_cray { b"*:*".to_vec() } else { b"*:1".to_vec() },
            striping_factor: 0,
            start_iodevice: -1,
            no_indep_rw: false,
            direct_read: false,
            direct_write: false,
            daos_chunk_size: 0,
            daos_class: b"OC_UNKNOWN".to_vec(),
            ranks,
            aggregators: Vec::new(),
        }
    }

    /// Takes hints in their order: of one key, the last valid value remains.
    pub fn apply(&mut self, pairs: &Pairs, moment: Moment) {
        for (key, value) in pairs {
            self.apply_general(key, value);
            if moment == Moment::Open {
                self.apply_at_open(key, value);
            }
            match self.library {
                Library::Cray => self.apply_cray(key, value),
                Library::Romio if self.driver == Driver::Lustre => self.apply_lustre(key, value),
                Library::Romio => {}
            }
        }
        let is_disabled = self.cb_read == Switch::Disable || self.cb_write == Switch::Disable;
        self.no_indep_rw &= !is_disabled;
        if self.driver == Driver::Daos {
            self.ds_write = Switch::Disable;
        }
    }
    fn apply_general(&mut self, key: &[u8], value: &[u8]) {
        match key {
            b"cb_buffer_size" => set(&mut self.cb_buffer_size, positive(value)),
            b"romio_cb_read" => set(&mut self.cb_read, Switch::parse(value)),
            b"romio_cb_write" => set(&mut self.cb_write, Switch::parse(value)),
            b"romio_ds_read" => set(&mut self.ds_read, Switch::parse(value)),
            b"romio_ds_write" => set(&mut self.ds_write, Switch::parse(value)),
            b"ind_rd_buffer_size" => set(&mut self.ind_rd_buffer_size, positive(value)),
            b"ind_wr_buffer_size" => set(&mut self.ind_wr_buffer_size, positive(value)),
            b"romio_min_fdomain_size" => set(&mut self.min_fdomain_size, positive(value)),
            b"romio_no_indep_rw" => {
                set(&mut self.no_indep_rw, truth(value));
                // Without independent access, collective access must be buffered.
                if self.no_indep_rw {
                    (self.cb_read, self.cb_write) = (Switch::Enable, Switch::Enable);
                }
            }
            _ => {}
        }
    }
    fn apply_at_open(&mut self, key: &[u8], value: &[u8]) {
        match key {
            b"cb_nodes" => {
                let wanted = positive(value).map(|n| n as usize);
                set(&mut self.cb_nodes, wanted.filter(|&n| n <= self.ranks));
            }
            b"cb_config_list" if aggregators::is_valid(value) => {
                self.cb_config_list = value.to_vec();
            }
            b"striping_factor" => {
                // -1: all OSTs.
                let all = (value.trim_ascii() == b"-1").then_some(u32::MAX);
                let count = positive(value).and_then(|n| u32::try_from(n).ok());
                set(&mut self.striping_factor, count.or(all));
            }
            b"striping_unit" => set(&mut self.striping_unit, positive(value)),
            b"start_iodevice" | b"romio_lustre_start_iodevice" => {
                set(&mut self.start_iodevice, number(value).map(|n| n.min(1 << 31) as i64));
            }
            b"direct_read" => set(&mut self.direct_read, truth(value)),
            b"direct_write" => set(&mut self.direct_write, truth(value)),
            b"direct_io" if self.library == Library::Cray => {
                set(&mut self.direct_read, truth(value));
                self.direct_write = self.direct_read;
            }
            b"romio_daos_chunk_size" => set(&mut self.daos_chunk_size, positive(value)),
            b"romio_daos_obj_class" => self.daos_class = value.to_vec(),
            _ => {}
        }
    }
    fn apply_lustre(&mut self, key: &[u8], value: &[u8]) {
        let small = |text| positive(text).and_then(|n| u32::try_from(n).ok());
        match key {
            b"romio_lustre_co_ratio" => set(&mut self.co_ratio, small(value)),
            b"romio_lustre_coll_threshold" => set(&mut self.coll_threshold, number(value)),
            b"romio_lustre_ds_in_coll" => set(&mut self.ds_in_coll, Switch::parse(value)),
            b"romio_lustre_cb_lock_ahead_write" => {
                set(&mut self.lock_ahead, number(value).map(|n| n > 0));
            }
            _ => {}
        }
    }
    fn apply_cray(&mut self, key: &[u8], value: &[u8]) {
        let small = |text| positive(text).and_then(|n| u32::try_from(n).ok());
        match key {
            b"cray_cb_nodes_multiplier" => set(&mut self.nodes_multiplier, small(value)),
            b"cray_cb_write_lock_mode" => {
                set(&mut self.write_lock_mode, number(value).filter(|&n| n <= 2).map(|n| n as u32));
                self.lock_ahead = self.write_lock_mode == 2;
            }
            _ => {}
        }
    }

    /// Sets what depends on the opened file: its stripes, and the aggregators among the ranks with
    /// these nodes.
    pub fn opened(&mut self, striping: Option<Striping>, homes: &[Home]) {
        if let Some(striping) = striping {
            self.striping_factor = striping.count;
            self.striping_unit = striping.unit;
            self.start_iodevice = striping.first.into();
        }
        self.aggregators = match self.library {
            Library::Cray => {
                let most = match self.cb_nodes {
                    0 => self.default_cray_nodes(homes),
                    wanted => wanted,
                };
                match &self.cb_config_list[..] {
                    b"*:*" => aggregators::in_turn(most, homes),
                    list => aggregators::by_config_list(list, most, homes),
                }
            }
            Library::Romio => {
                let most = if self.cb_nodes == 0 { self.ranks } else { self.cb_nodes };
                aggregators::by_config_list(&self.cb_config_list, most, homes)
            }
        };
    }
    /// [C] The stripe count times the multiplier on Lustre, otherwise the number of nodes.
    fn default_cray_nodes(&self, homes: &[Home]) -> usize {
        let stripes = self.striping_factor as usize;
        if self.driver == Driver::Lustre && (1..u32::MAX as usize).contains(&stripes) {
            return stripes.saturating_mul(self.nodes_multiplier as usize);
        }
        aggregators::by_config_list(b"*:1", self.ranks, homes).len()
    }

    /// The aggregators of one access: of a Lustre file, as many as fit its stripes.
    pub fn aggregators(&self, writes: bool) -> &[u32] {
        let n = self.aggregators.len();
        if n == 0 || !self.divides_stripes(writes) {
            return &self.aggregators;
        }
        let per_object = match self.library {
            Library::Cray => self.nodes_multiplier.max(n.div_ceil(self.stripe_count()) as u32),
            Library::Romio if writes => self.co_ratio,
            Library::Romio => 1,
        };
        let n = aggregators_for_stripes(n, self.striping_factor, per_object);
        &self.aggregators[..n]
    }
    fn stripe_count(&self) -> usize {
        self.striping_factor.max(1) as usize
    }
    /// Whether stripes, and not equal parts of the accessed range, are divided among aggregators:
    /// in ROMIO for writes to Lustre files, in Cray's library (`cb_align = 2`) also for reads.
    pub fn divides_stripes(&self, writes: bool) -> bool {
        let has_stripes = self.driver == Driver::Lustre
            && self.striping_unit > 0
            && (1..u32::MAX).contains(&self.striping_factor);
        has_stripes && (writes || self.library == Library::Cray)
    }
    /// Whether windows of collective writes with holes are read and written as a whole.
    pub fn sieves_in_collective(&self) -> bool {
        self.ds_write != Switch::Disable && self.ds_in_coll != Switch::Disable
    }
    pub fn is_direct(&self, writes: bool) -> bool {
        if writes { self.direct_write } else { self.direct_read }
    }

    /// Stripes that a new file is to have, if any hint names them.
    pub fn requested_striping(&self) -> Option<RequestedStriping> {
        let (count, unit, first) = (self.striping_factor, self.striping_unit, self.start_iodevice);
        (count > 0 || unit > 0 || first >= 0).then_some(RequestedStriping { count, unit, first })
    }

    /// The layout of a new DAOS file, if any hint states one, as the text in which layouts of DAOS
    /// are set: see `crates/live/src/file_layouts.rs`.
    pub fn requested_object(&self) -> Option<String> {
        let class = String::from_utf8_lossy(&self.daos_class);
        let mut text = Vec::new();
        if class != "OC_UNKNOWN" {
            text.push(format!("oclass={}", class.strip_prefix("OC_").unwrap_or(&class)));
        }
        if self.daos_chunk_size > 0 {
            text.push(format!("chunk_size={}", self.daos_chunk_size));
        }
        (!text.is_empty()).then(|| text.join(" "))
    }

    /// What `MPI_File_get_info` returns.
    pub fn report(&self) -> Pairs {
        let mut pairs = Pairs::new();
        let mut put = |key: &str, value: String| pairs.push((key.into(), value.into_bytes()));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        put("cb_buffer_size", self.cb_buffer_size.to_string());
        put("romio_cb_read", self.cb_read.text().into());
        put("romio_cb_write", self.cb_write.text().into());
        put("cb_nodes", self.aggregators.len().to_string());
        put("romio_no_indep_rw", self.no_indep_rw.to_string());
        if self.library == Library::Romio {
            for (key, value) in FIXED {
                put(key, value.into());
            }
        }
        put("ind_rd_buffer_size", self.ind_rd_buffer_size.to_string());
        if self.driver != Driver::Daos {
            put("ind_wr_buffer_size", self.ind_wr_buffer_size.to_string());
        }
        put("romio_ds_read", self.ds_read.text().into());
        put("romio_ds_write", self.ds_write.text().into());
        put("cb_config_list", text(&self.cb_config_list));
        if self.min_fdomain_size > 0 {
            put("romio_min_fdomain_size", self.min_fdomain_size.to_string());
        }
        let is_cray = self.library == Library::Cray;
        let lustre = self.driver == Driver::Lustre;
        if self.striping_factor > 0 {
            put("striping_factor", (self.striping_factor as i32).to_string());
        }
        if self.striping_unit > 0 {
            put("striping_unit", self.striping_unit.to_string());
        }
        if lustre && self.start_iodevice >= 0 {
            put("romio_lustre_start_iodevice", self.start_iodevice.to_string());
        }
        match (self.library, self.driver) {
            (Library::Cray, _) => {
                put("direct_io", self.direct_write.to_string());
                put("cb_align", "2".into());
                put("aggregator_placement_stride", "-1".into());
                put("cray_cb_nodes_multiplier", self.nodes_multiplier.to_string());
                put("cray_cb_write_lock_mode", self.write_lock_mode.to_string());
            }
            (Library::Romio, Driver::Lustre) => {
                put("direct_read", self.direct_read.to_string());
                put("direct_write", self.direct_write.to_string());
                put("romio_lustre_co_ratio", self.co_ratio.to_string());
                put("romio_lustre_coll_threshold", self.coll_threshold.to_string());
                put("romio_lustre_ds_in_coll", self.ds_in_coll.text().into());
                let ahead = u32::from(self.lock_ahead).to_string();
                put("romio_lustre_cb_lock_ahead_write", ahead);
            }
            (Library::Romio, Driver::Daos) => {
                put("romio_daos_chunk_size", self.daos_chunk_size.to_string());
                put("romio_daos_obj_class", text(&self.daos_class));
            }
            (Library::Romio, Driver::Ufs) => {}
        }
        if !is_cray {
            let ranks: Vec<String> = self.aggregators.iter().map(u32::to_string).collect();
            put("romio_aggregator_list", ranks.join(" "));
        }
        put("romio_filesystem_type", self.filesystem_type().into());
        pairs
    }
    /// [R] names of the drivers; [C] has one.
    fn filesystem_type(&self) -> &'static str {
        match (self.library, self.driver) {
            (Library::Cray, _) => "CRAY ADIO:",
            (_, Driver::Lustre) => "LUSTRE:",
            (_, Driver::Daos) => "DAOS: ROMIO driver for DAOS",
            (_, Driver::Ufs) => "UFS: Generic ROMIO driver for all UNIX-like file systems",
        }
    }
}

/// Hints of ROMIO that it reports and that have no other value here: file realms, and the choice of
/// the exchange for them ([R] `common/ad_hints.c`).
const FIXED: [(&str, &str); 5] = [
    ("romio_cb_pfr", "disable"),
    ("romio_cb_fr_types", "aar"),
    ("romio_cb_fr_alignment", "1"),
    ("romio_cb_ds_threshold", "0"),
    ("romio_cb_alltoall", "automatic"),
];

/// Stripes of a new file. 0, and -1 for the first OST, stand for the file system's default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RequestedStriping {
    /// `u32::MAX`: all OSTs.
    pub count: u32,
    pub unit: u64,
    pub first: i64,
}

/// The pairs of a file of hints (`ROMIO_HINTS`): a key and a value per line; a line that begins
/// with `#`, or is otherwise formed, is ignored ([R] `common/system_hints.c`).
pub(super) fn parse_file(text: &[u8]) -> Pairs {
    let pair = |line: &[u8]| {
        let fields = line.split(|byte| b" \t\r".contains(byte)).filter(|field| !field.is_empty());
        match &fields.collect::<Vec<_>>()[..] {
            [key, value] if !line.starts_with(b"#") => Some((key.to_vec(), value.to_vec())),
            _ => None,
        }
    };
    text.split(|&byte| byte == b'\n').filter_map(pair).collect()
}

/// The pairs of `MPICH_MPIIO_HINTS` for a file: `PATTERN:KEY=VALUE:...`, separated by commas. A
/// pattern with `*` and `?` matches the file's name as passed to `MPI_File_open`, or its last
/// component [C].
pub(super) fn parse_cray(text: &[u8], name: &[u8]) -> Pairs {
    let last = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
    let mut pairs = Pairs::new();
    for entry in text.split(|&byte| byte == b',') {
        let mut fields = entry.trim_ascii().split(|&byte| byte == b':');
        let pattern = fields.next().unwrap_or_default();
        if !matches(pattern, name) && !matches(pattern, last) {
            continue;
        }
        pairs.extend(fields.filter_map(|field| {
            let cut = field.iter().position(|&byte| byte == b'=')?;
            let (key, value) = (&field[..cut], &field[cut + 1..]);
            Some((key.trim_ascii().to_vec(), value.trim_ascii().to_vec()))
        }));
    }
    pairs
}

/// Whether a pattern with `*` (any bytes) and `?` (one byte) matches the whole text.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Position after the last `*`, and the text position from which it is tried.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                p += 1;
                star = Some((p, t));
            }
            Some(&byte) if byte == b'?' || byte == text[t] => (p, t) = (p + 1, t + 1),
            _ => match star {
                Some((after, from)) => {
                    star = Some((after, from + 1));
                    (p, t) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Pairs {
        list.iter().map(|(k, v)| (k.as_bytes().to_vec(), v.as_bytes().to_vec())).collect()
    }
    /// 8 ranks on 4 nodes.
    fn homes() -> Vec<Home> {
        (0..8).map(|rank| (rank / 2, u64::from(rank / 2))).collect()
    }
    fn value<'a>(report: &'a Pairs, key: &str) -> Option<&'a str> {
        let pair = report.iter().find(|pair| pair.0 == key.as_bytes())?;
        std::str::from_utf8(&pair.1).ok()
    }
    fn opened(library: Library, driver: Driver, list: &[(&str, &str)]) -> Hints {
        let mut hints = Hints::new(library, driver, 8);
        hints.apply(&pairs(list), Moment::Open);
        let striping = Striping { count: 4, unit: 1 << 20, first: 3 };
        hints.opened((driver == Driver::Lustre).then_some(striping), &homes());
        hints
    }

    #[test]
    fn romio_has_one_aggregator_per_node() {
        let hints = opened(Library::Romio, Driver::Ufs, &[]);
        let report = hints.report();
        for (key, expected) in [
            ("cb_buffer_size", "16777216"),
            ("romio_cb_read", "automatic"),
            ("romio_cb_write", "automatic"),
            ("cb_nodes", "4"),
            ("romio_no_indep_rw", "false"),
            ("romio_cb_pfr", "disable"),
            ("romio_cb_alltoall", "automatic"),
            ("ind_rd_buffer_size", "4194304"),
            ("ind_wr_buffer_size", "524288"),
            ("romio_ds_read", "automatic"),
            ("romio_ds_write", "automatic"),
            ("cb_config_list", "*:1"),
            ("romio_aggregator_list", "0 2 4 6"),
        ] {
            assert_eq!(value(&report, key), Some(expected), "{key}");
        }
        let two = opened(Library::Romio, Driver::Ufs, &[("cb_config_list", "*:2")]);
        assert_eq!(two.aggregators(true), [0, 1, 2, 3, 4, 5, 6, 7]);
        let three = opened(Library::Romio, Driver::Ufs, &[("cb_nodes", "3")]);
        assert_eq!(three.aggregators(true), [0, 2, 4]);
    }

    #[test]
    fn aggregators_of_a_lustre_file_fit_its_stripes() {
        let hints = opened(Library::Romio, Driver::Lustre, &[("cb_nodes", "3")]);
        // 3 aggregators for 4 stripes: 2 divides 4.
        assert_eq!(hints.aggregators(true), [0, 2]);
        assert_eq!(hints.aggregators(false), [0, 2, 4]);
        assert!(hints.divides_stripes(true) && !hints.divides_stripes(false));
        let all = [("cb_config_list", "*:2"), ("romio_lustre_co_ratio", "2")];
        let hints = opened(Library::Romio, Driver::Lustre, &all);
        assert_eq!(hints.aggregators(true).len(), 8);
        let report = hints.report();
        assert_eq!(value(&report, "romio_lustre_co_ratio"), Some("2"));
        assert_eq!(value(&report, "striping_factor"), Some("4"));
        assert_eq!(value(&report, "striping_unit"), Some("1048576"));
        assert_eq!(value(&report, "romio_lustre_start_iodevice"), Some("3"));
    }

    #[test]
    fn cray_has_one_aggregator_per_stripe() {
        let hints = opened(Library::Cray, Driver::Lustre, &[]);
        assert_eq!(hints.aggregators(true), [0, 2, 4, 6]);
        assert_eq!(value(&hints.report(), "cb_nodes"), Some("4"));
        assert_eq!(value(&hints.report(), "romio_ds_read"), Some("disable"));
        assert!(hints.divides_stripes(false));
        let twice = [("cray_cb_nodes_multiplier", "2"), ("cray_cb_write_lock_mode", "2")];
        let hints = opened(Library::Cray, Driver::Lustre, &twice);
        assert_eq!(hints.aggregators(true), [0, 2, 4, 6, 1, 3, 5, 7]);
        assert!(hints.lock_ahead);
        assert_eq!(value(&hints.report(), "cray_cb_write_lock_mode"), Some("2"));
        // Two ranks of 8 for 4 stripes.
        let hints = opened(Library::Cray, Driver::Lustre, &[("cb_nodes", "2")]);
        assert_eq!(hints.aggregators(true), [0, 2]);
    }

    #[test]
    fn invalid_values_are_ignored() {
        let wrong = [
            ("cb_buffer_size", "0"),
            ("cb_buffer_size", "many"),
            ("romio_cb_write", "yes"),
            ("cb_nodes", "9"),
            ("cb_config_list", "*:x"),
            ("ind_wr_buffer_size", "-5"),
            ("romio_no_indep_rw", "1"),
            ("unknown", "1"),
            ("cray_cb_nodes_multiplier", "2"),
        ];
        let hints = opened(Library::Romio, Driver::Lustre, &wrong);
        assert_eq!(hints, opened(Library::Romio, Driver::Lustre, &[]));
        assert_eq!(value(&hints.report(), "unknown"), None);
    }

    #[test]
    fn the_number_of_aggregators_is_fixed_at_open() {
        let mut hints = opened(Library::Romio, Driver::Ufs, &[]);
        let later = [("cb_nodes", "1"), ("cb_config_list", "*:*"), ("cb_buffer_size", "4096")];
        hints.apply(&pairs(&later), Moment::Later);
        assert_eq!(hints.aggregators(true), [0, 2, 4, 6]);
        assert_eq!(hints.cb_buffer_size, 4096);
    }

    #[test]
    fn hints_on_independent_access_conflict_with_disabled_buffering() {
        let without = [("romio_no_indep_rw", "true")];
        let hints = opened(Library::Romio, Driver::Ufs, &without);
        assert_eq!((hints.cb_read, hints.cb_write), (Switch::Enable, Switch::Enable));
        assert_eq!(value(&hints.report(), "romio_no_indep_rw"), Some("true"));
        let both = [("romio_no_indep_rw", "true"), ("romio_cb_read", "disable")];
        let hints = opened(Library::Romio, Driver::Ufs, &both);
        assert_eq!(value(&hints.report(), "romio_no_indep_rw"), Some("false"));
        assert_eq!(hints.cb_read, Switch::Disable);
    }

    #[test]
    fn daos_has_no_data_sieving_in_writes() {
        let list = [("romio_ds_write", "enable"), ("romio_daos_chunk_size", "1048576")];
        let hints = opened(Library::Romio, Driver::Daos, &list);
        assert_eq!(hints.ds_write, Switch::Disable);
        assert!(!hints.sieves_in_collective());
        assert_eq!(value(&hints.report(), "ind_wr_buffer_size"), None);
        assert_eq!(value(&hints.report(), "romio_daos_chunk_size"), Some("1048576"));
        assert_eq!(value(&hints.report(), "romio_daos_obj_class"), Some("OC_UNKNOWN"));
        let requested = |list| opened(Library::Romio, Driver::Daos, list).requested_object();
        assert_eq!(requested(&list).as_deref(), Some("chunk_size=1048576"));
        let both = [("romio_daos_chunk_size", "4096"), ("romio_daos_obj_class", "OC_RP_2G1")];
        assert_eq!(requested(&both).as_deref(), Some("oclass=RP_2G1 chunk_size=4096"));
        assert_eq!(requested(&[]), None);
    }

    #[test]
    fn stripes_of_new_files_come_from_hints() {
        let requested = |list| {
            let mut hints = Hints::new(Library::Romio, Driver::Lustre, 8);
            hints.apply(&pairs(list), Moment::Open);
            hints.requested_striping()
        };
        assert_eq!(requested(&[]), None);
        let of = |count, unit, first| Some(RequestedStriping { count, unit, first });
        assert_eq!(requested(&[("striping_factor", "8")]), of(8, 0, -1));
        assert_eq!(requested(&[("striping_factor", "-1")]), of(u32::MAX, 0, -1));
        let all = [("striping_unit", "2097152"), ("start_iodevice", "0")];
        assert_eq!(requested(&all), of(0, 2097152, 0));
    }

    #[test]
    fn files_of_hints_have_a_pair_per_line() {
        let text = b"# comment\ncb_nodes 4\n\nromio_cb_write\tenable\nthree words here\nalone\n";
        let expected = pairs(&[("cb_nodes", "4"), ("romio_cb_write", "enable")]);
        assert_eq!(parse_file(text), expected);
    }

    #[test]
    fn cray_hints_apply_to_matching_names() {
        let text = b"*.nc:cb_nodes=4:romio_cb_write=enable,/lus/out?/*:striping_factor=8";
        let of = |name: &str| parse_cray(text, name.as_bytes());
        assert_eq!(of("a.nc"), pairs(&[("cb_nodes", "4"), ("romio_cb_write", "enable")]));
        assert_eq!(of("/x/a.nc").len(), 2);
        assert_eq!(of("/lus/out1/a"), pairs(&[("striping_factor", "8")]));
        assert_eq!(of("/lus/out12/a"), pairs(&[]));
        assert!(matches(b"*", b"") && matches(b"a*b*c", b"axbxbc") && !matches(b"a*b", b"axc"));
    }

    #[test]
    fn drivers_have_prefixes_and_magic_numbers() {
        assert_eq!(Driver::named(b"lustre"), Driver::Lustre);
        assert_eq!(Driver::named(b"daos:"), Driver::Daos);
        assert_eq!(Driver::named(b"ufs"), Driver::Ufs);
        assert_eq!(Driver::of_magic(0x0bd00bd0), Driver::Lustre);
        assert_eq!(Driver::of_magic(0xef53), Driver::Ufs);
    }
}
