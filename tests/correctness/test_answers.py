"""Right and wrong outputs, and the yardstick between them: the CPU's own error in the same dtype."""

import pytest
import torch
from torch import Tensor, nn

from torchstone import correctness
from torchstone.correctness import Judge
from torchstone.models.inputs import Inputs


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).eval()


def inputs() -> Inputs:
    return Inputs((torch.linspace(-1, 1, 16).reshape(2, 8),), {})


def judge(*exact: Tensor, own_error: float = 0.0, dtype: str = "float32", rows: tuple[int, ...] | None = None) -> Judge:
    return Judge(tuple(tensor.double() for tensor in exact), own_error, dtype, rows)


def test_the_exact_answer_is_float64_and_leaves_the_model_alone() -> None:
    model = network()
    (exact,) = correctness.exact_answer(model, inputs())
    assert exact.dtype is torch.float64
    assert next(model.parameters()).dtype is torch.float32
    assert torch.allclose(exact.float(), model(*inputs().args), atol=1e-6)


def test_the_cpus_own_error_grows_as_the_dtype_narrows() -> None:
    exact = correctness.exact_answer(network(), inputs())
    errors = [correctness.cpu_error(network(), inputs(), exact, dtype) for dtype in ("float32", "float16", "bfloat16")]
    assert 0 < errors[0] < 1e-5 < errors[1] < errors[2] < 0.1


def test_the_emulated_error_is_about_the_true_one() -> None:
    exact = correctness.exact_answer(network(), inputs())
    emulated = correctness.cpu_error(network(), inputs(), exact, "bfloat16")
    true = [network().bfloat16()(inputs().args[0].bfloat16()).double()]
    assert correctness.error_between(true, exact) < correctness.CPU_ERROR_FACTOR * emulated


def test_values_that_a_dtype_cannot_hold_have_an_infinite_error() -> None:
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 1e4)
    large = Inputs((torch.tensor([[1e3]]),), {})
    exact = correctness.exact_answer(model, large)
    assert correctness.cpu_error(model, large, exact, "float16") == float("inf")
    facts = Judge(exact, float("inf"), "float16")
    facts(exact[0])
    assert facts.facts()["cpu_error"] is None, "records hold no infinity"


@pytest.mark.parametrize(("own_error", "expected"), [(0.0, 2**-8), (0.01, 0.04)])
def test_the_tolerance_follows_the_cpus_own_error_down_to_a_floor(own_error: float, expected: float) -> None:
    assert correctness.tolerance_for(own_error, "float32") == expected


def test_a_right_output_passes_and_is_remembered() -> None:
    exact = torch.tensor([[1.0, -2.0]])
    look = judge(exact)
    assert look(exact + 0.001) is None
    assert look(exact) is None
    assert look.facts()["outputs_verified"] == 2
    assert look.facts()["error"] == pytest.approx(0.0005, rel=1e-3)


@pytest.mark.parametrize(
    ("got", "word"),
    [
        (torch.tensor([[1.0, -1.9]]), "differs from the CPU's float64 answer by 0.05"),
        (torch.tensor([[1.0, float("nan")]]), "not finite"),
        (torch.tensor([[1.0, float("inf")]]), "not finite"),
        (torch.tensor([[1.0]]), "gives shape (1, 1) where the CPU gives (1, 2)"),
        ((torch.ones(1), torch.ones(1)), "gives 2 tensors where the CPU gives 1"),
        (None, "gives 0 tensors"),
    ],
)
def test_wrong_outputs_are_told_apart(got: object, word: str) -> None:
    assert word in (judge(torch.tensor([[1.0, -2.0]]))(got) or "")


def test_infinities_in_the_right_places_are_right_and_in_others_wrong() -> None:
    exact = torch.tensor([1.0, float("-inf")])
    assert judge(exact)(exact) is None
    assert judge(exact)(-exact) is not None
    assert judge(exact)(torch.tensor([float("-inf"), 1.0])) is not None
    assert judge(torch.full((2,), float("inf")))(torch.full((2,), float("inf"))) is None


def test_an_answer_of_zeros_and_an_empty_one_can_be_judged() -> None:
    assert judge(torch.zeros(3))(torch.zeros(3)) is None
    assert judge(torch.zeros(3))(torch.ones(3)) is not None
    assert judge(torch.zeros(0))(torch.zeros(0)) is None


def test_token_ids_in_an_output_are_not_compared() -> None:
    assert judge(torch.ones(2))({"logits": torch.ones(2), "ids": torch.tensor([7])}) is None


def test_rows_of_a_repeated_batch_are_each_compared_with_their_own() -> None:
    exact = torch.tensor([[1.0], [2.0]])
    rows = tuple(row % 2 for row in range(7))
    batch = exact[list(rows)]
    assert judge(exact, rows=rows)(batch) is None
    spoilt = batch.clone()
    spoilt[-1] = 5.0
    assert judge(exact, rows=rows)(spoilt) is not None
    assert judge(exact, rows=rows)(batch[:6]) is not None, "a row is missing"


@pytest.mark.parametrize(("batch", "rows"), [(1, [0]), (4, [0, 1, 2, 3]), (128, [0, 1, 64, 127])])
def test_of_a_large_batch_some_rows_are_looked_at(batch: int, rows: list[int]) -> None:
    assert correctness.pick_rows(batch) == rows


def test_a_model_that_says_nan_by_itself_is_told_from_a_wrong_device() -> None:
    assert "NaN on the CPU" in (correctness.explain_not_finite((torch.tensor([float("nan")]),)) or "")
    assert correctness.explain_not_finite((torch.tensor([float("inf")]),)) is None
