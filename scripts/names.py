"""Report names that say little: participles for functions, empty variables, classes of the same name.

python scripts/names.py [FOLDER ...]

A function acts, so its name is a verb: ``plan_check`` and not ``checked``. A property or a test may have a
participle, because it is read like a value. A variable has the name of the thing, not ``one`` or ``found``. A
class name that exists twice has two meanings. This is a report for people to read: nothing fails by it.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (
    "buto",
    "cluster/buto_cluster",
    "predict/buto_predict",
    "replications/buto_replications",
    "perf",
    "scripts",
)

IRREGULAR = re.compile(
    "begun|born|bound|broken|brought|built|caught|chosen|done|drawn|driven|fallen|felt|forgotten|found|given|"
    "gone|grown|heard|held|hidden|kept|known|laid|led|left|lent|lost|made|meant|met|paid|proven|said|seen|sent|shown|"
    "shut|sold|spent|spoken|stood|taken|taught|thrown|told|torn|understood|woken|won|worn|woven|written"
)
"""Participles that do not end with ``ed``. Not those that are also the verb: cut, fit, put, read, run, set,
split, spread."""

VERB = re.compile("bleed|breed|embed|exceed|feed|heed|need|proceed|seed|shed|speed|succeed|weed")
"""Verbs and nouns that end with ``ed``."""

EMPTY = ("one", "found", "told")
"""Names of variables that could be any thing's."""


@dataclass(frozen=True, slots=True, order=True)
class NamePlace:
    """Where a name is given."""

    name: str
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.name}  {self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Names:
    """The names that some files give."""

    functions: tuple[NamePlace, ...]
    variables: tuple[NamePlace, ...]
    classes: tuple[NamePlace, ...]

    @property
    def participles(self) -> list[NamePlace]:
        """The functions whose names begin with a participle."""
        return sorted(place for place in self.functions if is_participle(place.name))

    @property
    def empty(self) -> dict[str, list[NamePlace]]:
        """The variables whose names say nothing, by name."""
        return {name: [place for place in self.variables if place.name == name] for name in EMPTY}

    @property
    def twins(self) -> Mapping[str, list[NamePlace]]:
        """The classes whose names exist more than once, by name."""
        by_name: dict[str, list[NamePlace]] = defaultdict(list)
        for place in sorted(self.classes):
            by_name[place.name].append(place)
        return {name: places for name, places in by_name.items() if len(places) > 1}


def is_participle(function: str) -> bool:
    """Tell whether the first word of a function's name is a participle."""
    word = function.strip("_").partition("_")[0]
    is_regular = word.endswith("ed") and len(word) > 3 and not VERB.fullmatch(word)
    return is_regular or IRREGULAR.fullmatch(word) is not None


def collect(files: Mapping[str, str]) -> Names:
    """Return the names that texts of Python give, by path; of private classes none: they have no twins."""
    functions: list[NamePlace] = []
    variables: list[NamePlace] = []
    classes: list[NamePlace] = []
    for path, text in files.items():
        for node in ast.walk(ast.parse(text, path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if not is_read_like_a_value(node):
                    functions.append(NamePlace(node.name, path, node.lineno))
                parameters = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                variables += [NamePlace(each.arg, path, each.lineno) for each in parameters]
            elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes.append(NamePlace(node.name, path, node.lineno))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                variables.append(NamePlace(node.id, path, node.lineno))
    return Names(tuple(functions), tuple(variables), tuple(classes))


def is_read_like_a_value(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function is a property or a fixture, or one of Python's own names."""
    decorators = {ast.unparse(each).partition("(")[0].rpartition(".")[2] for each in node.decorator_list}
    return bool(decorators & {"property", "cached_property", "fixture"}) or node.name.startswith("__")


def report(names: Names) -> Iterator[str]:
    """Yield the lines of the report."""
    n_functions = max(1, len(names.functions))
    share = len(names.participles) / n_functions
    yield f"functions named by a participle: {len(names.participles)} of {len(names.functions)}, {share:.1%}"
    yield from (f"  {place}" for place in names.participles)
    for name, places in names.empty.items():
        yield f"variables named {name}: {len(places)}"
        by_path = defaultdict(list)
        for place in places:
            by_path[place.path].append(place.line)
        yield from (
            f"  {path}: {', '.join(map(str, sorted(lines)))}" for path, lines in sorted(by_path.items())
        )
    yield f"class names that exist more than once: {len(names.twins)}"
    for name, places in names.twins.items():
        yield f"  {name}: {', '.join(f'{place.path}:{place.line}' for place in places)}"


def read(folders: Iterable[str]) -> dict[str, str]:
    """Return the texts of the modules below folders of the checkout, by path."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help=f"default: {' '.join(FOLDERS)}")
    parser.add_argument("--short", action="store_true", help="only the numbers")
    options = parser.parse_args(words)
    for line in report(collect(read(options.folders or FOLDERS))):
        if not (options.short and line.startswith(" ")):
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
