//! Cartesian grids.

use std::cmp::Reverse;
use std::ffi::c_int;

use super::{Grid, Topology, check_list, read, write};
use crate::abi::{Comm, c};
use crate::checks;
use crate::comm;
use crate::error::{Error, Result, fail};
use crate::export::mpi_fn;
use crate::runtime;

fn grid_of(comm: Comm) -> Result<(std::sync::Arc<comm::Communicator>, Grid)> {
    let found = comm::find(comm)?;
    match &found.topology {
        Some(Topology::Cartesian(grid)) => {
            let grid = grid.clone();
            Ok((found, grid))
        }
        _ => fail!(c::ERR_TOPOLOGY, "the communicator has no Cartesian topology"),
    }
}

/// Checks the user's description of a grid, which must fit into `size` ranks.
unsafe fn described(
    n: c_int,
    dims: *const c_int,
    periods: *const c_int,
    size: u32,
) -> Result<Grid> {
    let Ok(n) = usize::try_from(n) else {
        return fail!(c::ERR_DIMS, "the number of dimensions is {n}");
    };
    let dims = unsafe { read(dims, n) };
    let periodic = unsafe { read(periods, n) }.into_iter().map(|p| p != 0).collect();
    if let Some(dim) = dims.iter().find(|&&d| d <= 0) {
        return fail!(c::ERR_DIMS, "a dimension of {dim}");
    }
    let grid = Grid { dims, periodic };
    let ranks = grid.dims.iter().try_fold(1u64, |all, &d| all.checked_mul(d as u64));
    match ranks {
        Some(ranks) if ranks <= u64::from(size) => Ok(grid),
        _ => fail!(c::ERR_ARG, "a grid of {:?} does not fit into {size} ranks", grid.dims),
    }
}

/// Searches for the `n` factors of a number that are as equal as possible.
struct Factors {
    divisors: Vec<u64>,
    /// In descending order.
    chosen: Vec<u64>,
    best: Option<Vec<u64>>,
}

fn factors(product: u64, n: usize) -> Option<Vec<u64>> {
    let low: Vec<u64> =
        (1..).take_while(|d| d * d <= product).filter(|&d| product.is_multiple_of(d)).collect();
    let high = low.iter().rev().map(|d| product / d).filter(|d| d * d > product);
    let divisors = low.iter().copied().chain(high).collect();
    let mut search = Factors { divisors, chosen: Vec::new(), best: None };
    search.fill(product, n);
    search.best
}

/// A measure of unevenness of factors in descending order: the difference of largest and smallest.
/// Ties prefer the larger smallest factor, then the larger second smallest, and so on.
fn unevenness(factors: &[u64]) -> (u64, Reverse<Vec<u64>>) {
    let (first, last) = (factors.first().unwrap_or(&1), factors.last().unwrap_or(&1));
    (first - last, Reverse(factors.iter().rev().copied().collect()))
}

impl Factors {
    /// Chooses `n` more factors of `rest`.
    fn fill(&mut self, rest: u64, n: usize) {
        if n == 0 {
            let found = &self.chosen;
            let is_better = |best: &Vec<u64>| unevenness(found) < unevenness(best);
            if rest == 1 && self.best.as_ref().is_none_or(is_better) {
                self.best = Some(found.clone());
            }
            return;
        }
        let limit = self.chosen.last().copied().unwrap_or(rest);
        // The largest of n factors is at least the n-th root, the smallest at most.
        let power = |d: u64| u128::from(d).checked_pow(n as u32);
        let is_large = |d: u64| power(d).is_none_or(|p| p >= rest.into());
        let root = self.divisors.iter().copied().rfind(|&d| !is_large(d)).unwrap_or(1);
        for i in 0..self.divisors.len() {
            let d = self.divisors[i];
            if d > limit || !rest.is_multiple_of(d) || !is_large(d) {
                continue;
            }
            let first = self.chosen.first().copied().unwrap_or(d);
            let smallest = if power(d) == Some(rest.into()) { d } else { root };
            let least = first.saturating_sub(smallest);
            if self.best.as_ref().is_some_and(|best| least > unevenness(best).0) {
                continue;
            }
            self.chosen.push(d);
            self.fill(rest / d, n - 1);
            self.chosen.pop();
        }
    }
}

