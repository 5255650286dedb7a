//! The rates of messages: their max-min fair shares, less what full buffers take away.

use base::Time;
use machine::Machine;

use crate::congestion_tree::CongestionTree;
use crate::head_of_line::HeadOfLine;
use crate::in_flight::InFlightId;
use crate::shares::Shares;
use crate::traffic::Traffic;

pub(crate) struct Rates {
    pub head_of_line: Option<HeadOfLine>,
    congestion_tree: Option<CongestionTree>,
    /// Messages whose rate the last solve changed.
    pub changed: Vec<InFlightId>,
}

impl Rates {
    pub fn new(machine: &Machine, shares: &mut Shares) -> Rates {
        let congestion_tree = CongestionTree::new(machine);
        if congestion_tree.is_some() {
            shares.find_receiver_limited();
        }
        Rates { head_of_line: HeadOfLine::new(machine), congestion_tree, changed: Vec::new() }
    }

    /// Computes shares and updates the end times of messages whose rate changed.
    pub fn solve(&mut self, traffic: &mut Traffic, now: Time, machine: &Machine) {
        traffic.shares.solve(&mut self.changed);
        for &message in &self.changed {
            if traffic.messages[message].rate > 0 {
                traffic.messages.advance(message, now);
            }
            traffic.take_levels(message);
            if traffic.messages[message].is_buffer_full {
                self.update_buffer_full(message, traffic, machine);
            }
            traffic.messages.update_rate(message);
            let f = &mut traffic.messages[message];
            f.fair_rate = f.rate;
        }
        if let Some(congestion_tree) = &mut self.congestion_tree {
            congestion_tree.limit_rates(traffic, now);
        }
    }

    /// Updates whether the head-of-line backlog of `message` exceeds the buffer space.
    pub fn update_buffer_full(
        &self,
        message: InFlightId,
        traffic: &mut Traffic,
        machine: &Machine,
    ) -> bool {
        let head_of_line = self.head_of_line.as_ref();
        let is_buffer_full =
            head_of_line.is_some_and(|model| model.is_buffer_full(message, traffic, machine));
        traffic.messages[message].is_buffer_full = is_buffer_full;
        is_buffer_full
    }

    pub fn bytes(&self) -> usize {
        self.congestion_tree.as_ref().map_or(0, CongestionTree::bytes)
            + self.head_of_line.as_ref().map_or(0, HeadOfLine::bytes)
    }

    /// Whether no message is in flight.
    pub fn is_idle(&self) -> bool {
        self.head_of_line.as_ref().is_none_or(HeadOfLine::is_idle)
    }
}
