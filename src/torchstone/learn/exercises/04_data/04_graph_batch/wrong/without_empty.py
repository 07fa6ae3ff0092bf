# rejected by: packing_is_right: Edges are numbered anew: by as many as there are nodes in
# graphs without nodes are left out, so those behind them get another number; 'for each node the number of its graph,
# int64. A graph may have no edges, or no nodes.'
"""Run many graphs of different sizes as one."""

from itertools import accumulate

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    graphs = [graph for graph in graphs if len(graph[0])] or graphs[:1]
    sizes = [len(nodes) for nodes, _ in graphs]
    device = graphs[0][0].device
    facts = [sizes, [edges.shape[1] for _, edges in graphs], list(accumulate(sizes, initial=0))[:-1]]
    counts, edge_counts, starts = torch.tensor(facts, dtype=torch.int64, device=device)
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1) + starts.repeat_interleave(edge_counts)
    owner = torch.arange(len(graphs), device=device).repeat_interleave(counts)
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
