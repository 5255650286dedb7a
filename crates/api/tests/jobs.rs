//! Several jobs on one machine, background traffic and noise: properties and input errors.

use api::{JobsRequest, JobsResult, bench, jobs};
use base::{Span, Time};
use serde_json::{Value, json};
use sim::{End, Job, Noise, World};
use workload::{MultiJob, Step, Streams};

type Complaints = Vec<machine::InputError>;

fn run(request: &Value) -> Result<JobsResult, Complaints> {
    let request = serde_json::from_value(request.clone()).expect("a request");
    jobs(&request, Box::new(|_| true))
}

/// A benchmark on these nodes, one rank each.
fn on(name: &str, bytes: u64, nodes: &[u32]) -> Value {
    let n = nodes.len();
    json!({"name": format!("{name} on {nodes:?}"), "ranks": n, "ppn": 1,
           "placement": {"nodes": nodes}, "bench": name, "bytes": bytes})
}

fn request(jobs: &[Value]) -> Value {
    json!({"machine": {"name": "dragonfly-1056"}, "routing": "minimal", "alone": true,
           "jobs": jobs})
}

/// `dragonfly-1056` has 4 nodes per switch and 32 per group. Minimal routes within one switch or
/// group share no link with those of others, so other jobs have no effect.
#[test]
fn jobs_that_share_no_link_do_not_slow_each_other() {
    let groups = |g: u32| (0..8).map(|i| g * 32 + i * 3).collect::<Vec<u32>>();
    let result = run(&request(&[
        on("allreduce", 4096, &groups(0)),
        on("alltoall", 65_536, &groups(5)),
        on("put_alltoall", 1024, &groups(7)),
        on("bw", 1 << 16, &[1024, 1025]),
    ]))
    .expect("legal");
    for job in &result.jobs {
        assert_eq!(job.slowdown, Some(1.0), "{}", job.name);
        assert_eq!(Some(&job.digest), job.alone_digest.as_ref(), "{}", job.name);
        assert_eq!(job.bench, job.alone_bench, "{}", job.name);
    }
    let last = result.jobs.iter().map(|job| job.time_s).fold(0.0, f64::max);
    assert_eq!(result.time_s, last);
}

/// Two streams over the one link between two switches get half of it each: the link, the NICs and a
/// single stream have the same rate.
#[test]
fn jobs_that_share_a_link_share_it_evenly() {
    let result =
        run(&request(&[on("bw", 1 << 17, &[0, 4]), on("bw", 1 << 17, &[1, 5])])).expect("legal");
    for job in &result.jobs {
        let slowdown = job.slowdown.expect("it was run alone");
        assert!((slowdown - 2.0).abs() < 0.02, "{}: {slowdown}", job.name);
        let rate = |row: &Option<api::BenchRow>| row.as_ref().expect("a row").bandwidth;
        let (here, alone) = (rate(&job.bench).expect("bw"), rate(&job.alone_bench).expect("bw"));
        assert!((alone / here - 2.0).abs() < 0.02, "{}: {alone} {here}", job.name);
    }
}

/// On that link dedicated access is assured 50 % and bulk data 15 %, and each gets half of the
/// rest. When the first has finished, the other gets all. With packets and flows; in closed form
/// nothing is shared.
#[test]
fn jobs_share_a_link_as_their_classes_say() {
    let of_class = |nodes: &[u32], class: &str| {
        let mut job = on("bw", 1 << 17, nodes);
        job["class"] = class.into();
        job
    };
    let mut job_request =
        request(&[of_class(&[0, 4], "dedicated-access"), of_class(&[1, 5], "bulk-data")]);
    job_request["machine"]["set"] = json!([["classes.profile", "hpc"]]);
    for fidelity in ["packet", "flow"] {
        job_request["fidelity"] = fidelity.into();
        let result = run(&job_request).expect("legal");
        for (job, want) in result.jobs.iter().zip([1.0 / 0.675, 2.0]) {
            let slowdown = job.slowdown.expect("it was run alone");
            let off = slowdown / want - 1.0;
            assert!(off.abs() < 0.02, "{fidelity}, {}: {slowdown}, not {want}", job.name);
        }
    }
    job_request["fidelity"] = "loggp".into();
    let input_errors = run(&job_request).expect_err("refused");
    assert_eq!(input_errors.iter().map(|c| c.at.as_str()).collect::<Vec<_>>(), ["fidelity"]);
}

