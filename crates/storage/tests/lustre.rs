//! The RPCs of Lustre calls, without time: closed forms of bytes and counts.

#[path = "lustre/driver.rs"]
mod driver;
#[path = "lustre/random.rs"]
mod random;

use driver::{World, call, is_callback, params};
use storage::{Bulk, CallId};
use workload::{FileCall, FileCallKind as Kind, LayoutComponent, LayoutRequest, file_flag as flag};

const MIB: u64 = 1 << 20;

fn world(keys: &str, clients: u32) -> World {
    let servers = "mds = 2\nmdts = 4\noss = 4\nosts = 16\n";
    World::new(params(&format!("{servers}{keys}")), clients, 1)
}

fn create(file: u32) -> FileCall {
    FileCall { file, flags: flag::CREATE | flag::WRITE, name: file.into(), ..call(Kind::Open) }
}
fn write(file: u32, offset: u64, bytes: u64, size: u64) -> FileCall {
    FileCall { file, flags: flag::OPEN, offset, bytes, size, ..call(Kind::Write) }
}
fn read(file: u32, offset: u64, bytes: u64, size: u64) -> FileCall {
    FileCall { kind: Kind::Read, ..write(file, offset, bytes, size) }
}
fn sync(file: u32) -> FileCall {
    FileCall { file, flags: flag::OPEN, ..call(Kind::Sync) }
}
fn named(kind: Kind) -> FileCall {
    FileCall { flags: flag::EXISTS, ..call(kind) }
}

/// An RPC's operation, bytes in bulk and whether its direction is to the server.
fn data_rpcs(world: &World, from: usize) -> Vec<Bulk> {
    let all = world.record.sent[from..].iter();
    all.filter(|r| r.operation < 2).map(|r| r.bulk).collect()
}

#[test]
fn a_write_of_1_mib_takes_one_lock_and_one_rpc_at_fsync() {
    let mut w = world("", 1);
    assert_eq!(w.run(0, &create(1)), ["mds_reint_open"]);
    assert_eq!(w.run(0, &write(1, 0, MIB, 0)), ["ldlm_extent_enqueue"]);
    let from = w.record.sent.len();
    // The dirty pages, the inode, the object.
    assert_eq!(w.run(0, &sync(1)), ["ost_write", "mds_sync", "ost_sync"]);
    assert_eq!(data_rpcs(&w, from), [Bulk::Pull(MIB)]);
    assert_eq!(w.run(0, &write(1, MIB, MIB, MIB)), [""; 0], "the lock covers the object");
}

#[test]
fn a_write_of_4_kib_travels_inline() {
    let mut w = world("", 1);
    w.run(0, &create(1));
    w.run(0, &write(1, 0, 4096, 0));
    let from = w.record.sent.len();
    w.run(0, &sync(1));
    let rpc = w.record.sent[from];
    assert_eq!(rpc.bulk, Bulk::None);
    // lustre_msg_v2, ptlrpc_body, ost_body, obd_ioobj, niobuf_remote, data.
    assert_eq!(rpc.request_bytes, 64 + 184 + 208 + 24 + 16 + 4096);
    assert_eq!(rpc.reply_bytes, 64 + 184 + 208);
}

#[test]
fn a_write_over_8_stripes_takes_a_lock_and_an_rpc_per_object() {
    let mut w = world("layout = \"-c 8 -S 128K\"\n", 1);
    w.run(0, &create(1));
    assert_eq!(w.run(0, &write(1, 0, MIB, 0)), ["ldlm_extent_enqueue"; 8]);
    let from = w.record.sent.len();
    w.run(0, &sync(1));
    assert_eq!(data_rpcs(&w, from), [Bulk::Pull(MIB / 8); 8]);
    assert_eq!(w.count(from, "ost_sync"), 8);
    let mut targets: Vec<_> =
        w.record.sent[from..from + 8].iter().map(|r| r.access.expect("data").medium).collect();
    targets.sort_unstable();
    targets.dedup();
    assert_eq!(targets.len(), 8, "each on another OST");
}

