"""Parity on the pretend device: what is planted is found with op, module and line; a right device is left in peace."""

import pytest

import planted_models
import torchstone.pretend as pretend
from check_planted import judge
from planted_models import MODELS, PlantedModel
from torchstone.checking.parity import compare_on
from torchstone.models.inputs import Inputs

CHOSEN = ("token_mixer", "rotary", "short_attention", "input_norm", "repeated_words", "host_table")


@pytest.mark.parametrize("model", [one for one in MODELS if one.name in CHOSEN], ids=lambda one: one.name)
def test_a_planted_fault_is_found_where_it_is(model: PlantedModel) -> None:
    found = judge(model)
    assert [name for name in ("wrong", "op", "module", "line", "runs_without") if not found[name]] == [], found["said"]


def built() -> tuple[object, Inputs]:
    model, args = planted_models.token_mixer()
    return model, Inputs(tuple(args), {})


def test_a_missing_op_is_told_with_its_line() -> None:
    pretend.install()
    with pretend.configure(missing={"gelu"}):
        (finding,) = compare_on(built, "pretend", False).findings  # type: ignore[arg-type]
    model = next(one for one in MODELS if one.name == "token_mixer")
    assert (finding.verdict, finding.subject, finding.tier) == ("will_not_run", "aten::gelu", "measured")
    assert finding.source.endswith(f"planted_models.py:{model.line}")
    assert finding.module == "blocks.1.inner"


def test_a_fallback_is_told() -> None:
    pretend.install()
    with pretend.configure(fallback={"gelu"}):
        (finding,) = compare_on(built, "pretend", False).findings  # type: ignore[arg-type]
    assert (finding.verdict, finding.subject) == ("falls_back", "aten::gelu")
