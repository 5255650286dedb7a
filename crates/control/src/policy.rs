//! Port policies: documents that a port names, merged in order to its configuration.
//!
//! Does not know ports: it has lists of policy names, and the configuration that each list gives.
//! Both are interned, so a port holds two numbers, and a change of a policy costs one merge per
//! list.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::link_state::{Configured, LANES};

base::ids! {
    /// A list of policy names that some port has.
    ListId,
    /// A configuration that a list gives or gave.
    ConfigId,
}

/// Reattempts after a failed attempt to tune.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RetryPolicy {
    pub enabled: bool,
    /// Without a limit.
    pub always: bool,
    pub num_retries: u32,
    pub duration_ms: u32,
}

/// What a port is configured to do.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PortConfig {
    pub is_online: bool,
    pub autoneg: bool,
    pub speed: String,
    /// Lanes of the machine's links that this speed uses; `None` if its ports do not have it.
    pub lanes: Option<u8>,
    /// Receive, transmit.
    pub flow_control: (bool, bool),
    pub loopback: String,
    pub precode: String,
    pub qos: String,
    pub retry: RetryPolicy,
}

/// Numbers of VLANs are below this: 4,095 is reserved (IEEE 802.1Q).
pub(crate) const VLAN_IDS: u64 = 4_095;

/// The fields of a port policy that have a meaning here, and what they accept.
const FIELDS: [(&str, Field); 13] = [
    ("state", Field::Word(&["ONLINE", "OFFLINE"])),
    ("autoneg", Field::Bool),
    ("speed", Field::Speed),
    ("flowControl", Field::Parts(&[("rx", Part::Bool), ("tx", Part::Bool)])),
    ("loopback", Field::Text),
    ("mac", Field::Text),
    ("precode", Field::Text),
    ("qosProfile", Field::Text),
    ("autoRetry", Field::Parts(&RETRY)),
    ("headShellReset", Field::Parts(&RETRY)),
    ("allowedVlans", Field::Vlans),
    ("nativeVlanId", Field::Vlan),
    ("isUntaggedAllowed", Field::Bool),
];

#[derive(Clone, Copy)]
enum Field {
    Word(&'static [&'static str]),
    Bool,
    Speed,
    Text,
    /// An object; the parts that have a meaning.
    Parts(&'static [(&'static str, Part)]),
    /// The link of a VLAN (sshot-net-operator), or its number; an array of these.
    Vlan,
    Vlans,
}

/// What a part of an object accepts.
#[derive(Clone, Copy)]
enum Part {
    Bool,
    Count,
    Seconds,
}

const RETRY: [(&str, Part); 4] = [
    ("enabled", Part::Bool),
    ("always", Part::Bool),
    ("num_retries", Part::Count),
    ("duration_sec", Part::Seconds),
];

/// Longest time between two attempts `[estimate]`.
const MAX_RETRY_S: f64 = 86_400.0;

impl Part {
    fn expected(self) -> &'static str {
        match self {
            Part::Bool => "true or false",
            Part::Count => "a whole number of at most 4294967295",
            Part::Seconds => "0 to 86400 seconds",
        }
    }
    fn accepts(self, value: &Value) -> bool {
        match self {
            Part::Bool => value.is_boolean(),
            Part::Count => value.as_u64().is_some_and(|n| n <= u32::MAX.into()),
            Part::Seconds => value.as_f64().is_some_and(|s| (0.0..=MAX_RETRY_S).contains(&s)),
        }
    }
}

/// What is wrong with the parts of an object.
fn wrong_part(value: &Value, parts: &[(&str, Part)]) -> Option<String> {
    let Some(fields) = value.as_object() else { return Some("an object".to_string()) };
    parts.iter().find_map(|&(name, part)| {
        let wrong = fields.get(name).is_some_and(|value| !part.accepts(value));
        wrong.then(|| format!("an object in which {name} is {}", part.expected()))
    })
}

