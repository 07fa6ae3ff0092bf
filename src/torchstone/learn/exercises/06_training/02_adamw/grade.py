"""Grades adamw: the update written out in float64 as the reference; bytes of one step counted."""

import math

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, expect_peak_memory, looks_like

SETTINGS = [
    {"rate": 0.1, "betas": (0.9, 0.999), "eps": 1e-8, "decay": 0.0},
    {"rate": 0.05, "betas": (0.9, 0.999), "eps": 1e-8, "decay": 0.3},
    {"rate": 0.1, "betas": (0.5, 0.8), "eps": 0.3, "decay": 0.1},
    {"rate": 0.02, "betas": (0.0, 0.9), "eps": 1e-3, "decay": 0.5},
]
SCHEDULES = [(1.0, 0, 4, 0.0), (1.0, 1, 3, 0.0), (0.5, 4, 10, 0.0), (2.0, 3, 9, 0.5), (1e-3, 10, 30, 1e-4)]
ALLOWED = 2.2
"""Bytes of a step in units of its one large parameter: an in-place step needs 1, a step in plain arithmetic 3."""
NEAR_DOUBLE = 1e-12
"""In float64: m or v in float32 is off by 1e-9."""
BUILT_IN = "torch.optim's own optimizer does the work here: write the four lines of the update yourself."

FORBIDDEN = dict.fromkeys(
    ("torch.optim.adam.adam", "torch.optim.adamw.adamw", "fused_adamw_", "fused_adam_"),
    "That is torch.optim's own update: write the four lines yourself.",
)


def rate_at(step: int, peak: float, warmup: int, total: int, floor: float) -> float:
    if step < warmup:
        return (step + 1) * peak / warmup
    progress = min(1.0, (step - warmup) / (total - warmup))
    return floor + 0.5 * (peak - floor) * (1 + math.cos(math.pi * progress))


class Reference:
    """The update in float64, with switches for the known mistakes."""

    def __init__(self, start: Tensor, rate: float, betas: tuple[float, float], eps: float, decay: float) -> None:
        self.value = start.double()
        self.mean, self.square, self.count = torch.zeros_like(self.value), torch.zeros_like(self.value), 0
        self.rate, self.betas, self.eps, self.decay = rate, betas, eps, decay

    def step(self, gradient: Tensor, *, coupled: bool = False, corrected: bool = True, inside: bool = False) -> None:
        gradient = gradient.double()
        if coupled:
            gradient = gradient + self.decay * self.value
        else:
            self.value = self.value * (1 - self.rate * self.decay)
        self.count += 1
        beta1, beta2 = self.betas
        self.mean = beta1 * self.mean + (1 - beta1) * gradient
        self.square = beta2 * self.square + (1 - beta2) * gradient**2
        mean = self.mean / (1 - beta1**self.count) if corrected else self.mean
        square = self.square / (1 - beta2**self.count) if corrected else self.square
        spread = (square + self.eps).sqrt() if inside else square.sqrt() + self.eps
        self.value = self.value - self.rate * mean / spread


KNOWN = {
    "coupled": "The decay went into the gradient (that is Adam with L2): AdamW takes it from the weight directly.",
    "corrected": "m and v begin at 0 and are too small at first: divide them by 1 − β to the power of t.",
    "inside": "eps is added after the root, not under it.",
}


def follow(start: Tensor, gradients: list[Tensor | None], rates: list[float], setting: dict, **bugs: bool) -> Tensor:
    """Where the reference ends."""
    twin = Reference(start, **setting)
    for gradient, rate in zip(gradients, rates, strict=True):
        twin.rate = rate
        if gradient is not None:
            twin.step(gradient, **bugs)
    return twin.value.to(start.dtype)


def known_mistakes(start: Tensor, gradients: list[Tensor | None], rates: list[float], setting: dict) -> list:
    flags = {"coupled": True, "corrected": False, "inside": True}
    return [
        looks_like(lambda name=name: follow(start, gradients, rates, setting, **{name: flags[name]}), sentence)
        for name, sentence in KNOWN.items()
    ]