#[test]
fn reads_take_one_rpc_per_4_mib_and_stripe() {
    for (stripes, bytes, rpcs) in [(1, MIB, 1), (1, 4096, 1), (8, 8 * MIB, 8), (1, 9 * MIB, 3)] {
        let mut w = world(&format!("layout = \"-c {stripes} -S 1M\"\n"), 1);
        let from = w.record.sent.len();
        let names = w.run(0, &read(1, 0, bytes, bytes));
        let locks = names.iter().filter(|n| **n == "ldlm_extent_enqueue").count();
        assert_eq!(locks, stripes, "{stripes} stripes");
        assert_eq!(w.count(from, "ost_read"), rpcs, "{bytes} bytes over {stripes}");
        let inline = if bytes == 4096 { bytes } else { 0 };
        assert_eq!(w.bulk(from), bytes - inline);
        assert_eq!(w.run(0, &read(1, 0, bytes, bytes)), [""; 0], "cached");
    }
}

#[test]
fn a_read_ends_at_the_end_of_the_file() {
    let mut w = world("", 1);
    let from = w.record.sent.len();
    w.run(0, &read(1, 0, MIB, 5000));
    assert_eq!(w.count(from, "ost_read"), 1);
    assert_eq!(w.record.sent[from + 1].reply_bytes, 64 + 184 + 208 + 5000);
    assert_eq!(w.run(0, &read(1, 5000, MIB, 5000)), [""; 0]);
}

#[test]
fn a_conflicting_write_revokes_flushes_cancels_and_grants() {
    let mut w = world("", 2);
    w.run(0, &create(1));
    w.run(0, &write(1, 0, MIB, 0));
    let from = w.record.sent.len();
    let names = w.run(1, &write(1, MIB, MIB, MIB));
    let expected =
        ["ldlm_extent_enqueue", "ldlm_bl_callback", "ost_write", "ldlm_cancel", "ldlm_cp_callback"];
    assert_eq!(names, expected);
    assert_eq!(data_rpcs(&w, from), [Bulk::Pull(MIB)], "the dirty pages of the first client");
    assert_eq!(w.fs.targets().iter().map(|t| t.lock_conflicts).sum::<u64>(), 1);
    // The lock of the second client covers the object again.
    assert_eq!(w.run(1, &write(1, 0, MIB, 2 * MIB)), [""; 0]);
}

#[test]
fn a_conflict_over_8_stripes_revokes_8_locks() {
    let mut w = world("layout = \"-c 8 -S 128K\"\n", 2);
    w.run(0, &create(1));
    w.run(0, &write(1, 0, MIB, 0));
    let from = w.record.sent.len();
    w.run(1, &write(1, 0, MIB, MIB));
    for name in ["ldlm_extent_enqueue", "ldlm_bl_callback", "ost_write", "ldlm_cancel"] {
        assert_eq!(w.count(from, name), 8, "{name}");
    }
    assert_eq!(w.bulk(from), MIB);
}

#[test]
fn a_read_of_anothers_dirty_pages_flushes_them_first() {
    let mut w = world("", 2);
    w.run(0, &create(1));
    w.run(0, &write(1, 0, 4096, 0));
    let names = w.run(1, &read(1, 0, 4096, 4096));
    let expected = [
        "ldlm_extent_enqueue",
        "ldlm_bl_callback",
        "ost_write",
        "ldlm_cancel",
        "ldlm_cp_callback",
        "ost_read",
    ];
    assert_eq!(names, expected);
}

#[test]
fn readers_share_locks() {
    let mut w = world("", 2);
    w.run(0, &read(1, 0, 4096, 4096));
    assert_eq!(w.run(1, &read(1, 0, 4096, 4096)), ["ldlm_extent_enqueue", "ost_read"]);
}

#[test]
fn direct_writes_need_no_lock_of_the_client_and_leave_nothing_dirty() {
    let mut w = world("layout = \"-c 2 -S 4M\"\n", 1);
    w.run(0, &create(1));
    let direct = FileCall { flags: flag::OPEN | flag::DIRECT, ..write(1, 0, 16 * MIB, 0) };
    assert_eq!(w.run(0, &direct), ["ost_write"; 4]);
    assert_eq!(w.run(0, &sync(1)), ["mds_sync", "ost_sync", "ost_sync"]);
}

#[test]
fn a_direct_write_revokes_the_locks_of_others() {
    let mut w = world("", 2);
    w.run(0, &create(1));
    w.run(0, &write(1, 0, MIB, 0));
    let direct = FileCall { flags: flag::OPEN | flag::DIRECT, ..write(1, 0, MIB, MIB) };
    let names = w.run(1, &direct);
    assert_eq!(names, ["ost_write", "ldlm_bl_callback", "ost_write", "ldlm_cancel"]);
}

