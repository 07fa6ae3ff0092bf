# rejected by: states_are_right: Row t holds the hidden state at step t
# "lengths ... in any order": the batch is cut down to its first rows as sequences end, as if it were sorted
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
        n, time, _ = padded.shape
        hidden, cell = padded.new_zeros(n, self.size), padded.new_zeros(n, self.size)
        states = []
        for t in range(time):
            active = int((lengths > t).sum())
            new_hidden, new_cell = self.step(padded[:active, t], hidden[:active], cell[:active])
            hidden = torch.cat([new_hidden, hidden[active:]])
            cell = torch.cat([new_cell, cell[active:]])
            states.append(torch.cat([new_hidden, padded.new_zeros(n - active, self.size)]))
        return torch.stack(states, dim=1), hidden, cell
