//! Numbers of messages and bytes of programs, against closed forms.

use phases::{Compiled, Item, Position, Program, Unit, Units};
use workload::Op;

fn compile(program: &serde_json::Value) -> Compiled {
    let program: Program = serde_json::from_value(program.clone()).expect("a program");
    Compiled::new(&program, 1).expect("valid")
}

/// Sender, receiver and bytes.
type Message = (u32, u32, u64);

/// Sends and receives of all ranks.
fn messages(compiled: &Compiled) -> (Vec<Message>, Vec<Message>) {
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    for rank in 0..compiled.ranks {
        let mut position = Position::default();
        while let Some((item, _)) = compiled.next(rank, &mut position) {
            match item {
                Item::Call { op: Op::Send { to, bytes, .. }, .. } => sends.push((rank, to, bytes)),
                Item::Call { op: Op::Recv { from, bytes, .. }, .. } => {
                    receives.push((from, rank, bytes));
                }
                _ => {}
            }
        }
    }
    sends.sort_unstable();
    receives.sort_unstable();
    (sends, receives)
}

fn halo(shape: [u32; 3], periodic: bool) -> serde_json::Value {
    let mut body = Vec::new();
    for direction in 0..27 {
        let by = [direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1];
        if by == [0, 0, 0] {
            continue;
        }
        let partner = serde_json::json!({
            "rule": "offset", "grid": 0, "by": by, "periodic": [periodic, periodic, periodic],
        });
        let back = serde_json::json!({
            "rule": "offset", "grid": 0, "by": by.map(|x: i32| -x),
            "periodic": [periodic, periodic, periodic],
        });
        body.push(serde_json::json!({"do": "call", "call": "recv", "phase": 0, "request": 2,
            "from": back, "bytes": 8, "tag": direction}));
        body.push(serde_json::json!({"do": "call", "call": "send", "phase": 0, "request": 2,
            "to": partner, "bytes": 8, "tag": direction}));
    }
    let ranks: u32 = shape.iter().product();
    serde_json::json!({"ranks": ranks, "grids": [{"shape": shape}], "phases": ["main"],
        "body": body})
}

/// On an a x b x c grid without borders, the directed pairs of neighbors are
/// (3a - 2)(3b - 2)(3c - 2) - abc; with periodic borders 26 abc if every extent is at least 3.
#[test]
fn halos_have_all_pairs_of_neighbors() {
    for shape in [[1, 1, 1], [2, 3, 4], [3, 3, 3], [1, 5, 2]] {
        let [a, b, c] = shape;
        let (sends, receives) = messages(&compile(&halo(shape, false)));
        let pairs = (3 * a - 2) * (3 * b - 2) * (3 * c - 2) - a * b * c;
        assert_eq!(sends.len() as u32, pairs, "{shape:?}");
        assert_eq!(sends, receives, "{shape:?}");
    }
    let (sends, receives) = messages(&compile(&halo([3, 4, 5], true)));
    assert_eq!(sends.len(), 26 * 60);
    assert_eq!(sends, receives);
}

/// Every cell that changes its rank travels exactly once.
#[test]
fn remaps_move_every_cell_once() {
    for (from, to, extent) in
        [([2, 2, 2], [1, 2, 4], [8, 8, 8]), ([4, 2, 1], [1, 1, 8], [10, 7, 13])]
    {
        let remap = |call: &str| {
            serde_json::json!({"do": "call", "call": call, "phase": 0, "request": 2,
                "from": {"grid": 0}, "to": {"grid": 1}, "extent": extent, "bytes": 16, "tag": 1})
        };
        let program = serde_json::json!({"ranks": 8, "phases": ["main"],
            "grids": [{"shape": from}, {"shape": to}],
            "body": [remap("remap_recv"), remap("remap_send")]});
        let compiled = compile(&program);
        let (sends, receives) = messages(&compiled);
        assert_eq!(sends, receives, "{from:?} {to:?}");
        // Owner of each cell before and after.
        let owner = |shape: [u32; 3], cell: [u64; 3]| {
            let at = |axis: usize| {
                let (p, n) = (u64::from(shape[axis]), extent[axis] as u64);
                (0..p).find(|c| (c + 1) * n / p > cell[axis]).expect("a box has it")
            };
            let shape = shape.map(u64::from);
            (at(0) * shape[1] + at(1)) * shape[2] + at(2)
        };
        let mut moved = std::collections::BTreeMap::new();
        for x in 0..extent[0] as u64 {
            for y in 0..extent[1] as u64 {
                for z in 0..extent[2] as u64 {
                    let pair = (owner(from, [x, y, z]) as u32, owner(to, [x, y, z]) as u32);
                    *moved.entry(pair).or_insert(0) += 16u64;
                }
            }
        }
        let expected: Vec<_> =
            moved.into_iter().filter(|((a, b), _)| a != b).map(|((a, b), n)| (a, b, n)).collect();
        assert_eq!(sends, expected, "{from:?} {to:?}");
    }
}

