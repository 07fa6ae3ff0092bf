"""Attention, as models call it."""

from collections.abc import Mapping
from typing import Any

from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from torchstone.ops.probes.bases.base import (
    FLOATS,
    Base,
    Sizes,
)
from torchstone.ops.probes.drawing import Draw


def attention() -> list[Base]:
    sizes = {"b": 2, "h": 2, "l": 9, "s": 9, "e": 8}

    def heads(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["h"], s["l"], s["e"]), d(s["b"], s["h"], s["s"], s["e"]), d(s["b"], s["h"], s["s"], s["e"])

    def wide(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return heads(d, {**s, "e": 64})

    def masked(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return (*heads(d, s), d(s["l"], s["s"]))

    ways: tuple[Mapping[str, Any], ...] = ({"is_causal": True}, {"scale": 0.7})
    call = F.scaled_dot_product_attention
    return [
        Base("attention", call, heads, sizes, FLOATS, ways),
        Base("attention_64", call, wide, {key: sizes[key] for key in "bhls"}, FLOATS, ways),
        Base("attention_masked", call, masked, sizes, FLOATS, ({"scale": 0.7},)),
        Base(
            "attention_one_query",
            call,
            lambda d, s: heads(d, {**s, "l": 1}),
            {key: sizes[key] for key in "bhse"},
            FLOATS,
            ways[1:],
        ),
    ]
