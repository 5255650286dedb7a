# What the compiler wrappers do. Sourced; `$0` is the wrapper.

package=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
name=$(basename -- "$0")

# fail MESSAGE: the user's error.
fail() {
    echo "$name: $1" >&2
    exit 2
}

# is_wrapper WORD: whether this command is a wrapper of odonata's, whatever links lead to it.
is_wrapper() {
    found=$(command -v -- "$1" 2>/dev/null) || return 1
    found=$(readlink -f -- "$found") || return 1
    case $found in
        "$package"/_bin/* | */odonata/_bin/*) return 0 ;;
    esac
    # The commands that pip makes of them.
    case ${found##*/} in
        odonata-mpicc | odonata-mpicxx | odonata-mpifort) return 0 ;;
    esac
    return 1
}

# names_a_wrapper COMMAND: whether a word of it does, as in `ccache mpicc`.
names_a_wrapper() {
    for word in $1; do
        case $word in
            -*) ;;
            *) ! is_wrapper "$word" || return 0 ;;
        esac
    done
    return 1
}

# modules COMPILER: compiles Fortran's modules, which every compiler reads only of its own making,
# and sets where they are. Once for each compiler and its options: they stay in the user's cache.
modules() {
    version=$($1 --version 2>&1) ||
        fail "cannot run the Fortran compiler \`$1\`; FC names another"
    sources=$package/_include
    # Descriptors of arrays differ between compilers: the library reads gfortran's.
    f08=mpi_f08.f90
    case $version in *"GNU Fortran"*) f08=mpi_f08ts.f90 ;; esac
    key=$(echo "$1 $version" | cat - "$sources/mpi.f90" "$sources/$f08" | cksum | tr -d ' ')
    cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    # Without a home, or in one that is read only.
    mkdir -p "${cache:-/nowhere}/odonata/fortran" 2>/dev/null && [ -w "$cache/odonata/fortran" ] || {
        cache=${TMPDIR:-/tmp}/odonata-$(id -u)
        # Anybody may write beside it: another's modules are not to be compiled into a program.
        mkdir -p -m 700 "$cache" && [ -O "$cache" ] ||
            fail "$cache is not yours; XDG_CACHE_HOME names another place"
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
        $1 $own -c "$sources/mpi.f90" && $1 $own -c "$sources/$f08" || exit 2
        ar rc libodonata_mpi_f.a mpi.o "${f08%.f90}.o" && rm -f empty.* ./*.o
    ) || {
        rm -rf "$new"
        fail "\`$1\` cannot compile mpi.f90 and $f08 into $made"
    }
    # Whoever is first; another's are the same.
    mv -T "$new" "$made" 2>/dev/null || rm -rf "$new"
}

# choose LANGUAGE: sets `compiler`, and `from`: the variable that names it, if one does.
choose() {
    case $1 in
        c) default=cc variables="MPICH_CC OMPI_CC I_MPI_CC CC" ;;
        c++) default=c++ variables="MPICH_CXX OMPI_CXX I_MPI_CXX CXX" ;;
        fortran) default=gfortran variables="MPICH_FC OMPI_FC I_MPI_FC FC" ;;
    esac
    compiler=$default
    from=
    for variable in $variables; do
        eval "value=\${$variable:-}"
        if [ -n "$value" ]; then
            compiler=$value
            from=$variable
            return
        fi
    done
}

# refuse_ourselves: a wrapper is no compiler. `make CC=mpicc` exports CC to the wrapper itself, so
# there the default is meant; any other variable that names a wrapper is an error.
refuse_ourselves() {
    names_a_wrapper "$compiler" || return 0
    case $from in
        CC | CXX | FC) compiler=$default ;;
    esac
    names_a_wrapper "$compiler" || return 0
    if [ "$compiler" = "$default" ] && [ "$from" != "${option%=}" ]; then
        found=$(command -v -- "$default")
        fail "the compiler \`$default\` is this wrapper ($found): name the compiler, as in ${option}gcc"
    fi
    fail "$from names \`$compiler\`, which is this wrapper: name the compiler, as in ${option}gcc"
}

# warn_of_mixtures ABI ARGUMENTS...: objects and libraries whose mpi.h was that of the other ABI.
warn_of_mixtures() {
    other="odonata mpi.h: $1 ABI"
    remedy=$2
    shift 2
    for file in "$@"; do
        case $file in
            *.o | *.a | *.so | *.so.[0-9]*) ;;
            *) continue ;;
        esac
        # A line for each, so that the build's log names them.
        if [ -f "$file" ] && LC_ALL=C grep -qa "$other" "$file"; then
            echo "$name: warning: $file was compiled with the mpi.h of the other ABI: $remedy" >&2
        fi
    done
}

# shown WHAT COMPILER ARGUMENTS...: answers what build systems ask.
shown() {
    what=$1
    compiler=$2
    shift 2
    case $what in
        all) echo "$compiler $*" ;;
        command) echo "$compiler" ;;
        compile) echo "$includes" ;;
        compile_info) echo "$compiler $includes" ;;
        link) echo "$links" ;;
        link_info) echo "$compiler $links" ;;
        incdirs) words_of -I "$includes" ;;
        libdirs) words_of -L "$links" ;;
        libs) words_of -l "$links" ;;
        version) echo "$name: odonata, MPI 5.0" ;;
        help) echo "$name -show, -compile_info, -link_info, --showme[:command|compile|link|incdirs|libdirs|libs|version]" ;;
        *) fail "--showme:$what is unknown; expected command, compile, link, incdirs, libdirs, libs or version" ;;
    esac
}

# words_of OPTION WORDS: what follows this option.
words_of() {
    answer=
    for word in $2; do
        case $word in
            "$1"*) answer="$answer ${word#"$1"}" ;;
        esac
    done
    echo "${answer# }"
}

# wrap LANGUAGE OPTION ARGUMENTS...: OPTION, such as `-cc=`, overrules the compiler.
wrap() {
    language=$1
    option=$2
    shift 2
    # A compiler that is a script of the user's may come back to us.
    [ -z "${ODONATA_COMPILER:-}" ] ||
        fail "the compiler \`$ODONATA_COMPILER\` calls this wrapper again: name the compiler itself, as in ${option}gcc"
    choose "$language"
    case $language in
        fortran) names="mpifort mpi" version=12 include=$package/_include ;;
        *) names=mpi_abi version=1 include=$package/_include ;;
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
            "$option"*)
                compiler=${argument#"$option"}
                from=${option%=}
                continue
                ;;
            -abi=mpich)
                # What Fortran speaks, so for the C of programs that are partly Fortran.
                [ "$language" = fortran ] || names=mpi version=12 include=$package/_include/mpich
                continue
                ;;
            -show | --show | -showme | --showme) show=all; continue ;;
            -compile_info | -compile-info) show=compile_info; continue ;;
            -link_info | -link-info) show=link_info; continue ;;
            -showme:* | --showme:*) show=${argument#*:}; continue ;;
            -c | -E | -S | -M | -MM | -fsyntax-only) link= ;;
        esac
        set -- "$@" "$argument"
    done
    refuse_ourselves
    export ODONATA_COMPILER="$compiler"
    for part in $names; do
        library=$package/_lib/lib$part.so.$version
        [ -e "$include/mpi.h" ] && [ -e "$library" ] ||
            fail "$library or mpi.h is missing: build them with \`cargo x libs\`"
    done
    if [ -n "$link" ] && [ -z "$show" ]; then
        case $names in
            *mpi_abi*) warn_of_mixtures MPICH "compile it without -abi=mpich" "$@" ;;
            *) warn_of_mixtures standard "compile it with odonata-mpicc -abi=mpich" "$@" ;;
        esac
    fi
    options=
    includes=-I$include
    links="-L$package/_lib"
    if [ "$language" = fortran ]; then
        case " $compiler $* " in
            *" -fdefault-integer-8 "* | *" -i8 "*)
                fail "integers of 8 bytes by default are not those of the library"
                ;;
        esac
        modules "$compiler"
        options=$(cat "$made/options")
        [ -z "$link" ] || set -- "$@" "-L$made" -lodonata_mpi_f
        set -- "-I$made" "$@"
        includes="$includes $options -I$made"
        links="$links -L$made -lodonata_mpi_f"
    fi
    # First, so that another MPI on the program's own paths cannot hide ours.
    if [ -n "$link" ]; then
        set -- "-L$package/_lib" "$@"
        for part in $names; do
            # By directory and name, because that is what CMake's FindMPI understands of what
            # `-show` prints; a wheel may have lost the link.
            library=$package/_lib/lib$part.so
            if [ -e "$library" ]; then
                set -- "$@" "-l$part"
                links="$links -l$part"
            else
                set -- "$@" "$library.$version"
                links="$links $library.$version"
            fi
        done
        set -- "$@" "-Wl,-rpath,$package/_lib"
        links="$links -Wl,-rpath,$package/_lib"
    fi
    set -- "-I$include" $options "$@"
    if [ -n "$show" ]; then
        shown "$show" "$compiler" "$@"
        exit
    fi
    # Unquoted: `CC="ccache gcc"` is two words.
    exec $compiler "$@"
}
