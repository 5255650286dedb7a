//! Environment variables of the libfabric provider and of its network interfaces, and the limits
//! that follow.

use crate::Library;
use crate::limits::{Bounds, MatchMode, Nic, UNLIMITED};
use base::Span;

/// [LF] fi_cxi(7): 20 s.
const COLL_TIMEOUT_MAX: u64 = 20_000_000;
/// Valid values of `FI_CXI_DEFAULT_TX_SIZE`; for any other value the provider uses its default.
/// [LF] cxip_info.c, CXIP_MAX_TX_SIZE, CXIP_DEFAULT_TX_SIZE
const TX_SIZES: std::ops::RangeInclusive<u64> = 16..=16_384;
const TX_SIZE_DEFAULT: u64 = 1_024;

/// Optimized regions per endpoint, if enabled: keys 0 to 99. [LF] CXIP_PTL_IDX_MR_OPT_CNT
const OPTIMIZED_REGIONS: u64 = 100;
/// Portal table entries of an endpoint: for receives, for control messages and ordinary regions,
/// and for rendezvous sources. [LF] cxip_recv_pte, cxip_ep_ctrl_init, cxip_rdzv_pte_alloc
const ENDPOINT_TABLE: u64 = 3;

impl Library {
    /// The limits on such NICs.
    pub fn bounds(&self, nic: Nic) -> Bounds {
        let p = &self.provider;
        let request = if p.match_mode == MatchMode::Hardware { 0 } else { p.request_buffers };
        Bounds {
            tag: self.tag_ub as u64,
            context_ids: self.context_ids,
            nic,
            match_mode: p.match_mode,
            events: p.events(),
            events_unexpected: p.unexpected_events,
            events_fixed: p.ack_batch + p.oflow_buffers + request,
            rendezvous: p.tx_size.min(p.rendezvous_ids),
            optimized_regions: if p.optimized_regions { OPTIMIZED_REGIONS } else { 0 },
            table_fixed: ENDPOINT_TABLE,
            requests: self.max_requests,
        }
    }

