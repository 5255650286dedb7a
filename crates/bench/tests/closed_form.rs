//! The closed-form benchmark sends the expected number of messages.

use bench::closed_form::dissemination;

/// A dissemination barrier of n ranks is ceil(log2 n) rounds of n messages (Hensgen, Finkel and
/// Manber 1988).
#[test]
fn a_dissemination_barrier_sends_one_message_per_rank_and_round() {
    for (nodes, ppn, rounds) in [(16, 1, 4), (17, 1, 5), (132, 8, 11)] {
        let result = dissemination("aurora", nodes, ppn, 3);
        assert_eq!(result.messages, 3 * rounds * u64::from(nodes * ppn));
        assert!(result.events >= result.messages);
    }
}
