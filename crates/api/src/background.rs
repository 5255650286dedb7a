//! Background traffic and noise in requests.

use super::Common;
use base::Span;
use machine::placement::FreeNodes;
use machine::storage::{Access, Protocol};
use machine::{InputError, Machine, NicId, NodeId, nearest};
use serde::{Deserialize, Serialize};
use sim::Noise;
use sim::traffic::Destinations;
use sim::{Background, BackgroundTraffic};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackgroundRequest {
    /// As in `odonata traffic`, among the NICs of its nodes; or `writes:NAME` and `reads:NAME`,
    /// data from its nodes to the servers of a file system, and back.
    pub pattern: String,
    /// Fraction of the capacity of the injection links of the NICs that send; 0 for none.
    #[serde(default)]
    pub load: f64,
    /// `writes` and `reads`: bytes per second of all senders, instead of a load.
    #[serde(default)]
    pub rate: Option<f64>,
    /// Payload of a message; default: a full packet.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Its nodes; default: all without a job.
    #[serde(default)]
    pub nodes: Option<Vec<u32>>,
    /// Traffic class; default best effort.
    #[serde(default)]
    pub class: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseRequest {
    pub period_s: f64,
    pub length_s: f64,
}

/// Result of background traffic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BackgroundRow {
    pub pattern: String,
    pub nics: u32,
    pub offered: f64,
    pub accepted: f64,
    pub messages: u64,
    pub bytes: u64,
}

impl From<&BackgroundTraffic> for BackgroundRow {
    fn from(b: &BackgroundTraffic) -> BackgroundRow {
        let BackgroundTraffic { pattern, nics, offered, accepted, messages, bytes } = b.clone();
        BackgroundRow { pattern, nics, offered, accepted, messages, bytes }
    }
}

/// Maximum size of a background message: a NIC holds several of them.
const LARGEST: u64 = 1 << 30;

/// Key of an error message: `background`, with its number from 1 if there are several.
pub(super) fn at(common: &Common, nth: usize) -> String {
    match common.background.len() {
        1 => "background".into(),
        _ => format!("background {}", nth + 1),
    }
}

/// The requested traffic, on free nodes. Several patterns may share nodes.
pub(super) fn of(
    common: &Common,
    machine: &Machine,
    free: &FreeNodes,
) -> Result<Vec<Background>, Vec<InputError>> {
    let mut input_errors = Vec::new();
    let mut out = Vec::new();
    for (nth, request) in common.background.iter().enumerate() {
        match one(common, request, machine, free) {
            Ok(background) => out.extend(background),
            Err(more) => {
                let of_it = |c: InputError| InputError { at: at(common, nth), ..c };
                input_errors.extend(more.into_iter().map(of_it));
            }
        }
    }
    if !out.is_empty() && common.fidelity != "packet" {
        let expected = "`packet` with background traffic: no other fidelity has it";
        input_errors.push(InputError::new("fidelity", &common.fidelity, expected));
    }
    if !(0.0..=1.0).contains(&common.warmup_s) {
        let expected = "a simulated span of at most 1 s";
        input_errors.push(InputError::new("warmup", common.warmup_s.to_string(), expected));
    }
    if input_errors.is_empty() { Ok(out) } else { Err(input_errors) }
}

