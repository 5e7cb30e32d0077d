"""Endpoints of a server, from its sources, from OpenAPI, or from the mappings of Spring's actuator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

MOST = 20
"""Endpoints that a first configuration names."""

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_OF_SPRING = re.compile(r"@(Get|Post|Put|Patch|Delete|Request)Mapping\b(\s*\((?:[^()\"]|\"[^\"]*\")*\))?")
_PATH = re.compile(r"\"(/?[^\"]*)\"")
_QUERY = re.compile(
    r"@(?:RequestParam|QueryParam|RestQuery)\b(?:\s*\(([^()]*)\))?\s+(?:final\s+)?([\w.<>]+)\s+(\w+)"
)
_IN_BRACES = re.compile(r"\{\s*(\w+)\s*(?::(?:[^{}]|\{[^{}]*\})*)?\}")
_OF_FRAMEWORK = ("/error", "/actuator", "/v3/", "/swagger-ui", "/q/", "/webjars", "/**", "/h2-console")


class HttpEndpoint(Struct, frozen=True):
    """One endpoint.

    Attributes:
        path: with ``{name}`` for what varies in it.
        query: names of the parameters that it must have.
        method: of HTTP.
    """

    path: str
    query: tuple[str, ...] = ()
    method: str = "GET"

    @property
    def variables(self) -> tuple[str, ...]:
        return (*_IN_BRACES.findall(self.path), *self.query)

    @property
    def name(self) -> str:
        """A name for its requests: the words of its path."""
        words = [word for word in self.path.split("/") if word and not word.startswith("{")]
        named = re.sub(r"[^\w.-]", "", "-".join(words[-2:]), flags=re.ASCII)[:40] or "root"
        return f"{named}-one" if self.path.rstrip("/").endswith("}") else named

    def fill(self, values: Mapping[str, str]) -> str:
        """Return its path with a value for each of its variables."""
        path = _IN_BRACES.sub(lambda match: values[match[1]], self.path)
        query = "&".join(f"{name}={values[name]}" for name in self.query)
        return f"{path}?{query}" if query else path


def spring_endpoints(sources: Mapping[str, str]) -> tuple[HttpEndpoint, ...]:
    """Return the endpoints of Spring's controllers in sources by their paths."""
    endpoints: list[HttpEndpoint] = []
    for text in sources.values():
        if "Controller" not in text:
            continue
        of_class = text.find("class ")
        prefix = ""
        for match in _OF_SPRING.finditer(text):
            kind, arguments = match[1], match[2] or ""
            path = (_PATH.findall(arguments) or [""])[0]
            if match.start() < of_class:
                prefix = path.rstrip("/")
                continue
            method = kind.upper() if kind != "Request" else _method_in(arguments)
            signature = text[match.end() :].split("{", 1)[0]
            endpoints.append(_endpoint(prefix, path, signature, method))
    return _own(endpoints)


def jax_rs_endpoints(sources: Mapping[str, str]) -> tuple[HttpEndpoint, ...]:
    """Return the endpoints of JAX-RS resources in sources by their paths."""
    endpoints: list[HttpEndpoint] = []
    for text in sources.values():
        if "@Path" not in text:
            continue
        of_class = text.find("class ")
        prefix = next(iter(re.findall(r'@Path\("([^"]*)"\)', text[:of_class])), "")
        for match in re.finditer(r'@(GET|POST|PUT|PATCH|DELETE)\b((?:"[^"]*"|[^;{"])*)', text[of_class:]):
            path = next(iter(re.findall(r'@Path\("([^"]*)"\)', match[2])), "")
            endpoints.append(_endpoint("/" + prefix.strip("/"), path, match[2], match[1]))
    return _own(endpoints)


def openapi_endpoints(document: Any) -> tuple[HttpEndpoint, ...]:
    """Return the endpoints of a document of OpenAPI; empty if it is none."""
    paths = document.get("paths") if isinstance(document, dict) else None
    endpoints = []
    for path, methods in paths.items() if isinstance(paths, dict) else ():
        for method, about in methods.items() if isinstance(methods, dict) else ():
            if method.upper() in _METHODS and isinstance(about, dict):
                given = about.get("parameters")
                query = (
                    [parameter for parameter in given if isinstance(parameter, dict)]
                    if isinstance(given, list)
                    else []
                )
                names = tuple(
                    str(parameter.get("name"))
                    for parameter in query
                    if parameter.get("in") == "query" and parameter.get("required")
                )
                endpoints.append(HttpEndpoint(path, names, method.upper()))
    return _own(endpoints)


def actuator_endpoints(document: Any) -> tuple[HttpEndpoint, ...]:
    """Return the endpoints of an answer of ``/actuator/mappings``; empty if it is none."""
    endpoints: list[HttpEndpoint] = []
    for predicate in _predicates(document):
        patterns, methods = (_texts(predicate.get(key)) for key in ("patterns", "methods"))
        endpoints += [HttpEndpoint(path, (), method) for path in patterns for method in methods]
    return _own(endpoints)


def _texts(data: Any) -> list[str]:
    return [text for text in data if isinstance(text, str)] if isinstance(data, list) else []


def _predicates(data: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(data, dict):
        if isinstance(data.get("requestMappingConditions"), dict):
            yield data["requestMappingConditions"]
        for value in data.values():
            yield from _predicates(value)
    elif isinstance(data, list):
        for value in data:
            yield from _predicates(value)


def _method_in(arguments: str) -> str:
    return next((method for method in _METHODS if f"RequestMethod.{method}" in arguments), "GET")


def _endpoint(prefix: str, path: str, signature: str, method: str) -> HttpEndpoint:
    whole = f"{prefix.rstrip('/')}/{path.strip('/')}".rstrip("/") or "/"
    whole = whole if whole.startswith("/") else f"/{whole}"
    needed = []
    for arguments, _, parameter in _QUERY.findall(signature):
        if "required = false" not in arguments and "defaultValue" not in arguments:
            needed.append((re.findall(r'"([^"]+)"', arguments) or [parameter])[0])
    return HttpEndpoint(whole, tuple(needed), method)


def _own(endpoints: Iterable[HttpEndpoint]) -> tuple[HttpEndpoint, ...]:
    """Return endpoints that are the program's own, once each; those that only read first."""
    own = [endpoint for endpoint in dict.fromkeys(endpoints) if not endpoint.path.startswith(_OF_FRAMEWORK)]
    return tuple(sorted(own, key=lambda endpoint: endpoint.method != "GET"))[:MOST]
