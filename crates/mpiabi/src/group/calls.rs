//! MPI's functions for groups, and their set operations.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use workload::wire::accepted;

use super::{GROUPS, ME, compare, get, insert, ranks};
use crate::abi::{Group, c};
use crate::checks;
use crate::error::{Result, fail};
use crate::export::mpi_fn;

fn write_handle(members: Vec<u32>, group: *mut Group) -> Result {
    unsafe { *group = insert(Arc::new(members)) };
    Ok(())
}

/// Checks an array of ranks, which must be in the group. The standard requires distinct ranks, but
/// MPICH and Open MPI accept a repeated one.
///
/// # Safety
/// `ranks` has `n` elements.
unsafe fn picked(members: &[u32], n: c_int, ranks: *const c_int) -> Result<Vec<usize>> {
    if n < 0 {
        return fail!(c::ERR_ARG, "an array of {n} ranks");
    }
    let ranks: Vec<c_int> = (0..n as usize).map(|i| unsafe { *ranks.add(i) }).collect();
    if repeated(members, &ranks, c::ERR_RANK)?.is_some() {
        checks::accept(accepted::REPEATED_RANK);
    }
    Ok(ranks.into_iter().map(|r| r as usize).collect())
}

/// Returns a repeated rank. A rank outside the group is an error of class `code`.
fn repeated(members: &[u32], ranks: &[c_int], code: c_int) -> Result<Option<c_int>> {
    let (mut seen, mut twice) = (vec![false; members.len()], None);
    for &rank in ranks {
        match seen.get_mut(rank as usize) {
            Some(seen) if !*seen => *seen = true,
            Some(_) => twice = twice.or(Some(rank)),
            None => return fail!(code, "rank {rank} of a group of {}", members.len()),
        }
    }
    Ok(twice)
}

/// The ranks of `n` triplets (first, last, stride).
///
/// # Safety
/// `ranges` has `3 n` elements.
unsafe fn ranged(members: &[u32], n: c_int, ranges: *const c_int) -> Result<Vec<usize>> {
    // The error classes of the two library families.
    let code = if checks::is_open_mpi() { c::ERR_RANK } else { c::ERR_ARG };
    if n < 0 {
        return fail!(c::ERR_ARG, "an array of {n} ranges");
    }
    let mut ranks = Vec::new();
    for i in 0..n as usize {
        let [first, last, stride] = [0, 1, 2].map(|k| unsafe { *ranges.add(3 * i + k) });
        if stride == 0 {
            return fail!(c::ERR_ARG, "range {i} has stride 0");
        }
        let steps = (i64::from(last) - i64::from(first)) / i64::from(stride);
        for k in 0..=steps {
            // Ranks outside the group are reported together with repeated ones.
            ranks.push((i64::from(first) + k * i64::from(stride)) as c_int);
            if ranks.len() > members.len() {
                break;
            }
        }
    }
    match repeated(members, &ranks, code)? {
        Some(rank) => fail!(code, "the ranges name rank {rank} twice"),
        None => Ok(ranks.into_iter().map(|r| r as usize).collect()),
    }
}

fn include(members: &[u32], picked: &[usize]) -> Vec<u32> {
    picked.iter().map(|&i| members[i]).collect()
}

fn exclude(members: &[u32], picked: &[usize]) -> Vec<u32> {
    let mut keep = vec![true; members.len()];
    picked.iter().for_each(|&i| keep[i] = false);
    members.iter().zip(keep).filter(|(_, keep)| *keep).map(|(&m, _)| m).collect()
}

fn without(a: &[u32], b: &[u32]) -> Vec<u32> {
    let b = ranks(b);
    a.iter().copied().filter(|m| !b.contains_key(m)).collect()
}

