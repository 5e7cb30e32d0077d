"""Released libraries and programs with known regressions: tables, draws, and files of Maven Central."""

import hashlib
import io
import re
import tarfile
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from beds import artefacts
from beds.artefacts import Artefact, BedError, fetch, unpack_once
from beds.unseen.catalogue import N_TUNING, SOURCES, draw, halves, programs
from beds.unseen.recording import ROUNDS, runs_after, variant
from beds.unseen.verify import MEASURES
from beds.versions import __main__ as commands
from beds.versions import launch
from beds.versions.causes import changed_methods
from beds.versions.launch import SCENARIOS, Outcome, parse
from beds.versions.launch import tests_of as both_tests
from beds.versions.pairs import PAIRS, SHA256, Kind
from beds.versions.series import BAD, GOOD, SERIES, place_of
from buto.run.profiles import Kind as ProfileKind
from buto_replications.causes.programs import read_manifests

BY_NAME = {pair.name: pair for pair in PAIRS}
LINE = "use wall_s=1.5 cpu_s=2.25 allocated_mb=10.00 heap_mb=3 threads=6 classes=9 descriptors=8 rss_mb=90.5"


@pytest.fixture
def offline(monkeypatch):
    """Every jar is there, and nothing is compiled."""

    def there(artefact):
        return Path(artefact.file)

    def built(pair):
        return Path("classes") / pair.name

    monkeypatch.setattr(launch, "fetch", there)
    for user in ("launch", "causes", "series"):
        monkeypatch.setattr(f"beds.versions.{user}.build", built)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param([1.0, 1.1, 0.9], [2.0, 2.1, 1.9], True, id="twice as much"),
        pytest.param([1.0, 1.1, 0.9], [1.09, 2.1, 2.0], False, id="one new run below an old one"),
        pytest.param(
            [100.0, 100.0, 100.0], [109.0, 109.0, 109.0], False, id="always more, but under a tenth"
        ),
        pytest.param([100.0, 100.0, 100.0], [110.0, 110.0, 110.0], True, id="a tenth more"),
        pytest.param([2.0, 2.1, 1.9], [1.0, 1.1, 0.9], False, id="less"),
        pytest.param([1.0, 1.0], [2.0, 2.0, 2.0], False, id="too few old runs"),
        pytest.param([1.0, 1.0, 1.0], [2.0, 2.0], False, id="too few new runs"),
    ],
)
def test_a_pair_is_reproduced_if_every_new_run_used_more(old, new, expected):
    assert Outcome(old, new).reproduced is expected


def test_a_line_of_the_table_shows_medians_ranges_and_the_answer():
    line = commands.row(PAIRS[0], Kind.CPU, Outcome([1.0, 1.5, 1.25], [2.5, 3.0, 2.0]))
    assert line.split() == [
        "hikari-cycle",
        "cpu_s",
        "1.25",
        "(1.00-1.50)",
        "2.50",
        "(2.00-3.00)",
        "2.00",
        "yes",
    ]


def test_a_scenario_tells_its_use_on_one_line():
    used = parse(f"17\n\nother words\n{LINE}\n")
    assert used["cpu_s"] == 2.25
    assert {kind.value for kind in Kind} < set(used)


def test_a_scenario_without_that_line_is_an_error_that_shows_what_it_printed():
    with pytest.raises(BedError, match="user 17"):
        parse("user 17\n")


def test_names_are_unique_and_no_scenario_is_left_over():
    assert len({pair.name for pair in PAIRS}) == len(PAIRS)
    assert {path.stem for path in SCENARIOS.glob("*.java")} == {"Use", *(pair.scenario for pair in PAIRS)}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_two_sides_differ_in_versions_only(pair):
    assert [one.name for one in pair.old] == [one.name for one in pair.new]
    assert not {one.version for one in pair.old} & {one.version for one in pair.new}
    assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", pair.issue)