fn one(
    common: &Common,
    request: &BackgroundRequest,
    machine: &Machine,
    free: &FreeNodes,
) -> Result<Option<Background>, Vec<InputError>> {
    let BackgroundRequest { pattern, load, bytes, nodes, rate, .. } = request;
    let storage = storage_pattern(pattern);
    let mut input_errors = Vec::new();
    let mut wrong = |found: String, expected: String| {
        input_errors.push(InputError::new("background", found, expected));
    };
    if !(*load == 0.0 || (1e-6..=1.0).contains(load)) {
        let expected = "a load of 0, or from 0.000001 to 1: a fraction of the injection rate";
        wrong(load.to_string(), expected.into());
    }
    if rate.is_some() && storage.is_none() {
        wrong(pattern.clone(), "`writes:NAME` or `reads:NAME` with a rate".into());
    }
    let usual = if storage.is_some() { BULK } else { machine.nic.packet_payload };
    let bytes = bytes.unwrap_or(usual);
    if bytes > LARGEST || bytes + machine.nic.packet_overhead == 0 {
        wrong(format!("{bytes} B"), format!("messages of 1 to {LARGEST} B"));
    }
    let mut among: Vec<NodeId> = match nodes {
        None => free.nodes.clone(),
        Some(named) => named.iter().copied().map(NodeId).collect(),
    };
    among.sort_unstable();
    among.dedup();
    for &node in &among {
        if node.0 >= machine.compute_nodes {
            let last = machine.compute_nodes - 1;
            wrong(node.0.to_string(), format!("compute nodes, at most {last}"));
        } else if !free.contains(node) {
            wrong(machine.node_name(node), "nodes that no job has".into());
        } else {
            continue;
        }
        break;
    }
    if !input_errors.is_empty() {
        return Err(input_errors);
    }
    let nics =
        among.iter().flat_map(|&node| machine.node_nics[node]..machine.node_nics[next(node)]);
    let nics: Vec<NicId> = nics.map(NicId).collect();
    let on = nics.len();
    if let Some((is_write, name)) = storage {
        let peers = servers(machine, name).map_err(|error| vec![error])?;
        if nics.is_empty() {
            let found = pattern.clone();
            return Err(vec![InputError::new("background", found, "a node without a job")]);
        }
        let (from, to) = if is_write { (nics, peers) } else { (peers, nics) };
        let to = Destinations::across(from, &to, common.seed);
        let (pattern, vnet) = (pattern.clone(), vnet(request, machine));
        let mut background = Background { pattern, to, load: *load, bytes, vnet };
        if let Some(rate) = *rate {
            background.load = background.load_of_rate(machine, rate);
            if !(1e-6..=1.0).contains(&background.load) {
                let most = background.rate_of_load(machine, 1.0) / 1e9;
                let expected = format!("at most {most:.0} GB/s, the rate of its senders");
                let found = format!("{:.0} GB/s", rate / 1e9);
                return Err(vec![InputError::new("background", found, expected)]);
            }
        }
        return Ok((background.load > 0.0).then_some(background));
    }
    let to = Destinations::between(pattern, machine, nics, common.seed).map_err(|c| {
        let expected = if on < 2 { format!("two NICs or more: {on} left") } else { c.expected };
        vec![InputError { at: "background".into(), expected, ..c }]
    })?;
    let pattern = pattern.clone();
    let vnet = vnet(request, machine);
    Ok((*load > 0.0).then_some(Background { pattern, to, load: *load, bytes, vnet }))
}

/// Payload of messages of file systems: LNet's largest, and the default chunk of DAOS.
const BULK: u64 = 1 << 20;

/// `writes:NAME` or `reads:NAME`: whether it writes, and the name of the file system.
fn storage_pattern(pattern: &str) -> Option<(bool, &str)> {
    match pattern.split_once(':')? {
        ("writes", name) => Some((true, name)),
        ("reads", name) => Some((false, name)),
        _ => None,
    }
}

/// The NICs on the fabric of the servers that hold data of a file system, or of its gateways.
fn servers(machine: &Machine, name: &str) -> Result<Vec<NicId>, InputError> {
    let Some(system) = machine.file_systems.iter().find(|system| system.name == name) else {
        let names = || machine.file_systems.iter().map(|system| system.name.as_str());
        let expected = match machine.file_systems.is_empty() {
            true => "a machine with file systems".into(),
            false => format!("a file system: {}", names().collect::<Vec<_>>().join(", ")),
        };
        return Err(InputError::new("background", name, expected).with_hint(nearest(name, names())));
    };
    let data = match &system.protocol {
        Protocol::Lustre(params) => params.mds as usize,
        Protocol::Daos(_) => 0,
    };
    Ok(match &system.network {
        Access::Routed { gateways, .. } => gateways.clone(),
        Access::Direct => system.hosts[data..].iter().flat_map(|host| host.nics.clone()).collect(),
    })
}

/// Virtual network of background traffic; 0 if the class is invalid, which `classes::of` reports.
fn vnet(request: &BackgroundRequest, machine: &Machine) -> u8 {
    let found = machine.classes.find("background", request.class.as_deref());
    found.ok().and_then(|class| machine.classes.vnet(class)).unwrap_or(0)
}

fn next(node: NodeId) -> NodeId {
    NodeId(node.0 + 1)
}

pub(super) fn noise(common: &Common) -> Result<Option<Noise>, InputError> {
    let Some(NoiseRequest { period_s, length_s }) = common.noise else { return Ok(None) };
    let spans = [period_s, length_s].map(|s| (0.0..=1_000.0).contains(&s).then_some(s));
    let [Some(period), Some(length)] = spans.map(|s| s.map(Span::from_seconds)) else {
        let found = format!("{length_s} s of every {period_s} s");
        return Err(InputError::new("noise", found, "spans of at most 1,000 s"));
    };
    if length >= period {
        let found = format!("{length_s} s of every {period_s} s");
        return Err(InputError::new("noise", found, "pulses shorter than their period"));
    }
    Ok((length > Span::ZERO).then_some(Noise { period, length }))
}
