"""Commits of libraries: their files, and jars that somebody put into a directory."""

from pathlib import Path

import pytest
import yaml

from beds.artefacts import BedError
from benchmark import __main__ as commands
from benchmark import launch
from benchmark.commits import Built, Change, placed
from benchmark.launch import command
from benchmark.pairs import COMMITS, read, read_all
from buto.causes.profiles import ProfileKind
from buto_replications.causes.programs import read_manifests

ALL = read_all((COMMITS,))
ONE = "jsoup-clones"


@pytest.mark.parametrize("pair", ALL.values(), ids=lambda pair: pair.name)
def test_the_report_is_a_commit_of_the_side_that_it_changed(pair):
    assert pair.regression
    side = pair.new if pair.change is Change.INTRODUCED else pair.old
    link, _, commit = pair.report.partition("/commit/")
    assert link.startswith("https://github.com/")
    assert commit == side[0].commit
    assert [artefact.name for artefact in pair.old] == [artefact.name for artefact in pair.new]
    assert all(old.commit != new.commit for old, new in zip(pair.old, pair.new, strict=True))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"change": "reverted"}, "reverted"),
        ({"old": {"jsoup": "afd7360"}}, "40 hexadecimal digits"),
        ({"new": {"jsoup": "v1.14"}}, "40 hexadecimal digits"),
    ],
)
def test_a_file_that_is_not_of_a_commit_says_what_is_wrong(change, words, tmp_path):
    content = yaml.safe_load((COMMITS / f"{ONE}.yaml").read_text()) | change
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(BedError, match=words):
        read(path)


def test_a_jar_that_is_missing_is_an_error_that_says_which_commit_to_build(tmp_path):
    with pytest.raises(BedError, match=f"mine-{'a' * 40}.jar is missing: build mine at the commit"):
        placed(Built("mine", "a" * 40), tmp_path)


@pytest.fixture
def jars(monkeypatch, tmp_path):
    """Every jar of a commit is there, and empty; nothing is compiled."""

    def there(artefact, place=tmp_path):
        path = place / artefact.file
        path.touch()
        return path

    monkeypatch.setattr(launch, "placed", there)
    monkeypatch.setattr(launch, "fetch", lambda artefact: Path(artefact.file))
    return tmp_path


def test_each_side_runs_with_the_jar_of_its_commit(jars):
    pair = ALL[ONE]
    old, new = (command(pair, side, Path("classes"))[-2] for side in ("old", "new"))
    assert old == f"classes:{jars}/jsoup-{pair.old[0].commit}.jar"
    assert new == f"classes:{jars}/jsoup-{pair.new[0].commit}.jar"


def test_commits_are_chosen_by_their_names_or_all_together(capsys):
    assert commands.main(["list", ONE, "jsoup-parse"]) == 0
    both = capsys.readouterr().out
    assert "jsoup afd73606a9 → 3c37bffed9, jhy/jsoup@afd73606a9" in both
    assert "jsoup 1.11.2 → 1.12.2, jhy/jsoup#1327" in both
    assert commands.main(["list", "--commits"]) == 0
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()[::2]] == list(ALL)


def test_a_manifest_of_causes_has_the_commits_that_are_named(jars, monkeypatch, tmp_path):
    monkeypatch.setattr("benchmark.causes.build", lambda pair: Path("classes") / pair.name)
    output = tmp_path / "causes.yaml"
    assert commands.main(["causes", ONE, "--output", str(output)]) == 0
    [program] = read_manifests([output])
    assert (program.kinds, program.methods[0]) == ((ProfileKind.CPU,), "org.jsoup.nodes.Element.doClone")
    assert ALL[ONE].old[0].commit in program.words["old"][-2]
    assert ALL[ONE].new[0].commit in program.words["new"][-2]
