//! The steps behind `make`: what is run, in which order, and when it is skipped.
//!
//! A step prints one line with its duration. Its output goes to a log, which is shown if the step
//! fails. A step with products leaves a stamp file and is skipped while the stamp is newer than all
//! of its inputs.

use crate::workspace;
use std::fs::{self, File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};
use std::{env, iter, thread, vec};

/// Lines of a failed step's log that are shown; the file has all of them.
const SHOWN: usize = 200;

pub fn check() -> bool {
    step("compile", vec![cargo(&["check", "--workspace", "--all-targets"])])
}

pub fn lint() -> bool {
    let rules = cargo(&["test", "--quiet", "--package", "xtask"]);
    all([
        step("format", vec![cargo(&["fmt", "--all", "--check"])]),
        step("layers-and-tidy", vec![rules]),
        step("clippy", vec![clippy()]),
        figures_are_current(),
    ])
}

/// Whether each figure shows the present predictions, which needs a built odonata.
fn figures_are_current() -> bool {
    const FIGURES: &str = "figures";
    if !fresh(EXTENSION, &EXTENSION_INPUTS, &EXTENSION_PRODUCTS) {
        let note = "not checked: odonata is not built; `make test` builds and checks";
        report(FIGURES, Duration::ZERO, note);
        return true;
    }
    step(FIGURES, vec![python(&["docs/figures/make.py", "--check"])])
}

fn clippy() -> Command {
    let what = ["--quiet", "--workspace", "--all-targets", "--keep-going"];
    cargo(&[&["clippy"], &what[..], &["--", "-D", "warnings"]].concat())
}

/// All checks. Later steps run even if earlier ones failed, so that one run reports everything.
pub fn test() -> bool {
    let start = Instant::now();
    let pip = Packages::begin();
    let lint = all([
        step("format", vec![cargo(&["fmt", "--all", "--check"])]),
        step("layers-and-tidy", vec![cargo(&["test", "--quiet", "--package", "xtask"])]),
        step("clippy", vec![clippy()]),
    ]);
    let instructions = instructions();
    // Tests use the profile `dev` and Python the profile `release`: neither waits for the other.
    let (rust, built) = thread::scope(|both| {
        let built = both.spawn(|| built(pip) && (instructions.is_none() || benchmarks()));
        let tests = &["test", "--workspace", "--exclude", "xtask", "--no-fail-fast"];
        let rust = step("rust-tests", vec![cargo(tests)]);
        (lint && rust, built.join().expect("a step does not panic"))
    });
    let python = built && {
        let queue = Arc::new(Mutex::new(pytests().into_iter()));
        let lane = |name| (name, next_of(Arc::clone(&queue)));
        let others = [("conformance", conform(&["--part"]))].into_iter().chain(instructions);
        at_once(PYTHON_TESTS.map(lane).into_iter().chain(others.map(once)).collect())
    };
    let verdict = if rust && python { "all steps pass" } else { "FAILED" };
    println!("{verdict}, after {:.0} s", start.elapsed().as_secs_f64());
    let log = |name: &str| fs::read_to_string(log_path(name)).unwrap_or_default();
    let logs = ["layers-and-tidy", "rust-tests", PYTHON_TESTS[0], PYTHON_TESTS[1]].map(log);
    let (passed, failed) = counted(&logs.join("\n"));
    println!("{passed} passed, {failed} failed");
    rust && python
}

/// Tests passed and failed, from the closing lines of cargo's and pytest's runners.
fn counted(log: &str) -> (u64, u64) {
    let before = |line: &str, word: &str| {
        let words: Vec<&str> = line.split([' ', ',', ';', '=']).filter(|w| !w.is_empty()).collect();
        let at = words.iter().position(|w| *w == word)?;
        words.get(at.checked_sub(1)?)?.parse::<u64>().ok()
    };
    let closing = |line: &&str| line.starts_with("test result:") || line.contains(" in ");
    log.lines().filter(closing).fold((0, 0), |(passed, failed), line| {
        let of = |word| before(line, word).unwrap_or(0);
        (passed + of("passed"), failed + of("failed"))
    })
}

