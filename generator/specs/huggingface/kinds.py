"""What each `model_type` of Hugging Face means for the shape of a decoder.

A reader takes the keys of a config and returns the field `config` of a model file as plain data. Where a class of the
transformers library has switches that its config files do not print, the reader knows them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from generator.specs.huggingface import classic, deepseek, llama, qwen
from generator.specs.huggingface.keys import Keys

KINDS: dict[str, Callable[[Keys], dict[str, Any]]] = {
    "deepseek_v2": deepseek.deepseek_v2,
    "deepseek_v3": deepseek.deepseek_v3,
    "deepseek_v32": deepseek.deepseek_v32,
    "deepseek_v4": deepseek.deepseek_v4,
    "falcon": classic.falcon,
    "gemma": llama.gemma,
    "gemma2": llama.gemma2,
    "gemma3": llama.gemma3,
    "glm4_moe": qwen.glm4_moe,
    "glm_moe_dsa": deepseek.deepseek_v32,
    "gpt2": classic.gpt2,
    "gpt_neox": classic.gpt_neox,
    "gpt_oss": llama.gpt_oss,
    "granite": llama.llama,
    "kimi_k2": deepseek.deepseek_v3,
    "llama": llama.llama,
    "llama4": llama.llama4,
    "minimax_m2": qwen.minimax_m2,
    "mistral": llama.mistral,
    "mixtral": llama.mixtral,
    "mpt": classic.mpt,
    "opt": classic.opt,
    "phi": llama.phi,
    "phi3": llama.mistral,
    "qwen2": qwen.qwen2,
    "qwen2_moe": qwen.qwen2_moe,
    "qwen3": qwen.qwen3,
    "qwen3_5": qwen.qwen3_next,
    "qwen3_5_moe": qwen.qwen3_next,
    "qwen3_moe": qwen.qwen3_moe,
    "qwen3_next": qwen.qwen3_next,
}
"""`model_type` -> reader; the suffix `_text` of nested configs is dropped."""
