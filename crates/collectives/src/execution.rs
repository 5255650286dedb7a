//! Executes a collective on real bytes, lazily: the rounds of a rank are executed when its result
//! is needed.
//!
//! Members join as they call. Each is advanced to its end when it is to return. Other members are
//! advanced only as far as their sends are needed, and no further than a real library would have
//! progressed. A rank's sends are copied when its round begins, so the rank may return and reuse
//! its buffer before others have read the data.

use std::sync::Arc;

use crate::{Algorithm, ApplyMode, ByteRange, Collective, Kind, RoundSink};

/// Access to the members' working buffers.
pub trait Memory {
    /// Appends the bytes of `part` of a rank's working buffer to `out`.
    fn read(&mut self, rank: u32, part: ByteRange, out: &mut Vec<u8>);
    fn write(&mut self, rank: u32, at: u64, bytes: &[u8]);
    /// `here = bytes op here` if `left`, else `here = here op bytes`.
    fn combine(&mut self, rank: u32, at: u64, bytes: &[u8], left: bool);
    /// Copies a range of one rank's buffer to another rank's, or within one buffer.
    fn copy(&mut self, from: u32, part: ByteRange, to: u32, at: u64) {
        let mut bytes = Vec::with_capacity(part.len as usize);
        self.read(from, part, &mut bytes);
        self.write(to, at, &bytes);
    }
}

/// Why a rank cannot advance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// It needs data from this rank, which has not joined.
    NotJoined(u32),
    /// The two ranks disagree about the collective: kind, root, or lengths. This is an error of the
    /// simulated program.
    Mismatch { rank: u32, peer: u32 },
}

#[derive(Debug)]
struct MemberState {
    call: Collective,
    rounds: u32,
    /// Rounds whose sends have been copied.
    rounds_begun: u32,
    /// Rounds completed: `rounds_begun` or one less.
    rounds_done: u32,
    /// All rounds are completed.
    is_done: bool,
    /// The last single range copied, while the buffer still holds the same data: a broadcast sends
    /// the same bytes every round.
    recent: Option<(ByteRange, Arc<Vec<u8>>)>,
}

/// A message, copied by its sender.
#[derive(Debug)]
struct Message {
    from: u32,
    round: u32,
    bytes: Arc<Vec<u8>>,
}

#[derive(Debug)]
pub struct Execution {
    members: Vec<Option<MemberState>>,
    /// Unread messages, by receiver.
    inbox: Vec<Vec<Message>>,
    n_done: u32,
    /// Stack of ranks to advance, each with the number of rounds it must have begun.
    pending: Vec<(u32, u32)>,
    round: Round,
    bytes: Vec<u8>,
}

/// The actions of one round. Reused.
#[derive(Debug, Default)]
struct Round {
    sends: Vec<(u32, ByteRange)>,
    recvs: Vec<(u32, ByteRange, ApplyMode)>,
    locals: Vec<(ByteRange, ByteRange, ApplyMode)>,
}

impl RoundSink for Round {
    fn send(&mut self, to: u32, part: ByteRange) {
        if part.len > 0 {
            self.sends.push((to, part));
        }
    }
    fn recv(&mut self, from: u32, part: ByteRange, mode: ApplyMode) {
        if part.len > 0 {
            self.recvs.push((from, part, mode));
        }
    }
    fn local(&mut self, from: ByteRange, to: ByteRange, mode: ApplyMode) {
        self.locals.push((from, to, mode));
    }
}

impl Execution {
    /// A collective of `size` members, none of which has joined.
    pub fn new(size: u32) -> Execution {
        Execution {
            members: (0..size).map(|_| None).collect(),
            inbox: (0..size).map(|_| Vec::new()).collect(),
            n_done: 0,
            pending: Vec::new(),
            round: Round::default(),
            bytes: Vec::new(),
        }
    }

