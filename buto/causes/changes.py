"""What changed in the code: the classes of two programs, compared method by method.

Pure functions on what class files say. The order of methods, line numbers, debug data, numbers of lambdas
and of anonymous classes, and the packages of shaded libraries do not count.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from buto.causes.classes import Body, Code, class_of, plain
from buto.run.units import format_count

FEW = 3
"""So many methods that differ are named; more are only counted."""


class CodeChange(Enum):
    """How a part of the code differs; the values complete "is ..."."""

    ADDED = "new"
    CHANGED = "changed"
    ANNOTATED = "annotated otherwise"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Change:
    """A method, field, class or resource that differs.

    Attributes:
        name: class and method or field; of a class or a resource its own name.
        file, line: where a method begins; empty and 0 if not known.
        archive: the jar that has it now; empty for a directory of classes.
        before: the jar that it was in, or the older one of that name; empty if there was none.
        calls_more: whether it calls what it did not call before.
    """

    name: str
    how: CodeChange
    file: str = ""
    line: int = 0
    archive: str = ""
    before: str = ""
    calls_more: bool = True


@dataclass(frozen=True)
class Changes:
    """What changed between two programs.

    Attributes:
        methods: by class and method, without those that were removed.
        calls: of each method of the new program, what it calls.
        fields_of: of each changed method, the fields that it reads or writes.
        removed: methods that are gone.
        fields: fields that were added, changed or removed.
        classes: classes with another parent, interface or annotation.
        resources: files that were added, changed or removed.
        moved: classes of the old program that have another package now, by their old names.
        n_classes: how many classes the new program has.
        n_not_loaded: methods that changed in classes that were not loaded, which ``methods`` lacks.
    """

    methods: Mapping[str, Change]
    calls: Mapping[str, frozenset[str]] = field(default_factory=dict)
    fields_of: Mapping[str, frozenset[str]] = field(default_factory=dict)
    removed: tuple[Change, ...] = ()
    fields: tuple[Change, ...] = ()
    classes: tuple[Change, ...] = ()
    resources: tuple[Change, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)
    n_classes: int = 0
    n_not_loaded: int = 0

    def of(self, method: str) -> Change | None:
        """Return the change of a method, by its name in a profile; None if it did not change."""
        return self.methods.get(plain(method))

    def of_classes(self, loaded: Iterable[str]) -> Changes:
        """Return the changes without methods of classes that were not loaded: these can have no effect.

        Args:
            loaded: the classes of both programs that were, by the names that they have there.
        """
        known = {self.moved.get(name, name) for name in loaded}
        methods = {name: change for name, change in self.methods.items() if class_of(name) in known}
        using = {name: fields for name, fields in self.fields_of.items() if name in methods}
        without = len(self.methods) - len(methods)
        return replace(self, methods=methods, fields_of=using, n_not_loaded=without)

    @property
    def is_empty(self) -> bool:
        """Whether both programs have the same code; their resources may differ."""
        return not (self.methods or self.n_not_loaded or self.removed or self.fields or self.classes)

    def summary(self) -> str:
        """Return in a sentence how much changed, and what, if that is little."""
        if self.is_empty:
            files = f", but {format_count(len(self.resources), 'resource')} differ" if self.resources else ""
            same = f"both programs have the same {format_count(self.n_classes, 'class')}{files}"
            return f"{same}: what differs, if anything does, is the command, its data or the JVM"
        differing = (*self.methods.values(), *self.removed)
        hows = Counter(change.how for change in differing)
        parts = [
            f"{number} {how.value}" for how, number in sorted(hows.items(), key=lambda pair: pair[0].value)
        ]
        if 0 < len(differing) <= FEW:
            parts[-1] += f" ({', '.join(change.name for change in differing)})"
        if self.n_not_loaded:
            parts.append(f"{self.n_not_loaded} in classes that were not loaded")
        more = f"; {format_count(len(self.resources), 'resource')} differ" if self.resources else ""
        listed = ", ".join(parts) or "none"
        return f"of {format_count(self.n_classes, 'class')}, methods that differ: {listed}{more}"


def changes_between(old: Code, new: Code) -> Changes:
    """Compare the code of two programs."""
    moved = _find_moved(old, new)
    before = _rename(old, moved)
    jars = {release_of(name)[0]: name for name in old.archives.values() if name}
    methods = dict(_methods(before, new, jars))
    gone = sorted(set(before.methods) - set(new.methods))
    parts = {
        name: frozenset[str]().union(*(body.fields for body in new.methods.get(name, ()))) for name in methods
    }
    return Changes(
        methods,
        {name: calls_of(bodies) for name, bodies in new.methods.items()},
        parts,
        tuple(Change(name, CodeChange.REMOVED, before=before.archives[class_of(name)]) for name in gone),
        _differing(before.fields, new.fields),
        tuple(
            replace(change, how=CodeChange.ANNOTATED)
            for change in _same_names(before.annotations, new.annotations)
        )
        + tuple(_same_names(before.parents, new.parents)),
        _differing(before.resources, new.resources),
        moved,
        len(new.archives),
    )


def calls_of(bodies: Collection[Body]) -> frozenset[str]:
    """Return what methods of one name call."""
    return frozenset[str]().union(*(body.calls for body in bodies))


def _methods(old: Code, new: Code, jars: Mapping[str, str]) -> list[tuple[str, Change]]:
    changes = []
    for name, bodies in new.methods.items():
        were = old.methods.get(name, ())
        differs = _new_ones(bodies, {body.digest for body in were})
        annotated = [
            body for body in bodies if body.annotations not in {old_body.annotations for old_body in were}
        ]
        owner = class_of(name)
        how = CodeChange.ADDED if not were else CodeChange.CHANGED if differs else CodeChange.ANNOTATED
        if not (differs or annotated):
            continue
        line = min((body.line for body in differs or annotated if body.line), default=0)
        archive = new.archives[owner]
        was = old.archives.get(owner) or jars.get(release_of(archive)[0], "")
        more = bool(calls_of(bodies) - calls_of(were))
        changes.append((name, Change(name, how, new.sources.get(owner, ""), line, archive, was, more)))
    return changes


def _new_ones(bodies: Collection[Body], known: Collection[str]) -> list[Body]:
    return [body for body in bodies if body.digest not in known]


def _differing(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[Change, ...]:
    added = [Change(name, CodeChange.ADDED) for name in new.keys() - old.keys()]
    removed = [Change(name, CodeChange.REMOVED) for name in old.keys() - new.keys()]
    return tuple(sorted((*added, *removed, *_same_names(old, new)), key=lambda change: change.name))


def _same_names(old: Mapping[str, str], new: Mapping[str, str]) -> list[Change]:
    both = sorted(old.keys() & new.keys())
    return [Change(name, CodeChange.CHANGED) for name in both if old[name] != new[name]]


def _find_moved(old: Code, new: Code) -> dict[str, str]:
    """Return classes whose package has changed, as that of a shaded library: by their old name the new one.

    Classes of the same simple name are the same if each program has one that the other lacks, and half of
    the methods of the new one are as they were.
    """
    left: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, (code, other) in enumerate(((old, new), (new, old))):
        for name in code.archives.keys() - other.archives.keys():
            left[name.rpartition(".")[2]][side].append(name)
    pairs = [(before[0], after[0]) for before, after in left.values() if len(before) == len(after) == 1]
    if not pairs:
        return {}
    digests = tuple(_digests(code) for code in (old, new))
    return {
        before: after
        for before, after in pairs
        if 2 * len(digests[0][before] & digests[1][after]) >= len(digests[1][after]) > 0
    }


def _digests(code: Code) -> defaultdict[str, set[str]]:
    digests: defaultdict[str, set[str]] = defaultdict(set)
    for name, bodies in code.methods.items():
        digests[class_of(name)].update(body.digest for body in bodies)
    return digests


def _rename(code: Code, moved: Mapping[str, str]) -> Code:
    if not moved:
        return code

    def member(name: str) -> str:
        owner, _, last = name.rpartition(".")
        return f"{moved.get(owner, owner)}.{last}"

    def of_classes(by_name: Mapping[str, str]) -> dict[str, str]:
        return {moved.get(name, name): value for name, value in by_name.items()}

    return Code(
        {member(name): bodies for name, bodies in code.methods.items()},
        {member(name): digest for name, digest in code.fields.items()},
        of_classes(code.sources),
        of_classes(code.archives),
        of_classes(code.parents),
        of_classes(code.annotations),
        code.resources,
    )


_RELEASE = re.compile(r"^(?P<name>.+?)-(?P<version>\d[\w.+-]*)\.(?:jar|war)$")


def release_of(archive: str) -> tuple[str, str]:
    """Return name and version of a jar's file name, as of ``jsoup-1.6.1.jar``; the version may be empty."""
    match = _RELEASE.match(archive)
    return (match["name"], match["version"]) if match else (archive, "")
