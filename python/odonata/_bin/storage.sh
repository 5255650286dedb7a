# Runs a command of `storage_commands` for the scripts of `_bin/storage`. Sourced; `$0` is the script.

# storage MODULE ARGUMENTS...
storage() {
    # Isolated from the job's Python: its start is part of the simulated time.
    exec "${ODONATA_PYTHON:-python3}" -S -E -s -c '
import sys
sys.path[0] = sys.argv.pop(1)
from importlib import import_module
sys.exit(import_module("storage_commands." + sys.argv.pop(1)).main(sys.argv[1:]))
' "${0%/*}/../.." "$@"
}
