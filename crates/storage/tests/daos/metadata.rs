//! RPCs of each metadata call.

use machine::storage::daos::{DaosParams, ObjectClass};
use storage::{ClientId, FileSystem, Peer, Rpc};
use workload::{FileCall, FileCallKind as Kind, FileId, LayoutRequest, file_flag};

use crate::driver::{Driver, FILE, ROOT, call, create, names, params, write};

const EXISTS: u16 = file_flag::EXISTS;

/// Files of class `file`, directories of class `directory`.
fn container(file: &str, directory: &str) -> DaosParams {
    let directory_class = ObjectClass::parse(directory);
    DaosParams { directory_class, ..params(file) }
}

/// Names and numbers of the RPCs of a call, after `FILE` has been created and written.
fn of(params: &DaosParams, what: FileCall) -> Vec<(&'static str, usize)> {
    let mut driver = Driver::new(params);
    driver.rpcs(0, &create(FILE));
    driver.rpcs(0, &write(FILE, 0, 4_096));
    names(&driver.rpcs(0, &what))
}

#[test]
fn calls_on_one_target_are_those_of_the_table() {
    let params = container("S1", "S1");
    let open = |flags| call(Kind::Open, FILE, ROOT, flags);
    let new = |kind| call(kind, 7, ROOT, 0);
    let old = |kind| FileCall { size: 4_096, ..call(kind, FILE, ROOT, EXISTS) };
    let directory = |kind| call(kind, 7, ROOT, EXISTS | file_flag::DIRECTORY);
    let (fetch, update) = (("fetch", 1), ("update", 1));
    let (query, list) = (("key_query", 1), ("dkey_enum", 1));
    let (punch, punch_key) = (("obj_punch", 1), ("dkey_punch", 1));
    let rows: Vec<(FileCall, Vec<(&str, usize)>)> = vec![
        (call(Kind::Open, 7, ROOT, file_flag::CREATE), vec![update]),
        (open(file_flag::CREATE | EXISTS), vec![update, fetch]),
        (open(file_flag::CREATE | EXISTS | file_flag::EXCLUSIVE), vec![update]),
        (open(EXISTS), vec![fetch]),
        (call(Kind::Open, 7, ROOT, 0), vec![fetch]),
        (
            FileCall { size: 4_096, ..open(EXISTS | file_flag::TRUNCATE) },
            vec![fetch, list, punch_key],
        ),
        (open(EXISTS | file_flag::TRUNCATE), vec![fetch, list]),
        (old(Kind::Stat), vec![fetch, query]),
        (new(Kind::Stat), vec![fetch]),
        (call(Kind::Stat, FILE, ROOT, file_flag::OPEN), vec![fetch, query]),
        (directory(Kind::Stat), vec![fetch]),
        (old(Kind::Unlink), vec![fetch, punch, punch_key]),
        (new(Kind::Unlink), vec![fetch]),
        (new(Kind::Mkdir), vec![update]),
        (directory(Kind::Rmdir), vec![fetch, list, punch, punch_key]),
        (FileCall { size: 3, ..directory(Kind::Rmdir) }, vec![fetch, list]),
        (old(Kind::Rename), vec![("fetch", 2), update, punch_key]),
        (new(Kind::Symlink), vec![update]),
        (old(Kind::ReadLink), vec![fetch]),
        (old(Kind::SetAttributes), vec![fetch, update]),
        (old(Kind::GetXattr), vec![fetch]),
        (old(Kind::SetXattr), vec![update]),
        (
            FileCall { size: 4_096, ..call(Kind::Truncate, FILE, ROOT, file_flag::OPEN) },
            vec![list, punch_key],
        ),
        (
            FileCall { bytes: 9 << 20, ..call(Kind::Truncate, FILE, ROOT, file_flag::OPEN) },
            vec![list, update],
        ),
        (call(Kind::Close, FILE, ROOT, file_flag::OPEN), vec![]),
        (call(Kind::Sync, FILE, ROOT, file_flag::OPEN), vec![]),
        (call(Kind::SyncAll, FILE, ROOT, 0), vec![]),
        // The pool service, and 40 engines.
        (call(Kind::StatFs, FILE, ROOT, EXISTS), vec![("pool_query", 41)]),
    ];
    for (what, expected) in rows {
        assert_eq!(of(&params, what), expected, "{what:?}");
    }
}

#[test]
fn replicated_directories_forward_updates_and_punches() {
    let params = container("RP_3G1", "RP_3G1");
    let new = call(Kind::Open, 7, ROOT, file_flag::CREATE);
    assert_eq!(of(&params, new), [("update", 1), ("tgt_update", 2)]);
    let remove = call(Kind::Unlink, FILE, ROOT, EXISTS);
    let expected = [
        ("fetch", 1),
        ("obj_punch", 1),
        ("tgt_punch", 2),
        ("dkey_punch", 1),
        ("tgt_dkey_punch", 2),
    ];
    assert_eq!(of(&params, remove), expected);
}

