"""How small a change this machine can tell, and whether it is fit to measure on now."""

from typing import TYPE_CHECKING

import click

from torchstone.options import budget_option, device_option, json_option, print_json, runs_option

if TYPE_CHECKING:
    from torchstone.records import Device, Finding
    from torchstone.store import RunWriter


@click.command()
@device_option
@budget_option(30.0)
@runs_option
@json_option
def command(device: str | None, budget_s: float, runs_url: str | None, as_json: bool) -> None:
    """How small a change this machine can tell, and whether it is fit to measure on now.

    With --device, first whether that device keeps its promises: synchronize waits, its counters count, what is copied
    there comes back, seeds repeat, an emptied cache is empty, and a process that dies leaves it usable. Ends with 1
    where it breaks one.

    Holds a contest of A with A, and of A with A plus a known amount of extra work, as every other command compares,
    and says the smallest change that is found in 95 of 100 cases. Everything measured is kept in a run
    file, also when it is interrupted.
    """
    import msgspec

    from torchstone import backends, host
    from torchstone.interrupting import something_to_keep
    from torchstone.machine.environment import describe_environment
    from torchstone.measuring import selftest
    from torchstone.processes import fork_server_where_safe
    from torchstone.report import terminal
    from torchstone.store import start_run

    backends.require_torch()
    _, found = backends.find_device(device) if device else backends.best_device()
    writer = start_run("selftest", describe_environment(), (found,), runs_url)
    promises = _check_promises(writer, device) if device else ()
    load, throttled = host.load_per_core(), host.thermal_throttling()
    same = planted = interrupted = None
    extra = 0
    try:
        with something_to_keep(), fork_server_where_safe(found.kind) as server:
            side, share_s = selftest.choose_side(found.id), budget_s / 2
            with terminal.timed_progress("A against A", share_s):
                same = selftest.compare_same(found.id, side, share_s, server)
            writer.append_all(same.a, same.b)
            extra = selftest.units_to_plant(selftest.smallest_change(same) if same.ratio else None)
            with terminal.timed_progress(f"A against A with {extra} % more work", share_s):
                planted = selftest.compare_planted(found.id, side, share_s, extra, server)
            writer.append_all(planted.a, planted.b)
    except KeyboardInterrupt as error:
        interrupted = error
    fitness = selftest.Fitness(load, throttled, host.thermal_throttling(), host.power_state())
    findings = selftest.judge(same, planted, extra, fitness)
    writer.append_all(*findings)
    fit = interrupted is None and selftest.is_fit(findings)
    if as_json:
        print_json(
            "selftest",
            device=found.id,
            fit=fit,
            smallest_change=selftest.smallest_change(same) if same is not None and same.ratio else None,
            promises=msgspec.to_builtins(promises),
            findings=msgspec.to_builtins(findings),
            run=writer.url,
            interrupted=interrupted is not None,
        )
    else:
        _print(found, promises, findings, fit, writer.url)
    if interrupted is not None:
        raise interrupted
    _end(promises)


def _print(
    device: "Device", promises: "tuple[Finding, ...]", findings: "tuple[Finding, ...]", fit: bool, url: str
) -> None:
    from torchstone.report import terminal
    from torchstone.report.promises_screen import promises_table

    screen = terminal.console()
    if promises:
        screen.print(promises_table(f"Promises of {device.id} ({device.name})", promises))
    terminal.print_findings(screen, f"Selftest on {device.id} ({device.name})", findings)
    unfit = "Mind the warnings before you trust a small difference measured on this machine now."
    screen.print("This machine is fit to measure on now." if fit else unfit)
    screen.print(f"Kept in {url}", soft_wrap=True)


def _check_promises(writer: "RunWriter", device: str) -> "tuple[Finding, ...]":
    from torchstone.measuring.promises import check_each
    from torchstone.report.terminal import console

    terminal = console(stderr=True)
    terminal.print(f"the promises of {device}")
    found = []
    for finding in check_each(device):
        writer.append_all(finding)
        found.append(finding)
    return tuple(found)


def _end(promises: "tuple[Finding, ...]") -> None:
    from torchstone.measuring.promises import is_broken

    raise SystemExit(1 if any(map(is_broken, promises)) else 0)
