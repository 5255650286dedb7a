//! Links the MPI library twice: `libmpi_abi.so.1` speaks the MPI-5 standard ABI, `libmpi.so.12`
//! speaks MPICH's. From a static library, because a `cdylib` exports only what Rust names, and
//! MPI's weak `MPI_*` aliases are assembler symbols. Beside them goes `libodonata_clock.so`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

struct Library {
    /// The name programs ask the loader for.
    soname: &'static str,
    /// The name the linker looks for.
    link: &'static str,
    features: &'static [&'static str],
}

const LIBRARIES: [Library; 2] = [
    Library { soname: "libmpi_abi.so.1", link: "libmpi_abi.so", features: &[] },
    Library { soname: "libmpi.so.12", link: "libmpi.so", features: &["mpich"] },
];

/// What answers the clocks a program reads behind MPI's back.
const CLOCK: &str = "libodonata_clock.so";

/// Everything but the interface stays inside, so that no symbol of the Rust runtime can meet
/// another one in the program.
const EXPORTS: &str = "{ global: MPI_*; PMPI_*; MPIR_Dup_fn; local: *; };\n";

/// Builds the libraries into `out_dir`, and copies `include/` beside it as `_include`.
pub fn build(out_dir: &Path) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.ancestors().find(|p| p.join("include/mpi.h").exists());
    let root = root.ok_or("no include/mpi.h above this package")?;
    // A target folder of their own: flags and features differ from the workspace's, and cargo would
    // build everything anew at every change between the two.
    let target = match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => root.join("target"),
    };
    let target = target.join("mpi-libraries");
    create(out_dir)?;
    for library in &LIBRARIES {
        let archive = compile(root, &target, library)?;
        link(&archive, &target, library, out_dir)?;
    }
    let built = cargo(root, &target, "clock", &[])?.join("libclock.so");
    // Not written over in place: a process may have it mapped.
    let (new, clock) = (out_dir.join("clock.new"), out_dir.join(CLOCK));
    fs::copy(&built, &new).map_err(|e| format!("{}: {e}", built.display()))?;
    fs::rename(&new, &clock).map_err(|e| format!("{}: {e}", clock.display()))?;
    let include = out_dir.parent().ok_or("the output folder has no parent")?.join("_include");
    create(&include)?;
    let (from, to) = (root.join("include/mpi.h"), include.join("mpi.h"));
    fs::copy(&from, &to).map_err(|e| format!("{} to {}: {e}", from.display(), to.display()))?;
    Ok(())
}

fn create(dir: &Path) -> Result<(), String> {
    fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))
}

fn compile(root: &Path, target: &Path, library: &Library) -> Result<PathBuf, String> {
    Ok(cargo(root, target, "mpiabi", library.features)?.join("libmpiabi.a"))
}

/// The folder that then holds the package's library.
fn cargo(root: &Path, target: &Path, package: &str, features: &[&str]) -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["build", "--quiet", "-p", package, "--lib"]);
    command.args(["--release", "--target-dir"]).arg(target);
    // A panic must never unwind into a C program; debug information would be stripped anyway.
    for setting in ["panic=\"abort\"", "debug=false", "strip=true"] {
        command.arg("--config").arg(format!("profile.release.{setting}"));
    }
    if !features.is_empty() {
        command.arg("--features").arg(features.join(","));
    }
    // Set while cargo itself runs tests; it would leak that run's package into this one.
    command.env_remove("CARGO_MANIFEST_DIR");
    run(&mut command)?;
    Ok(target.join("release"))
}

fn link(archive: &Path, target: &Path, library: &Library, out_dir: &Path) -> Result<(), String> {
    let script = target.join("exports.map");
    fs::write(&script, EXPORTS).map_err(|e| format!("{}: {e}", script.display()))?;
    let shared = out_dir.join(library.soname);
    let mut command = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command.arg("-shared").arg("-o").arg(&shared);
    command.arg("-Wl,--whole-archive").arg(archive).arg("-Wl,--no-whole-archive");
    command.arg(format!("-Wl,-soname,{}", library.soname));
    command.arg(format!("-Wl,--version-script={}", script.display()));
    command.args(["-Wl,--gc-sections", "-Wl,--strip-all", "-Wl,-z,relro,-z,now"]);
    command.args(["-lpthread", "-ldl", "-lm", "-lgcc_s"]);
    run(&mut command)?;
    let alias = out_dir.join(library.link);
    if alias.symlink_metadata().is_ok() {
        fs::remove_file(&alias).map_err(|e| format!("{}: {e}", alias.display()))?;
    }
    std::os::unix::fs::symlink(library.soname, &alias)
        .map_err(|e| format!("{}: {e}", alias.display()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr)))
}
