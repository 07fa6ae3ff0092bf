# earns: solved
# no copy: the modes of all layers are put back; Dim.DYNAMIC; a closure around the module
"""Export a model for any batch size, and run it on any device: the model itself, put back afterwards."""

import contextlib
import io
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


@contextlib.contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Every layer in eval mode, and each in its own mode again afterwards."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    rows = torch.zeros(5, example.shape[1], dtype=example.dtype, device=example.device)
    with evaluating(model), torch.no_grad(), io.BytesIO() as file:
        program = torch.export.export(
            model, (rows,), dynamic_shapes=[(torch.export.Dim.DYNAMIC, torch.export.Dim.STATIC)]
        )
        torch.export.save(program, file)
        return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    with io.BytesIO(data) as file:
        run = move_to_device_pass(torch.export.load(file), str(torch.device(device))).module()

    def call(x: Tensor) -> Tensor:
        return run(x)

    return call