/// A loop of which some iterations are simulated represents all of them.
#[test]
fn weights_of_iterations_sum_to_their_number() {
    let body = serde_json::json!([{"do": "loop", "count": 50.0, "body": [
        {"do": "loop", "count": 7.5, "is_sample": true, "body": []}]}]);
    let program = serde_json::json!({"ranks": 2, "grids": [{"shape": [2]}], "phases": ["main"],
        "body": body});
    for most in 1..5 {
        let mut compiled = compile(&program);
        compiled.limit_iterations(most);
        for of in &compiled.loops {
            let sum: f64 = (0..of.simulated).map(|k| of.weight(k)).sum();
            assert!((sum - of.count).abs() < 1e-12, "{most}: {sum} of {}", of.count);
        }
    }
}

#[test]
fn all_errors_are_collected() {
    let call = |call: serde_json::Value| {
        let mut node = serde_json::json!({"do": "call", "phase": 0});
        let fields = call.as_object().expect("fields").clone();
        node.as_object_mut().expect("an object").extend(fields);
        node
    };
    let offset = serde_json::json!({"rule": "offset", "grid": 0, "by": [1, 0]});
    let program = serde_json::json!({"ranks": 4, "grids": [{"shape": [4]}], "phases": ["main"],
    "body": [
        call(serde_json::json!({"call": "send", "to": offset, "bytes": 8, "tag": 0})),
        call(serde_json::json!({"call": "send", "to": {"rule": "rank", "rank": 4}, "bytes": 8,
            "tag": 0})),
        call(serde_json::json!({"call": "collective", "kind": "allredce", "bytes": 8})),
        call(serde_json::json!({"call": "collective", "kind": "allreduce", "bytes": 7})),
    ]});
    let program: Program = serde_json::from_value(program).expect("parses");
    let errors = Compiled::new(&program, 1).expect_err("four errors");
    let places: Vec<&str> = errors.iter().map(|error| error.at.as_str()).collect();
    assert_eq!(places, ["partner", "partner", "collective", "allreduce"]);
}

/// Two loops with equal exchanges, computation and a collective: three parts, with the numbers of
/// their executions.
#[test]
fn equal_parts_are_one() {
    let mut halo = halo([8, 4, 4], false);
    let exchange = halo["body"].as_array().expect("calls").clone();
    let wait = serde_json::json!({"do": "call", "call": "wait", "of": 2, "phase": 0});
    let compute = serde_json::json!({"do": "call", "call": "compute", "seconds": 1.0, "phase": 0});
    let sum = serde_json::json!({"do": "call", "call": "collective", "phase": 0,
        "kind": "allreduce", "bytes": 8});
    let body = |more: &[&serde_json::Value]| {
        let mut all = exchange.clone();
        all.extend(more.iter().map(|&one| one.clone()));
        all
    };
    halo["body"] = serde_json::json!([
        {"do": "loop", "count": 5.0, "body": body(&[&wait, &compute])},
        {"do": "loop", "count": 7.0, "coarse": 6.0, "body": body(&[&wait, &sum])},
    ]);
    let compiled = compile(&halo);
    let units = Units::of(&compiled, &|_| true);
    assert_eq!(units.exchanges.len(), 1);
    let uses: Vec<_> = units.uses.iter().map(|one| (one.unit, one.weight, one.coarse)).collect();
    let exchange = Unit::Exchange(0);
    assert_eq!(
        uses,
        [
            (exchange, 5.0, 5.0),
            (Unit::Compute(0), 5.0, 5.0),
            (exchange, 7.0, 6.0),
            (Unit::Collective(0), 7.0, 6.0),
        ]
    );
    // On five planes of 4 x 4 ranks that wrap around, each plane has (3 * 4 - 2)^2 pairs with
    // itself and with the plane on either side, less the 16 ranks with themselves. It is executed
    // twice: a warm-up, and the measurement.
    let (cut, ranks) = units.exchanges[0].cut(80, 2).expect("neighbors of one grid");
    assert_eq!((cut.ranks, ranks), (80, (0..80).collect()));
    let (sends, receives) = messages(&cut);
    assert_eq!(sends.len(), 2 * 5 * (3 * 100 - 16));
    assert_eq!(sends, receives);
    assert!(units.exchanges[0].cut(128, 2).is_none(), "the whole grid fits");
}

