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
    n: u16,
    credits: [Credit; 63],
}
const _: () = assert!(size_of::<Returned>() == 128);

pub(super) struct Credits {
    /// By window modulo `SLOTS`, and switch.
    all: Vec<Returned>,
    n: usize,
    /// The first switch.
    first: u32,
    /// Window, switch and credit of those that have no place in `all`.
    others: Vec<(u64, u32, Credit)>,
}

impl Credits {
    pub fn new(first: u32, n: usize) -> Credits {
        let empty = Returned { n: 0, credits: [Credit(0); 63] };
        Credits { all: vec![empty; n * SLOTS as usize], n, first, others: Vec::new() }
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
            returned.credits[usize::from(returned.n)] = credit;
            returned.n += 1;
        } else {
            self.others.push((window + ahead, switch as u32, credit));
        }
    }

    /// Removes the credits of `switch` that count from `window` on.
    #[inline]
    pub fn take(&mut self, switch: usize, window: u64, mut each: impl FnMut(Credit)) {
        let at = self.at(switch, window);
        let returned = &mut self.all[at];
        returned.credits[..usize::from(returned.n)].iter().for_each(|&credit| each(credit));
        returned.n = 0;
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
        size_of_val(&self.all[..])
    }
}
