# earns: solved lean
# a helper function, pointers to rows and while loops; an object that compiles once
"""Two kernels in Metal, the language of a Mac's GPU."""

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

float sigma(float v) {
    float small = exp(v < 0.0f ? v : -v);
    return (v < 0.0f ? small : 1.0f) / (1.0f + small);
}

kernel void swiglu(device const float* gate, device const float* up, device float* result,
                   uint number [[thread_position_in_grid]]) {
    result[number] = gate[number] * sigma(gate[number]) * up[number];
}

kernel void row_norm(device const float* x, device const float* weight, device float* result,
                     constant float& eps, constant long& width, uint row [[thread_position_in_grid]]) {
    device const float* from = x + row * width;
    device float* to = result + row * width;
    float sum = 0.0f;
    long k = 0;
    while (k < width) {
        sum = sum + from[k] * from[k];
        k = k + 1;
    }
    float root = sqrt(sum / (float)width + eps);
    k = 0;
    while (k < width) {
        to[k] = from[k] / root * weight[k];
        k = k + 1;
    }
}
"""


class Kernels:
    """Compiles when it is first needed."""

    compiled = None

    def __getattr__(self, name):
        if Kernels.compiled is None:
            Kernels.compiled = torch.mps.compile_shader(SOURCE)
        return getattr(Kernels.compiled, name)


KERNELS = Kernels()


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    result = gate.new_empty(gate.shape)
    threads = result.numel()
    if threads > 0:
        KERNELS.swiglu(gate.contiguous(), up.contiguous(), result, threads=threads)
    return result


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    result = x.new_empty(x.shape)
    if 0 not in x.shape:
        KERNELS.row_norm(x.contiguous(), weight.contiguous(), result, float(eps), x.shape[1], threads=x.shape[0])
    return result
