"""A Subject: a model ready to be called, wherever it comes from, with inputs in any batch.

The one word for it everywhere. Its origin is the `zoo` that we ship, a person's `own`, or one of the two `small` ones
for devices that are too slow for more. What is ours comes with two examples that are repeated to any batch, so that the
slow float64 answer to those two serves every batch and every row of it can be checked. A person's own inputs are taken
as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import nn

from torchstone.errors import UserError
from torchstone.models.batching import rows_of
from torchstone.models.inputs import Inputs, map_tensors, tensors_in
from torchstone.models.small import load_convnet, load_transformer
from torchstone.models.target import Target, load_target
from torchstone.models.zoo import load_zoo_model, zoo_names
from torchstone.records import REMARK, Scalar

if TYPE_CHECKING:
    from torch.utils.data import DataLoader

EXAMPLES = 2
SEED = 0
KEPT_SUBJECTS = 2
"""Models held at once: VGG16 and BERT take half a gigabyte each."""
SMALL: dict[str, Callable[[], Target]] = {
    "convnet": lambda: load_convnet(SEED, EXAMPLES, SMALL_SIDE),
    "transformer": lambda: load_transformer(SEED, EXAMPLES),
}
SMALL_SIDE = 32
"""Pixels: what the slowest device that we know answers in a few hundredths of a second."""
LEAST_EFFORT, FLOP_OF_EFFORT = 0.5, 1e10
"""Loading a model and its float64 answer take time too, however light it is."""
LEARNING_EFFORT = 3.0
"""The backward pass computes twice as much as the forward one."""
LEARNT_PARAMETERS_OF_EFFORT = 1e7
"""A step keeps a gradient and two moments of each, and the first one is computed in float64 too: much new memory."""
OWN_EFFORT = 1.0
"""Of a person's own model, of which nothing is known yet."""
Origin = Literal["zoo", "own", "small"]


@dataclass(eq=False)
class Subject:
    """A model on the CPU, in evaluation mode, and what it is called with. Kept by identity: a model has no equality."""

    name: str
    """As it stands in records' names."""
    origin: Origin
    model: nn.Module
    examples: Inputs
    item: str = "rows"
    items_per_row: int = 1
    weights: str = "as the target made them"
    remark: str | None = None
    """What was put right before it was measured."""
    loader: "DataLoader[Any] | None" = None
    """A person's own, where one was given in place of inputs."""

    @property
    def repeats(self) -> bool:
        """Whether a batch of any size is made of the examples; a person's own inputs are taken as they are."""
        return self.origin != "own"

    @property
    def is_for_images(self) -> bool:
        """Whether some input has four dimensions, which channels last could order anew."""
        return any(tensor.dim() == 4 for tensor in tensors_in((self.examples.args, self.examples.kwargs)))

    def inputs(self, batch: int) -> Inputs:
        """The examples repeated to a batch; a person's own as they are."""
        return repeat_rows(self.examples, batch) if self.repeats else self.examples

    def rows(self, batch: int) -> int:
        """How many rows the inputs have."""
        own = rows_of(self.examples)
        return batch if self.repeats else 1 if own is None else own

    def example_of(self, batch: int) -> tuple[int, ...] | None:
        """Which example each row of a batch is; None where the inputs are the examples."""
        return tuple(row % EXAMPLES for row in range(batch)) if self.repeats else None

    def name_with_batch(self, batch: int) -> str:
        """A person's own model brings its own batch, so its name does not say one."""
        return f"{self.name}/batch={batch}" if self.repeats else self.name

    def facts(self, batch: int) -> dict[str, Scalar]:
        """What every record of it says."""
        rows = self.rows(batch)
        return {
            "items": rows * self.items_per_row,
            "item": self.item,
            "batch": rows,
            "parameters": sum(parameter.numel() for parameter in self.model.parameters()),
            "weights": self.weights,
            **({REMARK: self.remark} if self.remark is not None else {}),
            **({"loader": True} if self.loader is not None else {}),
        }


def repeat_rows(inputs: Inputs, batch: int) -> Inputs:
    """Rows 0, 1, 0, 1, … of the two examples, as many as the batch has."""
    rows = torch.arange(batch) % EXAMPLES
    return Inputs(
        map_tensors(inputs.args, lambda tensor: tensor[rows]), map_tensors(inputs.kwargs, lambda tensor: tensor[rows])
    )


