//! Parameters of Lustre: its servers and targets, and the tunables of clients and servers.
//!
//! Their meaning is in docs/models/lustre.md, and the sources of the defaults are beside the keys.

use std::ops::RangeInclusive;

use base::{Gap, Span};

use crate::key::IfAbsent::{Default, Described, Required};
use crate::key::ValueForm::{Count, Text, Word};
use crate::key::{Key, MEMORY, RATE, SIZE, TIME, key};
use crate::values::Values;

/// Keys of `[[storage]]` with `kind = "lustre"`. Each is read in `LustreParams::new`.
#[rustfmt::skip] // A table is read down its columns.
pub const KEYS: &[Key] = &[
    key("storage.<name>.mds", Count(1, 10_000), Required, "Metadata servers."),
    key("storage.<name>.mdts", Count(1, 10_000), Required,
        "Metadata targets, spread evenly over the metadata servers."),
    key("storage.<name>.oss", Count(1, 10_000), Required, "Object storage servers."),
    key("storage.<name>.osts", Count(1, 65_000), Required,
        "Object storage targets, spread evenly over the object storage servers."),
    key("storage.<name>.ost_read_rate", RATE, Required,
        "Rate of an object storage target, reading."),
    key("storage.<name>.ost_write_rate", RATE, Required,
        "Rate of an object storage target, writing."),
    key("storage.<name>.oss_rate", RATE, Described("no cap"),
        "Rate of an object storage server, all of its targets together, reading and writing."),
    key("storage.<name>.pools", Text, Described("none"),
        "Pools of OSTs, such as `flash=0-79 capacity=80-159`."),
    key("storage.<name>.layout", Text, Default("-c 1 -S 1M"),
        "Layout of new files, as options of `lfs setstripe`: -E, -c, -S, -p, and -L mdt."),
    // Objects and OSTs.
    key("storage.<name>.ost_capacity", MEMORY, Default("500 TB"),
        "Space of one OST."),
    key("storage.<name>.ost_access", TIME, Default("150 us"),
        "Time of an OST per read or write RPC, beside its bytes. [estimate]"),
    key("storage.<name>.raid_stripe", SIZE, Default("1 MiB"),
        "Full stripe of the RAID below an OST. [estimate] 8+2 with chunks of 128 KiB."),
    key("storage.<name>.raid_partial", TIME, Default("1.6 ms"),
        "Read-modify-write of a RAID stripe that a write covers in part. [estimate] A seek \
         of 8 ms over five groups of disks."),
    key("storage.<name>.raid_absorbs", SIZE, Default("64 KiB"),
        "Fragments up to this size go to a write-back cache, without read-modify-write. \
         [estimate]"),
    key("storage.<name>.commit", TIME, Default("2 ms"),
        "Journal commit of an OST or MDT. [estimate]"),
    key("storage.<name>.oss_threads", Count(1, 512), Default("16"),
        "Requests that an OSS serves at once: its cores. [estimate]"),
    key("storage.<name>.oss_rpc", TIME, Default("30 us"),
        "Thread time of an OSS per read or write RPC, beside `oss_rate`. [estimate]"),
    key("storage.<name>.oss_lock", TIME, Default("10 us"),
        "Thread time of a server per lock request, cancel or other small request. \
         [estimate]"),
    // MDTs.
    key("storage.<name>.mds_threads", Count(1, 1024), Default("32"),
        "Requests that an MDS serves at once: its cores. [estimate]"),
    key("storage.<name>.mds_getattr", TIME, Default("60 us"),
        "Thread time of an MDS: lookup, getattr, statfs. [estimate]"),
    key("storage.<name>.mds_open", TIME, Default("110 us"),
        "Thread time of an MDS: open of an existing file. [estimate]"),
    key("storage.<name>.mds_create", TIME, Default("260 us"),
        "Thread time of an MDS: open that creates the file. With `mds_close`, 32 threads: \
         93,500 files/s, as Capstor's MDSs [CSCS]."),
    key("storage.<name>.mds_close", TIME, Default("82 us"),
        "Thread time of an MDS: close."),
    key("storage.<name>.mds_unlink", TIME, Default("250 us"),
        "Thread time of an MDS: unlink. [estimate]"),
    key("storage.<name>.mds_mkdir", TIME, Default("400 us"),
        "Thread time of an MDS: mkdir. [estimate]"),
    key("storage.<name>.mds_rmdir", TIME, Default("300 us"),
        "Thread time of an MDS: rmdir. [estimate]"),
    key("storage.<name>.mds_rename", TIME, Default("400 us"),
        "Thread time of an MDS: rename. [estimate]"),
    key("storage.<name>.mds_setattr", TIME, Default("150 us"),
        "Thread time of an MDS: link, setattr, setxattr, changes of layouts. [estimate]"),
    key("storage.<name>.mds_readpage", TIME, Default("100 us"),
        "Thread time of an MDS per RPC of readdir. [estimate]"),
    key("storage.<name>.mds_entry", TIME, Default("200 ns"),
        "Thread time of an MDS per entry that readdir returns. [estimate]"),
    key("storage.<name>.mds_update", TIME, Default("150 us"),
        "Thread time of an MDS: update of a second MDT by an operation that spans two. \
         [estimate]"),
    key("storage.<name>.mdt_read_rate", RATE, Default("10 GB/s"),
        "Rate of an MDT, reading data of files on it (DoM). [estimate]"),
    key("storage.<name>.mdt_write_rate", RATE, Default("5 GB/s"),
        "Rate of an MDT, writing data of files on it (DoM). [estimate]"),
    key("storage.<name>.mdt_access", TIME, Default("2 us"),
        "Time of an MDT per transaction. [estimate]"),
    key("storage.<name>.entry_size", SIZE, Default("64 B"),
        "A directory entry in the pages of readdir. [estimate] lu_dirent with a name of 20 \
         bytes."),
    key("storage.<name>.precreate_min", Count(1, 1_000_000), Default("32"),
        "Objects that an MDT creates ahead on an OST, at first [lustre_idl.h]."),
    key("storage.<name>.precreate_max", Count(1, 1_000_000), Default("20000"),
        "The same, at most: batches double [lustre_idl.h]."),
    key("storage.<name>.destroys", Count(1, 1_000_000), Default("100"),
        "Objects that an MDT destroys at once. [estimate]"),
    key("storage.<name>.imbalance", Count(0, 100), Default("17"),
        "Difference of the free space of OSTs, in percent, above which emptier OSTs get \
         more objects [qos_threshold_rr]."),
    // Clients.
    key("storage.<name>.brw_size", SIZE, Default("4 MiB"),
        "Largest read or write RPC [lustre_net.h]."),
    key("storage.<name>.rpcs_in_flight", Count(1, 256), Default("8"),
        "Read and write RPCs in flight per client and OST, and requests per client and MDT \
         [obd.h]."),
    key("storage.<name>.mod_rpcs_in_flight", Count(1, 256), Default("7"),
        "Modifying requests in flight per client and MDT [ldlm_lib.c]."),
    key("storage.<name>.short_io", SIZE, Default("16 KiB"),
        "Data up to this size travel in the request or reply [obd.h]."),
    key("storage.<name>.dirty_limit", SIZE, Default("2000 MiB"),
        "Dirty bytes per client and OST [obd.h]."),
    key("storage.<name>.grant_initial", SIZE, Default("8 MiB"),
        "Grant of a new client. [estimate] Two RPCs."),
    key("storage.<name>.grant_step", SIZE, Default("8 MiB"),
        "Grant that the reply of a write adds at most. [estimate] Two RPCs."),
    key("storage.<name>.page_cache", MEMORY, Default("256 GiB"),
        "Page cache per client. [estimate] Half the memory of a node."),
    key("storage.<name>.flush_age", TIME, Default("30 s"),
        "Dirty pages are written after this time [vm.dirty_expire_centisecs]."),
    key("storage.<name>.read_ahead_file", SIZE, Default("256 MiB"),
        "Read-ahead window per file [llite_internal.h]."),
    key("storage.<name>.read_ahead_client", SIZE, Default("1 GiB"),
        "Read-ahead per client [llite_internal.h]."),
    key("storage.<name>.read_ahead_whole", SIZE, Default("4 MiB"),
        "Files up to this size are read whole at the second read [llite_internal.h]."),
    key("storage.<name>.statahead_min", Count(1, 65536), Default("8"),
        "Requests ahead of a scan of a directory, at first [llite_internal.h]."),
    key("storage.<name>.statahead_max", Count(1, 65536), Default("128"),
        "The same, at most [llite_internal.h]."),
    key("storage.<name>.call_time", TIME, Default("3 us"),
        "CPU of the caller per call. [estimate]"),
    key("storage.<name>.copy_rate", RATE, Default("6 GB/s"),
        "Rate of a core that copies between a buffer and the page cache. [estimate]"),
    key("storage.<name>.rpc_time", TIME, Default("5 us"),
        "CPU of the caller per reply that it waits for. [estimate]"),
    key("storage.<name>.callback_time", TIME, Default("10 us"),
        "Time of a client for a callback of a server. [estimate]"),
    key("storage.<name>.mkdir_levels", Count(0, 100), Default("3"),
        "New directories down to this depth below the mount are on the next MDT in turn; deeper \
         ones on their parent's [max_inherit_rr of the root's default, LU-14792]."),
    key("storage.<name>.collective_locks", Word(&["extent", "lock-ahead", "group"]),
        Default("lock-ahead"),
        "Lock requests of collective MPI-IO writes whose hints request locks in advance."),
];

