# rejected by: step_is_right: That is what you are writing
# "torch's own LSTMs are what you are writing here, so they are ruled out": a step is torch.lstm_cell
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
        nothing = torch.zeros_like(self.bias)
        return torch.lstm_cell(x, (hidden, cell), self.weight_input, self.weight_hidden, self.bias, nothing)

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All hidden states, zero after each end, and the two states at each sequence's last step."""
        n, time, _ = padded.shape
        lengths = lengths.to(padded.device)
        order = lengths.argsort(descending=True)
        back = order.argsort()
        hidden = cell = padded.new_zeros(n, self.size)
        states = []
        for t in range(time):
            running = int((lengths > t).sum())
            new_hidden, new_cell = self.step(padded[order[:running], t], hidden[:running], cell[:running])
            hidden = torch.cat([new_hidden, hidden[running:]])
            cell = torch.cat([new_cell, cell[running:]])
            states.append(torch.cat([new_hidden, new_hidden.new_zeros(n - running, self.size)]))
        return torch.stack(states, dim=1)[back], hidden[back], cell[back]
