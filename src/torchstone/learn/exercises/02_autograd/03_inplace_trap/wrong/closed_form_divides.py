# rejected by: smooth_values_are_right: state = keep[t] · state + (1 − keep[t]) · signal[t], and row t of the
# "right values and right gradients": dividing by the running product of keep gives NaN where keep is 0, or where many
# small ones underflow
import torch
from torch import Tensor


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    """x · sigmoid(x) + skip."""
    return x * torch.sigmoid(x) + skip


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    product = keep.cumprod(0)
    return product * ((1 - keep) * signal / product).cumsum(0)
