//! Congestion notices between switches and NICs, and their form in an event.

use machine::NicId;

/// Action of a congestion notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoticeKind {
    /// Send only on endpoint credits.
    Throttle,
    /// An endpoint credit, which permits one packet.
    EndpointCredit,
    /// End of throttling.
    Release,
}

/// Content of a notice event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CongestionNotice {
    pub nic: NicId,
    pub class: u8,
    pub generation: u8,
    pub kind: NoticeKind,
}

impl CongestionNotice {
    /// A machine has at most 2^24 NICs (`MAX_NICS`), a run at most eight classes (`MAX_IN_USE`).
    pub fn word(self) -> u32 {
        let CongestionNotice { nic, class, generation, kind } = self;
        debug_assert!(nic.0 >> 24 == 0 && class < 8 && generation < 8);
        nic.0 | u32::from(class) << 24 | u32::from(generation) << 27 | (kind as u32) << 30
    }
    pub fn read(word: u32) -> CongestionNotice {
        let kind = match word >> 30 {
            0 => NoticeKind::Throttle,
            1 => NoticeKind::EndpointCredit,
            _ => NoticeKind::Release,
        };
        let bits = |from: u32| (word >> from) as u8 & 7;
        CongestionNotice {
            nic: NicId(word & ((1 << 24) - 1)),
            class: bits(24),
            generation: bits(27),
            kind,
        }
    }
}
