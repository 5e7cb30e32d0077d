"""The page's own style and script, and what lets a browser run that script and no other."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

SCRIPTS = ("quantity", "data", "scales", "draw", "chart", "hover", "overview", "timeline", "page")
"""In the order in which they stand in the page."""


@cache
def style() -> str:
    return _read("page.css")


@cache
def script() -> str:
    """All scripts as one function; nothing of them is global."""
    parts = "\n".join(map(source, SCRIPTS))
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def source(name: str) -> str:
    """One of the scripts, as it is kept."""
    return _read(f"{name}.js")


@cache
def policy() -> str:
    """The content security policy: no network, no script or style but these."""
    sources = "; ".join(
        f"{kind}-src 'sha256-{_digest(text)}'" for kind, text in (("script", script()), ("style", style()))
    )
    return f"default-src 'none'; {sources}; img-src data:; base-uri 'none'; form-action 'none'"


def _read(name: str) -> str:
    return files("buto.report.html").joinpath("assets", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
