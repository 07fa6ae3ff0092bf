"""hf:FOLDER: a config alone is enough, its weights are used where they are there, and mistakes are explained."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from torchstone.errors import UserError
from torchstone.models import config_folder
from torchstone.models.inputs import tensors_in
from torchstone.models.target import load_target
from torchstone.models.text import from_config

GPT2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": 1, "n_embd": 16, "n_head": 2,
        "vocab_size": 50, "n_positions": 20}  # fmt: skip
VIT = {"model_type": "vit", "architectures": ["ViTForImageClassification"], "num_hidden_layers": 1, "hidden_size": 16,
       "num_attention_heads": 2, "intermediate_size": 16, "image_size": 32}  # fmt: skip
T5 = {"model_type": "t5", "num_layers": 1, "d_model": 16, "d_kv": 8, "d_ff": 16, "num_heads": 2, "vocab_size": 50}


def folder(tmp_path: Path, config: Any) -> str:
    (tmp_path / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    return f"hf:{tmp_path}"


def run(name: str, shape: str | None = None, batch: int = 1) -> torch.Tensor:
    target = load_target(name, shape, batch=batch)
    with torch.inference_mode():
        return tensors_in(target.model(*target.inputs.args, **target.inputs.kwargs))[0]


def test_a_text_model(tmp_path: Path) -> None:
    name = folder(tmp_path, GPT2)
    assert run(name, batch=3).shape == (3, 20, 50)
    assert run(name, "2x7").shape == (2, 7, 50)


def test_an_image_model(tmp_path: Path) -> None:
    name = folder(tmp_path, VIT)
    assert run(name, batch=2).shape == (2, 2)
    assert run(name, "1x3x32x32").shape == (1, 2)


def test_an_encoder_with_decoder_and_no_architecture_named(tmp_path: Path) -> None:
    assert run(folder(tmp_path, T5)).shape == (1, 128, 16)


@pytest.mark.parametrize("config", [GPT2, VIT, T5], ids=["text", "images", "no architecture"])
@pytest.mark.parametrize(
    ("field", "dtype"), [({"dtype": "bfloat16"}, "bfloat16"), ({"torch_dtype": "float16"}, "float16"), ({}, "float32")]
)
def test_the_dtype_of_the_config(tmp_path: Path, config: dict[str, Any], field: dict[str, str], dtype: str) -> None:
    name = folder(tmp_path, {**config, **field})
    assert {str(one.dtype) for one in load_target(name).model.parameters()} == {f"torch.{dtype}"}
    assert str(run(name).dtype) == f"torch.{dtype}"


def test_weights_in_the_folder_are_used(tmp_path: Path) -> None:
    fields = {key: value for key, value in GPT2.items() if key not in ("model_type", "architectures")}
    saved: Any = from_config("GPT2LMHeadModel", "GPT2Config", 9, **fields)
    saved.save_pretrained(tmp_path)
    target = load_target(f"hf:{tmp_path}")
    assert target.weights == "from the folder"
    name = "transformer.h.0.mlp.c_fc.weight"
    assert torch.equal(target.model.state_dict()[name], saved.state_dict()[name])


def test_random_weights_repeat_with_the_seed(tmp_path: Path) -> None:
    name = folder(tmp_path, GPT2)
    first, again, other = (load_target(name, seed=seed).model.state_dict() for seed in (1, 1, 2))
    key = "transformer.h.0.mlp.c_fc.weight"
    assert torch.equal(first[key], again[key])
    assert not torch.equal(first[key], other[key])
    assert load_target(name).weights == "random"


@pytest.mark.parametrize(
    ("config", "shape", "message"),
    [
        ("{", None, "cannot be read"),
        ("[]", None, "does not say its model_type"),
        ("{}", None, "does not say its model_type"),
        ({"model_type": "no_such_model"}, None, "cannot be built"),
        ({**GPT2, "n_head": 3}, None, "cannot be built"),
        (GPT2, "2x30", "at most 20 long"),
        (GPT2, "2x3x4", "rows of token ids"),
    ],
)
def test_misuse(config: Any, shape: str | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message) as caught:
        load_target(folder(tmp_path, config), shape)
    assert caught.value.hint


def test_a_name_on_the_hub_is_not_looked_up() -> None:
    with pytest.raises(UserError, match="on the hub is not looked up") as caught:
        load_target("hf:openai-community/gpt2")
    assert "hf download" in caught.value.hint


def test_a_folder_without_a_config(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"it has no config\.json"):
        load_target(f"hf:{tmp_path}")


def test_what_transformers_need_not_load_is_hidden_while_it_builds() -> None:
    transformers = pytest.importorskip("transformers")
    before = transformers.utils.is_scipy_available
    with config_folder._without(transformers, config_folder.NOT_NEEDED):
        assert not transformers.utils.is_scipy_available()
        assert not transformers.utils.import_utils.is_torchao_available()
    assert transformers.utils.is_scipy_available is before
