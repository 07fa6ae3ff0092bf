"""`ops --static`: what a torch says of a device that is not here."""

from typing import Any

import click

from torchstone.options import print_json


def tell_static(patterns: tuple[str, ...], given: dict[str, Any]) -> None:
    from torchstone.errors import UserError
    from torchstone.ops.wheels import as_document, evidence_for

    if given["wheel"] is not None and given["torch_version"] is not None:
        raise UserError("--wheel and --torch name two torches", "give one of them")
    source = given["wheel"] or given["torch_version"]
    evidence = evidence_for(given["static_device"], torch=source, deep=given["deep"])
    document = as_document(evidence, patterns, *([given["dtypes"]] if given["dtypes"] else []))
    if given["as_json"]:
        print_json("ops", **document)
        return
    _print_static(document)


def _print_static(document: dict[str, Any]) -> None:
    from collections import Counter

    cells = document["cells"]
    for cell in cells:
        if cell["verdict"] != "ok":
            name = f"{cell['op']}.{cell['variant']}" if cell["variant"] else cell["op"]
            likely = f", likely {cell['likely']}" if cell.get("likely") else ""
            where = f"{name} {cell['dtype']} {cell['direction']}"
            click.echo(f"{cell['verdict']}{likely}: {where} ({cell['tier']}): {cell['reason']}")
    counts = ", ".join(f"{count} {verdict}" for verdict, count in Counter(one["verdict"] for one in cells).items())
    click.echo(f"{document['device']} with torch {document['torch']}, read from {document['source']}: {counts}")
