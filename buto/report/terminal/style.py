"""Colours in a terminal, as rich names them."""

from buto.verdicts import Effect, Status

STATUS_COLOUR = {
    Status.PASS: "bold green",
    Status.REGRESSION: "bold red",
    Status.INCONCLUSIVE: "bold yellow",
}
EFFECT_COLOUR = {Effect.WORSE: "red", Effect.BETTER: "green", Effect.UNKNOWN: "yellow"}
