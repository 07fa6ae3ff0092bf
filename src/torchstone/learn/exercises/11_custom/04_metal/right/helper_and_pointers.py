# earns: solved lean
# a helper function, pointers to the row and while loops in Metal, a global for the library
"""Two kernels in Metal, the language of a Mac's GPU."""

from typing import Any

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

float sigma(float g) {
    if (g >= 0.0f) {
        return 1.0f / (1.0f + exp(-g));
    }
    float e = exp(g);
    return e / (1.0f + e);
}

kernel void swiglu(device float* out, device const float* gate, device const float* up,
                   uint i [[thread_position_in_grid]]) {
    out[i] = gate[i] * sigma(gate[i]) * up[i];
}

kernel void row_norm(device float* out, device const float* x, device const float* weight, constant long& d,
                     constant float& eps, uint i [[thread_position_in_grid]]) {
    device const float* from = x + i * d;
    device float* to = out + i * d;
    float sum = 0.0f;
    long j = 0;
    while (j < d) {
        sum = sum + from[j] * from[j];
        j = j + 1;
    }
    float size = sqrt(sum / d + eps);
    j = 0;
    while (j < d) {
        to[j] = from[j] / size * weight[j];
        j = j + 1;
    }
}
"""

_library: Any = None


def _launch(name: str, *arguments: Any, threads: int) -> None:
    global _library
    if threads == 0:
        return
    if _library is None:
        _library = torch.mps.compile_shader(SOURCE)
    getattr(_library, name)(*arguments, threads=threads)


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    gate, up = gate.contiguous(), up.contiguous()
    out = torch.empty_like(gate)
    _launch("swiglu", out, gate, up, threads=gate.numel())
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    n, d = x.shape
    x, weight = x.contiguous(), weight.contiguous()
    out = x.new_empty(n, d)
    _launch("row_norm", out, x, weight, d, float(eps), threads=n if d else 0)
    return out
