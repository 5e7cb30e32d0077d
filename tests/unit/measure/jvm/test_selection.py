from __future__ import annotations

import pytest

from buto.measure.jvms import is_wanted, main_name


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("com.acme.Main 5 100", "com.acme.Main"),
        ("/opt/acme/app-1.2.jar --fast", "app-1.2.jar"),
        ("target/app.jar", "app.jar"),
        ("com.acme.app/com.acme.Main x", "com.acme.Main"),
        ("jdk.compiler/com.sun.tools.javac.Main A.java", "com.sun.tools.javac.Main"),
        ("", ""),
        ("   ", ""),
    ],
)
def test_the_main_class_or_jar_is_what_the_command_begins_with(command: str, name: str) -> None:
    assert main_name(command) == name


@pytest.mark.parametrize(
    ("command", "class_path", "name"),
    [
        ("my app/shop.jar --fast", "my app/shop.jar", "shop.jar"),
        ("my app/shop.jar", "my app/shop.jar", "shop.jar"),
        ("my app/gradle-wrapper.jar test", "my app/gradle-wrapper.jar", "gradle-wrapper.jar"),
        ("my app/shop.jarred", "my app/shop.jar", "my"),
        ("Shop lib/x.jar", "lib/x.jar", "Shop"),
        ("Shop", "Shop", "Shop"),
    ],
)
def test_a_jar_may_have_blanks_in_its_path(command: str, class_path: str, name: str) -> None:
    assert main_name(command, class_path) == name
    assert is_wanted(command, None, class_path) == (name != "gradle-wrapper.jar")


@pytest.mark.parametrize(
    "command",
    [
        "org.codehaus.plexus.classworlds.launcher.Launcher test",
        "org.gradle.wrapper.GradleWrapperMain build",
        "org.gradle.launcher.daemon.bootstrap.GradleDaemon 8.5",
        "/x/gradle/wrapper/gradle-wrapper.jar test",
        "org.apache.tools.ant.launch.Launcher -cp x",
        "/usr/share/sbt/bin/sbt-launch.jar run",
        "jdk.compiler/com.sun.tools.javac.Main A.java",
        "com.sun.tools.javac.Main A.java",
        "jdk.jartool/sun.tools.jar.Main cf a.jar .",
        "jdk.jcmd/sun.tools.jps.Jps",
    ],
)
def test_build_tools_are_not_wanted_unless_named(command: str) -> None:
    assert not is_wanted(command, None)
    assert is_wanted(command, main_name(command))


@pytest.mark.parametrize(
    "command",
    [
        "com.acme.Main",
        "/repo/target/surefire/surefirebooter20261120.jar x",
        "worker.org.gradle.process.internal.worker.GradleWorkerMain 'Gradle Test Executor 1'",
        "jdk.compiler/com.sun.tools.javac.launcher.Main Hello.java",
    ],
)
def test_anything_else_is_wanted(command: str) -> None:
    assert is_wanted(command, None)


@pytest.mark.parametrize("pattern", [None, "*", ""])
def test_a_jvm_without_a_program_is_never_wanted(pattern: str | None) -> None:
    assert not is_wanted("", pattern)


def test_a_pattern_is_for_the_whole_name_and_knows_case() -> None:
    assert is_wanted("com.acme.Main x", "com.acme.*")
    assert is_wanted("/a/b/app-3.jar", "app-?.jar")
    assert not is_wanted("com.acme.Main", "Main")
    assert not is_wanted("com.acme.Main", "com.acme.main")
