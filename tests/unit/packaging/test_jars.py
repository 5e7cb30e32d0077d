"""The bundled jars."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from buto import jars
from buto.errors import EXIT_BAD_FILE, BadFileError
from tests.support.checkout import java_build


def test_a_jar_that_was_never_built_is_named_with_what_to_type() -> None:
    with pytest.raises(BadFileError, match="never-built.jar is missing") as raised:
        jars.path("never-built.jar")
    assert raised.value.exit_code == EXIT_BAD_FILE
    assert "python java-probes/build.py" in (raised.value.advice or "")


@pytest.mark.slow
def test_the_digest_is_that_of_the_sources_and_not_of_the_compiler(tmp_path: Path) -> None:
    build = java_build()
    source = tmp_path / "java-probes/src/jmx/java/demo/Demo.java"
    source.parent.mkdir(parents=True)
    digests = []
    for text in ("final class Demo { }", "final class Demo { int one; }", "final class Demo { }"):
        source.write_text(text)
        (jar,) = build.build_all(tmp_path, tmp_path / "out", force=True)
        digests.append(jars.digest(str(jar)))
    assert digests[0] == digests[2] != digests[1]
    assert all(len(digest) == 12 for digest in digests)


@pytest.mark.parametrize("content", [b"", b"no archive", None])
def test_a_jar_that_is_none_of_ours_is_named(tmp_path: Path, content: bytes | None) -> None:
    jar = tmp_path / "some.jar"
    if content is None:
        with zipfile.ZipFile(jar, "w") as archive:
            archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n")
    else:
        jar.write_bytes(content)
    with pytest.raises(BadFileError, match="damaged or of another buto"):
        jars.digest(str(jar))
