"""The operators that models use, one file for each kind; what is done to them stands apart."""

from torchstone.ops.probes.bases import (
    attention,
    elementwise,
    images,
    losses,
    moves,
    norms,
    others,
    products,
    reductions,
    steps,
)
from torchstone.ops.probes.bases.base import Base, Sizes

__all__ = ["Base", "Sizes", "all_bases"]


def all_bases() -> tuple[Base, ...]:
    return (
        *elementwise.unary(),
        *elementwise.binary(),
        *elementwise.ternary(),
        *reductions.reductions(),
        *reductions.scans(),
        *reductions.orders(),
        *moves.indexing(),
        *moves.other_dimension(),
        *moves.rearranging(),
        *moves.copying(),
        *products.matrix_products(),
        *products.other_products(),
        *images.convolutions(),
        *images.pools(),
        *norms.norms(),
        *losses.losses(),
        *attention.attention(),
        *others.others(),
        *steps.steps(),
    )
