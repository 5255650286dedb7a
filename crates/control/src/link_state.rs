//! The state machine of a link, as a pure function of its state, its conditions and an input.
//!
//! Does not know times: the caller schedules what an outcome requests. Sources: a flap keeps a link
//! down for 3 to 5 s (Aurora paper); ports whose policies differ stay down (shs-docs, port
//! configuration). `NoPeer`, `Faulty` and `Failed` are names of ours.

/// Lanes of a healthy link.
pub const LANES: u8 = machine::faults::LANES;

/// State of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Phase {
    /// A port has a policy that keeps it offline.
    Offline,
    /// The policies of the two ports differ.
    Mismatch,
    /// A switch at its ends has failed.
    NoPeer,
    /// Tuning fails because of a fault; it is retried.
    Faulty,
    /// The ends negotiate and adapt the signal.
    Tuning,
    Online,
    /// All retries are used up.
    Failed,
}

impl Phase {
    pub fn name(self) -> &'static str {
        match self {
            Phase::Offline => "OFFLINE",
            Phase::Mismatch => "MISMATCH",
            Phase::NoPeer => "NO_PEER",
            Phase::Faulty => "FAULTY",
            Phase::Tuning => "TUNING",
            Phase::Online => "ONLINE",
            Phase::Failed => "FAILED",
        }
    }
}

/// What the configurations of both ends request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Configured {
    Up,
    Offline,
    Mismatch,
}

/// What determines a link's state besides its past.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conditions {
    pub configured: Configured,
    /// The switches at its ends work.
    pub has_peers: bool,
    /// A fault prevents it from carrying a signal.
    pub is_faulty: bool,
    /// A failed attempt is followed by another one.
    pub retries: bool,
}

/// What happens to a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// A condition may have changed.
    Check,
    /// It loses its signal for an instant.
    Flap,
    /// The time of tuning is over.
    Tuned,
    /// The time until the next attempt is over.
    Retry,
    /// All attempts that the policy allows have failed.
    Exhausted,
    /// An operator resets the port.
    Reset,
}

/// What the caller has to schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Nothing,
    /// `Tuned` after the time of tuning.
    Tune,
    /// `Retry` at the time of the next attempt.
    AwaitRetry,
    /// `Exhausted` when the attempts of the policy are over, if it limits them.
    LimitRetries,
}

