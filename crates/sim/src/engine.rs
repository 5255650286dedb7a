//! The engines of packet networks: which one is requested, and which one simulated a run.

/// Default of `Job::many_events` (docs/performance.md).
pub(crate) const MANY_EVENTS: u64 = 4_000;

/// Default of `Job::shared_events`: half of so many events take as long as waking a thread and
/// waiting for it [estimate].
pub(crate) const SHARED_EVENTS: u64 = 1_000;

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

/// The engine of a run of jobs, or its engines, and the reason for the last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineUse {
    /// Whether the run ended with the window engine.
    pub uses_windows: bool,
    /// Number of changes from one engine to the other.
    pub changes: u32,
    pub reason: &'static str,
}

/// The threads of a run of jobs that has several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadUse {
    pub requested: usize,
    /// The largest number that simulated packets at one time.
    pub used: usize,
    /// Why there were fewer than requested.
    pub reason: Option<&'static str>,
}

impl Default for EngineUse {
    fn default() -> EngineUse {
        EngineUse { uses_windows: false, changes: 0, reason: "it was selected" }
    }
}

impl EngineUse {
    /// The other engine simulates the run from now on.
    pub(crate) fn change(&mut self, reason: &'static str) {
        self.uses_windows = !self.uses_windows;
        self.changes = self.changes.saturating_add(1);
        self.reason = reason;
    }

    /// The name in the user interface.
    pub fn name(self) -> &'static str {
        match (self.uses_windows, self.changes) {
            (false, 0) => "event",
            (true, 0) => "window",
            (false, 1) => "window, then event",
            (true, 1) => "event, then window",
            _ => "event and window",
        }
    }
}
