//! Resolution of file systems: conditions between their keys, and the nodes of their servers and
//! gateways.
//!
//! File systems that share a kind of groups take its nodes in the order of their names. Consecutive
//! nodes are in consecutive groups, in turn. Within a service group they start at the first node,
//! within a compute group at the last one.

use base::Span;

use super::daos::DaosParams;
use super::lustre::{self, LustreParams};
use super::{Access, Driver, FileSystem, Host, LnetParams, Protocol};
use crate::NicId;
use crate::classes::Classes;
use crate::group_kind::{GroupKind, MAX_NICS};
use crate::input_error::{InputError, nearest};
use crate::spec::MachineSpec;
use crate::values::{Value, Values};

/// Maximum number of hosts of a file system. With the bounds of other keys, targets fit 32 bits.
const MAX_HOSTS: u32 = 65_000;

/// Keys that only a file system behind gateways has.
const BEYOND: [&str; 3] = ["gateway_rate", "server_rate", "gateway_latency"];

/// A kind of groups, and which of its nodes have been taken.
struct Nodes<'a> {
    kind: &'a GroupKind,
    first_nic: u32,
    taken: u32,
}

impl Nodes<'_> {
    fn count(&self) -> u32 {
        self.kind.groups.saturating_mul(self.kind.nodes)
    }
    /// The NICs of each of the next `n` nodes. Reports an error at `at` if fewer are left. Empty if
    /// the machine is too large, which `MachineSpec::resolve` reports.
    fn take(&mut self, n: u32, at: String, out: &mut Vec<InputError>) -> Vec<Vec<NicId>> {
        let kind = self.kind;
        let nics = u64::from(self.count()) * u64::from(kind.nics);
        if u64::from(self.first_nic) + nics > MAX_NICS {
            return Vec::new();
        }
        let left = self.count() - self.taken;
        if n == 0 || n > left {
            let (name, all, taken) = (&kind.name, self.count(), self.taken);
            let expected = match taken {
                0 => format!("from 1 to {all}, the nodes of the groups of kind `{name}`"),
                _ => format!(
                    "at most {left}: groups of kind `{name}` have {all} nodes, and other file \
                     systems use {taken}"
                ),
            };
            out.push(InputError::new(at, n.to_string(), expected));
            return Vec::new();
        }
        let nics = |nth: u32| {
            let (group, node) = (nth % kind.groups, nth / kind.groups);
            let node = if kind.compute { kind.nodes - 1 - node } else { node };
            let first = self.first_nic + (group * kind.nodes + node) * kind.nics;
            (first..first + kind.nics).map(NicId).collect()
        };
        let places = (self.taken..self.taken + n).map(nics).collect();
        self.taken += n;
        places
    }
}

impl MachineSpec {
    /// The file systems, by name.
    pub(crate) fn file_systems(
        &self,
        kinds: &[GroupKind],
        classes: &Classes,
        out: &mut Vec<InputError>,
    ) -> Vec<FileSystem> {
        let mut first_nic = 0u32;
        let nodes = kinds.iter().map(|kind| {
            let nodes = Nodes { kind, first_nic, taken: 0 };
            first_nic = first_nic.saturating_add(nodes.count().saturating_mul(kind.nics));
            nodes
        });
        let mut nodes: Vec<Nodes> = nodes.collect();
        let names = &self.file_systems;
        let mut all: Vec<FileSystem> =
            names.iter().filter_map(|name| self.file_system(name, &mut nodes, out)).collect();
        for system in &mut all {
            let values = Values { all: &self.values, at: format!("storage.{}", system.name) };
            let Some(Value::Text(word)) = values.get("class") else { continue };
            match classes.find(&values.path("class"), Some(word)) {
                Ok(class) => system.class = Some(class),
                Err(error) => out.push(error),
            }
        }
        check_overlaps(&all, out);
        all
    }

