"""Programs by an author who saw no method: tables and draws; and files of Maven Central."""

import hashlib
import io
import tarfile
import zipfile
from collections import Counter
from itertools import pairwise

import pytest

from beds import artefacts
from beds.artefacts import Artefact, BedError, fetch, unpack_once
from beds.rounds import Wanted
from beds.unseen.catalogue import N_TUNING, SOURCES, draw, halves, programs
from beds.unseen.recording import ROUNDS, variant
from beds.unseen.verify import MEASURES
from buto.measure.target import Target

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
    wanted = Wanted(Target(("java",)), runs, phase)
    after = [wanted.after(round_, ROUNDS) for round_ in range(ROUNDS + 1)]
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
