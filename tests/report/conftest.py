"""One real browser for all tests of pages in a process."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.report.browsing import open_browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened
