//! What must be true across rooms: agreement of fidelities, conservation, bounds from theory.
//! Nothing lives here but tests, in `tests/`; nothing names this crate.
