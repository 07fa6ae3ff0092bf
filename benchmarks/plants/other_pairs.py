"""Two conditions at once, of sizes, values, arguments, state and draws: either alone is right."""

from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.conditions import argument, beyond, empty, given, half, of_dtype, reduced_over, size_over, strided
from plants.damages import answer, rerun
from plants.planting import ATTENTION, LIMIT_15_BIT, LIMIT_16_BIT, Plant, draw, plant, spoil
from plants.state import BLOCKS, LARGE_BLOCK_BYTES, leftover, lose_last_row, on_same
from plants.values import ints
from torchstone.pretend import Call, Fault
from torchstone.pretend.machine import machine

MANY_CLASSES = 1024


def in_8_bits(call: Call) -> Any:
    """A running count in 8 bits."""
    return call.right().to(torch.int8).to(torch.int64)


def attend(device: str, *, dtype: torch.dtype = torch.float32, keys: int = 6, **options: Any) -> Tensor:
    """Attention of one dtype."""
    query, key, value = (draw(device, 1, 2, size, 8, seed=seed) for seed, size in enumerate((6, keys, keys)))
    return functional.scaled_dot_product_attention(query.to(dtype), key.to(dtype), value.to(dtype), **options)


def mask(device: str, keys: int) -> Tensor:
    """What a query may see: every second key."""
    return (torch.arange(keys) % 2 == 0).expand(6, keys).contiguous().to(device)


def in_groups_of_four(call: Call) -> Any:
    """The future is hidden from four queries at a time only."""
    query, key = call.args[0], call.args[1]
    rows = torch.arange(query.size(-2)) // 4 * 4 + 3
    seen = torch.arange(key.size(-2))[None] <= rows[:, None]
    bias = torch.zeros(seen.shape, dtype=query.dtype).masked_fill(~seen, -torch.inf)
    args = [*call.args[:3], bias, 0.0, False]
    return call.kernel(*args, **call.kwargs)


def padded_sort(call: Call) -> Any:
    """What equals the padding of the last tile is taken for padding."""
    values, indices = call.right()
    return torch.where(values.isposinf(), 0.0, values), indices


def infinite_and_uneven(call: Call) -> bool:
    """Infinity, in a length that is no power of two."""
    source = call.args[0]
    length = source.size(-1)
    return source.is_floating_point() and bool(source.isposinf().any()) and length & (length - 1) != 0


def leftover_count(call: Call) -> Any:
    """The count of nothing is what a large freed block held."""
    held = leftover(1, torch.int64, LARGE_BLOCK_BYTES)
    return call.right() if held is None else held[0].expand(call.right().shape).clone()


def after_block(device: str, call: Any, *, block: bool = True) -> Tensor:
    """A call after a large block was freed."""
    if block:
        filled = torch.full((LARGE_BLOCK_BYTES,), 1.5).to(device)
        del filled
    result: Tensor = call(device)
    return result


def reads_past_end(call: Call) -> Any:
    """Terms past the end of the operands are added: what a large freed block held."""
    held = leftover(1, call.args[0].dtype, LARGE_BLOCK_BYTES)
    return call.right() if held is None else call.right() + held[0] * 2


def long_product(device: str, inner: int) -> Tensor:
    """A batched product with a long inner dimension."""
    return torch.bmm(draw(device, 2, 3, inner), draw(device, 2, inner, 3, seed=1))


def race_beyond_a_tile() -> Fault:
    """Over more than 32 elements, every second call without a wait lacks the end."""
    calls, waits = 0, -1

    def fault(call: Call) -> Any:
        nonlocal calls, waits
        if machine.clock.waits != waits:
            calls, waits = 0, machine.clock.waits
        calls += 1
        return answer(lose_last_row)(call) if calls % 2 == 0 and reduced_over(32)(call) else call.right()

    return fault


def scalar_of_first_dtype() -> Fault:
    """A number is cached by shape alone, as the first dtype holds it."""
    cache: dict[Any, Any] = {}

    def fault(call: Call) -> Any:
        tensor, number = call.args[:2]
        if isinstance(number, Tensor):
            return call.right()
        held = number if tensor.is_floating_point() else int(number)
        return rerun(call, 1, cache.setdefault((tuple(tensor.shape), number), held))

    return fault


def times(device: str, *dtypes: torch.dtype) -> list[Tensor]:
    """The same product with one dtype after another."""
    return [torch.arange(6).to(dtype).to(device) * 2.5 for dtype in dtypes]


def never_last_classes(call: Call) -> Any:
    """Classes beyond the first tile are never drawn."""
    weights = call.args[0].clone()
    weights[..., MANY_CLASSES:] = 0
    return rerun(call, 0, weights)


