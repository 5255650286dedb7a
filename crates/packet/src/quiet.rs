//! What must be true of a network in which nothing is pending, and what it weighs.

use machine::Machine;

use crate::link::{Channel, Wire};
use crate::nic::{NEVER, Nic};
use crate::{NONE, PacketNetwork};

impl PacketNetwork {
    /// All credits are home, nobody waits, nothing is under way.
    pub(crate) fn check_quiet(&self, machine: &Machine) {
        assert_eq!(self.packets.live(), 0, "packets left in the network");
        assert_eq!(self.transits.live(), 0, "messages left in the network");
        assert_eq!(self.lanes.live(), 0, "lanes left at the links");
        for (link, wire) in self.wires.iter() {
            assert!(!wire.armed, "{link:?} expects an event that is not pending");
            assert_eq!((wire.waiting, wire.out, wire.lanes), (0, 0, 0), "{link:?} is not empty");
            for vc in 0..machine.n_vcs {
                let channel = &self.channels[self.channel(link, vc)];
                assert_eq!(channel.room, machine.links.buffer[link], "{link:?} {vc}: lost credit");
                assert_eq!(
                    (channel.first, channel.last),
                    (NONE, NONE),
                    "{link:?} {vc}: waited for"
                );
            }
        }
        for (id, nic) in self.nics.iter() {
            let ends = (nic.first, nic.last, nic.held, nic.held_last);
            assert_eq!(ends, (NONE, NONE, NONE, NONE), "{id:?} holds something");
            assert_eq!(nic.in_flight, 0, "{id:?} lacks acknowledgements");
            assert!(
                nic.wakes == NEVER && !nic.send_waits,
                "{id:?} expects an event that is not pending"
            );
        }
    }

    /// Bytes of memory held.
    pub(crate) fn held(&self) -> usize {
        self.wires.len() * size_of::<Wire>()
            + self.channels.len() * size_of::<Channel>()
            + self.nics.len() * size_of::<Nic>()
            + self.lanes.bytes()
            + self.packets.bytes()
            + self.transits.bytes()
    }
}