/// Instructions per packet compared with those recorded, if valgrind is installed.
fn instructions() -> Option<(&'static str, Command)> {
    let name = "instructions";
    if Command::new("valgrind").arg("--version").output().is_err() {
        report(name, Duration::ZERO, "not counted: valgrind is not installed");
        return None;
    }
    let count = ["run", "--quiet", "--release", "--package", "bench", "--", "count"];
    Some((name, cargo(&count)))
}

fn benchmarks() -> bool {
    step("benchmarks", vec![cargo(&["build", "--quiet", "--release", "--package", "bench"])])
}

/// Logs of the Python tests. Each lane takes the next files when it has finished its last ones, so
/// that both end at nearly the same time.
const PYTHON_TESTS: [&str; 2] = ["python-tests-1", "python-tests-2"];

/// Test files per start of pytest, which takes about a second.
const FILES_PER_START: usize = 3;

/// Runs of pytest with a few files each. Large files come first and short runs last.
fn pytests() -> Vec<Command> {
    let run = |files: &[String]| {
        let mut command = python(&["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
        command.args(files);
        command
    };
    python_tests().chunks(FILES_PER_START).map(run).collect()
}

/// Test files by size, the largest first.
fn python_tests() -> Vec<String> {
    let tests =
        fs::read_dir(workspace::root().join("python/tests")).into_iter().flatten().flatten();
    let sized = |entry: fs::DirEntry| {
        let file = entry.file_name().into_string().unwrap_or_default();
        let is_test = file.starts_with("test_") && file.ends_with(".py");
        is_test.then(|| (entry.metadata().map_or(0, |found| found.len()), file))
    };
    let mut files: Vec<(u64, String)> = tests.filter_map(sized).collect();
    files.sort();
    files.into_iter().rev().map(|(_, file)| format!("python/tests/{file}")).collect()
}

/// All third-party suites and random programs, compared with the reference library.
pub fn conformance(args: &[String]) -> bool {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    py() && conform(&args).status().is_ok_and(|s| s.success())
}

fn conform(args: &[&str]) -> Command {
    python(&[&["conformance/run.py"], args].concat())
}

/// Random machines, traffic and faults, with the assertions of test builds.
pub fn storm(args: &[String]) -> bool {
    let worlds = args.first().map_or("10000", String::as_str);
    let mut storm = cargo(&["test", "--quiet", "--package", "properties", "--test", "all"]);
    storm.args(["--", "--nocapture", "storm::", "faults::"]).env("ODONATA_STORM", worlds);
    storm.status().is_ok_and(|s| s.success())
}

/// Damaged inputs. Prints the seed.
pub fn fuzz(args: &[String]) -> bool {
    let mut fuzz = python(&["fuzz/run.py"]);
    fuzz.args(args);
    py() && fuzz.status().is_ok_and(|s| s.success())
}

/// Sweeps of 200 points that are killed, locally and on a Dask cluster. Prints the seed.
pub fn sweeps(args: &[String]) -> bool {
    let mut storm = python(&["-m", "pytest", "-q", "-s", "python/tests/test_sweep_storm.py"]);
    storm.env("ODONATA_SWEEP", "200");
    if let Some(seed) = args.first() {
        storm.env("ODONATA_SEED", seed);
    }
    py() && storm.status().is_ok_and(|s| s.success())
}

pub fn libs() -> bool {
    let built = crate::libs::build(&workspace::root().join("python/odonata/_lib"));
    if let Err(why) = &built {
        eprintln!("{why}");
    }
    built.is_ok()
}

pub fn py() -> bool {
    built(Packages::begin()) && bytecode()
}

/// Compiles the package's Python files, as pip does at installation. Where Python writes no
/// bytecode, each start of `odonata` would compile them, which takes longer than the start itself.
fn bytecode() -> bool {
    let mut compile = python(&["-m", "compileall", "-q", "python/odonata"]);
    compile.status().is_ok_and(|s| s.success())
}

/// Builds what the demonstration needs, then runs it in the terminal.
pub fn demo(args: &[String]) -> bool {
    if !py() {
        return false;
    }
    let mut demo = python(&["-m", "odonata.demo"]);
    demo.args(args).status().is_ok_and(|s| s.success())
}

pub fn docs() -> bool {
    let mut doc = cargo(&["doc", "--quiet", "--workspace", "--no-deps"]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    step("reference", vec![doc])
}

/// The documentation site, in `target/site`. Its packages have their own virtual environment.
pub fn site() -> bool {
    py() && site_packages() && {
        let mut build = site_python(&["-m", "mkdocs", "build", "--strict", "--quiet"]);
        build.env("PYTHONPATH", workspace::root().join("python")).env("NO_MKDOCS_2_WARNING", "1");
        step("site", vec![build])
    }
}

fn site_packages() -> bool {
    const NAME: &str = "site-packages";
    if installed(NAME, SITE_ENVIRONMENT, "mkdocs") {
        return true;
    }
    let pyproject = fs::read_to_string(workspace::root().join("pyproject.toml"));
    let packages = listed(&pyproject.unwrap_or_default(), &["docs"]);
    let environment = python(&["-m", "venv", "--clear", SITE_ENVIRONMENT]);
    let mut install = site_python(&["-m", "pip", "install", "--quiet"]);
    install.arg("--disable-pip-version-check").args(packages);
    let fine = step(NAME, vec![environment, install]);
    if fine {
        stamp(NAME);
    }
    fine
}

const SITE_ENVIRONMENT: &str = "target/site-env";

fn site_python(args: &[&str]) -> Command {
    let mut command = Command::new(workspace::root().join(SITE_ENVIRONMENT).join("bin/python"));
    command.args(args).current_dir(workspace::root());
    command
}

/// Draws the figures whose predictions have changed, and writes the gallery.
pub fn figures(args: &[String]) -> bool {
    let mut draw = python(&["docs/figures/make.py"]);
    draw.args(args);
    py() && draw.status().is_ok_and(|s| s.success())
}

/// Benchmarks of the engine, then of live runs, alone and compared with MPICH.
pub fn bench(args: &[String]) -> bool {
    let mut engine = cargo(&["run", "--quiet", "--release", "--package", "bench", "--"]);
    let mut live = python(&["crates/bench/live/live.py"]);
    let mut beside = python(&["crates/bench/live/beside.py"]);
    let mut files = python(&["crates/bench/live/files.py"]);
    let mut preload = python(&["crates/bench/live/preload.py"]);
    engine.args(args);
    live.args(args);
    beside.args(args);
    files.args(args);
    preload.args(args);
    let ran = |mut bench: Command| bench.status().is_ok_and(|s| s.success());
    ran(engine) && py() && ran(live) && ran(beside) && ran(files) && ran(preload)
}

pub fn wheel() -> bool {
    let build = python(&["-m", "maturin", "build", "--release", "--out", "dist"]);
    Packages::begin().end() && libraries() && step("wheel", vec![build])
}

/// Builds all that Python needs. The libraries are built in parallel with the packages and the
/// extension, because neither keeps many cores busy.
fn built(pip: Packages) -> bool {
    thread::scope(|both| {
        let libraries = both.spawn(libraries);
        let extension = pip.end() && extension();
        libraries.join().expect("a step does not panic") && extension
    })
}

/// The MPI libraries and the preloaded ones, in `python/odonata/_lib`.
fn libraries() -> bool {
    const LIBRARIES: &str = "libraries";
    let inputs = ["crates", "include", "xtask/src/libs.rs", "Cargo.toml", "Cargo.lock"];
    let products = ["libmpi_abi.so.1", "libmpi.so.12", "libodonata_clock.so", "libodonata_io.so"];
    let products = products.map(|p| format!("python/odonata/_lib/{p}"));
    let products = products.each_ref().map(String::as_str);
    make(LIBRARIES, &inputs, &products, || {
        let mut build = Command::new(env::current_exe().expect("this program has a path"));
        build.arg("libs").current_dir(workspace::root());
        at_once(vec![once((LIBRARIES, build))])
    })
}

const EXTENSION: &str = "extension";
const EXTENSION_INPUTS: [&str; 5] =
    ["crates", "machines", "pyproject.toml", "Cargo.toml", "Cargo.lock"];
const EXTENSION_PRODUCTS: [&str; 2] = [".venv/bin/odonata", "python/odonata/_core.abi3.so"];

/// The Python package, installed in place: Python reads the files of the source tree.
fn extension() -> bool {
    make(EXTENSION, &EXTENSION_INPUTS, &EXTENSION_PRODUCTS, || {
        step(EXTENSION, vec![python(&["-m", "maturin", "develop", "--release"])])
    })
}

/// Packages of the local environment, installed while Rust is compiled.
struct Packages {
    running: Option<JoinHandle<(bool, Duration)>>,
    fine: bool,
}

impl Packages {
    const NAME: &'static str = "packages";

    fn begin() -> Packages {
        if installed(Self::NAME, ENVIRONMENT, "pip") {
            return Packages { running: None, fine: true };
        }
        if !environment() {
            return Packages { running: None, fine: false };
        }
        let pyproject = fs::read_to_string(workspace::root().join("pyproject.toml"));
        let mut install = python(&["-m", "pip", "install", "--quiet"]);
        install.args(["--disable-pip-version-check", "maturin>=1.8,<2"]);
        install.args(listed(&pyproject.unwrap_or_default(), &NEEDED));
        let (mut child, start) = spawn(&mut install, Self::NAME, false);
        let running = thread::spawn(move || {
            let fine = child.wait().is_ok_and(|s| s.success());
            (fine, start.elapsed())
        });
        Packages { running: Some(running), fine: true }
    }
    fn end(self) -> bool {
        let Some(running) = self.running else { return self.fine };
        let (fine, took) = running.join().expect("waiting does not panic");
        if !fine {
            return failed(Self::NAME, took);
        }
        report(Self::NAME, took, "");
        stamp(Self::NAME);
        true
    }
}

/// Lists of packages in `pyproject.toml`: to run, to demonstrate and to test.
const NEEDED: [&str; 3] = ["dependencies", "demo", "test"];

/// The packages in these arrays of `pyproject.toml`.
///
/// Reads the arrays and nothing else, so that no TOML parser has to be compiled first.
fn listed(pyproject: &str, arrays: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in pyproject.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let name = line.split('=').next().unwrap_or_default().trim();
        let begins = arrays.contains(&name) && line.contains('[');
        let items = if begins { line.split_once('[').map_or("", |(_, r)| r) } else { line };
        inside |= begins;
        if inside {
            found.extend(items.split('"').skip(1).step_by(2).map(str::to_string));
            inside = !items.ends_with(']');
        }
    }
    found
}

/// The virtual environment of the Python package.
const ENVIRONMENT: &str = ".venv";

/// Whether the packages of a virtual environment are installed, for the Python that it runs.
fn installed(step: &str, environment: &str, module: &str) -> bool {
    fresh(step, &["pyproject.toml"], &[]) && has_module(environment, module)
}

/// Whether the Python of a virtual environment has a module. After an upgrade of Python, its
/// packages are in the folder of the earlier version, or its Python is gone.
fn has_module(environment: &str, module: &str) -> bool {
    let find = "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)";
    let status = Command::new(workspace::root().join(environment).join("bin/python"))
        .args(["-c", find, module])
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|s| s.success())
}

/// Creates `.venv` with the Python of `$PYTHON`, or `python3`. Prints a workaround if it cannot.
fn environment() -> bool {
    let dir = workspace::root().join(ENVIRONMENT);
    if has_module(ENVIRONMENT, "pip") {
        return true;
    }
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let ask = "import sys; sys.exit(sys.version_info < (3, 10))";
    match Command::new(&python).args(["-c", ask]).status() {
        Ok(status) if status.success() => {}
        Ok(_) => {
            eprintln!("`{python}` is older than 3.10. Set PYTHON to a newer one.");
            return false;
        }
        Err(why) => {
            eprintln!("`{python}` cannot be run: {why}. Set PYTHON to a Python, 3.10 or later.");
            return false;
        }
    }
    let ask = Command::new(&python).args(["-c", "import ensurepip"]).stderr(Stdio::null()).status();
    if !ask.is_ok_and(|s| s.success()) {
        eprintln!(
            "`{python}` comes without ensurepip, so it cannot make a local environment.\n\
             On Debian and Ubuntu: apt-get install python3-venv. Or set PYTHON to another Python."
        );
        return false;
    }
    let mut make = Command::new(python);
    make.args(["-m", "venv", "--clear"]).arg(dir).current_dir(workspace::root());
    step("environment", vec![make])
}

fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(workspace::cargo());
    command.args(args).current_dir(workspace::root());
    command
}

