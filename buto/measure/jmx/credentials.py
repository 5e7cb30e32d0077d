"""Credentials for a protected JMX connector: user and password, and key stores for TLS.

:class:`JmxFailure` is what Java threw while it talked to another JVM, with advice.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from buto.errors import MeasureError, UsageError


@dataclass(frozen=True, slots=True)
class Credentials:
    """Credentials for a JMX connector. Passwords never appear on a command line and are never printed.

    Attributes:
        user, password: for a connector with authentication.
        truststore: key store with the certificates of the JVM or of its certificate authority.
        keystore: key store with buto's own key, for a connector that asks for one.
        registry_tls: whether the RMI registry uses TLS too
            (``com.sun.management.jmxremote.registry.ssl=true``).
    """

    user: str | None = None
    password: str | None = field(default=None, repr=False)
    truststore: Path | None = None
    truststore_password: str | None = field(default=None, repr=False)
    keystore: Path | None = None
    keystore_password: str | None = field(default=None, repr=False)
    registry_tls: bool = False

    def __post_init__(self) -> None:
        if (self.user is None) != (self.password is None):
            raise UsageError(
                "a user needs a password, and a password needs a user",
                advice="give both: --user NAME --password-file FILE",
            )
        for store in (self.truststore, self.keystore):
            if store is not None and not store.is_file():
                raise UsageError(f"there is no key store {store}", advice="create one with: keytool")

    def java_options(self) -> tuple[str, ...]:
        """Return system properties for the JVM that connects; TLS cannot be configured otherwise."""
        properties = {
            "trustStore": self.truststore.resolve() if self.truststore else None,
            "trustStorePassword": self.truststore_password,
            "keyStore": self.keystore.resolve() if self.keystore else None,
            "keyStorePassword": self.keystore_password,
        }
        return tuple(f"-Djavax.net.ssl.{name}={value}" for name, value in properties.items() if value)


NO_CREDENTIALS = Credentials()
"""For a connector without protection."""


def password_from_file(path: Path, user: str | None = None) -> str:
    """Read a password from a file: a line ``USER PASSWORD`` as in the JDK's file, else the first line.

    Raises:
        UsageError: the file cannot be read or is empty.
    """
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the password file {path} cannot be read: {error}") from error
    words = [line.split() for line in lines if not line.lstrip().startswith("#")]
    for line in words:
        if len(line) == 2 and line[0] == user:
            return line[1]
    if not lines or not lines[0].strip():
        raise UsageError(
            f"the password file {path} is empty", advice="write the password into its first line"
        )
    return lines[0].strip()


def password_from_environment(variable: str) -> str:
    """Read a password from an environment variable. UsageError if it is not set."""
    password = os.environ.get(variable)
    if not password:
        raise UsageError(
            f"the environment variable {variable} is not set", advice=f"set it: export {variable}=..."
        )
    return password


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
