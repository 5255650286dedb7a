//! The engines of packet networks: which one is requested, and which one simulated a run.

/// How the packet network is simulated: event by event in the order of time, or one switch at a
/// time in windows (docs/models/window-engine.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineChoice {
    /// The faster one, where both are possible.
    #[default]
    Auto,
    Event,
    Window,
}

impl EngineChoice {
    pub const ALL: [EngineChoice; 3] =
        [EngineChoice::Auto, EngineChoice::Event, EngineChoice::Window];

    /// The choice with this name.
    pub fn from_name(name: &str) -> Option<EngineChoice> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }

    /// The name in the user interface.
    pub fn name(self) -> &'static str {
        match self {
            EngineChoice::Auto => "auto",
            EngineChoice::Event => "event",
            EngineChoice::Window => "window",
        }
    }
}

/// The engine of a run of jobs, or its two engines, and the reason for the last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineUse {
    /// Whether the run ended with the window engine.
    pub uses_windows: bool,
    /// Whether it changed from the window engine to the event engine.
    pub has_changed: bool,
    pub reason: &'static str,
}

impl Default for EngineUse {
    fn default() -> EngineUse {
        EngineUse { uses_windows: false, has_changed: false, reason: "it was selected" }
    }
}

impl EngineUse {
    /// The name in the user interface.
    pub fn name(self) -> &'static str {
        match (self.uses_windows, self.has_changed) {
            (false, false) => "event",
            (true, _) => "window",
            (false, true) => "window, then event",
        }
    }
}
