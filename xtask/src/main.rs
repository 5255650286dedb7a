//! `cargo x`: everything one does to this project, from checking it to showing it.
//!
//! `make` calls it; so may you. It knows cargo, Python's venv and the floor plan, and nothing of
//! what is simulated.

mod floors;
mod house;
mod libs;
mod steps;
mod tidy;

use std::env;
use std::process::ExitCode;

const USAGE: &str = "\
cargo x COMMAND

  check   does everything compile
  lint    formatting, clippy, the floor law, tidiness
  tidy    the mechanical rules of STYLE.md
  test    everything that can fail: lint, Rust tests, Python tests
  conformance   other people's test suites and programs, beside the reference library
  storm [WORLDS]   random machines, traffic and faults with every assert on; 10,000 of them
  fuzz [OPTIONS]   damaged inputs, in process and through the command; see fuzz/README.md
  sweeps [SEED]    sweeps of 200 points, killed again and again, here and on a Dask cluster
  libs    build the MPI libraries and the clock into python/odonata/_lib
  py      local environment (.venv) with the Python package in it
  demo    py, then the demonstration
  docs    Rust's reference pages, into target/doc
  bench   the yardsticks
  wheel   a wheel for other machines, into dist/
";

fn main() -> ExitCode {
    let command = env::args().nth(1).unwrap_or_default();
    let rest: Vec<String> = env::args().skip(2).collect();
    let fine = match command.as_str() {
        "check" => steps::check(),
        "lint" => steps::lint(),
        "tidy" => tidy(),
        "test" => steps::test(),
        "conformance" => steps::conformance(&rest),
        "storm" => steps::storm(&rest),
        "fuzz" => steps::fuzz(&rest),
        "sweeps" => steps::sweeps(&rest),
        "libs" => steps::libs(),
        "py" => steps::py(),
        "demo" => steps::demo(&rest),
        "docs" => steps::docs(),
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

/// Prints what is not tidy, edges of the floor law among it.
fn tidy() -> bool {
    let found = [floors::offenses(&floors::rooms()), tidy::offenses()].concat();
    for line in &found {
        println!("{line}");
    }
    found.is_empty()
}
