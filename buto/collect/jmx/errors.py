"""Errors that Java threw while it talked to another JVM, with advice."""

from __future__ import annotations

from buto.errors import MeasureError

_CREDENTIALS = "give the user with --user and the password with --password-file or --password-env"
_TLS = (
    "name a trust store that has the JVM's certificate with --truststore; add --registry-tls if the registry "
    "uses TLS too"
)
_NOBODY = "start the JVM with -Dcom.sun.management.jmxremote.port=PORT, or check host and port"

_ADVICE = (
    ("java.lang.SecurityException", _CREDENTIALS),
    ("javax.net.ssl.", _TLS),
    ("java.rmi.ConnectIOException", _TLS),
    ("java.net.ConnectException", _NOBODY),
    ("java.net.UnknownHostException", "check the name of the host"),
    (
        "java.net.MalformedURLException",
        "an address looks like service:jmx:rmi:///jndi/rmi://HOST:PORT/jmxrmi",
    ),
    ("java.util.concurrent.TimeoutException", "the JVM may hang, or a firewall may be in between"),
    (
        "javax.management.InstanceNotFoundException",
        "the program has not registered such an MBean, or no longer",
    ),
    ("javax.management.MalformedObjectNameException", "an object name looks like com.acme:type=Queue"),
)
"""Prefix of the class of an exception in the chain, and advice; the first match counts."""


class JmxFailure(MeasureError):
    """A request failed in Java; the worker can still be used.

    Attributes:
        classes: names of the exception's class and of its causes', outermost first.
        is_timeout: whether a thread of the worker may still be busy with it.
    """

    def __init__(self, message: str, classes: tuple[str, ...]) -> None:
        super().__init__(message, advice=_advice(classes))
        self.classes = classes
        self.is_timeout = "java.util.concurrent.TimeoutException" in classes

    def about(self, what: str) -> JmxFailure:
        """Return the same error with a text in front that says what failed."""
        return JmxFailure(f"{what}: {self.message}", self.classes)


def _advice(classes: tuple[str, ...]) -> str | None:
    for name, advice in _ADVICE:
        if any(given.startswith(name) for given in classes):
            return advice
    return None
