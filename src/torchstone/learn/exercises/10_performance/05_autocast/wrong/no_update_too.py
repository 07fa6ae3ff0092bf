# rejected by: an_overflow_skips_the_step: scaler.step leaves out a step with infin
# "With a `torch.amp.GradScaler` the loss is scaled, and the scale updated after the step": the scale is never updated
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
    optimizer.zero_grad()
    with torch.autocast(x.device.type, dtype=dtype):
        output = model(x)
    loss = nn.functional.mse_loss(output.float(), y.float())
    if scaler is None:
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return {"loss": loss.item(), "skipped": False}
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    skipped = any(found.item() for found in scaler._found_inf_per_device(optimizer).values())
    return {"loss": loss.item(), "skipped": skipped}
