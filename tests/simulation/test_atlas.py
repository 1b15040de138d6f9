"""The search for the highest rate within limits: what must hold of it, and that it comes out the same anywhere."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from generator.cache import Cache
from generator.estimates.architecture import NotSupported
from generator.intervals import interval
from generator.simulation.atlas import LOWEST, RUNG, Case, Search
from generator.simulation.atlas_grid import cells, prepare
from generator.simulation.atlas_run import Sweep, local_pool, search
from generator.simulation.atlas_verdict import questions
from generator.specs.grid_file import read_grid
from generator.specs.load import SpecFaults

GRID = """
id: small
name: Small grid
models: [llama-3.1-8b, llama-3.1-70b]
accelerators: [h100-sxm]
workloads: [rag-short]
limits:
  - {id: server, name: Server, ttft: 2 s, tpot: 100 ms}
gpus: [2]
policies: [colocated, disaggregated]
link: ib-ndr400
target: 0.9
seeds: 2
"""


@pytest.fixture
def grid(tmp_path, library):
    path = tmp_path / "small.yaml"
    path.write_text(GRID)
    return read_grid(path, library)


def case_of(library, **choices) -> Case:
    given = {"model": "llama-3.1-8b", "accelerator": "h100-sxm", "workload": "rag-short", "gpus": 4}
    return prepare(library, **{**given, **choices}).case()


def rates(case: Case, seeds: int = 4) -> list[float]:
    return search(case, 1, seeds)["attained_rate_per_gpu"]


def test_the_target_is_met_below_the_rate_and_missed_above_it(library):
    found = Search(case_of(library))
    for seed in (1, 2, 3):
        height = found.height(0, seed, -4)
        assert found.trial(0, int(height // 1), seed).attainment >= 0.9
        assert found.trial(0, int(height // 1) + 1, seed).attainment < 0.9


@pytest.mark.parametrize("start", [-30, -12, -4, 0, 9])
def test_the_crossing_is_found_from_any_rung(library, start):
    """Where attainment falls once, it does not matter where the search begins."""
    found = Search(case_of(library, policy="chunked", ttft_limit=2.0, tpot_limit=0.1))
    rung = found.crossing(0, 1, start)
    assert found.trial(0, rung, 1).attainment >= 0.9 > found.trial(0, rung + 1, 1).attainment


def test_requests_of_a_seed_do_not_change_with_the_rate(library):
    found = Search(case_of(library))
    slow, fast = (found._requests(1).first(50).at_rate(rate) for rate in (1.0, 4.0))
    assert slow.prompt_tokens == fast.prompt_tokens
    assert slow.arrival_s[-1] == pytest.approx(4 * fast.arrival_s[-1])


@pytest.mark.parametrize("policy", ["colocated", "chunked", "disaggregated"])
def test_looser_limits_never_lower_the_highest_rate(library, policy):
    tight = rates(case_of(library, policy=policy, ttft_limit=0.5, tpot_limit=0.03))
    loose = rates(case_of(library, policy=policy, ttft_limit=2.0, tpot_limit=0.1))
    assert sum(loose) > sum(tight)
    later = rates(case_of(library, policy=policy, ttft_limit=2.0, tpot_limit=0.03))
    assert sum(later) >= sum(tight) / RUNG


def test_a_lower_target_never_lowers_the_highest_rate(library):
    assert sum(rates(case_of(library, target=0.8))) >= sum(rates(case_of(library, target=0.95)))


def test_the_best_split_is_that_of_an_exhaustive_search(library):
    """Every split searched by itself, with the same seeds: the one that was chosen is not worse by more than chance."""
    case = case_of(library, policy="disaggregated", ttft_limit=2.0, tpot_limit=0.1)
    chosen = Search(case).pilot()[0]
    each = {one: rates(dataclasses.replace(case, prefill_instances=one), 6) for one in (1, 2, 3)}
    ratios = [
        best / own for best, own in zip(each[max(each, key=lambda one: sum(each[one]))], each[chosen], strict=True)
    ]
    mean, low, _ = interval(ratios)
    assert low <= 1.0 or mean < 1.01


def test_a_wrong_split_costs_much(library):
    case = case_of(library, policy="disaggregated", ttft_limit=2.0, tpot_limit=0.1)
    best = Search(case).pilot()[0]
    wrong = 1 if best == 3 else 3
    assert sum(rates(dataclasses.replace(case, prefill_instances=wrong))) < 0.7 * sum(rates(case))


def test_a_limit_below_the_time_of_the_longest_prompts_is_met_at_no_rate(library):
    found = search(case_of(library, workload="rag", ttft_limit=0.2), 1, 2)
    assert found["attained_rate_per_gpu"] == [0.0, 0.0]
    assert min(found["ttft_p90_s"]) > 0.2
    assert Search(case_of(library, workload="rag", ttft_limit=0.2)).height(0, 1, LOWEST) is None


def test_runs_are_long_enough(library, monkeypatch):
    """Three times as many arrivals before those that count move the rate by no more than chance."""
    from generator.simulation import atlas

    case = case_of(library, workload="chat")
    short = rates(case, 8)
    monkeypatch.setattr(atlas, "FILLING", 3 * atlas.FILLING)
    long = rates(case, 8)
    mean, low, high = interval([one / other for one, other in zip(short, long, strict=True)])
    assert low <= 1.03 and high >= 0.97 and abs(mean - 1) < 0.06


def test_a_model_that_does_not_fit_says_what_it_would_take(library):
    with pytest.raises(NotSupported, match="one instance takes 4"):
        prepare(library, model="llama-3.1-70b", accelerator="h100-sxm", gpus=2)
    with pytest.raises(NotSupported, match=r"a split takes two instances of 4 .*, so 8"):
        prepare(library, model="llama-3.1-70b", accelerator="h100-sxm", gpus=4, policy="disaggregated")


def test_the_same_cells_on_any_executor_and_number_of_workers(library, grid):
    def swept(executor):
        sweep = Sweep(list(cells(grid, library)), 1, 2, Cache(None))
        sweep.collect(executor)
        return [(name, list(found.numbers.items())) for name, found in sweep.outcomes().items()]

    alone = swept(None)
    with ThreadPoolExecutor(3) as threads:
        assert swept(threads) == alone
    with local_pool(2) as processes:
        assert swept(processes) == alone


def test_finished_cells_are_not_searched_again(library, grid, tmp_path):
    cache = Cache(tmp_path / "cells")
    first = Sweep(list(cells(grid, library)), 1, 2, cache)
    assert len(first.todo) == 2
    first.collect()
    assert Sweep(list(cells(grid, library)), 1, 2, cache).todo == []


def test_a_changed_limit_or_accelerator_searches_only_its_own_cells(library, grid, tmp_path):
    cache = Cache(tmp_path / "cells")
    Sweep(list(cells(grid, library)), 1, 2, cache).collect()
    more = dataclasses.replace(grid, accelerators=["h100-sxm", "h200"])
    todo = Sweep(list(cells(more, library)), 1, 2, cache).todo
    assert {cell.accelerator for cell in todo} == {"h200"}
    assert len(Sweep(list(cells(grid, library)), 2, 2, cache).todo) == 2


def test_questions_name_the_best_policy_and_why_nothing_serves(library, grid):
    sweep = Sweep(list(cells(grid, library)), 1, 2, Cache(None))
    sweep.collect()
    small, large = questions(sweep.cells, sweep.outcomes(), sweep.found)
    assert small.best in ("colocated", "disaggregated")
    assert small.split.origin.low <= small.split <= small.split.origin.high
    assert (large.best, large.lead, large.split) == ("", None, None)
    assert "one instance takes 4" in large.why


def test_a_grid_lists_all_its_faults(tmp_path, library):
    path = tmp_path / "wrong.yaml"
    path.write_text(
        GRID.replace("h100-sxm", "h100-smx").replace("gpus: [2]", "gpus: [0]").replace("seeds: 2", "seeds: 1")
    )
    with pytest.raises(SpecFaults) as faults:
        read_grid(path, library)
    assert len(faults.value.faults) == 3
    assert "did you mean `h100-sxm`" in str(faults.value)


def test_the_published_grid_has_enough_seeds(library):
    assert library.grids["goodput-atlas"].seeds >= 20


def test_cells_have_permanent_ids(library):
    found = [cell.id for cell in cells(library.grids["goodput-atlas"], library)]
    assert len(found) == len(set(found))
    assert "llama-3.1-8b/h100-sxm/chat/interactive/x4/chunked" in found


def test_the_module_of_the_search_sends_plain_numbers(library):
    import pickle

    case = case_of(library, policy="disaggregated")
    assert pickle.loads(pickle.dumps(case)) == case
    assert Path(__import__("generator.simulation.atlas", fromlist=["x"]).__file__).exists()
