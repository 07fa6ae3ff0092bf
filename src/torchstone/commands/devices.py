"""What is here, what is not and why, and what to do about it."""

import click

from torchstone.options import json_option, print_json


@click.command()
@click.option("--device", metavar="NAME", default=None, help="Bring in an out-of-tree device, such as vulkan.")
@click.option("--probe/--no-probe", default=True, help="Try which dtypes each device computes in.  [default: probe]")
@json_option
def command(device: str | None, probe: bool, as_json: bool) -> None:
    """What is here, what is not and why, and what to do about it.

    Lists the devices that torch can use on this machine with their facts, the kinds that are absent with the reason,
    and what the doctor found: a CPU-only torch beside a graphics card, Python under Rosetta, low-power mode, a
    fallback variable that hides slowness, too few threads, a container's limit, an accelerator package not imported.
    """
    import msgspec

    from torchstone import backends
    from torchstone.machine import doctor
    from torchstone.machine.dtypes import probe_dtypes

    if device is not None:
        backends.find_device(device)
    found = backends.find_devices()
    dtypes = {one.id: probe_dtypes(one.id) for one in found} if probe else {}
    absences = backends.find_absences()
    remarks = doctor.examine(doctor.read_signs())
    if as_json:
        print_json(
            "devices",
            devices=msgspec.to_builtins(found),
            dtypes=msgspec.to_builtins(dtypes),
            absent=msgspec.to_builtins(absences),
            findings=msgspec.to_builtins(remarks),
        )
        return
    from torchstone.report import terminal

    screen = terminal.console()
    screen.print(terminal.devices_table(found, dtypes))
    screen.print(terminal.absences_table(absences))
    if remarks:
        terminal.print_findings(screen, "The doctor's findings", remarks)
    else:
        screen.print("The doctor found nothing wrong.")
