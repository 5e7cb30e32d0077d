"""Every page, anchor and path that source, help, messages and documentation name exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support.checkout import ROOT

FOLDERS = (
    "buto",
    "build-plugins",
    "ci",
    "cluster",
    "configs",
    "demo",
    "docs",
    "examples",
    "java-probes",
    "perf",
    "predict",
    "replications",
    "scripts",
    "testprograms",
    "tests",
)
SUFFIXES = {
    ".py",
    ".md",
    ".java",
    ".json",
    ".yaml",
    ".yml",
    ".kts",
    ".xml",
    ".sh",
    ".html",
    ".js",
    ".css",
    ".ipynb",
    ".txt",
}
BUILT = {"build", "target", ".gradle", ".buto", "node_modules", "__pycache__"}
"""Folders of what builds write."""

PAGE = re.compile(
    r"(?<![\w/.-])((?:cluster/README|(?:predict/|replications/)?docs/[\w/-]+)\.md)(?:#([\w-]+))?"
)
"""A page, from the root of the repository."""

LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")
PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]+)`")
"""A path in the text of a page, from the root of the repository."""

HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


class Reference(NamedTuple):
    """What a file points to."""

    source: Path
    target: Path
    anchor: str

    def __str__(self) -> str:
        return f"{self.source.relative_to(ROOT)}->{self.target.name}#{self.anchor}"


def files() -> Iterator[Path]:
    """Return every text file that people wrote."""
    yield from (
        path
        for path in ROOT.iterdir()
        if path.is_file() and (path.suffix in SUFFIXES or path.name == "Makefile")
    )
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if (
                path.suffix in SUFFIXES
                and path.is_file()
                and not BUILT & set(path.relative_to(ROOT).parts[:-1])
            ):
                yield path


def references(path: Path) -> Iterator[Reference]:
    """Return what a file points to: pages by their path, and for pages also their links."""
    text = path.read_text(encoding="utf-8", errors="replace")
    # A link is relative to its page, also where it looks like a path from the root.
    for page, anchor in PAGE.findall(LINK.sub("]", text) if path.suffix == ".md" else text):
        yield Reference(path, ROOT / page, anchor)
    if path.suffix == ".md":
        for link, anchor in LINK.findall(FENCED.sub("", text)):
            yield Reference(path, (path.parent / link).resolve() if link else path, anchor)
        for named in PATH.findall(FENCED.sub("", text)):
            yield Reference(path, ROOT / named, "")


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, made as GitHub makes them."""
    headings = HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    return {
        re.sub(r"[^\w\- ]", "", re.sub(r"\]\(.*?\)", "", heading).lower()).replace(" ", "-")
        for heading in headings
    }


MERGE = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
"""The marks that git leaves in a file that two people have changed."""

FOUND = sorted({reference for path in files() for reference in references(path)})


def test_references_are_found() -> None:
    assert {reference.source.suffix for reference in FOUND} >= {".py", ".md", ".java", ".yaml"}
    assert any(reference.anchor for reference in FOUND)


def test_every_reference_leads_somewhere() -> None:
    lost = [
        str(reference)
        for reference in FOUND
        if not reference.target.exists()
        or (reference.anchor and reference.anchor not in anchors(reference.target))
    ]
    assert lost == []


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    listed = {reference.target for reference in FOUND if reference.source == index}
    pages = {*index.parent.rglob("*.md")}
    assert sorted(pages - listed - {index}) == []


def test_no_file_has_the_marks_of_an_unfinished_merge() -> None:
    assert MERGE.search("one\n" + "<" * 7 + " HEAD\n")
    texts = ((path, path.read_text(encoding="utf-8", errors="replace")) for path in files())
    assert [path for path, text in texts if MERGE.search(text)] == []
