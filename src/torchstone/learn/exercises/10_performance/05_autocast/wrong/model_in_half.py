# rejected by: weights_keep_their_digits: Autocast casts on the way through
# 'The model runs under autocast': it is turned into half precision and back, so that the weights lose digits
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
    model.to(dtype)
    output = model(x.to(dtype))
    loss = nn.functional.mse_loss(output.float(), y.float())
    (loss if scaler is None else scaler.scale(loss)).backward()
    model.float()
    if scaler is None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return {"loss": loss.item(), "skipped": False}
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    return {"loss": loss.item(), "skipped": scaler.get_scale() < before}