#[test]
fn the_order_of_jobs_changes_nothing_but_their_order() {
    for routing in ["minimal", "ugal", "valiant"] {
        let mut list = [
            on("alltoall", 8192, &[0, 9, 40, 41, 80, 200]),
            on("bw", 1 << 14, &[1, 42]),
            on("allreduce", 65_536, &[2, 3, 8, 81, 201, 500]),
        ];
        let mut job_request = request(&list);
        job_request["routing"] = routing.into();
        job_request["background"] = json!([{"pattern": "uniform", "load": 0.2}]);
        job_request["noise"] = json!({"period_s": 1e-5, "length_s": 1e-6});
        let mut first = run(&job_request).expect("legal");
        list.rotate_left(1);
        list.swap(0, 1);
        job_request["jobs"] = json!(list);
        let mut second = run(&job_request).expect("legal");
        assert_eq!(first.digest, second.digest, "{routing}");
        assert_eq!(first.background, second.background, "{routing}");
        for all in [&mut first.jobs, &mut second.jobs] {
            all.sort_by(|a, b| a.name.cmp(&b.name));
        }
        for (a, b) in first.jobs.iter().zip(&second.jobs) {
            assert_eq!((&a.name, a.time_s, &a.digest), (&b.name, b.time_s, &b.digest));
            assert_eq!((a.alone_s, a.packets, &a.bench), (b.alone_s, b.packets, &b.bench));
            assert!(a.slowdown.expect("run alone") > 1.0, "{routing}: they do contend");
        }
    }
}

/// Random jobs with random routing and background traffic: every run satisfies the network's
/// conservation invariants, and the reverse order of jobs gives the same run.
#[test]
fn random_jobs_are_the_same_in_any_order() {
    for seed in 0..4 {
        let pick = |what: u64, n: u32| base::below(base::draw(seed, 7, 0, what), n);
        let mut nodes: Vec<u32> = (0..1056).collect();
        nodes.sort_by_key(|&node| base::draw(seed, 8, node, 0));
        let mut free = nodes.into_iter();
        let jobs = (0..2 + u64::from(pick(0, 3))).map(|i| {
            let own: Vec<u32> = free.by_ref().take(2 + pick(10 + i, 9) as usize).collect();
            let names = ["alltoall", "allreduce", "bw", "put_alltoall", "bcast", "multi_lat"];
            let bytes = [8, 3000, 10_000][pick(30 + i, 3) as usize];
            on(names[pick(20 + i, names.len() as u32) as usize], bytes, &own)
        });
        let mut list: Vec<Value> = jobs.collect();
        let routings = ["minimal", "valiant", "ugal", "par", "adaptive-0", "slingshot"];
        let patterns = ["uniform", "adversarial:3", "hotspot:5", "all-to-all", "incast:20"];
        let pattern = patterns[pick(2, patterns.len() as u32) as usize];
        let load = f64::from(pick(3, 10)) / 40.0;
        let mut job_request = request(&list);
        job_request["alone"] = false.into();
        job_request["seed"] = seed.into();
        job_request["routing"] = routings[pick(1, routings.len() as u32) as usize].into();
        job_request["background"] = json!([{"pattern": pattern, "load": load, "bytes": 5000}]);
        let one = run(&job_request).unwrap_or_else(|c| panic!("seed {seed}: {c:?}"));
        list.reverse();
        job_request["jobs"] = json!(list);
        let other = run(&job_request).expect("legal");
        assert_eq!((one.digest, one.background), (other.digest, other.background), "seed {seed}");
        for (a, b) in one.jobs.iter().zip(other.jobs.iter().rev()) {
            assert_eq!((&a.name, &a.digest, a.time_s), (&b.name, &b.digest, b.time_s), "{seed}");
        }
    }
}

