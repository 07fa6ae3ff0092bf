# rejected by: gradients_start_from_nothing: The gradients of before count too: clear them first.
# gradients are forgotten at the end, so those of before the call are used; 'Each call starts from no gradients,
# whatever was there before'
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
    with torch.autocast(device_type=x.device.type, dtype=dtype):
        output = model(x)
    loss = (output.float() - y.float()).square().mean()
    steps: list[bool] = []
    handle = optimizer.register_step_post_hook(lambda *_: steps.append(True))
    try:
        if scaler is None:
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
        else:
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            scaler.step(optimizer)
            scaler.update()
    finally:
        handle.remove()
        optimizer.zero_grad(set_to_none=True)
    return {"loss": loss.item(), "skipped": not steps}
