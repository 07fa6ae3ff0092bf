"""Faults that show by how a tensor lies in memory: strides, offsets, repeated elements, channels last."""

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.conditions import (
    argument,
    channels_last,
    dims,
    expanded,
    offset,
    strided,
)
from plants.damages import answer, changed, keep_every, linear_read, read_from_start, rerun, without_offset
from plants.planting import Plant, differentiate, draw, leaf, plant, spoil
from torchstone.pretend import Call

CHANNELS_LAST = torch.channels_last


def later_from_start(call: Call) -> Tensor:
    """Every tensor of a list but the first is read from the start of its storage."""
    first, *others = call.args[0]
    return rerun(call, 0, [first, *map(without_offset, others)])  # type: ignore[no-any-return]


def second_as_first(call: Call) -> Tensor:
    """Two pieces of one storage: both are read where the first begins."""
    first, second = call.args[:2]
    return rerun(call, 1, second.as_strided(second.size(), second.stride(), first.storage_offset()))  # type: ignore[no-any-return]


def share_storage(call: Call) -> bool:
    """Both operands lie in one storage, at different places."""
    first, second = argument(call, 0), argument(call, 1)
    if not (isinstance(first, Tensor) and isinstance(second, Tensor) and first.shape == second.shape):
        return False
    same = first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()
    return same and first.storage_offset() != second.storage_offset()


def aligned_down(tensor: Tensor) -> Tensor:
    """The same view at an offset rounded down to four elements."""
    return tensor.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset() // 4 * 4)


def pooled_indices(device: str, memory_format: torch.memory_format) -> Tensor:
    """The indices of a maximum pooling."""
    image = draw(device, 2, 3, 6, 8).to(memory_format=memory_format)
    return functional.max_pool2d(image, 2, return_indices=True)[1]


def flat_channels_last(indices: Tensor) -> Tensor:
    """Indices into a plane, as if it were read column by column."""
    return indices // 8 + indices % 8 * 6


def sigmoid_of_leaf(device: str) -> tuple[Tensor, Tensor]:
    """A sigmoid and what it is of."""
    source = leaf(device, 3, 4)
    return source.sigmoid(), source


def gradient_of_sum(device: str) -> list[Tensor]:
    """The gradient of a sum of sigmoids."""
    result, source = sigmoid_of_leaf(device)
    return list(torch.autograd.grad(result.sum(), source))


STRIDES = [
    plant(
        "gelu_strided",
        "A",
        "gelu",
        "gelu",
        "a strided input is read in the order of its storage",
        spoil(linear_read(0), strided(0)),
        lambda d: functional.gelu(draw(d, 5, 7).t()),
        lambda d: functional.gelu(draw(d, 5, 7)),
        lambda d: functional.gelu(draw(d, 5, 7)[2:]),
    ),
    plant(
        "elu_strided",
        "A",
        "elu",
        "elu",
        "a strided input is read in the order of its storage",
        spoil(linear_read(0), strided(0)),
        lambda d: functional.elu(draw(d, 2, 6, 5).transpose(1, 2)),
        lambda d: functional.elu(draw(d, 2, 6, 5)),
    ),
    plant(
        "silu_strided",
        "A",
        "silu",
        "silu",
        "a strided input of three dimensions or more gives zeros",
        spoil(answer(torch.zeros_like), strided(0), dims(0, 3)),
        lambda d: functional.silu(draw(d, 2, 6, 5).transpose(0, 2)),
        lambda d: functional.silu(draw(d, 2, 6, 5)),
        lambda d: functional.silu(draw(d, 6, 5).t()),
    ),
    plant(
        "sort_strided",
        "A",
        "sort",
        "sort",
        "a strided input is read in the order of its storage",
        spoil(linear_read(0), strided(0)),
        lambda d: torch.sort(draw(d, 6, 5).t(), 1),
        lambda d: torch.sort(draw(d, 6, 5), 0),
    ),
    plant(
        "mse_loss_strided_target",
        "A",
        "mse_loss",
        "mse_loss",
        "a strided target is read in the order of its storage",
        spoil(linear_read(1), strided(1)),
        lambda d: functional.mse_loss(draw(d, 6, 5), draw(d, 5, 6, seed=1).t()),
        lambda d: functional.mse_loss(draw(d, 5, 6).t(), draw(d, 6, 5, seed=1)),
    ),
    plant(
        "softmax_strided",
        "A",
        "softmax",
        "_softmax",
        "an input whose last dimension has a step is read without it",
        spoil(linear_read(0), strided(0), lambda call: call.args[0].stride(-1) > 1),
        lambda d: draw(d, 4, 12)[:, ::2].softmax(1),
        lambda d: draw(d, 4, 12)[::2].softmax(1),
    ),
    plant(
        "embedding_strided_table",
        "A",
        "embedding",
        "index_select",
        "a table that is a transpose is read as if not",
        spoil(linear_read(0), strided(0)),
        lambda d: functional.embedding(torch.tensor([1, 3]).to(d), draw(d, 5, 8).t()),
        lambda d: functional.embedding(torch.tensor([1, 3]).to(d), draw(d, 8, 5)),
    ),
    plant(
        "where_strided_mask",
        "A",
        "where",
        "where",
        "a strided condition is read in the order of its storage",
        spoil(linear_read(0), strided(0)),
        lambda d: torch.where((draw(d, 6, 5) > 0).t(), draw(d, 5, 6, seed=1), draw(d, 5, 6, seed=2)),
        lambda d: torch.where(draw(d, 5, 6) > 0, draw(d, 6, 5, seed=1).t(), draw(d, 5, 6, seed=2)),
    ),
    plant(
        "bmm_strided_batch",
        "A",
        "bmm",
        "bmm",
        "a second operand whose batch is not its outermost is read linearly",
        spoil(linear_read(1), strided(1), lambda call: call.args[1].stride(0) < call.args[1].stride(1)),
        lambda d: torch.bmm(draw(d, 3, 4, 5), draw(d, 5, 3, 6, seed=1).transpose(0, 1)),
        lambda d: torch.bmm(draw(d, 3, 4, 5), draw(d, 3, 6, 5, seed=1).transpose(1, 2)),
    ),
    plant(
        "rsqrt_strided",
        "A",
        "rms_norm",
        "rsqrt",
        "an input with a step in its first dimension is read without it",
        spoil(linear_read(0), strided(0), lambda call: call.args[0].dim() == 2),
        lambda d: draw(d, 8, 3).square()[::2].rsqrt(),
        lambda d: draw(d, 8, 3).square().rsqrt(),
    ),
]

