//! Fault schedules with arbitrary input: nothing panics, and every error names its place.

use std::collections::BTreeSet;

use machine::faults::FaultSchedule;
use machine::{InputError, LinkEnd, LinkId, Machine, MachineSpec, preset};

fn machine(name: &str) -> Machine {
    let text = preset(name).expect("a preset");
    MachineSpec::parse(name, text, &[]).and_then(|spec| spec.resolve()).expect("sound")
}

const KEYS: [&str; 12] = [
    "switches", "groups", "nic_link", "nic", "switch", "node", "cable", "from", "until", "flap",
    "lanes", "ber",
];
/// Values that are legal for some of the keys, and values that are legal for none.
const VALUES: [&str; 36] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "1e400",
    "-0.5",
    "nan",
    "inf",
    "1e-12",
    "9223372036854775807",
    "''",
    "'0'",
    "'0:0'",
    "':'",
    "'0:'",
    "':0'",
    "'0:-1'",
    "'0:99999999999'",
    "'nobody'",
    "'µ s'",
    "'start'",
    "'1 us'",
    "'1000 s'",
    "'1001 s'",
    "'-3 s'",
    "'0 s'",
    "[]",
    "[0]",
    "[0, 1]",
    "[1, 1]",
    "[0, 99999]",
    "[0, 1, 2]",
    "[{a = 1}]",
    "{a = 1}",
    "1979-05-27T07:32:00Z",
];

/// Every key with every value, in an otherwise legal row: either it is legal, or the error names
/// the key.
#[test]
fn every_value_of_every_key_is_accepted_or_reported() {
    let machine = machine("dragonfly-1056");
    let (mut right, mut wrong) = (0, 0);
    for part in ["", "switches = [0, 1]", "groups = [0, 1]", "nic = '0:0'", "node = 0"] {
        for key in KEYS {
            for value in VALUES {
                let text = format!("[[fault]]\n{part}\n{key} = {value}\n");
                match FaultSchedule::parse("schedule", &text, &machine) {
                    Ok(schedule) => {
                        right += 1;
                        machine.clone().with_faults(&schedule).expect("buffers hold packets");
                    }
                    // The key occurs twice.
                    Err(all) if all[0].at.starts_with("schedule, line ") => {
                        assert_eq!(all.len(), 1)
                    }
                    Err(all) => {
                        wrong += 1;
                        let places = ["fault 1".to_string(), format!("fault 1: {key}")];
                        for InputError { at, found, expected, .. } in &all {
                            assert!(places.contains(at), "{text}: {at}");
                            assert!(!expected.is_empty() && found.len() < 50, "{text}: {found}");
                        }
                    }
                }
            }
        }
    }
    assert!(right > 40 && wrong > 1_000, "{right} right, {wrong} wrong");
}

/// An invalid file gives one error with the line number.
#[test]
fn invalid_schedules_are_refused() {
    let machine = machine("dragonfly-1056");
    for (text, at, expected) in [
        ("[[fault]\n", "schedule, line 1", "TOML"),
        ("ber = 1e-12\n[[fault]]\nµ = 3\n", "schedule, line 3", "TOML"),
        ("fault = 3", "fault schedule: fault", "tables"),
        ("fault = [3]", "fault 1", "table"),
        ("ber = 1", "fault schedule: ber", "1e-4"),
        ("[[faults]]\nnode = 1\n", "fault schedule: faults", "`[[fault]]`"),
        ("[[fault]]\n", "fault 1", "one of switches"),
    ] {
        let all = FaultSchedule::parse("schedule", text, &machine).expect_err("it is wrong");
        let [one] = &all[..] else { panic!("{text}: {all:?}") };
        assert_eq!(one.at, at, "{text}: {one}");
        assert!(one.expected.contains(expected), "{text}: {one}");
    }
    for text in ["", "\n# nothing\n", "fault = []", "ber = 0"] {
        assert_eq!(
            FaultSchedule::parse("schedule", text, &machine),
            Ok(FaultSchedule::default()),
            "{text}"
        );
    }
}

/// The cables between two switches are all links between them, both ways, and nothing else.
#[test]
fn a_cable_has_both_directions() {
    for name in ["dragonfly-1056", "aurora", "cascade-3k"] {
        let machine = machine(name);
        let links = &machine.links;
        let mut found = BTreeSet::new();
        // Some of each kind, from all parts of the machine.
        for link in links.gap.ids().filter(|link| link.0 % 997 == 0) {
            let (LinkEnd::Switch(a), LinkEnd::Switch(b)) = (links.from[link], links.to[link])
            else {
                continue;
            };
            found.insert(format!("{:?}", links.kind[link]));
            let both = [
                (LinkEnd::Switch(a), LinkEnd::Switch(b)),
                (LinkEnd::Switch(b), LinkEnd::Switch(a)),
            ];
            let joins = |l: &LinkId| both.contains(&(links.from[*l], links.to[*l]));
            let joined: Vec<LinkId> = links.gap.ids().filter(joins).collect();
            let text = format!("[[fault]]\nswitches = [{}, {}]\n", a.0, b.0);
            let schedule =
                FaultSchedule::parse("schedule", &text, &machine).expect("a cable joins them");
            let faults = schedule.resolve(&machine);
            let down = links.gap.ids().filter(|&l| !faults.outages(l).is_empty());
            assert_eq!(down.collect::<Vec<_>>(), joined, "{name}: {text}");
        }
        assert!(found.len() >= 2, "{name}: only {found:?}");
    }
}