/// Resolved parameters of a Lustre file system.
#[derive(Clone, Debug, PartialEq)]
pub struct LustreParams {
    /// Hosts of metadata servers, and targets of all of them.
    pub mds: u32,
    pub mdts: u32,
    /// Hosts of object storage servers, and targets of all of them.
    pub oss: u32,
    pub osts: u32,
    /// Inverse of the rate of one OST, reading and writing.
    pub ost_read_gap: Gap,
    pub ost_write_gap: Gap,
    /// Inverse of the rate of one OSS, both directions together. `Gap::ZERO` is no cap.
    pub oss_gap: Gap,
    pub pools: Vec<OstPool>,
    /// Layout of a file in a directory without a default.
    pub layout: Vec<LustreComponent>,

    // Objects and OSTs.
    /// Bytes of one OST.
    pub ost_capacity: u64,
    /// Occupancy of an OST per read or write RPC, beside its bytes.
    pub ost_access: Span,
    /// Bytes of a full stripe of the RAID below an OST.
    pub raid_stripe: u64,
    /// Read-modify-write of a RAID stripe that a write RPC covers in part.
    pub raid_partial: Span,
    /// A fragment of at most these bytes needs no read-modify-write: a flash cache takes it.
    pub raid_absorbs: u64,
    /// Journal commit of an OST or MDT.
    pub commit: Span,
    /// Service threads of an OSS that run at once.
    pub oss_threads: u32,
    /// Thread time of a read or write RPC, beside its bytes.
    pub oss_rpc: Span,
    /// Thread time of a lock request, a cancel, or another small request.
    pub oss_lock: Span,

