"""Single figures as pictures."""

import io

import numpy
from PIL import Image
from vl_convert import vegalite_to_png

from torchstone.report.charts.parts import Spec
from torchstone.report.drawing import FIGURE_WIDTH, PNG_SCALE, THEME, draw_png
from torchstone.report.page_charts import NOT_DRAWN, data_of_figure, draw_for_page

SPEC: Spec = {
    "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
    "data": {"values": [{"x": 1, "y": 2}, {"x": 2, "y": 3}]},
    "mark": "line",
    "encoding": {axis: {"field": axis, "type": "quantitative"} for axis in "xy"},
}


def test_a_png_is_the_same_picture_in_fewer_bytes() -> None:
    drawn = bytes(vegalite_to_png({**SPEC, "width": FIGURE_WIDTH}, scale=PNG_SCALE, config=THEME))
    packed = draw_png(SPEC)
    assert len(packed) < len(drawn) / 2
    before, after = (Image.open(io.BytesIO(one)) for one in (drawn, packed))
    assert after.info == before.info, "its resolution too"
    assert numpy.array_equal(numpy.asarray(after), numpy.asarray(before))


def test_what_cannot_be_drawn_is_said() -> None:
    assert draw_for_page(SPEC).count("<svg ") == 2
    assert draw_for_page({**SPEC, "mark": 5}) == NOT_DRAWN
    assert "drawing" in data_of_figure(SPEC, is_in_words=True)