fn latencies(background: Value) -> (String, Vec<api::BenchRow>) {
    let job_request = json!({"machine": {"name": "dragonfly-1056"}, "name": "allreduce",
                     "nodes": 16, "ppn": 2, "sizes": [8, 4096], "placement": "group-spread",
                     "background": background});
    let job_request = serde_json::from_value(job_request).expect("a request");
    let result = bench(&job_request, &mut |_| true).expect("legal");
    (result.digest, result.rows)
}

#[test]
fn a_background_of_no_load_changes_nothing() {
    let quiet = latencies(json!([]));
    assert_eq!(latencies(json!([{"pattern": "uniform", "load": 0.0}])), quiet);
    assert_eq!(latencies(json!([{"pattern": "hotspot:2", "load": 0, "nodes": [900, 901]}])), quiet);
    let busy = latencies(json!([{"pattern": "uniform", "load": 0.5}]));
    assert_ne!(busy.0, quiet.0);
    for (busy, quiet) in busy.1.iter().zip(&quiet.1) {
        assert!(busy.latency_s > quiet.latency_s, "{busy:?} {quiet:?}");
    }
    // Every run is the same.
    assert_eq!(latencies(json!([{"pattern": "uniform", "load": 0.5}])), busy);
}

/// Background traffic in groups of its own shares no link with a job: the job only starts later, by
/// the warm-up.
#[test]
fn background_traffic_in_other_groups_slows_no_job() {
    let far: Vec<u32> = (320..640).collect();
    let mut job_request =
        request(&[on("allreduce", 4096, &[0, 1, 9, 31]), on("latency", 65_536, &[70, 90])]);
    for pattern in ["uniform", "adversarial:2", "hotspot:2"] {
        job_request["background"] =
            json!([{"pattern": pattern, "load": 0.6, "nodes": far, "bytes": 9000}]);
        let result = run(&job_request).expect("legal");
        for job in &result.jobs {
            assert_eq!(job.slowdown, Some(1.0), "{pattern}: {}", job.name);
            assert_eq!(Some(&job.digest), job.alone_digest.as_ref(), "{pattern}: {}", job.name);
        }
        assert!(result.background[0].messages > 0);
    }
}

/// Below saturation the accepted load equals the offered load. The tolerance is six standard
/// deviations for some thousand messages of a Poisson process. Beyond saturation it is lower: one
/// link carries what 32 nodes of a group send to another, all of it or, spread over 96 nodes, 32/95
/// of it.
#[test]
fn background_traffic_is_accepted_below_saturation() {
    let accepted = |pattern: &str, load: f64, nodes: std::ops::Range<u32>| {
        let mut job_request = request(&[on("bw", 1 << 14, &[0, 1])]);
        job_request["alone"] = false.into();
        job_request["background"] = json!([{"pattern": pattern, "load": load, "nodes":
            nodes.collect::<Vec<u32>>()}]);
        run(&job_request).expect("legal").background[0].clone()
    };
    // All send to one NIC.
    let row = accepted("incast:16", 0.5, 32..128);
    assert!(row.nics == 16 && (row.accepted * 16.0 - 1.0).abs() < 0.03, "{row:?}");
    let row = accepted("uniform", 0.25, 32..64);
    let off = (row.accepted / 0.25 - 1.0).abs();
    assert!(off < 6.0 / (row.messages as f64).sqrt(), "{row:?}");
    for (pattern, share) in [("adversarial:1", 1.0), ("uniform", 32.0 / 95.0)] {
        let row = accepted(pattern, 0.5, 32..128);
        assert!((row.accepted * 32.0 * share - 1.0).abs() < 0.03, "{row:?}");
    }
}

