"""What a test may leave behind in its process, put back after every test: which tests share a process, and in which
order, changes from run to run, so none may depend on it."""

import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy
import torch

import torchstone.pretend as pretend

Switch = tuple[Callable[[], Any], Callable[[Any], Any]]
"""What reads a state of the process, and what sets it."""


def _set_environment(wanted: dict[str, str]) -> None:
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]
    os.environ.update(wanted)


def _set_path(wanted: list[str]) -> None:
    sys.path[:] = wanted


def _deterministic() -> tuple[bool, bool]:
    return torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()


def _set_deterministic(wanted: tuple[bool, bool]) -> None:
    torch.use_deterministic_algorithms(wanted[0], warn_only=wanted[1])


SWITCHES: tuple[Switch, ...] = (
    (lambda: dict(os.environ), _set_environment),
    (lambda: list(sys.path), _set_path),
    (lambda: list(warnings.filters), lambda wanted: setattr(warnings, "filters", wanted)),
    (random.getstate, random.setstate),
    (numpy.random.get_state, numpy.random.set_state),
    (torch.get_rng_state, torch.set_rng_state),
    (torch.get_num_threads, torch.set_num_threads),
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.is_grad_enabled, torch._C._set_grad_enabled),
    (torch.is_warn_always_enabled, torch.set_warn_always),
    (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    (_deterministic, _set_deterministic),
    (pretend.knobs, pretend.set_knobs),
)


@contextmanager
def as_found() -> Iterator[None]:
    """The process after the block as before it."""
    with ExitStack() as stack:
        for read, write in SWITCHES:
            stack.callback(write, read())
        yield
