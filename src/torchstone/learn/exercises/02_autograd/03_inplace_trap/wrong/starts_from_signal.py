# rejected by: smooth_values_are_right: state = keep[t] · state + (1 − keep[t]) · signal[t], and row t of the
# "a running average, starting from zero": the first row is signal[0] itself
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x * torch.sigmoid(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    rows = [signal[0]]
    for t in range(1, len(signal)):
        rows.append(torch.lerp(signal[t], rows[-1], keep[t]))
    return torch.stack(rows)
