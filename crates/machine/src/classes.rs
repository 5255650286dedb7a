//! Traffic classes: assured share, ceiling and priority of each class on every link. The published
//! profiles are data here; a machine file may change classes or add some.
//!
//! Each class in use has its own virtual network. A run that uses one class without a ceiling has
//! none.

use crate::Machine;
use crate::input_error::{InputError, nearest};
use crate::spec::MachineSpec;

/// Maximum number of classes in use at once: congestion notices to NICs have three bits for it.
const MAX_IN_USE: usize = 8;

/// One traffic class. Shares are percent of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrafficClass {
    pub name: String,
    /// Assured share of every link on demand; `nic_assured` is that of the NIC's link.
    pub assured: u8,
    pub nic_assured: u8,
    /// Maximum share, even of an otherwise idle link.
    pub ceiling: u8,
    /// Higher first, among classes below their assured shares and among classes above.
    pub priority: u8,
    /// Full packets by which it may exceed its shares: the limit of its leaky buckets.
    pub bucket: u8,
}

/// The default class, used by all MPI runs of the Aurora paper.
pub const BEST_EFFORT: &str = "best-effort";

/// The traffic classes of a machine, and those that a run uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// All classes of the machine.
    pub known: Vec<TrafficClass>,
    /// The class of each virtual network.
    in_use: Vec<usize>,
}

impl Classes {
    /// The classes in use, in the order of their virtual networks; empty if there is only one and
    /// nothing limits it.
    pub fn sharing(&self) -> impl Iterator<Item = &TrafficClass> {
        let all = self.in_use.iter().map(|&at| &self.known[at]);
        let one_without_limit = self.in_use.len() == 1 && all.clone().all(|c| c.ceiling == 100);
        all.take(if one_without_limit { 0 } else { self.in_use.len() })
    }
    /// Whether classes compete for links, or a ceiling limits one of them.
    pub fn is_shared(&self) -> bool {
        self.sharing().next().is_some()
    }
    /// The class of this name in the spelling of the driver, libfabric or Slurm: `LOW_LATENCY`,
    /// `TC_LOW_LATENCY`, `low-latency`. `at` is where the user wrote it.
    pub fn find(&self, at: &str, word: Option<&str>) -> Result<usize, InputError> {
        let word = word.unwrap_or(BEST_EFFORT);
        let meant = canonical(word);
        self.known.iter().position(|class| class.name == meant).ok_or_else(|| {
            let names = || self.known.iter().map(|class| class.name.as_str());
            let expected = match self.known.len() {
                1 => format!("{BEST_EFFORT}, this machine's only traffic class"),
                _ => format!("a traffic class: {}", names().collect::<Vec<_>>().join(", ")),
            };
            InputError::new(at, word, expected).with_hint(nearest(&meant, names()))
        })
    }
    /// Whether more than one class is in use.
    pub fn has_several(&self) -> bool {
        self.in_use.len() > 1
    }
    /// The virtual network of a class, if it is in use.
    pub fn vnet(&self, class: usize) -> Option<u8> {
        self.in_use.iter().position(|&at| at == class).map(|vnet| vnet as u8)
    }
}

impl Machine {
    /// Gives each of these classes, found by `Classes::find`, its own virtual network.
    pub fn use_classes(&mut self, used: &[usize]) -> Result<(), InputError> {
        let known = &self.classes.known;
        let mut used: Vec<usize> = used.to_vec();
        used.sort_unstable();
        used.dedup();
        if used.is_empty() || used == self.classes.in_use && !self.classes.is_shared() {
            return Ok(());
        }
        if self.nic.response > 0 {
            let expected = "best effort without a ceiling: on this machine responses use the \
                            second virtual network";
            return Err(InputError::new("class", known[used[0]].name.clone(), expected));
        }
        let sum = |share: fn(&TrafficClass) -> u8| -> u32 {
            used.iter().map(|&at| u32::from(share(&known[at]))).sum()
        };
        for (key, sum) in [("assured", sum(|c| c.assured)), ("nic_assured", sum(|c| c.nic_assured))]
        {
            if sum > 100 {
                let names: Vec<_> = used.iter().map(|&at| known[at].name.as_str()).collect();
                let expected = format!("at most 100 % for {} together", names.join(", "));
                return Err(InputError::new(format!("classes.*.{key}"), sum.to_string(), expected));
            }
        }
        // The waiting channels of a link are bits of a 32-bit word.
        let most = (32 / usize::from(self.n_vcs)).min(MAX_IN_USE);
        if used.len() > most {
            let with = if most < MAX_IN_USE { " with this routing" } else { "" };
            let expected = format!("at most {most} traffic classes in one run{with}");
            return Err(InputError::new("class", used.len().to_string(), expected));
        }
        self.n_vnets = used.len() as u8;
        self.classes.in_use = used;
        Ok(())
    }
}

