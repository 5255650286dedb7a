//! Paths of the workspace: its root, its build directory, its files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The project's root: the directory above this crate's.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a directory of the root")
}

/// The cargo that runs this program, or the one on the path.
pub fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Cargo's build directory: `CARGO_TARGET_DIR`, else `target`.
pub fn target() -> PathBuf {
    let named = env::var_os("CARGO_TARGET_DIR").filter(|d| !d.is_empty());
    root().join(named.unwrap_or_else(|| "target".into()))
}

/// The project's files as paths from the root with `/`, sorted: those that git tracks or would
/// track.
///
/// Without git (an unpacked archive), every file outside directories of build products.
pub fn files() -> Vec<String> {
    let git = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    let mut files: Vec<String> = match git {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout)
            .split('\0')
            .filter(|f| !f.is_empty())
            .map(str::to_string)
            .collect(),
        _ => {
            let mut found = Vec::new();
            walk(root(), "", &mut found);
            found
        }
    };
    files.retain(|f| root().join(f).is_file());
    files.sort();
    files.dedup();
    files
}

fn walk(dir: &Path, prefix: &str, found: &mut Vec<String>) {
    let products = ["target", ".venv", ".git", "out", "dist", "_lib", "_include", "__pycache__"];
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            if !products.contains(&name.as_str()) {
                walk(&entry.path(), &format!("{path}/"), found);
            }
        } else if !name.contains(".so") {
            found.push(path);
        }
    }
}
