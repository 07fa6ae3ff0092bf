# earns: solved
# each sequence by itself, up to its own end, and padding never looked at
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
        time = padded.shape[1]
        states, hiddens, cells = [], [], []
        for sequence, length in zip(padded, lengths.tolist(), strict=True):
            hidden = cell = padded.new_zeros(1, self.size)
            steps = []
            for moment in range(length):
                hidden, cell = self.step(sequence[moment : moment + 1], hidden, cell)
                steps.append(hidden)
            states.append(nn.functional.pad(torch.cat(steps), (0, 0, 0, time - length)))
            hiddens.append(hidden)
            cells.append(cell)
        return torch.stack(states), torch.cat(hiddens), torch.cat(cells)
