//! Input errors of requests: those that only a job can cause.

use api::{BenchRequest, BenchResult, bench};

fn run(request: serde_json::Value) -> Result<BenchResult, Vec<machine::InputError>> {
    let request: BenchRequest = serde_json::from_value(request).expect("a request");
    bench(&request, &mut |_| true)
}

fn request(name: &str, ppn: u32, sizes: &[u64]) -> serde_json::Value {
    serde_json::json!({
        "machine": {"name": "dragonfly-1056"}, "name": name, "nodes": 2, "ppn": ppn, "sizes": sizes,
    })
}

fn error_keys(request: serde_json::Value) -> Vec<String> {
    let input_errors = run(request).expect_err("refused");
    input_errors.into_iter().map(|c| c.at).collect()
}

#[test]
fn invalid_requests_are_refused_before_the_run() {
    assert_eq!(error_keys(request("latency", 17, &[8])), ["ppn"], "16 cores a node");
    assert_eq!(error_keys(request("bw", 1, &[8, 1 << 60])), ["sizes"]);
    assert_eq!(error_keys(request("latency", 1, &[8_796_093_022_209])), ["sizes"]);
    assert_eq!(error_keys(request("latncy", 1, &[8])), ["benchmark"]);
    let mut wrong = request("latncy", 1, &[8]);
    wrong["mpi"] = "mpihc".into();
    wrong["fidelity"] = "flaw".into();
    wrong["machine"]["name"] = "auroa".into();
    assert_eq!(error_keys(wrong), ["benchmark", "fidelity", "machine", "mpi"]);
}

/// A run of many minutes is refused with the number of its messages.
#[test]
fn a_run_that_takes_long_is_refused_beforehand() {
    let windows = |more: serde_json::Value| {
        let mut request = request("mbw_mr", 1, &[4 << 20]);
        request["machine"]["name"] = "aurora".into();
        (request["nodes"], request["fidelity"]) = (9_658.into(), "flow".into());
        request.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        request
    };
    let errors = run(windows(serde_json::json!({}))).expect_err("refused");
    assert_eq!(errors[0].at, "messages");
    // A warm-up and two iterations of 64 messages of each of 4,829 pairs.
    assert!(errors[0].expected.contains("927168 messages"), "{errors:?}");
    // Rendezvous messages of 1,024 nodes change rates as often as longer ones.
    let errors = run(windows(serde_json::json!({"nodes": 1_024, "sizes": [64 << 10]})));
    let text = &errors.expect_err("refused")[0].expected;
    assert!(text.contains("98304 messages of 65536 B"), "{text}");
    // Few messages are never refused, however small the budget.
    let few = windows(serde_json::json!({"nodes": 2, "messages": 10}));
    assert_eq!(run(few).expect("runs").rows.len(), 1);
}

/// As are fabric tests. Each of 2,048 ranks has 16 messages to its neighbors in a warm-up and two
/// iterations: they take more than a minute with long flows.
#[test]
fn a_fabric_test_that_takes_long_is_refused_beforehand() {
    let mut request = request("rr_bw", 32, &[4 << 20]);
    request["machine"]["name"] = "aurora".into();
    (request["nodes"], request["fidelity"]) = (64.into(), "flow".into());
    let errors = run(request).expect_err("refused");
    assert_eq!(errors[0].at, "messages");
    assert!(errors[0].expected.contains("up to 98304 messages of 4194304 B"), "{errors:?}");
}

/// In closed form too. Each of 9,658 ranks has two messages in 200 warm-ups and 20 iterations of
/// two rings: they take more than a minute with rendezvous.
#[test]
fn a_fabric_test_in_closed_form_that_takes_long_is_refused_beforehand() {
    let ring = |bytes: u64| {
        let mut request = request("rr_lat", 1, &[bytes]);
        request["machine"]["name"] = "aurora".into();
        (request["nodes"], request["fidelity"]) = (9_658.into(), "loggp".into());
        let request: BenchRequest = serde_json::from_value(request).expect("a request");
        bench(&request, &mut |_| false)
    };
    let errors = ring(64 << 10).expect_err("refused");
    assert_eq!(errors[0].at, "messages");
    assert!(errors[0].expected.contains("up to 8499040 messages of 65536 B"), "{errors:?}");
    assert!(ring(8).expect("it begins").interrupted);
}

