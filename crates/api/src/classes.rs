//! The traffic classes of a request, and their virtual networks.

use super::{Common, HonoredEnv, background};
use machine::{InputError, Machine};

/// A requested class and its key; best effort if none is requested.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestedClass<'a> {
    pub at: &'a str,
    pub word: Option<&'a str>,
}

/// Variables that select a class, as in scripts on Slingshot systems: Cray MPICH's and the
/// provider's. Neither is in the available manual pages [estimate].
const VARIABLES: [&str; 2] = ["env.MPICH_OFI_DEFAULT_TCLASS", "env.FI_CXI_DEFAULT_TCLASS"];

impl<'a> RequestedClass<'a> {
    /// Requested explicitly, or else by the environment of a program.
    pub fn or_by_variable(
        class: Option<&'a str>,
        honored_env: HonoredEnv<'a>,
    ) -> RequestedClass<'a> {
        if class.is_some() {
            return RequestedClass { at: "class", word: class };
        }
        let set = |at: &'static str| {
            let value = honored_env.get(at.strip_prefix("env.")?)?;
            (!value.is_empty()).then_some(RequestedClass { at, word: Some(value) })
        };
        VARIABLES.into_iter().find_map(set).unwrap_or(RequestedClass { at: "class", word: None })
    }
}

/// Assigns a virtual network to every requested class; returns those of the jobs, in their order.
pub(super) fn of(
    common: &Common,
    jobs: &[RequestedClass<'_>],
    machine: &mut Machine,
) -> Result<Vec<u8>, Vec<InputError>> {
    let mut input_errors = Vec::new();
    let mut find = |nth: Option<usize>, RequestedClass { at, word }: RequestedClass<'_>| {
        machine.classes.find(at, word).unwrap_or_else(|input_error| {
            input_errors.push(match nth {
                Some(nth) => super::of_job(input_error, jobs.len(), nth),
                None => input_error,
            });
            0
        })
    };
    let own: Vec<usize> = jobs.iter().enumerate().map(|(i, &job)| find(Some(i), job)).collect();
    let mut all = own.clone();
    for (nth, b) in common.background.iter().enumerate() {
        let at = &background::at(common, nth);
        let class = find(None, RequestedClass { at, word: b.class.as_deref() });
        // A load of 0 changes nothing.
        all.extend((b.load > 0.0).then_some(class));
    }
    if !input_errors.is_empty() {
        return Err(input_errors);
    }
    machine.use_classes(&all).map_err(|input_error| vec![input_error])?;
    if machine.classes.is_shared() && common.fidelity == "loggp" {
        let expected =
            "`packet` or `flow` with traffic classes: in closed form links are not shared";
        return Err(vec![InputError::new("fidelity", &common.fidelity, expected)]);
    }
    let vnet = |class| machine.classes.vnet(class).expect("it is used");
    Ok(own.into_iter().map(vnet).collect())
}
