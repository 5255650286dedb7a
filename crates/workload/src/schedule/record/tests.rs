//! A record contains what was done, and no record breaks the reader.

use super::*;
use crate::{Call, CompletionStatus, OpCompletion, Token, wire};
use base::{Time, below, draw};
use collectives::Algorithm;

fn collective(kind: Kind, member: Member, lengths: Option<&[u64]>) -> Op {
    let ragged = lengths.map(Ragged::from);
    let (algorithm, root, bytes, grain) = (kind.algorithms()[0], 0, 8, 8);
    let call = Collective { kind, algorithm, member, root, bytes, grain, ragged, nodes: None };
    Op::Collective { context: 3, call }
}

fn done(rank: u32, token: Token, peer: u32, tag: i32) -> OpCompletion {
    OpCompletion { rank, token, peer, tag, ready: Time(5), ..OpCompletion::default() }
}

/// Two ranks: a send and a receive from any source, a collective, an unsuccessful probe and a
/// successful one.
fn recorded() -> Recorder {
    let mut recorder = Recorder::new(2);
    recorder.add_communicator(3, &[1, 0]);
    for rank in [0, 1] {
        let call = |op| Call { rank, token: 0, after: Span::ns(7), op };
        let peer = 1 - rank;
        recorder.begin(rank, |_| unreachable!("nothing has completed yet"));
        let send =
            Op::Send { to: peer, context: WORLD, tag: 4, bytes: 100, mode: SendMode::Standard };
        recorder.call(&call(send), Some(0), 0);
        let recv = Op::Recv { from: ANY_SOURCE, context: WORLD, tag: ANY_TAG, bytes: 100 };
        recorder.call(&call(recv), Some(1), 0);
        recorder.pause(&call(Op::Pause));
        recorder.done(0, &done(rank, 0, 0, 0), false);
        recorder.done(1, &done(rank, 1, peer, 4), true);
        recorder.resumed(rank, Time(100), false);

        // The program knows of the receive, and not yet of the send.
        recorder.begin(rank, |token| token == 1);
        let probe = Op::Probe { from: peer, context: WORLD, tag: 9, wait: false, take: true };
        recorder.call(&call(probe), Some(1), 0);
        recorder.pause(&call(Op::Pause));
        recorder.done(
            1,
            &OpCompletion { status: CompletionStatus::NoMessage, ..done(rank, 1, 0, 0) },
            true,
        );
        recorder.alarm_set(rank, 77);
        recorder.alarm_expired(&OpCompletion { ready: Time(200), ..done(rank, 77, 0, 0) });
        recorder.resumed(rank, Time(900), true);

        recorder.begin(rank, |_| true);
        let member = Member { rank: peer, size: 2 };
        recorder.call(&call(collective(Kind::Allgatherv, member, Some(&[8, 16]))), Some(2), 0);
        recorder.pause(&call(Op::Pause));
    }
    recorder
}

fn read_table(
    table: &Table,
    communicators: &BTreeMap<Context, Vec<u32>>,
) -> Result<Schedule, Vec<ScheduleError>> {
    let columns = table.columns().into_iter().map(|(name, bytes)| (name.to_string(), bytes));
    let ops: Vec<String> = ops().into_iter().map(String::from).collect();
    read(&RecordInput { ranks: 2, communicators, ops: &ops, columns: &columns.collect() })
}

#[test]
fn a_record_holds_calls_and_dependencies() {
    let recorder = recorded();
    let table = recorder.table();
    let names: Vec<&str> = table.op.iter().map(|&op| ops()[op as usize]).collect();
    let of_rank = ["send", "recv", "pause", "iprobe", "pause", "delay", "allgatherv", "pause"];
    assert_eq!(names, [of_rank, of_rank].concat());
    assert_eq!(table.step[..8], [0, 0, 0, 1, 1, 2, 3, 3]);
    // The receive matched what the other rank sent.
    assert_eq!((table.peer[1], table.tag[1]), (1, 4));
    assert_eq!(table.flags[1], flag::ANY_SOURCE | flag::ANY_TAG);
    // The probe polled from 200 to 900 ps.
    assert_eq!(table.span_ps[5], 700);
    let needs: Vec<&[u32]> = (0..8).map(|row| table.needs_of(row)).collect();
    // Step 1 needs the receive and the pause of step 0, but not the send. Step 3 begins when the
    // program knows of everything, so it needs the send, the probe and the delay.
    assert_eq!(needs, [&[][..], &[], &[], &[1, 2], &[], &[3, 4], &[0, 3, 5], &[]]);
    assert_eq!(recorder.unsuccessful_polls, 2);
    let schedule = read_table(&table, &recorder.communicators).unwrap();
    assert_eq!((schedule.ranks, schedule.calls()), (2, 16));
    assert_eq!(schedule.computed(), [Span::ns(7 * 7); 2]);
}

