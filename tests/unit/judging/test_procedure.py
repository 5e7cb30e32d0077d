"""The rule of a check: a walk over all its paths, its limits, and that no limit is written twice."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from buto.judging.procedure import Ahead, Do, FirstLook, Looked, Next, Procedure, TurnsLook, Why

ALPHA = 0.01
CHECKOUT = Path(__file__).parents[3]

p_values = st.floats(0.0, 1.0)
procedures = st.builds(
    Procedure,
    st.sampled_from([0.001, 0.01, 0.05, 0.2]),
    asked=st.none() | st.integers(1, 6),
    has_turns=st.booleans(),
    n_asked_turns=st.none() | st.integers(2, 30),
)
first_looks = st.builds(FirstLook, st.floats(0.0, 10.0), st.floats(0.0, 10.0), p_values, st.booleans())


def looks_at(n_runs: int) -> st.SearchStrategy[Looked]:
    """Whatever training may say of so many runs."""
    return st.builds(
        Looked,
        st.just(n_runs),
        first=first_looks if n_runs == 1 else st.none(),
        p_value=st.none() | p_values,
        counted=p_values,
        is_elsewhere=st.booleans(),
        is_comparable=st.booleans(),
        has_too_few=st.booleans(),
        may_hide=st.booleans(),
        lacks=st.booleans(),
    )


@given(procedures, st.data())
def test_every_path_ends_within_the_launches_that_were_announced(procedure: Procedure, data: st.DataObject):
    ahead, step, n_runs = procedure.ahead, procedure.begin(), 0
    assert step.do is Do.LAUNCH
    assert step.n == ahead.first
    while step.do is Do.LAUNCH:
        assert step.n > 0
        n_runs += step.n
        assert n_runs <= ahead.first + ahead.more
        step = procedure.after_runs(data.draw(looks_at(n_runs)))
    if step.do is Do.TURNS:
        assert procedure.has_turns
        step = _taken_turns(procedure, data)
    assert step.do in (Do.PASS, Do.FAIL, Do.UNDECIDED)
    assert step.do.ends
    assert step.n == 0


def _taken_turns(procedure: Procedure, data: st.DataObject) -> Next:
    """Walk the turns, each program launched as often as the other in the end; return the last step."""
    order = data.draw(st.permutations([False] * procedure.n_turns + [True] * procedure.n_turns))
    n_new = wealth = 0.0
    for n, is_new in enumerate(order, 1):
        n_new += is_new
        wealth = max(wealth, data.draw(st.floats(0.0, 2 / procedure.winning)), 1.0)
        p_value = data.draw(st.none() | p_values) if n in procedure.looks else None
        step = procedure.after_launch(TurnsLook(n - int(n_new), int(n_new), wealth, p_value))
        if step.do is not Do.LAUNCH:
            return step
        assert step.n == 1
    raise AssertionError("turns have no end")


@given(procedures, st.integers(0, 12).flatmap(looks_at))
def test_what_cannot_be_judged_never_passes_and_one_run_never_fails(procedure: Procedure, looked: Looked):
    step = procedure.after_runs(looked)
    if step.do is Do.PASS:
        assert looked.n_runs > 0
        assert looked.is_comparable
        assert not (looked.is_elsewhere or looked.may_hide or looked.lacks)
        # A single run is judged by t, for which no number of training runs is too small.
        assert looked.n_runs == 1 or (looked.p_value is not None and not looked.has_too_few)
    if step.do is Do.FAIL:
        assert looked.n_runs > 1
        assert looked.is_comparable
        assert not looked.is_elsewhere
        assert looked.counted <= procedure.alpha + 1e-9
        assert not procedure.has_turns
    if looked.is_elsewhere and procedure.has_turns:
        assert step == Next(Do.TURNS, Why.ELSEWHERE)
    elif not looked.is_comparable:
        assert step.do is Do.UNDECIDED


@given(procedures, st.integers(0, 30), st.integers(0, 30), st.none() | p_values, st.floats(0.0, 1e6))
def test_turns_fail_by_their_two_shares_of_alpha_and_nothing_else(procedure, n_old, n_new, p_value, wealth):
    look = TurnsLook(n_old, n_new, wealth, p_value)
    step = procedure.after_launch(look)
    won = procedure.bets and wealth >= procedure.winning and min(n_old, n_new) >= 2
    is_last = look.n_launches >= 2 * procedure.n_turns
    low = p_value is not None and p_value <= procedure.permutation_alpha + 1e-9
    assert (step.do is Do.FAIL) is (won or (is_last and low))
    if step.do is Do.PASS:
        assert p_value is not None
        assert not won
    if is_last and p_value is None and not won:
        assert step == Next(Do.UNDECIDED, Why.NOT_COMPARABLE)


@pytest.mark.parametrize(
    ("n_old", "n_new", "step"),
    [
        (5, 1, Next(Do.LAUNCH, Why.OPEN, 1)),
        (1, 5, Next(Do.LAUNCH, Why.OPEN, 1)),
        (5, 2, Next(Do.FAIL, Why.BETS)),
        (4, 4, Next(Do.FAIL, Why.BETS)),
    ],
)
def test_bets_that_won_early_count_as_soon_as_both_programs_ran_twice(n_old: int, n_new: int, step: Next):
    procedure = Procedure(ALPHA)
    assert procedure.after_launch(TurnsLook(n_old, n_new, wealth=2 * procedure.winning)) == step


@given(procedures, st.integers(1, 30), st.integers(1, 30), p_values, st.floats(1.0, 1e6))
def test_the_printed_p_value_is_below_the_share_exactly_where_turns_fail(
    procedure, n_old, n_new, p_value, wealth
):
    look = TurnsLook(n_old, n_new, wealth, p_value)
    fails = procedure.after_launch(look).do is Do.FAIL
    assert (procedure.combine_p_values(look) <= procedure.alpha * (1 + 1e-6)) is fails


@given(st.sampled_from([0.001, 0.01, 0.05]), st.none() | st.integers(2, 30))
def test_what_turns_may_fail_in_all_is_four_fifths_of_alpha(alpha: float, n_turns: int | None):
    procedure = Procedure(alpha, n_asked_turns=n_turns)
    of_bets = 1 / procedure.winning if procedure.bets else 0.0
    assert of_bets + procedure.permutation_alpha == pytest.approx(0.8 * alpha)


def first(level: float = 0.0, growth: float = 0.0, rank: float = 1.0, *, farthest: bool = False) -> Looked:
    return Looked(1, FirstLook(level, growth, rank, farthest), p_value=0.5)


@pytest.mark.parametrize(
    ("looked", "is_suspicious"),
    [
        (first(level=2.5), True),
        (first(level=2.49), False),
        (first(growth=4.0), True),
        (first(growth=3.99), False),
        (first(rank=0.3), True),
        (first(rank=0.31), False),
        (first(farthest=True), True),
    ],
)
def test_a_first_run_is_followed_by_two_more_from_the_limits_on(looked: Looked, is_suspicious: bool):
    launch = Next(Do.LAUNCH, Why.SUSPICIOUS, 2)
    expected = launch if is_suspicious else Next(Do.PASS, Why.ORDINARY)
    assert Procedure(ALPHA).after_runs(looked) == expected


def test_what_an_odd_training_run_may_hide_is_looked_at_again_and_then_undecided():
    hidden = structs.replace(first(), may_hide=True)
    assert Procedure(ALPHA).after_runs(hidden) == Next(Do.LAUNCH, Why.HIDDEN, 2)
    three = Looked(3, p_value=0.5, may_hide=True)
    assert Procedure(ALPHA).after_runs(three) == Next(Do.UNDECIDED, Why.HIDDEN)


def test_a_single_run_that_was_asked_for_is_not_followed():
    assert Procedure(ALPHA, asked=1).after_runs(first(level=9.0)) == Next(Do.UNDECIDED, Why.ONE_RUN)


@pytest.mark.parametrize(
    ("p_value", "alpha", "do"), [(0.05, 0.01, Do.TURNS), (0.051, 0.01, Do.PASS), (0.1, 0.1, Do.TURNS)]
)
def test_turns_follow_three_runs_up_to_a_p_value_of_one_in_twenty_or_alpha(
    p_value: float, alpha: float, do: Do
):
    assert Procedure(alpha).after_runs(Looked(3, p_value=p_value)).do is do


@pytest.mark.parametrize(
    ("p_value", "counted", "step"),
    [
        (0.01, 0.01, Next(Do.FAIL, Why.COUNTED)),
        (0.05, 0.01, Next(Do.FAIL, Why.COUNTED)),
        (0.01, 0.011, Next(Do.UNDECIDED, Why.NEEDS_TURNS)),
        (0.05, 0.011, Next(Do.PASS, Why.ORDINARY)),
    ],
)
def test_without_turns_only_what_no_machine_moves_accuses(p_value: float, counted: float, step: Next):
    looked = Looked(3, p_value=p_value, counted=counted)
    assert Procedure(ALPHA, has_turns=False).after_runs(looked) == step


def test_too_few_training_runs_are_decided_by_turns_or_not_at_all():
    looked = Looked(3, p_value=0.5, has_too_few=True)
    assert Procedure(ALPHA).after_runs(looked) == Next(Do.TURNS, Why.TOO_FEW)
    assert Procedure(ALPHA, has_turns=False).after_runs(looked) == Next(Do.UNDECIDED, Why.TOO_FEW)


@pytest.mark.parametrize(
    "looked",
    [Looked(1, FirstLook(), p_value=0.9, is_alarmed=True), Looked(3, p_value=0.9, is_alarmed=True)],
)
def test_what_would_pass_goes_to_turns_after_an_alarm_over_builds(looked: Looked):
    assert Procedure(ALPHA).after_runs(structs.replace(looked, is_alarmed=False)).do is Do.PASS
    assert Procedure(ALPHA).after_runs(looked) == Next(Do.TURNS, Why.MONITOR)
    # An alarm accuses nobody, and is no reason to pass.
    without = Procedure(ALPHA, has_turns=False)
    assert without.after_runs(looked) == Next(Do.UNDECIDED, Why.MONITOR)


def test_an_alarm_over_builds_replaces_no_other_step():
    suspicious = Looked(1, FirstLook(level=99.0), is_alarmed=True)
    assert Procedure(ALPHA).after_runs(suspicious) == Next(Do.LAUNCH, Why.SUSPICIOUS, 2)
    elsewhere = Looked(1, is_elsewhere=True, is_alarmed=True)
    assert Procedure(ALPHA).after_runs(elsewhere) == Next(Do.TURNS, Why.ELSEWHERE)


def test_runs_without_a_p_value_are_undecided():
    assert Procedure(ALPHA).after_runs(Looked(3)) == Next(Do.UNDECIDED, Why.NOT_COMPARABLE)


def test_turns_end_early_only_with_enough_of_both_and_without_hope():
    procedure = Procedure(ALPHA)
    assert procedure.looks == (8, 13, 20)
    assert procedure.after_launch(TurnsLook(4, 4, p_value=0.51)) == Next(Do.PASS, Why.NO_DIFFERENCE)
    assert procedure.after_launch(TurnsLook(4, 4, p_value=0.5)) == Next(Do.LAUNCH, Why.OPEN, 1)
    assert procedure.after_launch(TurnsLook(7, 1, p_value=0.51)) == Next(Do.LAUNCH, Why.OPEN, 1)
    assert procedure.after_launch(TurnsLook(7, 6, p_value=0.26)) == Next(Do.PASS, Why.NO_DIFFERENCE)
    assert procedure.after_launch(TurnsLook(7, 6, p_value=0.001)) == Next(Do.LAUNCH, Why.OPEN, 1)
    assert procedure.after_launch(TurnsLook(10, 10, p_value=0.004)) == Next(Do.FAIL, Why.PERMUTATION)
    assert procedure.after_launch(TurnsLook(10, 10, p_value=0.0041)) == Next(Do.PASS, Why.NO_DIFFERENCE)
    assert procedure.after_launch(TurnsLook(2, 2, wealth=250.0)) == Next(Do.FAIL, Why.BETS)
    assert procedure.after_launch(TurnsLook(2, 2, wealth=249.0)) == Next(Do.LAUNCH, Why.OPEN, 1)


@pytest.mark.parametrize(("n_old", "n_new"), [(5, 1), (1, 5)])
def test_bets_that_won_by_the_place_of_one_launch_wait_for_another(n_old: int, n_new: int):
    """Of 1,153 orders hardly one begins with five of one program but for the third."""
    procedure = Procedure(ALPHA)
    early = TurnsLook(n_old, n_new, wealth=1000.0)
    assert procedure.after_launch(early) == Next(Do.LAUNCH, Why.OPEN, 1)
    assert procedure.combine_p_values(early) == 1.0
    assert procedure.after_launch(structs.replace(early, n_old=n_old + 1, n_new=n_new + 1)) == Next(
        Do.FAIL, Why.BETS
    )


def test_turns_of_a_number_that_was_asked_for_are_taken_to_the_end():
    procedure = Procedure(ALPHA, n_asked_turns=12)
    assert procedure.looks == (24,)
    assert procedure.after_launch(TurnsLook(4, 4, 1e9, 0.9)) == Next(Do.LAUNCH, Why.OPEN, 1)
    assert procedure.after_launch(TurnsLook(12, 12, 1e9, 0.008)) == Next(Do.FAIL, Why.PERMUTATION)
    assert procedure.after_launch(TurnsLook(12, 12, 1e9, 0.0081)) == Next(Do.PASS, Why.NO_DIFFERENCE)


@pytest.mark.parametrize(
    ("do", "are_outside", "is_known", "step"),
    [
        (Do.PASS, True, False, Next(Do.FAIL, Why.OUTSIDE)),
        (Do.PASS, True, True, Next(Do.PASS, Why.KNOWN_OUTSIDE)),
        (Do.PASS, False, False, Next(Do.PASS, Why.NO_DIFFERENCE)),
        (Do.FAIL, True, True, Next(Do.FAIL, Why.NO_DIFFERENCE)),
        (Do.UNDECIDED, True, False, Next(Do.UNDECIDED, Why.NO_DIFFERENCE)),
    ],
)
def test_only_turns_that_pass_ask_what_moved_both(do: Do, are_outside: bool, is_known: bool, step: Next):
    decided = Next(do, Why.NO_DIFFERENCE)
    assert Procedure(ALPHA).after_turns(decided, are_outside=are_outside, is_known=is_known) == step


def test_a_busier_machine_with_which_counters_move_accuses_nobody():
    decided = Next(Do.PASS, Why.NO_DIFFERENCE)
    procedure = Procedure(ALPHA)
    asked = {"are_outside": True, "is_busier": True}
    assert procedure.after_turns(decided, is_known=False, **asked) == Next(Do.PASS, Why.BUSIER)
    assert procedure.after_turns(decided, is_known=True, **asked) == Next(Do.PASS, Why.KNOWN_OUTSIDE)
    failed = Next(Do.FAIL, Why.PERMUTATION)
    assert procedure.after_turns(failed, is_known=False, **asked) == failed


def test_a_user_is_told_what_may_follow():
    assert Procedure(ALPHA).ahead == Ahead(1, 2, 10)
    assert Procedure(ALPHA).ahead.most == 23
    assert Procedure(ALPHA, asked=5).ahead == Ahead(5, 0, 10)
    assert Procedure(ALPHA, has_turns=False).ahead == Ahead(1, 2, 0)


OTHER_NAMES = {"GATE", "MOST_LOOKS"}
"""Names that limits of the rule had in other places."""


def test_no_limit_of_the_rule_is_defined_twice():
    place = Path("buto/judging/procedure.py")
    limits = _assigned(CHECKOUT / place)
    assert {"N_CHECKED", "SUSPICIOUS", "RANK", "LEVEL_T", "GROWTH_T", "N_TURNS", "PASSING"} <= limits
    for path in _sources():
        if path.relative_to(CHECKOUT) != place:
            again = _assigned(path) & ((limits - {"ROUNDING"}) | OTHER_NAMES)
            assert not again, f"{path}: {', '.join(again)}"


def test_no_other_file_compares_a_p_value_or_a_t_with_a_number():
    """The limits as literals in a comparison: what would be a second copy under no name."""
    numbers = {2.5, 4.0, 0.3, 0.05, 0.25, 0.5, 0.4}
    words = ("p_value", "p_values", "rank", "level", "growth", "squared_t", "wealth")
    for path in _sources():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Compare):
                continue
            sides = [node.left, *node.comparators]
            if not any(isinstance(side, ast.Constant) and side.value in numbers for side in sides):
                continue
            names = {_last_name(side) for side in sides}
            assert names.isdisjoint(words), f"{path}:{node.lineno}: {ast.unparse(node)}"


def _sources() -> list[Path]:
    sources = [path for room in ("buto", "replications") for path in (CHECKOUT / room).rglob("*.py")]
    assert len(sources) > 100
    return [path for path in sources if "tests" not in path.relative_to(CHECKOUT).parts]


def _assigned(path: Path) -> set[str]:
    """Return the upper-case names to which a module assigns what is no text."""
    names = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None or _has_text(node.value):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        inner = [name for target in targets for name in ast.walk(target)]
        names |= {name.id for name in inner if isinstance(name, ast.Name) and name.id.isupper()}
    return names


def _has_text(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Constant) and isinstance(node.value, str) for node in ast.walk(value))


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
