"""Which operators work on a device, in which dtype, forward and backward; and on a device that is not here."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from torchstone.options import Seconds, device_option, json_option, print_json, runs_option, tell_resumed

if TYPE_CHECKING:
    from torchstone.ops.asking import Asked
    from torchstone.ops.atlas import Ended, Request
    from torchstone.report.atlas import OpCell
    from torchstone.store import RunWriter

ANSWER_IS_NO = 1
MOST_JOBS = 256
DEFAULT_SAMPLES = 24
PROBE_BUDGET_S = 1800.0
SPEED_BUDGET_S = 120.0


@click.command()
@click.argument("patterns", metavar="[PATTERN…]", nargs=-1)
@device_option
@click.option("--dtype", "dtypes", metavar="NAME", multiple=True, help="Such as float32 or bf16; may be repeated.")
@click.option("--jobs", type=click.IntRange(1, MOST_JOBS), default=2, show_default=True, help="Worker processes.")
@click.option("--budget", "budget_s", metavar="SECONDS", type=Seconds(), default=None, help="How long it may take.")
@click.option(
    "--limit",
    "limit_s",
    metavar="SECONDS",
    type=Seconds(),
    default=120.0,
    show_default=True,
    help="An operator that takes longer in one dtype hangs.",
)
@click.option(
    "--samples",
    type=click.IntRange(1),
    default=DEFAULT_SAMPLES,
    show_default=True,
    help="At most so many calls of an operator in a dtype.",
)
@click.option("--resume", metavar="RUN", default=None, help="Go on with this run where it stopped.")
@click.option("--probe", is_flag=True, help="The operators that models use, where devices have been silently wrong.")
@click.option("--speed", is_flag=True, help="How fast the operators that models use are, against the CPU.")
@click.option(
    "--static", "static_device", metavar="DEVICE", default=None, help="A device that is not here: read torch."
)
@click.option("--torch", "torch_version", metavar="VERSION", default=None, help="With --static: of that release.")
@click.option("--wheel", type=click.Path(path_type=Path), default=None, help="With --static: a wheel file, offline.")
@click.option("--deep", is_flag=True, help="With --static mps: the whole wheel, for kernels by dtype and refusals.")
@click.option("--run", "run_url", metavar="RUN", default=None, help="With show: from this run, rather than now.")
@click.option("--repro", is_flag=True, help="With show: the call that shows it, as a program.")
@runs_option
@json_option
def command(patterns: tuple[str, ...], **given: Any) -> None:
    """Which operators work on a device, and are they right?

    Judges every operator that torch has samples of, or those named, in every dtype, forward and backward, against
    float64, graded by the CPU's own error. A crash or a hang costs one operator in one dtype; Ctrl-C keeps everything,
    and --resume goes on.

    \b
    torchstone ops 'linalg*' --dtype float32
    torchstone ops show OP --dtype float16 --repro    one operator, and the call that shows what is wrong
    torchstone ops diff RUN RUN                       gained, lost, became wrong
    torchstone ops diff torch==2.12 torch==2.15 --device mps
    torchstone ops --static mps [--torch 2.15]        a device that is not here
    """
    from torchstone.ops.names import full_dtypes

    given["dtypes"] = full_dtypes(given["dtypes"])
    _refuse_what_means_nothing(patterns, given)
    if patterns[:1] == ("show",):
        _show(patterns[1:], given)
    elif patterns[:1] == ("diff",):
        from torchstone.commands.operators.diff import print_difference

        print_difference(patterns[1:], given)
    elif given["static_device"] is not None:
        from torchstone.commands.operators.static import tell_static

        tell_static(patterns, given)
    else:
        _judge(patterns, given)


def _refuse_what_means_nothing(patterns: tuple[str, ...], given: dict[str, Any]) -> None:
    """An option that would be ignored in silence: who asks for another torch must not be told of this one."""
    from torchstone.errors import UserError

    if patterns[:1] == ("diff",):
        return
    hint = "`torchstone ops --help` explains the options"
    is_show = patterns[:1] == ("show",)
    if given["repro"] and not is_show:
        raise UserError("--repro is for one operator: torchstone ops show OP --repro", hint)
    if given["static_device"] is not None:
        if is_show:
            raise UserError("show tells of calls that were made: --static makes none", "leave out `show`")
        for name in ("probe", "speed", "resume", "device"):
            if given[name]:
                raise UserError(f"--static reads a torch and runs nothing: --{name} means nothing", hint)
        return
    for name, value in (("torch", given["torch_version"]), ("wheel", given["wheel"]), ("deep", given["deep"])):
        if value:
            raise UserError(f"--{name} needs --static DEVICE, whose torch it is about", hint)


def _judge(patterns: tuple[str, ...], given: dict[str, Any]) -> None:
    from torchstone.errors import spell_some
    from torchstone.report.ops_screen import print_atlas
    from torchstone.report.terminal import console

    ended = _run(patterns, given)
    cells = ended.cells
    if given["as_json"]:
        print_json("ops", **_document(ended, cells))
    else:
        print_atlas(console(), cells, f"{_device_of(ended)} with torch {ended.run.environment.torch}")
        _print_speed(ended)
        if ended.run.records:
            click.echo(f"run: {ended.url}", err=True)
    is_nothing = _judged_nothing(ended, cells)
    if ended.left and not is_nothing:
        why = f"no time was left for {ended.left} cases" if ended.is_whole else f"it ended before {ended.left} cases"
        names = f" ({spell_some(ended.left_names)})" if ended.is_whole else ""
        click.echo(f"warning: {why}{names}: go on with --resume {ended.url}", err=True)
    _end(ended, cells)
    if is_nothing:
        _refuse_to_call_it_fine(ended)


def _judged_nothing(ended: "Ended", cells: "list[OpCell]") -> bool:
    """Whether no call was compared with anything, and not for a reason of the operators' own."""
    judged = any(cell.verdict != "skipped" for cell in cells)
    raced = any(one.kind == "ops speed" and one.verdict != "not judged" for one in ended.run.findings)
    wanted_more = ended.left != 0 or not cells or any(cell.samples == 0 for cell in cells)
    return wanted_more and not judged and not raced


