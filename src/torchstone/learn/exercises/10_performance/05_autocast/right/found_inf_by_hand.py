# earns: solved
# gradients are looked at by hand after unscaling; clipping by hand
"""One step of training in half precision."""

import torch
from torch import Tensor, nn


def clip(parameters: list[nn.Parameter], max_norm: float) -> None:
    gradients = [p.grad for p in parameters if p.grad is not None]
    if not gradients:
        return
    total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g.float()) for g in gradients]))
    factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor.to(gradient.dtype))


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler | None,
    x: Tensor,
    y: Tensor,
    dtype: torch.dtype,
    max_norm: float,
) -> dict[str, float | bool]:
    parameters = list(model.parameters())
    for parameter in parameters:
        parameter.grad = None
    with torch.autocast(x.device.type, dtype):
        output = model(x)
    loss = nn.functional.mse_loss(output.to(torch.float32), y.to(torch.float32))
    skipped = False
    if scaler is not None:
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        stepping = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        skipped = scaler.is_enabled() and not all(bool(p.grad.isfinite().all()) for p in stepping)
        clip(parameters, max_norm)
        scaler.step(optimizer)
        scaler.update()
    else:
        loss.backward()
        clip(parameters, max_norm)
        optimizer.step()
    return {"loss": loss.item(), "skipped": skipped}
