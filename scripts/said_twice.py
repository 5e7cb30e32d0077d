"""Find what the users' pages say twice: runs of the same words, and figures with the same unit.

python scripts/said_twice.py

Each statement has one page, and other pages link it. Headings, code and the addresses of links do not count.
``tests/unit/test_said_twice.py`` refuses sentences; figures may be equal by chance, and are only printed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
"""What a user reads. The laboratory books of other packages are not among them."""

LEAST_WORDS = 9
"""So many words in a row make a statement; fewer are a manner of speaking."""

CODE = re.compile(r"^(?:```.*?^```$|(?: {4}|\t).*?$)", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#.*$", re.MULTILINE)
ADDRESS = re.compile(r"\]\([^)]*\)|<!--.*?-->", re.DOTALL)
WORD = re.compile(r"[\w.,%'/-]*\w[\w%']*")
END = re.compile(r"[.:;?!](?=\s)|\||\n\s*\n|^\s*[-*\d]+[. ]", re.MULTILINE)
FIGURE = re.compile(r"(?<![\w.,/-])(\d[\d,]*(?:\.\d+)?)(?![\w./-]) ?(%|[A-Za-zµ]+)")
"""A number and the word behind it."""

ORDINARY = {
    "a",
    "and",
    "are",
    "at",
    "by",
    "for",
    "in",
    "is",
    "of",
    "on",
    "or",
    "s",
    "the",
    "times",
    "to",
    "with",
    "from",
}
"""Words behind a number that are not its unit."""


@dataclass(frozen=True, slots=True, order=True)
class Repetition:
    """What is said on several pages."""

    text: str
    pages: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.text}\n    {', '.join(self.pages)}"


def prose(text: str) -> str:
    """Return what of a page are words: no code blocks, headings and addresses."""
    return ADDRESS.sub("] ", HEADING.sub("\n\n", CODE.sub("\n\n", text)))


def statements(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each sentence, item and cell, in small letters."""
    for part in END.split(prose(text)):
        words = tuple(word.lower() for word in WORD.findall(part.replace("`", "")))
        if len(words) >= LEAST_WORDS:
            yield words


def sentences_twice(pages: Mapping[str, str]) -> list[Repetition]:
    """Return the longest runs of words that stand on two pages or more."""
    places: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, text in pages.items():
        for words in statements(text):
            for start in range(len(words) - LEAST_WORDS + 1):
                places[words[start : start + LEAST_WORDS]].add(name)
    repeated = {run for run, where in places.items() if len(where) > 1}
    repetitions: dict[str, Repetition] = {}
    for text in pages.values():
        for words in statements(text):
            for start, end in _runs(words, repeated):
                said = " ".join(words[start:end])
                where = set.union(
                    *(
                        places[words[start_of_words : start_of_words + LEAST_WORDS]]
                        for start_of_words in range(start, end - LEAST_WORDS + 1)
                    )
                )
                repetitions.setdefault(said, Repetition(said, tuple(sorted(where))))
    return sorted(repetitions.values())


def _runs(words: tuple[str, ...], repeated: set[tuple[str, ...]]) -> Iterator[tuple[int, int]]:
    """Yield where repeated words begin and end, overlapping ones as one."""
    start = end = -1
    for place in range(len(words) - LEAST_WORDS + 1):
        if words[place : place + LEAST_WORDS] in repeated:
            if place > end:
                if end > 0:
                    yield start, end
                start = place
            end = place + LEAST_WORDS
    if end > 0:
        yield start, end


def figures_twice(pages: Mapping[str, str]) -> list[Repetition]:
    """Return numbers of two digits or more that stand on two pages before the same word."""
    places: dict[str, set[str]] = defaultdict(set)
    for name, text in pages.items():
        without_code = re.sub(r"`[^`]*`", "", prose(text))
        for number, unit in FIGURE.findall(without_code):
            if unit.lower() not in ORDINARY and len(re.sub(r"\D", "", number).strip("0")) >= 2:
                places[f"{number} {unit.lower()}"].add(name)
    return [
        Repetition(said, tuple(sorted(where))) for said, where in sorted(places.items()) if len(where) > 1
    ]


def read() -> dict[str, str]:
    """Return the users' pages by their path."""
    return {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}


def main() -> None:
    pages = read()
    for title, repetitions in (("Sentences", sentences_twice(pages)), ("Figures", figures_twice(pages))):
        print(f"{title}: {len(repetitions)}\n")
        print("".join(f"  {repetition}\n" for repetition in repetitions))


if __name__ == "__main__":
    main()