/// A node without memory for the buffers ends the job, as it would on the machine. With `warn` this
/// is reported, and the time is predicted.
#[test]
fn buffers_beyond_a_nodes_memory_are_a_limit_of_the_machine() {
    let with = |limits: &str| {
        let mut request = request("allgather", 2, &[8, 1 << 20]);
        request["machine"]["set"] = serde_json::json!([["node.memory", "2 MB"]]);
        (request["limits"], request["mpi"]) = (limits.into(), "none".into());
        run(request).expect("legal")
    };
    let failed = with("fail");
    assert_eq!(failed.rows.len(), 1, "the smaller size fits");
    let failure = failed.failure.expect("two ranks of a node have five blocks of 1 MiB each");
    assert!(failure.kind == "limit" && failure.message.contains("out of memory"), "{failure:?}");
    let warned = with("warn");
    assert!(warned.failure.is_none() && warned.rows.len() == 2);
    let limits = warned.limits.expect("reported");
    assert!(limits.crossed.iter().any(|row| row.limit == "memory"), "{limits:?}");
    assert!(with("off").limits.is_none_or(|limits| limits.crossed.is_empty()));
}

/// Errors that any machine would have are reported even if the machine file or its faults are
/// invalid. Errors that exist on the machine without faults are reported with the faults. Nothing
/// is reported that depends on a valid file.
#[test]
fn an_unknown_machine_hides_no_other_error() {
    let mut wrong = request("latency", 17, &[8]);
    wrong["machine"]["set"] = serde_json::json!([["nic.window", "0"]]);
    wrong["mpi"] = "mine".into();
    // In a profile with a cost for one fabric only, that cost is missing on the others.
    let profile = mpi::library::preset("mpich").expect("a preset");
    let costs = profile.lines().find(|line| line.starts_with("call_overhead")).expect("it has one");
    let profile = format!("{}\n[fabric.generic]\n{costs}\n", profile.replace(costs, ""));
    wrong["mpi_toml"] = profile.into();
    wrong["nic_policy"] = "nearest".into();
    wrong["placement"] = "randm".into();
    wrong["noise"] = serde_json::json!({"period_s": 1e-3, "length_s": 1.0});
    wrong["limits"] = "of".into();
    let any = ["nic_policy", "placement", "noise", "limits"];
    assert_eq!(error_keys(wrong.clone()), [&["nic.window"], &any[..]].concat());
    wrong["mpi_toml"] = "like = \"mpich\"\neager_max = 3".into();
    assert_eq!(error_keys(wrong.clone()), [&["nic.window", "mpi.mine"], &any[..]].concat());
    wrong["mpi_toml"] = "like = \"mpich\"".into();
    wrong["rules"] = serde_json::json!({"name": "mine.json", "text": "{"});
    let found = error_keys(wrong);
    assert_eq!(found[..2], ["nic.window", "coll_rules.mine.json"]);

    let mut wrong = request("latency", 17, &[8]);
    let plan = serde_json::json!({"name": "plan.toml", "toml": "[[fault]]\nnode = \"x\"\n"});
    wrong["machine"]["faults"] = plan;
    let found = error_keys(wrong);
    assert!(found.len() == 2 && found[0].starts_with("fault 1") && found[1] == "ppn", "{found:?}");
}

