# rejected by: without_a_scaler_no_step_is_skipped: Without a scaler nobody looks at the gradients
# leaves out a step with a norm that is not finite without a scaler, too; breaks 'without one a step is never
# skipped', scaler=None and an x with infinity
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
        prediction = model(x)
    loss = nn.functional.mse_loss(prediction.float(), y.float())
    if scaler is None:
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        skipped = not bool(torch.isfinite(norm))
        if not skipped:
            optimizer.step()
        return {"loss": loss.item(), "skipped": skipped}
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    return {"loss": loss.item(), "skipped": scaler.get_scale() < before}
