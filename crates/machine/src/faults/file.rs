//! Fault schedules as TOML text.

use base::{Span, Time};
use toml::{Table, Value as Toml};

use super::{Fault, FaultKind, FaultSchedule, FaultTarget, LANES, NEVER};
use crate::input_error::{InputError, nearest, shown, syntax};
use crate::quantity::{self, Dimension};
use crate::{GroupId, Machine, NicId, NodeId, SwitchId};

/// Keys of a row that name the affected part; a row has exactly one of them.
const PARTS: [&str; 6] = ["switches", "groups", "nic_link", "nic", "switch", "node"];
/// All keys of a row.
const KEYS: [&str; 13] = [
    "switches", "groups", "nic_link", "nic", "switch", "node", "cable", "from", "until", "flap",
    "lanes", "ber", "reported",
];
/// Above this rate a packet of 2 KiB is hit at more than half of all crossings.
const MAX_BER: f64 = 1e-4;

impl FaultSchedule {
    /// Reads a schedule for `machine`, or returns all errors in it.
    pub fn parse(
        name: &str,
        text: &str,
        machine: &Machine,
    ) -> Result<FaultSchedule, Vec<InputError>> {
        let table = text.parse::<Table>().map_err(|error| vec![syntax(name, text, &error)])?;
        let mut read = Read { machine, out: Vec::new(), at: String::new() };
        let mut schedule = FaultSchedule::default();
        for (key, value) in &table {
            match (key.as_str(), value) {
                ("ber", value) => schedule.ber = read.errors("ber", value),
                ("fault", Toml::Array(rows)) => {
                    for (nth, row) in rows.iter().enumerate() {
                        read.at = format!("fault {}", nth + 1);
                        schedule.faults.extend(read.row(row));
                    }
                    read.at.clear();
                }
                ("fault", value) => read.wrong("fault", value, "`[[fault]]` tables".into()),
                (key, value) => {
                    let near = nearest(key, ["ber", "fault"]);
                    let expected = "a key of fault schedules: `ber` or `[[fault]]` tables";
                    let input_error = InputError::new(read.path(key), shown(value), expected);
                    read.out.push(input_error.with_hint(near));
                }
            }
        }
        if read.out.is_empty() { Ok(schedule) } else { Err(read.out) }
    }
}

/// The state of the reader.
struct Read<'a> {
    machine: &'a Machine,
    out: Vec<InputError>,
    /// The current row.
    at: String,
}

