//! The machine files that come with odonata: the same files a user would write.

/// Names of the presets, in the order they are listed.
pub const PRESETS: &[&str] = &["aurora", "dragonfly-1056"];

/// The machine file of a preset.
pub fn preset(name: &str) -> Option<&'static str> {
    Some(match name {
        "aurora" => include_str!("../../../machines/aurora.toml"),
        "dragonfly-1056" => include_str!("../../../machines/dragonfly-1056.toml"),
        _ => return None,
    })
}
