//! Times of undisturbed messages.

use base::{Gap, Span};
use machine::{Idle, LinkId, Machine, NicParams};
use net::{LostAt, Message};

use crate::in_flight::InFlight;
use crate::packet_path::DrawnPaths;

/// Undisturbed times of a message.
pub(crate) struct UnloadedTimes {
    /// The latency of the longest path.
    pub latency: Span,
    /// From the first packet's head to the last one's tail.
    pub duration: Span,
    /// From the last but one packet to the last.
    pub last: Span,
}

/// Times of `f` on these paths.
///
/// Full packets are limited by NICs and hosts: excess traffic of a link between switches uses other
/// links, unless there is only one path. The last packet takes its time at the slowest of all.
pub(crate) fn unloaded_times(
    f: &InFlight,
    drawn: &DrawnPaths,
    nic: &NicParams,
    machine: &Machine,
) -> UnloadedTimes {
    let InFlight { msg, packetization, extra, samples, .. } = f;
    let links = &machine.links;
    let slowest = |path: &[LinkId]| path.iter().map(|&link| links.gap[link]).max();
    let ends = slowest(&[machine.injection(msg.src), machine.ejection(msg.dst)]);
    let any = drawn.iter().filter_map(|(_, (forward, _))| slowest(forward)).max();
    let latency = |path: &[LinkId]| path.iter().map(|&link| links.latency[link]).sum();
    let longest = drawn.iter().map(|(_, (forward, _))| latency(forward)).max();
    let host = nic.host_gap.max(nic.host_gap_one_way);
    let stage = |gap: Option<Gap>, payload: u64| {
        let wire = gap.map_or(Span::ZERO, |gap| gap.span(payload + extra.headers));
        wire.max(host.span(payload))
    };
    let interval = stage(if *samples == 1 { any } else { ends }, nic.packet_payload);
    let wait = nic.multipacket_wait(packetization.packets, interval);
    let last = stage(any, packetization.rest);
    UnloadedTimes {
        latency: longest.unwrap_or_default(),
        duration: interval * (packetization.packets - 1) + wait + last,
        // The first of several packets does not wait.
        last: if packetization.packets == 2 { wait + last } else { last },
    }
}

/// Undisturbed time of the header-only packet `response`. `path` is a buffer.
pub(crate) fn unloaded_response_time(
    response: &Message,
    headers: u64,
    path: &mut Vec<LinkId>,
    machine: &Machine,
) -> Result<Span, LostAt> {
    let links = &machine.links;
    machine.find_path(response.src, response.dst, response.draw, &Idle, path)?;
    let latency: Span = path.iter().map(|&link| links.latency[link]).sum();
    let slowest = path.iter().map(|&link| links.gap[link].span(headers)).max();
    Ok(latency + slowest.expect("a path has links"))
}