/// The Python of the local environment.
fn python(args: &[&str]) -> Command {
    let dir = workspace::root().join(ENVIRONMENT);
    let mut command = Command::new(dir.join("bin/python"));
    command.args(args).current_dir(workspace::root()).env("VIRTUAL_ENV", dir);
    command
}

fn all<const N: usize>(fine: [bool; N]) -> bool {
    fine.into_iter().all(|f| f)
}

/// Runs `commands` in order until one fails.
fn step(name: &str, commands: Vec<Command>) -> bool {
    let start = Instant::now();
    for (i, mut command) in commands.into_iter().enumerate() {
        let (child, _) = spawn(&mut command, name, i > 0);
        if !wait(name, child, start) {
            return failed(name, start.elapsed());
        }
    }
    report(name, start.elapsed(), "");
    true
}

/// Commands of one step, in order.
type Commands = Box<dyn Iterator<Item = Command> + Send>;

fn once((name, command): (&str, Command)) -> (&str, Commands) {
    (name, Box::new(iter::once(command)))
}

/// Commands from a queue that several steps share.
fn next_of(queue: Arc<Mutex<vec::IntoIter<Command>>>) -> Commands {
    Box::new(iter::from_fn(move || queue.lock().expect("taking does not panic").next()))
}

/// Runs independent steps in parallel, and all commands of each, also if one fails. Each step keeps
/// little more than one core busy, because the ranks of a simulated program take turns.
fn at_once(steps: Vec<(&str, Commands)>) -> bool {
    let begin = |(name, commands): (&str, Commands)| {
        let step = name.to_string();
        // A lane may find the queue empty: its log is then empty, too.
        fs::create_dir_all(workspace::target())
            .and_then(|()| fs::write(log_path(name), ""))
            .expect("the build directory can be written");
        let run = move || {
            let (start, mut fine) = (Instant::now(), true);
            for mut command in commands {
                let (mut child, _) = spawn(&mut command, &step, true);
                fine &= child.wait().is_ok_and(|status| status.success());
            }
            (fine, start.elapsed())
        };
        (name.to_string(), thread::spawn(run))
    };
    let running: Vec<_> = steps.into_iter().map(begin).collect();
    let mut fine = true;
    for (name, step) in running {
        let (passed, took) = step.join().expect("waiting does not panic");
        fine &= if passed {
            report(&name, took, "");
            true
        } else {
            failed(&name, took)
        };
    }
    fine
}

