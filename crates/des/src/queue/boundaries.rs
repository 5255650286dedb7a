//! Tests of the queue at the ends of its windows and of time.

use base::Time;

use super::{Queue, SHORT_WINDOW, WINDOW};
use crate::{EventCode, Phase};

/// At the end of the near windows, beyond it, and at the end of time, from several starts: the
/// order is that of a sorted list.
#[test]
fn window_boundaries_keep_the_order() {
    check_boundaries(WINDOW);
    check_boundaries(SHORT_WINDOW);
}

fn check_boundaries(of_buckets: u32) {
    const NEVER: u64 = u64::MAX;
    let window = 1 << (10 + of_buckets);
    let starts = [
        [0, 1, window - 1, window, 2 * window - 1, 2 * window],
        [1 << 60, (64 << 40) - 1, NEVER / 2, NEVER / 2 + 1, NEVER - 4 * window, NEVER - 9],
        [3, 2, 1, 0, 5 * window, window / 2].map(|less| NEVER - window - less),
        [2, 1, 0, window - 1, window, window / 2].map(|less| NEVER - 2 * window - less),
    ];
    for start in starts.concat() {
        let mut queue = Queue::new();
        if of_buckets == SHORT_WINDOW {
            queue.enable_prefetch();
            queue.rebuild(10, SHORT_WINDOW);
        }
        assert_eq!((queue.width, queue.window), (10, of_buckets), "the table is of such windows");
        let (mut sorted, mut nth, mut now) = (Vec::new(), 0, start);
        queue.push(Time(start), EventCode::new(Phase::Arrive, 0, 0, nth));
        assert_eq!(queue.pop().map(|(at, _)| at.0), Some(start));
        for round in 0..12 {
            let last = queue.near_last;
            let near = [last - window - 1, last - window, last - window + 1, last - 1, last];
            let far = [1, 2, window, window + 1].map(|more| last.saturating_add(more));
            let end = [NEVER - 1, NEVER - 2, NEVER - window, NEVER - window - 1];
            let all = [&near[..], &far, &end].concat();
            for at in all.into_iter().filter(|&at| at >= now && at < NEVER) {
                for source in [1, 0] {
                    nth += 1;
                    let code = EventCode::new(Phase::Decide, 0, source, nth);
                    queue.push(Time(at), code);
                    sorted.push((at, code.order(), nth));
                }
            }
            sorted.sort_unstable();
            let n = if round == 11 { sorted.len() } else { sorted.len().min(7) };
            for want in sorted.drain(..n) {
                let got = queue.pop().map(|(at, code)| (at.0, code.order(), code.arg()));
                assert_eq!(got, Some(want), "from {start}, in round {round}");
                now = want.0;
            }
            assert_eq!(queue.len(), sorted.len());
        }
        assert_eq!(queue.pop(), None);
    }
}