/// A ring along the rows of a grid is alike in all rows, and one along the columns in all columns,
/// of which as many remain as a node has ranks.
#[test]
fn rings_are_cut_across() {
    for axis in [0, 1] {
        let by = [i32::from(axis == 0), i32::from(axis == 1)];
        let call = |what: &str, side: &str, by: [i32; 2], from: u32, to: u32| {
            serde_json::json!({"do": "call", "call": what, "phase": 0, "bytes": 8, "tag": 0,
                side: {"rule": "offset", "grid": 0, "by": by, "periodic": [true, true]},
                "where": [{"grid": 0, "axis": axis, "from": from, "to": to}]})
        };
        let program = serde_json::json!({"ranks": 600, "grids": [{"shape": [20, 30]}],
        "phases": ["main"], "body": [
            call("recv", "from", by.map(|x| -x), 1, 20),
            call("send", "to", by, 0, 19),
        ]});
        let units = Units::of(&compile(&program), &|_| true);
        let (cut, ranks) = units.exchanges[0].cut(1, 4).expect("alike across");
        let (sends, receives) = messages(&cut);
        assert_eq!(sends, receives);
        // Rows: one of 30 ranks, more than a node has. Columns: four, of 20 ranks.
        let expected: Vec<u32> = match axis {
            1 => (0..30).collect(),
            _ => (0..20).flat_map(|row| (0..4).map(move |column| row * 30 + column)).collect(),
        };
        assert_eq!(ranks, expected);
        assert_eq!(sends.len(), 2 * 19 * if axis == 1 { 1 } else { 4 });
    }
}

fn access() -> serde_json::Value {
    serde_json::json!({"do": "call", "call": "access", "phase": 0, "request": 1, "count": 1,
        "out": 8, "back": 0, "to": {"one": {"rule": "shift", "by": 1}}})
}

/// Accesses in a loop with computation, which a fence after the loop completes, are a part that is
/// executed in each iteration.
#[test]
fn accesses_that_a_loop_leaves_open_are_parts() {
    let compute = serde_json::json!({"do": "call", "call": "compute", "phase": 0, "seconds": 1e-3});
    let wait = serde_json::json!({"do": "call", "call": "wait", "phase": 0, "of": 1});
    let program = |body: serde_json::Value| {
        serde_json::json!({"ranks": 2, "grids": [{"shape": [2]}], "phases": ["main"],
            "body": [{"do": "loop", "count": 50.0, "body": body}, wait]})
    };
    for body in [
        serde_json::json!([compute, access()]),
        serde_json::json!([access(), compute]),
        serde_json::json!([compute, access(), compute]),
    ] {
        let units = Units::of(&compile(&program(body.clone())), &|_| true);
        let accesses = |part: &Compiled| {
            let (mut found, mut position) = (0, Position::default());
            while let Some((item, _)) = part.next(0, &mut position) {
                found += u32::from(matches!(item, Item::Call { op: Op::OneSided { .. }, .. }));
            }
            found
        };
        // Each part executes its code twice.
        let sum: f64 = units
            .uses
            .iter()
            .map(|one| match one.unit {
                Unit::Exchange(at) => {
                    one.weight * f64::from(accesses(&units.exchanges[at as usize])) / 2.0
                }
                _ => 0.0,
            })
            .sum();
        assert_eq!(sum, 50.0, "{body}");
    }
}

