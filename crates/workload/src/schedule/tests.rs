//! The graph as a workload, without a network: what is called when.

use super::*;

/// Completes every call in the order in which it was made, one per instant. Returns the calls as
/// (instant, rank, token).
fn play(schedule: Schedule) -> Vec<(u64, u32, Token)> {
    let mut dag = Dag::new(schedule);
    let mut calls = Vec::new();
    dag.start(&mut calls);
    let mut made = Vec::new();
    let mut open = VecDeque::new();
    for now in 0.. {
        for call in calls.drain(..) {
            made.push((now, call.rank, call.token));
            open.push_back(call);
        }
        let Some(call) = open.pop_front() else { break };
        let done = OpCompletion { rank: call.rank, token: call.token, ..OpCompletion::default() };
        dag.resume(Time(now + 1), &[done], &mut calls);
    }
    assert!(dag.is_finished());
    made
}

fn goal(rank: &str) -> Schedule {
    super::goal::read(format!("num_ranks 1\nrank 0 {{\n{rank}\n}}\n").as_bytes()).unwrap()
}

#[test]
fn a_step_waits_for_all_that_it_needs() {
    let made = play(goal("a: calc 0\nb: calc 0\nc: calc 0\nc requires a\nc requires b"));
    // Calls 0 and 1 complete at instants 1 and 2.
    assert_eq!(made, [(0, 0, 0), (0, 0, 1), (2, 0, 2)]);
}

#[test]
fn irequires_waits_for_the_begin_only() {
    // Call 0 marks the begin of `a`, call 1 is `a`, call 2 is `b`.
    let made = play(goal("a: calc 5\nb: calc 0\nb irequires a"));
    assert_eq!(made, [(0, 0, 0), (0, 0, 1), (1, 0, 2)]);
}

#[test]
fn communication_precedes_computation_that_becomes_ready_with_it() {
    let made = play(goal("calc 5\nsend 8b to 0\nrecv 8b from 0"));
    assert_eq!(made, [(0, 0, 1), (0, 0, 2), (0, 0, 0)]);
}

#[test]
fn steps_of_one_computing_thread_are_serialized() {
    // Calls 0 and 1 on one thread, call 2 on the other.
    let made = play(goal("calc 5 cpu 0\ncalc 5 cpu 0\ncalc 5 cpu 1"));
    assert_eq!(made, [(0, 0, 0), (0, 0, 2), (1, 0, 1)]);
}

#[test]
fn computation_is_scaled_unless_a_rank_computes_too_long() {
    let mut schedule = goal("calc 1000\nsend 8b to 0\nrecv 8b from 0");
    assert!(schedule.scale(2.5));
    assert_eq!(schedule.computed(), [Span::ns(2500)]);
    // 40 days each, one after the other on their rank's CPU.
    let mut several = goal("calc 1000\ncalc 1000\ncalc 1000\ncalc 1000\ncalc 1000\ncalc 1000");
    let forty_days = 40.0 * 86_400.0 / 1e-6;
    assert!(!several.scale(forty_days));
    assert_eq!(several.computed(), [Span::us(6)]);
    assert!(several.scale(forty_days / 6.0));
    assert!(!several.scale(f64::INFINITY));
}
