//! Resources that a program has not freed at `MPI_Finalize`. This is not an error, and MPI frees
//! them. But an active request often means a lost message.
//!
//! With `ODONATA_CHECK=all` every rank reports all its resources, with `none` no rank reports any.
//! By default rank 0 alone reports, and only active requests, because most programs leave some
//! datatypes.

use crate::error::write_line;
use crate::runtime::{self, Held};
use crate::{comm, datatype, group, info, io, op, request, win};

const CHECK_VARIABLE: &str = "ODONATA_CHECK";

/// Reports on stderr, if any resources are left.
pub(crate) fn report(held: &Held) {
    let check = std::env::var(CHECK_VARIABLE).unwrap_or_default();
    let reports_all = check == "all";
    if check == "none" || !reports_all && runtime::rank(held) != 0 {
        return;
    }
    let mut left = vec![(request::active_requests(held), "active request")];
    if reports_all {
        let (windows, files) = (win::created(held), io::created());
        // Each window and each file has a communicator of its own.
        let comms = comm::created().saturating_sub(windows + files);
        left.push((comms, "communicator"));
        left.push((datatype::created(), "datatype"));
        left.push((op::created(), "operation"));
        left.push((group::created(), "group"));
        left.push((windows, "window"));
        left.push((files, "file"));
        left.push((info::created(), "info object"));
        left.push((request::inactive_requests(held), "inactive request"));
    }
    let some = left.iter().filter(|(n, _)| *n > 0);
    let words = some.map(|(n, what)| format!("{n} {what}{}", if *n == 1 { "" } else { "s" }));
    let words: Vec<String> = words.collect();
    if !words.is_empty() {
        write_line(&format!(
            "{}not freed at MPI_Finalize: {}",
            runtime::log_prefix(),
            words.join(", ")
        ));
    }
}
