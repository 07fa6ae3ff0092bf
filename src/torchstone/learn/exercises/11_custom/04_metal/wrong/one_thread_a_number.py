# rejected by: threads_share_the_work: One thread takes one row
# row_norm takes a thread for each number, each adds its row up again; 'One thread takes one row, so n threads'
"""Two kernels in Metal, the language of a Mac's GPU."""

import functools
from typing import Any

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

kernel void swiglu(device float* out, device const float* gate, device const float* up,
                   uint i [[thread_position_in_grid]]) {
    out[i] = gate[i] / (1.0f + exp(-gate[i])) * up[i];
}

kernel void row_norm(device float* out, device const float* x, device const float* weight, constant long& d,
                     constant float& eps, uint i [[thread_position_in_grid]]) {
    long row = i / d;
    float total = 0.0f;
    for (long j = 0; j < d; j++) {
        float value = x[row * d + j];
        total += value * value;
    }
    out[i] = x[i] / sqrt(total / float(d) + eps) * weight[i - row * d];
}
"""


@functools.cache
def library() -> Any:
    """The compiled source."""
    return torch.mps.compile_shader(SOURCE)


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    out = torch.empty(gate.shape, dtype=gate.dtype, device=gate.device)
    if out.numel():
        library().swiglu(out, gate.contiguous(), up.contiguous(), threads=out.numel())
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if out.numel():
        library().row_norm(out, x.contiguous(), weight.contiguous(), x.shape[1], float(eps), threads=x.numel())
    return out
