"""How small a change this machine can tell, and whether it is fit to measure on now."""

from typing import TYPE_CHECKING

import click

from torchstone.options import budget_option, device_option, json_option, print_json, runs_option

if TYPE_CHECKING:
    from torchstone.records import Finding
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
    from torchstone.machine.environment import describe_environment
    from torchstone.measuring import selftest
    from torchstone.processes import fork_server_where_safe
    from torchstone.report import terminal
    from torchstone.report.promises_screen import promises_table
    from torchstone.store import start_run

    backends.require_torch()
    _, found = backends.find_device(device) if device else backends.best_device()
    writer = start_run("selftest", describe_environment(), (found,), runs_url)
    promises = _check_promises(writer, device) if device else ()
    load, throttled = host.load_per_core(), host.thermal_throttling()
    side = selftest.choose_side(found.id)
    share_s = budget_s / 2
    with fork_server_where_safe(found.kind) as server:
        with terminal.timed_progress("A against A", share_s):
            same = selftest.compare_same(found.id, side, share_s, server)
        writer.append_all(same.a, same.b)
        smallest = selftest.smallest_change(same) if same.ratio else None
        extra = selftest.units_to_plant(smallest)
        with terminal.timed_progress(f"A against A with {extra} % more work", share_s):
            planted = selftest.compare_planted(found.id, side, share_s, extra, server)
        writer.append_all(planted.a, planted.b)
    fitness = selftest.Fitness(load, throttled, host.thermal_throttling(), host.power_state())
    findings = selftest.judge(same, planted, extra, fitness)
    writer.append_all(*findings)
    fit = selftest.is_fit(findings)
    if as_json:
        print_json(
            "selftest",
            device=found.id,
            fit=fit,
            smallest_change=smallest,
            promises=msgspec.to_builtins(promises),
            findings=msgspec.to_builtins(findings),
            run=writer.url,
        )
        _end(promises)
    screen = terminal.console()
    if promises:
        screen.print(promises_table(f"Promises of {found.id} ({found.name})", promises))
    terminal.print_findings(screen, f"Selftest on {found.id} ({found.name})", findings)
    unfit = "Mind the warnings before you trust a small difference measured on this machine now."
    screen.print("This machine is fit to measure on now." if fit else unfit)
    screen.print(f"Kept in {writer.url}", soft_wrap=True)
    _end(promises)


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
