"""Knobs of the pretend device for the tests of the atlas: what each op does instead."""

import os
import time
from typing import Any

import torch

from torchstone.pretend import Call, Knobs

FOREVER_S = 3600


def crash(call: Call) -> Any:
    os.abort()


def hang(call: Call) -> Any:
    time.sleep(FOREVER_S)


def twice_the_gradient(call: Call) -> Any:
    return call.right() * 2


_SEEN: set[bytes] = set()


def change_from_call_to_call(call: Call) -> Any:
    """Wrong when it first meets its arguments, right ever after."""
    met = bytes(call.args[0].detach().contiguous().view(torch.uint8).flatten().tolist())
    is_new = met not in _SEEN
    _SEEN.add(met)
    return call.right() + 1 if is_new else call.right()


def refuse_half(call: Call) -> Any:
    if any(isinstance(value, torch.Tensor) and value.dtype == torch.float16 for value in call.args):
        raise RuntimeError("\"cos\" not implemented for 'Half'")
    return call.right()


def pretend_knobs(which: str) -> Knobs:
    """By the argument of TORCHSTONE_PRETEND_KNOBS."""
    return Knobs(
        missing=frozenset({"cumsum"}),
        wrong=frozenset({"exp"}),
        fallback=frozenset({"asinh"}),
        faults={
            "tan": crash,
            "atan": hang,
            "tanh_backward": twice_the_gradient,
            "erf": change_from_call_to_call,
            "cos": refuse_half,
        },
    )
