//! Paths of sampled packets, drawn by the machine's own routing at the load that flows cause.
//!
//! Uses links, and no flows. In a folded run, links are replaced by their representatives.

use machine::{Idle, LinkId, Machine, NicId};
use net::LostAt;

use crate::offered_load::{OfferedLoad, PacketDemand};

/// Random draws do not change whether a path exists: a message that has started has one.
pub(crate) const PATH_EXISTS: &str = "the message had a path at its start";

/// The NICs of a packet, and whether it gets a response.
#[derive(Clone, Copy)]
pub(crate) struct PacketEnds {
    pub src: NicId,
    pub dst: NicId,
    pub has_response: bool,
}

/// The path of one packet, and that of its response; empty if there is no response.
pub(crate) struct PacketPath {
    pub forward: Vec<LinkId>,
    pub response: Vec<LinkId>,
}

impl PacketPath {
    pub fn new() -> PacketPath {
        PacketPath { forward: Vec::with_capacity(32), response: Vec::with_capacity(32) }
    }

    /// Draws both paths at the offered load. Returns whether the forward path is minimal.
    pub fn draw(
        &mut self,
        ends: PacketEnds,
        draw: u64,
        offered_load: &OfferedLoad,
        machine: &Machine,
    ) -> Result<bool, LostAt> {
        let is_minimal = self.draw_forward(ends, draw, offered_load, machine)?;
        self.draw_response(ends, draw, offered_load, machine)?;
        Ok(is_minimal)
    }

    /// Draws the forward path at the offered load. Returns whether it is minimal.
    pub fn draw_forward(
        &mut self,
        ends: PacketEnds,
        draw: u64,
        offered_load: &OfferedLoad,
        machine: &Machine,
    ) -> Result<bool, LostAt> {
        let path = &mut self.forward;
        let route = machine.find_path(ends.src, ends.dst, draw, offered_load, path)?;
        offered_load.to_representatives(path);
        Ok(route.is_minimal())
    }

    /// Draws the response path at the offered load.
    pub fn draw_response(
        &mut self,
        ends: PacketEnds,
        draw: u64,
        offered_load: &OfferedLoad,
        machine: &Machine,
    ) -> Result<(), LostAt> {
        self.response.clear();
        if ends.has_response {
            machine.find_path(ends.dst, ends.src, !draw, offered_load, &mut self.response)?;
            offered_load.to_representatives(&mut self.response);
        }
        Ok(())
    }

    /// Draws both paths in an idle network, for a message that has started. Returns whether the
    /// forward path is minimal.
    pub fn draw_idle(
        &mut self,
        ends: PacketEnds,
        draw: u64,
        offered_load: &OfferedLoad,
        machine: &Machine,
    ) -> bool {
        let find = |src, dst, draw, path: &mut Vec<LinkId>| {
            let route = machine.find_path(src, dst, draw, &Idle, path).expect(PATH_EXISTS);
            offered_load.to_representatives(path);
            route.is_minimal()
        };
        let is_minimal = find(ends.src, ends.dst, draw, &mut self.forward);
        self.response.clear();
        if ends.has_response {
            find(ends.dst, ends.src, !draw, &mut self.response);
        }
        is_minimal
    }

    /// Takes these links, of which the first `forward` are those of the forward path.
    pub fn set(&mut self, forward: usize, mut links: impl Iterator<Item = LinkId>) {
        self.forward.clear();
        self.forward.extend(links.by_ref().take(forward));
        self.response.clear();
        self.response.extend(links);
    }

    /// The links of the forward path, or of the response path.
    pub fn side(&self, is_response: bool) -> &[LinkId] {
        if is_response { &self.response } else { &self.forward }
    }

    /// All links, forward ones first.
    pub fn links(&self) -> impl Iterator<Item = LinkId> {
        self.forward.iter().chain(&self.response).copied()
    }

    pub fn both(&self) -> (&[LinkId], &[LinkId]) {
        (&self.forward, &self.response)
    }

    /// Adds the demand of `count` packets on this path.
    pub fn add_demand(&self, offered_load: &mut OfferedLoad, demand: PacketDemand, count: u32) {
        self.forward.iter().for_each(|&link| offered_load.add(link, demand.forward.times(count)));
        self.response.iter().for_each(|&link| offered_load.add(link, demand.response.times(count)));
    }
}

/// A drawn path: where its links begin in a list of links, forward ones first.
#[derive(Clone, Copy)]
pub(crate) struct DrawnPath {
    begin: u32,
    pub forward: u16,
    pub response: u16,
    pub count: u32,
    pub is_minimal: bool,
}

impl DrawnPath {
    pub const NONE: DrawnPath =
        DrawnPath { begin: 0, forward: 0, response: 0, count: 0, is_minimal: true };

    /// The path of one packet whose links begin at `begin`: the number of links in each direction.
    pub fn new(begin: usize, (forward, response): (u16, u16), is_minimal: bool) -> DrawnPath {
        let begin = u32::try_from(begin).expect("fewer than 2^32 links");
        DrawnPath { begin, forward, response, count: 1, is_minimal }
    }

    pub fn forward<'a>(&self, links: &'a [LinkId]) -> &'a [LinkId] {
        &links[self.begin as usize..][..self.forward.into()]
    }

    pub fn response<'a>(&self, links: &'a [LinkId]) -> &'a [LinkId] {
        &links[self.begin as usize..][self.forward.into()..][..self.response.into()]
    }

    pub fn both<'a>(&self, links: &'a [LinkId]) -> (&'a [LinkId], &'a [LinkId]) {
        (self.forward(links), self.response(links))
    }
}

/// The paths of the sampled packets of one message; equal ones are one entry.
pub(crate) struct DrawnPaths {
    paths: Vec<DrawnPath>,
    links: Vec<LinkId>,
}

impl DrawnPaths {
    /// Space for the paths of `n` packets.
    pub fn with_capacity(n: u32) -> DrawnPaths {
        DrawnPaths { paths: Vec::with_capacity(n as usize), links: Vec::with_capacity(256) }
    }

    pub fn clear(&mut self) {
        self.paths.clear();
        self.links.clear();
    }

    /// Adds a packet on this path.
    pub fn add(&mut self, (forward, response): (&[LinkId], &[LinkId]), is_minimal: bool) {
        let links = &self.links;
        let is_same = |path: &&mut DrawnPath| {
            path.forward(links) == forward && path.response(links) == response
        };
        if let Some(path) = self.paths.iter_mut().find(is_same) {
            path.count += 1;
            return;
        }
        let lengths = (forward.len() as u16, response.len() as u16);
        self.paths.push(DrawnPath::new(self.links.len(), lengths, is_minimal));
        self.links.extend_from_slice(forward);
        self.links.extend_from_slice(response);
    }

    /// Each path with its forward and its response links.
    pub fn iter(&self) -> impl Iterator<Item = (&DrawnPath, (&[LinkId], &[LinkId]))> {
        self.paths.iter().map(|path| (path, path.both(&self.links)))
    }
}
