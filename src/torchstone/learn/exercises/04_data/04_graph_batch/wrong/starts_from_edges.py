# rejected by: packing_is_right: Edges are numbered anew: by as many as
# edges are numbered anew by the largest node that an edge names, which is wrong where the last nodes have no edge
import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1)
    sizes = torch.tensor([len(nodes) for nodes, _ in graphs], device=nodes.device)
    counts = torch.tensor([edges.shape[1] for _, edges in graphs], device=nodes.device)
    used = torch.tensor([int(edges.max()) + 1 if edges.numel() else 0 for _, edges in graphs], device=nodes.device)
    starts = used.cumsum(0) - used
    owner = torch.arange(len(graphs), device=nodes.device).repeat_interleave(sizes)
    return nodes, edges + starts.repeat_interleave(counts), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    source, target = edges
    sums = torch.zeros_like(nodes).index_add_(0, target, nodes[source])
    counts = torch.bincount(target, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    return nodes.new_zeros(graphs, nodes.shape[1]).index_add_(0, owner, nodes)
