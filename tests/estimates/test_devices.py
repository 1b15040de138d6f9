"""Accelerators in use: which peak a format gets, and over which link a group talks."""

from __future__ import annotations

import pytest

from generator.estimates.devices import device, peak


@pytest.mark.parametrize(
    ("card", "number_format", "computes_as"),
    [
        ("h100-sxm", "bf16", "bf16"),
        ("h100-sxm", "fp8", "fp8"),
        ("a100-80gb-sxm", "fp8", "bf16"),
        ("a100-80gb-sxm", "fp8-block", "bf16"),
        ("h100-sxm", "int4-g128", "bf16"),
        ("b200", "nvfp4", "fp4"),
        ("h100-sxm", "nvfp4", "bf16"),
        ("m3-ultra", "bf16", "fp32"),
    ],
)
def test_a_format_computes_at_the_best_peak_that_the_accelerator_has(library, card, number_format, computes_as):
    accelerator = library.accelerators[card]
    flops, name = peak(accelerator, library.number_formats[number_format])
    assert name == computes_as
    assert flops == getattr(accelerator.dense_peak, computes_as)


def test_four_bit_weights_are_no_faster_than_bf16_where_there_are_no_four_bit_cores(library):
    h100 = library.accelerators["h100-sxm"]
    assert peak(h100, library.number_formats["int4-g128"]) == peak(h100, library.number_formats["bf16"])


def test_the_peak_is_the_dense_one(library):
    for accelerator in library.accelerators.values():
        for number_format in library.number_formats.values():
            flops, name = peak(accelerator, number_format)
            assert flops is None or flops.name == f"dense_peak.{name}"


def test_cards_without_nvlink_talk_over_pcie_among_those_of_one_host(library):
    card = device(library.accelerators["rtx-4090"], library, library.number_formats["bf16"])
    assert card.scale_up_bytes_per_s == 31e9
    assert card.domain_gpus == 8
    assert card.scale_up_latency_s == library.assume("all-reduce-latency-pcie")


def test_an_hgx_board_joins_8_and_a_rack_72(library):
    for name, size in (("h100-sxm", 8), ("b200", 8), ("gb200", 72), ("gb300", 72)):
        assert device(library.accelerators[name], library, library.number_formats["bf16"]).domain_gpus == size


def test_a_mac_gives_the_gpu_three_quarters_of_its_memory(library):
    card = device(library.accelerators["m3-ultra"], library, library.number_formats["bf16"])
    assert (card.memory_bytes, card.memory_share) == (512e9, 0.75)
