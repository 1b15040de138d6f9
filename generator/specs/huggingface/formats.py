"""Number format of each component from `torch_dtype` and `quantization_config`.

A quantised checkpoint keeps some parts as they were: embeddings always, and whatever it lists as not converted. A
component counts as kept when most of its layers are listed.
"""

from __future__ import annotations

import fnmatch
import re
from typing import Any

from generator.specs.huggingface.keys import Keys

DTYPES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}
MODULES = {
    "attention": ("self_attn.q_proj", "self_attn.o_proj", "self_attn.q_b_proj"),
    "ffn": ("mlp.gate_proj", "mlp.shared_experts.gate_proj", "mlp.shared_expert.gate_proj"),
    "experts": ("mlp.experts.0.gate_proj", "block_sparse_moe.experts.0.w1", "feed_forward.experts.gate_up_proj"),
    "head": ("lm_head",),
}
"""Names under which the weights of a component stand in checkpoints, after `model.layers.N.`; the head is no layer."""

KEPT_LISTS = ("ignore", "modules_to_not_convert", "exclude_modules", "ignored_layers")


def _int4(scheme: dict[str, Any], keys: Keys) -> str:
    size = scheme.get("group_size", scheme.get("q_group_size"))
    if size not in (128, None):
        keys.notes.append(f"Groups of {size} values share a scale; they are counted as groups of 128.")
    return "int4-g128"


def _weights_scheme(scheme: dict[str, Any], keys: Keys) -> str | None:
    """Format of one compressed-tensors scheme."""
    bits, kind = scheme.get("num_bits"), scheme.get("type")
    if kind == "float":
        if bits == 8:
            return "fp8-block" if scheme.get("strategy") == "block" else "fp8"
        return {16: "nvfp4", 32: "mxfp4"}.get(scheme.get("group_size")) if bits == 4 else None
    if bits == 4:
        return _int4(scheme, keys)
    return "int8" if bits == 8 else None


def _by_method(quantization: dict[str, Any], keys: Keys) -> dict[str, str] | None:
    """Format of the components that a method converts, or None for a method that is not known."""
    method = str(quantization.get("quant_method", "")).replace("_", "-")

    def everywhere(name: str) -> dict[str, str]:
        return dict.fromkeys(("attention", "ffn", "experts"), name)

    if method in ("fp8", "fbgemm-fp8"):
        return everywhere("fp8-block" if quantization.get("weight_block_size") else "fp8")
    if method == "mxfp4":
        return {"experts": "mxfp4"}
    if method in ("awq", "gptq"):
        bits = quantization.get("bits", quantization.get("w_bit"))
        return everywhere(_int4(quantization, keys) if bits == 4 else "int8") if bits in (4, 8) else None
    if method == "compressed-tensors":
        return _compressed_tensors(quantization, keys)
    if method == "modelopt":
        algorithm = str(quantization.get("quant_algo", "")).upper()
        found = {"NVFP4": "nvfp4", "FP8": "fp8"}.get(algorithm)
        return everywhere(found) if found else None
    return None


def _compressed_tensors(quantization: dict[str, Any], keys: Keys) -> dict[str, str] | None:
    """Each group of a compressed-tensors config has a scheme and the modules it targets."""
    result: dict[str, str] = {}
    for group in quantization.get("config_groups", {}).values():
        found = _weights_scheme(group.get("weights") or {}, keys)
        if found is None:
            return None
        targets = group.get("targets", [])
        for part in ("attention", "ffn", "experts", "head"):
            whole = part != "head" and "Linear" in targets
            if whole or any(_listed(targets, name) for name in _module_names(part, 0)):
                result[part] = found
    return result or None


def _module_names(part: str, layer: int) -> list[str]:
    """Full names of the modules of a component in one layer, with the spelling that leaves `mlp` for `ffn`, too."""
    if part == "head":
        return list(MODULES[part])
    names = [f"model.layers.{layer}.{module}" for module in MODULES[part]]
    return names + [name.replace("self_attn.q_proj", "attn.wq_b").replace(".mlp.", ".ffn.") for name in names]


def _listed(patterns: list[str], name: str) -> bool:
    """Whether a module is listed: by name, by the name of what holds it, by `re:` or by wildcard."""
    for pattern in patterns:
        if pattern.startswith("re:"):
            found = re.match(pattern[3:], name) is not None
        else:
            found = any(fnmatch.fnmatchcase(name, form) for form in (pattern, f"{pattern}.*", f"*.{pattern}.*"))
        if found:
            return True
    return False


def _kept(part: str, patterns: list[str], layers: int) -> bool:
    """Whether most layers of a component are listed as not converted."""
    if part == "head":
        return any(_listed(patterns, name) for name in MODULES[part])
    hits = sum(any(_listed(patterns, name) for name in _module_names(part, layer)) for layer in range(layers))
    return 2 * hits > layers


def formats(keys: Keys, *, has_experts: bool, layers: int) -> tuple[dict[str, str], str]:
    """Format of each component, and of the cache. A method that is not known goes to `keys.wrong`."""
    dtype = str(keys.find("torch_dtype") or keys.find("dtype") or "").removeprefix("torch.")
    if dtype not in DTYPES:
        keys.notes.append(f"`torch_dtype` is {dtype or 'not in the file'}: BF16 is assumed.")
    base = DTYPES.get(dtype, "bf16")
    parts = ("attention", "ffn", *(("experts",) if has_experts else ()), "embedding", "head")
    result = dict.fromkeys(parts, base)
    cache = "bf16" if base == "fp32" else base
    quantization = keys.find("quantization_config")
    if quantization is not None and not isinstance(quantization, dict):
        keys.wrong.append(f"quantization_config must be an object with keys, got {quantization!r}")
        return result, cache
    native = quantization is None or quantization.get("quant_method") == "fp8"
    if has_experts and native and keys.find("expert_dtype") == "fp4":
        result["experts"] = "mxfp4"
    if quantization is None:
        return result, cache
    converted = _by_method(quantization, keys)
    if converted is None:
        keys.wrong.append(
            f"quantization_config: `{quantization.get('quant_method')}` with these settings is not known; known: "
            "fp8, mxfp4, awq and gptq of 4 or 8 bits, modelopt, compressed-tensors of fp8, nvfp4, mxfp4, int4 or int8"
        )
        return result, cache
    patterns = [name for key in KEPT_LISTS for name in quantization.get(key) or []]
    for part, name in converted.items():
        if part in result and not _kept(part, patterns, layers) and result[part] == base:
            result[part] = name
    scheme = quantization.get("kv_cache_scheme") or {}
    if (scheme.get("num_bits"), scheme.get("type")) == (8, "float"):
        cache = "fp8"
    return result, cache
