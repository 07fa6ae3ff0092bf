"""What the tests of `check` share."""

from collections.abc import Iterator

import pytest

from torchstone.checking import limiting
from torchstone.processes import ForkServer, fork_is_safe


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer | None]:
    if not fork_is_safe():
        yield None
        return
    with ForkServer(("torch", "torch._dynamo", "torchstone.checking.tracing", "torchstone.models.target")) as server:
        yield server


@pytest.fixture
def traces_are_forked(fork_server: ForkServer | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of their own still, but with torch imported already: starting it anew takes longer than most traces."""
    if fork_server is not None:
        monkeypatch.setattr(limiting, "run_spawned", fork_server.run)
