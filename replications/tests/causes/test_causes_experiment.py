"""The experiment on causes: its manifest, what is left to launch, and draws of known truth."""

from collections import Counter
from math import isnan

import pytest

from buto.causes.flight import Flight
from buto.causes.profiles import ProfileKind
from buto.cli.main import main
from buto.errors import BadFileError
from buto_replications.causes import programs as module
from buto_replications.causes.programs import alarms_in, found_in, planned, read_manifests, record, stored
from replications.tests.support import slow_draws
from tests.support.checkout import ROOT
from tests.support.profiles import launches

MANIFEST = """\
programs:
  - {name: cart, main: shop.Main, kind: allocation, method: shop.Cart.add}
  - {name: page, main: shop.Main, kind: cpu, method: [shop.Page.show, shop.Page.draw], old: [a, 1], new: b}
  - {name: library, kind: [classes, threads], method: m.N.o, old: [-cp, 1.jar, Try], new: [-cp, 2.jar, Try]}
"""
CHANGES = ROOT / "testprograms" / "changes.yaml"
OLD = {"shop.Cart.add < shop.Main.main": 1e6, "shop.Page.show < shop.Main.main": 1e6}
NEW = {**OLD, "shop.Cart.add < shop.Main.main": 4e6}


@pytest.fixture
def manifest(tmp_path):
    path = tmp_path / "manifest.yaml"
    path.write_text(MANIFEST)
    return path


def test_a_manifest_names_programs_modes_and_what_changed(manifest):
    cart, page, library = read_manifests([manifest], "classes")
    assert (cart.kinds, cart.methods) == ((ProfileKind.ALLOCATION,), ("shop.Cart.add",))
    assert cart.words["old"] == ("-Xmx256m", "-cp", "classes", "shop.Main", "old")
    assert (page.words["old"][-2:], page.words["new"][-1:]) == (("a", "1"), ("b",))
    assert library.kinds == (
        ProfileKind.LOADED,
        ProfileKind.CLASSES,
        ProfileKind.RETENTION,
        ProfileKind.ALIVE,
        ProfileKind.STARTED,
    )
    assert library.words == {"old": ("-cp", "1.jar", "Try"), "new": ("-cp", "2.jar", "Try")}
    assert {program.group for program in (cart, page, library)} == {"manifest"}
    for broken in (
        "",
        "programs: [{main: x}]",
        "programs: [{name: x, main: M, kind: heap, method: m}]",
        MANIFEST + MANIFEST[10:],
    ):
        manifest.write_text(broken)
        with pytest.raises(BadFileError, match=r"manifest|one name"):
            read_manifests([manifest])


def test_the_programs_with_a_change_are_a_manifest_too():
    programs = {changed_program.name: changed_program for changed_program in read_manifests([CHANGES], "jar")}
    assert programs["sessions"].words["new"][-3:] == (
        "jar",
        "buto.testprograms.changes.Program",
        "sessions=large",
    )
    assert programs["sessions"].words["old"][-1] == "sessions=base"
    assert "buto.testprograms.changes.servers.Sessions.expire" in programs["sessions"].methods
    assert len(programs) == 15


def test_programs_that_run_together_share_an_old_program_which_is_launched_once_for_all(tmp_path):
    together = [
        changed_program
        for changed_program in read_manifests([CHANGES], "jar", together=True)
        if changed_program.group == "together"
    ]
    assert len(together) == 15
    for program in together:
        assert program.words["old"][5:] == tuple(f"{each.name.split()[0]}=base" for each in together)
        differing = [
            pair
            for pair in zip(program.words["old"], program.words["new"], strict=True)
            if len(set(pair)) > 1
        ]
        name = program.name.removesuffix(" among all")
        assert differing == [(f"{name}=base", f"{name}=large")]
    launches = planned(together, {"17": "java"}, tmp_path, {"old": 3, "new": 2}, 1)
    assert Counter(launch.mode for launch in launches) == {"old": 3, "new": 30}
    assert len({launch.place for launch in launches}) == 33
    assert [int(launch.place.name[0]) for launch in launches] == [0] * 16 + [1] * 16 + [2]


