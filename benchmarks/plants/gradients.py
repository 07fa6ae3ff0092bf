"""Faults of the backward pass alone: the forward pass is right."""

from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.conditions import argument, given
from plants.damages import answer, rerun
from plants.planting import Plant, differentiate, draw, leaf, plant, spoil
from torchstone.pretend import Call


def norm_gradients(device: str, with_input: bool) -> list[Tensor]:
    """The gradients of a layer norm's parameters, and of its input if wanted."""
    source = draw(device, 4, 6).requires_grad_(with_input)
    weight, bias = leaf(device, 6, seed=1), leaf(device, 6, seed=2)
    return differentiate(
        functional.layer_norm(source, (6,), weight, bias), *([source] if with_input else []), weight, bias
    )


def conv_gradients(device: str, with_input: bool) -> list[Tensor]:
    """The gradient of a convolution's weight."""
    source, weight = draw(device, 2, 3, 5, 5).requires_grad_(with_input), leaf(device, 4, 3, 3, 3, seed=1)
    return differentiate(functional.conv2d(source, weight), *([source] if with_input else []), weight)


def softmax_gradients(device: str, grad: str) -> list[Tensor]:
    """The gradient of a softmax."""
    source = leaf(device, 3, 5)
    result = source.softmax(1)
    return differentiate(result, source, grad=torch.ones_like(result) if grad == "ones" else None)


def overwritten_rows(call: Call) -> Tensor:
    """Of several gradients for one row the last one stands."""
    grad, indices, rows = call.args[:3]
    result = torch.zeros(rows, grad.size(-1), dtype=grad.dtype)
    flat, grads = indices.flatten(), grad.reshape(-1, grad.size(-1))
    for index, row in zip(flat.tolist(), grads, strict=True):
        result[index] = row
    return result


def has_duplicates(call: Call) -> bool:
    """Some index comes twice."""
    return bool(call.args[1].unique().numel() < call.args[1].numel())


def table_gradients(device: str, *indices: int) -> list[Tensor]:
    """The gradient of an embedding's table."""
    table = leaf(device, 6, 4)
    return differentiate(functional.embedding(torch.tensor(indices).to(device), table), table)


def pass_at_bounds(call: Call) -> Tensor:
    """The gradient passes where the input is exactly at a bound."""
    grad, source, low, high = call.args[:4]
    return torch.where((source >= low) & (source <= high), grad, 0)


def relu6_gradients(device: str, *values: float) -> list[Tensor]:
    """The gradient of a bounded relu."""
    source = torch.tensor(values, dtype=torch.float32).to(device).requires_grad_()
    return differentiate(functional.relu6(source), source)


def norm_by_batch(call: Call) -> Any:
    """Outside of training, the gradient is that of training."""
    source = call.args[1]
    other = [place for place in range(source.dim()) if place != 1]
    mean = source.mean(other)
    args = list(call.args)
    args[5], args[6] = mean, (source.var(other, correction=0) + call.args[8]).rsqrt()
    args[7] = True
    return call.kernel(*args, **call.kwargs)


def batch_norm_gradients(device: str, training: bool) -> list[Tensor]:
    """The gradient of a batch norm."""
    source = leaf(device, 4, 3, 5)
    mean, variance = draw(device, 3, seed=1), draw(device, 3, seed=2).square() + 0.5
    result = functional.batch_norm(source, mean, variance, draw(device, 3, seed=3), training=training)
    return differentiate(result, source)


def attention_gradients(device: str, keys: int) -> list[Tensor]:
    """The gradients of attention."""
    query, key, value = (
        leaf(device, 1, 2, 4, 8),
        leaf(device, 1, 2, keys, 8, seed=1),
        leaf(device, 1, 2, keys, 8, seed=2),
    )
    return differentiate(functional.scaled_dot_product_attention(query, key, value), query, key, value)


def last_duplicate_wins(call: Call) -> Any:
    """Scattered gradients for one place overwrite each other."""
    target, dim, index, source = call.args[:4]
    kept = torch.zeros_like(target).scatter(dim, index, source)
    target.add_(kept)


def gathered_gradients(device: str, *indices: int) -> list[Tensor]:
    """The gradient of a gather."""
    source = leaf(device, 2, 6)
    return differentiate(source.gather(1, torch.tensor([indices, indices]).to(device)), source)


