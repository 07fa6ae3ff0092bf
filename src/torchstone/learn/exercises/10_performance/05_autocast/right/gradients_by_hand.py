# earns: solved
# autograd.grad puts the gradients in place; clipping by hand
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
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    with torch.autocast(x.device.type, dtype=dtype):
        output = model(x)
    loss = nn.functional.mse_loss(output.to(torch.float32), y.to(torch.float32))
    goal = loss if scaler is None else scaler.scale(loss)
    optimizer.zero_grad(set_to_none=True)
    for weight, gradient in zip(weights, torch.autograd.grad(goal, weights, allow_unused=True)):
        weight.grad = gradient
    if scaler is not None:
        scaler.unscale_(optimizer)
    gradients = [weight.grad for weight in weights if weight.grad is not None]
    norm = torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients]).square().sum().sqrt()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1)
    for gradient in gradients:
        gradient.mul_(factor)
    report = {"loss": loss.item(), "skipped": False}
    if scaler is None:
        optimizer.step()
    else:
        old = scaler.get_scale()
        scaler.step(optimizer)
        scaler.update()
        report["skipped"] = scaler.get_scale() < old
    return report
