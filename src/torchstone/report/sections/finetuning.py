"""Fine-tuning: from a pre-trained model to the accuracy that it reaches, with what it then sees in photographs."""

from torchstone.records import Setup
from torchstone.report.cases import Row, is_believable, place_words
from torchstone.report.charts.curves import accuracy_chart
from torchstone.report.figures import draw
from torchstone.report.formatting import format_value
from torchstone.report.names import work_of
from torchstone.report.predictions import predictions_of
from torchstone.report.sections import Shown, View
from torchstone.report.sentences import rate_sentence, speed_sentence
from torchstone.report.shares import ACCURACY, TEST_ACCURACY

TITLE = "Fine-tuning"
ORDER = 60
EXPERIMENTS = ("finetune",)
KINDS = ("finetune", "prediction")
MOST_SENTENCES = 4


def show(view: View) -> Shown | None:
    rows = view.rows("finetune")
    good = [row for row in rows if is_believable(row)]
    predictions = predictions_of(view.machines)
    if not good and not predictions:
        return None
    reached = [row for row in good if row.measurement.quantity == ACCURACY]
    tested = {(row.measurement.name, row.measurement.setup): row for row in good if _is_test(row)}
    words = [f"{_what(row)} reached {_reached(row, tested)}{_elapsed(row)}." for row in reached]
    timed = [row for row in good if row.measurement.unit == "s" and row.measurement.quantity == "time"]
    curves = [row for row in reached if len(row.measurement.samples) > 1]
    figures = draw("finetuning", "Accuracy after each epoch", accuracy_chart, curves, " ".join(words[:1]))
    sentence = speed_sentence(timed) or rate_sentence(timed)
    return Shown([*words[:MOST_SENTENCES], *([sentence] if sentence else [])], figures, predictions=predictions)


def _is_test(row: Row) -> bool:
    return row.measurement.quantity == TEST_ACCURACY


def _reached(row: Row, tested: dict[tuple[str, Setup], Row]) -> str:
    """The accuracy that nothing was chosen by, where there is one."""
    test = tested.get((row.measurement.name, row.measurement.setup))
    return row.value_words if test is None else f"{test.value_words} on test photographs"


def _what(row: Row) -> str:
    return f"{work_of(row.measurement.name).words} on {place_words(row)}"


def _elapsed(row: Row) -> str:
    seconds = row.measurement.facts.get("elapsed s")
    return f" in {format_value(seconds, 's')}" if isinstance(seconds, float | int) and seconds > 0 else ""
