# earns: solved
"""One step of training in half precision."""

import torch
from torch import Tensor, nn
from torch.nn import functional


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
    used = torch.amp.GradScaler(x.device.type, enabled=False) if scaler is None else scaler
    forward = torch.autocast(x.device.type, dtype)(model.__call__)
    loss = functional.mse_loss(forward(x).float(), y.float(), reduction="sum") / y.numel()
    optimizer.zero_grad(set_to_none=True)
    model.zero_grad(set_to_none=True)
    used.scale(loss).backward()
    used.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_([p for group in optimizer.param_groups for p in group["params"]], max_norm)
    sooner = used.get_scale()
    used.step(optimizer)
    used.update()
    return {"loss": loss.item(), "skipped": bool(used.get_scale() < sooner)}
