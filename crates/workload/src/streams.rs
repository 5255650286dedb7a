//! Recorded or generated programs: a list of steps per rank.

use crate::{Call, Context, Op, OpCompletion, Token, WORLD, Workload};
use base::{Span, Time};

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Submits without waiting.
    Do(Op),
    /// Waits until everything submitted so far has completed.
    Wait,
    Compute(Span),
    /// Records the time. Meaningful directly after a `Wait`.
    Mark,
}

/// One cursor per rank over its steps. Communicators are `WORLD`, and those of
/// `with_communicators`.
pub struct Streams {
    /// The `nth` step of a rank.
    program: Box<dyn Fn(u32, usize) -> Option<Step>>,
    ranks: Vec<Cursor>,
    world: Vec<u32>,
    communicators: Vec<Vec<u32>>,
    /// Times recorded by each rank's `Mark`s, up to the last rank that has any.
    pub marks: Vec<Vec<Time>>,
}

#[derive(Clone, Copy, Default)]
struct Cursor {
    next: u32,
    out: u32,
    tokens: Token,
    ended: bool,
    computed: Span,
}

impl Streams {
    pub fn new(ranks: impl Iterator<Item = Vec<Step>>) -> Streams {
        let steps: Vec<Vec<Step>> = ranks.collect();
        let n = steps.len() as u32;
        Streams::generated(n, move |rank, nth| steps[rank as usize].get(nth).cloned())
    }

    /// Programs whose steps are generated on demand: lists for 10^5 ranks would fill memory.
    /// `program` returns the `nth` step of a rank, and `None` after its last.
    pub fn generated(
        ranks: u32,
        program: impl Fn(u32, usize) -> Option<Step> + 'static,
    ) -> Streams {
        let n = ranks as usize;
        Streams {
            program: Box::new(program),
            ranks: vec![Cursor::default(); n],
            world: (0..ranks).collect(),
            communicators: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Makes these ranks the first of a communicator of `ranks` ranks. The others do the same and
    /// are not simulated.
    pub fn of(mut self, ranks: u32) -> Streams {
        self.world = (0..ranks).collect();
        self
    }

    /// The members of further communicators, whose contexts start at 1.
    pub fn with_communicators(mut self, members: Vec<Vec<u32>>) -> Streams {
        self.communicators = members;
        self
    }

    /// Submits until the rank must wait. Computation before a wait is submitted as a pause, so that
    /// it takes its time even if nothing follows it.
    fn advance(&mut self, rank: u32, now: Time, calls: &mut Vec<Call>) {
        let cursor = &mut self.ranks[rank as usize];
        let mut submit = |cursor: &mut Cursor, op: Op| {
            let completes = op.completes();
            let after = if completes { std::mem::take(&mut cursor.computed) } else { Span::ZERO };
            calls.push(Call { rank, token: cursor.tokens, after, op });
            cursor.tokens += 1;
            cursor.out += u32::from(completes);
        };
        while let Some(step) = (self.program)(rank, cursor.next as usize) {
            match step {
                Step::Do(op) => submit(cursor, op),
                Step::Compute(span) => cursor.computed += span,
                Step::Wait => {
                    if cursor.computed > Span::ZERO {
                        submit(cursor, Op::Pause);
                    }
                    if cursor.out > 0 {
                        return;
                    }
                }
                Step::Mark => {
                    let marks = &mut self.marks;
                    marks.resize(marks.len().max(rank as usize + 1), Vec::new());
                    marks[rank as usize].push(now);
                }
            }
            cursor.next += 1;
        }
        cursor.ended = true;
        if cursor.computed > Span::ZERO {
            submit(cursor, Op::Pause);
        }
    }
}

impl Workload for Streams {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }
    fn members(&self, _: u32, context: Context) -> &[u32] {
        match context {
            WORLD => &self.world,
            _ => &self.communicators[context as usize - 1],
        }
    }
    fn start(&mut self, calls: &mut Vec<Call>) {
        for rank in 0..self.ranks() {
            self.advance(rank, Time::ZERO, calls);
        }
    }
    fn resume(&mut self, now: Time, done: &[OpCompletion], calls: &mut Vec<Call>) {
        for group in done.chunk_by(|a, b| a.rank == b.rank) {
            let cursor = &mut self.ranks[group[0].rank as usize];
            cursor.out -= group.len() as u32;
            if cursor.out == 0 {
                self.advance(group[0].rank, now, calls);
            }
        }
    }
    fn is_finished(&self) -> bool {
        self.ranks.iter().all(|c| c.ended && c.out == 0)
    }
}
