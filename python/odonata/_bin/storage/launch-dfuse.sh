#!/bin/sh
# Mounts containers at /tmp/POOL/CONTAINER as on Aurora: docs/file-systems.md.
. "${0%/*}/../storage.sh"
storage launch_dfuse "$@"
