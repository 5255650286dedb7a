# Writes with fio and verifies the checksum of each block: fio.sh ENGINE MOUNT.
set -eu
engine=$1 mount=$2
job() {
    fio --name="$1" --directory="$mount" --ioengine="$engine" --verify=crc32c --verify_fatal=1 \
        --verify_dump=0 --fallocate=none --randseed=1 --output-format=terse --terse-version=3 \
        --group_reporting --eta=never "${@:2}" >"$mount/$1.log" ||
        { cat "$mount/$1.log"; echo "fio $engine $1 failed"; exit 1; }
}
job small --rw=randwrite --bs=4k --size=1m
job ranges --rw=randwrite --bsrange=512-64k --bs_unaligned=0 --size=4m
job large --rw=write --bs=1m --size=16m
job mixed --rw=randrw --bs=16k --size=2m --numjobs=2
job synced --rw=write --bs=32k --size=1m --fsync=4
case $engine in
libaio | posixaio) job deep --rw=randwrite --bs=8k --size=2m --iodepth=16 ;;
mmap) ;;
*) job direct --rw=write --bs=64k --size=2m --direct=1 ;;
esac
echo "fio $engine: verified"
