"""What is printed after Ctrl-C: what is complete, and how to continue."""

from __future__ import annotations

from argparse import Namespace

from buto.actions.ending import Interrupted


class Stopped(KeyboardInterrupt):
    """Ctrl-C, with what is complete and how to continue."""

    def __init__(self, message: str = "stopped by Ctrl-C", advice: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


def message_of(stop: KeyboardInterrupt) -> Stopped:
    """Return what to print after any Ctrl-C."""
    if isinstance(stop, Interrupted):
        return tell_what_is_complete(stop)
    return stop if isinstance(stop, Stopped) else Stopped()


def tell_what_is_complete(stop: Interrupted) -> Stopped:
    """Return the message on what is complete."""
    if stop.first_id is None:
        return Stopped("stopped by Ctrl-C; no run was complete")
    counts = ", ".join(
        f"{progress.runs} of {progress.planned} runs of {progress.test!r}" for progress in stop.complete
    )
    return Stopped(f"stopped by Ctrl-C; complete and kept in {stop.store}: {counts}")


def tell_how_to_resume(stop: Interrupted, args: Namespace) -> Stopped:
    """Return the message on what is complete, and the command that continues the training."""
    if stop.first_id is None:
        return tell_what_is_complete(stop)
    # It imports the runs and thereby numpy, which main does not need before it knows the command.
    from buto.run.masking import Mask

    again = list(args.arguments)
    if args.resume is None:
        again += ["--resume", stop.first_id]
    if args.command is not None:
        again += ["--", *args.command]
    return Stopped(tell_what_is_complete(stop).message, advice=f"to go on: buto {Mask().command(again)}")