#[test]
fn full_rpcs_are_sent_without_fsync_and_the_rest_by_age() {
    let mut w = world("", 1);
    w.run(0, &create(1));
    let from = w.record.sent.len();
    w.run(0, &write(1, 0, 10 * MIB, 0));
    assert_eq!(data_rpcs(&w, from), [Bulk::Pull(4 * MIB); 2]);
    let from = w.record.sent.len();
    w.fire_timers();
    assert_eq!(data_rpcs(&w, from), [Bulk::Pull(2 * MIB)]);
    assert_eq!(w.record.timers, [], "nothing is dirty");
}

#[test]
fn a_write_into_a_page_of_others_reads_the_page() {
    let mut w = world("", 2);
    w.run(0, &create(1));
    w.run(0, &write(1, 0, 5000, 0));
    let from = w.record.sent.len();
    // Bytes 4,096 to 5,000 of the second page are the other client's.
    w.run(1, &write(1, 5000, 8192 - 5000, 5000));
    assert_eq!(w.count(from, "ost_read"), 1);
    // A whole page needs no read.
    assert_eq!(w.run(1, &write(1, 8192, 4096, 8192)), [""; 0]);
}

#[test]
fn collective_writes_with_lock_ahead_do_not_conflict() {
    for (locks, callbacks) in [("extent", true), ("lock-ahead", false), ("group", false)] {
        let mut w = world(&format!("collective_locks = \"{locks}\"\n"), 2);
        w.run(0, &create(1));
        let from = w.record.sent.len();
        for i in 0..4 {
            let own = write(1, u64::from(i) * MIB, MIB, 0);
            let collective = FileCall { flags: flag::OPEN | flag::COLLECTIVE, ..own };
            w.run(i % 2, &collective);
        }
        assert_eq!(w.record.sent[from..].iter().any(is_callback), callbacks, "{locks}");
    }
}

#[test]
fn writes_beyond_the_first_component_instantiate_it() {
    let mut w = world("layout = \"-E 1M -c 1 -E -1 -c 4\"\n", 1);
    w.run(0, &create(1));
    assert_eq!(w.run(0, &write(1, 0, MIB, 0)), ["ldlm_extent_enqueue"]);
    let names = w.run(0, &write(1, MIB, MIB, MIB));
    assert_eq!(names, ["mds_layout_intent", "ldlm_extent_enqueue"]);
    // Objects: 1 and 4.
    assert_eq!(w.fs.targets().iter().map(|t| t.objects).sum::<u64>(), 5);
}

#[test]
fn data_on_the_mdt_need_no_ost() {
    let mut w = world("layout = \"-E 64K -L mdt -E -1 -c 1\"\n", 1);
    w.run(0, &create(1));
    w.run(0, &write(1, 0, 4096, 0));
    let from = w.record.sent.len();
    w.run(0, &sync(1));
    let rpc = w.record.sent[from];
    assert!(rpc.access.expect("data").medium.0 >= 16, "an MDT");
    let stat = FileCall { size: 4096, ..named(Kind::Stat) };
    assert_eq!(w.run(0, &stat), ["ldlm_ibits_enqueue"], "the MDT knows the size");
}