#[test]
fn a_user_profile_is_applied() {
    let latency = |toml: Option<&str>| {
        let mut request = request("latency", 1, &[8]);
        request["mpi_toml"] = toml.into();
        run(request).expect("legal").rows[0].latency_s.expect("measured")
    };
    // One microsecond more on the sender's side, once per message.
    let slow = latency(Some("like = \"mpich\"\nsend_overhead = \"1620 ns\"\n"));
    let off = slow - latency(None) - 1e-6;
    assert!(off.abs() < 1e-10, "{off}");
    let mut wrong = request("latency", 1, &[8]);
    wrong["mpi_toml"] = "like = \"mpich\"\nsend_overhead = \"1370\"\n".into();
    assert_eq!(error_keys(wrong).len(), 1);
}

/// A message of 8 B takes o_s + fabric + o_r. Cores twice as fast halve both overheads; the
/// fabric's part stays.
#[test]
fn an_mpi_librarys_own_time_is_divided_by_the_cores_speed() {
    let latency = |speed: Option<&str>, mpi: &str| {
        let mut request = request("latency", 1, &[8]);
        request["mpi"] = mpi.into();
        request["machine"]["set"] = serde_json::json!([]);
        if let Some(speed) = speed {
            request["machine"]["set"] = serde_json::json!([["node.mpi_speed", speed]]);
        }
        run(request).expect("legal").rows[0].latency_s.expect("measured")
    };
    let (own, twice) = (latency(None, "mpich"), latency(Some("2.0"), "mpich"));
    let half = (620e-9 + 370e-9) / 2.0; // both overheads in mpich.toml
    assert!((own - twice - half).abs() < 1e-12, "{own} {twice}");
    assert_eq!(latency(None, "none"), latency(Some("2.0"), "none"));
    let mut wrong = request("latency", 1, &[8]);
    wrong["mpi_toml"] = "like = \"mpich\"\nsend_overhead = \"2 s\"\n".into();
    wrong["machine"]["set"] = serde_json::json!([["node.mpi_speed", "0.001"]]);
    assert_eq!(error_keys(wrong), ["node.mpi_speed"]);
}

/// A cost of a library on one machine replaces that of its profile, also for a user's file that is
/// `like` it. A receive that is posted while its message is in flight delays nothing; a rank that
/// sends and receives all the time spends the time of both.
#[test]
fn a_machine_has_its_own_costs_of_a_library() {
    let with = |name: &str, set: &[[&str; 2]], like: Option<&str>| {
        let mut request = request(name, 1, &[8]);
        request["mpi"] = "mpich".into();
        if let Some(like) = like {
            request["mpi_toml"] = like.into();
        }
        request["machine"]["set"] = serde_json::json!(set);
        run(request).expect("legal").rows.remove(0)
    };
    let latency = |set: &[[&str; 2]], like: Option<&str>| {
        with("latency", set, like).latency_s.expect("measured")
    };
    let slow = [["libraries.mpich.send_overhead", "1 us"]];
    for like in [None, Some("like = \"mpich\"")] {
        let more = latency(&slow, like) - latency(&[], like);
        assert!((more - 380e-9).abs() < 1e-12, "{more}: 620 ns in mpich.toml");
    }
    let others = [["libraries.openmpi.send_overhead", "1 us"]];
    assert_eq!(latency(&others, None), latency(&[], None));

    let posting = [["libraries.mpich.post_overhead", "350 ns"]]; // 50 ns in mpich.toml
    assert_eq!(latency(&posting, None), latency(&[], None));
    let per_pair = |set: &[[&str; 2]]| {
        let rate = with("bibw", set, None).bandwidth.expect("measured");
        16.0 / rate // a message out and one in
    };
    let more = per_pair(&posting) - per_pair(&[]);
    assert!((280e-9..320e-9).contains(&more), "{more}: 300 ns, within the ends of a window");

    let mut wrong = request("latency", 1, &[8]);
    wrong["machine"]["set"] = serde_json::json!([["libraries.mpich.send_overhed", "1 us"]]);
    assert_eq!(error_keys(wrong.clone()), ["libraries.mpich.send_overhed"]);
    wrong["machine"]["set"] = serde_json::json!([["libraries", "3"]]);
    assert_eq!(error_keys(wrong), ["libraries"]);
}

