//! Mounts of the machine's file systems in a program's ranks, and what the ranks did with them.

use super::program::Program;
use live::{FileSystems, LiveOutcome, Mount, SystemFacts};
use machine::storage::lustre::LustreComponent;
use machine::storage::{FileSystem, Protocol};
use machine::{InputError, Machine, nearest};
use serde::Serialize;
use std::path::{Component, Path, PathBuf};
use workload::LayoutComponent;
use workload::file_request::MAX_MOUNTS;

/// `f_type` of `statfs`: LL_SUPER_MAGIC of Lustre, and FUSE_SUPER_MAGIC, as which DAOS is mounted.
const LUSTRE_MAGIC: u64 = 0x0bd0_0bd0;
const FUSE_MAGIC: u64 = 0x6573_5546;
/// `st_blksize`: LL_MAX_BLKSIZE_BITS of Lustre's client (llite_internal.h); the default chunk size
/// of DAOS, DFS_DEFAULT_CHUNK_SIZE.
const LUSTRE_TRANSFER: u64 = 4 << 20;
const DAOS_TRANSFER: u64 = 1 << 20;
/// Variable with the start of simulated time, in seconds since 1970 (`crates/clock`).
const EPOCH: &str = "ODONATA_EPOCH";

/// The mounts of a program's ranks: those of the machine and those that the user requests.
pub(super) fn mounts(program: &Program, machine: &Machine) -> Result<FileSystems, Vec<InputError>> {
    let Some(preload) = &program.io_library else {
        return match program.mounts.first() {
            None => Ok(FileSystems::default()),
            Some(_) => {
                let expected = "no mount: this installation has no libodonata_io.so";
                Err(vec![InputError::new("mount", "", expected)])
            }
        };
    };
    let mut errors = Vec::new();
    let mut mounts = Vec::new();
    for (number, system) in machine.file_systems.iter().enumerate() {
        for path in &system.mounts {
            mounts.push(Mount { file_system: number as u8, path: path.into() });
        }
    }
    for requested in &program.mounts {
        match requested_mount(requested, machine) {
            // The user's mount hides one of the machine at the same path.
            Ok(mount) => {
                mounts.retain(|other| other.path != mount.path);
                mounts.push(mount);
            }
            Err(error) => errors.push(error),
        }
    }
    for (i, mount) in mounts.iter().enumerate() {
        for other in &mounts[i + 1..] {
            let (path, above) = (mount.path.as_path(), other.path.as_path());
            if path.starts_with(above) || above.starts_with(path) {
                let expected = format!("no path above or below the mount {}", path.display());
                errors.push(InputError::new("mount", above.display().to_string(), expected));
            }
        }
    }
    if mounts.len() > MAX_MOUNTS {
        let expected = format!("at most {MAX_MOUNTS} mounts, with those of the machine");
        errors.push(InputError::new("mount", format!("{} mounts", mounts.len()), expected));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let epoch = program.env_texts().iter().rev().find(|(name, _)| name == EPOCH);
    let epoch_s: Option<i64> = epoch.and_then(|(_, value)| value.parse().ok());
    let facts =
        machine.file_systems.iter().enumerate().map(|(number, system)| facts(number, system));
    Ok(FileSystems {
        mounts,
        facts: facts.collect(),
        keep: program.keep.as_ref().map(|dir| PathBuf::from(dir.0.clone())),
        epoch_ns: epoch_s.map(|seconds| seconds.saturating_mul(1_000_000_000)),
        preload: preload.0.clone(),
        mpi_library: program.mpi_library.as_ref().map(|path| path.0.clone()).unwrap_or_default(),
    })
}

/// What programs read about a file system.
fn facts(number: usize, system: &FileSystem) -> SystemFacts {
    let file_system = number as u8;
    match &system.protocol {
        Protocol::Lustre(lustre) => SystemFacts {
            file_system,
            magic: LUSTRE_MAGIC,
            transfer_bytes: LUSTRE_TRANSFER,
            bytes: lustre.ost_capacity.saturating_mul(lustre.osts.into()),
            layout: lustre.layout.iter().map(component).collect(),
            osts: lustre.osts,
        },
        Protocol::Daos(daos) => {
            let (magic, transfer_bytes) = (FUSE_MAGIC, DAOS_TRANSFER);
            let engines = system.hosts.len() as u64 * u64::from(daos.engines);
            let scm = u64::from(daos.targets) * daos.scm_capacity;
            let bytes = engines * (scm + u64::from(daos.nvmes) * daos.nvme_capacity);
            SystemFacts { file_system, magic, transfer_bytes, bytes, ..SystemFacts::default() }
        }
    }
}

fn component(of: &LustreComponent) -> LayoutComponent {
    LayoutComponent {
        end: if of.end == u64::MAX { 0 } else { of.end },
        stripe_count: if of.on_mdt { 0 } else { of.stripes },
        stripe_size: of.stripe_size,
        pool: of.pool.clone(),
        on_mdt: of.on_mdt,
        ..LayoutComponent::default()
    }
}

/// `PATH=NAME`.
fn requested_mount(text: &str, machine: &Machine) -> Result<Mount, InputError> {
    let wrong = |expected: &str| InputError::new("mount", text, expected);
    let Some((path, name)) = text.rsplit_once('=') else {
        return Err(wrong("PATH=NAME, such as `/scratch=flare`"));
    };
    let normal: PathBuf = Path::new(path).components().collect();
    let is_plain = |c: Component| matches!(c, Component::RootDir | Component::Normal(_));
    if !normal.has_root() || normal.parent().is_none() || !normal.components().all(is_plain) {
        return Err(wrong("an absolute path below `/` and without `..`"));
    }
    if SYSTEM.iter().any(|own| normal.starts_with(own)) {
        return Err(wrong("a path outside of /dev, /proc and /sys, which stay real"));
    }
    let names = || machine.file_systems.iter().map(|system| system.name.as_str());
    match names().position(|known| known == name) {
        Some(number) => Ok(Mount { file_system: number as u8, path: normal }),
        None if machine.file_systems.is_empty() => {
            Err(wrong("no mount: the machine has no file system ([[storage]])"))
        }
        None => {
            let all: Vec<&str> = names().collect();
            Err(wrong(&format!("a file system of the machine after `=`: {}", all.join(", ")))
                .with_hint(nearest(name, names())))
        }
    }
}

/// Directories of the operating system, in which no file system may be mounted.
const SYSTEM: [&str; 3] = ["/dev", "/proc", "/sys"];

/// Calls on the files of one file system.
#[derive(Clone, Debug, Serialize)]
pub struct FileSystemRow {
    /// With several jobs: the job that made the calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    pub name: String,
    pub kind: &'static str,
    pub operations: u64,
    #[serde(rename = "bytes_read")]
    pub read: u64,
    #[serde(rename = "bytes_written")]
    pub written: u64,
    /// Sum over all calls, simulated.
    pub time_s: f64,
}

/// Rows of the file systems that the ranks used.
pub(super) fn rows(live: &LiveOutcome, machine: &Machine) -> Vec<FileSystemRow> {
    let row = |traffic: &live::FileTraffic| {
        let system = machine.file_systems.get(usize::from(traffic.file_system))?;
        Some(FileSystemRow {
            job: None,
            name: system.name.clone(),
            kind: system.protocol.name(),
            operations: traffic.calls,
            read: traffic.bytes_read,
            written: traffic.bytes_written,
            time_s: traffic.time.seconds(),
        })
    };
    live.file_traffic.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::MachineSpec;

    fn aurora() -> Machine {
        let text = machine::preset("aurora").expect("a preset");
        let spec = MachineSpec::parse("aurora", text, &[]).expect("legal");
        spec.resolve().expect("sound")
    }

    fn program(mounts: &[&str]) -> Program {
        let json = serde_json::json!({ "program": ["true"], "mounts": mounts, "io_library": "io" });
        serde_json::from_value(json).expect("a program")
    }

    #[test]
    fn a_mount_is_added_to_those_of_the_machine() {
        let machine = aurora();
        let found = mounts(&program(&["/scratch/=flare"]), &machine).expect("legal");
        let flare = machine.file_systems.iter().position(|s| s.name == "flare").expect("flare");
        let paths = |number: usize| {
            let own = found.mounts.iter().filter(move |m| usize::from(m.file_system) == number);
            own.map(|m| m.path.to_str().expect("text")).collect::<Vec<_>>()
        };
        assert_eq!(paths(flare), ["/lus/flare", "/scratch"]);
        // A path of the machine's own gets another file system.
        let found = mounts(&program(&["/daos=flare"]), &machine).expect("legal");
        let at = found.mounts.iter().find(|m| m.path == Path::new("/daos")).expect("mounted");
        assert_eq!(usize::from(at.file_system), flare);
    }

    #[test]
    fn impossible_mounts_are_input_errors() {
        for text in ["flare", "scratch=flare", "/=flare", "/a/../b=flare", "/proc/x=flare"] {
            let errors = mounts(&program(&[text]), &aurora()).expect_err(text);
            assert_eq!((errors.len(), errors[0].at.as_str()), (1, "mount"), "{text}");
        }
        let error = &mounts(&program(&["/scratch=flair"]), &aurora()).expect_err("no name")[0];
        assert_eq!(error.hint.as_deref(), Some("flare"));
        assert!(mounts(&program(&["/lus/flare/x=gecko"]), &aurora()).is_err());
        let both = program(&["/x=flare", "x=flare", "/y=none"]);
        assert_eq!(mounts(&both, &aurora()).expect_err("two errors").len(), 2);
    }
}
