"""Whether an address of a scheduler can be used at all."""

from __future__ import annotations

from distributed.comm import parse_address
from distributed.comm.registry import get_backend
from distributed.security import Security

from buto.errors import MeasureError, UsageError

_TLS = "tls"


def check_address(address: str, role: str) -> None:
    """Raise UsageError if an address cannot be understood, or its certificates are missing.

    Dask would leave half a connection behind, which complains when the process ends.

    Args:
        role: ``client`` or ``worker``; each has a certificate of its own.
    """
    try:
        scheme, _ = parse_address(address)
        get_backend(scheme)
        connection = Security().get_connection_args(role)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{address} cannot be used as the address of a scheduler: {error}",
            advice="tcp://HOST:PORT, or tls://HOST:PORT; docs/scale.md#tls names the variables for TLS",
        ) from error
    if scheme == _TLS and connection.get("ssl_context") is None:
        raise UsageError(
            f"{address} needs a certificate, and none is configured for a {role}",
            advice="docs/scale.md#tls names the variables, as DASK_DISTRIBUTED__COMM__TLS__CA_FILE",
        )


def unreachable(address: str, error: Exception) -> MeasureError:
    """Return the error for a scheduler that does not answer."""
    return MeasureError(
        f"the scheduler {address} does not answer: {error}",
        advice="dask scheduler (starts one); docs/scale.md shows how to set up a cluster",
    )
