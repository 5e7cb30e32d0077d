"""The hooks. No other package of buto is imported until a test has the mark or uses the fixture."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from buto.pytest_plugin.options import SKIP, SessionOptions, add_options, options_of
from buto.pytest_plugin.outcome import ACCEPTED, CHANGED, PASS, REGRESSION, TRAINED, NotPassed

if TYPE_CHECKING:
    from buto.measure.jmx.worker_client import Worker
    from buto.pytest_plugin.driven import Buto
    from buto.pytest_plugin.session import ItemTests

MARK = "buto"
FIXTURE = "buto"
REPORTED = "buto"
"""The attribute of a report that has the outcomes of its buto tests."""

OPTIONS = pytest.StashKey[SessionOptions]()
TESTS = pytest.StashKey["ItemTests"]()
WORKER = pytest.StashKey["Worker"]()
"""The process that speaks JMX; all tests of a session share it."""

_OLDEST_PYTEST = (7, 4)
_MARK_HELP = (
    f"{MARK}(command=[...] | jar=... | main=..., classpath=..., runs=..., alpha=..., fail_on=...): "
    "measure what a JVM program uses and judge it by its oracle; no fixture is needed"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    if pytest.version_tuple < _OLDEST_PYTEST:
        raise pytest.UsageError(
            f"buto needs pytest {'.'.join(map(str, _OLDEST_PYTEST))} or newer, and this is "
            f"{pytest.__version__}: pip install --upgrade pytest; or leave buto out: pytest -p no:buto"
        )
    config.addinivalue_line("markers", _MARK_HELP)
    config.stash[OPTIONS] = options_of(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    worker = config.stash.get(WORKER, None)
    if worker is not None:
        worker.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    ours = [item for item in items if _is_driven(item) or item.get_closest_marker(MARK)]
    if not ours:
        return
    if config.stash[OPTIONS].mode == SKIP:
        for item in ours:
            item.add_marker(pytest.mark.skip(reason="buto tests are skipped (--buto-skip)"))
        return
    from buto.pytest_plugin.mark import check_names

    check_names(ours)


@pytest.fixture(name=FIXTURE)
def buto_fixture(request: pytest.FixtureRequest) -> Buto:
    """Measure JVMs that the test itself drives: ``with buto.record(command=[...]) as target: ...``"""
    from buto.pytest_plugin.driven import Buto

    return Buto(_tests_of(request.node), lambda: _worker_of(request.config))


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Report a wrong mark or a program that cannot be measured as an error and not as a failure, after the
    fixtures.
    """
    if TESTS in item.stash:  # Left by an earlier attempt at this test by a plugin that repeats tests.
        del item.stash[TESTS]
    yield
    if item.get_closest_marker(MARK) is None or item.config.getoption("setuponly", False):
        return
    if _is_skipped_by_unittest(item):
        return
    if _is_driven(item):
        _tests_of(item).prepare()
    else:
        _tests_of(item).measure()


def _is_skipped_by_unittest(item: pytest.Item) -> bool:
    """Return whether ``@unittest.skip`` is on the test or its class: pytest hears of it only at the call."""
    function, group = getattr(item, "obj", None), getattr(item, "cls", None)
    return bool(getattr(function, "__unittest_skip__", False) or getattr(group, "__unittest_skip__", False))


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    tests = item.stash.get(TESTS, None)
    if tests is None:
        yield
        return
    with tests.body():
        yield
    if _is_driven(item):
        tests.repeat(item.runtest)
    tests.conclude()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    tests = item.stash.get(TESTS, None)
    if tests is None:
        return report
    error = None if call.excinfo is None else call.excinfo.value
    if isinstance(error, NotPassed):
        _show(report, item, error)
    if call.when == "call" or report.failed:
        # An attribute is sent with the report; a property would appear in the JUnit file.
        vars(report)[REPORTED] = [outcome.to_data() for outcome in tests.take_outcomes()]
    return report


def pytest_report_teststatus(
    report: pytest.CollectReport | pytest.TestReport,
) -> tuple[str, str, str | tuple[str, dict[str, bool]]] | None:
    status = {outcome["status"] for outcome in _outcomes(report)}
    if report.failed and report.when == "call" and REGRESSION in status:
        return "failed", "R", ("REGRESSION", {"red": True})
    if report.failed and report.when == "call" and CHANGED in status:
        return "failed", "C", ("CHANGED", {"yellow": True})
    if report.passed and report.when == "call" and TRAINED in status:
        return "passed", "T", ("TRAINED", {"green": True})
    if report.passed and report.when == "call" and ACCEPTED in status:
        return "passed", "A", ("ACCEPTED", {"green": True})
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    reports = [report for some in terminalreporter.stats.values() for report in some]
    outcomes = [outcome for report in reports for outcome in _outcomes(report)]
    verbosity = config.getoption("verbose")
    if not outcomes or verbosity < 0:
        return
    from buto.report.sanitize import harmless

    told_outcomes = [
        outcome
        for outcome in outcomes
        if outcome["status"] != PASS or outcome["warnings"] or outcome["is_noted"]
    ]
    shown = outcomes if verbosity > 0 else told_outcomes
    n_hidden = len(outcomes) - len(shown)
    terminalreporter.ensure_newline()
    terminalreporter.section("buto")
    for outcome in shown:
        terminalreporter.write_line(harmless(outcome["line"]))
        warnings = [f"  warning: {warning}" for warning in outcome["warnings"]]
        is_detailed = verbosity > 0 or outcome["status"] == ACCEPTED
        for line in (outcome["details"] if is_detailed else ()) or warnings:
            terminalreporter.write_line(harmless(line))
    if n_hidden:
        terminalreporter.write_line(f"{n_hidden} as in training (-v lists them)")


def _is_driven(item: pytest.Item) -> bool:
    """Return whether the test uses the fixture and so starts its JVMs itself."""
    return FIXTURE in getattr(item, "fixturenames", ())


def _tests_of(item: pytest.Item) -> ItemTests:
    if TESTS not in item.stash:
        from buto.pytest_plugin.session import ItemTests

        item.stash[TESTS] = ItemTests(item, item.config.stash[OPTIONS])
    return item.stash[TESTS]


def _worker_of(config: pytest.Config) -> Worker:
    """Return the worker, already started, so that its start does not disturb a measurement."""
    from buto.measure.jmx.worker_client import Worker

    worker = config.stash.get(WORKER, None)
    if worker is None or not worker.is_usable:
        worker = config.stash[WORKER] = Worker()
    if not worker.is_warm:
        worker.warm_up()
    return worker


def _show(report: pytest.TestReport, item: pytest.Item, error: NotPassed) -> None:
    """Show the reason as the line that pytest quotes, and the rest in a section below it."""
    from buto.report.sanitize import harmless

    longrepr: Any = report.longrepr
    crash = longrepr.reprcrash
    if crash is not None:
        crash.path, crash.lineno = str(item.path), (item.location[1] or 0) + 1
        crash.message = harmless(error.outcomes[0].reason)
    first, *others = error.outcomes
    lines = [*first.details, *(line for outcome in others for line in (outcome.line, *outcome.details))]
    if lines:
        longrepr.addsection("buto", harmless("\n".join(lines)))


def _outcomes(report: object) -> list[dict[str, Any]]:
    outcomes: list[dict[str, Any]] = getattr(report, REPORTED, [])
    return outcomes
