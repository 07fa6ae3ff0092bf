# rejected by: long_gradients_are_clipped: Each parameter was clipped by its own norm:
# the norm goes over each parameter alone, not over all together
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    weights = {name: weight.detach() for name, weight in model.named_parameters() if weight.requires_grad}

    def loss(weights: dict[str, Tensor], x: Tensor, label: Tensor) -> Tensor:
        return functional.cross_entropy(functional_call(model, weights, (x[None],)), label[None])

    return vmap(grad(loss), in_dims=(None, 0, 0))(weights, inputs, labels)


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    grads = sample_gradients(model, inputs, labels)
    result = {}
    for name, one in grads.items():
        factors = (limit / one.flatten(1).norm(dim=1)).clamp(max=1)
        result[name] = torch.einsum("n,n...->...", factors, one) / len(inputs)
    return result
