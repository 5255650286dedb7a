//! Traffic classes that share links.

use base::IndexVec;
use machine::{LinkId, Machine};
use net::Message;

/// Traffic classes; empty if there are none.
pub(crate) struct Classes {
    /// Ceiling of each class, percent of a link. Classes in use are in the order of their virtual
    /// networks.
    ceilings: Vec<u8>,
    /// Packets of each class by each link of a NIC.
    packets: Vec<IndexVec<LinkId, u64>>,
}

impl Classes {
    pub fn new(machine: &Machine) -> Classes {
        let ceilings: Vec<u8> = machine.classes.sharing().map(|class| class.ceiling).collect();
        let links_of_nics = 2 * machine.n_nics() as usize;
        let packets = vec![IndexVec::filled(0, links_of_nics); ceilings.len()];
        Classes { ceilings, packets }
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.ceilings.len()
    }

    /// Index of the class share of a message, and the ceiling of its class.
    pub fn class_of(&self, msg: &Message) -> (u8, u8) {
        let class = if self.ceilings.is_empty() { 0 } else { msg.vnet };
        (class, self.ceilings.get(usize::from(msg.vnet)).copied().unwrap_or(100))
    }

    /// Counts packets of a message on `link`.
    pub fn count(&mut self, msg: &Message, link: LinkId, packets: u64) {
        if let Some(of_class) = self.packets.get_mut(usize::from(msg.vnet))
            && let Some(of_link) = of_class.raw.get_mut(link.0 as usize)
        {
            *of_link += packets;
        }
    }

    /// Packets of each class by each link of a NIC.
    pub fn packets(&self) -> &Vec<IndexVec<LinkId, u64>> {
        &self.packets
    }

    pub fn bytes(&self) -> usize {
        self.packets.iter().map(|of_class| of_class.len() * size_of::<u64>()).sum()
    }
}
