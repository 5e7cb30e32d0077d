"""Tables: what is summed where, errors of many columns at once, ranking, what the thesis printed beside."""

import csv
import io
import json
from dataclasses import replace
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto_replications.design import PROGRAMS
from buto_replications.scores import SCORES, standard_error
from buto_replications.thesis import files, published
from buto_replications.thesis.evaluation import evaluate
from buto_replications.thesis.grids import GRIDS, SIMPLE, Grid, GridConfiguration, Method
from buto_replications.thesis.notifications import notified_runs
from buto_replications.thesis.published import HEAP_USED, Scope
from buto_replications.thesis.repetition import repeat
from buto_replications.thesis.score_tables import TOGETHER, by_run, errors, everything, line, table, tables_of
from replications.tests.support.variants import a_data_set

VARIANTS = PROGRAMS["references"] + PROGRAMS["leaker"]
NARROW = GridConfiguration("S-4", Method(SIMPLE, splits=2))
WIDE = GridConfiguration("S-20", Method(replace(SIMPLE, deviations=20.0), splits=2))
GRID = Grid("smoothing", "5.2", "deviations", (NARROW, WIDE))


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(a_data_set(8, VARIANTS, shift=1.5), [NARROW.method, WIDE.method])


@given(st.integers(0, 2**32))
def test_errors_of_many_columns_are_those_of_each(seed):
    random = np.random.default_rng(seed)
    n_variants, n_runs, n_columns = random.integers(1, 5), random.integers(1, 6), 3
    counts = random.integers(0, 3, (n_variants * n_runs, n_columns, 4))
    counts[random.random(len(counts)) < 0.3] = 0
    counts[:, 1, random.integers(0, 4)] = 0
    strata = [f"variant {number}" for number in range(n_variants) for _ in range(n_runs)]
    for score in SCORES:
        each = [standard_error(score, counts[:, column], strata) for column in range(n_columns)]
        np.testing.assert_allclose(errors(score, counts, strata), each, rtol=1e-9, atol=1e-12)


def test_all_programs_are_the_sum_of_each(evaluation):
    for properties in ((), HEAP_USED):
        whole = line(evaluation, NARROW, Scope(None, properties))
        parts = [line(evaluation, NARROW, Scope(program, properties)) for program in ("references", "leaker")]
        assert whole is not None
        assert np.array_equal(np.sum([part.counts for part in parts if part], axis=0), whole.counts)
        # Six pairs of each program, four runs judged of each side, two splits.
        assert sum(whole.counts) == 2 * 6 * 2 * 4 * 2


def test_a_lines_counts_are_those_of_its_runs(evaluation):
    found = by_run(evaluation, WIDE.method, Scope("leaker"))
    whole = line(evaluation, WIDE, Scope("leaker"))
    assert found is not None and whole is not None
    counts, variants = found
    assert tuple(counts.sum(axis=0)) == whole.counts
    judged = {name for name, row in zip(variants, counts, strict=True) if row.any()}
    assert judged == set(PROGRAMS["leaker"])
    assert whole.errors == pytest.approx([standard_error(score, counts, variants) for score in SCORES])


def test_everything_has_every_scope_once_and_agrees_with_the_tables(evaluation):
    lines = list(everything(evaluation, GRID))
    keys = {(text.configuration, text.program, text.property) for text in lines}
    assert len(keys) == len(lines)
    n_properties = len(evaluation.properties["leaker"])
    assert len(lines) == 2 * 3 * (n_properties + 1)
    for text in lines:
        properties = () if text.property == TOGETHER else (text.property,)
        configuration = NARROW if text.configuration == "S-4" else WIDE
        other = line(evaluation, configuration, Scope(text.program, properties), text.thesis)
        assert other is not None
        assert text.counts == other.counts
        assert text.errors == pytest.approx(other.errors, nan_ok=True)


def test_scopes_that_were_not_measured_have_no_line(evaluation):
    assert line(evaluation, NARROW, Scope("classloading")) is None
    assert line(evaluation, NARROW, Scope("leaker", published.JOBS)) is None


