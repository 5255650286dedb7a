//! The machine files shipped with odonata, in the format of users' files.

/// Names of the presets, in listing order.
pub const PRESETS: &[&str] = &[
    "aurora",
    "frontier",
    "lumi-g",
    "lumi-c",
    "perlmutter",
    "alps",
    "setonix",
    "polaris",
    "elbert",
    "spock",
    "piz-daint",
    "theta",
    "cascade-3k",
    "cascade-24k",
    "dragonfly-1056",
];

/// The machine file of a preset; `None` for another name.
pub fn preset(name: &str) -> Option<&'static str> {
    Some(match name {
        "aurora" => include_str!("../../../machines/aurora.toml"),
        "frontier" => include_str!("../../../machines/frontier.toml"),
        "lumi-g" => include_str!("../../../machines/lumi-g.toml"),
        "lumi-c" => include_str!("../../../machines/lumi-c.toml"),
        "perlmutter" => include_str!("../../../machines/perlmutter.toml"),
        "alps" => include_str!("../../../machines/alps.toml"),
        "setonix" => include_str!("../../../machines/setonix.toml"),
        "polaris" => include_str!("../../../machines/polaris.toml"),
        "elbert" => include_str!("../../../machines/elbert.toml"),
        "spock" => include_str!("../../../machines/spock.toml"),
        "piz-daint" => include_str!("../../../machines/piz-daint.toml"),
        "theta" => include_str!("../../../machines/theta.toml"),
        "cascade-3k" => include_str!("../../../machines/cascade-3k.toml"),
        "cascade-24k" => include_str!("../../../machines/cascade-24k.toml"),
        "dragonfly-1056" => include_str!("../../../machines/dragonfly-1056.toml"),
        _ => return None,
    })
}