def expect_followed(
    answer: Answer,
    draw: Draw,
    shapes: list[tuple[int, ...]],
    steps: int,
    setting: dict,
    *,
    holes: bool,
    teach: str,
    scales: tuple[float, ...] = (0.1, 1.0, 5.0),
) -> None:
    """Run the learner's optimizer and the reference over the same random gradients."""
    starts = [draw.normal(*shape) for shape in shapes]
    parameters = [torch.nn.Parameter(start.clone()) for start in starts]
    optimizer = answer.AdamW((parameter for parameter in parameters), **setting)
    rates = [setting["rate"] * (1 if step < 2 else 0.5) for step in range(steps)]
    history: list[list[Tensor | None]] = [[] for _ in parameters]
    for rate in rates:
        optimizer.rate = rate
        for parameter, past in zip(parameters, history, strict=True):
            missing = holes and draw.integer(0, 1) == 0
            gradient = None if missing else draw.normal(*parameter.shape, scale=draw.choice(scales))
            parameter.grad = None if gradient is None else gradient.clone()
            past.append(None if gradient is None else gradient.to("cpu"))
        optimizer.step()
    for index, (parameter, start, past) in enumerate(zip(parameters, starts, history, strict=True)):
        origin = start.to("cpu")
        expect_close(
            parameter.detach(),
            follow(origin, past, rates, setting),
            what=f"parameter {index} after {steps} {'step' if steps == 1 else 'steps'} of {setting}",
            diagnose=known_mistakes(origin, past, rates, setting),
            teach=teach,
            device=draw.device,
            rtol=NEAR_DOUBLE if start.dtype == torch.float64 else None,
            atol=NEAR_DOUBLE if start.dtype == torch.float64 else None,
        )


@check("solved")
def schedule_is_right(answer: Answer, draw: Draw) -> None:
    for peak, warmup, total, floor in SCHEDULES:
        for step in range(total + 3):
            got = answer.learning_rate(step, peak, warmup, total, floor)
            teach = "After `total` the rate stays at `floor`: the cosine would rise again."
            if step < warmup:
                teach = (
                    f"Warm-up has {warmup} equal stages: {peak:g} · (step + 1) / {warmup}; a rate of 0 learns nothing."
                )
            elif step < total:
                teach = "floor + (peak − floor) · (1 + cos(π · progress)) / 2, progress from 0 at warmup to 1 at total."
            expect_close(
                got, rate_at(step, peak, warmup, total, floor), what=f"the rate of step {step}", teach=teach, atol=1e-9
            )
    expect_close(answer.learning_rate(9, 1.0, 2, 8), 0.0, what="the rate after the end, with the default floor")


@check("solved")
def updates_are_right(answer: Answer, draw: Draw) -> None:
    teach = "decay, then m and v, then the corrected step: in the order of the task, with t counted from 1."
    for setting in SETTINGS:
        for steps in (1, 2, 5):
            expect_followed(answer, draw, [(3,), (2, 2)], steps, setting, holes=False, teach=teach)
    draw.dtype = torch.float64
    expect_followed(answer, draw, [(), (4, 1, 2)], 3, SETTINGS[1], holes=False, teach=teach)
    apart = "Two parameters of one shape are two: each has m, v and t of its own."
    for _ in range(2):  # in one draw the holes may lie where nothing shows
        expect_followed(answer, draw, [(3,), (3,), (3,)], 6, SETTINGS[2], holes=True, teach=apart)


@check("solved")
def defaults_are_kept(answer: Answer, draw: Draw) -> None:
    start, gradient = draw.normal(4), draw.normal(4)
    parameter = torch.nn.Parameter(start.clone())
    parameter.grad = gradient.clone()
    optimizer = answer.AdamW([parameter])
    setting = {"rate": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "decay": 0.01}
    for name, value in setting.items():
        expect(getattr(optimizer, name, value) == value, f"the default of {name} should stay {value}")
    for _ in range(3):
        optimizer.step()
    expected = follow(start.to("cpu"), [gradient.to("cpu")] * 3, [1e-3] * 3, setting)
    expect_close(parameter.detach(), expected, what="a parameter after 3 steps with the defaults", rtol=1e-6, atol=1e-6)
    optimizer.zero_grad()
    expect(parameter.grad is None, "zero_grad should set every gradient to None")


