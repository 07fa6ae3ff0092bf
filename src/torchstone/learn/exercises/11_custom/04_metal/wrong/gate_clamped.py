# rejected by: large_gates_are_numbers: exp(200) is inf in float32: with exp(-g) below the
# 'gate · σ(gate) · up': gates beyond ±300 are cut off
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
    float g = clamp(gate[i], -300.0f, 300.0f);
    out[i] = g / (1.0f + exp(-g)) * up[i];
}

kernel void row_norm(device float* out, device const float* x, device const float* weight, constant long& d,
                     constant float& eps, uint row [[thread_position_in_grid]]) {
    device const float* values = x + row * d;
    float squares = 0.0f;
    for (long j = 0; j < d; j++) {
        squares += values[j] * values[j];
    }
    float scale = rsqrt(squares / d + eps);
    for (long j = 0; j < d; j++) {
        out[row * d + j] = values[j] * scale * weight[j];
    }
}
"""


@cache
def _library() -> Any:
    """Compiled at the first call, and kept."""
    return torch.mps.compile_shader(SOURCE)


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    out = torch.empty(gate.shape, device=gate.device)
    if out.numel():  # no threads cannot be launched
        _library().swiglu(out, gate.contiguous(), up.contiguous(), threads=out.numel())
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    n, d = x.shape
    out = torch.empty(n, d, device=x.device)
    if out.numel():
        _library().row_norm(out, x.contiguous(), weight.contiguous(), d, float(eps), threads=n)
    return out
