"""A device without memory or kernels, in the place of one that is not here: tensors on it have sizes and no data.

torch's fake tensors on `cuda`, `mps` or `xpu` abort in a build without them. An out-of-tree device, registered from
Python, does not: operators dispatch as on an accelerator, so composites decompose as they do there and not as on the
CPU. A composite for which the wanted device has a kernel of its own is stopped at whole.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy
from torch.utils import backend_registration
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.weak import WeakTensorKeyDictionary

from torchstone.checking.hooks import hooks_of, register

NAME = "phantom"
KEYS = ("AutogradPrivateUse1", "PrivateUse1")
"""The second is for inference, which skips autograd's keys."""
Finish = Callable[[Any], None]
"""Is told the result."""
Note = Callable[[Any, Any, Any], contextlib.AbstractContextManager[Finish]]
_libraries: list[Any] = []
_stopped: set[str] = set()
LARGEST_KNOWN_BYTES = 1 << 20
_values: Any = WeakTensorKeyDictionary()
"""By each tensor of which it is known: the version at which it was, and the value."""
_stand_ins: Any = WeakTensorKeyDictionary()
"""Dense tensors in the place of others, which can't be had without data: by each, the layout of the other."""


class _Module(backend_registration._DummyBackendModule):
    """What `torch.phantom` is: torch asks it for a random state where a program keeps one (`torch.random.fork_rng`)."""

    def get_rng_state(self, device: Any = None) -> Tensor:
        return torch.get_rng_state()

    def set_rng_state(self, state: Tensor, device: Any = None) -> None:
        """Nothing is drawn there."""


def install() -> None:
    """Take PyTorch's one place for an out-of-tree device, for good: in a process of its own."""
    if torch._C._get_privateuse1_backend_name() != NAME:
        backend_registration._setup_privateuseone_for_python_backend(NAME, backend_module=_Module())


class PhantomMode(FakeTensorMode):
    """Tensors without data on a device that is never initialised."""

    def __init__(self) -> None:
        super().__init__(allow_non_fake_inputs=True)  # type: ignore[no-untyped-call]

    @property
    def avoid_device_init(self) -> bool:
        return True


def stop_at(overrides: Iterable[str], note: Note) -> None:
    """Have composites with a kernel of the device's own noted whole; their parts then stay out of the trace."""
    library = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
    _libraries.append(library)  # its kernels go when it is collected
    for name in overrides:
        operator = find_operator(name)
        if operator is not None and operator._can_decompose():
            for key in KEYS:
                library.impl(name, _whole(operator, note), key)  # type: ignore[no-untyped-call]
            _stopped.add(operator.name())


def comes_whole(operator: Any) -> bool:
    """Whether it is to be judged as one, rather than by the operators that it is made of."""
    return operator.name() in _stopped or not operator._can_decompose()


def find_operator(name: str) -> Any:
    """By `add.Tensor`; None where this torch has none."""
    base, _, overload = name.partition(".")
    packet = getattr(torch.ops.aten, base, None)
    return getattr(packet, overload or "default", None)


def _whole(operator: Any, note: Note) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        with note(operator, args, kwargs) as finish:
            result = operator.decompose(*args, **kwargs)
            finish(result)
        return result

    return kernel


def place_model(model: nn.Module) -> list[tuple[Tensor, Tensor]]:
    """Put tensors without data on the phantom in the place of its parameters and buffers; within a `PhantomMode`.

    Gives each parameter with the one in its place, which calls the same hooks."""
    parameters = list(model.parameters())
    made: dict[int, Tensor] = {}
    for module in model.modules():
        place_of_module(module, (*module._parameters, *module._buffers), made)
        if isinstance(module, nn.RNNBase):  # it keeps a list of its weights besides
            module._init_flat_weights()
    return [(one, made[id(one)]) for one in parameters]


