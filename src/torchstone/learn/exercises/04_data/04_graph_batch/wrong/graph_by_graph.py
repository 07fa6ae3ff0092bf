# rejected by: packing_ops_do_not_grow: repeat_interleave
"""Run many graphs of different sizes as one."""

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    start, edges, owner = 0, [], []
    for number, (nodes, own) in enumerate(graphs):
        edges.append(own + start)
        owner.append(torch.full((len(nodes),), number))
        start += len(nodes)
    return torch.cat([nodes for nodes, _ in graphs]), torch.cat(edges, dim=1), torch.cat(owner)


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    source, target = edges
    arrived = torch.zeros_like(nodes).index_add_(0, target, nodes[source])
    count = nodes.new_zeros(len(nodes)).index_add_(0, target, nodes.new_ones(len(target)))
    return nodes + arrived / count.clamp(min=1)[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return nodes.new_zeros(graphs, nodes.shape[1]).index_add_(0, owner, nodes)
