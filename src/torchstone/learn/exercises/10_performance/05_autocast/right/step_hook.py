# earns: solved
# a post-step hook on the optimizer says whether it stepped; a disabled scaler instead of None
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
    stepped = []
    handle = optimizer.register_step_post_hook(lambda *_: stepped.append(True))
    for parameter in model.parameters():
        parameter.grad = None
    optimizer.zero_grad()
    active = torch.amp.GradScaler(x.device.type, enabled=False) if scaler is None else scaler
    try:
        with torch.autocast(device_type=x.device.type, dtype=dtype):
            prediction = model(x)
        with torch.autocast(device_type=x.device.type, enabled=False):
            loss = (prediction.to(torch.float32) - y.to(torch.float32)).square().mean()
        active.scale(loss).backward()
        active.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        active.step(optimizer)
        active.update()
    finally:
        handle.remove()
    return {"loss": float(loss), "skipped": not stepped}
