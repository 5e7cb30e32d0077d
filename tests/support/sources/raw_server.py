"""A real server that answers as badly as a test needs."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Answer = Callable[[socket.socket], None]


def page(body: bytes, *, status: str = "200 OK", headers: str = "") -> bytes:
    """Return a whole HTTP answer."""
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{headers}\r\n"
    return head.encode() + body


def text(body: str) -> Answer:
    """Return an answer with this page."""
    return says(page(body.encode()))


def says(raw: bytes) -> Answer:
    """Return an answer of these bytes, whatever was asked."""
    return lambda connection: connection.sendall(raw)


@contextmanager
def serving(*answers: Answer) -> Iterator[str]:
    """Yield a URL whose requests get these answers in turn, the last one again and again."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def serve() -> None:
        number = 0
        while True:
            connection, _ = listener.accept()
            if ended.is_set():
                connection.close()
                return
            answer = answers[min(number, len(answers) - 1)]
            number += 1
            threading.Thread(target=reply, args=(connection, answer), daemon=True).start()

    def reply(connection: socket.socket, answer: Answer) -> None:
        with connection, suppress(OSError):
            connection.settimeout(20)
            if connection.recv(65536):
                answer(connection)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/metrics"
    finally:
        ended.set()
        with suppress(OSError), socket.create_connection(listener.getsockname(), 5):
            pass
        thread.join()
        listener.close()
