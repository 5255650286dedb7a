//! The parameters of switches, NICs, nodes and local storage as numbers, taken from a spec.

use base::Gap;

use crate::faults::RoutingDelay;
use crate::spec::MachineSpec;
use crate::{
    AriesMode, Bias, CongestionParams, GpuParams, LocalStorageParams, NicParams, NodeParams,
    RetryParams, Routing, Scoring,
};

impl MachineSpec {
    pub(crate) fn congestion(&self) -> Option<CongestionParams> {
        let threshold = self.bytes("congestion.threshold") as u32;
        (self.text("congestion.management") == "on").then_some(CongestionParams { threshold })
    }

    /// The routing policy and its parameters. `adaptive` is the policy of the fabric.
    pub(crate) fn routing(&self) -> Routing {
        let setting =
            |key: &str| self.count(&format!("adaptive.{key}")).expect("has a default") as u8;
        let bias = u32::try_from(self.bytes("ugal_bias")).unwrap_or(u32::MAX);
        let scoring = |nonminimal: Bias| Scoring {
            quantum: self.bytes("adaptive.quantum").max(1).ilog2() as u8,
            minimal: Bias { shift: setting("minimal_shift"), add: setting("minimal_add") },
            nonminimal,
        };
        let slingshot = || {
            let (shift, add) = (setting("nonminimal_shift"), setting("nonminimal_add"));
            Routing::Slingshot(scoring(Bias { shift, add }))
        };
        let aries = |growth: u8, add: u8| {
            Routing::Aries(AriesMode { growth }, scoring(Bias { shift: 0, add }))
        };
        match self.text("routing") {
            "minimal" => Routing::Minimal,
            "valiant" => Routing::Valiant,
            "valiant-group" => Routing::ValiantGroup,
            "ugal-g" => Routing::UgalG { bias },
            "par" => Routing::Par { bias },
            "slingshot" => slingshot(),
            "adaptive-0" => aries(0, 0),
            "adaptive-1" => aries(setting("growth"), 0),
            "adaptive-2" => aries(0, setting("small_add")),
            "adaptive-3" => aries(0, setting("large_add")),
            "min-hash" => Routing::MinHash,
            "nmin-hash" => Routing::NminHash,
            "in-order" => Routing::InOrder,
            "adaptive" => match self.text("fabric") {
                "slingshot" => slingshot(),
                "aries" => aries(0, 0),
                _ => Routing::UgalL { bias },
            },
            "ugal" | "ugal-l" => Routing::UgalL { bias },
            other => unreachable!("the schema accepted `{other}`"),
        }
    }

    pub(crate) fn nic(&self) -> NicParams {
        NicParams {
            send_latency: self.span("nic.send_latency"),
            recv_latency: self.span("nic.recv_latency"),
            immediate_max: self.bytes("nic.immediate_max"),
            dma_latency: self.span("nic.dma_latency"),
            staging_gap: self.gap("nic.staging_rate"),
            message_gap: self.span("nic.message_gap"),
            command_gap: self.span("nic.command_gap"),
            core_gap: self.span("nic.core_gap"),
            packet_payload: self.bytes("nic.packet_payload"),
            packet_overhead: self.bytes("nic.packet_overhead"),
            response: self.number("nic.response").map_or(0, |bytes| bytes.round() as u64),
            block_above: self.number("nic.block_above").map_or(u64::MAX, |b| b.round() as u64),
            block_latency: self.span("nic.block_latency"),
            read_latency: self.span("nic.read_latency"),
            atomic_gap: self.span("nic.atomic_gap"),
            window: self.count("nic.window").expect("required") as u32,
            match_engines: self.count("nic.match_engines").expect("has a default") as u32,
            match_entries: self.count("nic.match_entries").unwrap_or(u64::MAX),
            portal_table: self.count("nic.portal_table").unwrap_or(u64::MAX),
            command_queues: self.count("nic.command_queues").unwrap_or(u64::MAX),
            host_gap: self.gap("nic.host_rate"),
            host_gap_one_way: self.gap("nic.host_rate_one_way"),
            multipacket_message: self.span("nic.multipacket_message"),
            process_message: self.span("nic.process_message"),
            received_message: self.span("nic.received_message"),
        }
    }

    pub(crate) fn retry(&self) -> RetryParams {
        let sweep = self.span("retry.sweep");
        let routing_delay = match self.text("retry.reports") {
            "sweeps" => RoutingDelay::Sweeps(sweep),
            _ => RoutingDelay::Fixed(sweep),
        };
        RetryParams {
            timeout: self.span("retry.timeout"),
            limit: self.count("retry.limit").expect("has a default") as u32,
            routing_delay,
        }
    }

    pub(crate) fn local_storage(&self) -> LocalStorageParams {
        LocalStorageParams {
            latency: self.span("local_storage.latency"),
            gap: self.gap("local_storage.rate"),
            node_gap: self.gap("local_storage.node_rate"),
        }
    }

    pub(crate) fn node(&self) -> NodeParams {
        let near = self.gap("node.shm_rate");
        NodeParams {
            nic_latency: self.span("node.nic_latency"),
            shm_latency: self.span("node.shm_latency"),
            shm_gap: near,
            far_latency: self.span("node.far_latency"),
            far_gap: self.number("node.far_rate").map_or(near, Gap::from_bytes_per_s),
            far_nic_latency: self.span("node.far_nic_latency"),
            memory_gap: self.gap("node.memory_rate"),
            memory: self.number("node.memory").map(|bytes| bytes.round() as u64),
            cores: self.count("node.cores").expect("required") as u32,
            core_speed: self.number("node.core_speed").expect("has a default"),
            mpi_speed: self.number("node.mpi_speed").expect("has a default"),
            gpu: self.gpu(),
        }
    }

    fn gpu(&self) -> Option<GpuParams> {
        let or = |key: &str, gap: Gap| self.number(key).map_or(gap, Gap::from_bytes_per_s);
        let gap = Gap::from_bytes_per_s(self.number("node.gpu_rate")?);
        let link_gap = or("node.gpu_link_rate", gap);
        Some(GpuParams {
            gap,
            copy_latency: self.span("node.gpu_copy_latency"),
            link_gap,
            tile_gap: or("node.gpu_tile_rate", link_gap),
            nic_latency: self.span("node.gpu_nic_latency"),
            nic_gap_one_way: self.number("node.gpu_nic_rate_one_way").map(Gap::from_bytes_per_s),
            nic_gap: self.gap("node.gpu_nic_rate"),
        })
    }
}
