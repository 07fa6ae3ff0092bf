# earns: solved
# silu by its parts in one Function; the running average as one product with a triangle of products of keep
import torch
from torch import Tensor


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        gate = torch.sigmoid(x)
        ctx.save_for_backward(x, gate)
        return x * gate

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        x, gate = ctx.saved_tensors
        return grad * (gate + x * gate * (1 - gate))


def gated_sum(x: Tensor, skip: Tensor) -> Tensor:
    return Gate.apply(x).add(skip)


def smooth(signal: Tensor, keep: Tensor) -> Tensor:
    """Row t is the sum over s ≤ t of signal[s] · (1 − keep[s]) · keep[s + 1] · … · keep[t]."""
    news = (1 - keep) * signal
    weights = torch.ones_like(signal[:0])
    rows = []
    for t in range(len(signal)):
        weights = torch.cat([weights * keep[t], torch.ones_like(signal[t : t + 1])])
        rows.append((weights * news[: t + 1]).sum(0, keepdim=True))
    return torch.cat(rows) if rows else news
