"""Pairs of releases without a JVM: their files, their counts, and the commands on them."""

import csv
import re
from pathlib import Path

import pytest
import yaml

from beds.artefacts import BedError
from benchmark import __main__ as commands
from benchmark import explained, launch, reproduce
from benchmark.launch import parse
from benchmark.launch import tests_of as both_tests
from benchmark.pairs import COMMITS, PAIRS, PROGRAMS, Difficulty, Measure, read, read_all
from benchmark.pairs import GOOD as GOOD_PAIRS
from benchmark.reproduce import COUNTED, LEAST_RUNS, Counts, Outcome, outcome
from benchmark.series import BAD, GOOD, place_of, read_series
from benchmark.services import read_services, sources
from buto.causes.profiles import USUAL
from buto.causes.profiles import ProfileKind as ProfileKind
from buto_replications.causes.programs import read_manifests

RELEASES = read_all()
OF_COMMITS = read_all((COMMITS,))
ALL = read_all((PAIRS, GOOD_PAIRS, COMMITS))
REGRESSIONS = {name: pair for name, pair in ALL.items() if pair.regression}
SERIES = read_series()
JAVAS = {"17", "25"}
LINE = "use " + " ".join(f"{measure}={number}" for number, measure in enumerate(Measure, 1))


@pytest.fixture
def offline(monkeypatch):
    """Every jar is there, and nothing is compiled."""

    def there(artefact):
        return Path(artefact.file)

    def built(pair):
        return Path("classes") / pair.name

    monkeypatch.setattr(launch, "fetch", there)
    monkeypatch.setattr("benchmark.series.fetch", there)
    for user in ("launch", "causes", "series"):
        monkeypatch.setattr(f"benchmark.{user}.build", built)


@pytest.mark.parametrize(
    ("old", "new", "exact", "expected"),
    [
        pytest.param([1.0, 1.1, 0.9], [2.0, 2.1, 1.9], False, True, id="twice as much"),
        pytest.param([1.0, 1.1, 0.9], [1.09, 2.1, 2.0], False, False, id="one new run below an old one"),
        pytest.param([100.0] * 3, [109.0] * 3, False, False, id="always more, but under a tenth"),
        pytest.param([100.0] * 3, [110.0] * 3, False, True, id="a tenth more"),
        pytest.param([100.0] * 3, [102.0] * 3, True, True, id="a fiftieth more of an exact count"),
        pytest.param([100.0] * 3, [101.0] * 3, True, False, id="a hundredth more of an exact count"),
        pytest.param([0.0] * 3, [1.0] * 3, True, True, id="none before"),
        pytest.param([2.0, 2.1, 1.9], [1.0, 1.1, 0.9], True, False, id="less"),
        pytest.param([1.0] * 2, [2.0] * 3, True, False, id="too few old runs"),
        pytest.param([1.0] * 3, [2.0] * 2, True, False, id="too few new runs"),
    ],
)
def test_a_measure_shows_a_regression_if_every_new_run_used_more(old, new, exact, expected):
    assert Outcome(old, new, exact).reproduced is expected


def test_a_line_of_the_table_shows_medians_ranges_and_the_answer():
    pair = ALL["hikari-cycle"]
    line = commands.row(pair, "17", Measure.CPU, Outcome([1.0, 1.5, 1.25], [2.5, 3.0, 2.0]))
    assert line.split() == [
        "hikari-cycle",
        "17",
        "cpu_s",
        "1.25",
        "(1.00-1.50)",
        "2.50",
        "(2.00-3.00)",
        "2.000",
        "yes",
    ]


def test_a_program_prints_its_use_on_one_line():
    used = parse(f"17\n\nother words\n{LINE}\n")
    assert list(used.values()) == list(range(1, len(Measure) + 1))


def test_a_program_without_that_line_is_an_error_that_shows_what_it_printed():
    with pytest.raises(BedError, match="user 17"):
        parse("user 17\n")


def test_the_programs_print_every_measure_in_its_order():
    source = (PROGRAMS / "Use.java").read_text()
    assert re.findall(r"(\w+)=%", source) == [str(measure) for measure in Measure]


def test_no_program_is_left_over():
    used = {pair.program for pair in ALL.values()}
    assert {path.stem for path in PROGRAMS.glob("*.java")} == {"Use", *used}


@pytest.mark.parametrize("pair", RELEASES.values(), ids=lambda pair: pair.name)
def test_a_pair_has_two_releases_of_a_library_with_checksums_and_a_report(pair):
    old, new = pair.old[0], pair.new[0]
    assert new.name.startswith(old.name)
    files = (*pair.old, *pair.new, *pair.beside)
    assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) for file in files)
    assert pair.report.startswith("https://")
    assert pair.reported
    if pair.regression:
        assert pair.old[0].version != pair.new[0].version


