//! Trees of switches or of NICs: what fabrics set up for multicast and for reductions.

use crate::dragonfly::Dragonfly;
use crate::{Idle, LinkEnd, LinkId, Machine, NicId, Route, Routing, SwitchId, Topology};

/// Who in a network combines what comes, and copies what is to go to many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reducer {
    /// Rosetta's switches.
    Switches,
    /// Aries' NICs, by their collective engines.
    Nics,
}

/// Children of a NIC in a tree: the most there can be [Cray XC Series Network, WP-Aries01-1112,
/// "Reductions and Barriers"]. What a job gets is chosen by its size, how is not public. [estimate]
pub const NIC_CHILDREN: usize = 32;

impl Machine {
    /// Who reduces, as far as the machine is whole. Trees are set up before a job, and nothing is
    /// known of what becomes of them after a fault.
    pub fn reducer(&self) -> Option<Reducer> {
        let reducer = match self.fabric.as_str() {
            "slingshot" => Reducer::Switches,
            "aries" => Reducer::Nics,
            _ => return None,
        };
        self.faults.is_none().then_some(reducer)
    }

    /// The links from a switch to that of the root of a tree, which are a function of the switch
    /// they leave: at each the minimal way from there, the same for all. [estimate: how the fabric
    /// manager builds trees is not public]
    pub fn tree_path(&self, from: SwitchId, root: NicId) -> Vec<LinkId> {
        let Topology::Dragonfly(net) = &self.topology;
        let mut way = Vec::new();
        let mut at = from;
        while at != self.nic_switch[root] {
            let link = self.toward(net, at, root);
            way.push(link);
            at = self.switch_after(link);
            assert!(way.len() <= 8, "a minimal way of more than 8 links");
        }
        way
    }
    fn toward(&self, net: &Dragonfly, at: SwitchId, root: NicId) -> LinkId {
        let (home, mut route) = (self.nic_switch[root], Route::default());
        let draw = u64::from(root.0);
        let step = net.next(at, home, root, Routing::Minimal, &mut route, draw, &Idle);
        step.expect("it is not there yet").0
    }

    /// Where a link between switches leaves, and where it leads.
    pub fn switch_before(&self, link: LinkId) -> SwitchId {
        match self.links.from[link] {
            LinkEnd::Switch(switch) => switch,
            LinkEnd::Nic(_) => panic!("{link:?} leaves a NIC"),
        }
    }
    pub fn switch_after(&self, link: LinkId) -> SwitchId {
        match self.links.to[link] {
            LinkEnd::Switch(switch) => switch,
            LinkEnd::Nic(_) => panic!("{link:?} leads to a NIC"),
        }
    }
    /// The other direction of a cable between switches.
    pub fn reverse_link(&self, link: LinkId) -> LinkId {
        let (from, to) = (self.switch_before(link), self.switch_after(link));
        let nth = self.links_between(from, to).iter().position(|&l| l == link);
        self.links_between(to, from)[nth.expect("it is one of those between its ends")]
    }
}
