//! A collective on real bytes, run lazily: a rank's rounds are done when its result is wanted.
//!
//! Members join as they call, and each is advanced to its end when it is to return; others are
//! pulled along only as far as what they send is needed, and then no further than a real library
//! would have had them go. What a rank sends is copied away when its round begins, so it may leave,
//! and reuse its buffer, long before the others have read it.

use std::sync::Arc;

use crate::{Algorithm, Collective, Kind, Land, Part, RoundSink};

/// The members' working buffers.
pub trait Memory {
    /// Appends the bytes of `part` of a rank's working buffer to `out`.
    fn read(&mut self, rank: u32, part: Part, out: &mut Vec<u8>);
    fn write(&mut self, rank: u32, at: u64, bytes: &[u8]);
    /// `here = bytes op here` if `left`, else `here = here op bytes`.
    fn combine(&mut self, rank: u32, at: u64, bytes: &[u8], left: bool);
    /// Copies a part of one rank's buffer into another's, or elsewhere into its own.
    fn copy(&mut self, from: u32, part: Part, to: u32, at: u64) {
        let mut bytes = Vec::with_capacity(part.len as usize);
        self.read(from, part, &mut bytes);
        self.write(to, at, &bytes);
    }
}

/// Why a rank cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// Bytes are needed that this rank will send, and it has not joined.
    NotJoined(u32),
    /// The two ranks disagree about the collective: another kind or root, or lengths that do not
    /// match. An error of the program, not of ours.
    Disagree { rank: u32, peer: u32 },
}

#[derive(Debug)]
struct Member {
    call: Collective,
    rounds: u32,
    /// Rounds begun: their sends are copied away.
    begun: u32,
    /// Rounds over: `begun` or one less.
    over: u32,
    /// Has been advanced to its end.
    left: bool,
    /// The last single part copied away, while it is still what the buffer holds: a broadcast
    /// sends the same bytes every round.
    recent: Option<(Part, Arc<Vec<u8>>)>,
}

/// One message, copied away by its sender.
#[derive(Debug)]
struct Mail {
    from: u32,
    round: u32,
    bytes: Arc<Vec<u8>>,
}

#[derive(Debug)]
pub struct Execution {
    members: Vec<Option<Member>>,
    /// Unread messages, by receiver.
    mail: Vec<Vec<Mail>>,
    n_left: u32,
    /// Who is being pulled, and how many rounds it must have begun.
    pulled: Vec<(u32, u32)>,
    round: Round,
    bytes: Vec<u8>,
}

/// A round written down. Reused.
#[derive(Debug, Default)]
struct Round {
    sends: Vec<(u32, Part)>,
    recvs: Vec<(u32, Part, Land)>,
    locals: Vec<(Part, Part, Land)>,
}

impl RoundSink for Round {
    fn send(&mut self, to: u32, part: Part) {
        if part.len > 0 {
            self.sends.push((to, part));
        }
    }
    fn recv(&mut self, from: u32, part: Part, land: Land) {
        if part.len > 0 {
            self.recvs.push((from, part, land));
        }
    }
    fn local(&mut self, from: Part, to: Part, land: Land) {
        self.locals.push((from, to, land));
    }
}

impl Execution {
    /// A collective of `size` members, none of which has joined.
    pub fn new(size: u32) -> Execution {
        Execution {
            members: (0..size).map(|_| None).collect(),
            mail: (0..size).map(|_| Vec::new()).collect(),
            n_left: 0,
            pulled: Vec::new(),
            round: Round::default(),
            bytes: Vec::new(),
        }
    }

    /// A rank has called, its contribution deposited. Its working buffer stays where `Memory`
    /// finds it until the rank has been advanced.
    pub fn join(&mut self, rank: u32, call: Collective) -> Result<(), Stuck> {
        assert!(self.members[rank as usize].is_none(), "rank {rank} joins a collective twice");
        let known = self.members.iter().flatten().next().map(|m| &m.call);
        if let Some(peer) = known {
            // Elements matter only where they are combined.
            let grain = |c: &Collective| if c.kind.reduces() { c.grain } else { 0 };
            let same = |c: &Collective| (c.kind, c.algorithm, c.root, c.seat.size, grain(c));
            if same(peer) != same(&call) {
                return Err(Stuck::Disagree { rank, peer: peer.seat.rank });
            }
        }
        let rounds = call.rounds();
        self.members[rank as usize] =
            Some(Member { call, rounds, begun: 0, over: 0, left: false, recent: None });
        Ok(())
    }
    pub fn has_joined(&self, rank: u32) -> bool {
        self.members[rank as usize].is_some()
    }
    /// Every member has been advanced to its end: nothing of this collective is wanted any more.
    pub fn is_over(&self) -> bool {
        self.n_left as usize == self.members.len()
    }
    /// Bytes copied away and not yet read.
    pub fn waiting_bytes(&self) -> u64 {
        self.mail.iter().flatten().map(|m| m.bytes.len() as u64).sum()
    }

