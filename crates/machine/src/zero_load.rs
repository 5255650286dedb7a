//! The time of a single message in closed form. All fidelities agree with it without contention.

use base::{Gap, Span};

use crate::{Idle, LinkId, Machine, NicId};

impl Machine {
    /// From the command to the completion at the receiver, for a message of `bytes` from host
    /// memory that is alone in the machine, on the minimal route of draw 0.
    pub fn zero_load(&self, src: NicId, dst: NicId, bytes: u64) -> Span {
        let mut path = Vec::new();
        self.walk(src, dst, 0, &Idle, &mut path);
        self.zero_load_on(&path, bytes)
    }

    /// The same, on a given path.
    ///
    /// Latencies add up along the path. Packets follow each other through a pipeline whose stages
    /// are the links and the host interfaces at both ends. Each packet but the last delays its
    /// successor by its time at its slowest stage. With cut-through, the last packet is complete at
    /// the far end the same time after its head. Exact: see docs/models/unloaded-latency.md.
    pub fn zero_load_on(&self, path: &[LinkId], bytes: u64) -> Span {
        let nic = &self.nic;
        let packets = bytes.div_ceil(nic.packet_payload).max(1);
        let last = bytes - (packets - 1) * nic.packet_payload;
        let latency: Span = path.iter().map(|&link| self.links.latency[link]).sum();
        let dma = if bytes > nic.immediate_max { nic.fetch(bytes) } else { Span::ZERO };
        let full = self.slowest_stage(path, nic.packet_payload);
        let rest = self.slowest_stage(path, last);
        let wait = nic.multipacket_wait(packets, full);
        // A short last packet may be in memory before the full packet ahead of it. That one waits
        // too, unless it is the first.
        let after = if packets == 2 { wait + rest } else { rest };
        let ahead = Span(nic.stage_ahead(bytes).0.saturating_sub(after.0));
        nic.send_latency
            + dma
            + nic.block_start(bytes)
            + latency
            + full * (packets - 1)
            + wait
            + rest
            + ahead
            + nic.completion(bytes)
    }

    /// Time of a packet of `payload` bytes at the slowest stage of the path.
    fn slowest_stage(&self, path: &[LinkId], payload: u64) -> Span {
        let nic = &self.nic;
        let host = nic.host_gap.max(nic.host_gap_one_way).span(payload);
        let gap = path.iter().map(|&link| self.links.gap[link]).max().unwrap_or(Gap::ZERO);
        host.max(gap.span(payload + nic.packet_overhead))
    }

    /// Bytes per virtual channel that the buffer at the far end of `link` needs so that a single
    /// flow never waits for a credit. That is what enters the link between a packet's head and the
    /// return of its credit, and one more packet.
    ///
    /// The credit leaves when the packet's tail has left the buffer. For a single flow that is one
    /// packet time after its head could leave, plus the cable on the way back.
    pub fn single_flow_buffer(&self, link: LinkId) -> u64 {
        let packet = self.nic.packet_payload + self.nic.packet_overhead;
        let gap = self.links.gap[link];
        let round = self.links.latency[link] + self.links.cable[link] + gap.span(packet);
        let packets = round.0.div_ceil(gap.span(packet).0.max(1)) + 1;
        packets * packet
    }
}
