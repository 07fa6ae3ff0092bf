# rejected by: packing_ops_do_not_grow: All graphs' edges can be moved at once
# "as many ops for many graphs as for few, in `pass_messages`, in `read_out`, and in `pack` too": adds the offset
# graph by graph
"""Run many graphs of different sizes as one."""

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    nodes = torch.cat([nodes for nodes, _ in graphs])
    shifted, start = [], 0
    for features, edges in graphs:
        shifted.append(edges + start)
        start += len(features)
    sizes = torch.tensor([len(nodes) for nodes, _ in graphs], device=nodes.device)
    owner = torch.repeat_interleave(torch.arange(len(graphs), device=nodes.device), sizes)
    return nodes, torch.cat(shifted, dim=1), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    sources, targets = edges
    sums = torch.zeros_like(nodes).index_add(0, targets, nodes[sources])
    counts = torch.bincount(targets, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return nodes.new_zeros(graphs, nodes.shape[1]).index_add(0, owner, nodes)