/// The deepest loops that are allowed have parts, too.
#[test]
fn the_deepest_loops_have_parts() {
    let mut body = serde_json::json!([access(),
        {"do": "call", "call": "wait", "phase": 0, "of": 1}]);
    for _ in 0..4 {
        body = serde_json::json!([{"do": "loop", "count": 3.0, "body": body}]);
    }
    let program = serde_json::json!({"ranks": 2, "grids": [{"shape": [2]}], "phases": ["main"],
        "body": body});
    let mut compiled = compile(&program);
    compiled.limit_iterations(3);
    let units = Units::of(&compiled, &|_| true);
    let (calls, _) = units.exchanges[0].census(0);
    assert_eq!(calls, 2 * 3u64.pow(4));
}

/// Requests, roots and remaps beyond the limits are errors.
#[test]
fn wrong_requests_roots_and_remaps_are_refused() {
    let errors = |call: serde_json::Value| {
        let mut node = serde_json::json!({"do": "call", "phase": 0});
        let fields = call.as_object().expect("fields").clone();
        node.as_object_mut().expect("an object").extend(fields);
        let program = serde_json::json!({"ranks": 6, "grids": [{"shape": [2, 3]}],
            "partitions": [{"grid": 0, "axes": [1]}], "phases": ["main"], "body": [node]});
        let program: Program = serde_json::from_value(program).expect("parses");
        Compiled::new(&program, 1).err().map(|errors| errors[0].found.clone())
    };
    let wait = |of: u32| errors(serde_json::json!({"call": "wait", "of": of}));
    assert_eq!((wait(3), wait(4)), (None, Some("4".into())));
    let root = |root: u32| {
        errors(serde_json::json!({"call": "collective", "kind": "bcast", "bytes": 8,
            "root": root}))
    };
    assert_eq!((root(5), root(6)), (None, Some("root 6".into())));
    let root = |root: u32| {
        errors(serde_json::json!({"call": "collective", "kind": "bcast", "bytes": 8,
            "root": root, "partition": 0}))
    };
    assert_eq!((root(2), root(3)), (None, Some("root 3".into())));
    let remap = |cells: u64| {
        errors(serde_json::json!({"call": "remap_send", "from": {"grid": 0}, "to": {"grid": 0},
            "extent": [cells, cells], "bytes": 16, "tag": 0, "request": 1}))
    };
    assert_eq!(remap(1 << 20), None);
    assert!(remap(1 << 40).is_some_and(|found| found.ends_with("bytes in all")));
}

/// Ranks of the chosen nodes send as much as in the whole, and every message is received.
#[test]
fn folded_exchanges_have_all_messages_of_their_ranks() {
    let remap = |call: &str| {
        serde_json::json!({"do": "call", "call": call, "phase": 0, "request": 2,
            "from": {"grid": 0}, "to": {"grid": 1}, "extent": [48, 48, 48], "bytes": 16, "tag": 1})
    };
    let wait = serde_json::json!({"do": "call", "call": "wait", "phase": 0, "of": 2});
    let program = serde_json::json!({"ranks": 96, "phases": ["main"],
        "grids": [{"shape": [6, 4, 4]}, {"shape": [1, 12, 8]}],
        "body": [remap("remap_recv"), remap("remap_send"), wait]});
    let whole = compile(&program);
    let nodes: Vec<u32> = (0..96).map(|rank| rank / 4).collect();
    let units = Units::of(&whole, &|_| true);
    let (folded, ranks) = units.exchanges[0].folded(&nodes, 5).expect("receives come first");
    assert_eq!(ranks.len(), 20);
    let (sends, receives) = messages(&folded);
    assert_eq!(sends, receives);
    let of_rank = |all: &[Message], rank: u32| {
        let mut sizes: Vec<u64> = all.iter().filter(|one| one.0 == rank).map(|one| one.2).collect();
        sizes.sort_unstable();
        sizes
    };
    let (all, _) = messages(&units.exchanges[0]);
    for (own, &rank) in (0..).zip(&ranks) {
        assert_eq!(of_rank(&sends, own), of_rank(&all, rank), "{rank}");
        assert!(!of_rank(&sends, own).is_empty());
    }
    // Messages between nodes stay between nodes.
    let between = |all: &[Message], of: &dyn Fn(u32) -> u32| {
        all.iter().filter(|one| of(one.0) != of(one.1)).count()
    };
    let chosen: Vec<Message> = all.iter().filter(|one| ranks.contains(&one.0)).copied().collect();
    assert_eq!(between(&sends, &|rank| rank / 4), between(&chosen, &|rank| rank / 4));
}

