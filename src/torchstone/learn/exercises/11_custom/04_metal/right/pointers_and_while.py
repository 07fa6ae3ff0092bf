# earns: solved lean
# a pointer to the row, while loops, a helper function that takes both signs apart
"""Two kernels in Metal, the language of a Mac's GPU."""

from typing import Any

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

float silu(float g) {
    float e = exp(-fabs(g));
    if (g >= 0.0f) {
        return g / (1.0f + e);
    }
    return g * e / (1.0f + e);
}

kernel void swiglu(device float* out, device const float* gate, device const float* up,
                   uint i [[thread_position_in_grid]]) {
    out[i] = silu(gate[i]) * up[i];
}

kernel void row_norm(device float* out, device const float* x, device const float* weight, constant long& d,
                     constant float& eps, uint i [[thread_position_in_grid]]) {
    float total = 0.0f;
    device const float* row = x + i * d;
    device float* to = out + i * d;
    long j = 0;
    while (j < d) {
        total += row[j] * row[j];
        j += 1;
    }
    float root = sqrt(total / float(d) + eps);
    while (j > 0) {
        j -= 1;
        to[j] = row[j] * weight[j] / root;
    }
}
"""


compiled: list[Any] = []


def library() -> Any:
    """The compiled source."""
    if not compiled:
        compiled.append(torch.mps.compile_shader(SOURCE))
    return compiled[0]


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
        library().row_norm(out, x.contiguous(), weight.contiguous(), x.shape[1], float(eps), threads=x.shape[0])
    return out