/// All-to-alls of eager blocks on Slingshot have a note on what is not known of them, and no other
/// benchmark has.
#[test]
fn a_note_states_the_doubt_about_eager_blocks_of_all_to_alls() {
    let has_note = |name: &str, machine: &str, mpi: &str, more: serde_json::Value| {
        let mut request = request(name, 1, &[4096]);
        (request["machine"]["name"], request["mpi"]) = (machine.into(), mpi.into());
        request["fidelity"] = "loggp".into();
        request.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        let notes = run(request).expect("legal").notes;
        notes.iter().any(|note| note.starts_with("eager blocks of all-to-alls"))
    };
    let none = || serde_json::json!({});
    assert!(has_note("alltoall", "lumi-c", "mpich", none()));
    assert!(has_note("multiple_alltoall", "lumi-c", "mpich", none()));
    let sizes = |bytes: u64| serde_json::json!({"sizes": [bytes]});
    assert!(!has_note("alltoall", "lumi-c", "mpich", sizes(8)));
    assert!(!has_note("alltoall", "lumi-c", "mpich", sizes(1 << 20)));
    assert!(has_note("alltoall", "lumi-c", "cray-mpich", sizes(1 << 20)), "in chunks");
    assert!(has_note("multiple_alltoall", "lumi-c", "cray-mpich", sizes(1 << 20)));
    // In two pieces that are longer than what is eager.
    let long =
        serde_json::json!({"sizes": [1 << 20], "env": [["MPICH_ALLTOALL_BLK_SIZE", "524288"]]});
    assert!(!has_note("alltoall", "lumi-c", "cray-mpich", long));
    assert!(!has_note("allgather", "lumi-c", "mpich", none()));
    assert!(!has_note("alltoall", "piz-daint", "mpich", none()));
    assert!(!has_note("alltoall", "alps", "openmpi", none()), "its key is set");
    assert!(!has_note("alltoall", "lumi-c", "none", none()));
}

/// Commands without MPI refuse wrong names and keys of libraries, too.
#[test]
fn wrong_libraries_of_a_machine_are_refused_without_mpi() {
    let error = |key: &str| {
        let request = serde_json::json!({"name": "dragonfly-1056", "set": [[key, "1 us"]]});
        let request = serde_json::from_value(request).expect("a request");
        let mut errors = api::machine(&request, None).expect_err("refused");
        assert_eq!(errors.len(), 1);
        let error = errors.remove(0);
        (error.at, error.hint.expect("a hint"))
    };
    let key = "libraries.mpich.send_overhed";
    assert_eq!(error(key), (key.into(), "send_overhead".into()));
    let name = error("libraries.mpihc.send_overhead");
    assert_eq!(name, ("libraries.mpihc".into(), "mpich".into()));
}

/// The closed form reports how many packets used nonminimal paths, and which links they used.
#[test]
fn the_closed_form_counts_what_it_walks() {
    let mut call = serde_json::json!({
        "machine": {"name": "dragonfly-1056"}, "routing": "valiant", "fidelity": "loggp",
        "pattern": "uniform", "loads": [0.1], "packet_bytes": 2048, "time_s": 5e-6,
        "warmup_s": 1e-6,
    });
    let mut row = |routing: &str| {
        call["routing"] = routing.into();
        let call = serde_json::from_value(call.clone()).expect("a request");
        api::traffic(&call, &mut |_| true).expect("legal").rows.remove(0)
    };
    assert!(row("valiant").nonminimal_fraction > 0.9);
    assert_eq!(row("minimal").nonminimal_fraction, 0.0);
}

