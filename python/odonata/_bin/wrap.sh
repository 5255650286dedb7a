# What both compiler wrappers do. Sourced; `$0` is the wrapper.

package=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
library=$package/_lib/libmpi_abi.so.1
# By directory and name, because that is what CMake's FindMPI understands of what `-show` prints.
by_name=-lmpi_abi
[ -e "$package/_lib/libmpi_abi.so" ] || by_name=$library

# wrap COMPILER OPTION ARGUMENTS...: OPTION, such as `-cc=`, overrules the compiler.
wrap() {
    compiler=$1
    option=$2
    shift 2
    show=
    link=yes
    count=$#
    # Goes once around the arguments and drops its own, keeping every space in the others.
    while [ "$count" -gt 0 ]; do
        argument=$1
        shift
        count=$((count - 1))
        case $argument in
            "$option"*) compiler=${argument#"$option"}; continue ;;
            -show | --show | -compile_info | -link_info) show=yes; continue ;;
            -c | -E | -S | -M | -MM | -fsyntax-only) link= ;;
        esac
        set -- "$@" "$argument"
    done
    # `export CC=odonata-mpicc`, and every `make CC=odonata-mpicc`, names us to ourselves.
    # Options may follow; whoever set them passed them to us as well.
    case "$compiler " in
        *"odonata-mpicc "*) compiler=cc ;;
        *"odonata-mpicxx "*) compiler=c++ ;;
    esac
    # First, so that another MPI on the program's own paths cannot hide ours.
    if [ -n "$link" ]; then
        set -- "-L$package/_lib" "$@" "$by_name" "-Wl,-rpath,$package/_lib"
    fi
    set -- "-I$package/_include" "$@"
    if [ -n "$show" ]; then
        echo "$compiler $*"
        exit
    fi
    if [ ! -e "$package/_include/mpi.h" ] || [ ! -e "$library" ]; then
        echo "$(basename -- "$0"): $library or mpi.h is missing: build them with \`cargo x libs\`" >&2
        exit 2
    fi
    # Unquoted: `CC="ccache gcc"` is two words.
    exec $compiler "$@"
}
