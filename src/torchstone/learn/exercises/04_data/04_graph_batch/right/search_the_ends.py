# earns: solved lean
# owners by searchsorted in the ends; messages by scatter_reduce with mean
"""Run many graphs of different sizes as one."""

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1)
    sizes = torch.tensor([(len(x), e.shape[1]) for x, e in graphs], dtype=torch.int64, device=nodes.device)
    node_ends, edge_ends = sizes.cumsum(0).T.contiguous()
    owner = torch.searchsorted(node_ends, torch.arange(len(nodes), device=nodes.device), right=True)
    graph = torch.searchsorted(edge_ends, torch.arange(edges.shape[1], device=nodes.device), right=True)
    return nodes, edges + (node_ends - sizes[:, 0])[graph], owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    sent = nodes.index_select(0, edges[0])
    where = edges[1].unsqueeze(1).expand_as(sent)
    return nodes + torch.zeros_like(nodes).scatter_reduce(0, where, sent, "mean", include_self=False)


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return nodes.new_zeros(graphs, nodes.shape[1]).scatter_add(0, owner[:, None].expand_as(nodes), nodes)
