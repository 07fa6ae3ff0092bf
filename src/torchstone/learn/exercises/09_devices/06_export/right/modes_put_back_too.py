# earns: solved
# the original itself, its modes put back one by one, and a temporary file
"""Export a model for any batch size, and run it on any device."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    modes = [(module, module.training) for module in model.modules()]
    several = example.detach()[:1].repeat(3, *[1] * (example.dim() - 1))
    try:
        for module, _ in modes:
            module.training = False
        with torch.no_grad():
            program = torch.export.export(model, (several,), dynamic_shapes=[{0: torch.export.Dim.DYNAMIC}])
    finally:
        for module, mode in modes:
            module.training = mode
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt2"
        torch.export.save(program, path)
        return path.read_bytes()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt2"
        path.write_bytes(data)
        program = torch.export.load(path)
    run = move_to_device_pass(program, torch.device(device)).module()

    def call(x: Tensor) -> Tensor:
        return run(x)

    return call
