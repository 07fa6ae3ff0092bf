# rejected by: last_states_are_right: Each sequence ends at its own last step
# "the `hidden` and the `cell` `(n, size)` of each sequence at *its own* last step": the cell runs on through the
# padding
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
        i, f, g, o = gates.chunk(4, dim=1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All hidden states, zero after each end, and the two states at each sequence's last step."""
        inside = torch.arange(padded.shape[1], device=padded.device) < lengths[:, None]
        padded = torch.where(inside[..., None], padded, 0.0)
        hidden = cell = self.bias.new_zeros(len(padded), self.size)
        states = []
        for time, x in enumerate(padded.unbind(1)):
            now = inside[:, time, None]
            new_hidden, new_cell = self.step(x, hidden, cell)
            hidden = torch.where(now, new_hidden, hidden)
            cell = new_cell
            states.append(torch.where(now, new_hidden, 0.0))
        return torch.stack(states, dim=1), hidden, cell
