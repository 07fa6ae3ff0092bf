# earns: solved
# no copy: every module's mode is noted and put back, also after an error; a new example of three rows
"""Export a model for any batch size, and run it on any device."""

import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    modes = [(module, module.training) for module in model.modules()]
    rows = example[:1].detach().repeat(3, *[1] * (example.dim() - 1))
    try:
        for module, _ in modes:
            module.training = False
        sizes = ({0: torch.export.Dim("batch", min=1)},)
        program = torch.export.export(model, (rows,), dynamic_shapes=sizes)
    finally:
        for module, mode in modes:
            module.training = mode
    with io.BytesIO() as file:
        torch.export.save(program, file)
        return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    moved = move_to_device_pass(torch.export.load(io.BytesIO(data)), torch.device(device))
    module = moved.module()
    return lambda x: module(x)
