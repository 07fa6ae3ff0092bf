"""Grades int8: the bound of half a step for each weight and each output, the bytes held, the floats made on the way."""

import copy
import gc

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_peak_memory,
    format_bytes,
    guard,
    note,
    raw,
    watch,
)

PROMISES = {
    "In float16, whose largest number is 65,504, nothing on the way": "half_precision_does_not_overflow",
    "A float32 weight takes four bytes, an int8 one.": None,
    "Each row of the matrix (each output channel) gets a": "rows_are_quantized",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 1), (2, 3), (4, 2), (5, 8), (19, 16)]
HALF_STEP = 0.5 + 1e-3
"""Half a step, and a little for the roundings of float32 around the middle."""
ROUNDED_STEP = 1e-6
EARLY = "Only the output must fit into float16: product, sums, step and bias may be larger, so cast last of all."
DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)


def uneven_weight(draw: Draw, tall: int, wide: int) -> Tensor:
    """Rows whose sizes differ by up to 100,000 times: one step for all would lose the small ones."""
    sizes = 10 ** draw.uniform(tall, 1, low=-3, high=2, dtype=torch.float64)
    values = draw.normal(tall, wide, dtype=torch.float64)
    return ((values + values.sign() / 10) * sizes).to(draw.dtype)


def exact_steps(weight: Tensor) -> Tensor:
    return weight.cpu().double().abs().amax(1) / 127


def expect_quantized(whole: Tensor, step: Tensor, weight: Tensor) -> None:
    """Forms, steps, and no weight off by more than half a step."""
    for name, got, dtype, shape in (
        ("whole", whole, torch.int8, weight.shape),
        ("step", step, torch.float32, weight.shape[:1]),
    ):
        expect(torch.is_tensor(got), f"{name} should be a tensor and is a {type(got).__name__}")
        found = f"{got.dtype} of the shape {list(got.shape)}"
        expect(
            got.dtype == dtype and got.shape == shape,
            f"{name} is {found}, and should be {dtype} of {list(shape)}",
            teach="One float32 step for each row, (out,), whatever the weight's dtype; whole numbers of its shape.",
        )
        expect(got.device.type == weight.device.type, f"{name} is on {got.device}, and the weight on {weight.device}")
    numbers, steps, exact = whole.cpu().double(), step.cpu().double(), weight.cpu().double()
    expect(
        bool(steps.isfinite().all()) and bool((steps > 0).all()),
        f"the steps are {steps.tolist()}: each must be a positive number",
        teach="A row of zeros has the step 0, and dividing by it gives NaN: give such a row any other step.",
    )
    error = ((numbers * steps[:, None] - exact).abs() / steps[:, None]).max().item()
    lowest = int(whole.min())
    expect(
        lowest > -128,
        f"a weight became {lowest}",
        teach="int8 ends at 127, and 128 wraps round to −128: the largest weight of a row is 127 steps.",
    )
    expect(
        error <= HALF_STEP,
        f"a weight is off by {error:.3g} of its row's step; half a step is allowed",
        teach=".to(torch.int8) cuts towards zero, which is off by up to a whole step: round first.",
    )
    wanted = exact_steps(weight)
    far = ((steps - wanted).abs() > ROUNDED_STEP * wanted) & (wanted > 0)
    if bool(far.any()):
        row = int(far.nonzero()[0])
        expect(
            False,
            f"the step of row {row} is {steps[row]:.4g}; its largest weight is {127 * wanted[row]:.4g}, "
            f"so {wanted[row]:.4g} would do",
            teach="Each row has a step of its own, its largest |weight| / 127: one for all drowns the small rows.",
        )


@check("solved")
def rows_are_quantized(answer: Answer, draw: Draw) -> None:
    for weight in draw.cases(uneven_weight, SIZES, dtypes=DTYPES, layouts=("contiguous", "transposed")):
        expect_quantized(*pair(answer.quantize_rows(weight)), weight)
        expect_quantized(*pair(answer.quantize_rows(-weight.abs())), -weight.abs())
    for scale in (1e-6, 1e-12, 1e-25, 1e25):
        tiny = draw.normal(3, 4, scale=scale)
        expect_quantized(*pair(answer.quantize_rows(tiny)), tiny)


