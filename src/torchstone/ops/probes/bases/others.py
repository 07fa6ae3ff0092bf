"""What belongs to no other kind: a recurrent layer, transforms, distances."""

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
)
from torchstone.ops.probes.drawing import Draw


def others() -> list[Base]:
    def recurrent(d: Draw, s: Sizes) -> tuple[Any, ...]:
        gates = 4 * 5
        return d(s["l"], s["b"], 6), d(1, s["b"], 5), d(1, s["b"], 5), d(gates, 6), d(gates, 5), d(gates), d(gates)

    def lstm(x: torch.Tensor, h: torch.Tensor, c: torch.Tensor, *weights: torch.Tensor) -> Any:
        return torch.lstm(x, (h, c), list(weights), True, 1, 0.0, False, False, False)

    return [
        Base("lstm", lstm, recurrent, {"l": 3, "b": 2}, (torch.float32,), sequential=frozenset({"l"})),
        Base("prelu", F.prelu, lambda d, s: (*image(d, s), d(s["c"])), IMAGE, FLOATS),
        Base("fft", lambda x: torch.view_as_real(torch.fft.fft(x)), grid, ROWS, (torch.float32,)),
        Base("cdist", torch.cdist, lambda d, s: (d(s["m"], 3), d(s["n"], 3)), ROWS, (torch.float32,), ({"p": 1.0},)),
        Base(
            "polar", torch.polar, lambda d, s: (d.positive(s["m"], s["n"]), d(s["m"], s["n"])), ROWS, (torch.float32,)
        ),
    ]
