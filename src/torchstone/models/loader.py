"""A person's DataLoader given in place of inputs: its first batch is what the model is called with.

What of a batch goes into the model is told by the model's own signature: of `(pictures, labels)` a model that needs one
argument gets the pictures. The loader itself is kept: `tune --train` looks for the number of its workers.
"""

import inspect
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from torchstone.errors import UserError
from torchstone.models.inputs import Inputs


def take_first_batch(name: str, loader: "DataLoader[Any]", model: nn.Module) -> Inputs:
    """What the model is called with, from the loader's first batch."""
    try:
        batch = next(iter(loader))
    except StopIteration:
        raise UserError(f"the DataLoader of {name} is empty", "give one with at least one batch") from None
    except Exception as error:  # a person's dataset may raise anything
        why = f"{type(error).__name__}: {error}"
        raise UserError(f"the DataLoader of {name} gives no batch: {why}", "iterate over it once yourself") from error
    return inputs_of(batch, model)


def inputs_of(batch: Any, model: nn.Module) -> Inputs:
    """Of one batch, what goes into the model."""
    if isinstance(batch, Mapping):
        return Inputs((), dict(batch))
    if isinstance(batch, Tensor) or not isinstance(batch, list | tuple):
        return Inputs((batch,), {})
    return Inputs(tuple(batch[: max(_count_required(model), 1)]), {})


def _count_required(model: nn.Module) -> int:
    """How many arguments the model can't do without."""
    try:
        parameters = inspect.signature(model.forward).parameters.values()
    except (TypeError, ValueError):  # a scripted forward has no signature
        return 1
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(each.kind in positional and each.default is each.empty for each in parameters)


def with_workers(loader: "DataLoader[Any]", workers: int) -> "DataLoader[Any]":
    """The same batches, made by so many processes."""
    given: dict[str, Any] = {
        "num_workers": workers,
        "collate_fn": loader.collate_fn,
        "pin_memory": loader.pin_memory,
        "worker_init_fn": loader.worker_init_fn if workers else None,
    }
    if isinstance(loader.dataset, IterableDataset) or loader.batch_sampler is None:
        return DataLoader(loader.dataset, batch_size=loader.batch_size, drop_last=loader.drop_last, **given)
    return DataLoader(loader.dataset, batch_sampler=loader.batch_sampler, **given)