    // MDTs.
    /// Service threads of an MDS that run at once.
    pub mds_threads: u32,
    pub mds_getattr: Span,
    pub mds_open: Span,
    pub mds_create: Span,
    pub mds_close: Span,
    pub mds_unlink: Span,
    pub mds_mkdir: Span,
    pub mds_rmdir: Span,
    pub mds_rename: Span,
    pub mds_setattr: Span,
    pub mds_readpage: Span,
    pub mds_entry: Span,
    pub mds_update: Span,
    /// Inverse of the rate of one MDT for data on it, reading and writing.
    pub mdt_read_gap: Gap,
    pub mdt_write_gap: Gap,
    /// Occupancy of an MDT per transaction.
    pub mdt_access: Span,
    /// Bytes of a directory entry on the wire.
    pub entry_size: u64,
    /// Smallest and largest batch of objects that an MDT creates ahead on an OST.
    pub precreate_min: u32,
    pub precreate_max: u32,
    /// Objects that an MDT destroys at once.
    pub destroys: u32,
    /// OSTs are chosen by free space if it differs by more than this, in percent.
    pub imbalance: u32,

    // Clients.
    /// Largest read or write RPC, in bytes.
    pub brw_size: u64,
    pub rpcs_in_flight: u32,
    pub mod_rpcs_in_flight: u32,
    /// Data of at most these bytes travel in the request or reply.
    pub short_io: u64,
    /// Dirty bytes per client and OST.
    pub dirty_limit: u64,
    /// Grant of a new client, and the most that one reply adds, in bytes.
    pub grant_initial: u64,
    pub grant_step: u64,
    /// Cached bytes per client.
    pub page_cache: u64,
    pub flush_age: Span,
    pub read_ahead_file: u64,
    pub read_ahead_client: u64,
    pub read_ahead_whole: u64,
    pub statahead_min: u32,
    pub statahead_max: u32,
    /// CPU of the caller: per call, per byte that is copied, per reply that it waits for.
    pub call_cpu: Span,
    pub copy_gap: Gap,
    pub rpc_cpu: Span,
    /// Time of a client for a callback of a server.
    pub callback: Span,
    /// New directories down to this depth are on the next MDT in turn.
    pub mkdir_levels: u32,
    pub collective_locks: CollectiveLocks,
}

