# rejected by: last_states_are_right: Each sequence ends at its own last step: after it, the hidden
# the returned cell goes on through the (cleaned) padding; promised: "the `hidden` and the `cell` `(n, size)` of each
# sequence at *its own* last step"
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
        gates = torch.addmm(self.bias, x, self.weight_input.T) + hidden @ self.weight_hidden.T
        i, f, g, o = gates.unflatten(1, (4, self.size)).unbind(1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All hidden states, zero after each end, and the two states at each sequence's last step."""
        lengths = lengths.to(padded.device)
        hidden = cell = padded.new_zeros(len(padded), self.size)
        inside = torch.arange(padded.shape[1], device=padded.device) < lengths[:, None]
        padded = torch.where(inside[..., None], padded, torch.zeros_like(padded))
        states = []
        for t, x in enumerate(padded.unbind(1)):
            real = (lengths > t)[:, None]
            new_hidden, new_cell = self.step(x, hidden, cell)
            hidden = torch.where(real, new_hidden, hidden)
            cell = new_cell
            states.append(torch.where(real, new_hidden, torch.zeros_like(hidden)))
        return torch.stack(states, dim=1), hidden, cell
