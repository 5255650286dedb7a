//! What a launcher tells each rank in its environment, for wrapper scripts that bind devices and
//! programs that ask who they are before they ask MPI.

use crate::LaunchSpec;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use workload::wire;

/// Whose variables the ranks see, beside those of PMI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launcher {
    /// HPE's `mpiexec`, as on Aurora.
    Pals,
    /// `srun`, as on Frontier and LUMI.
    Slurm,
}

/// Launchers' variables about one process or the shape of its job. Ours may itself have been
/// started by one: what it was told is not true of the ranks. (Slurm: srun(1), OUTPUT ENVIRONMENT
/// VARIABLES; Open MPI: "Environment variables set for MPI applications"; the rest as wrapper
/// scripts in use read them.)
const FAMILIES: [&str; 6] =
    ["PMI_", "PMIX_", "PALS_", "OMPI_COMM_WORLD_", "MPI_LOCAL", "SLURM_STEP_"];
const SINGLE: [&str; 10] = [
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_NTASKS",
    "SLURM_NPROCS",
    "SLURM_NNODES",
    "SLURM_JOB_NUM_NODES",
    "SLURM_TASKS_PER_NODE",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_GTIDS",
];

/// Whether a variable of our own environment is one of a launcher's that ranks must not see.
pub(crate) fn is_launchers(key: &OsStr) -> bool {
    SINGLE.iter().any(|name| key == *name)
        || FAMILIES.iter().any(|family| key.as_bytes().starts_with(family.as_bytes()))
}

/// What `rank` is told. A variable the user has set for all ranks is left to the user.
pub(crate) fn of_rank(spec: &LaunchSpec, rank: u32) -> Vec<(&'static str, OsString)> {
    let seat = &spec.seats[rank as usize];
    let (local, on_node) = (seat.local_rank, seat.local_size);
    let mut all = vec![
        ("PMI_RANK", rank),
        ("PMI_SIZE", spec.ranks),
        ("PMI_LOCAL_RANK", local),
        ("PMI_LOCAL_SIZE", on_node),
    ];
    all.extend(match spec.launcher {
        Launcher::Pals => vec![
            ("PALS_RANKID", rank),
            ("PALS_NODEID", seat.node),
            ("PALS_LOCAL_RANKID", local),
            ("PALS_LOCAL_SIZE", on_node),
        ],
        Launcher::Slurm => vec![
            ("SLURM_PROCID", rank),
            ("SLURM_NODEID", seat.node),
            ("SLURM_LOCALID", local),
            ("SLURM_NTASKS", spec.ranks),
            ("SLURM_NPROCS", spec.ranks),
            ("SLURM_NNODES", spec.nodes),
        ],
    });
    let by_user = |name: &str| spec.env.iter().any(|(key, _)| key == name);
    all.retain(|(name, _)| !by_user(name));
    all.push((wire::ENV_RANK, rank));
    all.into_iter().map(|(name, value)| (name, value.to_string().into())).collect()
}
