//! `--fidelity auto`: the cheapest fidelity whose error bars are within a tolerance. Rule and
//! limits: docs/models/error-bars.md.

use super::bars::Band;
use super::bench_data::{BenchRequest, BenchResult, CandidateRow};
use super::vocabulary::AUTO;
use super::{Common, Fidelity};
use machine::InputError;

/// Result of a benchmark with a tolerance.
pub(super) enum AutoOutcome {
    /// With the size that has the widest error bars.
    Accepted(Box<BenchResult>, Option<Bars>),
    TooWide(u64, Band),
    /// No replica is within the packet budget.
    NoBars(u64),
    /// One call exceeds the budget: the size, the budget, and its unit (messages or packets).
    TooLong(u64, u64, &'static str),
}

/// A size and its error bars.
pub(super) type Bars = (u64, Band);

/// The widest error bars of all sizes, or a size without any.
pub(super) fn widest(all: impl Iterator<Item = (u64, Option<Band>)>) -> Result<Bars, u64> {
    let mut most: Option<Bars> = None;
    for (bytes, band) in all {
        let band = band.filter(|band| band.band_low.is_some()).ok_or(bytes)?;
        if most.is_none_or(|(_, other)| band.reach() > other.reach()) {
            most = Some((bytes, band));
        }
    }
    most.ok_or(0)
}

/// The reason why such error bars are not within the tolerance, if they are not.
pub(super) fn beyond(tolerance: f64, widest: Result<Bars, u64>) -> Option<AutoOutcome> {
    match widest {
        Err(bytes) => Some(AutoOutcome::NoBars(bytes)),
        Ok((bytes, band)) => {
            (band.reach() > tolerance).then_some(AutoOutcome::TooWide(bytes, band))
        }
    }
}

/// An error if the tolerance is invalid, or given without fidelity `auto`.
pub(super) fn tolerance_error(request: &BenchRequest) -> Option<InputError> {
    let is_auto = request.common.fidelity == AUTO;
    let found = || request.tolerance.map_or("nothing".into(), |share| share.to_string());
    let expected = match request.tolerance {
        None if is_auto => "a share above 0 with `--fidelity auto`, such as `10%`",
        Some(share) if is_auto && !(share > 0.0 && share.is_finite()) => "a share above 0",
        Some(_) if !is_auto => "`--fidelity auto` with it: other fidelities are used as given",
        _ => return None,
    };
    Some(InputError::new("tolerance", found(), expected))
}

/// Tries the fidelities, the cheapest first. `run` runs a request at its fidelity.
pub(super) fn choose(
    request: &BenchRequest,
    tolerance: f64,
    run: &mut dyn FnMut(&BenchRequest) -> Result<AutoOutcome, Vec<InputError>>,
) -> Result<BenchResult, Vec<InputError>> {
    let wall_start = std::time::Instant::now();
    let mut candidates = Vec::new();
    for fidelity in [Fidelity::LogGp, Fidelity::Flow, Fidelity::Packet] {
        let mut common = Common { fidelity: fidelity.name().into(), ..request.common.clone() };
        if fidelity != Fidelity::Packet {
            common.engine = "auto".into();
        }
        let error_bars = fidelity != Fidelity::Packet;
        let attempt = BenchRequest { common, error_bars, ..request.clone() };
        let (bytes, band, why) = match run(&attempt) {
            Ok(AutoOutcome::Accepted(mut result, widest)) => {
                let why = match fidelity {
                    Fidelity::Packet => "the reference for the others".into(),
                    _ => format!("within {}", percent(tolerance)),
                };
                candidates.push(row(fidelity, true, widest, why));
                result.candidates = candidates;
                result.engine.wall_s = wall_start.elapsed().as_secs_f64();
                return Ok(*result);
            }
            Ok(AutoOutcome::TooWide(bytes, band)) => (bytes, Some(band), "too wide".to_string()),
            Ok(AutoOutcome::NoBars(bytes)) => {
                (bytes, None, "no replica is within the packet budget (--replica-packets)".into())
            }
            Ok(AutoOutcome::TooLong(bytes, most, what)) => {
                (bytes, None, format!("a call of more than {most} {what} (--messages)"))
            }
            Err(input_errors) => {
                // Another fidelity may support what this one does not; all other errors apply to
                // each.
                let (own, others): (Vec<_>, Vec<_>) =
                    input_errors.into_iter().partition(|input_error| input_error.at == "fidelity");
                if !others.is_empty() || fidelity == Fidelity::Packet {
                    return Err(if others.is_empty() { own } else { others });
                }
                candidates.push(row(
                    fidelity,
                    false,
                    None,
                    format!("expected {}", own[0].expected),
                ));
                continue;
            }
        };
        candidates.push(CandidateRow {
            bytes: Some(bytes),
            ..row(fidelity, false, band.map(|band| (bytes, band)), why)
        });
    }
    let text: Vec<String> = candidates.iter().map(CandidateRow::text).collect();
    let expected = format!(
        "more: {}. Larger replicas (--replica-packets) may narrow the bars",
        text.join("; ")
    );
    Err(vec![InputError::new("tolerance", percent(tolerance), expected)])
}

fn row(fidelity: Fidelity, is_chosen: bool, widest: Option<Bars>, why: String) -> CandidateRow {
    let (bytes, band) = widest.unzip();
    let band = band.unwrap_or_default();
    let (band_low, band_high) = (band.band_low, band.band_high);
    CandidateRow { fidelity, is_chosen, bytes, band_low, band_high, why }
}

impl CandidateRow {
    fn text(&self) -> String {
        let mut text = self.fidelity.name().to_string();
        if let Some(bytes) = self.bytes {
            text += &format!(" at {bytes} B");
        }
        if let (Some(low), Some(high)) = (self.band_low, self.band_high) {
            text += &format!(" {:+.1} to {:+.1} %", 100.0 * low, 100.0 * high);
        }
        format!("{text}, {}", self.why)
    }
}

fn percent(share: f64) -> String {
    format!("{} %", (1e6 * share).round() / 1e4)
}