def test_draws_of_a_changed_method_find_it_and_of_an_unchanged_program_find_nothing():
    old, new = launches(OLD, 8, 1), launches(NEW, 4, 2)
    kinds = (ProfileKind.ALLOCATION, ProfileKind.CPU)
    found = found_in(old, new, [ProfileKind.ALLOCATION], ["shop.Cart.add"], kinds, pairs=3, draws=30, seed=1)
    assert (found.draws, found.first, found.in_three, found.named, found.wrong) == (30, 1.0, 1.0, 1.0, 0.0)
    other = found_in(old, new, [ProfileKind.ALLOCATION], ["shop.Page.show"], kinds, pairs=3, draws=30, seed=1)
    assert (other.first, other.wrong) == (0.0, 1.0)
    single = found_in(old, new, [ProfileKind.ALLOCATION], ["shop.Cart.add"], kinds, pairs=1, draws=30, seed=1)
    assert (single.first, single.named) == (1.0, 0.0)
    assert alarms_in(old, kinds, pairs=3, draws=30, seed=1).any_kind == 0.0
    assert isnan(alarms_in(old, kinds, pairs=5, draws=30, seed=1).any_kind)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("pairs", [1, 3])
def test_a_draw_by_places_is_the_comparison_of_these_profiles(seed, pairs):
    """Methods of equal sums, methods that only some launches have, and two methods of the change."""
    old = launches({**OLD, "shop.Log.write < shop.Main.main": 3e4}, 5, seed)
    new = [*launches({**NEW, "shop.New.make < shop.Main.main": 5e5}, 3, seed + 50), *old[:1]]
    methods = ("shop.New.make", "shop.Log.write")
    kinds = (ProfileKind.ALLOCATION, ProfileKind.RETENTION)
    fast = found_in(old, new, [ProfileKind.ALLOCATION], methods, kinds, pairs=pairs, draws=20, seed=seed)
    assert fast == slow_draws.found_in(
        old, new, ProfileKind.ALLOCATION, methods, pairs=pairs, draws=20, seed=seed
    )
    quiet = alarms_in([*old, *new], kinds, pairs=pairs, draws=20, seed=seed)
    assert quiet.any_kind == slow_draws.alarms_in(
        [*old, *new], ProfileKind.ALLOCATION, pairs=pairs, draws=20, seed=seed
    )


def test_stored_launches_are_not_repeated_and_failed_ones_are(tmp_path, manifest, monkeypatch, capsys):
    def fly(command, *_):
        levels = OLD if {"old", "a", "1.jar"} & set(command) else NEW
        return Flight(launches(levels, 1, len(list(tmp_path.rglob("*.gz"))))[0], "", "", 1.5, 2000)

    monkeypatch.setattr(module, "fly", fly)
    programs, data = read_manifests([manifest]), tmp_path / "data"
    some = planned(programs, {"17": "java"}, data, {"old": 3, "new": 2}, 1)
    assert len(some) == 15
    assert record(some, float("inf"), lambda *_: None) == 15
    assert planned(programs, {"17": "java"}, data, {"old": 3, "new": 2}, 1) == []
    profiles = stored(data / "17" / "cart" / "old")
    assert [profile.facts["cpu_s"] for profile in profiles] == ["1.5"] * 3
    words = ["--manifest", str(manifest), "--data", str(data), "--java", "17", "--out", str(tmp_path)]
    assert main(["experiments", "causes", *words, "--old", "3", "--new", "2", "--draws", "5"]) == 0
    assert "Java 17, manifest: how often the changed method is found" in capsys.readouterr().out
    assert (tmp_path / "causes.json").is_file()


def test_a_launch_that_does_not_exit_in_order_is_left_out_and_tried_again(tmp_path, manifest, monkeypatch):
    profile = launches(OLD, 1, 1)[0]
    monkeypatch.setattr(module, "fly", lambda *_: Flight(profile, "", "it was stopped", 1.5, 2000))
    waiting = planned(read_manifests([manifest]), {"17": "java"}, tmp_path, {"old": 1, "new": 1}, 1)
    messages = []
    assert record(waiting, float("inf"), lambda _, failure: messages.append(failure)) == 0
    assert messages == ["it was stopped"] * 6
    assert planned(read_manifests([manifest]), {"17": "java"}, tmp_path, {"old": 1, "new": 1}, 1) == waiting
