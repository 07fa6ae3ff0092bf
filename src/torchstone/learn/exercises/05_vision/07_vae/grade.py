"""Grades vae: closed forms for the functions; then a short training on crossing bars, and images from random codes."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_reaches,
    expect_same,
    guard,
    looks_like,
    raw,
    save_picture,
)

PROMISES = {
    "A *variational* one makes each code a small cloud and": None,
    "How it is built inside is up to you: one hidden layer on each side is enough.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIDE, HIDDEN, LATENT, STEPS, BATCH, RATE = 6, 64, 4, 120, 64, 0.02
NATS, CODE_NATS, SHARP = 17.0, 1.0, 0.4
"""The solution reaches 11 to 15 nats, its code takes 4 to 6 of them, and 0.6 of the pixels are sharp; pixels on their
own would take 22 nats."""
MANY = 4000


def clouds(draw: Draw, count: int, latent: int) -> tuple[Tensor, Tensor]:
    return draw.normal(count, latent, scale=2.0), draw.normal(count, latent, scale=1.5)


def exact_divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    mean, deviation = mean.double(), log_variance.double().mul(0.5).exp()
    ours = torch.distributions.Normal(mean, deviation)
    return torch.distributions.kl_divergence(ours, torch.distributions.Normal(0.0, 1.0)).sum(1).to(torch.float32)


def exact_loss(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    shares = logits.double().sigmoid()
    pixels = -(images * shares.log() + (1 - images) * (1 - shares).log()).sum(1)
    return (pixels + exact_divergence(mean, log_variance)).mean().float()


@check("solved")
def codes_come_from_their_clouds(answer: Answer, draw: Draw) -> None:
    teach = "mean + exp(½ · log variance) · noise: the variance is the square of the standard deviation."
    for center, log_variance in ((0.0, 0.0), (3.0, 0.0), (-1.0, 2.0), (0.5, -3.0), (0.0, -40.0), (0.0, 40.0)):
        shape = (MANY, 2)
        mean = draw.place(torch.full(shape, center))
        codes = answer.draw_code(mean, draw.place(torch.full(shape, log_variance))).to("cpu").double()
        expect(tuple(codes.shape) == shape, f"codes of the shape {list(codes.shape)} instead of {list(shape)}")
        deviation = math.exp(log_variance / 2)
        message = (
            f"codes for mean {center:g} and log variance {log_variance:g} have mean {codes.mean():.3g} and standard "
            f"deviation {codes.std():.3g}, not {center:g} and {deviation:.3g}"
        )
        expect(abs(float(codes.std()) / deviation - 1) < 0.06, message, teach=teach)
        expect(abs(float(codes.mean()) - center) < 0.08 * deviation, message, teach=teach)
        noise = (codes - center) / deviation
        alike = float((noise[:, 0] * noise[:, 1]).mean())
        expect(abs(alike) < 0.12, "all numbers of a code get the same noise", teach="The noise has the mean's shape.")
        again = answer.draw_code(mean, draw.place(torch.full(shape, log_variance))).to("cpu").double()
        expect(not torch.equal(codes, again), "two calls gave the same codes", teach="Draw new noise in each call.")


@check("solved")
def gradients_reach_the_clouds(answer: Answer, draw: Draw) -> None:
    teach = "Normal(…).sample() has no gradient: write the code as a function of mean, log variance and outside noise."
    mean, log_variance = (tensor.requires_grad_() for tensor in clouds(draw, 3, 4))
    codes = guard(answer.draw_code)(mean, log_variance)
    expect(codes.requires_grad, "the code has no gradient", teach=teach)
    direction = draw.normal(3, 4)
    gradients = torch.autograd.grad((codes * direction).sum(), (mean, log_variance), allow_unused=True)
    for gradient, name in zip(gradients, ("mean", "log_variance"), strict=True):
        expect(gradient is not None, f"the code has no gradient in {name}", teach=teach)
    by_mean, by_variance = (gradient.to("cpu") for gradient in gradients)
    expect_close(by_mean, direction.to("cpu"), what="the gradient in the mean", teach=teach)
    expected = (direction * (codes - mean) / 2).detach().to("cpu")
    expect_close(by_variance, expected, what="the gradient in the log variance", teach=teach, rtol=1e-3, atol=1e-4)


@check("solved")
def divergences_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda m, v: -exact_divergence(m, v), "The sign is turned: a divergence is never negative."),
        looks_like(
            lambda m, v: exact_divergence(m, 2 * v), "The log variance is not the log of the standard deviation."
        ),
        looks_like(lambda m, v: exact_divergence(m, v) / m.shape[1], "The latent axes are summed, not averaged."),
    ]
    for case in draw.cases(clouds, [(1, 1), (2, 1), (3, 4)], repeats=3):
        expect_same(
            answer.divergence,
            exact_divergence,
            *case,
            diagnose=known,
            teach="½ Σ (mean² + variance − log variance − 1)",
            rtol=1e-3,
        )
    for mean, log_variance in far_clouds(draw):
        teach = "Also far from the origin it is this sum: nothing is held within bounds."
        expect_same(answer.divergence, exact_divergence, mean, log_variance, teach=teach, rtol=1e-3)


def far_clouds(draw: Draw) -> list[tuple[Tensor, Tensor]]:
    """Very narrow clouds, very wide ones, and some far out."""
    mean = draw.normal(3, 2)
    sides = [draw.place(torch.full((3, 2), side)) for side in (-70.0, -25.0, -12.0, 12.0, 25.0, 70.0)]
    return [*((mean, side) for side in sides), (mean * 1e4, mean * 0)]


def outputs(draw: Draw, count: int, pixels: int) -> tuple[Tensor, ...]:
    return draw.normal(count, pixels, scale=2.0), draw.uniform(count, pixels), *clouds(draw, count, 3)


@check("solved")
def losses_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda logits, images, m, v: (
                functional.binary_cross_entropy_with_logits(logits, images) + exact_divergence(m, v).mean()
            ),
            "The pixels are averaged and the divergence is not, so it outweighs them: sum over the pixels of an image.",
        ),
        looks_like(
            lambda logits, images, m, v: exact_loss(logits, images, m, v) * len(images),
            "Both parts are summed over the batch: it should be the mean over its images.",
        ),
        looks_like(
            lambda logits, images, m, v: exact_loss(logits, images, m * 0, v * 0),
            "The divergence is missing: this is a plain autoencoder, and random codes decode to nothing.",
        ),
    ]
    for case in draw.cases(outputs, [(1, 1), (1, 4), (3, 5)], repeats=3):
        expect_same(answer.negative_elbo, exact_loss, *case, diagnose=known, rtol=1e-3)
    sure = (draw.place(torch.tensor([[200.0, -200.0]])), draw.place(torch.tensor([[0.0, 1.0]])), *clouds(draw, 1, 2))
    expected = 400 + exact_divergence(sure[2].to("cpu"), sure[3].to("cpu"))[0]
    teach = "log(sigmoid(−200)) overflows: binary_cross_entropy_with_logits computes it safely."
    expect_close(answer.negative_elbo(*sure), expected, what="the loss of logits of ±200", teach=teach)
    for cloud in far_clouds(draw):
        case = draw.normal(3, 4), draw.uniform(3, 4), *cloud
        far = "The divergence counts in full, however far a cloud is from the standard normal."
        expect_same(answer.negative_elbo, exact_loss, *case, teach=far, rtol=1e-3)


@check("solved")
def noise_is_normal(answer: Answer, draw: Draw) -> None:
    for latent in (1, 6):
        mean = draw.place(torch.zeros(24_000 // latent, latent))
        expect_normal(answer.draw_code(mean, mean.clone()).to("cpu").double(), "draw_code")
    mean, log_variance = draw.normal(2, 3), draw.place(torch.full((2, 3), -60.0))
    near = "With a tiny variance the code is the mean, and with a large one it is far: nothing is added or held."
    expect_close(answer.draw_code(mean, log_variance), mean.to("cpu"), what="the code of a tiny cloud", teach=near)
    far = answer.draw_code(mean, draw.place(torch.full((2, 3), 80.0))).to("cpu").abs()
    expect(float(far.max()) > 1e15, "the codes of a huge cloud lie near the origin", teach=near)


@check("solved")
def net_has_two_modes(answer: Answer, draw: Draw) -> None:
    vae = answer.VAE(10, 7, 3).to(draw.device)
    images = draw.uniform(4, 10)
    mean, log_variance = vae.encode(images)
    for name, part in (("mean", mean), ("log variance", log_variance)):
        expect(tuple(part.shape) == (4, 3), f"the {name} is {list(part.shape)} and should be [4, 3]")
    quiet = guard(vae.eval(), "VAE in evaluation")(images)
    teach = "In evaluation the code is the mean itself."
    want = tuple(tensor.detach().to("cpu") for tensor in (vae.decode(mean), mean, log_variance))
    expect_close(quiet, want, what="the result in evaluation", teach=teach)
    vae.train()
    one, other = vae(images)[0], vae(images)[0]
    expect(
        not torch.equal(one, other), "in training two calls give the same logits", teach="Draw the code in training."
    )
    expect_drawn_codes(answer, draw)


def expect_drawn_codes(answer: Answer, draw: Draw) -> None:
    """In training, the logits of one image many times over are spread as those of codes from its own cloud."""
    vae = answer.VAE(10, 7, 3).to(draw.device)
    images = draw.uniform(1, 10, high=10.0).expand(MANY, 10).contiguous()
    with torch.no_grad():
        mean, log_variance = vae.encode(images)
        codes = mean + (0.5 * log_variance).exp() * draw.normal(MANY, 3)
        want, got = (logits.to("cpu").double() for logits in (vae.decode(codes), vae.train()(images)[0]))
    teach = "In training the code that is decoded is draw_code(mean, log_variance)."
    close = ((got.mean(0) - want.mean(0)).abs() < 0.15 * want.std(0)).all()
    expect(
        close and ((got.std(0) / want.std(0)).log().abs() < 0.25).all(),
        "the codes that are decoded in training are not drawn from the clouds that encode gives",
        teach=teach,
    )


def expect_normal(noise: Tensor, what: str) -> None:
    """The third and fourth moment, how far the farthest lies, and rows that have nothing to do with each other."""
    noise = (noise - noise.mean()) / noise.std()
    fourth, third = float(noise.pow(4).mean()), float(noise.pow(3).mean())
    teach = "Mean 0 and variance 1 are not enough: the noise is normal, as torch.randn_like draws it."
    words = f"the noise of {what} has the fourth moment {fourth:.2f}, and a normal distribution has 3"
    # Of 24,000 numbers: standard errors of 0.03 and 0.016; none beyond 3.3 with a chance of e⁻²³.
    expect(2.7 < fourth < 3.4, words, teach=teach)
    expect(abs(third) < 0.12, f"the noise of {what} has the third moment {third:.2f}, not 0", teach=teach)
    farthest = float(noise.abs().max())
    expect(farthest > 3.3, f"no noise of {what} lies beyond {farthest:.2f} standard deviations", teach=teach)
    few = len(noise.unique())
    expect(few > 0.9 * noise.numel(), f"of {noise.numel()} noises of {what} only {few} differ", teach=teach)


@check("solved")
def training_draws_normal_codes(answer: Answer, draw: Draw) -> None:
    """The codes that forward decodes, seen by a decode that hands them on."""
    vae = answer.VAE(6, 5, 3).to(draw.device).train()
    images, seen, decode = draw.uniform(1, 6).expand(8_000, 6).contiguous(), [], vae.decode

    def spy(codes: Tensor) -> Tensor:
        seen.append(codes.detach())
        return decode(codes)

    vae.decode = spy
    with torch.no_grad():
        _, mean, log_variance = vae(images)
    if not seen:
        return  # built another way: what is decoded was compared above
    noise = (seen[-1] - mean) / (log_variance / 2).exp()
    expect_normal(noise.to("cpu").double(), "a VAE in training")


def bars(draw: Draw, count: int) -> Tensor:
    """One row and one column of an image are white."""
    images = torch.zeros(count, SIDE, SIDE)
    rows = torch.randint(SIDE, (count,), generator=draw.generator)
    columns = torch.randint(SIDE, (count,), generator=draw.generator)
    images[torch.arange(count), rows] = 1
    images[torch.arange(count), :, columns] = 1
    return draw.place(images.flatten(1), torch.float32)


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


def learn_bars(answer: Answer, draw: Draw) -> nn.Module:
    vae = answer.VAE(SIDE * SIDE, HIDDEN, LATENT).to(draw.device)
    optimizer, loss = Adam(vae), raw(answer.negative_elbo)
    for step in range(1, STEPS + 1):
        images = bars(draw, BATCH)
        logits, mean, log_variance = vae(images)
        value = loss(logits, images, mean, log_variance)
        gradients = torch.autograd.grad(value, optimizer.parameters, allow_unused=True, materialize_grads=True)
        optimizer.step(gradients, RATE * min(1.0, 2 * (STEPS + 1 - step) / STEPS), step)
    return vae


def explain_new(vae: nn.Module, draw: Draw) -> tuple[Tensor, Tensor]:
    """Nats per new image, and those of them that its code takes."""
    images = bars(draw, 256)
    with torch.no_grad():
        logits, mean, log_variance = (tensor.to("cpu") for tensor in vae(images))
        return exact_loss(logits, images.to("cpu"), mean, log_variance), exact_divergence(mean, log_variance).mean()


@check("solved")
def bars_are_learned(answer: Answer, draw: Draw) -> None:
    vae = learn_bars(answer, draw)
    value, code = explain_new(vae, draw)
    if value > NATS:  # one start in dozens ends where some bars are not told apart
        vae = learn_bars(answer, draw)
        value, code = explain_new(vae, draw)
    with torch.no_grad():
        made = vae.decode(draw.normal(16, LATENT)).to("cpu").sigmoid()
    save_picture(
        "from_random_codes",
        made.unflatten(1, (SIDE, SIDE)).unflatten(0, (4, 4)).transpose(1, 2).flatten(2, 3).flatten(0, 1),
    )
    expect_reaches("nats per new image", value, at_most=NATS)
    ignored = f"the code carries only {float(code):.2g} nats: the decoder ignores it"
    expect(code > CODE_NATS, ignored, teach="A code that does not matter costs nothing and says nothing.")
    sharp = float(((made < 0.2) | (made > 0.8)).float().mean())
    expect(sharp > SHARP, f"only {sharp:.0%} of the pixels from random codes are clearly black or white")


@check("solved")
def far_logits_count_in_full(answer: Answer, draw: Draw) -> None:
    clouds_at_origin = draw.place(torch.zeros(1, 2))
    teach = "log(sigmoid(−z)) is −z for a large z: nothing is held within bounds, and a pixel counts as grey as it is."
    for logit in (1e3, 1e5, 3e7):
        for pixel in (0.0, 0.25, 1.0):
            logits, images = draw.place(torch.tensor([[logit, -logit]])), draw.place(torch.tensor([[pixel, pixel]]))
            got = answer.negative_elbo(logits, images, clouds_at_origin, clouds_at_origin.clone())
            expect_close(got, torch.tensor(logit), what=f"the loss of logits of ±{logit:g}", teach=teach)