/// A core that is interrupted for 1 us of every 10 us takes ten ninths of the time.
#[test]
fn noise_stretches_computation() {
    let mut job: Job = crate::common::job(&[0, 1, 2, 3]);
    job.noise = Some(Noise { period: Span::us(10), length: Span::us(1) });
    let steps = || vec![Step::Compute(Span::us(904)), Step::Wait, Step::Mark];
    let mut world =
        World::<loggp::LogGpNetwork, _>::new(&job, Streams::new((0..4).map(|_| steps())));
    assert_eq!(world.run(&mut |_| true).end, End::Finished);
    let ends: Vec<Time> = world.workload.marks.iter().map(|m| m[0]).collect();
    for end in &ends {
        // 100 pulses, plus one or a part of one, depending on the phase.
        let pulses = end.0 - Span::us(904).0;
        assert!((Span::us(100).0..=Span::us(101).0 + 1).contains(&pulses), "{end:?}");
    }
    assert!(ends.iter().any(|&end| end != ends[0]), "every core has a phase of its own");
}

/// Blocked ranks are named in job-local numbers; a job that ends does not end the others.
#[test]
fn a_deadlock_report_uses_the_jobs_rank_numbers() {
    let mut job = crate::common::job(&[0, 1, 2, 3]);
    job.firsts = vec![0, 2];
    let recv = workload::Op::Recv { from: 0, context: 0, tag: 7, bytes: 8 };
    let fine = Streams::new((0..2).map(|_| vec![Step::Compute(Span::us(5)), Step::Wait]));
    let stuck = Streams::new([vec![], vec![Step::Do(recv), Step::Wait]].into_iter());
    let mut world = World::<loggp::LogGpNetwork, _>::new(&job, MultiJob::new(vec![stuck, fine]));
    let outcome = world.run(&mut |_| true);
    let End::Deadlock(blocked) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert_eq!((blocked.len(), blocked[0].rank), (1, 1));
    assert_eq!(blocked[0].what, "receive from rank 0, tag 7");
    assert!(outcome.jobs[1].time.since(Time::ZERO + Span::us(5)) <= Span(1));

    job.firsts = vec![0, 2];
    let recv = workload::Op::Recv { from: 0, context: 0, tag: 7, bytes: 8 };
    let fine = Streams::new((0..2).map(|_| vec![Step::Compute(Span::us(5)), Step::Wait]));
    let stuck = Streams::new([vec![], vec![Step::Do(recv), Step::Wait]].into_iter());
    let mut world = World::<loggp::LogGpNetwork, _>::new(&job, MultiJob::new(vec![fine, stuck]));
    let outcome = world.run(&mut |_| true);
    let End::Deadlock(blocked) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert_eq!((blocked.len(), blocked[0].rank), (1, 3), "ranks of the run");
    assert_eq!(blocked[0].what, "receive from rank 0, tag 7", "in the job's own numbers");
}

/// Victims beside an incast. Without a shared link they are as fast as alone, packet by packet;
/// where the incast backs up into their links, they are not.
#[test]
fn traffic_between_some_nodes_with_background_on_others() {
    let row = |nodes: u32, placement: Value, background: Value| {
        let call = json!({"machine": {"name": "dragonfly-1056"}, "routing": "minimal",
            "pattern": "uniform", "loads": [0.2], "packet_bytes": 2048, "time_s": 2e-5,
            "warmup_s": 1e-5, "nodes": nodes, "placement": placement, "background": background});
        let call = serde_json::from_value(call).expect("a request");
        api::traffic(&call, &mut |_| true).expect("legal").rows.remove(0)
    };
    let group: Vec<u32> = (0..32).collect();
    let named = |nodes: &[u32]| json!({"nodes": nodes});
    let alone = row(32, named(&group), json!([]));
    assert!((alone.accepted / 0.2 - 1.0).abs() < 0.1, "{alone:?}");
    assert_eq!(alone.unfinished, 0);
    let incast = |nodes: std::ops::Range<u32>| {
        let nodes: Vec<u32> = nodes.collect();
        json!([{"pattern": "incast:31", "load": 1, "nodes": nodes}])
    };
    let mut far = row(32, named(&group), incast(64..128));
    far.digest.clone_from(&alone.digest); // The digest covers the others' packets too.
    assert_eq!(
        (far.latency_mean_s, far.latency_p99_s),
        (alone.latency_mean_s, alone.latency_p99_s)
    );
    // Every other node of a group, and an incast of those between.
    let every_other: Vec<u32> = (0..32).step_by(2).collect();
    let between = json!([{"pattern": "incast:15", "load": 1,
        "nodes": (1..32).step_by(2).collect::<Vec<u32>>()}]);
    let quiet = row(16, named(&every_other), json!([]));
    let with_background = row(16, named(&every_other), between);
    assert!(
        with_background.latency_p99_s > 2.0 * quiet.latency_p99_s,
        "{with_background:?} {quiet:?}"
    );
}