def load_subject(name: str, input_shape: str | None = None) -> Subject:
    """By its name in the zoo, a small one by its own, or a TARGET, which has a colon."""
    if name in SMALL:
        return load_small_subject(name)
    place, _, rest = name.partition(":")
    if place == "zoo" and input_shape is None:
        return load_zoo_subject(rest)
    return load_zoo_subject(name) if name in zoo_names() else load_own_subject(name, input_shape)


@lru_cache(maxsize=KEPT_SUBJECTS)
def load_zoo_subject(name: str) -> Subject:
    """A model that we ship."""
    module = load_zoo_model(name)
    return Subject(
        name=name,
        origin="zoo",
        model=module.build(SEED),
        examples=module.example_inputs(EXAMPLES, SEED),
        item=module.FACTS.item,
        items_per_row=module.FACTS.items_per_example,
        weights="pre-trained" if module.FACTS.pretrained else "random",
    )


@lru_cache(maxsize=KEPT_SUBJECTS)
def load_small_subject(name: str) -> Subject:
    """Two convolutions, or a layer of attention, with random weights."""
    target = SMALL[name]()
    item = "images" if name == "convnet" else "sequences"
    return Subject(
        name=name, origin="small", model=target.model, examples=target.inputs, item=item, weights=target.weights
    )


@lru_cache(maxsize=KEPT_SUBJECTS)
def load_own_subject(target: str, input_shape: str | None = None) -> Subject:
    """A person's own model; every mistake in it is a `UserError`."""
    loaded = load_target(target, input_shape, SEED)
    subject = own_subject(loaded.model, loaded.inputs, label(target), loaded.weights)
    return replace(subject, loader=loaded.loader)


def own_subject(model: nn.Module, inputs: Inputs, name: str, weights: str = "as the target made them") -> Subject:
    """Of a model that is here already, as in a notebook."""
    _refuse_empty(name, inputs)
    remark = _explain_training(model)
    return Subject(name=name, origin="own", model=model.eval(), examples=inputs, weights=weights, remark=remark)


def _refuse_empty(name: str, inputs: Inputs) -> None:
    """A batch of no rows takes time and computes nothing: it has no speed, and its answer is right whatever it is."""
    counted = next((tensor for tensor in tensors_in((inputs.args, inputs.kwargs)) if tensor.dim() > 0), None)
    if counted is not None and counted.numel() == 0:
        shape = "x".join(map(str, counted.shape))
        raise UserError(f"{name} comes with an empty input: {shape}", "every size must be 1 or more")


def _explain_training(model: nn.Module) -> str | None:
    """What evaluation mode changes in a model that was left in train mode."""
    drops = [
        one for one in model.modules() if one.training and isinstance(one, nn.modules.dropout._DropoutNd) and one.p
    ]
    norms = [one for one in model.modules() if one.training and isinstance(one, nn.modules.batchnorm._NormBase)]
    kinds = [f"{len(some)} {what}" for some, what in ((drops, "dropout"), (norms, "batch norm")) if some]
    if not kinds:
        return None
    return f"it came in train mode (layers: {', '.join(kinds)}), and answers are measured in evaluation mode"


def effort_of(name: str, rows: int = 1, learns: bool = False) -> float:
    """How heavy a call is beside those of other models, without building any (`Listing.effort`)."""
    times = LEARNING_EFFORT if learns else 1.0
    if is_own(name):
        return OWN_EFFORT * times
    model = name.removeprefix("zoo:")
    if model not in zoo_names():
        return LEAST_EFFORT
    facts = load_zoo_model(model).FACTS
    kept = facts.parameters / LEARNT_PARAMETERS_OF_EFFORT if learns else 0.0
    return LEAST_EFFORT + times * rows * facts.flop / FLOP_OF_EFFORT + kept


def is_own(name: str) -> bool:
    """Whether a name of `--model` means somebody's own model rather than one that we ship."""
    return ":" in name and not name.startswith("zoo:")


def load_or_explain(name: str, input_shape: str | None = None) -> Subject | str:
    """The subject, or why ours can't be had here (a missing extra). A mistake in a person's own stays a `UserError`."""
    try:
        return load_subject(name, input_shape)
    except UserError as error:
        if is_own(name) or name not in zoo_names():
            raise
        return f"{error.message}: {error.hint}"


def label(target: str) -> str:
    """A TARGET as one part of a record's name, where a slash would begin another part."""
    place, _, attribute = target.rpartition(":")
    if place == "hf":
        return f"hf.{Path(attribute).name}"
    if place in ("zoo", ""):
        return attribute
    return f"{Path(place).stem if place.endswith('.py') else place}.{attribute}"
