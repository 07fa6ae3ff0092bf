"""Grades graph_batch: every graph alone, node by node, as the reference; ops counted for few graphs and for many."""

import torch
from torch import Tensor

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_same,
    expect_same_ops,
    looks_like,
    when,
)

PROMISES = {
    "Put side by side they are *one* graph whose parts": None,
    "`owner` may come in any order.": "read_out_is_right",
    "also where features of another graph, or of nodes that send nothing here": "nothing_reaches_other_graphs",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

PACKS = [((1, 0),), ((2, 1),), ((1, 1), (2, 2)), ((3, 2), (1, 0), (2, 4)), ((0, 0), (2, 1), (0, 0)), ((4, 7), (5, 3))]
"""Nodes and edges of each graph."""
GRAPHS = [(1, 0), (1, 2), (2, 1), (3, 5), (6, 4), (5, 12)]
DTYPES = (torch.float32, torch.float64)
Graph = tuple[Tensor, Tensor]


def graph(draw: Draw, nodes: int, edges: int, features: int = 2) -> Graph:
    ends = draw.integers(2, edges, high=nodes) if nodes else draw.place(torch.zeros(2, 0), torch.int64)
    return draw.normal(nodes, features), ends


def several(draw: Draw, *sizes: tuple[int, int]) -> list[Graph]:
    return [graph(draw, *size) for size in sizes]


def owned(draw: Draw, nodes: int, graphs: int) -> tuple[Tensor, Tensor, int]:
    return draw.normal(nodes, 3), draw.integers(nodes, high=max(1, graphs - 1)), graphs


def packed(graphs: list[Graph]) -> tuple[Tensor, Tensor, Tensor]:
    start, edges, owner = 0, [], []
    for number, (nodes, ends) in enumerate(graphs):
        edges += [(int(a) + start, int(b) + start) for a, b in ends.T]
        owner += [number] * len(nodes)
        start += len(nodes)
    all_edges = torch.tensor(edges, dtype=torch.int64).reshape(-1, 2).T
    return torch.cat([nodes for nodes, _ in graphs]), all_edges, torch.tensor(owner, dtype=torch.int64)


def messages(nodes: Tensor, edges: Tensor) -> Tensor:
    result = nodes.double().clone()
    for target in range(len(nodes)):
        senders = [nodes[int(a)].double() for a, b in edges.T if int(b) == target]
        if senders:
            result[target] += torch.stack(senders).mean(0)
    return result.to(nodes.dtype)


def sums(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    rows = [nodes[owner == number].double().sum(0) for number in range(graphs)]
    return torch.stack(rows).to(nodes.dtype)


@check("solved")
def packing_is_right(answer: Answer, draw: Draw) -> None:
    teach = "Edges are numbered anew: by as many as there are nodes in the graphs before it."
    for graphs in draw.cases(several, PACKS):
        expect_same(answer.pack, packed, graphs, teach=teach)
    alone = (draw.normal(3, 2), draw.place(torch.tensor([[0], [1]]), torch.int64))  # its last node has no edge
    expect_same(answer.pack, packed, [alone, graph(draw, 2, 3), alone, graph(draw, 2, 2)], teach=teach)


@check("solved")
def messages_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda nodes, edges: messages(nodes, edges.flip(0)), "Messages go from edges[0] to edges[1], not back."
        ),
        when(
            lambda got, expected: bool(got.isnan().any()),
            "A node without incoming edges divides 0 by 0: it keeps its own features.",
        ),
        looks_like(
            lambda nodes, edges: nodes + torch.zeros_like(nodes).index_add(0, edges[1], nodes[edges[0]]),
            "These are the sums of what arrives; the task asks for the mean.",
        ),
    ]
    teach = (
        "A node's own features plus the mean of its senders; index_add_ adds up, where plain indexing keeps the last."
    )
    for case in draw.cases(graph, GRAPHS, dtypes=DTYPES, layouts=("strided",)):
        expect_same(answer.pass_messages, messages, *case, diagnose=known, teach=teach)