def _refuse_to_call_it_fine(ended: "Ended") -> None:
    """A budget is blamed only where there was one."""
    import math

    over = f"the {ended.budget_s:g} s of its budget were over first"
    nothing = over if ended.left else "no case had anything to compare"
    click.echo(f"error: nothing was judged: {'the lines above say why' if ended.run.findings else nothing}", err=True)
    has_no_end = math.isinf(ended.budget_s)
    hint = "name other operators, or another --dtype" if has_no_end else "give more --budget, or name fewer operators"
    click.echo(f"hint: {hint}", err=True)
    raise click.exceptions.Exit(ANSWER_IS_NO)


def _end(ended: "Ended", cells: "list[OpCell]") -> None:
    if ended.interrupted is not None:
        if not ended.left or _judged_nothing(ended, cells):  # else it is told already
            click.echo(f"hint: go on with --resume {ended.url}", err=True)
        raise ended.interrupted
    if ended.trouble is not None:
        raise ended.trouble
    if any(cell.level == "problem" for cell in cells):
        raise click.exceptions.Exit(ANSWER_IS_NO)


def _run(patterns: tuple[str, ...], given: dict[str, Any]) -> "Ended":
    from torchstone.ops.atlas import run_atlas
    from torchstone.report.ops_screen import atlas_view

    reopened = None if given["resume"] is None else _reopen(given)
    asked = _asked(patterns, given, reopened)
    request = _request(asked, given, reopened)
    if not (asked.probe or asked.speed):
        from torchstone.ops.known import refuse_mistaken

        refuse_mistaken(asked.patterns, asked.dtypes)
    if reopened is not None:
        tell_resumed(reopened)
    with atlas_view() as show:
        return run_atlas(request, reopened or _new_run(request, asked, given), show)


def _asked(patterns: tuple[str, ...], given: dict[str, Any], reopened: "RunWriter | None") -> "Asked":
    """As it is named now; of a run that is gone on with, as it was named then."""
    from torchstone.ops.asking import Asked, asked_from, refuse_others

    now = {"patterns": patterns, **{name: given[name] for name in ("dtypes", "samples", "limit_s", "probe", "speed")}}
    if reopened is None or not reopened.run.asked:  # a run of before this was kept
        return Asked(**now)
    before = asked_from(reopened.run.asked)
    refuse_others(before, {name: value for name, value in now.items() if _is_named(name)})
    return before


