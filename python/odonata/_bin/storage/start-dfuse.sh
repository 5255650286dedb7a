#!/bin/sh
# Mounts a container as on Aurora: docs/file-systems.md.
. "${0%/*}/../storage.sh"
storage dfuse "$@"
