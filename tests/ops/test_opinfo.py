"""The adapter to torch's private samples: that they are there, in the form that we read."""

import pytest
import torch

from torchstone.errors import UserError
from torchstone.ops.catalog import all_operators
from torchstone.ops.names import full_dtypes, matching_names
from torchstone.ops.operators import matching, pick_samples, spread


def test_torch_has_the_samples_that_we_read() -> None:
    operators = all_operators()
    assert len(operators) > 600
    assert len({(one.name, one.variant) for one in operators}) == len(operators)
    assert all(one.aten.startswith("aten::") for one in operators)


def test_samples_are_the_same_every_time() -> None:
    (operator,) = matching(all_operators(), ["aten::cumsum"])
    first, second = (pick_samples(operator, torch.float32, True, 3) for _ in range(2))
    assert [one.number for one in first] == [one.number for one in second]
    assert all(torch.equal(a.sample.args[0], b.sample.args[0]) for a, b in zip(first, second, strict=True))


def test_a_pattern_does_not_mean_everything() -> None:
    assert len(matching(all_operators(), ["a*"])) < 60
    assert len(matching(all_operators(), ["aten::*"])) == len(all_operators())


def test_an_unknown_operator_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError) as caught:
        matching(all_operators(), ["cumsun"])
    assert "cumsum" in caught.value.hint


def test_an_unknown_dtype_is_refused_with_the_nearest() -> None:
    assert full_dtypes(["bf16,float32"]) == ("bfloat16", "float32")
    with pytest.raises(UserError) as caught:
        full_dtypes(["flot32"])
    assert "float32" in caught.value.hint


def test_samples_are_spread() -> None:
    assert spread(5, None) == [0, 1, 2, 3, 4]
    assert spread(101, 3) == [0, 50, 100]
    assert spread(9, 1) == [0]


def test_patterns_of_speed_and_probes() -> None:
    assert matching_names("probe", ["gelu", "glu"], ()) == ["gelu", "glu"]
    assert matching_names("probe", ["gelu", "glu"], ["ge*"]) == ["gelu"]
    with pytest.raises(UserError) as caught:
        matching_names("probe", ["gelu", "glu"], ["gelo"])
    assert "gelu" in caught.value.hint