    /// `None` if its group does not exist, which is reported.
    fn file_system(
        &self,
        name: &str,
        nodes: &mut [Nodes],
        out: &mut Vec<InputError>,
    ) -> Option<FileSystem> {
        let values = Values { all: &self.values, at: format!("storage.{name}") };
        let client_nics = client_nics(&values, nodes, out);
        let is_routed = check_gateways(&values, out);
        let protocol = match values.text("kind") {
            "lustre" => Protocol::Lustre(Box::new(lustre(&values, out))),
            _ => Protocol::Daos(Box::new(DaosParams::new(&values, out))),
        };
        let group = values.text("group");
        let Some(nodes) = nodes.iter_mut().find(|nodes| nodes.kind.name == group) else {
            let near = nearest(group, self.kinds.iter().map(String::as_str));
            let expected = format!("a kind of group of this machine: {}", self.kinds.join(", "));
            out.push(InputError::new(values.path("group"), group, expected).with_hint(near));
            return None;
        };
        let (servers, counted) = match &protocol {
            Protocol::Lustre(p) => (p.mds + p.oss, "oss"),
            Protocol::Daos(_) => {
                (values.optional_count("servers").unwrap_or(nodes.count()), "servers")
            }
        };
        if servers > MAX_HOSTS {
            let expected = format!("at most {MAX_HOSTS}");
            out.push(InputError::new(values.path(counted), servers.to_string(), expected));
            return None;
        }
        if let Protocol::Daos(params) = &protocol {
            params.check(servers, &values, out);
        }
        let driver = match values.text("driver") {
            "tcp" => Driver::Tcp,
            "o2ib" => Driver::O2ib,
            _ => Driver::Kfi,
        };
        let lnet = matches!(protocol, Protocol::Lustre(_)).then(|| {
            LnetParams::check(&values, (driver, is_routed), out);
            let rate = self.number("links.edge.rate").unwrap_or_default();
            LnetParams::new(&values, driver, rate * 8e-9)
        });
        let (hosts, network) = if is_routed {
            let gateways = nodes.take(values.count("gateways"), values.path("gateways"), out);
            let network = Access::Routed {
                gateways: gateways.concat(),
                nics_per_gateway: nodes.kind.nics,
                gap: values.gap("gateway_rate"),
                host_gap: values.gap("server_rate"),
                latency: values.number("gateway_latency").map_or(Span::ZERO, Span::from_seconds),
            };
            (hosts_beyond(&values, &protocol), network)
        } else {
            let nics = nodes.take(servers, values.path(counted), out);
            let hosts = nics.into_iter().map(|nics| Host { nics, ports_beyond: 0 });
            (hosts.collect(), Access::Direct)
        };
        Some(FileSystem {
            name: name.into(),
            mounts: match values.get("mount") {
                Some(Value::Texts(paths)) => paths.clone(),
                _ => Vec::new(),
            },
            protocol,
            hosts,
            network,
            client_nics,
            driver,
            lnet,
            class: None,
        })
    }
}

/// Servers behind gateways.
fn hosts_beyond(values: &Values, protocol: &Protocol) -> Vec<Host> {
    let Protocol::Lustre(params) = protocol else { return Vec::new() };
    let servers = [("mds_ports", params.mds), ("oss_ports", params.oss)];
    let hosts = servers.into_iter().flat_map(|(key, servers)| {
        let ports_beyond = values.optional_count(key).unwrap_or(1);
        (0..servers).map(move |_| Host { nics: Vec::new(), ports_beyond })
    });
    hosts.collect()
}

