//! The rank's side of the protocol of `wire`: a minimal replacement of the MPI library for tests.

use std::sync::atomic::{AtomicU32, Ordering};
use workload::functions::FUNCTIONS;
use workload::wire::combine::{builtin, element, op};
use workload::wire::{self, Arena, Arrival, Completion, Control, Direct, Segment, Submission};
use workload::wire::{flag, kind, wait};

/// A reduction into the first operand; the flag is true if the other precedes it in rank order.
pub type Operator = fn(&mut [u8], &[u8], bool);

/// A one-sided operation of these tests, on a word of the target's memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TestAccess {
    arrival: Arrival,
    pub place: u64,
    pub value: u64,
    /// Adds the value, or replaces the word.
    pub adds: u64,
    /// The previous value, if requested.
    pub found: u64,
}

/// What a rank does instead of applying accesses, to test the end of the job.
#[derive(Clone, Copy, PartialEq)]
pub enum Applying {
    Works,
    Aborts,
    Dies,
}

pub struct Rank {
    pub rank: u32,
    pub size: u32,
    pub arena: Arena,
    segment: Segment,
    control: *mut Control,
    submitted: u32,
    tokens: u32,
    free: Vec<u32>,
    function: u32,
    /// Charged before the next submission or hand-over.
    pub after_ps: u64,
    pub user: Option<Operator>,
    /// Memory that others access; how often this rank was woken only to apply accesses.
    pub memory: Vec<u64>,
    pub woken: u32,
    /// Polls answered here, those not reported to the simulator yet, and how many more are allowed.
    pub spared: u32,
    spent: u32,
    spare: u32,
    pub applying: Applying,
}

/// The index of an MPI function.
pub fn id(name: &str) -> u32 {
    FUNCTIONS.iter().position(|f| *f == name).expect("an MPI function") as u32
}

impl Rank {
    /// Maps the segment that the environment names.
    pub fn attach() -> Rank {
        let number = |name| std::env::var(name).unwrap().parse::<u32>().unwrap();
        let (fd, rank) = (number(wire::ENV_FD) as i32, number(wire::ENV_RANK));
        let map = |bytes: u64| unsafe {
            let (rw, how) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
            let at = libc::mmap(std::ptr::null_mut(), bytes as usize, rw, how, fd, 0);
            assert_ne!(at, libc::MAP_FAILED);
            Segment::at(at.cast())
        };
        unsafe {
            let header = map(wire::HEADER_BYTES).header();
            assert_eq!((*header).magic, wire::MAGIC);
            let size = (*header).ranks;
            let segment = map((*header).layout.bytes(size));
            let control = segment.control(rank);
            (*control).pid = std::process::id();
            (*control).state.store(wire::state::ACTIVE, Ordering::Release);
            Rank {
                rank,
                size,
                arena: Arena::new(segment, rank),
                segment,
                control,
                submitted: 0,
                tokens: 0,
                free: Vec::new(),
                function: id("MPI_Init"),
                after_ps: 0,
                user: None,
                memory: vec![0; 4096],
                woken: 0,
                spared: 0,
                spent: 0,
                spare: 0,
                applying: Applying::Works,
            }
        }
    }

    pub fn calls(&mut self, name: &str) {
        self.function = id(name);
        unsafe {
            *self.segment.tally(self.rank).add(self.function as usize) += 1;
            (*self.control).entered.store(self.function, Ordering::Relaxed);
        }
    }
    pub fn now_ps(&self) -> u64 {
        unsafe { (*self.control).now_ps }
    }
    pub fn node_name(&self) -> String {
        let name = unsafe { (*self.control).node_name };
        name.iter().take_while(|&&b| b != 0).map(|&b| b as char).collect()
    }

    pub fn token(&mut self) -> u32 {
        let token = self.free.pop().unwrap_or_else(|| {
            self.tokens += 1;
            self.tokens - 1
        });
        unsafe { *self.segment.completion(self.rank, token) = Completion::default() };
        token
    }
    pub fn done(&self, token: u32) -> Option<Completion> {
        let completion = unsafe { *self.segment.completion(self.rank, token) };
        (completion.done != 0).then_some(completion)
    }
    pub fn release(&mut self, token: u32) {
        self.free.push(token);
    }

    #[allow(clippy::mut_from_ref)] // shared memory: whose turn it is decides, not who borrows
    pub fn bytes(&self, at: u64, n: u64) -> &mut [u8] {
        unsafe { std::slice::from_raw_parts_mut(self.segment.ptr(at), n as usize) }
    }
    pub fn block(&mut self, bytes: &[u8]) -> u64 {
        let at = self.arena.alloc(bytes.len() as u64).unwrap();
        self.bytes(at, bytes.len() as u64).copy_from_slice(bytes);
        at
    }
    pub fn free(&self, block: u64) {
        unsafe { wire::return_block(self.segment, block) };
    }

    pub fn submit(&mut self, s: Submission) {
        if self.submitted as usize == wire::RING {
            self.hand_over(wait::NONE, &[]);
        }
        let after_ps = std::mem::take(&mut self.after_ps);
        let s = Submission { function: self.function, after_ps, ..s };
        unsafe { *self.segment.submission(self.rank, self.submitted as usize) = s };
        self.submitted += 1;
    }

