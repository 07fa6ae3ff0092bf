# earns: solved lean
import functools

import torch

SOURCE = r"""
#include <metal_stdlib>
#define ONE 1.0f
kernel void swiglu(device float* out, device const float* gate, device const float* up, uint i [[thread_position_in_grid]]) {
    float g = gate[i];
    float s = g > 0 ? ONE / (ONE + metal::precise::exp(-g)) : metal::precise::exp(g) / (ONE + metal::precise::exp(g));
    out[i] = g * s * up[i];
}
kernel void row_norm(device const float* x, device const float* w, device float* out,
                     constant long& d, constant long& row_step, constant long& column_step, constant long& w_step,
                     constant float& eps, uint row [[thread_position_in_grid]]) {
    device const float* p = x + row * row_step;
    float sum = 0.f;
    for (int k = 0; k < (int)d; ++k, p += column_step) sum += *p * *p;
    float inverse = metal::rsqrt(sum / d + eps);
    for (int k = 0; k < (int)d; ++k) {
        out[row * d + k] = x[row * row_step + k * column_step] * inverse * w[k * w_step];
    }
}
"""


@functools.lru_cache(maxsize=1)
def compiled():
    return torch.mps.compile_shader(SOURCE)


def swiglu(gate, up):
    gate, up = gate.contiguous(), up.contiguous()
    out = torch.empty_like(gate)
    if out.numel() != 0:
        compiled().swiglu(out, gate, up)
    return out


def row_norm(x, weight, eps=1e-6):
    out = torch.empty(*x.shape, dtype=x.dtype, device=x.device)
    if 0 in x.shape:
        return out
    compiled().row_norm(x, weight, out, x.shape[1], *x.stride(), *weight.stride(), eps, threads=x.shape[0])
    return out
