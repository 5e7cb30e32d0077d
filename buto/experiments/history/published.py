"""Tables 4 to 8 of the paper: errors of classifiers, and the balanced accuracies that follow from them.

Huang, Schechter, Chen, Hill, Shen, Zhou and Saul: Experience in Building a Comparative Performance Analysis
Engine for a Commercial System (2015). Printed slips: the text once calls 20,180 the number of all vectors,
which is that of the normal ones; the differences of TAN in Table 6 should be +977 and -328.
"""

from __future__ import annotations

from dataclasses import dataclass

from buto.detectors.history.engine.measures import Errors

NORMAL, ABNORMAL = 20_180, 740
"""Vectors of Tables 4 to 7."""

PAIRS, ABNORMAL_PAIRS = 9_540, 377
"""Pairs of vectors of Table 8 and of the last row of Table 5."""

TOLERANCE = 0.0051
"""Printed accuracies have two digits."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table.

    Attributes:
        table: its number.
        classifier: as printed.
        printed: its balanced accuracy.
    """

    table: int
    classifier: str
    printed: float
    errors: Errors


def _row(table: int, classifier: str, printed: float, positives: int, negatives: int) -> Row:
    is_pairs = table == 8 or classifier == "Sim-Logistic"
    normal, abnormal = (PAIRS - ABNORMAL_PAIRS, ABNORMAL_PAIRS) if is_pairs else (NORMAL, ABNORMAL)
    return Row(table, classifier, printed, Errors(normal, abnormal, positives, negatives))


ROWS = (
    _row(4, "DTree", 0.61, 58, 577),
    _row(4, "Logistic", 0.50, 2, 739),
    _row(4, "TAN", 0.59, 172, 605),
    _row(5, "DTree", 0.91, 280, 122),
    _row(5, "Logistic", 0.81, 808, 253),
    _row(5, "TAN", 0.87, 846, 160),
    _row(5, "Sim-Logistic", 0.82, 454, 117),
    _row(6, "DTree", 0.81, 179, 282),
    _row(6, "Logistic", 0.54, 43, 674),
    _row(6, "TAN", 0.78, 1149, 277),
    _row(7, "DTree", 0.85, 157, 223),
    _row(7, "Logistic", 0.77, 332, 322),
    _row(7, "TAN", 0.83, 390, 235),
    _row(8, "Sim-Logistic", 0.69, 379, 215),
    _row(8, "Conc-Logistic", 0.61, 99, 290),
    _row(8, "Sub-Logistic", 0.55, 45, 334),
    _row(8, "Conc-DTree", 0.81, 72, 138),
    _row(8, "Sub-DTree", 0.72, 148, 204),
    _row(8, "Conc-TAN", 0.79, 411, 142),
    _row(8, "Sub-TAN", 0.69, 563, 209),
)
"""All rows; the paper says what each table changes."""