/// A step with products: skipped while its stamp is newer than its inputs.
fn make(name: &str, inputs: &[&str], products: &[&str], how: impl Fn() -> bool) -> bool {
    if fresh(name, inputs, products) {
        return true;
    }
    let fine = how();
    if fine {
        stamp(name);
    }
    fine
}

fn log_path(name: &str) -> PathBuf {
    workspace::target().join(format!("make-{name}.log"))
}

/// Starts `command` with its output in the step's log.
fn spawn(command: &mut Command, name: &str, append: bool) -> (Child, Instant) {
    fs::create_dir_all(workspace::target()).expect("the build directory can be made");
    let mut log = OpenOptions::new()
        .create(true)
        .write(true)
        .append(append)
        .truncate(!append)
        .open(log_path(name))
        .expect("the build directory can be written");
    writeln!(log, "$ {command:?}").expect("the build directory can be written");
    let other = log.try_clone().expect("a file can be shared");
    command.stdin(Stdio::null()).stdout(log).stderr(other);
    let child = command.spawn().unwrap_or_else(|why| panic!("{command:?} cannot be run: {why}"));
    (child, Instant::now())
}

/// Waits, and shows the elapsed seconds on a terminal.
fn wait(name: &str, mut child: Child, start: Instant) -> bool {
    let seen = std::io::stderr().is_terminal();
    loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) => return status.success(),
            None if seen => eprint!("\r  {name:<18}{:>6.0} s ", start.elapsed().as_secs_f64()),
            None => {}
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn report(name: &str, took: Duration, what: &str) {
    let back = if std::io::stderr().is_terminal() { "\r" } else { "" };
    eprintln!("{back}  {name:<18}{:>6.1} s {what}", took.as_secs_f64());
}

