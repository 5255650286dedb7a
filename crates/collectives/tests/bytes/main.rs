//! Collectives on real bytes: results, counts, and erroneous programs.

mod common;
mod counts;
mod mismatches;
mod proof;
