# rejected by: an_overflow_skips_the_step: scaler.step leaves out a step with infinite gradients,
# the scale is not updated after the step
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
    optimizer.zero_grad(set_to_none=True)
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
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    skipped = not all(bool(gradient.isfinite().all()) for gradient in gradients)
    if not skipped:
        optimizer.step()
    scaler._per_optimizer_states.clear()
    return {"loss": loss.item(), "skipped": skipped}
