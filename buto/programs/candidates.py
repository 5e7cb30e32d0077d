"""What has changed around a program since its training, the likeliest cause first.

Asked where old and new differ in nothing and yet both differ from the training: then something that both read
has changed. What a database beside them holds is no candidate, because nothing here sees it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

from msgspec import Struct

from buto.programs.surroundings import JDK, FileEntry, FileKind, Surroundings

MOST_OF_A_KIND = 5


class CandidateKind(Enum):
    """Kinds of candidates, in the order in which they are named."""

    SETTING = "setting"
    """A key of the test that both programs have as it is now, as the workload."""
    FACT = "fact"
    """As the time zone."""
    FILE = "file"
    VARIABLE = "variable"


class CandidateChange(Enum):
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"
    NEWER = "newer"
    """Of the same size, and too large for its content to be compared."""


class Candidate(Struct, frozen=True):
    """One difference.

    Attributes:
        name: of a file its path, of a variable its name, never its value.
        entry: of a file, whether it is a file, a directory or a link; None of anything else.
        old, new: of a fact, and where a link leads to; else empty.
    """

    what: CandidateKind
    how: CandidateChange
    name: str
    entry: FileKind | None = None
    old: str = ""
    new: str = ""


class Candidates(Struct, frozen=True):
    """What may have changed both programs.

    Attributes:
        likeliest: at most MOST_OF_A_KIND of each kind.
        n_more: how many others there are.
        is_known: whether training remembered its surroundings; if not, only settings are compared.
    """

    likeliest: tuple[Candidate, ...] = ()
    n_more: int = 0
    is_known: bool = True


_FIRST = re.compile(r"TZ|LANG|LANGUAGE|LC_.*|CLASSPATH|JAVA_.*|JDK_.*|_JAVA_OPTIONS|.*_OPTS|TMPDIR")
"""Variables that a JVM or its start script reads."""

_LAST = re.compile(
    r"_|SHLVL|PWD|OLDPWD|TERM.*|COLUMNS|LINES|WINDOWID|HOSTNAME|SSH_.*|XDG_.*|DBUS_.*|PYTEST_.*"
    r"|INVOCATION_ID|JOURNAL_STREAM|GITHUB_.*|RUNNER_.*|GITLAB_.*|CI|CI_.*|BUILD_.*|JOB_.*"
)
"""Variables that differ from shell to shell and from build to build."""


_CODE = (".class", ".jar", ".war", ".jmod", ".java", ".so")


def candidates(
    remembered: Surroundings | None, present: Surroundings | None, settings: Sequence[str] = ()
) -> Candidates:
    """Return what differs, the likeliest first of each kind.

    Code of the program itself is no candidate, of which old and new versions were compared; another file on
    its class path is one, since both may read it where it is. Nor is a file whose content is the same. Where
    a listing ended early, nothing below its last level was added or removed.

    Args:
        remembered: those of the training; None if it remembered none.
        present: those of now, with the salt of the remembered ones; None as well.
        settings: keys of the test that differ and that both programs have as they are now.
    """
    kinds: list[list[Candidate]] = [
        [Candidate(CandidateKind.SETTING, CandidateChange.CHANGED, key) for key in settings]
    ]
    if remembered is not None and present is not None:
        kinds += [
            list(_facts(remembered.facts, present.facts)),
            _files(remembered, present),
            _variables(remembered.variables, present.variables),
        ]
    likeliest = tuple(candidate for kind in kinds for candidate in kind[:MOST_OF_A_KIND])
    n_more = sum(len(kind) for kind in kinds) - len(likeliest)
    return Candidates(likeliest, n_more, remembered is not None and present is not None)


def differing_keys(
    old: Mapping[str, Any], new: Mapping[str, Any], but: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the keys that differ, with those one level below, as ``workload.rate``.

    Args:
        but: keys that are not compared.
    """
    keys = []
    for key in sorted((old.keys() | new.keys()) - set(but)):
        before, after = old.get(key), new.get(key)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            keys += [f"{key}.{name}" for name in _differing(before, after)]
        elif before != after:
            keys.append(key)
    return tuple(keys)


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))


