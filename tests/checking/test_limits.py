"""Sizes that a device refuses, as its kernel says it."""

from typing import Any

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from torchstone.checking.attention import FUNCTION
from torchstone.checking.limits import (
    CAST_HINT,
    PROJECTIONS,
    Limit,
    broken_function_limit,
    broken_limit,
    doubtful_tensor,
)


def words_of(limit: Limit | None) -> str | None:
    return None if limit is None else limit.words


def test_other_operators_have_none() -> None:
    assert broken_limit("mps", "aten::relu", (torch.empty(3, device="meta"),), {}) is None


@pytest.mark.parametrize(
    ("source", "kwargs", "says"),
    [
        (torch.empty(3, device="meta"), {"device": torch.device("cpu"), "dtype": torch.float64}, "float64"),
        (torch.empty(3, device="meta"), {"device": torch.device("cpu"), "dtype": torch.complex128}, "complex128"),
        (torch.empty(3, device="meta"), {"device": torch.device("cpu"), "dtype": torch.float16}, None),
        (torch.empty(3, device="meta"), {"device": torch.device("cpu")}, None),
        (torch.empty(0, device="meta"), {"device": torch.device("cpu"), "dtype": torch.float64}, None),
        (torch.empty(3), {"device": torch.device("meta"), "dtype": torch.float64}, None),
        (torch.empty(3), {"dtype": torch.float64}, None),
    ],
)
def test_a_copy_to_the_host_is_cast_on_the_device(source: torch.Tensor, kwargs: Any, says: str | None) -> None:
    found = broken_limit("mps", "aten::_to_copy", (source,), kwargs)
    assert (found is None) if says is None else (found is not None and says in found.words and found.hint == CAST_HINT)
    assert broken_limit("cuda", "aten::_to_copy", (source,), kwargs) is None


def test_so_is_what_is_written_into_one_of_the_host() -> None:
    there, here = torch.empty(3, device="meta"), torch.empty(3, dtype=torch.float64)
    assert "float64" in (words_of(broken_limit("mps", "aten::copy_", (here, there), {})) or "")
    assert broken_limit("mps", "aten::copy_", (here.float(), there), {}) is None
    assert broken_limit("mps", "aten::copy_", (there, here), {}) is None


def test_a_projection_is_a_state_of_another_width() -> None:
    plain, narrow = torch.empty(1, 2, 8), torch.empty(1, 2, 4)
    assert broken_function_limit("mps", "lstm", (plain, (plain, plain)), {}) is None
    assert broken_function_limit("mps", "lstm", (plain, (narrow, plain)), {}) == Limit("aten::_lstm_mps", PROJECTIONS)
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
