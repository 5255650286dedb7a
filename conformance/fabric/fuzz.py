"""Requests of an OpenAPI-driven fuzzer (schemathesis) to a served fabric.

    python conformance/fabric/fuzz.py [--examples N] [--seed N]

Requires `pip install schemathesis`. An answer of 5xx, or one that the description of the service
does not permit, fails the run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from serving import Service

# Without a manager 503 is correct, and the fuzzer rejects it. Streams have no end.
EXCLUDED = (
    r"^/simulation/(managers|failover|tokens|clock/advance|stream)|^/sma-telemetry-api/v1/stream/"
)
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_headers_conformance,response_schema_conformance,ignored_auth,unsupported_method"
)


def main() -> int:
    """Serve a fabric, send the requests, and return the fuzzer's exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--examples", type=int, default=30, help="requests per operation.")
    parser.add_argument("--seed", type=int, default=1, help="seed of the requests.")
    given = parser.parse_args()
    with Service("lumi-c") as service:
        return fuzz(service.address, service.token, given.examples, given.seed)


def fuzz(address: str, token: str, examples: int, seed: int) -> int:
    """Run the fuzzer. Returns its exit code."""
    return subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json",
         "--url", address, "-H", f"Authorization: Bearer {token}", "--checks", CHECKS,
         "--exclude-path-regex", EXCLUDED, "--max-examples", str(examples), "--seed", str(seed),
         "--phases", "examples,coverage,fuzzing", "--no-color"],
        check=False,
    ).returncode  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