@check("solved")
def read_out_is_right(answer: Answer, draw: Draw) -> None:
    teach = "The sum of each graph's nodes; the last graphs may be without nodes and are zeros then."
    for case in draw.cases(owned, [(1, 1), (3, 2), (6, 4), (2, 5)], dtypes=DTYPES):
        expect_same(answer.read_out, sums, *case, teach=teach)


@check("lean")
def ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    expect_same_ops(answer.pass_messages, graph(draw, 6, 12), graph(draw, 1_200, 2_400))
    expect_same_ops(answer.read_out, owned(draw, 6, 3), owned(draw, 1_200, 600))


@check("lean")
def packing_ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    teach = "All graphs' edges can be moved at once: repeat_interleave gives each edge its graph's offset."
    few, many = several(draw, *[(3, 4)] * 3), several(draw, *[(3, 4)] * 140)
    expect_same_ops(answer.pack, (few,), (many,), count_lines=False, teach=teach)


@check("solved")
def graphs_without_nodes_keep_their_number(answer: Answer, draw: Draw) -> None:
    teach = "A graph without nodes has a number all the same: the graphs after it are counted on from there."
    gaps = [
        ((2, 1), (0, 0), (3, 2)),
        ((1, 0), (0, 0), (0, 0), (2, 2), (0, 0), (1, 1)),
        ((0, 0), (0, 0), (2, 0), (2, 3)),
        ((3, 4), (0, 0)),
        ((0, 0),),
        ((0, 0), (0, 0)),
        tuple((number % 3, 2 * (number % 3)) for number in range(70)),
    ]
    for graphs in draw.cases(several, gaps):
        expect_same(answer.pack, packed, graphs, teach=teach)


@check("solved")
def nothing_reaches_other_graphs(answer: Answer, draw: Draw) -> None:
    """Infinity and NaN in one node: only who hears of it has one, in float64 too."""
    teach = "Only senders count, and only a graph's own nodes: a dense matrix or a running sum carries a NaN to others."
    for nodes in draw.cases(lambda draw: draw.normal(6, 2), [()], dtypes=DTYPES):
        nodes[4, 0], nodes[5, 1] = torch.nan, torch.inf
        edges = draw.place(torch.tensor([[0, 1, 4, 2, 5, 5], [1, 2, 3, 0, 3, 4]]), torch.int64)
        expect_same(answer.pass_messages, messages, nodes, edges, teach=teach)
        for owner in ([0, 0, 1, 3, 3, 3], [3, 2, 1, 0, 1, 0], [0, 2, 1, 1, 3, 3]):
            expect_same(answer.read_out, sums, nodes, draw.place(torch.tensor(owner), torch.int64), 5, teach=teach)


@check("solved")
def features_are_exact(answer: Answer, draw: Draw) -> None:
    """Far values, and float64 beyond what float32 holds."""
    teach = "Features keep their dtype on the whole way, and nothing is held within bounds."
    on_cpu = draw.on(torch.device("cpu"))
    for scale in (1.0, 1e9, 1e200):
        graphs = [(nodes.double() * scale + scale / 3, edges) for nodes, edges in several(on_cpu, (3, 4), (2, 3))]
        nodes, edges, owner = packed(graphs)
        got = answer.pack(graphs)
        expect(got[0].dtype == torch.float64, f"packed float64 features are {got[0].dtype}", teach=teach)
        expect(torch.equal(got[0], nodes), "packed float64 features are not exactly those of the graphs", teach=teach)
        how = {"teach": teach, "rtol": 1e-12, "atol": 0.0}
        expect_close(answer.pass_messages(nodes, edges), messages(nodes, edges), what="messages in float64", **how)
        expect_close(answer.read_out(nodes, owner, 2), sums(nodes, owner, 2), what="sums in float64", **how)
