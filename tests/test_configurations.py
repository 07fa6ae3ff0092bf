"""The setups worth trying, and models put in them."""

import pytest
import torch
from torch import nn
from torchstone.configurations import (
    COMPILE_NEEDS_S,
    PLAIN,
    Configuration,
    casting,
    place_inputs,
    place_model,
    setup_of,
    threads_of,
    worth_trying,
)

import torchstone.pretend as pretend
from torchstone.models.inputs import Inputs
from torchstone.records import Device


def device(kind: str) -> Device:
    return Device(id=kind, kind=kind, vendor="a", name="b", memory_bytes=None, unified_memory=None)


@pytest.fixture
def two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)


@pytest.mark.usefixtures("two_threads")
def test_a_cpu_has_layouts_threads_compilation_and_last_what_can_end_the_process() -> None:
    tried = worth_trying(device("cpu"))
    assert tried[0].memory_format == "channels_last"
    assert Configuration(threads=1) in tried
    assert [one.engine for one in tried].count("compile") == 1
    assert tried[-1].dtype == "bfloat16"
    assert PLAIN not in tried


def test_an_accelerator_has_both_narrow_dtypes_and_no_threads() -> None:
    tried = worth_trying(device("mps"), images=False)
    assert [one.dtype for one in tried] == ["float16", "bfloat16", "float32"]
    assert all(one.threads is None and one.memory_format == "contiguous" for one in tried)


def test_training_narrows_by_autocast() -> None:
    narrow = [one for one in worth_trying(device("cuda"), autocast=True) if one.dtype != "float32"]
    assert narrow
    assert {one.precision for one in narrow} == {"autocast"}


def test_a_setup_says_all_of_it() -> None:
    setup = setup_of(Configuration(dtype="bfloat16", memory_format="channels_last", engine="compile", threads=3), "mps")
    assert (setup.device, setup.dtype, setup.engine) == ("mps", "bfloat16", "compile")
    assert (setup.memory_format, setup.threads) == ("channels_last", 3)
    assert setup_of(PLAIN, "cpu").threads == torch.get_num_threads()


def test_only_compilation_needs_time_of_its_own() -> None:
    assert Configuration(engine="compile").needs_s == COMPILE_NEEDS_S
    assert PLAIN.needs_s == 0
    assert (PLAIN.precision, Configuration(dtype="float16").precision) == ("as it is", "cast")


def test_a_plain_model_is_not_copied_and_any_other_is() -> None:
    model = nn.Conv2d(3, 4, 1)
    assert place_model(model, PLAIN, "cpu") is model
    assert place_model(model, Configuration(threads=1), "cpu") is model
    narrow = place_model(model, Configuration(dtype="bfloat16"), "cpu")
    assert next(narrow.parameters()).dtype is torch.bfloat16
    assert next(model.parameters()).dtype is torch.float32


def test_layout_reaches_weights_and_images_but_nothing_else() -> None:
    layout = Configuration(memory_format="channels_last")
    weight = place_model(nn.Conv2d(3, 4, 3), layout, "cpu").get_parameter("weight")
    assert weight.is_contiguous(memory_format=torch.channels_last)
    inputs = place_inputs(Inputs((torch.ones(2, 3, 4, 4), 7), {"ids": torch.ones(2, 5)}), layout, "cpu")
    assert inputs.args[0].is_contiguous(memory_format=torch.channels_last)
    assert inputs.args[1] == 7
    assert inputs.kwargs["ids"].shape == (2, 5)


def test_token_ids_keep_their_dtype() -> None:
    given = Inputs((torch.tensor([[1, 2]]), torch.ones(1)), {})
    placed = place_inputs(given, Configuration(dtype="bfloat16"), "cpu")
    assert [tensor.dtype for tensor in placed.args] == [torch.int64, torch.bfloat16]


def test_a_model_moves_to_the_device() -> None:
    pretend.install()
    placed = place_model(nn.Linear(2, 2), PLAIN, "pretend:0")
    assert next(placed.parameters()).device.type == "pretend"


def test_autocast_keeps_the_weights_and_narrows_the_work() -> None:
    mixed = Configuration(dtype="bfloat16", autocast=True)
    model = place_model(nn.Linear(2, 2), mixed, "cpu")
    with casting(mixed, "cpu"):
        assert model(torch.ones(1, 2)).dtype is torch.bfloat16
    assert next(model.parameters()).dtype is torch.float32
    with casting(PLAIN, "cpu"):
        assert model(torch.ones(1, 2)).dtype is torch.float32


def test_threads_are_given_back() -> None:
    before = torch.get_num_threads()
    with threads_of(Configuration(threads=1)):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_compilation_is_asked_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[nn.Module] = []

    def ask(model: nn.Module) -> nn.Module:
        asked.append(model)
        return model

    monkeypatch.setattr(torch, "compile", ask)
    compiled = place_model(nn.Linear(2, 2), Configuration(engine="compile"), "cpu")
    assert asked == [compiled]
