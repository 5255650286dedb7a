//! The class `ControlPlane` of the extension. Requests and answers are JSON.

use std::sync::{Mutex, MutexGuard, PoisonError};

use api::{ControlRequest, ControlSnapshot, control_plane, restored, snapshot};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::de::DeserializeOwned;

use crate::{input_error, json};

/// A control plane, and the request that made it. Its methods may be called from any thread; each
/// waits for the previous one.
#[pyclass(module = "odonata._core")]
pub struct ControlPlane {
    request: ControlRequest,
    plane: Mutex<control::ControlPlane>,
}

fn parsed<Q: DeserializeOwned>(text: &str) -> PyResult<Q> {
    serde_json::from_str(text)
        .map_err(|e| PyValueError::new_err(format!("the request does not parse: {e}")))
}

impl ControlPlane {
    fn plane(&self) -> MutexGuard<'_, control::ControlPlane> {
        // A panic is a bug of odonata and has been reported; the state is that before it.
        self.plane.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl ControlPlane {
    #[new]
    fn new(py: Python<'_>, request: &str) -> PyResult<ControlPlane> {
        let request: ControlRequest = parsed(request)?;
        let plane = py.detach(|| control_plane(&request)).map_err(input_error)?;
        Ok(ControlPlane { request, plane: Mutex::new(plane) })
    }

    /// The end of simulated time, in seconds.
    #[classattr]
    const END_S: f64 = control::END_S;

    /// Simulated seconds.
    #[getter]
    fn now_s(&self, py: Python<'_>) -> f64 {
        py.detach(|| self.plane().now().seconds())
    }

    /// The answer to a REST request, as JSON with `status` and `body`.
    fn apply(&self, py: Python<'_>, request: &str) -> PyResult<String> {
        let request: control::Request = parsed(request)?;
        Ok(py.detach(|| json(&self.plane().apply(&request))))
    }

    /// Runs up to a time in simulated seconds.
    fn advance(&self, py: Python<'_>, to_s: f64) {
        py.detach(|| self.plane().advance(to_s));
    }

    /// Telemetry events from number `since` on.
    fn events(&self, py: Python<'_>, since: u64, limit: usize) -> String {
        py.detach(|| json(&self.plane().events(since, limit)))
    }

    /// A query of metrics: the part of its address after `?`.
    fn metrics(&self, py: Python<'_>, query: &str) -> String {
        py.detach(|| json(&self.plane().metrics(query)))
    }

    /// The counts of `fmn-show-status`.
    fn status(&self, py: Python<'_>) -> String {
        py.detach(|| json(&self.plane().status()))
    }

    /// Arrays of groups, switches and links.
    fn layout(&self, py: Python<'_>) -> String {
        py.detach(|| json(&self.plane().layout()))
    }

    /// The state as fault schedules and keys of the machine file, with the components of a JSON
    /// list of xnames down in addition.
    fn fabric_state(&self, py: Python<'_>, targets: &str) -> PyResult<String> {
        let targets: Vec<String> = parsed(targets)?;
        let state = py.detach(|| self.plane().fabric_state(&targets)).map_err(input_error)?;
        Ok(json(&state))
    }

    /// A file of the cabling: `point-to-point`, `fabric-template` or `arp`.
    fn cabling(&self, py: Python<'_>, file: &str) -> PyResult<String> {
        let text = py.detach(|| self.plane().cabling(file));
        text.ok_or_else(|| PyValueError::new_err(format!("there is no file {file}")))
    }

    /// How a point-to-point file differs from the machine, as JSON.
    fn compare_cabling(&self, py: Python<'_>, text: &str) -> PyResult<String> {
        let differences = py.detach(|| self.plane().compare_cabling(text)).map_err(input_error)?;
        Ok(json(&differences))
    }

    /// A hash of all changes of state.
    fn digest(&self, py: Python<'_>) -> String {
        py.detach(|| format!("{:016x}", self.plane().digest().0))
    }

    /// The request, the time and the log of changes.
    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let text = py.detach(|| json(&snapshot(&self.request, &self.plane())));
        PyBytes::new(py, text.as_bytes())
    }

    /// The control plane of a snapshot.
    #[staticmethod]
    fn restore(py: Python<'_>, bytes: &[u8]) -> PyResult<ControlPlane> {
        let text = std::str::from_utf8(bytes)
            .map_err(|e| PyValueError::new_err(format!("the snapshot is not UTF-8: {e}")))?;
        let snapshot: ControlSnapshot = parsed(text)?;
        let plane = py.detach(|| restored(&snapshot)).map_err(input_error)?;
        Ok(ControlPlane { request: snapshot.request, plane: Mutex::new(plane) })
    }
}
