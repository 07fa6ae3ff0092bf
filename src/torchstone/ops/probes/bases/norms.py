"""Norms and softmax."""

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from torchstone.ops.probes.bases.base import (
    FLOATS,
    IMAGE,
    ROWS,
    Base,
    Sizes,
    grid,
    image,
    two,
)
from torchstone.ops.probes.drawing import Draw


def norms() -> list[Base]:
    def affine(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), (s["n"],), d(s["n"]), d(s["n"])

    def mixed(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), (s["n"],), d(s["n"]).float(), d(s["n"]).float()

    def running(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["c"], s["h"], s["w"]), d(s["c"]), d.positive(s["c"]), d(s["c"]), d(s["c"])

    softer: tuple[Mapping[str, Any], ...] = ({"dim": 0},)
    return [
        Base("layer_norm", F.layer_norm, affine, ROWS, FLOATS, ({"eps": 0.1},)),
        Base(
            "layer_norm_no_bias",
            F.layer_norm,
            lambda d, s: affine(d, s)[:3],
            ROWS,
            FLOATS,
            ({"eps": 0.1},),
        ),
        Base(
            "layer_norm_no_weight",
            lambda x, shape, bias, **more: F.layer_norm(x, shape, None, bias, **more),
            lambda d, s: affine(d, s)[:3],
            ROWS,
            FLOATS,
        ),
        Base("layer_norm_mixed", F.layer_norm, mixed, ROWS, (torch.float16, torch.bfloat16)),
        Base("layer_norm_plain", lambda x: F.layer_norm(x, x.shape[-1:]), grid, ROWS, FLOATS),
        Base(
            "rms_norm",
            F.rms_norm,
            lambda d, s: (d(s["m"], s["n"]), (s["n"],), d(s["n"])),
            ROWS,
            FLOATS,
            ({"eps": 0.1},),
        ),
        Base(
            "group_norm",
            F.group_norm,
            lambda d, s: (d(s["b"], s["c"], s["h"], s["w"]), 2, d(s["c"]), d(s["c"])),
            IMAGE,
            FLOATS,
            ({"eps": 0.1},),
        ),
        Base(
            "group_norm_plain",
            lambda x, groups=2, **more: F.group_norm(x, groups, **more),
            image,
            IMAGE,
            FLOATS,
            ({"eps": 0.1}, {"groups": 1}, {"groups": 4}),
        ),
        Base(
            "group_norm_no_bias",
            F.group_norm,
            lambda d, s: (d(s["b"], s["c"], s["h"], s["w"]), 2, d(s["c"])),
            IMAGE,
            FLOATS,
        ),
        Base("rms_norm_plain", lambda x, **more: F.rms_norm(x, x.shape[-1:], **more), grid, ROWS, FLOATS),
        Base(
            "batch_norm_plain",
            _batch_norm,
            lambda d, s: running(d, s)[:3],
            IMAGE,
            (torch.float32,),
            ({"training": True},),
        ),
        Base(
            "batch_norm_no_statistics",
            lambda x, weight, bias: F.batch_norm(x, None, None, weight, bias, training=True),
            lambda d, s: (*image(d, s), d(s["c"]), d(s["c"])),
            IMAGE,
            FLOATS,
        ),
        Base(
            "batch_norm",
            _batch_norm,
            running,
            IMAGE,
            (torch.float32,),
            ({"training": True}, {"training": True, "momentum": 0.4}, {"eps": 0.1}),
        ),
        Base(
            "instance_norm_running",
            lambda x, mean, spread, *affine, **more: F.instance_norm(
                x, mean.detach(), spread.detach(), *affine, **more
            ),
            running,
            IMAGE,
            (torch.float32,),
            ({"use_input_stats": False}, {"momentum": 0.4}),
        ),
        Base("instance_norm", F.instance_norm, image, IMAGE, (torch.float32,), ({"eps": 0.1},)),
        Base("softmax", F.softmax, grid, ROWS, FLOATS, softer, {"dim": 1}),
        Base("softmax_wide", lambda x: F.softmax(x, 1, dtype=torch.float32), grid, ROWS, (torch.float16,)),
        Base("log_softmax", F.log_softmax, grid, ROWS, FLOATS, softer, {"dim": 1}),
        Base("normalize", F.normalize, grid, ROWS, FLOATS, ({"dim": 0}, {"p": 1.0})),
        Base("cosine_similarity", F.cosine_similarity, two, ROWS, FLOATS, ({"dim": 0},)),
        Base("dropout_eval", lambda x: F.dropout(x, 0.5, training=False), grid, ROWS, FLOATS),
    ]


def _batch_norm(x: torch.Tensor, mean: torch.Tensor, spread: torch.Tensor, *affine: Any, **more: Any) -> Any:
    """The statistics have no gradient; in training they are written, where they stand."""
    return F.batch_norm(x, mean.detach(), spread.detach(), *affine, **more)