fn failed(name: &str, took: Duration) -> bool {
    let path = log_path(name);
    let log = fs::read_to_string(&path).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    for line in &lines[lines.len().saturating_sub(SHOWN)..] {
        eprintln!("    {line}");
    }
    report(name, took, "FAILED");
    eprintln!("    full log: {}", path.display());
    false
}

fn stamp_path(name: &str) -> PathBuf {
    workspace::target().join("stamps").join(name)
}

fn stamp(name: &str) {
    let path = stamp_path(name);
    fs::create_dir_all(path.parent().expect("a stamp has a directory"))
        .and_then(|()| File::create(path))
        .expect("the build directory can be written");
}

fn fresh(name: &str, inputs: &[&str], products: &[&str]) -> bool {
    let made = fs::metadata(stamp_path(name)).and_then(|m| m.modified());
    let Ok(made) = made else { return false };
    products.iter().all(|p| workspace::root().join(p).exists())
        && inputs.iter().all(|i| newest(&workspace::root().join(i)) < made)
}

/// When anything at or below `path` last changed; a directory changes when a file leaves it.
fn newest(path: &Path) -> SystemTime {
    let own = fs::metadata(path).and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let below = fs::read_dir(path).into_iter().flatten().flatten().map(|e| newest(&e.path()));
    below.fold(own, Ord::max)
}