def _facts(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Candidate]:
    for name in _differing(old, new):
        yield Candidate(
            CandidateKind.FACT, _how(old, new, name), name, old=old.get(name, ""), new=new.get(name, "")
        )


def _variables(old: Mapping[str, str], new: Mapping[str, str]) -> list[Candidate]:
    def rank(name: str) -> tuple[int, str]:
        return (0 if _FIRST.fullmatch(name) else 2 if _LAST.fullmatch(name) else 1), name

    differing = sorted(_differing(old, new), key=rank)
    return [Candidate(CandidateKind.VARIABLE, _how(old, new, name), name) for name in differing]


def _how(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> CandidateChange:
    return (
        CandidateChange.CHANGED
        if name in old and name in new
        else CandidateChange.REMOVED
        if name in old
        else CandidateChange.ADDED
    )


def _files(remembered: Surroundings, present: Surroundings) -> list[Candidate]:
    old, new = remembered.entries, present.entries
    levels = [
        surroundings.n_levels for surroundings in (remembered, present) if surroundings.n_levels is not None
    ]
    ranked: list[tuple[tuple[Any, ...], Candidate]] = []
    gone: set[str] = set()
    is_of_another_jdk = remembered.facts.get(JDK) != present.facts.get(JDK)
    for name in sorted(old.keys() | new.keys()):
        if is_of_another_jdk and name.startswith(f"{JDK}/"):
            continue
        before, after = old.get(name), new.get(name)
        how = _change(before, after)
        is_own = any(entry is not None and entry.is_own for entry in (before, after))
        if how is None or (is_own and name.endswith(_CODE)):
            continue
        if how in (CandidateChange.ADDED, CandidateChange.REMOVED):
            gone.add(name)
            parent = os.path.dirname(name)
            if os.path.isabs(name) and how is CandidateChange.ADDED and parent not in old:
                # It is named only now, and may have been there before.
                continue
            # The directory that holds it says it all; and what no listing has entered may have been there.
            is_unseen = any(name.count(os.sep) >= level - 1 for level in levels)
            if parent in gone or is_unseen or _is_large(old.get(parent)) or _is_large(new.get(parent)):
                continue
        here = after or before
        assert here is not None
        is_of_runs = any(
            entry is not None and entry.changed_ns >= there.began_ns
            for entry, there in ((before, remembered), (after, present))
        )
        rank = (
            is_of_runs or how is CandidateChange.NEWER,
            list(CandidateChange).index(how),
            -here.changed_ns,
            name,
        )
        links = [entry.leads_to if entry is not None else "" for entry in (before, after)]
        are_same = links[0] == links[1]
        texts = ("", "") if are_same else (links[0], links[1])
        ranked.append((rank, Candidate(CandidateKind.FILE, how, name, here.kind, *texts)))
    return [candidate for _, candidate in sorted(ranked, key=lambda pair: pair[0])]


def _is_large(directory: FileEntry | None) -> bool:
    """Return whether a directory was not entered because it has too many names."""
    return directory is not None and directory.changed_ns == 0 and directory.n_bytes > 0


def _change(before: FileEntry | None, after: FileEntry | None) -> CandidateChange | None:
    """Return how an entry has changed; None if it is the same."""
    if before is None or after is None:
        return CandidateChange.ADDED if before is None else CandidateChange.REMOVED
    same = ("kind", "leads_to", "is_readable", "n_bytes")
    if any(getattr(before, name) != getattr(after, name) for name in same):
        return CandidateChange.CHANGED
    if before.sha256 and after.sha256:
        return CandidateChange.CHANGED if before.sha256 != after.sha256 else None
    return CandidateChange.NEWER if before.changed_ns != after.changed_ns else None
