//! Credits in transit, by the switch that gets them and the window from which they count.

use super::SLOTS;

/// The channel whose buffer a packet occupies: the switch at the near end of its link, the link
/// there (`Input::NICS` and above: of a NIC), the virtual channel, and the type of the link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input(u32);

impl Input {
    /// Ports of a switch, and the number of its first NIC.
    pub const NICS: u32 = 1 << 6;
    pub const VCS: u8 = 1 << 3;
    pub const TYPES: usize = 1 << 6;

    #[inline]
    pub fn new(switch: u32, local: u32, vc: u8, link_type: u8) -> Input {
        Input(switch << 16 | local << 9 | u32::from(vc) << 6 | u32::from(link_type))
    }
    #[inline]
    pub fn link_type(self) -> usize {
        (self.0 & 63) as usize
    }
    #[inline]
    pub fn switch(self) -> u32 {
        self.0 >> 16
    }
}

/// A credit of one packet, at its switch: link and channel.
#[derive(Clone, Copy)]
pub(super) struct Credit(u16);

impl Credit {
    #[inline]
    pub fn local(self) -> u32 {
        (self.0 >> 3).into()
    }
    #[inline]
    pub fn vc(self) -> usize {
        (self.0 & 7).into()
    }
}

/// Credits of one switch in one window: two cache lines, mostly one of them in use.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Returned {
    /// The window, modulo 2^32.
    window: u32,
    n: u16,
    credits: [Credit; 61],
}
const _: () = assert!(size_of::<Returned>() == 128);

pub(super) struct Credits {
    /// By window modulo `SLOTS`, and switch. Credits stay here until the turn of their switch, or
    /// until their place is needed.
    all: Vec<Returned>,
    /// By switch: places with credits, one bit each, and the window of the last turn.
    used: Vec<u8>,
    seen: Vec<u64>,
    n: usize,
    /// The first switch.
    first: u32,
    /// Window, switch and credit of those that have no place in `all`.
    others: Vec<(u64, u32, Credit)>,
}

impl Credits {
    pub fn new(first: u32, n: usize) -> Credits {
        let empty = Returned { window: 0, n: 0, credits: [Credit(0); 61] };
        let all = base::packed(std::iter::repeat_n(empty, n * SLOTS as usize));
        Credits { all, used: vec![0; n], seen: vec![0; n], n, first, others: Vec::new() }
    }

    #[inline]
    fn at(&self, switch: usize, window: u64) -> usize {
        (window % SLOTS) as usize * self.n + switch
    }

    /// The place of the switch of `input`, if it is one of these.
    #[inline]
    pub fn place(&self, input: Input) -> Option<usize> {
        let place = input.switch().wrapping_sub(self.first) as usize;
        (place < self.n).then_some(place)
    }

    /// A credit for `input` of `switch` counts from the window `ahead` windows after the current
    /// one.
    #[inline]
    pub fn send(&mut self, switch: usize, input: Input, window: u64, ahead: u64) {
        let credit = Credit((input.0 >> 6) as u16 & 0x3ff);
        let at = self.at(switch, window + ahead);
        let returned = &mut self.all[at];
        if ahead < SLOTS && usize::from(returned.n) < returned.credits.len() {
            if returned.n == 0 {
                returned.window = (window + ahead) as u32;
                self.used[switch] |= 1 << ((window + ahead) % SLOTS);
            }
            returned.credits[usize::from(returned.n)] = credit;
            returned.n += 1;
        } else {
            self.others.push((window + ahead, switch as u32, credit));
        }
    }

    /// Whether the place of `switch` for `window` has credits of an earlier window. They count
    /// already, and nothing waits for them.
    #[inline]
    pub fn is_used_before(&self, switch: usize, window: u64) -> bool {
        let returned = &self.all[self.at(switch, window)];
        returned.n > 0 && returned.window != window as u32
    }

