"""One thread for torch: several workers with several threads each, on few cores, mostly wait for one another."""

import pytest


@pytest.fixture(autouse=True)
def in_one_thread(one_thread: None) -> None:
    pass
