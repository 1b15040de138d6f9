"""Every number of the playground is the one that `handbook estimate` gives; its data and its pages agree."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re

import pytest

from generator import pages
from generator.cli import explain
from generator.estimates import configurations, fitting
from generator.pages import fit_matrix, playground
from generator.pages.playground_data import GLOBAL, SHOWN, to_csv, to_script
from generator.specs.library import UnknownId

pytest.importorskip("numpy")


@pytest.fixture(scope="module")
def book(root):
    opened = pages.open_book(root)
    for entity in pages.ENTITIES:
        entity.write(opened)
    playground.write(opened)
    return opened


@pytest.fixture(scope="module")
def grid(book):
    return playground.grid_of(playground.read(book), book)


@pytest.fixture(scope="module")
def rows(book):
    text = book.files["data/playground/configurations.csv"].decode()
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def script(book):
    text = book.files["data/playground/configurations.js"].decode()
    assert text.startswith(f"globalThis.{GLOBAL}=")
    return json.loads(text.split("=", 1)[1].rstrip().rstrip(";"))


def unpacked(script):
    """Rows of the script as the page reads them: id of the configuration -> numbers, for those that fit."""
    groups, place, found = script["groups"], 0, {}
    for number in range(len(groups["model"])):
        spread = script["spreads"][groups["spread"][number]]
        for batch in spread[5][: groups["fits"][number]]:
            identifier = "/".join(
                (
                    configurations.PREFIX,
                    script["models"][groups["model"][number]][0],
                    script["accelerators"][groups["accelerator"][number]][0],
                    spread[0],
                    script["weights"][groups["weights"][number]],
                    f"b{batch}",
                    script["workloads"][groups["workload"][number]][0],
                )
            )
            numbers = {name: values[place] for name, values in script["values"].items()}
            bound = script["binding"][int(script["bound"][place])]
            found[identifier] = numbers | {"bound": bound, "holds": groups["holds"][number]}
            place += 1
    assert {len(values) for values in script["values"].values()} == {place}
    return found


def identify(row):
    spread = f"ep{row['ep']}" if row["ep"] != "1" else f"tp{row['tp']}"
    return "/".join(
        (
            configurations.PREFIX, row["model"], row["accelerator"], spread, row["weights"], f"b{row['batch']}",
            row["workload"],
        )
    )  # fmt: skip


def test_a_row_of_the_csv_is_a_serving_estimate(rows, library):
    for row in random.Random(11).sample(rows, 300):
        asked = configurations.configuration(identify(row), library)
        estimate = asked.estimate(library)
        assert (row["fits"] == "1") == estimate.feasible
        assert int(row["max_concurrent_requests"]) == estimate.max_concurrent_requests
        assert (int(row["gpus"]), int(row["tp"]), int(row["ep"])) == (
            estimate.layout.gpus, estimate.layout.tp, estimate.layout.ep,
        )  # fmt: skip
        assert float(row["prompt_tokens"]) == estimate.load.prompt_tokens
        if estimate.feasible:
            assert row["binding"] == estimate.binding
            for name in (*playground.FIELDS, "usd_per_million_tokens"):
                value = getattr(estimate, name)
                shown = float(row[name]) if row[name] else None
                assert shown == (None if value is None else pytest.approx(float(value), rel=1e-5)), (row, name)
        else:
            assert row["why"]
            assert row["tpot_s"] == ""


def test_the_script_shows_the_digits_of_the_csv(rows, script):
    shown = unpacked(script)
    fitting_rows = [row for row in rows if row["fits"] == "1"]
    assert shown.keys() == {identify(row) for row in fitting_rows}
    for row in fitting_rows[::7]:
        one = shown[identify(row)]
        assert (one["bound"], one["holds"]) == (row["binding"], int(row["max_concurrent_requests"]))
        for name, (column, scale) in SHOWN.items():
            if row[column] == "":
                assert one[name] is None
            else:
                assert one[name] == pytest.approx(float(row[column]) / scale, rel=5.1e-3)


def test_every_combination_stands_once(rows, grid, library):
    shapes = len(grid.models) * len(grid.accelerators) * len(grid.weights) * len(grid.workloads)
    tensor = sum(len(one.batches) for one in grid.spreads if one.ep == 1)
    assert sum(row["ep"] == "1" for row in rows) == shapes * tensor
    assert len({identify(row) for row in rows}) == len(rows)


def test_a_domain_is_looked_at_for_models_with_enough_experts_only(rows, grid):
    wide = {row["model"] for row in rows if int(row["ep"]) > 1}
    assert {"deepseek-v3", "gpt-oss-120b"} <= wide
    assert wide.isdisjoint({"llama-3.1-70b", "gpt-oss-20b"})
    assert all(int(row["gpus"]) == int(row["ep"]) for row in rows if int(row["ep"]) > 1)


def test_the_tables_show_the_best_rows(book, rows, grid):
    start = playground.read(book)
    least = start["least_tokens_per_s_per_user"]
    for workload in grid.workloads:
        shown = list(csv.DictReader(io.StringIO(book.files[f"data/playground/index/best-{workload}.csv"].decode())))
        assert len(shown) >= 2 * len(grid.models) - 2
        for model in grid.models:
            name = book.library.find("models", model).name
            among = [
                row
                for row in rows
                if (row["model"], row["workload"], row["weights"], row["fits"]) == (model, workload, "native", "1")
            ]
            for line in (line for line in shown if line["model"] == name):
                quantity = {"cost": playground.COST, "speed": playground.SPEED}[line["best_by"]]
                allowed = [
                    float(row[quantity])
                    for row in among
                    if row[quantity] and (line["best_by"] == "speed" or float(row["tokens_per_s_per_user"]) >= least)
                ]
                assert float(line[quantity]) == pytest.approx(min(allowed), rel=1e-5)


def test_the_page_is_light_and_asks_for_its_data_beside_it(book):
    page = book.files["playground/index.md"].decode()
    assert len(book.files["data/playground/configurations.js"]) < 1_500_000
    assert len(page) < 350_000
    assert len(book.files["playground/fit.md"]) < 350_000
    assert re.findall(r'<script src="([^"]+)"', page) == [
        "../data/playground/configurations.js", "../assets/playground.js",
    ]  # fmt: skip
    assert "fetch(" not in (book.root / "docs" / "assets" / "playground.js").read_text(encoding="utf-8")


def test_the_data_are_the_same_when_they_are_made_again(book, grid, library):
    again = configurations.columns(grid, library)
    assert to_csv(again, grid, library).encode() == book.files["data/playground/configurations.csv"]
    given = playground.read(book)["start"]
    start = {"m": given["model"], "s": given["workload"]}
    assert to_script(again, grid, library, start).encode() == book.files["data/playground/configurations.js"]


# --- what an id names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "identifier",
    ["playground/llama-3.1-8b/h100-sxm/tp1/native/b1/chat", "playground/deepseek-v3/gb200/ep72/int4-g128/b72/rag"],
)
def test_an_id_names_what_it_says(identifier, library):
    one = configurations.configuration(identifier, library)
    name = configurations.identify(
        one.model.id, one.accelerator.id, one.spread, one.weights, one.batch, one.workload.id
    )
    assert name == identifier


def test_explain_works_a_configuration_out_again(library):
    text = "\n".join(explain.explain_configuration("playground/llama-3.1-70b/h200/tp4/fp8/b64/chat", library))
    estimate = configurations.configuration("playground/llama-3.1-70b/h200/tp4/fp8/b64/chat", library).estimate(library)
    assert f"{float(estimate.tpot_s) * 1e3:.3g} ms" in text
    assert "--model llama-3.1-70b --accelerator h200 --tp 4 --weights fp8 --batch 64" in text
    assert "specs/accelerators/h200.yaml" in text


def test_explain_goes_down_to_one_number(library):
    lines = list(explain.explain_configuration("playground/deepseek-v3/gb200/ep72/native/b4608/chat/tpot_s", library))
    assert lines[0].startswith("time per output token")


@pytest.mark.parametrize(
    ("identifier", "message"),
    [
        ("playground/llama-3.1-70b/h200", "names no configuration"),
        ("playground/llama-3.1-70b/h200/xp4/fp8/b64/chat", "names no configuration"),
        ("playground/llama-3.1-70b/h200/tp4/fp8/b0/chat", "names no configuration"),
        ("playground/llama-3.1-71b/h200/tp4/fp8/b64/chat", "llama-3.1-70b"),
        ("playground/llama-3.1-70b/h200/tp4/fp9/b64/chat", "fp8"),
        ("playground/llama-3.1-70b/h200/tp4/fp8/b64/chat/tpot", "tpot_s"),
    ],
)
def test_an_id_that_names_nothing_says_what_would_be_right(identifier, message, library):
    with pytest.raises(UnknownId, match=re.escape(message)):
        list(explain.explain_configuration(identifier, library))


# --- the fit matrix --------------------------------------------------------------------------------------------------


def test_the_fit_matrix_has_every_pair_and_its_numbers(book, library):
    lines = list(csv.DictReader(io.StringIO(book.files[fit_matrix.DATA].decode())))
    offered = [sum(one.fits for one in library.collections[name].values()) for name in ("models", "accelerators")]
    assert len(lines) == offered[0] * offered[1]
    for line in random.Random(5).sample(lines, 120):
        model, card = library.models[line["model"]], library.accelerators[line["accelerator"]]
        found = fitting.fit(model, card, library)
        if found.served is None:
            assert line["tp"] == ""
            assert line["note"]
            continue
        assert int(line["tp"]) == found.served.layout.tp
        assert int(line["max_concurrent_requests"]) == math.floor(found.served.max_concurrent_requests) >= 1


def test_a_cell_without_a_group_says_why(book):
    page = book.files[fit_matrix.PAGE].decode()
    dashes = re.findall(r'<td title="([^"]*)"><span class="infeasible">', page)
    assert dashes
    assert all(dashes)
