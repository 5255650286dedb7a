//! Why a function of the interface is not supported: a clause for messages and the reference page.

/// Dynamic processes: the size of a job is fixed when its ranks are placed.
const PROCESSES: &str = "the ranks of a job are placed before it starts, so it cannot grow";
const PORTS: &str = "jobs are simulated in isolation, so there is no job to connect to";

pub fn reason(name: &str) -> &'static str {
    match name.trim_start_matches("MPI_") {
        "Comm_spawn" | "Comm_spawn_multiple" => PROCESSES,
        "Comm_accept" | "Comm_connect" | "Comm_join" | "Open_port" | "Close_port"
        | "Publish_name" | "Unpublish_name" | "Lookup_name" => PORTS,
        "Register_datarep" | "Register_datarep_c" => {
            "files hold the data representations \"native\", \"internal\" and \"external32\" only"
        }
        _ => "it is not implemented",
    }
}
