//! Background traffic and noise in requests.

use super::Common;
use base::Span;
use machine::placement::FreeNodes;
use machine::{InputError, Machine, NicId, NodeId};
use serde::{Deserialize, Serialize};
use sim::Noise;
use sim::traffic::Destinations;
use sim::{Background, BackgroundTraffic};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackgroundRequest {
    /// As in `odonata traffic`, among the NICs of its nodes.
    pub pattern: String,
    /// Fraction of the capacity of its nodes' injection links; 0 for none.
    pub load: f64,
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
    let BackgroundRequest { pattern, load, bytes, nodes, .. } = request;
    let mut input_errors = Vec::new();
    let mut wrong = |found: String, expected: String| {
        input_errors.push(InputError::new("background", found, expected));
    };
    if !(*load == 0.0 || (1e-6..=1.0).contains(load)) {
        let expected = "a load of 0, or from 0.000001 to 1: a fraction of the injection rate";
        wrong(load.to_string(), expected.into());
    }
    let bytes = bytes.unwrap_or(machine.nic.packet_payload);
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
    let to = Destinations::between(pattern, machine, nics, common.seed).map_err(|c| {
        let expected = if on < 2 { format!("two NICs or more: {on} left") } else { c.expected };
        vec![InputError { at: "background".into(), expected, ..c }]
    })?;
    let pattern = pattern.clone();
    let vnet = vnet(request, machine);
    Ok((*load > 0.0).then_some(Background { pattern, to, load: *load, bytes, vnet }))
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
