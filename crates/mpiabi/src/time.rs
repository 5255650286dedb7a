//! The simulated clock.

use crate::export::mpi_fn;
use crate::runtime;

mpi_fn! {
    /// Before `MPI_Init` there is no simulated time.
    pub fn Wtime() -> f64 {
        let held = runtime::lock();
        if runtime::is_attached(&held) { runtime::wtime(&held) } else { 0.0 }
    }
    pub fn Wtick() -> f64 {
        let held = runtime::lock();
        if runtime::is_attached(&held) { runtime::wtick(&held) } else { 1e-12 }
    }
}
