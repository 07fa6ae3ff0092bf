"""A command with the options of the experiments that are named; `EXPERIMENT --help` shows what that one reads.

Nothing here imports an experiment: its options, its docstring and whether it reads a model are read from its file.
"""

from typing import TYPE_CHECKING, Any

import click

from torchstone import experiments
from torchstone.commands.experimenting.explaining import explain_experiment
from torchstone.errors import UserError
from torchstone.options import Number, Seconds

if TYPE_CHECKING:
    from torchstone.records import Scalar

MOST_COUNT = 1024
"""Of processes or epochs: more is a mistake of typing."""
OPTION_TYPES: dict[str, click.ParamType] = {  # type: ignore[type-arg]
    "count": click.IntRange(1, MOST_COUNT),
    "seconds": Seconds(),
    "rate": Number(1e-9, 10.0),
    "text": click.STRING,
}
HELP_WORDS = {"-h", "--help"}
EXPLAINED = "torchstone.experiments"
"""Where a context keeps the names of the experiments whose help is asked for."""
OF_A_MODEL = ("model", "input_shape")
"""Options of `bench` itself that only experiments which look at a person's own model read."""
OF_THE_LIST = ("list_them",)
"""Those that no experiment reads."""


class ExperimentOption(click.Option):
    """An option that an experiment declares in its own file."""


class Bench(click.Command):
    """A command with the options of the experiments that are named, or of all."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        known = experiments.experiment_names()
        named = [argument for argument in args if argument in known]
        if set(args) & HELP_WORDS:
            _refuse_unknown(args[0], known)
            ctx.meta[EXPLAINED] = named
            return super().parse_args(ctx, ["--help"])  # the rest need not make sense yet
        read = {option: name for name in named or known for option in experiments.options_of(name)}
        _refuse_options_of_others(args, named, read)
        own = [_option(option, experiments.options_of(name)[option]) for option, name in read.items()]
        self.params = [*self._common(), *own]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Of the command; or of the experiments that were named, one after the other."""
        named = ctx.meta.get(EXPLAINED, [])
        for name in named:
            explain_experiment(ctx, formatter, name, self._read_by(name), self._shared())
        if not named:
            super().format_help(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Experiments"):
            formatter.write_dl([(name, experiments.summary_of(name)) for name in experiments.experiment_names()])

    def _common(self) -> list[click.Parameter]:
        return [one for one in self.params if not isinstance(one, ExperimentOption)]

    def _shared(self) -> list[click.Parameter]:
        """What every experiment reads."""
        options = (one for one in self._common() if isinstance(one, click.Option))
        return [one for one in options if one.name not in (*OF_A_MODEL, *OF_THE_LIST)]

    def _read_by(self, name: str) -> list[click.Parameter]:
        """What an experiment reads beside that: its own options, and those of a model where it looks at one."""
        own = [_option(option, declared) for option, declared in experiments.options_of(name).items()]
        of_a_model = [one for one in self._common() if one.name in OF_A_MODEL]
        return [*own, *(of_a_model if experiments.reads_model(name) else [])]


def read_option(name: str, text: str) -> "Scalar":
    """The value of an option of any experiment, as a run file keeps it."""
    for experiment in experiments.experiment_names():
        declared = experiments.options_of(experiment).get(name)
        if declared is not None:
            found: Scalar = _type_of(declared).convert(text, None, None)
            return found
    hint = "go on with it in the torchstone that made it, or begin a new run"
    raise UserError(f"that run was asked for --{name}, which is not known here", hint)


def _type_of(declared: dict[str, Any]) -> click.ParamType:  # type: ignore[type-arg]
    kind = declared.get("type", "text")
    return click.Choice(kind) if isinstance(kind, list) else OPTION_TYPES[kind]


def _option(name: str, declared: dict[str, Any]) -> ExperimentOption:
    return ExperimentOption(
        [f"--{name}"],
        type=_type_of(declared),
        metavar=declared.get("metavar"),
        default=None,
        help=declared.get("help", ""),
    )


def _refuse_unknown(word: str, known: tuple[str, ...]) -> None:
    """The first word is no option's value: an experiment, or a mistake."""
    if not word.startswith("-") and word not in known:
        raise experiments.unknown(word)


def _refuse_options_of_others(args: list[str], named: list[str], read: dict[str, str]) -> None:
    """An option that none of the experiments named reads would be ignored in silence."""
    others = {option for name in experiments.experiment_names() for option in experiments.options_of(name)} - set(read)
    for argument in args:
        option = argument.partition("=")[0].removeprefix("--")
        if argument.startswith("--") and option in others:
            hint = "`torchstone bench EXPERIMENT --help` explains what one reads"
            raise UserError(f"--{option} means nothing to {', '.join(named)}", hint)