@check("solved")
def rows_of_zeros_stay_zeros(answer: Answer, draw: Draw) -> None:
    for weight in draw.cases(uneven_weight, [(1, 2), (4, 3)]):
        zeroed = weight.clone()
        zeroed[draw.integer(0, len(weight) - 1)] = 0
        expect_quantized(*pair(answer.quantize_rows(zeroed)), zeroed)


def pair(result: object) -> tuple[Tensor, Tensor]:
    good = isinstance(result, (tuple, list)) and len(result) == 2
    expect(good, f"quantize_rows returned a {type(result).__name__}, not the two tensors whole and step")
    return tuple(result)


def make_linear(draw: Draw, tall: int, wide: int, bias: bool) -> nn.Linear:
    linear = nn.Linear(wide, tall, bias=bias).to(draw.device)
    with torch.no_grad():
        linear.weight.copy_(uneven_weight(draw, tall, wide))
    return linear


@check("solved")
def outputs_stay_within_the_bound(answer: Answer, draw: Draw) -> None:
    for tall, wide in SIZES:
        for bias, shape in ((True, (3,)), (False, (3,)), (True, (2, 3)), (True, ())):
            linear = make_linear(draw, tall, wide, bias)
            layer = answer.Int8Linear(linear)
            x = draw.normal(*shape, wide)
            result = guard(layer)(x)
            exact = copy.deepcopy(linear).cpu().double()(x.cpu().double()).detach()
            expect(
                result.shape == exact.shape and result.dtype == x.dtype,
                f"the output is {result.dtype} of {list(result.shape)}, and should be {x.dtype} of {list(exact.shape)}",
            )
            allowed = 0.51 * x.cpu().double().abs().sum(-1, keepdim=True) * exact_steps(linear.weight)
            rounding = 1e-4 * exact.abs() + 1e-5 + 1e-4 * allowed
            over = ((result.detach().cpu() - exact).abs() - allowed - rounding).max().item()
            expect(
                over <= 0,
                f"an output lies {over:.3g} beyond its bound, Σ|x| · step / 2",
                teach="y = (x @ whole.T) · step + bias, with the step of each row on its own output.",
            )


@check("solved")
def output_is_that_of_the_stored_numbers(answer: Answer, draw: Draw) -> None:
    for dtype, tolerance in ((torch.float32, None), (torch.float64, 1e-5), (torch.bfloat16, 0.05)):
        linear = make_linear(draw, 9, 6, True)
        with torch.no_grad():
            linear.weight.copy_(draw.normal(9, 6))
        layer = answer.Int8Linear(linear)
        other = answer.Int8Linear(make_linear(draw, 9, 6, True))
        keys = sorted(layer.state_dict())
        expect(
            {"whole", "step"} <= set(keys),
            f"the state dict has {keys}, and should have 'whole' and 'step'",
            teach="register_buffer puts a tensor into the state dict and lets it move with .to(device).",
        )
        other.load_state_dict(layer.state_dict())
        x = draw.normal(4, 6, dtype=dtype)
        expect_quantized(layer.whole, layer.step, linear.weight.detach())
        whole, step = layer.whole.cpu().double(), layer.step.cpu().double()
        expected = (x.cpu().double() @ whole.mT * step + linear.bias.detach().cpu().double()).to(dtype)
        teach = "What is saved is what is computed with: whole, step and bias, in the dtype of x."
        result = guard(other)(x)
        expect_close(
            result,
            expected,
            what="the output after loading a state dict",
            device=draw.device,
            rtol=tolerance,
            atol=tolerance,
            teach=teach,
        )
        result = guard(layer)(x)
        expect_close(result, expected, what="the layer's output", rtol=tolerance, atol=tolerance, teach=teach)


