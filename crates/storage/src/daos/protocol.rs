//! Constants of DAOS 2.6.
//!
//! Source: daos-stack/daos @1ff45496, the file named.

use base::Span;

/// Smallest payload that does not travel in an RPC: `DAOS_BULK_LIMIT`, daos/common.h.
pub const BULK_LIMIT: u64 = 19_456;
/// Smallest extent that is stored on NVMe: `data_thresh`, daos_prop.h.
pub const NVME_THRESHOLD: u64 = 4_096;
/// Objects with more shards are queried and punched by a tree of engines of this width:
/// `DAOS_OBJ_COLL_THD`, object.
pub const COLLECTIVE_THRESHOLD: u32 = 20;
pub const COLLECTIVE_WIDTH: u32 = 20;
/// Entries per list: client/dfuse/pil4dfs.
pub const LIST_ENTRIES: u64 = 96;
/// A leader with more committable transactions commits them: `DTX_THRESHOLD_COUNT`,
/// dtx_internal.h. Their maximum age: `DTX_COMMIT_THRESHOLD_AGE`.
pub const COMMIT_ENTRIES: usize = 512;
pub const COMMIT_AGE: Span = Span::ms(10_000);
/// Transactions of a key that an update takes along: dtx_common.c.
pub const PIGGYBACK_ENTRIES: usize = 64;
/// `struct dtx_id`, daos/dtx.h.
pub const COMMIT_ENTRY_BYTES: u32 = 24;
/// Age at which partial stripes are aggregated: `DAOS_AGG_THRESHOLD`, container.
pub const AGGREGATION_AGE: Span = Span::ms(20_000);
