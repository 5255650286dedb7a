//! Links the MPI library for two ABIs: `libmpi_abi.so.1` has the MPI-5 standard ABI, `libmpi.so.12`
//! MPICH's. `libmpifort.so.12` is the Fortran interface of the latter. They are linked from static
//! libraries, because a `cdylib` exports only what Rust names, and MPI's weak `MPI_*` aliases and
//! common blocks are assembler symbols. The preloaded libraries are built too.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

struct Library {
    /// The name in the dynamic section of programs.
    soname: &'static str,
    /// The name the linker looks for.
    link: &'static str,
    package: &'static str,
    features: &'static [&'static str],
    /// Exported symbols. All others are local, so that no symbol of the Rust runtime conflicts with
    /// one of the program.
    exports: &'static str,
    /// The library it calls: an earlier one of these.
    over: Option<&'static str>,
}

const C_NAMES: &str = "MPI_*; PMPI_*; MPIR_Dup_fn; odonata_*;";

const LIBRARIES: [Library; 3] = [
    Library {
        soname: "libmpi_abi.so.1",
        link: "libmpi_abi.so",
        package: "mpiabi",
        features: &[],
        exports: C_NAMES,
        over: None,
    },
    Library {
        soname: "libmpi.so.12",
        link: "libmpi.so",
        package: "mpiabi",
        features: &["mpich"],
        exports: C_NAMES,
        over: None,
    },
    Library {
        soname: "libmpifort.so.12",
        link: "libmpifort.so",
        package: "mpifort",
        features: &[],
        exports: "mpi_*; pmpi_*; pmpir_*; mpipriv*; mpifcmb*; odonata_*;",
        over: Some("libmpi.so.12"),
    },
];

/// Debian's names of MPICH's libraries: empty libraries that only need the ones above.
const OTHER_NAMES: [(&str, &str); 2] =
    [("libmpich.so.12", "libmpi.so.12"), ("libmpichfort.so.12", "libmpifort.so.12")];

/// Headers and modules, read by compilers.
const INCLUDED: [&str; 6] =
    ["mpi.h", "mpich/mpi.h", "mpif.h", "mpi.f90", "mpi_f08.f90", "mpi_f08ts.f90"];

/// Preloaded libraries, and their packages: they replace the C library's clocks and host names, and
/// its file functions below mounts.
const PRELOADED: [(&str, &str); 2] =
    [("libodonata_clock.so", "clock"), ("libodonata_io.so", "posix")];

/// Builds the libraries into `out_dir`, and copies `include/` beside it as `_include`.
pub fn build(out_dir: &Path) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.ancestors().find(|p| p.join("include/mpi.h").exists());
    let root = root.ok_or("no include/mpi.h above this package")?;
    // A separate target directory: flags and features differ from the workspace's, and cargo would
    // otherwise rebuild everything at each change between the two.
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
    for (name, is) in OTHER_NAMES {
        let mut command = compiler();
        command.arg("-shared").arg("-o").arg(out_dir.join(name)).arg(format!("-Wl,-soname,{name}"));
        command.arg("-nostdlib").arg("-Wl,--no-as-needed").arg(out_dir.join(is));
        run(command.arg("-Wl,-rpath,$ORIGIN"))?;
    }
    for (name, package) in PRELOADED {
        let built = cargo(root, &target, package, &[])?.join(format!("lib{package}.so"));
        // Replaced by a rename: a process may have the old file mapped.
        let (new, library) = (out_dir.join(format!("{package}.new")), out_dir.join(name));
        fs::copy(&built, &new).map_err(|e| format!("{}: {e}", built.display()))?;
        fs::rename(&new, &library).map_err(|e| format!("{}: {e}", library.display()))?;
    }
    let include = out_dir.parent().ok_or("the output folder has no parent")?.join("_include");
    create(&include.join("mpich"))?;
    for name in INCLUDED {
        let (from, to) = (root.join("include").join(name), include.join(name));
        fs::copy(&from, &to).map_err(|e| format!("{} to {}: {e}", from.display(), to.display()))?;
    }
    Ok(())
}

fn create(dir: &Path) -> Result<(), String> {
    fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))
}

fn compile(root: &Path, target: &Path, library: &Library) -> Result<PathBuf, String> {
    let built = cargo(root, target, library.package, library.features)?;
    Ok(built.join(format!("lib{}.a", library.package)))
}

/// Builds a package; returns the directory of its library.
fn cargo(root: &Path, target: &Path, package: &str, features: &[&str]) -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["build", "--quiet", "-p", package, "--lib"]);
    command.args(["--release", "--target-dir"]).arg(target);
    // A panic must never unwind into a C program.
    for setting in ["panic=\"abort\"", "strip=true"] {
        command.arg("--config").arg(format!("profile.release.{setting}"));
    }
    if !features.is_empty() {
        command.arg("--features").arg(features.join(","));
    }
    // Set while cargo runs tests: it names the package of that run.
    command.env_remove("CARGO_MANIFEST_DIR");
    run(&mut command)?;
    Ok(target.join("release"))
}

fn link(archive: &Path, target: &Path, library: &Library, out_dir: &Path) -> Result<(), String> {
    let script = target.join("exports.map");
    let exports = format!("{{ global: {} local: *; }};\n", library.exports);
    fs::write(&script, exports).map_err(|e| format!("{}: {e}", script.display()))?;
    let shared = out_dir.join(library.soname);
    let mut command = compiler();
    command.arg("-shared").arg("-o").arg(&shared);
    command.arg("-Wl,--whole-archive").arg(archive).arg("-Wl,--no-whole-archive");
    if let Some(below) = library.over {
        // Found in the same directory.
        command.arg(out_dir.join(below)).arg("-Wl,-rpath,$ORIGIN");
    }
    command.arg(format!("-Wl,-soname,{}", library.soname));
    command.arg(format!("-Wl,--version-script={}", script.display()));
    // Never unloaded: the library registers exit handlers.
    command.args(["-Wl,--gc-sections", "-Wl,--strip-all", "-Wl,-z,relro,-z,now,-z,nodelete"]);
    command.args(["-lpthread", "-ldl", "-lm", "-lgcc_s"]);
    run(&mut command)?;
    let alias = out_dir.join(library.link);
    if alias.symlink_metadata().is_ok() {
        fs::remove_file(&alias).map_err(|e| format!("{}: {e}", alias.display()))?;
    }
    std::os::unix::fs::symlink(library.soname, &alias)
        .map_err(|e| format!("{}: {e}", alias.display()))
}

fn compiler() -> Command {
    Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr)))
}
