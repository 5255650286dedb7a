//! What fits, what exceeds a limit, and what is returned.

use super::*;

fn bounds(mode: MatchMode) -> Bounds {
    Bounds {
        tag: 524_287,
        context_ids: 2048,
        nic: Nic { match_engines: 2, match_entries: 10, portal_table: 20, command_queues: 4 },
        match_mode: mode,
        events: 40,
        events_unexpected: 6,
        events_fixed: 5,
        rendezvous: 3,
        optimized_regions: 4,
        table_fixed: 3,
        requests: 6,
    }
}
fn limits(mode: MatchMode, nics: &[u32]) -> Limits {
    Limits::new(bounds(mode), nics.iter().copied())
}
fn times(n: u32, mut what: impl FnMut() -> Verdict) {
    (0..n).for_each(|i| assert_eq!(what(), Verdict::Fits, "{i}"));
}

#[test]
fn the_bound_itself_fits_and_one_more_does_not() {
    let mut l = limits(MatchMode::Hardware, &[0]);
    assert_eq!(l.tag(0, 524_287), Verdict::Fits);
    assert_eq!(l.tag(0, 524_288), Verdict::Exceeded(Limit::Tag));
    assert_eq!(l.context(0, 2047), Verdict::Fits);
    assert_eq!(l.context(0, 2048), Verdict::Exceeded(Limit::Communicators));
    times(10, || l.post(0));
    assert_eq!(l.post(0), Verdict::Exceeded(Limit::MatchEntries));
    assert_eq!(l.request(0, 6), Verdict::Fits);
    assert_eq!(l.request(0, 7), Verdict::Exceeded(Limit::Requests));
    assert_eq!(l.high_water(Limit::Requests), HighWater { used: 7, rank: 0 });
    let mut l = limits(MatchMode::Hardware, &[0]);
    // 5 + 6 n <= 40 up to n = 5.
    times(5, || l.add_unexpected(0, 100));
    assert_eq!(l.add_unexpected(0, 100), Verdict::Exceeded(Limit::EventQueue));
    assert_eq!(l.high_water(Limit::EagerBuffers), HighWater { used: 600, rank: 0 });
    assert_eq!(
        (0..4).map(|_| l.claim_rendezvous(0)).collect::<Vec<_>>(),
        [true, true, true, false]
    );
    l.release_rendezvous_id(0);
    assert!(l.claim_rendezvous(0));
}

#[test]
fn ranks_of_one_engine_share_its_entries_and_others_do_not() {
    // Ranks 0 and 2 are on engine 0 of NIC 7, rank 1 is on its engine 1, rank 3 on another NIC.
    let mut l = limits(MatchMode::Hardware, &[7, 7, 7, 3]);
    times(6, || l.post(0));
    times(4, || l.post(2));
    assert_eq!(l.post(2), Verdict::Exceeded(Limit::MatchEntries));
    times(10, || l.post(1));
    times(10, || l.post(3));
    assert_eq!((l.ranks_on_engine(2), l.ranks_on_engine(1), l.ranks_on_engine(3)), (2, 1, 1));
    l.remove_posted(0);
    l.remove_posted(0);
    assert_eq!(l.post(2), Verdict::Fits);
}

/// Flow control frees the unexpected messages of the endpoint itself; an endpoint without any ends
/// the job.
#[test]
fn hardware_matching_continues_only_if_the_endpoint_frees_an_entry() {
    let wide = Bounds { events: UNLIMITED, ..bounds(MatchMode::Hardware) };
    let mut l = Limits::new(wide, [0, 0, 0].into_iter());
    times(7, || l.add_unexpected(0, 0));
    times(3, || l.post(2));
    // Rank 2 shares the engine and has only posted receives.
    let mut other = l.clone();
    assert_eq!(other.add_unexpected(2, 0), Verdict::Exceeded(Limit::MatchEntries));
    assert_eq!(l.add_unexpected(0, 0), Verdict::FlowControl { moved: 7 });
    assert_eq!(l.lists(0), (0, 1));
    (0..8).for_each(|_| l.take(0, 0));
    assert_eq!(l.lists(0), (0, 0));
    times(7, || l.post(0));
    assert_eq!(l.post(0), Verdict::Exceeded(Limit::MatchEntries));
}

#[test]
fn hybrid_matching_leaves_the_nic_once_and_returns_its_entries() {
    let wide = Bounds { events: UNLIMITED, ..bounds(MatchMode::Hybrid) };
    let mut l = Limits::new(wide, [0, 0, 0].into_iter());
    times(6, || l.post(0));
    times(4, || l.add_unexpected(0, 1));
    assert_eq!(l.post(0), Verdict::ToSoftware { moved: 10 });
    assert!(l.is_software(0) && !l.is_software(2));
    times(50, || l.add_unexpected(0, 1));
    (0..7).for_each(|_| l.remove_posted(0));
    (0..54).for_each(|_| l.take(0, 1));
    times(10, || l.post(2));
    assert_eq!(l.software_ranks(), 1);
}

