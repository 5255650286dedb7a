//! Trees of switches or NICs, which fabrics use for multicast and reductions.

use crate::{Idle, LinkId, Machine, NicId, Route, Routing, SwitchId};

/// The component that combines contributions of a reduction and copies multicast data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reducer {
    /// Rosetta's switches.
    Switches,
    /// Aries' NICs, with their collective engines.
    Nics,
}

/// Maximum number of children of a NIC in a tree [Cray XC Series Network, WP-Aries01-1112,
/// "Reductions and Barriers"]. The number chosen for a job depends on its size in an unpublished
/// path. [estimate]
pub const NIC_CHILDREN: usize = 32;

impl Machine {
    /// The reducing component, if the machine has no fault schedule. Trees are set up before a job;
    /// what becomes of them after a fault is not known.
    pub fn reducer(&self) -> Option<Reducer> {
        let reducer = match self.fabric.as_str() {
            "slingshot" => Reducer::Switches,
            "aries" => Reducer::Nics,
            _ => return None,
        };
        self.faults.is_none().then_some(reducer)
    }

    /// The links from a switch to the switch of the root: the minimal path from each switch, the
    /// same for all trees with this root. [estimate: how the fabric manager builds trees is not
    /// public]
    pub fn tree_path(&self, from: SwitchId, root: NicId) -> Vec<LinkId> {
        let mut path = Vec::new();
        let mut at = from;
        while at != self.nic_switch[root] {
            let (dst_switch, mut route) = (self.nic_switch[root], Route::default());
            let (draw, policy) = (u64::from(root.0), Routing::Minimal);
            let step = self.topology.next(at, dst_switch, root, policy, &mut route, draw, &Idle);
            let (link, _) = step.expect("not at the root yet");
            path.push(link);
            at = self.switch_after(link);
            assert!(path.len() <= 8, "a minimal path of more than 8 links");
        }
        path
    }

    /// The other direction of a cable between switches.
    pub fn reverse_link(&self, link: LinkId) -> LinkId {
        let (from, to) = (self.switch_before(link), self.switch_after(link));
        let nth = self.topology.links_between(from, to).iter().position(|&l| l == link);
        self.topology.links_between(to, from)[nth.expect("it is one of those between its ends")]
    }
}
