//! State of an output port of a switch: one cache line. The meaning of the fields is that of
//! `link::OutputPort`.

use base::Time;
use machine::LinkId;

use super::credits::Input;
use crate::reports::Reports;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Port {
    /// When the last tail has left.
    pub free_at: Time,
    /// Packets sent.
    pub packets: u64,
    /// Bytes that wait, and their maximum.
    pub waiting: u32,
    pub queue_max: u32,
    /// Cells of each channel that its sender can use. An ejection link has one channel.
    pub credit: [u16; Input::VCS as usize],
    pub link: LinkId,
    /// The switch or the NIC's place that it leads to; the other is `NONE`.
    pub to: u32,
    pub nic: u32,
    /// The last reservation, as in `OutputPort`.
    pub reserved_ps: u32,
    pub reserved: u16,
    pub reserved_vc: u8,
    pub link_type: u8,
    /// Channels with waiting packets, one bit each.
    pub waited_for: u8,
    /// An arbitration is due when it is free.
    pub armed: bool,
    pub stalled: bool,
}
const _: () = assert!(size_of::<Port>() == 64);

impl Port {
    pub fn new(link: LinkId, (to, nic): (u32, u32), link_type: u8, cells: u16) -> Port {
        Port {
            free_at: Time::ZERO,
            packets: 0,
            waiting: 0,
            queue_max: 0,
            credit: [cells; Input::VCS as usize],
            link,
            to,
            nic,
            reserved_ps: 0,
            reserved: 0,
            reserved_vc: 0,
            link_type,
            waited_for: 0,
            armed: false,
            stalled: false,
        }
    }

    /// When the packet of the last reservation enters.
    #[inline]
    fn begins(&self) -> Time {
        Time(self.free_at.0 - u64::from(self.reserved_ps))
    }

    /// Bytes that wait: the near load of routing.
    #[inline]
    pub fn queue(&self, now: Time) -> u32 {
        let reservation_begun = if now > self.begins() { self.reserved } else { 0 };
        self.waiting - u32::from(reservation_begun)
    }

    /// For a reservation that has begun and is not settled: its start, and the queue until then.
    #[inline]
    pub fn reservation_begun(&self, now: Time) -> Option<(Time, u32)> {
        let begins = self.begins();
        (self.reserved > 0 && now > begins).then_some((begins, self.waiting))
    }

    /// Removes a reservation that has begun from the waiting bytes.
    #[inline]
    pub fn settle_reservation(&mut self, reports: &mut Reports, now: Time) {
        if let Some((begins, queue)) = self.reservation_begun(now) {
            self.waiting -= u32::from(self.reserved);
            self.reserved = 0;
            reports.note(self.link, begins, queue);
        }
    }

    /// Whether a packet of `vc` has a reservation and still waits.
    #[inline]
    pub fn is_reserved_on(&self, vc: u8, now: Time) -> bool {
        self.reserved > 0 && self.reserved_vc == vc && now <= self.begins()
    }
}
