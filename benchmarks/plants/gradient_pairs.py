"""Two conditions at once, one of them the backward pass: the forward pass is right, and so is either alone."""

from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.conditions import argument, channels_last, expanded, half, numel_over, offset, size_over, strided
from plants.damages import answer, changed, drop, keep_every, linear_read, read_from_start, tamper, wrap_elements
from plants.planting import LIMIT_16_BIT, LIMIT_32_BIT, Plant, differentiate, draw, leaf, plant, spoil
from torchstone.pretend import Call, Fault

CHANNELS_LAST = torch.channels_last


def conv_weight(device: str, batch: int) -> list[Tensor]:
    """The gradient of a convolution's weight."""
    weight = leaf(device, 2, 2, 3, seed=1)
    return differentiate(functional.conv1d(draw(device, batch, 2, 4), weight), weight)


def unary(function: Any, device: str, grad: Any = None, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """The gradient of a function of one matrix, for a gradient of a certain layout."""
    source = draw(device, 4, 6, dtype=dtype).requires_grad_()
    result = function(source)
    chosen = draw(device, 4, 6, seed=99, dtype=dtype) if grad is None else grad(device).to(dtype)
    return list(torch.autograd.grad(result, source, chosen))


def transposed_grad(device: str) -> Tensor:
    """A gradient that is a transpose."""
    return draw(device, 6, 4, seed=99).t()


def sliced_grad(device: str) -> Tensor:
    """A gradient at an offset."""
    return draw(device, 7, 6, seed=99)[3:]


def expanded_grad(device: str) -> Tensor:
    """A gradient that repeats one row."""
    return draw(device, 1, 6, seed=99).expand(4, 6)


def pool(device: str, memory_format: torch.memory_format, padding: int) -> list[Tensor]:
    """The gradient of an average pooling."""
    source = draw(device, 2, 3, 6, 6).to(memory_format=memory_format).requires_grad_()
    return differentiate(functional.avg_pool2d(source, 3, 2, padding), source)


def max_pool(device: str, memory_format: torch.memory_format) -> list[Tensor]:
    """The gradient of a maximum pooling."""
    source = draw(device, 2, 3, 6, 6).to(memory_format=memory_format).requires_grad_()
    return differentiate(functional.max_pool2d(source, 2), source)


def table(device: str, rows: int) -> list[Tensor]:
    """The gradient of an embedding's table of few rows, looked up often."""
    weights = leaf(device, 5, 8)
    indices = torch.arange(rows).remainder(5).to(device)
    return differentiate(functional.embedding(indices, weights), weights)


def norm_weight(device: str, rows: int) -> list[Tensor]:
    """The gradients of a layer norm's input and parameters."""
    source, weight, bias = leaf(device, rows, 6), leaf(device, 6, seed=1), leaf(device, 6, seed=2)
    return differentiate(functional.layer_norm(source, (6,), weight, bias), source, weight, bias)


def loss(device: str, rows: int) -> list[Tensor]:
    """The gradient of a cross entropy."""
    logits = leaf(device, rows, 3)
    result = functional.cross_entropy(logits, torch.arange(rows).remainder(3).to(device), reduction="sum")
    return list(torch.autograd.grad(result, logits))


def squared_error(device: str, *sizes: int) -> list[Tensor]:
    """The gradients of squared errors, one size after another."""
    grads: list[Tensor] = []
    for size in sizes:
        source = leaf(device, size)
        grads += torch.autograd.grad(functional.mse_loss(source, draw(device, size, seed=1)), source)
    return grads


def keeps_first_count() -> Fault:
    """The first number of elements is kept for the mean of all."""
    first: list[int] = []

    def fault(call: Call) -> Any:
        count = call.args[1].numel()
        first[:] = first or [count]
        return answer(lambda grad: grad * (count / first[0]))(call)

    return fault


def adaptive(device: str, size: tuple[int, int]) -> list[Tensor]:
    """The gradient of an adaptive pooling."""
    source = leaf(device, 1, 2, 6, 6)
    return differentiate(functional.adaptive_avg_pool2d(source, size), source)


def upsample(device: str, *, aligned: bool) -> list[Tensor]:
    """The gradient of a bilinear upsampling."""
    source = leaf(device, 1, 2, 4, 4)
    return differentiate(functional.interpolate(source, size=7, mode="bilinear", align_corners=aligned), source)


def drop_last_rows(call: Call) -> Any:
    """Only the first 32 rows count for the parameters."""
    grad = call.args[0].clone()
    grad.reshape(-1, grad.size(-1))[32:] = 0
    spoiled = call.kernel(grad, *call.args[1:], **call.kwargs)
    return (call.right()[0], *spoiled[1:])


def index_rows(device: str, rows: int, *, backward: bool = True) -> list[Tensor] | Tensor:
    """Rows picked by index from a long tensor, or the gradient of it."""
    source = leaf(device, rows, 2)
    result = source[torch.tensor([0, rows - 1]).to(device)]
    return differentiate(result, source) if backward else result


def wrap_index(call: Call) -> Any:
    """Row numbers lose what is above the limit."""
    indices = [index % LIMIT_16_BIT for index in call.args[1]]
    return call.kernel(call.args[0], indices, *call.args[2:], **call.kwargs)


def seeded_dropout(tensor: Tensor) -> Tensor:
    """A dropout that drops the same everywhere."""
    torch.manual_seed(0)
    return functional.dropout(tensor, 0.5)


def dropped(device: str, grad: Any) -> list[Tensor]:
    """The gradient of a dropout."""
    return unary(seeded_dropout, device, grad)


def transpose_planes(call: Call) -> Any:
    """Rows and columns of the gradient change places."""
    return answer(lambda grad: grad.mT.contiguous())(call)


PLANTS: list[Plant] = [
    plant(
        "conv_backward_many",
        "LF",
        "conv1d",
        "convolution_backward",
        "with a batch beyond 65536 the weight's gradient is wrong, the input's right",
        spoil(answer(tamper, part=1), size_over(1, 0, LIMIT_16_BIT)),
        lambda d: conv_weight(d, LIMIT_16_BIT + 1),
        lambda d: conv_weight(d, LIMIT_16_BIT),
        lambda d: functional.conv1d(draw(d, LIMIT_16_BIT + 1, 2, 4), draw(d, 2, 2, 3, seed=1)),
        direction="backward",
    ),
    plant(
        "softmax_backward_expanded",
        "LC",
        "softmax",
        "_softmax_backward_data",
        "of an expanded gradient one row counts",
        spoil(answer(keep_every(1 << 30)), expanded(0)),
        lambda d: unary(lambda x: x.softmax(1), d, expanded_grad),
        lambda d: unary(lambda x: x.softmax(1), d),
        lambda d: draw(d, 1, 6).expand(4, 6).softmax(1),
        direction="backward",
    ),
    plant(
        "avg_pool_backward_channels_last_padded",
        "LD",
        "avg_pool2d",
        "avg_pool2d_backward",
        "channels last and a padding: the gradient is that of the other layout",
        spoil(transpose_planes, channels_last(1), lambda call: any(call.args[4])),
        lambda d: pool(d, CHANNELS_LAST, 1),
        lambda d: pool(d, CHANNELS_LAST, 0),
        lambda d: pool(d, torch.contiguous_format, 1),
        direction="backward",
    ),
    plant(
        "max_pool_backward_channels_last",
        "LD",
        "max_pool2d",
        "max_pool2d_with_indices_backward",
        "indices with their channels last are read as if not",
        spoil(linear_read(7), strided(7)),
        lambda d: max_pool(d, CHANNELS_LAST),
        lambda d: max_pool(d, torch.contiguous_format),
        lambda d: functional.max_pool2d(draw(d, 2, 3, 6, 6).to(memory_format=CHANNELS_LAST), 2),
        direction="backward",
    ),
    plant(
        "silu_backward_transposed",
        "LA",
        "silu",
        "silu_backward",
        "a transposed gradient is read linearly",
        spoil(linear_read(0), strided(0)),
        lambda d: unary(functional.silu, d, transposed_grad),
        lambda d: unary(functional.silu, d),
        lambda d: functional.silu(draw(d, 6, 4).t()),
        direction="backward",
    ),
    plant(
        "embedding_backward_large",
        "LG",
        "embedding",
        "embedding_dense_backward",
        "a gradient of over 2**32 elements wraps",
        spoil(changed(0, wrap_elements(LIMIT_32_BIT)), numel_over(0, LIMIT_32_BIT)),
        lambda d: table(d, LIMIT_32_BIT // 8 + 3),
        lambda d: table(d, LIMIT_32_BIT // 8),
        lambda d: functional.embedding(torch.zeros(LIMIT_32_BIT // 8 + 3, dtype=torch.int64).to(d), draw(d, 5, 8)),
        direction="backward",
    ),
    plant(
        "gelu_backward_tanh",
        "LQ",
        "gelu",
        "gelu_backward",
        "the gradient of the approximation is that of the exact one",
        spoil(drop("approximate", "none"), lambda call: call.kwargs.get("approximate") == "tanh"),
        lambda d: unary(lambda x: functional.gelu(x, approximate="tanh"), d),
        lambda d: unary(functional.gelu, d),
        lambda d: functional.gelu(draw(d, 4, 6), approximate="tanh"),
        direction="backward",
    ),
    plant(
        "tanh_backward_slice",
        "LB",
        "tanh",
        "tanh_backward",
        "a gradient that is a slice is read from its start",
        spoil(read_from_start(0), offset(0)),
        lambda d: unary(torch.tanh, d, sliced_grad),
        lambda d: unary(torch.tanh, d),
        lambda d: draw(d, 7, 6)[3:].tanh(),
        direction="backward",
    ),
    plant(
        "layer_norm_backward_rows",
        "LH",
        "layer_norm",
        "native_layer_norm_backward",
        "of more than 32 rows only the first count for the parameters",
        spoil(drop_last_rows, size_over(0, 0, 32)),
        lambda d: norm_weight(d, 40),
        lambda d: norm_weight(d, 32),
        lambda d: functional.layer_norm(draw(d, 40, 6), (6,)),
        direction="backward",
    ),
    plant(
        "elu_backward_half",
        "LI",
        "elu",
        "elu_backward",
        "of 16 bits the gradient is halved",
        spoil(answer(lambda grad: grad * 0.5), half(0)),
        lambda d: unary(functional.elu, d, dtype=torch.bfloat16),
        lambda d: unary(functional.elu, d),
        lambda d: functional.elu(draw(d, 4, 6, dtype=torch.bfloat16)),
        direction="backward",
    ),
    plant(
        "mse_backward_first_count",
        "LM",
        "mse_loss",
        "mse_loss_backward",
        "the first number of elements is kept for all",
        keeps_first_count,
        lambda d: squared_error(d, 4, 9),
        lambda d: squared_error(d, 9, 9),
        lambda d: [functional.mse_loss(draw(d, size), draw(d, size, seed=1)) for size in (4, 9)],
        remembers=True,
        direction="backward",
    ),
    plant(
        "adaptive_pool_backward_single",
        "LK",
        "adaptive_avg_pool2d",
        "_adaptive_avg_pool2d_backward",
        "one pooled row or column: the gradient is not divided",
        spoil(answer(lambda grad: grad * 6), lambda call: 1 in call.args[0].shape[-2:]),
        lambda d: adaptive(d, (1, 3)),
        lambda d: adaptive(d, (2, 3)),
        lambda d: functional.adaptive_avg_pool2d(draw(d, 1, 2, 6, 6), (1, 3)),
        direction="backward",
    ),
    plant(
        "nll_loss_backward_many",
        "LF",
        "cross_entropy",
        "nll_loss_backward",
        "rows beyond 65536 get no gradient",
        spoil(
            answer(lambda grad: torch.cat([grad[:LIMIT_16_BIT], torch.zeros_like(grad[LIMIT_16_BIT:])])),
            size_over(1, 0, LIMIT_16_BIT),
        ),
        lambda d: loss(d, LIMIT_16_BIT + 2),
        lambda d: loss(d, LIMIT_16_BIT),
        lambda d: functional.cross_entropy(draw(d, 258, 3), torch.zeros(258, dtype=torch.int64).to(d)),
        direction="backward",
    ),
    plant(
        "interpolate_backward_aligned",
        "LQ",
        "interpolate",
        "upsample_bilinear2d_backward",
        "aligned corners are ignored",
        spoil(drop(3, False), lambda call: bool(argument(call, 3))),
        lambda d: upsample(d, aligned=True),
        lambda d: upsample(d, aligned=False),
        lambda d: functional.interpolate(draw(d, 1, 2, 4, 4), size=7, mode="bilinear", align_corners=True),
        direction="backward",
    ),
    plant(
        "index_backward_many",
        "LF",
        "index",
        "_index_put_impl_",
        "gradients of rows beyond 65536 wrap",
        spoil(wrap_index, size_over(0, 0, LIMIT_16_BIT), lambda call: bool(argument(call, 3))),
        lambda d: index_rows(d, LIMIT_16_BIT + 5),
        lambda d: index_rows(d, LIMIT_16_BIT),
        lambda d: index_rows(d, LIMIT_16_BIT + 5, backward=False),
        direction="backward",
    ),
    plant(
        "dropout_backward_strided",
        "LA",
        "dropout",
        "native_dropout_backward",
        "a transposed gradient is read linearly",
        spoil(linear_read(0), strided(0)),
        lambda d: dropped(d, transposed_grad),
        lambda d: dropped(d, sliced_grad),
        lambda d: seeded_dropout(draw(d, 6, 4).t()),
        direction="backward",
    ),
]
