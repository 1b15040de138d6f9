"""Rouhani et al. 2023, microscaling formats, arXiv 2310.10537, and the formats of engines: bits with their scales."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("mxfp4", 4 + 8 / 32),
        ("mxfp6", 6 + 8 / 32),
        ("mxfp8", 8 + 8 / 32),
        ("nvfp4", 4 + 8 / 16),
        ("int4-g128", 4 + 16 / 128),
        ("bf16", 16),
        ("fp8", 8),
        ("int8", 8),
        ("fp32", 32),
    ],
)
def test_a_value_takes_its_bits_and_its_share_of_the_scale(library, name, bits):
    assert library.number_formats[name].bits == bits


def test_mxfp4_takes_0_53125_bytes_a_parameter(library):
    assert library.number_formats["mxfp4"].bits / 8 == 0.53125


def test_fp8_in_blocks_of_128_by_128_has_one_fp32_scale_for_16384_values(library):
    assert library.number_formats["fp8-block"].bits == pytest.approx(8 + 32 / 128**2)
