# rejected by: compiled_once: Compiling takes longer than any launch: keep the
# the source is compiled in each call
"""Two kernels in Metal, the language of a Mac's GPU."""

from typing import Any

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

kernel void swiglu(device float* out, device const float* gate, device const float* up,
                   uint i [[thread_position_in_grid]]) {
    float g = gate[i];
    float e = exp(-fabs(g));
    float s = g >= 0.0f ? 1.0f / (1.0f + e) : e / (1.0f + e);
    out[i] = g * s * up[i];
}

kernel void row_norm(device float* out, device const float* x, device const float* weight, constant long& d,
                     constant float& eps, uint row [[thread_position_in_grid]]) {
    long start = (long)row * d;
    float total = 0.0f;
    for (long j = 0; j < d; j++) {
        float value = x[start + j];
        total += value * value;
    }
    float root = sqrt(total / (float)d + eps);
    for (long j = 0; j < d; j++) {
        out[start + j] = x[start + j] / root * weight[j];
    }
}
"""


def library() -> Any:
    """The compiled source."""
    return torch.mps.compile_shader(SOURCE)


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    out = torch.empty(gate.shape, dtype=torch.float32, device=gate.device)
    if out.numel() > 0:
        library().swiglu(out, gate.contiguous(), up.contiguous(), threads=out.numel())
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    n, d = x.shape
    out = torch.empty(n, d, dtype=torch.float32, device=x.device)
    if out.numel() > 0:
        library().row_norm(out, x.contiguous(), weight.contiguous(), d, float(eps), threads=n)
    return out
