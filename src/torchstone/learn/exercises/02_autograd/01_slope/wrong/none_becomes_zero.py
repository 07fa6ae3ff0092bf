# rejected by: gradients_are_right: What has gathered in .grad is the caller's
# weights are found in the graph and set back, but a .grad of None comes back as zeros; 'is what it was, be it None
# or a tensor' (fresh Linear inside function)
"""The gradient of a function at a point, without leaving a trace."""

from collections.abc import Callable

import torch
from torch import Tensor


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The gradient of `function`, which gives a single number, at `x`."""
    point = x.detach().clone().requires_grad_()
    result = function(point)
    leaves, seen, todo = [], set(), [result.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable") and node.variable is not point:
            leaves.append(node.variable)
        todo += [following for following, _ in node.next_functions]
    before = [torch.zeros_like(leaf) if leaf.grad is None else leaf.grad.clone() for leaf in leaves]
    result.backward()
    for leaf, grad in zip(leaves, before, strict=True):
        leaf.grad = grad
    return point.grad
