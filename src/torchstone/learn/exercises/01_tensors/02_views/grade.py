"""Grades views: element by element against indices, then for shared memory and for bytes made."""

import torch
from torch import Tensor

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect_peak_memory,
    expect_same,
    expect_view,
    looks_like,
)

PROMISES = {
    "`length` is at most n, `length` and `step` are at least 1.": None,
    "Two tensors can walk through the same memory in different": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIGNALS = [((1,), 1, 1), ((3,), 2, 1), ((4,), 2, 2), ((5,), 2, 2), ((5,), 5, 3), ((2, 6), 3, 2), ((2, 3, 9), 4, 3)]
GAPS = [((4,), 1, 2), ((5,), 1, 4), ((7,), 2, 3), ((3,), 2, 9), ((2, 11), 3, 5), ((3_000,), 2, 7)]
"""A step that is longer than a window, or than the signal."""
IMAGES = [(1, 1, 1), (2, 2, 1), (2, 4, 2), (6, 3, 3), (6, 9, 3)]
LAYOUTS = ("contiguous", "strided", "transposed")
SHARE = (
    "A copy has memory of its own. Slicing, transpose, unfold, unflatten and as_strided only make a new way to walk."
)


def cut_windows(signal: Tensor, length: int, step: int) -> Tensor:
    starts = torch.arange(0, signal.shape[-1] - length + 1, step)
    return signal[..., starts[:, None] + torch.arange(length)]


def cut_blocks(image: Tensor, size: int) -> Tensor:
    rows = torch.arange(image.shape[0]).reshape(-1, 1, size, 1)
    columns = torch.arange(image.shape[1]).reshape(1, -1, 1, size)
    return image[rows, columns]


def signal_case(draw: Draw, shape: tuple[int, ...], length: int, step: int) -> tuple[Tensor, int, int]:
    return draw.normal(*shape), length, step


def image_case(draw: Draw, height: int, width: int, size: int) -> tuple[Tensor, int]:
    return draw.normal(height, width), size


@check("solved")
def windows_are_right(answer: Answer, draw: Draw) -> None:
    one_short = looks_like(
        lambda signal, length, step: signal[..., :-1].unfold(-1, length, step),
        "The last window that fits is missing: n − length + 1 starting points fit, not n − length.",
    )
    by_one = looks_like(
        lambda signal, length, step: cut_windows(signal, length, 1),
        "The windows start one apart: window i should start at i · step.",
    )
    teach = "Window i, element j, is signal[..., i · step + j]; a strided argument has other strides than 1."
    for case in draw.cases(signal_case, SIGNALS, layouts=LAYOUTS):
        expect_same(answer.windows, cut_windows, *case, diagnose=[one_short, by_one], teach=teach)
    for case in draw.cases(signal_case, GAPS, layouts=LAYOUTS):
        expect_same(answer.windows, cut_windows, *case, teach="The step may be longer than a window: gaps are left.")
    expanded = draw.normal(1, 6).expand(3, 6), draw.normal(1).expand(4)
    for signal in (*expanded, draw.integers(2, 7, high=99)):
        expect_same(answer.windows, cut_windows, signal, 3, 2, teach=teach)
    signal = draw.normal(2, 5)
    expect_same(answer.windows, lambda signal, length: cut_windows(signal, length, 1), signal, 3, teach=teach)


@check("solved")
def blocks_are_right(answer: Answer, draw: Draw) -> None:
    in_order = looks_like(
        lambda image, size: image.reshape(image.shape[0] // size, image.shape[1] // size, size, size),
        "reshape deals out the numbers in their old order: a block's rows lie a whole image row apart.",
    )
    teach = "Block (a, b) holds image[a · size + i, b · size + j]: cut each axis in two, then order the four axes."
    for case in draw.cases(image_case, IMAGES, layouts=LAYOUTS):
        expect_same(answer.blocks, cut_blocks, *case, diagnose=[in_order], teach=teach)
    for image in (draw.normal(1, 6).expand(4, 6), draw.integers(4, 6, high=99), draw.normal(5, 9)[1:, 3:]):
        expect_same(answer.blocks, cut_blocks, image, 2, teach=teach)


@check("lean", teach=SHARE)
def windows_share_memory(answer: Answer, draw: Draw) -> None:
    for layout in LAYOUTS:
        draw.layout = layout
        signal = draw.normal(4, 64)
        long = draw.normal(20_000)
        expect_view(answer.windows(long, 400, 7), long, "what windows returns for a long signal")
        for length, step in ((8, 3), (3, 8), (64, 1), (1, 1)):
            expect_view(answer.windows(signal, length, step), signal, "what windows returns")
            expect_peak_memory(answer.windows, signal, length, step, at_most_bytes=0)
    cut = draw.normal(5, 40)[1:, 3:]
    for signal in (draw.normal(1, 30).expand(3, 30), cut, draw.normal(2, 3, 30), draw.integers(4, 30, high=9)):
        expect_view(answer.windows(signal, 4, 3), signal, "what windows returns for a signal that is itself a view")
        expect_peak_memory(answer.windows, signal, 4, 3, at_most_bytes=0)


@check("lean", teach=SHARE)
def blocks_share_memory(answer: Answer, draw: Draw) -> None:
    for layout in LAYOUTS:
        draw.layout = layout
        large = draw.normal(300, 200)
        expect_view(answer.blocks(large, 10), large, "what blocks returns for a large image")
        image = draw.normal(12, 18)
        for size in (3, 1, 6):
            expect_view(answer.blocks(image, size), image, "what blocks returns")
            expect_peak_memory(answer.blocks, image, size, at_most_bytes=0)
    for image in (draw.normal(1, 6).expand(4, 6), draw.normal(5, 9)[1:, 3:], draw.integers(4, 6, high=9)):
        expect_view(answer.blocks(image, 2), image, "what blocks returns for an image that is itself a view")
        expect_peak_memory(answer.blocks, image, 2, at_most_bytes=0)
