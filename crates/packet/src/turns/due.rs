//! Switches that have work in each of the next windows: one bit each. A turn of a switch without
//! its bit would change nothing but credits, which are added when the switch next has a turn.

/// Windows ahead. Later work gives a switch a turn without effect in the last of them.
pub(super) const AHEAD: u64 = 64;

pub(super) struct Due {
    /// By window modulo `AHEAD`: `words` words of bits.
    bits: Vec<u64>,
    words: usize,
}

impl Due {
    pub fn new(n: usize) -> Due {
        let words = n.div_ceil(64);
        Due { bits: vec![0; words * AHEAD as usize], words }
    }

    #[inline]
    fn first_word(&self, window: u64) -> usize {
        (window % AHEAD) as usize * self.words
    }

    /// A switch has work in `window`, which is at most `AHEAD - 1` windows ahead.
    #[inline]
    pub fn mark(&mut self, unit: usize, window: u64) {
        let at = self.first_word(window) + unit / 64;
        self.bits[at] |= 1 << (unit % 64);
    }

    /// All switches with work in `window`, in order.
    pub fn list(&self, window: u64, out: &mut Vec<u32>) {
        out.clear();
        let first = self.first_word(window);
        for (word, &bits) in (0..).zip(&self.bits[first..first + self.words]) {
            let mut left = bits;
            while left != 0 {
                out.push(word * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }

    /// `window` is over.
    pub fn clear(&mut self, window: u64) {
        let first = self.first_word(window);
        self.bits[first..first + self.words].fill(0);
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.bits[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_switches_are_listed_in_order_until_their_window_is_over() {
        let (mut due, mut out) = (Due::new(130), Vec::new());
        for (unit, window) in [(129, 5), (0, 5), (64, 5), (63, 6), (0, 5), (7, 5 + AHEAD - 1)] {
            due.mark(unit, window);
        }
        due.list(5, &mut out);
        assert_eq!(out, [0, 64, 129]);
        due.clear(5);
        due.list(5, &mut out);
        assert_eq!(out, []);
        due.list(5 + AHEAD - 1, &mut out);
        assert_eq!(out, [7]);
        due.list(6, &mut out);
        assert_eq!(out, [63]);
    }
}
