# rejected by: packing_ops_do_not_grow: All graphs' edges can be moved at once
# (lean): "as many ops for many graphs as for few ... in pack too": an addition for each graph
"""Run many graphs of different sizes as one."""

import itertools

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    start, moved, owner = 0, [], []
    for number, (nodes, edges) in enumerate(graphs):
        moved.append(edges + start)
        owner.append(torch.full((len(nodes),), number))
        start += len(nodes)
    return torch.cat([n for n, _ in graphs]), torch.cat(moved, 1), torch.cat(owner)


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
