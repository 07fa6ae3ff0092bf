"""What a kernel of MPS refuses, as it says it; and what it takes although it looks alike."""

from typing import Any

import pytest
import torch
from torch import Tensor

from torchstone.checking.attention import FUNCTION
from torchstone.checking.limits import Limit, broken_function_limit, broken_limit
from torchstone.checking.mps_limits import (
    FLOATING_CONVOLUTION,
    INVERSE_OF_FLOAT,
    LARGE_MASK,
    LARGE_NONZERO,
    LARGE_TABLE,
    MIXED_POOL,
    NO_COMPLEX_FACTORS,
    NO_COMPLEX_INVERSE,
    NO_DROPOUT,
    NO_HALF_3D,
    NO_INTEGERS,
    NO_INTEGRAL_OUTER,
    NO_KERNEL_FOR_LONG,
    NO_LONG,
    NO_PIVOT,
    NO_STRIDE,
    NO_STUB,
    ONLY_FLOATS,
    OTHER_SHAPE,
    QR_OF_FLOAT,
    QR_ON_CPU,
    TOO_SMALL,
    TRIANGULAR_FLOAT,
    UNEVEN_GROWTH,
    UNEVEN_PACK,
    UNEVEN_POOL,
)


def of(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")


def say(operator: str, *args: Any, **kwargs: Any) -> str | None:
    assert broken_limit("cuda", f"aten::{operator}", args, kwargs) is None
    found = broken_limit("mps", f"aten::{operator}", args, kwargs)
    return None if found is None else found.words


@pytest.mark.parametrize(
    ("shape", "output", "says"),
    [
        ((8, 12), (4, 6), None),
        ((8, 12), (1, 1), None),
        ((2, 3), (4, 6), None),
        ((2, 3), (4, 3), None),
        ((7, 7), (3, 7), UNEVEN_POOL),
        ((8, 2), (4, 4), MIXED_POOL),
        ((4, 4), (6, 6), UNEVEN_GROWTH),
        ((1, 3), (1, 6), UNEVEN_POOL),  # the height, which stays, decides
        ((0, 3), (0, 6), None),
    ],
)
def test_an_average_pool(shape: tuple[int, int], output: tuple[int, int], says: str | None) -> None:
    assert say("_adaptive_avg_pool2d", of(1, 1, *shape), output) == says


@pytest.mark.parametrize(
    ("shape", "output", "says"),
    [
        ((7, 7), (3, 7), None),
        ((8, 2), (4, 4), MIXED_POOL),
        ((1, 3), (1, 6), NO_STRIDE),
        ((2, 2), (6, 6), TOO_SMALL),
        ((4, 4), (8, 8), None),
    ],
)
def test_a_max_pool_takes_uneven_sizes(shape: tuple[int, int], output: tuple[int, int], says: str | None) -> None:
    assert say("adaptive_max_pool2d", of(1, 1, *shape), output) == says


def convolve(source: Tensor, transposed: bool) -> str | None:
    return say("convolution", source, source, None, [1], [0], [1], transposed, [0], 1)


def test_convolutions() -> None:
    volumes, half = of(1, 2, 4, 4, 4), of(1, 2, 4, 4, 4, dtype=torch.bfloat16)
    assert convolve(half, True) == NO_HALF_3D
    assert (convolve(half, False), convolve(volumes, True), convolve(half[0], True)) == (None, None, None)
    assert convolve(of(1, 2, 4, 4, dtype=torch.int64), False) == FLOATING_CONVOLUTION


def test_products_of_integers() -> None:
    whole, vector = of(4, 4, dtype=torch.int64), of(4, dtype=torch.int32)
    assert say("linear", whole, whole) == NO_INTEGERS
    assert say("linear", of(4, 4), of(4, 4)) is None
    assert say("addr", whole, vector, vector) == NO_INTEGRAL_OUTER
    assert say("addr", of(4, 4), of(4), of(4)) is None
    assert say("mm", whole, whole) is None


@pytest.mark.parametrize(
    ("operator", "says"),
    [
        ("linalg_lu_factor_ex", NO_COMPLEX_FACTORS),
        ("_linalg_det", NO_COMPLEX_FACTORS),
        ("_linalg_solve_ex", ONLY_FLOATS),
        ("linalg_inv_ex", NO_COMPLEX_INVERSE),
        ("linalg_solve_triangular", TRIANGULAR_FLOAT),
        ("cholesky_inverse", INVERSE_OF_FLOAT),
        ("linalg_qr", QR_OF_FLOAT),
    ],
)
def test_matrices_of_float32_alone(operator: str, says: str) -> None:
    assert say(operator, of(3, 3, dtype=torch.complex64)) == says
    assert say(operator, of(3, 3)) is None


def test_factors_without_pivots() -> None:
    assert say("linalg_lu", of(3, 3), pivot=False) == NO_PIVOT
    assert say("linalg_lu", of(3, 3), pivot=True) is None


def test_a_large_qr_goes_to_the_cpu() -> None:
    found = broken_limit("mps", "aten::linalg_qr", (of(600, 513),), {})
    assert found is not None
    assert (found.words, found.falls_back) == (QR_ON_CPU, True)
    assert broken_limit("mps", "aten::linalg_qr", (of(600, 512),), {}) is None


def test_what_is_drawn_by_chances_of_another_shape() -> None:
    drawn = of(2, 3)
    assert say("bernoulli_.Tensor", drawn, of(3)) == OTHER_SHAPE
    assert say("bernoulli_.Tensor", drawn, of(2, 3)) is None
    assert say("bernoulli_.Tensor", drawn, of()) is None
    assert (say("bernoulli_.float", drawn), say("bernoulli_.float", drawn, 0.5)) == (None, None)


def test_a_window_with_a_kernel_of_its_own() -> None:
    there = torch.device("meta")
    assert say("kaiser_window.beta", 8, True, 12.0, device=there) == NO_STUB
    assert say("kaiser_window", 8, device=torch.device("cpu")) is None
    assert say("kaiser_window", 1, device=there) is None
    assert say("hann_window", 8, device=there) is None


def test_reductions_of_int64() -> None:
    whole = of(4, dtype=torch.int64)
    assert say("index_reduce", whole, 0, whole, whole, "prod") == NO_LONG
    assert say("index_reduce", of(4), 0, whole, of(4), "prod") is None
    assert say("scatter_reduce.two", whole, 0, whole, whole, "prod") == NO_KERNEL_FOR_LONG
    assert say("scatter_reduce.two", whole, 0, whole, whole, "amax") is None


def test_sizes_that_a_kernel_does_not_count_to() -> None:
    assert say("embedding_dense_backward", of(2, 8, 16384), of(2, 8), 131072, -1, False) == LARGE_TABLE
    assert say("embedding_dense_backward", of(2, 8, 4096), of(2, 8), 131072, -1, False) is None
    assert say("masked_fill_.Scalar", of(2, 16, 16384, 16384), None, 0.0) == LARGE_MASK
    assert say("masked_fill.Scalar", of(1, 8, 16384, 16384), None, 0.0) is None
    assert say("nonzero", of(2**31)) == LARGE_NONZERO
    assert say("nonzero", of(2**30)) is None
    assert say("_weight_int8pack_mm", of(4, 64), of(48, 64), of(48)) == UNEVEN_PACK
    assert say("_weight_int8pack_mm", of(4, 64), of(32, 64), of(32)) is None


def test_attention_with_dropout_where_nothing_is_learnt() -> None:
    query = of(1, 2, 4, 8)
    learnt = of(1, 2, 4, 8).requires_grad_()

    def words(*args: Any, **kwargs: Any) -> str | None:
        found: Limit | None = broken_function_limit("mps", FUNCTION, args, kwargs)
        return None if found is None else found.words

    assert words(query, query, query, dropout_p=0.1) == NO_DROPOUT
    assert words(query, query, query, None, 0.1) == NO_DROPOUT
    assert words(query, query, query) is None
    assert words(learnt, query, query, dropout_p=0.1) is None  # decomposed, so that it can be differentiated
    with torch.no_grad():
        assert words(learnt, query, query, dropout_p=0.1) == NO_DROPOUT
    hosted = torch.empty(1, 2, 4, 8)
    assert words(hosted, hosted, hosted, dropout_p=0.1) is None
