# earns: solved lean
# numbers of nodes and edges in Python lists, two tensors made from them, index_put
"""Run many graphs of different sizes as one."""

from itertools import accumulate

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    all_nodes, all_edges = zip(*graphs)
    nodes, edges = torch.cat(all_nodes, 0), torch.cat(all_edges, 1)
    starts = accumulate((one.shape[0] for one in all_nodes), initial=0)
    shift = [start for one, start in zip(all_edges, starts) for _ in range(one.shape[1])]
    owner = [number for number, one in enumerate(all_nodes) for _ in range(one.shape[0])]
    edges = edges + torch.tensor(shift, dtype=torch.int64, device=edges.device)
    return nodes, edges, torch.tensor(owner, dtype=torch.int64, device=nodes.device)


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    sent = nodes.index_select(0, edges[0])
    arrived = torch.zeros_like(nodes).index_put((edges[1],), sent, accumulate=True)
    ones = torch.ones_like(edges[1], dtype=nodes.dtype)
    count = nodes.new_zeros(nodes.shape[0]).index_put((edges[1],), ones, accumulate=True).unsqueeze(1)
    return nodes + torch.where(count > 0, arrived / count, 0)


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return nodes.new_zeros(graphs, nodes.shape[1]).index_put((owner,), nodes, accumulate=True)