/// The next state, and what follows.
pub fn next(phase: Phase, conditions: Conditions, input: Input) -> (Phase, Outcome) {
    let Conditions { configured, has_peers, is_faulty, retries } = conditions;
    let failed = || match retries {
        true => (Phase::Faulty, Outcome::LimitRetries),
        false => (Phase::Failed, Outcome::Nothing),
    };
    match (configured, has_peers) {
        (_, false) => return (Phase::NoPeer, Outcome::Nothing),
        (Configured::Offline, _) => return (Phase::Offline, Outcome::Nothing),
        (Configured::Mismatch, _) => return (Phase::Mismatch, Outcome::Nothing),
        (Configured::Up, true) => {}
    }
    match (phase, input) {
        (_, Input::Reset) => (Phase::Tuning, Outcome::Tune),
        (Phase::Offline | Phase::Mismatch | Phase::NoPeer, _) => (Phase::Tuning, Outcome::Tune),
        (Phase::Online, _) if is_faulty => failed(),
        (Phase::Online, Input::Flap) => (Phase::Tuning, Outcome::Tune),
        (Phase::Tuning, Input::Flap) => (Phase::Tuning, Outcome::Tune),
        (Phase::Tuning, Input::Tuned) if is_faulty => failed(),
        (Phase::Tuning, Input::Tuned) => (Phase::Online, Outcome::Nothing),
        (Phase::Faulty, Input::Exhausted) => (Phase::Failed, Outcome::Nothing),
        (Phase::Faulty, Input::Retry) if !is_faulty => (Phase::Tuning, Outcome::Tune),
        (Phase::Faulty, Input::Check) if !is_faulty => (Phase::Faulty, Outcome::AwaitRetry),
        (same, _) => (same, Outcome::Nothing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Configured::{Mismatch, Offline, Up};

    const ALL: [Phase; 7] = [
        Phase::Offline,
        Phase::Mismatch,
        Phase::NoPeer,
        Phase::Faulty,
        Phase::Tuning,
        Phase::Online,
        Phase::Failed,
    ];
    const INPUTS: [Input; 6] =
        [Input::Check, Input::Flap, Input::Tuned, Input::Retry, Input::Exhausted, Input::Reset];

    fn conditions(configured: Configured, is_faulty: bool) -> Conditions {
        Conditions { configured, has_peers: true, is_faulty, retries: true }
    }

    /// The transitions of a link whose ends agree, without and with a fault.
    #[test]
    fn the_table_of_a_configured_link() {
        use Phase::{Failed, Faulty, Online, Tuning};
        for (phase, is_faulty, input, want) in [
            (Phase::Offline, false, Input::Check, (Tuning, Outcome::Tune)),
            (Phase::Mismatch, false, Input::Check, (Tuning, Outcome::Tune)),
            (Phase::NoPeer, true, Input::Check, (Tuning, Outcome::Tune)),
            (Tuning, false, Input::Check, (Tuning, Outcome::Nothing)),
            (Tuning, false, Input::Tuned, (Online, Outcome::Nothing)),
            (Tuning, true, Input::Check, (Tuning, Outcome::Nothing)),
            (Tuning, true, Input::Tuned, (Faulty, Outcome::LimitRetries)),
            (Online, false, Input::Check, (Online, Outcome::Nothing)),
            (Online, false, Input::Flap, (Tuning, Outcome::Tune)),
            (Online, false, Input::Reset, (Tuning, Outcome::Tune)),
            (Online, true, Input::Check, (Faulty, Outcome::LimitRetries)),
            (Faulty, true, Input::Check, (Faulty, Outcome::Nothing)),
            (Faulty, false, Input::Check, (Faulty, Outcome::AwaitRetry)),
            (Faulty, false, Input::Retry, (Tuning, Outcome::Tune)),
            (Faulty, true, Input::Retry, (Faulty, Outcome::Nothing)),
            (Faulty, true, Input::Exhausted, (Failed, Outcome::Nothing)),
            (Failed, false, Input::Check, (Failed, Outcome::Nothing)),
            (Failed, false, Input::Reset, (Tuning, Outcome::Tune)),
        ] {
            let got = next(phase, conditions(Up, is_faulty), input);
            assert_eq!(got, want, "{phase:?} {is_faulty} {input:?}");
        }
    }

    /// No input brings a link up while a switch is down, a port offline, or policies differ.
    #[test]
    fn configuration_and_switches_keep_a_link_down() {
        for phase in ALL {
            for input in INPUTS {
                for is_faulty in [false, true] {
                    let of = |configured| next(phase, conditions(configured, is_faulty), input).0;
                    assert_eq!(of(Offline), Phase::Offline);
                    assert_eq!(of(Mismatch), Phase::Mismatch);
                    let alone = Conditions { has_peers: false, ..conditions(Up, is_faulty) };
                    assert_eq!(next(phase, alone, input).0, Phase::NoPeer);
                }
            }
        }
    }

    /// A link goes online only at the end of tuning, and never with a fault.
    #[test]
    fn only_tuning_leads_online() {
        for phase in ALL.into_iter().filter(|&phase| phase != Phase::Online) {
            for input in INPUTS {
                let online = next(phase, conditions(Up, false), input).0 == Phase::Online;
                assert_eq!(online, phase == Phase::Tuning && input == Input::Tuned);
                assert_ne!(next(phase, conditions(Up, true), input).0, Phase::Online);
            }
        }
    }

    /// Without retries a failed attempt is final.
    #[test]
    fn a_policy_without_retries_fails_at_once() {
        let once = Conditions { retries: false, ..conditions(Up, true) };
        for (phase, input) in [(Phase::Online, Input::Check), (Phase::Tuning, Input::Tuned)] {
            assert_eq!(next(phase, once, input), (Phase::Failed, Outcome::Nothing));
        }
    }
}