@pytest.mark.parametrize("pair", REGRESSIONS.values(), ids=lambda pair: pair.name)
def test_the_methods_that_changed_are_named_in_full(pair):
    methods = pair.regression.changed
    assert len(set(methods)) == len(methods)
    assert all(re.fullmatch(r"[a-z]\w*(\.[a-z]\w*)*(\.[A-Z][\w$]*)\.[\w<>$]+", method) for method in methods)


@pytest.mark.parametrize("pair", REGRESSIONS.values(), ids=lambda pair: pair.name)
def test_the_counts_of_a_pair_show_what_was_reported_on_both_jvms(pair):
    counted = reproduce.read(COUNTED / f"{pair.name}.csv")
    assert {counts.java for counts in counted} == JAVAS
    for java in JAVAS:
        runs = [counts for counts in counted if counts.java == java]
        assert all(outcome(runs, measure).reproduced for measure in pair.regression.measures)


@pytest.mark.parametrize("pair", REGRESSIONS.values(), ids=lambda pair: pair.name)
def test_the_difficulty_is_that_of_the_counts(pair):
    counted = reproduce.read(COUNTED / f"{pair.name}.csv")
    first = pair.regression.measures[0]
    least = min(outcome([counts for counts in counted if counts.java == java], first).ratio for java in JAVAS)
    expected = {Difficulty.PLAIN: (1.5, float("inf")), Difficulty.MIDDLE: (1.1, 1.5)}
    low, high = expected.get(pair.regression.difficulty, (1.0, float("inf")))
    assert low <= least <= high


def test_counts_are_read_as_they_were_written(tmp_path):
    used = {measure: float(number) for number, measure in enumerate(Measure)}
    counted = [Counts("17", "old", 0, used), Counts("25", "new", 1, used)]
    path = tmp_path / "counts.csv"
    with path.open("w", newline="") as out:
        reproduce.write(counted, out)
    assert reproduce.read(path) == counted


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "speed"}, "speed"),
        ({"difficulty": "easy"}, "easy"),
        ({"measures": ["heap"]}, "heap"),
        ({"program": None}, "program"),
        ({"colour": "red"}, "colour"),
        ({"old": {"jsoup:1.5.2": "0" * 64}}, "not a pair"),
    ],
)
def test_a_file_that_is_not_a_pair_says_what_is_wrong(change, words, tmp_path):
    content = yaml.safe_load((PAIRS / "jsoup-errors.yaml").read_text()) | change
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({key: value for key, value in content.items() if value is not None}))
    with pytest.raises(BedError, match=words):
        read(path)


@pytest.mark.usefixtures("offline")
def test_the_tests_of_a_pair_run_the_same_classes_with_one_release_each():
    tests = both_tests(ALL["hikari-cycle"], Path("classes"), "java")
    old, new = (tests[f"hikari-cycle-{side}"]["command"] for side in ("old", "new"))
    assert "classes:HikariCP-5.0.0.jar:slf4j-api-2.0.16.jar:slf4j-nop-2.0.16.jar" in old
    assert [word.replace("5.0.0", "5.0.1") for word in old] == new
    assert new[-1] == "HikariCycle"


@pytest.mark.usefixtures("offline")
def test_a_configuration_has_both_tests_of_the_named_pairs(tmp_path):
    output = tmp_path / "buto.yaml"
    assert commands.main(["configuration", "jsoup-parse", "jsoup-errors", "--output", str(output)]) == 0
    assert list(yaml.safe_load(output.read_text())["tests"]) == [
        "jsoup-parse-old",
        "jsoup-parse-new",
        "jsoup-errors-old",
        "jsoup-errors-new",
    ]


@pytest.mark.usefixtures("offline")
def test_the_tests_of_a_series_run_the_classes_of_its_pair_with_each_release(tmp_path):
    output = tmp_path / "series.yaml"
    assert commands.main(["series", "snakeyaml-long-text", "--output", str(output)]) == 0
    content = yaml.safe_load(output.read_text())
    assert content["defaults"]["interval"] == "50ms"
    tests = content["tests"]
    assert list(tests) == [
        f"snakeyaml-long-text-1.{minor}@parallel" for minor in (12, 13, 14, 15, 16, 17, 18, 19, 20, 21)
    ]
    command = tests["snakeyaml-long-text-1.18@parallel"]["command"]
    assert command[-2:] == ["classes/snakeyaml-long-text:snakeyaml-1.18.jar", "YamlLongText"]


@pytest.mark.parametrize("series", SERIES.values(), ids=lambda series: series.pair.name)
def test_a_series_begins_with_good_releases_and_has_both_sides_of_its_pair(series):
    labels = [release.label for release in series.releases.values()]
    assert labels[:5] == [GOOD] * 5
    assert list(series.releases) == sorted(series.releases, key=place_of)
    (old, new) = (side[0].version for side in (series.pair.old, series.pair.new))
    assert (series.releases[old].label, series.releases[new].label) == (GOOD, BAD)


