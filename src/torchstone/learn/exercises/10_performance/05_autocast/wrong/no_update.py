# rejected by: an_overflow_skips_the_step: scaler.step leaves out a step with infinite gradients
# 'weights, scale and report right': scaler.update() is never called, the scale stays for ever and the next unscale_
# fails
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
    optimizer.zero_grad()
    with torch.autocast(x.device.type, dtype=dtype):
        output = model(x)
    loss = nn.functional.mse_loss(output.float(), y)
    if scaler is None:
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return {"loss": loss.item(), "skipped": False}
    scaler.scale(loss).backward()
    scale = scaler.get_scale()
    fine = True
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.div_(scale)
            fine = fine and bool(parameter.grad.isfinite().all())
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    if fine:
        optimizer.step()
    return {"loss": loss.item(), "skipped": not fine}
