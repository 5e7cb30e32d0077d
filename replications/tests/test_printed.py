"""What the code calls printed is in the papers.

``golden/printed.csv`` has the numbers of each table, typed from the texts. The scan of the second paper's
table 1 misreads two of them, the old "IO write byte/sec" at 4 and 5; they are as its distances need them.

With the environment variable BUTO_PAPERS, a directory with the papers as text files whose names begin with
000 to 004, these numbers and those of the thesis are looked for in the texts.
"""

import csv
import os
import re
from pathlib import Path

import pytest

import buto_replications.thesis.published
from buto_replications.clusters.example import NAMES, NEW, OLD, example_distances
from buto_replications.clusters.separation import PRINTED, printed_range
from buto_replications.ensembles.paper import MEANS, TABLE_IV, worked_example
from buto_replications.history.tables import ROWS
from buto_replications.store.simulated import OUTCOMES, published
from tests.support.checkout import ROOT

FILE = Path(__file__).parent / "golden" / "printed.csv"


def rows_of(file):
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def printed(paper, begins=""):
    return {
        row["place"].removeprefix(begins): row["numbers"].split()
        for row in rows_of(FILE)
        if row["paper"] == paper and row["place"].startswith(begins)
    }


THESIS = Path(buto_replications.thesis.published.__file__).parent
N_ABNORMAL = 740
"""Of the third paper's rows."""

MISREAD = ("002", "table 1: IO write byte/sec")


def said(text):
    """Return the numbers and the outcomes in a text, without changes in brackets."""
    bare = re.sub(r"\([^()\n]*\)|(?<=\d),(?=\d{3}\b)", "", text)
    return [_value(token) for token in re.findall(r"\d*\.\d+|\d+|\b[TFtf][PNpn]\b", bare)]


def _value(token):
    return token.upper() if token.isalpha() else float(token)


def follows(part, whole):
    """Return whether a part is in the whole without a gap; between outcomes, numbers may stand."""
    if isinstance(part[0], str):
        whole = [letter for letter in whole if isinstance(letter, str)]
    return any(whole[first : first + len(part)] == part for first in range(len(whole)))


@pytest.fixture
def texts():
    if "BUTO_PAPERS" not in os.environ:
        pytest.skip("the papers are not in the repository")
    return {path.name[:3]: said(path.read_text()) for path in Path(os.environ["BUTO_PAPERS"]).glob("0*")}


def test_each_row_of_the_thesis_is_in_its_text(texts):
    for row in rows_of(THESIS / "tables.csv"):
        counts = numbers(row[name] for name in ("tp", "fn", "tn", "fp"))
        shares = numbers(row[name] for name in ("accuracy", "precision"))
        printed_ways = ([*counts, *shares], [*counts, *(round(100 * share) for share in shares)])
        assert any(follows([*way, float(row["mcc"])], texts["001"]) for way in printed_ways), row
    for row in rows_of(THESIS / "flagged.csv"):
        assert follows(numbers(row["flagged"].split()), texts["001"]), row


def test_each_number_is_in_the_text_of_its_paper(texts):
    missing = []
    for row in rows_of(FILE):
        found = said(row["numbers"])
        parts = [found]
        if row["place"].startswith("table 1:"):  # it is printed as two tables of eight columns
            parts = [found[:8], found[8:]]
        elif row["place"].startswith("table II:"):  # the outcome of the usual load is beside each third one
            parts = [found[:3], found[3:6], found[6:]]
        if not all(follows(part, texts[row["paper"]]) for part in parts):
            missing.append((row["paper"], row["place"]))
    assert missing == [MISREAD]


def numbers(texts):
    return [float(text) for text in texts]


def test_table_iv_of_the_first_paper():
    source = printed("000", "table IV: ")
    assert {row.test: list(row.cells) for row in TABLE_IV} | {"Avg.": list(MEANS)} == {
        name: numbers(cells) for name, cells in source.items()
    }


def test_steps_of_its_worked_example():
    source = printed("000")
    named = {step.step: step.printed.replace(",", "").split() for step in worked_example() if step.printed}
    assert named.pop("bagging flags") == ["throughput", "memory"]
    assert list(named.values()) == [
        source["table II"],
        source["section III, phase 4: lengths"],
        source["section III, phase 4: weight of T1"],
    ]


def test_table_1_of_the_second_paper():
    source = printed("002", "table 1: ")
    ours = {name: [*OLD[:, place], *NEW[:, place]] for place, name in enumerate(NAMES)}
    assert ours == {name: numbers(cells) for name, cells in source.items()}


def test_distances_of_the_second_paper_follow_from_its_table_1():
    rows = [numbers(cells) for cells in printed("002", "table 2: ").values()]
    found = example_distances()
    for place, row in enumerate(rows, 1):
        assert found[place, :place] == pytest.approx(row, abs=0.0051)


def test_tables_4_and_5_of_the_second_paper():
    source = {place: numbers(cells) for place, cells in printed("002", "table ").items() if place[0] in "45"}
    assert {run: list(errors) for run, errors in PRINTED.items()} == source
    assert printed_range(faulty=False) == (0.03, 0.11)
    assert printed_range(faulty=True) == (0.16, 16.22)


def test_tables_4_to_8_of_the_third_paper():
    source = {place: numbers(cells) for place, cells in printed("003", "table ").items()}
    ours = {
        f"{row.table}: {row.classifier}": [
            row.printed,
            row.errors.false_positives,
            row.errors.false_negatives,
        ]
        for row in ROWS
    }
    assert ours == source


def test_the_page_quotes_the_shares_that_the_third_paper_misses():
    page = (ROOT / "replications" / "docs" / "history-tables.md").read_text()
    *_, svm, forest = numbers(printed("003", "summary data: ")["missed by DTree Logistic TAN SVM and forest"])
    assert f"{100 * svm / N_ABNORMAL:.1f} and {100 * forest / N_ABNORMAL:.1f} %" in page
    of_table_6 = printed("003", "table 6: ")
    tree, logistic, tan = (float(of_table_6[name][2]) / N_ABNORMAL for name in ("DTree", "Logistic", "TAN"))
    assert (
        f"{100 * tree:.0f}, {100 * logistic:.0f} and {100 * tan:.0f} % of the abnormal rows are missed"
        in page
    )
    minutes = sorted(numbers(printed("003", "section 6: ")["minutes of training"]))
    assert re.search(rf"engine took {minutes[0]:.0f} to {minutes[-1]:.0f} minutes", page)


def test_outcomes_of_the_fourth_paper():
    source = {place.partition(",")[0]: cells for place, cells in printed("004", "table ").items()}
    tables = {"fixed load": "I", "varied loads": "II"}
    ours = {
        f"{tables[scenario]}: {system}": " ".join(rows).split()
        for (system, scenario), rows in OUTCOMES.items()
    }
    assert ours == source
    assert published("fixed load") == "16 of 18 right: 7 of 9 regressions found, 9 of 9 quiet"
    assert published("varied loads") == "13 of 18 right: 10 of 14 regressions found, 3 of 4 quiet"
