//! A program and its start options as requested by the Python package, and the files its ranks
//! opened. Words of the operating system need not be text.

use live::LiveOutcome;
use machine::{InputError, Machine};
use serde::{Deserialize, Deserializer, Serialize, de};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::OnceLock;
use workload::functions::function_name;

/// A word of the operating system: any bytes. JSON has only text, so requests and results encode
/// each byte as the character with that number (ISO 8859-1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word(pub OsString);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Word, D::Error> {
        let text = String::deserialize(from)?;
        let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
        let bytes = bytes.map_err(|_| de::Error::custom("a word with a character above 255"))?;
        Ok(Word(OsString::from_vec(bytes)))
    }
}

/// The encoding of a word in results.
pub(super) fn carried(word: &OsStr) -> String {
    word.as_bytes().iter().map(|&byte| char::from(byte)).collect()
}

/// A program and its start options.
#[derive(Clone, Debug, Deserialize)]
pub struct Program {
    pub program: Vec<Word>,
    /// The command that starts the interpreter from which the ranks are forked, if any.
    #[serde(default)]
    pub warm: Option<Vec<Word>>,
    #[serde(default)]
    pub env: Vec<(Word, Word)>,
    #[serde(default)]
    pub env_remove: Vec<Word>,
    #[serde(default)]
    pub wdir: Option<Word>,
    #[serde(default)]
    pub label: bool,
    /// Further mounts, `PATH=NAME` with the name of a file system of the machine.
    #[serde(default)]
    pub mounts: Vec<String>,
    /// The directory that keeps the contents of the file systems.
    #[serde(default)]
    pub keep: Option<Word>,
    /// The library that is preloaded for simulated file systems; none are mounted without it. And
    /// the MPI library that it loads in processes without MPI.
    #[serde(default)]
    pub io_library: Option<Word>,
    #[serde(default)]
    pub mpi_library: Option<Word>,
    /// The directory of the commands for file systems, which is the first of the ranks' PATH.
    #[serde(default)]
    pub storage_commands: Option<Word>,
    /// The Python that runs them.
    #[serde(default)]
    pub interpreter: Option<Word>,
    #[serde(default = "measured")]
    pub compute: Compute,
    #[serde(skip)]
    texts: OnceLock<Vec<(String, String)>>,
}

impl Program {
    /// The environment as text, for reading the library's variables; other bytes are replaced.
    pub fn env_texts(&self) -> &[(String, String)] {
        let text = |word: &Word| word.0.to_string_lossy().into_owned();
        let all = || self.env.iter().map(|(name, value)| (text(name), text(value))).collect();
        self.texts.get_or_init(all)
    }
}

/// Treatment of time between MPI calls.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Compute {
    /// `measured` or `none`.
    Named(String),
    /// Measured time multiplied by this factor.
    Factor(f64),
}

fn measured() -> Compute {
    Compute::Named("measured".into())
}

impl Compute {
    /// Factor on measured time; `None` if it is not charged.
    pub(super) fn factor(&self) -> Result<Option<f64>, InputError> {
        let found = match self {
            Compute::Named(name) if name == "none" => return Ok(None),
            Compute::Named(name) if name == "measured" => return Ok(Some(1.0)),
            Compute::Factor(f) if f.is_finite() && *f >= 0.0 => return Ok(Some(*f)),
            Compute::Named(word) => word.clone(),
            Compute::Factor(factor) => factor.to_string(),
        };
        Err(InputError::new("compute", found, "`measured`, `none` or a factor such as 0.5"))
    }
}

/// File operations of the ranks. No file system is simulated.
#[derive(Clone, Debug, Serialize)]
pub struct FilesRow {
    /// Files opened through MPI, and reads and writes of them.
    pub mpi_opens: u64,
    pub mpi_transfers: u64,
    /// Files opened by other means between `MPI_Init` and the end.
    pub opened_to_write: u64,
    pub opened_to_read: u64,
    /// Storage parameters of the machine file, for MPI-IO.
    #[serde(rename = "storage_B_per_s")]
    pub storage_bytes_per_s: f64,
    #[serde(rename = "storage_node_B_per_s")]
    pub storage_node_bytes_per_s: f64,
    pub storage_latency_s: f64,
    /// Paths of files from an earlier run that were overwritten, one character per byte.
    pub replaced: Vec<String>,
}

impl FilesRow {
    pub(super) fn of(live: &LiveOutcome, machine: &Machine) -> FilesRow {
        let (seen, storage) = (&live.files, &machine.local_storage);
        let calls = |counts: fn(&str) -> bool| {
            let all = live.ranks.iter().flat_map(|rank| &rank.functions);
            all.filter(|f| counts(function_name(f.function))).map(|f| f.calls).sum()
        };
        FilesRow {
            mpi_opens: calls(|name| name == "MPI_File_open"),
            mpi_transfers: calls(|name| {
                let what = name.strip_prefix("MPI_File_").unwrap_or("");
                let what = what.strip_prefix('i').unwrap_or(what);
                what.starts_with("read") || what.starts_with("write")
            }),
            opened_to_write: seen.written,
            opened_to_read: seen.read,
            storage_bytes_per_s: storage.gap.bytes_per_s(),
            storage_node_bytes_per_s: storage.node_gap.bytes_per_s(),
            storage_latency_s: storage.latency.seconds(),
            replaced: seen.replaced.iter().map(|path| carried(path)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_carry_every_byte() {
        let all: Vec<u8> = (1..=255).collect();
        let word = OsString::from_vec(all.clone());
        let json = serde_json::to_string(&carried(&word)).expect("text");
        let back: Word = serde_json::from_str(&json).expect("a word");
        assert_eq!(back.0.as_bytes(), all);
        assert!(serde_json::from_str::<Word>("\"\\u0100\"").is_err());
    }
}
