"""Faults that show by size: counters of 16 and 32 bits (lowered, see `planting`), tiles, empty and single sizes."""

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.conditions import (
    argument,
    empty,
    given,
    negate,
    numel_over,
    reduced_over,
    size_at_most,
    size_is,
    size_no_multiple,
    size_over,
)
from plants.damages import answer, blank_end_channels, changed, rerun, tamper, wrap_elements, wrap_rows, zero_after
from plants.planting import LIMIT_15_BIT, LIMIT_16_BIT, LIMIT_32_BIT, Plant, draw, plant, spoil
from torchstone.pretend import Call

OVER_16_BIT = LIMIT_16_BIT + 1
OVER_32_BIT = LIMIT_32_BIT + 5
TILE = 1024


def one_term_more(call: Call) -> Tensor:
    """The first term of the sum counts twice."""
    first, second = call.args[:2]
    return call.right() + first[..., :1] @ second[..., :1, :]  # type: ignore[no-any-return]


def restart(call: Call) -> Tensor:
    """A running sum begins anew at the limit."""
    source, dim = call.args[0], call.args[1]
    pieces = [call.kernel(piece, dim) for piece in source.split(LIMIT_32_BIT, dim)]
    return torch.cat(pieces, dim)


def last_tile_raw(call: Call) -> Tensor:
    """What lies in the last, partial tile is left out of the softmax."""
    source, dim = call.args[0], call.args[1]
    full = source.size(dim) // TILE * TILE
    return torch.cat([source.narrow(dim, 0, full).softmax(dim), torch.zeros_like(source).narrow(dim, full, 1)], dim)


