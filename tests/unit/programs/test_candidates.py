"""What has changed around a program, and in which order it is named."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from buto.programs.candidates import (
    MOST_OF_A_KIND,
    Candidate,
    CandidateChange,
    CandidateKind,
    Candidates,
    candidates,
    differing_keys,
)
from buto.programs.surroundings import FileEntry, FileKind, Surroundings

TRAINED, CHECKED = 1000, 2000
"""When the runs of the training, and of the check, began."""


def around(began_ns: int, **settings: Any) -> Surroundings:
    return structs.replace(Surroundings(began_ns, "00"), **settings)


def file(text: str = "a", at: int = 1, **settings: Any) -> FileEntry:
    return structs.replace(FileEntry(FileKind.FILE, len(text), at, f"digest of {text}"), **settings)


def named(
    old: dict[str, FileEntry], new: dict[str, FileEntry], **settings: Any
) -> list[tuple[str, CandidateChange]]:
    found = candidates(around(TRAINED, entries=old, **settings), around(CHECKED, entries=new, **settings))
    return [(candidate.name, candidate.how) for candidate in found.likeliest]


DIRECTORY = FileEntry(FileKind.DIRECTORY)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": file("1")}, {"a": file("1", at=1500)}, []),
        ({"a": file("1")}, {"a": file("2")}, [("a", CandidateChange.CHANGED)]),
        ({"a": file(sha256="")}, {"a": file(at=7, sha256="")}, [("a", CandidateChange.NEWER)]),
        ({"a": file(sha256="")}, {"a": file("bb", at=7, sha256="")}, [("a", CandidateChange.CHANGED)]),
        ({"a": file()}, {"a": file(is_readable=False, sha256="")}, [("a", CandidateChange.CHANGED)]),
        ({"A.class": file(is_own=True)}, {"A.class": file("2", is_own=True)}, []),
        (
            {"a.txt": file(is_own=True)},
            {"a.txt": file("2", is_own=True)},
            [("a.txt", CandidateChange.CHANGED)],
        ),
        ({"old.jar": file(is_own=True)}, {"new.jar": file(is_own=True)}, []),
        ({"d": DIRECTORY, "d/a": file()}, {}, [("d", CandidateChange.REMOVED)]),
        ({}, {"d": DIRECTORY, "d/e": DIRECTORY, "d/e/a": file()}, [("d", CandidateChange.ADDED)]),
        ({"d": DIRECTORY}, {"d": DIRECTORY, "d/a": file()}, [("d/a", CandidateChange.ADDED)]),
        (
            {"d": DIRECTORY, "d/a": file()},
            {"d": structs.replace(DIRECTORY, n_bytes=9000)},
            [("d", CandidateChange.CHANGED)],
        ),
        ({"a": file()}, {"a": DIRECTORY}, [("a", CandidateChange.CHANGED)]),
        ({"/etc/a": file()}, {"/etc/b": file()}, [("/etc/a", CandidateChange.REMOVED)]),
        ({"/d": DIRECTORY}, {"/d": DIRECTORY, "/d/a": file()}, [("/d/a", CandidateChange.ADDED)]),
    ],
)
def test_files_that_differ_are_named_and_no_others(
    old: dict[str, FileEntry], new: dict[str, FileEntry], found: list[tuple[str, CandidateChange]]
) -> None:
    assert named(old, new) == found


def test_a_link_is_named_with_where_it_leads() -> None:
    old, new = (FileEntry(FileKind.LINK, 1, 1, "x", leads_to=place) for place in ("conf-1", "conf-2"))
    (candidate,) = candidates(
        around(TRAINED, entries={"conf": old}), around(CHECKED, entries={"conf": new})
    ).likeliest
    assert candidate == Candidate(
        CandidateKind.FILE, CandidateChange.CHANGED, "conf", FileKind.LINK, "conf-1", "conf-2"
    )


def test_below_the_end_of_a_listing_nothing_was_added_or_removed() -> None:
    old = {"d": DIRECTORY, "d/a": file(), "d/b": file()}
    new = {"d": DIRECTORY, "d/b": file("2"), "c": file()}
    whole = around(TRAINED, entries=old)
    cut = around(CHECKED, entries=new, n_levels=2)
    found = {candidate.name for candidate in candidates(whole, cut).likeliest}
    assert found == {"c", "d/b"}


def test_content_comes_first_the_newest_before_the_older_and_what_runs_wrote_last() -> None:
    old = {name: file("1") for name in ("older", "newer", "gone")}
    old |= {"log": file("1", at=TRAINED), "big": file(sha256="")}
    new = {"older": file("2", at=1100), "newer": file("2", at=1200), "added": file(at=1300)}
    new |= {"log": file("22", at=CHECKED), "big": file(at=1900, sha256="")}
    found = candidates(around(TRAINED, entries=old), around(CHECKED, entries=new))
    names = [candidate.name for candidate in found.likeliest]
    assert (names, found.n_more) == (["newer", "older", "gone", "added", "log"], 1)


def test_variables_that_a_jvm_reads_come_first_and_those_of_a_shell_last() -> None:
    old = {"SHLVL": "1", "CACHE": "1", "LANG": "1", "SAME": "1", "GONE": "1"}
    new = {"SHLVL": "2", "CACHE": "2", "LANG": "2", "SAME": "1", "TZ": "1"}
    found = candidates(around(TRAINED, variables=old), around(CHECKED, variables=new))
    assert [(candidate.what, candidate.name, candidate.how) for candidate in found.likeliest] == [
        (CandidateKind.VARIABLE, "LANG", CandidateChange.CHANGED),
        (CandidateKind.VARIABLE, "TZ", CandidateChange.ADDED),
        (CandidateKind.VARIABLE, "CACHE", CandidateChange.CHANGED),
        (CandidateKind.VARIABLE, "GONE", CandidateChange.REMOVED),
        (CandidateKind.VARIABLE, "SHLVL", CandidateChange.CHANGED),
    ]


def test_of_another_jdk_only_that_is_named() -> None:
    old = around(TRAINED, facts={"JDK": "/jdk/17"}, entries={"JDK/release": file("17")})
    new = around(CHECKED, facts={"JDK": "/jdk/25"}, entries={"JDK/release": file("25")})
    (candidate,) = candidates(old, new).likeliest
    assert candidate == Candidate(
        CandidateKind.FACT, CandidateChange.CHANGED, "JDK", old="/jdk/17", new="/jdk/25"
    )
    updated = structs.replace(new, facts=old.facts)
    assert [likeliest_candidate.name for likeliest_candidate in candidates(old, updated).likeliest] == [
        "JDK/release"
    ]


def test_every_kind_has_its_place_however_many_there_are_of_another() -> None:
    old = {f"{number:02}": file("1") for number in range(40)}
    new = {name: file("2") for name in old}
    found = candidates(
        around(TRAINED, entries=old, variables={}, facts={"time zone": "Etc/UTC"}),
        around(CHECKED, entries=new, variables={"A": "1"}, facts={"time zone": "Europe/Berlin"}),
        settings=["workload.rate"],
    )
    kinds = [candidate.what for candidate in found.likeliest]
    assert kinds == [
        CandidateKind.SETTING,
        CandidateKind.FACT,
        *[CandidateKind.FILE] * MOST_OF_A_KIND,
        CandidateKind.VARIABLE,
    ]
    assert found.n_more == 35


def test_what_was_not_remembered_is_not_compared() -> None:
    assert candidates(None, None) == Candidates(is_known=False)
    found = candidates(None, None, ["services.db"])
    assert found == Candidates(
        (Candidate(CandidateKind.SETTING, CandidateChange.CHANGED, "services.db"),), is_known=False
    )
    assert candidates(around(TRAINED), around(CHECKED)) == Candidates()


def test_settings_are_named_one_level_deep() -> None:
    old = {"interval": "50ms", "workload": {"rate": 5, "path": "/"}, "environment": {"A": "1"}}
    new = {"workload": {"rate": 6, "path": "/"}, "environment": {"A": "2"}, "window": {"from": "1s"}}
    assert differing_keys(old, new, but=["environment"]) == ("interval", "window", "workload.rate")