#[test]
fn rpcs_of_metadata_calls() {
    let mut w = world("", 2);
    let directory = |kind| FileCall { flags: flag::DIRECTORY, file: 2, ..call(kind) };
    assert_eq!(w.run(0, &directory(Kind::Mkdir)), ["mds_reint_create"]);
    assert_eq!(w.run(0, &create(1)), ["mds_reint_open"]);
    let close = FileCall { flags: flag::OPEN, ..call(Kind::Close) };
    assert_eq!(w.run(0, &close), ["mds_close"]);
    // Attributes by name, then the size from the OST, which grants a lock: cached.
    let stat = named(Kind::Stat);
    assert_eq!(w.run(1, &stat), ["ldlm_ibits_enqueue", "ldlm_glimpse_enqueue"]);
    assert_eq!(w.run(1, &stat), [""; 0]);
    assert_eq!(w.run(0, &named(Kind::Open)), ["mds_reint_open"]);
    let truncate = FileCall { flags: flag::OPEN, bytes: 0, ..call(Kind::Truncate) };
    let expected = [
        "mds_reint_setattr",
        "ldlm_bl_callback",
        "ldlm_cancel",
        "ldlm_extent_enqueue",
        "ldlm_bl_callback",
        "ldlm_cancel",
        "ldlm_cp_callback",
        "ost_punch",
    ];
    assert_eq!(w.run(0, &truncate), expected, "client 1 has cached the attributes and the size");
    assert_eq!(
        w.run(0, &named(Kind::SetAttributes)),
        ["mds_reint_setattr", "ldlm_bl_callback", "ldlm_cancel"]
    );
    assert_eq!(w.run(0, &named(Kind::SetXattr)), ["mds_reint_setxattr"]);
    assert_eq!(w.run(0, &named(Kind::GetXattr)), ["mds_getxattr"]);
    assert_eq!(w.run(0, &named(Kind::GetXattr)), [""; 0]);
    assert_eq!(w.run(0, &named(Kind::StatFs)), ["mds_statfs"]);
    assert_eq!(w.run(0, &named(Kind::Lock)), ["ldlm_flock_enqueue"]);
    let symlink = FileCall { file: 3, ..call(Kind::Symlink) };
    assert_eq!(w.run(0, &symlink), ["mds_reint_create"]);
    assert_eq!(w.run(1, &FileCall { file: 3, ..named(Kind::ReadLink) }), ["mds_getattr"]);
    assert_eq!(w.run(0, &named(Kind::Link)), ["mds_reint_link"]);
    assert_eq!(w.run(0, &named(Kind::Unlink)), ["mds_reint_unlink"], "one link is left");
    assert_eq!(w.run(0, &close), ["mds_close"]);
    let names = w.run(0, &named(Kind::Unlink));
    // The client itself still holds a lock on the object.
    assert_eq!(names, ["mds_reint_unlink", "ost_destroy", "ldlm_bl_callback", "ldlm_cancel"]);
    let rmdir = FileCall { flags: flag::DIRECTORY | flag::EXISTS, ..directory(Kind::Rmdir) };
    assert_eq!(w.run(0, &rmdir), ["mds_reint_unlink"]);
}

#[test]
fn an_open_file_keeps_its_objects_until_its_last_close() {
    let mut w = world("", 1);
    w.run(0, &create(1));
    w.run(0, &write(1, 0, MIB, 0));
    assert_eq!(w.run(0, &named(Kind::Unlink)), ["mds_reint_unlink"]);
    let close = FileCall { flags: flag::OPEN, ..call(Kind::Close) };
    let names = w.run(0, &close);
    assert_eq!(names, ["mds_close", "ost_destroy", "ldlm_bl_callback", "ldlm_cancel"]);
    assert_eq!(w.fs.targets().iter().map(|t| t.objects + t.used).sum::<u64>(), 0);
    w.fire_timers();
    assert_eq!(w.count(0, "ost_write"), 0, "the dirty pages are discarded");
}

/// The only RPC slot of the OST is occupied by another file until the truncation is complete, so
/// the pages have not been sent.
#[test]
fn a_sync_ends_when_its_pages_are_cut_off() {
    let servers = "mds = 1\nmdts = 1\noss = 1\nosts = 1\nrpcs_in_flight = 1\n";
    let mut w = World::new(params(servers), 1, 1);
    for file in [1, 2] {
        w.run(0, &create(file));
        w.run(0, &write(file, 0, MIB, 0));
    }
    let from = w.record.sent.len();
    let calls = [
        w.submit(0, &sync(2)),
        w.submit(0, &sync(1)),
        w.submit(0, &FileCall { size: MIB, file: 1, flags: flag::OPEN, ..call(Kind::Truncate) }),
    ];
    w.drain_newest_first();
    assert_eq!(w.count(from, "ost_write"), 1, "the pages of file 1 are discarded");
    for id in calls {
        assert!(w.record.completed.contains(&(id, 0)), "{id:?} did not complete");
    }
}

#[test]
fn components_of_a_path_are_looked_up_once() {
    let mut w = world("", 2);
    let mkdir =
        |file, parent| FileCall { file, parent, flags: flag::DIRECTORY, ..call(Kind::Mkdir) };
    w.run(0, &mkdir(2, 0));
    w.run(0, &mkdir(3, 2));
    let stat =
        FileCall { file: 3, parent: 2, flags: flag::EXISTS | flag::DIRECTORY, ..call(Kind::Stat) };
    let lookups = |w: &mut World| {
        use storage::FileSystem;
        w.fs.lookup(storage::ClientId(1), 0, 2);
    };
    lookups(&mut w);
    assert_eq!(w.run(1, &stat), ["ldlm_ibits_enqueue"; 2]);
    lookups(&mut w);
    assert_eq!(w.run(1, &stat), [""; 0]);
    // A rename of the directory revokes its name.
    let rename = FileCall { file: 2, other: 0, ..named(Kind::Rename) };
    assert_eq!(w.run(0, &rename), ["mds_reint_rename", "ldlm_bl_callback", "ldlm_cancel"]);
    lookups(&mut w);
    assert_eq!(w.run(1, &stat), ["ldlm_ibits_enqueue"]);
}

