"""Will your model run on a device, right and without falling back: even one that is not here."""

import click

from torchstone.options import Seconds, json_option, print_json

STAGES = ("preflight", "replay", "probes", "parity")


@click.command()
@click.argument("target")
@click.option(
    "--device",
    metavar="NAME",
    default="mps",
    show_default=True,
    help="The device, here or not: mps, cuda, rocm, xpu, or one that is here.",
)
@click.option("--train", is_flag=True, help="Check a training step: backward, clipping and the optimizer too.")
@click.option("--input", "input_shape", metavar="SHAPE", default=None, help="Its input, such as 1x3x224x224.")
@click.option("--stage", type=click.Choice(STAGES), default=None, help="One stage alone. Default: all that can be had.")
@click.option("--strict", is_flag=True, help="Count a call that falls back to the CPU as one that will not run.")
@click.option(
    "--budget",
    "budget_s",
    metavar="SECONDS",
    type=Seconds(),
    default=120.0,
    show_default=True,
    help="How long the probes of a device that is here may take.",
)
@click.option(
    "--limit",
    "limit_s",
    metavar="SECONDS",
    type=Seconds(),
    default=None,
    help="How long your code may take to build the model and to run. Default: 600; on a device that is here, 1800.",
)
@click.option(
    "--newer", metavar="VERSION", default=None, help="A later torch (2.15, or a wheel file): would it mend what fails?"
)
@json_option
@click.pass_context
def command(
    context: click.Context,
    target: str,
    device: str,
    train: bool,
    input_shape: str | None,
    stage: str | None,
    strict: bool,
    budget_s: float,
    limit_s: float | None,
    newer: str | None,
    as_json: bool,
) -> None:
    """Will your model run on a device, right and without falling back.

    TARGET is file.py:name or module:name (a function that returns model, args), a class or model with --input,
    zoo:NAME or hf:FOLDER. A device that is not here is judged by what your own torch says of it. Exit code 0 only
    where the verdict is `runs`.
    """
    from torchstone import backends
    from torchstone.report import terminal

    backends.require_torch()
    from torchstone.checking.stages import check_target
    from torchstone.report.check_screen import print_answer, waiting_for

    with waiting_for(terminal.console(stderr=True), target):
        answer = check_target(
            target,
            device,
            input_shape=input_shape,
            train=train,
            stage=stage,
            strict=strict,
            budget_s=budget_s,
            newer=newer,
            limit_s=limit_s,
        )
    if as_json:
        print_json("check", **answer.document())
    else:
        print_answer(terminal.console(), target, answer.screen())
    context.exit(0 if answer.verdict == "runs" else 1)
