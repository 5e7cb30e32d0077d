"""Files of Maven Central: fetched once, checked, unpacked once."""

import hashlib
import io
import tarfile
import zipfile

import pytest

from beds import artefacts
from beds.artefacts import Artefact, BedError, fetch, unpack_once


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
