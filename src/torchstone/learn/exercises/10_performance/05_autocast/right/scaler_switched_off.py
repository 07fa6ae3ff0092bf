# earns: solved
# one way for both: without a scaler, one that is switched off
"""One step of training in half precision."""

import torch
from torch import Tensor, nn


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
    scaler = scaler or torch.amp.GradScaler(x.device.type, enabled=False)
    for weight in model.parameters():
        weight.grad = None
    with torch.autocast(device_type=x.device.type, dtype=dtype):
        guess = model(x)
    loss = (guess.float() - y.float()).square().mean()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scale = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    return {"loss": float(loss.detach()), "skipped": scale > scaler.get_scale()}
