# earns: solved
# torch.autograd.functional.vjp
from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    _, result = torch.autograd.functional.vjp(function, x.detach())
    return result
