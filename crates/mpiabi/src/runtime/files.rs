//! File calls of the process in MPI: a request in the rank's region, and its reply.

use workload::file_request::FileReply;
use workload::wire::{self, FileBlock, Segment, Submission};

use super::{Held, alloc, free, release_token, submit, token, turn, wait_all, with};

/// Writes a file request into a block, with an empty reply.
pub(super) fn write_file_request(segment: Segment, block: u64, request: &[u8]) {
    // SAFETY: the caller's block has room for both.
    unsafe {
        segment.ptr(block).cast::<FileBlock>().write(FileBlock::default());
        let to = segment.ptr(block + FileBlock::BYTES);
        to.copy_from_nonoverlapping(request.as_ptr(), request.len());
    }
}
/// Reads the reply from a block whose request has `bytes`, with room for `capacity` bytes of data.
pub(super) fn read_file_reply(
    segment: Segment,
    block: u64,
    bytes: u64,
    capacity: u64,
    reply: &mut FileReply,
) {
    // SAFETY: written by the simulator, which has returned the turn; the caller provides the memory
    // of the data.
    unsafe {
        let found = segment.ptr(block).cast::<FileBlock>().read();
        (reply.errno, reply.value) = (found.errno, found.value);
        (reply.size, reply.offset) = (found.size, found.offset);
        reply.data_bytes = found.data_bytes;
        (reply.elapsed_ps, reply.completed_ps) = (found.elapsed_ps, found.completed_ps);
        reply.inode = found.inode;
        (reply.accessed_ns, reply.modified_ns) = (found.accessed_ns, found.modified_ns);
        reply.changed_ns = found.changed_ns;
        if found.data_bytes != u64::MAX && capacity > 0 {
            let n = found.data_bytes.min(capacity) as usize;
            reply.data.copy_from_nonoverlapping(segment.ptr(block + FileBlock::data_at(bytes)), n);
        }
    }
}
/// A file call of the process in MPI that is in flight.
pub struct FileCallInFlight {
    pub token: u32,
    block: u64,
    bytes: u64,
    capacity: u64,
}
/// Submits a file call, with room for `capacity` bytes of returned data.
pub fn submit_file(held: &Held, request: &[u8], capacity: u64) -> FileCallInFlight {
    let bytes = request.len() as u64;
    let block = alloc(held, FileBlock::data_at(bytes) + capacity);
    turn::acquire_turn(held);
    let segment = with(held, |rt| rt.segment);
    write_file_request(segment, block, request);
    let (kind, token) = (wire::kind::FILE, token(held));
    let what = Submission { kind, token, block, bytes, grain: capacity, ..Submission::default() };
    submit(held, what);
    FileCallInFlight { token, block, bytes, capacity }
}
/// Reads the reply to a completed call. The caller releases the token.
pub fn file_reply(held: &Held, call: &FileCallInFlight, reply: &mut FileReply) {
    let segment = with(held, |rt| rt.segment);
    read_file_reply(segment, call.block, call.bytes, call.capacity, reply);
    free(held, call.block);
}
/// Submits a file call of the process in MPI and waits for its completion.
pub fn call_file(held: &Held, request: &[u8], reply: &mut FileReply) {
    let call = submit_file(held, request, reply.capacity);
    wait_all(held, &[call.token]);
    file_reply(held, &call, reply);
    release_token(held, call.token);
}
