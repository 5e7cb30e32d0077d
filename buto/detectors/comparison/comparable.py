"""What can be compared in two programs' runs, and what prevents it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.classify.metadata import MetadataSettings, compare_metadata, learn_metadata
from buto.detectors.readable import MOST_UNREAD, has, partly_unread, unread
from buto.detectors.settings import Settings, judges
from buto.errors import JudgeError
from buto.properties import Property, is_judged
from buto.runs import Run, RunSet
from buto.steps import Action, Advice, Step


@dataclass(frozen=True, slots=True)
class Comparable:
    """What can be compared.

    Attributes:
        properties: read in every run, by name.
        one_sided: a sentence for each property that every method judges and only one program has.
        lacking: the same of the others, which a run may do without: there was no collection, or the kernel
            does not tell.
    """

    properties: tuple[Property, ...]
    one_sided: tuple[str, ...]
    lacking: tuple[str, ...]


def comparable(first: RunSet, second: RunSet, settings: Settings) -> Comparable:
    """Return the properties that the settings judge and that were read in every run.

    A property that is missing in some runs of a program gives no information about it and is left out.

    Raises:
        JudgeError: there are none.
    """
    ours, theirs = (set.intersection(*map(_read, runs)) for runs in (first, second))
    known = {prop.name: prop for prop in (*second.properties, *first.properties)}
    wanted = [known[name] for name in sorted(known) if judges(settings, known[name])]
    both = tuple(prop for prop in wanted if prop.name in ours & theirs)
    if not both:
        raise JudgeError(
            f"no property was read in every run of {_test(first)} and {_test(second)}",
            advice=Advice(
                Step(Action.SHOW_RUN, _test(second), run_id=second.runs[-1].id), " says why for one run"
            ),
        )
    one_sided: dict[bool, list[str]] = {True: [], False: []}
    for prop in wanted:
        for runs, names in ((first, ours - theirs), (second, theirs - ours)):
            if prop.name in names:
                one_sided[is_judged(prop)].append(
                    f"{prop.name} was read in all runs of {_test(runs)} only, and could not be compared"
                )
    return Comparable(both, tuple(one_sided[True]), tuple(one_sided[False]))


def unequally_read(first: RunSet, second: RunSet, properties: Sequence[Property]) -> tuple[str, ...]:
    """Return a sentence for each property of which a run of one program lacks far more samples than any of
    the other's; not for those that are read seldom, at times that differ from run to run.
    """
    properties = [prop for prop in properties if is_judged(prop)]
    if not properties:
        return ()
    lacking = [np.array([unread(run, properties) for run in runs]) for runs in (first, second)]
    most = [shares.max(axis=0) for shares in lacking]
    sentences = []
    for place, prop in enumerate(properties):
        side = int(most[1][place] > most[0][place])
        if most[side][place] - most[1 - side][place] > MOST_UNREAD:
            run = (first, second)[side].runs[int(lacking[side][:, place].argmax())]
            sentences.append(partly_unread(prop.name, most[side][place], run))
    return tuple(sentences)


def environment_differences(
    first: RunSet, second: RunSet, settings: MetadataSettings
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a sentence for each key of metadata that differs: those that decide, and those that do not.

    Raises:
        JudgeError: runs of the first differ among themselves in a key that decides.
    """
    model = learn_metadata([run.metadata for run in first], settings)
    found = {
        (one.deciding, one.key): (
            f"{one.key} differs: {one.expected!r} with {_test(first)}, {one.observed!r} with {_test(second)}"
        )
        for run in second
        for one in compare_metadata(model, run.metadata, settings)
    }
    decide, reported = (
        tuple(found[key] for key in sorted(found) if key[0] is deciding) for deciding in (True, False)
    )
    return decide, reported


def unequal_times(first: RunSet, second: RunSet) -> tuple[str, ...]:
    """Return a warning if all runs of one program were made before those of the other."""
    earlier, later = sorted((first, second), key=lambda runs: runs.runs[0].id)
    if earlier.runs[-1].id > later.runs[0].id:
        return ()
    sentence = (
        f"all runs of {_test(earlier)} were made before those of {_test(later)}: what changed on the machine "
        "in between looks like a difference of the two"
    )
    return (sentence,)


def _read(run: Run) -> set[str]:
    """Return the names of the properties that have a value from which statistics can be made."""
    return {prop.name for prop in run.properties if has(run, prop)}


def _test(runs: RunSet) -> str:
    return runs.runs[0].test