/// Ranks 0 and 2 are on engine 0, which has 10 entries. Memory regions take entries like receives,
/// and no match mode moves them off the NIC.
#[test]
fn registered_memory_takes_the_entries_of_messages() {
    for mode in MatchMode::ALL {
        let mut l = Limits::new(bounds(mode), [0, 0, 0].into_iter());
        times(6, || l.register(0, false));
        times(4, || l.register(2, false));
        times(10, || l.register(1, false));
        assert_eq!(l.register(2, false), Verdict::Exceeded(Limit::Regions), "{mode:?}");
        assert_eq!(l.high_water(Limit::Regions), HighWater { used: 11, rank: 2 });
        assert_eq!((l.regions(0), l.regions(2)), ((6, 0), (5, 0)));
        let full = l.post(0);
        assert_eq!(
            full,
            match mode {
                MatchMode::Hardware => Verdict::Exceeded(Limit::MatchEntries),
                MatchMode::Hybrid => Verdict::ToSoftware { moved: 0 },
                MatchMode::Software => Verdict::Fits,
            }
        );
        l.remove_posted(0);
        // Nothing is returned that was not taken.
        (0..20).for_each(|_| l.deregister(0, true));
        l.deregister(2, false);
        times(6, || l.register(2, false));
        assert_eq!(l.register(2, false), Verdict::Exceeded(Limit::Regions), "{mode:?}");
    }
}

/// A message's temporary region is returned with it, and is not a region of the rank.
#[test]
fn a_temporary_region_takes_an_entry_while_it_lasts() {
    let mut l = limits(MatchMode::Hybrid, &[0, 0, 0]);
    times(4, || l.register(0, false));
    times(6, || l.register_temporary(2));
    assert_eq!(l.register_temporary(0), Verdict::Exceeded(Limit::Regions));
    assert_eq!((l.regions(0), l.regions(2), l.temporary_regions(2)), ((4, 0), (0, 0), 6));
    l.deregister_temporary(0);
    l.deregister_temporary(2);
    assert_eq!(l.register(2, false), Verdict::Fits);
    assert_eq!(l.register_temporary(2), Verdict::Exceeded(Limit::Regions));
}

/// A table of 20 entries: three per endpoint, and four optimized keys per rank.
#[test]
fn optimized_regions_take_table_entries_until_their_keys_are_used_up() {
    let mut l = limits(MatchMode::Hardware, &[0, 0, 0, 5]);
    assert_eq!(l.high_water(Limit::PortalTable), HighWater { used: 9, rank: 0 });
    assert_eq!(l.fixed(Limit::PortalTable), 9);
    // The fifth and sixth have no such key, and are ordinary regions.
    times(6, || l.register(0, true));
    times(4, || l.register(1, true));
    assert_eq!((l.regions(0), l.regions(1)), ((6, 4), (4, 4)));
    times(3, || l.register(2, true));
    assert_eq!(l.register(2, true), Verdict::Exceeded(Limit::PortalTable));
    l.deregister(2, true);
    l.deregister(1, true);
    assert_eq!(l.register(2, true), Verdict::Fits);
    assert_eq!(l.high_water(Limit::PortalTable), HighWater { used: 21, rank: 2 });
    // With FI_CXI_OPTIMIZED_MRS=0 there is no such key.
    let none = Bounds { optimized_regions: 0, ..bounds(MatchMode::Hardware) };
    let mut l = Limits::new(none, [0].into_iter());
    times(10, || l.register(0, true));
    assert_eq!(l.high_water(Limit::PortalTable).used, 3);
}

/// Four command queues, and a table of 20 entries of which each endpoint takes three.
#[test]
fn a_job_without_command_queue_or_table_entry_cannot_start() {
    let nic = |ranks: u32, command_queues: u64| {
        let b = bounds(MatchMode::Hardware);
        let b = Bounds { nic: Nic { command_queues, ..b.nic }, ..b };
        Limits::new(b, (0..ranks).map(|_| 7)).start()
    };
    assert_eq!((nic(4, 4), nic(5, 4)), (None, Some((0, Limit::CommandQueues))));
    assert_eq!((nic(6, 9), nic(7, 9)), (None, Some((0, Limit::PortalTable))));
    assert_eq!(
        Limits::new(bounds(MatchMode::Hardware).unlimited(), (0..9).map(|_| 7)).start(),
        None
    );
    // Two NICs have enough of both.
    assert_eq!(limits(MatchMode::Hardware, &[0, 1, 0, 1, 0, 1, 0, 1]).start(), None);
}

#[test]
fn without_limits_everything_fits_and_is_counted() {
    let mut l = Limits::new(bounds(MatchMode::Hardware).unlimited(), [0].into_iter());
    times(1000, || l.post(0));
    times(1000, || l.add_unexpected(0, 1));
    assert!((0..1000).all(|_| l.claim_rendezvous(0)));
    assert_eq!(l.high_water(Limit::MatchEntries).used, 2000);
    assert_eq!(l.high_water(Limit::EventQueue).used, 1000 + 6000 + 5);
    assert_eq!(l.high_water(Limit::RendezvousSends).used, 1000);
}
