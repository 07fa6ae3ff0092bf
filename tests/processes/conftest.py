"""These tests are about forking itself: they fork too where the rest of the suite must not."""

from collections.abc import Iterator

import pytest

from torchstone.processes.python import NO_FORK_VARIABLE


@pytest.fixture(scope="module", autouse=True)
def may_fork() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(NO_FORK_VARIABLE, raising=False)
        yield
