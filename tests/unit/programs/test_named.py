"""Which files a command names, with real files."""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path

import pytest

from buto.errors import UsageError
from buto.programs import named as named_module
from buto.programs.java import reference_text
from buto.programs.named import Named, files_of, sha256_of


def jar(path: Path, manifest: str = "", *, entry: str = "a.txt") -> Path:
    """Write a jar; its manifest has lines of at most 72 bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for line in manifest.splitlines():
        lines += [line[:70], *(f" {line[at : at + 69]}" for at in range(70, len(line), 69))]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, path.name)
        if manifest:
            archive.writestr(
                "META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n" + "\r\n".join(lines) + "\r\n\r\n"
            )
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with jars, classes, sources, a script and data, beside a repository of jars."""
    for name in ("app", "lib/one", "lib/two", "mods/m", "../repository/dep"):
        jar(tmp_path / "project" / f"{name}.jar")
    for name in (
        "classes/com/acme/Main.class",
        "classes/.git/HEAD",
        "conf/app.yml",
        "run.sh",
        "libx.so",
        "flags",
    ):
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "project"


def of(project: Path, *command: str, inputs: tuple[str, ...] = (), **environment: str) -> Named:
    return files_of(command, project, {"PATH": os.environ["PATH"], **environment}, inputs)


def places(project: Path, found: Named) -> set[str]:
    return {os.path.relpath(path, project) for path in found.files}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("java -cp app.jar:classes com.acme.Main", {"app.jar", "classes/com/acme/Main.class"}),
        ("java -classpath lib/* Main", {"lib/one.jar", "lib/two.jar"}),
        ("java --class-path ../repository/dep.jar:gone.jar Main", {"../repository/dep.jar"}),
        ("java --class-path=app.jar Main", {"app.jar"}),
        ("java -jar app.jar conf/app.yml", {"app.jar", "conf/app.yml"}),
        ("java -p mods -m m/Main", {"mods/m.jar"}),
        ("java --module-path=mods/m.jar --module m", {"mods/m.jar"}),
        ("java --upgrade-module-path mods -cp app.jar Main", {"mods/m.jar", "app.jar"}),
        (
            "java --patch-module java.base=classes --add-exports a/b=c -cp app.jar Main",
            {"classes/com/acme/Main.class", "app.jar"},
        ),
        (
            "java -javaagent:app.jar=lib/one.jar=2 -cp lib/two.jar M",
            {"app.jar", "lib/one.jar", "lib/two.jar"},
        ),
        ("java -agentpath:./libx.so -agentlib:jdwp -cp app.jar Main", {"libx.so", "app.jar"}),
        ("java -XX:Flags=flags -Xlog:gc:run.sh -cp app.jar Main", {"flags", "app.jar"}),
        (
            "java -Xbootclasspath/a:lib/one.jar -Dconf=file:conf/app.yml -jar app.jar",
            {"lib/one.jar", "app.jar", "conf/app.yml"},
        ),
        ("env -u X java -jar app.jar", {"app.jar"}),
        ("./run.sh conf/app.yml", {"run.sh", "conf/app.yml"}),
        ("sh run.sh", {"run.sh"}),
    ],
)
def test_all_that_a_command_names_is_found(project: Path, command: str, expected: set[str]) -> None:
    assert places(project, of(project, *command.split())) == expected


def test_a_class_path_in_the_environment_counts_and_without_any_it_is_the_directory(project: Path) -> None:
    assert places(project, of(project, "java", "Main", CLASSPATH="app.jar")) == {"app.jar"}
    inside = of(project / "classes", "java", "com.acme.Main")
    assert places(project, inside) == {"classes/com/acme/Main.class"}
    assert [reference_text(word) for word in inside.words] == ["java", "-cp", ".", "com.acme.Main"]


def test_options_in_the_environment_count(project: Path) -> None:
    spaced = jar(project / "my agents" / "a.jar")
    found = of(
        project,
        "gradle",
        "run",
        JAVA_TOOL_OPTIONS=f"-Xmx9m -javaagent:'{spaced}'=x",
        JDK_JAVA_OPTIONS="-Dx=1",
    )
    assert places(project, found) == {"my agents/a.jar"}
    assert list(found.environment) == ["JAVA_TOOL_OPTIONS"]
    assert reference_text(found.environment["JAVA_TOOL_OPTIONS"]) == f'-Xmx9m "-javaagent:{spaced}=x"'


