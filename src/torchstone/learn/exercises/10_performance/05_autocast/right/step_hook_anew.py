# earns: solved
# a hook of the optimizer says whether it stepped
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
    for parameter in model.parameters():
        parameter.grad = None
    stepped = []
    handle = optimizer.register_step_post_hook(lambda *_: stepped.append(True))
    try:
        with torch.amp.autocast(device_type=x.device.type, dtype=dtype):
            out = model(x)
        loss = (out.to(torch.float32) - y.to(torch.float32)).square().mean()
        (loss if scaler is None else scaler.scale(loss)).backward()
        if scaler is not None:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(list(model.parameters()), max_norm)
        if scaler is None:
            optimizer.step()
        else:
            scaler.step(optimizer)
            scaler.update()
    finally:
        handle.remove()
    return {"loss": float(loss.detach()), "skipped": not stepped}
