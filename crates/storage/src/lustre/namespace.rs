//! Files and directories of the MDTs, objects and space of the targets. Sends nothing.

use super::extent_locks::LockQueue;
use super::extents::ExtentSet;
use super::layout::{Layout, ObjectId, Template};
use crate::ClientId;

/// Bits of an inode lock.
pub mod bit {
    /// The name: a cached directory entry is valid.
    pub const LOOKUP: u8 = 1;
    /// The attributes, or the entries of a directory.
    pub const UPDATE: u8 = 2;
    /// The layout.
    pub const LAYOUT: u8 = 4;
    /// Extended attributes.
    pub const XATTR: u8 = 8;
}

/// A file or directory.
#[derive(Clone, Debug)]
pub struct File {
    /// The MDT of its inode.
    pub mdt: u32,
    pub links: u32,
    /// Open file descriptors of all clients.
    pub opens: u32,
    /// Inode locks, sorted by client.
    pub locks: Vec<(ClientId, u8)>,
    pub layout: Option<Box<Layout>>,
    pub directory: Option<Box<Directory>>,
}

#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// The MDTs of its entries, which are hashed over them by name.
    pub mdts: Vec<u32>,
    /// Default of new files, inherited by new directories.
    pub default_layout: Option<Vec<Template>>,
    /// Default of new directories, inherited: number of MDTs, and the first one.
    pub default_mdts: Option<(u32, Option<u32>)>,
    /// Directories above it, as far as known.
    pub depth: u32,
}

impl File {
    pub fn new(mdt: u32) -> Self {
        File { mdt, links: 1, opens: 0, locks: Vec::new(), layout: None, directory: None }
    }
    /// Bits that a client holds.
    pub fn held(&self, client: ClientId) -> u8 {
        let at = self.locks.binary_search_by_key(&client, |l| l.0);
        at.map_or(0, |i| self.locks[i].1)
    }
    pub fn grant(&mut self, client: ClientId, bits: u8) {
        match self.locks.binary_search_by_key(&client, |l| l.0) {
            Ok(i) => self.locks[i].1 |= bits,
            Err(i) => self.locks.insert(i, (client, bits)),
        }
    }
    /// Takes `bits` from all clients. Returns those, except `except`, that held some of them.
    pub fn revoke(&mut self, bits: u8, except: ClientId, holders: &mut Vec<ClientId>) {
        self.locks.retain_mut(|(client, held)| {
            if *held & bits == 0 {
                return true;
            }
            if *client != except {
                holders.push(*client);
            }
            *held &= !bits;
            *held != 0
        });
    }
    /// The MDT of the entry with this hash of its name.
    pub fn mdt_of(&self, name: u64) -> u32 {
        match &self.directory {
            Some(d) if !d.mdts.is_empty() => d.mdts[(name % d.mdts.len() as u64) as usize],
            _ => self.mdt,
        }
    }
}

/// An object, and the extent locks on it.
#[derive(Clone, Debug)]
pub struct Object {
    /// OSTs come first, then MDTs.
    pub target: u32,
    pub locks: Option<Box<LockQueue>>,
    pub allocated: ExtentSet,
    pub destroyed: bool,
}

impl Object {
    pub fn lock_queue(&mut self) -> &mut LockQueue {
        self.locks.get_or_insert_default()
    }
}

/// An OST, or an MDT with data.
#[derive(Clone, Debug, Default)]
pub struct Target {
    pub capacity: u64,
    pub used: u64,
    /// Bytes that clients may write to their caches.
    pub granted: u64,
    pub read_bytes: u64,
    pub written_bytes: u64,
    pub read_rpcs: u64,
    pub write_rpcs: u64,
    pub objects: u64,
    /// Lock requests that had to wait for another client.
    pub lock_conflicts: u64,
}

impl Target {
    /// Grants up to `wanted` bytes of free space.
    pub fn grant(&mut self, wanted: u64) -> u64 {
        let free = self.capacity.saturating_sub(self.used).saturating_sub(self.granted);
        let grant = wanted.min(free);
        self.granted += grant;
        grant
    }
    pub fn free(&self) -> u64 {
        self.capacity.saturating_sub(self.used)
    }
}

/// Objects to destroy, in order, at an MDT.
#[derive(Clone, Debug, Default)]
pub struct Destroys {
    pub in_flight: u32,
    pub queue: std::collections::VecDeque<ObjectId>,
}
