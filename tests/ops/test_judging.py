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


def test_quantised_and_nested_tensors_are_asked_of_those_who_have_them() -> None:
    pretend.install()
    own = [one for one in all_operators() if one.claims]
    assert {one.name.split(".")[0] for one in own} == {"quantized", "nested"}
    assert not any(one.is_claimed_by("pretend") for one in own)
    claimed = [one for one in own if one.is_claimed_by("cpu")]
    verdicts = {one.name: [cell.verdict for cell in judge(one, torch.float32, "cpu", None)] for one in claimed}
    assert verdicts == {one.name: ["ok"] for one in own}
