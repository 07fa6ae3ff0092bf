# rejected by: packing_ops_do_not_grow: All graphs' edges can be moved at once: repeat_interleave gives each edge
# an op for each graph makes the owners; 'as many ops for many graphs as for few, in `pass_messages`, in `read_out`,
# and in `pack` too'
"""Run many graphs of different sizes as one."""

from itertools import accumulate

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    sizes = [len(nodes) for nodes, _ in graphs]
    device = graphs[0][0].device
    facts = [sizes, [edges.shape[1] for _, edges in graphs], list(accumulate(sizes, initial=0))[:-1]]
    counts, edge_counts, starts = torch.tensor(facts, dtype=torch.int64, device=device)
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1) + starts.repeat_interleave(edge_counts)
    owner = torch.cat([torch.full((n,), i, device=device) for i, n in enumerate(sizes)])
    return nodes, edges, owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    source, target = edges
    sums = torch.zeros_like(nodes).index_add(0, target, nodes[source])
    counts = torch.bincount(target, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    empty = nodes.new_zeros(graphs, nodes.shape[1])
    return empty.scatter_add(0, owner[:, None].expand_as(nodes), nodes)
