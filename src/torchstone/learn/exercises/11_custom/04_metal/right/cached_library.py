# earns: solved lean
# a cached library, branches for the sigmoid
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
    float g = gate[i];
    float share = 0.0f;
    if (g >= 0.0f) {
        share = 1.0f / (1.0f + exp(-g));
    } else {
        float e = exp(g);
        share = e / (1.0f + e);
    }
    out[i] = g * share * up[i];
}

kernel void row_norm(device float* out, device const float* x, device const float* weight, constant long& d,
                     constant float& eps, uint i [[thread_position_in_grid]]) {
    float squares = 0.0f;
    for (long j = 0; j < d; j++) {
        float value = x[i * d + j];
        squares += value * value;
    }
    float scale = 1.0f / sqrt(squares / float(d) + eps);
    for (long j = 0; j < d; j++) {
        out[i * d + j] = x[i * d + j] * scale * weight[j];
    }
}
"""


@functools.cache
def library() -> Any:
    return torch.mps.compile_shader(SOURCE)


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    out = torch.empty(gate.shape, dtype=torch.float32, device=gate.device)
    if out.numel():
        library().swiglu(out, gate.contiguous(), up.contiguous(), threads=out.numel())
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    n, d = x.shape
    out = torch.empty((n, d), dtype=torch.float32, device=x.device)
    if out.numel():
        library().row_norm(out, x.contiguous(), weight.contiguous(), d, float(eps), threads=n)
    return out
