"""How notebooks show values. Values inherit from :class:`Displayed`; reports register a renderer.

So runs, oracles and verdicts do not depend on reports. The package itself registers the renderer of
:mod:`buto.report.notebook`, which is imported when the first value is shown.
"""

from __future__ import annotations

from collections.abc import Callable

Renderer = Callable[[object], str]

_renderers: list[Renderer] = []


def display_with(renderer: Renderer) -> None:
    """Show every value with this renderer from now on; it returns a part of an HTML page."""
    _renderers[:] = [renderer]


class Displayed:
    """A value that Jupyter and other notebooks show as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        (renderer,) = _renderers
        return renderer(self)
