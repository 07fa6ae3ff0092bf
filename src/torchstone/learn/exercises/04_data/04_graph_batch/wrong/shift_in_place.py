# rejected by: packing_is_right: The caller still needs what it handed in
# pack writes the shifts into the caller's own edges
"""Run many graphs of different sizes as one."""

import itertools

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    start, owner = 0, []
    for number, (nodes, edges) in enumerate(graphs):
        edges += start
        start += len(nodes)
        owner += [number] * len(nodes)
    return (
        torch.cat([n for n, _ in graphs]),
        torch.cat([e for _, e in graphs], 1),
        torch.tensor(owner, dtype=torch.int64),
    )


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