/// An insertion that fails changes nothing, so nothing is to be committed.
#[test]
fn only_changes_are_committed() {
    let mut driver = Driver::new(&container("S1", "RP_2G1"));
    driver.rpcs(0, &create(FILE));
    assert_eq!(driver.daos.unfinished().0, 1);
    driver.drain();
    driver.rpcs(0, &call(Kind::Open, FILE, ROOT, file_flag::CREATE | EXISTS));
    assert_eq!(driver.daos.unfinished().0, 0);
}

#[test]
fn sizes_are_queried_per_group_or_by_a_tree() {
    let stat = call(Kind::Stat, FILE, ROOT, EXISTS);
    for (class, query) in [
        ("S20", ("key_query", 20)),
        ("RP_2G10", ("key_query", 10)),
        ("EC_16P2G1", ("key_query", 1)),
    ] {
        assert_eq!(of(&container(class, "S1"), stat), [("fetch", 1), query], "{class}");
    }
    // 608 shards are on all 40 engines. One of 21 shards per engine, on 21 different nodes.
    assert_eq!(of(&container("SX", "S1"), stat), [("fetch", 1), ("obj_coll_query", 40)]);
    let mut params = container("S21", "S1");
    params.engines = 1;
    let mut driver = Driver::on(&params, 30);
    driver.rpcs(0, &create(FILE));
    assert_eq!(names(&driver.rpcs(0, &stat)), [("fetch", 1), ("obj_coll_query", 21)]);
    let remove = call(Kind::Unlink, FILE, ROOT, EXISTS);
    let expected = [("fetch", 1), ("obj_coll_punch", 21), ("dkey_punch", 1)];
    assert_eq!(names(&driver.rpcs(0, &remove)), expected);
}

/// Every engine gets a collective once, and none has more than 20 children.
#[test]
fn collectives_are_trees() {
    let mut driver = Driver::on(&container("SX", "S1"), 300);
    driver.rpcs(0, &create(FILE));
    for client in 0..3 {
        let rpcs = driver.rpcs(client, &call(Kind::Stat, FILE, ROOT, EXISTS));
        let tree: Vec<Rpc> = rpcs[1..].to_vec();
        let target = |peer: Peer| match peer {
            Peer::Server(server) => Some(server.0 / 16),
            Peer::Client(_) => None,
        };
        let mut engines: Vec<u32> = tree.iter().filter_map(|rpc| target(rpc.to)).collect();
        engines.sort_unstable();
        assert_eq!(engines, (0..600).collect::<Vec<u32>>());
        assert_eq!(target(tree[0].from), None);
        for parent in 0..600 {
            let children = tree.iter().filter(|rpc| target(rpc.from) == Some(parent)).count();
            assert!(children <= 20, "{children} children");
        }
        // Three levels: 1 + 20 + 400 engines are not enough for 600.
        let depth = |mut rpc: Rpc| {
            let mut depth = 1;
            while let Some(parent) = tree.iter().find(|p| p.to == rpc.from) {
                (rpc, depth) = (*parent, depth + 1);
            }
            depth
        };
        assert_eq!(tree.iter().map(|rpc| depth(*rpc)).max(), Some(4));
    }
}

#[test]
fn a_directory_is_listed_by_96_entries_and_group() {
    let list = |class: &str, size: u64, offset: u64, bytes: u64| {
        let mut driver = Driver::new(&container("S1", class));
        driver.rpcs(0, &call(Kind::Mkdir, 7, ROOT, 0));
        let what = FileCall {
            size,
            offset,
            bytes,
            ..call(Kind::ReadDirectory, 7, ROOT, file_flag::OPEN | file_flag::DIRECTORY)
        };
        driver.rpcs(0, &what).len()
    };
    for (size, rpcs) in [(0, 1), (1, 1), (96, 1), (97, 2), (960, 10)] {
        assert_eq!(list("S1", size, 0, 1_000_000), rpcs, "{size} entries");
    }
    // 32 groups of 30 entries each: one RPC per group. Also if they are empty.
    assert_eq!(list("S32", 960, 0, 1_000_000), 32);
    assert_eq!(list("S32", 0, 0, 1_000_000), 32);
    // Calls that get 100 entries each send the same RPCs in total.
    let parts: usize = (0..11).map(|nth| list("S2", 1_000, nth * 100, 100)).sum();
    assert_eq!(parts, list("S2", 1_000, 0, 1_000_000));
    assert_eq!(parts, 2 * 6);
}

