//! Port policies: documents that a port names, merged in order to its configuration.
//!
//! Does not know ports: it has lists of policy names, and the configuration that each list gives.
//! Both are interned, so a port holds two numbers, and a change of a policy costs one merge per
//! list.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::link_state::Configured;

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
    /// Receive, transmit.
    pub flow_control: (bool, bool),
    pub loopback: String,
    pub precode: String,
    pub qos: String,
    pub retry: RetryPolicy,
}

/// The fields of a port policy that have a meaning here, and what they accept.
const FIELDS: [(&str, Field); 13] = [
    ("state", Field::Word(&["ONLINE", "OFFLINE"])),
    ("autoneg", Field::Bool),
    ("speed", Field::Speed),
    ("flowControl", Field::Object),
    ("loopback", Field::Text),
    ("mac", Field::Text),
    ("precode", Field::Text),
    ("qosProfile", Field::Text),
    ("autoRetry", Field::Object),
    ("headShellReset", Field::Object),
    ("allowedVlans", Field::List),
    ("nativeVlanId", Field::Count),
    ("isUntaggedAllowed", Field::Bool),
];

#[derive(Clone, Copy)]
enum Field {
    Word(&'static [&'static str]),
    Bool,
    Speed,
    Text,
    Object,
    List,
    Count,
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
            Field::Object => (!value.is_object()).then(|| "an object".to_string()),
            Field::List => (!value.is_array()).then(|| "an array".to_string()),
            Field::Count => (value.as_u64().is_none()).then(|| "a whole number".to_string()),
        };
        expected.map(|expected| (name, expected))
    })
}

/// `BS_200G`.
fn is_speed(text: &str) -> bool {
    let digits = text.strip_prefix("BS_").and_then(|rest| rest.strip_suffix('G'));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

impl PortConfig {
    /// A port without policies is offline.
    fn unset(speed: &str) -> PortConfig {
        PortConfig {
            is_online: false,
            autoneg: true,
            speed: speed.to_string(),
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
            // A cast of a float saturates: any number of the user is legal.
            own.num_retries = number("num_retries").map_or(own.num_retries, |n| n as u32);
            own.duration_ms = number("duration_sec").map_or(own.duration_ms, |s| (s * 1e3) as u32);
        }
    }

    /// Whether the configurations of two ports bring up their link. The fields that must agree are
    /// those of shs-docs (autonegotiation, speed) and an `[estimate]` for the others.
    pub fn joins(&self, other: &PortConfig) -> Configured {
        let signal = |c: &PortConfig| {
            (c.autoneg, c.speed.clone(), c.flow_control, c.precode.clone(), c.qos.clone())
        };
        if !self.carries() || !other.carries() {
            Configured::Offline
        } else if signal(self) == signal(other) {
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
            "allowedVlans": [], "nativeVlanId": 1, "isUntaggedAllowed": true,
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
