# rejected by: smooth_gradients_are_right: what your code returned can't be used
# "Mend them": the saved tensors are guarded only inside the function, and the backward pass, outside, still fails
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x * torch.sigmoid(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        states = (1 - keep) * signal
        for t in range(1, len(signal)):
            states[t] += keep[t] * states[t - 1]
        return states
