"""Run many graphs of different sizes as one."""

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    # TODO: every graph's edges count from 0, as if it were alone
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1)
    owner = torch.zeros(len(nodes), dtype=torch.int64)
    return nodes, edges, owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    # TODO: right, but one edge at a time
    result = nodes.clone()
    for target in range(len(nodes)):
        sources = edges[0, edges[1] == target]
        if len(sources):
            result[target] += nodes[sources].mean(0)
    return result


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    # TODO
    raise NotImplementedError("read_out")