/// A named range of OSTs.
#[derive(Clone, Debug, PartialEq)]
pub struct OstPool {
    pub name: String,
    pub first: u32,
    pub osts: u32,
}

/// A component of a layout.
#[derive(Clone, Debug, PartialEq)]
pub struct LustreComponent {
    /// First byte after the component; `u64::MAX` for the last.
    pub end: u64,
    /// Number of stripes; `u32::MAX` is one per OST.
    pub stripes: u32,
    pub stripe_size: u64,
    /// Name of the pool; empty for all OSTs.
    pub pool: String,
    /// Data on the MDT (DoM).
    pub on_mdt: bool,
}

/// Lock requests of collective MPI-IO writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CollectiveLocks {
    /// As for other writes.
    Extent,
    /// Lock-ahead: exactly the requested extents.
    LockAhead,
    /// Group locks.
    Group,
}

impl LustreParams {
    pub(crate) fn new(values: &Values) -> LustreParams {
        LustreParams {
            mds: values.count("mds"),
            mdts: values.count("mdts"),
            oss: values.count("oss"),
            osts: values.count("osts"),
            ost_read_gap: values.gap("ost_read_rate"),
            ost_write_gap: values.gap("ost_write_rate"),
            oss_gap: values.gap("oss_rate"),
            pools: Vec::new(),
            layout: Vec::new(),
            ost_capacity: values.bytes("ost_capacity"),
            ost_access: values.span("ost_access"),
            raid_stripe: values.bytes("raid_stripe"),
            raid_partial: values.span("raid_partial"),
            raid_absorbs: values.bytes("raid_absorbs"),
            commit: values.span("commit"),
            oss_threads: values.count("oss_threads"),
            oss_rpc: values.span("oss_rpc"),
            oss_lock: values.span("oss_lock"),
            mds_threads: values.count("mds_threads"),
            mds_getattr: values.span("mds_getattr"),
            mds_open: values.span("mds_open"),
            mds_create: values.span("mds_create"),
            mds_close: values.span("mds_close"),
            mds_unlink: values.span("mds_unlink"),
            mds_mkdir: values.span("mds_mkdir"),
            mds_rmdir: values.span("mds_rmdir"),
            mds_rename: values.span("mds_rename"),
            mds_setattr: values.span("mds_setattr"),
            mds_readpage: values.span("mds_readpage"),
            mds_entry: values.span("mds_entry"),
            mds_update: values.span("mds_update"),
            mdt_read_gap: values.gap("mdt_read_rate"),
            mdt_write_gap: values.gap("mdt_write_rate"),
            mdt_access: values.span("mdt_access"),
            entry_size: values.bytes("entry_size"),
            precreate_min: values.count("precreate_min"),
            precreate_max: values.count("precreate_max"),
            destroys: values.count("destroys"),
            imbalance: values.count("imbalance"),
            brw_size: values.bytes("brw_size"),
            rpcs_in_flight: values.count("rpcs_in_flight"),
            mod_rpcs_in_flight: values.count("mod_rpcs_in_flight"),
            short_io: values.bytes("short_io"),
            dirty_limit: values.bytes("dirty_limit"),
            grant_initial: values.bytes("grant_initial"),
            grant_step: values.bytes("grant_step"),
            page_cache: values.bytes("page_cache"),
            flush_age: values.span("flush_age"),
            read_ahead_file: values.bytes("read_ahead_file"),
            read_ahead_client: values.bytes("read_ahead_client"),
            read_ahead_whole: values.bytes("read_ahead_whole"),
            statahead_min: values.count("statahead_min"),
            statahead_max: values.count("statahead_max"),
            call_cpu: values.span("call_time"),
            copy_gap: values.gap("copy_rate"),
            rpc_cpu: values.span("rpc_time"),
            callback: values.span("callback_time"),
            mkdir_levels: values.count("mkdir_levels"),
            collective_locks: match values.text("collective_locks") {
                "lock-ahead" => CollectiveLocks::LockAhead,
                "group" => CollectiveLocks::Group,
                _ => CollectiveLocks::Extent,
            },
        }
    }
}

