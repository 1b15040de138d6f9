"""What measurements call models, accelerators and number formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.specs.load import load
from generator.validation import names
from generator.validation.rows import Uncovered


@pytest.fixture(scope="module")
def library():
    return load(Path(__file__).parents[2])


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("H100", "h100-sxm"), ("h100_sxm", "h100-sxm"), ("NVIDIA H100-SXM-80GB", "h100-sxm"),
        ("H100 80GB SXM", "h100-sxm"), ("8x NVIDIA H100 80GB HBM3", "h100-sxm"), ("NVIDIA H100 PCIe", "h100-pcie"),
        ("H100-NVL-94GB", "h100-nvl"), ("b200_sxm", "b200"), ("B200 192GB HBM3e", "b200"), ("DGX B200", "b200"),
        ("GH200 480GB", "gh200-96gb"), ("NVIDIA GH200 144GB HBM3e", "gh200-144gb"), ("A100 40GB", "a100-40gb-sxm"),
        ("A100-SXM4-80GB (8x)", "a100-80gb-sxm"), ("AMD MI300X 192GB", "mi300x"), ("3090 24GB * 2", "rtx-3090"),
        ("NVIDIA GeForce RTX 4090 24GB", "rtx-4090"), ("NVIDIA A10G", "a10g"), ("Apple M2 Max 38-core", "m2-max"),
        ("M1 Ultra 64‑Core GPU 128GB", "m1-ultra-64-core"), ("Google TPU v5e", "tpu-v5e"),
    ],
)  # fmt: skip
def test_accelerators_are_known_by_many_spellings(library, text, card):
    assert names.accelerator(library, text).id == card


@pytest.mark.parametrize(
    "text",
    ["H20 141GB", "M2 Ultra 24-core", "RTX 4060 Ti 16GB", "V100 32GB", "AMD MI300X 192GB (x32), AMD MI325X (x16)", ""],
)
def test_an_accelerator_of_another_size_or_two_at_once_is_not_guessed(library, text):
    with pytest.raises(Uncovered):
        names.accelerator(library, text)


@pytest.mark.parametrize(
    ("text", "model", "weights"),
    [
        ("Qwen/Qwen3-14B-AWQ", "qwen3-14b", "int4-g128"), ("Gemma3 27B", "gemma-3-27b", None),
        ("LLaMA v4 Maverick", "llama-4-maverick", None), ("Qwen/QwQ-32B-AWQ", "qwen2.5-32b", "int4-g128"),
        ("llama 7B mostly Q4_0", "llama-2-7b", None), ("qwen3moe 30B.A3B Q4_K - Medium", "qwen3-30b-a3b", None),
        ("RedHatAI/DeepSeek-R1-Distill-Llama-70B-FP8-dynamic", "llama-3.1-70b", "fp8"),
        ("nytopop/Qwen3-30B-A3B.w4a16", "qwen3-30b-a3b", "int4-g128"), ("Llama2 7B SFT", "llama-2-7b", None),
    ],
)  # fmt: skip
def test_models_are_known_by_many_spellings(library, text, model, weights):
    named = names.model(library, text)
    assert (named.model.id, named.weights) == (model, weights)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("FP8", "fp8"), ("fp8_e4m3", "fp8"), ("bfloat16", "bf16"), ("half", "fp16"), ("FP4", "nvfp4"), ("auto", ""),
        ("nan", ""), ("AWQ", "int4-g128"), ("Q4_K - Medium", "q4-k-m"), ("fp8_block", "fp8-block"),
    ],
)  # fmt: skip
def test_number_formats_are_known_by_many_spellings(text, form):
    assert names.format_spelt(text) == form
