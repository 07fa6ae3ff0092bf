# rejected by: small_gradients_survive: scaler.scale(loss).backward()
# turns y into the prediction's dtype, so the loss is computed in float16: an error of 300 squares to infinity;
# breaks 'the loss is computed in float32'
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
    loss = nn.functional.mse_loss(prediction, y.to(prediction.dtype))
    if scaler is None:
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return {"loss": loss.item(), "skipped": False}
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    return {"loss": loss.item(), "skipped": scaler.get_scale() < before}
