//! `cargo x`: the commands that build, check, test and package this project.
//!
//! `make` calls it. It knows cargo, Python's venv and the layers of the workspace, and nothing of
//! what is simulated.

mod cycles;
mod layers;
mod libs;
mod methods;
mod steps;
mod tidy;
mod tokens;
mod workspace;

use std::env;
use std::process::ExitCode;

const USAGE: &str = "\
cargo x COMMAND

  check   compile everything
  lint    formatting, clippy, layers, mechanical style rules
  tidy    layers, import cycles, methods per type, and the mechanical rules of STYLE.md
  cycles  print the import cycles between modules, with their dependencies
  prose [PATHS]    sentence length and banned words in PATHS, or findings of each file
  test    all checks: lint, Rust tests, Python tests, conformance
  conformance      third-party test suites and programs, compared with MPICH
  storm [WORLDS]   random machines, traffic and faults with all asserts; 10,000 by default
  fuzz [OPTIONS]   damaged inputs, in process and by the command; see fuzz/README.md
  sweeps [SEED]    sweeps of 200 points, killed repeatedly, locally and on a Dask cluster
  libs    build the MPI libraries and the clock into python/odonata/_lib
  py      local environment (.venv) with the Python package installed
  demo    py, then the demonstration
  docs    Rust's reference pages, into target/doc
  site    the documentation site, into target/site
  figures [NAMES]  draw the figures whose predictions have changed
  bench   the benchmarks
  wheel   a Python wheel for other machines, into dist/
";

fn main() -> ExitCode {
    let command = env::args().nth(1).unwrap_or_default();
    let rest: Vec<String> = env::args().skip(2).collect();
    let fine = match command.as_str() {
        "check" => steps::check(),
        "lint" => steps::lint(),
        "tidy" => tidy(),
        "cycles" => {
            cycles::print();
            true
        }
        "prose" => tidy::print_prose(&rest),
        "test" => steps::test(),
        "conformance" => steps::conformance(&rest),
        "storm" => steps::storm(&rest),
        "fuzz" => steps::fuzz(&rest),
        "sweeps" => steps::sweeps(&rest),
        "libs" => steps::libs(),
        "py" => steps::py(),
        "demo" => steps::demo(&rest),
        "docs" => steps::docs(),
        "site" => steps::site(),
        "figures" => steps::figures(&rest),
        "bench" => steps::bench(&rest),
        "wheel" => steps::wheel(),
        "" | "help" | "-h" | "--help" => {
            print!("{USAGE}");
            true
        }
        other => {
            eprint!("cargo x: no command `{other}`\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints every violation of the layers, of the modules, of the limit on methods, and of the
/// mechanical style rules.
fn tidy() -> bool {
    let layers = layers::violations(&layers::crates());
    let found = [layers, cycles::violations(), methods::violations(), tidy::violations()].concat();
    for line in &found {
        println!("{line}");
    }
    found.is_empty()
}
