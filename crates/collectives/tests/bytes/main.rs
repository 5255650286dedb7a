//! Collectives on real bytes: proofs, counts, and programs that are wrong.

mod common;
mod counts;
mod mismatches;
mod proof;