    pub fn hand_over(&mut self, mode: u32, tokens: &[u32]) {
        loop {
            unsafe {
                self.segment.waits(self.rank).copy_from(tokens.as_ptr(), tokens.len());
                let control = &mut *self.control;
                control.submitted = std::mem::take(&mut self.submitted);
                control.wait_mode = mode;
                control.wait_count = tokens.len() as u32;
                control.function = self.function;
                control.after_ps = std::mem::take(&mut self.after_ps);
                control.local_polls_used = std::mem::take(&mut self.spent);
            }
            self.give_turn_away();
            self.sleep();
            self.apply();
            let (command, order) = unsafe { ((*self.control).command, (*self.control).combine) };
            match command {
                wire::command::RUN => return,
                wire::command::COMBINE => {
                    let (into, from) =
                        (self.bytes(order.into, order.bytes), self.bytes(order.from, order.bytes));
                    self.user.expect("an operator")(into, from, order.left == 1);
                }
                wire::command::APPLY => self.woken += 1,
                _ => std::process::exit(9),
            }
        }
    }
    /// Applies the incoming accesses in order.
    fn apply(&mut self) {
        let mut at = unsafe { std::mem::take(&mut (*self.control).incoming) };
        if at != 0 && self.applying == Applying::Dies {
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        if at != 0 && self.applying == Applying::Aborts {
            self.applying = Applying::Works;
            self.abort(17);
        }
        while at != 0 {
            let reach = unsafe { &mut *self.segment.ptr(at).cast::<TestAccess>() };
            let next = reach.arrival.next;
            let word = &mut self.memory[reach.place as usize];
            reach.found = *word;
            *word = if reach.adds != 0 { *word + reach.value } else { reach.value };
            if reach.arrival.flags & flag::FETCH == 0 {
                self.free(at);
            }
            at = next;
        }
    }
    fn give_turn_away(&self) {
        let (control, header) = unsafe { (&*self.control, &*self.segment.header()) };
        let (turn, running) = (&control.turn, &header.running);
        turn.store(0, Ordering::Relaxed);
        let back = wire::presence::HANDED_OVER;
        if control.presence.swap(back, Ordering::AcqRel) == wire::presence::DETACHED {
            header.wake_requests.fetch_add(1, Ordering::AcqRel);
            futex(&header.wake_requests, libc::FUTEX_WAKE, 1);
            return;
        }
        if running.fetch_sub(1, Ordering::AcqRel) == 1 {
            futex(running, libc::FUTEX_WAKE, 1);
        }
    }
    fn sleep(&self) {
        let turn = unsafe { &(*self.control).turn };
        while turn.load(Ordering::Acquire) != 1 {
            futex(turn, libc::FUTEX_WAIT, 0);
        }
    }

    // -- Calls ------------------------------------------------------------------------------------

    pub fn isend(&mut self, to: u32, tag: i32, bytes: &[u8]) -> u32 {
        let (token, block) = (self.token(), self.block(bytes));
        let bytes = bytes.len() as u64;
        self.submit(Submission { kind: kind::SEND, token, peer: to, tag, bytes, block, ..EMPTY });
        token
    }
    pub fn irecv(&mut self, from: u32, tag: i32, bytes: u64) -> u32 {
        let token = self.token();
        self.submit(Submission { kind: kind::RECV, token, peer: from, tag, bytes, ..EMPTY });
        token
    }
    /// A poll, answered here if allowed.
    pub fn poll(&mut self, token: u32) {
        self.calls("MPI_Test");
        if self.spare > 0 && self.submitted == 0 {
            self.spare -= 1;
            self.spent += 1;
            self.spared += 1;
            self.after_ps += unsafe { (*self.control).poll_ps };
        } else {
            self.hand_over(wait::POLL, &[token]);
            self.spare = unsafe { (*self.control).unsuccessful_polls };
        }
    }
    pub fn wait_all(&mut self, tokens: &[u32]) {
        self.hand_over(wait::ALL, tokens);
    }
    /// The payload of a receive; frees its token and block.
    pub fn received(&mut self, token: u32) -> Vec<u8> {
        let completion = self.done(token).expect("the receive is done");
        let bytes = self.bytes(completion.block, completion.bytes).to_vec();
        self.free(completion.block);
        self.release(token);
        bytes
    }
    pub fn send(&mut self, to: u32, tag: i32, bytes: &[u8]) {
        self.calls("MPI_Send");
        let token = self.isend(to, tag, bytes);
        self.wait_all(&[token]);
        self.release(token);
    }
    pub fn recv(&mut self, from: u32, tag: i32, bytes: u64) -> Vec<u8> {
        self.calls("MPI_Recv");
        let token = self.irecv(from, tag, bytes);
        self.wait_all(&[token]);
        self.received(token)
    }
    /// A collective on the world communicator, with `buffer` as its working buffer.
    pub fn collective(&mut self, s: Submission, buffer: &mut [u8]) -> Completion {
        let (token, block) = (self.token(), self.block(buffer));
        let grain = s.grain.max(1);
        let peer = self.rank;
        let s = Submission { kind: kind::COLLECTIVE, token, peer, block, grain, ..s };
        self.submit(s);
        self.wait_all(&[token]);
        buffer.copy_from_slice(self.bytes(block, buffer.len() as u64));
        self.free(block);
        self.release(token);
        self.done(token).unwrap()
    }
    /// Starts an access of 8 bytes; with `FETCH`, 8 bytes return.
    pub fn reach(&mut self, to: u32, place: u64, value: u64, adds: bool, flags: u32) -> (u32, u64) {
        let (token, block) =
            (self.token(), self.arena.alloc(size_of::<TestAccess>() as u64).unwrap());
        let arrival = Arrival { origin: self.rank, flags, ..Arrival::default() };
        let reach = TestAccess { arrival, place, value, adds: adds.into(), found: u64::MAX };
        unsafe { self.segment.ptr(block).cast::<TestAccess>().write(reach) };
        let grain = if flags & flag::FETCH != 0 { 8 } else { 0 };
        let s = Submission { kind: kind::ONE_SIDED, flags, token, peer: to, ..EMPTY };
        self.submit(Submission { bytes: 8, grain, block, ..s });
        (token, block)
    }
    /// Lets the simulator add an access's value to the word at `at` of the segment; the previous
    /// value replaces the value of the access.
    pub fn make_direct(&self, block: u64, at: u64) {
        let area = block + std::mem::offset_of!(TestAccess, value) as u64;
        let combine = builtin(op::SUM, element::U64);
        let direct = Direct { work: wire::work::ACCUMULATE, combine, at, area, bytes: 8 };
        unsafe { (*self.segment.ptr(block).cast::<TestAccess>()).arrival.direct = direct };
    }
    pub fn value(&self, block: u64) -> u64 {
        unsafe { (*self.segment.ptr(block).cast::<TestAccess>()).value }
    }
    /// Adds to a word of another rank's memory; returns its previous value.
    pub fn fetch_add(&mut self, to: u32, place: u64, value: u64) -> u64 {
        self.calls("MPI_Fetch_and_op");
        let (token, block) = self.reach(to, place, value, true, flag::FETCH | flag::ATOMIC);
        self.wait_all(&[token]);
        let found = self.reached(block);
        self.free(block);
        self.release(token);
        found
    }
    /// The previous value that an access has returned.
    pub fn reached(&self, block: u64) -> u64 {
        unsafe { (*self.segment.ptr(block).cast::<TestAccess>()).found }
    }
    /// Submits an operation without data and waits for it.
    pub fn simple(&mut self, s: Submission) -> Completion {
        let token = self.token();
        self.submit(Submission { token, ..s });
        self.wait_all(&[token]);
        self.release(token);
        self.done(token).unwrap()
    }
    pub fn barrier(&mut self) {
        self.calls("MPI_Barrier");
        self.collective(EMPTY, &mut []);
    }
    pub fn finalize(&mut self) {
        self.calls("MPI_Finalize");
        self.submit(Submission { kind: kind::EXIT, ..EMPTY });
        unsafe { (*self.control).state.store(wire::state::FINALIZED, Ordering::Release) };
        self.hand_over(wait::NONE, &[]);
    }
    pub fn abort(&mut self, code: i32) -> ! {
        self.calls("MPI_Abort");
        unsafe {
            (*self.control).abort_code = code;
            (*self.control).state.store(wire::state::ABORTED, Ordering::Release);
        }
        self.hand_over(wait::NEVER, &[]);
        unreachable!("nobody comes back from an abort");
    }
    pub fn probe(&mut self, from: u32, tag: i32, flags: u32) -> Option<(u32, Completion)> {
        self.calls(if flags & flag::WAIT != 0 { "MPI_Probe" } else { "MPI_Iprobe" });
        let token = self.token();
        self.submit(Submission { kind: kind::PROBE, flags, token, peer: from, tag, ..EMPTY });
        self.wait_all(&[token]);
        let completion = self.done(token).unwrap();
        if completion.status == 0 {
            return Some((token, completion));
        }
        self.release(token);
        None
    }
}

pub const EMPTY: Submission = Submission {
    kind: 0,
    flags: 0,
    token: 0,
    function: 0,
    after_ps: 0,
    peer: 0,
    tag: 0,
    context: 0,
    root: 0,
    bytes: 0,
    block: 0,
    other: 0,
    collective: 0,
    ragged: 0,
    ragged_len: 0,
    combine: 0,
    grain: 0,
    op: 0,
    means: 0,
    _pad: 0,
    send_layout: NOTHING,
    recv_layout: NOTHING,
};

fn futex(word: &AtomicU32, op: i32, value: u32) {
    let forever = std::ptr::null::<libc::timespec>();
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), op, value, forever) };
}

const NOTHING: workload::NonContiguous =
    workload::NonContiguous { bytes: 0, touched: 0, values: 0, members: 0 };
