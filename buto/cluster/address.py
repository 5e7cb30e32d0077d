"""Addresses: whether one of a scheduler can be used, and which of this machine leads to it."""

from __future__ import annotations

from distributed.comm import get_address_host, parse_address
from distributed.comm.registry import get_backend
from distributed.security import Security
from distributed.utils import ensure_ip, get_ip, get_ipv6

from buto.errors import MeasureError, UsageError

_TLS = "tls"


def check_address(address: str, role: str) -> None:
    """Raise UsageError if an address cannot be understood, or its certificates are missing.

    Dask would leave half a connection behind, which complains when the process ends.

    Args:
        role: ``client`` or ``worker``; each has a certificate of its own.
    """
    try:
        scheme, place = parse_address(address)
        get_backend(scheme).get_address_host(place)
        connection = Security().get_connection_args(role)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{address} cannot be used as the address of a scheduler: {error}",
            advice="tcp://HOST:PORT, or tls://HOST:PORT; docs/running/scale.md#tls shows how",
        ) from error
    if scheme == _TLS and connection.get("ssl_context") is None:
        raise UsageError(
            f"{address} needs a certificate, and none is configured for a {role}",
            advice="docs/running/scale.md#tls names the variables, as DASK_DISTRIBUTED__COMM__TLS__CA_FILE",
        )


def address_towards(scheduler: str) -> str:
    """Return the address of this machine through which a scheduler is reached.

    Raises:
        MeasureError: the scheduler's name is not known.
    """
    try:
        host = ensure_ip(get_address_host(scheduler))
        return str(get_ipv6(host) if ":" in host else get_ip(host))
    except OSError as error:
        raise unreachable(scheduler, error) from error


def unreachable(address: str, error: Exception) -> MeasureError:
    """Return the error for a scheduler that does not answer."""
    return MeasureError(
        f"the scheduler {address} does not answer: {error}",
        advice="dask scheduler (starts one); docs/running/scale.md shows how to set up a cluster",
    )