def test_labels_name_the_issue_of_a_regression(capsys):
    assert commands.main(["labels", "jackson-mappers"]) == 0
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))
    assert rows[0] == ["test", "release", "label", "reason"]
    assert ["jackson-mappers", "2.13.4", "good", ""] in rows
    assert ["jackson-mappers", "2.14.0", "bad", "FasterXML/jackson-databind#3665"] in rows


@pytest.mark.usefixtures("offline")
def test_a_manifest_of_causes_has_both_releases_what_rose_and_the_methods_that_changed(tmp_path):
    output = tmp_path / "causes.yaml"
    assert commands.main(["causes", "postgres-redeploy", "jsoup-parse", "--output", str(output)]) == 0
    redeploy, parsing = read_manifests([output])
    assert redeploy.kinds == (
        ProfileKind.LOADED,
        ProfileKind.CLASSES,
        ProfileKind.RETENTION,
        ProfileKind.ALIVE,
        ProfileKind.STARTED,
    )
    assert (parsing.kinds, parsing.methods) == ((ProfileKind.CPU,), ("org.jsoup.parser.Tokeniser.read",))
    assert "postgresql-42.5.4.jar" in redeploy.words["old"][-2]
    assert "postgresql-42.6.0.jar" in redeploy.words["new"][-2]


def test_a_configuration_that_exists_is_kept(tmp_path, capsys):
    output = tmp_path / "buto.yaml"
    output.write_text("mine")
    assert commands.main(["configuration", "--output", str(output)]) == 3
    assert output.read_text() == "mine"
    assert "--output FILE" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["list", "jsoup"], ["labels", "jsoup"]])
def test_an_unknown_name_is_an_error_that_shows_the_known_ones(arguments, capsys):
    assert commands.main(arguments) == 2
    assert "jsoup-parse" in capsys.readouterr().err


def test_too_few_runs_are_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        commands.main(["reproduce", "--runs", str(LEAST_RUNS - 1)])
    assert ended.value.code == 2
    assert f"at least {LEAST_RUNS}" in capsys.readouterr().err


def test_the_list_names_releases_and_reports(capsys):
    assert commands.main(["list", "jsoup-parse"]) == 0
    assert "jsoup 1.11.2 → 1.12.2, jhy/jsoup#1327" in capsys.readouterr().out


def test_runs_are_interleaved_and_every_second_turn_begins_with_the_new_release(monkeypatch):
    order = []

    def used(pair, side, classes, java):
        order.append(side)
        return dict.fromkeys(Measure, float(len(order)))

    monkeypatch.setattr(reproduce, "build", lambda pair: Path(pair.name))
    monkeypatch.setattr(reproduce, "use", used)
    counted = list(reproduce.count(ALL["jsoup-connections"], "java", "17", 3))
    assert order == ["old", "new", "new", "old", "old", "new"]
    found = outcome(counted, Measure.DESCRIPTORS)
    assert (found.old, found.new) == ([1.0, 4.0, 5.0], [2.0, 3.0, 6.0])


def test_a_good_pair_is_not_called_a_regression():
    assert {path.stem for path in GOOD_PAIRS.glob("*.yaml")} == set(ALL) - set(REGRESSIONS)


def test_of_a_good_pair_each_cause_is_wrong():
    document = {
        "answer": "`shop.Cart.add`",
        "kinds": [{"kind": "cpu", "found": [{"tier": "cause", "method": "shop.Cart.add"}]}],
    }
    wrong = explained.judged(document, (), (), "good-shop", "17", 1.0)
    right = explained.judged({"answer": "", "kinds": []}, (), (), "same-shop", "17", 1.0)
    assert (wrong.place, wrong.named, wrong.others) == (0, False, "shop.Cart.add")
    assert list(explained.named_at_all([wrong, right])) == ["anything named: 1 of 2"]


def test_the_pairs_set_apart_and_the_good_ones_are_explained_alone(monkeypatch, tmp_path):
    asked = []

    def answer(pair, java, release):
        asked.append(pair.name)
        return explained.judged({"answer": "", "kinds": []}, (), (), pair.name, release, 1.0)

    monkeypatch.setattr(explained, "explained", answer)
    monkeypatch.setattr(explained, "explained_service", answer)

    def names(option):
        asked.clear()
        assert commands.main(["explain", option, "--output", str(tmp_path / f"{option}.csv")]) == 0
        return asked

    assert names("--good") == list(read_all((GOOD_PAIRS,)))
    assert "jsoup-errors" not in names("--apart")
    assert len(asked) == 28
    assert names("--services") == list(read_services())


def test_each_change_of_the_service_is_in_a_method_that_it_has():
    unchanged = sources(None)
    for change in read_services().values():
        changed = sources(change)
        assert changed != unchanged
        method = change.changed[0].removeprefix("com.acme.shop.Shop.")
        assert f" {method}(" in changed["Shop.java"]
        assert {ProfileKind(kind) for kind in change.kinds} <= set(USUAL)
