"""What is this hardware worth: image processing, inference, fine-tuning, training, transfers, leaks, load."""

from typing import TYPE_CHECKING, Any

import click

from torchstone.commands.experimenting.options import Bench
from torchstone.options import Seconds, budget_option, json_option, print_json, runs_option, tell_resumed

if TYPE_CHECKING:
    from torchstone.benching import Ended
    from torchstone.commands.experimenting.asking import Asked
    from torchstone.errors import UserError
    from torchstone.records import Device, Run
    from torchstone.store import RunWriter

MISUSE = 2
NOTHING_MEASURED = 1
DEEP_S = 900.0
"""From this budget on there is time for more than a quick round."""


@click.command(cls=Bench)
@click.argument("experiments", metavar="[EXPERIMENT]...", nargs=-1)
@click.option("--list", "list_them", is_flag=True, help="List the experiments.")
@click.option("--device", "devices", metavar="NAME", multiple=True, help="A device; may be given again. Default: all.")
@budget_option(180.0)
@click.option("--model", metavar="TARGET", default=None, help="Your own model: file.py:name, module:name, zoo:NAME.")
@click.option("--input", "input_shape", metavar="SHAPE", default=None, help="Its input, such as 1x3x224x224.")
@click.option("--continue", "continued", metavar="RUN", default=None, help="Go on with a run that was stopped.")
@click.option(
    "--wait-quiet", "wait_quiet_s", metavar="S", type=Seconds(), default=None, help="Wait for a quiet machine."
)
@click.option("--verbose", is_flag=True, help="Print a line for every record, and nothing cut.")
@runs_option
@json_option
def command(
    experiments: tuple[str, ...],
    list_them: bool,
    devices: tuple[str, ...],
    budget_s: float,
    model: str | None,
    input_shape: str | None,
    continued: str | None,
    wait_quiet_s: float | None,
    verbose: bool,
    runs_url: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """What is this hardware worth?

    Runs the experiments named, or a quick round of all, on every device against a fair CPU baseline, within the
    budget. Each record is kept in a run file as soon as it is measured; Ctrl-C loses nothing that is finished.
    `bench EXPERIMENT --help` explains one and shows the options that it reads.
    """
    _refuse_unknown(experiments, model)
    if list_them:
        _list(as_json)
        return
    given = {name.replace("_", "-"): value for name, value in options.items() if value is not None}
    quiet_s = wait_quiet_s or 0.0
    _run(experiments, devices, budget_s, model, input_shape, continued, quiet_s, verbose, runs_url, as_json, given)


def _refuse_unknown(names: tuple[str, ...], model: str | None) -> None:
    """What is no experiment, a model that can't be there, and one that none of those named would look at; before torch
    is imported."""
    from torchstone.errors import UserError
    from torchstone.experiments import experiment_names, explain, reads_model
    from torchstone.models.naming import require_target

    for name in names:
        explain(name)
    if model is not None and names and not any(map(reads_model, names)):
        readers = ", ".join(filter(reads_model, experiment_names()))
        raise UserError(f"--model means nothing to {', '.join(names)}", f"it is for {readers}")
    if model is not None:
        require_target(model)


def _list(as_json: bool) -> None:
    from torchstone import experiments

    summaries = {name: experiments.summary_of(name) for name in experiments.experiment_names()}
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
    continued: str | None,
    wait_quiet_s: float,
    verbose: bool,
    runs_url: str | None,
    as_json: bool,
    options: dict[str, Any],
) -> None:
    import msgspec

    from torchstone import backends
    from torchstone.benching import Request, run_bench
    from torchstone.commands.experimenting.asking import Asked, asked_from, go_on
    from torchstone.errors import UserError
    from torchstone.experiments import experiment_names
    from torchstone.models.shapes import parse_shape
    from torchstone.report import terminal
    from torchstone.report.answers import answer_run
    from torchstone.report.bench_screen import print_screen
    from torchstone.report.live import live_view
    from torchstone.report.sources import short_name

    if input_shape is not None:
        parse_shape(input_shape)
        if model is None and continued is None:
            raise UserError("--input is for a model of your own, and --model names none", "add --model file.py:NAME")
    backends.require_torch()
    asked = Asked(names, model, input_shape, options)
    reopened = None if continued is None else _reopen(continued, runs_url)
    if reopened is not None:
        asked = go_on(asked_from(reopened.run.asked), asked)
        device_names = _devices_of(reopened.run, device_names)
        _refuse_changed(asked.model, reopened.run)
        tell_resumed(reopened)
    request = Request(
        asked.experiments or experiment_names(),
        _choose_devices(device_names),
        budget_s,
        asked.model,
        asked.input_shape,
        asked.options,
        is_deep=budget_s >= DEEP_S,
        is_named=bool(asked.experiments),
        wait_quiet_s=wait_quiet_s,
    )
    with live_view(budget_s, verbose) as show:
        ended = run_bench(request, lambda probed: reopened or _new_run(probed, asked, runs_url), show)
    for line in dict.fromkeys(f"warning: {one.message} (hint: {one.hint})" for one in ended.mistakes):
        click.echo(line, err=True)
    if as_json:
        content = msgspec.to_builtins(ended.run)
        stopped = ended.interrupted is not None
        print_json(
            "bench", answers=answer_run(ended.run).as_json(), run=ended.url, interrupted=stopped, content=content
        )
    else:
        print_screen(terminal.console(), ended.run, short_name(ended.url) if ended.url else "", verbose)
    if ended.interrupted is not None:
        raise ended.interrupted
    _refuse_to_call_it_fine(ended, ended.mistakes if asked.experiments else ())


