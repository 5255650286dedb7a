//! Environment variables of batch systems and launchers, for wrapper scripts that bind devices and
//! for programs that read their rank before they call MPI.

use crate::files::JobFiles;
use crate::launch::{LaunchSpec, Launcher};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use workload::wire;

/// Prefixes of the variables of batch systems and launchers. A launcher that started odonata may
/// have set some, which do not describe the ranks. (Slurm: srun(1), OUTPUT ENVIRONMENT VARIABLES;
/// PBS: qsub(1B), ENVIRONMENT VARIABLES; Open MPI: "Environment variables set for MPI
/// applications"; the rest are read by wrapper scripts in use.)
const FAMILIES: [&str; 9] = [
    "PMI_",
    "PMIX_",
    "PALS_",
    "PBS_",
    "SLURM_",
    "SLURMD_",
    "OMPI_COMM_WORLD_",
    "MPI_LOCAL",
    "ALPS_",
];

/// The job's id. The first job inherits it if odonata itself runs under Slurm.
const JOB_IDS: [&str; 2] = ["SLURM_JOB_ID", "SLURM_JOBID"];
/// Number of the first job: seven digits, like on large machines.
const FIRST_JOB: u32 = 1_000_001;
/// Longest list of nodes or ranks in a variable, in bytes: the kernel accepts strings of up to
/// 128 KiB (execve(2), MAX_ARG_STRLEN), and 64 ranks share a message of that length (`_warm.py`).
const LONGEST: usize = 100 << 10;
const LONGEST_OF_RANK: usize = 1 << 10;

