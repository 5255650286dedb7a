//! Parameters of the libfabric provider under a library: the runtime parameters of fi_cxi(7), as
//! keys of a profile. `variables` sets them from the environment.

mod variables;

use crate::limits::{MatchMode, UNLIMITED};
use base::Span;

/// Bytes of an event queue slot. [LF] C_EE_CFG_ECB_SIZE
const EVENT_BYTES: u64 = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Provider {
    pub match_mode: MatchMode,
    /// CPU time to examine one list element, and to move one from the NIC to the host.
    pub match_element: Span,
    /// Time from the exhaustion of a NIC's entries until its senders send again.
    pub flow_control: Span,
    /// Bytes added to the rendezvous threshold.
    pub rdzv_get_min: u64,
    /// Entries of a completion queue, and the page size to which its event queue is rounded up,
    /// bytes.
    pub cq_size: u64,
    pub eq_page: u64,
    /// Events that an unexpected message may cause.
    pub unexpected_events: u64,
    /// Events processed before the NIC is informed of free slots.
    pub ack_batch: u64,
    /// Posted overflow buffers, and request buffers, which only software matching has.
    pub oflow_buffers: u64,
    pub request_buffers: u64,
    /// Operations that an endpoint may have in flight, and identifiers of rendezvous.
    pub tx_size: u64,
    pub rendezvous_ids: u64,
    /// Whether memory may have a table entry of its own: `FI_CXI_OPTIMIZED_MRS`.
    pub optimized_regions: bool,
    /// How long switches wait for the last part of a reduction: `FI_CXI_COLL_TIMEOUT_USEC`.
    pub reduction_timeout: Span,
}

impl Provider {
    /// Slots of an event queue; its memory is whole pages.
    pub fn events(&self) -> u64 {
        match self.cq_size {
            UNLIMITED => UNLIMITED,
            size => {
                let bytes = size.saturating_mul(EVENT_BYTES);
                bytes.div_ceil(self.eq_page).saturating_mul(self.eq_page) / EVENT_BYTES
            }
        }
    }
}
