"""What changed between two programs, and which change a rise counts for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from buto.causes import launches as profiling
from buto.causes.changes import CodeChange, changes_between
from buto.causes.class_files import LOADED
from buto.causes.classes import Archive, Code, code_of, parse_classes
from buto.causes.explain import explain
from buto.causes.joined import ECHO, STEP, nearest
from buto.causes.launches import CLASSES, changes_of
from buto.causes.model import Tier
from buto.causes.profiles import ProfileKind
from buto.causes.sentence import sentence
from tests.support.profiles import launches, profile
from tests.support.projects import project_in


def code(jar: str, *methods: tuple[str, str, str]) -> Code:
    """Classes of one jar, from (method, checksum, what it calls)."""
    return code_of([archive(jar, *methods)])


def archive(jar: str, *methods: tuple[str, str, str]) -> Archive:
    lines = ["buto-classes\t1"]
    for name, digest, calls in methods:
        owner, _, method = name.rpartition(".")
        lines.append(f"class\t{owner}\tShop.java\tparents\tplain")
        lines.append(f"method\t{method}\t12\t{digest}\tplain\t{calls}\t")
    return parse_classes("\n".join([*lines, "end", ""]), jar)


ADD, LOG = ("a.Cart.add", "1", ""), ("b.Log.write", "2", "")
ARCHIVES = {
    "old": archive("shop-1.0.jar", ADD, LOG, ("c.Old.gone", "3", "")),
    "new": archive("shop-1.1.jar", ("a.Cart.add", "9", "b.Log.write"), LOG, ("d.New.come", "4", "")),
}
OLD, NEW = (code_of([code_archive]) for code_archive in ARCHIVES.values())


def test_methods_that_are_changed_new_and_removed_are_told_apart() -> None:
    changes = changes_between(OLD, NEW)
    assert {name: change.how for name, change in changes.methods.items()} == {
        "a.Cart.add": CodeChange.CHANGED,
        "d.New.come": CodeChange.ADDED,
    }
    assert [change.name for change in changes.removed] == ["c.Old.gone"]
    assert changes.methods["a.Cart.add"].before == "shop-1.0.jar"


def test_a_jar_that_has_its_anonymous_classes_in_another_order_has_not_changed() -> None:
    """They have one name without their numbers, and other parents and fields."""

    def packed(*parts: str) -> Code:
        lines = ["buto-classes\t1"]
        for parent in parts:
            lines += [f"class\ta.Cart$#\tCart.java\t{parent}\tplain", f"field\tcount\t{parent}"]
        return code_of([parse_classes("\n".join([*lines, "end", ""]), "shop.jar")])

    again = changes_between(packed("Runnable", "List"), packed("List", "Runnable"))
    assert again.is_empty
    assert again.summary().startswith("both programs have the same 1 class")
    other = changes_between(packed("Runnable", "List"), packed("List", "Set"))
    assert [change.name for change in (*other.classes, *other.fields)] == ["a.Cart$#", "a.Cart$#.count"]
    assert other.summary() == "of 1 class, methods that differ: none"


def test_a_shaded_library_with_another_package_has_not_changed() -> None:
    old = code("shop-1.0.jar", ("x1.lib.Tool.run", "5", ""))
    new = code("shop-1.1.jar", ("x2.lib.Tool.run", "5", ""))
    changes = changes_between(old, new)
    assert changes.is_empty
    assert changes.moved == {"x1.lib.Tool": "x2.lib.Tool"}


def test_changes_of_classes_that_were_not_loaded_do_not_count() -> None:
    changes = changes_between(OLD, NEW)
    loaded = changes.of_classes(["a.Cart", "b.Log"])
    assert list(loaded.methods) == ["a.Cart.add"]
    assert loaded.summary().endswith(
        ": 1 changed, 1 removed (a.Cart.add, c.Old.gone), 1 in classes that were not loaded"
    )
    assert not changes.of_classes([]).is_empty


def test_all_changes_count_if_one_launch_does_not_tell_what_it_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cache:
        def archives(self, keys: Sequence[str]) -> tuple[Archive, ...]:
            return tuple(ARCHIVES[key] for key in keys)

    monkeypatch.setattr(profiling, "class_cache", lambda _: Cache())

    def changed(**more: str) -> list[str]:
        new = [profile(facts={CLASSES: "new", LOADED: "a.Cart"}), profile(facts={CLASSES: "new", **more})]
        changes, _ = changes_of(project_in(tmp_path).workspace(), [profile(facts=old)], new)
        assert changes is not None
        return list(changes.methods)

    old = {CLASSES: "old", LOADED: "a.Cart"}
    assert changed(**{LOADED: "a.Cart d.New"}) == ["a.Cart.add", "d.New.come"]
    assert changed(**{LOADED: "a.Cart"}) == ["a.Cart.add"]
    assert changed() == ["a.Cart.add", "d.New.come"]


def test_a_class_that_was_loaded_under_its_old_name_counts() -> None:
    old = code("shop-1.0.jar", ("x1.Tool.run", "5", ""), ("x1.Tool.stop", "6", ""))
    new = code("shop-1.1.jar", ("x2.Tool.run", "5", ""), ("x2.Tool.stop", "7", ""))
    assert list(changes_between(old, new).of_classes(["x1.Tool"]).methods) == ["x2.Tool.stop"]


def test_a_stack_counts_for_the_nearest_change_above() -> None:
    changes = changes_between(OLD, NEW)
    near = nearest(["b.Log.write", "a.Cart.add", "d.New.come"], "", changes)
    assert (near.method, near.weight) == ("a.Cart.add", STEP)
    far = nearest(["b.Log.write", "b.Log.other"], "", changes)
    assert (far.method, far.weight) == ("b.Log.write", ECHO)


def test_unchanged_code_that_is_called_more_often_counts_for_the_changed_caller() -> None:
    levels = {"b.Log.write < a.Cart.add": 1e6, "e.Echo.sound": 1e6}
    old = launches(levels, 3, 1, scatter=0.01)
    new = launches({name: 4 * level for name, level in levels.items()}, 3, 2, scatter=0.01)
    found = explain(
        old,
        new,
        [ProfileKind.ALLOCATION],
        test="shop",
        names=("old", "new"),
        changes=changes_between(OLD, NEW),
    )
    first, second = found.kinds[0].found
    assert (first.tier, first.method, first.at, first.code) == (
        Tier.CAUSE,
        "a.Cart.add",
        "b.Log.write",
        "changed",
    )
    assert second.tier is not Tier.CAUSE and second.is_echo
    assert "`a.Cart.add` (shop 1.1, Shop.java:12), changed since 1.0, through `b.Log.write`" in sentence(
        found
    )