def draws_late_class(device: str, classes: int) -> bool:
    """Whether a late class of great weight is ever drawn."""
    weights = torch.ones(classes)
    weights[-1] = classes * 10.0
    torch.manual_seed(0)
    found = torch.multinomial(weights.to(device), 50, replacement=True)
    return bool((found.cpu() == classes - 1).any())


def wrapped_order(call: Call) -> Any:
    """Numbers beyond the limit wrap, so that some come twice."""
    call.right()
    call.kwargs["out"].remainder_(LIMIT_16_BIT)


def is_order(device: str, count: int) -> bool:
    """Whether an order holds every number once."""
    return torch.equal(torch.randperm(count, device=device).cpu().sort().values, torch.arange(count))


def reaches_one(call: Call) -> Any:
    """Numbers of 16 bits are rounded up to 1, which is not of the range."""
    call.right()
    target = call.written[0]
    target.copy_(torch.where(target > 0.5, 1.0, target))


def below_one(device: str, dtype: torch.dtype) -> bool:
    """Whether all random numbers are below 1."""
    torch.manual_seed(0)
    return bool((torch.rand(40, device=device, dtype=dtype).cpu() < 1).all())


def short_mask(chosen: Tensor) -> Tensor:
    """Nothing is chosen beyond the limit."""
    kept = chosen.clone()
    kept[LIMIT_16_BIT:] = False
    return kept


def last_of_ties(call: Call) -> Any:
    """The last of equal maxima."""
    source, dim = call.args[0], call.args[1]
    return source.size(dim) - 1 - rerun(call, 0, source.flip(dim))


def has_ties(call: Call) -> bool:
    """Some maximum comes twice."""
    source, dim = call.args[0], argument(call, 1)
    return dim is not None and bool(((source == source.amax(dim, keepdim=True)).sum(dim) > 1).any())


