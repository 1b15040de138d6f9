"""Accelerators, systems and links: data sheets, product lines, and one direction of each link."""

from __future__ import annotations

from itertools import pairwise

import pytest

from generator.specs.library import UnknownId
from generator.specs.records import FORMATS
from tests.specs.walk import quantities

# Dense BF16 and FP8 peak (TFLOP/s), memory (GB), bandwidth (TB/s), scale-up link one way (GB/s), power (W): from the
# data sheets of the vendors; dense is half of what they print with sparsity.
DATA_SHEETS = {
    "a100-40gb-sxm": (312, None, 40, 1.555, 300, 400),
    "a100-80gb-sxm": (312, None, 80, 2.039, 300, 400),
    "h100-sxm": (989.4, 1978.9, 80, 3.35, 450, 700),
    "h100-pcie": (756.5, 1513, 80, 2.039, 300, 350),
    "h100-nvl": (835.5, 1670.5, 94, 3.938, 300, 400),
    "h200": (989.4, 1978.9, 141, 4.8, 450, 700),
    "h200-nvl": (835.5, 1670.5, 141, 4.8, 450, 600),
    "gh200-96gb": (989.4, 1978.9, 96, 4.0, 450, 1000),
    "gh200-144gb": (989.4, 1978.9, 144, 4.9, 450, 1000),
    "b200": (2250, 4500, 180, 8.0, 900, 1000),
    "b300": (2250, 4500, 288, 8.0, 900, 1100),
    "gb200": (2500, 5000, 186, 8.0, 900, 1200),
    "gb300": (2500, 5000, 288, 8.0, 900, 1400),
    "l4": (121, 242, 24, 0.3, None, 72),
    "l40s": (362.05, 733, 48, 0.864, None, 350),
    "a40": (149.7, None, 48, 0.696, 56.25, 300),
    "l40": (181.05, 362, 48, 0.864, None, 300),
    "rtx-3090": (71, None, 24, 0.936, 56.25, 350),
    "rtx-a6000": (154.8, None, 48, 0.768, 56.25, 300),
    "rtx-6000-ada": (364.2, 728.5, 48, 0.96, None, 300),
    "rtx-4090": (165.2, 330.3, 24, 1.008, None, 450),
    "rtx-5090": (209.5, 419, 32, 1.792, None, 575),
    "mi300x": (1307.4, 2614.9, 192, 5.3, 448, 750),
    "mi325x": (1307.4, 2614.9, 256, 6.0, 448, 1000),
    "mi355x": (2500, 5000, 288, 8.0, 535.5, 1400),
    "tpu-v5e": (197, None, 16, 0.819, 200, None),
    "tpu-v6e": (918, 918, 32, 1.638, 400, None),
}


@pytest.mark.parametrize("name", DATA_SHEETS)
def test_a_spec_says_what_the_data_sheet_says(library, name):
    card = library.accelerators[name]
    bf16, fp8, memory, bandwidth, link, power = DATA_SHEETS[name]
    assert card.dense_peak.bf16 / 1e12 == pytest.approx(bf16, rel=1e-3)
    if fp8 is None:
        assert card.dense_peak.fp8 is None
    else:
        assert card.dense_peak.fp8 / 1e12 == pytest.approx(fp8, rel=1e-3)
    assert card.memory.capacity / 1e9 == pytest.approx(memory)
    assert card.memory.bandwidth / 1e12 == pytest.approx(bandwidth)
    assert (card.scale_up.bandwidth / 1e9 if card.scale_up else None) == link
    assert card.tdp == power


@pytest.mark.parametrize(
    ("name", "mhz", "fmas", "cores"),
    [("a100-80gb-sxm", 1410, 256, 432), ("h100-sxm", 1830, 512, 528), ("mi300x", 2100, 256, 1216)],
)
def test_the_dense_peak_is_clock_times_multiply_adds_times_matrix_cores(library, name, mhz, fmas, cores):
    """As derived in github.com/stas00/ml-engineering, compute/accelerator/README.md; no sparse figure fits it."""
    peak = mhz * 1e6 * fmas * 2 * cores
    assert library.accelerators[name].dense_peak.bf16 == pytest.approx(peak, rel=1e-3)


PRODUCT_LINES = [
    ("a100-40gb-sxm", "a100-80gb-sxm", "h100-sxm", "h200", "b200", "b300"),
    ("gb200", "gb300", "rubin-vr200"),
    ("h100-pcie", "h100-sxm"),
    ("h100-pcie", "h100-nvl", "h200-nvl"),
    ("gh200-96gb", "gh200-144gb"),
    ("h20", "h200"),
    ("mi300x", "mi325x", "mi350x", "mi355x"),
    ("rtx-3070", "rtx-3080", "rtx-3080-ti", "rtx-3090", "rtx-4090", "rtx-5090"),
    ("a40", "rtx-a6000"),
    ("l40", "l40s"),
    ("l4", "l40s"),
    ("tpu-v5e", "tpu-v6e"),
    ("tpu-v5p", "tpu-v7x-ironwood"),
    ("m1", "m1-max", "m3-max", "m4-max", "m3-ultra"),
]


