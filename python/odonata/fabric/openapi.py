"""The OpenAPI description of the service, from its table of resources, and its page."""

from __future__ import annotations

import html
import json
from typing import Any

from ..version import version
from . import resources, roles, telemetry
from .login import LOGIN
from .resources import COUNT, NUMBER, OBJECT, TEXT, TEXTS, Collection

# Fields that the service sets in each document.
_KEPT = {
    "documentVersion": COUNT,
    "documentEpoch": COUNT,
    "documentKind": TEXT,
    "documentSelfLink": TEXT,
    "documentUpdateTimeMicros": COUNT,
    "documentUpdateAction": TEXT,
    "documentOwner": TEXT,
    "documentAuthPrincipalLink": TEXT,
}
_LISTED = {
    "totalCount": COUNT,
    "documentLinks": TEXTS,
    "documentCount": COUNT,
    "queryTimeMicros": COUNT,
    "documentVersion": COUNT,
    "documentUpdateTimeMicros": COUNT,
    "documentExpirationTimeMicros": COUNT,
    "documentOwner": TEXT,
    "nextPageLink": TEXT,
    "prevPageLink": TEXT,
}
_ERROR = {
    "message": TEXT,
    "statusCode": {"type": "integer", "minimum": 400, "maximum": 599},
    "documentKind": TEXT,
    "errorCode": {"type": "integer"},
}
_MEANINGS = {
    400: "A wrong query or body",
    401: "No valid bearer token",
    403: "The role of the token has no right to this",
    404: "No such document",
    405: "The resource has no such verb",
    409: "The document exists, or its state does not permit this",
    412: "The document has another version",
    413: "The body is too large",
    415: "The body is not application/json",
    422: "The value cannot be applied",
    429: "Too many requests",
    503: "No manager is active",
}
NAME = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$"


