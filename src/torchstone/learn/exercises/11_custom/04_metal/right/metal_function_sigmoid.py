# earns: solved lean
# a Metal function for the sigmoid, the library behind functools.cache
"""Two kernels in Metal, the language of a Mac's GPU."""

import functools
from typing import Any

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

float squash(float x) {
    float small = exp(-fabs(x));
    if (x < 0.0f) {
        return small / (1.0f + small);
    }
    return 1.0f / (1.0f + small);
}

kernel void swiglu(device float* out, device const float* gate, device const float* up,
                   uint i [[thread_position_in_grid]]) {
    float g = gate[i];
    out[i] = g * squash(g) * up[i];
}

kernel void row_norm(device float* out, device const float* x, device const float* weight,
                     constant long& d, constant float& eps, uint i [[thread_position_in_grid]]) {
    long first = i * d;
    float total = 0.0f;
    for (long j = 0; j < d; j++) {
        total += x[first + j] * x[first + j];
    }
    float root = sqrt(total / d + eps);
    for (long j = 0; j < d; j++) {
        out[first + j] = x[first + j] / root * weight[j];
    }
}
"""


@functools.cache
def _library() -> Any:
    return torch.mps.compile_shader(SOURCE)


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    out = torch.empty(gate.shape, dtype=gate.dtype, device=gate.device)
    if out.numel():
        _library().swiglu(out, gate.contiguous(), up.contiguous(), threads=out.numel())
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    n, d = x.shape
    out = torch.empty((n, d), dtype=x.dtype, device=x.device)
    if out.numel():
        _library().row_norm(out, x.contiguous(), weight.contiguous(), d, float(eps), threads=n)
    return out
