"""What is kept of an answer, from the document that buto itself writes."""

from __future__ import annotations

from buto.errors import EXIT_REGRESSION
from buto.report.formats.json_result import result_document
from buto_replications.live.calls import in_reading_order
from tests.support.report import made


def test_all_findings_are_kept_in_the_order_of_the_story() -> None:
    document = result_document("check", [made.regression()], EXIT_REGRESSION, made.FINISHED)
    verdict = document["tests"][0]["verdict"]
    kept = [finding.subject for finding in in_reading_order(verdict)]
    assert kept[0] == verdict["findings"][verdict["headlines"][0]["finding"]]["subject"]
    assert sorted(kept) == sorted(finding["subject"] for finding in verdict["findings"])
