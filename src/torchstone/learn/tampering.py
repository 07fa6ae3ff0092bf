"""Whether the learner's file replaced something that grading stands on: torch, the clock, the checks themselves.

Compared by identity after every check, so a patched `allclose` is named instead of believed. What grading itself
uses was taken by reference before the learner's file was imported (see `grading/comparing.py`).
"""

import builtins
import math
import random
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from operator import is_
from typing import Any

import torch

from torchstone.learn.grading.keeping import SEED, modes

TAUGHT = "The checks need torch as it is: write your own function under its own name instead."

PER_CALL = (SEED, "number of threads")
"""Modes that a check may set itself: they are compared around each call of the learner's instead."""


@dataclass(frozen=True)
class Watched:
    """A module or class, and its attributes as they were."""

    name: str
    thing: Any
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class Snapshot:
    """The attributes of everything that is watched, and torch's global switches."""

    watched: tuple[Watched, ...]
    switches: Mapping[str, Any]


def take_snapshot() -> Snapshot:
    things = _things() | {name: sys.modules[name] for name in _own_modules()}
    return Snapshot(tuple(Watched(name, thing, dict(vars(thing))) for name, thing in things.items()), modes())


def find_tampering(before: Snapshot) -> str | None:
    """The first thing that was replaced or removed, in words; additions are harmless."""
    for switch, value in modes().items():
        if switch not in PER_CALL and value != before.switches[switch]:
            return f"your code left torch's {switch} at {value}; it was {before.switches[switch]}"
    for watched in before.watched:
        key = _replaced(watched)
        if key is not None:
            return f"your code replaced {watched.name}.{key}"
    return None


def _replaced(watched: Watched) -> str | None:
    now = vars(watched.thing)
    if len(now) == len(watched.attributes) and all(map(is_, now.values(), watched.attributes.values())):
        return None
    for key, value in watched.attributes.items():
        if now.get(key, _GONE) is not value and not _is_torchs_own(now.get(key), key):
            return key
    if isinstance(watched.thing, type) and len(now) > len(watched.attributes):
        # What a class inherits is replaced by adding to the class.
        new = (key for key in now if key not in watched.attributes)
        return next((key for key in new if hasattr(watched.thing.__base__, key)), None)
    return None


_GONE = object()


def _is_torchs_own(value: Any, key: str) -> bool:
    """Importing torch.compile wraps some of torch's functions: those keep their name and their module.

    The first compilation also wraps `nn.Module.__init__`, under a name of its own.
    """
    module = str(getattr(value, "__module__", ""))
    if module == "torch._dynamo.mutation_guard":
        return True
    return getattr(value, "__name__", None) == key and module.startswith("torch.")


def _own_modules() -> list[str]:
    """The modules that check and measure; never all of `sys.modules`, which is long to walk in a fresh fork."""
    grading = sys.modules["torchstone.learn.grading"]
    return [f"{grading.__name__}.{name}" for name, value in vars(grading).items() if type(value) is type(sys)]


def _things() -> dict[str, Any]:
    return {
        "torch": torch,
        "torch.Tensor": torch.Tensor,
        "torch.nn.functional": torch.nn.functional,
        "torch.nn.Module": torch.nn.Module,
        "torch.linalg": torch.linalg,
        "torch.autograd": torch.autograd,
        "torch.testing": torch.testing,
        "time": time,
        "math": math,
        "random": random,
        "builtins": builtins,
    }
