"""Tensors that are not on the device of a step: where each was made, and what a device says where the two meet.

Every accelerator refuses to mix them, and refuses `.numpy()`. torch's own errors in a trace speak of tensors without
data; a person is to read the device's words, and which line made the tensor that stayed behind.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

SAME_DEVICE = "Expected all tensors to be on the same device, but found at least two devices, {} and cpu!"
NO_NUMPY = "can't convert {} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
"""As torch says it (torch/csrc/utils/tensor_numpy.cpp)."""
WRONG_INDEX = "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
"""check_indices_on_cpu_or_selfdevice in ATen/native/TensorAdvancedIndexing.cpp; what writes at indices does not ask."""
READS_AT_INDICES = ("aten::index.Tensor", "aten::_unsafe_index.Tensor")
NAMED = "the program names a device itself: take it from a tensor, as in x.to(y.device)"
TO_DEVICE = "make it with device=x.device, or move it with .to(x.device)"


class HostTensorError(Exception):
    """What the device will say, of which operator, and what to do about it; a program may catch it as it is there."""

    def __init__(self, subject: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.subject = subject
        self.hint = hint


class RefusedError(HostTensorError, RuntimeError):
    """Of tensors or generators of two devices."""


class NumpyError(HostTensorError, TypeError):
    """Of `.numpy()`."""


class NotBuiltError(HostTensorError, AssertionError):
    """Of a device that torch was not built for (_lazy_init of torch.cuda and torch.xpu)."""


class HostTensors:
    """Remembers where the tensors of the host come from, in words."""

    def __init__(self) -> None:
        self._origins: Any = WeakTensorKeyDictionary()
        self._attributes: dict[int, str] = {}

    def know(self, model: nn.Module) -> None:
        """Tensors that a module holds as plain attributes: `.to(device)` leaves them where they are."""
        for path, module in model.named_modules():
            for name, value in vars(module).items():
                if isinstance(value, Tensor):
                    where = f"{path}.{name}" if path else name
                    self._attributes[id(value)] = (
                        f"{where} is a plain attribute, which .to(device) leaves on the CPU: "
                        f"self.register_buffer({name!r}, …)"
                    )

    def note(self, given: Iterable[Any], made: Iterable[Tensor], source: str) -> None:
        """Of tensors that a call leaves on the host: the line that brought what they are computed from there."""
        ours = [one for one in made if one.device.type == "cpu"]
        tensors = [one for one in given if isinstance(one, Tensor)] if ours else []
        is_moved = any(one.device.type != "cpu" for one in tensors)
        brought = f"the tensor that is {'moved to the CPU' if is_moved else 'made'} at {source}"
        advice = self._advise(tensors) or f"{brought} is on the CPU: {TO_DEVICE}"
        self._origins.update((one, advice) for one in ours)

    def explain(self, subject: str, given: Iterable[Any], device: str, words: str = "") -> HostTensorError | None:
        """Of a call that mixes both, by the words of torch's function where it looks itself; None where it does not.

        A single number of the host is allowed anywhere.
        """
        tensors = [one for one in given if isinstance(one, Tensor)]
        behind = [one for one in tensors if one.device.type == "cpu" and one.dim() > 0]
        if not behind or all(one.device.type == "cpu" for one in tensors):
            return None
        advice = self._advise(behind) or f"one of its tensors is on the CPU: {TO_DEVICE}"
        return RefusedError(subject, words or SAME_DEVICE.format(f"{device}:0"), advice)

    def refuse_index(self, operator: str, args: Any) -> HostTensorError | None:
        """Of a tensor of the host that is read at places which the device holds, a mask or numbers; None of others."""
        if operator not in READS_AT_INDICES or args[0].device.type != "cpu":
            return None
        if all(one is None or one.device.type == "cpu" for one in args[1]):
            return None
        return RefusedError(operator, WRONG_INDEX, self._advise([args[0]]) or f"it is on the CPU: {TO_DEVICE}")

    def _advise(self, tensors: list[Tensor]) -> str:
        """What is known of the first of them of which something is."""
        found = (self._origins.get(one) or self._attributes.get(id(one)) for one in tensors)
        return next((str(one) for one in found if one), "")


def refuse_elsewhere(subject: str, tensor: Tensor, device: str) -> HostTensorError:
    """Of a tensor on a third device: here torch may have been built for it, where the step is to run it was not."""
    message = f"the program puts a tensor on {tensor.device.type}, which a machine with {device} does not have"
    kind = NotBuiltError if tensor.device.type in ("cuda", "xpu") else RefusedError
    return kind(subject, message, NAMED)


def refuse_numpy(device: str) -> HostTensorError:
    """What `.numpy()` of a tensor on any device but the host raises."""
    return NumpyError("Tensor.numpy", NO_NUMPY.format(f"{device}:0"), "copy it first: x.cpu().numpy()")


def reads_into_numpy(function: Any) -> bool:
    return function in (torch.Tensor.numpy, torch.Tensor.__array__)
