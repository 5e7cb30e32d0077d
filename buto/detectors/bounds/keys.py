"""Keys of the method ``thesis``."""

from __future__ import annotations

from buto.analysis.bounds import ALGORITHMS, AVERAGES, PROCESS_NOISES, PROPAGATIONS, WEIGHTINGS
from buto.analysis.matching import MATCHERS
from buto.analysis.smoothing import SMOOTHERS
from buto.analysis.timepoints import GENERATORS
from buto.detectors.keys import COMMON, Key, choice, positive, share, whole

KEYS = (
    choice("smoothing", "How each series is smoothed.", *SMOOTHERS),
    Key(
        "window",
        {
            "title": "an odd number of samples",
            "description": "Width of the smoothing window.",
            "type": "integer",
            "minimum": 1,
            "not": {"multipleOf": 2},
            "examples": [9],
        },
        lambda value: type(value) is int and value > 0 and value % 2 == 1,
        "an odd number of samples",
    ),
    choice("time-points", "How the samples of several runs are put together in time.", *GENERATORS),
    choice("bounds", "How bounds are made.", *ALGORITHMS),
    choice("average", "The centre of the band.", *AVERAGES),
    positive("deviations", "Half the width of the band in standard deviations.", example=20),
    choice(
        "process-noise",
        "Of kalman, kalman-listing and particle: how much the state changes between two time points; default "
        "average-variance, of kalman-listing none.",
        *PROCESS_NOISES,
    ),
    whole(
        "particles",
        "Of particle: how many particles there are; default 1000.",
        2,
        100_000,
        example=1000,
    ),
    whole(
        "iterations", "Of particle: over how many passes the band is averaged; default 8.", 1, 1000, example=8
    ),
    share(
        "resample",
        "Of particle: share of effective particles below which they are resampled; default 0.6.",
    ),
    choice("propagate", "Of particle: what moves particles beside noise; default velocity.", *PROPAGATIONS),
    choice("weighting", "Of particle: what gives a particle its weight; default density.", *WEIGHTINGS),
    whole("seed", "Of particle: of its random numbers; default 0.", 0, 2**32 - 1, example=0),
    choice("matching", "Which bound a sample is held against.", *MATCHERS),
    *COMMON,
)
