//! Non-blocking collective accesses to files on simulated file systems.
//!
//! An access continues while the program tests or waits for any request, or is in a blocking call;
//! ROMIO's continue only in tests and waits for their own requests, which may deadlock. All of a
//! file's accesses continue in the order in which they were started, so that their exchanges match
//! on all ranks. Every other collective call on the file completes them first.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use super::OpenFile;
use super::steps::Steps;
use crate::request::{self, Outcome, Progress};
use crate::runtime::{self, Guarded, Held};

type Call = Pin<Box<dyn Future<Output = Outcome>>>;

/// One access.
pub(super) struct Pending {
    /// Context of the file's communicator.
    file: u32,
    steps: Rc<Steps>,
    call: RefCell<Call>,
    outcome: RefCell<Option<Outcome>>,
}

/// Accesses in progress by file, in the order of their start.
static IN_PROGRESS: Guarded<BTreeMap<u32, VecDeque<Rc<Pending>>>> = Guarded::new(BTreeMap::new());

/// Adds an access to those of a file.
pub(super) fn start(
    held: &Held,
    file: &OpenFile,
    steps: Rc<Steps>,
    call: impl Future<Output = Outcome> + 'static,
) -> Rc<Pending> {
    let file = file.comm.context;
    let (call, outcome): (Call, _) = (Box::pin(call), RefCell::default());
    let pending = Rc::new(Pending { file, steps, call: RefCell::new(call), outcome });
    IN_PROGRESS.get(held).entry(file).or_default().push_back(pending.clone());
    request::set_background(held, proceed_all);
    proceed(held, file);
    pending
}

/// Continues the accesses to all files, and adds the tokens that they wait for.
fn proceed_all(held: &Held, tokens: &mut Vec<u32>) {
    let files: Vec<u32> = IN_PROGRESS.get(held).keys().copied().collect();
    for file in files {
        proceed(held, file);
        if let Some(pending) = first(held, file) {
            tokens.extend(pending.steps.open_tokens(held));
        }
    }
}

fn first(held: &Held, file: u32) -> Option<Rc<Pending>> {
    IN_PROGRESS.get(held).get(&file)?.front().cloned()
}

/// Continues a file's accesses as far as their operations are complete.
fn proceed(held: &Held, file: u32) {
    while let Some(pending) = first(held, file) {
        // The access itself may wait, such as for the file's lock.
        let Ok(mut call) = pending.call.try_borrow_mut() else { return };
        let Poll::Ready(outcome) = pending.steps.poll(held, call.as_mut()) else { return };
        *pending.outcome.borrow_mut() = Some(outcome);
        let mut all = IN_PROGRESS.get(held);
        let of_file = all.get_mut(&file).expect("has an access");
        of_file.pop_front();
        if of_file.is_empty() {
            all.remove(&file);
        }
    }
}

/// Completes a file's accesses; other ranks do the same.
pub(super) fn complete_all(held: &Held, file: &OpenFile) {
    let file = file.comm.context;
    loop {
        proceed(held, file);
        let Some(pending) = first(held, file) else { return };
        runtime::wait_all(held, &pending.steps.open_tokens(held));
    }
}

impl Progress for Pending {
    fn advance(&self, held: &Held) -> Option<Outcome> {
        if self.outcome.borrow().is_none() {
            proceed(held, self.file);
        }
        self.outcome.take()
    }
    fn open(&self, held: &Held, tokens: &mut Vec<u32>) -> bool {
        if let Some(pending) = first(held, self.file) {
            tokens.extend(pending.steps.open_tokens(held));
        }
        false
    }
}
