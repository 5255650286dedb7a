//! Tests of runs, in one program: it is compiled and linked once, not per file.

mod closed_forms;
mod collectives;
mod common;
mod counters;
mod engines;
mod faults;
mod file_systems;
mod gpu_access;
mod limits;
mod noncontiguous;
mod offload;
mod onesided;
mod ping;
mod protocol;
mod replay;
mod windows;
