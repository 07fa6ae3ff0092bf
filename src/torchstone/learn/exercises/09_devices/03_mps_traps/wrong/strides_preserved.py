# rejected by: mirrors_are_right: A transpose swaps strides and clone() keeps them
# 'its weight is contiguous': deepcopy and clone keep the transposed strides
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn
import copy


def spread(x: Tensor) -> Tensor:
    centred = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = centred - centred.mean(1, keepdim=True)
    return centred.square().mean(1).sqrt().to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False)
    twin.weight = copy.deepcopy(nn.Parameter(layer.weight.detach().T))
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}
