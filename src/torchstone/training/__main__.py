"""Fine-tune in one process, or as one of many: the entry that `torchrun` starts, here and on other machines.

    python -m torchstone.training --recipe '{"epochs": 2}' --checkpoint folder
    torchrun --nnodes 2 --nproc-per-node 4 --rdzv-backend c10d --rdzv-endpoint first:29400 \\
        -m torchstone.training --recipe '{"data": "FOLDER"}' --checkpoint folder

The first process prints an epoch a line and writes the checkpoints. When `torchrun` restarts a lost team, it goes on
from the last one.
"""

import dataclasses
import json
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

import click

from torchstone.errors import UserError
from torchstone.training.recipe import from_json

RESTARTS = "TORCHELASTIC_RESTART_COUNT"


@click.command(help=__doc__.splitlines()[0])
@click.option(
    "--recipe", "recipe_json", metavar="JSON", default="{}", help='What differs from the default: {"epochs": 2}.'
)
@click.option("--device", "device_kind", default="cpu", show_default=True, help="cpu, cuda, xpu, …")
@click.option("--checkpoint", "place", default=None, help="A folder, or a file that ends in .pt.")
@click.option("--checkpoint-every", "checkpoint_every_s", type=float, default=30.0, show_default=True, help="Seconds.")
@click.option("--resume", "resumes", is_flag=True, help="Go on from the checkpoint.")
@click.option("--seconds", type=float, default=math.inf, help="Stop and save after so many.")
@click.option("--events", default=None, help="Write what happens to this file, as JSON lines.")
def command(events: str | None, **options: Any) -> None:
    """Turn a mistake into a message and an exit code."""
    from torchstone.processes import tie_to_parent

    if "TORCHELASTIC_RUN_ID" in os.environ:
        # The launcher puts its workers in sessions of their own: killed itself, it would leave them running.
        tie_to_parent()
    try:
        train(events=None if events is None else Path(events), **options)
    except UserError as error:
        click.echo(f"error: {error.message}\nhint: {error.hint}", err=True)
        sys.exit(2)


def train(
    *,
    device_kind: str,
    place: str | None,
    checkpoint_every_s: float,
    resumes: bool,
    seconds: float,
    events: Path | None,
    recipe_json: str,
) -> None:
    """The whole of one process."""
    from torchstone.training import checkpoint
    from torchstone.training.classifier import build_classifier
    from torchstone.training.photographs import load_data, prepare_photographs
    from torchstone.training.team import joined
    from torchstone.training.trainer import Trainer

    whole = from_json(recipe_json)
    path = None if place is None else checkpoint.path_in(place)
    with joined(device_kind) as team:
        photographs = prepare_photographs(whole, load_data(whole))
        classifier = build_classifier(whole, len(photographs.classes))
        trainer = Trainer(whole, classifier, photographs, team.device_id, team, path=path)
        trainer.checkpoint_every_s = checkpoint_every_s
        restarted = int(os.environ.get(RESTARTS, "0")) > 0 and path is not None and path.exists()
        if resumes or restarted:
            trainer.resume(team.from_lead(lambda: checkpoint.read(checkpoint.locate(str(path)))))
        trainer.deadline = time.perf_counter() + seconds
        for epoch in trainer.run():
            if team.leads:
                click.echo(f"epoch {epoch.number}: loss {epoch.loss:.4f}, accuracy {epoch.accuracy:.2%}")
                _tell(events, epoch=dataclasses.asdict(epoch))
        if team.leads:
            _tell(events, history=dataclasses.asdict(trainer.history), steps=trainer.steps)


def _tell(events: Path | None, **what: Any) -> None:
    if events is not None:
        with events.open("a", encoding="utf-8") as file:
            file.write(json.dumps(what) + "\n")


if __name__ == "__main__":
    command()
