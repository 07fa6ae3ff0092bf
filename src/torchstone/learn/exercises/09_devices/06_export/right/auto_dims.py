# earns: solved
# Dim.AUTO for the batch, a deep copy, a larger example by repeat
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    frozen = copy.deepcopy(model)
    frozen.train(False)
    example = example.detach().repeat(5, *[1] * (example.dim() - 1))
    program = torch.export.export(frozen, args=(example,), dynamic_shapes=({0: torch.export.Dim.AUTO},))
    with io.BytesIO() as file:
        torch.export.save(program, file)
        return file.getvalue()


class Loaded:
    def __init__(self, program, device: torch.device) -> None:
        self.program = move_to_device_pass(program, str(device))
        self.module = self.program.module()

    def __call__(self, x: Tensor) -> Tensor:
        return self.module(x)


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    return Loaded(torch.export.load(io.BytesIO(data)), torch.device(device))
