"""Losses, and bags of embeddings."""

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from torchstone.ops.probes.bases.base import (
    FLOATS,
    ROWS,
    Base,
    Sizes,
    two,
)
from torchstone.ops.probes.drawing import Draw


def losses() -> list[Base]:
    def classes(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), d.index(s["n"], s["m"])

    reduced: tuple[Mapping[str, Any], ...] = ({"reduction": "sum"}, {"reduction": "none"})
    weighted = lambda x, y, w, **more: F.cross_entropy(x, y, w.detach(), **more)  # noqa: E731
    return [
        Base(
            "cross_entropy",
            F.cross_entropy,
            classes,
            ROWS,
            FLOATS,
            (*reduced, {"ignore_index": 0}, {"label_smoothing": 0.2}),
        ),
        Base(
            "cross_entropy_weighted",
            weighted,
            lambda d, s: (*classes(d, s), d.positive(s["n"])),
            ROWS,
            (torch.float32,),
            ({"ignore_index": 1},),
        ),
        Base(
            "nll_loss",
            lambda x, y, **more: F.nll_loss(F.log_softmax(x, 1), y, **more),
            classes,
            ROWS,
            FLOATS,
            (*reduced, {"ignore_index": 1}),
        ),
        Base("mse_loss", F.mse_loss, two, ROWS, FLOATS, reduced),
        Base("l1_loss", F.l1_loss, two, ROWS, FLOATS, reduced),
        Base("smooth_l1_loss", F.smooth_l1_loss, two, ROWS, FLOATS, (*reduced, {"beta": 0.3})),
        Base("huber_loss", F.huber_loss, two, ROWS, FLOATS, (*reduced, {"delta": 0.3})),
        Base(
            "bce_with_logits_weighted",
            lambda x, y, w, p: F.binary_cross_entropy_with_logits(x, y.sigmoid(), w.detach(), pos_weight=p.detach()),
            lambda d, s: (*two(d, s), d.positive(s["m"], s["n"]), d.positive(s["n"])),
            ROWS,
            FLOATS,
        ),
        Base(
            "bce_with_logits",
            lambda x, y, **more: F.binary_cross_entropy_with_logits(x, y.sigmoid(), **more),
            two,
            ROWS,
            FLOATS,
            reduced,
        ),
        Base(
            "kl_div",
            lambda x, y, **more: F.kl_div(x.log_softmax(1), y.softmax(1), **{"reduction": "batchmean", **more}),
            two,
            ROWS,
            FLOATS,
            ({"reduction": "sum"},),
        ),
        Base(
            "embedding_bag",
            lambda w, i, **more: F.embedding_bag(i, w, **{"mode": "sum", **more}),
            lambda d, s: (d(s["m"], s["n"]), d.index(s["m"], s["k"], 3)),
            {**ROWS, "k": 4},
            (torch.float32,),
            ({"mode": "mean"}, {"mode": "max"}, {"padding_idx": 0}, {"scale_grad_by_freq": True}),
        ),
        Base(
            "embedding_bag_weighted",
            lambda w, i, scale: F.embedding_bag(i, w, mode="sum", per_sample_weights=scale),
            lambda d, s: (d(s["m"], s["n"]), d.index(s["m"], s["k"], 3), d(s["k"], 3)),
            {**ROWS, "k": 4},
            (torch.float32,),
        ),
        Base(
            "embedding_bag_offsets",
            lambda w, i, o, **more: F.embedding_bag(i, w, o, mode="sum", **more),
            lambda d, s: (d(s["m"], s["n"]), d.index(s["m"], 6), torch.tensor([0, 2, 6])),
            ROWS,
            (torch.float32,),
            ({"include_last_offset": True},),
        ),
    ]
