# earns: solved lean
# rsqrt, fma and clamp, parameters in another order, and a lazy class around the library
"""Two kernels in Metal, the language of a Mac's GPU."""

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

kernel void swiglu(device const float* gate, device const float* up, device float* out,
                   uint i [[thread_position_in_grid]]) {
    float half_gate = 0.5f * gate[i];
    float bounded = clamp(half_gate, -60.0f, 60.0f);
    float e = exp(-2.0f * fabs(bounded));
    float s = 1.0f / (1.0f + e);
    if (half_gate < 0.0f) {
        s = e * s;
    }
    out[i] = gate[i] * s * up[i];
}

kernel void row_norm(constant float& eps, constant long& d, device const float* weight, device const float* x,
                     device float* out, uint i [[thread_position_in_grid]]) {
    float sum = 0.0f;
    for (long at = i * d; at < (i + 1) * d; at++) {
        sum = fma(x[at], x[at], sum);
    }
    float width = d;
    float r = rsqrt(sum / width + eps);
    for (long j = 0; j < d; ++j) {
        out[i * d + j] = weight[j] * (r * x[i * d + j]);
    }
}
"""


class Kernels:
    library = None

    @classmethod
    def get(cls):
        if cls.library is None:
            cls.library = torch.mps.compile_shader(SOURCE)
        return cls.library


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    out = torch.empty_like(gate, memory_format=torch.contiguous_format)
    if count := out.numel():
        Kernels.get().swiglu(gate.contiguous(), up.contiguous(), out, threads=count)
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    if out.numel():
        rows, width = out.shape
        Kernels.get().row_norm(float(eps), width, weight.contiguous(), x.contiguous(), out, threads=rows)
    return out
