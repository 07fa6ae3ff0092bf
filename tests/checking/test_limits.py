"""Sizes that a device refuses, as its kernel says it."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from torchstone.checking.attention import FUNCTION
from torchstone.checking.limits import (
    MIXED_POOL,
    PROJECTIONS,
    UNEVEN_POOL,
    FunctionLimit,
    broken_function_limit,
    broken_limit,
    doubtful_tensor,
)


@pytest.mark.parametrize(
    ("shape", "output", "says"),
    [
        ((8, 12), (4, 6), None),
        ((8, 12), (1, 1), None),
        ((2, 3), (4, 6), None),
        ((7, 7), (3, 7), UNEVEN_POOL),
        ((8, 2), (4, 4), MIXED_POOL),
        ((4, 4), (6, 6), UNEVEN_POOL),
    ],
)
def test_an_uneven_pool(shape: tuple[int, int], output: tuple[int, int], says: str | None) -> None:
    args = (torch.empty(1, 1, *shape, device="meta"), output)
    assert broken_limit("mps", "aten::_adaptive_avg_pool2d", args) == says
    assert broken_limit("cuda", "aten::_adaptive_avg_pool2d", args) is None


@pytest.mark.parametrize(
    ("shape", "output", "says"), [((7, 7), (3, 7), None), ((4, 4), (6, 6), None), ((8, 2), (4, 4), MIXED_POOL)]
)
def test_a_max_pool_takes_uneven_sizes(shape: tuple[int, int], output: tuple[int, int], says: str | None) -> None:
    args = (torch.empty(1, 1, *shape, device="meta"), output)
    assert broken_limit("mps", "aten::adaptive_max_pool2d", args) == says


def test_other_operators_have_none() -> None:
    assert broken_limit("mps", "aten::relu", (torch.empty(3, device="meta"),)) is None


def test_a_projection_is_a_state_of_another_width() -> None:
    plain, narrow = torch.empty(1, 2, 8), torch.empty(1, 2, 4)
    assert broken_function_limit("mps", "lstm", (plain, (plain, plain)), {}) is None
    assert broken_function_limit("mps", "lstm", (plain, (narrow, plain)), {}) == FunctionLimit(
        "aten::_lstm_mps", PROJECTIONS
    )
    assert broken_function_limit("cuda", "lstm", (plain, (narrow, plain)), {}) is None
    assert (
        broken_function_limit("mps", "lstm", (plain, torch.ones(2), (narrow, plain)), {}) is None
    )  # a packed sequence


def test_tensors_that_mps_likely_refuses() -> None:
    deep, narrow = torch.empty([1] * 17), torch.empty(2, dtype=torch.float8_e5m2)
    assert doubtful_tensor("mps", [torch.empty([1] * 16)]) is None
    assert doubtful_tensor("mps", [deep]) == "MPS supports tensors with dimensions <= 16, but got 17."
    assert "convert Float8_e5m2 to the MPS backend" in (doubtful_tensor("mps", [narrow]) or "")
    assert doubtful_tensor("cuda", [deep, narrow]) is None


@pytest.mark.parametrize(
    ("allowed", "dtype", "masked", "words"),
    [
        (SDPBackend.FLASH_ATTENTION, torch.float32, False, "flash attention takes bfloat16 or float16, not float32"),
        (SDPBackend.FLASH_ATTENTION, torch.float16, False, None),
        (SDPBackend.FLASH_ATTENTION, torch.float16, True, "flash attention takes no attn_mask"),
        (SDPBackend.CUDNN_ATTENTION, torch.float32, False, "cuDNN's attention takes bfloat16 or float16, not float32"),
        (SDPBackend.EFFICIENT_ATTENTION, torch.float32, True, None),
        (SDPBackend.EFFICIENT_ATTENTION, torch.float64, False, "not float64"),
        (SDPBackend.MATH, torch.float64, True, None),
        ([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH], torch.float32, False, None),
    ],
)
def test_attention_without_a_kernel(allowed: object, dtype: torch.dtype, masked: bool, words: str | None) -> None:
    query = torch.empty(1, 2, 4, 8, dtype=dtype)
    mask = {"attn_mask": torch.ones(4, 4, dtype=torch.bool)} if masked else {}
    with sdpa_kernel(allowed):  # type: ignore[arg-type]
        found = broken_function_limit("cuda", FUNCTION, (query, query, query), mask)
        assert broken_function_limit("mps", FUNCTION, (query, query, query), mask) is None
    assert (found is None) if words is None else (found is not None and words in found.hint)