    /// Runs all of a rank's rounds. After it the rank's result is in its working buffer and nobody
    /// will look there again. If a rank is missing, may be called again once that has joined.
    pub fn advance(&mut self, rank: u32, memory: &mut impl Memory) -> Result<(), Stuck> {
        let Some(member) = &self.members[rank as usize] else {
            return Err(Stuck::NotJoined(rank));
        };
        if member.left {
            return Ok(());
        }
        if is_direct(&member.call) {
            self.exchange(rank, memory)?;
        } else {
            self.pulled.clear();
            self.pulled.push((rank, u32::MAX));
            while let Some(&(rank, begun)) = self.pulled.last() {
                if !self.step(rank, begun, memory)? {
                    self.pulled.pop();
                }
            }
        }
        if let Some(member) = &mut self.members[rank as usize] {
            member.left = true;
            member.recent = None;
        }
        self.n_left += 1;
        Ok(())
    }

    /// One thing done towards `begun` rounds begun; `false` if there is none left to do.
    fn step(&mut self, rank: u32, begun: u32, memory: &mut impl Memory) -> Result<bool, Stuck> {
        let Some(member) = &self.members[rank as usize] else {
            return Err(Stuck::NotJoined(rank));
        };
        if member.begun >= begun || member.over == member.rounds {
            return Ok(false);
        }
        self.round.sends.clear();
        self.round.recvs.clear();
        self.round.locals.clear();
        member.call.round(member.over, &mut self.round);
        if member.begun == member.over {
            self.begin(rank, memory);
            return Ok(true);
        }
        let round = member.over;
        let n_pulled = self.pulled.len();
        let mut last = None;
        for &(from, ..) in &self.round.recvs {
            // Parts from one sender stand in a row.
            if last == Some(from) {
                continue;
            }
            last = Some(from);
            match &self.members[from as usize] {
                None => return Err(Stuck::NotJoined(from)),
                Some(m) if m.begun <= round && m.over < m.rounds => {
                    self.pulled.push((from, round + 1));
                }
                Some(_) => {}
            }
        }
        if self.pulled.len() == n_pulled {
            self.end(rank, round, memory)?;
        }
        Ok(true)
    }

    /// Copies away what `rank` sends in the round that is written down.
    fn begin(&mut self, rank: u32, memory: &mut impl Memory) {
        let Some(member) = &mut self.members[rank as usize] else { return };
        let round = member.begun;
        member.begun += 1;
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
            self.mail[to as usize].push(Mail { from: rank, round, bytes });
        }
    }

    /// Lands what `rank` receives in the round that is written down, then moves what it moves.
    fn end(&mut self, rank: u32, round: u32, memory: &mut impl Memory) -> Result<(), Stuck> {
        let mail = &mut self.mail[rank as usize];
        for message in self.round.recvs.chunk_by(|a, b| a.0 == b.0) {
            let from = message[0].0;
            let wrong = Err(Stuck::Disagree { rank, peer: from });
            let Some(at) = mail.iter().position(|m| m.from == from && m.round == round) else {
                return wrong;
            };
            let bytes = mail.swap_remove(at).bytes;
            let mut rest = &bytes[..];
            for &(_, part, land) in message {
                let Some((here, more)) = rest.split_at_checked(part.len as usize) else {
                    return wrong;
                };
                rest = more;
                match land {
                    Land::Write => memory.write(rank, part.at, here),
                    Land::CombineLeft => memory.combine(rank, part.at, here, true),
                    Land::CombineRight => memory.combine(rank, part.at, here, false),
                }
            }
            if !rest.is_empty() {
                return wrong;
            }
        }
        for &(from, to, land) in &self.round.locals {
            if land == Land::Write {
                memory.copy(rank, from, rank, to.at);
            } else {
                self.bytes.clear();
                memory.read(rank, from, &mut self.bytes);
                memory.combine(rank, to.at, &self.bytes, land == Land::CombineLeft);
            }
        }
        if let Some(member) = &mut self.members[rank as usize] {
            member.over += 1;
            if !self.round.recvs.is_empty() || !self.round.locals.is_empty() {
                member.recent = None;
            }
        }
        Ok(())
    }

    /// An exchange whose blocks go straight from sender to receiver: nothing received is ever sent
    /// on, so rounds decide only when, not what. `rank` fetches what those still here have for it,
    /// and hands those what it has for them; otherwise ranks that leave early would have to copy
    /// away size^2 blocks.
    fn exchange(&mut self, rank: u32, memory: &mut impl Memory) -> Result<(), Stuck> {
        let Some(me) = &self.members[rank as usize] else { return Err(Stuck::NotJoined(rank)) };
        let size = self.members.len() as u32;
        for peer in 0..size {
            let wrong = Err(Stuck::Disagree { rank, peer });
            match &self.members[peer as usize] {
                None if me.call.received(peer).len > 0 => return Err(Stuck::NotJoined(peer)),
                None => {}
                Some(m) if m.call.block(rank).len != me.call.received(peer).len => return wrong,
                Some(m) if m.call.received(rank).len != me.call.block(peer).len => return wrong,
                Some(_) => {}
            }
        }
        for peer in 0..size {
            let (mine, theirs) = (me.call.block(peer), me.call.received(peer));
            match &self.members[peer as usize] {
                Some(m) if m.left => {}
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
                    self.mail[peer as usize].push(Mail { from: rank, round: 0, bytes });
                }
            }
        }
        // From those who had left before this rank joined.
        for mail in self.mail[rank as usize].drain(..) {
            memory.write(rank, me.call.received(mail.from).at, &mail.bytes);
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
