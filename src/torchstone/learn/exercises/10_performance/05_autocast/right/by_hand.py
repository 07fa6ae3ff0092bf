# earns: solved
# clipping by hand, autocast as a decorator, one path
"""One step of training in half precision: the same steps for both, with a scale of 1 where there is no scaler."""

import torch
from torch import Tensor, nn


def clip(parameters: list[Tensor], max_norm: float) -> None:
    """Scale all gradients down together so that their norm is at most `max_norm`."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    if not gradients:
        return
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients]))
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler | None,
    x: Tensor,
    y: Tensor,
    dtype: torch.dtype,
    max_norm: float,
) -> dict[str, float | bool]:
    """Train once on the mean squared error; the loss, and whether the step was skipped."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    for parameter in parameters:
        parameter.grad = None
    autocast = torch.amp.autocast(device_type=x.device.type, dtype=dtype)
    prediction = autocast(model.__call__)(x)
    loss = (prediction.to(torch.float32) - y.to(torch.float32)).square().mean()
    (loss if scaler is None else scaler.scale(loss)).backward()
    if scaler is not None:
        scaler.unscale_(optimizer)
    clip(parameters, max_norm)
    skipped = False
    if scaler is None:
        optimizer.step()
    else:
        scale = scaler.get_scale()
        scaler.step(optimizer)
        scaler.update()
        skipped = bool(scaler.get_scale() < scale)
    return {"loss": float(loss.detach()), "skipped": skipped}