/// `TC_LOW_LATENCY` is `low-latency`.
fn canonical(word: &str) -> String {
    let plain = word.trim().to_ascii_lowercase().replace('_', "-");
    plain.strip_prefix("tc-").unwrap_or(&plain).to_string()
}

impl MachineSpec {
    /// The profile's classes as changed by the file, then the classes that the file adds.
    pub(crate) fn traffic_classes(&self, out: &mut Vec<InputError>) -> Classes {
        let is_aries = self.text("fabric") == "aries";
        let named = self.text("classes.profile");
        let profile = match named {
            "" if is_aries => "none",
            "" => "ll-be-bd-et",
            word => word,
        };
        let mut known: Vec<TrafficClass> = profile_of(profile).collect();
        for raw in &self.classes {
            let name = canonical(raw);
            let at = |key: &str| format!("classes.{raw}.{key}");
            let at_most_100 = |key: &str| self.count(&at(key)).map(|n| n as u8);
            let place = known.iter().position(|class| class.name == name).unwrap_or_else(|| {
                known.push(plain(&name));
                known.len() - 1
            });
            let class = &mut known[place];
            if let Some(assured) = at_most_100("assured") {
                (class.assured, class.nic_assured) = (assured, assured);
            }
            class.nic_assured = at_most_100("nic_assured").unwrap_or(class.nic_assured);
            class.ceiling = at_most_100("ceiling").unwrap_or(class.ceiling);
            class.priority = at_most_100("priority").unwrap_or(class.priority);
            class.bucket = at_most_100("bucket").unwrap_or(class.bucket);
            let assured = class.assured.max(class.nic_assured);
            if class.ceiling < assured {
                let expected = format!("at least the {assured} % that the class is assured");
                out.push(InputError::new(at("ceiling"), class.ceiling.to_string(), expected));
            }
        }
        if is_aries && known.len() > 1 {
            let expected = "no traffic classes: Aries' network has none";
            out.push(InputError::new("classes", named, expected));
        }
        let usual = known.iter().position(|class| class.name == BEST_EFFORT).expect("always there");
        Classes { known, in_use: vec![usual] }
    }
}

/// A class with default values.
fn plain(name: &str) -> TrafficClass {
    let name = name.to_string();
    TrafficClass { name, assured: 0, nic_assured: 0, ceiling: 100, priority: 2, bucket: 2 }
}

