# earns: solved
# the norm of the centred row over √n, an empty weight that is filled, cpu() and clone()
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    # a second pass takes away what rounding left of the mean
    centred = wide - wide.mean(dim=1, keepdim=True)
    centred = centred - centred.mean(dim=1, keepdim=True)
    return (torch.linalg.vector_norm(centred, dim=1) / x.shape[1] ** 0.5).to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    source = layer.weight.data
    memory = torch.empty(source.shape[1], source.shape[0], dtype=source.dtype, device=source.device)
    memory.copy_(source.transpose(0, 1))
    twin = nn.utils.skip_init(nn.Linear, layer.out_features, layer.in_features, bias=False)
    twin.weight = nn.Parameter(memory, requires_grad=True)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    result = {}
    for name, tensor in tensors.items():
        result[name] = tensor.clone() if tensor.device.type == "cpu" else tensor.cpu()
    return result
