"""Two conditions at once, one of them a layout: either alone is right."""

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.conditions import (
    argument,
    channels_last,
    expanded,
    half,
    holds_nan,
    negate,
    numel_over,
    offset,
    size_at_most,
    size_is,
    size_over,
    strided,
)
from plants.damages import (
    answer,
    blank_end_channels,
    changed,
    keep_every,
    linear_read,
    read_from_start,
    rerun,
    tamper,
    whole_storage,
    wrap_rows,
)
from plants.planting import ATTENTION, LIMIT_16_BIT, LIMIT_32_BIT, Plant, draw, plant, spoil
from torchstone.pretend import Call

CHANNELS_LAST = torch.channels_last
HEAD = 64


def attend(device: str, length: int, *, transposed: bool, head: int = HEAD) -> Tensor:
    """Attention whose query is a transpose or not."""
    shape = (1, length, 3, head) if transposed else (1, 3, length, head)
    query = draw(device, *shape).transpose(1, 2) if transposed else draw(device, *shape)
    key, value = draw(device, 1, 3, 12, head, seed=1), draw(device, 1, 3, 12, head, seed=2)
    return functional.scaled_dot_product_attention(query, key, value)


def convolve(device: str, *, last: bool, skip: int = 0, channels: int = 4, groups: int = 1) -> Tensor:
    """A convolution of images, with their channels last or at an offset or both."""
    images = draw(device, 3, 4, 6, 6)
    images = (images.to(memory_format=CHANNELS_LAST) if last else images)[skip : skip + 2]
    return functional.conv2d(images, draw(device, channels, 4 // groups, 3, 3, seed=1), groups=groups)


def norm_rows(device: str, dtype: torch.dtype, skip: int) -> Tensor:
    """A layer norm of some rows."""
    return functional.layer_norm(draw(device, 6, 8, dtype=dtype)[skip : skip + 4], (8,))


def norm_images(device: str, dtype: torch.dtype, memory_format: torch.memory_format) -> Tensor:
    """A batch norm of images."""
    images = draw(device, 2, 3, 4, 4, dtype=dtype).to(memory_format=memory_format)
    return functional.batch_norm(images, None, None, training=True)


def with_nan(device: str, *, transposed: bool, nan: bool = True) -> Tensor:
    """Numbers with a NaN among them."""
    values = draw(device, 4, 4)
    if nan:
        values[1, 2] = torch.nan
    return values.t() if transposed else values


def wrap_slice(tensor: Tensor) -> Tensor:
    """A slice whose elements beyond the limit of the storage are read from its start."""
    flat = whole_storage(tensor)
    places = (tensor.storage_offset() + torch.arange(tensor.numel())) % LIMIT_32_BIT
    return flat[places].view(tensor.shape)


def ends_past_limit(call: Call) -> bool:
    """A slice that reaches beyond the limit of its storage."""
    tensor = call.args[0]
    end = tensor.storage_offset() + tensor.numel()
    return bool(tensor.is_contiguous() and tensor.storage_offset() > 0 and end > LIMIT_32_BIT)


def reduces_single(call: Call) -> bool:
    """A dimension that is reduced has size 1."""
    source, wanted = call.args[0], argument(call, 1) or []
    return source.dim() > 0 and any(source.size(dim) == 1 for dim in wanted)


def zero_tail(tensor: Tensor) -> Tensor:
    """Columns after the last whole group of 8 are zero."""
    result = tensor.clone()
    result[:, tensor.size(1) // 8 * 8 :] = 0
    return result


PLANTS: list[Plant] = [
    plant(
        "attention_transposed_short",
        "AH",
        "scaled_dot_product_attention",
        ATTENTION,
        "a transposed query of at most 8 positions and a head of 64 is read in the order of its storage",
        spoil(linear_read(0), strided(0), size_at_most(0, -2, 8), size_is(0, -1, HEAD)),
        lambda d: attend(d, 5, transposed=True),
        lambda d: attend(d, 5, transposed=False),
        lambda d: attend(d, 9, transposed=True),
        lambda d: attend(d, 5, transposed=True, head=32),
        fused_attention=True,
    ),
    plant(
        "conv_channels_last_offset",
        "DB",
        "conv2d",
        "convolution",
        "channels last and at an offset: read from the start",
        spoil(read_from_start(0), channels_last(0), offset(0)),
        lambda d: convolve(d, last=True, skip=1),
        lambda d: convolve(d, last=True),
        lambda d: convolve(d, last=False, skip=1),
    ),
    plant(
        "bmm_transposed_many",
        "AF",
        "bmm",
        "bmm",
        "a transposed second operand and a batch beyond 65536: rows wrap",
        spoil(answer(wrap_rows(LIMIT_16_BIT)), strided(1), size_over(1, 0, LIMIT_16_BIT)),
        lambda d: torch.bmm(draw(d, 257, 2, 3), draw(d, 257, 4, 3, seed=1).mT),
        lambda d: torch.bmm(draw(d, 257, 2, 3), draw(d, 257, 3, 4, seed=1)),
        lambda d: torch.bmm(draw(d, 256, 2, 3), draw(d, 256, 4, 3, seed=1).mT),
    ),
    plant(
        "layer_norm_half_offset",
        "BI",
        "layer_norm",
        "native_layer_norm",
        "a slice of 16 bits is read from the start",
        spoil(read_from_start(0), offset(0), half(0)),
        lambda d: norm_rows(d, torch.bfloat16, 2),
        lambda d: norm_rows(d, torch.float32, 2),
        lambda d: norm_rows(d, torch.bfloat16, 0),
    ),
    plant(
        "mm_expanded_thin",
        "CK",
        "mm",
        "mm",
        "an expanded operand and an inner dimension of 1: every 16th row only",
        spoil(answer(keep_every(16)), expanded(0), size_is(0, 1, 1)),
        lambda d: torch.mm(draw(d, 1, 1).expand(40, 1), draw(d, 1, 5, seed=1)),
        lambda d: torch.mm(draw(d, 40, 1), draw(d, 1, 5, seed=1)),
        lambda d: torch.mm(draw(d, 1, 2).expand(40, 2), draw(d, 2, 5, seed=1)),
    ),
    plant(
        "batch_norm_channels_last_half",
        "DI",
        "batch_norm",
        "native_batch_norm",
        "channels last and 16 bits: read as if not",
        spoil(linear_read(0), channels_last(0), half(0)),
        lambda d: norm_images(d, torch.bfloat16, CHANNELS_LAST),
        lambda d: norm_images(d, torch.bfloat16, torch.contiguous_format),
        lambda d: norm_images(d, torch.float32, CHANNELS_LAST),
    ),
    plant(
        "maximum_strided_nan",
        "AJ",
        "maximum",
        "maximum",
        "of strided tensors NaN is dropped",
        spoil(lambda call: torch.fmax(call.args[0], call.args[1]), strided(0), holds_nan(0)),
        lambda d: torch.maximum(with_nan(d, transposed=True), draw(d, 4, 4, seed=1)),
        lambda d: torch.maximum(with_nan(d, transposed=False), draw(d, 4, 4, seed=1)),
        lambda d: torch.maximum(with_nan(d, transposed=True, nan=False), draw(d, 4, 4, seed=1)),
    ),
    plant(
        "amax_single_offset",
        "BK",
        "amax",
        "amax",
        "over a dimension of size 1, a slice is read from the start",
        spoil(read_from_start(0), offset(0), reduces_single),
        lambda d: draw(d, 6, 1, 3)[2:].amax(1),
        lambda d: draw(d, 6, 1, 3)[:4].amax(1),
        lambda d: draw(d, 6, 2, 3)[2:].amax(1),
    ),
    plant(
        "where_expanded_bool",
        "CI",
        "where",
        "where",
        "an expanded condition with values of 16 bits is read linearly",
        spoil(linear_read(0), expanded(0), half(1)),
        lambda d: torch.where(
            (draw(d, 4, 6) > 0)[:, 1:2].expand(4, 6), draw(d, 4, 6, dtype=torch.float16), draw(d, 4, 6, seed=1).half()
        ),
        lambda d: torch.where((draw(d, 4, 6) > 0)[:, 1:2].expand(4, 6), draw(d, 4, 6), draw(d, 4, 6, seed=1)),
        lambda d: torch.where(draw(d, 4, 6) > 0, draw(d, 4, 6, dtype=torch.float16), draw(d, 4, 6, seed=1).half()),
    ),
    plant(
        "cat_strided_half",
        "AI",
        "cat",
        "cat",
        "strided tensors of 16 bits are read in the order of their storage",
        spoil(linear_read(0), strided(0), half(0)),
        lambda d: torch.cat([draw(d, 4, 6, dtype=torch.float16).t(), draw(d, 6, 4, seed=1).half()]),
        lambda d: torch.cat([draw(d, 4, 6).t(), draw(d, 6, 4, seed=1)]),
        lambda d: torch.cat([draw(d, 6, 4, dtype=torch.float16), draw(d, 6, 4, seed=1).half()]),
    ),
    plant(
        "conv_channels_last_groups",
        "DQ",
        "conv2d",
        "convolution",
        "channels last and groups: the groups are reversed",
        spoil(answer(lambda result: result.flip(1)), channels_last(0), lambda call: call.args[8] > 1),
        lambda d: convolve(d, last=True, groups=4),
        lambda d: convolve(d, last=True),
        lambda d: convolve(d, last=False, groups=4),
    ),
    plant(
        "mm_transposed_large",
        "AG",
        "mm",
        "mm",
        "a transposed second operand of more than 2**32 elements is read linearly",
        spoil(linear_read(1), strided(1), numel_over(1, LIMIT_32_BIT)),
        lambda d: torch.mm(draw(d, 2, 65), draw(d, 64, 65, seed=1).t()),
        lambda d: torch.mm(draw(d, 2, 65), draw(d, 65, 64, seed=1)),
        lambda d: torch.mm(draw(d, 2, 64), draw(d, 64, 64, seed=1).t()),
    ),
    plant(
        "exp_slice_large",
        "BG",
        "exp",
        "exp",
        "a slice that reaches beyond 2**32 elements of its storage wraps",
        spoil(changed(0, wrap_slice), ends_past_limit),
        lambda d: draw(d, LIMIT_32_BIT + 20)[10:].exp(),
        lambda d: draw(d, LIMIT_32_BIT + 20).exp(),
        lambda d: draw(d, LIMIT_32_BIT)[10:].exp(),
    ),
    plant(
        "conv_channels_last_many",
        "DF",
        "conv2d",
        "convolution",
        "channels last and more than 65536 of them: ends are 0",
        spoil(answer(blank_end_channels), channels_last(0), size_over(1, 0, LIMIT_16_BIT)),
        lambda d: convolve(d, last=True, channels=LIMIT_16_BIT + 1),
        lambda d: convolve(d, last=False, channels=LIMIT_16_BIT + 1),
        lambda d: convolve(d, last=True, channels=LIMIT_16_BIT),
    ),
    plant(
        "clamp_slice_above_only",
        "BQ",
        "clamp",
        "clamp",
        "a slice with an upper bound alone is read from the start",
        spoil(read_from_start(0), offset(0), lambda call: argument(call, 1) is None),
        lambda d: draw(d, 12)[5:].clamp(max=0.5),
        lambda d: draw(d, 12)[5:].clamp(-0.5, 0.5),
        lambda d: draw(d, 12)[:7].clamp(max=0.5),
    ),
    plant(
        "group_norm_single_sample",
        "BK",
        "group_norm",
        "native_group_norm",
        "one sample at an offset: read from the start",
        spoil(read_from_start(0), offset(0), size_is(0, 0, 1), negate(strided(0))),
        lambda d: functional.group_norm(draw(d, 3, 4, 5)[2:], 2),
        lambda d: functional.group_norm(draw(d, 3, 4, 5)[1:], 2),
        lambda d: functional.group_norm(draw(d, 3, 4, 5)[:1], 2),
    ),
    plant(
        "linear_half_tail",
        "HI",
        "linear",
        "addmm",
        "16 bits and an inner dimension of no multiple of 8: the tail is lost",
        spoil(
            lambda call: rerun(call, 1, zero_tail(call.args[1])),
            half(1),
            lambda call: call.args[1].size(1) > 8 and call.args[1].size(1) % 8 != 0,
        ),
        lambda d: functional.linear(*(draw(d, *shape, dtype=torch.bfloat16) for shape in ((3, 13), (4, 13), (4,)))),
        lambda d: functional.linear(*(draw(d, *shape, dtype=torch.bfloat16) for shape in ((3, 16), (4, 16), (4,)))),
        lambda d: functional.linear(*(draw(d, *shape) for shape in ((3, 13), (4, 13), (4,)))),
    ),
    plant(
        "log_strided_short",
        "AH",
        "log",
        "log",
        "a strided input with a last dimension of at most 4 is read linearly",
        spoil(linear_read(0), strided(0), size_at_most(0, -1, 4)),
        lambda d: draw(d, 3, 9).square().t().log(),
        lambda d: draw(d, 5, 9).square().t().log(),
        lambda d: draw(d, 9, 3).square().log(),
    ),
    plant(
        "mul_expanded_tail",
        "CH",
        "mul",
        "mul.Tensor",
        "an expanded operand of more than 32 columns: those after are wrong",
        spoil(
            answer(lambda result: torch.cat([result[..., :32], tamper(result[..., 32:])], -1)),
            expanded(1),
            size_over(1, -1, 32),
        ),
        lambda d: draw(d, 3, 40) * draw(d, 1, 40, seed=1).expand(3, 40),
        lambda d: draw(d, 3, 30) * draw(d, 1, 30, seed=1).expand(3, 30),
        lambda d: draw(d, 3, 40) * draw(d, 3, 40, seed=1),
    ),
]
