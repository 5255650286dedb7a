//! The contents of files, and robustness of the reader.

use super::*;
use base::{below, draw};

/// A broadcast along a binomial tree as `schedgen` writes it: labels, `requires`, one `rank` block
/// each. Written here after the published grammar, using all of it.
const TREE: &str = "
// four ranks
num_ranks 4

rank 0 { /* the root
            computes */
l1: calc 1000
l2: send 8b to 1 tag 7
l2 requires l1
l3: send 8b to 2 tag 7 cpu 0 nic 3
l3 irequires l2
}
rank 1 {
l1: recv 8b from 0 tag 7
l2: send 8b to 3 tag 7
l2 requires l1
}
rank 2 { recv 8b from -1 tag -1
}
rank 3 {
recv 8b from 1 tag 7
calc 5 cpu 2
}
";

fn text(file: &str) -> (Vec<RankOps>, Vec<ScheduleError>) {
    let mut errors = ScheduleErrors::default();
    let parts = text::read(file.as_bytes(), &mut errors);
    (parts, errors.finish(()).err().unwrap_or_default())
}

/// The layout of `binary`'s front page, written as `txt2bin` does.
fn written(parts: &[RankOps]) -> Vec<u8> {
    let mut style = Vec::new();
    let mut body = Vec::new();
    let origin = 6 + 16 * parts.len() as u64;
    for part in parts {
        let from = origin + body.len() as u64;
        let n = part.ops.len();
        let needs = |op: usize| part.edges.iter().filter(|e| e.op as usize == op).count() as u32;
        let roots: Vec<u32> = (0..n).filter(|&op| needs(op) == 0).map(|op| op as u32).collect();
        let put = |body: &mut Vec<u8>, value: u32| body.extend(value.to_le_bytes());
        put(&mut body, n as u32);
        put(&mut body, roots.len() as u32);
        roots.iter().for_each(|&root| put(&mut body, root));
        let mut list: Vec<u32> = Vec::new();
        for (at, op) in part.ops.iter().enumerate() {
            put(&mut body, needs(at));
            body.push(match op.kind {
                OpKind::Send => 1,
                OpKind::Recv => 2,
                OpKind::Calc => 3,
            });
            put(&mut body, op.peer);
            body.extend(op.size.to_le_bytes());
            put(&mut body, op.tag);
            body.extend([op.cpu, op.nic]);
            for needs_begin_only in [false, true] {
                let mine =
                    |e: &&Edge| e.needed as usize == at && e.needs_begin_only == needs_begin_only;
                let who: Vec<u32> = part.edges.iter().filter(mine).map(|e| e.op).collect();
                put(&mut body, who.len() as u32);
                put(&mut body, list.len() as u32);
                list.extend(who);
            }
        }
        list.iter().for_each(|&op| put(&mut body, op));
        style.push((from, origin + body.len() as u64));
    }
    let mut file = 4223u64.to_le_bytes().to_vec();
    file.extend((parts.len() as u32).to_le_bytes());
    file.extend([0, 0]);
    for (from, to) in style {
        file.extend(from.to_le_bytes());
        file.extend(to.to_le_bytes());
    }
    file.extend(body);
    file
}

#[test]
fn the_whole_grammar_is_read() {
    let (parts, errors) = text(TREE);
    assert_eq!(errors, []);
    let lengths: Vec<(usize, usize)> = parts.iter().map(|p| (p.ops.len(), p.edges.len())).collect();
    assert_eq!(lengths, [(3, 2), (2, 1), (1, 0), (2, 0)]);
    let op = parts[0].ops[2];
    assert_eq!((op.kind, op.peer, op.tag, op.size, op.nic), (OpKind::Send, 2, 7, 8, 3));
    assert!(parts[0].edges[1].needs_begin_only && !parts[0].edges[0].needs_begin_only);
    assert_eq!((parts[2].ops[0].peer, parts[2].ops[0].tag), (ANY, ANY));
    assert_eq!((parts[3].ops[1].size, parts[3].ops[1].cpu), (5, 2));
}

#[test]
fn text_and_binary_are_one_schedule() {
    let (parts, _) = text(TREE);
    let file = written(&parts);
    let mut errors = ScheduleErrors::default();
    let again = binary::read(&file, &mut errors);
    assert!(errors.is_empty());
    for (part, again) in parts.iter().zip(&again) {
        let facts = |p: &RankOps| -> Vec<_> {
            p.ops.iter().map(|o| (o.kind, o.cpu, o.nic, o.peer, o.tag, o.size)).collect()
        };
        assert_eq!(facts(part), facts(again));
        let edges = |p: &RankOps| {
            let mut edges: Vec<_> =
                p.edges.iter().map(|e| (e.op, e.needed, e.needs_begin_only)).collect();
            edges.sort_unstable();
            edges
        };
        assert_eq!(edges(part), edges(again));
    }
    let (a, b) = (read(TREE.as_bytes()).unwrap(), read(&file).unwrap());
    assert_eq!((a.ranks, a.scheduled, a.needs, a.nics), (b.ranks, b.scheduled, b.needs, b.nics));
}