#[test]
fn a_path_is_looked_up_before_its_file_is_known() {
    use storage::{ClientId, FileSystem};
    let mut w = world("", 1);
    w.fs.lookup(ClientId(0), 0, 2);
    let file = FileCall { parent: 2, ..create(1000) };
    assert_eq!(w.run(0, &file), ["ldlm_ibits_enqueue", "mds_reint_open"]);
}

#[test]
fn readdir_takes_one_rpc_per_mib_of_entries() {
    let mut w = world("", 1);
    // 16,384 entries of 64 B are 1 MiB.
    let entries = |offset, size| FileCall {
        file: 2,
        flags: flag::OPEN | flag::DIRECTORY,
        offset,
        bytes: 1000,
        size,
        ..call(Kind::ReadDirectory)
    };
    let from = w.record.sent.len();
    assert_eq!(w.run(0, &entries(0, 20_000)), ["ldlm_ibits_enqueue", "mds_readpage"]);
    assert_eq!(w.bulk(from), MIB);
    assert_eq!(w.run(0, &entries(1000, 20_000)), [""; 0]);
    let from = w.record.sent.len();
    assert_eq!(w.run(0, &entries(16_000, 20_000)), ["mds_readpage"]);
    assert_eq!(w.bulk(from), ((20_000 - 16_384) * 64u64).next_multiple_of(4096), "whole pages");
    assert_eq!(w.run(0, &entries(20_000, 20_000)), [""; 0]);
}

#[test]
fn stats_of_a_scan_are_fetched_ahead() {
    let mut w = world("", 1);
    let n = 64;
    let entries = FileCall {
        file: 0,
        flags: flag::OPEN | flag::DIRECTORY,
        bytes: n,
        size: n,
        ..call(Kind::ReadDirectory)
    };
    w.run(0, &entries);
    let from = w.record.sent.len();
    for file in 0..n as u32 {
        w.run(0, &FileCall { file: 10 + file, name: file.into(), ..named(Kind::Stat) });
    }
    // One request per entry in total, ahead or not.
    assert_eq!(w.count(from, "ldlm_ibits_enqueue"), n as usize);
    assert_eq!(w.count(from, "ldlm_glimpse_enqueue"), n as usize);
    // The third call finds its attributes.
    let first: Vec<_> = w.names(from).into_iter().take(12).collect();
    assert_eq!(first[2..10], ["ldlm_ibits_enqueue"; 8], "8 ahead, and the second call's own");
}

#[test]
fn modifying_requests_are_limited_to_7_per_client_and_mdt() {
    let mut w = world("", 1);
    for file in 1..=20 {
        w.submit(0, &FileCall { name: 0, ..create(file) });
    }
    assert_eq!(w.record.sent.len(), 7);
    w.drain();
    assert_eq!(w.record.completed.len(), 20);
}

#[test]
fn creates_wait_for_objects_and_batches_double() {
    let mut w = world("layout = \"-c -1\"\n", 1);
    for file in 1..=100 {
        w.run(0, &create(file));
    }
    // 16 are left of the first 32: a batch of 64; then 128 at 32 left of 64 ...
    let creates = w.count(0, "ost_create");
    assert_eq!(creates % 16, 0, "the same on each OST");
    assert_eq!(w.fs.targets().iter().map(|t| t.objects).sum::<u64>(), 1600);
}

#[test]
fn an_invalid_layout_is_refused() {
    use storage::{ClientId, FileSystem};
    let mut w = world("", 1);
    let component = |pool: &str, size| LayoutComponent {
        pool: pool.into(),
        stripe_size: size,
        ..LayoutComponent::default()
    };
    for bad in [component("none", 0), component("", 1000)] {
        let request = LayoutRequest { components: vec![bad], ..LayoutRequest::default() };
        w.fs.layout(ClientId(0), &request);
        let id = w.submit(0, &FileCall { flags: 0, ..call(Kind::SetLayout) });
        w.drain();
        assert!(w.record.completed.contains(&(id, 22)), "EINVAL");
    }
    assert_eq!(w.record.completed.last().map(|c| c.0), Some(CallId(1)));
}

