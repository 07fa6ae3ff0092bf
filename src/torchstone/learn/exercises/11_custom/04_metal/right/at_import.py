# earns: solved lean
import torch

SOURCE = """
#include <metal_stdlib>
using namespace metal;

static inline float silu(float v) {
    return v * (1.0 / (1.0 + metal::exp(-v)));
}

kernel void swiglu(device float* result [[buffer(0)]],
                   constant float* gate [[buffer(1)]],
                   constant float* up [[buffer(2)]],
                   constant long& n [[buffer(3)]],
                   uint index [[thread_position_in_grid]])
{
    if (index >= n) return;
    result[index] = silu(gate[index]) * up[index];
}

kernel void row_norm(constant float& eps, constant long& d, constant float* weight, constant float* x,
                     device float* y, uint r [[thread_position_in_grid]])
{
    float total = 0;
    uint j = 0;
    while (j < d) { total = fma(x[r * d + j], x[r * d + j], total); ++j; }
    const float root = sqrt(total / float(d) + eps);
    for (j = 0; j < d; j += 1) *(y + r * d + j) = x[r * d + j] / root * weight[j];
}
"""
LIBRARY = torch.mps.compile_shader(SOURCE)


def swiglu(gate, up):
    result = torch.empty_like(gate, memory_format=torch.contiguous_format)
    n = gate.numel()
    if n > 0:
        LIBRARY.swiglu(result, gate.contiguous(), up.contiguous(), n, threads=n, group_size=min(n, 64))
    return result


def row_norm(x, weight, eps=1e-6):
    n, d = x.shape
    y = x.new_empty((n, d))
    if n and d:
        LIBRARY.row_norm(float(eps), d, weight.contiguous(), x.contiguous(), y, threads=(n, 1, 1))
    return y
