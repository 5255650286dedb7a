//! Operations of Lustre and the sizes of their messages.

/// Operations, by the names that `lctl get_param *.*.stats` uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Operation {
    OstRead,
    OstWrite,
    OstPunch,
    OstSync,
    OstFallocate,
    OstCreate,
    OstDestroy,
    LdlmExtentEnqueue,
    LdlmGlimpseEnqueue,
    LdlmGlimpseCallback,
    LdlmBlockingCallback,
    LdlmCompletionCallback,
    LdlmCancel,
    LdlmIbitsEnqueue,
    LdlmFlockEnqueue,
    MdsGetattr,
    MdsClose,
    MdsReadpage,
    MdsStatfs,
    MdsSync,
    MdsGetxattr,
    ReintOpen,
    ReintCreate,
    ReintUnlink,
    ReintRename,
    ReintLink,
    ReintSetattr,
    ReintSetxattr,
    LayoutIntent,
    OutUpdate,
}

pub const OPERATIONS: &[&str] = &[
    "ost_read",
    "ost_write",
    "ost_punch",
    "ost_sync",
    "ost_fallocate",
    "ost_create",
    "ost_destroy",
    "ldlm_extent_enqueue",
    "ldlm_glimpse_enqueue",
    "ldlm_gl_callback",
    "ldlm_bl_callback",
    "ldlm_cp_callback",
    "ldlm_cancel",
    "ldlm_ibits_enqueue",
    "ldlm_flock_enqueue",
    "mds_getattr",
    "mds_close",
    "mds_readpage",
    "mds_statfs",
    "mds_sync",
    "mds_getxattr",
    "mds_reint_open",
    "mds_reint_create",
    "mds_reint_unlink",
    "mds_reint_rename",
    "mds_reint_link",
    "mds_reint_setattr",
    "mds_reint_setxattr",
    "mds_layout_intent",
    "out_update",
];

// Sizes of structures in bytes, as lustre/ptlrpc/wiretest.c checks them.
/// lustre_msg_v2 with the lengths of its buffers, and ptlrpc_body.
const HEADER: u32 = 64 + 184;
const LDLM_REQUEST: u32 = 104;
const LDLM_REPLY: u32 = 112;
const LDLM_INTENT: u32 = 8;
const OST_BODY: u32 = 208;
const OST_LVB: u32 = 56;
const OBD_IOOBJ: u32 = 24;
const NIOBUF: u32 = 16;
const MDT_BODY: u32 = 216;
const MDT_REC_REINT: u32 = 136;
const MDT_IOEPOCH: u32 = 24;
const LOV_HEADER: u32 = 32;
const LOV_OBJECT: u32 = 24;
/// Names and credentials of a request: a name of 20 bytes and the groups of its user [estimate].
const NAME: u32 = 24;
/// ACL and security context in replies [estimate].
const ACL: u32 = 64;

/// Bytes of a request and its reply, without data and layouts.
pub fn sizes(operation: Operation) -> (u32, u32) {
    use Operation::*;
    let (request, reply) = match operation {
        OstRead | OstWrite => (OST_BODY + OBD_IOOBJ, OST_BODY),
        OstPunch | OstSync | OstFallocate | OstCreate | OstDestroy => (OST_BODY, OST_BODY),
        LdlmExtentEnqueue | LdlmFlockEnqueue => (LDLM_REQUEST, LDLM_REPLY + OST_LVB),
        LdlmGlimpseEnqueue => (LDLM_REQUEST + LDLM_INTENT, LDLM_REPLY + OST_LVB),
        LdlmGlimpseCallback => (LDLM_REQUEST, OST_LVB),
        LdlmBlockingCallback => (LDLM_REQUEST, 0),
        LdlmCompletionCallback => (LDLM_REQUEST + OST_LVB, 0),
        LdlmCancel => (LDLM_REQUEST, 0),
        LdlmIbitsEnqueue => {
            (LDLM_REQUEST + LDLM_INTENT + MDT_BODY + NAME, LDLM_REPLY + MDT_BODY + ACL)
        }
        LayoutIntent => (LDLM_REQUEST + LDLM_INTENT + LOV_HEADER, LDLM_REPLY),
        MdsGetattr => (MDT_BODY, MDT_BODY + ACL),
        MdsClose => (MDT_IOEPOCH + MDT_REC_REINT, MDT_BODY),
        MdsReadpage | MdsStatfs | MdsSync => (MDT_BODY, MDT_BODY),
        MdsGetxattr => (MDT_BODY + NAME, MDT_BODY + ACL),
        ReintOpen => {
            let record = LDLM_REQUEST + LDLM_INTENT + MDT_REC_REINT + NAME;
            (record, LDLM_REPLY + MDT_BODY + ACL)
        }
        ReintCreate | ReintUnlink | ReintSetattr | ReintSetxattr => {
            (MDT_REC_REINT + LDLM_REQUEST + NAME, MDT_BODY)
        }
        ReintRename | ReintLink => (MDT_REC_REINT + LDLM_REQUEST + 2 * NAME, MDT_BODY),
        OutUpdate => (MDT_REC_REINT + NAME, MDT_BODY),
    };
    (HEADER + request, HEADER + reply)
}

/// Bytes that the fragments of a read or write add to its request.
pub fn fragment_bytes(fragments: u32) -> u32 {
    NIOBUF * fragments
}

/// Whether the reply carries the layout of the file.
pub fn has_layout(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, LdlmIbitsEnqueue | LayoutIntent | MdsGetattr | ReintOpen)
}

/// Bytes of a layout in a reply.
pub fn layout_bytes(components: u32, objects: u32) -> u32 {
    LOV_HEADER * components + LOV_OBJECT * objects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_name() {
        assert_eq!(OPERATIONS.len(), Operation::OutUpdate as usize + 1);
        assert_eq!(OPERATIONS[Operation::LdlmCancel as usize], "ldlm_cancel");
        assert_eq!(OPERATIONS[Operation::ReintOpen as usize], "mds_reint_open");
    }
}
