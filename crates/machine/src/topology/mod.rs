//! Topologies of networks: which switches a link joins, the paths through them, and the policies
//! that choose among the paths. A topology is a directory here and a variant of `Topology`.

pub(crate) mod dragonfly;

use dragonfly::Dragonfly;

#[derive(Clone, Debug)]
pub enum Topology {
    Dragonfly(Dragonfly),
    // The only topology so far; others become variants here.
}
