"""Every allocation of a call, seen at the dispatcher: what it is for, when it came and when it went.

The dispatcher sees the tensors of every device alike, and of fake tensors that hold nothing, so the same count serves
a measurement and a prediction. What an operator allocates for itself and frees before it returns is not seen here
(oneDNN's reordered weights, for example): the allocator's own count, where there is one, is set beside this.

`torch.distributed._tools.mem_tracker.MemTracker` counts alike and agrees; it also puts hooks on every module, which
models that are called in odd ways do not survive, so this one goes without.
"""

import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass

from torchstone.measuring.own_buffers import OwnBuffers

Foresee = Callable[[Any, Any, Any], OwnBuffers]
Purpose = Literal["weights", "gradients", "optimizer", "inputs", "activations", "temporaries"]
PURPOSES: tuple[Purpose, ...] = ("weights", "gradients", "optimizer", "inputs", "activations", "temporaries")


@dataclass(eq=False)
class Block:
    """One storage: its bytes now, and what it turned out to be for."""

    nbytes: int
    purpose: Purpose
    foreseen: int = 0
    """Beyond what the storage itself says."""
    used: bool = False
    """Whether some operator has read or written it."""


@dataclass
class Timeline:
    """What was held when the call began, and by how many bytes each block grew or shrank since, in order."""

    held: list[tuple[Block, int]] = field(default_factory=list)
    changes: list[tuple[Block, int]] = field(default_factory=list)

    def drop_another_models(self) -> bool:
        """Leave out weights of which the call has used none: they are not of the model that it calls."""
        weights = [block for block, _ in self.held if block.purpose == "weights"]
        if not weights or any(block.used for block in weights):
            return False
        self.held = [(block, nbytes) for block, nbytes in self.held if block.purpose != "weights"]
        return True

    def held_bytes(self) -> int:
        """Before the call."""
        return sum(nbytes for _, nbytes in self.held)

    def peak(self) -> dict[Purpose, int]:
        """The bytes of each purpose at the moment when all of them together were the most."""
        total = highest = self.held_bytes()
        moment = 0
        for position, (_, change) in enumerate(self.changes, start=1):
            total += change
            if total > highest:
                highest, moment = total, position
        sums: dict[Purpose, int] = dict.fromkeys(PURPOSES, 0)
        for block, nbytes in itertools.chain(self.held, self.changes[:moment]):
            sums[block.purpose] += nbytes
        return sums


