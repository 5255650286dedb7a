//! `soak` for ten microseconds instead of a millisecond: far beyond saturation no packet is lost.

use base::Span;

#[test]
fn a_saturated_network_delivers_every_packet() {
    let (generated, delivered, row) =
        bench::saturate_and_drain("ugal", "adversarial:1", Span::us(10));
    assert!(generated > 30_000, "{generated}");
    assert_eq!((delivered, row.unfinished), (generated, 0));
}
