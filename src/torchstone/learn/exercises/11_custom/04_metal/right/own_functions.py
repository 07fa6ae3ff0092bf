# earns: solved lean
# functions of its own in Metal, an if for the sign, moving pointers and while loops
"""Two kernels in Metal, the language of a Mac's GPU."""

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

float sigma(float v) {
    if (v >= 0.0f) {
        return 1.0f / (1.0f + exp(-v));
    }
    float e = exp(v);
    return e / (1.0f + e);
}

kernel void swiglu(device float* out, device const float* gate, device const float* up,
                   uint i [[thread_position_in_grid]]) {
    out[i] = gate[i] * sigma(gate[i]) * up[i];
}

kernel void row_norm(device float* out, device const float* x, device const float* weight,
                     constant long& d, constant float& eps, uint row [[thread_position_in_grid]]) {
    device const float* mine = x + row * d;
    device float* target = out + row * d;
    float squares = 0.0f;
    long j = 0;
    while (j < d) {
        float v = mine[j];
        squares = squares + v * v;
        j = j + 1;
    }
    float mean = squares / d;
    float scale = 1.0f / sqrt(mean + eps);
    j = 0;
    while (j < d) {
        target[j] = mine[j] * scale * weight[j];
        j = j + 1;
    }
}
"""

_compiled: list = []


def _library():
    if not _compiled:
        _compiled.append(torch.mps.compile_shader(SOURCE))
    return _compiled[0]


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    gate, up = gate.contiguous(), up.contiguous()
    out = gate.new_empty(gate.shape)
    if gate.numel() == 0:
        return out
    _library().swiglu(out, gate, up, threads=gate.numel())
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    n, d = x.shape
    out = x.new_empty((n, d))
    if n == 0 or d == 0:
        return out
    _library().row_norm(out, x.contiguous(), weight.contiguous(), d, float(eps), threads=n)
    return out
