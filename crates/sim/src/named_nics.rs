//! NICs that the workload names for sends, in place of those of the ranks.

use crate::event::SendId;
use std::collections::VecDeque;
use workload::Token;

/// NICs that the workload named for sends: offsets of the sender's and the receiver's NIC from
/// those of their ranks. Empty if none are named.
#[derive(Default)]
pub(crate) struct NamedNics(Vec<Option<[u8; 2]>>);

impl NamedNics {
    /// Stores the NICs named for this send; ids of sends are reused.
    #[inline]
    pub fn set(&mut self, send: SendId, named: Option<[u8; 2]>) {
        if named.is_none() && self.0.is_empty() {
            return;
        }
        let at = send.0 as usize;
        self.0.resize(self.0.len().max(at + 1), None);
        self.0[at] = named;
    }

    #[inline]
    pub fn of(&self, send: SendId) -> Option<[u8; 2]> {
        self.0.get(send.0 as usize).copied().flatten()
    }
}

/// The NICs of a send, if the first entry names NICs for it. Calls of a rank take effect in order,
/// so a send that is listed but not first shows that one was skipped.
pub(crate) fn named_for(named: &mut VecDeque<(Token, [u8; 2])>, token: Token) -> Option<[u8; 2]> {
    let (first, nics) = *named.front()?;
    if first == token {
        named.pop_front();
        return Some(nics);
    }
    debug_assert!(
        named.iter().all(|&(later, _)| later != token),
        "send {token} takes effect before send {first}, whose NICs are named"
    );
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_take_the_nics_that_are_named_for_them() {
        let mut named = VecDeque::from([(3, [0, 1]), (5, [2, 3])]);
        let taken = [2, 3, 4, 5, 6].map(|token| named_for(&mut named, token));
        assert_eq!(taken, [None, Some([0, 1]), None, Some([2, 3]), None]);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "send 5 takes effect before send 3")]
    fn a_named_send_is_not_skipped() {
        named_for(&mut VecDeque::from([(3, [0, 1]), (5, [2, 3])]), 5);
    }
}
