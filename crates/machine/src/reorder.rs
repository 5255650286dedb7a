//! Rank reordering: a library may renumber the tasks of a launcher after they have been placed.

use std::collections::BTreeMap;

use crate::NodeId;
use crate::input_error::InputError;
use crate::placement::Placement;

/// The mapping of tasks to ranks. Nodes are taken in the order of their first tasks, and each has
/// as many ranks as tasks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reorder {
    /// One rank per node in turn, starting again at the first node after the last.
    RoundRobin,
    /// Each node is filled before the next.
    Smp,
    /// One rank per node in turn, reversing direction after the last and after the first node.
    Folded,
    /// Each node is filled before the next, with ranks in this order.
    Listed(Vec<u32>),
}

impl Reorder {
    /// Reads an order of all `ranks`: numbers and ranges, separated by commas and blanks, on any
    /// number of lines. `#` begins a comment. Errors are at `file` with the line.
    pub fn from_list(file: &str, text: &str, ranks: u32) -> Result<Reorder, Vec<InputError>> {
        let (mut order, mut out) = (Vec::new(), Vec::new());
        let mut seen = vec![false; ranks as usize];
        for (nth, line) in text.lines().enumerate() {
            let at = format!("{file}, line {}", nth + 1);
            let line = line.split('#').next().unwrap_or("");
            for word in line.split([',', ' ', '\t', '\r']).filter(|word| !word.is_empty()) {
                let Some((first, last)) = ends(word).filter(|&(a, b)| a.max(b) < ranks) else {
                    let expected = match ends(word) {
                        Some(_) => format!("ranks of the job, 0 to {}", ranks.saturating_sub(1)),
                        None => "a rank or a range of ranks, such as `0-7`".into(),
                    };
                    out.push(InputError::new(at.clone(), shortened(word), expected));
                    continue;
                };
                let range = first.min(last)..=first.max(last);
                if let Some(twice) = range.clone().find(|&rank| seen[rank as usize]) {
                    let expected = format!("every rank once; {twice} occurs twice");
                    out.push(InputError::new(at.clone(), shortened(word), expected));
                    continue;
                }
                range.clone().for_each(|rank| seen[rank as usize] = true);
                match first <= last {
                    true => order.extend(range),
                    false => order.extend(range.rev()),
                }
            }
        }
        if let (Some(missing), true) = (seen.iter().position(|&seen| !seen), out.is_empty()) {
            let expected = format!("every rank of the job once; {missing} is missing");
            out.push(InputError::new(file, format!("{} ranks", order.len()), expected));
        }
        if out.is_empty() { Ok(Reorder::Listed(order)) } else { Err(out) }
    }

    /// By rank: its task. `nodes` holds the node of each task.
    fn tasks(&self, nodes: &[NodeId]) -> Vec<u32> {
        let mut numbers = BTreeMap::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        for (task, node) in (0..).zip(nodes) {
            let number = *numbers.entry(node).or_insert(members.len());
            if number == members.len() {
                members.push(Vec::new());
            }
            members[number].push(task);
        }
        let most = members.iter().map(Vec::len).max().unwrap_or(0);
        match self {
            Reorder::Smp => members.concat(),
            Reorder::RoundRobin => {
                let pass = |nth: usize| members.iter().filter_map(move |m| m.get(nth).copied());
                (0..most).flat_map(pass).collect()
            }
            Reorder::Folded => {
                let mut tasks = Vec::new();
                for nth in 0..most {
                    let mut pass: Vec<u32> =
                        members.iter().filter_map(|m| m.get(nth).copied()).collect();
                    if nth % 2 == 1 {
                        pass.reverse();
                    }
                    tasks.extend(pass);
                }
                tasks
            }
            Reorder::Listed(order) => {
                let mut tasks = vec![0; nodes.len()];
                for (&rank, task) in order.iter().zip(members.concat()) {
                    tasks[rank as usize] = task;
                }
                tasks
            }
        }
    }
}

/// The first and the last number of `8`, `0-7` or `7-0`.
fn ends(word: &str) -> Option<(u32, u32)> {
    let number = |text: &str| match text.bytes().all(|b| b.is_ascii_digit()) {
        true => text.parse::<u32>().ok(),
        false => None,
    };
    match word.split_once('-') {
        Some((first, last)) => Some((number(first)?, number(last)?)),
        None => number(word).map(|n| (n, n)),
    }
}

