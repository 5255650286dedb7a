//! The yardstick of messages in closed form measures what it says.

use bench::closed_form::dissemination;

/// A dissemination barrier of n ranks is ceil(log2 n) rounds of n messages (Hensgen, Finkel and
/// Manber 1988).
#[test]
fn a_dissemination_barrier_sends_one_message_per_rank_and_round() {
    for (nodes, ppn, rounds) in [(16, 1, 4), (17, 1, 5), (132, 8, 11)] {
        let told = dissemination("aurora", nodes, ppn, 3);
        assert_eq!(told.messages, 3 * rounds * u64::from(nodes * ppn));
        assert!(told.events >= told.messages);
    }
}
