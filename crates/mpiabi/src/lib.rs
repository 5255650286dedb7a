//! Floor 6: the MPI library that unmodified programs load. The rank side of the live room; it never
//! links the simulator.
//!
//! Every function of the interface is exported from here: `interface/functions.tsv` lists them, the
//! build script exports those nobody implements. `abi` is the edge to C; `runtime`, `p2p`, `coll`
//! and their neighbors talk to the simulator over the wire; datatypes, operators, groups, info
//! objects, attributes and errors are this process's own affair.

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
mod foreign;
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
