//! Tests of the queue's order, bucket adaptation and prefetch blocks.

use super::*;
use crate::Phase;
use base::{Span, draw};
use std::collections::BTreeMap;

/// The hold model against a sorted map: pop one event, push some later ones.
#[test]
fn pops_by_time_then_order_then_as_pushed() {
    for seed in 0..40 {
        let mut queue = Queue::new();
        if seed % 2 == 1 {
            queue.enable_prefetch();
        }
        let mut sorted = BTreeMap::new();
        let mut nth = 0u32;
        let mut push = |queue: &mut Queue, sorted: &mut BTreeMap<_, EventCode>, now: Time| {
            nth += 1;
            let r = draw(seed, 0, 0, u64::from(nth));
            let reach = [1, 2, 1_000, 1_000_000, 1 << 45][r as usize % 5];
            let at = now + Span(1 + (r >> 8) % reach);
            let phase = [Phase::Arrive, Phase::Decide, Phase::Resume][(r >> 40) as usize % 3];
            let code = EventCode::new(phase, (r >> 44) as u8 % 8, (r >> 50) as u32 % 3, nth);
            queue.push(at, code);
            sorted.insert((at, code.order(), nth), code);
        };
        for _ in 0..200 {
            push(&mut queue, &mut sorted, Time(0));
        }
        let mut last = Time(0);
        for step in 0..5_000u64 {
            // An `end` may be followed by earlier events.
            if step % 8 == 0 {
                assert_eq!(queue.pop_before(last), None);
                let first = sorted.first_key_value().map_or(last, |(key, _)| key.0);
                assert_eq!(queue.pop_before(first), None);
                push(&mut queue, &mut sorted, last);
                push(&mut queue, &mut sorted, last);
            }
            // The bound improves with each `pop_before`, until it is exact.
            let first = sorted.first_key_value().map_or(Time(u64::MAX), |(key, _)| key.0);
            let (mut bound, mut looks) = (queue.earliest_bound(), 0);
            while bound < first {
                assert_eq!(queue.pop_before(bound + Span(1)), None);
                let (before, now) = (bound, queue.earliest_bound());
                assert!(now >= before && looks < 12, "seed {seed}, step {step}: {now:?}");
                (bound, looks) = (now, looks + 1);
            }
            assert_eq!(bound, first);
            let end = Time(draw(seed, 2, 0, step) % (1 << 46));
            let first = sorted.first_key_value().map(|(key, &code)| (key.0, code));
            assert_eq!(
                queue.pop_before(end),
                first.filter(|f| f.0 < end).inspect(|_| {
                    sorted.pop_first();
                })
            );
            let got = queue.pop();
            assert_eq!(got, sorted.pop_first().map(|(key, code)| (key.0, code)));
            let Some((now, _)) = got else { break };
            last = now;
            let next = sorted.first_key_value().map(|(key, _)| key.0);
            assert_eq!(queue.next_is_now(), next == Some(now));
            assert_eq!(queue.len(), sorted.len());
            for _ in 0..draw(seed, 1, 0, step) % 5 {
                push(&mut queue, &mut sorted, now);
            }
        }
    }
}

#[test]
fn late_events_keep_the_push_order() {
    let mut queue = Queue::new();
    queue.n_late = u32::MAX;
    for nth in 0..4 {
        queue.push(Time(5), EventCode::new(Phase::Arrive, 0, 0, nth));
        queue.push(Time(7), EventCode::new(Phase::Arrive, 0, 0, nth + 4));
    }
    let popped_arg = |queue: &mut Queue| queue.pop().map(|(_, code)| code.arg());
    assert_eq!(popped_arg(&mut queue), Some(0));
    for nth in 8..12 {
        queue.push(Time(7), EventCode::new(Phase::Arrive, 0, 0, nth));
    }
    for nth in 1..12 {
        assert_eq!(popped_arg(&mut queue), Some(nth));
    }
}

/// More events in one instant than a sort key can number.
#[test]
fn more_events_than_a_sort_key_can_number() {
    let mut queue = Queue::new();
    let n = (1 << INDEX_BITS) + 1_000;
    for nth in 0..n {
        queue.push(Time(5 + u64::from(nth % 2)), EventCode::new(Phase::Decide, 0, nth % 3, nth));
    }
    let mut want: Vec<u32> = (0..n).collect();
    want.sort_by_key(|nth| (nth % 2, nth % 3));
    assert_eq!(queue.ahead(n as usize - 1).map(EventCode::arg), None, "nothing is known yet");
    for want in want {
        assert_eq!(queue.pop().map(|(_, code)| code.arg()), Some(want));
    }
    assert!(queue.pop().is_none() && queue.is_empty());
}

/// Dense, then sparse, then dense: the bucket width changes, the order does not.
#[test]
fn bucket_width_follows_event_density() {
    let mut queue = Queue::new();
    let (mut now, mut nth, mut widths) = (0, 0u32, Vec::new());
    for (events, gap) in [(2_000_000u32, 1), (100_000, 50_000_000), (2_000_000, 1)] {
        for _ in 0..3_000 {
            nth += 1;
            queue.push(Time(now + u64::from(nth) % 777), EventCode::new(Phase::Arrive, 0, 0, nth));
        }
        let (mut at, mut last) = (Time(now), 0);
        for _ in 0..events {
            let (time, code) = queue.pop().expect("as many are pushed as popped");
            assert!(time > at || time == at && code.arg() > last, "{time}: out of order");
            (at, last) = (time, code.arg());
            nth += 1;
            let later = Span(1 + draw(8, 0, 0, nth.into()) % (2_000 * gap));
            queue.push(time + later, EventCode::new(Phase::Arrive, 0, 0, nth));
        }
        widths.push(queue.width);
        while let Some((time, _)) = queue.pop() {
            now = time.0;
        }
    }
    assert!(widths[0] < widths[1] && widths[2] < widths[1], "{widths:?}");
}

