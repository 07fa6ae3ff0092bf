"""Verdicts of single operators in this process: those that draw at random, and the CPU against itself."""

import torch

from torchstone import pretend
from torchstone.ops.catalog import all_operators
from torchstone.ops.judging import judge
from torchstone.ops.operators import Operator


def operator(name: str) -> Operator:
    return next(one for one in all_operators() if one.name == name)


def test_another_draw_is_not_wrong() -> None:
    pretend.install()
    with pretend.configure(seeds_repeat=False):
        verdicts = [one.verdict for one in judge(operator("cauchy"), torch.float32, "pretend", 2)]
    assert verdicts == ["skipped"]


def test_the_cpu_is_right() -> None:
    found = list(judge(operator("cumsum"), torch.float16, "cpu", 3))
    assert [(one.facts["direction"], one.verdict) for one in found] == [("forward", "ok"), ("backward", "ok")]
