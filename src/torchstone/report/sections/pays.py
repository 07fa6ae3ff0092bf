"""From which batch on a device pays: the speed-up by batch, a line a model."""

from torchstone.report.charts.ratios import batch_chart
from torchstone.report.figures import Figure
from torchstone.report.sections import Shown, View

TITLE = "When it pays"
ORDER = 20
KINDS = ("crossover",)


def show(view: View) -> Shown | None:
    sentences, figures = list[str](), list[Figure]()
    for machine, answers in zip(view.machines, view.answers, strict=True):
        device = next((bar.device for bar in answers.bars), "cpu")
        if device == "cpu":
            continue
        where = f"{machine.label}: " if len(view.machines) > 1 else ""
        sentences += [f"{where}{answers.use.batch}"] if answers.use.batch else []
        caption = f"{where}{device}, times as fast as the CPU at its best, by batch"
        spec = batch_chart(answers.batches, answers.holes, f"{caption}. {answers.use.batch}")
        if spec is not None:
            figures.append(Figure(f"pays-{len(figures) + 1}", caption, f"{caption}. {answers.use.batch}", spec))
    return Shown(sentences, figures) if sentences or figures else None
