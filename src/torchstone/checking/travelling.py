"""How a model that is here gets into a process of its own: pickled whole, so that a hook which holds the model holds
the same there, with the hooks on its parameters, and where nothing is run, without the data of its weights.
"""

import io
import itertools
import pickle
from typing import Any

import cloudpickle
from torch import Tensor, nn
from torch.nn.utils import parametrize

from torchstone.checking.hooks import hooks_by_name, register_by_name
from torchstone.checking.lazy import has_size
from torchstone.checking.phantom import can_be_known
from torchstone.errors import UserError
from torchstone.models.inputs import Inputs


def pack(model: nn.Module, inputs: Inputs, *, light: bool) -> bytes:
    """For `unpack`; a light model leaves its weights behind and keeps their sizes."""
    weights = itertools.chain(model.parameters(), model.buffers()) if light else ()
    packed = io.BytesIO()
    try:
        _Pickler(packed, {id(one): _empty_like(one) for one in weights if has_size(one)}).dump(
            (model, inputs, hooks_by_name(model))
        )
    except Exception as error:  # whatever a person's own objects raise when they are pickled
        words = " ".join(f"{type(error).__name__}: {error}".split())
        raise UserError(
            f"the model cannot be sent to a process of its own: {words}", "name a function that builds it: file.py:name"
        ) from None
    return packed.getvalue()


def unpack(packed: bytes) -> tuple[nn.Module, Inputs]:
    """The model with its inputs, in the process that it was sent to."""
    model, inputs, hooks = pickle.loads(packed)
    register_by_name(model, hooks)  # no parameter takes them along
    return model, inputs


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Puts other tensors in the place of some, and takes modules with parametrizations, which refuse to be pickled."""

    def __init__(self, file: io.BytesIO, instead: dict[int, Tensor]) -> None:
        super().__init__(file)
        self._instead = instead

    def reducer_override(self, value: Any) -> Any:
        if id(value) in self._instead:
            return _same, (self._instead[id(value)],)
        if isinstance(value, nn.Module) and parametrize.is_parametrized(value):
            names = tuple(value.parametrizations)  # type: ignore[arg-type]
            return _parametrized, (type(value).__bases__[0], names), value.__dict__
        return super().reducer_override(value)


def _same(value: Any) -> Any:
    return value


def _parametrized(kind: type[nn.Module], names: tuple[str, ...]) -> nn.Module:
    """As `register_parametrization` makes it: of a class of its own, whose properties compute the parameters."""
    module = kind.__new__(kind)
    parametrize._inject_new_class(module)
    for name in names:
        parametrize._inject_property(module, name)
    return module


def _empty_like(tensor: Tensor) -> Tensor:
    """What may decide sizes keeps its values."""
    if not isinstance(tensor, nn.Parameter) and can_be_known(tensor):
        return tensor.detach().cpu().clone()
    empty = tensor.detach().to("meta")
    if isinstance(tensor, nn.Parameter):
        return nn.Parameter(empty, requires_grad=tensor.requires_grad)
    return empty