def test_manifests_name_jars_in_turn_relative_to_themselves(project: Path) -> None:
    jar(project / "m.jar", "Class-Path: lib/next.jar lib/my%20other.jar gone.jar " + "classes/ " * 20)
    jar(project / "lib/next.jar", "Class-Path: ../app.jar next.jar ../m.jar")
    jar(project / "lib/my other.jar")
    expected = {"m.jar", "lib/next.jar", "lib/my other.jar", "app.jar", "classes/com/acme/Main.class"}
    assert places(project, of(project, "java", "-jar", "m.jar")) == expected
    jar(project / "agent.jar", "Boot-Class-Path: lib/one.jar")
    assert places(project, of(project, "java", "-javaagent:agent.jar", "-cp", "app.jar", "M")) == {
        "agent.jar",
        "lib/one.jar",
        "app.jar",
    }


@pytest.mark.parametrize("name", ["file:/opt/x.jar", "/opt/x.jar", "http://example.org/x.jar"])
def test_a_manifest_that_names_a_fixed_place_is_refused(project: Path, name: str) -> None:
    jar(project / "m.jar", f"Class-Path: {name}")
    with pytest.raises(UsageError, match=f"the manifest of .*m.jar names {name}, which stays"):
        of(project, "java", "-jar", "m.jar")


def test_argument_files_are_replaced_by_their_words_as_far_as_the_launcher_does(project: Path) -> None:
    (project / "args").write_text('-cp "lib/one.jar"\n# @other\n-Dx=@other')
    found = of(project, "java", "-Xmx9m", "@args", "@@Main", "@args", "conf/app.yml")
    words = ["java", "-Xmx9m", "-cp", "lib/one.jar", "-Dx=@other", "@Main", "@args", "conf/app.yml"]
    assert [reference_text(word) for word in found.words] == words
    assert places(project, found) == {"lib/one.jar", "conf/app.yml"}
    with pytest.raises(UsageError, match="the argument file gone cannot be read: it is missing"):
        of(project, "java", "@gone")


def test_a_source_file_comes_with_the_others_of_its_root(project: Path) -> None:
    for name in ("com/acme/Main", "com/acme/Other", "com/Third"):
        path = project / "src" / f"{name}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("package com.acme;\nclass X {}")
    found = of(project, "java", "src/com/acme/Main.java")
    assert places(project, found) == {
        "src/com/acme/Main.java",
        "src/com/acme/Other.java",
        "src/com/Third.java",
    }


def test_the_system_and_the_jdk_are_no_part_of_the_program(project: Path, tmp_path: Path) -> None:
    java = tmp_path / "jdk/bin/java"
    tools = jar(tmp_path / "jdk/lib/tools.jar")
    java.parent.mkdir()
    java.touch(0o755)
    found = of(project, str(java), "-cp", f"{tools}:/usr/lib/jvm:app.jar", "Main")
    assert places(project, found) == {"app.jar"}


def test_what_only_arguments_name_is_data(project: Path) -> None:
    found = of(project, "java", "-jar", "app.jar", "app.jar", "conf/app.yml", inputs=("run.sh",))
    assert {os.path.relpath(path, project): is_data for path, is_data in found.files.items()} == {
        "app.jar": False,
        "conf/app.yml": True,
        "run.sh": False,
    }


def test_a_directory_with_too_many_files_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_module, "MOST_FILES", 1)
    with pytest.raises(UsageError, match="has more than 1 files, too many for one program"):
        of(project, "java", "-cp", "lib", "Main")


def test_a_copy_with_the_size_and_the_times_of_another_file_is_told_apart(tmp_path: Path) -> None:
    """As where two programs stand in one place, one after the other, and the times of files are set alike."""
    path = tmp_path / "app.jar"
    sums = []
    for content in (b"old program", b"new program"):
        draft = tmp_path / "draft"
        draft.write_bytes(content)
        os.utime(draft, ns=(10**18, 10**18))
        draft.replace(path)
        sums.append(sha256_of(str(path), path.stat()))
    assert sums == [hashlib.sha256(content).hexdigest() for content in (b"old program", b"new program")]
    assert sha256_of(str(path), path.stat()) == sums[-1]