#[cfg(test)]
mod tests {
    use super::{
        NEEDED, at_once, counted, installed, listed, log_path, next_of, once, pytests,
        python_tests, stamp,
    };
    use crate::workspace;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::process::Command;
    use std::sync::{Arc, Mutex};

    #[test]
    fn every_python_test_file_is_in_one_run() {
        let listed = fs::read_dir(workspace::root().join("python/tests")).expect("tests");
        let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("a plain name");
        let is_test = |file: &String| file.starts_with("test_") && file.ends_with(".py");
        let mut all: Vec<_> = listed.flatten().map(name).filter(is_test).collect();
        let of_run = |run: Command| {
            let words: Vec<_> = run.get_args().map(|w| w.to_string_lossy().into_owned()).collect();
            words.into_iter().filter_map(|w| w.strip_prefix("python/tests/").map(str::to_string))
        };
        let mut run: Vec<String> = pytests().into_iter().flat_map(of_run).collect();
        all.sort();
        run.sort();
        assert!(run == all && run.len() > 20, "{run:?}");
        let size = |file: &str| fs::metadata(workspace::root().join(file)).expect("a file").len();
        assert!(python_tests().windows(2).all(|two| size(&two[0]) >= size(&two[1])));
    }

    #[test]
    fn parallel_steps_pass_if_all_of_them_pass() {
        let run = |words: [&'static str; 2]| {
            at_once(words.map(|w| once((w, Command::new(w)))).into_iter().collect())
        };
        assert!(run(["true", "true"]));
        assert!(!run(["false", "true"]));
    }

