//! What `soak` does for a millisecond, for ten microseconds: far beyond what the network carries,
//! nothing is lost.

use base::Span;

#[test]
fn a_saturated_network_delivers_every_packet() {
    let (generated, delivered, row) =
        bench::saturate_and_drain("ugal", "adversarial:1", Span::us(10));
    assert!(generated > 30_000, "{generated}");
    assert_eq!((delivered, row.unfinished), (generated, 0));
}
