#!/bin/sh
# Unmounts containers at /tmp/POOL/CONTAINER as on Aurora: docs/file-systems.md.
. "${0%/*}/../storage.sh"
storage clean_dfuse "$@"
