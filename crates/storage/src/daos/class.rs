//! Object classes on a pool: number of groups, defaults of a container, chunk size. No placement.
//!
//! Source: daos-stack/daos @1ff45496: object/obj_class.c (`reserve_grp_by_rf`, `dc_set_oclass`),
//! client/dfs/cont.c.

use machine::storage::daos::{Groups, ObjectClass, Redundancy};

/// An object class on a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub redundancy: Redundancy,
    /// Shards of a group, and number of groups.
    pub group_size: u32,
    pub groups: u32,
}

impl Layout {
    pub fn shards(&self) -> u32 {
        self.group_size * self.groups
    }
}

/// Size of a pool. Fault domains are server nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolSize {
    pub targets: u32,
    pub domains: u32,
    pub redundancy_factor: u32,
}

/// Reserved domains by number of domains: first number of domains of a row, and its rule.
const RESERVE: [(u32, Reserve); 6] = [
    (0, Reserve::BeyondFactor(0)),
    (16, Reserve::BeyondFactor(1)),
    (32, Reserve::BeyondFactor(2)),
    (64, Reserve::Percent(4)),
    (128, Reserve::Percent(6)),
    (256, Reserve::Percent(8)),
];

#[derive(Clone, Copy)]
enum Reserve {
    BeyondFactor(u32),
    Percent(u32),
}

/// Domains kept free, so that shards of failed targets find another domain.
pub fn reserved_domains(domains: u32, redundancy_factor: u32) -> u32 {
    let row = RESERVE.iter().rposition(|&(first, _)| first <= domains).unwrap_or(0);
    let (first, rule) = RESERVE[row];
    let own = match rule {
        Reserve::BeyondFactor(n) => redundancy_factor + n,
        Reserve::Percent(percent) => domains * percent / 100,
    };
    if row == 0 {
        return own;
    }
    let previous = reserved_domains(first - 1, redundancy_factor);
    let reserved = own.max(previous);
    // The first number of domains of a row must not give fewer groups than the one before.
    let fewer =
        i64::from(domains) - i64::from(reserved) < i64::from(first) - 1 - i64::from(previous);
    if fewer { previous } else { reserved }
}

impl PoolSize {
    /// `None` if the pool has too few domains or targets for the class.
    pub fn layout(&self, class: ObjectClass) -> Option<Layout> {
        let group_size = class.redundancy.group_size();
        if group_size > self.domains || group_size > self.targets {
            return None;
        }
        let groups = match class.groups {
            Groups::Count(n) => n,
            Groups::Max => self.max_groups(group_size),
        };
        let fits = u64::from(groups) * u64::from(group_size) <= u64::from(self.targets);
        fits.then_some(Layout { redundancy: class.redundancy, group_size, groups })
    }

    fn max_groups(&self, group_size: u32) -> u32 {
        let domains = reserved_domains(self.domains, self.redundancy_factor);
        let targets = domains * (self.targets / self.domains);
        let reserve = targets.min(self.targets - group_size).div_ceil(group_size);
        (self.targets / group_size).saturating_sub(reserve).max(1)
    }

    /// Class of files of a container without `--file-oclass`. `None` without such a default.
    pub fn default_file_class(&self) -> Option<ObjectClass> {
        // Data cells, and the smallest number of domains, by parity cells.
        let rows: [(u32, u32); 4] = match self.redundancy_factor {
            0 => {
                let redundancy = Redundancy::Replicas(1);
                return Some(ObjectClass { redundancy, groups: Groups::Max });
            }
            1 => [(16, 18), (8, 10), (4, 6), (2, 0)],
            2 => [(16, 20), (8, 12), (4, 8), (2, 0)],
            // Too few domains for a code: replicas [recall].
            3 if self.domains < 10 => {
                let redundancy = Redundancy::Replicas(4);
                return Some(ObjectClass { redundancy, groups: Groups::Max });
            }
            3 => [(16, 22), (8, 14), (4, 10), (4, 10)],
            _ => return None,
        };
        let (data, _) = rows.into_iter().find(|&(_, domains)| self.domains >= domains)?;
        let redundancy = Redundancy::ErasureCode { data, parity: self.redundancy_factor };
        Some(ObjectClass { redundancy, groups: Groups::Max })
    }

    /// Class of directories of a container without `--dir-oclass`.
    pub fn default_directory_class(&self) -> ObjectClass {
        let redundancy = Redundancy::Replicas(self.redundancy_factor + 1);
        ObjectClass { redundancy, groups: Groups::Count(1) }
    }
}

/// `DFS_DEFAULT_CHUNK_SIZE`.
const DEFAULT_CHUNK: u64 = 1 << 20;

/// Chunk size of files of this class, in a container without `--chunk-size`.
pub fn default_chunk(redundancy: Redundancy, cell: u64) -> u64 {
    match redundancy {
        Redundancy::Replicas(_) => DEFAULT_CHUNK,
        Redundancy::ErasureCode { data, .. } => {
            let stripe = u64::from(data) * cell;
            match stripe >= DEFAULT_CHUNK {
                true => 2 * stripe,
                false => stripe * DEFAULT_CHUNK.div_ceil(stripe),
            }
        }
    }
}

/// Bytes of a part of a chunk, by the members of its group: the data cells, then the parity cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub redundancy: Redundancy,
    pub cell: u64,
    /// First byte in the chunk, and first byte after the part.
    pub start: u64,
    pub end: u64,
}

impl Part {
    pub fn bytes(&self) -> u64 {
        self.end - self.start
    }

    /// Whole stripes of an erasure code: first, and first after them.
    pub fn full_stripes(&self) -> (u64, u64) {
        match self.redundancy {
            Redundancy::Replicas(_) => (0, 0),
            Redundancy::ErasureCode { data, .. } => {
                let stripe = u64::from(data) * self.cell;
                let first = self.start.div_ceil(stripe);
                (first, (self.end / stripe).max(first))
            }
        }
    }

