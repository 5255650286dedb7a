"""A client of the fabric manager's REST interface, with the standard library only.

The address is in ODONATA_FABRIC (default http://127.0.0.1:8000), a token in ODONATA_FABRIC_TOKEN.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

ADDRESS = "ODONATA_FABRIC"
TOKEN = "ODONATA_FABRIC_TOKEN"
CERTIFICATE = "ODONATA_FABRIC_CA"
DEFAULT = "http://127.0.0.1:8000"
# Documents of a page of a collection.
PAGE = 1000
TIMEOUT_S = 120


class ClientError(Exception):
    """A request that failed: the status (0: no answer) and the service's message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Client:
    """Requests to one service."""

    def __init__(self, address: str | None = None, token: str | None = None) -> None:
        self.address = (address or os.environ.get(ADDRESS) or DEFAULT).rstrip("/")
        self.token = token or os.environ.get(TOKEN)
        if urllib.parse.urlsplit(self.address).scheme not in ("http", "https"):
            raise ClientError(0, f"{ADDRESS} is no http or https address: `{self.address}`")

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """The document that a request answers; None if it has no content."""
        headers = {"Accept": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        asked = urllib.request.Request(self.address + path, data, headers, method=method)
        tls = None
        if self.address.startswith("https"):
            tls = ssl.create_default_context(cafile=os.environ.get(CERTIFICATE))
        try:
            with urllib.request.urlopen(asked, timeout=TIMEOUT_S, context=tls) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise ClientError(error.code, message_of(error)) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise ClientError(0, f"no answer of {self.address}: {reason}") from None
        return json.loads(text) if text else None

    def get(self, path: str) -> Any:
        """A document or one page of a collection."""
        return self.request("GET", path)

    def links(self, collection: str) -> list[str]:
        """The links of all documents of a collection, page by page."""
        found: list[str] = []
        path: str | None = f"{collection}?$limit={PAGE}"
        while path is not None:
            page = self.get(path)
            found += page["documentLinks"]
            path = page.get("nextPageLink")
        return found

    def documents(self, collection: str, where: str = "") -> Iterator[dict[str, Any]]:
        """The documents of a collection that a filter accepts, page by page."""
        path: str | None = f"{collection}?$limit={PAGE}&expand=true"
        if where:
            path += f"&$filter={urllib.parse.quote(where)}"
        while path is not None:
            page = self.get(path)
            for link in page["documentLinks"]:
                yield page["documents"][link]
            path = page.get("nextPageLink")


def message_of(error: urllib.error.HTTPError) -> str:
    """The message of an error document."""
    try:
        return json.loads(error.read())["message"]
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        return str(error)  # the connection may end within the document


def path_of(words: str) -> str:
    """The path of `ports/x1c0r1j1p0`, `/fabric/ports/...` or another absolute path."""
    path = words if words.startswith("/") else f"/fabric/{words}"
    return urllib.parse.quote(path.rstrip("/"), safe="/:-._~$?=&'")