mpi_fn! {
    pub fn Dims_create(nodes: c_int, n: c_int, dims: *mut c_int) {
        if nodes <= 0 || n < 0 {
            return fail!(c::ERR_DIMS, "{nodes} nodes in {n} dimensions");
        }
        let given = unsafe { read(dims, n as usize) };
        if let Some(dim) = given.iter().find(|&&d| d < 0) {
            return fail!(c::ERR_DIMS, "a dimension of {dim}");
        }
        let fixed: u64 = given.iter().filter(|&&d| d > 0).map(|&d| d as u64).product();
        let free = given.iter().filter(|&&d| d == 0).count();
        let rest = nodes as u64 / fixed;
        let fits = (nodes as u64).is_multiple_of(fixed) && (free > 0 || rest == 1);
        let Some(found) = factors(rest, free).filter(|_| fits) else {
            return fail!(c::ERR_DIMS, "{nodes} nodes do not fill dimensions {given:?}");
        };
        let mut found = found.into_iter();
        let all = given.into_iter().map(|d| if d > 0 { d } else { found.next().unwrap() as c_int });
        unsafe { write(dims, all) };
        Ok(())
    }

    pub fn Cart_create(
        comm: Comm, n: c_int, dims: *const c_int, periods: *const c_int, _reorder: c_int,
        out: *mut Comm,
    ) {
        let held = &runtime::enter()?;
        let old = comm::find_intra(comm)?;
        let grid = unsafe { described(n, dims, periods, old.size())? };
        let color = if u64::from(old.rank) < grid.ranks() { 0 } else { c::UNDEFINED };
        let topology = Topology::Cartesian(grid);
        unsafe { *out = comm::split(held, comm, color, 0, |_| Some(topology))? };
        Ok(())
    }
    pub fn Cart_map(
        comm: Comm, n: c_int, dims: *const c_int, periods: *const c_int, rank: *mut c_int,
    ) {
        let old = comm::find_intra(comm)?;
        let grid = unsafe { described(n, dims, periods, old.size())? };
        let within = u64::from(old.rank) < grid.ranks();
        unsafe { *rank = if within { old.rank as c_int } else { c::UNDEFINED } };
        Ok(())
    }
    pub fn Cart_sub(comm: Comm, remain: *const c_int, out: *mut Comm) {
        let held = &runtime::enter()?;
        let (old, grid) = grid_of(comm)?;
        check_list("remain_dims", remain, grid.dims.len())?;
        let keep: Vec<bool> =
            unsafe { read(remain, grid.dims.len()) }.into_iter().map(|r| r != 0).collect();
        let at = grid.coordinates(old.rank);
        let kept = |i: &usize| keep[*i];
        let number = |these: &[usize]| {
            these.iter().fold(0, |all, &i| all * grid.dims[i] + at[i])
        };
        let (inside, outside): (Vec<usize>, Vec<usize>) = (0..grid.dims.len()).partition(kept);
        let new = Grid {
            dims: inside.iter().map(|&i| grid.dims[i]).collect(),
            periodic: inside.iter().map(|&i| grid.periodic[i]).collect(),
        };
        let (color, key) = (number(&outside), number(&inside));
        let topology = Topology::Cartesian(new);
        unsafe { *out = comm::split(held, comm, color, key, |_| Some(topology))? };
        Ok(())
    }

    pub fn Cartdim_get(comm: Comm, n: *mut c_int) {
        unsafe { *n = grid_of(comm)?.1.dims.len() as c_int };
        Ok(())
    }
    pub fn Cart_get(
        comm: Comm, most: c_int, dims: *mut c_int, periods: *mut c_int, coords: *mut c_int,
    ) {
        let (at, grid) = grid_of(comm)?;
        let most = most.max(0) as usize;
        unsafe {
            write(dims, grid.dims.iter().copied().take(most));
            write(periods, grid.periodic.iter().map(|&p| c_int::from(p)).take(most));
            write(coords, grid.coordinates(at.rank).into_iter().take(most));
        }
        Ok(())
    }
    pub fn Cart_rank(comm: Comm, coords: *const c_int, rank: *mut c_int) {
        let (_, grid) = grid_of(comm)?;
        check_list("coords", coords, grid.dims.len())?;
        let at = unsafe { read(coords, grid.dims.len()) };
        let outside =
            || Error::new(c::ERR_ARG, format!("coordinates {at:?} are outside of {:?}", grid.dims));
        unsafe { *rank = grid.rank(&at).ok_or_else(outside)? };
        Ok(())
    }
    pub fn Cart_coords(comm: Comm, rank: c_int, most: c_int, coords: *mut c_int) {
        let (at, grid) = grid_of(comm)?;
        let rank = at.checked(rank, "the rank")?;
        unsafe { write(coords, grid.coordinates(rank).into_iter().take(most.max(0) as usize)) };
        Ok(())
    }
    pub fn Cart_shift(
        comm: Comm, direction: c_int, by: c_int, source: *mut c_int, dest: *mut c_int,
    ) {
        let (at, grid) = grid_of(comm)?;
        let direction = match usize::try_from(direction) {
            Ok(d) if d < grid.dims.len() => d,
            _ => {
                let code = if checks::is_open_mpi() { c::ERR_DIMS } else { c::ERR_ARG };
                return fail!(code, "direction {direction} of {:?}", grid.dims);
            }
        };
        unsafe {
            *source = grid.neighbor(at.rank, direction, -by);
            *dest = grid.neighbor(at.rank, direction, by);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_as_equal_as_they_can_be() {
        for (product, n, expect) in [
            (1, 3, vec![1, 1, 1]),
            (6, 2, vec![3, 2]),
            (7, 3, vec![7, 1, 1]),
            (12, 2, vec![4, 3]),
            (16, 3, vec![4, 2, 2]),
            (36, 3, vec![4, 3, 3]),
            (1024, 3, vec![16, 8, 8]),
            // 20 x 18 x 14 has the same difference, and a smaller smallest factor.
            (5040, 3, vec![21, 16, 15]),
            (7488, 3, vec![26, 18, 16]),
            (98_784, 5, vec![14, 14, 9, 8, 7]),
            (2_147_483_647, 2, vec![2_147_483_647, 1]),
            (1 << 30, 10, vec![8; 10]),
        ] {
            assert_eq!(factors(product, n), Some(expect), "{product} in {n}");
        }
        // There are many factorizations, and the search must be fast nevertheless.
        assert_eq!(factors(1_102_701_600, 4).map(|f| f.iter().product()), Some(1_102_701_600u64));
    }

    #[test]
    fn ranks_and_coordinates_are_inverse_and_wrap_where_asked() {
        let grid = Grid { dims: vec![3, 4, 5], periodic: vec![true, false, true] };
        for rank in 0..60 {
            assert_eq!(grid.rank(&grid.coordinates(rank)), Some(rank as c_int));
        }
        // Row-major: a step of the first coordinate is 20 ranks, of the second 5.
        assert_eq!(grid.coordinates(20 + 5 + 2), [1, 1, 2]);
        assert_eq!(grid.rank(&[-1, 0, 7]), grid.rank(&[2, 0, 2]));
        assert_eq!(grid.rank(&[0, 4, 0]), None);
    }
}