def test_every_jar_has_a_hash_and_is_used():
    used = [one for pair in PAIRS for one in (*pair.old, *pair.new, *pair.beside)]
    used += [jar for one in SERIES for release in one.releases for jar in one.files(release)]
    assert {f"{one.group}:{one.name}:{one.version}" for one in used} == set(SHA256)
    assert all(re.fullmatch("[0-9a-f]{64}", one.sha256) for one in used)


@pytest.mark.usefixtures("offline")
def test_the_tests_of_a_pair_run_the_same_classes_with_one_release_each():
    tests = both_tests(PAIRS[0], Path("classes"))
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


@pytest.mark.parametrize("series", SERIES, ids=lambda series: series.pair.name)
def test_a_series_begins_with_good_releases_and_has_both_sides_of_its_pair(series):
    labels = list(series.releases.values())
    assert labels[:5] == [GOOD] * 5
    assert list(series.releases) == sorted(series.releases, key=place_of)
    (old, new) = (side[0].version for side in (series.pair.old, series.pair.new))
    assert (series.releases[old], series.releases[new]) == (GOOD, BAD)


def test_labels_name_the_issue_of_a_regression(capsys):
    assert commands.main(["labels", "jackson-mappers"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "test,release,label,reason"
    assert "jackson-mappers,2.13.4,good," in lines
    assert "jackson-mappers,2.14.0,bad,FasterXML/jackson-databind#3665" in lines


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


def test_the_methods_that_changed_are_named_for_each_pair():
    changed = changed_methods()
    assert set(changed) == {pair.name for pair in PAIRS}
    for methods in changed.values():
        assert len(set(methods)) == len(methods)
        assert all(re.fullmatch(r"[a-z]+(\.[a-z]+)+(\.[A-Z][\w$]+)\.[\w<>]+", method) for method in methods)


def test_a_configuration_that_exists_is_kept(tmp_path, capsys):
    output = tmp_path / "buto.yaml"
    output.write_text("mine")
    assert commands.main(["configuration", "--output", str(output)]) == 3
    assert output.read_text() == "mine"
    assert "--output FILE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"), [(["list", "jsoup"], "jsoup-parse"), (["reproduce", "--runs", "2"], "at least 3")]
)
def test_what_cannot_be_done_is_said(arguments, words, capsys):
    with pytest.raises(SystemExit) as ended:
        commands.main(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_the_list_names_releases_and_reports(capsys):
    assert commands.main(["list", "jsoup-parse"]) == 0
    assert "jsoup 1.11.2 → 1.12.2, jhy/jsoup#1327" in capsys.readouterr().out


def test_runs_are_interleaved_and_every_second_turn_begins_with_the_new_release(monkeypatch):
    order = []

    def used(pair, side, classes):
        order.append(side)
        return dict.fromkeys(Kind, float(len(order)))

    monkeypatch.setattr(commands, "build", lambda pair: Path(pair.name))
    monkeypatch.setattr(commands, "use", used)
    outcomes = commands.reproduce(BY_NAME["jsoup-connections"], 3)
    assert order == ["old", "new", "new", "old", "old", "new"]
    assert list(outcomes) == [Kind.THREADS, Kind.DESCRIPTORS]
    outcome = outcomes[Kind.DESCRIPTORS]
    assert (outcome.old, outcome.new) == ([1.0, 4.0, 5.0], [2.0, 3.0, 6.0])


PROGRAMS = programs()


def test_every_program_is_described_and_none_is_left_over():
    assert {path.name for path in SOURCES.iterdir()} == {*PROGRAMS, "measure"}
    assert len(PROGRAMS) == 16
    assert sum(len(program.refactorings) for program in PROGRAMS.values()) == 40


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=lambda program: program.name)
def test_a_program_knows_the_versions_that_are_described(program):
    source = (SOURCES / program.name / "Main.java").read_text()
    assert source.count('case "') == len(program.versions)
    assert all(f'case "{version}" ->' in source for version in program.versions)


