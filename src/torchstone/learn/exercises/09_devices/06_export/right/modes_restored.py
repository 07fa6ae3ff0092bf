# earns: solved
# no copy: the modes of all modules are noted and put back in a finally
"""Export a model for any batch size, and run it on any device."""

import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    modes = [(module, module.training) for module in model.modules()]
    sample = example.detach().new_zeros((3, *example.shape[1:]))
    model.eval()
    try:
        with torch.no_grad():
            program = torch.export.export(model, (sample,), dynamic_shapes=[{0: torch.export.Dim("rows", min=1)}])
    finally:
        for module, mode in modes:
            module.training = mode
    with io.BytesIO() as file:
        torch.export.save(program, file)
        return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    with io.BytesIO(data) as file:
        program = torch.export.load(file)
    run = move_to_device_pass(program, torch.device(device)).module()

    def call(x: Tensor) -> Tensor:
        return run(x)

    return call