/// Eight NICs send to one, whose link becomes congested at once.
fn incast(more: serde_json::Value) -> serde_json::Value {
    let mut call = serde_json::json!({
        "machine": {"name": "dragonfly-1056", "set": [["congestion.management", "on"]]},
        "pattern": "incast:8", "loads": [0.9], "packet_bytes": 2048, "time_s": 5e-6,
        "warmup_s": 1e-6, "nodes": 200,
    });
    let more = more.as_object().expect("keys").clone();
    call.as_object_mut().expect("keys").extend(more);
    call
}

fn traffic(call: serde_json::Value) -> Result<api::TrafficResult, Vec<machine::InputError>> {
    let call = serde_json::from_value(call).expect("a request");
    api::traffic(&call, &mut |_| true)
}

/// A class whose traffic has load 0 is not in use, and changes nothing.
#[test]
fn a_load_of_zero_uses_no_class() {
    let silent = serde_json::json!([{"pattern": "uniform", "load": 0.0, "class": "bulk-data"}]);
    let alone = traffic(incast(serde_json::json!({}))).expect("legal");
    let with_background =
        traffic(incast(serde_json::json!({"background": silent}))).expect("legal");
    assert!(alone.rows[0].onsets > 0, "nothing is congested");
    assert_eq!((alone.rows, alone.congestion), (with_background.rows, with_background.congestion));
}

/// An incast is managed in its class, whatever traffic other classes carry.
#[test]
fn congestion_is_managed_with_several_classes() {
    let with_background = |class: &str| {
        let other = serde_json::json!([{"pattern": "uniform", "load": 0.1, "class": class}]);
        let own = incast(serde_json::json!({"background": other}));
        traffic(own).expect("legal").congestion.expect("it is on")
    };
    for class in ["best-effort", "bulk-data"] {
        let row = with_background(class);
        assert!(row.onsets > 0 && row.holds >= 8, "beside {class}: {row:?}");
    }
}

/// The overloaded NIC counts once, however often it becomes congested, and in however many
/// simulations.
#[test]
fn congested_nics_are_counted_once() {
    let of = |loads: &[f64]| {
        let call = incast(serde_json::json!({"loads": loads}));
        traffic(call).expect("legal").congestion.expect("it is on")
    };
    let (once, twice) = (of(&[0.9]), of(&[0.9, 0.8]));
    assert!(twice.onsets > once.onsets, "{twice:?}");
    assert_eq!((once.nics, twice.nics), (1, 1));
}

/// The reported routing is that of the machine file unless the request selects another; without
/// either it is the default (docs/models/routing.md).
#[test]
fn traffic_reports_its_routing() {
    let text = machine::preset("dragonfly-1056").expect("a preset");
    let lines = text.lines().filter(|line| !line.starts_with("routing"));
    let silent = lines.collect::<Vec<_>>().join("\n");
    let routing = |more: serde_json::Value| {
        let mut call = incast(serde_json::json!({"loads": [0.1], "time_s": 1e-6}));
        call.as_object_mut().expect("keys").extend(more.as_object().expect("keys").clone());
        traffic(call).expect("legal").routing
    };
    let machine = serde_json::json!({"name": "mine", "toml": silent});
    assert_eq!(routing(serde_json::json!({"machine": machine})), "ugal");
    assert_eq!(routing(serde_json::json!({"machine": machine, "routing": "PAR"})), "par");
    assert_eq!(routing(serde_json::json!({"machine": {"name": "lumi-g"}})), "slingshot");
}

#[test]
fn all_traffic_errors_are_reported_together() {
    let other = serde_json::json!([{"pattern": "uniform", "load": 2.0}]);
    let wrong = incast(serde_json::json!({
        "class": "low-latancy", "background": other, "pattern": "unifrom", "loads": [],
    }));
    let at: Vec<String> = traffic(wrong).expect_err("refused").into_iter().map(|c| c.at).collect();
    assert_eq!(at, ["class", "background", "pattern", "loads"]);
}
