//! mpiabi