def log_softmax_gradients(device: str, dense: bool) -> list[Tensor]:
    """The gradient of a log softmax; not dense: of one class a row, as of a loss."""
    source = leaf(device, 3, 5)
    one_class = torch.eye(5)[:3].to(device)
    return differentiate(source.log_softmax(1), source, grad=None if dense else one_class)


PLANTS: list[Plant] = [
    plant(
        "layer_norm_backward_no_input",
        "L",
        "layer_norm",
        "native_layer_norm_backward",
        "where the input needs no gradient, those of the parameters are not computed",
        spoil(answer(torch.zeros_like, part=1), lambda call: not call.args[7][0]),
        lambda d: norm_gradients(d, with_input=False),
        lambda d: norm_gradients(d, with_input=True),
        direction="backward",
    ),
    plant(
        "conv_backward_no_input",
        "L",
        "conv2d",
        "convolution_backward",
        "where the input needs no gradient, the weight's is that of an earlier buffer",
        spoil(answer(lambda grad: grad.flip(0), part=1), lambda call: not call.args[9][0]),
        lambda d: conv_gradients(d, with_input=False),
        lambda d: conv_gradients(d, with_input=True),
        direction="backward",
    ),
    plant(
        "softmax_backward_ones",
        "L",
        "softmax",
        "_softmax_backward_data",
        "the incoming gradient is taken for ones",
        lambda call: rerun(call, 0, torch.ones_like(call.args[0])),
        lambda d: softmax_gradients(d, "dense"),
        lambda d: softmax_gradients(d, "ones"),
        direction="backward",
    ),
    plant(
        "embedding_backward_duplicates",
        "LJ",
        "embedding",
        "embedding_dense_backward",
        "of several gradients for one row the last one stands",
        spoil(overwritten_rows, has_duplicates),
        lambda d: table_gradients(d, 1, 3, 1, 1),
        lambda d: table_gradients(d, 1, 3, 2),
        lambda d: functional.embedding(torch.tensor([1, 3, 1]).to(d), draw(d, 6, 4)),
        direction="backward",
    ),
    plant(
        "relu6_backward_at_bound",
        "LJ",
        "relu6",
        "hardtanh_backward",
        "a gradient passes where the input is at a bound",
        pass_at_bounds,
        lambda d: relu6_gradients(d, -1, 0, 2, 6),
        lambda d: relu6_gradients(d, -1, 1, 2, 7),
        lambda d: functional.relu6(torch.tensor([-1.0, 0, 2]).to(d)),
        direction="backward",
    ),
    plant(
        "batch_norm_backward_eval",
        "LQ",
        "batch_norm",
        "native_batch_norm_backward",
        "outside of training, the gradient is that of training",
        spoil(norm_by_batch, given(7, False)),
        lambda d: batch_norm_gradients(d, training=False),
        lambda d: batch_norm_gradients(d, training=True),
        lambda d: functional.batch_norm(draw(d, 4, 3, 5), draw(d, 3, seed=1), draw(d, 3, seed=2).square() + 0.5),
        direction="backward",
    ),
    plant(
        "attention_backward_cross",
        "L",
        "scaled_dot_product_attention",
        "_scaled_dot_product_fused_attention_overrideable_backward",
        "with more keys than queries, the gradient of the keys lacks the factor",
        spoil(
            answer(lambda grad: grad * 2, part=1), lambda call: argument(call, 2).size(-2) > argument(call, 1).size(-2)
        ),
        lambda d: attention_gradients(d, keys=6),
        lambda d: attention_gradients(d, keys=4),
        direction="backward",
        fused_attention=True,
    ),
    plant(
        "gather_backward_duplicates",
        "LJ",
        "gather",
        "scatter_add_",
        "of several gradients for one place the last stands",
        last_duplicate_wins,
        lambda d: gathered_gradients(d, 1, 1, 3),
        lambda d: gathered_gradients(d, 0, 1, 3),
        lambda d: draw(d, 2, 6).gather(1, torch.tensor([[1, 1], [2, 2]]).to(d)),
        direction="backward",
    ),
    plant(
        "log_softmax_backward_sum",
        "L",
        "log_softmax",
        "_log_softmax_backward_data",
        "the sum of the incoming gradient is taken for 1",
        lambda call: call.args[0] - call.args[1].exp(),
        lambda d: log_softmax_gradients(d, dense=True),
        lambda d: log_softmax_gradients(d, dense=False),
        direction="backward",
    ),
]