class Allocations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within, every new storage on one type of device is counted until it is freed."""

    def __init__(self, device_type: str, foresee: Foresee | None = None) -> None:
        """`foresee` is for predictions: what an operator would take for itself."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._foresee = foresee
        self.timeline = Timeline()
        self._device_type = device_type
        self._known: dict[int, tuple[weakref.ref[Any], Block]] = {}
        """By the identity of the storage, as long as it lives."""
        self._in_step = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else torch wraps each call once more

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        # In inference mode composite operators arrive whole, and would hide what they are made of.
        if operator.namespace == "aten" and operator._can_decompose():
            with self:
                return operator.decompose(*args, **kwargs)
        # What is used but was not made here was there before: the inputs, and whatever the call closes over.
        for tensor in _tensors_in((args, kwargs)):
            self.hold(tensor, "inputs", used=True)
        results = operator(*args, **kwargs)
        for tensor in _tensors_in(results):
            for storage in self._storages(tensor):
                self._notice(storage)
        if self._foresee is not None:
            self._add_own(self._foresee(operator, args, results))
        return results

    def _add_own(self, own: OwnBuffers) -> None:
        if own.while_it_runs:
            passing = Block(own.while_it_runs, "temporaries")
            self.timeline.changes += [(passing, passing.nbytes), (passing, -passing.nbytes)]
        if own.kept:
            for storage in self._storages(own.keeper):
                block = self._notice(storage)
                block.foreseen = own.kept
                self.timeline.changes.append((block, own.kept))

    def hold(self, tensor: Tensor, purpose: Purpose, used: bool = False) -> None:
        """Count a tensor as there from the beginning, unless it is known."""
        for storage in self._storages(tensor):
            if id(storage) not in self._known:
                block = self._follow(storage, purpose)
                self.timeline.held.append((block, block.nbytes))
            self._known[id(storage)][1].used |= used

    def assign(self, tensor: Tensor, purpose: Purpose) -> None:
        """Say what a tensor turned out to be for."""
        for storage in self._storages(tensor):
            self._notice(storage).purpose = purpose

    def _notice(self, storage: Any) -> Block:
        """Count a storage that is new, or that has been given another size."""
        known = self._known.get(id(storage))
        if known is None:
            block = self._follow(storage, self._purpose_now())
            self.timeline.changes.append((block, block.nbytes))
            return block
        _, block = known
        if storage.nbytes() != block.nbytes:
            self.timeline.changes.append((block, storage.nbytes() - block.nbytes))
            block.nbytes = storage.nbytes()
        return block

    def _follow(self, storage: Any, purpose: Purpose) -> Block:
        identity, block = id(storage), Block(storage.nbytes(), purpose)

        def freed(_: object) -> None:
            self._known.pop(identity, None)
            self.timeline.changes.append((block, -block.nbytes - block.foreseen))

        self._known[identity] = (weakref.ref(storage, freed), block)
        return block

    def _purpose_now(self) -> Purpose:
        backwards = torch._C._current_graph_task_id() != -1
        return "temporaries" if backwards or self._in_step else "activations"

    def _storages(self, tensor: Tensor) -> Iterator[Any]:
        for part in _dense_parts(tensor):
            if part.device.type == self._device_type:
                yield part.untyped_storage()

    @contextmanager
    def knowing(self, model: nn.Module | None, optimizer: torch.optim.Optimizer | None) -> Iterator[None]:
        """Within, weights, gradients and the optimizer's state are told from all else; after, nothing is followed."""
        handles: list[Any] = []
        if model is not None:
            for tensor in itertools.chain(model.parameters(), model.buffers()):
                self.hold(tensor, "weights")
            handles += [self._watch_gradient(parameter) for parameter in model.parameters()]
        if optimizer is not None:
            self._take_state(optimizer)
            handles += [
                optimizer.register_step_pre_hook(self._begin_step),
                optimizer.register_step_post_hook(self._end_step),
            ]
        try:
            yield
        finally:
            for handle in filter(None, handles):
                handle.remove()
            self._known.clear()

    def _watch_gradient(self, parameter: nn.Parameter) -> Any:
        if parameter.grad is not None:
            self.hold(parameter.grad, "gradients")
        if not parameter.requires_grad:
            return None

        def found(owner: Tensor) -> None:
            if owner.grad is not None:
                self.assign(owner.grad, "gradients")

        return parameter.register_post_accumulate_grad_hook(found)  # type: ignore[no-untyped-call]

    def _take_state(self, optimizer: torch.optim.Optimizer) -> None:
        for tensor in _tensors_in(list(optimizer.state.values())):
            self.hold(tensor, "optimizer")

    def _begin_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self._in_step = True

    def _end_step(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        self._in_step = False
        for tensor in _tensors_in(list(optimizer.state.values())):
            self.assign(tensor, "optimizer")


def leaves_of_call(value: Any) -> list[Any]:
    """What the arguments or results of an operator hold: lists, tuples and dicts alone, unlike torch's own walk, which
    costs more than all else that is done with a call here."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in leaves_of_call(part)]
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves_of_call(part)]
    return [value]


def _tensors_in(values: Any) -> Iterable[Tensor]:
    return (leaf for leaf in leaves_of_call(values) if isinstance(leaf, Tensor))


def _dense_parts(tensor: Tensor) -> tuple[Tensor, ...]:
    """What has a storage: a sparse tensor is made of indices and values, a wrapper of the tensors in it."""
    if is_traceable_wrapper_subclass(tensor):
        names, _ = tensor.__tensor_flatten__()
        return tuple(part for name in names for part in _dense_parts(getattr(tensor, name)))
    if tensor.layout is torch.strided:
        return (tensor,)
    if tensor.layout is torch.sparse_coo:
        return tensor._indices(), tensor._values()
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return tensor.crow_indices(), tensor.col_indices(), tensor.values()
    return ()