#[test]
fn a_directory_over_several_mdts_hashes_names() {
    use storage::{ClientId, FileSystem, Peer};
    let mut w = world("", 1);
    let request = LayoutRequest { mdt_count: 4, first_mdt: 2, ..LayoutRequest::default() };
    w.fs.layout(ClientId(0), &request);
    let mkdir = FileCall { file: 2, flags: flag::DIRECTORY, ..call(Kind::SetLayout) };
    // The root is on the first MDT, which is one of the four.
    let names = w.run(0, &mkdir);
    assert_eq!(names, ["mds_reint_create", "out_update", "out_update", "out_update"]);
    let from = w.record.sent.len();
    for file in 10..14 {
        w.run(0, &FileCall { parent: 2, ..create(file) });
    }
    let mut servers: Vec<_> = w.record.sent[from..].iter().map(|r| r.to).collect();
    servers.dedup();
    assert_eq!(servers.len(), 4, "consecutive hashes alternate over MDTs");
    assert!(servers.iter().all(|s| matches!(s, Peer::Server(s) if s.0 < 2)), "two MDSs");
}

#[test]
fn a_default_layout_is_inherited_by_new_directories_and_files() {
    use storage::{ClientId, FileSystem};
    let mut w = world("", 1);
    let eight = LayoutComponent { stripe_count: 8, ..LayoutComponent::default() };
    let request = LayoutRequest { components: vec![eight], ..LayoutRequest::default() };
    let directory = |kind, file, parent, flags| FileCall {
        file,
        parent,
        flags: flags | flag::DIRECTORY,
        ..call(kind)
    };
    w.run(0, &directory(Kind::Mkdir, 2, 0, 0));
    w.fs.layout(ClientId(0), &request);
    w.run(0, &directory(Kind::SetLayout, 2, 0, flag::EXISTS));
    w.run(0, &directory(Kind::Mkdir, 3, 2, 0));
    w.run(0, &FileCall { parent: 3, ..create(4) });
    assert_eq!(w.fs.targets().iter().map(|t| t.objects).sum::<u64>(), 8);
}

/// The layout before another call than `SetLayout` is that of a file from before the run, or of a
/// new file.
#[test]
fn a_file_from_before_the_run_keeps_its_layout() {
    use storage::{ClientId, FileSystem};
    let stripes = |n| LayoutRequest {
        components: vec![LayoutComponent { stripe_count: n, ..LayoutComponent::default() }],
        ..LayoutRequest::default()
    };
    let objects = |w: &World| w.fs.targets().iter().map(|t| t.objects).sum::<u64>();
    let mut w = world("layout = \"-c 2 -S 1M\"\n", 1);
    let old = |file| FileCall { file, size: 8 * MIB, flags: flag::EXISTS, ..call(Kind::Open) };
    w.run(0, &old(1));
    let of_default = objects(&w);
    w.fs.layout(ClientId(0), &stripes(8));
    w.run(0, &old(2));
    assert_eq!(objects(&w), of_default + 8);
    // It is known now.
    w.fs.layout(ClientId(0), &stripes(4));
    w.run(0, &old(2));
    w.run(0, &create(3));
    assert_eq!(objects(&w), of_default + 8 + 2);
    w.fs.layout(ClientId(0), &stripes(16));
    w.run(0, &create(4));
    assert_eq!(objects(&w), of_default + 8 + 2 + 16);
}

#[test]
fn a_full_target_refuses_data() {
    let mut w = world("ost_capacity = \"8 MB\"\ngrant_initial = \"2 MiB\"\n", 1);
    w.run(0, &create(1));
    let id = w.submit(0, &write(1, 0, 16 * MIB, 0));
    w.drain();
    assert!(w.record.completed.contains(&(id, 28)), "ENOSPC");
    let used: u64 = w.fs.targets()[..16].iter().map(|t| t.used).sum();
    assert!(used <= 8_000_000, "{used}");
}

