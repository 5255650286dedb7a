#!/bin/bash
# Prolog of a job on one node: the health checks of its Slingshot NICs. For Slurm (`Prolog=` in
# slurm.conf: a failure drains the node) and for PBS (a hook or `$action` that runs it on each
# vnode; the script offlines the vnode itself).
#
# STATE_DIR (default /var/run/odonata-check) receives what the epilog compares with.
set -u
STATE_DIR=${STATE_DIR:-/var/run/odonata-check}
HEALTHCHECK=${HEALTHCHECK:-cxi_healthcheck}
LOOPBACK=${LOOPBACK:-cxi_gpu_loopback_bw}
LEAST_GBIT_S=${LEAST_GBIT_S:-180} # HPE, fabric validation: 182 to 187 on sound NICs
SERVICE=${SERVICE:-cxi_service}
DEVICES=${DEVICES:-/sys/class/cxi}
JOB=${SLURM_JOB_ID:-${PBS_JOBID:-none}}

fail() {
    echo "odonata check prolog: $1" >&2
    if [ -n "${PBS_JOBID:-}" ] && command -v pbsnodes >/dev/null; then
        pbsnodes -o -C "odonata check: $1" "$(hostname)"
    fi
    exit 1 # Slurm drains the node and requeues the job
}

mkdir -p "$STATE_DIR" || fail "cannot create $STATE_DIR"

text=$("$HEALTHCHECK" 2>&1) || true
echo "$text" | grep -q 'Check: ' || fail "$HEALTHCHECK printed no check"
failed=$(echo "$text" | sed -n 's/.*Check: \([^ ]*\) .*Result: *[Ff]ail.*/\1/p' | sort -u |
    paste -sd, -)
[ -z "$failed" ] || fail "cxi_healthcheck: $failed"

for device in "$DEVICES"/cxi*; do
    [ -e "$device" ] || continue
    name=$(basename "$device")
    rate=$("$LOOPBACK" -d "$name" -D "${LOOPBACK_S:-2}" 2>/dev/null |
        awk 'NF == 4 && $1 + 0 > 0 && $3 + 0 > 0 { rate = $3 } END { print rate }')
    [ -n "$rate" ] || fail "$LOOPBACK printed no bandwidth of $name"
    awk -v rate="$rate" -v least="$LEAST_GBIT_S" 'BEGIN { exit !(rate < least) }' &&
        fail "$name: loopback $rate Gbit/s, at least $LEAST_GBIT_S expected"
    # The driver keeps the times of link restarts in files of this directory [recall].
    cat "$device"/device/link_restarts/* 2>/dev/null | wc -l >"$STATE_DIR/$JOB.$name.flaps"
    "$SERVICE" list -d "$name" 2>/dev/null | awk '$1 == "ID:" { print $2 }' \
        >"$STATE_DIR/$JOB.$name.services"
done
exit 0
