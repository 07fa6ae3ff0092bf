"""Grades conv_unfold: torch's own convolution in float64 as the reference; ops counted at two sizes."""

import torch
from torch import Tensor
from torch.nn import functional

from torchstone.learn.grading import Answer, Draw, check, expect_close, expect_same, expect_same_ops, looks_like, when

PROMISES = {
    "Lay each patch that the kernel looks at out as": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    ("conv1d", "conv2d", "conv3d", "conv_transpose2d", "convolution", "mkldnn_convolution", "slow_conv2d_forward"),
    "That function is the one you are writing: unfold the patches and multiply.",
)
ONE, NONE = (1, 1), (0, 0)
# channels, out, groups, image, kernel, stride, padding, dilation: from a single number to everything at once
CASES = [
    (1, 1, 1, (1, 1), (1, 1), ONE, NONE, ONE),
    (1, 1, 1, (2, 2), (2, 2), ONE, NONE, ONE),
    (1, 1, 1, (1, 3), (1, 2), ONE, NONE, ONE),
    (2, 3, 1, (4, 3), (2, 3), ONE, NONE, ONE),
    (1, 1, 1, (3, 5), (1, 2), (1, 2), NONE, ONE),
    (1, 2, 1, (6, 4), (3, 2), (3, 1), NONE, ONE),
    (1, 1, 1, (1, 2), (3, 2), ONE, (1, 0), ONE),
    (2, 1, 1, (2, 2), (2, 3), ONE, (0, 2), ONE),
    (1, 1, 1, (5, 3), (2, 2), ONE, NONE, (3, 1)),
    (1, 2, 1, (3, 7), (2, 3), ONE, NONE, (1, 2)),
    (2, 2, 2, (2, 3), (2, 2), ONE, NONE, ONE),
    (4, 6, 2, (3, 3), (2, 1), ONE, NONE, ONE),
    (3, 3, 3, (5, 4), (3, 2), (2, 1), (1, 2), (1, 2)),
    (4, 8, 4, (7, 9), (3, 2), (2, 3), (2, 1), (2, 3)),
]
Pair = tuple[int, int]
Case = tuple[Tensor, Tensor, Tensor | None, Pair, Pair, Pair, int]


def reference(
    images: Tensor,
    kernels: Tensor,
    bias: Tensor | None = None,
    stride: Pair = ONE,
    padding: Pair = NONE,
    dilation: Pair = ONE,
    groups: int = 1,
) -> Tensor:
    exact_bias = None if bias is None else bias.double()
    exact = functional.conv2d(images.double(), kernels.double(), exact_bias, stride, padding, dilation, groups)
    return exact.to(images.dtype)


def interleaved(images: Tensor, kernels: Tensor, bias: Tensor | None, *how: Pair) -> Tensor:
    """What comes out where neighbouring channels are dealt to different groups."""
    groups = how[-1]
    dealt = images.unflatten(1, (-1, groups)).transpose(1, 2).flatten(1, 2)
    return reference(dealt, kernels, bias, *how)


KNOWN = [
    looks_like(
        lambda images, kernels, *rest: reference(images, kernels.flip(-1, -2), *rest),
        "The kernel is turned around: mathematicians do that, networks do not (theirs is a cross-correlation).",
    ),
    looks_like(
        lambda images, kernels, bias, *how: reference(images, kernels, None, *how),
        "The bias is missing: one number for each output channel, added at every pixel.",
    ),
    looks_like(
        lambda images, kernels, bias, stride, *rest: reference(images, kernels, bias, stride[::-1], *rest),
        "Down and across changed places in the stride: the first of a pair belongs to the height.",
    ),
    looks_like(
        lambda images, kernels, bias, stride, padding, dilation, groups: reference(
            images, kernels, bias, stride, padding, ONE, groups
        ),
        "The dilation has no effect: neighbours in the kernel look at pixels that lie dilation apart.",
    ),
    looks_like(
        interleaved,
        "The groups are dealt out channel by channel: group 0 is the first run of channels, not every second one.",
    ),
    when(
        lambda got, expected: got.shape != expected.shape,
        "⌊(height + 2 · padding − dilation · (kernel − 1) − 1) / stride⌋ + 1 rows, and the columns by the width alike.",
    ),
]
TEACH = (
    "A column of unfold is one patch, sorted by channel, then row, then column of the kernel: kernels.reshape(out, −1) "
    "has the same order."
)