#[test]
fn new_directories_near_the_root_take_mdts_in_turn() {
    use storage::Peer;
    for (levels, expected) in [(1, 2), (0, 1)] {
        let mut w = world(&format!("mkdir_levels = {levels}\n"), 1);
        for i in 0..4 {
            w.run(0, &FileCall { file: 10 + i, flags: flag::DIRECTORY, ..call(Kind::Mkdir) });
        }
        let from = w.record.sent.len();
        for i in 0..4 {
            w.run(0, &FileCall { parent: 10 + i, ..create(20 + i) });
        }
        let mut servers: Vec<u32> = w.record.sent[from..]
            .iter()
            .map(|r| match r.to {
                Peer::Server(s) => s.0,
                Peer::Client(c) => panic!("{c:?}"),
            })
            .collect();
        servers.sort_unstable();
        servers.dedup();
        assert_eq!(servers.len(), expected, "4 MDTs on 2 MDSs, {levels} levels");
    }
}

#[test]
fn an_operation_on_two_mdts_updates_the_second() {
    let mut w = world("mkdir_levels = 1\n", 1);
    // The root is on the first MDT, and the second directory on the second one.
    let mkdir = |file| FileCall { file, flags: flag::DIRECTORY, ..call(Kind::Mkdir) };
    assert_eq!(w.run(0, &mkdir(2)), ["mds_reint_create"]);
    assert_eq!(w.run(0, &mkdir(3)), ["mds_reint_create", "out_update"]);
    let rename = FileCall { file: 4, parent: 2, other: 3, ..named(Kind::Rename) };
    assert_eq!(w.run(0, &rename), ["mds_reint_rename", "out_update"]);
}

#[test]
fn waits_are_counted_by_cause() {
    let keys = "grant_initial = \"4 MiB\"\ndirty_limit = \"16 MiB\"\n";
    let mut w = world(keys, 2);
    w.run(0, &create(1));
    w.run(0, &write(1, 0, 64 * MIB, 0));
    w.run(1, &write(1, 0, MIB, 64 * MIB));
    let waits = w.fs.waits();
    assert!(waits.grant > 0, "{waits:?}");
    assert_eq!((waits.lock_conflicts, waits.precreation), (1, 0), "{waits:?}");
}

#[test]
fn the_oldest_clean_pages_leave_a_full_cache() {
    let keys = "brw_size = \"64 KiB\"\npage_cache = \"1 MB\"\nread_ahead_file = \"0 B\"\n\
                read_ahead_whole = \"0 B\"\n";
    let mut w = world(keys, 1);
    let size = 2 * MIB;
    for i in 0..16 {
        w.run(0, &read(1, i * MIB / 8, MIB / 8, size));
    }
    // 1 MiB fits: the second half is cached, the first is not.
    assert_eq!(w.run(0, &read(1, MIB, MIB, size)), [""; 0]);
    assert_eq!(w.run(0, &read(1, 0, MIB / 8, size)), ["ost_read"; 2]);
}

#[test]
fn sequential_reads_find_their_pages_loaded() {
    let mut w = world("", 1);
    let size = 64 * MIB;
    let mut waited = 0;
    for i in 0..64 {
        let names = w.run(0, &read(1, i * MIB, MIB, size));
        // A read of its own pages comes first, and read-ahead is whole RPCs.
        let own = data_rpcs(&w, w.record.sent.len() - names.len());
        waited += own.iter().filter(|b| **b == Bulk::Push(MIB)).count();
    }
    assert_eq!(w.bulk(0), size, "each byte once");
    assert_eq!(waited, 2, "the first two reads");
}

#[test]
fn new_directories_inherit_the_number_of_mdts() {
    use storage::{ClientId, FileSystem};
    let mut w = world("", 1);
    let directory = |kind, file, parent, flags| FileCall {
        file,
        parent,
        flags: flags | flag::DIRECTORY,
        ..call(kind)
    };
    w.run(0, &directory(Kind::Mkdir, 2, 0, 0));
    let request = LayoutRequest { mdt_count: u32::MAX, ..LayoutRequest::default() };
    w.fs.layout(ClientId(0), &request);
    w.run(0, &directory(Kind::SetLayout, 2, 0, flag::EXISTS));
    let from = w.record.sent.len();
    w.run(0, &directory(Kind::Mkdir, 3, 2, 0));
    assert_eq!(w.count(from, "out_update"), 3, "4 MDTs");
}

