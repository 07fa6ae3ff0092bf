# earns: solved lean
# helper functions and pointers in Metal, other orders of the parameters, a class that launches
"""Two kernels in Metal: helper functions, pointers that walk, and a library that is made when it is first needed."""

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

float gated(float gate, float up) {
    if (gate < -80.0f) {
        return gate * exp(gate) * up;
    }
    return gate / (1.0f + exp(-gate)) * up;
}

float mean_of_squares(device const float* row, long d) {
    float total = 0.0f;
    long j = 0;
    while (j < d) {
        total = total + row[j] * row[j];
        j = j + 1;
    }
    return total / float(d);
}

kernel void swiglu(device const float* gate, device const float* up, device float* out,
                   uint i [[thread_position_in_grid]]) {
    out[i] = gated(gate[i], up[i]);
}

kernel void row_norm(device const float* x, device const float* weight, device float* out, constant float& eps,
                     constant long& d, uint i [[thread_position_in_grid]]) {
    device const float* from = x + i * d;
    device float* to = out + i * d;
    float scale = 1.0f / sqrt(mean_of_squares(from, d) + eps);
    for (int j = 0; j < d; ++j) {
        to[j] = from[j] * scale * weight[j];
    }
}
"""


class Shaders:
    """Launches kernels of SOURCE, which is compiled at most once."""

    compiled = None

    @classmethod
    def launch(cls, name: str, threads: int, *arguments: Tensor | float | int) -> None:
        if cls.compiled is None:
            cls.compiled = torch.mps.compile_shader(SOURCE)
        if threads:
            getattr(cls.compiled, name)(*arguments, threads=threads)


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    gate, up = gate.contiguous(), up.contiguous()
    out = gate.new_empty(gate.shape)
    Shaders.launch("swiglu", out.numel(), gate, up, out)
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    x, weight = x.contiguous(), weight.contiguous()
    out = x.new_empty(x.shape)
    Shaders.launch("row_norm", x.shape[0] if x.shape[1] else 0, x, weight, out, float(eps), x.shape[1])
    return out
