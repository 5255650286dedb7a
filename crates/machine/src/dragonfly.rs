//! Dragonflies.

#[derive(Clone, Debug)]
pub struct Dragonfly {}
