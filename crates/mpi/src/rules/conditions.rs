//! The conditions of MPICH's tuning files, such as `comm_size<8` or `is_commutative=yes`, as rules.
//!
//! Source: [MPICH] `src/mpi/coll/src/csel.c`. Its parser ends the program at an unknown key, and at
//! a condition that has no meaning for the collective.

use collectives::{Kind, Range, Rule};

use crate::library::did_you_mean;

/// The meaning of a key.
pub(super) enum Condition {
    /// Holds where any of these rules does.
    When(Vec<Rule>),
    /// The same for all calls of this model.
    Always(bool),
    Any,
    /// Not known to the model; the reason, for a note.
    Unknown(String),
}

/// All condition keys, for suggestions.
const FORMS: [&str; 24] = [
    "comm_type=intra",
    "comm_type=inter",
    "comm_size<N",
    "comm_size<=N",
    "comm_size=pow2",
    "comm_size=node_comm_size",
    "comm_hierarchy=parent",
    "comm_hierarchy=node_roots",
    "comm_hierarchy=node",
    "comm_hierarchy=flat",
    "comm_avg_ppn<N",
    "comm_avg_ppn<=N",
    "avg_msg_size<N",
    "avg_msg_size<=N",
    "total_msg_size<N",
    "total_msg_size<=N",
    "count<=N",
    "count<pow2",
    "is_commutative=yes",
    "is_op_built_in=yes",
    "is_sendbuf_inplace=yes",
    "is_block_regular=yes",
    "is_node_consecutive=yes",
    "is_multi_threaded=yes",
];

/// Whether a key may stand above the collectives: it depends on the communicator alone.
pub(super) fn is_of_communicators(key: &str) -> bool {
    let families = ["comm_", "is_node_consecutive=", "is_multi_threaded="];
    key == "any" || families.iter().any(|family| key.starts_with(family))
}

/// The meaning of a key for calls of `kind`; `Err` states what was expected.
pub(super) fn condition(kind: Kind, key: &str) -> Result<Condition, String> {
    use Condition::{Always, Any, When};
    let any = Rule::always(kind.algorithms()[0]);
    let several = Rule { several_a_node: Some(true), ..any };
    let one = |rule: Rule| When(vec![rule]);
    let known = |is_known: bool, condition: &str| match is_known {
        true => Ok(()),
        false => {
            let name = kind.name();
            Err(format!(
                "another condition: for {name} MPICH has no `{condition}` and ends the program"
            ))
        }
    };
    let has_operator = matches!(
        kind,
        Kind::Allreduce | Kind::Reduce | Kind::ReduceScatter | Kind::ReduceScatterBlock
    );
    Ok(match key {
        "any" => Any,
        _ if key.ends_with("=any") => Any,
        "comm_hierarchy=parent" => one(several),
        // One rank per node, or the first ranks of nodes; MPICH does not distinguish the three.
        "comm_hierarchy=node_roots" | "comm_hierarchy=node" | "comm_hierarchy=flat" => {
            one(Rule { several_a_node: Some(false), ..any })
        }
        "comm_type=intra" | "is_block_regular=yes" | "is_multi_threaded=no" => Always(true),
        "comm_type=inter" | "is_block_regular=no" | "is_multi_threaded=yes" => Always(false),
        "is_sendbuf_inplace=no" | "is_sendbuf_inplace=yes" => {
            known(matches!(kind, Kind::Alltoall | Kind::Alltoallv), "is_sendbuf_inplace")?;
            Always(key.ends_with("no"))
        }
        "comm_size=node_comm_size" => one(Rule { nodes: Range { min: 0, max: 1 }, ..several }),
        "comm_size=pow2" => one(Rule { power_of_two: Some(true), ..any }),
        // [measured] In MPICH 5.0.2 it is always "no" where all ranks share a node.
        "is_node_consecutive=yes" => {
            one(Rule { nodes: Range { min: 2, max: u64::MAX }, consecutive: Some(true), ..several })
        }
        "is_node_consecutive=no" => When(vec![
            Rule { several_a_node: Some(false), ..any },
            Rule { nodes: Range { min: 0, max: 1 }, ..several },
            Rule { consecutive: Some(false), ..several },
        ]),
        "count<pow2" => {
            known(has_count(kind), "count")?;
            one(Rule { too_few_elements: Some(true), ..any })
        }
        "is_commutative=yes" | "is_commutative=no" => {
            known(has_operator, "is_commutative")?;
            one(Rule { commutative: Some(key.ends_with("yes")), ..any })
        }
        "is_op_built_in=yes" | "is_op_built_in=no" => {
            known(matches!(kind, Kind::Allreduce | Kind::Reduce), "is_op_built_in")?;
            one(Rule { builtin: Some(key.ends_with("yes")), ..any })
        }
        _ => return numbered(kind, key),
    })
}

