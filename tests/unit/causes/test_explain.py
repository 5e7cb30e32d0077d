"""From profiles to causes: attribution, tiers, and what could not be told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from buto.causes.explain import explain
from buto.causes.flames import flame_of
from buto.causes.model import Cause, Causes, Explanation, Tier, kinds_of
from buto.causes.profiles import USUAL, ClassSize, Profile, ProfileKind
from tests.support.profiles import launches, profile

COPY = "java.util.Arrays.copyOf"
OLD = {f"{COPY} < shop.Cart.add < shop.Main.main": 1e6, "shop.Page.show < shop.Main.main": 9e5}
NEW = {**OLD, f"{COPY} < shop.Cart.add < shop.Main.main": 4e6}


def explained(old: list[Profile], new: list[Profile], *kinds: ProfileKind) -> Explanation:
    return explain(old, new, kinds or (ProfileKind.ALLOCATION,), test="shop", names=("old", "new"))


def of_first(explanation: Explanation) -> tuple[Causes, Cause]:
    return explanation.kinds[0], explanation.kinds[0].found[0]


def test_a_sum_belongs_to_the_topmost_method_of_the_users_code() -> None:
    causes, first = of_first(explained(launches(OLD, 3, 1), launches(NEW, 3, 2)))
    assert (first.method, first.file, first.line, first.tier) == ("shop.Cart.add", "Cart.java", 7, Tier.CAUSE)
    assert first.old == pytest.approx(1e6, rel=0.1)
    assert first.new == pytest.approx(4e6, rel=0.1)
    assert first.share > 0.9
    assert all(cause.method != "shop.Main.main" for cause in causes.found)


@pytest.mark.parametrize("n", [1, 2])
def test_with_fewer_than_three_pairs_it_is_only_the_most_likely(n: int) -> None:
    explanation = explained(launches(OLD, n, 1), launches(NEW, n, 2))
    assert of_first(explanation)[1].tier is Tier.LIKELY
    assert any("no cause is named" in text for text in explanation.remarks)


def test_an_unchanged_program_has_no_cause() -> None:
    for seed in range(40):
        explanation = explained(launches(OLD, 3, 2 * seed), launches(OLD, 3, 2 * seed + 1))
        assert not [cause for cause in explanation.causes if cause.tier is Tier.CAUSE]


def test_a_method_that_took_over_from_another_is_no_cause() -> None:
    """The program allocates 13 MiB, as before: another method does it now."""
    mib = 1024.0 * 1024
    old = {"shop.Old.read < shop.Main.main": 9 * mib, "shop.New.read < shop.Main.main": 4 * mib}
    new = {"shop.Old.read < shop.Main.main": 4 * mib, "shop.New.read < shop.Main.main": 9 * mib}
    causes, first = of_first(explained(launches(old, 3, 1), launches(new, 3, 2)))
    assert (first.method, first.tier) == ("shop.New.read", Tier.LIKELY)
    assert first.deviations > 5
    assert any("others fell by as much" in text for text in causes.remarks)
    more = {**new, "shop.Old.read < shop.Main.main": 9 * mib}
    causes, first = of_first(explained(launches(old, 3, 1), launches(more, 3, 2)))
    assert (first.method, first.tier, causes.remarks) == ("shop.New.read", Tier.CAUSE, ())


def test_nothing_is_a_cause_in_a_kind_of_which_the_program_uses_less() -> None:
    """Eleven methods save a tenth each, which is noise for one of them, and one allocates twice as much."""
    old = {f"shop.Part{number}.load < shop.Main.main": 1e6 for number in range(12)}
    new = {**{name: 0.88 * level for name, level in old.items()}, "shop.Part0.load < shop.Main.main": 2.1e6}
    causes = explained(launches(old, 3, 1, scatter=0.01), launches(new, 3, 2, scatter=0.01)).kinds[0]
    assert causes.new < causes.old
    assert causes.found[0].deviations > 5
    assert not causes.of_tier(Tier.CAUSE)


def test_names_that_tell_nothing_are_joined_all_the_same() -> None:
    old, new = (
        {"a.a.a < a.a.b": 50_000.0, "b.a < a.a.b": 50_000.0},
        {"a.a.a < a.a.b": 2e5, "b.a < a.a.b": 5e4},
    )
    _, first = of_first(explained(launches(old, 3, 1), launches(new, 3, 2)))
    assert (first.method, first.file, first.tier) == ("a.a.a", "a.java", Tier.CAUSE)


def test_without_a_method_of_the_users_it_says_so_and_names_nothing() -> None:
    old, new = {f"{COPY} < java.lang.Thread.run": 1e5}, {f"{COPY} < java.lang.Thread.run": 5e5}
    causes = explained(launches(old, 3, 1), launches(new, 3, 2)).kinds[0]
    assert causes.found == ()
    assert causes.without_code == 1
    assert any("no method of the program's own" in text for text in causes.remarks)


def test_stacks_without_frames_count_for_the_whole_only() -> None:
    causes = explained([profile(("", 10.0))], [profile(("", 30.0), ("shop.A.b", 10.0))]).kinds[0]
    assert (causes.old, causes.new) == (10.0, 40.0)
    assert [cause.method for cause in causes.found] == ["shop.A.b"]


def test_kept_memory_is_divided_by_what_holds_it() -> None:
    def kept(*holders: str) -> list[Profile]:
        kept_profile = profile(("shop.Cart.add", 1e5), kind=ProfileKind.RETENTION)
        stacks = tuple(
            structs.replace(kept_profile.stacks[0], holder=holder, path=f"{holder} < root", type="byte[]")
            for holder in holders
        )
        return [replace(kept_profile, stacks=stacks)] * 3

    old, new = kept("shop.Cache.all"), kept("shop.Cache.all", "shop.Log.lines")
    (first,) = explained(old, new, ProfileKind.RETENTION).kinds[0].found
    assert (first.method, first.held_by, first.type) == ("shop.Cart.add", "shop.Log.lines", "byte[]")
    assert first.path == "shop.Log.lines < root"
    assert not any("holder" in text for text in explained(old, new, ProfileKind.RETENTION).kinds[0].remarks)

    # Of what was held before the end, and not at it, nobody knows at which moment the other program held it.
    def and_released(size: float, *programs: Profile) -> list[Profile]:
        gone = structs.replace(programs[0].stacks[0], holder="", path="", weight=size)
        return [replace(one, stacks=(*one.stacks, gone)) for one in programs]

    (same,) = explained(and_released(1e6, *old), and_released(9e6, *old), ProfileKind.RETENTION).kinds
    assert (same.old, same.new, same.found) == (1e5, 1e5, ())
    # Its main method has returned, so nothing held it any more when the recording was written.
    released = [
        replace(
            launch_profile,
            stacks=tuple(structs.replace(s, holder="", path="") for s in launch_profile.stacks),
        )
        for launch_profile in new
    ]
    remarks = explained(released, released, ProfileKind.RETENTION).kinds[0].remarks
    assert any("holder of 100 % of it is not known" in text for text in remarks)


def test_a_launch_that_was_collected_too_early_is_no_measurement_of_nothing_kept() -> None:
    kept = launches({"shop.Cart.add": 3e6}, 3, 1, kind=ProfileKind.RETENTION)
    too_early = launches({"shop.Cart.add": 4e4}, 1, 2, kind=ProfileKind.RETENTION)
    (same,) = explained(kept, [*kept[:2], *too_early], ProfileKind.RETENTION).kinds
    assert same.old == pytest.approx(same.new, rel=0.1)
    assert any("1 launch of 6 left out" in text for text in same.remarks)
    # Less than what the recorder can tell from nothing.
    little = launches({"shop.Cart.add": 2e5}, 3, 1, kind=ProfileKind.RETENTION)
    (less,) = explained(little, [*little[:2], *too_early], ProfileKind.RETENTION).kinds
    assert less.new < 0.8 * less.old


def test_the_loading_of_classes_counts_for_no_method_but_for_one_of_the_loader_itself() -> None:
    loader = "shop.Loader.read < shop.Loader.loadClass < java.lang.Class.forName < shop.Main.main"
    levels = {
        "java.util.zip.Inflater.init < java.lang.ClassLoader.loadClass < shop.Main.start": 1e6,
        "server.WebLoader.loadClass < shop.Main.start": 1e6,
        loader: 1e6,
    }
    for kind, found in ((ProfileKind.ALLOCATION, {"shop.Loader.read"}), (ProfileKind.CLASSES, None)):
        old, new = launches({}, 3, 1, kind=kind), launches(levels, 3, 2, kind=kind)
        rose = {cause.method for cause in explained(old, new, kind).kinds[0].found}
        assert rose == (found or {"shop.Loader.read", "shop.Main.start", "server.WebLoader.loadClass"})


def test_what_a_jvm_cannot_tell_is_a_sentence() -> None:
    z = profile(
        ("shop.A.b", 1.0), kind=ProfileKind.CPU, facts={"collector": "ZGC Major"}, totals={"cpu.lost": 50.0}
    )
    kinds = explained([z], [z], ProfileKind.RETENTION, ProfileKind.CPU).kinds
    assert any("ZGC" in text for text in kinds[0].remarks)
    assert kinds[1].remarks == ("the JVM lost 33.3 % of the samples",)
    old_java = profile(("shop.A.b", 1.0), facts={"version": "OpenJDK 64-Bit Server VM (17.0.15+6) for linux"})
    for kind in (ProfileKind.BUFFERS, ProfileKind.FILES):
        assert any("25" in text for text in explained([old_java], [old_java], kind).kinds[0].remarks)


def test_classes_that_no_collection_could_unload_are_a_sentence() -> None:
    def remarks(**facts: object) -> tuple[str, ...]:
        kept_profile = profile(("shop.A.b", 1.0), kind=ProfileKind.LOADED, **facts)
        return explained([kept_profile], [kept_profile], ProfileKind.LOADED).kinds[0].remarks

    counted = {"classes": {"byte[]": ClassSize(1, 10.0)}}
    assert any("ZGC" in text for text in remarks(**counted, facts={"collector": "ZGC Major"}))
    assert any("no collection" in text for text in remarks())
    assert remarks(**counted) == ()


@pytest.mark.parametrize(
    ("kind", "total"), [(ProfileKind.FILES, "files.cut"), (ProfileKind.LOADED, "classes.cut")]
)
def test_with_more_than_can_be_followed_nothing_is_found_and_it_says_so(
    kind: ProfileKind, total: str
) -> None:
    """The old launches lack what was cut, so a method would seem to have risen from 0."""
    whole, none = launches({"shop.A.b": 20.0}, 3, 1, kind=kind), launches({}, 3, 2, kind=kind)
    assert explained(none, whole, kind).kinds[0].found
    cut = [replace(launch_profile, totals={total: 1.0}) for launch_profile in none]
    explanation = explained(cut, whole, kind)
    (causes,) = explanation.kinds
    assert (causes.found, causes.old, causes.new) == ((), 0.0, 0.0)
    assert any("than can be followed" in text for text in causes.remarks)
    assert not any("lack the rest" in text for text in explanation.remarks)


def test_a_damaged_recording_is_used_as_far_as_it_could_be_read() -> None:
    damaged = replace(profile(("shop.A.b", 1.0)), failure="IOException: cut")
    assert any(
        "1 of 2 recordings end early (IOException: cut)" in text
        for text in explained([damaged], [profile()]).remarks
    )


def test_classes_that_grew_come_with_it() -> None:
    old = profile(classes={"byte[]": ClassSize(1, 10.0), "Less": ClassSize(1, 10.0)})
    new = profile(
        classes={"byte[]": ClassSize(1, 30.0), "New": ClassSize(1, 90.0), "Less": ClassSize(1, 5.0)}
    )
    assert [
        (grown_class.type, grown_class.old, grown_class.new) for grown_class in explained([old], [new]).growth
    ] == [
        ("New", 0.0, 90.0),
        ("byte[]", 10.0, 30.0),
    ]


def test_a_flame_graph_has_the_sums_of_both_programs_and_nothing_too_small_to_see() -> None:
    old = [profile(("c.C.c < b.B.b < a.A.a", 10.0), ("tiny.T.t < a.A.a", 0.001))] * 2
    new = [profile(("c.C.c < b.B.b < a.A.a", 20.0), ("d.D.d < a.A.a", 5.0))]
    root = flame_of(old, new, ProfileKind.ALLOCATION)
    (main,) = root.parts
    assert (main.name, main.old, main.new) == ("a.A.a", 10.001, 25.0)
    assert {part.name: (part.old, part.new) for part in main.parts} == {
        "b.B.b": (10.0, 20.0),
        "d.D.d": (0.0, 5.0),
    }


def test_findings_choose_what_is_recorded() -> None:
    assert kinds_of(["jvm.thread.count", "jvm.cpu.time"])[:2] == (ProfileKind.ALIVE, ProfileKind.STARTED)
    assert kinds_of(["jvm.buffer.memory.used[direct]"]) == (ProfileKind.BUFFERS,)
    assert kinds_of(["jvm.memory.used[G1 Old Gen]"]) == (ProfileKind.RETENTION, ProfileKind.ALLOCATION)
    assert kinds_of(["jvm.class.count"]) == (ProfileKind.LOADED, ProfileKind.CLASSES, ProfileKind.RETENTION)
    assert kinds_of(["process.unix.file_descriptor.count"])[0] is ProfileKind.FILES
    assert kinds_of([]) == USUAL
    assert set(kinds_of(["mbean[com.acme:type=Shop]/Orders"])) == set(USUAL)
