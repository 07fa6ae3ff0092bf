"""What is this hardware worth: image processing, inference, fine-tuning, training, transfers, leaks, load."""

from pathlib import Path
from typing import Any

import click

from torchstone.options import Number, Seconds, budget_option, json_option, print_json, runs_option

MISUSE = 2
NOTHING_MEASURED = 1
MOST_PROCESSES = 1024
"""More than any machine has cores to train with."""


class Bench(click.Command):
    """A command whose `EXPERIMENT --help` explains that experiment."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        names = [argument for argument in args if not argument.startswith("-")]
        if names and {"-h", "--help"} & set(args):
            from torchstone import experiments

            if names[0] in experiments.experiment_names():
                click.echo(f"{names[0]}\n\n{experiments.explain(names[0])}\n")
                click.echo(self.get_help(ctx))
                ctx.exit(0)
        return super().parse_args(ctx, args)


@click.command(cls=Bench)
@click.argument("experiments", metavar="[EXPERIMENT]...", nargs=-1)
@click.option("--list", "list_them", is_flag=True, help="List the experiments.")
@click.option("--device", "devices", metavar="NAME", multiple=True, help="A device; may be given again. Default: all.")
@budget_option(180.0)
@click.option("--model", metavar="TARGET", default=None, help="Your own model: file.py:name, module:name, zoo:NAME.")
@click.option("--input", "input_shape", metavar="SHAPE", default=None, help="Its input, such as 1x3x224x224.")
@click.option("--data", metavar="FOLDER", default=None, help="finetune: your own images, one folder per class.")
@click.option("--resume", metavar="RUN", default=None, help="finetune: go on from a run's checkpoint, or a .pt file.")
@click.option("--checkpoint", metavar="FOLDER", default=None, help="finetune: where checkpoints go.")
@click.option(
    "--processes", metavar="N", type=click.IntRange(1, MOST_PROCESSES), default=None, help="finetune: in N processes."
)
@click.option(
    "--epochs", metavar="N", type=click.IntRange(min=1), default=None, help="finetune: rounds over all images."
)
@click.option("--learning-rate", metavar="RATE", type=Number(1e-9, 10.0), help="finetune: the cycle's highest rate.")
@click.option("--protocol", type=click.Choice(["budget", "post-2022"]), default=None, help="training: the protocol.")
@click.option(
    "--latency-bound", metavar="SECONDS", type=Seconds(), default=None, help="load: what p99 must keep under."
)
@runs_option
@json_option
def command(
    experiments: tuple[str, ...],
    list_them: bool,
    devices: tuple[str, ...],
    budget_s: float,
    model: str | None,
    input_shape: str | None,
    runs_url: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """What is this hardware worth?

    Runs the experiments named, or a quick round of all, on every device against a fair CPU baseline, within the
    budget. Each record is kept in a run file as soon as it is measured; Ctrl-C loses nothing that is finished.
    `bench --list` names the experiments, `bench EXPERIMENT --help` explains one.
    """
    if list_them:
        _list(as_json)
        return
    _run(experiments, devices, budget_s, model, input_shape, runs_url, as_json, options)


def _list(as_json: bool) -> None:
    from torchstone import experiments

    summaries = {name: experiments.explain(name).splitlines()[0] for name in experiments.experiment_names()}
    if as_json:
        print_json("bench", experiments=summaries)
        return
    for name, summary in summaries.items():
        click.echo(f"{name:12} {summary}")


def _run(
    names: tuple[str, ...],
    device_names: tuple[str, ...],
    budget_s: float,
    model: str | None,
    input_shape: str | None,
    runs_url: str | None,
    as_json: bool,
    options: dict[str, Any],
) -> None:
    import msgspec

    from torchstone import backends
    from torchstone.experiments import experiment_names, load_experiment
    from torchstone.interrupting import something_to_keep
    from torchstone.measuring.environment import describe_environment
    from torchstone.report import terminal
    from torchstone.report.bench_screen import print_screen
    from torchstone.report.live import live_view
    from torchstone.running import Request, run_experiments
    from torchstone.store import start_run

    chosen = names or experiment_names()
    given = {name.replace("_", "-"): value for name, value in options.items() if value is not None}
    _refuse_unread_options(chosen, given, load_experiment)
    backends.require_torch()
    devices = _choose_devices(device_names)
    writer = start_run("bench", describe_environment(), devices, runs_url)
    request = Request(chosen, devices, budget_s, model, input_shape, given, _artifacts_beside(writer.url))
    interrupted = False
    mistakes = []
    try:
        with something_to_keep(), live_view(budget_s) as show:
            mistakes = run_experiments(request, writer, show)
    except KeyboardInterrupt:
        interrupted = True
    writer.discard_if_empty()
    if mistakes and not writer.run.records:
        raise mistakes[0]
    for mistake in mistakes:
        click.echo(f"warning: {mistake.message} (hint: {mistake.hint})", err=True)
    if as_json:
        print_json("bench", run=writer.url, interrupted=interrupted, content=msgspec.to_builtins(writer.run))
    else:
        print_screen(terminal.console(), writer.run, writer.url)
    if interrupted:
        raise KeyboardInterrupt
    _refuse_to_call_it_fine(writer, mistakes if names else [])


def _refuse_to_call_it_fine(writer: Any, mistakes: list[Any]) -> None:
    """Not 0 where an experiment that was asked for could not run, a record was lost, or nothing could be measured."""
    if writer.trouble is not None:
        raise writer.trouble
    if mistakes:
        raise click.exceptions.Exit(MISUSE)
    run = writer.run
    if not run.findings and not any(one.status == "ok" for one in run.measurements):
        click.echo("error: nothing could be measured; the lines above say why", err=True)
        raise click.exceptions.Exit(NOTHING_MEASURED)


def _choose_devices(names: tuple[str, ...]) -> tuple[Any, ...]:
    """The devices asked for, or all; the CPU always first, as everything is set against it."""
    from torchstone import backends

    asked = [backends.find_device(name)[1] for name in ("cpu", *names)]
    if not names:
        return backends.find_devices()
    return tuple({device.id: device for device in asked}.values())


def _artifacts_beside(run_url: str) -> str | None:
    """Pictures and checkpoints go to a folder beside a local run file."""
    if "://" in run_url:
        return None
    folder = Path(run_url.removesuffix(".jsonl") + ".files")
    if folder.is_symlink():
        from torchstone.errors import UserError

        raise UserError(f"{folder} is a link, which may lead anywhere", "remove it, or give another folder with --runs")
    return str(folder)


def _refuse_unread_options(chosen: tuple[str, ...], given: dict[str, Any], load: Any) -> None:
    """An option that none of the experiments reads would be ignored in silence."""
    from torchstone.errors import UserError

    read = {option for name in chosen for option in load(name).OPTIONS}
    for option in given:
        if option not in read:
            hint = "`torchstone bench EXPERIMENT --help` explains what one reads"
            raise UserError(f"--{option} means nothing to {', '.join(chosen)}", hint)
