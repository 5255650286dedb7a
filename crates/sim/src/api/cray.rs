//! Where Cray MPICH's variables seat a program's ranks: which task becomes which rank, and which of
//! its node's NICs it has. Source: [CRAY] intro_mpi(3).

use super::{Common, Heard, RulesRequest};
use machine::{Complaint, NicPolicy, Reorder};

const METHOD: &str = "MPICH_RANK_REORDER_METHOD";
const POLICY: &str = "MPICH_OFI_NIC_POLICY";
const MAPPING: &str = "MPICH_OFI_NIC_MAPPING";

/// Lets the variables decide what the request leaves open, and notes those without effect. `order`
/// is the file with the order of ranks.
pub(super) fn seat(
    common: &mut Common,
    heard: Heard<'_>,
    ranks: u32,
    order: Option<&RulesRequest>,
) -> Result<Vec<String>, Vec<Complaint>> {
    let mut complaints = Vec::new();
    let mut notes = Vec::new();
    match reorder(heard, ranks, order) {
        Ok(order) => common.reorder = order,
        Err(more) => complaints.extend(more),
    }
    if common.nic_policy.is_none() {
        match nic_policy(heard) {
            Ok(policy) => common.nic_policy = policy,
            Err(complaint) => complaints.push(complaint),
        }
        let is_user = |word: &str| word.trim().eq_ignore_ascii_case("user");
        if heard.get(MAPPING).is_some() && !heard.get(POLICY).is_some_and(is_user) {
            notes.push(format!("{MAPPING} has no effect without {POLICY}=USER"));
        }
    }
    if complaints.is_empty() { Ok(notes) } else { Err(complaints) }
}

/// Complaints about NICs are about the variable that the policy is from.
pub(super) fn of_variable(complaint: Complaint, heard: Heard<'_>) -> Complaint {
    match complaint.at.as_str() {
        "nic_policy" => {
            let found = heard.get(MAPPING).unwrap_or_default().into();
            Complaint { at: format!("env.{MAPPING}"), found, ..complaint }
        }
        _ => complaint,
    }
}

fn reorder(
    heard: Heard<'_>,
    ranks: u32,
    order: Option<&RulesRequest>,
) -> Result<Option<Reorder>, Vec<Complaint>> {
    let Some(method) = heard.get(METHOD) else { return Ok(None) };
    let wrong = |wanted: &str| vec![Complaint::new(format!("env.{METHOD}"), method, wanted)];
    Ok(Some(match method.trim() {
        "0" => Reorder::RoundRobin,
        "1" => Reorder::Smp,
        "2" => Reorder::Folded,
        "3" => match order {
            Some(file) => Reorder::listed(&file.name, &file.text, ranks)?,
            None => return Err(wrong("0, 1 or 2 where there is no file of an order of ranks")),
        },
        _ => return Err(wrong("0 (round-robin), 1 (SMP), 2 (folded) or 3 (from a file)")),
    }))
}

/// The policy's word, with the mapping behind it if the user gives one.
fn nic_policy(heard: Heard<'_>) -> Result<Option<String>, Complaint> {
    let Some(word) = heard.get(POLICY).map(str::trim) else { return Ok(None) };
    let (at, word) = match (word.eq_ignore_ascii_case("user"), heard.get(MAPPING)) {
        (true, Some(mapping)) => (MAPPING, format!("user:{mapping}")),
        (true, None) => {
            let others = NicPolicy::NAMES.join(", ");
            let wanted = format!("`{MAPPING}` beside it, such as `0:0-3; 1:4-7`, or {others}");
            return Err(Complaint::new(format!("env.{POLICY}"), word, wanted));
        }
        (false, _) => (POLICY, word.to_string()),
    };
    match NicPolicy::from_word(&word) {
        Ok(_) => Ok(Some(word)),
        Err(complaint) => Err(Complaint { at: format!("env.{at}"), ..complaint }),
    }
}