@pytest.mark.parametrize("line", PRODUCT_LINES, ids=" ".join)
def test_no_successor_has_less_bandwidth_memory_or_compute(library, line):
    cards = [library.accelerators[name] for name in line]
    for older, newer in pairwise(cards):
        if older.id != "h20":
            assert newer.memory.bandwidth >= older.memory.bandwidth
        assert newer.memory.capacity >= older.memory.capacity
        if older.dense_peak.bf16 and newer.dense_peak.bf16:
            assert newer.dense_peak.bf16 >= older.dense_peak.bf16


def test_h200_is_an_h100_with_more_and_faster_memory(library):
    h100, h200 = library.accelerators["h100-sxm"], library.accelerators["h200"]
    for name in FORMATS:
        assert getattr(h100.dense_peak, name) == getattr(h200.dense_peak, name)
    assert h200.memory.capacity > h100.memory.capacity
    assert h200.memory.bandwidth > h100.memory.bandwidth


def test_h800_has_less_than_half_the_nvlink_of_h100_and_the_same_compute(library):
    h100, h800 = library.accelerators["h100-sxm"], library.accelerators["h800"]
    assert h800.dense_peak.bf16 == h100.dense_peak.bf16
    assert h800.scale_up.bandwidth == 200e9 < h100.scale_up.bandwidth / 2


def test_bandwidths_are_one_way_and_half_of_what_data_sheets_print(library):
    links = [card.scale_up for card in library.accelerators.values() if card.scale_up]
    links += list(library.links.values())
    checked = [link for link in links if link.bidirectional is not None and link.bandwidth is not None]
    assert len(checked) > 20
    for link in checked:
        assert link.bidirectional == pytest.approx(2 * link.bandwidth, rel=0.01)


def test_no_test_was_faster_than_its_link(library):
    for link in library.links.values():
        assert link.measured is None or link.measured <= link.bandwidth


def test_no_accelerator_multiplies_matrices_faster_than_its_peak(library):
    shares = [
        getattr(card.matmul_efficiency, name)
        for card in library.accelerators.values()
        if card.matmul_efficiency
        for name in ("bf16", "fp8")
        if getattr(card.matmul_efficiency, name) is not None
    ]
    assert len(shares) > 10
    assert all(0.4 < share < 1 for share in shares)


@pytest.mark.parametrize(
    ("name", "gpus", "memory_tb", "bandwidth_tb_s"),
    [
        ("hgx-h100-8", 8, 0.64, 26.8),
        ("hgx-h200-8", 8, 1.128, 38.4),
        ("gb200-nvl72", 72, 13.4, 576),
        ("gb300-nvl72", 72, 20, 576),
        ("mi300x-8", 8, 1.536, 42.4),
    ],
)
def test_a_system_is_as_large_as_it_is_sold(library, name, gpus, memory_tb, bandwidth_tb_s):
    system = library.systems[name]
    assert system.gpus == gpus
    assert system.memory / 1e12 == pytest.approx(memory_tb, rel=0.01)
    assert system.bandwidth / 1e12 == pytest.approx(bandwidth_tb_s, rel=0.01)


def test_a_system_is_the_sum_of_its_accelerators(library):
    for system in library.systems.values():
        card = library.accelerators[system.accelerator]
        assert system.memory == pytest.approx(system.gpus * card.memory.capacity, rel=0.1)
        if system.bandwidth and card.memory.bandwidth:
            assert system.bandwidth == pytest.approx(system.gpus * card.memory.bandwidth, rel=0.05)
        if system.dense_peak:
            for name in FORMATS:
                whole, one = getattr(system.dense_peak, name), getattr(card.dense_peak, name)
                assert whole is None or one is None or whole == pytest.approx(system.gpus * one, rel=0.01)
        assert system.gpus == card.scale_up.domain_gpus


def test_a_rack_draws_more_than_its_accelerators(library):
    for system in library.systems.values():
        card = library.accelerators[system.accelerator]
        if system.power and card.tdp:
            assert system.power > system.gpus * card.tdp


# What no address confirms: named here, so that a new unconfirmed value is a decision and no accident.
UNCONFIRMED = {
    "a10g": {"dense_peak", "sparse_peak"},
    "b300": {"dense_peak"},
    "gb10": {"dense_peak"},
    "h800": {"memory", "tdp"},
    "jetson-agx-orin-64gb": {"dense_peak"},
    "m3-ultra": {"dense_peak"},
    "rtx-3080-ti": {"tdp"},
    "rubin-vr200": {"memory"},
}


def test_values_that_no_source_confirms_are_known_and_say_so(library):
    found: dict[str, set[str]] = {}
    for card in library.accelerators.values():
        for value in quantities(card):
            if not any(source.confirmed for source in value.origin.sources):
                found.setdefault(card.id, set()).add(value.name.partition(".")[0])
    assert found == UNCONFIRMED


def test_what_is_not_published_is_left_out_and_not_zero(library):
    announced = library.accelerators["rubin-ultra-vr300"]
    assert announced.availability == "announced"
    assert announced.memory.bandwidth is None
    with pytest.raises(UnknownId, match="is not known: the file leaves it out"):
        library.datum("accelerators/rubin-ultra-vr300#memory.bandwidth")


def test_macs_give_the_gpu_a_part_of_their_memory_and_cards_all_of_it(library):
    shares = {name: card.memory.gpu_share for name, card in library.accelerators.items() if card.memory.gpu_share}
    assert set(shares) == {name for name, card in library.accelerators.items() if card.vendor == "Apple"}
    assert all(0 < share < 1 for share in shares.values())