def object_of(fields: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object", "properties": fields}
    return {**found, "required": list(required)} if required else found


def answers(schema: dict[str, Any] | None, *more: int, status: int = 200) -> dict[str, Any]:
    """A success and the possible errors."""
    found: dict[str, Any] = {str(status): {"description": "Success"}}
    if schema is not None:
        found[str(status)]["content"] = {"application/json": {"schema": schema}}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for code in sorted({400, 401, 403, 404, 405, 413, 429, 503, *more}):
        found[str(code)] = {"description": _MEANINGS[code], "content": error}
    return found


def body(fields: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    schema = object_of(fields, required)
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def query(name: str, schema: dict[str, Any], about: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": about}


PAGING = [
    query("$limit", {"type": "integer", "minimum": 1, "maximum": 10_000}, "Documents of a page"),
    query("$skip", {"type": "integer", "minimum": 0, "maximum": 2**31}, "Documents to skip"),
    query("$filter", TEXT, "`FIELD eq 'VALUE'`, joined by `and`"),
    query("$orderby", TEXT, "`FIELD` or `FIELD desc`"),
    query("$count", {"type": "string", "enum": ["true", "false"]}, "Only the number"),
    query("expand", {"type": "string", "enum": ["true", "false"]}, "Include the documents"),
]


def operations(one: Collection, verbs: tuple[str, ...], is_document: bool) -> dict[str, Any]:
    """The verbs of a collection or of its documents."""
    found: dict[str, Any] = {}
    for verb in verbs:
        operation: dict[str, Any] = {
            "summary": f"{verb} {one.path}{'/{name}' if is_document else ''}",
            "tags": [one.about + (" (own extension)" if one.is_own else "")],
        }
        if verb == "GET":
            # One page of all links of a collection; a document has fields of its own.
            schema = "Document" if is_document else "Collection"
            operation["responses"] = answers({"$ref": f"#/components/schemas/{schema}"})
            if not is_document:
                operation["parameters"] = PAGING
        elif verb == "DELETE":
            operation["responses"] = answers(OBJECT, 409)
        else:
            required = one.required if verb == "POST" else ()
            operation["requestBody"] = body(one.fields, required)
            operation["responses"] = answers(OBJECT, 409, 412, 415, 422)
            if verb == "POST":
                operation["responses"]["201"] = operation["responses"]["200"]
        found[verb.lower()] = operation
    if is_document:
        name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
        found["parameters"] = [name]
    return found


def own_paths() -> dict[str, Any]:
    """Paths of the service itself."""

    def get(about: str, schema: dict[str, Any], *parameters: dict[str, Any]) -> dict[str, Any]:
        return {
            "get": {
                "summary": about,
                "tags": ["Service (own extension)"],
                "parameters": list(parameters),
                "responses": answers(schema),
            }
        }

    def change(
        about: str, fields: dict[str, Any], schema: dict[str, Any],
        required: tuple[str, ...] | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        return {
            "summary": about,
            "tags": ["Service (own extension)"],
            "requestBody": body(fields, tuple(fields) if required is None else required),
            "responses": answers(schema, 409, 415),
        }

    def text(about: str, kind: str, *parameters: dict[str, Any]) -> dict[str, Any]:
        found = get(about, {}, *parameters)
        found["get"]["responses"]["200"]["content"] = {kind: {"schema": TEXT}}
        return found

    def one_of(name: str, values: tuple[str, ...]) -> dict[str, Any]:
        schema = {"type": "string", "enum": list(values)}
        return {"name": name, "in": "path", "required": True, "schema": schema}

    cabling = text("A file of the cabling", "text/plain")
    content = cabling["get"]["responses"]["200"]["content"]
    content |= {"text/csv": {"schema": TEXT}, "application/json": {"schema": OBJECT}}
    cabling["parameters"] = [one_of("file", ("point-to-point", "fabric-template", "arp"))]
    form = object_of({"grant_type": TEXT, "client_id": TEXT, "client_secret": TEXT,
                      "scope": TEXT}, ("client_secret",))  # fmt: skip
    login = {
        "summary": "The token of a secret, in the form of an OpenID provider",
        "tags": ["Service (own extension)"],
        "security": [],
        "requestBody": {
            "required": True,
            "content": {"application/x-www-form-urlencoded": {"schema": form}},
        },
        "responses": answers(object_of({"access_token": TEXT, "token_type": TEXT})),
    }
    clock = object_of({"nowSeconds": NUMBER, "speed": NUMBER, "lagSeconds": NUMBER},
                      ("nowSeconds", "speed"))  # fmt: skip
    token = {"name": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$"},
             "role": {"type": "string", "enum": list(roles.ROLES)}}  # fmt: skip
    created = change("Create a token; it is shown once", token, object_of({**token, "token": TEXT}))
    created["responses"]["201"] = created["responses"].pop("200")
    removed = {"summary": "Revoke a token", "tags": ["Service (own extension)"],
               "responses": answers(None, status=204)}  # fmt: skip
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    seconds = {"type": "number", "minimum": 0, "maximum": 31 * 86_400}
    speed = {"type": "number", "minimum": 0, "maximum": 10_000}
    whole = {"type": "integer", "minimum": 0, "maximum": 2**53}
    part = {"type": "integer", "minimum": 1, "maximum": 10_000}
    events = object_of({"next": COUNT, "events": {"type": "array", "items": OBJECT}})
    odata = [
        query("$filter", TEXT, "Such as `Location eq 'x2006c0r39a0l1'`, or of PhysicalContext"),
        query("$top", part, "The most rows"),
        query("$limit", part, "The most rows"),
        query("$count", {"type": "string", "enum": ["true", "false"]}, "Count the rows"),
        query("$orderby", TEXT, "`FIELD` or `FIELD desc`"),
    ]
    return {
        "/port-sets": get("Names of the port sets (first generation)", TEXTS),
        **{
            f"/port-sets/{name}{part}": get(f"The {name} of the fabric{about}", OBJECT)
            for name in ("fabric-ports", "edge-ports")
            for part, about in (("", ""), ("/status", " and whether they are enabled"))
        },
        "/simulation": get("The extensions of the simulation", OBJECT),
        "/simulation/prometheus": text("Counts for Prometheus", "text/plain"),
        "/simulation/stream": text("Changes for the live page", "text/event-stream"),
        "/simulation/cabling/{file}": cabling,
        "/sma-telemetry-api/v1/ping": get("Whether the streams answer", OBJECT),
        "/sma-telemetry-api/v1/stream": get("Telemetry topics", OBJECT),
        "/sma-telemetry-api/v1/stream/{topic}": {
            **text("A telemetry topic as server-sent events", "text/event-stream",
                   query("count", part, "Messages until the end; 0: none"),
                   query("batchsize", part, "Events of a message"),
                   query("since", whole, "Number of the first event")),
            "parameters": [one_of("topic", tuple(telemetry.TOPICS))],
        },
        LOGIN: {"post": login},
        "/metrics": get("OData query of telemetry", OBJECT, *odata),
        "/simulation/health": get("Whether the service answers",
                                  object_of({"state": TEXT, "nowSeconds": NUMBER,
                                             "problem": TEXT})),
        "/simulation/status": get("Counts of fmn-show-status", OBJECT),
        "/simulation/layout": get("Groups, switches and links", OBJECT),
        "/simulation/history": get("Kept changes of states", OBJECT),
        "/simulation/state": get("Faults of the present state", OBJECT),
        "/simulation/machine": get("Machine", OBJECT),
        "/simulation/digest": get("Hash of all changes of state", OBJECT),
        "/simulation/costs": {
            "post": change(
                "Predict the cost of taking targets out of service",
                {"targets": {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 64},
                 "job": TEXT, "fidelity": {"type": "string", "enum": ["flow", "packet"]}},
                OBJECT, required=("targets",),
            )
        },
        "/simulation/events": get("Events from a number on", events,
                                  query("since", whole, "Number of the first event"),
                                  query("limit", part, "The most events")),
        "/simulation/clock": {
            **get("Simulated time and its speed", clock),
            "patch": change("Change the speed", {"speed": speed}, clock),
        },
        "/simulation/clock/advance": {
            "post": change("Advance the simulated time", {"seconds": seconds}, clock)
        },
        "/simulation/tokens": {**get("Tokens", OBJECT), "post": created},
        "/simulation/tokens/{name}": {"delete": removed, "parameters": [name]},
    }  # fmt: skip


def description(needs_token: bool) -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, Any] = {}
    for one in (*resources.COLLECTIONS, *resources.SINGLE):
        is_single = one in resources.SINGLE
        paths[one.path] = operations(one, one.of_collection, is_document=is_single)
        if is_single:
            del paths[one.path]["parameters"]
        else:
            paths[f"{one.path}/{{name}}"] = operations(one, one.of_document, is_document=True)
    paths |= own_paths()
    schemas = {
        "Error": object_of(_ERROR, tuple(_ERROR)),
        "Document": object_of(_KEPT),
        "Collection": object_of(_LISTED),
    }
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "odonata fabric manager",
            "version": version(),
            "description": "Documents of the Slingshot fabric manager, as far as public clients "
            "and guides show them, over a simulated fabric. Streams: "
            + ", ".join(f"/sma-telemetry-api/v1/stream/{topic}" for topic in telemetry.TOPICS),
        },
        "servers": [{"url": "/"}, {"url": "/apis/fabric-manager"}],
        "paths": paths,
        "components": {"schemas": schemas},
    }
    if needs_token:
        bearer = {"type": "http", "scheme": "bearer"}
        found["components"]["securitySchemes"] = {"token": bearer}
        found["security"] = [{"token": []}]
        found["paths"]["/simulation/health"]["get"]["security"] = []
    return found


def page(described: dict[str, Any]) -> str:
    """The description as one HTML page without scripts."""
    rows: list[str] = []
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            if method == "parameters":
                continue
            codes = ", ".join(sorted(operation["responses"]))
            content = operation.get("requestBody", {}).get("content", {})
            fields = content.get("application/json", {}).get("schema", {}).get("properties", {})
            text = html.escape(json.dumps(fields)) if fields else ""
            cells = (method.upper(), html.escape(path), html.escape(operation["tags"][0]), text)
            rows.append("<tr><td>" + "</td><td>".join((*cells, codes)) + "</td></tr>")
    info = described["info"]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>API</title>'
        '<link rel="stylesheet" href="/simulation/page/page.css"><body class="text">'
        f"<h1>{html.escape(info['title'])} {html.escape(info['version'])}</h1>"
        f"<p>{html.escape(info['description'])}</p>"
        '<p><a href="/openapi.json">openapi.json</a></p><table><tr><th>Verb</th><th>Path</th>'
        "<th>Resource</th><th>Body</th><th>Status</th></tr>" + "".join(rows) + "</table>"
    )