def make(
    draw: Draw, channels: int, out: int, groups: int, image: Pair, kernel: Pair, stride: Pair, pad: Pair, dilation: Pair
) -> Case:
    count = draw.integer(1, 3)
    bias = draw.normal(out) if draw.integer(0, 2) else None
    return (
        draw.normal(count, channels, *image),
        draw.normal(out, channels // groups, *kernel),
        bias,
        stride,
        pad,
        dilation,
        groups,
    )


@check("solved")
def convolutions_are_right(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(make, CASES):
        expect_same(answer.conv2d, reference, *case, diagnose=KNOWN, teach=TEACH)


@check("solved")
def strides_and_dtypes_are_right(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(make, CASES[-3:], dtypes=(torch.float32, torch.float64), layouts=("strided", "transposed")):
        expect_same(answer.conv2d, reference, *case, diagnose=KNOWN, teach=TEACH)


@check("solved", teach="The parameters and their defaults should stay those of the starter.")
def defaults_are_kept(answer: Answer, draw: Draw) -> None:
    images, kernels = draw.normal(2, 2, 4, 5), draw.normal(3, 2, 3, 2)
    expect_same(answer.conv2d, reference, images, kernels)
    expect_same(answer.conv2d, reference, images, kernels[:2, :1], groups=2, padding=(1, 0), bias=draw.normal(2))


@check("lean")
def ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    small = (draw.normal(2, 4, 5, 5), draw.normal(4, 2, 2, 2), draw.normal(4), ONE, ONE, ONE, 2)
    large = (draw.normal(5, 12, 9, 11), draw.normal(8, 3, 4, 3), draw.normal(8), ONE, ONE, ONE, 4)
    teach = (
        "A loop over groups, images or kernel places pays for each of them; a product of three-dimensional tensors "
        "does all groups at once."
    )
    expect_same_ops(answer.conv2d, small, large, teach=teach)
    many_images = (draw.normal(300, 4, 3, 3), *small[1:])
    many_channels = (draw.normal(1, 260, 3, 3), draw.normal(260, 2, 2, 2), draw.normal(260), ONE, ONE, ONE, 130)
    many_pixels = (draw.normal(1, 4, 70, 70), draw.normal(4, 2, 9, 9), draw.normal(4), ONE, ONE, ONE, 2)
    for many in (many_images, many_channels, many_pixels):
        expect_same_ops(answer.conv2d, small, many, teach=teach)


@check("solved")
def nothing_reaches_other_places(answer: Answer, draw: Draw) -> None:
    """Infinity and NaN in one pixel: outputs that do not see it, in place or in group, are numbers."""
    teach = (
        "Each output sees its own patch of its own run of channels and nothing else: zeros between the groups keep no "
        "NaN and no infinity out, since 0 · NaN is NaN."
    )
    for bad in (torch.nan, torch.inf):
        images, kernels = draw.normal(2, 4, 5, 6), draw.uniform(6, 2, 2, 3, low=0.5, high=1.5)
        images[1, 2, 3, 4] = bad
        expect_same(answer.conv2d, reference, images, kernels, None, ONE, (1, 0), ONE, 2, teach=teach)
        dense = draw.uniform(2, 4, 2, 2, low=0.5, high=1.5)
        expect_same(answer.conv2d, reference, images, dense, draw.normal(2), (2, 1), NONE, (1, 2), 1, teach=teach)


@check("solved")
def far_values_count_in_full(answer: Answer, draw: Draw) -> None:
    teach = "In the dtype of the images, for numbers of any size: nothing is held within bounds or rounded."
    on_cpu = draw.on(torch.device("cpu"))
    for scale in (1.0, 1e9, 1e100):
        images = on_cpu.uniform(1, 4, 4, 5).double() * scale + scale / 3
        kernels, bias = on_cpu.uniform(2, 2, 2, 3).double() + 1 / 3, on_cpu.normal(2).double() * scale
        for given in (None, bias):
            case = images, kernels, given, (1, 2), (1, 1), ONE, 2
            near = {"rtol": 1e-11, "atol": scale * 1e-12}
            expect_close(answer.conv2d(*case), reference(*case), what="the result in float64", teach=teach, **near)