def _refuse_to_call_it_fine(ended: "Ended", mistakes: "tuple[UserError, ...]") -> None:
    """Not 0 where an experiment that was asked for could not run, a record was lost, or nothing could be measured."""
    if ended.trouble is not None:
        raise ended.trouble
    if mistakes:
        raise click.exceptions.Exit(MISUSE)
    if not _has_results(ended.run):
        click.echo("error: nothing could be measured; the lines above say why", err=True)
        click.echo("hint: `torchstone check TARGET` looks at a model; more --budget helps where time ran out", err=True)
        raise click.exceptions.Exit(NOTHING_MEASURED)


def _has_results(run: "Run") -> bool:
    """Something was timed, or judged; what was judged beforehand is no result where all that followed was skipped."""
    from torchstone.report.lost import without_lost

    judged = [finding for finding in run.findings if finding.kind not in ("dtype", "machine")]
    statuses = {one.status for one in without_lost(run.measurements)}
    return "ok" in statuses or (bool(judged) and statuses != {"skipped"})


def _reopen(name: str, runs_url: str | None) -> "RunWriter":
    from torchstone.machine.environment import describe_environment
    from torchstone.store import continue_run

    return continue_run(name, "bench", describe_environment(), runs_url)


def _refuse_changed(model: str | None, run: "Run") -> None:
    from torchstone.errors import UserError
    from torchstone.models.naming import digest_of
    from torchstone.records import MODEL_FILE

    before = run.environment.facts.get(MODEL_FILE)
    if model is not None and before is not None and before.value != digest_of(model):
        raise UserError(f"{model} has changed since that run was made", "begin a new run: one run is of one model")


def _devices_of(run: "Run", names: tuple[str, ...]) -> tuple[str, ...]:
    """Those that the run was begun with, where nothing else is said; its first line can hold no others."""
    from torchstone.errors import UserError

    known = tuple(device.id for device in run.devices)
    others = [name for name in names if name not in known and f"{name}:0" not in known]
    if others:
        raise UserError(f"that run is of {', '.join(known)}, not of {', '.join(others)}", "begin a new run")
    return names or known


def _new_run(devices: "tuple[Device, ...]", asked: "Asked", runs_url: str | None) -> "RunWriter":
    import msgspec

    from torchstone.machine.environment import describe_environment
    from torchstone.models.naming import digest_of
    from torchstone.records import MODEL_FILE, Fact
    from torchstone.store import start_run

    here = describe_environment()
    digest = None if asked.model is None else digest_of(asked.model)
    if digest is not None:
        facts = {**here.facts, MODEL_FILE: Fact(value=digest, source="sha256 of the file that --model names")}
        here = msgspec.structs.replace(here, facts=facts)
    return start_run("bench", here, devices, runs_url, asked.as_words())


def _choose_devices(names: tuple[str, ...]) -> "tuple[Device, ...]":
    """The devices asked for, or all; the CPU always first, as everything is set against it."""
    from torchstone import backends

    if not names:
        return backends.find_devices()
    asked = [backends.find_device(name)[1] for name in ("cpu", *names)]
    return tuple({device.id: device for device in asked}.values())
