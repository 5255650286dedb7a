//! Messages of 32-bit words between two ranks, in contexts of the library's own.

use std::ffi::c_int;

use workload::wire::{Submission, kind};

use crate::runtime::{self, Held};

/// Longer than any message: the received block is as long as it was sent.
const ANY_LENGTH: u64 = 1 << 40;

fn start_send(held: &Held, to: u32, context: u32, tag: c_int, words: &[u32]) -> u32 {
    let (token, bytes) = (runtime::token(held), 4 * words.len() as u64);
    let block = runtime::alloc(held, bytes);
    // SAFETY: a new block with room for all words.
    unsafe {
        let at = runtime::address(held, block).cast::<u32>();
        at.copy_from_nonoverlapping(words.as_ptr(), words.len());
    }
    let (kind, peer) = (kind::SEND, to);
    let what = Submission { kind, token, peer, tag, context, ..Submission::default() };
    runtime::submit(held, Submission { bytes, block, ..what });
    token
}

fn start_receive(held: &Held, from: u32, context: u32, tag: c_int) -> u32 {
    let (token, bytes) = (runtime::token(held), ANY_LENGTH);
    let (kind, peer) = (kind::RECV, from);
    let what = Submission { kind, token, peer, tag, context, ..Submission::default() };
    runtime::submit(held, Submission { bytes, ..what });
    token
}

/// The received words.
fn take(held: &Held, token: u32) -> Vec<u32> {
    let done = runtime::completion(held, token).expect("waited for");
    runtime::release_token(held, token);
    let at = runtime::address(held, done.block).cast::<u32>();
    // SAFETY: the sender's block of that many words.
    let words = (0..done.bytes as usize / 4).map(|i| unsafe { at.add(i).read() }).collect();
    runtime::free(held, done.block);
    words
}

/// Maximum of the members' values, by recursive doubling as in MPICH's allreduce of a group
/// (`MPII_Allreduce_group`). Members beyond a power of two first send theirs to a neighbor, and
/// receive the result last. Messages are as long as MPICH's, which carry a mask.
pub(super) fn allreduce_max(
    held: &Held,
    members: &[u32],
    mine: usize,
    context: u32,
    tag: c_int,
    own: u32,
) -> u32 {
    let mut known = [0; super::MASK_BYTES as usize / 4];
    known[0] = own;
    let (doubled, size) = (1 << members.len().ilog2(), members.len());
    let spare = size - doubled;
    let is_spare = mine < 2 * spare && mine.is_multiple_of(2);
    if is_spare {
        send(held, members[mine + 1], context, tag, &known);
        return receive(held, members[mine + 1], context, tag)[0];
    }
    let has_spare = mine < 2 * spare;
    if has_spare {
        known[0] = known[0].max(receive(held, members[mine - 1], context, tag)[0]);
    }
    let place = if has_spare { mine / 2 } else { mine - spare };
    for round in 0..doubled.ilog2() {
        let other = place ^ 1 << round;
        let with = if other < spare { 2 * other + 1 } else { other + spare };
        known[0] = known[0].max(sendrecv(held, members[with], context, tag, &known)[0]);
    }
    if has_spare {
        send(held, members[mine - 1], context, tag, &known);
    }
    known[0]
}

fn send(held: &Held, to: u32, context: u32, tag: c_int, words: &[u32]) {
    let token = start_send(held, to, context, tag, words);
    runtime::wait_all(held, &[token]);
    runtime::release_token(held, token);
}

fn receive(held: &Held, from: u32, context: u32, tag: c_int) -> Vec<u32> {
    let token = start_receive(held, from, context, tag);
    runtime::wait_all(held, &[token]);
    take(held, token)
}

/// Sends and receives at once: neither side waits for the other to receive first.
pub(super) fn sendrecv(
    held: &Held,
    with: u32,
    context: u32,
    tag: c_int,
    words: &[u32],
) -> Vec<u32> {
    let incoming = start_receive(held, with, context, tag);
    let outgoing = start_send(held, with, context, tag, words);
    runtime::wait_all(held, &[incoming, outgoing]);
    runtime::release_token(held, outgoing);
    take(held, incoming)
}
