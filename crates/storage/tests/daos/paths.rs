//! Client paths: directory caches, daemon, page cache.

use base::Span;
use machine::storage::daos::{ClientPath, DaosParams};
use storage::{ClientId, FileSystem, Peer};
use workload::{FileCall, FileCallKind as Kind, file_flag};

use crate::driver::{Driver, FILE, ROOT, call, create, names, params, read, write};

const MIB: u64 = 1 << 20;
const EXISTS: u16 = file_flag::EXISTS;

fn on(client_path: ClientPath) -> DaosParams {
    DaosParams { client_path, ..params("S1") }
}

const CACHED: ClientPath = ClientPath::Dfuse { caching: true, write_back: true };
const WRITE_THROUGH: ClientPath = ClientPath::Dfuse { caching: true, write_back: false };
const UNCACHED: ClientPath = ClientPath::Dfuse { caching: false, write_back: false };

/// RPCs of an `open` of `FILE` in directory 5, which is in directory 4.
fn open(driver: &mut Driver, client: u32) -> Vec<(&'static str, usize)> {
    driver.daos.lookup(ClientId(client), ROOT, 4);
    driver.daos.lookup(ClientId(client), 4, 5);
    names(&driver.rpcs(client, &call(Kind::Open, FILE, 5, EXISTS)))
}

#[test]
fn a_process_keeps_directory_handles() {
    let mut driver = Driver::new(&on(ClientPath::Dfs));
    assert_eq!(open(&mut driver, 0), [("fetch", 3)]);
    assert_eq!(open(&mut driver, 0), [("fetch", 1)]);
    assert_eq!(open(&mut driver, 1), [("fetch", 3)]);
    driver.wait(Span::ms(3_600_000));
    assert_eq!(open(&mut driver, 0), [("fetch", 1)]);

    let mut driver = Driver::new(&on(ClientPath::Pil4dfs));
    let first = [("pool_connect", 1), ("cont_open", 1), ("fetch", 3)];
    assert_eq!(open(&mut driver, 0), first);
    assert_eq!(open(&mut driver, 0), [("fetch", 1)]);
    driver.wait(Span::ms(59_000));
    assert_eq!(open(&mut driver, 0), [("fetch", 1)]);
    driver.wait(Span::ms(1_000));
    assert_eq!(open(&mut driver, 0), [("fetch", 3)]);
    // A removed directory has no handle.
    let removed = call(Kind::Rmdir, 5, 4, EXISTS | file_flag::DIRECTORY);
    driver.rpcs(0, &removed);
    assert_eq!(open(&mut driver, 0), [("fetch", 2)]);
}

#[test]
fn the_first_call_of_a_process_initializes_the_library() {
    for (path, rpcs, seconds) in
        [(ClientPath::Dfs, 1, 0.0), (ClientPath::Pil4dfs, 3, 0.3), (ClientPath::Ioil, 1, 0.3)]
    {
        let mut driver = Driver::new(&on(path));
        driver.rpcs(0, &create(FILE));
        driver.rpcs(0, &call(Kind::Close, FILE, ROOT, file_flag::OPEN));
        let mut driver = Driver::new(&on(path));
        let first = driver.rpcs(0, &write(FILE, 0, 100));
        assert_eq!(first.len(), rpcs, "{path:?}");
        let init = driver.sink.occupied.seconds();
        assert!((seconds..seconds + 0.001).contains(&init), "{path:?}: {init}");
        assert_eq!(driver.rpcs(0, &write(FILE, 0, 100)).len(), 1, "{path:?}");
    }
}

#[test]
fn the_kernel_keeps_entries_and_attributes_for_a_second() {
    for path in [CACHED, WRITE_THROUGH, ClientPath::Ioil] {
        let mut driver = Driver::new(&on(path));
        // An entry, with the size of a file.
        assert_eq!(open(&mut driver, 0), [("fetch", 3), ("key_query", 1)]);
        // Processes of a node share the cache: clients 0 to 3.
        assert_eq!(open(&mut driver, 3), []);
        assert_eq!(driver.rpcs(1, &call(Kind::Stat, FILE, 5, EXISTS)).len(), 0);
        assert_eq!(open(&mut driver, 4), [("fetch", 3), ("key_query", 1)]);
        driver.wait(Span::ms(1_000));
        assert_eq!(open(&mut driver, 0), [("fetch", 3), ("key_query", 1)]);
    }
    let mut driver = Driver::new(&on(UNCACHED));
    assert_eq!(open(&mut driver, 0), [("fetch", 3), ("key_query", 1)]);
    assert_eq!(open(&mut driver, 0), [("fetch", 3), ("key_query", 1)]);
}

#[test]
fn the_daemon_of_a_node_sends_the_rpcs() {
    let from = |driver: &mut Driver, client: u32| {
        let what = FileCall { size: MIB, ..read(FILE, 0, MIB, MIB) };
        let rpcs = driver.rpcs(client, &FileCall { flags: what.flags | file_flag::DIRECT, ..what });
        rpcs[0].from
    };
    let mut driver = Driver::new(&on(CACHED));
    assert_eq!(from(&mut driver, 2), Peer::Client(ClientId(0)));
    assert_eq!(from(&mut driver, 6), Peer::Client(ClientId(4)));
    let mut driver = Driver::new(&on(ClientPath::Ioil));
    assert_eq!(from(&mut driver, 2), Peer::Client(ClientId(2)));
    let metadata = driver.rpcs(2, &call(Kind::Stat, FILE, ROOT, EXISTS));
    assert_eq!(metadata[0].from, Peer::Client(ClientId(0)));
}

