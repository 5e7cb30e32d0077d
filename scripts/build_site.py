"""Build the site: all pages that the documentation links, and a reference of the API, into ``build/site/``.

``make site`` calls it. The pages link each other by their places in the repository, also out of ``docs/``. So
the site has these places, too: each page that is linked on the way from the first is copied, and other
linked files beside it. A link to a folder leads to its README, and is only text where there is none.

A page of the reference has the public names of a module, from their docstrings. MkDocs fails on a link that
leads nowhere.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import buto

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "build" / "pages"
SITE = ROOT / "build" / "site"
FIRST = (
    *("README.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md"),
    "docs/index.md",
)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]+)?\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^(```\w*) [^\n]*$", re.MULTILINE)
REFERENCE = "reference/index.md"


def main() -> int:
    """Collect the pages, and let MkDocs build them."""
    shutil.rmtree(PAGES, ignore_errors=True)
    collect()
    (PAGES / REFERENCE).parent.mkdir()
    (PAGES / REFERENCE).write_text(reference(), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    done = subprocess.run(command, cwd=ROOT, check=False)
    if done.returncode == 0:
        print(f"The site is {SITE.relative_to(ROOT)}/index.html.")
    return done.returncode


def collect() -> None:
    """Copy the first pages, and all that is linked from them on the way."""
    left = [ROOT / name for name in FIRST]
    known = set(left)
    while left:
        page = left.pop()
        target = PAGES / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".md":
            text = page.read_text(encoding="utf-8")
            target.write_text(rewrite(page, text), encoding="utf-8")
            new = set(linked(page, text)) - known
            known |= new
            left.extend(new)
        else:
            shutil.copyfile(page, target)


def linked(page: Path, text: str) -> Iterator[Path]:
    """Yield the files that a page links."""
    for part in FENCED.split(text)[::2]:
        for _, _, link, _ in LINK.findall(part):
            if file := file_of(page, link):
                yield file


def rewrite(page: Path, text: str) -> str:
    """Return a page whose links to folders lead to their READMEs, and are text where there is none."""

    def replace(match: re.Match[str]) -> str:
        mark, words, link, anchor = match.groups()
        target = (page.parent / link).resolve()
        if not target.is_dir():
            return match[0]
        file = file_of(page, link)
        return f"{mark}[{words}]({os.path.relpath(file, page.parent)}{anchor or ''})" if file else words

    # Behind the language stands how the block is tested, which MkDocs does not read.
    parts = FENCED.split(FENCE.sub(r"\1", text))
    parts[::2] = [LINK.sub(replace, part) for part in parts[::2]]
    return "".join(parts)


def file_of(page: Path, link: str) -> Path | None:
    """Return the file to which a link of a page leads; None if there is none."""
    target = (page.parent / link).resolve()
    if target.is_dir():
        target /= "README.md"
    return target if target.is_file() else None


def reference() -> str:
    """Return the page of the public names, each with its docstring."""
    names = [name for name in buto.__all__ if name not in ("__version__", "events", "frames")]
    lines = [
        "# Reference of the Python interface",
        "",
        "[buto from Python](../docs/running/api.md) shows how to use it.",
    ]
    lines += ["[What you can rely on](../docs/running/stability.md) says how long a name stays.", ""]
    for title, chosen in (
        ("Functions", [name for name in names if name[0].islower()]),
        ("Classes", [name for name in names if name[0].isupper() and not name.endswith("Error")]),
        ("Errors", [name for name in names if name.endswith("Error")]),
    ):
        lines += [f"## {title}", ""]
        for name in chosen:
            home = getattr(buto, name)
            lines += [f"::: {home.__module__}.{name}", ""]
    for module in ("buto.events", "buto.frames"):
        home = getattr(buto, module.partition(".")[2])
        lines += [
            f"## {module}",
            "",
            f"::: {home.__name__}",
            "    options:",
            "      show_root_heading: false",
            "",
        ]
    return "\n".join(lines)


ROLE = re.compile(r":\w+:(?=\s*<code)")


def on_page_content(html: str, **_: object) -> str:
    """Remove the roles before names in docstrings, which MkDocs does not know. It calls this for a page."""
    return ROLE.sub("", html)


if __name__ == "__main__":
    sys.exit(main())
