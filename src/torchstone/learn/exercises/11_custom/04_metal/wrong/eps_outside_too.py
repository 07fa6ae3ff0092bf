# rejected by: rows_are_normed: Row `row` begins at row · d: the squares
# "each row divided by √(mean of its squares + eps)": eps is added to the root
"""Two kernels in Metal, the language of a Mac's GPU."""

from functools import cache
from typing import Any

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

kernel void swiglu(device float* out, device const float* gate, device const float* up,
                   uint i [[thread_position_in_grid]]) {
    float g = gate[i];
    out[i] = g / (1.0f + exp(-g)) * up[i];
}

kernel void row_norm(device float* out, device const float* x, device const float* weight,
                     constant long& d, constant float& eps, uint row [[thread_position_in_grid]]) {
    long start = row * d;
    float count = d;
    float total = 0.0f;
    for (long j = 0; j < d; j++) {
        total += x[start + j] * x[start + j];
    }
    float root = sqrt(total / count) + eps;
    for (long j = 0; j < d; j++) {
        out[start + j] = x[start + j] / root * weight[j];
    }
}
"""


@cache
def library() -> Any:
    return torch.mps.compile_shader(SOURCE)


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    out = torch.empty(gate.shape, dtype=gate.dtype, device=gate.device)
    if out.numel() > 0:
        library().swiglu(out, gate.contiguous(), up.contiguous(), threads=out.numel())
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if out.numel() > 0:
        library().row_norm(out, x.contiguous(), weight.contiguous(), x.shape[1], float(eps), threads=x.shape[0])
    return out