/// `txt2bin` sums the digits of a tag in 64 bits and keeps the lower 32.
#[test]
fn tags_count_modulo_two_to_the_32() {
    let tag = |word: &str| {
        let (parts, errors) =
            text(&format!("num_ranks 1\nrank 0 {{\nrecv 8b from 0 tag {word}\n}}"));
        assert_eq!(errors, [], "{word}");
        parts[0].ops[0].tag
    };
    for (word, kept) in [
        ("4294967295", ANY),
        ("4294967296", 0),
        ("4294967303", 7),
        ("8589934591", ANY),
        ("18446744073709551616", 0),
        ("18446744073709551623", 7),
        ("/* 9 */5", 5),
    ] {
        assert_eq!(tag(word), kept, "{word}");
    }
}

/// By rank and operation: the NICs of sends, as (own, the receive's).
fn nics(file: &str) -> Vec<[u8; 2]> {
    let (parts, errors) = text(file);
    assert_eq!(errors, []);
    let all = nics::of_sends(&parts).expect("the file names NICs");
    let sends = parts.iter().flat_map(|part| &part.ops).map(|op| op.kind == OpKind::Send);
    all.into_iter().zip(sends).filter(|(_, is_send)| *is_send).map(|(nics, _)| nics).collect()
}

#[test]
fn a_message_goes_to_the_nic_of_its_receive() {
    // By tag, in any order; equal tags in file order; wildcards in file order.
    let by_tag = "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1 nic 1\nsend 8b to 1 tag 2\n}\n\
                  rank 1 {\nrecv 8b from 0 tag 2 nic 3\nrecv 8b from 0 tag 1 nic 2\n}\n";
    assert_eq!(nics(by_tag), [[1, 2], [0, 3]]);
    let equal = "num_ranks 2\nrank 0 {\nsend 8b to 1\nsend 8b to 1\nsend 8b to 1\n}\n\
                 rank 1 {\nrecv 8b from 0 nic 1\nrecv 8b from -1 nic 2\n}\n";
    assert_eq!(nics(equal), [[0, 1], [0, 2], [0, 0]]);
    let wildcards = "num_ranks 3\nrank 0 {\nsend 8b to 2 tag 5\n}\n\
                     rank 1 {\nsend 8b to 2 tag 6\n}\n\
                     rank 2 {\nrecv 8b from -1 tag -1 nic 1\nrecv 8b from 0 tag -1 nic 2\n\
                     recv 8b from -1 tag 6 nic 3\n}\n";
    assert_eq!(nics(wildcards), [[0, 1], [0, 3]]);
    // Modulo 2^32 on both sides.
    let long = "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 4294967301\n}\n\
                rank 1 {\nrecv 8b from 0 tag 5 nic 1\n}\n";
    assert_eq!(nics(long), [[0, 1]]);
    let (parts, _) = text("num_ranks 1\nrank 0 {\ncalc 1 nic 2\nsend 8b to 0\nrecv 8b from 0\n}\n");
    assert_eq!(nics::of_sends(&parts), None);
}

#[test]
fn every_missing_nic_is_an_error_with_its_place() {
    let file = "num_ranks 2\nrank 0 {\nsend 8b to 1 nic 3\nsend 8b to 1 nic 4\n}\n\
                rank 1 {\nrecv 8b from 0 nic 1\nrecv 8b from 0 nic 255\n}\n";
    let (parts, _) = text(file);
    let (of_text, of_binary) = (read(file.as_bytes()).unwrap(), read(&written(&parts)).unwrap());
    let at = |schedule: &Schedule, n: [u32; 2]| -> Vec<(String, String)> {
        let errors = schedule.missing_nics(|rank| n[rank as usize]);
        errors.into_iter().map(|fault| (fault.at, fault.found)).collect()
    };
    let want = |all: &[(&str, &str)]| -> Vec<(String, String)> {
        all.iter().map(|&(at, found)| (at.to_string(), found.to_string())).collect()
    };
    assert_eq!(at(&of_text, [4, 4]), want(&[("line 4", "nic 4"), ("line 8", "nic 255")]));
    let all =
        [("line 3", "nic 3"), ("line 4", "nic 4"), ("line 7", "nic 1"), ("line 8", "nic 255")];
    assert_eq!(at(&of_text, [1, 1]), want(&all));
    assert_eq!(
        at(&of_binary, [4, 1]),
        want(&[
            ("rank 0, operation 1", "nic 4"),
            ("rank 1, operation 0", "nic 1"),
            ("rank 1, operation 1", "nic 255"),
        ])
    );
}

