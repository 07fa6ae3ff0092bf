"""Engines: each keeps to the contract, offers what is worth trying, and says why it can't."""

import pytest
import torch
from torch import nn

from torchstone import engines
from torchstone.errors import UserError
from torchstone.machine.dtypes import NARROW, fact_name
from torchstone.models.inputs import Inputs
from torchstone.models.placing import CHANNELS_LAST, changed, plain_setup
from torchstone.models.subject import Subject
from torchstone.records import Device, Fact

PICTURES = Subject("some", "zoo", nn.Conv2d(3, 2, 3).eval(), Inputs((torch.ones(2, 3, 8, 8),), {}))
TEXT = Subject("other", "zoo", nn.Linear(3, 2).eval(), Inputs((torch.ones(2, 3),), {}))


def device(kind: str, *narrow: str) -> Device:
    facts = {fact_name(dtype): Fact(value="computes" if dtype in narrow else None, source="a test") for dtype in NARROW}
    return Device(id=kind, kind=kind, vendor="a", name="b", memory_bytes=None, unified_memory=None, facts=facts)


@pytest.mark.parametrize("name", engines.engine_names())
def test_every_engine_keeps_to_the_contract(name: str) -> None:
    engine = engines.load_engine(name)
    assert engine.COST in (0, 1, 2)
    assert engine.__doc__
    if engine.explain_absence() is None:
        plain = plain_setup()
        for setup in engine.setups(device("cpu"), PICTURES, plain):
            assert setup != plain
            assert setup.engine.partition(":")[0] == name


def test_a_cpu_tries_layout_threads_and_bfloat16_where_it_computes() -> None:
    plain = changed(plain_setup(), threads=2)
    found = engines.setups_worth_trying(device("cpu", "bfloat16"), PICTURES, plain, most_cost=0)
    assert changed(plain, memory_format=CHANNELS_LAST) in found
    assert changed(plain, threads=1) in found
    assert changed(plain, dtype="bfloat16", precision="cast") in found
    without = engines.setups_worth_trying(device("cpu"), TEXT, plain, most_cost=0)
    assert without == (changed(plain, threads=1),)


def test_an_accelerator_tries_both_narrow_dtypes() -> None:
    found = engines.setups_worth_trying(device("mps", "bfloat16", "float16"), TEXT, plain_setup("mps"), most_cost=0)
    assert {setup.dtype for setup in found} == {"bfloat16", "float16"}


def test_eager_answers_as_the_model_does() -> None:
    prepared = engines.prepare(PICTURES, changed(plain_setup(), memory_format=CHANNELS_LAST), 3)
    assert not isinstance(prepared, str)
    expected = PICTURES.model(*PICTURES.inputs(3).args)
    assert torch.allclose(prepared.call(), expected, atol=1e-6)


def test_an_engine_that_is_absent_or_a_variant_that_is_none_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = engines.load_engine("compile")
    assert "no variant 'loud'" in str(engines.prepare(TEXT, changed(plain_setup(), engine="compile:loud"), 1))
    monkeypatch.setattr(compiled, "explain_absence", lambda: "no compiler")
    assert engines.prepare(TEXT, changed(plain_setup(), engine="compile"), 1) == "no compiler"
    with pytest.raises(UserError, match="no engine 'warp'"):
        engines.load_engine("warp")
