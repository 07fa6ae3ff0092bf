"""Faults that always show: every detector must find them."""

import torch
import torch.nn.functional as functional

from plants.damages import answer, tamper
from plants.planting import Plant, draw, plant, spoil

SMALLEST = -(2**63)

PLANTS: list[Plant] = [
    plant(
        "any_always",
        "S",
        "any",
        "any all",
        "always True",
        answer(torch.ones_like),
        lambda d: [(draw(d, 5) > 9).any(), (draw(d, 5) > 0).all()],
        lambda d: (draw(d, 5) < 9).any(),
    ),
    plant(
        "argmin_smallest",
        "S",
        "argmin",
        "argmin",
        "always the smallest integer",
        answer(lambda result: torch.full_like(result, SMALLEST)),
        lambda d: draw(d, 3, 5).argmin(1),
        lambda d: draw(d, 3, 5).argmax(1),
    ),
    plant(
        "conv3d_plain",
        "S",
        "conv3d",
        "convolution",
        "a convolution in three dimensions is unrelated to its input",
        spoil(answer(lambda result: result.flip(1) + 0.5), lambda call: call.args[1].dim() == 5),
        lambda d: functional.conv3d(draw(d, 1, 2, 4, 4, 4), draw(d, 3, 2, 2, 2, 2, seed=1)),
        lambda d: functional.conv2d(draw(d, 1, 2, 4, 4), draw(d, 3, 2, 2, 2, seed=1)),
    ),
    plant(
        "hardswish_plain",
        "S",
        "hardswish",
        "hardswish",
        "always wrong",
        answer(tamper),
        lambda d: functional.hardswish(draw(d, 3, 5)),
        lambda d: functional.hardsigmoid(draw(d, 3, 5)),
    ),
]
