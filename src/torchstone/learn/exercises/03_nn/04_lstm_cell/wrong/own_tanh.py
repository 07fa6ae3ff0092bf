# rejected by: far_values_count_in_full: for numbers of any size
# "sigmoid for i, f and o, tanh for g": a tanh of one's own that is ∞ / ∞ for large numbers
"""An LSTM over sequences of different lengths."""

import torch
from torch import Tensor, nn


class LSTM(nn.Module):
    """One layer, batch first, from zero states."""

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.size = size
        bound = size**-0.5
        self.weight_input = nn.Parameter(torch.empty(4 * size, inputs).uniform_(-bound, bound))
        self.weight_hidden = nn.Parameter(torch.empty(4 * size, size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(4 * size).uniform_(-bound, bound))

    def step(self, x: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """One time step: the new hidden state and the new cell state."""
        gates = x @ self.weight_input.T + hidden @ self.weight_hidden.T + self.bias
        i, f, g, o = gates.chunk(4, dim=-1)
        cell = f.sigmoid() * cell + i.sigmoid() * ((2 * g).exp() - 1) / ((2 * g).exp() + 1)
        return o.sigmoid() * cell.tanh(), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All hidden states, zero after each end, and the two states at each sequence's last step."""
        hidden = cell = padded.new_zeros(len(padded), self.size)
        # Emptied before anything is computed: NaN in the padding would reach the weights' gradients as 0 · NaN.
        time = torch.arange(padded.shape[1], device=padded.device)
        padded = torch.where((time < lengths[:, None])[:, :, None], padded, 0)
        states = []
        for t, x in enumerate(padded.unbind(1)):
            running = (t < lengths)[:, None]
            new_hidden, new_cell = self.step(x, hidden, cell)
            # A sequence that has ended keeps its states: where() passes on neither values nor gradients of the padding.
            hidden, cell = torch.where(running, new_hidden, hidden), torch.where(running, new_cell, cell)
            states.append(torch.where(running, new_hidden, 0))
        return torch.stack(states, dim=1), hidden, cell
