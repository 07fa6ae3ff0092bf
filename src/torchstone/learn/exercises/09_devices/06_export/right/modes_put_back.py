# earns: solved
# modes of all modules are noted and put back in a finally; Dim.DYNAMIC-free dims by name; a closure around the module
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        several = example[:1].expand(3, *example.shape[1:]).contiguous()
        rows = torch.export.Dim("rows", min=1)
        with torch.no_grad():
            program = torch.export.export(model, (several,), dynamic_shapes=[{0: rows}])
        buffer = io.BytesIO()
        torch.export.save(program, buffer)
    finally:
        for module, mode in modes.items():
            module.training = mode
    return buffer.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    with io.BytesIO(data) as file:
        program = torch.export.load(file)
    run = move_to_device_pass(program, torch.device(device)).module()

    def call(x: Tensor) -> Tensor:
        return run(x)

    return call
