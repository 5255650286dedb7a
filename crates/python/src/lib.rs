//! Layer 6: the Python extension module. Requests and results are JSON; the work is done by
//! `api`.
//!
//! One function, `enter`, releases the interpreter's lock, handles Ctrl-C and converts errors.

mod control_plane;
mod memory;

use api::{Trace, replay as replay_of};
use machine::InputError as Diagnostic;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sim::Progress;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: memory::Watched = memory::Watched;

create_exception!(_core, InputError, PyException, "The request has input errors; JSON list.");

#[derive(Serialize)]
struct InputErrorRow<'a> {
    at: &'a str,
    found: &'a str,
    wanted: &'a str,
    hint: Option<&'a str>,
}

/// Maximum number of input errors that are passed on: a long file can have millions.
const MAX_INPUT_ERRORS: usize = 1000;

pub(crate) fn input_error(mut input_errors: Vec<Diagnostic>) -> PyErr {
    let more = input_errors.len().saturating_sub(MAX_INPUT_ERRORS);
    if more > 0 {
        input_errors.truncate(MAX_INPUT_ERRORS);
        let found = format!("{more} more problems");
        input_errors.push(Diagnostic::new("input", found, "the ones above corrected first"));
    }
    let rows: Vec<InputErrorRow> = input_errors
        .iter()
        .map(|c| InputErrorRow {
            at: &c.at,
            found: &c.found,
            wanted: &c.expected,
            hint: c.hint.as_deref(),
        })
        .collect();
    InputError::new_err(json(&rows))
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("results are plain data")
}

type Tick = Box<dyn FnMut(Progress) -> bool>;

/// Progress message while a job starts.
fn phase(starting: sim::StartProgress) -> String {
    match starting {
        sim::StartProgress { started, ranks, .. } if started < ranks => {
            format!("starting {started}/{ranks} ranks")
        }
        sim::StartProgress { attached, ranks, .. } => format!("{attached}/{ranks} ranks in MPI"),
    }
}

/// Minimum wall time between two callbacks into the interpreter. The first is at once, so that
/// commands of many short parts report each.
const TICK: Duration = Duration::from_millis(100);

/// Runs `body` without the interpreter's lock. `tick` is a callable or None. It receives progress
/// at once and ten times a second, and ends the run by returning False or raising, as Ctrl-C does.
fn enter<Q: DeserializeOwned + Send, R: Serialize>(
    py: Python<'_>,
    request: &str,
    tick: Option<Py<PyAny>>,
    body: impl FnOnce(&Q, Tick) -> Result<R, Vec<Diagnostic>> + Send,
) -> PyResult<String> {
    // The package writes the requests; one that does not parse is a bug of the package.
    let request: Q = serde_json::from_str(request)
        .map_err(|e| PyValueError::new_err(format!("the request does not parse: {e}")))?;
    let result = py.detach(move || {
        let wall_start = Instant::now();
        let mut last: Option<Instant> = None;
        let mut stopped = false;
        let watch = move |progress: Progress| {
            if stopped || last.is_some_and(|last| last.elapsed() < TICK) {
                return !stopped;
            }
            last = Some(Instant::now());
            let line = serde_json::json!({
                "time_s": progress.now.seconds(),
                "events": progress.events,
                "wall_s": wall_start.elapsed().as_secs_f64(),
                "phase": progress.starting.map(phase),
                "parts": progress.parts,
            });
            stopped = Python::attach(|py| {
                let reply = py.check_signals().and_then(|()| match &tick {
                    Some(tick) => tick.call1(py, (line.to_string(),))?.extract::<Option<bool>>(py),
                    None => Ok(None),
                });
                reply.map_or(true, |go_on| go_on == Some(false))
            });
            !stopped
        };
        body(&request, Box::new(watch)).map(|result| json(&result))
    });
    result.map_err(input_error)
}

/// JSON list of the preset machines' names.
#[pyfunction]
fn presets() -> String {
    json(&machine::PRESETS)
}

/// The machine file of a preset; None if there is no such preset.
#[pyfunction]
fn preset_toml(name: &str) -> Option<&'static str> {
    machine::preset(name)
}

/// JSON list of the MPI library profiles' names.
#[pyfunction]
fn libraries() -> String {
    json(&api::LIBRARIES)
}

/// JSON list of the prefixes of variables that this library ignores although other libraries honor
/// them.
#[pyfunction]
#[pyo3(signature = (mpi, toml=None))]
fn unsupported_prefixes(mpi: &str, toml: Option<&str>) -> String {
    json(&api::unsupported_prefixes(mpi, toml))
}

#[derive(serde::Deserialize)]
struct ShowCall {
    machine: api::MachineRequest,
    #[serde(default)]
    routing: Option<String>,
}