    /// A rank has called and deposited its contribution. `Memory` must provide its working buffer
    /// until the rank has been advanced.
    pub fn join(&mut self, rank: u32, call: Collective) -> Result<(), Blocked> {
        assert!(self.members[rank as usize].is_none(), "rank {rank} joins a collective twice");
        let known = self.members.iter().flatten().next().map(|m| &m.call);
        if let Some(peer) = known {
            // Element sizes must agree only where elements are combined.
            let grain = |c: &Collective| if c.kind.reduces() { c.grain } else { 0 };
            let same = |c: &Collective| (c.kind, c.algorithm, c.root, c.member.size, grain(c));
            if same(peer) != same(&call) {
                return Err(Blocked::Mismatch { rank, peer: peer.member.rank });
            }
        }
        let rounds = call.rounds();
        self.members[rank as usize] = Some(MemberState {
            call,
            rounds,
            rounds_begun: 0,
            rounds_done: 0,
            is_done: false,
            recent: None,
        });
        Ok(())
    }
    pub fn has_joined(&self, rank: u32) -> bool {
        self.members[rank as usize].is_some()
    }
    /// Every member has been advanced to its end.
    pub fn is_complete(&self) -> bool {
        self.n_done as usize == self.members.len()
    }
    /// Bytes copied and not yet received.
    pub fn unread_bytes(&self) -> u64 {
        self.inbox.iter().flatten().map(|m| m.bytes.len() as u64).sum()
    }

    /// Executes all rounds of a rank. Afterwards the result is in its working buffer, which is not
    /// accessed again. If a rank is missing, the call can be repeated after that rank has joined.
    pub fn advance(&mut self, rank: u32, memory: &mut impl Memory) -> Result<(), Blocked> {
        let Some(member) = &self.members[rank as usize] else {
            return Err(Blocked::NotJoined(rank));
        };
        if member.is_done {
            return Ok(());
        }
        if is_direct(&member.call) {
            self.exchange(rank, memory)?;
        } else {
            self.pending.clear();
            self.pending.push((rank, u32::MAX));
            while let Some(&(rank, rounds_begun)) = self.pending.last() {
                if !self.step(rank, rounds_begun, memory)? {
                    self.pending.pop();
                }
            }
        }
        if let Some(member) = &mut self.members[rank as usize] {
            member.is_done = true;
            member.recent = None;
        }
        self.n_done += 1;
        Ok(())
    }

    /// Makes one step towards `rounds_begun` rounds; `false` if none is left.
    fn step(
        &mut self,
        rank: u32,
        rounds_begun: u32,
        memory: &mut impl Memory,
    ) -> Result<bool, Blocked> {
        let Some(member) = &self.members[rank as usize] else {
            return Err(Blocked::NotJoined(rank));
        };
        if member.rounds_begun >= rounds_begun || member.rounds_done == member.rounds {
            return Ok(false);
        }
        self.round.sends.clear();
        self.round.recvs.clear();
        self.round.locals.clear();
        member.call.round(member.rounds_done, &mut self.round);
        if member.rounds_begun == member.rounds_done {
            self.begin(rank, memory);
            return Ok(true);
        }
        let round = member.rounds_done;
        let n_pending = self.pending.len();
        let mut last = None;
        for &(from, ..) in &self.round.recvs {
            // Ranges from one sender are adjacent.
            if last == Some(from) {
                continue;
            }
            last = Some(from);
            match &self.members[from as usize] {
                None => return Err(Blocked::NotJoined(from)),
                Some(m) if m.rounds_begun <= round && m.rounds_done < m.rounds => {
                    self.pending.push((from, round + 1));
                }
                Some(_) => {}
            }
        }
        if self.pending.len() == n_pending {
            self.end(rank, round, memory)?;
        }
        Ok(true)
    }

    /// Copies the sends of `rank` in the current round.
    fn begin(&mut self, rank: u32, memory: &mut impl Memory) {
        let Some(member) = &mut self.members[rank as usize] else { return };
        let round = member.rounds_begun;
        member.rounds_begun += 1;
        for message in self.round.sends.chunk_by(|a, b| a.0 == b.0) {
            let (to, part) = message[0];
            let bytes = match &member.recent {
                Some((recent, bytes)) if message.len() == 1 && *recent == part => bytes.clone(),
                _ => {
                    let len: u64 = message.iter().map(|(_, part)| part.len).sum();
                    let mut bytes = Vec::with_capacity(len as usize);
                    for &(_, part) in message {
                        memory.read(rank, part, &mut bytes);
                    }
                    let bytes = Arc::new(bytes);
                    if message.len() == 1 {
                        member.recent = Some((part, bytes.clone()));
                    }
                    bytes
                }
            };
            self.inbox[to as usize].push(Message { from: rank, round, bytes });
        }
    }

