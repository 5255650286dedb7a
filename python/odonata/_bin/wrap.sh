# What the compiler wrappers do. Sourced; `$0` is the wrapper.

package=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")

# modules COMPILER: compiles Fortran's modules, which every compiler reads only of its own making,
# and sets where they are. Once for each compiler and its options: they stay in the user's cache.
modules() {
    version=$($1 --version 2>&1) || {
        echo "$(basename -- "$0"): cannot run the Fortran compiler \`$1\`; FC names another" >&2
        exit 2
    }
    sources=$package/_include
    key=$(echo "$1 $version" | cat - "$sources/mpi.f90" "$sources/mpi_f08.f90" | cksum | tr -d ' ')
    cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    # Without a home, or in one that is read only.
    mkdir -p "${cache:-/nowhere}/odonata/fortran" 2>/dev/null && [ -w "$cache/odonata/fortran" ] || {
        cache=${TMPDIR:-/tmp}/odonata-$(id -u)
        # Anybody may write beside it: another's modules are not to be compiled into a program.
        mkdir -p -m 700 "$cache" && [ -O "$cache" ] || {
            echo "$(basename -- "$0"): $cache is not yours; XDG_CACHE_HOME names another place" >&2
            exit 2
        }
    }
    made=$cache/odonata/fortran/$key
    [ -e "$made/libodonata_mpi_f.a" ] && return
    new=$made.$$
    # gfortran takes a call with a buffer of one type for an error after one with another, where
    # nothing declares the procedure: in all programs that include mpif.h. And what the program's
    # own code is to keep to, such as -std=f95 and -Werror, is nothing to the modules.
    (
        mkdir -p "$new" && cd "$new" || exit 2
        lenient=
        own=
        echo end >empty.f90
        $1 -fallow-argument-mismatch -c empty.f90 2>/dev/null && lenient=-fallow-argument-mismatch
        $1 -std=gnu -w -c empty.f90 2>/dev/null && own="-std=gnu -w"
        echo $lenient >options
        $1 $own -c "$sources/mpi.f90" && $1 $own -c "$sources/mpi_f08.f90" || exit 2
        ar rc libodonata_mpi_f.a mpi.o mpi_f08.o && rm -f empty.* ./*.o
    ) || {
        rm -rf "$new"
        echo "$(basename -- "$0"): \`$1\` cannot compile mpi.f90 and mpi_f08.f90 into $made" >&2
        exit 2
    }
    # Whoever is first; another's are the same.
    mv -T "$new" "$made" 2>/dev/null || rm -rf "$new"
}

# wrap LANGUAGE COMPILER OPTION ARGUMENTS...: OPTION, such as `-cc=`, overrules the compiler.
wrap() {
    language=$1
    compiler=$2
    option=$3
    shift 3
    case $language in
        c) names=mpi_abi version=1 include=$package/_include ;;
        fortran) names="mpifort mpi" version=12 include=$package/_include ;;
    esac
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
            -abi=mpich)
                # What Fortran speaks, so for the C of programs that are partly Fortran.
                [ "$language" = fortran ] || names=mpi version=12 include=$package/_include/mpich
                continue
                ;;
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
        *"odonata-mpifort "*) compiler=gfortran ;;
    esac
    for name in $names; do
        library=$package/_lib/lib$name.so.$version
        if [ ! -e "$include/mpi.h" ] || [ ! -e "$library" ]; then
            echo "$(basename -- "$0"): $library or mpi.h is missing: build them with \`cargo x libs\`" >&2
            exit 2
        fi
    done
    options=
    if [ "$language" = fortran ]; then
        case " $compiler $* " in
            *" -fdefault-integer-8 "* | *" -i8 "*)
                echo "$(basename -- "$0"): integers of 8 bytes by default are not those of the library" >&2
                exit 2
                ;;
        esac
        modules "$compiler"
        options=$(cat "$made/options")
        [ -z "$link" ] || set -- "$@" "-L$made" -lodonata_mpi_f
        set -- "-I$made" "$@"
    fi
    # First, so that another MPI on the program's own paths cannot hide ours.
    if [ -n "$link" ]; then
        set -- "-L$package/_lib" "$@"
        for name in $names; do
            # By directory and name, because that is what CMake's FindMPI understands of what
            # `-show` prints; a wheel may have lost the link.
            library=$package/_lib/lib$name.so
            if [ -e "$library" ]; then set -- "$@" "-l$name"; else set -- "$@" "$library.$version"; fi
        done
        set -- "$@" "-Wl,-rpath,$package/_lib"
    fi
    set -- "-I$include" $options "$@"
    if [ -n "$show" ]; then
        echo "$compiler $*"
        exit
    fi
    # Unquoted: `CC="ccache gcc"` is two words.
    exec $compiler "$@"
}
