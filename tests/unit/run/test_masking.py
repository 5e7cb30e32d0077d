import json
import random
import re
import shlex
import string
import time
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.cli.main import main
from buto.errors import ConfigError
from buto.measure.recording import Checkpoint, Recording
from buto.oracle import train
from buto.project import config
from buto.run.masking import MASKED, NAMES, Mask
from buto.run.model import Outcome
from tests.support.runs.qualities import starved
from tests.support.runs.signals import program_runs

SECRET = "hunter-2/Zq"


SECRETS = """
    password DB_PASSWORD db.password javax.net.ssl.trustStorePassword PASSWORD_1 api-key apiKey client.secret
    AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN GITHUB_TOKEN Authorization ssl.private.key
    git.credentials
"""
NO_SECRETS = "password.file max.tokens tokenizer key sort.key author user.name compass passive"


def test_names_of_secrets_are_known_however_their_words_are_joined():
    assert [name for name in SECRETS.split() if not Mask().is_secret(name)] == []
    assert [name for name in NO_SECRETS.split() if Mask().is_secret(name)] == []


def test_a_user_adds_patterns_for_names_as_they_are_written_or_by_words():
    mask = Mask(["ACME_*", "*.pin", "host.name"])
    assert all(map(mask.is_secret, ("ACME_LICENCE", "cardPin", "host.name", "password")))
    assert not Mask().is_secret("cardPin")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("-Ddb.password=x -Xmx256m", f"-Ddb.password={MASKED} -Xmx256m"),
        ("-Ddb.password=two words -Xmx256m", f"-Ddb.password={MASKED} -Xmx256m"),
        ("com.acme.Main --token a b --size 5", f"com.acme.Main --token {MASKED} --size 5"),
        ("jdbc:postgresql://joe:pw@db/x?a=1&password=p&b=2", None),
        ("jdbc:oracle:thin:scott/tiger@db:1521", f"jdbc:oracle:thin:scott/{MASKED}@db:1521"),
        ("http://joe:pa:ss@host/", f"http://joe:{MASKED}@host/"),
        ("Authorization: Bearer abcdefgh", f"Authorization: {MASKED}"),
        ("curl -H 'X-Api-Key: abc'", f"curl -H 'X-Api-Key: {MASKED}'"),
        ('{"password": "a b", "size": 5}', f'{{"password": {MASKED}, "size": 5}}'),
        ("it said Bearer abcdefgh123", f"it said Bearer {MASKED}"),
        ("key AKIAABCDEFGHIJKLMNOP", f"key {MASKED}"),
        ("--password-file /etc/pw --tokenizer x", "--password-file /etc/pw --tokenizer x"),
        ("-Dpassword=${DB_PASSWORD} x", "-Dpassword=${DB_PASSWORD} x"),
        ("-Duse.token=true", "-Duse.token=true"),
        ("https://host:8080/a@b", "https://host:8080/a@b"),
    ],
)
def test_in_a_text_what_stands_behind_the_name_of_a_secret_is_masked(text, masked):
    expected = masked or f"jdbc:postgresql://joe:{MASKED}@db/x?a=1&password={MASKED}&b=2"
    assert Mask().text(text) == expected
    assert Mask().text(expected) == expected


def test_words_of_a_command_are_masked_whole():
    words = ["java", f"-Da.password={SECRET} {SECRET}", "Main", "--token", SECRET, "--no-password", "file"]
    masked = ["java", f"-Da.password={MASKED}", "Main", "--token", MASKED, "--no-password", "file"]
    assert Mask().words(words) == masked
    assert shlex.split(Mask().command(words)) == Mask().words(words)


def test_a_known_secret_is_masked_wherever_it_stands_but_a_short_one_is_not():
    mask = Mask.of((), ["java", "--token", SECRET, "--secret", "abc"], {"DB_PASSWORD": "s3same-open"})
    assert (
        mask.hide_known(f"I was given {SECRET}, abc and s3same-open")
        == f"I was given {MASKED}, abc and {MASKED}"
    )
    assert mask.output(b"\xff" + SECRET.encode() + b"\x00") == b"\xff" + MASKED.encode() + b"\x00"


def test_a_password_that_is_the_word_itself_is_masked_in_its_place_alone():
    mask = Mask.of((), ["java", "-Ddb.password=password", "--secret", "secret"])
    masked = [f"-Ddb.password={MASKED}", "--password-file", "x"]
    assert mask.words(["-Ddb.password=password", "--password-file", "x"]) == masked
    assert mask.hide_known("the password is wrong") == "the password is wrong"


def test_the_working_directory_of_the_environment_is_not_a_secret():
    assert (
        Mask.of((), (), {"PWD": "/home/joe/project"}).hide_known("/home/joe/project/x")
        == "/home/joe/project/x"
    )


def test_metadata_is_masked_as_it_comes_in_by_its_own_names():
    recording = Recording("test", mask=Mask(["host.name"]))
    given = {
        "jvm.class.path": (f"/lib/{SECRET}/a.jar", f"/lib/{MASKED}/a.jar"),
        "system.property[db.password]": (SECRET, MASKED),
        "system.property[user.name]": ("joe", "joe"),
        "mbean[acme:type=Pool]/Password": (SECRET, MASKED),
        "system.processors": (2, 2),
    }
    recording.metadata.update([(key, value) for key, (value, _) in given.items()])
    recording.metadata |= {"host.name": "mine", "pin.token": 1234567}
    masked = {key: value for key, (_, value) in given.items()}
    assert dict(recording.metadata) == {**masked, "host.name": MASKED, "pin.token": MASKED}


def test_nothing_of_a_journal_or_a_finished_run_holds_a_secret_that_the_metadata_named():
    recording = Recording("test")
    recording.metadata["early"] = f"says {SECRET}"
    recording.metadata["system.property[db.password]"] = SECRET
    recording.metadata.update({"system.property[db.password]": SECRET})
    recording.add_notification(5, f"t {SECRET}", f"s {SECRET}", 1, f"m {SECRET}")
    recording.add_reason("column", f"why {SECRET}")
    recording.zero_ns = 0
    recording.add_rows(np.array([7], np.int64), np.empty((1, 0)))
    entry, _ = recording.changes_since(Checkpoint())
    assert entry.metadata and entry.nan_reasons and entry.notifications
    assert SECRET not in repr(entry)
    printed = {"stdout": SECRET.encode(), "stderr": b"a " + SECRET.encode()}
    run = recording.finish(Outcome(0), starved(f"bad {SECRET}"), **printed)
    content = repr([getattr(run, field.name) for field in fields(run)])
    assert SECRET not in content
    assert content.count(MASKED) == 9


def test_an_oracle_remembers_no_secret_but_variables_that_stand_for_one():
    target = {
        "command": ["java", f"-Dpassword={SECRET}", "--token", "${TOKEN}", "Main"],
        "environment": {"DB_PASSWORD": SECRET, "API_KEY": "${KEY}", "PIN": SECRET, "LANG": "C"},
        "mask": ["pin"],
        "workload": {
            "command": f"load --secret '{SECRET} x' ${{PORT}}",
            "http": {"url": f"http://a:{SECRET}@b/"},
        },
        "mbeans": [{"name": "acme:type=Pool", "attributes": ["Token", "Size"]}],
    }
    learned = train(program_runs(1, 5), target=target)
    assert SECRET.partition("/")[0] not in repr(learned.target)
    assert learned.target["command"] == ["java", f"-Dpassword={MASKED}", "--token", "${TOKEN}", "Main"]
    assert learned.target["environment"] == {
        "DB_PASSWORD": MASKED,
        "API_KEY": "${KEY}",
        "PIN": MASKED,
        "LANG": "C",
    }
    assert learned.target["mbeans"] == target["mbeans"]


@pytest.mark.parametrize("command", ["java -Dpassword=SECRET 'unclosed", "[java, '-Dpassword=SECRET${']"])
def test_what_is_wrong_with_a_configuration_is_reported_without_its_secrets(tmp_path, command):
    path = tmp_path / "buto.yaml"
    path.write_text(f"version: 1\ntests: {{one: {{command: {json.dumps(command)}}}}}")
    if command.startswith("["):
        path.write_text(f"version: 1\ntests: {{one: {{command: {command}}}}}")
    with pytest.raises(ConfigError) as caught:
        config.load(path, {})
    assert "SECRET" not in caught.value.message
    assert MASKED in caught.value.message


def test_what_was_typed_wrongly_is_reported_without_its_secrets(capsys):
    assert main(["record", "shop", "--token", SECRET, "java"]) == 2
    printed = capsys.readouterr()
    assert SECRET not in printed.out + printed.err
    assert MASKED in printed.err


PARTS = (
    "a.",
    "a-b+",
    "a://",
    "://a:",
    "jdbc:oracle:a:",
    "eyJ-",
    "eyJabcdefgh.",
    "--token ",
    "password=",
    "  ",
)


@pytest.mark.parametrize("part", [*PARTS, "token: "])
def test_no_text_takes_long(part):
    text = "x://" + part * (256 * 1024 // len(part)) + "eyJ"
    before = time.monotonic()
    Mask().hide_known(text)
    Mask().text(text[: 32 * 1024])
    assert time.monotonic() - before < 10


@given(st.text(max_size=200))
def test_masking_twice_is_masking_once(text):
    once = Mask().text(text)
    assert Mask().text(once) == once


@given(
    st.text(string.ascii_letters + string.digits + "+/$!#", min_size=6, max_size=30), st.integers(0, 10**9)
)
def test_no_secret_gets_through_a_command_line(secret, seed):
    if secret.lower() in ("yes", "none", "false") or re.fullmatch(r"(\$\w+)+", secret):
        return
    name = random.Random(seed).choice([name.strip("*.") for name in NAMES])
    for words in ([f"-D{name}={secret}"], [f"--{name}", secret], [f"--{name.replace('.', '-')}={secret}"]):
        mask = Mask.of((), ["java", *words, "Main"])
        assert secret not in mask.words(["java", *words, "Main"])
        assert f" {secret}" not in mask.command(["java", *words, "Main"])
        assert f"={secret}" not in mask.text(" ".join(["java", *words, "Main"]))


def test_the_document_states_every_pattern():
    from pathlib import Path

    stated = (Path(__file__).parents[3] / "docs" / "evidence" / "security.md").read_text()
    assert [name for name in NAMES if f"`{name}`" not in stated] == []


def test_another_thread_may_learn_secrets_and_add_metadata_meanwhile() -> None:
    class Meanwhile(str):
        """A text that, while it is searched, lets another thread's work happen."""

        def __contains__(self, part: str) -> bool:
            mask.learn("a-later-secret")
            recording.metadata[f"late {len(recording.metadata)}"] = 1
            return super().__contains__(part)

    mask = Mask()
    mask.learn("an-early-secret")
    recording = Recording("t", mask=mask)
    for name in ("first", "second"):
        dict.__setitem__(recording.metadata, name, Meanwhile("an-early-secret"))
    assert recording.metadata.finish() == {"first": MASKED, "second": MASKED}
    assert mask.hide_known("a-later-secret") == MASKED