fn shortened(word: &str) -> String {
    const SHOWN: usize = 40;
    match word.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &word[..end]),
        None => word.into(),
    }
}

impl Placement {
    /// The same tasks with new ranks.
    pub fn reordered(self, order: &Reorder) -> Placement {
        let tasks = order.tasks(&self.node);
        fn by<T: Copy>(tasks: &[u32], of_task: &[T]) -> Vec<T> {
            tasks.iter().map(|&task| of_task[task as usize]).collect()
        }
        Placement {
            node: by(&tasks, &self.node),
            nic: by(&tasks, &self.nic),
            binding: by(&tasks, &self.binding),
            local: by(&tasks, &self.local),
            nodes: self.nodes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks of each node, in the form of the manual's tables.
    fn nodes(order: &Reorder, of_tasks: &[u32]) -> Vec<Vec<u32>> {
        let all: Vec<NodeId> = of_tasks.iter().copied().map(NodeId).collect();
        let mut found = vec![Vec::new(); 1 + *of_tasks.iter().max().expect("tasks") as usize];
        for (rank, task) in (0..).zip(order.tasks(&all)) {
            found[of_tasks[task as usize] as usize].push(rank);
        }
        found
    }

    /// [CRAY] intro_mpi: 8 processes on 4 nodes of 2 cores and on 2 nodes of 4.
    #[test]
    fn placements_are_those_of_the_manual() {
        let (four, two) = ([0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 1, 1]);
        for (order, on_four, on_two) in [
            (
                Reorder::RoundRobin,
                vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]],
                vec![vec![0, 2, 4, 6], vec![1, 3, 5, 7]],
            ),
            (
                Reorder::Smp,
                vec![vec![0, 1], vec![2, 3], vec![4, 5], vec![6, 7]],
                vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]],
            ),
            (
                Reorder::Folded,
                vec![vec![0, 7], vec![1, 6], vec![2, 5], vec![3, 4]],
                vec![vec![0, 3, 4, 7], vec![1, 2, 5, 6]],
            ),
            (
                Reorder::Listed(vec![0, 4, 1, 5, 2, 6, 3, 7]),
                vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]],
                vec![vec![0, 1, 4, 5], vec![2, 3, 6, 7]],
            ),
        ] {
            assert_eq!(nodes(&order, &four), on_four, "{order:?}");
            assert_eq!(nodes(&order, &two), on_two, "{order:?}");
            // A launcher that places tasks round robin gives the same nodes.
            assert_eq!(nodes(&order, &[0, 1, 2, 3, 0, 1, 2, 3]), on_four, "{order:?}");
        }
        // A full node is skipped.
        assert_eq!(nodes(&Reorder::RoundRobin, &[0, 0, 0, 1]), [vec![0, 2, 3], vec![1]]);
        assert_eq!(nodes(&Reorder::Folded, &[0, 0, 0, 1]), [vec![0, 2, 3], vec![1]]);
    }

    #[test]
    fn a_list_is_read_or_every_error_reported() {
        let read = |text: &str| Reorder::from_list("MPICH_RANK_ORDER", text, 8);
        let want = Ok(Reorder::Listed(vec![3, 2, 1, 0, 4, 5, 6, 7]));
        assert_eq!(read("# by a tool\n3-0,4\n5, 6 7 # rest\n"), want);
        for (text, at, expected) in [
            ("0-7,8", "MPICH_RANK_ORDER, line 1", "0 to 7"),
            ("0-4294967295", "MPICH_RANK_ORDER, line 1", "0 to 7"),
            ("0-7\nx", "MPICH_RANK_ORDER, line 2", "such as `0-7`"),
            ("0-7,3", "MPICH_RANK_ORDER, line 1", "3 occurs twice"),
            ("0-6", "MPICH_RANK_ORDER", "7 is missing"),
            ("", "MPICH_RANK_ORDER", "0 is missing"),
            ("-1", "MPICH_RANK_ORDER, line 1", "a range of ranks"),
        ] {
            let wrong = read(text).expect_err(text);
            assert_eq!((wrong.len(), &*wrong[0].at), (1, at), "{text}: {wrong:?}");
            assert!(wrong[0].expected.contains(expected), "{text}: {wrong:?}");
        }
    }
}
