# earns: solved lean
# views only: unfold on the moved axis, unflatten and movedim
import torch
from torch import Tensor


def windows(signal: Tensor, length: int, step: int = 1) -> Tensor:
    axis = signal.dim() - 1
    if signal.shape[axis] < length:
        return signal[..., :0].unsqueeze(-1).expand(*signal.shape[:-1], 0, length)
    return signal.movedim(axis, 0).unfold(0, length, step).movedim(0, -2)


def blocks(image: Tensor, size: int) -> Tensor:
    height, width = image.shape
    rows = image.unflatten(0, (height // size, size))
    return rows.unflatten(2, (width // size, size)).movedim(2, 1)
