"""One thread: with several, small work on a busy machine spends its time waiting for the others."""

import pytest

import torchstone.pretend as pretend


@pytest.fixture(autouse=True)
def in_one_thread(one_thread: None) -> None:
    pass


@pytest.fixture(scope="session")
def pretend_device() -> str:
    pretend.install()
    return "pretend:0"
