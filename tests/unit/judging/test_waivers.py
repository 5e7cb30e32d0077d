"""Trailers that waive a finding: their form, and what they let pass."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import UsageError
from buto.judging.procedure import Do, Next, Why
from buto.judging.verdict import Amount, Difference, Direction, Finding, Statement, Status, Verdict, Waiver
from buto.judging.waivers import EXAMPLE, trailer_of, waive, waivers_in

ALLOCATED, THREADS, GC = "jvm.memory.allocated", "jvm.thread.count", "jvm.gc.count[G1 Young Generation]"


def finding(
    subject: str = ALLOCATED, old: float = 100e6, new: float = 102.9e6, unit: str = "By"
) -> Difference:
    direction = Direction.MORE if new > old else Direction.LESS
    return Difference(
        "judge", subject, "run", direction, unit=unit, observed=new, amount=Amount("total", old, new)
    )


def failed(*findings: Finding) -> Verdict:
    return Verdict(Status.REGRESSION, "calibrated", findings=findings)


def waiver(text: str = EXAMPLE) -> Waiver:
    (found,) = waivers_in(text, "c" * 40, "Ann")
    return found


def test_the_example_names_test_property_direction_size_and_reason() -> None:
    assert waiver() == Waiver(
        "shop", ALLOCATED, Direction.MORE, "3%", "cache of rendered pages", "c" * 40, "Ann"
    )


def test_names_with_blanks_are_quoted() -> None:
    found = waiver(f'Buto-Accepts: "my shop" "{GC}" -2 fewer collections')
    assert (found.test, found.subject, found.direction, found.size) == ("my shop", GC, Direction.LESS, "2")


def test_a_message_may_have_several_trailers_among_other_lines() -> None:
    message = (
        f"Cache pages\n\nBecause.\n\n{EXAMPLE}\nSigned-off-by: Ann\nButo-Accepts: shop {THREADS} +1 a timer\n"
    )
    assert [found_waiver.subject for found_waiver in waivers_in(message)] == [ALLOCATED, THREADS]
    assert waivers_in("We say Buto-Accepts: in trailers\n\n    Buto-Accepts: quoted") == ()


@pytest.mark.parametrize(
    "line",
    [
        "Buto-Accepts:",
        "Buto-Accepts: shop",
        f"Buto-Accepts: shop {ALLOCATED}",
        f"Buto-Accepts: shop {ALLOCATED} +3%",
        f"Buto-Accepts: shop {ALLOCATED} 3% no sign",
        f"Buto-Accepts: shop {ALLOCATED} +much more",
        f"Buto-Accepts: shop {ALLOCATED} +never ends",
        f"Buto-Accepts: shop {ALLOCATED} +-3% twice",
        f"Buto-Accepts: shop {ALLOCATED} +nan% why",
        f'Buto-Accepts: "" {ALLOCATED} +3% why',
        f"Buto-Accepts: shop {ALLOCATED} +3% {'x' * 501}",
        f"buto-accepts: shop {ALLOCATED} +3% why",
        f"Buto-Accept: shop {ALLOCATED} +3% why",
        f"Buto Accepts: shop {ALLOCATED} +3% why",
    ],
)
def test_what_looks_like_a_waiver_and_is_none_is_an_error_with_the_right_form(line: str) -> None:
    with pytest.raises(UsageError) as caught:
        waivers_in(f"Subject\n\n{line}", "d" * 40)
    assert str(caught.value.advice) == EXAMPLE
    assert "d" * 12 in caught.value.message


def test_a_waived_finding_passes_and_stands_in_the_verdict() -> None:
    found = waive(failed(finding()), "shop", [waiver()])
    assert found.status is Status.PASS
    assert found.findings == ()
    assert [(waived_finding.finding, waived_finding.waivers) for waived_finding in found.waived] == [
        (finding(), (waiver(),))
    ]


def test_an_unnamed_finding_beside_it_still_fails() -> None:
    other = finding(THREADS, 10, 11, "{thread}")
    found = waive(failed(finding(), other), "shop", [waiver()])
    assert found.status is Status.REGRESSION
    assert found.findings == (other,)
    assert len(found.waived) == 1


@pytest.mark.parametrize(
    ("given_finding", "test"),
    [
        (finding(new=103.1e6), "shop"),
        (finding(new=97.5e6), "shop"),
        (finding("jvm.memory.heap.live"), "shop"),
        (finding(), "orders"),
    ],
)
def test_more_the_other_way_another_property_or_test_is_not_waived(
    given_finding: Difference, test: str
) -> None:
    verdict = failed(given_finding)
    assert waive(verdict, test, [waiver()]) is verdict


def test_waivers_of_several_commits_add_up() -> None:
    larger = failed(finding(new=105.5e6))
    assert waive(larger, "shop", [waiver()]).status is Status.REGRESSION
    assert waive(larger, "shop", [waiver(), waiver()]).status is Status.PASS


def test_a_share_allows_no_more_than_is_written() -> None:
    """However much less than the usual amount that is."""
    one = waiver(f"Buto-Accepts: shop {ALLOCATED} +1% a cache")
    assert waive(failed(finding(old=4e6, new=4.9e6)), "shop", [one, one]).status is Status.REGRESSION
    assert waive(failed(finding(old=4e6, new=4.07e6)), "shop", [one, one]).status is Status.PASS


@pytest.mark.parametrize(("more", "status"), [(2.5e6, Status.PASS), (4e6, Status.REGRESSION)])
def test_a_waiver_of_the_live_heap_holds_for_its_classes_up_to_as_many_bytes(
    more: float, status: Status
) -> None:
    heap = finding("jvm.memory.heap.live")
    of_class = finding("jvm.object.live.by_class", 10e6, 10e6 + more)
    text = "Buto-Accepts: shop jvm.memory.heap.live +3% pages"
    found = waive(failed(heap, of_class), "shop", [waiver(text)])
    assert found.status is status
    assert waive(failed(of_class), "shop", [waiver(text)]).status is Status.REGRESSION


def test_amounts_are_in_the_unit_of_the_property() -> None:
    amount = waiver(f"Buto-Accepts: shop {ALLOCATED} +4MiB a cache")
    assert waive(failed(finding()), "shop", [amount]).status is Status.PASS
    with pytest.raises(UsageError):
        waive(failed(finding()), "shop", [waiver(f"Buto-Accepts: shop {ALLOCATED} +20ms a cache")])


def test_a_statement_has_no_size_and_cannot_be_waived() -> None:
    statement = Statement("notification", ALLOCATED, "run")
    assert waive(failed(statement), "shop", [waiver()]).status is Status.REGRESSION


def test_what_could_not_be_read_is_undecided_once_all_findings_are_waived() -> None:
    unread = f"{THREADS} could not be read"
    turns = "old and new program, launched 4 and 4 times in random order, differ"
    verdict = replace(
        failed(finding()),
        reasons=(turns,),
        undecided=(unread,),
        warnings=(unread, "another"),
        steps=(Next(Do.FAIL, Why.PERMUTATION),),
    )
    found = waive(verdict, "shop", [waiver()])
    assert (found.status, found.steps[-1]) == (Status.INCONCLUSIVE, Next(Do.UNDECIDED, Why.UNREAD))
    assert (found.reasons, found.warnings) == ((turns, unread), ("another",))
    other = replace(verdict, findings=(finding(), finding(THREADS, 10, 11, "{thread}")))
    assert waive(other, "shop", [waiver()]).status is Status.REGRESSION


def test_a_clock_that_is_left_accuses_only_in_turns() -> None:
    """Of runs without turns that failed by a counter; any other step stands."""
    clock, classes = finding("run.duration", 10.0, 12.0, "s"), finding("jvm.class.loaded", 10, 11, "{class}")
    for why, left, step in (
        (Why.COUNTED, clock, Next(Do.UNDECIDED, Why.NEEDS_TURNS)),
        (Why.COUNTED, classes, Next(Do.FAIL, Why.COUNTED)),
        (Why.PERMUTATION, clock, Next(Do.FAIL, Why.PERMUTATION)),
    ):
        verdict = replace(failed(finding(), left), steps=(Next(Do.FAIL, why),))
        found = waive(verdict, "shop", [waiver()])
        assert (found.findings, found.steps[-1]) == ((left,), step)
        is_open = step.do is Do.UNDECIDED
        assert found.status is (Status.INCONCLUSIVE if is_open else Status.REGRESSION)
        assert bool(found.reasons) is is_open


def test_what_cannot_be_judged_stays_so() -> None:
    undecided = Verdict(Status.INCONCLUSIVE, "calibrated", findings=(finding(),))
    assert waive(undecided, "shop", [waiver()]).status is Status.INCONCLUSIVE


names = st.text(st.characters(exclude_characters='"', exclude_categories=("C", "Z")), min_size=1, max_size=20)


@given(names, st.sampled_from([ALLOCATED, GC]), st.sampled_from(list(Direction)[:2]), names)
def test_a_written_trailer_is_read_back(test: str, subject: str, direction: Direction, reason: str) -> None:
    written = Waiver(test, subject, direction, "2.5%", reason)
    assert waivers_in(trailer_of(written)) == (written,)
