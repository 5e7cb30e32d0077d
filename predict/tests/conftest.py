"""What holds for the tests of the product holds here: repeatable examples, and no process is left behind."""

from tests.conftest import no_process_left_behind, pytest_configure

__all__ = ["no_process_left_behind", "pytest_configure"]
