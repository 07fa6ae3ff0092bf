# rejected by: mirrors_are_right: It must be an nn.Parameter that requires grad
# 'is then trained on its own': the weight is a parametrization of `layer`'s, computed from it each time
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    centred = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = centred - centred.mean(1, keepdim=True)
    return centred.square().mean(1).sqrt().to(x.dtype)


class _Tied(nn.Linear):
    def __init__(self, layer: nn.Linear) -> None:
        super().__init__(layer.out_features, layer.in_features, bias=False)
        del self.weight
        self._source = [layer]

    @property
    def weight(self) -> Tensor:
        return self._source[0].weight.T.contiguous()

    @weight.setter
    def weight(self, value: Tensor) -> None:
        self.register_parameter("weight", value)


def mirror(layer: nn.Linear) -> nn.Linear:
    return _Tied(layer)


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}