    /// Applies one environment variable. `Ok(false)`: it is not about this library. `Err` states
    /// what was expected.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, String> {
        let value = value.trim();
        if let Some(short) = name.strip_prefix("MPIR_CVAR_CH4_OFI_") {
            return match self.set_gpu(short, value)? {
                true => Ok(true),
                false => self.set_nics(short, value),
            };
        }
        let Some(short) = name.strip_prefix("FI_CXI_") else { return Ok(false) };
        if short == "RX_MATCH_MODE" {
            self.provider.match_mode = MatchMode::from_name(&value.to_lowercase())
                .ok_or_else(|| format!("one of {}", MatchMode::NAMES.join(", ")))?;
            return Ok(true);
        }
        if let "DISABLE_EQ_HUGETLB" | "DISABLE_CQ_HUGETLB" | "OPTIMIZED_MRS" = short {
            // As libfabric parses booleans, `fi_param_get_bool`.
            let on = match value.to_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => true,
                "0" | "false" | "no" | "off" => false,
                _ => return Err("0 or 1".into()),
            };
            match short {
                "OPTIMIZED_MRS" => self.provider.optimized_regions = on,
                _ if on => self.provider.eq_page = 4096,
                _ => {}
            }
            return Ok(true);
        }
        let least = match short {
            "DEFAULT_CQ_SIZE" | "EQ_ACK_BATCH_SIZE" => 1,
            "RDZV_THRESHOLD"
            | "RDZV_GET_MIN"
            | "RDZV_EAGER_SIZE"
            | "OFLOW_BUF_COUNT"
            | "OFLOW_BUF_MIN_POSTED"
            | "REQ_BUF_MIN_POSTED"
            | "DEFAULT_TX_SIZE"
            | "COLL_TIMEOUT_USEC"
            | "FC_RETRY_USEC_DELAY" => 0,
            _ => return Ok(false),
        };
        let most = if short == "COLL_TIMEOUT_USEC" { COLL_TIMEOUT_MAX } else { u32::MAX.into() };
        let number = value.parse::<u64>().ok().filter(|n| (least..=most).contains(n));
        let number = number.ok_or_else(|| match short {
            "DEFAULT_TX_SIZE" => {
                let (first, last) = (TX_SIZES.start(), TX_SIZES.end());
                format!("a whole number from {first} to {last}")
            }
            _ => format!("a whole number from {least} to {most}"),
        })?;
        let p = &mut self.provider;
        match short {
            "DEFAULT_CQ_SIZE" => p.cq_size = number,
            "DEFAULT_TX_SIZE" if TX_SIZES.contains(&number) => p.tx_size = number,
            "DEFAULT_TX_SIZE" => {
                p.tx_size = TX_SIZE_DEFAULT;
                let (least, most) = (TX_SIZES.start(), TX_SIZES.end());
                let words = format!(
                    "{name}={number}: the provider accepts {least} to {most} and uses its \
                     default of {TX_SIZE_DEFAULT} in place of any other value"
                );
                self.notes.push((None, words));
            }
            "EQ_ACK_BATCH_SIZE" => p.ack_batch = number,
            "RDZV_THRESHOLD" => self.eager_max = number.saturating_add(p.rdzv_get_min),
            "RDZV_GET_MIN" => {
                let threshold = self.eager_max.saturating_sub(p.rdzv_get_min);
                self.eager_max = threshold.saturating_add(number);
                p.rdzv_get_min = number;
            }
            "RDZV_EAGER_SIZE" => self.rendezvous_eager_part = number,
            "OFLOW_BUF_COUNT" | "OFLOW_BUF_MIN_POSTED" => p.oflow_buffers = number,
            "REQ_BUF_MIN_POSTED" => p.request_buffers = number,
            "COLL_TIMEOUT_USEC" => p.reduction_timeout = Span::us(number),
            _ => p.flow_control = Span::us(number),
        }
        // The eager part of a rendezvous never exceeds the eager threshold.
        self.rendezvous_eager_part = self.rendezvous_eager_part.min(self.eager_max);
        Ok(true)
    }

    /// MPICH's variables for buffers in GPU memory (ofi_init.c, ofi_send.h).
    fn set_gpu(&mut self, short: &str, value: &str) -> Result<bool, String> {
        let gpu = &mut self.gpu;
        let switch = || match value.to_lowercase().as_str() {
            "1" | "yes" | "true" | "on" => Ok(true),
            "0" | "no" | "false" | "off" => Ok(false),
            _ => Err("0 or 1"),
        };
        let size = |least: u32| match value.parse::<u32>() {
            Ok(bytes) if bytes >= least => Ok(u64::from(bytes)),
            _ => Err(format!("a whole number from {least} to {}", u32::MAX)),
        };
        let (accesses, pipelines) = (gpu.rdma_min < UNLIMITED, gpu.pipeline_min < UNLIMITED);
        let (accesses, pipelines) = match short {
            "ENABLE_HMEM" => (switch()?, pipelines),
            "ENABLE_GPU_PIPELINE" => (accesses, switch()?),
            "GPU_RDMA_THRESHOLD" => {
                gpu.rdma_threshold = size(0)?;
                (accesses, pipelines)
            }
            "GPU_PIPELINE_THRESHOLD" => {
                gpu.pipeline_threshold = size(0)?;
                (accesses, pipelines)
            }
            "GPU_PIPELINE_BUFFER_SZ" => {
                gpu.chunk = size(1)?;
                (accesses, pipelines)
            }
            _ => return Ok(false),
        };
        gpu.rdma_min = if accesses { gpu.rdma_threshold } else { UNLIMITED };
        gpu.pipeline_min = if pipelines { gpu.pipeline_threshold } else { UNLIMITED };
        Ok(true)
    }

    /// MPICH's variables for several NICs (pmodels/mpich, doc/mpich/tuning_parameters.md).
    fn set_nics(&mut self, short: &str, value: &str) -> Result<bool, String> {
        match short {
            "ENABLE_MULTI_NIC_STRIPING" => {
                self.stripe_nics = match value.to_lowercase().as_str() {
                    "1" | "yes" | "true" | "on" => UNLIMITED,
                    "0" | "no" | "false" | "off" => 1,
                    _ => return Err("0 or 1".into()),
                };
            }
            "MULTI_NIC_STRIPING_THRESHOLD" => {
                let bytes = value.parse::<u32>();
                self.stripe_min =
                    bytes.map_err(|_| format!("a whole number from 0 to {}", u32::MAX))?.into();
            }
            "AM_LONG_FORCE_PIPELINE" => match value.to_lowercase().as_str() {
                "1" | "yes" | "true" | "on" => self.am_eager_max = UNLIMITED,
                "0" | "no" | "false" | "off" => {}
                _ => return Err("0 or 1".into()),
            },
            "MAX_NICS" => {
                let n = value.parse::<i32>().map_err(|_| {
                    format!("a whole number of at most {}, -1 for all NICs", i32::MAX)
                })?;
                self.max_nics = match n {
                    -1 => UNLIMITED,
                    n => n.max(1) as u64,
                };
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::preset;

    /// Slingshot's NIC, see machines/aurora.toml.
    const CASSINI: Nic =
        Nic { match_engines: 4, match_entries: 16_384, portal_table: 2_048, command_queues: 512 };

    fn mpich(fabric: &str) -> Library {
        Library::parse("mpich", preset("mpich").unwrap(), fabric).unwrap()
    }

    /// fi_cxi(7): rendezvous above RDZV_THRESHOLD + RDZV_GET_MIN, in whichever order they are set.
    #[test]
    fn thresholds_add_up_in_any_order() {
        for order in [[0, 1], [1, 0]] {
            let mut l = mpich("slingshot");
            for i in order {
                let (name, value) =
                    [("FI_CXI_RDZV_THRESHOLD", "2048"), ("FI_CXI_RDZV_GET_MIN", "0")][i];
                assert_eq!(l.set(name, value), Ok(true));
            }
            assert_eq!((l.eager_max, l.rendezvous_eager_part), (2048, 2048));
        }
    }

    /// 2 MiB of 64-B events are 32,768; without huge pages 1,024 events are 16 pages of 4 KiB.
    #[test]
    fn event_queues_are_whole_pages() {
        for (set, events) in [
            (&[][..], 32_768),
            (&[("FI_CXI_DISABLE_CQ_HUGETLB", "1")], 1_024),
            (&[("FI_CXI_DISABLE_EQ_HUGETLB", "True")], 1_024),
            (&[("FI_CXI_DISABLE_CQ_HUGETLB", "no")], 32_768),
            (&[("FI_CXI_DEFAULT_CQ_SIZE", "32769")], 65_536),
            (&[("FI_CXI_DEFAULT_CQ_SIZE", "131072")], 131_072),
            (&[("FI_CXI_DEFAULT_CQ_SIZE", "65"), ("FI_CXI_DISABLE_EQ_HUGETLB", "1")], 128),
        ] {
            let mut l = mpich("slingshot");
            set.iter().for_each(|(name, value)| assert_eq!(l.set(name, value), Ok(true)));
            assert_eq!(l.bounds(CASSINI).events, events, "{set:?}");
        }
        assert_eq!(mpich("aries").bounds(CASSINI).events, UNLIMITED);
    }

    #[test]
    fn sends_in_flight_are_bounded_by_size_and_identifiers() {
        let mut l = mpich("slingshot");
        assert_eq!(l.bounds(CASSINI).rendezvous, 1_024);
        for (size, bound) in [("16384", 16_384), ("16385", 1_024), ("16", 16), ("15", 1_024)] {
            let noted = l.notes.len();
            assert_eq!(l.set("FI_CXI_DEFAULT_TX_SIZE", size), Ok(true));
            assert_eq!(l.bounds(CASSINI).rendezvous, bound, "{size}");
            assert_eq!(l.notes.len() - noted, usize::from(bound == 1_024), "{size}");
        }
        l.provider.tx_size = 1 << 20;
        assert_eq!(l.bounds(CASSINI).rendezvous, 32 * 1024 - 256);
    }

    /// MPICH: ENABLE_HMEM and ENABLE_GPU_PIPELINE are off, and thresholds count only where they are
    /// on, in whichever order they are set.
    #[test]
    fn thresholds_of_gpu_buffers_count_where_enabled() {
        let set = |profile: &str, all: &[(&str, &str)]| {
            let text = preset(profile).unwrap();
            let mut l = Library::parse(profile, text, "slingshot").unwrap();
            for (name, value) in all {
                assert_eq!(l.set(&format!("MPIR_CVAR_CH4_OFI_{name}"), value), Ok(true));
            }
            (l.gpu.rdma_min, l.gpu.pipeline_min, l.gpu.chunk)
        };
        const MIB: u64 = 1 << 20;
        assert_eq!(set("mpich", &[]), (UNLIMITED, UNLIMITED, MIB));
        assert_eq!(set("mpich", &[("ENABLE_HMEM", "1")]), (0, UNLIMITED, MIB));
        let mut both = [("GPU_RDMA_THRESHOLD", "4096"), ("ENABLE_HMEM", "on")];
        assert_eq!(set("mpich", &both[..1]), (UNLIMITED, UNLIMITED, MIB));
        assert_eq!(set("mpich", &both), (4096, UNLIMITED, MIB));
        both.reverse();
        assert_eq!(set("mpich", &both), (4096, UNLIMITED, MIB));
        assert_eq!(set("mpich", &[("ENABLE_GPU_PIPELINE", "1")]), (UNLIMITED, MIB, MIB));
        let off = [("ENABLE_HMEM", "0"), ("GPU_PIPELINE_BUFFER_SZ", "65536")];
        assert_eq!(set("mpich-aurora", &off), (UNLIMITED, 128 << 10, 64 << 10));
        let mut l = mpich("slingshot");
        for (name, value) in
            [("ENABLE_HMEM", "2"), ("GPU_PIPELINE_BUFFER_SZ", "0"), ("GPU_RDMA_THRESHOLD", "-1")]
        {
            assert!(l.set(&format!("MPIR_CVAR_CH4_OFI_{name}"), value).is_err(), "{name}");
        }
        assert_eq!(l, mpich("slingshot"));
    }

    #[test]
    fn long_accumulates_are_pipelined_on_request() {
        let name = "MPIR_CVAR_CH4_OFI_AM_LONG_FORCE_PIPELINE";
        let mut l = mpich("slingshot");
        assert_eq!((l.set(name, "0"), l.am_eager_max), (Ok(true), 16 << 10));
        assert!(l.set(name, "2").is_err());
        assert_eq!((l.set(name, "1"), l.am_eager_max), (Ok(true), UNLIMITED));
    }

    /// MPICH: striping is off by default, MAX_NICS -1 is all of them, less than that is one.
    #[test]
    fn striping_needs_permission_and_several_nics() {
        let names = ["ENABLE_MULTI_NIC_STRIPING", "MAX_NICS", "MULTI_NIC_STRIPING_THRESHOLD"];
        let stripes = |values: [&str; 3], bytes: u64| {
            let orders = [[0, 1, 2], [2, 1, 0]].map(|order| {
                let mut l = mpich("slingshot");
                for i in order {
                    let name = format!("MPIR_CVAR_CH4_OFI_{}", names[i]);
                    assert_eq!(l.set(&name, values[i]), Ok(true));
                }
                l.stripes(bytes, 8)
            });
            assert_eq!(orders[0], orders[1], "{values:?}");
            orders[0]
        };
        assert_eq!(mpich("slingshot").stripes(1 << 30, 8), 1);
        assert_eq!(stripes(["1", "-1", "1000"], 1000), 8);
        assert_eq!(stripes(["1", "-1", "1000"], 999), 1);
        assert_eq!(stripes(["1", "4", "0"], 1000), 4);
        assert_eq!(stripes(["1", "0", "0"], 1000), 1);
        assert_eq!(stripes(["0", "4", "0"], 1000), 1);
        let mut l = mpich("slingshot");
        for (name, value) in [("ENABLE_MULTI_NIC_STRIPING", "2"), ("MAX_NICS", "all")] {
            assert!(l.set(&format!("MPIR_CVAR_CH4_OFI_{name}"), value).is_err(), "{name}");
        }
    }

    #[test]
    fn invalid_values_are_refused_and_other_variables_ignored() {
        let mut l = mpich("slingshot");
        let before = l.clone();
        for (name, value) in [
            ("FI_CXI_RX_MATCH_MODE", "hibrid"),
            ("FI_CXI_DEFAULT_CQ_SIZE", "0"),
            ("FI_CXI_DEFAULT_CQ_SIZE", "many"),
            ("FI_CXI_RDZV_THRESHOLD", "-1"),
            ("FI_CXI_DISABLE_CQ_HUGETLB", "maybe"),
            ("FI_CXI_OPTIMIZED_MRS", "2"),
        ] {
            assert!(l.set(name, value).is_err(), "{name}={value}");
        }
        assert_eq!(l.set("FI_CXI_ATS", "1"), Ok(false));
        assert_eq!(l.set("FI_PROVIDER", "cxi"), Ok(false));
        assert_eq!(l, before);
        assert_eq!(l.set("FI_CXI_OPTIMIZED_MRS", "yes"), Ok(true));
        assert_eq!(l.bounds(CASSINI).optimized_regions, 100);
        assert_eq!(l.set("FI_CXI_OPTIMIZED_MRS", "False"), Ok(true));
        assert_eq!(l.bounds(CASSINI).optimized_regions, 0);
        assert_eq!(l.set("FI_CXI_RX_MATCH_MODE", "Hybrid"), Ok(true));
        assert_eq!(l.provider.match_mode, MatchMode::Hybrid);
    }
}