#[test]
fn uncached_requests_have_a_mebibyte() {
    let mut params = on(UNCACHED);
    params.chunk_size = Some(64 * MIB);
    let mut driver = Driver::new(&params);
    let rpcs = driver.rpcs(0, &write(FILE, MIB / 2, 10 * MIB));
    assert_eq!(rpcs.len(), 10);
    // The process waits for each.
    driver.submit(0, &read(FILE, 0, 4 * MIB, 11 * MIB));
    let mut most = 0;
    while driver.step() || driver.fire() {
        most = most.max(driver.sink.in_flight.len());
    }
    assert_eq!(most, 1);
}

#[test]
fn write_back_data_is_written_on_close_sync_and_with_age() {
    let mut params = on(CACHED);
    params.chunk_size = Some(64 * MIB);
    let end = |kind| call(kind, FILE, ROOT, file_flag::OPEN);
    for kind in [Kind::Close, Kind::Sync, Kind::SyncAll] {
        let mut driver = Driver::new(&params);
        for nth in 0..40 {
            assert_eq!(driver.rpcs(0, &write(FILE, nth * MIB / 4, MIB / 4)).len(), 0);
        }
        // Ten requests of 1 MiB, not 40 of 256 KiB.
        assert_eq!(names(&driver.rpcs(1, &end(kind))), [("update", 10)], "{kind:?}");
        assert_eq!(driver.rpcs(1, &end(kind)).len(), 0);
    }
    let mut driver = Driver::new(&params);
    driver.rpcs(0, &write(FILE, 0, MIB));
    assert_eq!(names(&driver.drain()), [("update", 1)]);
    // O_SYNC does not wait for the age.
    let what = write(FILE, 0, MIB);
    let what = FileCall { flags: what.flags | file_flag::SYNC, ..what };
    assert_eq!(driver.rpcs(0, &what).len(), 1);
}

#[test]
fn writers_wait_while_a_node_has_too_much_modified_data() {
    let mut params = on(CACHED);
    params.dfuse.dirty_bytes = 8 * MIB;
    let mut driver = Driver::new(&params);
    let mut written = 0;
    for nth in 0..64 {
        let file = FILE + nth as u32 % 3;
        written += driver.rpcs(nth as u32 % 4, &write(file, nth * MIB, MIB)).len();
    }
    assert!(written >= 64 - 9, "{written}");
    assert_eq!(written + driver.drain().len(), 64);
}

#[test]
fn reads_fill_the_page_cache_of_a_node() {
    let mut params = on(CACHED);
    params.chunk_size = Some(64 * MIB);
    let mut driver = Driver::new(&params);
    driver.rpcs(0, &FileCall { size: 64 * MIB, ..call(Kind::Stat, FILE, ROOT, EXISTS) });
    let reads = |driver: &mut Driver, client: u32, offset: u64, bytes: u64, size: u64| {
        driver.rpcs(client, &read(FILE, offset, bytes, size)).len()
    };
    // Sequential reads are extended to a whole request: eight of 128 KiB need one.
    let small: usize = (0..16).map(|i| reads(&mut driver, 0, i * MIB / 8, MIB / 8, 64 * MIB)).sum();
    assert_eq!(small, 2);
    assert_eq!(reads(&mut driver, 3, 0, 2 * MIB, 64 * MIB), 0);
    // Another node.
    assert_eq!(reads(&mut driver, 4, 0, 2 * MIB, 64 * MIB), 2);
    // Not sequential: only what is requested.
    assert_eq!(reads(&mut driver, 0, 32 * MIB, 4_096, 64 * MIB), 1);
    assert_eq!(reads(&mut driver, 0, 33 * MIB, 4_096, 64 * MIB), 1);
    // After ten minutes the data is read again.
    driver.wait(Span::ms(600_000));
    assert_eq!(reads(&mut driver, 0, 0, 2 * MIB, 64 * MIB), 2);

    // A small file is read whole.
    let mut driver = Driver::new(&params);
    driver.rpcs(0, &FileCall { size: 4 * MIB, ..call(Kind::Stat, FILE, ROOT, EXISTS) });
    assert_eq!(reads(&mut driver, 0, 2 * MIB, 100, 4 * MIB), 4);
    assert_eq!(reads(&mut driver, 1, 0, 4 * MIB, 4 * MIB), 0);
    // O_DIRECT does not use the cache.
    let what = read(FILE, 0, MIB, 4 * MIB);
    let what = FileCall { flags: what.flags | file_flag::DIRECT, ..what };
    assert_eq!(driver.rpcs(0, &what).len(), 1);
}

#[test]
fn own_writes_are_in_the_page_cache() {
    for path in [CACHED, WRITE_THROUGH] {
        let mut driver = Driver::new(&on(path));
        driver.rpcs(0, &create(FILE));
        driver.rpcs(0, &write(FILE, 0, MIB));
        assert_eq!(driver.rpcs(1, &read(FILE, 0, MIB, MIB)).len(), 0, "{path:?}");
    }
}
