# rejected by: without_a_scaler_no_step_is_skipped: Without a scaler nobody looks at the gradients: the step is
# without a scaler a step whose gradients are not finite is left out; "without one a step is never skipped"
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
        if norm.isfinite():
            optimizer.step()
        return {"loss": loss.item(), "skipped": not bool(norm.isfinite())}
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
