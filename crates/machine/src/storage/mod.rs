//! File systems of a machine: what serves them, and how compute nodes reach the servers.
//!
//! The parameters of a protocol are in `lustre` and `daos`. What they mean is not known here.

use base::{Gap, Span};

use crate::NicId;
pub use daos::DaosParams;
pub use lnet::{InterfaceLimits, LnetParams, RouterLimits, Streams};
pub use lustre::LustreParams;

pub mod daos;
pub(crate) mod keys;
mod lnet;
pub mod lustre;
mod resolve;

/// A file system that compute nodes mount.
#[derive(Clone, Debug, PartialEq)]
pub struct FileSystem {
    pub name: String,
    /// Absolute paths. No path of any file system is below another.
    pub mounts: Vec<String>,
    pub protocol: Protocol,
    /// Nodes of the servers. With Lustre, those of MDSs before those of OSSs.
    pub hosts: Vec<Host>,
    pub network: Access,
    /// NICs of a compute node that its clients use, ascending.
    pub client_nics: Vec<u8>,
    pub driver: Driver,
    /// `None` with DAOS, which does not use LNet.
    pub lnet: Option<LnetParams>,
    /// Traffic class of its messages, as an index of the machine's classes, if the file names one.
    pub class: Option<usize>,
}

/// The protocol between clients and servers, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Protocol {
    Lustre(Box<LustreParams>),
    Daos(Box<DaosParams>),
}

impl Protocol {
    /// Its name as the word of `kind`.
    pub fn name(&self) -> &'static str {
        match self {
            Protocol::Lustre(_) => "lustre",
            Protocol::Daos(_) => "daos",
        }
    }
}

/// The node of one or more server processes.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Empty behind gateways.
    pub nics: Vec<NicId>,
    /// Ports on the network beyond gateways; 0 on the fabric.
    pub ports_beyond: u32,
}

impl Host {
    /// Ports by which it is on its network.
    pub fn ports(&self) -> u32 {
        self.ports_beyond.max(self.nics.len() as u32)
    }
}

/// The path from the fabric to the servers.
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// The servers' NICs are on the fabric.
    Direct,
    /// Gateways forward between the fabric and another network, to which the servers belong.
    Routed {
        /// All NICs of the first gateway, then those of the next. Each has a port of its own on
        /// the other network.
        gateways: Vec<NicId>,
        nics_per_gateway: u32,
        /// Inverse of the rate of such a port, each way.
        gap: Gap,
        /// Inverse of the rate between the other network and one port of a host, each way.
        host_gap: Gap,
        /// From a gateway to a host, one way, without load.
        latency: Span,
    },
}

impl FileSystem {
    /// Targets that hold the data of files: OSTs, or the targets of all DAOS engines.
    pub fn data_targets(&self) -> u32 {
        match &self.protocol {
            Protocol::Lustre(p) => p.osts,
            Protocol::Daos(p) => self.hosts.len() as u32 * p.engines * p.targets,
        }
    }
    /// Number of gateways; 0 with servers on the fabric.
    pub fn n_gateways(&self) -> u32 {
        match &self.network {
            Access::Direct => 0,
            Access::Routed { gateways, nics_per_gateway, .. } => {
                gateways.len() as u32 / nics_per_gateway
            }
        }
    }
}

/// How clients and servers use their NICs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Driver {
    /// RDMA on Slingshot (kfilnd, or libfabric's `cxi` in user space) or on Aries.
    Kfi,
    /// Sockets (socklnd): the CPU copies, and no RDMA.
    Tcp,
    /// RDMA by the verbs of InfiniBand and RoCE (o2iblnd).
    O2ib,
}
