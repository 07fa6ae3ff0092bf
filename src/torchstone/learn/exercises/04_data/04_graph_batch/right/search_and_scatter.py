# earns: solved lean
# owners by searchsorted, sums by scatter_add and index_put
"""Run many graphs of different sizes as one."""

from itertools import accumulate

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    features, links = zip(*graphs, strict=True)
    nodes = torch.cat(features)
    edges = torch.cat(links, dim=1)
    ends = list(accumulate(map(len, features)))
    node_ends = torch.tensor(ends, device=nodes.device)
    edge_ends = torch.tensor(list(accumulate(one.shape[1] for one in links)), device=nodes.device)
    starts = torch.tensor([0, *ends[:-1]], device=nodes.device)
    owner = torch.searchsorted(node_ends, torch.arange(len(nodes), device=nodes.device), right=True)
    graph_of_edge = torch.searchsorted(edge_ends, torch.arange(edges.shape[1], device=nodes.device), right=True)
    return nodes, edges + starts[graph_of_edge], owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    senders, receivers = edges[0], edges[1]
    incoming = nodes.new_zeros(len(nodes)).index_put((receivers,), nodes.new_ones(()), accumulate=True)
    share = incoming.clamp(min=1).reciprocal()[receivers]
    return nodes.index_put((receivers,), nodes[senders] * share.unsqueeze(1), accumulate=True)


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    where = owner.unsqueeze(1).expand_as(nodes)
    return nodes.new_zeros((graphs, nodes.shape[1])).scatter_add(0, where, nodes)
