//! Layer 6: the MPI library that unmodified programs load. It is the rank's side of live
//! simulation, and never links the simulator.
//!
//! This crate exports every function of the interface. `interface/functions.tsv` lists them, and
//! the build script exports those that are not implemented. `abi` is the C boundary. `runtime`,
//! `p2p`, `coll`, `win` and `io` exchange submissions and completions with the simulator through
//! shared memory. Datatypes, operators, groups, info objects, attributes and errors are local to
//! the process.
//!
//! `export` wraps each MPI function, and checks its arguments. So `error`, `comm`, `group`, `win`,
//! `request` and `runtime`, which it needs, define objects only; the MPI functions for them are in
//! their submodules, mostly named `calls`.

mod abi;
mod attach;
mod attr;
mod buffer;
mod checks;
mod coll;
mod comm;
mod datatype;
mod env;
mod error;
mod export;
mod file_call;
mod foreign;
mod function;
mod group;
mod info;
mod init;
mod io;
mod leaks;
mod op;
mod p2p;
mod partitioned;
mod probe;
mod request;
mod runtime;
mod session;
mod singleton;
mod time;
mod tool;
mod topo;
mod unsupported;
mod win;
