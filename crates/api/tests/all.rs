//! Tests of requests and built-in benchmarks, in one program: it is compiled and linked once.

mod app;
#[path = "../../sim/tests/common/mod.rs"]
mod common;
mod control_plane;
mod error_bars;
mod exchanges;
mod fabric_tests;
mod folded_flows;
mod io_bench;
mod jobs;
mod node;
mod published;
mod requests;
mod shifts;
mod tune;