def _is_named(parameter: str) -> bool:
    """Whether a person gave it, so that it is not the default."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is not None and source is not click.core.ParameterSource.DEFAULT


def _request(asked: "Asked", given: dict[str, Any], reopened: "RunWriter | None") -> "Request":
    import math

    from torchstone import backends
    from torchstone.ops.atlas import Request

    backends.require_torch()
    before = () if reopened is None else reopened.run.devices
    name = given["device"] or (before[0].id if before else None)
    device = (backends.find_device(name) if name else backends.best_device())[1]
    if reopened is not None:
        _refuse_another_device(reopened, device.id)
    default_s = PROBE_BUDGET_S if asked.probe else SPEED_BUDGET_S if asked.speed else math.inf
    return Request(
        device,
        asked.patterns,
        asked.dtypes,
        asked.samples,
        given["jobs"],
        given["budget_s"] or default_s,
        given["limit_s"] if asked.limit_s is None else asked.limit_s,
        asked.probe,
        asked.speed,
    )


def _refuse_another_device(reopened: "RunWriter", device_id: str) -> None:
    from torchstone.errors import UserError

    before = [device.id for device in reopened.run.devices]
    if before != [device_id]:
        hint = f"resume it with the device that it was made on: --device {before[0] if before else 'NAME'}"
        raise UserError(f"{reopened.url} is a run on {', '.join(before) or 'no device'}", hint)


def _reopen(given: dict[str, Any]) -> "RunWriter":
    from torchstone.machine.environment import describe_environment
    from torchstone.store import continue_run

    return continue_run(given["resume"], "ops", describe_environment(), given["runs_url"])


def _new_run(request: "Request", asked: "Asked", given: dict[str, Any]) -> "RunWriter":
    from torchstone.machine.environment import describe_environment
    from torchstone.store import start_run

    return start_run("ops", describe_environment(), (request.device,), given["runs_url"], asked.as_words())


def _device_of(ended: "Ended") -> str:
    return ended.run.devices[0].id if ended.run.devices else "cpu"


def _document(ended: "Ended", cells: "list[OpCell]") -> dict[str, Any]:
    import msgspec

    return {
        "device": _device_of(ended),
        "torch": ended.run.environment.torch,
        "run": ended.url,
        "interrupted": ended.interrupted is not None,
        "left": ended.left,
        "cells": msgspec.to_builtins(cells),
        "speed": msgspec.to_builtins([one for one in ended.run.findings if one.kind == "ops speed"]),
    }


def _print_speed(ended: "Ended") -> None:
    for one in ended.run.findings:
        if one.kind == "ops speed":
            click.echo(f"{one.subject}: {one.verdict}; {one.evidence}")


# One operator.


def _show(names: tuple[str, ...], given: dict[str, Any]) -> None:
    from torchstone.errors import UserError
    from torchstone.report.ops_screen import print_atlas
    from torchstone.report.terminal import console

    if len(names) != 1:
        raise UserError("show takes one operator", "torchstone ops show OP --dtype float32 --repro")
    cells, device = _cells_to_show(names[0], given)
    if given["as_json"]:
        import msgspec

        print_json("ops", device=device, cells=msgspec.to_builtins(cells))
    elif not given["repro"]:
        print_atlas(console(), cells, f"{names[0]} on {device}", every=True)
    if given["repro"]:
        _print_reproduction(cells, device)


def _cells_to_show(name: str, given: dict[str, Any]) -> "tuple[list[OpCell], str]":
    from torchstone.errors import UserError
    from torchstone.report.atlas import cells_of
    from torchstone.store import find_run, read_run

    if given["run_url"] is None:
        ended = _run((name,), given)
        return ended.cells, _device_of(ended)
    run = read_run(find_run(given["run_url"], given["runs_url"]))
    named = [cell for cell in cells_of(run.findings) if name in (cell.name, cell.op, cell.op.removeprefix("aten::"))]
    found = [cell for cell in named if not given["dtypes"] or cell.dtype in given["dtypes"]]
    if not found:
        raise UserError(f"{given['run_url']} holds no {name!r} in that dtype", "leave --run out to judge it now")
    return found, run.devices[0].id if run.devices else "cpu"


def _print_reproduction(cells: "list[OpCell]", device: str) -> None:
    import torch

    from torchstone.ops.catalog import all_operators
    from torchstone.ops.repro import reproduction
    from torchstone.report.atlas import worst_first

    known = {(one.name, one.variant): one for one in all_operators()}
    shown = [cell for cell in worst_first(cells) if (cell.name, cell.variant) in known]
    if not shown:
        _refuse_to_reproduce(cells)
    cell = shown[0]
    operator = known[cell.name, cell.variant]
    click.echo(f"# {cell.verdict}: {cell.reason}")
    dtype = getattr(torch, cell.dtype)
    click.echo(reproduction(operator, dtype, cell.direction, cell.sample or 0, device), nl=False)


def _refuse_to_reproduce(cells: "list[OpCell]") -> NoReturn:
    """A condition of a probe is no sample of the atlas; that must not sound as if nothing were wrong."""
    from torchstone.errors import UserError

    wrong = [cell for cell in cells if cell.level == "problem"]
    if not wrong:
        raise UserError("there is nothing to reproduce", "give another --dtype")
    raise UserError(
        f"--repro writes the atlas's samples as programs, not a probe's conditions: wrong are {len(wrong)} of these, "
        f"the first is {wrong[0].variant or wrong[0].name}",
        "leave out --repro for all conditions, or leave out --probe to judge the atlas's samples",
    )