#[test]
fn truncation_punches_the_chunks_after_the_end() {
    let mut driver = Driver::new(&container("S1", "S1"));
    driver.rpcs(0, &create(FILE));
    driver.rpcs(0, &write(FILE, 0, 10 << 20));
    let truncate =
        |bytes, size| FileCall { bytes, size, ..call(Kind::Truncate, FILE, ROOT, file_flag::OPEN) };
    // Chunks 4 to 9, the first of them in part.
    let rpcs = driver.rpcs(0, &truncate((4 << 20) + 1, 10 << 20));
    assert_eq!(names(&rpcs), [("dkey_enum", 1), ("dkey_punch", 6)]);
    let read = crate::driver::read(FILE, 0, 10 << 20, (4 << 20) + 1);
    let pushed: u64 = driver
        .rpcs(0, &read)
        .iter()
        .map(|rpc| match rpc.bulk {
            storage::Bulk::Push(bytes) => bytes,
            _ => 0,
        })
        .sum();
    assert_eq!(pushed, (4 << 20) + 1);
}

#[test]
fn what_daos_does_not_have_is_refused() {
    let mut driver = Driver::new(&container("S1", "S1"));
    for kind in [Kind::Link, Kind::Allocate, Kind::Lock] {
        let (error, rpcs) = driver.run(0, &call(kind, FILE, ROOT, EXISTS));
        assert_eq!((error, rpcs.len()), (95, 0), "{kind:?}");
    }
}

/// A layout that a user sets.
fn request(class: &str, directory: &str, chunk_size: u64) -> LayoutRequest {
    LayoutRequest {
        object_class: class.to_string(),
        directory_class: directory.to_string(),
        chunk_size,
        ..LayoutRequest::default()
    }
}

#[test]
fn layouts_of_directories_are_inherited() {
    let mut driver = Driver::new(&container("S1", "S1"));
    let directory: FileId = 7;
    driver.rpcs(0, &call(Kind::Mkdir, directory, ROOT, 0));
    let class = |driver: &mut Driver, file: FileId, parent: FileId, kind: Kind| {
        driver.rpcs(0, &call(kind, file, parent, file_flag::CREATE));
        let layout = driver.daos.class_of(file);
        (layout.group_size, layout.groups)
    };
    assert_eq!(class(&mut driver, 8, directory, Kind::Open), (1, 1));
    driver.daos.layout(ClientId(0), &request("EC_4P2G3", "RP_2G4", 0));
    let set = call(Kind::SetLayout, directory, ROOT, EXISTS | file_flag::DIRECTORY);
    assert_eq!(names(&driver.rpcs(0, &set)), [("update", 1)]);
    assert_eq!(class(&mut driver, 9, directory, Kind::Open), (6, 3));
    assert_eq!(class(&mut driver, 10, directory, Kind::Mkdir), (2, 4));
    // Also by directories in it.
    assert_eq!(class(&mut driver, 11, 10, Kind::Open), (6, 3));
    assert_eq!(class(&mut driver, 12, ROOT, Kind::Open), (1, 1));
    assert_eq!(driver.daos.class_of(8).group_size, 1);
}

#[test]
fn layouts_that_do_not_exist_are_refused() {
    let mut driver = Driver::new(&container("S1", "S1"));
    driver.rpcs(0, &create(FILE));
    let set = call(Kind::SetLayout, FILE, ROOT, EXISTS);
    for class in ["S999", "EC_3P1G1", "RP_24G1", "x"] {
        driver.daos.layout(ClientId(0), &request(class, "", 0));
        assert_eq!(driver.run(0, &set).0, 22, "{class}");
    }
    driver.daos.layout(ClientId(0), &request("RP_2G1", "", 4 << 20));
    assert_eq!(driver.run(0, &set).0, 0);
    assert_eq!(driver.rpcs(0, &write(FILE, 0, 4 << 20)).len(), 2);
    // It has data.
    driver.daos.layout(ClientId(0), &request("S2", "", 0));
    assert_eq!(driver.run(0, &set).0, 22);
}

/// The layout before another call than `SetLayout` is that of a file from before the run, or of a
/// new file.
#[test]
fn files_from_before_the_run_keep_their_layouts() {
    let mut driver = Driver::new(&container("S1", "S1"));
    let mut open = |file: FileId, class: &str, flags: u16| {
        if !class.is_empty() {
            driver.daos.layout(ClientId(0), &request(class, "", 0));
        }
        driver.rpcs(0, &FileCall { size: 4 << 20, ..call(Kind::Open, file, ROOT, flags) });
        let layout = driver.daos.class_of(file);
        (layout.group_size, layout.groups)
    };
    assert_eq!(open(7, "", EXISTS), (1, 1));
    assert_eq!(open(8, "EC_4P2G3", EXISTS), (6, 3));
    // It is known now.
    assert_eq!(open(8, "S2", EXISTS), (6, 3));
    assert_eq!(open(9, "RP_2G4", file_flag::CREATE), (2, 4));
    assert_eq!(open(10, "", file_flag::CREATE), (1, 1));
    // A class that this pool does not have.
    assert_eq!(open(11, "S999", EXISTS), (1, 1));
}