/// A blocking receive before a send orders ranks, which folding would change.
#[test]
fn chains_are_not_folded() {
    let side = |by: i32| serde_json::json!({"rule": "shift", "by": by});
    let program = serde_json::json!({"ranks": 8, "phases": ["main"], "grids": [{"shape": [8]}],
        "body": [
            {"do": "call", "call": "recv", "phase": 0, "from": side(-1), "bytes": 8, "tag": 0},
            {"do": "call", "call": "send", "phase": 0, "to": side(1), "bytes": 8, "tag": 0}]});
    let units = Units::of(&compile(&program), &|_| true);
    assert!(units.exchanges[0].folded(&[0, 1, 2, 3, 4, 5, 6, 7], 3).is_none());
}

/// Fewer nodes would relieve a target that all ranks have at a time.
#[test]
fn common_targets_are_not_folded() {
    let folds = |to: serde_json::Value| {
        let access = serde_json::json!({"do": "call", "call": "access", "phase": 0, "request": 2,
            "count": 4, "out": 8, "back": 0, "to": to});
        let wait = serde_json::json!({"do": "call", "call": "wait", "phase": 0, "of": 2});
        let program = serde_json::json!({"ranks": 8, "phases": ["main"],
            "grids": [{"shape": [8]}], "body": [access, wait]});
        let units = Units::of(&compile(&program), &|_| true);
        units.exchanges[0].folded(&[0, 1, 2, 3, 4, 5, 6, 7], 3).is_some()
    };
    let one = |partner: serde_json::Value| folds(serde_json::json!({"one": partner}));
    assert!(folds(serde_json::json!("from_next")) && !folds(serde_json::json!("from_first")));
    assert!(one(serde_json::json!({"rule": "shift", "by": 2})));
    assert!(!one(serde_json::json!({"rule": "rank", "rank": 2})));
    assert!(!one(serde_json::json!({"rule": "at", "grid": 0, "axis": 0, "at": 2})));
}

/// Sends in another order than the receives: tags select the receive, also on fewer nodes.
#[test]
fn folded_messages_keep_their_tags() {
    let side = |by: i32| serde_json::json!({"rule": "shift", "by": by});
    let message = |call: &str, by: i32, bytes: u64, tag: i32| {
        let partner = if call == "send" { "to" } else { "from" };
        serde_json::json!({"do": "call", "call": call, "phase": 0, "request": 2,
            partner: side(by), "bytes": bytes, "tag": tag})
    };
    let wait = serde_json::json!({"do": "call", "call": "wait", "phase": 0, "of": 2});
    let program = serde_json::json!({"ranks": 8, "phases": ["main"], "grids": [{"shape": [8]}],
        "body": [message("recv", -1, 800, 71), message("recv", -1, 16, 72),
            message("send", 1, 16, 72), message("send", 1, 800, 71), wait]});
    let units = Units::of(&compile(&program), &|_| true);
    let nodes: Vec<u32> = (0..8).collect();
    for part in [&units.exchanges[0], &units.exchanges[0].folded(&nodes, 3).expect("folds").0] {
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        let mut position = phases::Position::default();
        while let Some((item, _)) = part.next(0, &mut position) {
            match item {
                Item::Call { op: Op::Send { bytes, tag, .. }, .. } => sends.push((tag, bytes)),
                Item::Call { op: Op::Recv { bytes, tag, .. }, .. } => receives.push((tag, bytes)),
                _ => {}
            }
        }
        sends.sort_unstable();
        receives.sort_unstable();
        assert_eq!(sends, receives);
        assert_eq!(sends.iter().filter(|one| one.0 == sends[0].0).count() * 2, sends.len());
    }
}