/// Facts of a resolved machine.
#[pyfunction]
fn show(py: Python<'_>, request: &str) -> PyResult<String> {
    enter(py, request, None, |call: &ShowCall, _| api::show(&call.machine, call.routing.as_deref()))
}

#[pyfunction]
#[pyo3(name = "bench", signature = (request, tick=None))]
fn run_bench(py: Python<'_>, request: &str, tick: Option<Py<PyAny>>) -> PyResult<String> {
    enter(py, request, tick, |call, mut tick| api::bench(call, &mut tick))
}

/// Exchanges between pairs of ranks in rounds; a time for each.
#[pyfunction]
#[pyo3(signature = (request, tick=None))]
fn exchanges(py: Python<'_>, request: &str, tick: Option<Py<PyAny>>) -> PyResult<String> {
    enter(py, request, tick, |call, mut tick| api::exchanges(call, &mut tick))
}

/// Switches of nodes and the cables between them.
#[pyfunction]
fn wiring(py: Python<'_>, request: &str) -> PyResult<String> {
    enter(py, request, None, |call, _| api::wiring(call))
}

/// IOR or mdtest on a simulated file system.
#[pyfunction]
#[pyo3(signature = (request, tick=None))]
fn io_bench(py: Python<'_>, request: &str, tick: Option<Py<PyAny>>) -> PyResult<String> {
    enter(py, request, tick, |call, mut tick| api::io_bench(call, &mut tick))
}

/// An application model on a number of nodes.
#[pyfunction]
#[pyo3(signature = (request, tick=None))]
fn app(py: Python<'_>, request: &str, tick: Option<Py<PyAny>>) -> PyResult<String> {
    enter(py, request, tick, |call, mut tick| api::app(call, &mut tick))
}

/// The calls of an application model, by rank.
#[pyfunction]
fn app_calls(py: Python<'_>, request: &str) -> PyResult<String> {
    enter(py, request, None, |call, _| api::app_calls(call))
}

#[pyfunction]
#[pyo3(signature = (request, tick=None))]
fn traffic(py: Python<'_>, request: &str, tick: Option<Py<PyAny>>) -> PyResult<String> {
    enter(py, request, tick, |call, mut tick| api::traffic(call, &mut tick))
}

/// Every algorithm of a collective, and the tuning files.
#[pyfunction]
#[pyo3(signature = (request, tick=None))]
fn tune(py: Python<'_>, request: &str, tick: Option<Py<PyAny>>) -> PyResult<String> {
    enter(py, request, tick, |call, mut tick| api::tune(call, &mut tick))
}

/// Runs a program's ranks on a simulated machine.
#[pyfunction]
#[pyo3(signature = (request, tick=None))]
fn run(py: Python<'_>, request: &str, tick: Option<Py<PyAny>>) -> PyResult<String> {
    enter(py, request, tick, api::run)
}

