# earns: solved lean
# the Jacobian of the vector of all losses
import torch
from torch import Tensor, nn
from torch.func import functional_call, jacrev
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    def losses(weights: dict[str, Tensor]) -> Tensor:
        return functional.cross_entropy(functional_call(model, weights, (inputs,)), labels, reduction="none")

    return jacrev(losses)({name: one.detach() for name, one in model.named_parameters() if one.requires_grad})


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    grads = sample_gradients(model, inputs, labels)
    norms = torch.cat([one.flatten(1) for one in grads.values()], dim=1).norm(dim=1)
    factors = torch.where(norms > limit, limit / norms, 1.0)
    return {name: torch.tensordot(factors, one, dims=1).div(len(factors)) for name, one in grads.items()}