/// Name, assured, assured at the NIC, ceiling, priority, bucket in full packets.
type Row = (&'static str, u8, u8, u8, u8, u8);

/// HewlettPackard/shs-cxi-driver, cxi_qos_profiles.c: `assured_percent`, or n for switches where a
/// comment says "Fabric: n"; `ceiling_percent`, `leaf_request_priority`, `bucket_limit`. Its two
/// Ethernet classes are one here.
#[rustfmt::skip] // A table is read down its columns.
const HPC: &[Row] = &[
    ("dedicated-access", 50, 50, 100, 2, 4),
    ("low-latency",      15, 15,  30, 7, 4),
    ("bulk-data",        15, 15, 100, 2, 2),
    (BEST_EFFORT,        10, 10, 100, 2, 2),
    ("ethernet",         10, 10, 100, 1, 2),
];
#[rustfmt::skip]
const LL_BE_BD_ET: &[Row] = &[
    ("low-latency",       2,  2,   5, 7, 4),
    ("bulk-data",        20, 10, 100, 2, 2),
    (BEST_EFFORT,        50, 10, 100, 2, 2),
    ("ethernet",         20, 10, 100, 2, 2),
];

/// The classes of a published profile.
fn profile_of(name: &str) -> impl Iterator<Item = TrafficClass> {
    let rows = match name {
        "hpc" => HPC,
        "ll-be-bd-et" => LL_BE_BD_ET,
        _ => &[(BEST_EFFORT, 0, 0, 100, 2, 2)],
    };
    rows.iter().map(|&(name, assured, nic_assured, ceiling, priority, bucket)| TrafficClass {
        name: name.into(),
        assured,
        nic_assured,
        ceiling,
        priority,
        bucket,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset;

    fn machine(set: &[(&str, &str)]) -> Result<Machine, Vec<InputError>> {
        let text = preset("dragonfly-1056").expect("a preset");
        let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
        MachineSpec::parse("dragonfly-1056", text, &set)?.resolve()
    }

    #[test]
    fn profiles_are_those_of_the_driver() {
        for (profile, class, assured, ceiling, priority) in [
            ("HPC", "TC_DEDICATED_ACCESS", 50, 100, 2),
            ("hpc", "LOW_LATENCY", 15, 30, 7),
            ("LL_BE_BD_ET", "low-latency", 2, 5, 7),
            ("ll-be-bd-et", "best_effort", 50, 100, 2),
        ] {
            let machine = machine(&[("classes.profile", profile)]).expect("legal");
            let at = machine.classes.find("class", Some(class)).expect("known");
            let got = &machine.classes.known[at];
            assert_eq!((got.assured, got.ceiling, got.priority), (assured, ceiling, priority));
        }
    }

    #[test]
    fn a_machine_file_changes_classes_and_adds_its_own() {
        let set = [
            ("classes.low_latency.ceiling", "40"),
            ("classes.mine.assured", "7"),
            ("classes.mine.priority", "3"),
        ];
        let mut machine = machine(&set).expect("legal");
        let find = |word| machine.classes.find("class", Some(word)).expect("known");
        let (low, mine, usual) = (find("low-latency"), find("mine"), find(BEST_EFFORT));
        assert_eq!(machine.classes.known[low].ceiling, 40);
        assert_eq!(machine.classes.known[mine].assured, 7);
        assert!(!machine.classes.is_shared(), "no class is requested");
        machine.use_classes(&[mine, low, usual, low]).expect("they fit");
        assert_eq!(machine.n_vnets, 3);
        let names: Vec<_> = machine.classes.sharing().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["low-latency", BEST_EFFORT, "mine"]);
        assert_eq!(
            [low, usual, mine].map(|c| machine.classes.vnet(c)),
            [Some(0), Some(1), Some(2)]
        );
        machine.use_classes(&[low]).expect("it fits");
        assert!(machine.classes.is_shared(), "a ceiling limits it");
        machine.use_classes(&[mine]).expect("it fits");
        assert!(!machine.classes.is_shared(), "nothing limits it");
    }

    #[test]
    fn impossible_classes_are_refused() {
        let refused = |set: &[(&str, &str)]| machine(set).map(|_| ()).unwrap_err()[0].to_string();
        let text = refused(&[("classes.low-latency.ceiling", "1")]);
        assert!(text.contains("classes.low-latency.ceiling") && text.contains("2 %"), "{text}");
        let text = refused(&[("classes.mine.cieling", "1")]);
        assert!(text.contains("did you mean `classes.mine.ceiling`"), "{text}");
        let text = refused(&[("fabric", "aries"), ("classes.profile", "hpc")]);
        assert!(text.contains("Aries"), "{text}");
        let text = refused(&[("classes.profile", "hpcc")]);
        assert!(text.contains("did you mean `hpc`"), "{text}");

        let mut answering = [("nic.packet_overhead", "24 B"), ("nic.response", "12 B")].to_vec();
        answering.push(("classes.best-effort.ceiling", "50"));
        let mut answering = machine(&answering).expect("legal");
        let usual = answering.classes.find("class", None).expect("always there");
        let text = answering.use_classes(&[usual]).unwrap_err().to_string();
        assert!(text.contains("best effort without a ceiling"), "{text}");

        let machine = machine(&[("classes.mine.assured", "60")]).expect("legal");
        let wrong = machine.classes.find("class", Some("TC_LOW_LATANCY")).unwrap_err();
        assert_eq!(wrong.hint.as_deref(), Some("low-latency"));
        let both = [BEST_EFFORT, "mine"].map(|c| machine.classes.find("class", Some(c)).unwrap());
        let text = machine.clone().use_classes(&both).unwrap_err().to_string();
        assert!(text.contains("110") && text.contains("at most 100 %"), "{text}");
    }
}
