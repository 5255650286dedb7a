//! Tests of machines, in one program: it is compiled and linked once, not per file.

mod faults;
mod folding;
mod machine_files;
mod policies;
mod published;
mod routes;
mod storage;
mod zero_load;