/// Each with the line of the error, what was found, and a word of what was expected.
#[test]
fn errors_name_their_line() {
    type Told<'a> = (&'a str, &'a str, &'a str);
    let cases: &[(&str, &[Told])] = &[
        ("import sys\nimport os\n", &[("line 1", "`import`", "num_ranks")]),
        ("", &[("line 1", "nothing", "num_ranks")]),
        ("num_ranks 0\nrank 0 {\n}\n", &[("line 1", "0", "1 to 16777216")]),
        ("num_ranks 2\nrank 0 {\n}\n", &[("the end", "none", "rank 1 {")]),
        ("num_ranks 1\nrank 0 {\ncalc 5\n", &[("line 2", "the end of the file", "`}`")]),
        (
            "num_ranks 1\nrank 0 {\nsend 8 to 0\ncalc x\nfoo\n}\n",
            &[
                ("line 3", "`to`", "`b`"),
                ("line 4", "`x`", "nanoseconds"),
                ("line 5", "the end of the line", "`requires`"),
            ],
        ),
        (
            "num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\nb requires a\n}\nrank 0 {\n}\n",
            &[
                ("line 4", "label `a` again", "differ"),
                ("line 5", "label `b`", "label of an operation"),
                ("line 7", "rank 0 again", "one block"),
            ],
        ),
        ("num_ranks 1\nrank 0 {\nrecv 8b from 3\n}\n", &[("line 3", "recv 3", "below 1")]),
        ("num_ranks 1\nrank 0 {\nsend 8b to 0 tag -1\n}\n", &[("line 3", "any tag", "a tag")]),
        ("num_ranks 1\nrank 0 {\ncalc 99999999999999999999\n}\n", &[("line 3", "9999", "2^64")]),
        ("num_ranks 1\nrank 0 {\ncalc 9999999999999999\n}\n", &[("line 3", "calc", "50 days")]),
        ("num_ranks 1\nrank 0 {\nsend 2000000000000b to 0\n}\n", &[("line 3", " B", "2^40")]),
        (
            "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n",
            &[("line 3", "calc", "cycle")],
        ),
        ("num_ranks 1\nrank 0 {\ncalc 1 nic 0 /* \n}\n", &[("line 3", "end of the file", "*/")]),
    ];
    for (file, expected) in cases {
        let errors = read(file.as_bytes()).expect_err(file);
        for (at, found, expected) in *expected {
            let reported = errors
                .iter()
                .any(|f| f.at == *at && f.found.contains(found) && f.expected.contains(expected));
            assert!(reported, "{file}: {at}: {found}: {expected}: {errors:?}");
        }
    }
}

/// A few bytes cannot make the reader allocate what they claim.
#[test]
fn a_short_file_needs_little_memory() {
    let errors = read(b"num_ranks 16777216\nrank 3 {\n}\n").unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].expected, "a block `rank 0 { ... }`, and one of each of 16777214 others");

    let file = "num_ranks 2\nrank 0 {\na: calc 1\nb: calc 2\nb requires a\n}\nrank 1 {\n}\n";
    let (parts, _) = text(file);
    let whole = written(&parts);
    assert!(read(&whole).is_ok());
    // The second rank's part is the first's; the second operation shares a list with the first.
    let (mut twice, mut shared) = (whole.clone(), whole);
    twice.copy_within(14..30, 30);
    let record = 8 + 6 + 32 + 8 + 4 + 39;
    shared[record] = 2;
    shared[record + 23..record + 31].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0]);
    for (file, expected) in [(twice, "parts that do not overlap"), (shared, "lists that do not")] {
        let errors = read(&file).unwrap_err();
        assert!(errors.iter().any(|f| f.expected.contains(expected)), "{expected}: {errors:?}");
    }
}

/// Truncated and randomly altered files are read or refused, in both forms.
#[test]
fn no_file_breaks_the_reader() {
    const SEED: u64 = 20_261_122;
    let (parts, _) = text(TREE);
    for (form, file) in [TREE.as_bytes().to_vec(), written(&parts)].iter().enumerate() {
        let mut refused = 0;
        for trial in 0..20_000u32 {
            let random = |nth: u64, of: usize| {
                below(draw(SEED, form as u32, trial, nth), of as u32) as usize
            };
            let mut bytes = file.clone();
            if random(0, 4) == 0 {
                bytes.truncate(random(1, bytes.len() + 1));
            }
            for nth in 0..random(2, 4) as u64 {
                if !bytes.is_empty() {
                    let at = random(10 + nth, bytes.len());
                    let interesting = [0, 1, 0x7f, 0xff, b'{', b'}', b'\n', b'-', b'9', b'/'];
                    bytes[at] = interesting[random(20 + nth, interesting.len())];
                }
            }
            match read(&bytes) {
                Ok(schedule) => assert!(schedule.ranks > 0, "seed {SEED}, trial {trial}"),
                Err(errors) => {
                    assert!(!errors.is_empty(), "seed {SEED}, trial {trial}");
                    refused += 1;
                }
            }
        }
        assert!((2_000..20_000).contains(&refused), "{refused} of 20,000: the trials try nothing");
    }
}