    /// Applies the receives of `rank` in the current round, then its local moves.
    fn end(&mut self, rank: u32, round: u32, memory: &mut impl Memory) -> Result<(), Blocked> {
        let inbox = &mut self.inbox[rank as usize];
        for message in self.round.recvs.chunk_by(|a, b| a.0 == b.0) {
            let from = message[0].0;
            let wrong = Err(Blocked::Mismatch { rank, peer: from });
            let Some(at) = inbox.iter().position(|m| m.from == from && m.round == round) else {
                return wrong;
            };
            let bytes = inbox.swap_remove(at).bytes;
            let mut rest = &bytes[..];
            for &(_, part, mode) in message {
                let Some((here, more)) = rest.split_at_checked(part.len as usize) else {
                    return wrong;
                };
                rest = more;
                match mode {
                    ApplyMode::Write => memory.write(rank, part.at, here),
                    ApplyMode::CombineLeft => memory.combine(rank, part.at, here, true),
                    ApplyMode::CombineRight => memory.combine(rank, part.at, here, false),
                }
            }
            if !rest.is_empty() {
                return wrong;
            }
        }
        for &(from, to, mode) in &self.round.locals {
            if mode == ApplyMode::Write {
                memory.copy(rank, from, rank, to.at);
            } else {
                self.bytes.clear();
                memory.read(rank, from, &mut self.bytes);
                memory.combine(rank, to.at, &self.bytes, mode == ApplyMode::CombineLeft);
            }
        }
        if let Some(member) = &mut self.members[rank as usize] {
            member.rounds_done += 1;
            if !self.round.recvs.is_empty() || !self.round.locals.is_empty() {
                member.recent = None;
            }
        }
        Ok(())
    }

    /// A direct exchange: no received data is forwarded, so rounds decide when and not what. `rank`
    /// copies blocks from and to the members that are not done. Otherwise ranks that finish early
    /// would leave size^2 copied blocks.
    fn exchange(&mut self, rank: u32, memory: &mut impl Memory) -> Result<(), Blocked> {
        let Some(me) = &self.members[rank as usize] else { return Err(Blocked::NotJoined(rank)) };
        let size = self.members.len() as u32;
        for peer in 0..size {
            let wrong = Err(Blocked::Mismatch { rank, peer });
            match &self.members[peer as usize] {
                None if me.call.received(peer).len > 0 => return Err(Blocked::NotJoined(peer)),
                None => {}
                Some(m) if m.call.block(rank).len != me.call.received(peer).len => return wrong,
                Some(m) if m.call.received(rank).len != me.call.block(peer).len => return wrong,
                Some(_) => {}
            }
        }
        for peer in 0..size {
            let (mine, theirs) = (me.call.block(peer), me.call.received(peer));
            match &self.members[peer as usize] {
                Some(m) if m.is_done => {}
                Some(m) => {
                    memory.copy(peer, m.call.block(rank), rank, theirs.at);
                    if peer != rank {
                        memory.copy(rank, mine, peer, m.call.received(rank).at);
                    }
                }
                None if mine.len == 0 => {}
                None => {
                    let mut bytes = Vec::with_capacity(mine.len as usize);
                    memory.read(rank, mine, &mut bytes);
                    let bytes = Arc::new(bytes);
                    self.inbox[peer as usize].push(Message { from: rank, round: 0, bytes });
                }
            }
        }
        // From members that were done before this rank joined.
        for message in self.inbox[rank as usize].drain(..) {
            memory.write(rank, me.call.received(message.from).at, &message.bytes);
        }
        Ok(())
    }
}

fn is_direct(call: &Collective) -> bool {
    matches!(call.kind, Kind::Alltoall | Kind::Alltoallv)
        && matches!(
            call.algorithm,
            Algorithm::Scattered { .. } | Algorithm::Chunked { .. } | Algorithm::Pairwise
        )
}