impl LustreParams {
    /// Sizes that have to be in a range and multiples of a unit: key, size, range, unit.
    pub(crate) fn sizes(&self) -> [(&'static str, u64, RangeInclusive<u64>, u64); 4] {
        const PAGE: u64 = 4096;
        [
            ("brw_size", self.brw_size, PAGE..=1 << 30, PAGE),
            ("raid_stripe", self.raid_stripe, PAGE..=1 << 30, PAGE),
            ("short_io", self.short_io, 0..=1 << 20, 1),
            ("entry_size", self.entry_size, 1..=1 << 20, 1),
        ]
    }
}

/// Pools in the form `NAME=FIRST-LAST`, separated by blanks.
pub fn pools(text: &str, osts: u32) -> Option<Vec<OstPool>> {
    let pool = |word: &str| {
        let (name, range) = word.split_once('=')?;
        let (first, last) = range.split_once('-')?;
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        let valid = !name.is_empty() && first <= last && last < osts;
        valid.then(|| OstPool { name: name.into(), first, osts: last - first + 1 })
    };
    text.split_whitespace().map(pool).collect()
}

/// A layout in the options of `lfs setstripe`. Each `-E` begins a component.
pub fn layout(text: &str, pools: &[OstPool]) -> Option<Vec<LustreComponent>> {
    let first = LustreComponent {
        end: u64::MAX,
        stripes: 1,
        stripe_size: 1 << 20,
        pool: String::new(),
        on_mdt: false,
    };
    let mut components = vec![first];
    let mut composite = false;
    let mut words = text.split_whitespace();
    while let Some(option) = words.next() {
        let value = words.next()?;
        if option == "-E" {
            let mut next = components.last()?.clone();
            next.on_mdt = false;
            next.end = if value == "-1" || value == "eof" { u64::MAX } else { size(value)? };
            if composite {
                components.push(next);
            } else {
                components[0] = next;
            }
            composite = true;
            continue;
        }
        let component = components.last_mut()?;
        match option {
            "-c" if value == "-1" => component.stripes = u32::MAX,
            "-c" => component.stripes = value.parse().ok().filter(|&n| n > 0)?,
            // Stripe sizes are multiples of 64 KiB [lustre_user.h: LOV_MIN_STRIPE_SIZE].
            "-S" => component.stripe_size = size(value).filter(|n| n % (64 << 10) == 0)?,
            "-p" if pools.iter().any(|pool| pool.name == value) => component.pool = value.into(),
            "-L" if value == "mdt" => component.on_mdt = true,
            _ => return None,
        }
    }
    let ascending = components.windows(2).all(|pair| pair[0].end < pair[1].end);
    let whole = components.last()?.end == u64::MAX;
    (ascending && whole).then_some(components)
}

/// A size with the suffixes of `lfs`: K, M, G, T.
fn size(text: &str) -> Option<u64> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let shift = match &text[at..] {
        "" => 0,
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        "t" | "T" => 40,
        _ => return None,
    };
    text[..at].parse::<u64>().ok()?.checked_shl(shift).filter(|&n| n > 0 && n < 1 << 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_read_as_by_lfs_setstripe() {
        let pools = pools("flash=0-3 disk=4-9", 10).expect("pools");
        assert_eq!(pools[1], OstPool { name: "disk".into(), first: 4, osts: 6 });
        let text = "-E 256K -L mdt -E 8M -c 1 -S 1M -p flash -E -1 -c -1 -S 4M -p disk";
        let layout = layout(text, &pools).expect("layout");
        let ends: Vec<u64> = layout.iter().map(|c| c.end).collect();
        assert_eq!(ends, [256 << 10, 8 << 20, u64::MAX]);
        assert!(layout[0].on_mdt && !layout[1].on_mdt);
        assert_eq!((layout[1].stripes, layout[1].pool.as_str()), (1, "flash"));
        assert_eq!((layout[2].stripes, layout[2].stripe_size), (u32::MAX, 4 << 20));
    }

    #[test]
    fn layouts_that_lfs_refuses_are_refused() {
        for text in
            ["-c 0", "-S 100", "-p none", "-E 8M", "-E 8M -E 4M -E -1", "-x 1", "-c", "-S 1Q"]
        {
            assert_eq!(layout(text, &[]), None, "{text}");
        }
        for text in ["a=0-10", "a=3-2", "a", "=1-2"] {
            assert_eq!(pools(text, 10), None, "{text}");
        }
    }
}
