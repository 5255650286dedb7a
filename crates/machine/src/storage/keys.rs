//! Keys of `[[storage]]` that do not depend on the protocol, and the tables of those that do.
//!
//! A new key of a protocol is a line of the table in its file, and the field that `new` reads.

use super::{daos, lnet, lustre};
use crate::key::IfAbsent::{Default, Described, Required};
use crate::key::ValueForm::{Count, Counts, Paths, Text, Word};
use crate::key::{Key, RATE, TIME, key};

/// The words of `kind` that are protocols, and their tables of keys.
pub const PROTOCOLS: &[(&str, &[Key])] =
    &[("lustre", lustre::KEYS), ("lustre", lnet::KEYS), ("daos", daos::KEYS)];

#[rustfmt::skip] // A table is read down its columns.
pub const KEYS: &[Key] = &[
    key("storage.<name>.kind", Word(&["lustre", "daos", "none"]), Required,
        "Protocol. `none` removes an inherited file system."),
    key("storage.<name>.mount", Paths, Required,
        "Paths at which compute nodes mount it. Files below them are simulated."),
    key("storage.<name>.group", Text, Required,
        "Kind of groups whose nodes are its servers, or its gateways if it has any. See \
         docs/models/machine.md for their order."),
    key("storage.<name>.gateways", Count(1, 65_000), Described("its servers are on the fabric"),
        "Gateways (LNet routers) between the fabric and the network of the servers."),
    key("storage.<name>.gateway_rate", RATE, Described("required with `gateways`"),
        "Rate of a gateway's port beyond the fabric, each way. It has one per NIC."),
    key("storage.<name>.server_rate", RATE, Described("required with `gateways`"),
        "Rate between the network beyond the gateways and one port of a server, each way."),
    key("storage.<name>.gateway_latency", TIME, Described("required with `gateways`"),
        "From a gateway to a server, one way, without load, at most 1 ms."),
    key("storage.<name>.mds_ports", Count(1, 64), Described("1 with `gateways`"),
        "Ports of a metadata server beyond the gateways, of `server_rate` each."),
    key("storage.<name>.oss_ports", Count(1, 64), Described("1 with `gateways`"),
        "Ports of an object storage server beyond the gateways, of `server_rate` each."),
    key("storage.<name>.client_nics", Counts, Described("all NICs"),
        "NICs of a compute node that its clients use, from 0; modulo the number of NICs of a \
         compute node."),
    key("storage.<name>.driver", Word(&["kfi", "tcp", "o2ib"]), Default("kfi"),
        "How clients and servers use NICs: RDMA on Slingshot or Aries (`kfi`), sockets (`tcp`), or \
         RDMA on InfiniBand (`o2ib`)."),
    key("storage.<name>.class", Text, Described("best-effort"),
        "Traffic class of its messages. See docs/models/classes.md."),
];
