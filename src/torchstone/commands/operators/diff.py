"""`ops diff`: what changed between two runs, or between two releases of torch."""

from typing import Any

import click

from torchstone.options import print_json

ANSWER_IS_NO = 1


def print_difference(names: tuple[str, ...], given: dict[str, Any]) -> None:
    from torchstone.errors import UserError

    if len(names) != 2:
        raise UserError("diff takes two runs, or two releases", "torchstone ops diff RUN RUN")
    releases = [name.startswith("torch==") or name.endswith(".whl") for name in names]
    if all(releases):
        _diff_static(names, given)
    elif any(releases):
        raise UserError("a run and a release can't be compared", "give two run files, or torch==A torch==B")
    else:
        _diff_runs(names, given)


def _diff_runs(names: tuple[str, ...], given: dict[str, Any]) -> None:
    import msgspec

    from torchstone.errors import UserError
    from torchstone.ops.diff import difference_of
    from torchstone.report.atlas import cells_of
    from torchstone.store import find_run, read_run

    before, after = (read_run(find_run(name, given["runs_url"])) for name in names)
    found = difference_of(cells_of(before.findings), cells_of(after.findings))
    if not found.compared:
        raise UserError("the two runs share no operator", "make both with `torchstone ops` and the same patterns")
    if given["as_json"]:
        print_json("ops", **msgspec.to_builtins(found))
    else:
        for title in ("became_wrong", "lost", "gained", "mended"):
            _print_changes(title.replace("_", " "), getattr(found, title))
        click.echo(
            f"{found.compared} cells compared; only in the first {found.only_before}, in the second {found.only_after}"
        )
    if found.became_wrong or found.lost:
        raise click.exceptions.Exit(ANSWER_IS_NO)


def _print_changes(title: str, changes: Any) -> None:
    for one in changes:
        name = f"{one.name}.{one.variant}" if one.variant else one.name
        click.echo(f"{title}: {name} {one.dtype} {one.direction}: {one.before} → {one.after}: {one.reason}")


def _diff_static(names: tuple[str, ...], given: dict[str, Any]) -> None:
    import msgspec

    from torchstone.ops.wheels import difference, evidence_for

    device = given["device"] or "mps"
    before, after = (evidence_for(device, torch=name, deep=given["deep"]) for name in names)
    found = difference(before, after)
    if given["as_json"]:
        print_json("ops", **msgspec.to_builtins(found))
        return
    for title in ("gained", "lost", "gained_kernels", "lost_kernels", "new", "removed"):
        ops = getattr(found, title)
        click.echo(f"{title.replace('_', ' ')} ({len(ops)}): {', '.join(ops) or '-'}")
