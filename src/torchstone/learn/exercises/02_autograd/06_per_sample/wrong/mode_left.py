# rejected by: gradients_are_right: Train or eval is the caller's choice, layer
# the model is left in evaluation mode
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    model.eval()
    weights = {name: weight.detach() for name, weight in model.named_parameters() if weight.requires_grad}

    def loss(weights: dict[str, Tensor], x: Tensor, label: Tensor) -> Tensor:
        return functional.cross_entropy(functional_call(model, weights, (x[None],)), label[None])

    return vmap(grad(loss), in_dims=(None, 0, 0))(weights, inputs, labels)


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    grads = sample_gradients(model, inputs, labels)
    norms = sum(one.flatten(1).square().sum(1) for one in grads.values()).sqrt()
    factors = (limit / norms).clamp(max=1)
    return {name: torch.einsum("n,n...->...", factors, one) / len(inputs) for name, one in grads.items()}
