#!/bin/bash
# Epilog of a job on one node: flaps of its NICs since the prolog, CXI services that the job left,
# and hardware errors. It drains the node if there are any. For Slurm (`Epilog=`) and PBS.
#
# `epilog.sh --undrain` returns a drained node to service if all health checks pass.
set -u
STATE_DIR=${STATE_DIR:-/var/run/odonata-check}
HEALTHCHECK=${HEALTHCHECK:-cxi_healthcheck}
SERVICE=${SERVICE:-cxi_service}
DMESG=${DMESG:-dmesg}
MOST_ERRORS=${MOST_ERRORS:-0} # hardware errors in the kernel's log that are accepted
DEVICES=${DEVICES:-/sys/class/cxi}
JOB=${SLURM_JOB_ID:-${PBS_JOBID:-none}}
NODE=${SLURMD_NODENAME:-$(hostname)}

drain() {
    echo "odonata check epilog: $1" >&2
    if command -v scontrol >/dev/null; then
        scontrol update "NodeName=$NODE" State=DRAIN "Reason=odonata check: $1"
    elif command -v pbsnodes >/dev/null; then
        pbsnodes -o -C "odonata check: $1" "$NODE"
    fi
    exit 1
}

if [ "${1:-}" = --undrain ]; then
    text=$("$HEALTHCHECK" 2>&1) || true
    echo "$text" | grep -q 'Check: ' || drain "$HEALTHCHECK printed no check"
    if echo "$text" | grep -qi 'Result: *fail'; then
        echo "odonata check: health checks fail; the node stays drained" >&2
        exit 1
    fi
    if command -v scontrol >/dev/null; then
        scontrol update "NodeName=$NODE" State=RESUME
    elif command -v pbsnodes >/dev/null; then
        pbsnodes -r "$NODE"
    fi
    exit 0
fi

for device in "$DEVICES"/cxi*; do
    [ -e "$device" ] || continue
    name=$(basename "$device")
    now=$(cat "$device"/device/link_restarts/* 2>/dev/null | wc -l)
    before=$(cat "$STATE_DIR/$JOB.$name.flaps" 2>/dev/null || echo "$now")
    services=$(cat "$STATE_DIR/$JOB.$name.services" 2>/dev/null)
    had_prolog=$([ -e "$STATE_DIR/$JOB.$name.services" ] && echo yes)
    rm -f "$STATE_DIR/$JOB.$name.flaps" "$STATE_DIR/$JOB.$name.services"
    [ "$now" -le "$before" ] || drain "$name: $((now - before)) flaps during job $JOB"
    # Services that did not exist before the job. One that remains keeps resources of the NIC.
    [ -n "$had_prolog" ] || continue
    for id in $("$SERVICE" list -d "$name" 2>/dev/null | awk '$1 == "ID:" { print $2 }'); do
        echo "$services" | grep -qx "$id" && continue
        "$SERVICE" delete -d "$name" -s "$id" >/dev/null 2>&1 ||
            drain "$name: CXI service $id of job $JOB remains"
    done
done

errors=$("$DMESG" 2>/dev/null | grep -c 'Hardware Error.*section_type')
[ "$errors" -le "$MOST_ERRORS" ] || drain "$errors hardware errors in the kernel's log"
exit 0
