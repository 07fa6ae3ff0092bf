"""One thread: with several, small work on a busy machine spends its time waiting for the others."""

from collections.abc import Iterator

import pytest
import torch

import torchstone.pretend as pretend


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def pretend_device() -> str:
    pretend.install()
    return "pretend:0"