type Variable = (&'static str, OsString);

/// Whether a variable of this process belongs to a launcher and must not be passed on.
pub(crate) fn is_launchers(key: &OsStr) -> bool {
    FAMILIES.iter().any(|family| key.as_bytes().starts_with(family.as_bytes()))
}

fn is_by_user(spec: &LaunchSpec, name: &str) -> bool {
    spec.env.iter().any(|(key, _)| key == name)
}

/// The variables that are equal on all ranks of the job, without those that the user has set.
pub(crate) fn of_job(spec: &LaunchSpec, files: &JobFiles) -> Vec<Variable> {
    let mut all: Vec<Variable> = Vec::new();
    let mut set = |name, value: OsString| all.push((name, value));
    // The submission directory, independent of the ranks' working directory.
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let program = spec.program.first().map(|p| PathBuf::from(p.clone()));
    let name = program.as_ref().and_then(|p| p.file_name()).unwrap_or(OsStr::new("job"));
    let number = FIRST_JOB + spec.job;
    match spec.launcher {
        Launcher::Pals => {
            set("PBS_JOBID", format!("{number}.{}-pbs", spec.machine).into());
            set("PBS_JOBNAME", name.into());
            set("PBS_ENVIRONMENT", "PBS_BATCH".into());
            set("PBS_O_WORKDIR", here.into());
            set("PBS_NODEFILE", files.nodes_path());
            set("PMIX_NAMESPACE", format!("{number}.{}-pbs.0", spec.machine).into());
            set("PALS_APID", format!("{number}.0").into());
        }
        Launcher::Slurm => {
            let id: OsString = JOB_IDS
                .iter()
                .find_map(std::env::var_os)
                .filter(|id| !id.is_empty() && spec.job == 0)
                .unwrap_or_else(|| number.to_string().into());
            let nodes: OsString = spec.nodes.to_string().into();
            let tasks: OsString = spec.ranks.to_string().into();
            let names = files.names();
            let list: OsString = folded(names).into();
            let per_node: OsString = repeated(files.counts()).into();
            let cores = repeated(&vec![spec.cores; names.len()]);
            for name in JOB_IDS {
                set(name, id.clone());
            }
            set("SLURM_JOB_NAME", name.into());
            set("SLURM_CLUSTER_NAME", spec.machine.clone().into());
            set("SLURM_SUBMIT_DIR", here.into());
            for name in ["SLURM_JOB_NUM_NODES", "SLURM_NNODES", "SLURM_STEP_NUM_NODES"] {
                set(name, nodes.clone());
            }
            for name in ["SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_NUM_TASKS"] {
                set(name, tasks.clone());
            }
            for name in ["SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURM_STEP_NODELIST"] {
                set(name, list.clone());
            }
            for name in ["SLURM_TASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"] {
                set(name, per_node.clone());
            }
            set("SLURM_JOB_CPUS_PER_NODE", cores.into());
            set("SLURM_CPUS_ON_NODE", spec.cores.to_string().into());
            set("SLURM_STEP_ID", "0".into());
            set("SLURM_STEPID", "0".into());
            // The launcher is on the job's first node, with that node's loopback address.
            set("SLURM_LAUNCH_NODE_IPADDR", "127.64.0.1".into());
            set("SLURM_SRUN_COMM_HOST", "127.64.0.1".into());
        }
    }
    all.retain(|(name, value)| !is_by_user(spec, name) && value.len() <= LONGEST);
    all.extend(files.variables());
    all
}

/// The variables of one rank, without those that the user has set for all ranks.
pub(crate) fn of_rank(spec: &LaunchSpec, files: &JobFiles, rank: u32) -> Vec<Variable> {
    let location = &spec.locations[rank as usize];
    let (local, on_node) = (location.local_rank, location.local_size);
    let mut all: Vec<(&str, String)> = Vec::new();
    let mut set = |name, value: &dyn std::fmt::Display| all.push((name, value.to_string()));
    set("PMI_RANK", &rank);
    set("PMI_SIZE", &spec.ranks);
    set("PMI_LOCAL_RANK", &local);
    set("PMI_LOCAL_SIZE", &on_node);
    match spec.launcher {
        Launcher::Pals => {
            set("PALS_RANKID", &rank);
            set("PALS_NODEID", &location.node);
            set("PALS_LOCAL_RANKID", &local);
            set("PALS_LOCAL_SIZE", &on_node);
            set("PMIX_RANK", &rank);
            set("PMIX_HOSTNAME", &location.node_name);
        }
        Launcher::Slurm => {
            set("SLURM_PROCID", &rank);
            set("SLURM_NODEID", &location.node);
            set("SLURM_LOCALID", &local);
            set("SLURMD_NODENAME", &location.node_name);
            set("SLURM_TOPOLOGY_ADDR", &location.node_name);
            set("SLURM_TOPOLOGY_ADDR_PATTERN", &"node");
            set("SLURM_GTIDS", &files.ranks_of(location.node));
        }
    }
    // Shells export the host's name. Conda's HOST is a compiler target instead.
    let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    for name in ["HOSTNAME", "HOST"] {
        let Some(value) = std::env::var_os(name) else { continue };
        if name == "HOSTNAME" || value == *own.trim_end() {
            set(name, &location.node_name);
        }
    }
    all.retain(|(name, value)| !is_by_user(spec, name) && value.len() <= LONGEST_OF_RANK);
    all.push((crate::files::ENV_NODE, location.node_name.clone()));
    all.push((wire::ENV_RANK, rank.to_string()));
    all.into_iter().map(|(name, value)| (name, value.into())).collect()
}

/// Node names in Slurm's form: neighbors that differ only in their last number are folded,
/// `nid[001000-001003,001007]`.
pub(crate) fn folded(names: &[String]) -> String {
    let parts = |name: &str| {
        let end = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        // Longer numbers are not parsed.
        let digits = &name[end..];
        let number = digits.parse::<u64>().ok().filter(|_| digits.len() < 18);
        number.map(|n| (name[..end].to_string(), n, digits.len()))
    };
    let mut text = String::new();
    let mut at = 0;
    while at < names.len() {
        if at > 0 {
            text.push(',');
        }
        let Some((stem, first, width)) = parts(&names[at]) else {
            text += &names[at];
            at += 1;
            continue;
        };
        let alike: Vec<u64> = names[at..]
            .iter()
            .map_while(|name| parts(name).filter(|p| (&p.0, p.2) == (&stem, width)).map(|p| p.1))
            .collect();
        if alike.len() == 1 {
            text += &names[at];
        } else {
            let runs = alike.chunk_by(|a, b| b.checked_sub(1) == Some(*a));
            let runs = runs.map(|run| match *run {
                [only] => format!("{only:0width$}"),
                [from, .., to] => format!("{from:0width$}-{to:0width$}"),
                [] => String::new(),
            });
            let _ = write!(text, "{stem}[{}]", runs.collect::<Vec<_>>().join(","));
        }
        debug_assert!(alike.first() == Some(&first));
        at += alike.len();
    }
    text
}

/// Counts per node in Slurm's form: `8(x2),5`.
pub(crate) fn repeated(counts: &[u32]) -> String {
    let runs = counts.chunk_by(|a, b| a == b).map(|run| match run.len() {
        1 => run[0].to_string(),
        n => format!("{}(x{n})", run[0]),
    });
    runs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_of(all: &[&str]) -> Vec<String> {
        all.iter().map(ToString::to_string).collect()
    }

    /// `scontrol show hostnames` expands the expected texts to the names. (`scontrol show hostlist`
    /// also folds numbers of different widths, `n[9-10,12]`.)
    #[test]
    fn node_lists_are_folded_and_counts_repeated() {
        for (names, folded_) in [
            (&["nid001000"][..], "nid001000"),
            (&["nid001000", "nid001001", "nid001002"], "nid[001000-001002]"),
            (&["n9", "n10", "n12"], "n9,n[10,12]"),
            (&["a1", "a2", "b2", "b4"], "a[1-2],b[2,4]"),
            (&["x4000c0s0b0n0", "x4000c0s1b0n0"], "x4000c0s0b0n0,x4000c0s1b0n0"),
            (&["login", "m-00001", "m-00003"], "login,m-[00001,00003]"),
            (&["m-00003", "m-00001", "m-00002"], "m-[00003,00001-00002]"),
            (&[], ""),
        ] {
            assert_eq!(folded(&names_of(names)), folded_);
        }
        for (counts, text) in
            [(&[8, 8, 5][..], "8(x2),5"), (&[2], "2"), (&[1, 2, 2, 1], "1,2(x2),1")]
        {
            assert_eq!(repeated(counts), text);
        }
    }
}
