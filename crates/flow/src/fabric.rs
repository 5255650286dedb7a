//! The machine as max-min resources. Capacities are bytes per fixed time.

use base::{Gap, IndexVec, Span};
use fluid::{ClassShare, Resource, Use};
use machine::{LinkId, Machine, NicId, NicParams};

/// log2 of the time, in ps, in which capacities are counted. With 52, a link of 25 GB/s shared by
/// 100,000 messages gives a level of 16 bits, and links of up to 4 TB/s fit.
pub(crate) const TIME_BITS: u32 = 52;

/// Bytes per 2^52 ps.
pub fn capacity(gap: Gap) -> u64 {
    passed(gap, Span(1 << TIME_BITS)).min(1 << 62)
}

/// Bytes per `time`.
fn passed(gap: Gap, time: Span) -> u64 {
    u64::try_from((u128::from(time.0) << 20) / u128::from(gap.0.max(1))).unwrap_or(u64::MAX)
}

/// Header bytes of a packet, and bytes of the packet that answers or requests it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HeaderBytes {
    pub headers: u64,
    pub response: u64,
}

/// Bytes that one packet of a message uses: the mean over its packets, rounded up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PacketWeight {
    /// On links, with headers.
    pub wire: u32,
    /// At host interfaces, without headers; and at the resource that both directions share.
    pub host: u32,
    pub both: u32,
    /// On links of the response path.
    pub response: u32,
}

impl PacketWeight {
    /// `message` is the extra use of the shared host interface by a message of several packets.
    pub fn new(bytes: u64, packets: u64, extra: HeaderBytes, message: u64) -> PacketWeight {
        let host = bytes.div_ceil(packets) as u32;
        let more = if packets > 1 { message.div_ceil(packets) } else { 0 };
        PacketWeight {
            wire: host.saturating_add(extra.headers as u32).max(1),
            host,
            both: host.saturating_add(u32::try_from(more).unwrap_or(u32::MAX)),
            response: extra.response as u32,
        }
    }
}

/// All resources: links by their ids, then the limits of NICs other than links.
pub(crate) struct Fabric {
    n_links: u32,
    n_nics: u32,
    /// Host interface per direction, and both directions together; `None` without a limit.
    one_way: Option<u64>,
    both: Option<u64>,
    /// Bytes of the shared host interface that one message of several packets uses.
    pub multipacket_message: u64,
    pub capacity: IndexVec<LinkId, u64>,
}

impl Fabric {
    pub fn new(machine: &Machine) -> Fabric {
        let NicParams { host_gap, host_gap_one_way, multipacket_message, .. } = machine.nic;
        let limit = |gap: Gap| (gap > Gap::ZERO).then(|| capacity(gap));
        Fabric {
            n_links: machine.links.gap.len() as u32,
            n_nics: machine.n_nics(),
            one_way: limit(host_gap_one_way),
            both: limit(host_gap),
            multipacket_message: passed(host_gap, multipacket_message),
            capacity: machine.links.gap.raw.iter().map(|&gap| capacity(gap)).collect(),
        }
    }

    /// Capacities of all resources, in order: links, host out, host in, both directions.
    pub fn capacities(&self) -> impl Iterator<Item = u64> {
        let n = self.n_nics as usize;
        let of = |limit: Option<u64>, times: usize| {
            std::iter::repeat_n(limit.unwrap_or(0), if limit.is_some() { times * n } else { 0 })
        };
        self.capacity.raw.iter().copied().chain(of(self.one_way, 2)).chain(of(self.both, 1))
    }

    /// Entitlement of each traffic class in use at each link, class by class; empty where links are
    /// not divided.
    pub fn class_entitlements(&self, machine: &Machine) -> Vec<ClassShare> {
        let classes: Vec<_> = machine.classes.sharing().collect();
        let of = |(link, &all): (LinkId, &u64)| {
            let part = move |percent: u8| (u128::from(all) * u128::from(percent) / 100) as u64;
            // Injection links have the first ids.
            let at_nic = link.0 < self.n_nics;
            classes.iter().map(move |class| ClassShare {
                assured: part(if at_nic { class.nic_assured } else { class.assured }),
                ceiling: part(class.ceiling).max(1),
                priority: class.priority,
            })
        };
        self.capacity.iter().flat_map(of).collect()
    }

    /// Uses of `count` parallel packets of a message from NIC to NIC by the `forward` path, with
    /// responses by the `response` path.
    pub fn uses(
        &self,
        (src, dst): (NicId, NicId),
        weight: PacketWeight,
        count: u32,
        (forward, response): (&[LinkId], &[LinkId]),
        out: &mut Vec<Use>,
    ) {
        out.clear();
        let mut put = |at: u32, weight: u32| {
            if weight > 0 {
                out.push(Use { resource: Resource(at), weight: weight.saturating_mul(count) });
            }
        };
        forward.iter().for_each(|link| put(link.0, weight.wire));
        response.iter().for_each(|link| put(link.0, weight.response));
        let mut at = self.n_links;
        if self.one_way.is_some() {
            put(at + src.0, weight.host);
            put(at + self.n_nics + dst.0, weight.host);
            at += 2 * self.n_nics;
        }
        if self.both.is_some() {
            put(at + src.0, weight.both);
            put(at + dst.0, weight.both);
        }
    }

    /// Whether `at` limits reception at `dst`: its ejection link or its host interface.
    pub fn is_receiver_limit(&self, at: Resource, dst: NicId) -> bool {
        let (own, n) = (self.n_links, self.n_nics);
        let ones = if self.one_way.is_some() { 2 * n } else { 0 };
        // Injection links have the first ids, ejection links the next.
        at.0 == n + dst.0
            || self.one_way.is_some() && at.0 == own + n + dst.0
            || self.both.is_some() && at.0 == own + ones + dst.0
    }

    /// Whether `at` limits reception at any NIC.
    pub fn is_any_receiver_limit(&self, at: Resource) -> bool {
        let (own, n) = (self.n_links, self.n_nics);
        let ones = if self.one_way.is_some() { n } else { 0 };
        (n..2 * n).contains(&at.0) || at.0 >= own + ones
    }

    /// Undisturbed rate of a message with `count` parallel packets, limited by NICs and hosts: the
    /// level that `fluid` would give it, times `count`.
    pub fn unloaded_rate(
        &self,
        machine: &Machine,
        ends: (NicId, NicId),
        w: PacketWeight,
        count: u32,
    ) -> u64 {
        let level = |capacity: u64, weight: u32| match weight {
            0 => u64::MAX,
            weight => capacity / (u64::from(weight) * u64::from(count)),
        };
        let links = [machine.injection(ends.0), machine.ejection(ends.1)];
        let links = links.map(|link| level(self.capacity[link], w.wire));
        let hosts = [(self.one_way, w.host), (self.both, w.both)];
        let hosts = hosts.map(|(at, weight)| at.map_or(u64::MAX, |at| level(at, weight)));
        let least = links.into_iter().chain(hosts).min().expect("two links");
        least.max(1) * u64::from(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes in 2^52 ps, that is 4,504 s, at 25 GB/s.
    #[test]
    fn capacities_are_rates_times_a_fixed_time() {
        let got = capacity(Gap::from_bytes_per_s(25e9)) as f64;
        let want = 25e9 * (1u64 << 52) as f64 * 1e-12;
        assert!((got / want - 1.0).abs() < 1e-9, "{got}, not {want}");
        assert_eq!(capacity(Gap(1)), 1 << 62);
    }
}
