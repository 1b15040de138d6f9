"""Timelines show what the records say: bars where an accelerator works, ticks where first tokens come."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from generator.charts import timelines as chart
from generator.specs.load import load
from generator.timeline_studies import ARRIVALS, DECODE, LINK, PREFILL, TRANSFER, timelines

RUN = {
    "model": "llama-3.1-8b", "accelerator": "h100-sxm", "gpus": 2, "requests": 9, "rate": 6,
    "prompt_median": "4096 tokens", "output_median": "48 tokens", "length_sigma": 0.5,
}  # fmt: skip
PANELS = [
    {"label": "first", "policy": "colocated"},
    {"label": "chunks", "policy": "chunked"},
    {"label": "apart", "policy": "disaggregated", "prefill_gpus": 1, "link": "50 GB/s", "handover": "20 ms"},
]


@pytest.fixture(scope="module")
def study():
    library = load(Path(__file__).resolve().parents[2])
    return timelines(library, run=RUN, panels=PANELS, x={"label": "time (s)"}, seed=7)


def _spans(panel, row, what):
    return sorted((one.start, one.end) for one in panel.spans if one.row == row and one.what == what)


def test_every_request_has_one_first_token_in_every_panel(study):
    for panel in study.panels:
        assert sorted(int(one.whom) for one in panel.moments if one.what == "first token") == list(range(1, 10))


def test_arrivals_are_the_same_for_all_and_shown_once(study):
    assert [ARRIVALS in panel.rows for panel in study.panels] == [True, False, False]


def test_bars_of_one_kind_on_one_row_do_not_overlap(study):
    for panel in study.panels:
        for row in panel.rows:
            for what in (PREFILL, DECODE, TRANSFER):
                assert all(one[1] <= other[0] + 1e-9 for one, other in pairwise(_spans(panel, row, what)))


def test_prefill_first_never_decodes_while_it_prefills_and_chunks_do(study):
    def together(panel):
        return sum(
            max(0.0, min(end, other_end) - max(start, other_start))
            for row in panel.rows
            for start, end in _spans(panel, row, PREFILL)
            for other_start, other_end in _spans(panel, row, DECODE)
        )

    first, chunks, apart = map(together, study.panels)
    assert first == pytest.approx(0, abs=1e-6)
    assert chunks > 0.1
    assert apart == pytest.approx(0, abs=1e-6)


def test_a_cache_goes_over_the_link_after_its_prefill_and_before_its_first_token(study):
    apart = study.panels[2]
    first = {one.whom: one.at for one in apart.moments if one.what == "first token"}
    sent = [one for one in apart.spans if one.row == LINK]
    assert len(sent) == 9
    assert all(one.end + 0.02 <= first[one.whom] + 1e-9 for one in sent)


def test_the_drawing_and_its_data_are_the_same_each_time_and_tell_every_bar(study):
    one, other = (chart.draw(study, "ch-x", "title", study.text()).svg for _ in range(2))
    assert one == other
    header, rows = study.rows()
    assert header[:4] == ["panel", "row", "what", "request"]
    assert len(rows) == sum(len(panel.spans) + len(panel.moments) for panel in study.panels)
    assert "transfer" in study.text()