OFFSETS = [
    plant(
        "layer_norm_offset",
        "B",
        "layer_norm",
        "native_layer_norm",
        "a slice is read from the start of its storage",
        spoil(read_from_start(0), offset(0)),
        lambda d: functional.layer_norm(draw(d, 5, 8)[2:], (8,)),
        lambda d: functional.layer_norm(draw(d, 5, 8)[:3], (8,)),
    ),
    plant(
        "batch_norm_offset",
        "B",
        "batch_norm",
        "native_batch_norm",
        "a sliced input is read from its storage's start",
        spoil(read_from_start(0), offset(0)),
        lambda d: functional.batch_norm(draw(d, 6, 3, 4, 4)[2:], None, None, training=True),
        lambda d: functional.batch_norm(draw(d, 6, 3, 4, 4)[:4], None, None, training=True),
    ),
    plant(
        "stack_offsets",
        "B",
        "stack",
        "cat",
        "pieces of one storage, but for the first, are read from its start",
        spoil(later_from_start, offset(0)),
        lambda d: torch.stack([draw(d, 4)[0], draw(d, 4)[2], draw(d, 4)[3]]),
        lambda d: torch.stack([draw(d, 4, seed=s) for s in range(3)]),
    ),
    plant(
        "mul_chunks",
        "B",
        "mul",
        "mul",
        "two pieces of one storage: the second is read where the first begins",
        spoil(second_as_first, share_storage),
        lambda d: torch.mul(*draw(d, 4, 10).chunk(2, 1)),
        lambda d: draw(d, 4, 5) * draw(d, 8, 5, seed=1)[4:],
    ),
    plant(
        "gather_index_offset",
        "B",
        "gather",
        "gather",
        "an index that is a slice is read from its storage's start",
        spoil(read_from_start(2), offset(2)),
        lambda d: draw(d, 3, 5).gather(1, torch.arange(12).remainder(5).view(4, 3).to(d)[1:]),
        lambda d: draw(d, 6, 5)[3:].gather(1, torch.arange(12).remainder(5).view(4, 3).to(d)[:3]),
    ),
    plant(
        "linear_bias_offset",
        "B",
        "linear",
        "addmm",
        "a bias that is a slice of another is read from its start",
        spoil(read_from_start(0), offset(0), dims(0, 1)),
        lambda d: functional.linear(draw(d, 3, 8), draw(d, 5, 8, seed=1), draw(d, 15, seed=2)[5:10]),
        lambda d: functional.linear(draw(d, 3, 8), draw(d, 5, 8, seed=1), draw(d, 15, seed=2)[:5]),
    ),
    plant(
        "masked_fill_mask_offset",
        "B",
        "masked_fill",
        "masked_fill_",
        "a boolean mask at an offset that is no multiple of four bytes is read from the last one before it",
        spoil(changed(1, aligned_down), lambda call: call.args[1].storage_offset() % 4 != 0),
        lambda d: draw(d, 9).masked_fill((draw(d, 12, seed=1) > 0)[3:], 0.0),
        lambda d: draw(d, 8).masked_fill((draw(d, 12, seed=1) > 0)[4:], 0.0),
    ),
    plant(
        "add_scalar_view",
        "B",
        "add",
        "add.Tensor",
        "a 0-dimensional view reads the first number of its storage",
        spoil(read_from_start(1), offset(1), dims(1, 0)),
        lambda d: draw(d, 4, 5) + draw(d, 6, seed=1)[4],
        lambda d: draw(d, 4, 5) + draw(d, 6, seed=1)[4:5],
        lambda d: draw(d, 4, 5) + draw(d, 6, seed=1)[0],
    ),
]