def test_lines_are_ranked_and_undefined_ones_come_last():
    apart = evaluate(a_data_set(8, VARIANTS[:3], shift=1.5), [NARROW.method, WIDE.method])
    never = GridConfiguration("S-0", Method(replace(SIMPLE, deviations=1e-9), splits=2))
    with_never = evaluate(a_data_set(8, VARIANTS[:3], shift=1.5), [NARROW.method, WIDE.method, never.method])
    grid = replace(GRID, configurations=(never, NARROW, WIDE))
    found = table(with_never, grid, "", Scope(None, HEAP_USED), "x").lines
    assert [text.configuration for text in found][-1] == "S-0"
    assert isnan(found[-1].scores[2]) and found[-1].counts[0] == 0
    assert found[0].scores[2] >= found[1].scores[2]
    assert (
        found[0].counts
        == line(apart, {"S-4": NARROW, "S-20": WIDE}[found[0].configuration], Scope(None, HEAP_USED)).counts
    )  # type: ignore[union-attr]


def test_the_thesiss_rows_are_next_to_ours(evaluation):
    smoothing = GRIDS["smoothing"]
    ours = replace(
        smoothing,
        configurations=tuple(
            replace(configuration, method=NARROW.method) for configuration in smoothing.configurations[:4]
        ),
    )
    (found,) = tables_of(evaluation, ours)
    assert found.number == "5.2"
    printed = {row.configuration: row for row in published.rows("5.2")}
    assert {text.configuration: text.thesis for text in found.lines} == {
        configuration.label: printed[configuration.label] for configuration in ours.configurations
    }
    assert {row.configuration for row in found.only_printed} == printed.keys() - {
        configuration.label for configuration in ours.configurations
    }


def test_files_hold_what_the_tables_do():
    runs = a_data_set(8, VARIANTS[:3])
    results = repeat("parallel", runs, ["time-point-generation"], seed=3)
    rows = list(csv.DictReader(io.StringIO(files.scores_csv([results]))))
    assert {row["program"] for row in rows} == {"all", "references"}
    (ours,) = [
        row
        for row in rows
        if row["configuration"] == "rounding" and row["program"] == row["property"] == "all"
    ]
    of_table = results.tables[0].line("rounding")
    assert of_table is not None
    assert tuple(int(ours[name]) for name in ("tp", "fn", "tn", "fp")) == of_table.counts
    assert float(ours["mcc"] or "nan") == pytest.approx(of_table.scores[2], nan_ok=True, abs=0)
    assert (ours["thesis_tp"], ours["thesis_mcc"]) == ("1038", "0.33")

    data = json.loads(files.to_json([results]))
    assert (data["format"], data["version"]) == ("buto-experiments", 1)
    (host,) = data["hosts"]
    assert host["runs_of_each_variant"] == 8 and host["seed"] == 3
    (first,) = [text for text in host["tables"][0]["lines"] if text["configuration"] == "rounding"]
    assert first["thesis"]["slips"].keys() == {"accuracy", "MCC"}
    assert [claim["claim"] for claim in host["claims"]] == ["Linear time points are better than rounded ones"]

    again = repeat("parallel", runs, ["time-point-generation"], seed=3)
    assert files.scores_csv([again]) == files.scores_csv([results])
    assert files.to_json([again]) == files.to_json([results])


def test_flagged_notifications_are_written_beside_those_of_the_thesis():
    runs = a_data_set(8, ("consumerproducer-v0", "consumerproducer-v4"))
    (notified,) = notified_runs(runs, seed=3)
    results = replace(repeat("parallel", runs, ["time-point-generation"], seed=3), notified=(notified,))
    rows = list(csv.DictReader(io.StringIO(files.notifications_csv([results]))))
    assert [(row["table"], row["runs"]) for row in rows] == [("5.36", "positive")] * 50 + [
        ("5.37", "negative")
    ] * 50
    for number, flagged in (("5.36", notified.positive), ("5.37", notified.negative)):
        of_table = [row for row in rows if row["table"] == number]
        assert [row["flagged"] for row in of_table] == [*map(str, flagged.first), *[""] * 46]
        assert [int(row["thesis_flagged"]) for row in of_table] == [*published.flagged(number)]
    (entry,) = json.loads(files.to_json([results]))["hosts"][0]["notifications"]
    assert entry["positive_runs"]["flagged_in_each_run"] == notified.positive.first.tolist()
    assert entry["negative_runs"]["thesis_flagged_in_each_run"] == [*published.flagged("5.37")]


def test_a_property_has_the_name_that_it_has_on_the_host(evaluation):
    found = line(evaluation, NARROW, Scope("leaker", ("jvm.gc.count[G1 Young]", "jvm.gc.count[PS Scavenge]")))
    assert found is not None and found.property == "jvm.gc.count[PS Scavenge]"
