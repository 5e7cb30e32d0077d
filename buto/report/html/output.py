"""What the checked runs printed, and their notifications."""

from __future__ import annotations

from collections.abc import Iterator

from buto.report.check_report import CheckReport
from buto.report.html.escaping import block, escape
from buto.runs import Run
from buto.units import format_bytes, format_count, format_seconds

MAX_OUTPUT = 48 * 1024
"""Bytes of output that are shown, of all checked runs together: the beginning and the end of each."""

MAX_OUTPUTS = 6
MAX_MESSAGES = 100


def output(report: CheckReport) -> Iterator[str]:
    """Standard output and standard error of the checked runs."""
    yield '<section id="output"><h2>Output</h2>'
    shown = list(report.checked)[:MAX_OUTPUTS]
    room = MAX_OUTPUT // max(1, 2 * len(shown))
    for run in shown:
        for title, stream in (("standard output", run.stdout), ("standard error", run.stderr)):
            yield from _stream(run, title, stream, room)
    if len(report.checked) > len(shown):
        more = f"{len(report.checked) - len(shown)} more {report.roles.judged_runs}"
        yield f"<p class=note>{escape(more)} are not shown.</p>"
    yield "</section>"


def notifications(report: CheckReport) -> Iterator[str]:
    """A time line that the script draws, and the messages as text."""
    yield '<section id="notifications"><h2>Notifications</h2>'
    heard = [(run, one) for run in report.checked for one in run.notifications]
    if not heard and not report.emitters:
        yield "<p>None were heard in any run.</p></section>"
        return
    yield '<div id="timeline"></div>'
    if heard:
        yield f"<details><summary>{format_count(len(heard), 'notification')} in words</summary>"
        yield '<div class="scroll"><table><thead><tr><th>time</th><th>type</th><th>source</th><th>number</th>'
        yield "<th>message</th></tr></thead><tbody>"
        for _, one in heard[:MAX_MESSAGES]:
            cells = (format_seconds(one.time_s), one.type, one.source, str(one.sequence), one.message)
            yield f"<tr>{''.join(f'<td><bdi>{escape(cell)}</bdi></td>' for cell in cells)}</tr>"
        yield "</tbody></table></div>"
        if len(heard) > MAX_MESSAGES:
            yield f"<p class=note>And {len(heard) - MAX_MESSAGES} more.</p>"
        yield "</details>"
    yield "</section>"


def _stream(run: Run, title: str, stream: bytes, room: int) -> Iterator[str]:
    where = f"{title} of {run.id}"
    if not stream:
        yield f"<p class=note>{escape(where)}: empty</p>"
        return
    opened = " open" if len(stream) < 4096 else ""
    yield f"<details{opened}><summary>{escape(where)}, {format_bytes(len(stream))}</summary>"
    if len(stream) <= room:
        yield f"<pre>{block(_decoded(stream))}</pre>"
    else:
        half = room // 2
        left_out = format_bytes(len(stream) - 2 * half)
        yield f"<pre>{block(_decoded(stream[:half]))}</pre>"
        yield f'<p class="cut">{left_out} of {format_bytes(len(stream))} left out here</p>'
        yield f"<pre>{block(_decoded(stream[-half:]))}</pre>"
    yield "</details>"


def _decoded(stream: bytes) -> str:
    return stream.decode("utf-8", errors="replace").replace("\r\n", "\n")