/// Column name and values, little-endian.
type Columns = Vec<(&'static str, Py<PyBytes>)>;

/// Runs a program's ranks and records their MPI calls: the result, and the columns of the
/// recording.
#[pyfunction]
#[pyo3(signature = (request, tick=None))]
fn record(py: Python<'_>, request: &str, tick: Option<Py<PyAny>>) -> PyResult<(String, Columns)> {
    let mut columns = Vec::new();
    let result = enter(py, request, tick, |call, tick| {
        let mut result = api::run(call, tick)?;
        if let Some(recorded) = &mut result.recorded {
            columns = std::mem::take(&mut recorded.columns);
        }
        Ok(result)
    })?;
    let bytes = |(name, bytes): (_, Vec<u8>)| (name, PyBytes::new(py, &bytes).unbind());
    Ok((result, columns.into_iter().map(bytes).collect()))
}

/// Runs a schedule: the bytes of a GOAL file, or the columns of a recording by name.
#[pyfunction]
#[pyo3(signature = (request, trace, tick=None))]
fn replay(
    py: Python<'_>,
    request: &str,
    trace: &Bound<'_, PyAny>,
    tick: Option<Py<PyAny>>,
) -> PyResult<String> {
    if let Ok(file) = trace.extract::<&[u8]>() {
        let trace = Trace::Goal(file);
        return enter(py, request, tick, |call, mut tick| replay_of(call, &trace, &mut tick));
    }
    let columns: BTreeMap<String, Vec<u8>> = trace.extract()?;
    let trace = Trace::Record(&columns);
    enter(py, request, tick, |call, mut tick| replay_of(call, &trace, &mut tick))
}

/// Checks the rows of a recording whose header is given as JSON; nothing is run.
#[pyfunction]
fn check_record(header: &str, columns: BTreeMap<String, Vec<u8>>) -> PyResult<()> {
    let header = serde_json::from_str(header)
        .map_err(|e| PyValueError::new_err(format!("the header does not parse: {e}")))?;
    api::check_record(&header, &columns).map_err(input_error)
}

/// Runs several concurrent jobs on a simulated machine.
#[pyfunction]
#[pyo3(signature = (request, tick=None))]
fn jobs(py: Python<'_>, request: &str, tick: Option<Py<PyAny>>) -> PyResult<String> {
    enter(py, request, tick, api::jobs)
}

/// Checks a request for several jobs; nothing is run.
#[pyfunction]
fn check_jobs(py: Python<'_>, request: &str) -> PyResult<String> {
    enter(py, request, None, |call, _| api::check_jobs(call))
}

/// A fault schedule as TOML.
#[pyfunction]
fn faults(request: &str) -> PyResult<String> {
    let request = serde_json::from_str(request)
        .map_err(|e| PyValueError::new_err(format!("the request does not parse: {e}")))?;
    api::faults(&request).map_err(input_error)
}

/// Names, options, defaults and result fields, as a JSON Schema.
#[pyfunction]
fn schema() -> String {
    serde_json::to_string_pretty(&api::vocabulary::schema()).expect("plain data")
}

/// Bytes of `16Ki`. ValueError has a suggestion, possibly empty.
#[pyfunction]
fn read_size(text: &str) -> PyResult<u64> {
    api::read_size(text).map_err(PyValueError::new_err)
}

/// Seconds of `100us`. ValueError has a suggestion, possibly empty.
#[pyfunction]
fn read_time(text: &str) -> PyResult<f64> {
    api::read_time(text).map_err(PyValueError::new_err)
}

/// Tables of the report, from the records of a timeline.
#[pyfunction]
fn timeline_tables(py: Python<'_>, source: PathBuf) -> PyResult<String> {
    let tables = until_signal(py, |go_on| api::timeline_tables(&source, go_on))?;
    Ok(json(&tables))
}

/// Converts the records of a timeline for Perfetto.
#[pyfunction]
fn write_perfetto(py: Python<'_>, source: PathBuf, target: PathBuf) -> PyResult<()> {
    until_signal(py, |go_on| api::write_perfetto(&source, &target, go_on))
}

/// Runs `body` without the interpreter's lock, until it ends or a signal raises an error.
fn until_signal<R: Send>(
    py: Python<'_>,
    body: impl FnOnce(&mut dyn FnMut() -> bool) -> std::io::Result<R> + Send,
) -> PyResult<R> {
    let mut raised = None;
    let result = py.detach(|| {
        body(&mut || {
            raised = Python::attach(|py| py.check_signals()).err();
            raised.is_none()
        })
    });
    raised.map_or_else(|| Ok(result?), Err)
}

/// A TOML text as JSON.
#[pyfunction]
fn toml_to_json(text: &str) -> PyResult<String> {
    match toml::from_str::<toml::Value>(text) {
        Ok(value) => Ok(json(&value)),
        Err(error) => {
            // The parser gives no position for excessive nesting.
            let line = error.span().map(|s| text[..s.start].matches('\n').count() + 1);
            let at = line.map_or_else(|| "some line".to_string(), |line| format!("line {line}"));
            Err(input_error(vec![Diagnostic::new(at, "", error.message().to_string())]))
        }
    }
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("InputError", module.py().get_type::<InputError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<control_plane::ControlPlane>()?;
    module.add_function(wrap_pyfunction!(presets, module)?)?;
    module.add_function(wrap_pyfunction!(preset_toml, module)?)?;
    module.add_function(wrap_pyfunction!(libraries, module)?)?;
    module.add_function(wrap_pyfunction!(unsupported_prefixes, module)?)?;
    module.add_function(wrap_pyfunction!(show, module)?)?;
    module.add_function(wrap_pyfunction!(timeline_tables, module)?)?;
    module.add_function(wrap_pyfunction!(write_perfetto, module)?)?;
    module.add_function(wrap_pyfunction!(run_bench, module)?)?;
    module.add_function(wrap_pyfunction!(io_bench, module)?)?;
    module.add_function(wrap_pyfunction!(exchanges, module)?)?;
    module.add_function(wrap_pyfunction!(wiring, module)?)?;
    module.add_function(wrap_pyfunction!(app, module)?)?;
    module.add_function(wrap_pyfunction!(app_calls, module)?)?;
    module.add_function(wrap_pyfunction!(traffic, module)?)?;
    module.add_function(wrap_pyfunction!(tune, module)?)?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(record, module)?)?;
    module.add_function(wrap_pyfunction!(replay, module)?)?;
    module.add_function(wrap_pyfunction!(check_record, module)?)?;
    module.add_function(wrap_pyfunction!(jobs, module)?)?;
    module.add_function(wrap_pyfunction!(check_jobs, module)?)?;
    module.add_function(wrap_pyfunction!(faults, module)?)?;
    module.add_function(wrap_pyfunction!(toml_to_json, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(read_size, module)?)?;
    module.add_function(wrap_pyfunction!(read_time, module)?)?;
    Ok(())
}