def place_of_module(module: nn.Module, names: Iterable[str], made: dict[int, Tensor] | None = None) -> None:
    """The same of those that have these names; by `made`, what is tied stays tied."""
    made = {} if made is None else made
    for name in names:
        held: Any = module._parameters if name in module._parameters else module._buffers
        if held[name] is not None:
            held[name] = _placed(held[name], made)


def _placed(tensor: Tensor, made: dict[int, Tensor]) -> Tensor:
    """The same for the same: tied weights stay tied."""
    if id(tensor) not in made:
        made[id(tensor)] = _made_like(tensor)
    return made[id(tensor)]


def _made_like(tensor: Tensor) -> Tensor:
    if is_lazy(tensor):
        return _without_size(tensor)
    if not isinstance(tensor, nn.Parameter):
        return place_with_value(tensor)
    parameter = nn.Parameter(place(tensor), requires_grad=tensor.requires_grad)
    register(parameter, hooks_of(tensor))
    return _standing_for(tensor, parameter)


def _without_size(tensor: Tensor) -> Tensor:
    """Of a lazy module, which will make it without data."""
    kind: Any = UninitializedParameter if isinstance(tensor, nn.Parameter) else UninitializedBuffer
    with _disable_current_modes():
        made: Tensor = kind(requires_grad=tensor.requires_grad, device="meta", dtype=tensor.dtype)
    return made


def place(tensor: Tensor) -> Tensor:
    """One like it on the phantom, without data; dense, whatever its layout, which is remembered."""
    if tensor.layout is not torch.strided:
        return _standing_for(tensor, torch.empty(tensor.shape, dtype=tensor.dtype, device=NAME))
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=NAME)


def place_with_value(tensor: Tensor) -> Tensor:
    """The same; what a small one of whole numbers or truths holds is remembered: lengths and masks decide sizes."""
    placed = place(tensor)
    if tensor.device.type == "cpu" and can_be_known(tensor):
        remember(placed, tensor)
    return placed


def can_be_known(tensor: Tensor) -> bool:
    """Whether it is small, and of whole numbers or truths."""
    is_small = tensor.layout is torch.strided and tensor.nbytes <= LARGEST_KNOWN_BYTES
    return is_small and not tensor.is_floating_point() and not tensor.is_complex()


def remember(tensor: Tensor, value: Tensor) -> None:
    """What it holds until something writes to it."""
    _values[tensor] = (tensor._version, value)


def value_of(tensor: Tensor) -> Tensor | None:
    """What an input, a buffer or a constant of the code holds, or what follows from such alone, unless it was written
    to; None of every other tensor."""
    if tensor in _values:
        version, value = _values[tensor]
        return value if version == tensor._version else None
    constant = tensor.constant if isinstance(tensor, FakeTensor) else tensor  # torch forgets one that is written to
    is_there = constant is not None and constant.device.type == "cpu" and can_be_known(constant)
    return constant if is_there else None


def _standing_for(tensor: Tensor, dense: Tensor) -> Tensor:
    if layout_of(tensor) is not torch.strided:
        _stand_ins[dense] = layout_of(tensor)
    return dense


def layout_of(tensor: Tensor) -> torch.layout:
    """Its own, or that of the tensor that it stands for."""
    found: torch.layout = _stand_ins.get(tensor, tensor.layout)
    return found


@contextlib.contextmanager
def light_weights(largest_bytes: int) -> Iterator[None]:
    """Within, a parameter of more bytes loses its data as soon as a module registers it: a person's function builds a
    model of any size, in one run and without the memory."""
    register = nn.Module.register_parameter

    def register_lightly(module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        heavy = parameter is not None and not parameter.is_meta and parameter.nbytes > largest_bytes
        if heavy and type(parameter) is nn.Parameter:
            assert parameter is not None
            parameter = nn.Parameter(parameter.detach().to("meta"), requires_grad=parameter.requires_grad)
        register(module, name, parameter)

    nn.Module.register_parameter = register_lightly  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        nn.Module.register_parameter = register  # type: ignore[method-assign]
