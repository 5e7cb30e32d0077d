"""URLs of servers beside the program, as a configuration gives them."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import SplitResult, urlsplit

PORT = "${port}"
"""In a URL: the port at which the measured program listens."""


def http_url(url: str, schemes: Collection[str] = ("http",)) -> SplitResult | None:
    """Return the parts of an HTTP URL, in which a port that is not known yet counts as 1.

    Returns:
        None if it is not one, for example because its port is above 65535.
    """
    try:
        parts = urlsplit(url.replace(PORT, "1"))
        is_http = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0 and url.isascii()
    except ValueError:
        return None
    return parts if is_http else None
