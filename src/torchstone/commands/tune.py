"""The fastest right way to run your model here: device, dtype, engine, memory format, threads, batch."""

from typing import TYPE_CHECKING, Any

import click

from torchstone.options import Number, budget_option, json_option, print_json, runs_option

if TYPE_CHECKING:
    from torchstone.tuning import Answer

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
@click.option("--emit", "emitted", metavar="FILE", default=None, help="Write the winner as code.")
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
    from torchstone.tuning import Wish, tune

    backends.require_torch()
    chosen = _choose_devices(devices)
    _refuse_energy(objective, chosen)
    wish = Wish(
        target=target,
        devices=chosen,
        budget_s=budget_s,
        input_shape=input_shape,
        train=train,
        objective=objective,
        latency_bound_s=None if latency_bound is None else latency_bound / 1e3,
        memory_bound_bytes=None if memory_bound is None else memory_bound * GIGA,
        tolerance=tolerance,
    )
    writer = start_run("tune", describe_environment(), chosen, runs_url)
    try:
        with live_view(budget_s) as show:
            answer = tune(wish, writer.append, show)
    finally:
        writer.discard_if_empty()
    code = _emit(wish, answer, emitted)
    if as_json:
        print_json("tune", target=target, run=writer.url, **answer.document, code=code)
    else:
        from torchstone.report import terminal
        from torchstone.report.tune_screen import print_answer

        print_answer(terminal.console(), target, answer.document, writer.url, emitted)


def _choose_devices(names: tuple[str, ...]) -> tuple[Any, ...]:
    from torchstone import backends

    if not names:
        return backends.find_devices()
    asked = [backends.find_device(name)[1] for name in ("cpu", *names)]
    return tuple({device.id: device for device in asked}.values())


def _refuse_energy(objective: str, devices: tuple[Any, ...]) -> None:
    """Energy is measured by a counter or not at all."""
    from torchstone import backends
    from torchstone.errors import UserError

    if objective != "energy":
        return
    for device in devices:
        counter = backends.find_device(device.id)[0].energy_counter(device.id)
        if isinstance(counter, backends.NoEnergyCounter):
            raise UserError(f"{device.id} has no energy counter: {counter.reason}", "take another --objective")


def _emit(wish: Any, answer: "Answer", emitted: str | None) -> str | None:
    from pathlib import Path

    import msgspec

    from torchstone.errors import UserError
    from torchstone.report.tune_screen import setup_words
    from torchstone.tuning.emitting import emit

    setup = answer.winners[0].setup
    try:
        code = emit(wish.target, setup, setup_words(msgspec.to_builtins(setup)), wish.input_shape, wish.train)
    except UserError:
        if emitted is not None:
            raise
        return None
    if emitted is not None:
        try:
            Path(emitted).write_text(code, encoding="utf-8")
        except OSError as error:
            raise UserError(f"{emitted} cannot be written: {error.strerror}", "give another file with --emit") from None
    return code
