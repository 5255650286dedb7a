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

/// Virtual networks of the jobs, in their order, and of the machine's file systems.
#[derive(Default)]
pub(super) struct Vnets {
    pub jobs: Vec<u8>,
    pub storage: Vec<u8>,
}

/// Assigns a virtual network to every requested class. Without calls on files (`uses_files`) no
/// class is requested for file systems.
pub(super) fn of(
    common: &Common,
    jobs: &[RequestedClass<'_>],
    uses_files: bool,
    machine: &mut Machine,
) -> Result<Vnets, Vec<InputError>> {
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
        all.extend((b.load > 0.0 || b.rate.is_some()).then_some(class));
    }
    let storage = match uses_files {
        true => storage(common, machine).map_err(|error| input_errors.push(error)),
        false => Ok(Vec::new()),
    };
    let (Ok(storage), true) = (storage, input_errors.is_empty()) else { return Err(input_errors) };
    all.extend(storage.iter().flatten());
    machine.use_classes(&all).map_err(|input_error| vec![input_error])?;
    if machine.classes.is_shared() && common.fidelity == "loggp" {
        let expected =
            "`packet` or `flow` with traffic classes: in closed form links are not shared";
        return Err(vec![InputError::new("fidelity", &common.fidelity, expected)]);
    }
    let vnet = |class| machine.classes.vnet(class).expect("it is used");
    // A file system without a class of its own, or that is not called, has the first one.
    let mut storage: Vec<u8> = storage.into_iter().map(|class| class.map_or(0, vnet)).collect();
    storage.resize(machine.file_systems.len(), 0);
    Ok(Vnets { jobs: own.into_iter().map(vnet).collect(), storage })
}

/// The class of each file system: that of the request, or of the machine file, or best effort. In
/// closed form classes change nothing, so there only requested ones count.
fn storage(common: &Common, machine: &Machine) -> Result<Vec<Option<usize>>, InputError> {
    let find = |word| machine.classes.find("storage_class", word);
    let requested = common.storage_class.as_deref().map(|word| find(Some(word))).transpose()?;
    let usual = match common.fidelity.as_str() {
        "loggp" => None,
        _ => Some(find(None)?),
    };
    let systems = machine.file_systems.iter();
    Ok(systems.map(|system| requested.or(system.class).or(usual)).collect())
}
