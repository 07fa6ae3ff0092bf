"""A model of transformers from a folder on disk: `config.json`, and its weights where they are there too.

Nothing is downloaded and no code in the folder is run. To see whether a model runs on a device the weights are not
needed, and without them it gets random ones. It is in the dtype that its config names, as the libraries that serve such
models have it: what runs, how fast and in how much memory is asked of that model.
"""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from torchstone.data.corpus import token_ids
from torchstone.data.seeding import generator, seeded
from torchstone.errors import UserError, one_line_of
from torchstone.extras import import_extra
from torchstone.models.inputs import Inputs
from torchstone.models.text import ATTENTION, SEQUENCE_LENGTH

CONFIG = "config.json"
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
"""Not pytorch_model.bin: that is a pickle."""
DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
"""What a model's weights can be drawn in; the first where its config names none of them."""
NOT_NEEDED = ("torchao", "scipy")
"""What transformers imports beside a model where it is installed, for quantised weights and the losses of detectors:
50 MB and a second, for which a model without either has no use."""
FUNCTION_HINT = "write a function that returns `model, args, kwargs` and name it: path/to/file.py:name"


def load_config_folder(
    place: str, shape: tuple[int, ...] | None, seed: int, batch: int
) -> tuple[nn.Module, Inputs, str]:
    """The model in evaluation mode, what to call it with, and where its weights come from."""
    folder = Path(place).expanduser()
    _require_config(folder)
    transformers = import_extra("transformers")
    try:
        config = transformers.AutoConfig.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
        with _without(transformers, () if hasattr(config, "quantization_config") else NOT_NEEDED):
            model = _build(transformers, folder, config, seed)
    except Exception as error:  # transformers raises whatever a wrong field leads to
        raise UserError(
            f"hf:{place} cannot be built: {one_line_of(error)}", f"see its {CONFIG}; or {FUNCTION_HINT}"
        ) from None
    weights = "from the folder" if _has_weights(folder) else "random"
    return model, _inputs(place, model, config, shape, seed, batch), weights


@contextmanager
def _without(transformers: Any, packages: tuple[str, ...]) -> Iterator[None]:
    """While transformers imports a model's modules, say that these packages are not installed."""
    places = (transformers.utils, transformers.utils.import_utils)
    names = [f"is_{package}_available" for package in packages]
    before = [(place, name, getattr(place, name)) for place in places for name in names if hasattr(place, name)]
    for place, name, _ in before:
        setattr(place, name, lambda *args, **kwargs: False)
    try:
        yield
    finally:
        for place, name, function in before:
            setattr(place, name, function)


def _require_config(folder: Path) -> None:
    path = folder / CONFIG
    if not path.is_file():
        place = "a model's name on the hub is not looked up" if not folder.exists() else f"it has no {CONFIG}"
        raise UserError(
            f"hf:{folder} is not a folder with a transformers config: {place}",
            "download it first (`hf download NAME --local-dir FOLDER`), then write hf:FOLDER",
        )
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise UserError(f"{path} cannot be read: {error}", "see whether it is whole, valid JSON") from None
    if not isinstance(content, dict) or "model_type" not in content:
        raise UserError(f"{path} does not say its model_type", "take the config.json that came with the model")


def _has_weights(folder: Path) -> bool:
    return any((folder / name).is_file() for name in WEIGHTS)


def _build(transformers: Any, folder: Path, config: Any, seed: int) -> nn.Module:
    architectures = getattr(config, "architectures", None) or []
    model_class = getattr(transformers, architectures[0], None) if architectures else None
    dtype = _dtype_of(config)
    with seeded(seed):
        if _has_weights(folder):
            loader = model_class or transformers.AutoModel
            model = loader.from_pretrained(
                str(folder), local_files_only=True, use_safetensors=True, dtype=dtype, **_attention(loader)
            )
        elif model_class is None:
            model = transformers.AutoModel.from_config(config, dtype=dtype)
        else:
            model = model_class._from_config(config, dtype=dtype, **_attention(model_class))
    return cast(nn.Module, model.eval())


def _dtype_of(config: Any) -> torch.dtype:
    """`dtype` in a config.json, or `torch_dtype` as it used to be called; of one for text and images, of its text."""
    configs, names = (config, config.get_text_config()), ("dtype", "torch_dtype")
    named = (getattr(one, name, None) for one in configs for name in names)
    found = (getattr(torch, one, None) if isinstance(one, str) else one for one in named)
    return next((one for one in found if one in DTYPES), DTYPES[0])


def _attention(model_class: Any) -> dict[str, str]:
    return {"attn_implementation": ATTENTION} if getattr(model_class, "_supports_sdpa", False) else {}


def _inputs(place: str, model: Any, config: Any, shape: tuple[int, ...] | None, seed: int, batch: int) -> Inputs:
    name = model.main_input_name
    text_config = config.get_text_config()
    vocabulary = getattr(text_config, "vocab_size", None)
    if name == "input_ids" and vocabulary:
        rows, length = _text_shape(shape, batch, text_config)
        return Inputs((), _text_inputs(token_ids(rows, length, vocabulary, seed), config))
    side = getattr(config, "image_size", None)
    if name == "pixel_values" and (shape is not None or side):
        chosen = shape or (batch, getattr(config, "num_channels", 3), *_two(side))
        return Inputs((), {name: _numbers(chosen, config, seed)})
    if shape is not None and name != "input_ids":
        return Inputs((), {name: _numbers(shape, config, seed)})
    raise UserError(f"hf:{place} takes {name!r}, and its config does not say of which size", FUNCTION_HINT)


def _numbers(shape: tuple[int, ...], config: Any, seed: int) -> torch.Tensor:
    """Drawn in float32, so that they are the same in every dtype up to its rounding."""
    return torch.randn(shape, generator=generator(seed)).to(_dtype_of(config))


def _text_shape(shape: tuple[int, ...] | None, batch: int, config: Any) -> tuple[int, int]:
    longest = getattr(config, "max_position_embeddings", None) or math.inf
    rows, length = shape if shape is not None and len(shape) == 2 else (batch, int(min(SEQUENCE_LENGTH, longest)))
    if (shape is not None and len(shape) != 2) or length > longest:
        raise UserError(
            f"a text model takes rows of token ids, at most {longest} long", "write --input 1x128: one row of 128 ids"
        )
    return rows, length


def _text_inputs(ids: torch.Tensor, config: Any) -> dict[str, Any]:
    if getattr(config, "is_encoder_decoder", False):
        return {"input_ids": ids, "decoder_input_ids": ids}
    return {"input_ids": ids}


def _two(side: Any) -> tuple[int, int]:
    """transformers writes a square's side as one number or as two."""
    if isinstance(side, (list, tuple)):
        return int(side[0]), int(side[1])
    return int(side), int(side)
