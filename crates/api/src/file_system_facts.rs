//! What the commands of job scripts (`lfs`, `daos`) have to know about the file systems of a run,
//! as a variable of the ranks' environment; and the directory of these commands.

use super::program::Program;
use live::FileSystems;
use machine::Machine;
use machine::storage::daos::{Checksums, DaosParams};
use machine::storage::lustre::LustreParams;
use machine::storage::{FileSystem, Protocol};
use serde_json::{Value, json};
use std::ffi::OsString;
use storage::daos::{PoolSize, default_chunk};

/// A list of file systems in JSON, read by `python/odonata/storage_commands/facts.py`.
const ENV_FACTS: &str = "ODONATA_FILE_SYSTEMS";
/// The Python that runs the commands (`python/odonata/_bin/storage.sh`).
const ENV_INTERPRETER: &str = "ODONATA_PYTHON";

/// Variables of the ranks; none without mounts.
pub(super) fn variables(
    program: &Program,
    machine: &Machine,
    systems: &FileSystems,
) -> Vec<(OsString, OsString)> {
    if systems.mounts.is_empty() {
        return Vec::new();
    }
    let mut all = vec![(ENV_FACTS.into(), facts(machine, systems).to_string().into())];
    if let Some(interpreter) = &program.interpreter {
        all.push((ENV_INTERPRETER.into(), interpreter.0.clone()));
    }
    if let Some(commands) = &program.storage_commands {
        let given = program.env.iter().rev().find(|(name, _)| name.0 == "PATH");
        let path = given.map(|(_, value)| value.0.clone()).or_else(|| std::env::var_os("PATH"));
        let mut value = commands.0.clone();
        if let Some(path) = path {
            value.push(":");
            value.push(path);
        }
        all.push(("PATH".into(), value));
    }
    all
}

fn facts(machine: &Machine, systems: &FileSystems) -> Value {
    let all = machine.file_systems.iter().enumerate();
    let mounted = all.filter_map(|(number, system)| {
        let own = systems.mounts.iter().filter(|mount| usize::from(mount.file_system) == number);
        let mounts: Vec<_> = own.map(|mount| mount.path.to_string_lossy()).collect();
        if mounts.is_empty() {
            return None;
        }
        let mut row = match &system.protocol {
            Protocol::Lustre(params) => lustre(params),
            Protocol::Daos(params) => daos(params, system),
        };
        row["number"] = number.into();
        row["name"] = system.name.as_str().into();
        row["kind"] = system.protocol.name().into();
        row["mounts"] = json!(mounts);
        Some(row)
    });
    mounted.collect()
}

/// The end of the last component is null, and the number of stripes -1 for one per OST, as in
/// `lfs`.
fn lustre(params: &LustreParams) -> Value {
    let layout = params.layout.iter().map(|component| {
        // -1 is all OSTs.
        let all = component.stripes == u32::MAX;
        let stripes = if all { -1 } else { i64::from(component.stripes) };
        json!({
            "end": (component.end != u64::MAX).then_some(component.end),
            "stripes": stripes,
            "stripe_size": component.stripe_size,
            "pool": component.pool,
            "on_mdt": component.on_mdt,
        })
    });
    let pools = params
        .pools
        .iter()
        .map(|pool| json!({ "name": pool.name, "first": pool.first, "osts": pool.osts }));
    json!({
        "mdts": params.mdts,
        "osts": params.osts,
        "ost_capacity": params.ost_capacity,
        "layout": layout.collect::<Value>(),
        "pools": pools.collect::<Value>(),
    })
}

/// `containers` has the defaults of a container by its redundancy factor; null if the pool has too
/// few servers for one.
fn daos(params: &DaosParams, system: &FileSystem) -> Value {
    let domains = system.hosts.len() as u32;
    let targets = system.data_targets();
    let containers = (0..=3).map(|redundancy_factor| {
        let pool = PoolSize { targets, domains, redundancy_factor };
        let file = pool.default_file_class()?;
        Some(json!({
            "file_class": file.name(),
            "directory_class": pool.default_directory_class().name(),
            "chunk_size": default_chunk(file.redundancy, params.cell_size),
        }))
    });
    json!({
        "servers": domains,
        "engines": params.engines,
        "targets": targets,
        "scm_capacity": u64::from(targets) * params.scm_capacity,
        "nvme_capacity": u64::from(domains * params.engines * params.nvmes) * params.nvme_capacity,
        "redundancy_factor": params.redundancy_factor,
        "file_class": params.file_class.map(|class| class.name()),
        "directory_class": params.directory_class.map(|class| class.name()),
        "chunk_size": params.chunk_size,
        "cell_size": params.cell_size,
        "checksums": match params.checksums {
            Checksums::Off => "off",
            Checksums::Client => "client",
            Checksums::ClientAndEngine => "client-and-engine",
        },
        "containers": containers.collect::<Vec<_>>(),
    })
}