/// Conditions that compare with a number.
fn numbered(kind: Kind, key: &str) -> Result<Condition, String> {
    let any = Rule::always(kind.algorithms()[0]);
    let one = |rule: Rule| Ok(Condition::When(vec![rule]));
    let Some(at) = key.find('<') else {
        let hint = did_you_mean(key, FORMS);
        return Err(format!("a condition of MPICH's, such as `comm_size<8`{hint}"));
    };
    let (name, rest) = key.split_at(at);
    let range = || range(rest).ok_or_else(|| "a number after `<` or `<=`".to_string());
    let sized = matches!(kind, Kind::Bcast | Kind::Reduce | Kind::Allreduce | Kind::Alltoall);
    match name {
        "comm_size" => one(Rule { size: range()?, ..any }),
        // [measured] MPICH 5.0.2: size / nodes, not rounded; with one rank per node it is 1.
        "comm_avg_ppn" => {
            let Range { min, max } = range()?;
            let twice = |n: u64| n.saturating_mul(2);
            let max = twice(max).saturating_add(u64::from(!rest.starts_with("<=")));
            let halves = Range { min: twice(min), max };
            one(Rule { ppn_halves: halves, ..any })
        }
        "count" if !rest.starts_with("<=") => {
            Err("`count<=N` or `count<pow2`: MPICH has no other `count`".into())
        }
        "count" if has_count(kind) => one(Rule { count: range()?, ..any }),
        "count" => {
            let name = kind.name();
            Err(format!("another condition: for {name} MPICH has no `count` and ends the program"))
        }
        "avg_msg_size" if !sized => Err(format!(
            "`total_msg_size`: for {} MPICH has no `avg_msg_size` and ends the program",
            kind.name()
        )),
        "avg_msg_size" => one(Rule { bytes: range()?, ..any }),
        "total_msg_size" if kind.counts_all_blocks() => one(Rule { bytes: range()?, ..any }),
        "total_msg_size" if sized => one(Rule { total_bytes: range()?, ..any }),
        "total_msg_size" => {
            range()?;
            match kind {
                Kind::Gather | Kind::Scatter | Kind::Alltoallv => {
                    let why = format!("{key} is not modeled: the library's own rules are used");
                    Ok(Condition::Unknown(why))
                }
                _ => Err(format!(
                    "another condition: for {} MPICH has no `total_msg_size` and ends the program",
                    kind.name()
                )),
            }
        }
        _ => {
            let hint = did_you_mean(key, FORMS);
            Err(format!("a condition of MPICH's, such as `comm_size<8`{hint}"))
        }
    }
}

/// Whether MPICH counts the elements of such a call.
fn has_count(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Bcast
            | Kind::Allreduce
            | Kind::Reduce
            | Kind::Allgather
            | Kind::Allgatherv
            | Kind::ReduceScatter
            | Kind::ReduceScatterBlock
    )
}

/// Reads `<8` and `<=8`.
fn range(text: &str) -> Option<Range> {
    let digits =
        |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?;
    match text.strip_prefix("<=") {
        Some(n) => digits(n).map(|max| Range { min: 0, max }),
        None => match digits(text.strip_prefix('<')?)? {
            // No number is below zero.
            0 => Some(Range { min: 1, max: 0 }),
            n => Some(Range { min: 0, max: n - 1 }),
        },
    }
}