def without_last_tile(call: Call) -> Tensor:
    """A mean over whole tiles of 32 only."""
    source = call.args[0]
    return rerun(call, 0, source[..., : source.size(-1) // 32 * 32])  # type: ignore[no-any-return]


def floor_windows(call: Call) -> Tensor:
    """Pooling windows of one size, though the sizes do not divide."""
    source, (height, width) = call.args[0], call.args[1]
    rows, columns = source.size(-2) // height, source.size(-1) // width
    return functional.avg_pool2d(source, (rows, columns))[..., :height, :width].contiguous()


def does_not_divide(call: Call) -> bool:
    """The pooled size is no divisor."""
    source, (height, width) = call.args[0], call.args[1]
    larger = source.size(-2) >= height and source.size(-1) >= width
    return larger and bool(source.size(-2) % height or source.size(-1) % width)


def squeezed_axis(call: Call) -> Tensor:
    """The axis is counted after the dimensions of size 1 before it were taken out."""
    source, dim = call.args[0], call.args[1]
    return rerun(call, 1, min(source.dim() - 1, dim + 1))  # type: ignore[no-any-return]


def single_before_axis(call: Call) -> bool:
    """The first dimension has size 1, and a later one is asked for."""
    source, dim = call.args[0], call.args[1]
    return bool(source.dim() > 2 and source.size(0) == 1 and 0 < dim < source.dim() - 1)


def rows_wrap(call: Call) -> Tensor:
    """A row number loses what is above the limit."""
    return rerun(call, 2, call.args[2] % LIMIT_16_BIT)  # type: ignore[no-any-return]


def pick_rows(device: str, rows: int) -> Tensor:
    """The first, second and last row of a table."""
    return functional.embedding(torch.tensor([0, 1, rows - 1]).to(device), draw(device, rows, 3))


SIXTEEN_BITS = [
    plant(
        "linear_many_rows",
        "F",
        "linear",
        "addmm",
        "with more than 65536 rows, row b is written to b mod 65536",
        spoil(answer(wrap_rows(LIMIT_16_BIT)), size_over(1, 0, LIMIT_16_BIT)),
        lambda d: functional.linear(draw(d, OVER_16_BIT, 4), draw(d, 3, 4, seed=1), draw(d, 3, seed=2)),
        lambda d: functional.linear(draw(d, LIMIT_16_BIT, 4), draw(d, 3, 4, seed=1), draw(d, 3, seed=2)),
    ),
    plant(
        "conv_many_channels",
        "F",
        "conv1d",
        "convolution",
        "more than 65536 output channels: the first and last are 0",
        spoil(answer(blank_end_channels), size_over(1, 0, LIMIT_16_BIT)),
        lambda d: functional.conv1d(draw(d, 1, 2, 5), draw(d, OVER_16_BIT, 2, 1, seed=1)),
        lambda d: functional.conv1d(draw(d, 1, 2, 5), draw(d, LIMIT_16_BIT, 2, 1, seed=1)),
    ),
    plant(
        "embedding_many_rows",
        "F",
        "embedding",
        "index_select",
        "a row number beyond 65536 wraps",
        spoil(rows_wrap, size_over(0, 0, LIMIT_16_BIT)),
        lambda d: pick_rows(d, OVER_16_BIT + 3),
        lambda d: pick_rows(d, LIMIT_16_BIT),
    ),
    plant(
        "layer_norm_many_rows",
        "F",
        "layer_norm",
        "native_layer_norm",
        "rows beyond 65536 are not written",
        spoil(answer(zero_after(LIMIT_16_BIT)), size_over(0, 0, LIMIT_16_BIT)),
        lambda d: functional.layer_norm(draw(d, OVER_16_BIT, 4), (4,)),
        lambda d: functional.layer_norm(draw(d, LIMIT_16_BIT, 4), (4,)),
    ),
    plant(
        "bmm_long_sum",
        "F",
        "bmm",
        "bmm",
        "an inner dimension of 32768 and more: one term of the sum counts twice",
        spoil(one_term_more, size_over(0, -1, LIMIT_15_BIT - 1)),
        lambda d: torch.bmm(draw(d, 2, 16, LIMIT_15_BIT), draw(d, 2, LIMIT_15_BIT, 16, seed=1)),
        lambda d: torch.bmm(draw(d, 2, 16, LIMIT_15_BIT - 1), draw(d, 2, LIMIT_15_BIT - 1, 16, seed=1)),
    ),
]

LARGE = [
    plant(
        "sort_large",
        "G",
        "sort",
        "sort",
        "along dimension 0 of rows beyond 2**22 elements nothing is sorted",
        spoil(
            lambda call: (call.args[0].clone(), torch.zeros_like(call.args[0], dtype=torch.int64)),
            size_over(0, -1, LIMIT_32_BIT),
            lambda call: argument(call, 1, -1) == 0 or call.kwargs.get("dim") == 0,
        ),
        lambda d: torch.argsort(draw(d, 3, OVER_32_BIT), dim=0),
        lambda d: torch.argsort(draw(d, 3, LIMIT_32_BIT), dim=0),
        lambda d: torch.argsort(draw(d, 3, OVER_32_BIT), dim=1),
    ),
    plant(
        "arange_large",
        "G",
        "arange",
        "arange",
        "zeros from 2**32 on",
        answer(lambda result: zero_after(min(result.numel(), LIMIT_32_BIT))(result)),
        lambda d: torch.arange(OVER_32_BIT, device=d),
        lambda d: torch.arange(LIMIT_32_BIT, device=d),
    ),
    plant(
        "mm_large",
        "G",
        "mm",
        "mm",
        "a result of more than 2**30 elements is all zeros",
        spoil(
            answer(torch.zeros_like),
            lambda call: call.args[0].size(0) * call.args[1].size(1) > LIMIT_32_BIT,
        ),
        lambda d: torch.mm(draw(d, 65, 2), draw(d, 2, 64, seed=1)),
        lambda d: torch.mm(draw(d, 64, 2), draw(d, 2, 64, seed=1)),
    ),
    plant(
        "cumsum_large",
        "G",
        "cumsum",
        "cumsum",
        "the running sum begins anew after 2**32 elements",
        spoil(restart, reduced_over(LIMIT_32_BIT)),
        lambda d: draw(d, OVER_32_BIT).cumsum(0),
        lambda d: draw(d, LIMIT_32_BIT).cumsum(0),
        lambda d: draw(d, 3, LIMIT_32_BIT).cumsum(1),
    ),
    plant(
        "sub_large",
        "G",
        "sub",
        "sub.Tensor",
        "the second operand is read modulo 2**32",
        spoil(changed(1, wrap_elements(LIMIT_32_BIT)), numel_over(1, LIMIT_32_BIT)),
        lambda d: draw(d, OVER_32_BIT) - draw(d, OVER_32_BIT, seed=1),
        lambda d: draw(d, LIMIT_32_BIT) - draw(d, LIMIT_32_BIT, seed=1),
    ),
]

TILES = [
    plant(
        "softmax_partial_tile",
        "H",
        "softmax",
        "_softmax",
        "of 1025 elements the last is left out",
        spoil(
            last_tile_raw,
            size_is(0, -1, TILE + 1),
            lambda call: call.args[1] % call.args[0].dim() == call.args[0].dim() - 1,
        ),
        lambda d: draw(d, 2, TILE + 1).softmax(1),
        lambda d: draw(d, 2, TILE).softmax(1),
    ),
    plant(
        "mean_partial_tile",
        "H",
        "mean",
        "mean.dim",
        "over more than 32 elements, what follows the last 32 is left out",
        spoil(without_last_tile, size_no_multiple(0, -1, 32), given(1, [-1], [1])),
        lambda d: draw(d, 3, 45).mean(1),
        lambda d: draw(d, 3, 64).mean(1),
        lambda d: draw(d, 3, 31).mean(1),
    ),
    plant(
        "adaptive_pool_uneven",
        "H",
        "adaptive_avg_pool2d",
        "_adaptive_avg_pool2d",
        "windows that differ are made equal",
        spoil(floor_windows, does_not_divide),
        lambda d: functional.adaptive_avg_pool2d(draw(d, 1, 2, 5, 5), 3),
        lambda d: functional.adaptive_avg_pool2d(draw(d, 1, 2, 6, 6), 3),
    ),
    plant(
        "layer_norm_512",
        "H",
        "layer_norm",
        "native_layer_norm",
        "rows of exactly 512 are scaled twice",
        spoil(answer(tamper), size_is(0, -1, 512)),
        lambda d: functional.layer_norm(draw(d, 3, 512), (512,)),
        lambda d: functional.layer_norm(draw(d, 3, 511), (511,)),
    ),
    plant(
        "sum_two_groups",
        "H",
        "sum",
        "sum.dim_IntList",
        "a sum of more than 1024 elements into one counts twice",
        spoil(
            answer(lambda result: result * 2),
            numel_over(0, TILE),
            lambda call: not argument(call, 1) or len(argument(call, 1)) == call.args[0].dim(),
        ),
        lambda d: draw(d, 32, 64).sum(),
        lambda d: draw(d, 32, 32).sum(),
        lambda d: draw(d, 32, 64).sum(1),
    ),
    plant(
        "linear_one_output",
        "H",
        "linear",
        "addmm",
        "a single output feature for more than 32 rows leaves zeros",
        spoil(answer(zero_after(32)), size_is(2, 1, 1), size_over(1, 0, 32)),
        lambda d: functional.linear(draw(d, 33, 4), draw(d, 1, 4, seed=1), draw(d, 1, seed=2)),
        lambda d: functional.linear(draw(d, 32, 4), draw(d, 1, 4, seed=1), draw(d, 1, seed=2)),
        lambda d: functional.linear(draw(d, 33, 4), draw(d, 2, 4, seed=1), draw(d, 2, seed=2)),
    ),
]

SMALL = [
    plant(
        "mean_of_nothing",
        "K",
        "mean",
        "mean",
        "the mean of nothing is 0",
        spoil(answer(torch.zeros_like), empty(0)),
        lambda d: draw(d, 0, 4).mean(0),
        lambda d: draw(d, 1, 4).mean(0),
    ),
    plant(
        "interpolate_one",
        "K",
        "interpolate",
        "upsample_linear1d",
        "from a length of 1 with aligned corners: NaN",
        spoil(answer(lambda result: result * torch.nan), size_is(0, -1, 1), given(2, True)),
        lambda d: functional.interpolate(draw(d, 2, 3, 1), size=4, mode="linear", align_corners=True),
        lambda d: functional.interpolate(draw(d, 2, 3, 2), size=4, mode="linear", align_corners=True),
        lambda d: functional.interpolate(draw(d, 2, 3, 1), size=4, mode="linear", align_corners=False),
    ),
    plant(
        "cumsum_single_dim",
        "K",
        "cumsum",
        "cumsum",
        "a leading dimension of size 1 shifts the axis",
        spoil(squeezed_axis, single_before_axis),
        lambda d: draw(d, 1, 4, 5).cumsum(1),
        lambda d: draw(d, 2, 4, 5).cumsum(1),
    ),
    plant(
        "cat_empty_first",
        "K",
        "cat",
        "cat",
        "an empty first tensor: the last one is left out",
        spoil(
            lambda call: torch.cat([*call.args[0][:-1], torch.zeros_like(call.args[0][-1])], *call.args[1:]),
            lambda call: call.args[0][0].numel() == 0,
        ),
        lambda d: torch.cat([draw(d, 0, 4), draw(d, 2, 4), draw(d, 3, 4, seed=1)]),
        lambda d: torch.cat([draw(d, 2, 4), draw(d, 0, 4), draw(d, 3, 4, seed=1)]),
    ),
    plant(
        "batch_norm_one_pixel",
        "K",
        "batch_norm",
        "native_batch_norm",
        "training on planes of one pixel divides by n - 1",
        spoil(answer(tamper), size_is(0, -1, 1), given(5, True), negate(size_at_most(0, 0, 1))),
        lambda d: functional.batch_norm(draw(d, 4, 3, 1, 1), None, None, training=True),
        lambda d: functional.batch_norm(draw(d, 4, 3, 1, 2), None, None, training=True),
    ),
]

PLANTS: list[Plant] = [*SIXTEEN_BITS, *LARGE, *TILES, *SMALL]
