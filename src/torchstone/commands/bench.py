"""What is this hardware worth: image processing, inference, fine-tuning, training, transfers, leaks, load."""

from typing import TYPE_CHECKING, Any

import click

from torchstone.options import Number, Seconds, budget_option, json_option, print_json, runs_option

if TYPE_CHECKING:
    from torchstone.benching import Ended
    from torchstone.errors import UserError
    from torchstone.records import Device, Run
    from torchstone.store import RunWriter

MISUSE = 2
NOTHING_MEASURED = 1
MOST_COUNT = 1024
"""Of processes or epochs: more is a mistake of typing."""
OPTION_TYPES: dict[str, click.ParamType] = {  # type: ignore[type-arg]
    "count": click.IntRange(1, MOST_COUNT),
    "seconds": Seconds(),
    "rate": Number(1e-9, 10.0),
    "text": click.STRING,
}
DEEP_S = 900.0
"""From this budget on there is time for more than a quick round."""


class ExperimentOption(click.Option):
    """An option that an experiment declares in its own file."""


class Bench(click.Command):
    """A command with the options of the experiments that are named, or of all; `EXPERIMENT --help` explains one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args in (["--help"], ["-h"]):
            return super().parse_args(ctx, args)  # shows no experiment's own options: no need to read their files

        from torchstone import experiments

        known = experiments.experiment_names()
        named = [argument for argument in args if argument in known]
        read = {option: name for name in named or known for option in experiments.options_of(name)}
        _refuse_options_of_others(args, named, read)
        if named and {"-h", "--help"} & set(args):
            click.echo(f"{named[0]}\n\n{experiments.explain(named[0])}\n")
        common = [one for one in self.params if not isinstance(one, ExperimentOption)]
        own = [_option(option, experiments.options_of(name)[option], bool(named)) for option, name in read.items()]
        self.params = [*common, *own]
        return super().parse_args(ctx, args)


def _option(name: str, declared: dict[str, Any], shown: bool) -> ExperimentOption:
    kind = declared.get("type", "text")
    return ExperimentOption(
        [f"--{name}"],
        type=click.Choice(kind) if isinstance(kind, list) else OPTION_TYPES[kind],
        metavar=declared.get("metavar"),
        default=None,
        help=declared.get("help", ""),
        hidden=not shown,
    )


def _refuse_options_of_others(args: list[str], named: list[str], read: dict[str, str]) -> None:
    """An option that none of the experiments named reads would be ignored in silence."""
    from torchstone import experiments
    from torchstone.errors import UserError

    others = {option for name in experiments.experiment_names() for option in experiments.options_of(name)} - set(read)
    for argument in args:
        option = argument.partition("=")[0].removeprefix("--")
        if argument.startswith("--") and option in others:
            hint = "`torchstone bench EXPERIMENT --help` explains what one reads"
            raise UserError(f"--{option} means nothing to {', '.join(named)}", hint)


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
    `bench --list` names the experiments, `bench EXPERIMENT --help` explains one and shows its own options.
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
    devices = _choose_devices(device_names)
    reopened = None if continued is None else _reopen(continued, runs_url)
    if reopened is not None:
        names, model, input_shape = _asked_before(reopened.run.asked, names, model, input_shape)
        _refuse_changed(model, reopened.run)
    chosen, is_deep = names or experiment_names(), budget_s >= DEEP_S
    request = Request(chosen, devices, budget_s, model, input_shape, options, is_deep, bool(names), wait_quiet_s)
    with live_view(budget_s, verbose) as show:
        asked = (*names, *_as_words(model, input_shape))
        ended = run_bench(request, lambda probed: reopened or _new_run(probed, asked, model, runs_url), show)
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
    _refuse_to_call_it_fine(ended, ended.mistakes if names else ())


def _refuse_to_call_it_fine(ended: "Ended", mistakes: "tuple[UserError, ...]") -> None:
    """Not 0 where an experiment that was asked for could not run, a record was lost, or nothing could be measured."""
    if ended.trouble is not None:
        raise ended.trouble
    if mistakes:
        raise click.exceptions.Exit(MISUSE)
    judged = [finding for finding in ended.run.findings if finding.kind not in ("dtype", "machine")]
    if not judged and not any(one.status == "ok" for one in ended.run.measurements):
        click.echo("error: nothing could be measured; the lines above say why", err=True)
        click.echo("hint: `torchstone check TARGET` looks at a model; more --budget helps where time ran out", err=True)
        raise click.exceptions.Exit(NOTHING_MEASURED)


def _reopen(name: str, runs_url: str | None) -> "RunWriter":
    from torchstone.machine.environment import describe_environment
    from torchstone.store import continue_run

    return continue_run(name, "bench", describe_environment(), runs_url)


def _as_words(model: str | None, input_shape: str | None) -> list[str]:
    """A person's own model as the run file keeps it, beside the names of experiments."""
    given = {"--model=": model, "--input=": input_shape}
    return [f"{option}{value}" for option, value in given.items() if value is not None]


def _asked_before(
    asked: tuple[str, ...], names: tuple[str, ...], model: str | None, input_shape: str | None
) -> tuple[tuple[str, ...], str | None, str | None]:
    """What a run was asked for, where nothing else is asked for now: one run is of one model."""
    from torchstone.errors import UserError

    before = {word.partition("=")[0]: word.partition("=")[2] for word in asked if word.startswith("--")}
    if model is not None and asked and model != before.get("--model"):
        raise UserError(f"that run is of {before.get('--model', 'the models that we ship')}", "begin a new run")
    experiments = tuple(word for word in asked if not word.startswith("--"))
    return names or experiments, model or before.get("--model"), input_shape or before.get("--input")


def _refuse_changed(model: str | None, run: "Run") -> None:
    from torchstone.errors import UserError
    from torchstone.models.naming import digest_of
    from torchstone.records import MODEL_FILE

    before = run.environment.facts.get(MODEL_FILE)
    if model is not None and before is not None and before.value != digest_of(model):
        raise UserError(f"{model} has changed since that run was made", "begin a new run: one run is of one model")


def _new_run(
    devices: "tuple[Device, ...]", asked: tuple[str, ...], model: str | None, runs_url: str | None
) -> "RunWriter":
    import msgspec

    from torchstone.machine.environment import describe_environment
    from torchstone.models.naming import digest_of
    from torchstone.records import MODEL_FILE, Fact
    from torchstone.store import start_run

    here = describe_environment()
    digest = None if model is None else digest_of(model)
    if digest is not None:
        facts = {**here.facts, MODEL_FILE: Fact(value=digest, source="sha256 of the file that --model names")}
        here = msgspec.structs.replace(here, facts=facts)
    return start_run("bench", here, devices, runs_url, asked)


def _choose_devices(names: tuple[str, ...]) -> "tuple[Device, ...]":
    """The devices asked for, or all; the CPU always first, as everything is set against it."""
    from torchstone import backends

    if not names:
        return backends.find_devices()
    asked = [backends.find_device(name)[1] for name in ("cpu", *names)]
    return tuple({device.id: device for device in asked}.values())
