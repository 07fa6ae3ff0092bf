"""What another honest computer might answer: before an output is called wrong, the CPU is asked whether it could be.

Exact ties fall one way or the other, eigenvectors have two signs, CUDA convolves in TF32 unasked, and a model may
answer otherwise from its third call on. Where the CPU, asked in such a way, leaves its own first answer as far as the
output does, the output is not shown to be wrong; nor is it shown to be right.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.correctness.calling import Caller, Leaves, differ

TF32_JITTER = 2.0**-11
"""Half a unit of TF32's ten bits."""
LATER_CALLS = 8
Others = Mapping[str, Leaves]
"""The answers, by what made them differ."""


def answers_of_others(caller: Caller, exact: Leaves, jitter: float, seed: int) -> Others:
    """Those that are not the exact one; of a model that refuses to be copied, none."""
    ways: dict[str, Callable[[], Leaves]] = {
        "it depends on which of equal values comes first": lambda: _called_under(OtherTies, caller, seed),
        "it depends on the sign of a decomposition, which is free": lambda: _called_under(OtherSigns, caller, seed),
        "rounding alone changes it on the CPU too": lambda: caller.jittered(jitter).call(seed).leaves,
        "the model's answer changes in later calls, on the CPU too": lambda: _called_later(caller, exact, seed),
    }
    return {why: leaves for why, leaves in _answered(ways) if differ(exact, leaves)}


def _answered(ways: Mapping[str, Callable[[], Leaves]]) -> Iterator[tuple[str, Leaves]]:
    for why, ask in ways.items():
        try:
            yield why, ask()
        except Exception:  # somebody else's code, asked in a way that it was not written for
            continue


def _called_under(mode: Callable[[], AbstractContextManager[Any]], caller: Caller, seed: int) -> Leaves:
    with mode():
        return caller.call(seed).leaves


def _called_later(caller: Caller, exact: Leaves, seed: int) -> Leaves:
    answered = caller.call(seed)
    for _ in range(LATER_CALLS):
        if differ(exact, answered.leaves):
            break
        answered = caller.call(seed, model=answered.model)
    return answered.leaves


class OtherTies(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within, of equal values the last comes first: what is asked for is asked of the reversed tensor."""

    NAMES = ("argmax", "argmin", "topk", "sort", "argsort", "max", "min")

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        schema = operator._schema
        name = schema.name.removeprefix("aten::")
        given = {**dict(zip((one.name for one in schema.arguments), args, strict=False)), **kwargs}
        is_indexing = name in self.NAMES and any(one.name == "dim" for one in schema.arguments)
        if not is_indexing or "out" in operator._overloadname or given["self"].dim() == 0:
            return operator(*args, **kwargs)
        dim = given.get("dim", -1 if name in ("topk", "sort", "argsort") else None)
        tensor = given.pop("self")
        if dim is None:
            return tensor.numel() - 1 - operator(tensor.flatten().flip(0), **given).reshape(())
        found = operator(tensor.flip(dim), **{**given, "dim": dim})
        last = tensor.shape[dim] - 1
        return last - found if isinstance(found, Tensor) else (found[0], last - found[1])


class OtherSigns(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within, the vectors of a decomposition point the other way, all of those that must turn together."""

    TURNED: ClassVar = {"linalg_eigh": (1,), "linalg_eig": (1,), "linalg_svd": (0, 2), "linalg_qr": (0, 1)}

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = operator(*args, **(kwargs or {}))
        turned = self.TURNED.get(operator._schema.name.removeprefix("aten::").lstrip("_"), ())
        return tuple(-one if place in turned else one for place, one in enumerate(found)) if turned else found