/// Sends of 100 B, a collective's buffers (two blocks of 24 B in all, one to send and one to
/// receive), and separately the bytes of storage.
#[test]
fn a_records_volume_is_counted() {
    let recorder = recorded();
    let mut table = recorder.table();
    let write = ops().iter().position(|&name| name == "write").unwrap() as u8;
    (table.op[3], table.bytes[3]) = (write, 7);
    let volume = read_table(&table, &recorder.communicators).unwrap().volume();
    assert_eq!((volume.longest, volume.total, volume.stored), (100, 2 * 100 + 2 * 2 * 24, 7));
}

/// A memory registration never completes, so no step can wait for it: here step 1 of both ranks
/// would, and step 3.
#[test]
fn a_registration_is_not_waited_for() {
    let recorder = recorded();
    let mut table = recorder.table();
    let register = ops().iter().position(|&name| name == "register").unwrap() as u8;
    (table.op[0], table.op[1]) = (register, register);
    let Err(errors) = read_table(&table, &recorder.communicators) else { panic!("it is legal") };
    let found: Vec<&str> = errors.iter().map(|fault| fault.found.as_str()).collect();
    assert_eq!(found, ["needs call 1", "needs call 0"]);
    assert!(errors.iter().all(|fault| fault.expected.contains("calls that complete")));
}

#[test]
fn algorithms_are_chosen_again_and_equal_for_all_members() {
    let recorder = recorded();
    let mut schedule = read_table(&recorder.table(), &recorder.communicators).unwrap();
    schedule.choose(&[0; 8], &|case| {
        assert_eq!((case.kind, case.size, case.bytes), (Kind::Allgatherv, 2, 24));
        Algorithm::Ring
    });
    let chosen = schedule.others.iter().filter_map(|op| match op {
        Op::Collective { call, .. } => Some(call.algorithm),
        _ => None,
    });
    assert_eq!(chosen.collect::<Vec<_>>(), [Algorithm::Ring; 2]);
    // An algorithm of another kind is not used.
    schedule.choose(&[0; 8], &|_| Algorithm::Rabenseifner);
    let fits = |op: &Op| match op {
        Op::Collective { call, .. } => call.algorithm.implements(call.kind),
        _ => true,
    };
    assert!(schedule.others.iter().all(fits));
}

#[test]
fn errors_name_their_row() {
    let good = recorded();
    let check = |change: &dyn Fn(&mut Table), at: &str, expected: &str| {
        let mut table = good.table();
        change(&mut table);
        let errors = read_table(&table, &good.communicators).expect_err(expected);
        let reported = errors.iter().any(|f| f.at == at && f.expected.contains(expected));
        assert!(reported, "{at}: {expected}: {errors:?}");
    };
    check(&|t| t.peer[0] = 2, "row 0", "below 2");
    check(&|t| t.rank[8] = 2, "row 8", "below 2");
    check(&|t| t.step[5] = 9, "row 5", "step 2");
    check(&|t| t.needs[0] = 2 << 20, "row 3", "earlier steps");
    check(&|t| t.context[6] = 4, "row 6", "member");
    check(&|t| t.root[6] = 2, "row 6", "rank of the communicator");
    check(&|t| t.lengths[0] = 1, "row 14", "the same as row 6");
    check(&|t| t.after_ps[9] = u64::MAX, "row 9", "50 days");
    check(&|t| t.bytes[1] = 1 << 41, "row 1", "at most");
    check(&|t| t.flags.truncate(3), "column flags", "as many");
    check(&|t| t.needs.clear(), "column needs", "a list in every row");
    let mrecv = ops().iter().position(|&name| name == "mrecv").unwrap() as u8;
    check(&|t| t.op[3] = mrecv, "row 3", "mprobe");
    check(&|t| t.op[0] = 255, "row 0", "named");
}

/// Randomly altered records are read or refused.
#[test]
fn no_record_breaks_the_reader() {
    const SEED: u64 = 20_261_123;
    let good = recorded();
    let ops: Vec<String> = ops().into_iter().map(String::from).collect();
    let columns = good.table().columns();
    let mut refused = 0;
    for trial in 0..20_000u32 {
        let random = |nth: u64, of: usize| below(draw(SEED, 0, trial, nth), of as u32) as usize;
        let mut columns: BTreeMap<String, Vec<u8>> =
            columns.iter().map(|(name, bytes)| (name.to_string(), bytes.clone())).collect();
        for nth in 0..1 + random(0, 3) as u64 {
            let (_, bytes) = columns.iter_mut().nth(random(10 + nth, 18)).expect("18 columns");
            if random(20 + nth, 8) == 0 {
                bytes.truncate(random(30 + nth, bytes.len() + 1));
            } else if !bytes.is_empty() {
                let at = random(40 + nth, bytes.len());
                bytes[at] = [0, 1, 2, 3, 0x7f, 0xff][random(50 + nth, 6)];
            }
        }
        let communicators = &good.communicators;
        let read = read(&RecordInput { ranks: 2, communicators, ops: &ops, columns: &columns });
        refused += usize::from(read.is_err());
    }
    assert!((2_000..20_000).contains(&refused), "{refused} of 20,000, seed {SEED}");
}