/// Whatever the window positions, an event that waits at most a window is never placed far.
#[test]
fn waits_within_a_window_are_placed_once() {
    let mut queue = Queue::new();
    let window = 1 << (queue.width + WINDOW);
    let wait = |nth: u32| Span(1 + draw(5, 0, 0, nth.into()) % (window - 1));
    for nth in 0..200 {
        queue.push(Time::ZERO + wait(nth), EventCode::new(Phase::Arrive, 0, 0, nth));
    }
    for nth in 200..RESIZE_INTERVAL {
        let (now, _) = queue.pop().expect("as many are pushed as popped");
        queue.push(now + wait(nth), EventCode::new(Phase::Arrive, 0, 0, nth));
    }
    assert!(queue.last > 4 * window && queue.far_pushed == 0, "{}", queue.far_pushed);
}

/// Enough events for short windows, with waiting times of every size.
#[test]
fn a_queue_larger_than_the_caches_keeps_the_order() {
    let mut queue = Queue::new();
    let wait = |nth: u32| {
        let random = draw(6, 0, 0, nth.into());
        Span(1 + (random >> 8) % [40, 5_000, 700_000, 40_000_000][random as usize % 4])
    };
    let mut nth = 0u32;
    let mut push = |queue: &mut Queue, now: Time| {
        nth += 1;
        queue.push(now + wait(nth), EventCode::new(Phase::Arrive, 0, 0, nth));
        (now + wait(nth), nth)
    };
    let mut sorted = std::collections::BTreeSet::new();
    for _ in 0..LARGE_QUEUE + 5_000 {
        sorted.insert(push(&mut queue, Time::ZERO));
    }
    for _ in 0..400_000 {
        let popped_arg = queue.pop().map(|(at, code)| (at, code.arg()));
        assert_eq!(popped_arg, sorted.pop_first());
        sorted.insert(push(&mut queue, popped_arg.expect("as many come as go").0));
    }
    assert_eq!(queue.window, SHORT_WINDOW);
    while let Some((at, code)) = queue.pop() {
        assert_eq!(Some((at, code.arg())), sorted.pop_first());
    }
    assert!(sorted.is_empty());
}

/// Each event is in at most one block, before it is handled, in the order of handling.
#[test]
fn prefetch_blocks_list_each_event_once() {
    let mut queue = Queue::new();
    queue.enable_prefetch();
    for nth in 0..3_000 {
        let at = Time(draw(9, 0, 0, nth) % 3_000_000);
        queue.push(at, EventCode::new(Phase::Arrive, 0, 0, nth as u32));
    }
    let (mut prefetched_end, mut popped_arg) = (Vec::new(), Vec::new());
    for nth in 3_000..30_000 {
        if let Some(block) = queue.next_prefetch_block() {
            prefetched_end.extend(block.iter().map(|item| item.code.arg()));
        }
        let (now, code) = queue.pop().expect("as many come as go");
        popped_arg.push(code.arg());
        let later = Span(400_000 + draw(9, 1, 0, nth) % 3_000_000);
        queue.push(now + later, EventCode::new(Phase::Arrive, 0, 0, nth as u32));
    }
    let first =
        popped_arg.iter().position(|&arg| arg == prefetched_end[0]).expect("what is seen comes");
    // Events pushed for an opened bucket are in no block.
    let mut of_seen = prefetched_end.iter().peekable();
    let n_seen =
        popped_arg[first..].iter().filter(|&arg| of_seen.next_if_eq(&arg).is_some()).count();
    assert!(n_seen * 100 > popped_arg.len() * 98, "{n_seen} of {}", popped_arg.len());
    assert!(
        of_seen.len() <= (PREFETCH_STAGES + 1) * PREFETCH_BLOCK,
        "they come in the order in which they are seen"
    );
}

#[test]
fn ahead_matches_the_pop_order() {
    let mut queue = Queue::new();
    for nth in 0..100 {
        queue.push(Time(draw(3, 0, 0, nth) % 900), EventCode::new(Phase::Arrive, 1, 7, nth as u32));
    }
    queue.pop();
    let ahead: Vec<_> = (0..99).map(|n| queue.ahead(n).unwrap()).collect();
    let popped_arg: Vec<_> = std::iter::from_fn(|| queue.pop().map(|p| p.1)).collect();
    assert_eq!(ahead, popped_arg);
}

#[test]
fn memory_stays_at_the_peak_length() {
    let mut queue = Queue::new();
    let mut held = 0;
    for round in 0..50u64 {
        let now = round << 30;
        for n in 0..3_000 {
            let at = Time(now + draw(4, 0, 0, n) % (1 << 30));
            queue.push(at, EventCode::new(Phase::Decide, 0, 0, n as u32));
        }
        while queue.pop().is_some() {}
        assert!(round < 10 || queue.bytes() == held, "round {round}");
        held = queue.bytes();
    }
}

#[test]
#[should_panic(expected = "scheduled in the past")]
fn refuses_the_past() {
    let mut queue = Queue::new();
    queue.push(Time(10), EventCode::new(Phase::Arrive, 0, 0, 0));
    queue.pop();
    queue.push(Time(9), EventCode::new(Phase::Arrive, 0, 0, 0));
}
