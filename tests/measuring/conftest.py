"""The measuring tests lean on the pretend accelerator: its true times, wrong results and leaks are known."""

import pytest

import torchstone.pretend


@pytest.fixture(scope="session")
def pretend_device() -> str:
    torchstone.pretend.install()
    return "pretend:0"
