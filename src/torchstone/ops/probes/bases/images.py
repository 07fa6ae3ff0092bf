"""What images go through: convolutions, pools, resizing."""

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from torchstone.ops.probes.bases.base import (
    FLOATS,
    IMAGE,
    Base,
    Sizes,
    image,
)
from torchstone.ops.probes.drawing import Draw


def convolutions() -> list[Base]:
    sizes = {"b": 2, "c": 4, "o": 4, "h": 7, "w": 6}
    ways: tuple[Mapping[str, Any], ...] = (
        {"padding": 1},
        {"stride": 2},
        {"dilation": 2},
        {"stride": 2, "padding": 1},
        {"stride": 2, "padding": 2, "dilation": 2},
    )
    uneven: tuple[Mapping[str, Any], ...] = ({"stride": (2, 1), "padding": (0, 1)}, {"padding": "same"})

    def flat(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["c"], s["h"], s["w"]), d(s["o"], s["c"], 3, 3), d(s["o"])

    def grouped(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["c"], s["h"], s["w"]), d(s["c"], 1, 3, 3), d(s["c"])

    return [
        Base("conv2d", F.conv2d, flat, sizes, FLOATS, (*ways, *uneven)),
        Base(
            "conv2d_grouped",
            F.conv2d,
            lambda d, s: (d(s["b"], 4, s["h"], s["w"]), d(2 * s["o"], 2, 3, 3)),
            {key: sizes[key] for key in "bohw"},
            FLOATS,
            ways,
            {"groups": 2},
        ),
        Base(
            "conv2d_pointwise",
            F.conv2d,
            lambda d, s: (d(s["b"], s["c"], s["h"], s["w"]), d(s["o"], s["c"], 1, 1)),
            sizes,
            FLOATS,
            ({"stride": 2}, {"padding": 1}),
        ),
        Base(
            "conv2d_depthwise",
            lambda x, w, b, **more: F.conv2d(x, w, b, groups=x.shape[1], **more),
            grouped,
            sizes,
            FLOATS,
            (*ways, *uneven),
        ),
        Base(
            "conv1d",
            F.conv1d,
            lambda d, s: (d(s["b"], s["c"], s["w"]), d(s["o"], s["c"], 3), d(s["o"])),
            {"b": 2, "c": 4, "o": 4, "w": 8},
            FLOATS,
            ways,
        ),
        Base(
            "conv3d",
            F.conv3d,
            lambda d, s: (d(s["b"], s["c"], 3, 4, s["w"]), d(s["o"], s["c"], 2, 2, 2)),
            {"b": 2, "c": 3, "o": 4, "w": 5},
            (torch.float32,),
            (*ways[:2], {"stride": (1, 2, 2), "padding": 1}),
        ),
        Base(
            "conv_transpose2d",
            F.conv_transpose2d,
            lambda d, s: (d(s["b"], s["c"], s["h"], s["w"]), d(s["c"], s["o"], 3, 3), d(s["o"])),
            {"b": 2, "c": 4, "o": 3, "h": 4, "w": 5},
            FLOATS,
            (
                {"stride": 2},
                {"padding": 1},
                {"dilation": 2},
                {"stride": 2, "output_padding": 1},
                {"stride": 2, "padding": 1, "output_padding": 1, "dilation": 2},
            ),
        ),
        Base(
            "conv_transpose2d_grouped",
            F.conv_transpose2d,
            lambda d, s: (d(s["b"], 4, s["h"], s["w"]), d(4, s["o"], 3, 3)),
            {"b": 2, "o": 3, "h": 4, "w": 5},
            FLOATS,
            ({"stride": 2}, {"stride": 2, "output_padding": 1}),
            {"groups": 2},
        ),
        Base(
            "conv_transpose1d",
            F.conv_transpose1d,
            lambda d, s: (d(s["b"], s["c"], s["w"]), d(s["c"], s["o"], 3)),
            {"b": 2, "c": 4, "o": 3, "w": 5},
            FLOATS,
            ({"stride": 2, "output_padding": 1}, {"padding": 1}),
        ),
    ]


def pools() -> list[Base]:
    padded: tuple[Mapping[str, Any], ...] = (
        {"stride": 1},
        {"padding": 1},
        {"ceil_mode": True},
        {"kernel_size": 3, "stride": 2, "padding": 1},
        {"kernel_size": (2, 3), "stride": (1, 2)},
    )
    spread: tuple[Mapping[str, Any], ...] = ({"dilation": 2}, {"dilation": 2, "stride": 1, "padding": 1})
    return [
        Base("max_pool2d", F.max_pool2d, image, IMAGE, FLOATS, (*padded, *spread), {"kernel_size": 2}),
        Base(
            "max_pool2d_indices",
            lambda x, **more: F.max_pool2d(x, return_indices=True, **more)[0],
            image,
            IMAGE,
            FLOATS,
            (*padded, *spread),
            {"kernel_size": 2},
        ),
        Base(
            "avg_pool2d",
            F.avg_pool2d,
            image,
            IMAGE,
            FLOATS,
            (*padded, {"padding": 1, "count_include_pad": False}, {"divisor_override": 3}),
            {"kernel_size": 2},
        ),
        Base(
            "adaptive_avg_pool2d",
            F.adaptive_avg_pool2d,
            image,
            IMAGE,
            FLOATS,
            ({"output_size": 1}, {"output_size": (2, 4)}),
            {"output_size": 3},
        ),
        Base(
            "adaptive_max_pool2d",
            F.adaptive_max_pool2d,
            image,
            IMAGE,
            FLOATS,
            ({"output_size": 1}, {"output_size": (2, 4)}),
            {"output_size": 3},
        ),
        Base(
            "interpolate_nearest",
            F.interpolate,
            image,
            IMAGE,
            FLOATS,
            ({"scale_factor": 0.5}, {"mode": "nearest-exact"}),
            {"scale_factor": 2.0},
        ),
        Base(
            "interpolate_bilinear",
            F.interpolate,
            image,
            IMAGE,
            FLOATS,
            (
                {"align_corners": True},
                {"scale_factor": 0.5, "antialias": True},
                {"scale_factor": 0.7, "recompute_scale_factor": True},
                {"mode": "bicubic"},
                {"mode": "area"},
            ),
            {"scale_factor": 2.0, "mode": "bilinear"},
        ),
        Base(
            "grid_sample",
            lambda x, g, **more: F.grid_sample(x, g.tanh(), **{"align_corners": False, **more}),
            lambda d, s: (*image(d, s), d(s["b"], 3, 4, 2)),
            IMAGE,
            (torch.float32,),
            (
                {"padding_mode": "border"},
                {"padding_mode": "reflection"},
                {"mode": "nearest"},
                {"mode": "bicubic"},
                {"align_corners": True},
            ),
        ),
    ]
