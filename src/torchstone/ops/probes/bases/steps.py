"""An optimizer's step and AMP's unscaling."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from torchstone.ops.probes.bases.base import (
    FLOATS,
    Base,
)


def steps() -> list[Base]:
    """Optimizer steps, fused and by lists, and AMP's unscaling, as functions of their tensors."""
    from torchstone.ops.own import FUSED, OPTIMIZERS, take_steps, unscale

    def step(kind: Any, options: Mapping[str, Any]) -> Callable[..., Any]:
        return lambda *given, **more: take_steps(kind, {**options, **more}, *given)

    sizes = {"m": 3, "n": 4}
    given = lambda d, s: (d(s["m"], s["n"]), d(s["n"]), d(s["m"], s["n"]), d(s["n"]))  # noqa: E731
    found = []
    for name, kind, options in OPTIMIZERS:
        for way in ("foreach", "fused") if name in FUSED else ("foreach",):
            more: tuple[Mapping[str, Any], ...] = ({"maximize": True}, {"weight_decay": 0.3})
            found.append(
                Base(
                    f"{name} {way}",
                    step(kind, {**options, way: True}),
                    given,
                    sizes,
                    (torch.float32,),
                    more,
                    has_gradient=False,
                )
            )
    found.append(Base("unscale", lambda *values: unscale(*values), given, sizes, FLOATS, has_gradient=False))
    return found
