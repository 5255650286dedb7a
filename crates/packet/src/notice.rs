//! Congestion notices between switches and NICs, their form in an event, and the classes that they
//! refer to.

use machine::{Machine, NicId};

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

/// The traffic classes whose congestion is managed separately. Both ends of a notice use them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ManagedClasses {
    /// 1 without congestion management, and with a single class: requests and responses of one
    /// class are managed together.
    pub count: u8,
}

impl ManagedClasses {
    pub fn of(machine: &Machine) -> ManagedClasses {
        let are_separate = machine.congestion.is_some() && machine.classes.has_several();
        ManagedClasses { count: if are_separate { machine.n_vnets } else { 1 } }
    }

    /// Each class is congested separately.
    #[inline]
    pub fn are_separate(self) -> bool {
        self.count > 1
    }

    /// The managed class of packets of this virtual network.
    #[inline]
    pub fn class_of(self, vnet: u8) -> u8 {
        if self.are_separate() { vnet } else { 0 }
    }
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