/// The first field of a policy that has a value of the wrong type: its name, and what it accepts.
pub fn wrong_field(policy: &Map<String, Value>) -> Option<(&'static str, String)> {
    FIELDS.iter().find_map(|&(name, field)| {
        let value = policy.get(name)?;
        let expected = match field {
            Field::Word(words) => {
                let is_legal = value.as_str().is_some_and(|word| words.contains(&word));
                (!is_legal).then(|| words.join(" or "))
            }
            Field::Speed => {
                let is_legal = value.as_str().is_some_and(is_speed);
                (!is_legal).then(|| "a speed such as BS_200G".to_string())
            }
            Field::Bool => (!value.is_boolean()).then(|| "true or false".to_string()),
            Field::Text => (!value.is_string()).then(|| "a string".to_string()),
            Field::Parts(parts) => wrong_part(value, parts),
            Field::Vlans => {
                let is_legal = value.as_array().is_some_and(|all| all.iter().all(is_vlan));
                (!is_legal)
                    .then(|| format!("an array of links or numbers of VLANs below {VLAN_IDS}"))
            }
            Field::Vlan => {
                (!is_vlan(value)).then(|| format!("a link or a number of a VLAN below {VLAN_IDS}"))
            }
        };
        expected.map(|expected| (name, expected))
    })
}

fn is_vlan(value: &Value) -> bool {
    let link = value.as_str().map(|text| text.strip_prefix("/fabric/vlans/").unwrap_or(text));
    let number = value.as_u64().or_else(|| link?.parse().ok());
    number.is_some_and(|number| number < VLAN_IDS)
}

/// `BS_200G`.
fn is_speed(text: &str) -> bool {
    gbit_of(text).is_some()
}

