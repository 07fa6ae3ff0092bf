"""What is tried: a model of the zoo or a person's own, with inputs in any batch and one float64 answer for all of them.

A batch is made by repeating two examples, so that the slow float64 answer to those two serves every batch and every
row of it can be checked. Speed does not depend on what a picture shows.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor, nn

from torchstone.correctness import Answer, Judge, cpu_error, exact_answer, explain_not_finite, plain_answer
from torchstone.errors import UserError
from torchstone.models.foreign import describe_failure
from torchstone.models.inputs import Inputs, tensors_in
from torchstone.models.small import load_convnet
from torchstone.models.target import load_target
from torchstone.models.zoo import load_zoo_model
from torchstone.records import Scalar
from torchstone.trials.possible import count_least_flops

EXAMPLES = 2
SEED = 0
KEPT_SUBJECTS = 2
"""Models held at once: VGG16 and BERT take half a gigabyte each."""
ZOO = "zoo:"
SMALL_MODEL = "convnet"
SMALL_SIDE = 32
"""Pixels: what the slowest device that we know answers in a few hundredths of a second."""


@dataclass(eq=False)
class Subject:
    """A model on the CPU, in evaluation mode, and what it is called with. Kept by identity: a model has no equality."""

    name: str
    """As it stands in records' names."""
    model: nn.Module
    examples: Inputs
    item: str
    items_per_row: int = 1
    repeats: bool = False
    """Whether a batch of any size can be made of the examples; a person's own inputs are taken as they are."""
    weights: str = "as the target made them"
    reference: str = "CPU float64"
    row_seconds: dict[str, float] = field(default_factory=dict)
    """What a row took on each device so far: how a larger batch that would take minutes is not even begun."""
    _errors: dict[str, float] = field(default_factory=dict)
    _exact: Answer | None = None
    _flops: tuple[float | None] | None = None
    """Counted once; what can't be counted is remembered as well."""

    @property
    def is_for_images(self) -> bool:
        """Whether some input has four dimensions, which channels last could order anew."""
        return any(tensor.dim() == 4 for tensor in tensors_in((self.examples.args, self.examples.kwargs)))

    def inputs(self, batch: int) -> Inputs:
        """The examples repeated to a batch; a person's own as they are."""
        return repeat_rows(self.examples, batch) if self.repeats else self.examples

    def rows(self, batch: int) -> int:
        """How many rows the inputs have."""
        if self.repeats:
            return batch
        first = next(iter(tensors_in((self.examples.args, self.examples.kwargs))), None)
        return first.shape[0] if first is not None and first.dim() > 0 else 1

    def exact(self) -> Answer:
        """The float64 answer to the examples."""
        if self._exact is None:
            self._exact = self.ask()
        return self._exact

    def ask(self) -> Answer:
        """Run it once more in float64; as it is, where it cannot be run so."""
        try:
            return exact_answer(self.model, self.examples)
        except Exception as error:  # somebody else's code may fix a dtype, or refuse to be copied
            self.reference = f"CPU float32, because in float64: {describe_failure(error)}"
            return plain_answer(self.model, self.examples)

    def least_flops(self, batch: int) -> float | None:
        """What a call with that batch must compute at least; None where it can't be counted."""
        if self._flops is None:
            self._flops = (count_least_flops(self.model, self.examples),)
        (counted,) = self._flops
        return counted * batch / EXAMPLES if counted is not None and self.repeats else counted

    def judge(self, batch: int, dtype: str) -> Judge:
        """Who says whether an output for that batch in that dtype is right."""
        if dtype not in self._errors:
            self._errors[dtype] = cpu_error(self.model, self.examples, self.exact(), dtype)
        rows = tuple(row % EXAMPLES for row in range(batch)) if self.repeats else None
        return Judge(self.exact(), self._errors[dtype], dtype, rows)

    def facts(self, batch: int) -> dict[str, Scalar]:
        """What every record of it says."""
        rows = self.rows(batch)
        parameters = sum(parameter.numel() for parameter in self.model.parameters())
        return {
            "items": rows * self.items_per_row,
            "item": self.item,
            "batch": rows,
            "parameters": parameters,
            "weights": self.weights,
            "reference": self.reference,
        }


def repeat_rows(inputs: Inputs, batch: int) -> Inputs:
    """Rows 0, 1, 0, 1, … of the two examples, as many as the batch has."""
    rows = torch.arange(batch) % EXAMPLES
    return Inputs(
        tuple(_take_rows(value, rows) for value in inputs.args),
        {name: _take_rows(value, rows) for name, value in inputs.kwargs.items()},
    )


def _take_rows(value: object, rows: Tensor) -> object:
    return value[rows] if isinstance(value, Tensor) else value


@lru_cache(maxsize=KEPT_SUBJECTS)
def load_zoo_subject(name: str) -> Subject:
    """A model that we ship."""
    module = load_zoo_model(name)
    return Subject(
        name=name,
        model=module.build(SEED),
        examples=module.example_inputs(EXAMPLES, SEED),
        item=module.FACTS.item,
        items_per_row=module.FACTS.items_per_example,
        repeats=True,
        weights="pre-trained" if module.FACTS.pretrained else "random",
    )


def load_small_subject() -> Subject:
    """Two convolutions with random weights: what a device can do that is too slow for a zoo model."""
    target = load_convnet(SEED, EXAMPLES, SMALL_SIDE)
    return Subject(
        name=SMALL_MODEL,
        model=target.model,
        examples=target.inputs,
        item="images",
        repeats=True,
        weights=target.weights,
    )


@lru_cache(maxsize=KEPT_SUBJECTS)
def load_own_subject(target: str, input_shape: str | None = None) -> Subject:
    """A person's own model; every mistake in it is a `UserError`."""
    if target.startswith(ZOO) and input_shape is None:
        return load_zoo_subject(target.removeprefix(ZOO))
    loaded = load_target(target, input_shape, SEED)
    return Subject(
        name=label(target),
        model=loaded.model.eval(),
        examples=loaded.inputs,
        item="rows",
        weights=loaded.weights,
    )


def load_subject(name: str, input_shape: str | None = None) -> Subject:
    """By its name in the zoo, the small one by its own, or a TARGET, which has a colon."""
    if name == SMALL_MODEL:
        return load_small_subject()
    return load_own_subject(name, input_shape) if ":" in name else load_zoo_subject(name)


def load_or_explain(name: str, input_shape: str | None = None) -> Subject | str:
    """The subject, or why ours can't be had here (a missing extra). A mistake in a person's own stays a `UserError`."""
    try:
        return load_subject(name, input_shape)
    except UserError as error:
        if ":" in name:
            raise
        return f"{error.message}: {error.hint}"


def label(target: str) -> str:
    """A TARGET as one part of a record's name, where a slash would begin another part."""
    place, _, attribute = target.rpartition(":")
    if place == "hf":
        return f"hf.{Path(attribute).name}"
    if place == "zoo":
        return attribute
    return f"{Path(place).stem if place.endswith('.py') else place}.{attribute}"


def explain_unjudgeable(subject: Subject) -> str | None:
    """Why no output of the subject can be called right or wrong, or None. A person's own model is asked twice."""
    exact = subject.exact()
    if not exact:
        return "its output holds no floating-point tensor to compare"
    again = exact if subject.repeats else subject.ask()
    if explain_not_finite(exact) is None and not all(map(torch.equal, exact, again)):
        return "its answer differs from call to call, so none can be called wrong"
    return None