impl Read<'_> {
    fn path(&self, key: &str) -> String {
        let at = if self.at.is_empty() { "fault schedule" } else { &self.at };
        format!("{at}: {key}")
    }

    fn wrong(&mut self, key: &str, value: &Toml, expected: String) {
        self.out.push(InputError::new(self.path(key), shown(value), expected));
    }

    fn row(&mut self, row: &Toml) -> Option<Fault> {
        let Toml::Table(row) = row else {
            self.out.push(InputError::new(self.at.clone(), shown(row), "a `[[fault]]` table"));
            return None;
        };
        let before = self.out.len();
        for (key, value) in row.iter().filter(|(key, _)| !KEYS.contains(&key.as_str())) {
            let expected = format!("one of {}", KEYS.join(", "));
            let input_error = InputError::new(self.path(key), shown(value), expected);
            self.out.push(input_error.with_hint(nearest(key, KEYS)));
        }
        let part = self.part(row);
        let kind = self.kind(row, part);
        let from = row.get("from").map_or(Some(Time::ZERO), |value| self.time("from", value));
        let until = match (row.get("until"), row.get("flap")) {
            (Some(_), Some(flap)) => {
                self.wrong("flap", flap, "either `until` or `flap`, not both".into());
                None
            }
            (Some(until), None) => self.time("until", until),
            (None, Some(flap)) => {
                let length = self.time("flap", flap);
                from.zip(length).map(|(from, length)| from + (length - Time::ZERO))
            }
            (None, None) => Some(NEVER),
        };
        let (from, until) = (from?, until?);
        if until <= from {
            let (key, value) = ["until", "flap"]
                .iter()
                .find_map(|key| Some((*key, row.get(*key)?)))
                .expect("an end was given");
            self.wrong(key, value, "an end after its `from`".into());
        }
        if self.out.len() > before {
            return None;
        }
        Some(Fault { target: part?, kind: kind?, from, until })
    }

    fn part(&mut self, row: &Table) -> Option<FaultTarget> {
        let given: Vec<&str> = PARTS.into_iter().filter(|key| row.contains_key(*key)).collect();
        let &[key] = &given[..] else {
            let expected = format!("one of {}", PARTS.join(", "));
            let found = given.join(", ");
            self.out.push(InputError::new(self.at.clone(), found, expected));
            return None;
        };
        let value = &row[key];
        let cable = row.get("cable");
        if let Some(cable) = cable.filter(|_| key != "switches" && key != "groups") {
            self.wrong("cable", cable, "no cable: only with `switches` or `groups`".into());
            return None;
        }
        match key {
            "switches" | "groups" => {
                let n = if key == "groups" { self.machine.n_groups } else { self.n_switches() };
                let (a, b) = self.two(key, value, n)?;
                let cables = if key == "groups" {
                    let links =
                        self.machine.global_links_between(GroupId(a), GroupId(b)).len() as u32;
                    links / self.machine.links_per_cable
                } else {
                    self.machine.topology.links_between(SwitchId(a), SwitchId(b)).len() as u32
                };
                if cables == 0 {
                    self.wrong(key, value, "two that are joined by a cable".into());
                    return None;
                }
                let cable = match cable {
                    None => None,
                    Some(value) => Some(self.number("cable", value, cables)?),
                };
                Some(match key {
                    "groups" => FaultTarget::Groups(GroupId(a), GroupId(b), cable),
                    _ => FaultTarget::Switches(SwitchId(a), SwitchId(b), cable),
                })
            }
            "switch" => {
                let n = self.n_switches();
                Some(FaultTarget::Switch(SwitchId(self.number(key, value, n)?)))
            }
            "node" => self.node(key, value).map(FaultTarget::Node),
            "nic" => self.nic(key, value).map(FaultTarget::Nic),
            _ => self.nic(key, value).map(FaultTarget::NicLink),
        }
    }

    fn n_switches(&self) -> u32 {
        self.machine.n_switches()
    }

    fn kind(&mut self, row: &Table, part: Option<FaultTarget>) -> Option<FaultKind> {
        let is_link = matches!(
            part,
            None | Some(
                FaultTarget::Switches(..) | FaultTarget::Groups(..) | FaultTarget::NicLink(_)
            )
        );
        if let Some((key, value)) =
            ["lanes", "ber"].iter().find_map(|key| Some((*key, row.get(*key)?)))
            && !is_link
        {
            self.wrong(key, value, "links only: `switches`, `groups` or `nic_link`".into());
            return None;
        }
        if let Some(value) = row.get("reported")
            && (!is_link || row.contains_key("lanes") || row.contains_key("ber"))
        {
            self.wrong("reported", value, "links that are down only".into());
            return None;
        }
        let is_reported = match row.get("reported") {
            None | Some(Toml::Boolean(true)) => true,
            Some(Toml::Boolean(false)) => false,
            Some(value) => {
                self.wrong("reported", value, "`true` or `false`".into());
                return None;
            }
        };
        match (row.get("lanes"), row.get("ber")) {
            (Some(lanes), Some(_)) => {
                self.wrong("lanes", lanes, "either `lanes` or `ber`; two rows for both".into());
                None
            }
            (Some(Toml::Integer(lanes @ 2..=3)), None) => Some(FaultKind::Lanes(*lanes as u8)),
            (Some(lanes), None) => {
                self.wrong("lanes", lanes, format!("2 or 3 of {LANES}"));
                None
            }
            (None, Some(ber)) => Some(FaultKind::Errors(self.errors("ber", ber))),
            (None, None) if is_reported => Some(FaultKind::Down),
            (None, None) => Some(FaultKind::Unreported),
        }
    }

    fn errors(&mut self, key: &str, value: &Toml) -> f64 {
        let rate = match value {
            Toml::Float(rate) => *rate,
            Toml::Integer(0) => 0.0,
            _ => f64::NAN,
        };
        if !(0.0..=MAX_BER).contains(&rate) {
            let expected = format!("a bit-error rate such as `1e-12`, at most {MAX_BER:e}");
            self.wrong(key, value, expected);
            return 0.0;
        }
        rate
    }

    fn time(&mut self, key: &str, value: &Toml) -> Option<Time> {
        let expected = match key {
            "from" => format!("`start`, or {}", Dimension::Time.expected()),
            _ => Dimension::Time.expected().into(),
        };
        let hint = match value {
            Toml::String(word) if word == "start" && key == "from" => return Some(Time::ZERO),
            Toml::String(text) => match quantity::parse(text, Dimension::Time) {
                Ok(seconds) => return Some(Time::ZERO + Span::from_seconds(seconds)),
                Err(hint) => hint,
            },
            Toml::Integer(_) | Toml::Float(_) => {
                quantity::parse(&value.to_string(), Dimension::Time).err().flatten()
            }
            _ => None,
        };
        self.out.push(InputError::new(self.path(key), shown(value), expected).with_hint(hint));
        None
    }

    fn number(&mut self, key: &str, value: &Toml, n: u32) -> Option<u32> {
        let given = value.as_integer().and_then(|k| u32::try_from(k).ok()).filter(|&k| k < n);
        if given.is_none() {
            let expected = match n {
                0 | 1 => "0: there is one".to_string(),
                n => format!("a number from 0 to {}", n - 1),
            };
            self.wrong(key, value, expected);
        }
        given
    }

    fn two(&mut self, key: &str, value: &Toml, n: u32) -> Option<(u32, u32)> {
        let pair = match value {
            Toml::Array(items) => match &items[..] {
                [a, b] => self.number(key, a, n).zip(self.number(key, b, n)),
                _ => None,
            },
            _ => None,
        };
        match pair {
            Some((a, b)) if a != b => Some((a, b)),
            Some(_) => {
                self.wrong(key, value, "two different numbers".into());
                None
            }
            None => {
                let is_pair = matches!(value, Toml::Array(items) if items.len() == 2);
                if !is_pair {
                    self.wrong(key, value, format!("two numbers below {n}, such as `[0, 1]`"));
                }
                None
            }
        }
    }

    fn node(&mut self, key: &str, value: &Toml) -> Option<NodeId> {
        let found = match value {
            Toml::String(name) => self.machine.node_by_name(name),
            value => value.as_integer().and_then(|n| self.machine.node_by_name(&n.to_string())),
        };
        if found.is_none() {
            let last = self.machine.node_nics.len() as u32 - 2;
            let name = self.machine.node_name(NodeId(0));
            self.wrong(
                key,
                value,
                format!("a node: a number up to {last}, or its name (`{name}`)"),
            );
        }
        found
    }

    fn nic(&mut self, key: &str, value: &Toml) -> Option<NicId> {
        let (node, nth) = match value {
            Toml::String(text) => match text.rsplit_once(':') {
                Some((node, nth)) => (Some(node.to_string()), nth.parse::<u32>().ok()),
                None => (None, None),
            },
            _ => (None, None),
        };
        let node = node.and_then(|name| self.machine.node_by_name(&name));
        let nics = node.map_or(0, |node| {
            self.machine.node_nics[NodeId(node.0 + 1)] - self.machine.node_nics[node]
        });
        match (node, nth.filter(|&nth| nth < nics)) {
            (Some(node), Some(nth)) => Some(NicId(self.machine.node_nics[node] + nth)),
            (node, _) => {
                let expected = match node {
                    Some(node) => {
                        format!("one of the {nics} NICs of {}", self.machine.node_name(node))
                    }
                    None => "NODE:NIC, such as `5:0`: the node's number or name, and which of \
                             its NICs, from 0"
                        .into(),
                };
                self.wrong(key, value, expected);
                None
            }
        }
    }
}