    /// Bytes that a write stores on a member. Partial stripes are replicated on parity members.
    pub fn stored(&self, member: u32) -> u64 {
        match self.redundancy {
            Redundancy::ErasureCode { data, .. } if member >= data => {
                let (first, last) = self.full_stripes();
                let full = (last - first) * u64::from(data) * self.cell;
                (last - first) * self.cell + self.bytes() - full
            }
            _ => self.read(member),
        }
    }

    /// Bytes of the part that a member of a data cell holds. Each replica holds all.
    pub fn read(&self, member: u32) -> u64 {
        match self.redundancy {
            Redundancy::Replicas(_) => self.bytes(),
            Redundancy::ErasureCode { data, .. } if member < data => {
                self.cells_before(data, member, self.end)
                    - self.cells_before(data, member, self.start)
            }
            Redundancy::ErasureCode { .. } => 0,
        }
    }

    /// Bytes of the member's cells in the chunk before `end`.
    fn cells_before(&self, data: u32, member: u32, end: u64) -> u64 {
        let stripe = u64::from(data) * self.cell;
        let rest = (end % stripe).saturating_sub(u64::from(member) * self.cell);
        end / stripe * self.cell + rest.min(self.cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(class: &str, domains: u32, redundancy_factor: u32) -> u32 {
        let pool = PoolSize { targets: 32 * domains, domains, redundancy_factor };
        pool.layout(ObjectClass::parse(class).expect("a class")).expect("fits").groups
    }

    /// The numbers of the facts on DAOS, section 4: [derived] from obj_class.c.
    #[test]
    fn maximal_classes_leave_a_reserve() {
        assert_eq!(groups("SX", 20, 0), 608);
        assert_eq!(groups("SX", 128, 0), 3_936);
        assert_eq!(groups("SX", 642, 0), 18_912);
        assert_eq!(groups("EC_16P2GX", 793, 2), 1_297);
        assert_eq!(groups("EC_16P3G32", 128, 3) * 19, 608);
    }

    #[test]
    fn each_row_of_the_reserve_holds_on_both_sides_of_its_limit() {
        for factor in 0..4 {
            assert_eq!(reserved_domains(15, factor), factor);
            assert_eq!(reserved_domains(17, factor), factor + 1);
            assert_eq!(reserved_domains(31, factor), factor + 1);
            assert_eq!(reserved_domains(33, factor), factor + 2);
        }
        // Never less than the previous row: 4 % of 64 are 2 domains, RF + 2 are 5.
        assert_eq!(reserved_domains(64, 3), 5);
        assert_eq!(reserved_domains(127, 0), 5);
        // 6 % of 128 are 7: fewer groups than with 127 domains. So the previous row counts.
        assert_eq!(reserved_domains(128, 0), 5);
        assert_eq!(reserved_domains(255, 0), 15);
        assert_eq!(reserved_domains(256, 0), 15);
        assert_eq!(reserved_domains(1_024, 0), 81);
    }

    #[test]
    fn classes_that_do_not_fit_are_refused() {
        let pool = PoolSize { targets: 64, domains: 2, redundancy_factor: 0 };
        for name in ["RP_3G1", "EC_2P1G1", "S65", "RP_2G33"] {
            assert_eq!(pool.layout(ObjectClass::parse(name).expect("a class")), None, "{name}");
        }
    }

    #[test]
    fn defaults_are_those_of_the_redundancy_factor() {
        let default = |redundancy_factor, domains| {
            let pool = PoolSize { targets: 32 * domains, domains, redundancy_factor };
            pool.default_file_class().map(|class| class.name())
        };
        for (factor, domains, name) in [
            (0, 1, "SX"),
            (1, 5, "EC_2P1GX"),
            (1, 6, "EC_4P1GX"),
            (1, 10, "EC_8P1GX"),
            (1, 18, "EC_16P1GX"),
            (2, 19, "EC_8P2GX"),
            (2, 20, "EC_16P2GX"),
            (3, 9, "RP_4GX"),
            (3, 10, "EC_4P3GX"),
            (3, 22, "EC_16P3GX"),
        ] {
            assert_eq!(default(factor, domains).as_deref(), Some(name));
        }
        let code = |data| Redundancy::ErasureCode { data, parity: 2 };
        assert_eq!(default_chunk(code(16), 128 << 10), 4 << 20);
        assert_eq!(default_chunk(code(8), 128 << 10), 2 << 20);
        assert_eq!(default_chunk(code(4), 128 << 10), 1 << 20);
        assert_eq!(default_chunk(code(4), 192 << 10), 1_536 << 10);
        assert_eq!(default_chunk(Redundancy::Replicas(3), 128 << 10), 1 << 20);
    }

    /// Every byte is on one data cell, and parity is one cell per full stripe or a copy.
    #[test]
    fn parts_of_stripes_add_up() {
        let (data, parity, cell) = (4, 2, 8);
        let redundancy = Redundancy::ErasureCode { data, parity };
        for start in 0..100 {
            for end in start + 1..140 {
                let part = Part { redundancy, cell, start, end };
                let cells: u64 = (0..data).map(|m| part.read(m)).sum();
                assert_eq!(cells, end - start);
                let full = (0..5).filter(|s| s * 32 >= start && (s + 1) * 32 <= end).count() as u64;
                let (first, last) = part.full_stripes();
                assert_eq!(last - first, full);
                for member in data..data + parity {
                    assert_eq!(part.stored(member), full * 8 + (end - start) - full * 32);
                    assert_eq!(part.read(member), 0);
                }
            }
        }
    }
}
