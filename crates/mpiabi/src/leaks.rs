//! What a program leaves behind at `MPI_Finalize`. Not an error, and MPI frees it all the same; but
//! an active request is often a message that somebody lost.
//!
//! `ODONATA_CHECK=all` has every rank tell all it left, `none` nobody anything. Otherwise rank 0
//! alone speaks, and of active requests alone: most programs leave a datatype or two.

use crate::error::write_line;
use crate::runtime::{self, Held};
use crate::{comm, datatype, group, info, io, op, request, win};

const CHECK_VARIABLE: &str = "ODONATA_CHECK";

/// Tells it on stderr, if there is anything to tell.
pub(crate) fn report(held: &Held) {
    let knob = std::env::var(CHECK_VARIABLE).unwrap_or_default();
    let tells_all = knob == "all";
    if knob == "none" || !tells_all && runtime::rank(held) != 0 {
        return;
    }
    let mut left = vec![(request::active_requests(held), "active request")];
    if tells_all {
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
            "{}left behind at MPI_Finalize: {}",
            runtime::log_prefix(),
            words.join(", ")
        ));
    }
}
