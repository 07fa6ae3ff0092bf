"""The model to fine-tune: any classifier of images, with a last layer for the classes at hand.

The last layer is found by watching which linear layer gives the model's output; it is replaced by one with random
weights from the seed, unless it has the right size already and the model is a person's own. Batch norm is frozen and
dropout off by keeping the model in evaluation mode: devices and processes draw their own random numbers, and the same
seed should give the same losses on all of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.data.seeding import seeded
from torchstone.errors import UserError
from torchstone.models.foreign import describe_failure
from torchstone.models.inputs import tensors_in
from torchstone.models.target import Target, load_target
from torchstone.models.zoo import load_zoo_model
from torchstone.training.recipe import ZOO, Recipe

IMAGENET_MEAN = (123.675, 116.28, 103.53)
IMAGENET_STD = (58.395, 57.12, 57.375)
"""torchvision's, on a scale of 0 to 255: what a model that says nothing is normalized by."""
GREY_CHANNELS, COLOUR_CHANNELS = 1, 3
HINT = "finetune needs a model that takes images (N, 3, H, W) and ends in a linear layer"


@dataclass(frozen=True)
class Classifier:
    """A model on the CPU with its last layer."""

    model: nn.Module
    head: nn.Linear
    channels: int
    mean: tuple[float, ...]
    std: tuple[float, ...]
    weights: str

    @property
    def parameters(self) -> int:
        return sum(parameter.numel() for parameter in self.model.parameters())


def build_classifier(recipe: Recipe, classes: int) -> Classifier:
    """The recipe's model for so many classes, in evaluation mode."""
    target = load_target(recipe.model, recipe.input_shape, recipe.seed)
    images = _example_of(target)
    model = target.model.eval()
    head = replace_head(model, find_head(model, images, recipe.model), classes, recipe)
    mean, std = _normalization(recipe.model, images.shape[1])
    return Classifier(model, head, images.shape[1], mean, std, target.weights)


def fixed_side(recipe: Recipe) -> int | None:
    """The side that a person's own model is made for; None for one that takes any."""
    if recipe.takes_any_side:
        return None
    return int(_example_of(load_target(recipe.model, recipe.input_shape, recipe.seed)).shape[-1])


def logits_of(output: Any) -> Tensor:
    """A model's answer, be it a tensor, a dict or a transformers output."""
    logits = getattr(output, "logits", None)
    if isinstance(logits, Tensor):
        return logits
    found = [tensor for tensor in tensors_in(output) if tensor.dim() == 2]
    if not found:
        raise UserError("the model's output holds no logits, (N, classes)", HINT)
    return found[0]


@contextmanager
def watching_inputs_of(layer: nn.Module) -> Iterator[list[Tensor]]:
    """What the layer is called with, call after call."""
    seen: list[Tensor] = []
    hook = layer.register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    try:
        yield seen
    finally:
        hook.remove()


def find_head(model: nn.Module, images: Tensor, name: str) -> str:
    """The last linear layer, by its name in the model, that gives what has the shape of the model's output."""
    answers: dict[str, Tensor] = {}
    hooks = [
        layer.register_forward_hook(lambda _, args, output, path=path: answers.update({path: output}))
        for path, layer in model.named_modules()
        if isinstance(layer, nn.Linear) and path
    ]
    try:
        with torch.inference_mode():
            logits = logits_of(model(images))
    except UserError:
        raise
    except Exception as error:  # somebody else's code
        raise UserError(f"{name} cannot be called with images: {describe_failure(error)}", HINT) from None
    finally:
        for hook in hooks:
            hook.remove()
    # By shape, not by value: what a model does to its logits afterwards is its own affair.
    found = [path for path, answer in answers.items() if answer.shape == logits.shape]
    if not found:
        raise UserError(f"{name} does not end in a linear layer", HINT)
    return found[-1]


def replace_head(model: nn.Module, path: str, classes: int, recipe: Recipe) -> nn.Linear:
    """A new last layer, drawn from the seed as `nn.Linear` draws it."""
    parent = model.get_submodule(path.rpartition(".")[0])
    old = model.get_submodule(path)
    if not isinstance(old, nn.Linear):
        raise TypeError(f"{path} is no linear layer")
    if old.out_features == classes and not recipe.model.startswith(ZOO):
        return old
    with seeded(recipe.seed):
        new = nn.Linear(old.in_features, classes, bias=True, dtype=old.weight.dtype)
    setattr(parent, path.rpartition(".")[2], new)
    return new


def normalizer(classifier: Classifier, device_id: str, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """`bytes · scale + offset` is what the model wants."""
    scale = torch.tensor([1.0 / std for std in classifier.std], dtype=dtype)
    offset = torch.tensor([-mean / std for mean, std in zip(classifier.mean, classifier.std, strict=True)], dtype=dtype)
    return scale[:, None, None].to(device_id), offset[:, None, None].to(device_id)


def _example_of(target: Target) -> Tensor:
    """The images that it is called with; anything else can't be fine-tuned on photographs."""
    found = tensors_in((target.inputs.args, target.inputs.kwargs))
    if len(found) != 1 or found[0].dim() != 4 or found[0].shape[1] not in (GREY_CHANNELS, COLOUR_CHANNELS):
        shapes = ", ".join(str(tuple(tensor.shape)) for tensor in found) or "nothing"
        raise UserError(f"{target.name} takes {shapes}, not one batch of images", HINT)
    return found[0]


def _normalization(model: str, channels: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    mean, std = IMAGENET_MEAN, IMAGENET_STD
    if model.startswith(ZOO):
        facts = load_zoo_model(model.removeprefix(ZOO)).FACTS
        mean, std = facts.pixel_mean or mean, facts.pixel_std or std
    if channels == GREY_CHANNELS:
        return (sum(mean) / len(mean),), (sum(std) / len(std),)
    return mean, std
