# rejected by: growth_is_no_skip: The scale changes both ways: only a fall means that a step was
# any change of the scale counts as skipped, its growth as well; "`"skipped"` says whether the optimizer's step was
# left out"
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
    optimizer.zero_grad(set_to_none=True)
    guess = torch.autocast(x.device.type, dtype=dtype)(model)(x)
    loss = nn.functional.mse_loss(guess.float(), y.float())
    scaled = loss if scaler is None else scaler.scale(loss)
    scaled.backward()
    if scaler is not None:
        scaler.unscale_(optimizer)
    weights = [weight for weight in model.parameters() if weight.grad is not None]
    norm = nn.utils.get_total_norm([weight.grad for weight in weights])
    nn.utils.clip_grads_with_norm_(weights, max_norm, norm)
    skipped = False
    if scaler is None:
        optimizer.step()
    else:
        before = scaler.get_scale()
        scaler.step(optimizer)
        scaler.update()
        skipped = scaler.get_scale() != before
    return {"loss": loss.item(), "skipped": skipped}