mpi_fn! {
    pub fn Group_size(group: Group, size: *mut c_int) {
        unsafe { *size = get(group)?.len() as c_int };
        Ok(())
    }
    pub fn Group_rank(group: Group, rank: *mut c_int) {
        let me = ME.load(Ordering::Relaxed);
        let found = get(group)?.iter().position(|&m| m == me);
        unsafe { *rank = found.map_or(c::UNDEFINED, |r| r as c_int) };
        Ok(())
    }
    pub fn Group_translate_ranks(
        from: Group, n: c_int, ranks_in: *const c_int, to: Group, ranks_out: *mut c_int,
    ) {
        let (from, to) = (get(from)?, get(to)?);
        let to = ranks(&to);
        for i in 0..n.max(0) as usize {
            let rank = unsafe { *ranks_in.add(i) };
            let found = match from.get(rank as usize) {
                Some(member) => to.get(member).copied().unwrap_or(c::UNDEFINED),
                None if rank == c::PROC_NULL => c::PROC_NULL,
                None => return fail!(c::ERR_RANK, "rank {rank} of a group of {}", from.len()),
            };
            unsafe { *ranks_out.add(i) = found };
        }
        Ok(())
    }
    pub fn Group_compare(a: Group, b: Group, result: *mut c_int) {
        unsafe { *result = compare(&get(a)?, &get(b)?) };
        Ok(())
    }
    pub fn Group_union(a: Group, b: Group, new: *mut Group) {
        let (a, b) = (get(a)?, get(b)?);
        let rest = without(&b, &a);
        write_handle([&a[..], &rest].concat(), new)
    }
    pub fn Group_intersection(a: Group, b: Group, new: *mut Group) {
        let (a, b) = (get(a)?, ranks(&get(b)?));
        write_handle(a.iter().copied().filter(|m| b.contains_key(m)).collect(), new)
    }
    pub fn Group_difference(a: Group, b: Group, new: *mut Group) {
        write_handle(without(&get(a)?, &get(b)?), new)
    }
    pub fn Group_incl(group: Group, n: c_int, ranks: *const c_int, new: *mut Group) {
        let members = get(group)?;
        let picked = unsafe { picked(&members, n, ranks)? };
        write_handle(include(&members, &picked), new)
    }
    pub fn Group_excl(group: Group, n: c_int, ranks: *const c_int, new: *mut Group) {
        let members = get(group)?;
        let picked = unsafe { picked(&members, n, ranks)? };
        write_handle(exclude(&members, &picked), new)
    }
    pub fn Group_range_incl(group: Group, n: c_int, ranges: *const c_int, new: *mut Group) {
        let members = get(group)?;
        let picked = unsafe { ranged(&members, n, ranges)? };
        write_handle(include(&members, &picked), new)
    }
    pub fn Group_range_excl(group: Group, n: c_int, ranges: *const c_int, new: *mut Group) {
        let members = get(group)?;
        let picked = unsafe { ranged(&members, n, ranges)? };
        write_handle(exclude(&members, &picked), new)
    }
    pub fn Group_free(group: *mut Group) {
        let handle = unsafe { *group };
        get(handle)?;
        if let Some(slot) = handle.slot() {
            GROUPS.remove(slot);
        }
        unsafe { *group = c::GROUP_NULL };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::distinct;

    fn make(f: impl FnOnce(*mut Group) -> Result) -> Result<Group> {
        let mut made = c::GROUP_NULL;
        f(&raw mut made).map(|()| made)
    }
    fn of(members: &[u32]) -> Group {
        insert(Arc::new(members.to_vec()))
    }
    fn list(group: Group) -> Vec<u32> {
        get(group).expect("a group").to_vec()
    }

    #[test]
    fn set_arithmetic_keeps_the_order_the_standard_asks_for() {
        let (a, b) = (of(&[4, 2, 9, 1]), of(&[7, 1, 4, 8]));
        let union = make(|new| unsafe { Group_union(a, b, new) }).unwrap();
        assert_eq!(list(union), [4, 2, 9, 1, 7, 8]);
        let both = make(|new| unsafe { Group_intersection(a, b, new) }).unwrap();
        assert_eq!(list(both), [4, 1]);
        let rest = make(|new| unsafe { Group_difference(a, b, new) }).unwrap();
        assert_eq!(list(rest), [2, 9]);
        let none = make(|new| unsafe { Group_difference(a, a, new) }).unwrap();
        assert_eq!(none, c::GROUP_EMPTY);
        let mut result = 0;
        for (x, y, expected) in [
            (a, of(&[4, 2, 9, 1]), c::IDENT),
            (a, of(&[1, 2, 4, 9]), c::SIMILAR),
            (a, b, c::UNEQUAL),
            (c::GROUP_EMPTY, c::GROUP_EMPTY, c::IDENT),
        ] {
            unsafe { Group_compare(x, y, &raw mut result) }.unwrap();
            assert_eq!(result, expected);
        }
    }

    #[test]
    fn ranks_pick_and_translate() {
        let all = of(&[10, 11, 12, 13, 14, 15, 16, 17]);
        let incl =
            |r: &[c_int]| make(|new| unsafe { Group_incl(all, r.len() as c_int, r.as_ptr(), new) });
        assert_eq!(list(incl(&[7, 0, 3]).unwrap()), [17, 10, 13]);
        for bad in [&[8][..], &[-1]] {
            assert_eq!(incl(bad).unwrap_err().code, c::ERR_RANK, "{bad:?}");
        }
        // MPICH 5.0.2 accepts a repeated rank here, though not in ranges.
        assert_eq!(list(incl(&[2, 2]).unwrap()), [12, 12]);
        assert_eq!(distinct(&list(incl(&[2, 2]).unwrap())).unwrap_err().code, c::ERR_GROUP);
        for bad in [[2, 3, 1, 3, 4, 1], [2, 8, 1, 0, 0, 1]] {
            let made = make(|new| unsafe { Group_range_incl(all, 2, bad.as_ptr(), new) });
            assert_eq!(made.unwrap_err().code, c::ERR_ARG, "{bad:?}");
        }
        // MPI 5.0, 7.3.2: the example of its text, (6,7,1), (1,6,2), (0,9,4) on ten ranks.
        let ten = of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let ranges = [6, 7, 1, 1, 6, 2, 0, 9, 4];
        let part = make(|new| unsafe { Group_range_incl(ten, 3, ranges.as_ptr(), new) }).unwrap();
        assert_eq!(list(part), [6, 7, 1, 3, 5, 0, 4, 8]);
        let rest = make(|new| unsafe { Group_range_excl(ten, 3, ranges.as_ptr(), new) }).unwrap();
        assert_eq!(list(rest), [2, 9]);
        let down = [9, 1, -3];
        let part = make(|new| unsafe { Group_range_incl(ten, 1, down.as_ptr(), new) }).unwrap();
        assert_eq!(list(part), [9, 6, 3]);

        let (from, mut to) = ([1, c::PROC_NULL, 0], [0; 3]);
        let some = of(&[12, 99]);
        unsafe { Group_translate_ranks(some, 3, from.as_ptr(), all, to.as_mut_ptr()) }.unwrap();
        assert_eq!(to, [c::UNDEFINED, c::PROC_NULL, 2]);
    }
}
