"""The page's own style and script, and the policy that lets a browser run no other script."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

SCRIPTS = ("quantity", "data", "scales", "draw", "chart", "hover", "overview", "timeline", "page")
"""In the order in which they stand in the page."""


@cache
def style() -> str:
    """Return the style."""
    return text_of("page.css")


@cache
def script() -> str:
    """Return all scripts as one function, so that none of their names is global."""
    return enclosed(*SCRIPTS)


def enclosed(*names: str) -> str:
    """Return scripts as one function."""
    parts = "\n".join(map(source, names))
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def source(name: str) -> str:
    """Return one of the scripts."""
    return text_of(f"{name}.js")


@cache
def policy() -> str:
    """Return the content security policy: no network, and only this script and this style."""
    return policy_of(script(), style())


def policy_of(script: str, style: str) -> str:
    """Return the policy of a page with one script and one style."""
    sources = "; ".join(
        f"{kind}-src 'sha256-{_digest(text)}'" for kind, text in (("script", script), ("style", style))
    )
    return f"default-src 'none'; {sources}; img-src data:; base-uri 'none'; form-action 'none'"


def text_of(name: str) -> str:
    """Return the content of one file in ``assets/``."""
    return files("buto.report.html").joinpath("assets", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
