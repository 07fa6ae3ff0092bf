# earns: solved
# torch's packing, steps over a batch that shrinks
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence


class LSTM(nn.Module):
    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.size = size
        bound = size**-0.5
        self.weight_input = nn.Parameter(torch.empty(4 * size, inputs).uniform_(-bound, bound))
        self.weight_hidden = nn.Parameter(torch.empty(4 * size, size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(4 * size).uniform_(-bound, bound))

    def step(self, x: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        gates = functional.linear(x, self.weight_input, self.bias) + functional.linear(hidden, self.weight_hidden)
        i, f, g, o = gates.chunk(4, dim=-1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(cell), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n, time, _ = padded.shape
        hidden = padded.new_zeros(n, self.size)
        if n == 0:
            return padded.new_zeros(0, time, self.size), hidden, hidden.clone()
        packed = pack_padded_sequence(padded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        sizes = packed.batch_sizes.tolist()
        cell = hidden
        states, done_hidden, done_cell = [], [], []
        for x, size in zip(packed.data.split(sizes), sizes):
            done_hidden.append(hidden[size:])
            done_cell.append(cell[size:])
            hidden, cell = self.step(x, hidden[:size], cell[:size])
            states.append(hidden)
        done_hidden.append(hidden)
        done_cell.append(cell)
        back = packed.unsorted_indices
        result = PackedSequence(torch.cat(states), packed.batch_sizes, packed.sorted_indices, back)
        outputs, _ = pad_packed_sequence(result, batch_first=True, total_length=time)
        return outputs, torch.cat(done_hidden[::-1])[back], torch.cat(done_cell[::-1])[back]
