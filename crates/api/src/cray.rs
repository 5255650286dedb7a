//! Cray MPICH's variables for rank reordering and NIC selection. Source: [CRAY] intro_mpi(3).

use super::{Common, HonoredEnv, RulesRequest};
use machine::{InputError, NicPolicy, Reorder};

const METHOD: &str = "MPICH_RANK_REORDER_METHOD";
const POLICY: &str = "MPICH_OFI_NIC_POLICY";
const MAPPING: &str = "MPICH_OFI_NIC_MAPPING";

/// Applies the variables where the request leaves a choice, and notes those without effect. `order`
/// is the rank order file.
pub(super) fn apply_variables(
    common: &mut Common,
    honored_env: HonoredEnv<'_>,
    ranks: u32,
    order: Option<&RulesRequest>,
) -> Result<Vec<String>, Vec<InputError>> {
    let mut input_errors = Vec::new();
    let mut notes = Vec::new();
    match reorder(honored_env, ranks, order) {
        Ok(order) => common.reorder = order,
        Err(more) => input_errors.extend(more),
    }
    if common.nic_policy.is_none() {
        match nic_policy(honored_env) {
            Ok(policy) => common.nic_policy = policy,
            Err(input_error) => input_errors.push(input_error),
        }
        let is_user = |word: &str| word.trim().eq_ignore_ascii_case("user");
        if honored_env.get(MAPPING).is_some() && !honored_env.get(POLICY).is_some_and(is_user) {
            notes.push(format!("{MAPPING} has no effect without {POLICY}=USER"));
        }
    }
    if input_errors.is_empty() { Ok(notes) } else { Err(input_errors) }
}

/// Attributes errors about NICs to the variable that set the policy.
pub(super) fn of_variable(input_error: InputError, honored_env: HonoredEnv<'_>) -> InputError {
    match input_error.at.as_str() {
        "nic_policy" => {
            let found = honored_env.get(MAPPING).unwrap_or_default().into();
            InputError { at: format!("env.{MAPPING}"), found, ..input_error }
        }
        _ => input_error,
    }
}

fn reorder(
    honored_env: HonoredEnv<'_>,
    ranks: u32,
    order: Option<&RulesRequest>,
) -> Result<Option<Reorder>, Vec<InputError>> {
    let Some(method) = honored_env.get(METHOD) else { return Ok(None) };
    let wrong = |expected: &str| vec![InputError::new(format!("env.{METHOD}"), method, expected)];
    Ok(Some(match method.trim() {
        "0" => Reorder::RoundRobin,
        "1" => Reorder::Smp,
        "2" => Reorder::Folded,
        "3" => match order {
            Some(file) => Reorder::from_list(&file.name, &file.text, ranks)?,
            None => return Err(wrong("0, 1 or 2 without a rank order file")),
        },
        _ => return Err(wrong("0 (round-robin), 1 (SMP), 2 (folded) or 3 (from a file)")),
    }))
}

/// The policy's name, with the mapping that the user gives, if any.
fn nic_policy(honored_env: HonoredEnv<'_>) -> Result<Option<String>, InputError> {
    let Some(word) = honored_env.get(POLICY).map(str::trim) else { return Ok(None) };
    let (at, word) = match (word.eq_ignore_ascii_case("user"), honored_env.get(MAPPING)) {
        (true, Some(mapping)) => (MAPPING, format!("user:{mapping}")),
        (true, None) => {
            let others = NicPolicy::NAMES.join(", ");
            let expected = format!("`{MAPPING}` beside it, such as `0:0-3; 1:4-7`, or {others}");
            return Err(InputError::new(format!("env.{POLICY}"), word, expected));
        }
        (false, _) => (POLICY, word.to_string()),
    };
    match NicPolicy::from_name(&word) {
        Ok(_) => Ok(Some(word)),
        Err(input_error) => Err(InputError { at: format!("env.{at}"), ..input_error }),
    }
}
