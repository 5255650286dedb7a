//! Tokens of the simulator, above those that ranks may use.

use workload::{Token, wire};

pub(crate) const PAUSE: Token = wire::TOKENS as Token;
pub(crate) const EXIT: Token = PAUSE + 1;
/// A file call of a process without MPI (`wire::FILE_TOKEN`).
pub(crate) const FILE_CALL: Token = PAUSE + 2;
pub(crate) const ALARMS: Token = 2 << 20;
/// Alarm numbers are reused cyclically; an alarm lasts no longer than a poll.
pub(crate) const ALARM_NUMBERS: Token = 1 << 20;
/// Tokens of sends, by `SendId`. A rank may reuse the token of a completed send before its message
/// is received, so the simulator gets a token that stays valid.
pub(crate) const SENDS: Token = 4 << 20;
