//! Groups: ordered sets of processes, represented by world ranks.

mod calls;

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::abi::{Group, Kind, Registry, c};
use crate::error::{Result, fail};
use crate::foreign;

/// World ranks, by group rank.
pub(crate) type Members = Arc<Vec<u32>>;

static GROUPS: Registry<Vec<u32>> = Registry::new();

/// This process's world rank.
static ME: AtomicU32 = AtomicU32::new(0);

pub(crate) fn set_me(world_rank: u32) {
    ME.store(world_rank, Ordering::Relaxed);
}

pub(crate) fn get(group: Group) -> Result<Members> {
    match group {
        c::GROUP_EMPTY => Ok(Members::default()),
        c::GROUP_NULL => fail!(c::ERR_GROUP, "the group is null"),
        _ => match group.slot().and_then(|slot| GROUPS.get(slot)) {
            Some(members) => Ok(members),
            None => {
                let (raw, more) = (group.to_int(), foreign::clause(Kind::Group, group.to_int()));
                fail!(c::ERR_GROUP, "not a group: {raw:#x}{more}")
            }
        },
    }
}

/// Number of groups that the program has not freed.
pub(crate) fn created() -> usize {
    GROUPS.len()
}

/// A handle for a group; the program frees it.
pub(crate) fn insert(members: Members) -> Group {
    if members.is_empty() {
        return c::GROUP_EMPTY;
    }
    Group::created(GROUPS.insert(members))
}

/// Group ranks by world rank.
fn ranks(members: &[u32]) -> BTreeMap<u32, c_int> {
    members.iter().enumerate().map(|(i, &world)| (world, i as c_int)).collect()
}

/// Checks that the members of a new communicator are distinct.
pub(crate) fn distinct(members: &[u32]) -> Result {
    match members.len() - ranks(members).len() {
        0 => Ok(()),
        n => fail!(c::ERR_GROUP, "{n} ranks of the group are in it more than once"),
    }
}

/// Relation of two groups: identical, same members in another order, or different.
pub(crate) fn compare(a: &[u32], b: &[u32]) -> c_int {
    if a == b {
        return c::IDENT;
    }
    let (mut x, mut y) = (a.to_vec(), b.to_vec());
    x.sort_unstable();
    y.sort_unstable();
    if x == y { c::SIMILAR } else { c::UNEQUAL }
}
