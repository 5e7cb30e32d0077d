"""Profiles as text and in the store."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from buto.causes import profiles as profile_store
from buto.causes.profiles import (
    ClassSize,
    Frame,
    Profile,
    ProfileKind,
    ProfileStore,
    Stack,
    parse,
    text_of,
    with_profiler,
)
from buto.errors import BadFileError
from buto.run.store import RunStore
from tests.support.profiles import profile

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBER = st.floats(0, 1e15)


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    frames = draw(st.lists(st.builds(Frame, TEXT, TEXT, st.booleans()), max_size=4))
    places = st.lists(st.integers(0, len(frames) - 1), max_size=5).map(tuple) if frames else st.just(())
    count = st.integers(0, 10**9)
    stacks = st.builds(
        Stack, st.sampled_from(ProfileKind), places, NUMBER, NUMBER, count, count, TEXT, TEXT, TEXT
    )
    return Profile(
        tuple(frames),
        tuple(draw(st.lists(stacks, max_size=4))),
        draw(st.dictionaries(TEXT, st.builds(ClassSize, count, NUMBER), max_size=3)),
        draw(st.dictionaries(TEXT, TEXT, max_size=3)),
        draw(st.dictionaries(TEXT, NUMBER, max_size=3)),
        tuple(sorted(draw(st.lists(count, max_size=3)))),
        draw(count),
        draw(NUMBER),
        draw(TEXT),
    )


@given(st.lists(profiles(), max_size=3))
def test_what_is_written_is_read_again(found: list[Profile]) -> None:
    assert parse(text_of(found)) == found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "does not begin"),
        ("buto-stacks\t1\nend\n", "version 1"),
        ("buto-stacks\t2\n", "cut off"),
        ("buto-stacks\t2\nend", "cut off"),
        ("buto-stacks\t2\nframe\t0\tu\ta\tb\nend\n", "line 2"),
        ("buto-stacks\t2\nrecording\tf\t1\t1\t\nwhat\nend\n", "line 3"),
        ("buto-stacks\t2\nrecording\tf\t1\tnan\t\nend\n", "no number that is recorded"),
        ("buto-stacks\t2\nrecording\tf\t1\t1e200\t\nend\n", "no number that is recorded"),
        ("buto-stacks\t2\nrecording\tf\t1\t1\t\nstack\tcpu\t1\t1\t1\t1\t\t\t\t0\nend\n", "unknown frame"),
        ("buto-stacks\t2\nrecording\tf\t1\t1\t\nstack\theat\t1\t1\t1\t1\t\t\t\t\nend\n", "line 3"),
    ],
)
def test_damaged_text_is_refused_with_the_place(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse(text)


def test_the_store_gives_the_newest_and_is_no_store_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two ids of one millisecond are in no order.
    start, numbers = datetime(2026, 1, 1, tzinfo=UTC), itertools.count()
    new_id = profile_store.names.new_id
    monkeypatch.setattr(
        profile_store.names, "new_id", lambda: new_id(start + timedelta(seconds=next(numbers)))
    )
    store = ProfileStore(tmp_path)
    assert store.newest("shop") is None
    for number in range(8):
        store.add("shop", [profile(("shop.A.b", 1.0 + number))])
    newest = store.newest("shop")
    assert newest is not None
    assert newest.profiles[0].stacks[0].weight == 8.0
    assert len(list((tmp_path / "profiles" / "shop").iterdir())) == 5
    assert RunStore(tmp_path).tests() == []


def test_a_damaged_profile_is_refused_with_its_path(tmp_path: Path) -> None:
    path = ProfileStore(tmp_path).add("shop", [profile(("shop.A.b", 1.0))])
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(BadFileError, match="cannot be read"):
        ProfileStore(tmp_path).newest("shop")


def test_a_small_file_with_an_endless_text_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = ProfileStore(tmp_path)
    path = stored.add("shop", [profile(("shop.A.b", 1.0))])
    monkeypatch.setattr(profile_store, "_MAX_TEXT_BYTES", 20)
    with pytest.raises(BadFileError, match="it unpacks to more than 20 bytes"):
        stored.newest("shop")
    path.write_bytes(path.read_bytes()[:-9])
    monkeypatch.undo()
    with pytest.raises(BadFileError, match="cut off"):
        stored.newest("shop")


def test_a_source_file_follows_from_the_name_of_the_class() -> None:
    files = {"com.acme.Shop$Cart": "Shop.java", "ShopKt": "Shop.kt", "Kt": "Kt.java", "": ""}
    assert {owner: Frame(owner, "add", is_users=True).file for owner in files} == files
    assert structs.replace(Frame("a.B", "c", is_users=True), owner="").name == "c"


def test_what_a_profiler_recorded_replaces_the_same_kind() -> None:
    recorded = profile(("shop.A.b", 1.0), kind=ProfileKind.CPU)
    recorded = replace(
        recorded, stacks=(*recorded.stacks, structs.replace(recorded.stacks[0], kind=ProfileKind.IO))
    )
    joined = with_profiler(recorded, profile(("shop.C.d < shop.A.b", 5.0), kind=ProfileKind.CPU))
    found = {(stack.kind, joined.frames[stack.frames[0]].name, stack.weight) for stack in joined.stacks}
    assert found == {(ProfileKind.IO, "shop.A.b", 1.0), (ProfileKind.CPU, "shop.C.d", 5.0)}
