"""The fused cells of LSTM and GRU, which PyTorch asks of every accelerator and which the CPU does not have.

Written on CPU tensors, after ATen's `RNN.cu`: the same order of gates, the same workspace, so that PyTorch's own
autograd formulas find what they expect.
"""

import torch
from torch import Tensor


def lstm_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    cx: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """`aten::_thnn_fused_lstm_cell`: new hidden state, new cell state, and the activated gates."""
    gates = _with_bias(input_gates, input_bias) + _with_bias(hidden_gates, hidden_bias)
    enter, forget, cell, leave = gates.chunk(4, 1)
    enter, forget, cell, leave = enter.sigmoid(), forget.sigmoid(), cell.tanh(), leave.sigmoid()
    cy = forget * cx + enter * cell
    return leave * cy.tanh(), cy, torch.cat([enter, forget, cell, leave], 1)


def lstm_cell_backward(
    grad_hy: Tensor | None, grad_cy: Tensor | None, cx: Tensor, cy: Tensor, workspace: Tensor, has_bias: bool
) -> tuple[Tensor, Tensor, Tensor | None]:
    """`aten::_thnn_fused_lstm_cell_backward_impl`: gradients of the gates, the cell state and the bias."""
    enter, forget, cell, leave = workspace.chunk(4, 1)
    grad_hidden = torch.zeros_like(cy) if grad_hy is None else grad_hy
    grad_cell = torch.zeros_like(cy) if grad_cy is None else grad_cy
    tanh_cy = cy.tanh()
    grad_cell = grad_cell + grad_hidden * leave * (1 - tanh_cy**2)
    grad_gates = torch.cat(
        [
            grad_cell * cell * enter * (1 - enter),
            grad_cell * cx * forget * (1 - forget),
            grad_cell * enter * (1 - cell**2),
            grad_hidden * tanh_cy * leave * (1 - leave),
        ],
        1,
    )
    return grad_gates, grad_cell * forget, grad_gates.sum(0) if has_bias else None


def gru_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    hx: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """`aten::_thnn_fused_gru_cell`: the new hidden state, and what the backward pass needs."""
    input_reset, input_update, input_new = _with_bias(input_gates, input_bias).chunk(3, 1)
    hidden_reset, hidden_update, hidden_new = _with_bias(hidden_gates, hidden_bias).chunk(3, 1)
    reset, update = (input_reset + hidden_reset).sigmoid(), (input_update + hidden_update).sigmoid()
    new = (input_new + reset * hidden_new).tanh()
    return new + update * (hx - new), torch.cat([reset, update, new, hx, hidden_new], 1)


def gru_cell_backward(
    grad_hy: Tensor, workspace: Tensor, has_bias: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor | None, Tensor | None]:
    """`aten::_thnn_fused_gru_cell_backward`: gradients of both gates, the hidden state and both biases."""
    reset, update, new, hx, hidden_new = workspace.chunk(5, 1)
    grad_new = grad_hy * (1 - update) * (1 - new**2)
    grad_update = grad_hy * (hx - new) * update * (1 - update)
    grad_reset = grad_new * hidden_new * reset * (1 - reset)
    grad_input = torch.cat([grad_reset, grad_update, grad_new], 1)
    grad_hidden = torch.cat([grad_reset, grad_update, grad_new * reset], 1)
    if not has_bias:
        return grad_input, grad_hidden, grad_hy * update, None, None
    return grad_input, grad_hidden, grad_hy * update, grad_input.sum(0), grad_hidden.sum(0)


def _with_bias(gates: Tensor, bias: Tensor | None) -> Tensor:
    return gates if bias is None else gates + bias
