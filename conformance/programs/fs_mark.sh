# Creates, syncs, closes and deletes files in one and in several directories: fs_mark.sh MOUNT.
# A thread of fs_mark has its own directory: it names files by the microsecond of its start, which is
# the same for all processes that a rank starts at once.
set -eu
for sync in 0 1 3 5; do
    mkdir "$1/$sync" "$1/$sync/a" "$1/$sync/b"
    fs_mark -d "$1/$sync/a" -d "$1/$sync/b" -n 40 -s 20000 -S "$sync" -D 4 -N 10 -l "$1/log" \
        >"$1/out"
    # Directories named after their creation are kept; the files are deleted.
    test -z "$(find "$1/$sync" -type f)"
done
# The rate is in simulated time.
test "$(awk 'END { print ($4 > 10 && $4 < 100000) }' "$1/out")" = 1 || { cat "$1/out"; exit 1; }
fs_mark -d "$1" -k -n 30 -s 4096 -w 1024 -l "$1/log" >/dev/null
test "$(find "$1" -maxdepth 1 -type f -size 4096c | wc -l)" = 30
echo "fs_mark: files created and deleted"
