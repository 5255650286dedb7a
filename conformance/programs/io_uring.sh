# io_uring is refused, so programs use other calls or report it: io_uring.sh MOUNT.
set -u
if fio --name=ring --directory="$1" --ioengine=io_uring --rw=write --bs=4k --size=64k \
    >"$1/out" 2>&1; then
    echo "fio did not fail"
    exit 1
fi
grep -q "Function not implemented" "$1/out" || { cat "$1/out"; exit 1; }
echo "io_uring: ENOSYS"
