"""The bundled jars."""

import pytest

from buto import jars
from buto.errors import EXIT_BAD_FILE, BadFileError


def test_a_jar_that_was_never_built_is_named_with_what_to_type() -> None:
    with pytest.raises(BadFileError, match="never-built.jar is missing") as raised:
        jars.path("never-built.jar")
    assert raised.value.exit_code == EXIT_BAD_FILE
    assert "python java-probes/build.py" in (raised.value.advice or "")
