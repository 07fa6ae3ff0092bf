# earns: solved
# each sequence alone, cut at its end, then padded with zeros
"""An LSTM over sequences of different lengths."""

import torch
from torch import Tensor, nn
from torch.nn import functional


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
        gates = functional.linear(x, self.weight_input, self.bias) + functional.linear(hidden, self.weight_hidden)
        size = self.size
        take, keep, new, show = (
            gates[:, :size],
            gates[:, size : 2 * size],
            gates[:, 2 * size : 3 * size],
            gates[:, 3 * size :],
        )
        cell = cell * torch.sigmoid(keep) + torch.sigmoid(take) * torch.tanh(new)
        return torch.tanh(cell) * torch.sigmoid(show), cell

    def _alone(self, sequence: Tensor, time: int) -> tuple[Tensor, Tensor, Tensor]:
        hidden, cell = sequence.new_zeros(1, self.size), sequence.new_zeros(1, self.size)
        states = []
        for x in sequence.split(1):
            hidden, cell = self.step(x, hidden, cell)
            states.append(hidden)
        return functional.pad(torch.cat(states), (0, 0, 0, time - len(states))), hidden[0], cell[0]

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All hidden states, zero after each end, and the two states at each sequence's last step."""
        time = padded.shape[1]
        rows = [self._alone(one[:length], time) for one, length in zip(padded, lengths.tolist())]
        states, hidden, cell = map(torch.stack, zip(*rows))
        return states, hidden, cell