@check("solved")
def missing_gradients_are_skipped(answer: Answer, draw: Draw) -> None:
    teach = "A parameter without a gradient is left alone, and so are its m, v, t and decay: it counts its own steps."
    for _ in range(3):
        expect_followed(answer, draw, [(3,), (2,), (1, 2)], 6, SETTINGS[2], holes=True, teach=teach)


@check("solved")
def optimizers_share_nothing(answer: Answer, draw: Draw) -> None:
    """Two for the same parameter, which take turns."""
    start = draw.normal(3)
    parameter = torch.nn.Parameter(start.clone())
    settings = SETTINGS[1], SETTINGS[2]
    pairs = [(answer.AdamW([parameter], **one), Reference(start.to("cpu"), **one)) for one in settings]
    value = start.to("cpu").double()
    for turn in (0, 0, 1, 0, 1):
        gradient = draw.normal(3)
        parameter.grad = gradient.clone()
        optimizer, twin = pairs[turn]
        optimizer.step()
        twin.value = value
        twin.step(gradient.to("cpu"))
        value = twin.value
    expect_close(
        parameter.detach(),
        value.to(start.dtype),
        what="a parameter that two optimizers have stepped in turn",
        teach="What an optimizer keeps is its own: m, v, t and settings, in self, not in its class or the parameter.",
        device=draw.device,
    )


@check("solved")
def any_gradient_counts(answer: Answer, draw: Draw) -> None:
    """Tiny ones beside eps, zeros, sudden large ones, over many steps: nothing is cut off or skipped."""
    teach = "The formulas hold for every gradient and every t: zeros count as gradients, and nothing has a bound."
    draw.dtype = torch.float64
    sudden = SETTINGS[3] | {"betas": (0.0, 0.9995), "eps": 1e-10}
    for setting, scales in ((SETTINGS[0], (0.0, 1e-9)), (sudden, (0.0, 1e-4, 1e-8, 1e3))):
        expect_followed(answer, draw, [(3,)], 60, setting, holes=False, teach=teach, scales=scales)


@check("solved")
def torchs_own_is_not_used(answer: Answer, draw: Draw) -> None:
    made: list[type] = []
    original = torch.optim.Optimizer.__init__

    def notice(self: torch.optim.Optimizer, *args: object, **kwargs: object) -> None:
        made.extend(base for base in type(self).__mro__ if base is not torch.optim.Optimizer)
        original(self, *args, **kwargs)

    parameter = torch.nn.Parameter(draw.normal(3))
    parameter.grad = draw.normal(3)
    before = parameter.detach().clone()
    torch.optim.Optimizer.__init__ = notice
    try:
        optimizer = answer.AdamW([parameter], rate=0.1)
        optimizer.step()
    finally:
        torch.optim.Optimizer.__init__ = original
    own = not any(kind.__module__.startswith("torch.optim") for kind in made)
    expect(own, "an optimizer of torch.optim was made", teach=BUILT_IN)
    expect(not torch.equal(before, parameter.detach()), "step() changed nothing")


@check("lean")
def a_step_is_in_place(answer: Answer, draw: Draw) -> None:
    parameter = torch.nn.Parameter(draw.normal(64, 256))
    view = parameter.detach()
    optimizer = answer.AdamW([parameter, torch.nn.Parameter(draw.normal(3))], rate=0.1)
    parameter.grad = draw.normal(64, 256)
    optimizer.step()
    teach = "Each operation without _ makes a tensor of its own: mul_, add_, lerp_, addcmul_, addcdiv_ need none."
    same = parameter.untyped_storage()._cdata == view.untyped_storage()._cdata
    expect(same, "the parameter's memory was replaced by other memory", teach=teach)
    size = parameter.numel() * parameter.element_size()
    expect_peak_memory(
        optimizer.step, at_most_bytes=ALLOWED * size, compared_with="twice the parameter's own size", teach=teach
    )
