"""Tokens in the forms in which public clients send and obtain them (docs/fabric/clients.md).

Clients of HPE Cray EX exchange a secret for a token at an OpenID provider. Here the secret is a
token of the service, which the exchange returns, so that these clients work unchanged.
"""

from __future__ import annotations

import base64
import contextlib
import json
import urllib.parse
from typing import Any

# The path of the provider on HPE Cray EX (docs-csm).
LOGIN = "/keycloak/realms/shasta/protocol/openid-connect/token"
# Tokens do not expire; clients get a new one after this time.
LIFETIME_S = 86_400


def secret_of(kind: str, text: bytes) -> str:
    """The secret of a form, or of the same fields as JSON: `client_secret` (Slurm,
    sshot-net-operator) or `password` (sat)."""
    try:
        if kind.partition(";")[0].strip().lower() == "application/json":
            form = json.loads(text)
        else:
            form = dict(urllib.parse.parse_qsl(text.decode()))
        secret = form.get("client_secret") or form.get("password")
    except (ValueError, AttributeError, RecursionError):
        secret = None
    if not isinstance(secret, str):
        raise ValueError("the body is a form with client_secret or password")
    return secret


def granted(token: str) -> dict[str, Any]:
    """The answer of a provider."""
    return {
        "access_token": token,
        "expires_in": LIFETIME_S,
        "refresh_expires_in": 0,
        "token_type": "Bearer",
        "not-before-policy": 0,
        "scope": "openid",
    }


def token_of(authorization: str) -> str:
    """The token of an Authorization header: a bearer token, or the password of the basic scheme,
    which Slurm can send (`fm_auth=BASIC`)."""
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        # The decoder raises a plain ValueError for text that is not ASCII.
        with contextlib.suppress(ValueError):
            return base64.b64decode(value.strip(), validate=True).decode().partition(":")[2]
    return ""
