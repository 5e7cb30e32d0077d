"""What the one command leaves behind for users of the builds."""

from __future__ import annotations

import zipfile
from pathlib import Path

JAVA_8 = 52
JARS = ["buto-gradle-plugin-0.1.0.jar", "buto-junit-0.1.0.jar", "buto-maven-plugin-0.1.0.jar"]


def test_each_plugin_is_one_jar_of_java_8_bytecode_that_brings_its_own_launcher(plugins: Path) -> None:
    jars = sorted(plugins.rglob("*.jar"), key=lambda jar: jar.name)
    assert [jar.name for jar in jars] == JARS
    for jar in jars:
        with zipfile.ZipFile(jar) as archive:
            classes = [name for name in archive.namelist() if name.endswith(".class")]
            versions = {int.from_bytes(archive.read(name)[6:8], "big") for name in classes}
        assert versions == {JAVA_8}
        assert all(name.startswith("buto/") for name in classes)
        assert "buto/launcher/Harness.class" in classes