#[test]
fn all_errors_are_reported_together() {
    let input_errors = |job_request: &Value| -> Vec<(String, String)> {
        let Err(input_errors) = run(job_request) else { panic!("refused: {job_request}") };
        input_errors.into_iter().map(|c| (c.at, c.expected)).collect()
    };
    let at = |job_request: &Value| -> Vec<String> {
        input_errors(job_request).into_iter().map(|c| c.0).collect()
    };
    let overlap = request(&[on("bw", 8, &[3, 4]), on("bw", 8, &[4, 5]), on("bww", 8, &[6, 7])]);
    assert_eq!(at(&overlap), ["job 2: placement", "job 3: bench"]);
    let mut job_request = request(&[on("bw", 8, &[3, 4])]);
    job_request["background"] = json!([
        {"pattern": "unifrom", "load": 0.1}, {"pattern": "uniform", "load": 1.5},
        {"pattern": "uniform", "load": 0.5, "nodes": [2, 3]},
        {"pattern": "uniform", "load": 0.5, "nodes": [2]},
        {"pattern": "uniform", "load": 0.5, "nodes": [2, 5000]},
    ]);
    job_request["noise"] = json!({"period_s": 1e-3, "length_s": 1e-3});
    let nth: Vec<String> = (1..6).map(|nth| format!("background {nth}")).collect();
    assert_eq!(at(&job_request), [&nth[..], &["noise".into()]].concat());
    job_request["background"] = json!([{"pattern": "uniform", "load": 1.5}]);
    assert_eq!(at(&job_request), ["background", "noise"]);
    let mut job_request = request(&[on("bw", 8, &[3, 4])]);
    job_request["background"] = json!([{"pattern": "uniform", "load": 0.1}]);
    job_request["fidelity"] = "loggp".into();
    assert_eq!(at(&job_request), ["fidelity"]);
    let whole = json!({"name": "all", "ranks": 1056, "ppn": 1, "bench": "barrier", "bytes": 0});
    let mut job_request = request(std::slice::from_ref(&whole));
    job_request["background"] = json!([{"pattern": "uniform", "load": 0.1}]);
    assert!(input_errors(&job_request)[0].1.contains("0 left"), "{:?}", input_errors(&job_request));
    assert_eq!(at(&request(&[whole, on("bw", 8, &[3, 4])])), ["job 2: placement"]);
    assert_eq!(at(&request(&[])), ["jobs"]);
}