    /// Removes all credits of `switch` that count in `window`, at its turn.
    #[inline]
    pub fn take(&mut self, switch: usize, window: u64, mut each: impl FnMut(Credit)) {
        let since = window.saturating_sub(self.seen[switch]).min(SLOTS);
        self.seen[switch] = window;
        for back in 0..since.max(1) {
            let at = window.wrapping_sub(back);
            if self.used[switch] & 1 << (at % SLOTS) != 0 {
                self.take_at(switch, at, window, &mut each);
            }
        }
    }

    /// Removes those at the place of `switch` for `at`, if they count in `window`.
    #[inline]
    pub fn take_at(&mut self, switch: usize, at: u64, window: u64, each: &mut impl FnMut(Credit)) {
        let place = self.at(switch, at);
        let returned = &mut self.all[place];
        if (window as u32).wrapping_sub(returned.window) < 1 << 31 {
            returned.credits[..usize::from(returned.n)].iter().for_each(|&credit| each(credit));
            returned.n = 0;
            self.used[switch] &= !(1 << (at % SLOTS));
        }
    }

    /// Removes those of all switches that have no place by switch.
    pub fn take_others(&mut self, window: u64, out: &mut Vec<(u32, Credit)>) {
        out.clear();
        self.others.retain(|&(at, switch, credit)| {
            if at == window {
                out.push((switch, credit));
            }
            at != window
        });
    }

    /// All credits in transit, by switch.
    pub fn each(&self, mut f: impl FnMut(u32, Credit)) {
        for (at, returned) in self.all.iter().enumerate() {
            let credits = &returned.credits[..usize::from(returned.n)];
            credits.iter().for_each(|&credit| f((at % self.n) as u32, credit));
        }
        self.others.iter().for_each(|&(_, switch, credit)| f(switch, credit));
    }

    /// Prefetches the credits of `switch` in `window`.
    #[inline]
    pub fn prefetch(&self, switch: usize, window: u64) {
        base::prefetch_at(&self.all, self.at(switch, window));
    }

    /// Prefetches the place of the next credit for `input` in `window`.
    #[inline]
    pub fn prefetch_input(&self, input: Input, window: u64) {
        if let Some(switch) = self.place(input) {
            base::prefetch_at(&self.all, self.at(switch, window));
        }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.all[..]) + size_of_val(&self.used[..]) + size_of_val(&self.seen[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(credits: &mut Credits, window: u64) -> Vec<usize> {
        let mut out = Vec::new();
        credits.take(0, window, |credit| out.push(credit.vc()));
        out.sort_unstable();
        out
    }

    fn input(vc: u8) -> Input {
        Input::new(0, 0, vc, 0)
    }

    #[test]
    fn a_turn_takes_all_credits_that_count_by_then() {
        let mut credits = Credits::new(0, 1);
        credits.send(0, input(1), 0, 1);
        credits.send(0, input(2), 0, 3);
        credits.send(0, input(3), 0, 6);
        assert_eq!(taken(&mut credits, 0), []);
        assert_eq!(taken(&mut credits, 4), [1, 2]);
        assert_eq!(taken(&mut credits, 5), []);
        assert_eq!(taken(&mut credits, 100), [3]);
    }

    #[test]
    fn a_place_with_earlier_credits_is_emptied_before_it_is_used_again() {
        let mut credits = Credits::new(0, 1);
        credits.send(0, input(1), 0, 1);
        assert!(!credits.is_used_before(0, 1), "the same window");
        assert!(credits.is_used_before(0, 1 + SLOTS), "a later window has the same place");
        let (now, mut out) = (SLOTS - 1, Vec::new());
        credits.take_at(0, now + 2, now, &mut |credit| out.push(credit.vc()));
        assert_eq!(out, [1]);
        assert!(!credits.is_used_before(0, now + 2));
        credits.send(0, input(2), now, 2);
        assert_eq!(taken(&mut credits, now + 1), [], "too early");
        assert_eq!(taken(&mut credits, now + 2), [2]);
    }
}