impl FaultSchedule {
    /// The schedule as text that `parse` reads.
    pub fn to_toml(&self, machine: &Machine) -> String {
        let mut text = String::new();
        if self.ber > 0.0 {
            text += &format!("ber = {:e}\n", self.ber);
        }
        for fault in &self.faults {
            text += "\n[[fault]]\n";
            let nic = |nic: NicId| {
                let node = machine.nic_node[nic];
                format!("\"{}:{}\"", machine.node_name(node), nic.0 - machine.node_nics[node])
            };
            text += &match fault.target {
                FaultTarget::Switches(a, b, _) => format!("switches = [{}, {}]\n", a.0, b.0),
                FaultTarget::Groups(a, b, _) => format!("groups = [{}, {}]\n", a.0, b.0),
                FaultTarget::NicLink(of) => format!("nic_link = {}\n", nic(of)),
                FaultTarget::Nic(of) => format!("nic = {}\n", nic(of)),
                FaultTarget::Switch(switch) => format!("switch = {}\n", switch.0),
                FaultTarget::Node(node) => format!("node = \"{}\"\n", machine.node_name(node)),
            };
            if let FaultTarget::Switches(.., Some(k)) | FaultTarget::Groups(.., Some(k)) =
                fault.target
            {
                text += &format!("cable = {k}\n");
            }
            match fault.kind {
                FaultKind::Down => {}
                FaultKind::Unreported => text += "reported = false\n",
                FaultKind::Lanes(lanes) => text += &format!("lanes = {lanes}\n"),
                FaultKind::Errors(ber) => text += &format!("ber = {ber:e}\n"),
            }
            let from = match fault.from {
                Time::ZERO => "start".into(),
                from => written(from),
            };
            text += &format!("from = \"{from}\"\n");
            if fault.until != NEVER {
                text += &format!("until = \"{}\"\n", written(fault.until));
            }
        }
        text
    }
}

/// Exact, in the largest unit that divides it.
fn written(time: Time) -> String {
    let units = [("s", 12), ("ms", 9), ("us", 6), ("ns", 3)];
    for (unit, digits) in units {
        let size = 10u64.pow(digits);
        if time.0.is_multiple_of(size) {
            return format!("{} {unit}", time.0 / size);
        }
    }
    format!("{} ps", time.0)
}
