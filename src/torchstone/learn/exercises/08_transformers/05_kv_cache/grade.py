"""Grades kv_cache: a text cut in several ways against the whole text in float64; ops and bytes of a late token."""

from functools import partial

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_peak_memory,
    expect_raises,
    expect_same_ops,
    expect_view,
    guard,
    when,
)

PROMISES = {
    "A model that writes one token at a time would": None,
    "They do not change, so they are kept.": None,
    "Any number of tokens may come at a time: first a prompt, then one by one.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

CUTS = [[1], [1, 1], [2, 1], [1, 2], [3, 1, 2, 1], [5]]
SHAPES = [(1, 2, 1), (2, 8, 2), (3, 12, 3)]
SHORT, LONG = 10, 300
RESTARTED = "The rotary positions start at 0 again: they go on where the cache ends."


def turn(x: Tensor, positions: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    angles = positions.double()[:, None] * 10_000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
    points = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([points.real, points.imag], -1)


def whole_text(
    layer: nn.Module, x: Tensor, heads: int, positions: Tensor | None = None, last_seen: Tensor | None = None
) -> Tensor:
    """What the layer's weights give for a whole text; `last_seen` is the last key that each token sees."""
    wide = x.cpu().double() @ layer.project.weight.detach().cpu().double().mT
    query, key, value = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in wide.chunk(3, -1))
    positions = torch.arange(x.shape[1]) if positions is None else positions
    scores = turn(query, positions) @ turn(key, positions).mT / query.shape[-1] ** 0.5
    last_seen = torch.arange(x.shape[1]) if last_seen is None else last_seen
    later = torch.arange(x.shape[1])[None, :] > last_seen[:, None]
    result = scores.masked_fill(later, -torch.inf).softmax(-1) @ value
    return (result.transpose(1, 2).flatten(2) @ layer.out.weight.detach().cpu().double().mT).to(x.dtype)


def is_near(wrong: Tensor, got: Tensor, expected: Tensor | None = None) -> bool:
    return got.shape == wrong.shape and torch.allclose(got.cpu(), wrong, rtol=1e-3, atol=1e-4)


def make_layer(answer: Answer, draw: Draw, width: int, heads: int) -> nn.Module:
    layer = answer.SelfAttention(width, heads)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(draw.normal(*parameter.shape, scale=1.5 / width**0.5, dtype=torch.float64).cpu())
    return layer.to(draw.device, draw.dtype)


def make_cache(answer: Answer, draw: Draw, batch: int, heads: int, capacity: int, width: int) -> object:
    cache = answer.KVCache(batch, heads, capacity, width, draw.dtype, draw.device)
    expect(getattr(cache, "length", None) == 0, "the length of a new cache is not 0")
    return cache


@check("solved")
def cache_keeps_what_came(answer: Answer, draw: Draw) -> None:
    for draw.dtype in (torch.float32, torch.float64, torch.bfloat16):
        for batch, heads, width in ((1, 1, 1), (2, 3, 4)):
            cache = make_cache(answer, draw, batch, heads, 6, width)
            keys, values = draw.normal(batch, heads, 6, width), draw.normal(batch, heads, 6, width)
            done, rooms, kept = 0, set(), []
            for size in (1, 3, 2):
                part = slice(done, done + size)
                done += size
                got = guard(cache.append, "append")(keys[:, :, part], values[:, :, part])
                teach = "Write behind what is there, and return everything up to the new length, not the whole room."
                expect(cache.length == done, f"length is {cache.length} after {done} positions", teach=teach)
                expected = keys[:, :, :done].cpu(), values[:, :, :done].cpu()
                what = f"what append returns after {done} positions"
                expect_close(got, expected, what=what, teach=teach, device=draw.device)
                rooms.add(got[0].untyped_storage()._cdata)
                kept.append(got)  # a room that is given back could be given out again
            same = "The room is set aside once, in the dtype and on the device asked for; append hands out views."
            expect(
                len(rooms) == 1,
                f"after three calls the keys lie in {len(rooms)} different pieces of memory",
                teach=same,
            )


@check("solved")
def too_much_is_refused(answer: Answer, draw: Draw) -> None:
    cache = make_cache(answer, draw, 1, 1, 3, 2)
    first, second, third = draw.normal(1, 1, 2, 2), draw.normal(1, 1, 2, 2), draw.normal(1, 1, 1, 2)
    append = guard(cache.append, "append")
    append(first, first)
    teach = "Look whether the new positions fit before anything is written, and say what the capacity is if not."
    expect_raises(ValueError, append, second, second, mentioning="capacity", teach=teach)
    expect(cache.length == 2, f"after a refusal the length is {cache.length}, and was 2 before", teach=teach)
    keys, values = append(third, -third)
    expected = torch.cat([first, third], 2).cpu(), torch.cat([first, -third], 2).cpu()
    expect_close((keys, values), expected, what="the cache when it is full to the last place", teach=teach)


@check("solved")
def without_a_cache_it_is_right(answer: Answer, draw: Draw) -> None:
    for batch, width, heads in SHAPES:
        layer = make_layer(answer, draw, width, heads)
        for n in (1, 5):
            x = draw.normal(batch, n, width)
            expected = whole_text(layer, x, heads)
            with torch.no_grad():
                expect_close(guard(layer)(x), expected, what="the output without a cache", device=draw.device)
            teach = "Who trains calls it without a cache, and needs gradients: no_grad is for the caller to set."
            expect(layer(x).requires_grad, "the output without a cache has no gradient", teach=teach)


def positions_from_zero(cut: list[int]) -> Tensor:
    return torch.cat([torch.arange(size) for size in cut])


def clear_text(draw: Draw, layer: nn.Module, shape: tuple[int, ...], heads: int, cut: list[int]) -> Tensor:
    """A text on which the known mistakes differ: with a sharp softmax two of them can give one result by chance."""
    from_zero = positions_from_zero(cut)
    while True:
        x = draw.normal(*shape)
        restarted = whole_text(layer, x, heads, from_zero)
        blinkered = whole_text(layer, x, heads, last_seen=from_zero)
        later_parts = zip(restarted[:, cut[0] :].unbind(1), blinkered[:, cut[0] :].unbind(1), strict=True)
        if not any(is_near(one, other) for one, other in later_parts):
            return x


@check("solved")
def every_cut_gives_the_same(answer: Answer, draw: Draw) -> None:
    teach = "Token i of x stands at position length + i, and sees every key up to that position."
    for batch, width, heads in SHAPES:
        layer = make_layer(answer, draw, width, heads)
        for draw.dtype in (torch.float32, torch.float64):
            layer = layer.to(draw.dtype)
            # A prompt may be long; the smallest layer shows it.
            for cut in [*CUTS, [520, 1]] if width == 2 and draw.dtype == torch.float64 else CUTS:
                n = sum(cut)
                x = clear_text(draw, layer, (batch, n, width), heads, cut)
                cache = make_cache(answer, draw, batch, heads, n + draw.integer(0, 2), width // heads)
                expected = whole_text(layer, x, heads)
                restarted = whole_text(layer, x, heads, positions_from_zero(cut))
                done = 0
                for size in cut:
                    part = slice(done, done + size)
                    done += size
                    with torch.no_grad():
                        got = guard(layer)(x[:, part], cache)
                    known = when(partial(is_near, restarted[:, part]), RESTARTED)
                    what = f"the output for positions {part.start} to {part.stop - 1}, after {part.start} in the cache,"
                    expect_close(got, expected[:, part], what=what, teach=teach, diagnose=[known], rtol=1e-3, atol=1e-4)
                    expect(cache.length == done, f"the cache's length is {cache.length} after {done} positions")


@check("solved")
def hidden_keys_may_fit_better(answer: Answer, draw: Draw) -> None:
    """Keys are the queries turned round, and the first two tokens huge: only what comes later fits them better."""
    teach = "Scores may be lower than any number: later keys need −inf, or a boolean mask."
    for batch, width, heads in SHAPES:
        layer = make_layer(answer, draw, width, heads)
        with torch.no_grad():
            layer.project.weight[width : 2 * width] = -layer.project.weight[:width]
        x = draw.normal(batch, 3, width)
        x[:, 0] *= 1e12
        x[:, 1] = 2 * x[:, 0]
        expected = whole_text(layer, x, heads)[:, :2]
        for cut in ([3], [1, 2], [2, 1]):
            cache = make_cache(answer, draw, batch, heads, 3, width // heads)
            with torch.no_grad():
                got = torch.cat([guard(layer)(part, cache) for part in x.split(cut, 1)], 1)
            what = f"the output for the first two tokens of a text in parts of {cut}"
            near = 1e-4 * float(expected.abs().max())
            expect_close(got[:, :2], expected, what=what, teach=teach, rtol=1e-3, atol=near)


@check("solved")
def two_texts_do_not_mix(answer: Answer, draw: Draw) -> None:
    layer = make_layer(answer, draw, 8, 2)
    texts = draw.normal(1, 4, 8), draw.normal(1, 4, 8)
    caches = [make_cache(answer, draw, 1, 2, 4, 4) for _ in texts]
    expected = [whole_text(layer, x, 2) for x in texts]
    for place in range(4):
        for x, cache, wanted in zip(texts, caches, expected, strict=True):
            with torch.no_grad():
                got = guard(layer)(x[:, place : place + 1], cache)
            expect_close(
                got,
                wanted[:, place : place + 1],
                what=f"the output at position {place} of one of two texts that are written in turn",
                teach="What was seen belongs into the cache that was handed in, not into the layer.",
                rtol=1e-3,
                atol=1e-4,
            )


@check("solved")
def room_is_set_aside_once(answer: Answer, draw: Draw) -> None:
    teach = "All of the capacity is set aside at the beginning: room that grows later copies what is there."
    for capacity, sizes in ((40, (1, 16, 16, 7)), (1500, (1, 100, 1000, 399))):
        cache = make_cache(answer, draw, 1, 2, capacity, 2)
        rooms = []
        for size in sizes:
            part = draw.normal(1, 2, size, 2)
            rooms.append(cache.append(part, -part))
        for which, name in enumerate(("keys", "values")):
            first = rooms[0][which].untyped_storage()
            held, least = first.nbytes(), capacity * 2 * 2 * rooms[0][which].element_size()
            enough = f"the room of the {name} has {held} bytes; {capacity} positions need {least}"
            expect(held >= least, enough, teach=teach)
            for room in rooms:
                same = room[which].untyped_storage()._cdata == first._cdata
                expect(same, f"the {name} have moved to another room on the way to {capacity} positions", teach=teach)


def filled(answer: Answer, draw: Draw, layer: nn.Module, length: int) -> object:
    cache = make_cache(answer, draw, 1, 2, length + 8, 16)
    with torch.no_grad():
        layer(draw.normal(1, length, 32), cache)
    return cache


@check("lean")
def late_tokens_need_no_more_ops(answer: Answer, draw: Draw) -> None:
    layer = make_layer(answer, draw, 32, 2)
    x = draw.normal(1, 1, 32)
    short, long = filled(answer, draw, layer, SHORT), filled(answer, draw, layer, LONG)
    with torch.no_grad():
        teach = "A loop over what is in the cache grows with the text: write one slice, look at one view."
        expect_same_ops(guard(layer, "a step"), (x, short), (x, long), teach=teach)


@check("lean")
def nothing_in_the_cache_is_copied(answer: Answer, draw: Draw) -> None:
    cache = make_cache(answer, draw, 1, 2, 8, 4)
    before = cache.append(draw.normal(1, 2, 2, 4), draw.normal(1, 2, 2, 4))
    after = cache.append(draw.normal(1, 2, 1, 4), draw.normal(1, 2, 1, 4))
    teach = "torch.cat makes new room and copies everything, for each token: set the room aside once and write into it."
    for one, other, name in zip(before, after, ("keys", "values"), strict=True):
        expect_view(other, one, f"{name} after a second append", teach=teach)
    layer = make_layer(answer, draw, 32, 2)
    cache = filled(answer, draw, layer, LONG)
    with torch.no_grad():
        expect_peak_memory(
            guard(layer, "a step"),
            draw.normal(1, 1, 32),
            cache,
            at_most_bytes=0.75 * 2 * LONG * 32 * 4,
            compared_with=f"three quarters of a cache with {LONG} positions",
            teach="Keys and values of the whole text are made anew or copied: only the new token's are new.",
        )
