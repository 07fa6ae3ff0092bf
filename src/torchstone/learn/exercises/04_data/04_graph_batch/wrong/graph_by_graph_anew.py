# rejected by: packing_ops_do_not_grow: All graphs' edges can be moved at once
# right, but each graph's edges get an addition and each owner a tensor of its own; 'as many ops for many graphs as
# for few ... in `pack` too'
"""Run many graphs of different sizes as one."""

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    nodes = torch.cat([nodes for nodes, _ in graphs])
    moved, owners, start = [], [], 0
    for number, (own, edges) in enumerate(graphs):
        moved.append(edges + start)
        owners.append(torch.full((len(own),), number, device=nodes.device))
        start += len(own)
    return nodes, torch.cat(moved, dim=1), torch.cat(owners)


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    source, target = edges
    sums = torch.zeros_like(nodes).index_add_(0, target, nodes[source])
    counts = torch.bincount(target, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return nodes.new_zeros(graphs, nodes.shape[1]).index_add_(0, owner, nodes)
