"""One real browser for all tests of pages in a process."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.report.browsing import open_browser


@pytest.fixture(scope="session")
def started_browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def browser(started_browser: Any) -> Iterator[Any]:
    """One for all, with the windows of each test closed after it: each open one is a process."""
    yield started_browser
    for context in started_browser.contexts:
        context.close()
