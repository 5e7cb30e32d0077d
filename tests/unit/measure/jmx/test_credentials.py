"""Passwords come from files and variables, are never shown, and go by pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.errors import UsageError
from buto.measure.jmx.credentials import Credentials, password_from_environment, password_from_file


@pytest.mark.parametrize(
    ("content", "password"),
    [
        ("swordfish\n", "swordfish"),
        ("sword fish", "sword fish"),
        ("# the JDK's format\nother  secret\nwatcher  swordfish\n", "swordfish"),
        ("watcher swordfish\nother secret", "swordfish"),
    ],
)
def test_a_password_file_may_be_the_jdks_or_one_line(tmp_path: Path, content: str, password: str) -> None:
    file = tmp_path / "password"
    file.write_text(content)
    assert password_from_file(file, "watcher") == password


def test_a_password_that_cannot_be_found_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="absent"):
        password_from_file(tmp_path / "absent")
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(UsageError, match="empty"):
        password_from_file(tmp_path / "empty")
    monkeypatch.delenv("BUTO_TEST_PASSWORD", raising=False)
    with pytest.raises(UsageError, match="BUTO_TEST_PASSWORD"):
        password_from_environment("BUTO_TEST_PASSWORD")
    monkeypatch.setenv("BUTO_TEST_PASSWORD", "swordfish")
    assert password_from_environment("BUTO_TEST_PASSWORD") == "swordfish"


def test_secrets_are_not_in_the_printed_form(tmp_path: Path) -> None:
    store = tmp_path / "trust"
    store.touch()
    credentials = Credentials("watcher", "swordfish", truststore=store, truststore_password="carp")
    assert "watcher" in repr(credentials)
    assert "swordfish" not in repr(credentials)
    assert "carp" not in repr(credentials)
    assert credentials.java_options() == (
        f"-Djavax.net.ssl.trustStore={store}",
        "-Djavax.net.ssl.trustStorePassword=carp",
    )
    assert Credentials().java_options() == ()


def test_half_a_pair_and_a_missing_key_store_are_usage_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="password"):
        Credentials(user="watcher")
    with pytest.raises(UsageError, match="user"):
        Credentials(password="swordfish")
    with pytest.raises(UsageError, match="absent"):
        Credentials(truststore=tmp_path / "absent")
