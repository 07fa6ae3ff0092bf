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
    found.append(Base("logsumexp", torch.logsumexp, grid, ROWS, FLOATS, ({"dim": 0},), {"dim": 1}))
    found.append(
        Base("norm", torch.linalg.vector_norm, grid, ROWS, FLOATS, ({"ord": 1}, {"dim": 0}, {"ord": float("inf")}))
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
        Base("diff", torch.diff, grid, ROWS, NUMBERS, ({"dim": 0}, {"n": 2})),
    ]


def orders() -> list[Base]:
    ways: tuple[Mapping[str, Any], ...] = ({"dim": 0, "stable": True}, {"descending": True, "stable": True})
    return [
        Base("sort", torch.sort, grid, ROWS, NUMBERS, ways, {"stable": True}),
        Base("argsort", torch.argsort, grid, ROWS, NUMBERS, ways, {"stable": True}, has_gradient=False),
        Base("msort", torch.msort, grid, ROWS, NUMBERS),
        Base("topk", torch.topk, lambda d, s: (d(s["m"], s["n"]), 1), ROWS, NUMBERS, ({"dim": 0}, {"largest": False})),
        Base("kthvalue", torch.kthvalue, lambda d, s: (d(s["m"], s["n"]), 1), ROWS, NUMBERS, ({"dim": 0},)),
        Base("median", torch.median, grid, ROWS, NUMBERS),
        Base("unique", torch.unique, grid, ROWS, NUMBERS, has_gradient=False),
        Base("nonzero", torch.nonzero, grid, ROWS, ANY, has_gradient=False),
        Base(
            "searchsorted",
            lambda a, b: torch.searchsorted(a.sort()[0], b),
            two,
            ROWS,
            FLOATS,
            ({"right": True},) * 0,
            has_gradient=False,
        ),
        Base("bincount", lambda x: torch.bincount(x.flatten().abs()), grid, ROWS, (torch.int64,), has_gradient=False),
    ]
