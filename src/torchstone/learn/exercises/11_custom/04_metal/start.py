"""Two kernels in Metal, the language of a Mac's GPU."""

import torch
from torch import Tensor

SOURCE = """
#include <metal_stdlib>
using namespace metal;

kernel void swiglu(device float* out, device const float* gate, device const float* up,
                   uint i [[thread_position_in_grid]]) {
    // TODO
    out[i] = gate[i] * up[i];
}

// TODO: kernel void row_norm(…)
"""


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """gate · σ(gate) · up."""
    # TODO: compiled anew each time; and what of strides, and of no numbers at all?
    library = torch.mps.compile_shader(SOURCE)
    out = torch.empty_like(gate)
    library.swiglu(out, gate, up, threads=out.numel())
    return out


def row_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Each row divided by its root mean square, times weight."""
    # TODO
    raise NotImplementedError("row_norm")