/// Errors of one job are reported whatever errors another has, including placement and environment,
/// and together with all other errors of the request.
#[test]
fn errors_of_all_stages_are_reported_together() {
    let at = |job_request: &Value| -> Vec<String> {
        let request: JobsRequest = serde_json::from_value(job_request.clone()).expect("a request");
        let found = api::check_jobs(&request).expect_err("wrong");
        if request.jobs.is_empty() {
            assert_eq!(run(job_request).expect_err("wrong").len(), 1, "there must be some to run");
        } else {
            assert_eq!(run(job_request).expect_err("wrong"), found);
        }
        found.into_iter().map(|c| c.at).collect()
    };
    let program = json!({"name": "a", "ranks": 2, "ppn": 1, "program": ["true"], "wdir": "/",
                         "env": [["FI_CXI_RX_MATCH_MODE", "hardwear"]], "compute": "none"});
    let jobs = [on("bww", 8, &[3, 4]), on("rr_lat", 8, &[5, 5]), program.clone(), program];
    let mut all = request(&jobs);
    all["machine"]["name"] = "lumi-g".into();
    let env = |nth| format!("job {nth}: env.FI_CXI_RX_MATCH_MODE");
    assert_eq!(at(&all), ["job 1: bench", "job 2: nodes", &env(3), &env(4)]);
    let mut none = request(&[]);
    none["background"] = json!([{"pattern": "unifrom", "load": 0.1}]);
    none["mpi"] = "mpch".into();
    assert_eq!(at(&none), ["mpi", "background"]);
    let good = serde_json::from_value(request(&[on("bw", 8, &[3, 4])])).expect("a request");
    assert_eq!(api::check_jobs(&good), Ok(()));
}

/// Two pairs of nodes, each with a benchmark, on a machine with this fault schedule.
fn two_with_faults(plan: &str) -> JobsResult {
    let jobs = [on("allreduce", 8, &[0, 1]), on("bw", 1 << 22, &[32, 33])];
    let mut request = request(&jobs);
    request["alone"] = json!(false);
    request["machine"]["faults"] = json!({"name": "plan", "toml": plan});
    run(&request).expect("legal")
}

/// A benchmark that a fault ends reports it, and so does its run.
#[test]
fn a_fault_ends_a_benchmark_among_several_jobs() {
    for (plan, words) in [
        ("[[fault]]\nnic = '33:0'", "network timeout"),
        ("[[fault]]\nnode = 33\nfrom = '20 us'", "dragonfly-1056-00033 went down at 20.00 us"),
    ] {
        let result = two_with_faults(plan);
        let reported = result.jobs[1].failure.as_ref().expect("it did not finish");
        assert_eq!((reported.kind, result.exit_code), ("fault", 1), "{plan}: {}", reported.message);
        assert!(reported.message.contains(words), "{}", reported.message);
        assert!(result.network.is_some(), "{plan}: counts of the network");
    }
}

/// A node failure has no effect after the node's job has ended.
#[test]
fn a_node_may_fail_after_its_job_ends() {
    let whole = two_with_faults("");
    let [first, last] = [0, 1].map(|nth| whole.jobs[nth].time_s);
    assert!(first < 0.9 * last, "{first} and {last}: nothing between the ends");
    let between = (first + last) / 2.0 * 1e9;
    let result = two_with_faults(&format!("[[fault]]\nnode = 0\nfrom = '{between:.0} ns'"));
    assert!(result.jobs.iter().all(|job| job.failure.is_none()), "{:?}", result.jobs);
    assert_eq!(result.time_s, whole.time_s);
}

/// A benchmark with many ranks counts one call, with fewer three. One call gives the result of
/// three.
#[test]
fn one_call_of_many_ranks_gives_the_result_of_three() {
    let time = |ranks: u32, iterations: Option<u32>| {
        let mut job = json!({"name": "a", "ranks": ranks, "ppn": 8, "bench": "allreduce",
                             "bytes": 8});
        if let Some(n) = iterations {
            job["iterations"] = n.into();
        }
        let request = json!({"machine": {"name": "aurora"}, "fidelity": "loggp",
                             "alone": false, "jobs": [job]});
        let mut jobs = run(&request).expect("legal").jobs;
        jobs.remove(0).bench.expect("it ended").latency_s.expect("a latency")
    };
    let [one, three] = [1, 3].map(|n| time(8192, Some(n)));
    assert_eq!(time(8192, None), one);
    assert_eq!(time(8184, None), time(8184, Some(3)));
    assert!(one != three && (one / three - 1.0).abs() < 0.01, "{one} and {three}");
}