/// Bits that mark the library's private messages are not part of a communicator's number.
#[test]
fn communicators_are_numbered_as_programs_number_them() {
    let good = recorded();
    for (context, members, expected) in [
        (3 | 1 << 30, vec![1, 0], "from 1 to 1073741823"),
        (WORLD, vec![1, 0], "from 1 to 1073741823"),
        (4, vec![0, 2], "below 2"),
        (4, vec![0, 0], "differ"),
    ] {
        let mut table = good.table();
        table.context.iter_mut().for_each(|c| *c = if *c == 3 { context } else { *c });
        let communicators = BTreeMap::from([(context, members)]);
        let errors = read_table(&table, &communicators).expect_err(expected);
        let at = format!("communicator {context}");
        let reported = errors.iter().any(|f| f.at == at && f.expected.contains(expected));
        assert!(reported, "{context}: {errors:?}");
    }
}

#[test]
fn private_contexts_belong_to_their_communicator() {
    let mut recorder = Recorder::new(1);
    recorder.add_communicator(wire::PRIVATE_CONTEXT | 5, &[0]);
    recorder.add_communicator(WORLD, &[0]);
    assert_eq!(recorder.communicators.into_keys().collect::<Vec<_>>(), [5]);
}

/// Structures of a short and a char; seven values in two members of 11 bytes; doubles.
#[test]
fn non_contiguous_layouts_round_trip() {
    let lies =
        |bytes, values, members| NonContiguous { bytes, touched: bytes + 64, values, members };
    let all = [lies(3000, 2000, 2000), lies(11 << 20, 7 << 20, 2 << 20), lies(8000, 1000, 0)];
    let mut recorder = Recorder::new(2);
    let mut want = Vec::new();
    for rank in [0, 1] {
        recorder.begin(rank, |_| unreachable!("nothing has completed yet"));
        let call = |op| Call { rank, token: 0, after: Span::ZERO, op };
        for how in all {
            let (context, tag, bytes, mode) = (WORLD, 4, how.bytes, SendMode::Standard);
            let send = Op::Send { to: 1 - rank, context, tag, bytes, mode };
            let access = Op::OneSided {
                to: 1 - rank,
                context: 3,
                request_bytes: bytes,
                response_bytes: bytes,
                atomic: true,
            };
            for op in [Op::SendLayout(how), send, Op::SendLayout(how), Op::RecvLayout(how), access]
            {
                want.extend((!op.completes()).then(|| op.clone()));
                recorder.call(&call(op), None, 0);
            }
        }
    }
    let table = recorder.table();
    let read = |table: &Table| read_table(table, &BTreeMap::new());
    let schedule = read(&table).unwrap();
    let notifications: Vec<&Op> = schedule.others.iter().filter(|op| !op.completes()).collect();
    assert_eq!(notifications, want.iter().collect::<Vec<_>>());
    let is_access = |op: &&Op| matches!(op, Op::OneSided { context: 3, .. });
    assert_eq!(schedule.others.iter().filter(is_access).count(), 2 * all.len());

    // A call without data has no layout, and no value is shorter than a byte.
    let name = |name| ops().iter().position(|&known| known == name).unwrap() as u8;
    let check = |change: &dyn Fn(&mut Table), expected: &str| {
        let mut table = table.clone();
        change(&mut table);
        let errors = read(&table).expect_err(expected);
        assert!(
            errors.iter().any(|f| f.at == "row 0" && f.expected.contains(expected)),
            "{errors:?}"
        );
    };
    check(&|t| t.op[0] = name("unpacks"), "that receives data");
    check(&|t| t.op[1] = name("recv"), "that sends data");
    check(&|t| t.op[1] = name("pause"), "that sends data");
    check(&|t| t.op[1] = u8::MAX, "that sends data");
    check(&|t| t.op[1] = name("packs"), "that sends data");
    check(&|t| t.grain[0] = PARTS - 1, "values of a byte");
}

/// A value takes at most as long as a packed byte, so a bound on times may count either.
#[test]
fn dense_data_counts_its_bytes() {
    let mut recorder = Recorder::new(1);
    recorder.begin(0, |_| unreachable!("nothing has completed yet"));
    let close = NonContiguous { bytes: 640, touched: 64, values: 640, members: 5 };
    let access =
        Op::OneSided { to: 0, context: WORLD, request_bytes: 0, response_bytes: 0, atomic: false };
    for op in [Op::SendLayout(close), access] {
        recorder.call(&Call { rank: 0, token: 0, after: Span::ZERO, op }, None, 0);
    }
    let volume = read_table(&recorder.table(), &BTreeMap::new()).unwrap().volume();
    assert_eq!((volume.total, volume.members), (640, 5));
}
