# Copies a tree to a simulated file system and back: roundtrips.sh PROGRAM MOUNT TREE SCRATCH.
# Each copy must have the same names, modes, times and contents. MOUNT and SCRATCH are empty.
set -eu
program=$1 mount=$2 tree=$3 scratch=$4
list() { python3 "$(dirname "$0")/tree.py" list "$1"; }
list "$tree" >"$scratch/expected"
same() { list "$1" | diff "$scratch/expected" - || { echo "$1 differs"; exit 1; }; }
case $program in
tar)
    tar -C "$tree" -cf "$mount/tree.tar" .
    mkdir "$mount/copy"
    tar -C "$mount/copy" -xpf "$mount/tree.tar"
    same "$mount/copy"
    tar -C "$mount/copy" -czf "$mount/again.tgz" .
    mkdir "$scratch/copy"
    tar -C "$scratch/copy" -xpzf "$mount/again.tgz"
    ;;
rsync)
    rsync -a "$tree/" "$mount/copy/"
    same "$mount/copy"
    # Nothing differs, so nothing is transferred.
    test -z "$(rsync -ai --checksum "$tree/" "$mount/copy/")"
    # Parts of a file change: it is transferred as differences.
    rsync -a --no-whole-file --inplace "$mount/copy/" "$mount/second/"
    file=$(find "$mount/second" -type f -size +500k | sort | head -n 1)
    printf changed | dd of="$file" bs=1 seek=300000 conv=notrunc status=none
    rsync -a --checksum --no-whole-file "$mount/copy/" "$mount/second/"
    same "$mount/second"
    rsync -a --remove-source-files "$mount/second/" "$scratch/copy/"
    test -z "$(find "$mount/second" -type f)"
    ;;
cp)
    cp -a "$tree" "$mount/copy"
    same "$mount/copy"
    cp -a --sparse=always "$mount/copy" "$mount/second"
    same "$mount/second"
    cp -a --reflink=auto "$mount/second" "$scratch/copy"
    mv "$mount/second" "$mount/third"
    same "$mount/third"
    rm -r "$mount/third"
    test "$(ls -A "$mount")" = copy
    ;;
esac
same "$scratch/copy"
echo "$program: equal"
