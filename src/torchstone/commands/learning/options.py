"""What `learn` and `learn dev` share: their options, and the exit code of what is not solved yet."""

import click

NOT_YET = 1


def _ask_parents(context: click.Context, _: click.Parameter, value: bool) -> bool:
    """`learn --json run` is `learn run --json`."""
    above = context.parent
    while above is not None and not value:
        value, above = bool(above.params.get("as_json")), above.parent
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, callback=_ask_parents, help="Print one JSON document on stdout."
)
name_argument = click.argument("name", required=False)