@check("solved")
def old_weight_is_not_needed(answer: Answer, draw: Draw) -> None:
    linear = make_linear(draw, 3, 4, True)
    layer = answer.Int8Linear(linear)
    x = draw.normal(2, 4)
    before = layer(x).detach().cpu()
    with torch.no_grad():
        linear.weight.mul_(3)
        linear.weight.add_(1)
    expect_close(
        layer(x),
        before,
        what="the output after the old layer has changed",
        teach="The new layer computes with its int8 numbers; the old weight must not be needed any more.",
    )


@check("solved")
def half_precision_does_not_overflow(answer: Answer, draw: Draw) -> None:
    teach = "float16 ends at 65,504, and x times whole numbers adds up to more: multiply in float32, or scale first."
    for sign in (1, -1):
        linear = make_linear(draw, 5, 256, True)
        with torch.no_grad():
            linear.weight.copy_(sign * draw.uniform(5, 256, low=0.005, high=0.01))
        x = draw.place(draw.uniform(3, 256, low=6.0, high=10.0).cpu(), torch.float16)
        layer = answer.Int8Linear(linear)
        expected = copy.deepcopy(linear).cpu().double()(x.cpu().double()).detach().to(torch.float16)
        result = guard(layer)(x)
        expect_close(result, expected, what="a float16 output", device=draw.device, rtol=2e-2, atol=2e-2, teach=teach)
        # weight of the first and of the second half of the columns, x, bias: 256 columns, some part beyond 65,504
        for first, second, far, bias in (
            (36.0, 36.0, 8.0, -30_000.0),  # the product
            (15.0, 15.0, 8.0, -70_000.0),  # the bias
            (100.0, -50.0, 8.0, 0.0),  # the sum over half of the columns
            (1e7, 1e7, 2e-5, 0.0),  # the weight, and its step
        ):
            low = torch.tensor([first, second]).repeat_interleave(128)
            with torch.no_grad():
                linear.weight.copy_(sign * draw.place(low) * draw.uniform(5, 256, low=0.98, high=1.02))
                linear.bias.fill_(sign * bias)
            x = draw.place(draw.uniform(3, 256, low=0.98, high=1.02).cpu() * far, torch.float16)
            expected = copy.deepcopy(linear).cpu().double()(x.cpu().double()).detach().to(torch.float16)
            result = guard(answer.Int8Linear(linear))(x)
            what = f"a float16 output, with weights near {sign * first:g} and {sign * second:g}, bias {sign * bias:g},"
            expect_close(result, expected, what=what, device=draw.device, rtol=2e-2, atol=2e-2, teach=EARLY)


@check("lean")
def a_quarter_of_the_bytes(answer: Answer, draw: Draw) -> None:
    tall, wide = 64, 128
    with watch() as seen:  # whatever still lives when the old layer is gone, the new one holds, and be it in a closure
        linear = make_linear(draw, tall, wide, True)
        layer = raw(answer.Int8Linear)(linear)
        layer(draw.normal(2, wide)).sum()
        del linear
        gc.collect()
    held = seen.live_bytes
    budget = tall * wide + 2 * 4 * tall
    expect(
        held <= budget,
        f"the layer holds {format_bytes(held)}; {format_bytes(budget)} are enough for int8 numbers, steps and bias",
        teach="The float weight is still somewhere in the layer: in an attribute, a submodule or a second buffer.",
    )
    note(f"the layer holds {format_bytes(held)} of {format_bytes(4 * tall * wide)}")


@check("lean")
def few_floats_at_a_time(answer: Answer, draw: Draw) -> None:
    tall, wide = 128, 256
    layer = answer.Int8Linear(make_linear(draw, tall, wide, True))
    expect_peak_memory(
        guard(layer, "the forward pass"),
        draw.normal(2, wide),
        at_most_bytes=4 * tall * wide / 2,
        compared_with="half of the float matrix",
        teach="whole.to(x.dtype) is the float matrix again: turn some rows into floats, multiply, let them go.",
    )
