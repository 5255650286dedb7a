//! Process grids: coordinates of ranks and back.

use serde::Deserialize;

/// A grid of all ranks.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    pub shape: Vec<u32>,
    /// Whether the first coordinate counts fastest in the order of ranks, as in HPCG, or the last,
    /// as in `MPI_Cart_coords`.
    #[serde(default)]
    pub first_fastest: bool,
}

/// Most dimensions of a grid.
pub const MAX_DIMENSIONS: usize = 6;

impl Grid {
    pub fn ranks(&self) -> u64 {
        self.shape.iter().map(|&extent| u64::from(extent)).product()
    }

    /// Ranks that differ only in these axes.
    pub fn extent_of(&self, axes: &[u32]) -> u32 {
        axes.iter().map(|&axis| self.shape[axis as usize]).product()
    }

    /// Coordinates of a rank; unused ones are 0.
    pub fn place(&self, mut rank: u32) -> [u32; MAX_DIMENSIONS] {
        let mut at = [0; MAX_DIMENSIONS];
        let n = self.shape.len();
        for nth in 0..n {
            let axis = if self.first_fastest { nth } else { n - 1 - nth };
            at[axis] = rank % self.shape[axis];
            rank /= self.shape[axis];
        }
        at
    }

    pub fn rank(&self, at: &[u32; MAX_DIMENSIONS]) -> u32 {
        let n = self.shape.len();
        (0..n).fold(0, |rank, nth| {
            let axis = if self.first_fastest { n - 1 - nth } else { nth };
            rank * self.shape[axis] + at[axis]
        })
    }

    /// The rank at distance `by`, around the axes that `wraps` names; `None` beyond a border.
    pub fn neighbor(&self, rank: u32, by: &[i32], wraps: &[bool]) -> Option<u32> {
        let mut at = self.place(rank);
        for (axis, &by) in by.iter().enumerate() {
            if by == 0 {
                continue;
            }
            let extent = i64::from(self.shape[axis]);
            let to = i64::from(at[axis]) + i64::from(by);
            at[axis] = match wraps.get(axis) {
                Some(true) => to.rem_euclid(extent) as u32,
                _ if (0..extent).contains(&to) => to as u32,
                _ => return None,
            };
        }
        Some(self.rank(&at))
    }

    /// The number of a rank among the ranks that differ from it only in these axes, and the number
    /// of that set of ranks. Both count in the order of ranks.
    pub fn split(&self, rank: u32, axes: &[u32]) -> (u32, u32) {
        let at = self.place(rank);
        let n = self.shape.len();
        (0..n).fold((0, 0), |(own, color), nth| {
            let axis = if self.first_fastest { n - 1 - nth } else { nth };
            match axes.contains(&(axis as u32)) {
                true => (own * self.shape[axis] + at[axis], color),
                false => (own, color * self.shape[axis] + at[axis]),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_and_ranks_are_inverse() {
        for first_fastest in [false, true] {
            let grid = Grid { shape: vec![3, 4, 5], first_fastest };
            assert_eq!(grid.ranks(), 60);
            for rank in 0..60 {
                assert_eq!(grid.rank(&grid.place(rank)), rank);
            }
            let second = grid.place(1);
            assert_eq!(&second[..3], if first_fastest { &[1, 0, 0] } else { &[0, 0, 1] });
        }
    }

    #[test]
    fn neighbors_end_at_borders_or_wrap() {
        let grid = Grid { shape: vec![3, 3], first_fastest: false };
        assert_eq!(grid.neighbor(4, &[1, -1], &[]), Some(6));
        assert_eq!(grid.neighbor(8, &[1, 0], &[]), None);
        assert_eq!(grid.neighbor(8, &[1, 0], &[true, false]), Some(2));
        assert_eq!(grid.neighbor(0, &[-4, 0], &[true, true]), Some(6));
    }

    #[test]
    fn rows_and_columns_are_disjoint_sets() {
        let grid = Grid { shape: vec![2, 3], first_fastest: false };
        // Rank 4 is at (1, 1): second of its row, row 1; and second of its column, column 1.
        assert_eq!(grid.split(4, &[1]), (1, 1));
        assert_eq!(grid.split(4, &[0]), (1, 1));
        assert_eq!(grid.split(5, &[0, 1]), (5, 0));
        assert_eq!(grid.split(3, &[1]), (0, 1));
    }
}
