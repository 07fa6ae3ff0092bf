# rejected by: packing_ops_do_not_grow: All graphs' edges can be moved at once:
# pack adds its start to the edges of one graph after the other
import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    nodes = torch.cat([nodes for nodes, _ in graphs])
    moved, start = [], 0
    for some, edges in graphs:
        moved.append(edges + start)
        start += len(some)
    sizes = torch.tensor([len(nodes) for nodes, _ in graphs], device=nodes.device)
    owner = torch.arange(len(graphs), device=nodes.device).repeat_interleave(sizes)
    return nodes, torch.cat(moved, dim=1), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    source, target = edges
    sums = torch.zeros_like(nodes).index_add_(0, target, nodes[source])
    counts = torch.bincount(target, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    return nodes.new_zeros(graphs, nodes.shape[1]).index_add_(0, owner, nodes)