    /// Each command of a shared queue is run once, also after one that fails.
    #[test]
    fn lanes_share_a_queue() {
        let run = |words: &str| {
            let echo = |word: &str| {
                let mut command = Command::new(if word == "fail" { "false" } else { "echo" });
                command.arg(word);
                command
            };
            let commands: Vec<Command> = words.split(' ').map(echo).collect();
            let queue = Arc::new(Mutex::new(commands.into_iter()));
            let lanes = ["test-of-lanes-1", "test-of-lanes-2"];
            let fine = at_once(lanes.map(|lane| (lane, next_of(Arc::clone(&queue)))).into());
            let log = lanes.map(|lane| fs::read_to_string(log_path(lane)).unwrap_or_default());
            let mut out: Vec<_> = log.concat().lines().map(str::to_string).collect();
            out.retain(|line| !line.starts_with('$') && !line.is_empty());
            out.sort();
            (fine, out.join(" "))
        };
        assert_eq!(run("a b c d e"), (true, "a b c d e".to_string()));
        assert_eq!(run("fail b c"), (false, "b c".to_string()));
    }

    /// `true` and `false` stand for a Python that finds the module and for one that does not.
    #[test]
    fn packages_that_the_python_does_not_find_are_installed_again() {
        let step = "test-of-installed";
        let dir = workspace::target().join(step);
        let python = dir.join("bin/python");
        fs::create_dir_all(dir.join("bin")).expect("the build directory can be written");
        let environment = dir.to_str().expect("a plain path");
        stamp(step);
        for (program, is_installed) in
            [("/bin/true", true), ("/bin/false", false), ("/no/such/program", false)]
        {
            _ = fs::remove_file(&python);
            symlink(program, &python).expect("the build directory can be written");
            assert_eq!(installed(step, environment, "mkdocs"), is_installed, "{program}");
        }
    }

    #[test]
    fn closing_lines_of_both_runners_are_counted() {
        let log = "test result: ok. 8 passed; 0 failed; 0 ignored; 0 measured\n\
                   test a ... ok\nall 3 passed; said the test\n\
                   test result: FAILED. 3 passed; 2 failed; 0 ignored\n\
                   ===== 1 failed, 218 passed in 61.20s (0:01:01) =====\n219 passed in 9.1s\n";
        assert_eq!(counted(log), (448, 3));
    }

    #[test]
    fn the_packages_of_a_pyproject_are_read() {
        let text = "[build-system]\nrequires = [\"no\"]\n[project]\ndependencies = [\n  \
                    \"numpy>=1\", # arrays\n]\n[project.optional-dependencies]\n\
                    demo = [\"mpi4py>=4.1\"]\ntest = [\"pytest\", \"ruff\"]\ndocs = [\"no\"]\n";
        assert_eq!(listed(text, &NEEDED), ["numpy>=1", "mpi4py>=4.1", "pytest", "ruff"]);
        assert_eq!(listed(text, &["docs"]), ["no"]);
        assert_eq!(
            listed("docs = [\n \"a[b]>=1\", # x\n \"c\",\n]\n", &["docs"]),
            ["a[b]>=1", "c"]
        );
    }
}