/// Every server has a target.
fn lustre(values: &Values, out: &mut Vec<InputError>) -> LustreParams {
    let mut params = LustreParams::new(values);
    let mut refuse = |key: &str, expected: &str| {
        out.push(InputError::new(values.path(key), values.text(key), expected));
    };
    match lustre::pools(values.text("pools"), params.osts) {
        Some(pools) => params.pools = pools,
        None => refuse("pools", "`NAME=FIRST-LAST` of OSTs that exist, separated by blanks"),
    }
    match lustre::layout(values.text("layout"), &params.pools) {
        Some(layout) => params.layout = layout,
        None => refuse(
            "layout",
            "options of `lfs setstripe`, such as `-c 1 -S 1M` or \
             `-E 8M -c 1 -E -1 -c 8 -p POOL`, of a pool in `pools`",
        ),
    }
    for (key, size, range, unit) in params.sizes() {
        if !range.contains(&size) || !size.is_multiple_of(unit) {
            let expected =
                format!("from {} B to {} B, a multiple of {unit} B", range.start(), range.end());
            out.push(InputError::new(values.path(key), format!("{size} B"), expected));
        }
    }
    for (key, targets, servers) in
        [("mdts", params.mdts, params.mds), ("osts", params.osts, params.oss)]
    {
        if targets < servers {
            let expected = format!("at least one for each of {servers} servers");
            out.push(InputError::new(values.path(key), targets.to_string(), expected));
        }
    }
    params
}

/// Whether the file system is behind gateways. Reports keys that such a file system lacks, or that
/// another one has.
fn check_gateways(values: &Values, out: &mut Vec<InputError>) -> bool {
    let is_routed = values.get("gateways").is_some();
    let mut refuse = |key: &str, found: &str, expected: &str| {
        out.push(InputError::new(values.path(key), found, expected));
    };
    if is_routed && values.text("kind") == "daos" {
        let found = values.count("gateways").to_string();
        refuse("gateways", &found, "none: DAOS clients reach the servers directly");
        return true;
    }
    for key in BEYOND {
        match (is_routed, values.number(key)) {
            (true, None) => refuse(key, "", "a value, because the file system has gateways"),
            (false, Some(_)) => refuse(key, "", "no value without `gateways`"),
            _ => {}
        }
    }
    for key in ["mds_ports", "oss_ports"] {
        if let (false, Some(found)) = (is_routed, values.optional_count(key)) {
            refuse(key, &found.to_string(), "no value without `gateways`");
        }
    }
    if is_routed && values.number("gateway_latency").is_some_and(|seconds| seconds > 1e-3) {
        let found = values.span("gateway_latency").to_string();
        refuse("gateway_latency", &found, "at most 1 ms");
    }
    is_routed
}

/// Indices of the NICs that clients use, modulo the NICs of a compute node: so a machine derived
/// from another with more NICs per node needs no other list.
fn client_nics(values: &Values, nodes: &[Nodes], out: &mut Vec<InputError>) -> Vec<u8> {
    let compute = nodes.iter().map(|nodes| nodes.kind).filter(|kind| kind.compute);
    let nics = compute.map(|kind| u64::from(kind.nics)).min().unwrap_or(1).min(256);
    let Some(Value::Counts(listed)) = values.get("client_nics") else {
        return (0..nics).map(|nic| nic as u8).collect();
    };
    let repeats = listed.iter().enumerate().any(|(nth, nic)| listed[..nth].contains(nic));
    if listed.is_empty() || repeats || listed.iter().any(|&nic| nic > 255) {
        let expected = "different NICs of a compute node, from 0 to 255";
        out.push(InputError::new(values.path("client_nics"), format!("{listed:?}"), expected));
        return Vec::new();
    }
    let mut used: Vec<u8> = listed.iter().map(|&nic| (nic % nics) as u8).collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// A file belongs to one file system.
fn check_overlaps(all: &[FileSystem], out: &mut Vec<InputError>) {
    let mounts: Vec<(&str, &str)> = all
        .iter()
        .flat_map(|fs| fs.mounts.iter().map(|mount| (fs.name.as_str(), mount.as_str())))
        .collect();
    let is_below = |path: &str, other: &str| {
        path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    for (nth, (name, path)) in mounts.iter().enumerate() {
        for (other_name, other) in &mounts[..nth] {
            if is_below(path, other) || is_below(other, path) {
                let expected = format!("no path at, above or below `{other}` of `{other_name}`");
                let at = format!("storage.{name}.mount");
                out.push(InputError::new(at, *path, expected));
            }
        }
    }
}
