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
    ways: tuple[Mapping[str, Any], ...] = ({"padding": 1}, {"stride": 2}, {"dilation": 2}, {"groups": 2})

    def flat(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["c"], s["h"], s["w"]), d(s["o"], s["c"], 3, 3), d(s["o"])

    def grouped(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["c"], s["h"], s["w"]), d(s["c"], 1, 3, 3), d(s["c"])

    return [
        Base("conv2d", F.conv2d, flat, sizes, FLOATS, ways[:3]),
        Base(
            "conv2d_pointwise",
            F.conv2d,
            lambda d, s: (d(s["b"], s["c"], s["h"], s["w"]), d(s["o"], s["c"], 1, 1)),
            sizes,
            FLOATS,
        ),
        Base(
            "conv2d_depthwise",
            lambda x, w, b, **more: F.conv2d(x, w, b, groups=x.shape[1], **more),
            grouped,
            sizes,
            FLOATS,
            ways[:1],
        ),
        Base(
            "conv1d",
            F.conv1d,
            lambda d, s: (d(s["b"], s["c"], s["w"]), d(s["o"], s["c"], 3), d(s["o"])),
            {"b": 2, "c": 4, "o": 4, "w": 8},
            FLOATS,
            ways[:3],
        ),
        Base(
            "conv3d",
            F.conv3d,
            lambda d, s: (d(s["b"], s["c"], 3, 4, s["w"]), d(s["o"], s["c"], 2, 2, 2)),
            {"b": 2, "c": 3, "o": 4, "w": 5},
            (torch.float32,),
            ways[:2],
        ),
        Base(
            "conv_transpose2d",
            F.conv_transpose2d,
            lambda d, s: (d(s["b"], s["c"], s["h"], s["w"]), d(s["c"], s["o"], 3, 3), d(s["o"])),
            {"b": 2, "c": 4, "o": 3, "h": 4, "w": 5},
            FLOATS,
            ({"stride": 2}, {"padding": 1}),
        ),
    ]


def pools() -> list[Base]:
    padded: tuple[Mapping[str, Any], ...] = ({"stride": 1}, {"padding": 1}, {"ceil_mode": True})
    return [
        Base("max_pool2d", F.max_pool2d, image, IMAGE, FLOATS, padded, {"kernel_size": 2}),
        Base(
            "avg_pool2d",
            F.avg_pool2d,
            image,
            IMAGE,
            FLOATS,
            (*padded, {"padding": 1, "count_include_pad": False}),
            {"kernel_size": 2},
        ),
        Base(
            "adaptive_avg_pool2d",
            F.adaptive_avg_pool2d,
            image,
            IMAGE,
            FLOATS,
            ({"output_size": 1},),
            {"output_size": 3},
        ),
        Base(
            "adaptive_max_pool2d",
            F.adaptive_max_pool2d,
            image,
            IMAGE,
            FLOATS,
            ({"output_size": 1},),
            {"output_size": 3},
        ),
        Base(
            "interpolate_nearest", F.interpolate, image, IMAGE, FLOATS, ({"scale_factor": 0.5},), {"scale_factor": 2.0}
        ),
        Base(
            "interpolate_bilinear",
            F.interpolate,
            image,
            IMAGE,
            FLOATS,
            ({"align_corners": True},),
            {"scale_factor": 2.0, "mode": "bilinear"},
        ),
        Base(
            "grid_sample",
            lambda x, g, **more: F.grid_sample(x, g.tanh(), **{"align_corners": False, **more}),
            lambda d, s: (*image(d, s), d(s["b"], 3, 4, 2)),
            IMAGE,
            (torch.float32,),
            ({"padding_mode": "border"}, {"mode": "nearest"}, {"align_corners": True}),
        ),
    ]