#[test]
fn a_file_is_described_by_its_objects_and_the_system_by_its_space() {
    use storage::{ClientId, FileSystem};
    let mut w = world("", 1);
    let three = LayoutComponent { end: MIB, first_ost: 15, stripe_count: 3, ..Default::default() };
    let rest = LayoutComponent { stripe_count: 2, ..Default::default() };
    let request = LayoutRequest { components: vec![three, rest], ..LayoutRequest::default() };
    w.fs.layout(ClientId(0), &request);
    w.run(0, &FileCall { file: 1, flags: 0, ..call(Kind::SetLayout) });
    let text = w.fs.describe(&FileCall { file: 1, ..named(Kind::GetLayout) }).expect("a file");
    let lines: Vec<Vec<(u32, u32)>> = text
        .split('\n')
        .map(|line| {
            let pairs = line.split_ascii_whitespace().map(|word| word.split_once(':'));
            pairs
                .map(|pair| pair.expect("a pair"))
                .map(|(ost, object)| (ost.parse().expect("an OST"), object.parse().expect("one")))
                .collect()
        })
        .collect();
    // OSTs are numbered from 0 after the last. The second component is not instantiated.
    let osts: Vec<u32> = lines[0].iter().map(|pair| pair.0).collect();
    assert_eq!(osts, [14, 15, 0]);
    assert_eq!(lines[1..], [vec![]]);
    w.run(0, &write(1, 0, MIB, 0));
    w.run(0, &sync(1));
    let usage = w.fs.describe(&named(Kind::StatFs)).expect("usage");
    let used: Vec<u64> = usage
        .split_ascii_whitespace()
        .map(|word| word.split_once(':').expect("a pair").1.parse().expect("bytes"))
        .collect();
    assert_eq!((used.len(), used.iter().sum::<u64>()), (16, MIB));
    assert_eq!(w.fs.describe(&named(Kind::Stat)), None);
}

/// All creates of a burst complete, although more of them wait than a batch of precreated objects
/// has.
#[test]
fn a_burst_of_creates_gets_several_batches() {
    let keys = "mds = 1\nmdts = 1\noss = 1\nosts = 1\nprecreate_min = 2\nprecreate_max = 2\n";
    let mut w = World::new(params(keys), 8, 1);
    let ids: Vec<CallId> = (0..24).map(|i| w.submit(i % 8, &create(i + 1))).collect();
    w.drain();
    for id in ids {
        assert!(w.record.completed.contains(&(id, 0)), "{id:?}");
    }
}

/// Two ranks of one node set layouts at the same time: each file has its own.
#[test]
fn simultaneous_layouts_of_a_node_do_not_mix() {
    use storage::{ClientId, FileSystem};
    let mut w = world("", 1);
    for (file, stripe_count) in [(1, 2), (2, 5)] {
        let component = LayoutComponent { stripe_count, ..LayoutComponent::default() };
        let request = LayoutRequest { components: vec![component], ..LayoutRequest::default() };
        w.fs.layout(ClientId(0), &request);
        w.submit(0, &FileCall { file, name: file.into(), flags: 0, ..call(Kind::SetLayout) });
    }
    w.drain();
    for (file, stripes) in [(1, 2), (2, 5)] {
        let what = FileCall { file, ..named(Kind::GetLayout) };
        let text = w.fs.describe(&what).expect("a file");
        assert_eq!(text.split_ascii_whitespace().count(), stripes, "file {file}: {text}");
    }
}

/// A directory without a name grants no locks. Calls on it and below it end all the same.
#[test]
fn calls_on_a_removed_directory_end() {
    use storage::{ClientId, FileSystem};
    let mut w = world("", 1);
    let directory = |kind| FileCall { file: 2, flags: flag::DIRECTORY, ..call(kind) };
    w.run(0, &directory(Kind::Mkdir));
    w.run(0, &FileCall { flags: flag::DIRECTORY | flag::EXISTS, ..directory(Kind::Rmdir) });
    w.fs.lookup(ClientId(0), 0, 2);
    let list = FileCall {
        flags: flag::DIRECTORY | flag::OPEN,
        bytes: 8,
        size: 1,
        ..directory(Kind::ReadDirectory)
    };
    let ids =
        [w.submit(0, &list), w.submit(0, &FileCall { parent: 2, file: 3, ..call(Kind::Stat) })];
    let steps = (0..1000).take_while(|&nth| w.random_step(1, nth)).count();
    assert!(steps < 1000, "an endless stream of requests");
    for id in ids {
        assert!(w.record.completed.iter().any(|(done, _)| *done == id), "{id:?}");
    }
}
