"""Products of matrices and vectors."""

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from torchstone.ops.probes.bases.base import (
    FLOATS,
    NUMBERS,
    ROWS,
    Base,
    Sizes,
)
from torchstone.ops.probes.drawing import Draw

SCALED: tuple[Mapping[str, Any], ...] = ({"alpha": 2}, {"beta": 0.5}, {"beta": 0})
INNER = {"m": 4, "k": 6, "n": 5}
BATCHED = {"b": 3, **INNER}


def _matrices(d: Draw, s: Sizes) -> tuple[Any, ...]:
    return d(s["m"], s["k"]), d(s["k"], s["n"])


def _batches(d: Draw, s: Sizes) -> tuple[Any, ...]:
    return d(s["b"], s["m"], s["k"]), d(s["b"], s["k"], s["n"])


def matrix_products() -> list[Base]:
    types = (*FLOATS, torch.complex64)
    return [
        Base("mm", torch.mm, _matrices, INNER, types, has_out=True),
        Base(
            "matmul",
            torch.matmul,
            lambda d, s: (d(s["b"], s["m"], s["k"]), d(s["k"], s["n"])),
            BATCHED,
            types,
            has_out=True,
        ),
        Base("bmm", torch.bmm, _batches, BATCHED, types, has_out=True),
        Base(
            "addmm",
            torch.addmm,
            lambda d, s: (d(s["m"], s["n"]), *_matrices(d, s)),
            INNER,
            FLOATS,
            SCALED,
            in_place="addmm_",
            has_out=True,
        ),
        Base(
            "baddbmm",
            torch.baddbmm,
            lambda d, s: (d(s["b"], s["m"], s["n"]), *_batches(d, s)),
            BATCHED,
            FLOATS,
            SCALED,
            in_place="baddbmm_",
            has_out=True,
        ),
        Base(
            "addbmm",
            torch.addbmm,
            lambda d, s: (d(s["m"], s["n"]), *_batches(d, s)),
            BATCHED,
            FLOATS,
            SCALED,
            in_place="addbmm_",
        ),
    ]


def other_products() -> list[Base]:
    return [
        Base("mv", torch.mv, lambda d, s: (d(s["m"], s["k"]), d(s["k"])), {"m": 4, "k": 6}, FLOATS, has_out=True),
        Base(
            "addmv",
            torch.addmv,
            lambda d, s: (d(s["m"]), d(s["m"], s["k"]), d(s["k"])),
            {"m": 4, "k": 6},
            FLOATS,
            SCALED,
            in_place="addmv_",
        ),
        Base("dot", torch.dot, lambda d, s: (d(s["n"]), d(s["n"])), {"n": 7}, FLOATS),
        Base("outer", torch.outer, lambda d, s: (d(s["m"]), d(s["n"])), ROWS, NUMBERS),
        Base("einsum", lambda a, b: torch.einsum("bmk,bkn->bnm", a, b), _batches, BATCHED, FLOATS),
        Base("linear", F.linear, lambda d, s: (d(s["b"], s["k"]), d(s["n"], s["k"])), {"b": 4, "k": 6, "n": 5}, FLOATS),
        Base(
            "linear_bias",
            F.linear,
            lambda d, s: (d(s["b"], 2, s["k"]), d(s["n"], s["k"]), d(s["n"])),
            {"b": 4, "k": 6, "n": 5},
            FLOATS,
        ),
        Base(
            "solve",
            torch.linalg.solve,
            lambda d, s: (d(3, s["k"], s["k"]) + 4 * torch.eye(s["k"], dtype=d.dtype), d(3, s["k"], 2)),
            {"k": 4},
            (torch.float32,),
        ),
        Base(
            "solve_from_the_right",
            lambda a, b: torch.linalg.solve(a, b.mT, left=False),
            lambda d, s: (d(3, s["k"], s["k"]) + 4 * torch.eye(s["k"], dtype=d.dtype), d(3, s["k"], 2)),
            {"k": 4},
            (torch.float32,),
        ),
        Base(
            "cholesky",
            lambda x, **more: torch.linalg.cholesky(x @ x.mT + 3 * torch.eye(x.shape[-1], device=x.device), **more),
            lambda d, s: (d(s["k"], s["k"]),),
            {"k": 4},
            (torch.float32,),
            ({"upper": True},),
        ),
    ]