fn gbit_of(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("BS_")?.strip_suffix('G')?;
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// Lanes that a speed uses on links of another one: all for the full speed, two of four for half of
/// it (the 100 Gbit/s modes of shs-cxi-driver have two lanes of 50).
fn lanes_of(speed: &str, of_links: &str) -> Option<u8> {
    match (gbit_of(speed)?, gbit_of(of_links)?) {
        (own, full) if own == full => Some(LANES),
        (own, full) if 2 * own == full => Some(LANES / 2),
        _ => None,
    }
}

impl PortConfig {
    /// A port without policies is offline.
    fn unset(speed: &str) -> PortConfig {
        PortConfig {
            is_online: false,
            autoneg: true,
            speed: speed.to_string(),
            lanes: Some(LANES),
            flow_control: (true, true),
            loopback: "NONE".to_string(),
            precode: "AUTO".to_string(),
            qos: String::new(),
            retry: RetryPolicy { enabled: true, always: true, num_retries: 3, duration_ms: 10_000 },
        }
    }

    fn merge(&mut self, policy: &Map<String, Value>) {
        let text = |key: &str| policy.get(key).and_then(Value::as_str).map(str::to_string);
        let flag = |of: Option<&Value>| of.and_then(Value::as_bool);
        if let Some(state) = text("state") {
            self.is_online = state == "ONLINE";
        }
        self.autoneg = flag(policy.get("autoneg")).unwrap_or(self.autoneg);
        self.speed = text("speed").unwrap_or_else(|| std::mem::take(&mut self.speed));
        self.loopback = text("loopback").unwrap_or_else(|| std::mem::take(&mut self.loopback));
        self.precode = text("precode").unwrap_or_else(|| std::mem::take(&mut self.precode));
        self.qos = text("qosProfile").unwrap_or_else(|| std::mem::take(&mut self.qos));
        if let Some(flow) = policy.get("flowControl") {
            let (rx, tx) = self.flow_control;
            self.flow_control =
                (flag(flow.get("rx")).unwrap_or(rx), flag(flow.get("tx")).unwrap_or(tx));
        }
        if let Some(retry) = policy.get("autoRetry") {
            let number = |key: &str| retry.get(key).and_then(Value::as_f64);
            let own = &mut self.retry;
            own.enabled = flag(retry.get("enabled")).unwrap_or(own.enabled);
            own.always = flag(retry.get("always")).unwrap_or(own.always);
            own.num_retries = number("num_retries").map_or(own.num_retries, |n| n as u32);
            own.duration_ms = number("duration_sec").map_or(own.duration_ms, |s| (s * 1e3) as u32);
        }
    }

    /// Whether two ports are configured for the same signal. The fields that must agree are those
    /// of shs-docs (autonegotiation, speed) and an `[estimate]` for the others. The QoS profile is
    /// none: `sat swap switch` gives the ports of one end their first policy only, and the links
    /// come up.
    pub fn agrees(&self, other: &PortConfig) -> bool {
        let signal =
            |c: &PortConfig| (c.autoneg, c.speed.clone(), c.flow_control, c.precode.clone());
        signal(self) == signal(other)
    }

    /// Whether the configurations of two ports bring up their link.
    pub fn joins(&self, other: &PortConfig) -> Configured {
        if !self.carries() || !other.carries() {
            Configured::Offline
        } else if self.agrees(other) && self.lanes.is_some() {
            Configured::Up
        } else {
            Configured::Mismatch
        }
    }

    /// The same for a port and a NIC, which negotiates at the rate of the machine's links.
    pub fn joins_nic(&self, speed: &str) -> Configured {
        if !self.carries() {
            Configured::Offline
        } else if self.autoneg && self.speed == speed {
            Configured::Up
        } else {
            Configured::Mismatch
        }
    }

    fn carries(&self) -> bool {
        self.is_online && self.loopback == "NONE"
    }

    pub fn document(&self) -> Value {
        json!({
            "state": if self.is_online { "ONLINE" } else { "OFFLINE" },
            "autoneg": self.autoneg,
            "speed": self.speed,
            "flowControl": { "rx": self.flow_control.0, "tx": self.flow_control.1 },
            "loopback": self.loopback,
            "precode": self.precode,
            "qosProfile": self.qos,
            "autoRetry": {
                "enabled": self.retry.enabled,
                "always": self.retry.always,
                "num_retries": self.retry.num_retries,
                "duration_sec": f64::from(self.retry.duration_ms) * 1e-3,
            },
        })
    }
}

/// Policies, lists of them, and configurations.
#[derive(Clone, Debug)]
pub struct Policies {
    documents: BTreeMap<String, Map<String, Value>>,
    lists: Vec<Vec<String>>,
    list_ids: BTreeMap<Vec<String>, ListId>,
    /// The configuration that each list gives now.
    of_list: Vec<ConfigId>,
    configs: Vec<PortConfig>,
    config_ids: BTreeMap<PortConfig, ConfigId>,
    /// Speed of the machine's links.
    pub speed: String,
}

/// Name of the QoS profile that new fabrics have (Aurora's; shs-cxi-driver, cxi_qos_profiles.c).
pub const DEFAULT_QOS: &str = "ll_be_bd_et";

impl Policies {
    /// The policies that guides and clients name, for links of this rate.
    pub fn published(gbit_s: u64) -> Policies {
        let mut policies = Policies {
            documents: BTreeMap::new(),
            lists: Vec::new(),
            list_ids: BTreeMap::new(),
            of_list: Vec::new(),
            configs: Vec::new(),
            config_ids: BTreeMap::new(),
            speed: format!("BS_{gbit_s}G"),
        };
        let retry = json!({"enabled": true, "always": true, "num_retries": 3, "duration_sec": 10});
        let base = json!({
            "state": "ONLINE",
            "autoneg": true,
            "speed": policies.speed,
            "flowControl": { "rx": true, "tx": true },
            "loopback": "NONE",
            "mac": "ALGORITHMIC",
            "precode": "AUTO",
            "autoRetry": retry,
            "headShellReset": retry,
        });
        let edge = json!({
            "allowedVlans": [],
            "nativeVlanId": "/fabric/vlans/1",
            "isUntaggedAllowed": true,
        });
        let Value::Object(base) = base else { unreachable!("an object literal") };
        let Value::Object(edge) = edge else { unreachable!("an object literal") };
        for name in ["fabric-policy", "edge-policy", "cassini-policy"] {
            let mut policy = base.clone();
            if name != "fabric-policy" {
                policy.extend(edge.clone());
            }
            policies.set(name, policy);
        }
        for profile in QOS_PROFILES {
            for part in ["fabric", "cassini"] {
                let policy = Map::from_iter([("qosProfile".to_string(), json!(profile))]);
                policies.set(&format!("qos-{profile}-{part}-policy"), policy);
            }
        }
        policies
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.documents.keys().map(String::as_str)
    }

    pub fn get(&self, name: &str) -> Option<&Map<String, Value>> {
        self.documents.get(name)
    }

    /// Adds or replaces a policy. Returns the lists whose configuration changes.
    pub fn set(&mut self, name: &str, policy: Map<String, Value>) -> Vec<ListId> {
        self.documents.insert(name.to_string(), policy);
        let mut changed = Vec::new();
        for list in 0..self.lists.len() {
            if !self.lists[list].iter().any(|own| own == name) {
                continue;
            }
            let config = self.merged(list);
            if self.of_list[list] != config {
                self.of_list[list] = config;
                changed.push(ListId(list as u32));
            }
        }
        changed
    }

    /// Removes a policy that no port has.
    pub fn remove(&mut self, name: &str) {
        self.documents.remove(name);
    }

    /// The lists that contain a policy.
    pub fn lists_with(&self, name: &str) -> Vec<ListId> {
        let of = |(_, list): &(usize, &Vec<String>)| list.iter().any(|own| own == name);
        self.lists.iter().enumerate().filter(of).map(|(at, _)| ListId(at as u32)).collect()
    }

    /// A list of existing policies.
    pub fn list(&mut self, names: &[String]) -> ListId {
        if let Some(&list) = self.list_ids.get(names) {
            return list;
        }
        let list = ListId(self.lists.len() as u32);
        self.list_ids.insert(names.to_vec(), list);
        self.lists.push(names.to_vec());
        let config = self.merged(list.0 as usize);
        self.of_list.push(config);
        list
    }

    pub fn names_of(&self, list: ListId) -> &[String] {
        &self.lists[list.0 as usize]
    }

    pub fn config_of(&self, list: ListId) -> ConfigId {
        self.of_list[list.0 as usize]
    }

    pub fn config(&self, config: ConfigId) -> &PortConfig {
        &self.configs[config.0 as usize]
    }

    /// The configuration of a port that no agent has configured.
    pub fn unset(&mut self) -> ConfigId {
        let unset = PortConfig::unset(&self.speed);
        self.intern(unset)
    }

    fn merged(&mut self, list: usize) -> ConfigId {
        let mut config = PortConfig::unset(&self.speed);
        for name in &self.lists[list] {
            if let Some(policy) = self.documents.get(name) {
                config.merge(policy);
            }
        }
        config.lanes = lanes_of(&config.speed, &self.speed);
        self.intern(config)
    }

    fn intern(&mut self, config: PortConfig) -> ConfigId {
        if let Some(&id) = self.config_ids.get(&config) {
            return id;
        }
        let id = ConfigId(self.configs.len() as u32);
        self.config_ids.insert(config.clone(), id);
        self.configs.push(config);
        id
    }
}

/// Profiles whose policies exist from the start. The first two are published
/// (cxi_qos_profiles.c); the third stands for the variant of `LL_BE_BD_ET`.
pub const QOS_PROFILES: [&str; 3] = ["ll_be_bd_et", "hpc", "ll_be_bd_et1"];
