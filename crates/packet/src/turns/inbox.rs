//! Packets in transit to each switch, by the window in which their heads arrive.

use super::{Packet, SLOTS};
use crate::packet::NONE;

/// Packets of a chunk.
const CHUNK: usize = 7;

/// Packets of one inbox, and the chunk before.
struct Chunk {
    packets: [Packet; CHUNK],
    before: u32,
}

#[derive(Clone, Copy)]
struct Inbox {
    /// The last chunk, and the packets in it.
    last: u32,
    len: u32,
}

pub(super) struct Inboxes {
    /// By window modulo `SLOTS`, and switch.
    all: Vec<Inbox>,
    n: usize,
    chunks: Vec<Chunk>,
    free: Vec<u32>,
    /// Packets of this turn and of the two before. They are written later, when their places are in
    /// a cache.
    outgoing: [Outgoing; 3],
}

/// Packets with their inboxes.
#[derive(Default)]
struct Outgoing {
    inboxes: Vec<u32>,
    packets: Vec<Packet>,
}

impl Inboxes {
    pub fn new(n: usize) -> Inboxes {
        let empty = Inbox { last: NONE, len: CHUNK as u32 };
        Inboxes {
            all: base::packed(std::iter::repeat_n(empty, n * SLOTS as usize)),
            n,
            chunks: base::with_capacity(2 * n),
            free: Vec::with_capacity(2 * n),
            outgoing: Default::default(),
        }
    }

    /// `packet` is in transit to `switch` and arrives in `window`, a later one.
    #[inline]
    pub fn send(&mut self, switch: u32, window: u64, packet: &Packet) {
        let inbox = self.at(switch as usize, window);
        base::prefetch_at(&self.all, inbox);
        let Outgoing { inboxes, packets } = &mut self.outgoing[0];
        inboxes.push(inbox as u32);
        packets.push(*packet);
    }

    /// A turn ends: writes the packets of the one before the last.
    #[inline]
    pub fn advance(&mut self) {
        let mut oldest = std::mem::take(&mut self.outgoing[2]);
        for (&inbox, packet) in oldest.inboxes.iter().zip(&oldest.packets) {
            self.push(inbox as usize, packet);
        }
        oldest.inboxes.clear();
        oldest.packets.clear();
        self.outgoing[2] = oldest;
        self.outgoing.rotate_right(1);
        for &inbox in &self.outgoing[2].inboxes {
            let Inbox { last, len } = self.all[inbox as usize];
            if let Some(chunk) = self.chunks.get(last as usize) {
                base::prefetch_at(&chunk.packets, len as usize % CHUNK);
            }
        }
    }

    /// Writes all packets.
    pub fn deliver(&mut self) {
        (0..self.outgoing.len()).for_each(|_| self.advance());
    }

    #[inline]
    fn at(&self, switch: usize, window: u64) -> usize {
        (window % SLOTS) as usize * self.n + switch
    }

    /// `packet` was taken too early.
    pub fn put_back(&mut self, switch: usize, window: u64, packet: &Packet) {
        self.push(self.at(switch, window), packet);
    }

    #[inline]
    fn push(&mut self, inbox: usize, packet: &Packet) {
        let inbox = &mut self.all[inbox];
        if inbox.len as usize == CHUNK {
            let before = inbox.last;
            inbox.last = match self.free.pop() {
                Some(at) => {
                    self.chunks[at as usize].before = before;
                    at
                }
                None => {
                    base::grow(&mut self.chunks);
                    self.chunks.push(Chunk { packets: [*packet; CHUNK], before });
                    self.chunks.len() as u32 - 1
                }
            };
            inbox.len = 0;
        }
        self.chunks[inbox.last as usize].packets[inbox.len as usize] = *packet;
        inbox.len += 1;
    }

    /// Moves the packets of `switch` in `window` to `out`.
    #[inline]
    pub fn take(&mut self, switch: usize, window: u64, out: &mut Vec<Packet>) {
        let at = self.at(switch, window);
        let inbox = &mut self.all[at];
        let Inbox { mut last, mut len } =
            std::mem::replace(inbox, Inbox { last: NONE, len: CHUNK as u32 });
        while last != NONE {
            let chunk = &self.chunks[last as usize];
            out.extend_from_slice(&chunk.packets[..len as usize]);
            self.free.push(last);
            (last, len) = (chunk.before, CHUNK as u32);
        }
    }

    /// Prefetches the inbox of `switch` in `window`.
    #[inline]
    pub fn prefetch_list(&self, switch: usize, window: u64) {
        base::prefetch_at(&self.all, self.at(switch, window));
    }

    /// The chunk of `switch` that is `back` before the last one, and the number of its packets.
    #[inline]
    fn chunk(&self, switch: usize, window: u64, back: usize) -> Option<(u32, usize)> {
        let Inbox { mut last, mut len } = self.all[self.at(switch, window)];
        for _ in 0..back {
            last = self.chunks.get(last as usize)?.before;
            len = CHUNK as u32;
        }
        (last != NONE).then_some((last, len as usize))
    }

    /// Prefetches a chunk of `switch`, and returns whether there is one. The chunk behind it is
    /// present.
    #[inline]
    pub fn prefetch_chunk(&self, switch: usize, window: u64, back: usize) -> bool {
        let chunk = self.chunk(switch, window, back);
        if let Some((chunk, _)) = chunk {
            base::prefetch_all_at(&self.chunks, chunk as usize);
        }
        chunk.is_some()
    }

    /// The packets of the last two chunks of `switch`.
    #[inline]
    pub fn each(&self, switch: usize, window: u64, mut f: impl FnMut(&Packet)) {
        for back in 0..2 {
            let Some((chunk, len)) = self.chunk(switch, window, back) else { return };
            self.chunks[chunk as usize].packets[..len].iter().for_each(&mut f);
        }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.all[..])
            + self.chunks.len() * size_of::<Chunk>()
            + self.free.capacity() * size_of::<u32>()
    }
}
