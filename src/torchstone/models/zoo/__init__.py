"""The models that we ship: `zoo:NAME` is the file NAME.py in this folder.

The folder is the registry: every module here offers the functions of the `ZooModel` protocol, so that a model is
added by adding one file. The first line of its docstring is its summary. Importing this package does not import torch.
"""

import ast
import importlib
import importlib.util
import pkgutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, cast

from torchstone.errors import UserError, nearest_names

if TYPE_CHECKING:
    from torch import Tensor, nn

    from torchstone.models.inputs import Inputs


@dataclass(frozen=True)
class Facts:
    """What is known of a model without building it."""

    item: Literal["images", "sequences", "tokens"]
    """What a speed is counted in."""
    parameters: int
    flop: float
    """Of the answer to one row, about: known before the model is built, it tells heavy cases from light ones."""
    source: str
    """Where the architecture, and the weights if any, come from."""
    items_per_example: int = 1
    """How many items one row of a batch holds: the length of a text counted in tokens."""
    pretrained: bool = False
    classes: int | None = None
    """How many classes it tells apart; None where it is not a classifier of images."""
    pixel_mean: tuple[float, float, float] | None = None
    """On a scale of 0 to 255, as is `pixel_std`: what its input expects to be normalized by."""
    pixel_std: tuple[float, float, float] | None = None
    attention: str | None = None
    """Which implementation of attention transformers was asked for."""


class ZooModel(Protocol):
    """What every file in this folder offers. Everything is made on the CPU from a seed; the caller moves it."""

    @property
    def FACTS(self) -> Facts:  # noqa: N802 - a constant of the module
        ...

    def build(self, seed: int) -> "nn.Module":
        """The model in evaluation mode."""
        ...

    def example_inputs(self, batch: int, seed: int) -> "Inputs":
        """What the model is called with."""
        ...

    def example_targets(self, batch: int, seed: int) -> "Tensor":
        """What `training_loss` should lead it to."""
        ...

    def training_loss(self, model: "nn.Module", inputs: "Inputs", targets: "Tensor") -> "Tensor":
        """The scalar to call `backward` on; inputs and targets are on the model's device."""
        ...


class ZooClassifier(ZooModel, Protocol):
    """A file whose `FACTS.classes` is not None; its modules have `feature_maps` and `classify` where it is a CNN."""

    def build(self, seed: int, classes: int = ...) -> "nn.Module":
        """With another number of classes than its own, the last layer is new and random."""
        ...


def zoo_names() -> tuple[str, ...]:
    """The models in the folder, by name."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def summary(name: str) -> str:
    """The first line of the file's docstring, read without running it."""
    source = Path(__path__[0], f"{require_known(name)}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def load_zoo_model(name: str) -> ZooModel:
    """The module of that name, which is a `ZooModel`."""
    return cast(ZooModel, importlib.import_module(f"{__name__}.{require_known(name)}"))


def load_zoo_classifier(name: str) -> ZooClassifier:
    """The module of that name, which must be a classifier of images."""
    module = load_zoo_model(name)
    if module.FACTS.classes is None:
        classifiers = [other for other in zoo_names() if load_zoo_model(other).FACTS.classes is not None]
        raise UserError(f"zoo:{name} does not classify images", f"those that do: {', '.join(classifiers)}")
    return cast(ZooClassifier, module)


def require_known(name: str) -> str:
    """The name, which must be one of ours."""
    names = zoo_names()
    if name in names:
        return name
    wanted = name.lower().replace("-", "_")
    near = nearest_names(wanted, names, 1)
    hint = f"did you mean zoo:{near[0]}? " if near else ""
    raise UserError(f"there is no model {name!r} in the zoo", f"{hint}the zoo has: {', '.join(names)}")
