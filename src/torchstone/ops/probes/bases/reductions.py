"""Sums and the like, running sums, and orders."""

from collections.abc import Mapping
from typing import Any

import torch

from torchstone.ops.probes.bases.base import (
    ANY,
    COMPLEX,
    FLOATS,
    NUMBERS,
    ROWS,
    Base,
    grid,
    of_torch,
    two,
)

TOP: tuple[Mapping[str, Any], ...] = (
    {"dim": 0},
    {"largest": False},
    {"k": 4},
    {"k": 3, "dim": 0},
    {"k": 3, "largest": False},
    {"k": 2, "dim": 0, "largest": False},
)
"""What decides the work of a topk: how many, along which dimension, from which end."""


def reductions() -> list[Base]:
    found = []
    by_dim: tuple[Mapping[str, Any], ...] = ({"dim": 0}, {"dim": 1}, {"dim": 1, "keepdim": True})
    for name, dtypes in (
        ("sum", (*ANY, *COMPLEX)),
        ("prod", NUMBERS),
        ("mean", FLOATS),
        ("amax", NUMBERS),
        ("amin", NUMBERS),
        ("all", ANY),
        ("any", ANY),
        ("nansum", FLOATS),
        ("var", FLOATS),
        ("std", FLOATS),
    ):
        options = (*by_dim, {"dim": 1, "correction": 0}) if name in ("var", "std") else by_dim
        gradient = name not in ("all", "any")
        found.append(Base(name, of_torch(name), grid, ROWS, dtypes, options, has_gradient=gradient))
    found.append(
        Base(
            "logsumexp",
            torch.logsumexp,
            grid,
            ROWS,
            FLOATS,
            ({"dim": 0}, {"dim": (0, 1)}, {"keepdim": True}),
            {"dim": 1},
        )
    )
    found.append(
        Base(
            "norm",
            torch.linalg.vector_norm,
            grid,
            ROWS,
            FLOATS,
            ({"ord": 1}, {"dim": 0}, {"ord": float("inf")}, {"ord": 3, "dim": 1, "keepdim": True}),
        )
    )
    for name in ("argmax", "argmin"):
        found.append(Base(name, of_torch(name), grid, ROWS, NUMBERS, by_dim, has_gradient=False))
    for name in ("max", "min"):
        found.append(Base(name, of_torch(name), grid, ROWS, NUMBERS))
        found.append(
            Base(
                f"{name}_dim",
                of_torch(name),
                grid,
                ROWS,
                NUMBERS,
                ({"dim": 0}, {"dim": 1, "keepdim": True}),
                {"dim": 1},
            )
        )
    found.append(Base("count_nonzero", torch.count_nonzero, grid, ROWS, ANY, ({"dim": 0},), has_gradient=False))
    return found


def scans() -> list[Base]:
    scans = [
        Base(name, of_torch(name), grid, ROWS, dtypes, ({"dim": 0},), {"dim": 1}, in_place=f"{name}_", has_out=True)
        for name, dtypes in (("cumsum", ANY), ("cumprod", NUMBERS))
    ]
    return [
        *scans,
        Base("cummax", torch.cummax, grid, ROWS, NUMBERS, ({"dim": 0},), {"dim": 1}),
        Base("diff", torch.diff, grid, ROWS, NUMBERS, ({"dim": 0}, {"n": 2}, {"n": 2, "dim": 0})),
    ]


def _topk_in_any_order(x: torch.Tensor, **more: Any) -> torch.Tensor:
    """The values in an order of ours: that of the operator is its own affair."""
    values: torch.Tensor = torch.topk(x, sorted=False, **more)[0].sort(more.get("dim", -1))[0]
    return values


def orders() -> list[Base]:
    ways: tuple[Mapping[str, Any], ...] = (
        {"dim": 0, "stable": True},
        {"descending": True, "stable": True},
        {"dim": 0, "descending": True, "stable": True},
    )
    return [
        Base("sort", torch.sort, grid, ROWS, NUMBERS, ways, {"stable": True}),
        Base("argsort", torch.argsort, grid, ROWS, NUMBERS, ways, {"stable": True}, has_gradient=False),
        Base("msort", torch.msort, grid, ROWS, NUMBERS),
        Base("topk", torch.topk, grid, ROWS, NUMBERS, TOP, {"k": 1}),
        Base("topk_unsorted", _topk_in_any_order, grid, ROWS, NUMBERS, TOP, {"k": 3}),
        Base(
            "kthvalue",
            torch.kthvalue,
            grid,
            ROWS,
            NUMBERS,
            ({"dim": 0}, {"k": 3}, {"k": 4, "dim": 0}, {"k": 2, "keepdim": True}),
            {"k": 1},
        ),
        Base("aminmax", torch.aminmax, grid, ROWS, NUMBERS, ({"dim": 0}, {"dim": 1, "keepdim": True})),
        Base("median", torch.median, grid, ROWS, NUMBERS),
        Base("median_dim", torch.median, grid, ROWS, NUMBERS, ({"dim": 0}, {"dim": 1, "keepdim": True}), {"dim": 1}),
        Base(
            "unique",
            torch.unique,
            grid,
            ROWS,
            NUMBERS,
            (
                {"return_inverse": True, "return_counts": True},
                {"dim": 0},
                {"dim": 1, "return_inverse": True, "return_counts": True},
            ),
            has_gradient=False,
        ),
        Base("nonzero", torch.nonzero, grid, ROWS, ANY, has_gradient=False),
        Base(
            "searchsorted",
            lambda a, b, **more: torch.searchsorted(a.sort()[0], b, **more),
            two,
            ROWS,
            FLOATS,
            ({"right": True}, {"side": "right"}, {"out_int32": True}),
            has_gradient=False,
        ),
        Base(
            "bincount",
            lambda x, **more: torch.bincount(x.flatten().abs(), **more),
            grid,
            ROWS,
            (torch.int64,),
            ({"minlength": 20},),
            has_gradient=False,
        ),
        Base(
            "bincount_weighted",
            lambda x, weights: torch.bincount(x.flatten().abs(), weights.flatten().float()),
            two,
            ROWS,
            (torch.int64,),
            has_gradient=False,
        ),
    ]