def test_regressions_are_of_many_kinds():
    kinds = Counter(program.kind for program in PROGRAMS.values())
    assert kinds == Counter(
        heap=4, allocation=3, cpu=2, threads=2, classes=1, descriptors=1, native=1, locks=1, io=1
    )
    assert set(kinds) <= set(MEASURES)


def test_the_written_draw_is_that_of_its_seed():
    drawn = draw(PROGRAMS)
    assert halves() == {name: half for half, names in drawn.items() for name in names}
    assert [len(drawn["tuning"]), len(drawn["apart"])] == [N_TUNING, 16 - N_TUNING]
    n_refactorings = {half: sum(len(PROGRAMS[name].refactorings) for name in drawn[half]) for half in drawn}
    assert n_refactorings == {"tuning": 20, "apart": 20}


@pytest.mark.parametrize("runs", [3, 4, 16])
@pytest.mark.parametrize("phase", [0, 7, 15])
def test_runs_of_a_version_are_spread_over_all_rounds(runs, phase):
    after = [runs_after(round_, runs, phase) for round_ in range(ROUNDS + 1)]
    assert (after[0], after[-1]) == (0, runs)
    assert {later - earlier for earlier, later in pairwise(after)} <= {0, 1}


def test_a_base_is_recorded_under_the_name_of_its_program():
    assert [variant("csv", version) for version in ("base", "r1")] == ["csv", "csv-r1"]


@pytest.fixture
def central(tmp_path, monkeypatch):
    """A directory in the place of Maven Central."""
    directory = tmp_path / "central"
    monkeypatch.setattr(artefacts, "CENTRAL", directory.as_uri())
    return directory


def publish(central, content, packaging="jar"):
    artefact = Artefact("org.shop", "shop", "1.2", hashlib.sha256(content).hexdigest(), packaging)
    path = central / "org" / "shop" / "shop" / "1.2" / artefact.file
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return artefact


def packed(suffix):
    """Return an archive with one file, ``bin/run``."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{suffix}") as archive:
        member = tarfile.TarInfo("bin/run")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"run"))
    return out.getvalue()


def test_a_file_is_fetched_once(central, tmp_path):
    artefact = publish(central, b"content")
    path = fetch(artefact, tmp_path / "cache")
    (central / "org/shop/shop/1.2/shop-1.2.jar").unlink()
    assert fetch(artefact, tmp_path / "cache").read_bytes() == b"content"
    assert [path] == list((tmp_path / "cache").iterdir())


def test_a_file_of_another_content_is_refused_and_not_kept(central, tmp_path):
    artefact = publish(central, b"content")
    (central / "org/shop/shop/1.2/shop-1.2.jar").write_bytes(b"another")
    with pytest.raises(BedError, match="has the SHA-256 .*, expected "):
        fetch(artefact, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_file_that_is_not_there_says_what_to_do(central, tmp_path):
    artefact = Artefact("org.shop", "shop", "1.2", "0" * 64)
    with pytest.raises(BedError, match="cannot be fetched: .*put the file into .*cache by hand"):
        fetch(artefact, tmp_path / "cache")


def test_an_archive_is_unpacked_once(central, tmp_path):
    directory = unpack_once(publish(central, packed("gz"), "tar.gz"), tmp_path / "cache")
    (directory / "bin" / "run").write_text("changed")
    artefact = Artefact("org.shop", "shop", "1.2", "", "tar.gz")
    assert (unpack_once(artefact, tmp_path / "cache") / "bin" / "run").read_text() == "changed"


def test_a_jar_with_an_archive_for_a_platform_is_unpacked_with_it(central, tmp_path):
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as content:
        content.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        content.writestr("linux.txz", packed("xz"))
    directory = unpack_once(publish(central, jar.getvalue()), tmp_path / "cache")
    assert (directory / "bin" / "run").read_text() == "run"
