"""Sections: the folder is the registry, and one file brings an experiment's own part of page and post."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.report import runs

from torchstone.errors import UserError
from torchstone.records import Measurement
from torchstone.report import sections
from torchstone.report.page import make_view
from torchstone.report.sections import beside, load_section, peak, section_names, sections_of
from torchstone.report.sources import Machine

OWN = '''"""Mine."""

from torchstone.report.sections import Shown

TITLE = "My own part"
ORDER = 25
IN_POST = True
EXPERIMENTS = ("mine",)


def show(view):
    return Shown([f"{len(view.rows('mine'))} rows of mine."])
'''
USE = """
import sys
from pathlib import Path
from torchstone.report.writing import Wish, write_report
run, folder = sys.argv[1], Path(sys.argv[2])
write_report(Wish((run,), folder / "page.html"))
write_report(Wish((run,), folder / "post", "post"))
"""


def test_one_file_is_found_on_the_page_and_in_the_post(tmp_path: Path) -> None:
    (tmp_path / "sections").mkdir()
    (tmp_path / "sections" / "own_part.py").write_text(OWN)
    run = runs.write_run(tmp_path / "run.jsonl", runs.make_run(runs.timed("mine/x", 1.0)))
    variables = {"TORCHSTONE_SECTIONS": str(tmp_path / "sections"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", USE, run, str(tmp_path)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<section id="own-part"' in page
    assert "1 rows of mine." in page
    assert 'id="others"' not in page, "it is spoken of"
    (post,) = (tmp_path / "post").glob("*.md")
    assert "## My own part\n\n1 rows of mine." in post.read_text(encoding="utf-8")


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_done.py").write_text('TITLE = "x"\n')
    monkeypatch.setattr(sections, "__path__", [*sections.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    with pytest.raises(UserError, match="has no ORDER, show"):
        load_section("half_done")


@pytest.mark.parametrize("name", section_names())
def test_every_section_keeps_the_contract(name: str) -> None:
    found = load_section(name)
    assert found.TITLE
    assert (found.__doc__ or "").strip()
    empty = make_view([Machine("it", "x.jsonl", runs.make_run())])
    assert found.show(empty) is None


def test_an_experiment_without_a_section_is_shown_all_the_same() -> None:
    run = runs.make_run(*runs.contest("mine/x", {runs.PLAIN: 1.0, runs.ON_MPS: 0.5}))
    (section,) = sections_of(make_view([Machine("it", "x.jsonl", run)]))
    assert section.title == "Other measurements"
    assert "x on mps is 2.00× as fast" in section.shown.sentences[0]
    assert len(section.shown.figures) == 1


def test_published_figures_stand_beside_the_same_model_and_batch_when_asked_for() -> None:
    found = [Machine("it", "x.jsonl", runs.accelerated_run())]
    assert beside.show(make_view(found)) is None
    shown = beside.show(make_view(found, beside_published=True))
    assert shown is not None
    v100 = next(words for words in shown.sentences if "V100" in words)
    assert v100.startswith("BERT base training, batch 64: here 285 a second on mps, float16 autocast; published: 156 a")
    assert "https://github.com/lucadiliello/" in v100
    assert all("batch 64" in words or "batch 128" in words for words in shown.sentences)


def test_that_no_published_figure_matches_is_said() -> None:
    found = [Machine("it", "x.jsonl", runs.typical_run())]
    shown = beside.show(make_view(found, beside_published=True))
    assert shown is not None
    assert shown.sentences[0].startswith("No published figure that is kept here has the same model and batch")


def test_how_much_of_the_machine_a_model_uses() -> None:
    def limit(name: str, unit: str, value: float) -> Measurement:
        return Measurement(name=name, setup=runs.PLAIN, unit=unit, quantity="peak", samples=(value,) * 5)

    run = runs.make_run(
        limit("peak/matmul/float32", "FLOP/s", 1e11),
        limit("peak/copy", "bytes/s", 2e10),
        runs.timed("inference/resnet50/batch=1", 0.1, FLOP=5e9),
        runs.timed("inference/gpt2_small/generation/decode", 0.05, parameters=125_000_000, items=1),
    )
    shown = peak.show(make_view([Machine("it", "x.jsonl", run)]))
    assert shown is not None
    assert shown.sentences[:2] == [
        "cpu, 8 threads: at most 100 GFLOP/s in matrix products of float32.",
        "cpu, 8 threads: copies 18.6 GiB/s within its main memory, reading and writing counted.",
    ]
    assert "computes 50% of the device's float32 matrix products" in shown.sentences[2]
    assert "reads its weights at 50% of the device's copying speed" in shown.sentences[3]
