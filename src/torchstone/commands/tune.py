"""The fastest right way to run your model here: device, dtype, engine, memory format, threads, batch."""

from typing import Any

import click

from torchstone.options import Number, budget_option, json_option, print_json, runs_option

ANSWER_IS_NO = 1
GIGA = 1e9


@click.command()
@click.argument("target")
@click.option("--train", is_flag=True, help="Tune a training step instead of a call.")
@click.option(
    "--objective",
    type=click.Choice(["latency", "throughput", "memory", "energy"]),
    default="latency",
    show_default=True,
    help="What is to be best.",
)
@click.option("--latency-bound", metavar="MS", type=Number(1e-3, 1e7), default=None, help="What a call may take.")
@click.option("--memory-bound", metavar="GB", type=Number(1e-6, 1e5), default=None, help="What a call may hold.")
@click.option(
    "--tolerance",
    metavar="ERROR",
    type=Number(0.0, 1.0),
    default=None,
    help="How far an output may be off, relative to its largest value. Default: what the dtype's rounding explains.",
)
@click.option("--device", "devices", metavar="NAME", multiple=True, help="A device; may be given again. Default: all.")
@click.option("--input", "input_shape", metavar="SHAPE", default=None, help="Its input, such as 1x3x224x224.")
@click.option("--emit", "emitted", metavar="FILE", default=None, help="Write what is recommended as code.")
@budget_option(120.0)
@runs_option
@json_option
def command(
    target: str,
    train: bool,
    objective: str,
    latency_bound: float | None,
    memory_bound: float | None,
    tolerance: float | None,
    devices: tuple[str, ...],
    input_shape: str | None,
    emitted: str | None,
    budget_s: float,
    runs_url: str | None,
    as_json: bool,
) -> None:
    """The fastest right way to run your model here.

    Tries every engine, dtype, memory format and thread count that is here on TARGET (file.py:name, module:name,
    zoo:NAME, hf:FOLDER) in contests, checks every output against the CPU in float64, and names the winners with what
    they gain, what preparing them costs, and the code.
    """
    from torchstone import backends
    from torchstone.machine.environment import describe_environment
    from torchstone.report.live import live_view
    from torchstone.store import start_run
    from torchstone.tuning import Question, Wish, findings_of, tune

    backends.require_torch()
    if emitted is not None:
        _require_folder(emitted)
        _refuse_the_target(emitted, target)
    chosen = _choose_devices(devices)
    if objective == "energy":
        chosen = _keep_metered(chosen)
    question = Question(
        objective=objective,
        latency_bound_s=None if latency_bound is None else latency_bound / 1e3,
        memory_bound_bytes=None if memory_bound is None else memory_bound * GIGA,
    )
    wish = Wish(target, chosen, budget_s, input_shape, train, question, tolerance)
    writer = start_run("tune", describe_environment(), chosen, runs_url)
    try:
        with live_view(budget_s) as show:
            answer = tune(wish, writer.append, show)
        for finding in findings_of(answer, target):
            writer.append(finding)
    finally:
        writer.discard_if_empty()
    if emitted is not None and answer.code is not None:
        _write(emitted, answer.code)
    if as_json:
        print_json("tune", target=target, run=writer.url, **answer.document)
    else:
        from torchstone.report import terminal
        from torchstone.report.tune_screen import print_answer

        print_answer(terminal.console(), target, answer.document, writer.url, emitted)
    if answer.interrupted is not None:
        raise answer.interrupted
    if answer.chosen is None:
        raise click.exceptions.Exit(ANSWER_IS_NO)


def _choose_devices(names: tuple[str, ...]) -> tuple[Any, ...]:
    from torchstone import backends

    if not names:
        return backends.find_devices()
    asked = [backends.find_device(name)[1] for name in ("cpu", *names)]
    return tuple({device.id: device for device in asked}.values())


def _keep_metered(devices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Energy is measured by a counter or not at all; the CPU stays, as everything is compared with its plain run."""
    from torchstone import backends
    from torchstone.errors import UserError

    counters = {device.id: backends.find_device(device.id)[0].energy_counter(device.id) for device in devices}
    missing = {name: one.reason for name, one in counters.items() if isinstance(one, backends.NoEnergyCounter)}
    if len(missing) == len(devices):
        reasons = "; ".join(f"{name}: {reason}" for name, reason in missing.items())
        raise UserError(f"no device here has an energy counter ({reasons})", "take another --objective")
    return tuple(device for device in devices if device.id == "cpu" or device.id not in missing)


def _require_folder(path: str) -> None:
    """Said before the search, not after it."""
    from pathlib import Path

    from torchstone.errors import UserError

    if Path(path).is_dir() or not Path(path).resolve().parent.is_dir():
        raise UserError(f"{path} cannot be written: it is no file in a folder that exists", "give a file with --emit")


def _refuse_the_target(path: str, target: str) -> None:
    """What it would write loads the target: in the target's own place nothing of it would be left."""
    from pathlib import Path

    from torchstone.errors import UserError

    place = Path(target.rpartition(":")[0]).expanduser()
    if place.is_file() and Path(path).exists() and place.samefile(path):
        raise UserError(f"--emit {path} would replace the model itself", "give another file with --emit")


def _write(path: str, code: str) -> None:
    from pathlib import Path

    from torchstone.errors import UserError

    try:
        Path(path).write_text(code, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}", "give another file with --emit") from None
