"""Grades photo_facts: photographs made on the spot, of sizes that tell height and width apart."""

import torch
from torch import Tensor

from torchstone.data.photographs import make_photograph
from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_same,
    looks_like,
    save_picture,
    watch_call,
    when,
)

PROMISES = {
    "To PyTorch a photograph is a tensor of the shape (height": None,
    "describe(photo) returns a dictionary of what you can ask a": "facts_are_right",
    "height and width (int), dtype (photo.dtype itself), brightest": "facts_are_right",
    "to_grey(photo) returns a grey picture: a tensor (height, width)": "grey_is_right",
    "The photograph itself stays as it is, and everything happens on": "work_stays_on_the_device",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 2), (2, 1), (3, 4), (6, 5), (3, 3)]
SIDE = 128
KINDS = {"height": int, "width": int, "brightest": int, "mean": float}


def photograph(draw: Draw, height: int, width: int) -> Tensor:
    """A part of one that is large enough to show something."""
    whole = torch.from_numpy(make_photograph(16, draw.integer(0, 10**6)))
    return draw.place(whole[:height, :width].contiguous(), torch.uint8)


def facts(photo: Tensor) -> dict:
    height, width, _ = photo.shape
    mean = photo.double().mean().item()
    return {"height": height, "width": width, "dtype": photo.dtype, "brightest": int(photo.max()), "mean": mean}


def grey(photo: Tensor) -> Tensor:
    return (photo.double().sum(2) / 3 / 255).float()


@check("solved")
def facts_are_right(answer: Answer, draw: Draw) -> None:
    turned = when(
        lambda got, expected: (got["height"], got["width"]) == (expected["width"], expected["height"]),
        "Height comes first in the shape: (height, width, 3).",
    )
    for photo in draw.cases(photograph, SIZES, layouts=("contiguous", "transposed")):
        got = answer.describe(photo)
        expect(isinstance(got, dict), f"describe returned a {type(got).__name__}, not a dictionary")
        for key, kind in KINDS.items():
            found = type(got.get(key)).__name__
            expect(
                key not in got or type(got[key]) is kind,
                f"{key!r} is a {found}, not a Python {kind.__name__}",
                teach="A tensor with one number is still a tensor: .item() takes the number out.",
            )
        expect_same(answer.describe, facts, photo, diagnose=[turned])


@check("solved")
def grey_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda photo: photo[:, :, 0] / 255, "That is the red light alone: take the mean of all three."),
        looks_like(lambda photo: photo.float().mean(2), "Those values go up to 255; divide, so that white is 1."),
        looks_like(
            lambda photo: (photo[:, :, 0] + photo[:, :, 1] + photo[:, :, 2]) / 3 / 255,
            "A byte that passes 255 starts at 0 again: turn the bytes into floats before you add them.",
        ),
    ]
    for photo in draw.cases(photograph, SIZES, layouts=("contiguous", "transposed")):
        expect_same(answer.to_grey, grey, photo, diagnose=known, teach="The mean over the last axis, divided by 255.")
    teach = "A byte is divided by 255 in every photograph, dark or bright."
    for low, high in ((0, 2), (0, 1), (255, 256), (0, 3), (200, 256)):
        photo = draw.integers(3, 4, 3, low=low, high=high, dtype=torch.uint8)
        expect_same(answer.to_grey, grey, photo, teach=teach)
        expect_same(answer.describe, facts, photo, teach="The facts of a dark or bright photograph are as they are.")


@check("solved")
def a_picture_is_drawn(answer: Answer, draw: Draw) -> None:
    photo = draw.place(torch.from_numpy(make_photograph(SIDE, draw.integer(0, 10**6))), torch.uint8)
    expect_same(answer.describe, facts, photo)
    result = expect_same(answer.to_grey, grey, photo)
    save_picture("photograph", photo.permute(2, 0, 1))
    save_picture("grey", result)


@check("solved")
def work_stays_on_the_device(answer: Answer, draw: Draw) -> None:
    """The host reads single numbers of it, and never the picture."""
    for function, allowed in ((answer.to_grey, 0), (answer.describe, 1)):
        seen = watch_call(function, photograph(draw, 6, 5))
        most = max((count for _, count, _ in seen.reads), default=0)
        teach = (
            "Work where the photograph is: .cpu(), .numpy() and .tolist() bring it to the host, and that takes time."
        )
        expect(most <= allowed, f"{function.__name__} brings {most} numbers to the host at once", teach=teach)
