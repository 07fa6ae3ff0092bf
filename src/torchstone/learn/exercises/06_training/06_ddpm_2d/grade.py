"""Grades ddpm_2d: nets that know the answer show each piece; then a small net learns a ring with the learner's loss."""

import math

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_reaches,
    expect_same,
    looks_like,
    raw,
    save_picture,
)

PROMISES = {
    "Everything is float32 and on the device of `betas`, and nothing is held": "nothing_is_held_within_bounds",
    "Noise is added to a point in T small steps until nothing of it is left.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

MANY = 4000
"""Samples for what is tested as a distribution; the limits below are six standard errors and more."""
STEPS, BATCH, RATE, TIMES, WIDTH = 160, 256, 0.02, 20, 64
RADIUS, SHARE = 2.0, 0.5
"""After so short a training the solution puts 0.6 to 0.8 of its samples within 0.5 of the ring, plain noise 0.28."""


def reference(clean: Tensor, times: Tensor, noise: Tensor, betas: Tensor) -> Tensor:
    kept = torch.stack([(1 - betas[: t + 1].double()).prod() for t in times.tolist()])[:, None]
    return (kept.sqrt() * clean + (1 - kept).sqrt() * noise).to(clean.dtype)


def jump(clean: Tensor, times: Tensor, noise: Tensor, share: Tensor) -> Tensor:
    return share[times][:, None].sqrt() * clean + (1 - share[times][:, None]).sqrt() * noise


KNOWN = [
    looks_like(
        lambda clean, times, noise, betas: jump(clean, times, noise, 1 - betas),
        "One step of noise only: ᾱ is the product of all α up to this time (cumprod).",
    ),
    looks_like(
        lambda clean, times, noise, betas: (
            (1 - betas).cumprod(0)[times][:, None] * clean + (1 - (1 - betas).cumprod(0)[times][:, None]) * noise
        ),
        "Variances add up, not amplitudes: both factors are square roots.",
    ),
]


def make_betas(draw: Draw, count: int) -> Tensor:
    return draw.uniform(count, low=0.05, high=0.5)


def points(draw: Draw, count: int, times: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return draw.normal(count, 2), draw.integers(count, high=times), draw.normal(count, 2), make_betas(draw, times)


@check("solved")
def jumps_are_right(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(points, [(1, 1), (1, 3), (2, 2), (5, 7)], repeats=3):
        expect_same(answer.diffuse, reference, *case, diagnose=KNOWN, teach="√ᾱ · clean + √(1 − ᾱ) · noise")


class Knows:
    """A net for data that is one single point: it can tell the noise exactly. Keeps what it was shown."""

    def __init__(self, point: Tensor, betas: Tensor, factor: float = 1.0) -> None:
        self.point, self.kept, self.factor = point, (1 - betas).cumprod(0), factor
        self.seen: list[tuple[Tensor, Tensor]] = []

    def __call__(self, x: Tensor, times: Tensor) -> Tensor:
        expect(
            tuple(times.shape) == (len(x),) and times.dtype == torch.int64,
            f"the net was given times of the shape {list(times.shape)} ({times.dtype}) for {len(x)} points",
            teach="Every point has a time of its own: (n,) whole numbers.",
        )
        kept = self.kept[times][:, None]
        self.seen.append((x.detach().clone(), times.detach().clone()))
        return self.factor * (x - kept.sqrt() * self.point) / (1 - kept).sqrt()


@check("solved")
def losses_are_right(answer: Answer, draw: Draw) -> None:
    betas, point = make_betas(draw, 4), draw.normal(2, scale=2.0)
    clean = point.expand(MANY, 2).contiguous()
    knows = Knows(point, betas)
    noisy = "The net must see the noisy points (diffuse) with their times, and its result is compared with the noise."
    expect_reaches(
        "the loss of a net that knows the noise", answer.loss(knows, clean, betas), at_most=1e-4, teach=noisy
    )
    times = knows.seen[0][1].to("cpu")
    counts = torch.bincount(times, minlength=4).tolist()
    spread = "Times are drawn uniformly from 0 to T − 1, a new one for each point."
    expect(
        len(counts) == 4 and all(abs(count - MANY / 4) < 200 for count in counts),
        f"of {MANY} points {counts} were given the times 0, 1, 2, 3",
        teach=spread,
    )
    noise = (knows.seen[0][0] - knows.kept[times.to(draw.device)][:, None].sqrt() * point).to("cpu").double()
    noise = noise / (1 - knows.kept.to("cpu").double()[times][:, None]).sqrt()
    expect_normal(noise, "the noise of the loss is not normal", "Each point has normal noise of its own: torch.randn.")
    half = float(answer.loss(Knows(point, betas, 0.5), clean, betas))
    mean = "The mean over points and coordinates of the squared difference."
    expect(
        abs(half - 0.25) < 0.03, f"a net that names half the noise has the loss {half:.3g}, not about 0.25", teach=mean
    )
    again = Knows(point, betas)
    answer.loss(again, clean, betas)
    fresh = not torch.equal(again.seen[0][0], knows.seen[0][0]) and not torch.equal(again.seen[0][1], knows.seen[0][1])
    expect(fresh, "two calls of loss drew the same times or noise", teach="Draw anew each time: no fixed seed.")
    net = nn.Linear(2, 2).to(draw.device)
    value = answer.loss(lambda x, times: net(x), clean[:8], betas)
    expect(value.requires_grad, "the loss has no graph to learn from")


@check("solved")
def steps_back_are_right(answer: Answer, draw: Draw) -> None:
    for count in (1, 3, 6):
        betas, point = make_betas(draw, count), draw.normal(2, scale=2.0)
        knows = Knows(point, betas, 0.9)
        result = answer.sample(knows, MANY, betas)
        order = [int(times[0]) for _, times in knows.seen]
        going = "The way back begins at the last time, T − 1, and ends at 0."
        expect(order == list(range(count))[::-1], f"the net was asked at the times {order}, of {count}", teach=going)
        expect_step_noise([x for x, _ in knows.seen] + [result], betas, knows)
        again = Knows(point, betas, 0.9)
        answer.sample(again, MANY, betas)
        fresh = "Draw anew each time: no seed of your own."
        expect(not torch.equal(again.seen[0][0], knows.seen[0][0]), "two calls begin with the same noise", teach=fresh)
        expect_close(
            result, last_step(knows, betas), what="the last step", device=draw.device, rtol=1e-3, atol=1e-4,
            teach="At t = 0 no noise is added: x is (x − β / √(1 − ᾱ) · ε) / √α and that is the answer.",
        )  # fmt: skip


@check("solved")
def nothing_is_held_within_bounds(answer: Answer, draw: Draw) -> None:
    teach = "The formulas know no bounds: data may lie far from 0, and so may every x on the way to it."
    for far in (100.0, 1e4, 1e8):
        clean, times, noise, betas = points(draw, 5, 4)
        expect_same(answer.diffuse, reference, clean * far, times, noise * far, betas, teach=teach)
        knows = Knows(draw.place(torch.tensor([far, -far])), betas, 0.9)
        result = answer.sample(knows, 16, betas)
        path = [x for x, _ in knows.seen] + [result]
        for t, x, after in zip(reversed(range(4)), path, path[1:], strict=False):
            what = f"the step from t = {t} where the data lies at ±{far:g}, but for its noise,"
            wanted = step_mean(x, t, betas, knows).float()
            expect_close(after, wanted, what=what, device=draw.device, rtol=1e-3, atol=8.0, teach=teach)


def step_mean(x: Tensor, t: int, betas: Tensor, knows: Knows) -> Tensor:
    """Where a step from t goes, before noise."""
    x, betas = x.to("cpu").double(), betas.to("cpu").double()
    kept = (1 - betas).cumprod(0)[t]
    named = knows.factor * (x - kept.sqrt() * knows.point.to("cpu").double()) / (1 - kept).sqrt()
    return (x - betas[t] / (1 - kept).sqrt() * named) / (1 - betas[t]).sqrt()


def last_step(knows: Knows, betas: Tensor) -> Tensor:
    return step_mean(knows.seen[-1][0], 0, betas, knows).float()


def expect_step_noise(path: list[Tensor], betas: Tensor, knows: Knows) -> None:
    """The first points and the noise of each step, read from what the net was shown."""
    first = path[0].to("cpu").double()
    begin = "Begin with normal noise: mean 0 and standard deviation 1."
    expect(tuple(first.shape) == (MANY, 2), f"the walk begins with {list(first.shape)}, not ({MANY}, 2)", teach=begin)
    expect_normal(first, "the walk does not begin with normal noise", begin)
    noises = [first]
    for position, t in enumerate(reversed(range(1, len(betas)))):
        added = path[position + 1].to("cpu").double() - step_mean(path[position], t, betas, knows)
        size, wanted = float(added.std()), float(betas[t].sqrt())
        teach = "A step is (x − β / √(1 − ᾱ) · ε) / √α plus √β times new noise: look which of β, α, ᾱ stands where."
        centered = abs(float(added.mean())) < 0.08 * wanted
        message = f"in the step from t = {t} the noise has a standard deviation of {size:.3g}, not {wanted:.3g}"
        expect(abs(size / wanted - 1) < 0.06 and centered, message, teach=teach)
        both = added.flatten()
        alike = float((both[::2] * both[1::2]).mean()) / wanted**2
        expect(abs(alike) < 0.12, f"both coordinates get the same noise in the step from t = {t}", teach=teach)
        expect_normal(added / wanted, f"what is added in the step from t = {t} is not normal noise", teach)
        for earlier in noises:
            again = abs(float((earlier * added / wanted).mean())) > 0.12
            message = f"what is added in the step from t = {t} is like noise from before"
            expect(not again, message, teach=f"New noise in every step. {teach}")
        noises.append(added / wanted)


def expect_normal(values: Tensor, message: str, teach: str) -> None:
    """Mean, spread and tails of normal noise, and each row for itself."""
    centred = abs(float(values.mean())) < 0.08 and abs(float(values.std()) - 1) < 0.06
    expect(centred, message, teach=teach)
    inner, far = float((values.abs() < 1).double().mean()), float(values.abs().max())
    bell = f"{message}: {inner:.0%} of it lies within 1 of 0, and the farthest is at {far:.3g}"
    expect(abs(inner - 0.683) < 0.04 and 3 < far < 8, bell, teach=teach)
    for apart in (1, len(values) // 2):
        alike = float((values[apart:] * values[:-apart]).mean())
        expect(abs(alike) < 0.15, f"{message}: several points have the same, or its opposite", teach=teach)


@check("solved")
def samples_have_no_graph(answer: Answer, draw: Draw) -> None:
    net = nn.Linear(2, 2).to(draw.device)
    recorded: list[bool] = []

    def asked(x: Tensor, times: Tensor) -> Tensor:
        result = net(x)
        recorded.append(result.requires_grad)
        return result

    result = answer.sample(asked, 3, make_betas(draw, 4))
    expect(not result.requires_grad and not any(recorded), "sampling builds a graph", teach="Sample under no_grad().")


class Denoiser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.point, self.time = nn.Linear(2, WIDTH), nn.Embedding(TIMES, WIDTH)
        self.middle, self.out = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor, times: Tensor) -> Tensor:
        hidden = (self.point(x) + self.time(times)).relu()
        return self.out(self.middle(hidden).relu())


class Adam:
    """Enough of it for one training; torch's own would first import its compiler."""

    def __init__(self, net: nn.Module) -> None:
        self.parameters = list(net.parameters())
        self.means = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.squares = [torch.zeros_like(parameter) for parameter in self.parameters]

    @torch.no_grad()
    def step(self, gradients: tuple[Tensor, ...], rate: float, count: int) -> None:
        corrected = rate * math.sqrt(1 - 0.99**count) / (1 - 0.9**count)
        for parameter, mean, square, gradient in zip(self.parameters, self.means, self.squares, gradients, strict=True):
            mean.lerp_(gradient, 0.1)
            square.lerp_(gradient.square(), 0.01)
            parameter.addcdiv_(mean, square.sqrt().add_(1e-8), value=-corrected)


def ring(draw: Draw, count: int) -> Tensor:
    angles = torch.rand(count, generator=draw.generator) * 2 * torch.pi
    return draw.place(torch.stack([angles.cos(), angles.sin()], 1) * RADIUS)


@check("solved")
def a_ring_is_learned(answer: Answer, draw: Draw) -> None:
    betas = draw.place(torch.linspace(0.01, 0.4, TIMES))
    net = Denoiser().to(draw.device)
    optimizer = Adam(net)
    for step in range(1, STEPS + 1):
        loss = answer.loss if step == 1 else raw(answer.loss)
        value = loss(net, ring(draw, BATCH), betas)
        gradients = torch.autograd.grad(value, optimizer.parameters)
        optimizer.step(gradients, RATE * min(1.0, 2 * (STEPS + 1 - step) / STEPS), step)
    made = answer.sample(net, 1000, betas).to("cpu")
    picture = torch.histogramdd(made, bins=[48, 48], range=[-3.0, 3.0, -3.0, 3.0]).hist
    save_picture("samples", picture.T.flip(0).clamp_max(6))
    near = ((made.norm(dim=1) - RADIUS).abs() < 0.5).float().mean()
    expect_reaches("the share of samples within 0.5 of the ring", near, at_least=SHARE)
    sectors = torch.atan2(made[:, 1], made[:, 0]).add(torch.pi).mul(8 / (2 * torch.pi)).long().clamp(0, 7)
    fewest = float(torch.bincount(sectors, minlength=8).min()) / len(made)
    expect(fewest > 0.02, f"an eighth of the ring has only {fewest:.1%} of the samples")
