//! Lists of words between two ranks, in contexts of the library's own.

use std::ffi::c_int;

use workload::wire::{Submission, kind};

use crate::runtime::{self, Held};

/// More than any message has: the block that arrives is as long as it was sent.
const ANY_LENGTH: u64 = 1 << 40;

fn start_send(held: &Held, to: u32, context: u32, tag: c_int, words: &[u32]) -> u32 {
    let (token, bytes) = (runtime::token(held), 4 * words.len() as u64);
    let block = runtime::alloc(held, bytes);
    // SAFETY: a fresh block with room for all of them.
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

/// What has arrived.
fn take(held: &Held, token: u32) -> Vec<u32> {
    let done = runtime::completion(held, token).expect("waited for");
    runtime::release_token(held, token);
    let at = runtime::address(held, done.block).cast::<u32>();
    // SAFETY: the sender's block of that many words.
    let words = (0..done.bytes as usize / 4).map(|i| unsafe { at.add(i).read() }).collect();
    runtime::free(held, done.block);
    words
}

pub(super) fn send(held: &Held, to: u32, context: u32, tag: c_int, words: &[u32]) {
    let token = start_send(held, to, context, tag, words);
    runtime::wait_all(held, &[token]);
    runtime::release_token(held, token);
}

pub(super) fn receive(held: &Held, from: u32, context: u32, tag: c_int) -> Vec<u32> {
    let token = start_receive(held, from, context, tag);
    runtime::wait_all(held, &[token]);
    take(held, token)
}

/// Both at once: neither side waits for the other to receive first.
pub(super) fn swap(held: &Held, with: u32, context: u32, tag: c_int, words: &[u32]) -> Vec<u32> {
    let incoming = start_receive(held, with, context, tag);
    let outgoing = start_send(held, with, context, tag, words);
    runtime::wait_all(held, &[incoming, outgoing]);
    runtime::release_token(held, outgoing);
    take(held, incoming)
}
