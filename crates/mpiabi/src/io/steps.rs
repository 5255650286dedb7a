//! Calls of several simulated operations, as futures: the code is the same whether the rank waits
//! for them at once, or a request completes them.
//!
//! An operation has tokens. Its future is ready when they are complete. `run` waits for them. A
//! pending call (`pending`) continues when the program tests or waits for a request.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::ptr::null;
use std::task::{Context, Poll, Waker};

use crate::request::{InFlight, Outcome};
use crate::runtime::{self, Held};

/// The state of one call: what its operations use, and what it waits for.
pub(super) struct Steps {
    /// The library's lock, while the call's future is polled.
    held: Cell<*const Held>,
    awaited: RefCell<Vec<u32>>,
}

impl Steps {
    pub fn new() -> Steps {
        Steps { held: Cell::new(null()), awaited: RefCell::default() }
    }
    /// The library's lock. Only for code of the call's future.
    pub fn held(&self) -> &Held {
        let held = self.held.get();
        assert!(!held.is_null(), "a step runs only while its future is polled");
        // SAFETY: `poll` has stored a reference that lives until it returns.
        unsafe { &*held }
    }
    /// Waits until all tokens are complete. The caller releases them.
    pub async fn complete(&self, tokens: &[u32]) {
        let is_open = |token: &&u32| runtime::completion(self.held(), **token).is_none();
        poll_fn(|_| {
            let open: Vec<u32> = tokens.iter().filter(is_open).copied().collect();
            if open.is_empty() {
                return Poll::Ready(());
            }
            *self.awaited.borrow_mut() = open;
            Poll::Pending
        })
        .await;
    }
    /// Completes an operation through all its stages.
    pub async fn finish(&self, in_flight: InFlight) -> Outcome {
        let mut in_flight = in_flight;
        loop {
            self.complete(&in_flight.tokens).await;
            let mut outcome = in_flight.complete(self.held());
            match outcome.next_stage.take() {
                Some(next) => in_flight = *next,
                None => return outcome,
            }
        }
    }

    /// Continues the call unless it still waits for a token.
    pub fn poll<T>(&self, held: &Held, call: Pin<&mut dyn Future<Output = T>>) -> Poll<T> {
        if !self.open_tokens(held).is_empty() {
            return Poll::Pending;
        }
        self.awaited.borrow_mut().clear();
        self.held.set(held);
        let polled = call.poll(&mut Context::from_waker(Waker::noop()));
        self.held.set(null());
        polled
    }
    /// The tokens that the call waits for.
    pub fn open_tokens(&self, held: &Held) -> Vec<u32> {
        let is_open = |token: &u32| runtime::completion(held, *token).is_none();
        self.awaited.borrow().iter().copied().filter(is_open).collect()
    }
}

/// Executes a call, and waits for its operations.
pub(super) fn run<T>(held: &Held, steps: &Steps, call: impl Future<Output = T>) -> T {
    let mut call = pin!(call);
    loop {
        match steps.poll(held, call.as_mut()) {
            Poll::Ready(result) => return result,
            Poll::Pending => runtime::wait_all(held, &steps.open_tokens(held)),
        }
    }
}
