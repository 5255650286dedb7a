# Runs a command of `fabric_commands` for the scripts of `_bin/fabric`. Sourced; `$0` is the script.

# fabric MODULE ARGUMENTS...
fabric() {
    # Isolated: the commands need the standard library only.
    exec "${ODONATA_PYTHON:-python3}" -S -E -s -c '
import sys
sys.path[0] = sys.argv.pop(1)
from importlib import import_module
sys.exit(import_module("fabric_commands." + sys.argv.pop(1)).main(sys.argv[1:]))
' "${0%/*}/../.." "$@"
}
