# Finds the `odonata` command for the launchers of `_bin/mpi`. Sourced; `$0` is the launcher.

# launch NAME ARGUMENTS...
launch() {
    # .../lib/python3.x/site-packages/odonata/_bin/mpi: its environment's `bin` comes first.
    here=$(dirname -- "$(readlink -f -- "$0")")
    for command in "$here/../../../../../../bin/odonata" odonata; do
        if command -v -- "$command" >/dev/null 2>&1; then
            exec "$command" launcher "$@"
        fi
    done
    echo "$1: cannot find the command odonata: put the bin folder of its environment on PATH" >&2
    exit 2
}
