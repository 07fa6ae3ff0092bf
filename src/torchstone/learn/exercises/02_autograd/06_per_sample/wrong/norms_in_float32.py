# rejected by: digits_are_kept: A float64 model has float64 gradients, with all of their digits
# norms in float32 for a float64 model; 'each scaled by min(1, limit / its norm)'
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    # Detached: vmap batches values, and the model's own leaves stay out of it.
    weights = {name: weight.detach() for name, weight in model.named_parameters() if weight.requires_grad}

    def loss(weights: dict[str, Tensor], sample: Tensor, label: Tensor) -> Tensor:
        scores = functional_call(model, weights, (sample[None],))
        return functional.cross_entropy(scores, label[None])

    with torch.no_grad():  # grad() records what it needs by itself; what is frozen needs no graph around it
        return vmap(grad(loss), in_dims=(None, 0, 0))(weights, inputs, labels)


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    norms = torch.stack([one.float().flatten(1).norm(dim=1) for one in gradients.values()]).norm(dim=0)
    # limit / 0 is inf, and the clamp makes 1 of it.
    factors = (limit / norms).clamp(max=1).to(next(iter(gradients.values())).dtype)
    return {name: torch.tensordot(factors, one, dims=1) / len(factors) for name, one in gradients.items()}
