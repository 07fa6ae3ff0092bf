"""Grades int4: the formulas in float64, group by group; bytes that the module keeps are counted."""

import gc

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_same,
    format_bytes,
    looks_like,
    note,
    raw,
    watch,
)

PROMISES = {
    "A language model that answers one token at a time reads all its": None,
    "Sixteen levels are few, so each group of neighbouring weights": None,
    "For each group of group neighbours in a row, low is its": "codes_are_right",
    "A group whose weights are all equal has the scale 0 and codes 0": "equal_weights_are_fine",
    "It keeps packed, scale and low as buffers, and bias as linear": "buffers_are_saved",
    "linear stays as it is": "layers_compute_the_same",
    "Lean: the module keeps at most a quarter of the float32": "little_is_kept",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 2, 2), (2, 4, 2), (3, 8, 4), (4, 32, 16)]
"""out, in, group"""
WIDE, GROUP = (32, 256), 32
TEACH = "Each group of neighbours in a row has its own smallest weight and its own step, (largest − smallest) / 15."


def rows_of_groups(weight: Tensor, group: int) -> Tensor:
    return weight.reshape(weight.shape[0], -1, group)


def quantized(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    groups = rows_of_groups(weight, group)
    low, high = groups.min(-1).values, groups.max(-1).values
    scale = (high - low) / 15
    codes = torch.zeros(groups.shape, dtype=torch.uint8)
    for index in torch.cartesian_prod(torch.arange(len(groups)), torch.arange(groups.shape[1])).tolist():
        place = tuple(index)
        if scale[place] > 0:
            codes[place] = ((groups[place] - low[place]) / scale[place]).round().to(torch.uint8)
    return codes.reshape(weight.shape), scale, low


def cut_off(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    _, scale, low = quantized(weight, group)
    steps = (rows_of_groups(weight, group) - low[..., None]) / scale[..., None]
    return steps.to(torch.uint8).reshape(weight.shape), scale, low


def weight_case(draw: Draw, out: int, width: int, group: int) -> tuple[Tensor, int]:
    """Multiples of 1/15 of a step that no rounding brings to a half."""
    steps = draw.integers(out, width, high=16).double()
    rows = rows_of_groups(steps, group)
    rows[..., 0], rows[..., 1] = 0, 15
    away = draw.uniform(out, width // group, 1, low=0.5, high=2).double()
    shake = draw.uniform(*rows.shape, low=-0.3, high=0.3).double()
    shake[..., :2] = 0
    weight = (rows + shake) * away + draw.normal(out, width // group, 1).double()
    return draw.place(weight.reshape(out, width).cpu()), group


def codes_case(draw: Draw, out: int, width: int, group: int) -> Tensor:
    return draw.integers(out, width, high=16, dtype=torch.uint8)


def packed_codes(codes: Tensor) -> Tensor:
    return (codes[:, ::2].int() + 16 * codes[:, 1::2].int()).to(torch.uint8)


@check("solved")
def codes_are_right(answer: Answer, draw: Draw) -> None:
    truncated = looks_like(cut_off, "A conversion to whole numbers cuts off; round first.")
    whole = looks_like(lambda weight, group: quantized(weight, weight.shape[1]), "That is one group for a whole row.")
    for case in draw.cases(weight_case, SIZES, dtypes=(torch.float32, torch.float64)):
        expect_same(answer.quantize, quantized, *case, diagnose=[truncated, whole], teach=TEACH)


@check("solved")
def equal_weights_are_fine(answer: Answer, draw: Draw) -> None:
    weight = draw.normal(2, 4)
    weight[0, :2] = 0.7
    weight[1, 2:] = -3.0
    teach = "A group of equal weights has no width: 0 / 0 is NaN, and NaN as a byte is anything."
    codes, scale, low = answer.quantize(weight, 2)
    zeros = torch.cat([codes[0, :2], codes[1, 2:]]).cpu()
    expect_close(zeros, torch.zeros(4, dtype=torch.uint8), what="the codes of equal weights", teach=teach)
    flat = torch.stack([scale[0, 0], scale[1, 1], low[0, 0], low[1, 1]]).cpu()
    expect_close(flat, torch.tensor([0, 0, 0.7, -3.0]), what="scale and low of equal weights", teach=teach)
    exact = "The scale is 0 and nothing near it: divide by something else where it is."
    expect(flat[:2].eq(0).all(), f"the scales of equal weights are {flat[:2].tolist()}, not 0", teach=exact)


@check("solved")
def small_weights_are_not_equal(answer: Answer, draw: Draw) -> None:
    teach = "Weights near 0 are not all equal: only a scale of exactly 0 has nothing to divide by, and needs no help."
    for power in (-20, -40, -60, -90, 60):
        weight, group = weight_case(draw, 2, 4, 2)
        weight = draw.place((weight.cpu() - weight.cpu().mean()) * 2.0**power)  # a power of two: nothing is rounded
        _, scale, low = expect_same(answer.quantize, quantized, weight, group, teach=teach)
        # As large as they were: a tolerance would take a tiny scale for 0.
        large = [(one.cpu() * 2.0**-power) for one in (scale, low)]
        wanted = [one * 2.0**-power for one in quantized(weight.cpu(), group)[1:]]
        expect_close(large, wanted, what=f"scale and low of weights near 2 to the power of {power}", teach=teach)


@check("solved")
def bytes_are_right(answer: Answer, draw: Draw) -> None:
    swapped = looks_like(
        lambda codes: (16 * codes[:, ::2].int() + codes[:, 1::2].int()).to(torch.uint8),
        "High and low changed places: the even column is in the low four bits.",
    )
    halves = looks_like(
        lambda codes: (codes.chunk(2, 1)[0].int() + 16 * codes.chunk(2, 1)[1].int()).to(torch.uint8),
        "Neighbours share a byte, columns 0 and 1, 2 and 3, …; these are the two halves of a row.",
    )
    for codes in draw.cases(codes_case, SIZES, layouts=("contiguous", "strided")):
        expect_same(answer.pack, packed_codes, codes, diagnose=[swapped, halves])
        packed = draw.place(packed_codes(codes.cpu()), torch.uint8)
        teach = "Columns come back in their order: low, high, low, high."
        expect_same(answer.unpack, lambda packed, codes=codes: codes.cpu(), packed, teach=teach)


def layer(draw: Draw, out: int, width: int, group: int, bias: bool) -> nn.Linear:
    made = nn.Linear(width, out, bias=bias, dtype=draw.dtype)
    made.weight.data = weight_case(draw, out, width, group)[0].cpu()
    return made.to(draw.device)


@check("solved")
def layers_compute_the_same(answer: Answer, draw: Draw) -> None:
    for out, width, group in SIZES:
        for bias, draw.dtype in ((True, torch.float32), (False, torch.float32), (True, torch.float64)):
            linear = layer(draw, out, width, group, bias)
            module = answer.Int4Linear(linear, group)
            answer.Int4Linear(layer(draw, 2, 6, 6, bias), 6)  # another one, which changes nothing here
            weight = linear.weight.detach().cpu()
            codes, scale, low = quantized(weight, group)
            rebuilt = rows_of_groups(codes, group) * scale[..., None] + low[..., None]
            x = draw.normal(2, 3, width)
            kept = None if linear.bias is None else linear.bias.detach().cpu()
            expected = nn.functional.linear(x.cpu(), rebuilt.reshape(weight.shape), kept)
            teach = "The weight of a code is code · scale + low, with scale and low of its own group."
            what = f"the result of Int4Linear for {out}×{width}, group {group}"
            near = 1e-4 if draw.dtype == torch.float32 else None
            expect_close(module(x).detach(), expected, what=what, device=draw.device, teach=teach, atol=near)


@check("solved")
def buffers_are_saved(answer: Answer, draw: Draw) -> None:
    linear = layer(draw, 3, 8, 4, True)
    names = set(raw(answer.Int4Linear)(linear, 4).state_dict())
    wanted = {"packed", "scale", "low", "bias"}
    teach = "register_buffer keeps packed, scale and low with the module; the bias stays a parameter."
    expect(names == wanted, f"the state dict has {sorted(names)}, not {sorted(wanted)}", teach=teach)
    parameters = [name for name, _ in raw(answer.Int4Linear)(linear, 4).named_parameters()]
    expect(parameters == ["bias"], f"the parameters are {parameters}, not the bias alone", teach=teach)
    learns = raw(answer.Int4Linear)(linear, 4).bias.requires_grad
    expect(learns, "the bias of linear learns, and that of Int4Linear does not", teach="The bias is as linear has it.")


@check("lean")
def little_is_kept(answer: Answer, draw: Draw) -> None:
    size = WIDE[0] * WIDE[1] * 4
    with watch() as seen:  # whatever still lives when linear is gone, the module keeps, and be it in a closure
        linear = layer(draw, *WIDE, GROUP, False)
        linear.weight = nn.Parameter(linear.weight.detach().clone())
        module = raw(answer.Int4Linear)(linear, GROUP)
        module(draw.normal(2, WIDE[1])).sum()
        del linear
        gc.collect()
    kept, most = seen.live_bytes, size // 4
    expect(
        kept <= most,
        f"the module keeps {format_bytes(kept)}; a quarter of the weight is {format_bytes(most)}",
        teach="Four bits a weight: two codes in each byte, and nothing kept as floats but scale and low.",
    )
    note(f"{format_bytes(kept)} of {format_bytes(size)}")
