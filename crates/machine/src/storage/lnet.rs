//! Parameters of LNet: credits, connections of sockets, buffers of gateways. What they mean is not
//! known here.
//!
//! Sources of defaults: [L] lustre/lustre-release, version 2.17.57, the file named; [estimate] a
//! guess.

use base::Gap;

use super::Driver;
use crate::input_error::InputError;
use crate::key::IfAbsent::{Default, Described};
use crate::key::ValueForm::Count;
use crate::key::{Key, RATE, SIZE, key};
use crate::values::Values;

/// Keys of `[[storage]]` with `kind = "lustre"`. Each is read in `LnetParams::new`.
#[rustfmt::skip] // A table is read down its columns.
pub const KEYS: &[Key] = &[
    key("storage.<name>.lnet_credits", Count(1, 1 << 20), Described("kfi and o2ib 512, tcp 256"),
        "Messages in flight of an interface."),
    key("storage.<name>.lnet_peer_credits", Count(1, 1 << 20), Described("kfi 16, tcp and o2ib 8"),
        "Messages in flight of an interface to one peer."),
    key("storage.<name>.lnet_connections", Count(1, 64), Described("by the rate of NICs"),
        "Connections for bulk data per peer, with sockets."),
    key("storage.<name>.lnet_stream_rate", RATE, Default("4 GB/s"), // one core copies [estimate]
        "Rate of one connection, with sockets."),
    key("storage.<name>.lnet_min_bulk", SIZE, Default("1 KiB"), // socklnd's `min_bulk` [recall]
        "Messages up to this size do not wait for a connection for bulk data."),
    // Gateways.
    key("storage.<name>.gateway_credits", Count(1, 1 << 20), Described("as `lnet_credits`"),
        "Messages in flight of a gateway's interface on the fabric."),
    key("storage.<name>.gateway_peer_credits", Count(1, 1 << 20),
        Described("as `lnet_peer_credits`"),
        "Messages in flight of a gateway's interface on the fabric to one client."),
    key("storage.<name>.gateway_peer_buffers", Count(1, 1 << 20),
        Described("peer credits of the interface"),
        "Buffers of a gateway that messages of one peer may hold (`peer_buffer_credits`)."),
    // [L] lnet/lnet/router.c
    key("storage.<name>.gateway_tiny_buffers", Count(1, 1 << 24), Default("2048"),
        "Buffers of a gateway for messages without payload."),
    key("storage.<name>.gateway_small_buffers", Count(1, 1 << 24), Default("16384"),
        "Buffers of a gateway for payloads of at most 4 KiB."),
    key("storage.<name>.gateway_large_buffers", Count(1, 1 << 24), Default("1024"),
        "Buffers of a gateway for larger payloads."),
    // [L] o2iblnd
    key("storage.<name>.server_credits", Count(1, 1 << 20), Default("512"),
        "Messages in flight of an interface beyond gateways, of a server or a gateway."),
    key("storage.<name>.server_peer_credits", Count(1, 1 << 20), Default("8"),
        "Messages in flight of such an interface to one peer."),
];

/// Keys that only a file system behind gateways has.
const ROUTED: [&str; 3] = ["gateway_credits", "gateway_peer_credits", "gateway_peer_buffers"];

/// Limits of an interface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterfaceLimits {
    /// Messages in flight of it, and from it to one peer.
    pub credits: u32,
    pub peer_credits: u32,
}

/// Connections of sockets that carry bulk data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Streams {
    /// Per peer.
    pub count: u32,
    /// Inverse of the rate of one.
    pub gap: Gap,
    /// Messages up to this size do not wait for one, bytes.
    pub min_bulk: u64,
}

/// Buffers of a gateway.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RouterLimits {
    /// For messages without payload, with a small one, and with a large one.
    pub buffers: [u32; 3],
    /// Those that messages of one peer may hold: a peer on the fabric, and one beyond.
    pub per_peer: [u32; 2],
}

/// LNet of one file system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LnetParams {
    /// Of clients, and of servers on the fabric.
    pub fabric: InterfaceLimits,
    /// `None` with RDMA.
    pub streams: Option<Streams>,
    /// Of gateways on the fabric.
    pub gateway: InterfaceLimits,
    pub router: RouterLimits,
    /// Of servers and gateways beyond.
    pub beyond: InterfaceLimits,
}

impl LnetParams {
    /// `link_gbit_s` is the rate of a NIC's link.
    pub(crate) fn new(values: &Values, driver: Driver, link_gbit_s: f64) -> LnetParams {
        // [L] lnet/include/lnet/lib-lnet.h (tcp), kfilnd, o2iblnd.
        let (credits, peer_credits) = match driver {
            Driver::Kfi => (512, 16),
            Driver::Tcp => (256, 8),
            Driver::O2ib => (512, 8),
        };
        let count = |key: &str, usual: u32| values.optional_count(key).unwrap_or(usual);
        let fabric = InterfaceLimits {
            credits: count("lnet_credits", credits),
            peer_credits: count("lnet_peer_credits", peer_credits),
        };
        let gateway = InterfaceLimits {
            credits: count("gateway_credits", fabric.credits),
            peer_credits: count("gateway_peer_credits", fabric.peer_credits),
        };
        let beyond = InterfaceLimits {
            credits: values.count("server_credits"),
            peer_credits: values.count("server_peer_credits"),
        };
        let streams = (driver == Driver::Tcp).then(|| Streams {
            count: count("lnet_connections", connections(link_gbit_s)),
            gap: values.gap("lnet_stream_rate"),
            min_bulk: values.bytes("lnet_min_bulk"),
        });
        let per_peer = [gateway, beyond].map(|limits| limits.peer_credits);
        let per_peer = per_peer.map(|usual| count("gateway_peer_buffers", usual));
        let buffers = ["gateway_tiny_buffers", "gateway_small_buffers", "gateway_large_buffers"];
        let router = RouterLimits { buffers: buffers.map(|key| values.count(key)), per_peer };
        LnetParams { fabric, streams, gateway, router, beyond }
    }

    /// Reports keys that have no effect.
    pub(crate) fn check(
        values: &Values,
        (driver, is_routed): (Driver, bool),
        out: &mut Vec<InputError>,
    ) {
        let mut refuse = |key: &str, expected: &str| {
            if let Some(found) = values.optional_count(key) {
                out.push(InputError::new(values.path(key), found.to_string(), expected));
            }
        };
        if driver != Driver::Tcp {
            refuse("lnet_connections", "none: only sockets (`tcp`) have connections");
        }
        if !is_routed {
            ROUTED.iter().for_each(|key| refuse(key, "none without `gateways`"));
        }
    }
}

/// Connections per peer that socklnd opens, [L] lnet/klnds/socklnd/socklnd_modparams.c.
fn connections(link_gbit_s: f64) -> u32 {
    (link_gbit_s.round() as u64).max(1).ilog2() / 2 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faster_links_have_more_connections() {
        assert_eq!([1.0, 10.0, 100.0, 200.0].map(connections), [1, 2, 4, 4]);
    }
}
