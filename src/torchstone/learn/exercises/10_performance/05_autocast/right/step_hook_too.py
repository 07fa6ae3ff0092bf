# earns: solved
# a step hook on the optimizer tells whether the step was taken
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
    model.zero_grad(set_to_none=True)
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(x.device.type, dtype=dtype):
        output = model(x)
    loss = (output.float() - y.float()).square().mean()
    if scaler is None:
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return {"loss": loss.item(), "skipped": False}
    taken: list[bool] = []
    handle = optimizer.register_step_post_hook(lambda *_: taken.append(True))
    try:
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
    finally:
        handle.remove()
    return {"loss": loss.item(), "skipped": not taken}