PLANTS: list[Plant] = [
    plant(
        "cumsum_bool_long",
        "IH",
        "cumsum",
        "cumsum",
        "of more than 127 bools the count wraps at 8 bits",
        spoil(in_8_bits, of_dtype(0, torch.bool), size_over(0, -1, 127)),
        lambda d: torch.ones(200, dtype=torch.bool).to(d).cumsum(0),
        lambda d: torch.ones(127, dtype=torch.bool).to(d).cumsum(0),
        lambda d: torch.ones(200, dtype=torch.int32).to(d).cumsum(0),
    ),
    plant(
        "attention_causal_half",
        "IQ",
        "scaled_dot_product_attention",
        ATTENTION,
        "causal with 16 bits: the future is hidden from four queries at a time only",
        spoil(in_groups_of_four, half(0), given(5, True)),
        lambda d: attend(d, dtype=torch.float16, is_causal=True),
        lambda d: attend(d, is_causal=True),
        lambda d: attend(d, dtype=torch.float16),
        fused_attention=True,
    ),
    plant(
        "sort_infinity_uneven",
        "JH",
        "sort",
        "sort",
        "infinity in a length that is no power of two becomes 0",
        spoil(padded_sort, infinite_and_uneven),
        lambda d: torch.tensor([2.0, torch.inf, 1.0]).to(d).sort().values,
        lambda d: torch.tensor([2.0, torch.inf, 1.0, 3.0]).to(d).sort().values,
        lambda d: torch.tensor([2.0, 5.0, 1.0]).to(d).sort().values,
    ),
    plant(
        "count_nonzero_leftover",
        "KM",
        "count_nonzero",
        "count_nonzero",
        "the count of nothing is leftover memory",
        spoil(leftover_count, empty(0)),
        lambda d: after_block(d, lambda where: torch.count_nonzero(draw(where, 0))),
        lambda d: after_block(d, lambda where: torch.count_nonzero(draw(where, 3))),
        lambda d: after_block(d, lambda where: torch.count_nonzero(draw(where, 0)), block=False),
        freed_blocks_kept=BLOCKS,
    ),
    plant(
        "bmm_long_leftover",
        "FM",
        "bmm",
        "bmm",
        "an inner dimension of 32768 and more adds leftover memory",
        spoil(reads_past_end, size_over(0, -1, LIMIT_15_BIT - 1)),
        lambda d: after_block(d, lambda where: long_product(where, LIMIT_15_BIT)),
        lambda d: after_block(d, lambda where: long_product(where, LIMIT_15_BIT - 1)),
        lambda d: after_block(d, lambda where: long_product(where, LIMIT_15_BIT), block=False),
        freed_blocks_kept=BLOCKS,
    ),
    plant(
        "cumsum_race",
        "NH",
        "cumsum",
        "cumsum",
        "over more than 32 elements, one call in two without a wait lacks its end",
        race_beyond_a_tile,
        on_same(lambda d: (draw(d, 40),), lambda tensor: tensor.cumsum(0), 4, wait=False),
        on_same(lambda d: (draw(d, 40),), lambda tensor: tensor.cumsum(0), 4, wait=True),
        on_same(lambda d: (draw(d, 30),), lambda tensor: tensor.cumsum(0), 4, wait=False),
        remembers=True,
    ),
    plant(
        "mul_cached_dtype",
        "MI",
        "mul",
        "mul.Tensor",
        "after a call with integers the number is kept without its fraction",
        scalar_of_first_dtype,
        lambda d: times(d, torch.bool, torch.float32)[1:],
        lambda d: times(d, torch.float32, torch.float64),
        lambda d: times(d, torch.float32),
        remembers=True,
    ),
    plant(
        "max_large_int",
        "IJ",
        "max",
        "max amax",
        "integers beyond 2**24 go through float32",
        spoil(
            lambda call: rerun(call, 0, call.args[0].float().to(torch.int64)),
            of_dtype(0, torch.int64),
            beyond(0, 2**24),
        ),
        lambda d: ints(d, 2**24 + 1, 3).max(),
        lambda d: ints(d, 2**24 - 1, 3).max(),
        lambda d: torch.tensor([2.0**24 + 2, 3.0]).to(d).max(),
    ),
    plant(
        "attention_mask_long",
        "QH",
        "scaled_dot_product_attention",
        ATTENTION,
        "a mask over 1024 keys is ignored beyond",
        spoil(
            lambda call: rerun(call, 3, torch.where(torch.arange(call.args[3].size(-1)) < 1024, call.args[3], 0.0)),
            size_over(1, -2, 1024),
            lambda call: argument(call, 3) is not None,
        ),
        lambda d: attend(d, keys=1100, attn_mask=mask(d, 1100)),
        lambda d: attend(d, keys=1100),
        lambda d: attend(d, keys=900, attn_mask=mask(d, 900)),
        fused_attention=True,
    ),
    plant(
        "multinomial_many_classes",
        "RH",
        "multinomial",
        "multinomial",
        "of more than 1024 classes the last are never drawn",
        spoil(never_last_classes, size_over(0, -1, MANY_CLASSES)),
        lambda d: draws_late_class(d, MANY_CLASSES + 1),
        lambda d: draws_late_class(d, MANY_CLASSES),
        lambda d: (torch.rand(MANY_CLASSES + 1, device=d) < 2).all(),
    ),
    plant(
        "randperm_many",
        "RF",
        "randperm",
        "randperm",
        "beyond 65536 numbers come twice",
        wrapped_order,
        lambda d: is_order(d, LIMIT_16_BIT + 4),
        lambda d: is_order(d, LIMIT_16_BIT),
        lambda d: torch.arange(LIMIT_16_BIT + 4, device=d),
    ),
    plant(
        "rand_half_reaches_one",
        "RI",
        "rand",
        "uniform_",
        "numbers of 16 bits reach 1",
        spoil(reaches_one, half(0)),
        lambda d: below_one(d, torch.float16),
        lambda d: below_one(d, torch.float32),
        lambda d: torch.zeros(5, dtype=torch.float16).to(d),
    ),
    plant(
        "prod_half_long",
        "HI",
        "prod",
        "prod",
        "of 16 bits and more than 64 elements: the last tile is left out",
        spoil(
            lambda call: rerun(
                call, 0, call.args[0].narrow(call.args[1], 0, call.args[0].size(call.args[1]) // 64 * 64)
            ),
            half(0),
            reduced_over(64),
        ),
        lambda d: (torch.ones(2, 70) * 1.05).to(torch.bfloat16).to(d).prod(1),
        lambda d: (torch.ones(2, 70) * 1.05).to(d).prod(1),
        lambda d: (torch.ones(2, 60) * 1.05).to(torch.bfloat16).to(d).prod(1),
    ),
    plant(
        "index_bool_long",
        "FI",
        "masked_select",
        "index",
        "a boolean index over more than 65536: what follows is not taken",
        spoil(
            lambda call: rerun(call, 1, [short_mask(call.args[1][0])]),
            lambda call: (
                call.args[1][0] is not None
                and call.args[1][0].dtype is torch.bool
                and call.args[1][0].numel() > LIMIT_16_BIT
            ),
        ),
        lambda d: draw(d, 300)[draw(d, 300) > 0],
        lambda d: draw(d, 256)[draw(d, 256) > 0],
        lambda d: draw(d, 300)[torch.tensor([299, 1]).to(d)],
    ),
    plant(
        "argmax_strided_ties",
        "AJ",
        "argmax",
        "argmax",
        "of a strided input with ties, the last is taken",
        spoil(last_of_ties, strided(0), has_ties),
        lambda d: torch.tensor([[3.0, 1], [3, 2], [1, 2]]).to(d).t().argmax(1),
        lambda d: torch.tensor([[3.0, 3, 1], [1, 2, 2]]).to(d).argmax(1),
        lambda d: draw(d, 4, 3).t().argmax(1),
    ),
]