REPEATED = [
    plant(
        "mm_expanded",
        "C",
        "mm",
        "mm",
        "an operand with a stride of 0: only every 16th row is right, the rest zero",
        spoil(answer(keep_every(16)), lambda call: expanded(0)(call) or expanded(1)(call)),
        lambda d: torch.mm(draw(d, 1, 6).expand(40, 6), draw(d, 6, 5, seed=1)),
        lambda d: torch.mm(draw(d, 40, 6), draw(d, 6, 5, seed=1)),
    ),
    plant(
        "amax_expanded",
        "C",
        "amax",
        "amax max.dim",
        "repeated rows are read from the neighbouring storage instead",
        spoil(linear_read(0), expanded(0)),
        lambda d: draw(d, 4, 6)[:, :1].expand(4, 5).amax(0),
        lambda d: draw(d, 4, 6).amax(0),
    ),
    plant(
        "div_expanded",
        "C",
        "div",
        "div",
        "an expanded divisor is read from the neighbouring storage instead",
        spoil(linear_read(1), expanded(1)),
        lambda d: draw(d, 4, 6) / draw(d, 4, 6, seed=1)[:, 2:3].expand(4, 6),
        lambda d: draw(d, 4, 6) / draw(d, 4, 1, seed=1),
    ),
    plant(
        "sigmoid_backward_expanded",
        "C",
        "sigmoid",
        "sigmoid_backward",
        "an expanded gradient, as that of a sum, counts for the first row only",
        spoil(answer(keep_every(1 << 30)), expanded(0)),
        gradient_of_sum,
        lambda d: differentiate(*sigmoid_of_leaf(d)),
        direction="backward",
    ),
]

CHANNELS = [
    plant(
        "conv2d_channels_last",
        "D",
        "conv2d",
        "convolution",
        "an input with its channels last is read as if not",
        spoil(linear_read(0), channels_last(0)),
        lambda d: functional.conv2d(draw(d, 2, 3, 6, 6).to(memory_format=CHANNELS_LAST), draw(d, 4, 3, 3, 3, seed=1)),
        lambda d: functional.conv2d(draw(d, 2, 3, 6, 6), draw(d, 4, 3, 3, 3, seed=1)),
    ),
    plant(
        "interpolate_channels_last",
        "D",
        "interpolate",
        "upsample_bilinear2d",
        "an input with its channels last is read as if not",
        spoil(linear_read(0), channels_last(0)),
        lambda d: functional.interpolate(
            draw(d, 2, 3, 4, 4).to(memory_format=CHANNELS_LAST), scale_factor=2, mode="bilinear"
        ),
        lambda d: functional.interpolate(draw(d, 2, 3, 4, 4), scale_factor=2, mode="bilinear"),
    ),
    plant(
        "max_pool_indices_channels_last",
        "D",
        "max_pool2d",
        "max_pool2d_with_indices",
        "with channels last the values are right and the indices count by columns",
        spoil(answer(flat_channels_last, part=1), channels_last(0)),
        lambda d: pooled_indices(d, CHANNELS_LAST),
        lambda d: pooled_indices(d, torch.contiguous_format),
    ),
    plant(
        "batch_norm_channels_last",
        "D",
        "batch_norm",
        "native_batch_norm",
        "in training, an input with its channels last is normalised as if not",
        spoil(linear_read(0), channels_last(0), lambda call: bool(argument(call, 5))),
        lambda d: functional.batch_norm(draw(d, 2, 3, 4, 4).to(memory_format=CHANNELS_LAST), None, None, training=True),
        lambda d: functional.batch_norm(draw(d, 2, 3, 4, 4), None, None, training=True),
        lambda d: functional.batch_norm(
            draw(d, 2, 3, 4, 4).to(memory_format=CHANNELS_LAST), draw(d, 3, seed=1), draw(d, 3, seed=2).square()
        ),
    ),
]


PLANTS: list[Plant] = [*STRIDES, *OFFSETS, *REPEATED, *CHANNELS]
